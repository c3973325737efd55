//! The trusted kernel: checks a certificate with the paper's own rules and nothing else.
//!
//! No solver code and no outside move generator is used: only the `fide` rules of [`crate::chess`]
//! (the paper's predicates) and the stream of [`crate::strategy::Reader`]. One pass over the file;
//! memory is one interned position (12 to 26 bytes and 5 to 11 of hash table) and 4 bytes for each
//! position of the strategy, whatever the file claims.
//!
//! What is checked, for every entry: the position is legal, the owner is to move, the move is
//! legal. In a win: after the move the opponent is mated, or has a move, and every reply leads to
//! an entry whose rank is at least two plies less — entries come in rising order of rank, so it has
//! been checked already. Where the claim is an aim `AF φ`, lines end where φ holds instead of in
//! mate: after the owner's move or after a reply. φ is parsed from the file, and tested by
//! [`crate::aim`] with the same rules. In a hold: the owner is not mated, and every reply leads to
//! an entry, or no sequence of moves can mate the owner any more. In a folded hold a position is
//! looked up by an image under a reflection that the laws do not notice (the moves of the entry are
//! checked in the position as it stands). At last the root itself.
//!
//! A certificate may cite rules that end lines. The kernel cannot prove them: whoever calls it
//! does, in [`verify_with`], before anything else is read; without a proof of every rule the
//! certificate is rejected. A position that a rule speaks of counts as an entry, in a win of the
//! rule's longest mate.

use crate::aim::{Aim, Goal};
use crate::chess::{
    Interner, Move, Packed, Profile, Side, Turn, Vector, check_input, fen, in_check, successors,
};
use crate::strategy::{
    Claim, FormatError, Header, Reader, Record, Rules, Section, cannot_be_mated,
};
use std::collections::HashMap;
use std::io::BufRead;

/// Why a certificate is rejected.
#[derive(Debug, thiserror::Error)]
pub enum Rejection {
    /// The file cannot be read as a certificate, or is damaged.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The sections do not fit the claim.
    #[error("the claim `{0}` is not what the sections prove")]
    Sections(Claim),
    /// The aim cannot be read, or is none that can be forced.
    #[error("the aim `{0}` cannot be checked: {1}")]
    Aim(String, String),
    /// A rule that is cited is not proved.
    #[error("the rules it cites are not proved: {0}")]
    Rules(String),
    /// An entry's position is not legal.
    #[error("entry {0}: not a legal position")]
    Position(u64),
    /// An entry's position has the wrong side to move.
    #[error("entry {0}: the owner is not to move in {1}")]
    NotOwnersMove(u64, String),
    /// A position is answered twice.
    #[error("entry {0}: {1} is answered twice")]
    Twice(u64, String),
    /// The owner's move is not legal.
    #[error("entry {0}: {2} is not legal in {1}")]
    IllegalMove(u64, String, Move),
    /// The owner has no move where one is needed.
    #[error("entry {0}: no move is given in {1}")]
    NoMove(u64, String),
    /// The owner's move ends the game in a winning strategy, but not in mate (or not in the aim).
    #[error("entry {0}: {2} in {1} ends the game, but not as claimed")]
    Stalemate(u64, String, Move),
    /// A reply is not answered.
    #[error("the reply that leads to {0} is not answered")]
    MissingReply(String),
    /// The rank does not fall.
    #[error("entry {0}: the rank does not fall from {1} to {2}")]
    RankDoesNotFall(u64, String, String),
    /// The owner is mated in a holding strategy.
    #[error("the owner is mated in {0}")]
    OwnerMated(String),
    /// The root is not covered.
    #[error("the root {0} is not what the strategy answers")]
    ForeignRoot(String),
    /// The root needs more plies than claimed.
    #[error("the root needs {needed} plies, {claimed} are claimed")]
    TooSlow {
        /// Plies that the strategy needs.
        needed: u32,
        /// Plies that are claimed.
        claimed: u32,
    },
}

impl Rejection {
    /// Whether the file is no certificate at all (rather than a wrong or damaged one).
    pub fn is_unreadable(&self) -> bool {
        matches!(
            self,
            Self::Format(
                FormatError::NotACertificate | FormatError::Version(_) | FormatError::Io(_)
            )
        )
    }
}

/// What an accepted certificate proves.
#[derive(Debug, Clone)]
pub struct Accepted {
    /// The root position.
    pub root: Vector,
    /// The claim, proved.
    pub claim: Claim,
    /// The aim that the claim speaks of.
    pub aim: Option<String>,
    /// The positions with an owner's move, all sections together.
    pub positions: u64,
    /// The rules that it cites, and for each the positions in which it ended lines.
    pub rules: Vec<(String, u64)>,
    /// The remarks in the file; not part of the proof.
    pub notes: Vec<String>,
}

/// Proves rules from their texts, all of them or none (`Err` says why); `None` when the proof is
/// abandoned.
pub type Prove<'a> = dyn FnMut(&[String]) -> Result<Option<Box<dyn Rules>>, String> + 'a;

/// Checks a certificate from scratch, if it cites no rules. About 10–20 µs a position. `progress`
/// is called with the number of entries checked, every few thousand; when it answers `false` the
/// check is abandoned (`None`).
///
/// # Errors
/// The first fault found.
pub fn verify(
    input: impl BufRead,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Option<Accepted>, Rejection> {
    verify_with(input, &mut |_| Err("nothing here proves rules".into()), progress)
}

/// As [`verify`], with the rules that are cited proved by `prove`.
///
/// # Errors
/// The first fault found.
pub fn verify_with(
    input: impl BufRead,
    prove: &mut Prove<'_>,
    progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Option<Accepted>, Rejection> {
    let (mut reader, Header { root, claim, aim, rules: texts, notes }) = Reader::open(input)?;
    let rules = match &texts[..] {
        [] => None,
        _ => match prove(&texts).map_err(Rejection::Rules)? {
            Some(rules) => Some(rules),
            None => return Ok(None),
        },
    };
    let mut ended = HashMap::new();
    let goal = aim.as_deref().map(read_aim).transpose()?;
    let (wins, owners): (bool, &[Side]) = match claim {
        Claim::Wins(owner, _) | Claim::Forces(owner, _) => (true, &[owner]),
        Claim::Holds(owner) => (false, &[owner]),
        Claim::Draw => (false, &[Side::White, Side::Black]),
    };
    let mut entries = 0;
    for &owner in owners {
        let section = reader.section()?;
        if section.wins != wins || section.owner != owner {
            return Err(Rejection::Sections(claim));
        }
        let mut checker = Checker::new(&root, section, goal.as_ref(), entries);
        checker.rules = rules.as_deref();
        while let Some(record) = reader.entry(section)? {
            if checker.entry.is_multiple_of(4096) && !progress(checker.entry) {
                return Ok(None);
            }
            if wins { checker.win_entry(&record)? } else { checker.hold_entry(&record)? }
        }
        match claim {
            Claim::Wins(_, plies) | Claim::Forces(_, plies) => checker.win_root(plies)?,
            Claim::Holds(_) | Claim::Draw => checker.hold_root()?,
        }
        entries = checker.entry;
        ended.extend(checker.ended);
    }
    reader.finish()?;
    let count = |rule: usize| ended.values().filter(|&&by| by as usize == rule).count() as u64;
    let rules = texts.into_iter().enumerate().map(|(rule, text)| (text, count(rule))).collect();
    Ok(Some(Accepted { root, claim, aim, positions: entries, rules, notes }))
}

fn read_aim(text: &str) -> Result<Goal, Rejection> {
    let fault = |error: &dyn std::fmt::Display| Rejection::Aim(text.to_string(), error.to_string());
    let aim = Aim::parse(text).map_err(|e| fault(&e))?;
    Goal::of(aim).map_err(|e| fault(&e))
}

/// Checks the entries of one section.
struct Checker<'a> {
    root: &'a Vector,
    owner: Side,
    folded: bool,
    /// Where lines end; none: in mate.
    goal: Option<&'a Goal>,
    /// What else ends them, and the positions where it did, with the rule's number.
    rules: Option<&'a dyn Rules>,
    ended: HashMap<Packed, u32>,
    /// Number of entries read, for messages.
    entry: u64,
    positions: Interner,
    /// In a win the rank of each position; in a hold whether it has been answered (1) or only asked
    /// for (0).
    marks: Vec<u32>,
}

const REPLIES_MAY_BE_PENDING: &str = "an id handed out by the interner has a mark";

impl<'a> Checker<'a> {
    fn new(
        root: &'a Vector,
        Section { owner, folded, .. }: Section,
        goal: Option<&'a Goal>,
        entry: u64,
    ) -> Self {
        let positions = Interner::new(32.min(root.men()));
        Self {
            root,
            owner,
            folded,
            goal,
            rules: None,
            ended: HashMap::new(),
            entry,
            positions,
            marks: Vec::new(),
        }
    }

    /// What a position is looked up by: itself, or in a folded section one of its images.
    fn key(&self, p: &Packed) -> Packed {
        if self.folded { Turn::home(p, self.owner).position(p) } else { *p }
    }

    /// The position of an entry, legal and with the owner to move; and its moves.
    fn position(&mut self, record: &Record) -> Result<(Vector, Vec<(Move, Vector)>), Rejection> {
        self.entry += 1;
        let y = record.position.vector().map_err(|_| Rejection::Position(self.entry))?;
        if check_input(&y).is_err() || y.men() > self.root.men() {
            return Err(Rejection::Position(self.entry));
        }
        if Side::to_move(&y) != self.owner {
            return Err(Rejection::NotOwnersMove(self.entry, fen(&y)));
        }
        let moves = successors(Profile::Fide, &y);
        Ok((y, moves))
    }

    /// The position after the owner's move.
    fn played(
        &self,
        y: &Vector,
        moves: &[(Move, Vector)],
        record: &Record,
    ) -> Result<(Move, Vector), Rejection> {
        let m = record.answer.play.ok_or_else(|| Rejection::NoMove(self.entry, fen(y)))?;
        let found = moves.iter().find(|(legal, _)| *legal == m);
        found.copied().ok_or_else(|| Rejection::IllegalMove(self.entry, fen(y), m))
    }

    /// Plies to mate at most (in a hold 0), where a rule ends the line.
    fn by_rule(&mut self, y: &Vector, wins: bool) -> Option<u32> {
        let p = Packed::from(y);
        let end = self.rules?.end(&p, self.owner, wins)?;
        self.ended.insert(p, end.rule);
        Some(end.plies)
    }

    fn win_entry(&mut self, record: &Record) -> Result<(), Rejection> {
        let (y, moves) = self.position(record)?;
        let (m, z) = self.played(&y, &moves, record)?;
        let replies = if self.is_reached(&z) { Vec::new() } else { self.replies(&z) };
        if replies.is_empty() && !self.is_over(&z) {
            return Err(Rejection::Stalemate(self.entry, fen(&y), m));
        }
        let over = replies.is_empty()
            || self.by_rule(&z, true).is_some_and(|plies| plies < record.answer.rank);
        for reply in replies.iter().filter(|_| !over) {
            if self.rank_of(reply)? + 2 > record.answer.rank {
                return Err(Rejection::RankDoesNotFall(self.entry, fen(&y), fen(reply)));
            }
        }
        let (_, new) = self.positions.insert(&record.position);
        if !new {
            return Err(Rejection::Twice(self.entry, fen(&y)));
        }
        self.marks.push(record.answer.rank);
        Ok(())
    }

    fn replies(&self, z: &Vector) -> Vec<Vector> {
        successors(Profile::Fide, z).into_iter().map(|(_, reply)| reply).collect()
    }

    /// Whether the aim is reached.
    fn is_reached(&self, y: &Vector) -> bool {
        self.goal.is_some_and(|goal| goal.holds_by_the_paper(y))
    }

    /// Whether a position without moves to follow is what is claimed: the aim, or mate.
    fn is_over(&self, z: &Vector) -> bool {
        if self.goal.is_some() { self.is_reached(z) } else { in_check(z) }
    }

    /// The rank of a position that has been checked, or where the aim is reached or a rule ends the
    /// line.
    fn rank_of(&mut self, y: &Vector) -> Result<u32, Rejection> {
        if self.is_reached(y) {
            return Ok(0);
        }
        match self.positions.get(&Packed::from(y)) {
            Some(id) => Ok(self.marks[id as usize]),
            None => self.by_rule(y, true).ok_or_else(|| Rejection::MissingReply(fen(y))),
        }
    }

    fn win_root(&mut self, claimed: u32) -> Result<(), Rejection> {
        let root = self.root;
        let needed = if self.is_reached(root) {
            0
        } else if let Some(plies) = self.by_rule(root, true).filter(|&plies| plies <= claimed) {
            plies
        } else if Side::to_move(root) == self.owner {
            self.rank_of(root).map_err(|_| Rejection::ForeignRoot(fen(root)))?
        } else {
            let replies = self.replies(root);
            if replies.is_empty() && !self.is_over(root) {
                return Err(Rejection::ForeignRoot(fen(root)));
            }
            let ranks: Result<Vec<u32>, Rejection> =
                replies.iter().map(|z| self.rank_of(z)).collect();
            ranks?.into_iter().max().map_or(0, |longest| longest + 1)
        };
        if needed > claimed { Err(Rejection::TooSlow { needed, claimed }) } else { Ok(()) }
    }

    fn hold_entry(&mut self, record: &Record) -> Result<(), Rejection> {
        let (y, moves) = self.position(record)?;
        if moves.is_empty() {
            if in_check(&y) {
                return Err(Rejection::OwnerMated(fen(&y)));
            }
        } else {
            let (_, z) = self.played(&y, &moves, record)?;
            self.require_replies(&z);
        }
        let (id, new) = self.positions.insert(&self.key(&record.position));
        if new {
            self.marks.push(1);
            return Ok(());
        }
        let mark = self.marks.get_mut(id as usize).expect(REPLIES_MAY_BE_PENDING);
        if *mark == 1 {
            return Err(Rejection::Twice(self.entry, fen(&y)));
        }
        *mark = 1;
        Ok(())
    }

    /// Every reply in z, the opponent to move, has to be answered somewhere in the section.
    fn require_replies(&mut self, z: &Vector) {
        if cannot_be_mated(z, self.owner) || self.by_rule(z, false).is_some() {
            return;
        }
        for (_, reply) in successors(Profile::Fide, z) {
            self.require(&reply);
        }
    }

    fn require(&mut self, y: &Vector) {
        if self.by_rule(y, false).is_some() {
            return;
        }
        if self.positions.insert(&self.key(&Packed::from(y))).1 {
            self.marks.push(0);
        }
    }

    fn hold_root(&mut self) -> Result<(), Rejection> {
        if !cannot_be_mated(self.root, self.owner) {
            if Side::to_move(self.root) == self.owner {
                let root = *self.root;
                let answered = self.positions.get(&self.key(&Packed::from(&root))).is_some();
                if !answered && self.by_rule(&root, false).is_none() {
                    return Err(Rejection::ForeignRoot(fen(&root)));
                }
                self.require(&root);
            } else {
                let root = *self.root;
                self.require_replies(&root);
            }
        }
        match self.marks.iter().position(|&mark| mark == 0) {
            None => Ok(()),
            Some(id) => {
                let y = self
                    .positions
                    .at(id as u32)
                    .vector()
                    .map_err(|_| Rejection::Position(self.entry))?;
                Err(Rejection::MissingReply(fen(&y)))
            }
        }
    }
}
