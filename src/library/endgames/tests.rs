use super::class::men;
use super::*;
use crate::chess::Board;
use crate::chess::board::Square;
use crate::chess::{Side, Turn, Value};
use crate::limits::Budget;
use crate::tables::{Material, Tables};
use pretty_assertions::assert_eq;

fn material(name: &str) -> Material {
    name.parse().unwrap()
}

#[test]
fn linear_coordinates_and_symmetries_as_printed() {
    assert_eq!((linear(Square::A1), linear(Square::F5), linear(Square::H8)), (1, 38, 64));
    for l in 1..=64 {
        let square = Square::new(u32::from(l) - 1);
        assert_eq!(flank(l), linear(square.flip_horizontal()));
        assert_eq!(colour(l), linear(square.flip_vertical()));
        assert_eq!(diagonal_a1h8(l), linear(square.flip_diagonal()));
        assert_eq!(diagonal_h1a8(l), linear(square.flip_anti_diagonal()));
        assert_eq!(diagonal_a1h8(l) + diagonal_h1a8(l), 65);
        for symmetry in Symmetry::of_board(false) {
            assert_eq!(symmetry.original(symmetry.image(l)), l);
        }
    }
}

#[test]
fn a_pawnless_position_stands_for_fifteen_others() {
    // The source's example: White Ke3 Rh1, Black Kg5 Bh4.
    let places = [21u8, 8, 39, 32];
    let mut images = std::collections::HashSet::new();
    for colour in [false, true] {
        for symmetry in Symmetry::of_board(false) {
            let symmetry = Symmetry { colour, ..symmetry };
            images.insert((colour, places.map(|l| symmetry.image(l))));
        }
    }
    assert_eq!(images.len(), 16);
}

#[test]
fn the_printed_row() {
    let pieces = men(material("KPvKP"));
    let text = "1415 4332 01407 13224 | left 0 bottom 0 | 4 0 1-7 1 4-8";
    let row = Row::parse(text, &pieces).unwrap();
    assert_eq!(row.columns(&pieces), ["1415", "4332", "01407", "13224"]);
    assert_eq!(row.text(&pieces), text);
    assert_eq!(
        row.men.iter().map(|&l| Square::new(u32::from(l) - 1).to_string()).collect::<Vec<_>>(),
        ["f2", "g2", "c6", "h4"]
    );
    assert_eq!(Row::configuration(&row.men).collect::<Vec<_>>(), [-1, -29, -18]);
}

#[test]
fn the_printed_position_has_the_printed_values() {
    let tables = Tables::in_memory();
    let value = |fen: &str| {
        let board = Board::from_fen(fen).unwrap();
        tables.value(&board, &Budget::default()).unwrap().unwrap()
    };
    assert!(matches!(value("8/8/2k5/8/7p/8/5KP1/8 w - -"), Value::Wins(Side::White, _)));
    assert!(
        matches!(value("8/8/2k5/8/7p/8/6P1/6K1 b - -"), Value::Wins(Side::White, _)),
        "after 1.Kg1"
    );
    assert_eq!(value("8/8/2k5/8/7p/8/5KP1/8 b - -"), Value::Draw);
    assert_eq!(value("8/8/2k5/8/8/7p/5KP1/8 w - -"), Value::Draw, "after 1...h3");
    assert_eq!(value("8/8/8/8/8/8/8/K1k5 w - -"), Value::Draw);
}

#[test]
fn templates() {
    assert_eq!(
        template(material("KQvKRP")),
        [1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0],
        "KRPvKQ: the stronger side first"
    );
    assert_eq!(template(material("KPPvK")), [1, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0]);
}

#[test]
fn wrong_libraries_are_refused() {
    for (text, error) in [
        ("1415 4332 01407 13224 | left 0 bottom 0 | 4 0 1-7 1 4-8", "line 1: expected `class`"),
        ("class KXvK", "line 1: `KXvK` is no material signature"),
        ("class KPvKP\n1415 4332 01407 | left 0 bottom 0", "line 2: a row is: squares in pairs"),
        ("class KPvKP\n1465 4332 - - | left 0 bottom 0", "not distinct squares"),
        ("class KPvKP\n1401 4332 - - | left 0 bottom 0", "pawns on ranks 2 to 7"),
        (
            "class KPvKP\n1415 4332 01407 13224 | left 0 bottom 0 | 4 0 1-8 1 4-8",
            "contradict part 4",
        ),
        ("class KPvKP\n1415 4332 - - | left 0 middle 0", "the edges are wrong"),
        (
            "class KPvKP\n1415 4332 - - | left 0 bottom 0 | 5 0 - 0 -",
            "the part `5 0 - 0 -` is wrong",
        ),
        (
            "class KPvKP\n1415 4332 - - | left 0 bottom 0\n1314 4231 - - | left 0 bottom 0",
            "line 3: the configuration of this row is there already",
        ),
    ] {
        let found = parse_classes(text).unwrap_err().to_string();
        assert!(found.contains(error), "{text:?}: {found}");
    }
}

#[test]
fn a_row_that_contradicts_the_tables_is_told_with_the_position() {
    let tables = Tables::in_memory();
    // A king on the sixth before its pawn wins; with a rook's pawn it does not.
    let text = "class KPvK\n4234 58 04152 24241 | left 0 bottom 0 | 4 0 - 2 -";
    assert!(parse_classes(text).is_err(), "the columns say something else");
    let text = "class KPvK\n4234 58 06666 26666 | left 0 bottom 0 | 4 0 - 2 -";
    let classes = parse_classes(text).unwrap();
    let found = contradictions(&tables, &classes[0], &Budget::default()).unwrap();
    assert_eq!(found.len(), 1);
    let board = Board::from_fen(&found[0].fen).unwrap();
    assert!(tables.probe(&board).unwrap().is_some());
    assert!(found[0].what.starts_with("the row says"), "{:?}", found[0]);
}

#[test]
fn generated_rows_are_true_and_every_position_of_them_is_found() {
    let tables = Tables::in_memory();
    let budget = Budget::default();
    let kpk = material("KPvK");
    let rows = generate(&tables, kpk, Shape { files: 3, ranks: 4 }, 12, None, &budget).unwrap();
    assert_eq!(rows.len(), 12);
    let class = Class { material: kpk, rows: rows.iter().map(|(row, _)| row.clone()).collect() };
    assert_eq!(contradictions(&tables, &class, &budget).unwrap(), []);
    assert_eq!(class.positions(), rows.iter().map(|(_, covered)| covered).sum::<usize>());
    let text = class.to_string();
    let classes = parse_classes(&text).unwrap();
    assert_eq!(classes, [class]);
    let pieces = men(kpk);
    let mut found = 0;
    for row in &classes[0].rows {
        let frame = row.frame(&pieces);
        for shift in frame.shifts().filter(|&s| row.parts[frame.part(&row.formula, s)].is_some()) {
            let at: Vec<u8> = row.men.iter().map(|&l| shift.apply(l)).collect();
            for symmetry in
                [Symmetry::default(), Symmetry { colour: true, turn: Turn::MIRROR_FILES }]
            {
                found += usize::from(answers_truly(&tables, &classes, &at, symmetry));
            }
        }
    }
    assert_eq!(found, 2 * classes[0].positions());
}

/// Puts White king, pawn, Black king on the board under a symmetry and compares what is found with
/// the table.
fn answers_truly(tables: &Tables, classes: &[Class], at: &[u8], symmetry: Symmetry) -> bool {
    let mut y = crate::chess::Vector::EMPTY;
    let codes: [u8; 3] = if symmetry.colour { [7, 12, 1] } else { [1, 6, 7] };
    for (&l, code) in at.iter().zip(codes) {
        y[usize::from(symmetry.image(l))] = code;
    }
    let mut legal = None;
    for to_move in [0, 1] {
        y[0] = to_move;
        let Ok(board) = Board::from_vector(&y) else { continue };
        let found = find(classes, &board).unwrap();
        let Told { outcome, play } = found.of(board.side_to_move());
        let truth = tables.probe(&board).unwrap().unwrap();
        assert_eq!(outcome, Some(truth.outcome()), "{}", crate::chess::fen(&y));
        if let Some(play) = play {
            let m = board.find(play).expect("a legal move");
            let after = tables.probe(&board.after(m)).unwrap().unwrap();
            assert_eq!(after.outcome(), truth.outcome(), "{} {play}", crate::chess::fen(&y));
        }
        legal = Some(());
    }
    legal.is_some()
}

#[test]
fn the_built_in_library_is_read() {
    let classes = built_in();
    assert!(classes.iter().map(Class::positions).sum::<usize>() > 14_000, "more than PIONEER's");
    assert!(classes.iter().any(|class| class.material.men() == 5));
    let mut materials: Vec<String> =
        classes.iter().map(|class| class.material.to_string()).collect();
    materials.sort_unstable();
    materials.dedup();
    assert_eq!(materials.len(), classes.len(), "each class once");
}

#[test]
#[ignore = "every row of the built-in library against tables of up to five men, minutes"]
fn the_built_in_library_is_true() {
    let tables = Tables::in_memory();
    for class in built_in() {
        assert_eq!(
            contradictions(&tables, &class, &Budget::default()).unwrap(),
            [],
            "{}",
            class.material
        );
    }
}
