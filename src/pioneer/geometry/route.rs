//! Routes: trajectories read on the real board.
//!
//! β-squares with a man on them become α-squares: the piece must capture there, or wait until its
//! own man has gone.
//!
//! # References
//! B. M. Stilman, appendix 1 of M. M. Botvinnik, *On the cybernetic goal of the game*, 1975
//! (decoding, last two paragraphs); docs/theory.md §13.

use std::ops::ControlFlow;

use super::bundle::{Bundle, distance};
use super::men::Men;
use super::trajectory::{Opening, Trajectory};
use crate::chess::board::{Bitboard, File, Piece, Role, Square};

/// What a piece goes along a trajectory for. It decides how a pawn's last step may look: captures
/// are slanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// To capture the man on αk.
    Attack,
    /// To promote on αk.
    Promote,
    /// To be able to capture whatever comes to αk.
    Control,
    /// To stand on αk, in the way of another.
    Block,
    /// To leave α0 free for another.
    Unblock,
    /// To draw a defender to αk, or to remove the one that stands there.
    Decoy,
    /// To leave α0, where it is attacked.
    Retreat,
}

impl Purpose {
    /// Whether the last step is a capture.
    fn captures(self) -> bool {
        matches!(self, Purpose::Attack | Purpose::Control | Purpose::Decoy)
    }
}

/// A trajectory as it lies on the real board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// The trajectory on the empty board.
    pub trajectory: Trajectory,
    /// Enemy men on the way, αk left out: captured in passing.
    pub foes: Bitboard,
    /// Own men on the way: to be unblocked.
    pub own: Bitboard,
    /// True length in moves: one more for every β-square that became an α-square and every own man
    /// on an α-square.
    pub moves: u8,
}

impl Route {
    /// Reads a trajectory on the board; none where it goes on after the promotion it is for, no
    /// capture is possible that a pawn needs, an enemy man stands in front of a pawn, or castling
    /// is no longer allowed.
    pub fn read(men: &Men, trajectory: Trajectory, purpose: Purpose) -> Option<Route> {
        let side = trajectory.piece.side;
        if purpose == Purpose::Promote && trajectory.promotes_at() != Some(trajectory.moves()) {
            return None;
        }
        let (mut over, mut stops) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for i in 0..trajectory.moves() {
            over |= trajectory.betas(i);
            stops.add(trajectory.alpha(i + 1));
            let last = i + 1 == trajectory.moves();
            if trajectory.role_at(i) == Role::Pawn
                && !pawn_steps(men, &trajectory, i, last && purpose.captures())
            {
                return None;
            }
        }
        if trajectory.opening == Opening::Castling && !may_castle(men, &trajectory) {
            return None;
        }
        let waits = stops & men.of_side(side) & !Bitboard::from(trajectory.from());
        let waits =
            if purpose == Purpose::Control { waits.without(trajectory.to()) } else { waits };
        let met = over & men.occupied() & !Bitboard::from(trajectory.from());
        Some(Route {
            trajectory,
            foes: (over | stops.without(trajectory.to())) & men.of_side(side.other()),
            own: (met & men.of_side(side)) | waits,
            moves: (trajectory.moves() + met.count() + waits.count()) as u8,
        })
    }

    /// Whether the first move can be made at once: nothing stands in its way but what it captures.
    pub fn starts_now(&self, men: &Men) -> bool {
        let side = self.trajectory.piece.side;
        (self.trajectory.betas(0) & men.occupied()).is_empty()
            && !men.of_side(side).contains(self.trajectory.alpha(1))
    }
}

fn pawn_steps(men: &Men, t: &Trajectory, i: usize, capture: bool) -> bool {
    let (from, to) = (t.alpha(i), t.alpha(i + 1));
    let slanted = from.file() != to.file();
    if capture {
        return slanted;
    }
    let foe = men.of_side(t.piece.side.other());
    if slanted {
        foe.contains(to) || i == 0 && men.passant == Some(to)
    } else {
        !foe.contains(to) && (t.betas(i) & foe).is_empty()
    }
}

/// Castling needs the right and the squares between king and rook empty.
fn may_castle(men: &Men, t: &Trajectory) -> bool {
    let home = t.from().rank();
    let on = |file| Square::from_coords(file, home);
    let short = t.alpha(1).file() >= File::F;
    let rook = on(if short { File::H } else { File::A });
    let between: &[File] = if short { &[File::F, File::G] } else { &[File::B, File::C, File::D] };
    men.castling.contains(rook) && between.iter().all(|&f| !men.occupied().contains(on(f)))
}

/// How many trajectories of a bundle are read before it is given up, and how many routes of it are
/// kept: bounds that keep absurd horizons affordable.
const READ_AT_MOST: usize = 96;

/// The routes of a piece to a square of at most `longest` true moves, shortest first, and the
/// squares that were looked at to find them: as long as nothing changes there, the answer is the
/// same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Routes {
    /// At most as many as asked for.
    pub routes: Vec<Route>,
    /// The squares read.
    pub reads: Bitboard,
}

impl Routes {
    /// Finds up to `keep` routes.
    pub fn find(
        men: &Men,
        piece: Piece,
        from: Square,
        to: Square,
        longest: u8,
        purpose: Purpose,
        keep: usize,
    ) -> Self {
        let mut found = Self { routes: Vec::new(), reads: Bitboard::from(from).with(to) };
        let far = distance(piece, from, to).is_none_or(|n| n > longest);
        if far && piece.role != Role::Pawn && piece.role != Role::King && piece.role != Role::Rook {
            return found;
        }
        let mut read = 0;
        let _ = Bundle { piece, from, to, longest }.visit(|t| {
            let settled =
                found.routes.len() >= keep && found.routes[keep - 1].moves as usize <= t.moves();
            if read == READ_AT_MOST || settled {
                return ControlFlow::Break(());
            }
            read += 1;
            found.reads |= t.ahead();
            if t.opening == Opening::Castling {
                found.reads |= Bitboard::from_rank(from.rank());
            }
            if let Some(route) = Route::read(men, t, purpose).filter(|r| r.moves <= longest) {
                let at = found.routes.partition_point(|r| r.moves <= route.moves);
                found.routes.insert(at, route);
                found.routes.truncate(keep);
            }
            ControlFlow::Continue(())
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::board::Board;
    use pretty_assertions::assert_eq;

    fn routes(fen: &str, from: &str, to: &str, longest: u8, purpose: Purpose) -> Vec<(String, u8)> {
        let men = Men::of(&Board::from_fen(fen).unwrap());
        let from: Square = from.parse().unwrap();
        let found = Routes::find(
            &men,
            men.at(from).unwrap(),
            from,
            to.parse().unwrap(),
            longest,
            purpose,
            4,
        );
        found.routes.iter().map(|r| (r.trajectory.to_string(), r.moves)).collect()
    }

    #[test]
    fn beta_squares_with_men_become_alpha_squares() {
        let fen = "4k2r/8/8/8/7p/8/8/4K2R w - - 0 1";
        assert_eq!(routes(fen, "h1", "h8", 1, Purpose::Attack), []);
        assert_eq!(routes(fen, "h1", "h8", 2, Purpose::Attack), [("Rh1-h8".to_string(), 2)]);
    }

    #[test]
    fn pawns_capture_slanted_and_promote_straight() {
        let fen = "4k3/8/3p4/8/4P3/8/8/4K3 w - - 0 1";
        assert_eq!(routes(fen, "e4", "d6", 2, Purpose::Attack), [("e4-e5-d6".to_string(), 2)]);
        let fen_e8 = "4r2k/8/3p4/8/4P3/8/8/4K3 w - - 0 1";
        assert_eq!(
            routes(fen_e8, "e4", "e8", 4, Purpose::Promote),
            [("e4-e5-d6-d7-e8=".to_string(), 4)]
        );
        assert_eq!(
            routes(fen, "e4", "f6", 2, Purpose::Block),
            [],
            "nothing to capture on f-squares"
        );
    }

    #[test]
    fn castling_needs_its_right_and_empty_squares() {
        let fen = |right: &str, men: &str| format!("4k3/8/8/8/8/8/8/{men} w {right} - 0 1");
        assert_eq!(
            routes(&fen("K", "4K2R"), "e1", "g1", 1, Purpose::Block),
            [("Ke1-g1".to_string(), 1)]
        );
        assert_eq!(routes(&fen("-", "4K2R"), "e1", "g1", 1, Purpose::Block), []);
        assert_eq!(routes(&fen("K", "4KB1R"), "e1", "g1", 1, Purpose::Block), []);
    }
}
