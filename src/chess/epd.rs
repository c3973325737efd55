//! EPD operations: what a line says besides its position.
//!
//! # References
//! * S. J. Edwards, *Portable Game Notation Specification and Implementation Guide* (1994), 16.2:
//!   Extended Position Description.

/// The operations of a line: opcode and operands, in the order of the line.
///
/// ```
/// use theta_chess::chess::Operations;
///
/// let line = Operations::parse("dm 3; id \"a; b\";");
/// assert_eq!((line.mate(), line.id().as_deref()), (Some(3), Some("a; b")));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operations(Vec<(String, Vec<String>)>);

impl Operations {
    /// Reads `opcode operand …; opcode "an operand; with blanks"; …`. What is no operation is left
    /// out.
    pub fn parse(text: &str) -> Self {
        let (mut list, mut words, mut word) = (Vec::new(), Vec::new(), String::new());
        let mut quoted = false;
        for c in text.chars().chain([';']) {
            match c {
                '"' => quoted = !quoted,
                ';' | ' ' | '\t' if !quoted => {
                    if !word.is_empty() {
                        words.push(std::mem::take(&mut word));
                    }
                    if c == ';' && !words.is_empty() {
                        let opcode: String = words.remove(0);
                        list.push((
                            opcode.trim_end_matches(':').to_string(),
                            std::mem::take(&mut words),
                        ));
                    }
                }
                _ => word.push(c),
            }
        }
        Self(list)
    }

    /// Adds an operation.
    pub fn push(&mut self, opcode: &str, operands: impl IntoIterator<Item = String>) {
        self.0.push((opcode.to_string(), operands.into_iter().collect()));
    }

    /// The operands of an opcode.
    pub fn operands(&self, opcode: &str) -> Option<&[String]> {
        self.0.iter().find(|(name, _)| name == opcode).map(|(_, operands)| operands.as_slice())
    }

    /// The position's name.
    pub fn id(&self) -> Option<String> {
        self.operands("id").map(|words| words.join(" "))
    }

    /// The moves to mate that the line claims: `dm 3`, or `bm #3` as some collections write it;
    /// negative where the side to move is mated.
    pub fn mate(&self) -> Option<i64> {
        let number = |opcode: &str| self.operands(opcode)?.first();
        let claimed = number("dm").and_then(|n| n.parse().ok());
        claimed.or_else(|| number("bm").and_then(|n| n.strip_prefix('#')?.parse().ok()))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Every operation, opcode and operands.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.0.iter().map(|(opcode, operands)| (opcode.as_str(), operands.as_slice()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_read() {
        let read = Operations::parse(r#"bm Qg7 Qh7; id "a; b"; ce 100; PV: e2e4 e7e5;  noop"#);
        assert_eq!(read.id().as_deref(), Some("a; b"));
        assert_eq!(read.operands("bm").unwrap(), ["Qg7", "Qh7"]);
        assert_eq!(read.operands("PV").unwrap(), ["e2e4", "e7e5"]);
        assert_eq!(read.operands("noop").unwrap(), Vec::<String>::new());
        assert_eq!(Operations::parse(";; ;"), Operations::default());
        assert_eq!(Operations::parse("bm #-7").mate(), Some(-7));
    }
}
