//! Trajectories against plain breadth-first search and plain enumeration of walks on the empty
//! board.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use theta_chess::chess::Side;
use theta_chess::chess::board::{Piece, Role, Square};
use theta_chess::pioneer::bundle::{Bundle, next_alphas};
use theta_chess::pioneer::tables::Table;
use theta_chess::pioneer::trajectory::{Opening, Trajectory};

type Xy = (i32, i32);

fn square(at: Xy) -> Square {
    Square::new((at.1 * 8 + at.0) as u32)
}

fn xy(s: Square) -> Xy {
    ((s as i32) % 8, (s as i32) / 8)
}

/// The directions of a piece and whether it slides.
fn directions(piece: Piece) -> (Vec<Xy>, bool) {
    let straight = [(1, 0), (-1, 0), (0, 1), (0, -1)];
    let slanted = [(1, 1), (-1, 1), (1, -1), (-1, -1)];
    let up = if piece.side == Side::White { 1 } else { -1 };
    match piece.role {
        Role::Pawn => (vec![(-1, up), (0, up), (1, up)], false),
        Role::Knight => {
            let all = (-2i32..=2).flat_map(|x| (-2i32..=2).map(move |y| (x, y)));
            (all.filter(|(x, y)| x * x + y * y == 5).collect(), false)
        }
        Role::King => (straight.into_iter().chain(slanted).collect(), false),
        Role::Rook => (straight.to_vec(), true),
        Role::Bishop => (slanted.to_vec(), true),
        Role::Queen => (straight.into_iter().chain(slanted).collect(), true),
    }
}

/// One move on an empty board with corners (low, low) and (high, high).
fn steps(piece: Piece, at: Xy, low: i32, high: i32) -> Vec<Xy> {
    let (directions, slides) = directions(piece);
    let mut found = Vec::new();
    for (dx, dy) in directions {
        let mut to = (at.0 + dx, at.1 + dy);
        while (low..=high).contains(&to.0) && (low..=high).contains(&to.1) {
            found.push(to);
            if !slides {
                break;
            }
            to = (to.0 + dx, to.1 + dy);
        }
    }
    found
}

/// Breadth-first distances from the centre of a board of 31×31: what the tables number, by (dx,
/// dy).
struct Distances([[Option<u8>; 31]; 31]);

impl Distances {
    fn of(piece: Piece) -> Self {
        let mut table = [[None; 31]; 31];
        table[15][15] = Some(0);
        let mut front = vec![(0, 0)];
        for n in 1.. {
            let mut next = Vec::new();
            for at in front {
                for to in steps(piece, at, -15, 15) {
                    let cell = &mut table[(to.1 + 15) as usize][(to.0 + 15) as usize];
                    if cell.is_none() {
                        *cell = Some(n);
                        next.push(to);
                    }
                }
            }
            if next.is_empty() {
                return Self(table);
            }
            front = next;
        }
        unreachable!("the board is finite")
    }

    fn get(&self, from: Xy, to: Xy) -> Option<u8> {
        self.0[(to.1 - from.1 + 15) as usize][(to.0 - from.0 + 15) as usize]
    }
}

fn pieces() -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Role::ALL.iter().map(|&r| Piece::new(Side::White, r)).collect();
    pieces.push(Piece::new(Side::Black, Role::Pawn));
    pieces
}

fn on_the_board(piece: Piece, from: Xy) -> Vec<Option<u8>> {
    let mut distance = vec![None; 64];
    distance[square(from) as usize] = Some(0);
    let mut front = vec![from];
    for n in 1..=14 {
        let mut next = Vec::new();
        for at in front {
            for to in steps(piece, at, 0, 7) {
                if distance[square(to) as usize].is_none() {
                    distance[square(to) as usize] = Some(n);
                    next.push(to);
                }
            }
        }
        front = next;
    }
    distance
}

#[test]
fn numbers_are_distances() {
    let corners = [("a1", "b2"), ("h1", "g2"), ("a8", "b7"), ("h8", "g7")];
    for piece in pieces() {
        let Some(table) = Table::of(piece.side, piece.role) else { continue };
        for from in Square::ALL {
            let distance = on_the_board(piece, xy(from));
            for to in Square::ALL {
                let pair = (from.to_string(), to.to_string());
                let corner = piece.role == Role::Knight
                    && corners.iter().any(|(a, b)| {
                        (pair.0 == *a && pair.1 == *b) || (pair.0 == *b && pair.1 == *a)
                    });
                if corner {
                    // The table does not know the board's corner: it says 2, and the bundle of 2
                    // moves is empty.
                    assert_eq!((table.number(from, to), distance[to as usize]), (Some(2), Some(4)));
                    assert!(Bundle { piece, from, to, longest: 3 }.take(1).is_empty());
                    assert_eq!(Bundle { piece, from, to, longest: 4 }.take(1)[0].moves(), 4);
                } else {
                    assert_eq!(table.number(from, to), distance[to as usize], "{piece:?} {pair:?}");
                }
            }
        }
    }
}

/// Every piece, every pair of squares, every length: the next α-squares are those one move away and
/// one nearer.
#[test]
fn shortest_bundles_are_breadth_first() {
    for piece in pieces().into_iter().filter(|p| p.role != Role::Queen) {
        let far = Distances::of(piece);
        for from in Square::ALL {
            for to in Square::ALL {
                for left in 1..=8u8 {
                    let expected: BTreeSet<Square> = steps(piece, xy(from), 0, 7)
                        .into_iter()
                        .filter(|&s| {
                            far.get(xy(from), xy(to)) == Some(left)
                                && far.get(s, xy(to)) == Some(left - 1)
                        })
                        .map(square)
                        .collect();
                    let found: BTreeSet<Square> =
                        next_alphas(piece.side, piece.role, from, to, left).into_iter().collect();
                    assert_eq!(found, expected, "{piece:?} {from} {to} {left}");
                }
            }
        }
    }
}

/// The squares strictly between two squares on a line.
fn between(a: Xy, b: Xy) -> Vec<Xy> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let n = dx.abs().max(dy.abs());
    if dx != 0 && dy != 0 && dx.abs() != dy.abs() {
        return Vec::new();
    }
    (1..n).map(|i| (a.0 + dx / n * i, a.1 + dy / n * i)).collect()
}

fn in_a_row(a: Xy, b: Xy, c: Xy) -> bool {
    (b.0 - a.0) * (c.1 - a.1) == (b.1 - a.1) * (c.0 - a.0)
}

/// What the walks of one piece from one square come to, by last square and length: their number and
/// a sum of hashes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sum(u64, u64);

impl Sum {
    fn add(&mut self, path: &[Xy], promotion: Option<Role>) {
        let mut hash = promotion.map_or(7, |r| r as u64 + 11);
        for &at in path {
            hash = (hash ^ (square(at) as u64 + 1))
                .wrapping_mul(0x9E37_79B9_7F4A_7C15)
                .rotate_left(23);
        }
        self.0 += 1;
        self.1 = self.1.wrapping_add(hash);
    }
}

struct Walks {
    piece: Piece,
    own: Distances,
    rook: Distances,
    bishop: Distances,
    longest: usize,
    sums: Vec<Vec<Sum>>,
}

impl Walks {
    fn of(piece: Piece, longest: usize) -> Self {
        let sums = vec![vec![Sum::default(); longest + 1]; 64];
        let of = |role: Role| Distances::of(Piece { role, side: piece.side });
        Self {
            piece,
            own: of(piece.role),
            rook: of(Role::Rook),
            bishop: of(Role::Bishop),
            longest,
            sums,
        }
    }

    fn seven(&self, from: Xy, to: Xy) -> Option<u8> {
        self.bishop.get(from, to).or(Some(2))
    }

    /// Whether the walk is a trajectory by the definition: shortest, or made of two shortest ones.
    fn is_trajectory(&self, path: &[Xy]) -> bool {
        let (from, to, n) = (path[0], path[path.len() - 1], path.len() - 1);
        if self.piece.role == Role::Queen {
            if n <= 2 {
                return true;
            }
            return (1..n).any(|i| {
                let (a, b) = (Some(i as u8), Some((n - i) as u8));
                let (r1, r2) = (self.rook.get(from, path[i]) == a, self.rook.get(path[i], to) == b);
                let (s1, s2) = (self.seven(from, path[i]) == a, self.seven(path[i], to) == b);
                (r1 || s1) && r2 || r1 && s2
            });
        }
        let is = |a: Xy, b: Xy, n: usize| self.own.get(a, b) == Some(n as u8);
        is(from, to, n) || (1..n).any(|i| is(from, path[i], i) && is(path[i], to, n - i))
    }

    /// Walks on from the last square, dropping meaningless walks as soon as they are.
    fn walk(&mut self, path: &mut Vec<Xy>, seen: &mut Vec<Xy>) {
        let slides = directions(self.piece).1;
        let n = path.len() - 1;
        if n > 0 && self.is_trajectory(path) {
            self.sums[square(path[n]) as usize][n].add(path, None);
        }
        if n == self.longest {
            return;
        }
        for to in steps(self.piece, path[n], 0, 7) {
            let over = if slides { between(path[n], to) } else { Vec::new() };
            let twice = seen.contains(&to) || over.iter().any(|s| seen.contains(s));
            if twice || slides && n > 0 && in_a_row(path[n - 1], path[n], to) {
                continue;
            }
            let known = seen.len();
            seen.extend(over);
            seen.push(to);
            path.push(to);
            self.walk(path, seen);
            path.pop();
            seen.truncate(known);
        }
    }

    fn compare(mut self, from: Square) {
        self.walk(&mut vec![xy(from)], &mut vec![xy(from)]);
        for to in Square::ALL {
            for moves in 1..=self.longest {
                let mut found = Sum::default();
                let _ = Bundle { piece: self.piece, from, to, longest: 14 }.exactly(
                    moves as u8,
                    &mut |t| {
                        assert_eq!((t.moves(), t.from(), t.to()), (moves, from, to));
                        found.add(
                            &t.alphas().iter().map(|&s| xy(s)).collect::<Vec<_>>(),
                            t.promotion,
                        );
                        ControlFlow::Continue(())
                    },
                );
                assert_eq!(
                    found, self.sums[to as usize][moves],
                    "{:?} {from} {to} {moves}",
                    self.piece
                );
            }
        }
    }
}

fn compare_all(role: Role, longest: usize) {
    for from in Square::ALL {
        Walks::of(Piece::new(Side::White, role), longest).compare(from);
    }
}

#[test]
fn king_bundles_are_walks() {
    compare_all(Role::King, 4);
}

#[test]
fn knight_bundles_are_walks() {
    compare_all(Role::Knight, 5);
}

#[test]
fn bishop_bundles_are_walks() {
    compare_all(Role::Bishop, 4);
}

#[test]
fn rook_bundles_are_walks() {
    compare_all(Role::Rook, 4);
}

#[test]
fn queen_bundles_are_walks() {
    compare_all(Role::Queen, 3);
}

#[test]
#[ignore = "all queen walks of four moves, about a minute"]
fn queen_bundles_of_four_moves_are_walks() {
    compare_all(Role::Queen, 4);
}

/// Pawns: every walk to the target, or to the promotion rank and on as a queen (two moves) or a
/// knight (three).
#[test]
fn pawn_bundles_are_walks() {
    let knight = Distances::of(Piece::new(Side::White, Role::Knight));
    for piece in [Piece::new(Side::White, Role::Pawn), Piece::new(Side::Black, Role::Pawn)] {
        let last = if piece.side == Side::White { 7 } else { 0 };
        for from in Square::ALL.into_iter().filter(|s| !matches!(xy(*s).1, 0 | 7)) {
            let mut sums = vec![vec![Sum::default(); 15]; 64];
            let mut paths = vec![vec![xy(from)]];
            while let Some(path) = paths.pop() {
                let at = path[path.len() - 1];
                if path.len() > 1 {
                    sums[square(at) as usize][path.len() - 1].add(&path, None);
                }
                if at.1 == last {
                    promoted(&path, Role::Queen, 2, &knight, &mut sums);
                    promoted(&path, Role::Knight, 3, &knight, &mut sums);
                }
                paths
                    .extend(steps(piece, at, 0, 7).into_iter().map(|s| [&path[..], &[s]].concat()));
            }
            for to in Square::ALL {
                for moves in 1..=9u8 {
                    let mut found = Sum::default();
                    let _ = Bundle { piece, from, to, longest: 14 }.exactly(moves, &mut |t| {
                        let after = t.promotes_at().map_or(0, |at| t.moves() - at);
                        if t.promotion != Some(Role::Knight) || after <= 3 {
                            found.add(
                                &t.alphas().iter().map(|&s| xy(s)).collect::<Vec<_>>(),
                                t.promotion,
                            );
                        }
                        ControlFlow::Continue(())
                    });
                    assert_eq!(
                        found,
                        sums[to as usize][usize::from(moves)],
                        "{piece:?} {from} {to} {moves}"
                    );
                }
            }
        }
    }
}

fn promoted(path: &[Xy], role: Role, longest: usize, knight: &Distances, sums: &mut [Vec<Sum>]) {
    let piece = Piece::new(Side::White, role);
    let join = path[path.len() - 1];
    let mut walks = vec![vec![join]];
    while let Some(walk) = walks.pop() {
        let (n, at) = (walk.len() - 1, walk[walk.len() - 1]);
        let shortest = role == Role::Queen || knight.get(join, at) == Some(n as u8);
        let straight = n == 2 && role == Role::Queen && in_a_row(walk[0], walk[1], walk[2]);
        let whole = [path, &walk[1..]].concat();
        if n > 0 && shortest && !straight && !crosses_itself(&whole) {
            sums[square(at) as usize][whole.len() - 1].add(&whole, Some(role));
        }
        if n < longest {
            walks.extend(steps(piece, at, 0, 7).into_iter().map(|s| [&walk[..], &[s]].concat()));
        }
    }
}

fn crosses_itself(path: &[Xy]) -> bool {
    let mut seen = vec![path[0]];
    path.windows(2).any(|step| {
        let squares = [between(step[0], step[1]), vec![step[1]]].concat();
        let again = squares.iter().any(|s| seen.contains(s));
        seen.extend(squares);
        again
    })
}

fn named(text: &str, white: Role, longest: u8) -> Vec<String> {
    let (from, to) = text.split_once('-').unwrap();
    let bundle = Bundle {
        piece: Piece::new(Side::White, white),
        from: from.parse().unwrap(),
        to: to.parse().unwrap(),
        longest,
    };
    bundle.take(1000).iter().map(Trajectory::to_string).collect()
}

#[test]
fn first_moves_that_only_some_squares_allow() {
    assert!(named("e2-e4", Role::Pawn, 1).contains(&"e2-e4".to_string()));
    assert!(named("e2-d6", Role::Pawn, 3).contains(&"e2-e4-e5-d6".to_string()));
    assert!(named("e1-g1", Role::King, 1).contains(&"Ke1-g1".to_string()));
    assert!(named("h1-f7", Role::Rook, 2).contains(&"Rh1-f1-f7".to_string()));
    let castled: Vec<Trajectory> = Bundle {
        piece: Piece::new(Side::White, Role::Rook),
        from: Square::A1,
        to: Square::D8,
        longest: 2,
    }
    .take(100);
    let castled: Vec<_> = castled.into_iter().filter(|t| t.opening == Opening::Castling).collect();
    assert_eq!(castled.len(), 1);
    assert_eq!(castled[0].betas(0).into_iter().collect::<Vec<_>>(), [Square::B1, Square::C1]);
    assert!(named("e4-e6", Role::Pawn, 1).is_empty(), "no two squares from the fourth rank");
}
