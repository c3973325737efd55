//! A long strategy told in words, by the men on the board: a proof of a pawn ending has 10⁴ to 10⁶
//! positions, and no tree of it can be read.
//!
//! What is told is read off the strategy itself, every reply with it: the key move and what meets
//! each reply; a line of the longest resistance; and along that line the *stages*, from one capture
//! or promotion to the next. Of each stage it is said how the pawns stand, which way the owner's
//! king goes, and, over all replies and not only on the line, in how many positions of the proof
//! there are these men and by which moves they are left. Where no pawn can move at first, and each
//! side has a king and pawns, the *corresponding squares* that the proof brings about are named:
//! places of the kings where whoever is to move would rather not be.
//!
//! One pass over the strategy, about a microsecond a position. Nothing is proved here.

mod text;

pub use text::write;
pub(super) use text::{lines, wrapped};

use super::svg::{role_name, square_name};
use crate::certificate::{Answer, Strategy};
use crate::chess::board::{Board, BySide as _, ChessMove, Position as _, Role, move_of};
use crate::chess::{Packed, Side};
use crate::limits::{Budget, StopReason};
use crate::slices::{Analysis, Known};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Duration;

/// Time for one question whether a side wins with the other to move.
const QUESTION: Duration = Duration::from_millis(200);
/// Time for all of them.
const QUESTIONS: Duration = Duration::from_secs(5);

/// A strategy told by stages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Account {
    /// Whose strategy it is.
    #[serde(serialize_with = "crate::chess::serialize_side")]
    pub owner: Side,
    /// Whether it wins (else it holds).
    pub wins: bool,
    /// Who moves first.
    #[serde(skip)]
    pub first: Side,
    /// Positions with the owner to move.
    pub positions: u64,
    /// Placements of the pawns in them.
    pub placements: u64,
    /// Plies to mate at most, in a win.
    pub mate_plies_at_most: Option<u32>,
    /// The owner's first move, if it is to move.
    pub key: Option<String>,
    /// What meets each reply, the one that resists longest first.
    pub replies: Vec<Met>,
    /// A line of the longest resistance; empty in a hold.
    pub line: Vec<String>,
    /// From one capture or promotion to the next; in a hold the first alone.
    pub stages: Vec<Stage>,
    /// Corresponding squares: the owner's king, the other one. In both places the owner wins with
    /// the other side to move, and does not if it has to move itself.
    pub corresponding: Vec<(String, String)>,
}

/// A reply and what meets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Met {
    /// The opponent's move.
    pub reply: String,
    /// The owner's; none where the game is over.
    pub answer: Option<String>,
    /// Plies to mate at most after the reply, in a win.
    pub mate_plies_at_most: Option<u32>,
}

/// What happens while the same men are on the board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stage {
    /// The men, such as `KPPvKP`.
    pub men: String,
    /// Its first ply on the line, counted from 0.
    pub from: u32,
    /// Its plies on the line, the last of which changes the men, unless it mates.
    pub plies: u32,
    /// Whether no pawn can move at its beginning.
    pub locked: bool,
    /// The squares of the owner's king on the line.
    pub king: Vec<String>,
    /// Pawn moves on the line that change no men.
    pub pawns: Vec<String>,
    /// The move of the line that ends it.
    pub end: Option<String>,
    /// Positions with these men in the whole strategy, the owner to move.
    pub positions: u64,
    /// Placements of the pawns in them.
    pub placements: u64,
    /// Moves by which the whole strategy leaves these men, the most frequent first: whose, what, and
    /// how often.
    pub exits: Vec<Exit>,
}

/// A way to leave a stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Exit {
    /// Who moves.
    #[serde(serialize_with = "crate::chess::serialize_side")]
    pub side: Side,
    /// What is done.
    pub what: String,
    /// In how many positions.
    pub times: u64,
}

/// The men of a side, king left out, by role.
pub(super) type Men = [u32; 10];
/// The squares of the pawns.
type Pawns = [u64; 2];

const ROLES: [(Role, char); 5] = [
    (Role::Queen, 'Q'),
    (Role::Rook, 'R'),
    (Role::Bishop, 'B'),
    (Role::Knight, 'N'),
    (Role::Pawn, 'P'),
];

pub(super) fn men(board: &Board) -> Men {
    let chess = board.chess().board();
    let mut men = [0; 10];
    for (at, side) in Side::ALL.into_iter().enumerate() {
        for (role, (kind, _)) in ROLES.into_iter().enumerate() {
            men[5 * at + role] = (chess.men_of(side) & chess.by_role(kind)).count() as u32;
        }
    }
    men
}

fn pawns(board: &Board) -> Pawns {
    let chess = board.chess().board();
    Side::ALL.map(|side| (chess.men_of(side) & chess.by_role(Role::Pawn)).0)
}

/// Men by their letters, `KPPvKP`.
pub(super) fn named(men: &Men) -> String {
    let side = |list: &[u32]| -> String {
        let each = list.iter().zip(ROLES);
        each.flat_map(|(count, (_, letter))| (0..*count).map(move |_| letter)).collect()
    };
    format!("K{}vK{}", side(&men[..5]), side(&men[5..]))
}

/// Whether no pawn can step or take another one, wherever the kings are.
fn is_locked([white, black]: &Pawns) -> bool {
    let (not_a, not_h) = (!0x0101_0101_0101_0101_u64, !0x8080_8080_8080_8080_u64);
    let all = white | black;
    let steps = (white << 8 & !all) | (black >> 8 & !all);
    let takes = (white & not_a) << 7 | (white & not_h) << 9;
    all != 0 && steps == 0 && takes & black == 0
}

fn king(board: &Board, side: Side) -> u8 {
    let chess = board.chess().board();
    (chess.men_of(side) & chess.by_role(Role::King)).0.trailing_zeros() as u8
}

/// What is found of all positions with some men.
#[derive(Default)]
struct Found {
    positions: u64,
    placements: HashSet<Pawns>,
    exits: BTreeMap<(bool, String), u64>,
}

impl Account {
    /// Tells a strategy; with corresponding squares, for at most some seconds of the budget, where
    /// no pawn can move at the root. None where the root is no position.
    ///
    /// # Errors
    /// The end of the budget.
    pub fn new(strategy: &Strategy, budget: &Budget) -> Result<Option<Self>, StopReason> {
        let Ok(root) = Board::from_vector(strategy.root()) else { return Ok(None) };
        let owner = strategy.owner();
        let mut line = vec![root.clone()];
        let mut sans = Vec::new();
        for play in strategy.main_line() {
            let board = &line[line.len() - 1];
            let Some(legal) = board.find(play) else { break };
            sans.push(board.san(legal));
            line.push(board.after(legal));
        }
        let found = survey(strategy, &root, budget)?;
        let stages = stages(&line, &sans, owner, &found);
        let (key, after) = match key(strategy, &root) {
            Some((san, after)) => (Some(san), after),
            None => (None, root.clone()),
        };
        let mut account = Self {
            owner,
            wins: strategy.wins(),
            first: root.side_to_move(),
            positions: found.values().map(|f| f.positions).sum(),
            placements: found.values().map(|f| f.placements.len() as u64).sum(),
            mate_plies_at_most: strategy.wins().then_some(sans.len() as u32),
            key,
            replies: replies(strategy, &after),
            line: sans,
            stages,
            corresponding: Vec::new(),
        };
        let lone = men(&root).iter().enumerate().all(|(at, count)| at % 5 == 4 || *count == 0);
        if strategy.wins() && lone && is_locked(&pawns(&root)) {
            account.corresponding = corresponding(strategy, &root, budget);
        }
        Ok(Some(account))
    }
}

/// The owner's first move, if it is to move, and the position after it.
fn key(strategy: &Strategy, root: &Board) -> Option<(String, Board)> {
    let play = strategy.answer(&root.packed()).filter(|_| root.side_to_move() == strategy.owner());
    let legal = root.find(play?.play?)?;
    Some((root.san(legal), root.after(legal)))
}

fn replies(strategy: &Strategy, board: &Board) -> Vec<Met> {
    let mut list: Vec<Met> = Vec::new();
    for legal in board.legal_moves() {
        let after = board.after(legal);
        let answer = strategy.answer(&after.packed());
        let play = answer.and_then(|a| a.play).and_then(|play| after.find(play));
        list.push(Met {
            reply: board.san(legal),
            answer: play.map(|legal| after.san(legal)),
            mate_plies_at_most: answer.map(|a| a.rank).filter(|_| strategy.wins()),
        });
    }
    list.sort_by_key(|met| std::cmp::Reverse(met.mate_plies_at_most));
    list
}

/// Positions between two looks at the budget.
const BETWEEN_CHECKS: u64 = 1 << 10;

/// What the whole strategy does, by the men on the board.
///
/// # Errors
/// The end of the budget.
fn survey(
    strategy: &Strategy,
    root: &Board,
    budget: &Budget,
) -> Result<HashMap<Men, Found>, StopReason> {
    let mut found: HashMap<Men, Found> = HashMap::new();
    each_reached(strategy, root, budget, |board, answer| {
        let entry = found.entry(men(board)).or_default();
        entry.positions += 1;
        entry.placements.insert(pawns(board));
        let Some(legal) = answer.play.and_then(|play| board.find(play)) else { return };
        if let Some(what) = change(legal) {
            *entry.exits.entry((true, what)).or_default() += 1;
            return;
        }
        let after = board.after(legal);
        for reply in after.legal_moves() {
            if let Some(what) = change(reply) {
                *entry.exits.entry((false, what)).or_default() += 1;
            }
        }
    })?;
    Ok(found)
}

/// Calls `each` with the positions that the strategy brings about, the owner to move, and their answers.
/// (What stands in a folded one are images, with the files exchanged perhaps.)
///
/// # Errors
/// The end of the budget.
fn each_reached(
    strategy: &Strategy,
    root: &Board,
    budget: &Budget,
    mut each: impl FnMut(&Board, Answer),
) -> Result<(), StopReason> {
    let mut count = 0;
    let mut check = || {
        count += 1;
        if count % BETWEEN_CHECKS == 0 { budget.check(count, 0) } else { Ok(()) }
    };
    if !strategy.folded() {
        for (packed, answer) in strategy.iter() {
            check()?;
            if let Ok(board) = Board::from_packed(&packed) {
                each(&board, answer);
            }
        }
        return Ok(());
    }
    let mut seen: HashSet<Packed> = HashSet::new();
    let mut agenda = vec![root.clone()];
    while let Some(board) = agenda.pop() {
        check()?;
        if board.side_to_move() != strategy.owner() {
            agenda.extend(board.successors());
        } else if let Some(answer) = strategy.answer(&board.packed())
            && seen.insert(board.packed())
        {
            let legal = answer.play.and_then(|play| board.find(play));
            agenda.extend(legal.map(|legal| board.after(legal)));
            each(&board, answer);
        }
    }
    Ok(())
}

/// What a move does to the men on the board, in words; none where it leaves them as they are.
fn change(legal: ChessMove) -> Option<String> {
    let taken = legal.capture().map(|role| role_name(role).to_owned());
    let play = move_of(&legal);
    let to = square_name(play.to());
    let new = legal.promotion().map(role_name);
    match (taken, new) {
        (None, None) => None,
        (Some(taken), None) => Some(format!("takes the {taken} on {to}")),
        (None, Some(new)) => Some(format!("promotes to a {new} on {to}")),
        (Some(taken), Some(new)) => {
            Some(format!("takes the {taken} on {to}, promoting to a {new}"))
        }
    }
}

/// The stages of a line; of a strategy without a line the first alone.
fn stages(line: &[Board], sans: &[String], owner: Side, found: &HashMap<Men, Found>) -> Vec<Stage> {
    let mut list: Vec<Stage> = Vec::new();
    for (ply, board) in line.iter().enumerate() {
        let now = men(board);
        if ply == 0 || men(&line[ply - 1]) != now {
            list.push(begun(ply, board, found.get(&now), owner));
        }
        let Some(stage) = list.last_mut() else { continue };
        let at = square_name(king(board, owner));
        if stage.king.last() != Some(&at) {
            stage.king.push(at);
        }
        let Some(next) = line.get(ply + 1) else { continue };
        stage.plies += 1;
        if men(next) != now {
            stage.end = Some(sans[ply].clone());
        } else if pawns(next) != pawns(board) {
            stage.pawns.push(sans[ply].clone());
        }
    }
    // A mate may come with a change of the men: then nothing happens in the last one.
    if list.len() > 1 {
        list.retain(|stage| stage.plies > 0);
    }
    list
}

fn begun(ply: usize, board: &Board, found: Option<&Found>, owner: Side) -> Stage {
    let mut exits: Vec<Exit> = found
        .into_iter()
        .flat_map(|f| &f.exits)
        .map(|((own, what), times)| Exit {
            side: if *own { owner } else { owner.other() },
            what: what.clone(),
            times: *times,
        })
        .collect();
    exits.sort_by_key(|exit| std::cmp::Reverse(exit.times));
    Stage {
        men: named(&men(board)),
        from: ply as u32,
        plies: 0,
        locked: is_locked(&pawns(board)),
        king: Vec::new(),
        pawns: Vec::new(),
        end: None,
        positions: found.map_or(0, |f| f.positions),
        placements: found.map_or(0, |f| f.placements.len() as u64),
        exits,
    }
}

/// The places of the kings that the strategy brings about while no pawn has moved, the opponent to
/// move, where the owner would not win if it were to move itself.
fn corresponding(strategy: &Strategy, root: &Board, budget: &Budget) -> Vec<(String, String)> {
    let (owner, standing) = (strategy.owner(), pawns(root));
    let budget = budget.part(budget.remaining().map_or(QUESTIONS, |left| QUESTIONS.min(left / 2)));
    let mut analysis = Analysis::new();
    analysis.pursue(root, &budget);
    let mut asked: BTreeSet<Packed> = BTreeSet::new();
    let mut pairs = Vec::new();
    for (packed, answer) in strategy.iter() {
        let Ok(board) = Board::from_packed(&packed) else { continue };
        let legal = answer.play.and_then(|play| board.find(play));
        let Some(after) = legal.map(|legal| board.after(legal)) else { continue };
        // In check, or beside a pawn of the owner's, the owner cannot be made to move instead.
        let Some(waiting) = after.passed().filter(|w| pawns(w) == standing) else { continue };
        if !asked.insert(waiting.packed()) || budget.check(0, 0).is_err() {
            continue;
        }
        analysis.pursue(&waiting, &budget.part(QUESTION));
        if analysis.wins(&waiting, owner) == Known::Not {
            pairs.push((king(&after, owner), king(&after, owner.other())));
        }
    }
    pairs.sort_unstable();
    pairs.into_iter().map(|(own, other)| (square_name(own), square_name(other))).collect()
}
