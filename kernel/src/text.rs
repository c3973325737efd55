//! Text from outside, made fit to be printed: nothing in it can steer a terminal or a page.

use std::fmt;

/// A text from outside (a certificate, a file's name, a formula), printed with its control
/// characters escaped: `\n`, `\t`, `\r` as in Rust, others as `\u{1b}`. Characters that turn the
/// direction of writing or end a line or paragraph are escaped too.
#[derive(Debug, Clone, Copy)]
pub struct Plain<'a>(pub &'a str);

/// Whether a terminal or a page might obey the character instead of showing it.
pub fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(steers) {
            f.write_str(&rest[..at])?;
            let c = rest[at..].chars().next().unwrap_or_default();
            write!(f, "{}", c.escape_default())?;
            rest = &rest[at + c.len_utf8()..];
        }
        f.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers() {
        let text = "a\u{1b}[2J\r\n\tb\u{202e}c\u{9b}d é ∧";
        let plain = Plain(text).to_string();
        assert_eq!(plain, "a\\u{1b}[2J\\r\\n\\tb\\u{202e}c\\u{9b}d é ∧");
        assert!(!plain.contains(steers));
    }
}
