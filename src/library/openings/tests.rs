use super::*;
use crate::chess::board::move_of;
use crate::chess::{Board, parse_move};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

fn play(moves: &str) -> Board {
    let mut board = Board::from_fen(START).unwrap();
    for text in moves.split_ascii_whitespace() {
        let m = board.find(parse_move(text).unwrap()).unwrap();
        board.play(m);
    }
    board
}

fn built(pgn: &str, plies: usize) -> (Vec<Tree>, Vec<String>) {
    let (mut builder, mut faults) = (Builder::new(plies), Vec::new());
    builder.read(pgn.as_bytes(), |fault| faults.push(fault.to_string())).unwrap();
    (builder.trees(), faults)
}

#[test]
fn the_printed_example_of_a_code() {
    let code: MoveCode = "+21929".parse().unwrap();
    assert_eq!((code.value, code.m, code.n, code.number()), (2, 19, 29, 21_929));
    let board = Board::from_fen("4k3/8/8/8/4p3/2N5/8/4K3 w - -").unwrap();
    assert_eq!(board.san(code.decode(&board).unwrap()), "Nxe4");
    assert_eq!(code.to_string(), "+21929");
    for wrong in
        ["21929", "+31929", "+2192", "+20029", "00000", "+2192x", "", "++1929", "01967", "01919"]
    {
        assert_eq!(wrong.parse::<MoveCode>(), Err(CodeError), "{wrong}");
    }
}

#[test]
fn special_moves_have_codes_of_their_own() {
    for fen in [
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -",
        "r3k2r/8/8/8/8/8/8/R3K2R b KQkq -",
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6",
        "3rkb2/4P3/8/8/8/8/4p3/3RKB2 w - -",
        "2r3k1/3P4/8/8/8/8/3p4/2R3K1 b - -",
    ] {
        let board = Board::from_fen(fen).unwrap();
        let moves = board.legal_moves();
        for m in &moves {
            let code = MoveCode::new(m, -1);
            assert_eq!(code.to_string().parse(), Ok(code), "{fen} {m:?}");
            assert_eq!(code.decode(&board), Some(*m), "{fen} {code}");
        }
    }
}

#[test]
fn figure_18() {
    let tree = parse_trees(FIGURE_18).unwrap().remove(0);
    assert_eq!(tree.len(), 46);
    // The printed formulas: the replies to 2…Bg7 (entry 4) are entries 5, 13, 27, 35.
    assert_eq!(tree.replies(4).collect::<Vec<_>>(), [5, 13, 27, 35]);
    assert_eq!(tree.replies(38).collect::<Vec<_>>(), [39, 43]);
    assert_eq!(tree.replies(12).count(), 0);
    // Six moves a side in every line, as the text says.
    let mut lines = 0;
    let mut open: Vec<(u32, usize)> = vec![(1, 1)];
    while let Some((i, plies)) = open.pop() {
        if tree.son(i) == 0 {
            assert_eq!(plies, 12, "entry {i}");
            lines += 1;
        }
        open.extend(tree.replies(i).map(|j| (j, plies + 1)));
    }
    assert_eq!(lines, 6);
    assert_eq!(parse_trees(&tree.to_string()).unwrap(), std::slice::from_ref(&tree));
    let book = Book::of_trees(&[tree]);
    let choices = book.moves_of(&play("g2g3 g7g6 f1g2 f8g7"));
    assert_eq!(choices.len(), 4);
    assert!(choices.iter().all(|&(_, weight)| weight > 0), "all values are equal");
}

#[test]
fn values_go_up_by_minimax() {
    let mut tree = parse_trees(FIGURE_18).unwrap().remove(0);
    let text = tree.to_string();
    // 12 the end of 3.Nc3: good for Black; 20 of 3.e4 c5 4.d3: decisive for White; the others
    // equal.
    let text =
        text.replace("12 06353 0 0", "12 -16353 0 0").replace("20 05337 0 0", "20 +25337 0 0");
    tree.clone_from(&parse_trees(&text).unwrap()[0]);
    tree.minimax();
    let value = |i: u32| tree.lib(i).value;
    assert_eq!((value(5), value(13), value(15), value(21), value(27)), (-1, 2, 2, 0, 0));
    assert_eq!((value(4), value(1)), (2, 2), "White chooses the best of its four replies");
    let moves = Book::of_trees(&[tree]).moves_of(&play("g2g3 g7g6 f1g2 f8g7"));
    assert_eq!(moves.iter().filter(|&&(_, weight)| weight > 0).count(), 1);
    assert_eq!(move_of(&moves[0].0).to_string(), "e2e4");
}

const GAMES: &str = "[White \"A\"]\n\n1. e4 e5 (1... c5 2. Nf3) 2. Nf3 Nc6 1-0\n\n[White \"B\"]\n\n1. e4 e5 2. Bc4 Nf6 0-1\n\n\
    [White \"C\"]\n\n1. d4 d5 2. c4 e6 $14 1/2-1/2\n\n1. e4 e5 2. Nf3 Nxe4 *\n\n\
    [FEN \"4k3/8/8/8/8/8/8/4K3 w - -\"]\n\n1. Kd2 *\n";

#[test]
fn trees_from_games() {
    let (trees, faults) = built(GAMES, 12);
    assert_eq!(
        faults,
        ["game 4: 2... Nxe4 is not legal", "game 5: it does not begin with the initial position"],
        "each game's fault is told, and the others are read"
    );
    assert_eq!(trees.len(), 2, "1.e4 and 1.d4");
    assert_eq!(
        trees[0].to_string(),
        "tree\n1 +21329 2 0\n2 +25337 3 0\n3 +20722 4 5\n4 +25843 0 0\n5 -20627 6 0\n6 -26346 0 0\n"
    );
    assert_eq!(trees[1].lib(4).value, 1, "the annotator's sign");
    let again: String = trees.iter().map(ToString::to_string).collect();
    assert_eq!(parse_trees(&again).unwrap(), trees);
    let (short, _) = built(GAMES, 2);
    assert_eq!(short[0].len(), 2);
    assert_eq!(short[0].lib(2).value, 0, "one win each");
}

#[test]
fn wrong_trees_are_refused() {
    for (text, error) in [
        ("", "there is no tree in it"),
        ("1 01523 0 0", "line 1: expected `tree`"),
        ("tree\n2 01523 0 0", "line 2: the entry should have number 1"),
        ("tree\n1 01523 2 0", "entry 1 of tree 1: son or brother 2"),
        ("tree\n1 01523 1 0", "son or brother 1 is no later entry"),
        ("tree\n1 01523 2 2\n2 05547 0 0", "named twice"),
        ("tree\n1 01539 0 0", "entry 1 of tree 1: 01539 is not legal there"),
        ("tree\n1 01523 0 0 7", "line 2: expected"),
    ] {
        let found = parse_trees(text).unwrap_err().to_string();
        assert!(found.contains(error), "{text:?}: {found}");
    }
}

#[test]
fn polyglot_keys_as_published() {
    for (moves, key) in [
        ("", 0x463b_9618_1691_fc9c),
        ("e2e4", 0x823c_9b50_fd11_4196),
        ("e2e4 d7d5", 0x0756_b944_61c5_0fb0),
        ("e2e4 d7d5 e4e5", 0x662f_afb9_65db_29d4),
        ("e2e4 d7d5 e4e5 f7f5", 0x22a4_8b5a_8e47_ff78),
        ("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a_607c_a3f2_42c1),
        ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fd_d303_c946_bdd9),
        ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c81_23ea_7b06_7637),
        ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f_9b82_9b27_9560),
    ] {
        assert_eq!(play(moves).polyglot_key(), key, "{moves}");
    }
}

#[test]
fn polyglot_round_trip_and_castling() {
    let trees = parse_trees(FIGURE_18).unwrap();
    let book = Book::of_trees(&trees);
    let bytes = write_polyglot(&book);
    assert_eq!(bytes.len(), 16 * book.moves());
    assert_eq!(read_polyglot(&bytes).unwrap(), book);
    let before_castling = play("g2g3 g7g6 f1g2 f8g7 g1f3 g8f6");
    let moves = book.moves_of(&before_castling);
    assert_eq!(moves.iter().map(|(m, _)| move_of(m).to_string()).collect::<Vec<_>>(), ["e1g1"]);
    let key = before_castling.polyglot_key().to_be_bytes();
    let at = bytes.chunks(16).position(|entry| entry[..8] == key).unwrap();
    assert_eq!(bytes[16 * at + 8..16 * at + 10], [0x01, 0x07], "e1 onto its rook on h1");
}

#[test]
fn damaged_polyglot_books_are_refused() {
    let bytes = write_polyglot(&Book::of_trees(&parse_trees(FIGURE_18).unwrap()));
    assert_eq!(read_polyglot(&bytes[..bytes.len() - 3]), Err(Damage::Length(bytes.len() - 3)));
    assert_eq!(read_polyglot(&[]), Err(Damage::Empty));
    let mut swapped = bytes.clone();
    swapped[..32].rotate_left(16);
    assert_eq!(read_polyglot(&swapped), Err(Damage::Order(2)));
    let mut torn = bytes;
    torn[24] = 0xff;
    assert!(matches!(read_polyglot(&torn), Err(Damage::Move { entry: 2, .. })));
}

#[test]
fn the_draw_follows_the_weights() {
    let (trees, _) = built("1. e4 1-0\n\n1. d4 1-0\n\n1. c4 0-1\n", 12);
    let book = Book::of_trees(&trees);
    let root = Board::from_fen(START).unwrap();
    let chosen: std::collections::BTreeSet<String> =
        (0..400).map(|random| move_of(&book.choose(&root, random).unwrap()).to_string()).collect();
    assert_eq!(chosen.into_iter().collect::<Vec<_>>(), ["d2d4", "e2e4"]);
    assert_eq!(book.choose(&play("c2c4"), 0), None);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(book) = read_polyglot(&bytes) {
            prop_assert_eq!(write_polyglot(&book), bytes);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(tree\n|[0-9]{1,2} [+-]?[0-2][0-9]{4} [0-9] [0-9]\n|#x\n|\\PC){0,6}") {
        if let Ok(trees) = parse_trees(&text) {
            let again: String = trees.iter().map(ToString::to_string).collect();
            prop_assert_eq!(parse_trees(&again).unwrap(), trees);
        }
    }
}
