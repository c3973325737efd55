//! Aims as text, in the spelling that [`super::Aim::parse`] reads.

use super::{Aim, Atom, Sum, Term};
use crate::chess::{Side, code};
use crate::ctl::{Syntax, to_text};
use std::fmt::{self, Display, Formatter};
use theta_kernel::Node;

/// The formula in plain letters, with no more brackets than it needs.
impl Display for Aim {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&to_text(&self.arena, self.formula, Syntax::Ascii))
    }
}

fn name(side: Side) -> &'static str {
    if side == Side::White { "white" } else { "black" }
}

fn letter(man: u8) -> char {
    code::LETTERS.get(usize::from(man).wrapping_sub(1)).map_or('?', |&l| l as char)
}

/// An atom as aims have it: `on(P, e4)`.
pub fn atom_text(atom: &Atom) -> String {
    let square = |s: u8| {
        let s = s.wrapping_sub(1);
        format!("{}{}", (b'a' + s % 8) as char, (b'1' + s / 8 % 8) as char)
    };
    match atom {
        Atom::ToMove(side) => format!("{}_to_move", name(*side)),
        Atom::Mate(side) => format!("mate({})", name(*side)),
        Atom::Stalemate => "stalemate".to_string(),
        Atom::Check(side) => format!("check({})", name(*side)),
        Atom::On(man, at) => format!("on({}, {})", letter(*man), square(*at)),
        Atom::Attacked(at, side) => format!("attacked({}, {})", square(*at), name(*side)),
        Atom::CanCastle(side, wing) => {
            let right = if *wing == 2 { 'K' } else { 'Q' };
            let right = if *side == Side::White { right } else { right.to_ascii_lowercase() };
            format!("can_castle({right})")
        }
        Atom::Compare(left, comparison, right) => {
            format!("{} {} {}", sum_text(left), comparison.sign(), sum_text(right))
        }
    }
}

fn sum_text(sum: &Sum) -> String {
    let mut text = String::new();
    for (at, (minus, term)) in sum.0.iter().enumerate() {
        text += match (at, minus) {
            (0, false) => "",
            (0, true) => "0 - ",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        text += &match term {
            Term::Number(number) => number.to_string(),
            Term::Count(man) => format!("count({})", letter(*man)),
            Term::Material(side) => format!("material({})", name(*side)),
            Term::Flights(side) => format!("flights({})", name(*side)),
            Term::Moves(side) => format!("moves({})", name(*side)),
        };
    }
    text
}

/// How strongly a text binds: names, atoms and prefix operators most.
const NAME: u8 = 4;
const ATOM: u8 = 3;
const AND: u8 = 2;
const OR: u8 = 1;
const IFF: u8 = 0;

/// `AF φ` of the kernel's nodes, in a text of their size: a formula that is used more than once gets
/// a name.
pub fn nodes_text(aim: &theta_kernel::Aim) -> String {
    let nodes = aim.nodes();
    let mut uses = vec![0u32; nodes.len()];
    for part in nodes.iter().flat_map(Node::parts) {
        uses[part as usize] = uses[part as usize].saturating_add(1);
    }
    let mut whole = String::new();
    // Each text with how strongly its operator binds.
    let mut texts: Vec<(String, u8)> = Vec::with_capacity(nodes.len());
    for (at, node) in nodes.iter().enumerate() {
        let mut part = |a: u32, at_least: u8| {
            let (text, binds) = match &nodes[a as usize] {
                Node::Atom(_) | Node::Constant(_) => texts[a as usize].clone(),
                _ if texts[a as usize].1 == NAME => texts[a as usize].clone(),
                _ => std::mem::take(&mut texts[a as usize]),
            };
            if binds < at_least { format!("({text})") } else { text }
        };
        let (text, binds) = match node {
            Node::Constant(true) => ("T".to_string(), ATOM),
            Node::Constant(false) => ("F".to_string(), ATOM),
            Node::Atom(atom) => (atom_text(atom), ATOM),
            Node::Not(a) => (format!("~{}", part(*a, ATOM)), ATOM),
            Node::Next(a) => (format!("AX {}", part(*a, ATOM)), ATOM),
            Node::And(a, b) => (format!("{} & {}", part(*a, AND), part(*b, ATOM)), AND),
            Node::Or(a, b) => (format!("{} | {}", part(*a, OR), part(*b, AND)), OR),
            Node::Iff(a, b) => (format!("{} <-> {}", part(*a, OR), part(*b, OR)), IFF),
        };
        if uses[at] > 1 && !matches!(node, Node::Constant(_) | Node::Atom(_)) {
            whole += &format!("let n{at} = {text}; ");
            // The name stays where it is for the next use.
            texts.push((format!("n{at}"), NAME));
        } else {
            texts.push((text, binds));
        }
    }
    let (text, binds) = texts.pop().unwrap_or_default();
    whole + &if binds < ATOM { format!("AF ({text})") } else { format!("AF {text}") }
}
