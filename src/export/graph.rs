//! Leg(y⁰) as a graph for other tools: a parity game, a labelled transition system, a picture.
//!
//! Those tools take total relations for granted: a final position gets an edge to itself. The owner
//! of the question is the side that wants to mate.
//!
//! # References
//! * O. Friedmann, M. Lange, *The PGSolver Collection of Parity Game Solvers* (2009): the `gm`
//!   format.
//! * H. Garavel et al., *CADP: aut manual page*: the Aldebaran format.

use crate::chess::{Side, fen};
use crate::game::Game;
use std::io::{self, Write};

/// Whether a position is the owner's goal: the opponent is mated.
pub(super) fn goal(game: &Game, owner: Side, id: u32) -> bool {
    game.side_to_move(id) != owner && game.mated(id)
}

/// Writes the parity game "the owner mates" in PGSolver's format. Player 0 is the owner, vertex 0
/// the root; the greatest priority seen infinitely often decides: 2 at the owner's mates, which are
/// never left, 1 elsewhere. Player 0 wins from vertex 0 exactly when the owner's Θ is satisfiable.
///
/// # Errors
/// Those of `out`.
pub fn write_parity_game(game: &Game, owner: Side, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "parity {};\nstart 0;", game.len() - 1)?;
    for id in 0..game.len() {
        let player = u8::from(game.side_to_move(id) != owner);
        let priority = if goal(game, owner, id) { 2 } else { 1 };
        write!(out, "{id} {priority} {player} ")?;
        match game.successors(id) {
            [] => write!(out, "{id}")?,
            [first, rest @ ..] => {
                write!(out, "{first}")?;
                rest.iter().try_for_each(|to| write!(out, ",{to}"))?;
            }
        }
        writeln!(out, " \"{}\";", fen(&game.vector(id)))?;
    }
    Ok(())
}

/// Writes the game as a labelled transition system in Aldebaran's format: a transition for each
/// move, labelled with its side and the move (`white_e2e4`); a final position has one to itself,
/// `white_mated`, `black_mated` or `stalemate`.
///
/// # Errors
/// Those of `out`.
pub fn write_aut(game: &Game, out: &mut dyn Write) -> io::Result<()> {
    let finals = (0..game.len()).filter(|&id| game.successors(id).is_empty()).count();
    writeln!(out, "des (0, {}, {})", game.edges() + finals, game.len())?;
    for id in 0..game.len() {
        let side = if game.side_to_move(id) == Side::White { "white" } else { "black" };
        if game.successors(id).is_empty() {
            let end = if game.in_check(id) { format!("{side}_mated") } else { "stalemate".into() };
            writeln!(out, "({id},\"{end}\",{id})")?;
        }
        for (m, to) in game.moves(id) {
            writeln!(out, "({id},\"{side}_{m}\",{to})")?;
        }
    }
    Ok(())
}

/// Writes the game as a graph for Graphviz: white boxes where White is to move, grey where Black
/// is; mates double.
///
/// # Errors
/// Those of `out`.
pub fn write_dot(game: &Game, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "digraph leg {{\n  node [shape = box, style = filled, fontname = \"monospace\"];"
    )?;
    for id in 0..game.len() {
        let colour = if game.side_to_move(id) == Side::White { "white" } else { "gray80" };
        let rings = if game.mated(id) { 2 } else { 1 };
        let placement = fen(&game.vector(id));
        writeln!(
            out,
            "  {id} [label = \"{placement}\", fillcolor = {colour}, peripheries = {rings}];"
        )?;
        for (m, to) in game.moves(id) {
            writeln!(out, "  {id} -> {to} [label = \"{m}\"];")?;
        }
    }
    writeln!(out, "}}")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{MATED, STALEMATE, WALL, game};
    use super::*;
    use pretty_assertions::assert_eq;

    fn text(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
        let mut bytes = Vec::new();
        write(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn parity_games_are_total_and_hold_every_move() {
        for position in [WALL, MATED, STALEMATE] {
            let game = game(position);
            let written = text(|out| write_parity_game(&game, Side::White, out));
            let lines: Vec<&str> = written.lines().collect();
            assert_eq!(lines[0], format!("parity {};", game.len() - 1));
            assert_eq!(lines.len() as u32, game.len() + 2);
            for (id, line) in lines[2..].iter().enumerate() {
                let fields: Vec<&str> = line.splitn(5, ' ').collect();
                let to: Vec<u32> = fields[3].split(',').map(|v| v.parse().unwrap()).collect();
                let id = id as u32;
                assert_eq!(fields[0], id.to_string());
                assert_eq!(fields[1] == "2", goal(&game, Side::White, id));
                assert_eq!(fields[2] == "0", game.side_to_move(id) == Side::White);
                match game.successors(id) {
                    [] => assert_eq!(to, [id]),
                    moves => assert_eq!(to, moves),
                }
            }
        }
    }

    #[test]
    fn transition_systems_count_what_they_hold() {
        for position in [WALL, MATED, STALEMATE] {
            let game = game(position);
            let written = text(|out| write_aut(&game, out));
            let finals = (0..game.len()).filter(|&id| game.successors(id).is_empty()).count();
            assert_eq!(
                written.lines().next().unwrap(),
                format!("des (0, {}, {})", written.lines().count() - 1, game.len())
            );
            assert_eq!(
                written.matches("_mated\"").count() + written.matches("stalemate\"").count(),
                finals
            );
        }
        assert!(text(|out| write_aut(&game(MATED), out)).contains("(0,\"black_mated\",0)"));
    }
}
