//! Own tables against truth made elsewhere.

use theta_chess::chess::board::Board;
use theta_chess::limits::Budget;
use theta_chess::tables::{Tables, Value};

/// FEN, value, plies and material of the positions in `positions/endgames_60.tsv`.
fn endgames() -> impl Iterator<Item = (&'static str, Value, &'static str)> {
    include_str!("../positions/endgames_60.tsv").lines().skip(2).map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let plies = || fields[3].trim_start_matches('-').parse().unwrap();
        let value = match fields[1] {
            "win" => Value::Win(plies()),
            "loss" => Value::Loss(plies()),
            "draw" => Value::Draw,
            other => panic!("{other}"),
        };
        (fields[0], value, fields[4])
    })
}

#[test]
fn sixty_labelled_endgames() {
    let tables = Tables::in_memory();
    for (fen, value, material) in endgames() {
        let board = Board::from_fen(fen).unwrap();
        let found = Tables::material_of(&board).unwrap();
        assert_eq!(found.to_string(), material);
        tables.ensure(found, &Budget::default()).unwrap();
        assert_eq!(tables.probe(&board).unwrap(), Some(value), "{fen}");
    }
}
