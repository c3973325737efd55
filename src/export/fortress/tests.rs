//! Small strategies with known regions, and a whole one counted another way.

use super::survey::{man_on, turned};
use super::{Fate, Fortress, Kind, Squares, draw, write};
use crate::certificate::{Reach, Strategy};
use crate::chess::board::{Board, BySide as _, Position as _};
use crate::chess::{Move, Packed, Position, Side, Turn, Value, parse_move};
use crate::dead::{Answer, Effort, ask_one};
use crate::limits::Budget;
use crate::solve::Solver;
use pretty_assertions::assert_eq;

fn squares(names: &str) -> Squares {
    let one = |name: &str| 1 << (name.as_bytes()[0] - b'a' + 8 * (name.as_bytes()[1] - b'1'));
    Squares(names.split(' ').map(one).fold(0, |all, square: u64| all | square))
}

/// The strategy that plays these moves along a line in which the other side moves as given; all
/// other replies are left unanswered, as if rules ended them.
fn along(fen: &str, owner: Side, line: &[&str]) -> Strategy {
    let root = Board::from_fen(fen).unwrap();
    let (mut board, mut plays) = (root.clone(), Vec::<(Packed, Move)>::new());
    for text in line {
        let play = parse_move(text).unwrap();
        if board.side_to_move() == owner {
            plays.push((board.packed(), play));
        }
        board.play(board.find(play).unwrap_or_else(|| panic!("{text}")));
    }
    Strategy::holding(&root, owner, plays)
}

fn told(strategy: &Strategy) -> Fortress {
    Fortress::new(strategy, &Budget::default()).unwrap().expect("a fortress")
}

fn text(told: &Fortress) -> String {
    let mut text = Vec::new();
    write(told, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// The regions of the owner's men, in words.
fn regions(told: &Fortress) -> Vec<String> {
    let words = |man: &super::Man| format!("{} {}: {}", man.kind, man.home, man.keeps_to);
    told.standing.men.iter().map(words).collect()
}

const ROOKS: &str = "7k/p7/8/8/8/8/1R1R4/6K1 w - -";

#[test]
fn a_man_that_comes_back_is_told_apart_from_its_like() {
    let strategy = along(ROOKS, Side::White, &["d2d3", "h8g8", "d3d2", "g8h8"]);
    let told = told(&strategy);
    assert_eq!(regions(&told), ["king g1: g1", "rook b2: b2", "rook d2: d2 d3"]);
    assert_eq!((told.positions, told.outside()), (2, 0));
}

#[test]
fn men_that_change_places_are_told_together() {
    let line = ["d2d3", "h8g8", "b2d2", "g8h8", "d3b3", "h8g8", "b3b2", "g8h8"];
    let told = told(&along(ROOKS, Side::White, &line));
    assert_eq!(regions(&told), ["king g1: g1", "rook b2 d2: b2 d2 b3 d3"]);
    assert_eq!(told.standing.men[1].count, 2);
    assert!(text(&told).contains("rooks b2 d2 keep to b2 d2 b3 d3"), "{}", text(&told));
}

#[test]
fn castling_moves_the_king_and_the_rook() {
    let line = ["e1g1", "c8b8", "g1h1", "b8c8", "h1g1", "c8b8"];
    let told = told(&along("2k5/8/8/8/p7/P7/8/4K2R w K -", Side::White, &line));
    assert_eq!(regions(&told), ["king e1: e1 g1 h1", "rook h1: f1 h1", "pawn a3: a3"]);
}

/// What stands is not always there at first, and is not what does not last.
#[test]
fn a_fortress_may_have_to_be_built() {
    let line = ["a2a3", "h8g8", "g1h1", "g8h8", "h1g1", "h8g8"];
    let strategy = along("7k/8/8/8/p7/8/P7/6K1 w - -", Side::White, &line);
    let told = told(&strategy);
    assert_eq!(told.standing.entry, ["a3", "Kg8"]);
    assert_eq!((told.positions, told.outside()), (3, 1));
    assert!(text(&told).contains("it stands after 1. a3 Kg8\n"), "{}", text(&told));
    let once = along("7k/8/8/8/p7/8/P7/6K1 w - -", Side::White, &["a2a3", "h8g8", "g1h1"]);
    assert_eq!(Fortress::new(&once, &Budget::default()), Ok(None), "no line comes back");
}

#[test]
fn breaks_are_told_with_what_meets_them() {
    let fen = "7k/7p/8/8/p7/Pr6/K7/8 b - -";
    let root = Board::from_fen(fen).unwrap();
    let play =
        |fen: &str, play: &str| (Board::from_fen(fen).unwrap().packed(), parse_move(play).unwrap());
    let strategy = Strategy::holding(
        &root,
        Side::White,
        [
            play("7k/7p/8/8/p7/r7/K7/8 w - -", "a2a3"),
            play("7k/8/8/7p/p7/Pr6/K7/8 w - -", "a2a1"),
            play("6k1/7p/8/8/p7/Pr6/K7/8 w - -", "a2a1"),
            play("7k/7p/8/8/p7/Pr6/8/K7 w - -", "a1a2"),
            play("7k/7p/8/8/p7/P7/Kr6/8 w - -", "a2b2"),
        ],
    );
    let told = told(&strategy);
    assert_eq!(regions(&told), ["king a2: a1 a2 b2", "pawn a3: a3"]);
    assert_eq!(told.standing.locked, squares("a4"));
    let found: Vec<_> = told
        .breaks
        .iter()
        .map(|found| (found.kind, found.play.as_str(), found.answers[0].fate))
        .collect();
    assert!(found.contains(&(Kind::Takes, "Rxa3", Fate::Cited)), "{found:?}");
    assert!(found.iter().any(|(kind, ..)| *kind == Kind::Pawn), "{found:?}");
}

/// Every position of the wall is looked at, by another way.
#[test]
fn the_regions_of_a_wall_are_those_of_its_positions() {
    let root: Position = crate::export::tests::WALL.parse().unwrap();
    let verdict = Solver::default().solve(&root, Budget::default()).unwrap();
    assert_eq!(verdict.value(), Some(Value::Draw));
    for strategy in &verdict.certificate().unwrap().strategies {
        let (told, owner) = (told(strategy), strategy.owner());
        let mut kings = 0;
        for (p, answer) in strategy.iter() {
            let board = Board::from_packed(&p).unwrap();
            let after = board.after(board.find(answer.play.unwrap()).unwrap());
            for board in [&board, &after] {
                kings |= 1 << board.chess().board().king(owner).unwrap() as u8;
            }
        }
        // Files may have been exchanged in what stands in the strategy.
        let mirrored = |set: u64| set.swap_bytes().reverse_bits();
        let keeps = told.standing.men[0].keeps_to.0;
        assert_eq!(keeps | mirrored(keeps), kings | mirrored(kings));
        let still: Vec<_> = told.standing.men[1..].iter().map(|man| man.is_still()).collect();
        assert_eq!(still, [true; 8]);
        assert_eq!(told.standing.locked.len(), 8);
        assert!(told.breaks.is_empty() && told.outside() == 0);
        assert!(text(&told).contains("none does, all come back"), "{}", text(&told));
    }
}

/// Folding what has lost its pawns changes how many positions there are, and nothing else.
#[test]
fn images_tell_the_same_as_all_positions() {
    for fen in ["8/8/4k3/4p3/4P3/4K3/8/8 w - -", "8/8/8/4p1k1/4P3/4K3/8/8 w - -"] {
        let verdict = Solver::default().solve(&fen.parse().unwrap(), Budget::default()).unwrap();
        assert_eq!(verdict.value(), Some(Value::Draw), "{fen}");
        for strategy in &verdict.certificate().unwrap().strategies {
            let root = Board::from_vector(strategy.root()).unwrap();
            assert!(super::may_fold(strategy, &root), "{fen}");
            let [one, all] = [true, false]
                .map(|folds| Fortress::read(strategy, &root, folds, &Budget::default()).unwrap());
            let (Some(one), Some(all)) = (&one, &all) else {
                assert_eq!((one, all), (None, None), "{fen}");
                continue;
            };
            assert_eq!((&one.standing, &one.breaks), (&all.standing, &all.breaks), "{fen}");
            assert!(one.positions <= all.positions, "{fen}");
        }
    }
}

#[test]
fn men_are_followed_into_images() {
    // Three men on a1, c2 and h8, the second and the first of the root having changed places.
    let (men, row) = (squares("a1 c2 h8").0, [1, 0, 2]);
    let place = |man: u8| row.iter().position(|m| *m == man).unwrap();
    let square = |man: u8| Squares(men).iter().nth(place(man)).unwrap();
    for turn in Turn::ALL {
        let image = Squares(men).iter().fold(0, |set, at| set | 1 << turn.square(at));
        for man in 0..3 {
            let turned = turned(&row, men, turn);
            assert_eq!(man_on(image, &turned, turn.square(square(man))), man);
        }
    }
}

#[test]
fn whom_nothing_can_mate_is_told_by_the_closed_set() {
    let root: Position = "k1b5/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/8/K1B5 w - -".parse().unwrap();
    let asked = ask_one(&root, Side::White, Effort::Passing, &Budget::default());
    let Answer::Known(Reach::Never(closed)) = asked.0 else { panic!("{asked:?}") };
    let told = told(&Strategy::shut(*root.vector(), Side::Black, closed));
    assert!(told.dead && told.positions == 0 && told.breaks.is_empty());
    let men = regions(&told);
    assert_eq!(men[0], "king a8: a8 b8");
    assert!(men.contains(&"bishop c8: c8".to_owned()), "{men:?}");
    assert!(text(&told).starts_with("Black holds: no legal moves"), "{}", text(&told));
}

#[test]
fn the_picture_has_a_colour_for_each_man_that_moves() {
    let line = ["d2d3", "h8g8", "g1h1", "g8h8", "d3d2", "h8g8", "h1g1", "g8h8"];
    let told = told(&along(ROOKS, Side::White, &line));
    let mut svg = Vec::new();
    draw(&told, &mut svg).unwrap();
    let svg = String::from_utf8(svg).unwrap();
    for (colour, squares) in [("#2166ac", 2), ("#d95f02", 2), ("#1b9e77", 0)] {
        // Once more in the legend.
        let drawn = svg.matches(colour).count();
        assert_eq!(drawn, squares + usize::from(squares > 0), "{colour}");
    }
    assert!(svg.contains("rook d2: d2 d3") && svg.ends_with("</svg>\n"), "{svg}");
    // The rook and the pawn that never move are framed.
    assert_eq!(svg.matches("stroke=\"#222\"").count(), 2);
}
