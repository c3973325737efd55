//! Problems in Popeye's language, read.

use super::*;

#[test]
fn problems_are_read_with_their_twins() {
    let text = "BeginProblem\nAuthor A. Composer\nOrigin Somewhere, 1990\nStipulation h#2\n\
                Pieces White Kc3 Qb2\n  Black Ka1\nOption SetPlay Intelligent\n\
                Twin Move b2 h8\nTwin Continued Add Black Pa2\nNextProblem\n\
                stip #2 pieces white Ke1 Ra1h1 black Ke8\noption try defence 2\nEndProblem\n";
    let found: Vec<Posed> = read(text).into_iter().map(|read| read.unwrap()).collect();
    let fens: Vec<String> = found.iter().map(|posed| posed.position.to_string()).collect();
    assert_eq!(
        fens,
        [
            "8/8/8/8/8/2K5/1Q6/k7 b - -",
            "7Q/8/8/8/8/2K5/8/k7 b - -",
            "7Q/8/8/8/8/2K5/p7/k7 b - -",
            "4k3/8/8/8/8/8/8/R3K2R w KQ -"
        ]
    );
    assert_eq!(found[1].name, "A. Composer, Somewhere, 1990");
    assert_eq!((found[2].twin, found[2].edits.as_str()), (Some('c'), "add p a2"));
    assert!(found[0].set_play && found[3].tries == 2 && found[3].twin.is_none());
}

#[test]
fn boards_are_read_and_twins_of_another_stipulation() {
    let text = "BeginProblem\nForsyth 16/6S1/8/6pp/6k1/4K1B1/7R\nStipulation h#2\n\
                Option Variation\nTwin Move e2 e1 Stipulation s#2\nEndProblem";
    let found: Vec<Posed> = read(text).into_iter().map(|read| read.unwrap()).collect();
    assert_eq!(found[0].position.to_string(), "8/8/6N1/8/6pp/6k1/4K1B1/7R b - -");
    assert_eq!(found[1].position.to_string(), "8/8/6N1/8/6pp/6k1/6B1/4K2R w K -");
    assert_eq!(found[1].edits, "move e2 e1, stipulation s#2");
    for board in ["9x", "8/8/8/8/8/8/8/8/k", "k64", ""] {
        let text = format!("BeginProblem\nStipulation #2\nForsyth {board}\nEndProblem");
        assert!(read(&text)[0].is_err(), "{board}");
    }
}

#[test]
fn the_last_move_and_lost_castling_are_read() {
    let text = "BeginProblem\nStipulation #2\nPieces White Kf5 Rh8 Pe5f6h5 Black Kh6 Pg5h7\n\
                Option Variation EnPassant g7g6g5\nNextProblem\nStipulation #2\n\
                Pieces White Ke1 Ra1h1 Black Kd8\nOption NoCastling h1\nNextProblem\n\
                Stipulation #2\nPieces White Ke1 Ra1h1 Black Kd8\nOption NoCastling e1x\nEndProblem";
    let found = read(text);
    let fen = |k: usize| found[k].as_ref().unwrap().position.to_string();
    assert_eq!(fen(0), "7R/7p/5P1k/4PKpP/8/8/8/8 w - g6");
    assert_eq!(fen(1), "3k4/8/8/8/8/8/8/R3K2R w Q -");
    let fault = &found[2].as_ref().err().unwrap().1;
    assert!(fault.to_string().contains("`e1x` is no square"), "{fault}");
}

#[test]
fn german_is_read() {
    let text = "anfangproblem\nautor X\nforderung s#2\nsteine weiss kc3 dd4 bb2\nschwarz ka1\n\
                zwilling verse b2 b3\nendeproblem";
    let found = read(text);
    assert_eq!(found.len(), 2);
    let posed = found[0].as_ref().unwrap();
    assert_eq!(posed.position.to_string(), "8/8/8/8/3Q4/2K5/1P6/k7 w - -");
    assert_eq!(posed.stipulation.to_string(), "s#2");
}

#[test]
fn a_fault_spoils_one_problem() {
    let text = "BeginProblem\nStipulation #2\nPieces White Kc3 Qb2 Black Ka9\nNextProblem\n\
                Stipulation #x\nPieces White Kc3 Qb2 Black Ka1\nNextProblem\nCondition Circe\n\
                Stipulation #2\nPieces White Kc3 Black Ka1\nNextProblem\n\
                Stipulation #2\nPieces White Kc3 Qb2 Black Ka1\nNextProblem\n\
                Stipulation #1\nPieces White Kc3 Qh2 Black Ka1\nEndProblem";
    let found = read(text);
    let faults: Vec<Option<String>> =
        found.iter().map(|read| read.as_ref().err().map(|(_, fault)| fault.to_string())).collect();
    let said = |k: usize, words: &str| faults[k].as_ref().unwrap().contains(words);
    assert_eq!(found.len(), 5);
    assert!(said(0, "`Ka9` is no man"), "{faults:?}");
    assert!(said(1, "`x` is no number"), "{faults:?}");
    assert!(said(2, "no orthodox chess"), "{faults:?}");
    assert!(said(3, "Black is in check"), "{faults:?}");
    assert!(faults[4].is_none());
    assert!(read("").is_empty() && read("nonsense")[0].is_err());
}
