//! Names that look like something else: a formula with `False` or `AGp` in it rarely means a
//! variable.

/// What the writer of a variable of this name probably meant, as CTL text; `None` for an ordinary
/// name.
///
/// ```
/// use theta_chess::ctl::lookalike;
/// assert_eq!(lookalike("False").as_deref(), Some("F"));
/// assert_eq!(lookalike("AGp").as_deref(), Some("AG p"));
/// assert_eq!(lookalike("p270"), None);
/// ```
pub fn lookalike(name: &str) -> Option<String> {
    let word = match name {
        "True" | "top" => "T",
        "False" | "bot" => "F",
        "NOT" | "Not" => "~",
        "AND" | "And" => "&",
        "OR" | "Or" => "|",
        "ax" | "ex" | "ag" | "eg" | "af" | "ef" => return Some(name.to_uppercase()),
        "LET" | "Let" => "let",
        "XOR" | "Xor" => "xor",
        "XNOR" | "Xnor" => "xnor",
        _ => return glued_quantifier(name),
    };
    Some(word.into())
}

/// `AGp` for `AG p`.
fn glued_quantifier(name: &str) -> Option<String> {
    let (quantifier, rest) = name.split_at_checked(2)?;
    let is_quantifier = ["AX", "EX", "AG", "EG", "AF", "EF"].contains(&quantifier);
    let is_operand = rest.starts_with(|c: char| c.is_ascii_lowercase());
    (is_quantifier && is_operand).then(|| format!("{quantifier} {rest}"))
}
