//! The printed formulas, decided by the general tableau from what they say alone, against the
//! fixpoints of the game graph.

use pretty_assertions::assert_eq;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use theta_chess::chess::Value;
use theta_chess::chess::{
    Packed, Position, Profile, Side, Vector, check_input, code, fen, moves, parse_fen,
};
use theta_chess::ctl::Arena;
use theta_chess::game::{Game, Literal, Values};
use theta_chess::limits::{Budget, Limits};
use theta_chess::solve::{Engine, Solver};
use theta_chess::tableau::{self, Answer, satisfiable};
use theta_chess::theta::{Theta, build};
use theta_chess::verify::verify;

/// A file of positions: |Leg| up to 400 and a few more, or [`LARGE`].
fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("positions").join(file)
}

const SMALL_FILE: &str = "theta_corpus.tsv";
const LARGE_FILE: &str = "theta_corpus_large.tsv";

/// A position with |Leg|.
type Counted = (Vector, u32);

fn corpus(file: &str) -> Vec<Counted> {
    let text = fs::read_to_string(path(file)).unwrap();
    let row = |line: &str| {
        let (fen, size) = line.split_once('\t').unwrap();
        (parse_fen(fen, Profile::Fide).unwrap(), size.parse().unwrap())
    };
    text.lines().filter(|line| !line.starts_with('#')).skip(1).map(row).collect()
}

fn explored(y: &Vector) -> (Game, Values) {
    let game = Game::explore(y, Profile::Fide, &Budget::default()).unwrap();
    let values = Values::of(&game);
    (game, values)
}

/// What the fixpoints say of a formula at the root (docs/theory.md §8).
fn by_fixpoint(theta: Theta, values: &Values, literal: Literal) -> bool {
    match theta {
        Theta::One => literal.theta1,
        Theta::Two => literal.theta2,
        Theta::Three => literal.theta3,
        Theta::Four => literal.theta4,
        Theta::Hold2 => values.holds(0, Side::White),
        Theta::Hold4 => values.holds(0, Side::Black),
        Theta::Draw => values.value(0) == Value::Draw,
    }
}

/// What the tableau says of it; a model must be found true by the model checker.
fn by_tableau(theta: Theta, game: &Game) -> bool {
    let mut arena = Arena::new();
    let formula = build(&mut arena, theta, game);
    match satisfiable(&mut arena, formula, &tableau::Options::default(), &Budget::default()).answer
    {
        Answer::Satisfiable(model) => {
            assert!(model.is_some(), "{theta:?}");
            true
        }
        Answer::Unsatisfiable => false,
        Answer::Unknown(reason) => panic!("{theta:?}: {reason}"),
    }
}

/// All seven formulas, and the strategy that the model is.
fn compare(y: &Vector, size: u32, solver: &Solver) {
    let (game, values) = explored(y);
    assert_eq!(game.len(), size, "{}", fen(y));
    let literal = Literal::of(&game, &values, 0);
    for theta in Theta::ALL {
        assert_eq!(
            by_tableau(theta, &game),
            by_fixpoint(theta, &values, literal),
            "{theta:?} of {}",
            fen(y)
        );
    }
    let verdict = solver.solve(&Position::try_from(*y).unwrap(), Limits::default()).unwrap();
    let value = verdict.value().unwrap();
    let same = match (value, values.value(0)) {
        (Value::Wins(side, plies), Value::Wins(winner, shortest)) => {
            side == winner && plies >= shortest
        }
        (mine, theirs) => mine == theirs,
    };
    assert!(same, "{}: {value:?}, not {:?}", fen(y), values.value(0));
    let certificate = verdict.certificate().unwrap();
    let mut bytes = Vec::new();
    certificate.write(&mut bytes).unwrap();
    assert!(verify(bytes.as_slice(), &mut |_| true).unwrap().is_some(), "{}", fen(y));
}

#[test]
fn the_tableau_agrees_with_the_fixpoints_on_small_positions() {
    let solver = Solver::default().with_engine(Engine::Tableau);
    let small: Vec<_> = corpus(SMALL_FILE).into_iter().filter(|&(_, size)| size <= 40).collect();
    assert!(small.len() >= 60, "{}", small.len());
    for (y, size) in small {
        compare(&y, size, &solver);
    }
}

#[test]
#[ignore = "the whole corpus, up to 5,000 positions each: minutes"]
fn the_tableau_agrees_with_the_fixpoints_on_the_whole_corpus() {
    let solver = Solver::default().with_engine(Engine::Tableau);
    let all = corpus(SMALL_FILE);
    assert!(all.len() >= 200, "{}", all.len());
    for (y, size) in all {
        compare(&y, size, &solver);
    }
}

#[test]
#[ignore = "2,000 to 5,000 positions each: minutes"]
fn the_tableau_agrees_with_the_fixpoints_on_larger_positions() {
    let solver = Solver::default().with_engine(Engine::Tableau);
    let all = corpus(LARGE_FILE);
    assert!(all.len() >= 16 && all.iter().all(|(_, size)| LARGE.contains(size)), "{}", all.len());
    for (y, size) in all {
        compare(&y, size, &solver);
    }
}

/// Marsaglia's xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % n
    }

    /// Puts a man on a square of these ranks, if it is empty.
    fn put(&mut self, y: &mut Vector, man: u8, ranks: std::ops::RangeInclusive<u64>) {
        let rank = ranks.start() + self.below(ranks.end() - ranks.start() + 1);
        let i = (8 * (rank - 1) + self.below(8) + 1) as usize;
        if y[i] == code::EMPTY {
            y[i] = man;
        }
    }

    /// Pawns that block each other on most files, the kings, and up to three men more.
    fn blocked(&mut self) -> Vector {
        let mut y = Vector::EMPTY;
        y[0] = self.below(2) as u8;
        if self.below(3) == 0 {
            y = parse_fen("4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -", Profile::Fide).unwrap();
            (y[5], y[61]) = (code::EMPTY, code::EMPTY);
            self.put(&mut y, code::KING, 1..=3);
            self.put(&mut y, code::KING + code::BLACK, 5..=8);
        } else {
            for file in 1..=8 {
                if self.below(8) > 0 {
                    let low = (8 * (1 + self.below(4)) + file) as usize;
                    (y[low], y[low + 8]) = (code::PAWN, code::PAWN + code::BLACK);
                }
            }
            self.put(&mut y, code::KING, 1..=8);
            self.put(&mut y, code::KING + code::BLACK, 1..=8);
        }
        for _ in 0..self.below(4) {
            let man = 2 + self.below(5) as u8 + if self.below(2) == 0 { 0 } else { code::BLACK };
            self.put(&mut y, man, 1..=8);
        }
        y
    }

    /// A wall of pawns right across the board, in one of two places, a king on either side of it,
    /// and one to three pawns more that have a step or two to go.
    fn walled(&mut self) -> Vector {
        const WALLS: [&str; 2] = [
            "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -",
            "4k3/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/8/4K3 w - -",
        ];
        let mut y = parse_fen(WALLS[self.below(2) as usize], Profile::Fide).unwrap();
        (y[5], y[61]) = (code::EMPTY, code::EMPTY);
        y[0] = self.below(2) as u8;
        self.put(&mut y, code::KING, 1..=3);
        self.put(&mut y, code::KING + code::BLACK, 6..=8);
        for _ in 0..1 + self.below(3) {
            if self.below(2) == 0 {
                self.put(&mut y, code::PAWN, 2..=3);
            } else {
                self.put(&mut y, code::PAWN + code::BLACK, 6..=7);
            }
        }
        y
    }

    /// The kings and up to six men more, anywhere.
    fn scattered(&mut self) -> Vector {
        let mut y = Vector::EMPTY;
        y[0] = self.below(2) as u8;
        self.put(&mut y, code::KING, 1..=8);
        self.put(&mut y, code::KING + code::BLACK, 1..=8);
        for _ in 0..1 + self.below(6) {
            let man = 2 + self.below(5) as u8 + if self.below(2) == 0 { 0 } else { code::BLACK };
            self.put(&mut y, man, 1..=8);
        }
        y
    }
}

/// |Leg| of the larger positions.
const LARGE: RangeInclusive<u32> = 2000..=5000;
/// Larger positions of each size.
const LARGE_QUOTA: usize = 8;
/// Walls that chance seldom builds: three black pawns and two white ones have moves left behind the
/// locked ones, |Leg| 4,704.
const WALLS: [&str; 3] = [
    "4k3/p1p1p3/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/1P1P4/4K3 w - -",
    "4k3/p1p1p3/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/1P3P2/4K3 w - -",
    "4k3/p1p1p3/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/1P5P/4K3 w - -",
];
/// The greatest |Leg| of the corpus.
const MOST: u32 = *LARGE.end();
/// Positions of each value in each class of sizes.
const QUOTA: [usize; 4] = [30, 60, 60, 90];

/// The class of a size: 1, up to 40, up to 400, up to [`MOST`].
fn class(size: u32) -> usize {
    [1, 40, 400].iter().filter(|&&bound| size > bound).count()
}

/// Whether Leg has at most this many positions; stops as soon as it has more.
fn is_small(y: &Vector, most: usize) -> bool {
    let mut seen = HashSet::from([Packed::from(y)]);
    let mut open = vec![*y];
    while let Some(y) = open.pop() {
        moves(Profile::Fide, &y, &mut |_, z| {
            if seen.len() <= most && seen.insert(Packed::from(z)) {
                open.push(*z);
            }
        });
        if seen.len() > most {
            return false;
        }
    }
    true
}

#[test]
#[ignore = "writes the small positions anew: minutes"]
fn generate_the_corpus() {
    let mut random = Random(0x0007_4845_5441);
    let mut found: HashMap<(usize, Option<Side>), Vec<Counted>> = HashMap::new();
    for attempt in 0..400_000 {
        let y = if attempt % 4 == 0 { random.scattered() } else { random.blocked() };
        // Open boards lead to thousands of positions: of these only the finished games are of use.
        let most = if attempt % 4 == 0 {
            1
        } else if attempt % 16 == 1 {
            MOST as usize
        } else {
            400
        };
        if check_input(&y).is_err() || !is_small(&y, most) {
            continue;
        }
        let (game, values) = explored(&y);
        let winner = match values.value(0) {
            Value::Wins(side, _) => Some(side),
            Value::Draw => None,
        };
        let size_class = class(game.len());
        let list = found.entry((size_class, winner)).or_default();
        if list.len() < QUOTA[size_class] {
            list.push((y, game.len()));
        }
    }
    write_corpus(
        SMALL_FILE,
        "Small Leg(y0): blocked pawns with other men, finished games. Source: generated by `generate_the_corpus`",
        found.into_values().flatten(),
    );
}

#[test]
#[ignore = "writes the larger positions anew: minutes"]
fn generate_the_larger_positions() {
    let mut random = Random(0x004C_4152_4745);
    let mut found: HashMap<u32, Vec<Counted>> = HashMap::new();
    for _ in 0..4000 {
        let y = random.walled();
        if check_input(&y).is_err()
            || !is_small(&y, MOST as usize)
            || is_small(&y, *LARGE.start() as usize - 1)
        {
            continue;
        }
        let size = explored(&y).0.len();
        let list = found.entry(size).or_default();
        if list.len() < LARGE_QUOTA {
            list.push((y, size));
        }
    }
    for y in WALLS.map(|wall| parse_fen(wall, Profile::Fide).unwrap()) {
        found.entry(MOST).or_default().push((y, explored(&y).0.len()));
    }
    write_corpus(
        LARGE_FILE,
        "Leg(y0) of 2,000 to 5,000: walls of pawns with others behind. Source: generated by `generate_the_larger_positions`",
        found.into_values().flatten(),
    );
}

fn write_corpus(file: &str, title: &str, positions: impl Iterator<Item = Counted>) {
    let mut all: Vec<_> = positions.map(|(y, size)| (size, fen(&y))).collect();
    all.sort();
    all.dedup();
    let mut text =
        format!("# {title} in tests/theta_corpus.rs (xorshift64, fixed seed).\nfen\tpositions\n");
    for (size, fen) in all {
        writeln!(text, "{fen}\t{size}").unwrap();
    }
    fs::write(path(file), text).unwrap();
}
