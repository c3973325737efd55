//! The parser and the printers against each other and against bad input.

use super::testing::trees;
use super::*;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use std::io::Read;

fn round_trip(text: &str, syntax: Syntax) -> String {
    let mut arena = Arena::new();
    let id = parse(&mut arena, text).unwrap_or_else(|e| panic!("{text}: {e}"));
    to_text(&arena, id, syntax)
}

fn fault(text: &str) -> String {
    parse(&mut Arena::new(), text).unwrap_err().to_string()
}

fn read_smv(arena: &mut Arena, text: &str) -> Id {
    parse_reader(arena, text.as_bytes(), Atoms::Names, Notation::Smv).unwrap().formula
}

/// The formula with `W` and `R` written by `U`, as NuSMV's notation has them.
fn by_until(arena: &mut Arena, id: Id) -> Id {
    let operands: Vec<Id> = arena.operands(id).to_vec();
    let done: Vec<Id> = operands.into_iter().map(|a| by_until(arena, a)).collect();
    match arena.get(id) {
        Node::And(_) => arena.and(&done),
        Node::Or(_) => arena.or(&done),
        Node::WeakUntil(path, ..) => {
            let [not_a, not_b] = [arena.not(done[0]), arena.not(done[1])];
            let both = arena.and(&[not_a, not_b]);
            let until = arena.add(Node::Until(path.dual(), not_b, both));
            arena.not(until)
        }
        Node::Release(path, ..) => {
            let [not_a, not_b] = [arena.not(done[0]), arena.not(done[1])];
            let until = arena.add(Node::Until(path.dual(), not_a, not_b));
            arena.not(until)
        }
        Node::Not(_) => arena.not(done[0]),
        Node::Implies(..) => arena.add(Node::Implies(done[0], done[1])),
        Node::Iff(..) => arena.add(Node::Iff(done[0], done[1])),
        Node::Next(path, _) => arena.add(Node::Next(path, done[0])),
        Node::Globally(path, _) => arena.add(Node::Globally(path, done[0])),
        Node::Finally(path, _) => arena.add(Node::Finally(path, done[0])),
        Node::Until(path, ..) => arena.add(Node::Until(path, done[0], done[1])),
        Node::True | Node::False | Node::Var(_) => id,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn what_is_printed_is_read_back(tree in trees(5, 6)) {
        let mut arena = Arena::new();
        let id = tree.build(&mut arena);
        for syntax in [Syntax::Ascii, Syntax::Unicode] {
            let text = to_text(&arena, id, syntax);
            prop_assert_eq!(parse(&mut arena, &text).unwrap(), id, "{}", text);
        }
    }

    /// NuSMV's CTL has no `W` and `R`, so they come back as they are written by `U`.
    #[test]
    fn what_is_printed_for_nusmv_is_read_back(tree in trees(5, 6)) {
        let mut arena = Arena::new();
        let id = tree.build(&mut arena);
        let text = to_text(&arena, id, Syntax::Smv);
        let read = read_smv(&mut arena, &text);
        let by_until = by_until(&mut arena, id);
        prop_assert_eq!(read, by_until, "{}", &text);
        prop_assert_eq!(to_text(&arena, read, Syntax::Smv), text);
    }

    /// Names of any characters go through NuSMV's notation.
    #[test]
    fn names_are_read_back_from_nusmv(name in "[a-z_A-Z][a-zA-Z0-9_$#.é ()<=-]{0,12}") {
        let mut arena = Arena::new();
        let id = arena.var(&name);
        let is_word = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        prop_assume!(!is_word || parse(&mut arena, &name).ok() == Some(id));
        let text = to_text(&arena, id, Syntax::Smv);
        prop_assert_eq!(read_smv(&mut arena, &text), id, "{}", text);
    }

    /// No pair of brackets is idle: without any one of them another formula is read, or none.
    #[test]
    fn brackets_are_few(tree in trees(3, 4)) {
        let mut arena = Arena::new();
        let id = tree.build(&mut arena);
        let text = to_text(&arena, id, Syntax::Ascii);
        let mut open = Vec::new();
        for (at, c) in text.char_indices() {
            match c {
                '(' => open.push(at),
                ')' => {
                    let from = open.pop().unwrap();
                    let without = format!("{} {} {}", &text[..from], &text[from + 1..at], &text[at + 1..]);
                    prop_assert_ne!(parse(&mut arena, &without).ok(), Some(id), "{}", text);
                }
                _ => {}
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[pqTFAEXGUWR ~&|<>()=;\\[\\]#\n∀∃○□◇¬é-]{0,40}") {
        let mut arena = Arena::new();
        for notation in [Notation::Auto, Notation::Smv] {
            let read = parse_reader(&mut arena, text.as_bytes(), Atoms::Names, notation);
            if let Err(error) = read {
                let place = error.to_string();
                let excerpt = error.excerpt().unwrap();
                prop_assert!(place.starts_with(&format!("line {},", excerpt.line)), "{}", place);
            }
        }
        if let Ok(id) = parse(&mut arena, &text) {
            let again = to_text(&arena, id, Syntax::Unicode);
            prop_assert_eq!(parse(&mut arena, &again).unwrap(), id);
        }
    }
}

#[test]
fn binding_strengths() {
    for (text, same) in [
        ("~p & q | r -> s <-> t", "((((~p) & q) | r) -> s) <-> t"),
        ("p -> q -> r", "p -> (q -> r)"),
        ("p <-> q <-> r", "(p <-> q) <-> r"),
        ("AX EF ~p & q", "(AX (EF (~p))) & q"),
        ("A(p U q & r)", "A[p U (q & r)]"),
        ("E[p | q W r]", "E[(p | q) W r]"),
        ("∀(p◇∃(q R r)) ∧ ∀○¬∃□⊤", "A[p U E[q R r]] & AX ~EG true"),
    ] {
        let mut arena = Arena::new();
        assert_eq!(parse(&mut arena, text).unwrap(), parse(&mut arena, same).unwrap(), "{text}");
    }
    assert_eq!(round_trip("(p & (q & r)) & s", Syntax::Ascii), "(p & (q & r)) & s");
}

#[test]
fn notations() {
    let text = "AG (p0 & ~p269 -> AF q) | E[x_1 W p <-> T] | A[p R F]";
    assert_eq!(round_trip(text, Syntax::Ascii), text);
    assert_eq!(
        round_trip(text, Syntax::Unicode),
        "∀□(p0 ∧ ¬p269 → ∀◇q) ∨ ∃(x_1 W p ↔ T) ∨ ∀(p R F)"
    );
    assert_eq!(
        round_trip(text, Syntax::Latex),
        r"\forall\Box (p_{0} \land \neg p_{269} \to \forall\Diamond \mathrm{q}) \lor \exists(\mathrm{x\_1} \mathbin{\mathsf{W}} \mathrm{p} \leftrightarrow \top) \lor \forall(\mathrm{p} \mathbin{\mathsf{R}} \bot)"
    );
    assert_eq!(
        round_trip(text, Syntax::Smv),
        "AG ((p0 & !p269) -> (AF q)) | !A[!(p <-> TRUE) U !x_1 & !(p <-> TRUE)] | !E[!p U !FALSE]"
            .replace("(p0 & !p269) -> (AF q)", "p0 & !p269 -> AF q")
    );
    assert_eq!(round_trip("next & (p -> (q <-> r))", Syntax::Smv), "next$ & (p -> (q <-> r))");
}

#[test]
fn definitions_and_comments() {
    let text = "# two names\nlet P1 = p & ~q; # one\nlet P2 = P1 | AX P1;\nEF P2 & P1";
    assert_eq!(round_trip(text, Syntax::Ascii), "EF (p & ~q | AX (p & ~q)) & (p & ~q)");
}

#[test]
fn terms_are_variables() {
    let text =
        "AG ~(count( q )<=1 & on(R,e4)) -> material(white)-material(black)>=-3 <-> stalemate";
    let mut arena = Arena::new();
    let parsed = parse_reader(&mut arena, text.as_bytes(), Atoms::Terms, Notation::Auto).unwrap();
    let names: Vec<_> =
        parsed.variables.iter().map(|(s, place)| (arena.name(*s), place.column)).collect();
    assert_eq!(
        names,
        [
            ("count(q) <= 1", 6),
            ("on(R, e4)", 22),
            ("material(white) - material(black) >= -3", 35),
            ("stalemate", 75)
        ]
    );
    let again = to_text(&arena, parsed.formula, Syntax::Ascii);
    assert_eq!(
        parse_reader(&mut arena, again.as_bytes(), Atoms::Terms, Notation::Auto).unwrap().formula,
        parsed.formula
    );
    assert!(
        fault("count(q) <= 1")
            .contains("column 6: expected an operator or the end of the text, found `(`")
    );
}

#[test]
fn faults_are_told_with_their_place() {
    for (text, told) in [
        ("", "line 1, column 1: expected a formula, found the end of the text"),
        ("p &\n", "line 2, column 1: expected a formula, found the end of the text"),
        (
            "(p | q",
            "line 1, column 7: expected an operator or `)` (for the `(` at line 1, column 1), found the end of the text",
        ),
        ("p)", "line 1, column 2: expected an operator or the end of the formula, found `)`"),
        ("p q", "line 1, column 3: expected an operator or the end of the text, found `q`"),
        (
            "A[p & q]",
            "line 1, column 8: expected an operator, `U`, `W` or `R` (in the bracket opened at line 1, column 2), found `]`",
        ),
        (
            "E[p U q)",
            "line 1, column 8: expected an operator or `]` (for the bracket opened at line 1, column 2), found `)`",
        ),
        (
            "∀p",
            "line 1, column 2: expected `[`, `(`, `○`, `□` or `◇` after a path quantifier, found `p`",
        ),
        ("p & U", "line 1, column 5: expected a formula, found `U`"),
        ("∀□é", "line 1, column 3: expected a formula, found `é`"),
        (
            "let U = p; p",
            "line 1, column 5: expected a name to define (not a reserved word), found `U`",
        ),
        ("let a = p q", "line 1, column 11: expected an operator or `;`, found `q`"),
        ("let a = p;", "line 1, column 11: expected a formula, found the end of the text"),
        ("let a = b & a; a", "line 1, column 13: the definition of `a` is cyclic: it uses `a`"),
        (
            "let a = b;\nlet b = a; a",
            "line 2, column 5: `b` was used (line 1, column 9) before this definition; definitions stand before use and are not cyclic",
        ),
        ("let a = p; let a = q; a", "line 1, column 16: `a` is already defined (line 1, column 5)"),
    ] {
        assert_eq!(fault(text), told, "{text}");
    }
}

#[test]
fn bytes_that_are_not_utf8_are_told_with_their_place() {
    for (text, told) in [
        (&b"p & \xFF"[..], "line 1, column 5: the text is not UTF-8"),
        (b"p # \xE2\x88\xA7 \xE2\x88", "line 1, column 7: the text is not UTF-8"),
        (b"\xC3", "line 1, column 1: the text is not UTF-8"),
    ] {
        let error =
            parse_reader(&mut Arena::new(), text, Atoms::Names, Notation::Auto).unwrap_err();
        assert_eq!(error.to_string(), told);
    }
}

/// Hands out a few bytes at a time, so that tokens and characters are cut everywhere.
struct Drops<'a>(&'a [u8], usize);

impl Read for Drops<'_> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(self.0.len());
        to[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

#[test]
fn cut_tokens_are_read_whole() {
    let text = "let name_1 = ∀(p270◇¬q); # комментарий\n name_1 <-> (name_1 -> ∃□ name_1)";
    let mut arena = Arena::new();
    let whole = parse(&mut arena, text).unwrap();
    for size in 1..5 {
        let parsed =
            parse_reader(&mut arena, Drops(text.as_bytes(), size), Atoms::Names, Notation::Auto)
                .unwrap();
        assert_eq!(parsed.formula, whole);
    }
}

#[test]
fn names_have_a_longest() {
    let name = "p".repeat(MAX_NAME);
    assert_eq!(round_trip(&name, Syntax::Ascii), name);
    assert_eq!(fault(&format!("q & {name}p")), "line 1, column 5: a name of more than 65536 bytes");
}

#[test]
fn deep_nesting_needs_no_call_stack() {
    const DEPTH: usize = 100_000;
    for (open, close) in
        [("(", ")"), ("~", ""), ("AX ", ""), ("A[p U ", "]"), ("p -> ", ""), ("~(p & ", ")")]
    {
        let text = format!("{}q{}", open.repeat(DEPTH), close.repeat(DEPTH));
        let mut arena = Arena::new();
        let id = parse(&mut arena, &text).unwrap();
        let printed = to_text(&arena, id, Syntax::Ascii);
        assert_eq!(parse(&mut arena, &printed).unwrap(), id);
        let normal = arena.nnf(id);
        assert!(arena.is_nnf(normal));
    }
    assert!(fault(&"(".repeat(DEPTH)).starts_with("line 1, column 100001: expected a formula"));
}

#[test]
fn the_families_are_read_and_printed_back() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/formulas/families/instances.tsv");
    let text = std::fs::read_to_string(path).unwrap();
    let mut count = 0;
    for line in
        text.lines().filter(|line| !line.starts_with(['#']) && !line.starts_with("family\t"))
    {
        let formula = line.rsplit('\t').next().unwrap();
        let mut arena = Arena::new();
        let id = parse(&mut arena, formula).unwrap_or_else(|e| panic!("{line}: {e}"));
        for syntax in [Syntax::Ascii, Syntax::Unicode] {
            let printed = to_text(&arena, id, syntax);
            assert_eq!(parse(&mut arena, &printed).unwrap(), id, "{line}");
        }
        count += 1;
    }
    assert_eq!(count, 104);
}

/// Text that is made while it is read: definitions of cubes over 269 variables, all different.
struct Cubes {
    next: u32,
    count: u32,
    text: Vec<u8>,
    at: usize,
}

impl Read for Cubes {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        use std::io::Write;
        if self.at == self.text.len() && self.next <= self.count {
            self.text.clear();
            self.at = 0;
            if self.next < self.count {
                write!(self.text, "let P{} = ", self.next)?;
                for variable in 0..269 {
                    let sign =
                        if variable < 32 && self.next >> variable & 1 == 0 { "~" } else { "" };
                    write!(
                        self.text,
                        "{}{sign}p{variable}",
                        if variable == 0 { "" } else { " & " }
                    )?;
                }
                writeln!(self.text, ";")?;
            } else {
                self.text.extend_from_slice(b"P0 | P1");
            }
            self.next += 1;
        }
        let count = to.len().min(self.text.len() - self.at);
        to[..count].copy_from_slice(&self.text[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[test]
#[ignore = "700 MB of text, 10 seconds in release"]
fn a_huge_file_takes_four_bytes_a_literal() {
    const COUNT: u32 = 375_676;
    let mut arena = Arena::new();
    let mut source = Cubes { next: 0, count: COUNT, text: Vec::new(), at: 0 };
    let start = std::time::Instant::now();
    parse_reader(&mut arena, &mut source, Atoms::Names, Notation::Auto).unwrap();
    let literals = u64::from(COUNT) * 269;
    println!("{} literals, {} bytes, {:?}", literals, arena.bytes(), start.elapsed());
    // Vectors double: at most twice 4 bytes a literal, and the nodes.
    assert!(arena.bytes() < 9 * literals, "{} bytes", arena.bytes());
}

#[test]
fn signs_of_other_tools_are_read() {
    for (foreign, own) in [
        ("!p && q || r", "~p & q | r"),
        ("not p and q or r", "~p & q | r"),
        ("p /\\ ~q \\/ r", "p & ~q | r"),
        ("p => q <=> !q implies !p", "p -> q <-> ~q -> ~p"),
        ("AG(!p||EF q) iff notp", "AG (~p | EF q) <-> notp"),
        ("A[!p U q&&r]", "A[~p U q & r]"),
    ] {
        let mut arena = Arena::new();
        let (foreign, own) = (parse(&mut arena, foreign).unwrap(), parse(&mut arena, own).unwrap());
        assert_eq!(foreign, own, "{}", to_text(&arena, own, Syntax::Ascii));
    }
}

#[test]
fn exclusive_or_is_as_strong_as_or() {
    for (text, same) in [
        ("p xor q", "~(p <-> q)"),
        ("p xnor q & r", "p <-> q & r"),
        ("p | q xor r | s", "~((p | q) <-> r) | s"),
        ("p xor q xor r -> s", "~(~(p <-> q) <-> r) -> s"),
        ("TRUE & FALSE", "T & F"),
    ] {
        let mut arena = Arena::new();
        assert_eq!(parse(&mut arena, text).unwrap(), parse(&mut arena, same).unwrap(), "{text}");
    }
}

#[test]
fn nusmv_binds_arrows_the_other_way_round() {
    for (smv, own) in [
        ("p -> q <-> r", "p -> (q <-> r)"),
        ("p <-> q -> r -> s", "(p <-> q) -> (r -> s)"),
        ("p <-> q <-> r", "(p <-> q) <-> r"),
        ("p & q xor r -- a comment\n -> !s", "~(p & q <-> r) -> ~s"),
        ("A [ p U q ] & E [ !p U AG q ]", "A[p U q] & E[~p U AG q]"),
        ("EX p->q;", "EX p -> q"),
    ] {
        let mut arena = Arena::new();
        let own = parse(&mut arena, own).unwrap();
        assert_eq!(read_smv(&mut arena, smv), own, "{smv}");
    }
}

#[test]
fn specifications_have_names() {
    let names = |text: &str| {
        let mut arena = Arena::new();
        let parsed =
            parse_reader(&mut arena, text.as_bytes(), Atoms::Names, Notation::Auto).unwrap();
        let told = parsed.specifications.iter().map(|s| {
            let text = to_text(&arena, s.formula, Syntax::Ascii);
            format!("{} {}: {text}", s.place.line, s.name.as_deref().unwrap_or("-"))
        });
        (told.collect::<Vec<_>>(), to_text(&arena, parsed.formula, Syntax::Ascii))
    };
    let own = "let a = p & q;\nspec one = AG a;\nspec two = EF ~one; # last\n";
    let both = "AG (p & q) & EF ~AG (p & q)";
    assert_eq!(
        names(own),
        (vec!["2 one: AG (p & q)".into(), "3 two: EF ~AG (p & q)".into()], both.into())
    );
    let smv = "MODULE main\nVAR p : boolean; q : boolean;\nDEFINE a := p & q;\n\
        CTLSPEC NAME one := AG a\nSPEC EF !proc.in-use -- last";
    assert_eq!(
        names(smv),
        (
            vec!["4 one: AG (p & q)".into(), "5 -: EF ~proc.in-use".into()],
            "AG (p & q) & EF ~proc.in-use".into()
        )
    );
    for (text, told) in [
        ("spec a = p; q", "column 13: expected `let`, `spec` or the end of the text, found `q`"),
        ("spec a = p; spec a = q;", "`a` is already defined (line 1, column 6)"),
        ("SPEC p; q", "expected `SPEC`, `CTLSPEC`, `DEFINE`"),
        ("MODULE main VAR x : 0..3;", "expected `boolean`"),
        ("MODULE main ASSIGN x := 3;", "expected `SPEC`"),
        ("MODULE main", "expected `SPEC`, `CTLSPEC`"),
        ("CTLSPEC NAME a := p CTLSPEC NAME a := q", "`a` is already defined (line 1, column 1)"),
    ] {
        let error = parse_reader(&mut Arena::new(), text.as_bytes(), Atoms::Names, Notation::Auto);
        let error = error.unwrap_err().to_string();
        assert!(error.contains(told), "{text}: {error}");
    }
}

#[test]
fn a_caret_stands_under_the_fault() {
    let long = format!("{} & & {}", "p & ".repeat(100), "q & ".repeat(100));
    for (text, told) in [
        (
            "p &\n\tq & & r\n& s",
            "line 2, column 6: expected a formula, found `&`\n  2 |  q & & r\n    |      ^",
        ),
        (
            "p &",
            "line 1, column 4: expected a formula, found the end of the text\n  1 | p &\n    |    ^",
        ),
        (
            long.as_str(),
            &format!(
                "line 1, column 402: expected a formula, found `&`\n  1 | …{} & & {}…\n    |  {}^",
                &"p & ".repeat(100)[341..],
                &"q & ".repeat(20)[..36],
                " ".repeat(60),
            ),
        ),
    ] {
        assert_eq!(parse(&mut Arena::new(), text).unwrap_err().pointed(), told);
    }
}
