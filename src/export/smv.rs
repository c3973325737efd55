//! The model of a verdict for NuSMV: the strategy as a Kripke structure, with the paper's aim as
//! its specification.
//!
//! The structure is the satisfying model itself — one move for the owner, every move for the
//! opponent — so plain CTL model checking decides the aim on it, independently of everything here.
//!
//! # References
//! * R. Cavada et al., *NuSMV 2.6 User Manual*.

use super::outline::{Node, Outline};
use crate::chess::board::Board;
use crate::chess::{Side, parse_move};
use std::io::{self, Write};

/// A state: a position with its side to move.
struct State {
    next: Vec<usize>,
    side: Side,
    check: bool,
    can_move: bool,
}

/// Whether an atom holds in a state.
type Atom<'a> = &'a dyn Fn(&State) -> bool;

/// Writes the module. A final position, and one where the opponent's king is bare (there the model
/// goes on as it likes), has an edge to itself. The atoms are the paper's: `p0` Black to move,
/// `p269` and `p270` White and Black can move, `safe_white_king`, `safe_black_king`.
///
/// # Errors
/// Those of `out`.
pub fn write(outline: &Outline, out: &mut dyn Write) -> io::Result<()> {
    let states = states(outline);
    let heading = outline.heading();
    writeln!(out, "-- {}\n-- {}", heading.fen, super::text::sentence(&heading))?;
    writeln!(
        out,
        "MODULE main\nVAR s : 0..{};\nASSIGN init(s) := 0;\nnext(s) := case",
        states.len().max(2) - 1
    )?;
    for (id, state) in states.iter().enumerate() {
        write!(out, "  s = {id} : ")?;
        write_set(&state.next, out)?;
        writeln!(out, ";")?;
    }
    writeln!(out, "  TRUE : s;\nesac;\nDEFINE")?;
    let atoms: [(&str, Atom); 5] = [
        ("p0", &|s| s.side == Side::Black),
        ("p269", &|s| s.side == Side::White && s.can_move),
        ("p270", &|s| s.side == Side::Black && s.can_move),
        ("safe_white_king", &|s| !(s.side == Side::White && s.check)),
        ("safe_black_king", &|s| !(s.side == Side::Black && s.check)),
    ];
    for (name, holds) in atoms {
        let members: Vec<usize> = (0..states.len()).filter(|&id| holds(&states[id])).collect();
        write!(out, "  {name} := ")?;
        if members.is_empty() {
            write!(out, "FALSE")?;
        } else {
            write!(out, "s in ")?;
            write_set(&members, out)?;
        }
        writeln!(out, ";")?;
    }
    let aim = match heading.formula {
        "theta1" => "AF (p0 & !safe_black_king & !p270)",
        "theta3" => "AF (!p0 & !safe_white_king & !p269)",
        "hold2" => "AG (p0 | (!p0 & (p269 | safe_white_king))) & AG EX TRUE",
        _ => "AG (!p0 | (p0 & (p270 | safe_black_king))) & AG EX TRUE",
    };
    writeln!(out, "CTLSPEC {aim};")
}

fn write_set(members: &[usize], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{{{}", members[0])?;
    members[1..].iter().try_for_each(|m| write!(out, ", {m}"))?;
    write!(out, "}}")
}

/// A node is one state where it has no move of the owner's, else two: before and after that move.
fn states(outline: &Outline) -> Vec<State> {
    let nodes: Vec<Node> = outline.nodes().collect();
    let mut entry = Vec::with_capacity(nodes.len());
    let mut count = 0;
    for node in &nodes {
        entry.push(count);
        count += if node.play.is_some() { 2 } else { 1 };
    }
    let mut states: Vec<State> = Vec::with_capacity(count);
    for node in &nodes {
        let mut board = Board::from_fen(&node.fen).expect("a position of the strategy");
        if let Some(play) = &node.play {
            let id = states.len();
            states.push(state(&board, vec![id + 1]));
            let m = parse_move(&play.uci).expect("a move");
            board = board.after(board.find(m).expect("the owner's move is legal"));
        }
        let mut next: Vec<usize> =
            node.replies.iter().filter_map(|r| Some(entry[r.to? as usize])).collect();
        if next.is_empty() {
            next.push(states.len());
        }
        states.push(state(&board, next));
    }
    states
}

fn state(board: &Board, next: Vec<usize>) -> State {
    State {
        next,
        side: board.side_to_move(),
        check: board.in_check(),
        can_move: !board.legal_moves().is_empty(),
    }
}
