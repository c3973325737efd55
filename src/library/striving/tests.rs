use super::*;
use crate::chess::board::move_of;
use crate::library::endgames::{BUILT_IN, find, parse_classes};
use pretty_assertions::assert_eq;

fn men(fen: &str) -> Vec<(Piece, Square)> {
    men_of(&Board::from_fen(fen).unwrap())
}

fn bounds() -> Bounds {
    Bounds { twice_sigma: 6, delta: 12, horizon: Horizon::new(6) }
}

#[test]
fn mismatch_and_pawn_patterns_as_printed() {
    let a = men("8/8/2k5/8/7p/8/5KP1/8 w - -");
    let b = men("8/8/2k5/8/7p/8/6P1/6K1 w - -");
    assert_eq!(mismatch(&a, &a), 0);
    assert_eq!(mismatch(&a, &b), 2, "σ = 1: one man to move");
    assert_eq!(pawn_template(&a), [10, 1]);
    assert_eq!(pawn_template(&men("k7/p1p5/8/8/P7/8/8/K7 w - -")), [11, 0, 1]);
    assert_eq!(pawn_template(&men("k7/8/8/8/8/8/8/K7 w - -")), [0u8; 0]);
}

#[test]
fn bishops_of_one_colour_do_not_become_opposite() {
    let same = men("k1b5/8/8/8/8/8/8/K4B2 w - -");
    let opposite = men("kb6/8/8/8/8/8/8/K4B2 w - -");
    assert!(bishops_agree(&same, &same) && !bishops_agree(&same, &opposite));
    assert!(
        bishops_agree(&same, &men("k7/8/8/8/8/8/8/K7 w - -")),
        "the filter needs one bishop each"
    );
}

#[test]
fn pawns_stay_on_their_files_and_go_forward() {
    let a = men("k7/8/8/3p4/8/8/P7/K7 w - -");
    assert!(filter::fits_set(&a, &men("k7/8/8/8/P2p4/8/8/K7 w - -")));
    assert!(!filter::fits_set(&a, &men("k7/8/8/3p4/8/8/1P6/K7 w - -")), "another file");
    assert!(!filter::fits_set(&a, &men("k7/8/3p4/8/8/8/P7/K7 w - -")), "backwards");
}

#[test]
fn ways_are_assigned_to_the_shortest_sum() {
    let a = men("k7/8/8/8/8/8/8/KN4N1 w - -");
    let b = men("k7/8/8/8/8/2N2N2/8/K7 w - -");
    let ways = filter::ways(&a, &b).unwrap();
    assert_eq!(ways.iter().map(|way| way.moves).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn an_exact_match_is_striving_with_nothing_to_do() {
    let classes = parse_classes(BUILT_IN).unwrap();
    let class =
        classes.iter().find(|class| class.material.has_pawns() && !class.rows.is_empty()).unwrap();
    let stored = men_at(&class.men(), &class.rows[0].men, Symmetry::default());
    let mut y = crate::chess::Vector::EMPTY;
    for &(piece, square) in &stored {
        y[square as usize + 1] = crate::chess::board::code_of(piece);
    }
    let board = [0, 1].into_iter().find_map(|to_move| {
        y[0] = to_move;
        Board::from_vector(&y).ok()
    });
    let board = board.unwrap();
    assert!(find(&classes, &board).is_some());
    let found = strive(&classes, &board, Bounds { twice_sigma: 0, delta: 0, ..bounds() });
    assert!(!found.close.is_empty());
    assert_eq!((found.close[0].twice_sigma, found.close[0].delta), (0, 0));
    assert!(found.close[0].planned.is_empty());
}

#[test]
fn filters_only_ever_leave_fewer_and_steps_come_nearer() {
    let classes = parse_classes(BUILT_IN).unwrap();
    let board = Board::from_fen("8/8/8/2k5/8/3K4/3P4/8 w - -").unwrap();
    let found = strive(&classes, &board, bounds());
    let f = found.filters;
    assert!(f.configurations >= f.after_pawn_pattern && f.after_pawn_pattern >= f.after_bishops);
    assert!(
        f.positions >= f.after_set
            && f.after_set >= f.after_mismatch
            && f.after_mismatch >= f.after_difference
    );
    assert!(f.after_difference > 0, "{f:?}");
    for close in &found.close {
        assert!(close.twice_sigma <= 6 && close.delta <= 12);
        for m in &board.legal_moves() {
            if close.is_step(m, crate::chess::Side::White) {
                let way = close.planned.iter().find(|way| Some(way.from) == m.from()).unwrap();
                let left = distance(way.piece, m.to(), way.to).unwrap();
                assert!(left < way.moves, "{}", move_of(m));
            }
        }
    }
}

#[test]
fn nearness_is_the_least_difference_to_a_won_position() {
    use crate::search::Outlook;
    let text = "class KQvK\n0614 08 01407 16666 | right 1 bottom 0 | 1 0 2-7 1 - | 4 0 2+1 2 -\n";
    let near = Nearness::new(2, &parse_classes(text).unwrap());
    let beyond = |fen: &str, attacker| near.beyond(&Board::from_fen(fen).unwrap(), attacker);
    // Ke1 Qe2 kg1 is lost for Black to move; in the stored corner, one file on, it is stalemate.
    assert_eq!(beyond("8/8/8/8/8/8/4Q3/4K1k1 b - -", crate::chess::Side::White), 0);
    assert_eq!(
        beyond("4k1K1/4q3/8/8/8/8/8/8 w - -", crate::chess::Side::Black),
        0,
        "colours exchanged"
    );
    assert_eq!(
        beyond("k7/2Q5/K7/8/8/8/8/8 b - -", crate::chess::Side::White),
        beyond("8/8/8/8/8/K7/2Q5/k7 b - -", crate::chess::Side::White)
    );
    assert_eq!(
        beyond("8/8/8/8/8/8/4Q3/3K2k1 b - -", crate::chess::Side::White),
        2,
        "the king one move away"
    );
    assert_eq!(
        beyond("8/8/8/8/4Q3/8/8/3K2k1 b - -", crate::chess::Side::White),
        4,
        "the queen too"
    );
    assert_eq!(
        beyond("8/8/8/8/8/k6p/8/K7 b - -", crate::chess::Side::Black),
        4,
        "no class: one man beyond the tables"
    );
    assert_eq!(beyond("8/1p6/8/8/8/k6p/6P1/K7 b - -", crate::chess::Side::Black), 12);
}

#[test]
fn nearness_orders_the_search_and_changes_no_answer() {
    use crate::search::{Options, no_probe, only_wins_of, solve};
    let classes = parse_classes(BUILT_IN).unwrap();
    let outlook = || std::sync::Arc::new(Nearness::new(2, &classes)) as std::sync::Arc<_>;
    let root = Board::from_fen("8/8/8/8/8/6K1/1Q6/7k w - -").unwrap();
    for outlook in [None, Some(outlook())] {
        let options = Options { outlook, ..only_wins_of(root.side_to_move()) };
        let win = solve(&root, &options, &no_probe, &crate::limits::Budget::default()).win.unwrap();
        assert_eq!((win.plies, win.shortest), (1, true));
    }
}

#[test]
fn the_collection_of_endgames_is_what_it_says() {
    let text = include_str!("../../../positions/endgames_5to8.epd");
    let boards = text.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let fen: Vec<&str> = line.split_whitespace().take(4).collect();
        Board::from_fen(&fen.join(" ")).unwrap()
    });
    let mut seen = std::collections::HashSet::new();
    for board in boards {
        assert!(
            (5..=8).contains(&board.packed().len()) && seen.insert(board.packed()),
            "{board:?}"
        );
    }
    assert!(seen.len() >= 50, "{}", seen.len());
}
