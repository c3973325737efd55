use super::*;
use crate::limits::Budget;
use crate::tables::Tables;
use pretty_assertions::assert_eq;

fn rule(text: &str) -> Rule {
    parse_rules(text).unwrap().remove(0)
}

fn checked(text: &str) -> Check {
    check(&Tables::in_memory(), &rule(text), 3, &Budget::default()).unwrap()
}

#[test]
fn what_is_printed_is_read_back() {
    let collection = Collection::built_in();
    assert!(collection.rules.len() >= 7);
    for rule in &collection.rules {
        assert_eq!(&parse_rules(&rule.to_string()).unwrap()[0], rule, "{rule}");
    }
    for name in ["KPvK", "KPvKP", "KPPvK", "KRvKN"] {
        let material = name.parse().unwrap();
        let words = vocabulary(material, None).unwrap();
        let pieces = material.men_in_order();
        for condition in &words {
            let text = Shown { pieces: &pieces, condition }.to_string();
            assert_eq!(&parse_condition(material, &text).unwrap(), condition, "{text}");
        }
    }
}

#[test]
fn brackets_are_printed_where_they_are_needed() {
    let material = "KPvKP".parse().unwrap();
    for text in [
        "white to move and (K beside p or not k beside P)",
        "not (white to move and black in check)",
        "black to move or file(K) != 3",
        "1 <= file(K) + 1 < rank(p) - 2",
        "not (white to move or K on {a1, h8})",
    ] {
        let condition = parse_condition(material, text).unwrap();
        assert_eq!(
            Shown { pieces: &material.men_in_order(), condition: &condition }.to_string(),
            text
        );
    }
}

#[test]
fn the_aims_spellings_are_read() {
    let material = "KPvK".parse().unwrap();
    for (aims, words) in [
        ("white_to_move & ~on(P, e4)", "white to move and not P on e4"),
        ("attacked(e4, white) | check(black)", "e4 attacked by white or black in check"),
    ] {
        assert_eq!(
            parse_condition(material, aims).unwrap(),
            parse_condition(material, words).unwrap()
        );
    }
}

#[test]
fn faults_are_told_with_line_and_column() {
    for (text, message) in [
        ("rule a\nmaterial KPvK\nif K flies over P\nthen draw", "line 3, column 6: expected `on`"),
        (
            "rule a material KPvK if true and then draw",
            "line 1, column 34: expected a condition, found `then`",
        ),
        (
            "rule a material KPvK\nif K in square of k\nthen draw",
            "line 2, column 19: expected a pawn, found `k`",
        ),
        ("rule a material KPvK if true then mate", "line 1, column 35"),
        (
            "rule a material KvKP if true then draw",
            "line 1, column 17: expected KPvK (the stronger side first",
        ),
        ("rule a material KPPPvKP if true then draw", "tables end at 5"),
        ("rule a material KRNvKNN if true then draw", "tables end at 5"),
        ("rule a material KPvK if N on e4 then draw", "line 1, column 25: expected a condition"),
        ("rule a material KPvK if (true then draw", "line 1, column 31: expected"),
        ("rule a \"open\nmaterial KPvK if true then draw", "line 2, column 1: expected `\"`"),
        ("", "line 1, column 1: expected `rule`, found the end of the text"),
    ] {
        let error = parse_rules(text).unwrap_err().to_string();
        assert!(error.contains(message), "{text:?}: {error}");
    }
    let twice = "rule a material KPvK if true then draw rule a material KPvK if true then draw";
    assert_eq!(parse_rules(twice), Err(RuleError::Twice("a".to_owned())));
}

#[test]
fn the_square_takes_the_side_to_move_into_account() {
    let material: Material = "KPvK".parse().unwrap();
    let scene = Scene::new(material);
    let inside = parse_condition(material, "k in square of P").unwrap();
    for (fen, expected) in [
        // The pawn on a4 has the square a4–e8.
        ("8/8/8/4k3/P7/8/8/7K w - -", true),
        ("8/8/8/5k2/P7/8/8/7K b - -", true),
        ("8/8/8/5k2/P7/8/8/7K w - -", false),
        // From its home square it steps twice at once: the square of a3.
        ("8/8/8/8/5k2/8/P7/7K w - -", true),
        ("8/8/8/8/6k1/8/P7/7K w - -", false),
    ] {
        let board = crate::chess::Board::from_fen(fen).unwrap();
        let (found, placement, _) = Placement::views(&board).next().unwrap();
        assert_eq!(found, material);
        assert_eq!(scene.holds(&placement, &inside), expected, "{fen}");
    }
}

#[test]
fn every_word_means_what_it_says() {
    let material: Material = "KPvKP".parse().unwrap();
    let scene = Scene::new(material);
    let board = crate::chess::Board::from_fen("8/5P2/8/1k6/4K3/8/1p6/8 w - -").unwrap();
    let placement = Placement::views(&board).next().unwrap().1;
    for (text, expected) in [
        ("plies(K, P) = 5 and plies(k, P) = 8", true),
        ("queens(P) = 1 and queens(p) = 2 and moves(p) = 1", true),
        ("plies to rank(K, 8) = 7", true),
        ("P queens with check", false),
        ("p queens with check", true),
        ("b2 attacked by black", false),
        ("a3 attacked by white or a1 attacked by black", true),
        ("ahead(P) on f8 and queening(p) on b1", true),
        ("k in front of p", false),
        ("b1 in front of p and f8 in front of P", true),
        ("kings in opposition", false),
        ("distance(K, k) = 3 and file(k) = b and rank(k) > rank(K)", true),
        ("K beside f5 and not K beside f7", true),
        ("en passant or stalemate", false),
        ("e4 closer to b2 than k", false),
    ] {
        match parse_condition(material, text) {
            Ok(condition) => assert_eq!(scene.holds(&placement, &condition), expected, "{text}"),
            Err(error) => assert!(!expected, "{text}: {error}"),
        }
    }
}

#[test]
fn a_rule_that_never_applies_is_not_proved() {
    let check = checked("rule never material KPvK if white to move and black to move then draw");
    assert_eq!((check.applies, check.wrong), (0, 0));
    assert!(!check.is_proved());
    assert_eq!(check.legal, 331_352);
}

#[test]
fn a_false_rule_is_refuted_with_positions() {
    let tables = Tables::in_memory();
    let rule = rule("rule bold material KPvK if rank(P) >= 7 then white wins");
    let check = check(&tables, &rule, 5, &Budget::default()).unwrap();
    assert!(check.wrong > 0 && check.wrong < check.applies);
    assert_eq!(check.counterexamples.len(), 5);
    for example in &check.counterexamples {
        let board =
            crate::chess::Board::from_packed(&example.placement.packed(rule.material)).unwrap();
        assert_eq!(
            tables.probe(&board).unwrap(),
            Some(crate::chess::Value::Draw),
            "a pawn never loses"
        );
    }
}

#[test]
fn a_false_rule_is_corrected_and_the_correction_proved() {
    let tables = Tables::in_memory();
    let budget = Budget::default();
    let rule = rule("rule bold material KPvK if not k in square of P then white wins");
    let before = check(&tables, &rule, 0, &budget).unwrap();
    let words = vocabulary(rule.material, None).unwrap();
    let repair = repair(&tables, &rule, &words, &budget).unwrap();
    let (corrected, proof) = repair.corrected.unwrap();
    assert_eq!(repair.groups.iter().map(|g| g.wrong).sum::<u64>(), before.wrong);
    assert!(
        proof.is_proved()
            && proof.applies <= repair.at_most
            && repair.at_most <= before.applies - before.wrong
    );
    assert!(
        proof.applies * 10 > before.applies * 9,
        "it stays useful: {} of {}",
        proof.applies,
        before.applies
    );
    let again = parse_rules(&corrected.to_string()).unwrap().remove(0);
    assert_eq!(check(&tables, &again, 0, &budget).unwrap(), proof);
}

#[test]
#[ignore = "every position of K+P v K+P and of two queen endings, a minute"]
fn the_rules_said_to_hold_without_exception_do() {
    let tables = Tables::in_memory();
    for name in ["queens-and-pawns.rule", "second-sufficient-corrected.rule", "wins.rule"] {
        let text = BUILT_IN.iter().find(|(known, _)| *known == name).unwrap().1;
        for rule in parse_rules(text).unwrap() {
            let check = check(&tables, &rule, 1, &Budget::default()).unwrap();
            assert!(check.is_proved(), "{}: {check:?}", rule.name);
        }
    }
}

#[test]
fn kept_proofs_are_used_and_damaged_ones_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let (tables, budget) = (std::sync::Arc::new(Tables::in_memory()), Budget::default());
    let rules = parse_rules("rule queen material KQvK if white to move then white wins").unwrap();
    let prove = || RuleBook::prove_or_recall(Some(dir.path()), &tables, &rules, &budget).unwrap().1;
    assert_eq!(prove(), Vec::<String>::new());
    let files: Vec<_> =
        std::fs::read_dir(dir.path().join("rules")).unwrap().map(|f| f.unwrap().path()).collect();
    let [file] = &files[..] else { panic!("one rule, one file") };
    let whole = std::fs::read_to_string(file).unwrap();
    // A kept proof is believed if it is whole: one that says "fails", sealed anew, shows that it is
    // read.
    let (body, _) = whole.trim_end().rsplit_once("\nsum ").unwrap();
    let doctored = body.replace(" 0 19", " 7 19");
    assert_ne!(doctored, body, "{body}");
    let sum = xxhash_rust::xxh3::xxh3_64(doctored.as_bytes());
    std::fs::write(file, format!("{doctored}\nsum {sum:016x}\n")).unwrap();
    assert_eq!(prove(), ["queen"]);
    // Without the seal it is proved again, and the file is whole again.
    for damaged in [
        doctored,
        whole.replace(" 0 19", " 1 19"),
        whole[..whole.len() / 2].to_owned(),
        String::new(),
    ] {
        std::fs::write(file, damaged).unwrap();
        assert_eq!(prove(), Vec::<String>::new());
        assert_eq!(std::fs::read_to_string(file).unwrap(), whole);
    }
}

#[test]
fn nesting_and_sums_have_limits() {
    let material = "KPvK".parse().unwrap();
    let nested = |n: usize| format!("{}true{}", "(".repeat(n), ")".repeat(n));
    assert!(parse_condition(material, &nested(60)).is_ok());
    for text in [
        nested(50_000),
        format!("{}true", "not ".repeat(50_000)),
        format!("1{} = 1", " + 1".repeat(50_000)),
    ] {
        assert!(parse_condition(material, &text).is_err());
    }
}
