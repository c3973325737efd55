//! Rules that end lines: the search, the certificate that cites them, and the check that proves
//! them again.

use pretty_assertions::assert_eq;
use std::sync::Arc;
use theta_chess::certificate::{Certificate, Claim};
use theta_chess::chess::Value;
use theta_chess::chess::{Board, Side};
use theta_chess::library::rules::{RuleBook, parse_rules};
use theta_chess::limits::{Budget, Limits};
use theta_chess::search::{self, no_probe};
use theta_chess::solve::{Engine, Options, Solver};
use theta_chess::strategy::Rules;
use theta_chess::tables::Tables;
use theta_chess::verify::{Accepted, Rejection, verify, verify_with};
use xxhash_rust::xxh3::xxh3_64;

const QUEEN: &str = r#"rule queen "a queen wins" material KQvK if white to move then white wins"#;
const CORNER: &str = r#"rule corner "the king in front of a rook's pawn" material KPvK if file(P) = 1 and k on {a8} then draw"#;

fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap()
}

fn book(rules: &str) -> Arc<dyn Rules> {
    let tables = Tables::in_memory();
    let (book, failed) =
        RuleBook::prove(&tables, &parse_rules(rules).unwrap(), &Budget::default()).unwrap();
    assert_eq!(failed, Vec::<String>::new());
    Arc::new(book)
}

fn certificate(fen: &str, rules: Option<Arc<dyn Rules>>) -> Vec<u8> {
    let mut solver = Solver::default().with_engine(Engine::Tables);
    if let Some(rules) = rules {
        solver = solver.with_rules(rules);
    }
    let verdict = solver.solve(&fen.parse().unwrap(), Limits::default()).unwrap();
    bytes(&verdict.certificate().unwrap())
}

fn bytes(certificate: &Certificate) -> Vec<u8> {
    let mut out = Vec::new();
    certificate.write(&mut out).unwrap();
    out
}

/// The check that `theta verify` makes.
fn check(file: &[u8]) -> Result<Accepted, Rejection> {
    let mut prove = |texts: &[String]| {
        let rules = parse_rules(&texts.join("\n")).map_err(|e| e.to_string())?;
        let (book, failed) =
            RuleBook::prove(&Tables::in_memory(), &rules, &Budget::default()).unwrap();
        if failed.is_empty() {
            Ok(Some(Box::new(book) as Box<dyn Rules>))
        } else {
            Err(failed.join(", "))
        }
    };
    verify_with(file, 1, &mut prove, &mut |_| true)
        .map(|accepted| accepted.expect("never abandoned"))
}

/// The file with its head changed and the checksum made right again.
fn with_head(file: &[u8], from: &str, to: &str) -> Vec<u8> {
    let end = file.windows(2).position(|w| w == b"\n\n").unwrap() + 1;
    let head = std::str::from_utf8(&file[..end]).unwrap();
    assert!(head.contains(from), "no `{from}` in {head}");
    let mut out = head.replace(from, to).into_bytes();
    out.extend(&file[end..file.len() - 8]);
    out.extend(xxh3_64(&out).to_le_bytes());
    out
}

const PROMOTES: &str = "8/2P5/8/8/8/2k5/8/K7 w - -";

#[test]
fn a_win_that_cites_a_rule_is_short_and_accepted() {
    let file = certificate(PROMOTES, Some(book(QUEEN)));
    let whole = certificate(PROMOTES, None);
    let proved = check(&file).unwrap();
    assert_eq!(proved.claim.to_string(), "White wins in 21 plies");
    assert_eq!(proved.positions, 1, "c8=Q is all there is to show");
    let [(text, ended)] = &proved.rules[..] else { panic!("one rule is cited") };
    assert_eq!((text.as_str(), *ended), (QUEEN, 5), "all replies end in the rule");
    assert!(whole.starts_with(b"theta-certificate 4\n"));
    assert!(file.starts_with(b"theta-certificate 4\n") && file.len() < whole.len());
    assert_eq!(check(&whole).unwrap().rules, []);
}

#[test]
fn rules_are_never_believed() {
    let file = certificate(PROMOTES, Some(book(QUEEN)));
    assert!(
        matches!(verify(&file[..], &mut |_| true), Err(Rejection::Rules(_))),
        "the kernel proves no rules"
    );
    let wrong = with_head(&file, "if white to move", "if true");
    let Err(Rejection::Rules(name)) = check(&wrong) else {
        panic!("black to move takes queens and is stalemated")
    };
    assert_eq!(name, "queen");
    let unreadable = with_head(&file, "if white to move", "if maybe");
    assert!(matches!(check(&unreadable), Err(Rejection::Rules(_))));
    let narrow = with_head(&file, "if white to move", "if white to move and file(Q) = b");
    assert!(
        matches!(check(&narrow), Err(Rejection::MissingReply(_))),
        "true, but of other positions"
    );
    let claim = with_head(&file, "in 21 plies", "in 19 plies");
    assert!(matches!(check(&claim), Err(Rejection::TooSlow { needed: 21, claimed: 19 })));
    let old = with_head(&file, "theta-certificate 4", "theta-certificate 2");
    assert!(matches!(check(&old), Err(Rejection::Format(_))), "version 2 has no rules");
    let without = with_head(&file, &format!("{QUEEN}\n"), "");
    assert!(matches!(check(&without), Err(Rejection::MissingReply(_))));
}

#[test]
fn a_rule_speaks_of_reflections_and_exchanged_colours() {
    // The rule names the a-file and White's pawn.
    let rules = book(CORNER);
    for (fen, holder) in
        [("8/6k1/8/6KP/8/8/8/8 b - -", Side::Black), ("8/8/8/8/pk6/8/1K6/8 w - -", Side::White)]
    {
        let proved = check(&certificate(fen, Some(rules.clone()))).unwrap();
        assert_eq!(
            (proved.claim, proved.positions),
            (Claim::Draw, 1),
            "{holder} goes into the corner"
        );
        assert_eq!(proved.rules, [(CORNER.to_owned(), 1)]);
    }
}

#[test]
fn rules_end_lines_of_the_search() {
    // No tables: the search knows mates and the rules.
    let root = board(PROMOTES);
    let options = search::Options { rules: Some(book(QUEEN)), ..search::only_wins_of(Side::White) };
    let budget = Budget::new(Limits::default().with_positions(20_000));
    let outcome = search::solve(&root, &options, &no_probe, &budget);
    let win = outcome.win.expect("a rule decides it soon");
    assert!(
        !win.shortest || win.plies <= 21,
        "a rule bounds the length, and does not say what it is"
    );
    let (strategy, plies) = win.strategy(&root, &no_probe, &budget).unwrap();
    assert_eq!(strategy.cited(), [QUEEN]);
    let proved = check(&bytes(&Certificate::of_win(strategy, plies))).unwrap();
    assert_eq!(proved.claim, Claim::Wins(Side::White, plies));

    let root = board("8/6k1/8/6KP/8/8/8/8 b - -");
    let options = search::Options { rules: Some(book(CORNER)), ..search::Options::default() };
    let outcome = search::solve(&root, &options, &no_probe, &Budget::default());
    let [Some(white), Some(black)] = &outcome.holds else { panic!("both hold") };
    let hold =
        |region: &search::Region| region.strategy(&root, &no_probe, &Budget::default()).unwrap();
    let proved = check(&bytes(&Certificate::of_draw(hold(white), hold(black)))).unwrap();
    assert_eq!((proved.claim, proved.positions), (Claim::Draw, 1));
}

#[test]
fn a_rule_of_the_loser_refutes() {
    // Black wants to win; a rule says that White does.
    let options = search::Options { rules: Some(book(QUEEN)), ..search::Options::default() };
    let budget = Budget::new(Limits::default().with_positions(100_000));
    let outcome = search::solve(&board("8/8/8/3k4/8/8/1Q6/K7 w - -"), &options, &no_probe, &budget);
    let win = outcome.win.expect("the root itself is the rule's");
    assert!(win.side == Side::White && win.plies <= 19, "{} plies", win.plies);
    assert!(outcome.safe[0], "a bare king does not win");
}

#[test]
fn the_solver_hands_its_rules_to_the_search() {
    let options = Options::default().with_engine(Engine::Search).with_table_men(2);
    let solver = Solver::default().with_options(options).with_rules(book(QUEEN));
    let limits = Limits::default().with_positions(50_000);
    let verdict = solver.solve(&PROMOTES.parse().unwrap(), limits).unwrap();
    assert!(matches!(verdict.value().expect("decided"), Value::Wins(Side::White, _)));
    let proved = check(&bytes(&verdict.certificate().unwrap())).unwrap();
    assert_eq!(proved.rules.len(), 1);
}

const ROOK_ENDINGS: &str = include_str!("../positions/library/rules/rook-endings.rule");

#[test]
#[ignore = "every position of K+R+P v K+R, whose table is built in memory: minutes"]
fn philidors_rook_ending_by_its_rules() {
    let tables = Arc::new(Tables::in_memory());
    let rules = parse_rules(ROOK_ENDINGS).unwrap();
    let (book, failed) = RuleBook::prove(&tables, &rules, &Budget::default()).unwrap();
    assert_eq!(failed, Vec::<String>::new());
    let root = "4k3/7R/r7/3PK3/8/8/8/8 b - -".parse().unwrap();
    let solver = Solver::new(tables).with_rules(Arc::new(book.clone()));
    let verdict = solver.solve(&root, Limits::default()).unwrap();
    assert_eq!(verdict.value(), Some(Value::Draw));
    let file = bytes(&verdict.certificate().unwrap());
    let mut believe = |_: &[String]| Ok(Some(Box::new(book.clone()) as Box<dyn Rules>));
    let accepted = verify_with(&file[..], 1, &mut believe, &mut |_| true).unwrap().unwrap();
    assert_eq!(accepted.claim, Claim::Draw);
    assert!(accepted.positions < 10_000, "{} positions", accepted.positions);
}
