//! `theta problem` as a composer uses it: outputs, files, exit codes, bad input.

use crate::program::{run, run_with};
use pretty_assertions::assert_eq;

const MATE: &str = "2B5/8/2pNpKp1/2BkPb2/1PpP3n/P5rp/8/1N6 w - -";
const HELP: &str = "4K2n/3P1P2/4k3/3p4/8/8/8/8 b - -";

fn code(fen: &str, stipulation: &str) -> i32 {
    run(&["problem", fen, "--stip", stipulation]).code
}

#[test]
fn exit_codes_tell_what_is_sound() {
    assert_eq!(code(MATE, "#2"), 0);
    assert_eq!(code(MATE, "#1"), 1);
    assert_eq!(code(MATE, "#3"), 1, "a short solution");
    assert_eq!(code("8/8/8/8/8/5K2/3Q4/5k2 w - -", "#1"), 1, "cooks");
    let budget = run(&["problem", MATE, "--stip", "#2", "--positions", "0"]);
    assert_eq!(budget.code, 3);
    assert!(budget.out.starts_with("undecided (position limit reached)"), "{}", budget.out);
    let memory = run(&["problem", MATE, "--stip", "#2", "--memory", "1K"]);
    assert!(memory.code == 3 && memory.out.contains("memory limit"), "{}", memory.out);
    let two = "1RrB2b1/8/4n3/2n3p1/2K2b2/1p1rk3/6BR/8 b - -";
    assert_eq!(code(two, "h#2"), 1);
    assert_eq!(run(&["problem", two, "--stip", "h#2", "--solutions", "2"]).code, 0);
    assert_eq!(run(&["problem", two, "--stip", "h#2", "--solutions", "3"]).code, 1);
}

#[test]
fn bad_input_is_named() {
    for (fen, stipulation, said) in [
        (MATE, "", "no stipulation"),
        (MATE, "#0", "0 moves"),
        (MATE, "##2", "no number of moves"),
        (MATE, "q#2", "no kind of problem"),
        (MATE, "#1000", "more than 250"),
        (MATE, "s#2.5", "half moves"),
        ("8/8/8/8/8/8/3Q4/5k2 w - -", "ser-#3", "White has no king"),
        ("4k3/4R3/8/8/8/8/8/4K2r w - -", "#2", "Black is in check"),
        ("4k2P/8/8/8/8/8/8/4K3 w - -", "#2", "pawn"),
    ] {
        let ran = run(&["problem", fen, "--stip", stipulation]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{fen} {stipulation}");
        assert!(ran.err.contains(said), "{fen} {stipulation}: {}", ran.err);
    }
    let unstated = run(&["problem", MATE]);
    assert!(unstated.code == 2 && unstated.err.contains("--stip"), "{}", unstated.err);
    let help = run(&["problem", HELP, "--stip", "h#2", "--cert", "x.cert"]);
    assert!(
        help.code == 2 && help.err.contains("there are certificates of direct problems"),
        "{}",
        help.err
    );
    let series = run(&["problem", MATE, "--stip", "ser-#3", "--set"]);
    assert!(series.code == 2 && series.err.contains("no set play"), "{}", series.err);
    // Many pawns are remarked upon and solved.
    let pawns = run(&["problem", "8/8/P7/PP6/PP6/PP6/PP4K1/k7 w - -", "--stip", "#1"]);
    assert!(pawns.code == 1 && pawns.err.contains("9 pawns"), "{}", pawns.err);
}

#[test]
fn a_batch_outlives_a_bad_line() {
    let epd = format!(
        "{MATE} stip #2; id \"first\";\nnonsense\n{MATE} stip #x;\n{HELP} stip h#2; sols 1;\n\
         {HELP} id \"unasked\";\n"
    );
    let ran = run_with(&["problem", "--epd", "-"], &epd);
    assert_eq!(ran.code, 2);
    assert_eq!(ran.out.matches("C+: 1 ").count(), 2, "{}", ran.out);
    for said in ["line 2:", "line 3: `x` is no number", "line 5: no stipulation"] {
        assert!(ran.err.contains(said), "{}", ran.err);
    }
    let popeye = "BeginProblem\nAuthor M. Vukcevich\nStipulation h#2\nPieces White Ke8 Pd7f7\n\
                  Black Ke6 Sh8 Pd5\nNextProblem\nCondition Circe\nStipulation #2\n\
                  Pieces White Ka1 Black Kh8\nNextProblem\nStipulation h#1\n\
                  Pieces White Kf7 Qh2\n Black Kh8 Rg8\nTwin Move h2 a2\nEndProblem\n";
    let ran = run_with(&["problem", "--popeye", "-"], popeye);
    assert_eq!(ran.code, 2);
    assert!(ran.out.starts_with(&format!("{HELP}  h#2  M. Vukcevich\n")), "{}", ran.out);
    assert!(ran.err.contains("line 6: `Condition` is no orthodox chess"), "{}", ran.err);
    assert!(ran.out.contains("  h#1  b) move h2 a2\n"), "{}", ran.out);
    let pgn = format!(
        "[Event \"one\"]\n[FEN \"{HELP} 0 1\"]\n[Stipulation \"h#2\"]\n\n*\n\n[Event \"two\"]\n\n*\n"
    );
    let ran = run_with(&["problem", "--pgn", "-"], &pgn);
    assert_eq!((ran.code, ran.out.lines().count()), (2, 3));
    assert!(ran.err.contains("game 2: no tag FEN"), "{}", ran.err);
}

#[test]
fn solutions_are_printed_in_every_form() {
    let form = |format: &str| run(&["problem", MATE, "--stip", "#2", "--format", format]).out;
    let latex = form("latex");
    assert!(latex.contains("\\pieces[9+9]{wKf6, ") && latex.contains("\\stip{\\#2}"), "{latex}");
    assert!(latex.contains("1.Ba6! threat 2.Bxc4\\#"), "{latex}");
    let svg = form("svg");
    assert!(svg.starts_with("<svg ") && svg.contains(">#2</text>") && svg.contains("(9+9)"));
    let html = form("html");
    assert!(html.contains("<h2>").eq(&false) && html.ends_with("</html>\n"));
    let pgn = form("pgn");
    assert!(pgn.contains("1. Ba6! {threat Bxc4#} 1... Rc3 (1... Bd3 2. Nc3#) 2. Nxc3# *"), "{pgn}");
    let games = run_with(&["moves", "--pgn", "-", "--positions", "1"], &pgn);
    assert!(!games.err.contains("is not legal"), "{}", games.err);
    let german = run(&["problem", HELP, "--stip", "h#2", "--letters", "german"]).out;
    assert_eq!(german, "1.Sg6 f8=D 2.Se5 d8=S#\nC+: 1 solution\n");
}

#[test]
fn twins_and_studies() {
    let twins = run(&["problem", HELP, "--stip", "h#2", "--twin", "remove d5", "--keys"]);
    assert!(twins.out.contains("  h#2  a)\n") && twins.out.contains("  h#2  b) remove d5\n"));
    assert_eq!(run(&["problem", HELP, "--stip", "h#2", "--twin", "turn d5"]).code, 2);
    let study = run(&["problem", "7k/8/5K2/8/8/8/6Q1/8 w - -", "--stip", "+"]);
    assert!(study.code == 0 && study.out.ends_with("White wins, as stipulated\n"), "{}", study.out);
    assert_eq!(code("7k/8/5K2/8/8/8/6Q1/8 w - -", "="), 1);
}

#[test]
fn keys_are_certified() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("key.cert");
    let name = path.to_str().unwrap();
    for (fen, asked, exit, claim, keys) in [
        (MATE, "#2", 0, "White's keys in 3 plies; keys: c8a6", "c8a6"),
        (MATE, "#1", 1, "White's keys in 1 plies; keys: none", ""),
        (
            "8/8/8/8/1p4Q1/k7/p7/K7 w - -",
            "s#2",
            0,
            "White's keys to the aim in 4 plies: AF mate(white); keys: g4d1",
            "g4d1",
        ),
    ] {
        assert_eq!(run(&["problem", fen, "--stip", asked, "--cert", name]).code, exit);
        let accepted = run(&["verify", name]);
        assert!(accepted.out.contains(claim), "{}{}", accepted.out, accepted.err);
        let json = run(&["verify", name, "--json"]).json().remove(0);
        let listed = keys.split_whitespace().collect::<Vec<_>>();
        assert_eq!(json["keys"], serde_json::json!(listed));
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.len() - 20;
        bytes[at] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(run(&["verify", name]).code, 1);
    }
    let twins = ["problem", HELP, "--stip", "#2", "--twin", "remove d5", "--cert", name];
    assert_eq!(run(&twins).code, 2);
}
