//! The formulas of `theta`: what is printed is read back as what is built, in both notations and
//! both forms.

use pretty_assertions::assert_eq;
use theta_chess::chess::{Profile, parse_fen};
use theta_chess::ctl::{Arena, Id, Node, Syntax, parse, to_text};
use theta_chess::game::Game;
use theta_chess::limits::Budget;
use theta_chess::theta::{Form, Leg, Theta, VARIABLES, build, position_of_label, write};

/// White is mated: one position.
const MATED: &str = "8/8/8/8/8/6k1/6q1/6K1 w - -";
/// Black is stalemated.
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - -";
/// The locked wall with the kings in the corners.
const WALL: &str = "k7/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/K7 w - -";

fn leg_of(fen: &str, profile: Profile) -> Game {
    Game::explore(&parse_fen(fen, profile).unwrap(), profile, &Budget::default()).unwrap()
}

fn leg(fen: &str) -> Game {
    leg_of(fen, Profile::Fide)
}

fn text(theta: Theta, leg: &impl Leg, form: Form, syntax: Syntax) -> String {
    let mut out = Vec::new();
    write(theta, leg, form, syntax, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// A listed game tree of a few positions, some of them made up: the formulas do not ask where it
/// comes from.
struct Listed {
    fens: &'static [&'static str],
    successors: &'static [&'static [u32]],
}

impl Leg for Listed {
    fn positions(&self) -> u32 {
        self.fens.len() as u32
    }

    fn vector(&self, id: u32) -> theta_chess::chess::Vector {
        parse_fen(self.fens[id as usize], Profile::Paper).unwrap()
    }

    fn successors(&self, id: u32) -> &[u32] {
        self.successors[id as usize]
    }
}

/// Black to move, White to move, Black mated, Black stalemated.
const FOUR: Listed = Listed {
    fens: &[
        "7k/8/5K2/8/8/8/6Q1/8 b - -",
        "7k/8/5K2/8/8/8/6Q1/8 w - -",
        "7k/6Q1/6K1/8/8/8/8/8 b - -",
        "7k/5Q2/6K1/8/8/8/8/8 b - -",
    ],
    successors: &[&[1], &[0, 2, 3], &[], &[]],
};

/// The text without the 269 literals of each P(y), which have their own tests: every cube becomes
/// its first and last.
fn abridged(text: &str, and: &str) -> String {
    let cube = |line: &str| {
        let literals: Vec<&str> = line.split(and).collect();
        if literals.len() < 269 {
            line.to_owned()
        } else {
            [literals[0], "…", literals[268]].join(and)
        }
    };
    text.lines().map(cube).collect::<Vec<_>>().join("\n")
}

#[test]
fn compact_text() {
    insta::assert_snapshot!(
        "theta2_ascii",
        abridged(&text(Theta::Two, &FOUR, Form::Compact, Syntax::Ascii), " & ")
    );
    insta::assert_snapshot!(
        "theta3_unicode",
        abridged(&text(Theta::Three, &FOUR, Form::Compact, Syntax::Unicode), " ∧ ")
    );
    insta::assert_snapshot!(
        "draw_ascii",
        abridged(&text(Theta::Draw, &FOUR, Form::Compact, Syntax::Ascii), " & ")
    );
    insta::assert_snapshot!(
        "theta1_latex",
        abridged(&text(Theta::One, &FOUR, Form::Compact, Syntax::Latex), r" \land ")
    );
    let smv = text(Theta::One, &FOUR, Form::Compact, Syntax::Smv);
    let variables =
        (0..VARIABLES).filter(|k| smv.contains(&format!("\n  p{k} : boolean;\n"))).count();
    assert_eq!(variables, 271);
    insta::assert_snapshot!("theta1_smv", abridged(smv.split_once("DEFINE").unwrap().1, " & "));
}

#[test]
fn what_is_printed_is_read_as_what_is_built() {
    for fen in [MATED, STALEMATE] {
        let game = leg(fen);
        for theta in Theta::ALL {
            read_back(theta, &game, &[Form::Compact, Form::Expanded]);
        }
    }
    for theta in Theta::ALL {
        read_back(theta, &FOUR, &[Form::Compact, Form::Expanded]);
    }
    read_back(Theta::Draw, &leg(WALL), &[Form::Compact]);
    read_back(Theta::Two, &leg(WALL), &[Form::Expanded]);
}

fn read_back(theta: Theta, leg: &impl Leg, forms: &[Form]) {
    let mut arena = Arena::new();
    let built = build(&mut arena, theta, leg);
    for &form in forms {
        for syntax in [Syntax::Ascii, Syntax::Unicode] {
            let text = text(theta, leg, form, syntax);
            assert_eq!(parse(&mut arena, &text).unwrap(), built, "{theta:?} {form:?} {syntax:?}");
        }
    }
}

#[test]
fn expanded_text_is_the_printers() {
    for theta in Theta::ALL {
        let mut arena = Arena::new();
        let built = build(&mut arena, theta, &FOUR);
        for syntax in [Syntax::Ascii, Syntax::Unicode, Syntax::Latex, Syntax::Smv] {
            let ours = text(theta, &FOUR, Form::Expanded, syntax);
            let ours = match syntax {
                Syntax::Smv => ours.split_once("CTLSPEC\n").unwrap().1.trim().trim_end_matches(';'),
                _ => ours.trim().trim_matches('$'),
            };
            assert!(ours == to_text(&arena, built, syntax), "{theta:?} {syntax:?}");
        }
    }
}

/// The sets of true variables of the cubes of 269 literals in a formula.
fn cubes(arena: &Arena, id: Id) -> Vec<Vec<bool>> {
    let literal = |id: &Id| !matches!(arena.get(*id), Node::Not(_));
    let cube = |id: Id| match arena.get(id) {
        Node::And(operands) if operands.len() == 269 => {
            Some(operands.iter().map(literal).collect())
        }
        _ => None,
    };
    arena.subformulas(id).filter_map(cube).collect()
}

#[test]
fn every_position_stands_in_the_formula() {
    let game = leg(WALL);
    let mut arena = Arena::new();
    let built = build(&mut arena, Theta::Hold2, &game);
    let mut found: Vec<_> = cubes(&arena, built)
        .iter()
        .map(|bits| position_of_label(|k| bits[k as usize]).unwrap())
        .collect();
    let mut listed: Vec<_> = (0..game.len()).map(|id| game.vector(id)).collect();
    found.sort();
    listed.sort();
    assert_eq!(found, listed);
}

/// E3: Black's idle mark is dropped in `fide`. In `paper` it survives White's first move (five king
/// moves), so that these five positions and the root stand in Leg twice.
#[test]
fn the_marks_of_the_paper_make_more_positions() {
    let sizes = [Profile::Fide, Profile::Paper].map(|profile| {
        let game = leg_of("4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - e6", profile);
        let mut arena = Arena::new();
        let built = build(&mut arena, Theta::One, &game);
        assert_eq!(cubes(&arena, built).len(), game.len() as usize);
        game.len()
    });
    assert_eq!(sizes, [768, 768 + 6]);
}

#[test]
fn a_sketch_shows_the_ends_of_what_repeats_itself() {
    let whole = text(Theta::One, &FOUR, Form::Compact, Syntax::Unicode);
    let sketch = text(Theta::One, &FOUR, Form::Sketch, Syntax::Unicode);
    assert!(sketch.len() < whole.len() / 4, "{sketch}");
    // Brackets close, and every line that is not elided begins as in the whole text.
    for (open, close) in [('(', ')'), ('[', ']')] {
        assert_eq!(sketch.matches(open).count(), sketch.matches(close).count(), "{sketch}");
    }
    let (shown, all): (Vec<_>, Vec<_>) = (sketch.lines().collect(), whole.lines().collect());
    assert_eq!(shown.last(), all.last(), "the formula itself is short");
    assert!(shown[0].starts_with("let P0 = ") && shown[0].contains('…'), "{sketch}");
    assert!(shown.iter().any(|line| line.starts_with("… (")), "{sketch}");
    for name in ["Init", "Rules1", "Aim1"] {
        let define = |lines: &[&str]| {
            lines.iter().filter(|line| line.starts_with(&format!("let {name} ="))).count()
        };
        assert_eq!((define(&shown), define(&all)), (1, 1), "{name}");
    }
}
