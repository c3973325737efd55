//! The checker: does a certificate prove its claim?
//!
//! Pure functions over three others: the moves of a position, the position after one move, and
//! whether the side to move is in check. What is found in a [`Table`] was put there, and nothing
//! else is believed of the file than the root, the claim and the aim, which are printed from what
//! was checked.
//!
//! *A win.* The entries are taken in the order of the file. The rank of one is computed: 1 where the
//! owner's move mates (or reaches the aim), else 2 more than the worst of the replies, each of which
//! must be in the table already. So by induction over the order, the owner mates from every position
//! in the table in at most its rank. The ranks that the file states are not looked at.
//!
//! *A hold.* Every entry is put into the table, then each is checked against the finished set: the
//! owner is not mated, and every reply to its move is in the set. So no line of play ever leaves the
//! set for a mate of the owner.
//!
//! *Ends.* A line may end where [`Ends`] says what the owner wants: a hypothesis of this check,
//! which someone else proves. In a hold it ends too where the owner cannot be mated at all
//! ([`cannot_be_mated`]).
//!
//! *Keys* are found in `keys.rs`, by a win and a delay.
//!
//! *Sections by slices* list positions without moves, and are checked in `rows.rs`.
//!
//! *A line* is replayed. *A closed set* is checked in `never.rs`; it holds too, whatever its owner
//! plays.
//!
//! *Folded sections.* A position is looked up as its image under [`Turn::home`], and nothing else
//! is different: see [`Section::key`]. That moves commute with the turns is what this rests on.

use super::aim::Aim;
use super::claim::{Claim, Task};
use super::dead::cannot_be_mated;
use super::fen::fen;
use super::format::{Certificate, Entry, Kind, Section};
use super::keys::keys;
use super::legal::Side;
use super::meter::Meter;
use super::moves::{has_move, in_check, play, successors};
use super::never::{PATTERN, never};
use super::packed::Packed;
use super::rejection::{Rejection, is_mated, legal};
use super::rows::{self, BySlices};
use super::symmetry::Turn;
use super::table::{Table, memory};
use super::vector::{Move, Profile, Vector};

/// Hypotheses: positions in which someone else has proved what the owner wants.
pub trait Ends {
    /// Plies to mate at most where the owner wins (`wins`); any number where it is never mated;
    /// `None` where nothing is said. What is said of a position is said of its images under
    /// [`Turn`].
    fn ends(&self, p: &Packed, owner: Side, wins: bool) -> Option<u32>;
}

/// What an accepted certificate proves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proved {
    /// The root position.
    pub root: Vector,
    /// The claim, proved.
    pub claim: Claim,
    /// The aim that the claim speaks of.
    pub aim: Option<Aim>,
    /// The positions with an owner's move, all sections together.
    pub positions: u64,
    /// Plies that the strategy needs at the root, in a win.
    pub plies: Option<u32>,
    /// Where keys are claimed, all of them.
    pub keys: Vec<Move>,
}

/// Bytes that [`check`] by so many threads takes at most, beside the file.
pub fn memory_needed(certificate: &Certificate<'_>, threads: usize) -> u64 {
    let men = certificate.root.men();
    let of = |section: &Section| match section.kind {
        Kind::Line => 0,
        Kind::WinBySlices | Kind::HoldBySlices => rows::memory(section, threads),
        Kind::Never => memory(section.entries, None) + u64::from(section.patterns) * PATTERN,
        kind => memory(section.entries, (kind == Kind::Folded).then_some(men)),
    };
    let needed = certificate.sections.iter().map(of);
    // A win and a delay are needed together.
    match certificate.claim {
        Claim::Keys(..) | Claim::AimKeys(..) => needed.sum(),
        _ => needed.max().unwrap_or(0),
    }
}

/// Checks a certificate from scratch. `ends` are the rules that it cites. Sections by slices are
/// checked by so many threads, one at least, with the same answer however many. `go_on` is called
/// every few milliseconds, by the calling thread, with the number of entries checked; when it
/// answers `false` the check is abandoned. 3 to 20 µs an entry.
///
/// # Errors
/// The first fault found.
pub fn check(
    certificate: &Certificate<'_>,
    ends: Option<&dyn Ends>,
    threads: usize,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Proved, Rejection> {
    let Certificate { root, claim, .. } = *certificate;
    if !certificate.rules.is_empty() && ends.is_none() {
        return Err(Rejection::Rules("nothing here proves rules".into()));
    }
    let is_by_slices = |section: &Section| section.kind.is_by_slices();
    if !certificate.rules.is_empty() && certificate.sections.iter().any(is_by_slices) {
        return Err(Rejection::Rules("a section by slices cites none".into()));
    }
    let aim = certificate.aim.as_ref();
    let tasks = claim.sections();
    let fits = |(section, &(task, owner)): (&Section, &(Task, Side))| {
        section.owner == owner && section.kind.serves(task)
    };
    if certificate.sections.len() != tasks.len()
        || !certificate.sections.iter().zip(&tasks).all(fits)
    {
        return Err(Rejection::Sections(claim));
    }
    let mut meter = Meter::new(go_on);
    let (mut plies, mut found) = (None, Vec::new());
    let of = |section| Checker { certificate, section, root: &root, aim, ends };
    for section in &certificate.sections {
        let checker = of(section);
        match (section.kind, claim) {
            (Kind::WinBySlices, Claim::Wins(_, claimed))
            | (Kind::Win, Claim::Wins(_, claimed) | Claim::Forces(_, claimed)) => {
                let needed = match section.kind {
                    Kind::Win => checker.win(&mut meter)?,
                    _ => BySlices::new(certificate, section, threads).win(&mut meter)?,
                };
                if needed > claimed {
                    return Err(Rejection::TooSlow { needed, claimed });
                }
                plies = Some(needed);
            }
            (Kind::Win, Claim::Keys(_, within) | Claim::AimKeys(_, within)) => {
                found = keys(&checker, &of(&certificate.sections[1]), within, &mut meter)?;
            }
            // Checked with the win before it.
            (Kind::Delay, Claim::Keys(..) | Claim::AimKeys(..)) => {}
            (Kind::Win | Kind::WinBySlices | Kind::Delay, _) => {
                return Err(Rejection::Sections(claim));
            }
            (Kind::Hold | Kind::Folded, _) => checker.hold(&mut meter)?,
            (Kind::HoldBySlices, _) => {
                BySlices::new(certificate, section, threads).hold(&mut meter)?
            }
            (Kind::Line, _) => checker.line(&mut meter)?,
            (Kind::Never, _) => never(certificate, section, &mut meter)?,
        }
    }
    let aim = aim.cloned();
    Ok(Proved { root, claim, aim, positions: meter.done, plies, keys: found })
}

/// Checks one section.
pub(crate) struct Checker<'a> {
    pub(crate) certificate: &'a Certificate<'a>,
    pub(crate) section: &'a Section,
    pub(crate) root: &'a Vector,
    /// Where lines end in a win; none: in mate.
    pub(crate) aim: Option<&'a Aim>,
    ends: Option<&'a dyn Ends>,
}

impl Kind {
    /// Whether a section of this kind proves such a thing.
    fn serves(self, task: Task) -> bool {
        match task {
            Task::Win => matches!(self, Self::Win | Self::WinBySlices),
            Task::Delay => self == Self::Delay,
            Task::Hold => {
                matches!(self, Self::Hold | Self::Folded | Self::HoldBySlices | Self::Never)
            }
            Task::Line => self == Self::Line,
            Task::Never => self == Self::Never,
        }
    }
}

impl Section {
    /// What a position is put into the table as, and looked up as: itself, or in a folded section
    /// one of its images, the same for all.
    fn key(&self, p: &Packed) -> Packed {
        if self.kind == Kind::Folded { Turn::home(p, self.owner).position(p) } else { *p }
    }
}

pub(crate) fn replies(z: &Vector, meter: &mut Meter<'_>) -> Result<Vec<Vector>, Rejection> {
    meter.moves()?;
    Ok(successors(Profile::Fide, z).into_iter().map(|(_, reply)| reply).collect())
}

impl<'a> Checker<'a> {
    pub(crate) fn table(&self) -> Table<'a> {
        let file = (self.section.kind != Kind::Folded).then(|| self.certificate.bytes());
        Table::new(self.section.entries, file)
    }

    /// Plies to mate at most (in a hold 0), where a hypothesis ends the line.
    fn ended(&self, y: &Vector) -> Option<u32> {
        self.ends?.ends(&Packed::from(y), self.section.owner, self.section.kind == Kind::Win)
    }

    /// The position of an entry, legal and with the owner to move.
    pub(crate) fn position(&self, entry: &Entry, number: u64) -> Result<Vector, Rejection> {
        let y = legal(&entry.position, self.root, number)?;
        if Side::to_move(&y) != self.section.owner {
            return Err(Rejection::NotOwnersMove(number, fen(&y)));
        }
        Ok(y)
    }

    /// The position after the owner's move.
    pub(crate) fn played(
        &self,
        y: &Vector,
        entry: &Entry,
        number: u64,
    ) -> Result<(Move, Vector), Rejection> {
        let m = entry.play.ok_or_else(|| Rejection::NoMove(number, fen(y)))?;
        let z = play(Profile::Fide, y, m);
        Ok((m, z.ok_or_else(|| Rejection::IllegalMove(number, fen(y), m))?))
    }

    /// Whether the aim is reached.
    pub(crate) fn reached(&self, y: &Vector, meter: &mut Meter<'_>) -> Result<bool, Rejection> {
        Ok(self.aim.map_or(Ok(false), |aim| aim.holds(y, meter))?)
    }

    /// Plies from the root.
    fn win(&self, meter: &mut Meter<'_>) -> Result<u32, Rejection> {
        self.win_root(&self.answers(meter)?, meter)
    }

    /// The positions of a winning strategy with their ranks, all checked.
    pub(crate) fn answers(&self, meter: &mut Meter<'_>) -> Result<Table<'a>, Rejection> {
        let mut table = self.table();
        for entry in self.certificate.entries(self.section) {
            meter.done += 1;
            let y = self.position(&entry, meter.done)?;
            let (m, z) = self.played(&y, &entry, meter.done)?;
            let rank = match self.after(&z, &table, meter)? {
                Some(plies) => plies.checked_add(1).ok_or(Rejection::TooLong)?,
                None => return Err(Rejection::Stalemate(meter.done, fen(&y), m)),
            };
            if !table.insert(&entry.position, entry.at, rank, meter)? {
                return Err(Rejection::Twice(meter.done, fen(&y)));
            }
        }
        Ok(table)
    }

    /// Plies to mate (to the aim) at most with the opponent to move in z; `None` where it has no
    /// move and that is not what is claimed.
    pub(crate) fn after(
        &self,
        z: &Vector,
        table: &Table<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<Option<u32>, Rejection> {
        if self.reached(z, meter)? {
            return Ok(Some(0));
        }
        let replies = replies(z, meter)?;
        if replies.is_empty() {
            return Ok((self.aim.is_none() && in_check(z)).then_some(0));
        }
        let ended = self.ended(z);
        let mut worst = 0;
        for reply in &replies {
            match (self.rank(reply, table, meter), ended) {
                (Ok(rank), _) => worst = worst.max(rank),
                (Err(Rejection::MissingReply(_)), Some(_)) => return Ok(ended),
                (Err(fault), _) => return Err(fault),
            }
        }
        let answered = worst.checked_add(1).ok_or(Rejection::TooLong)?;
        Ok(Some(ended.map_or(answered, |plies| plies.min(answered))))
    }

    /// The rank of a position with the owner to move: what was computed, or 0 where the aim is
    /// reached, or what a hypothesis says.
    fn rank(&self, y: &Vector, table: &Table<'_>, meter: &mut Meter<'_>) -> Result<u32, Rejection> {
        if self.reached(y, meter)? {
            return Ok(0);
        }
        let found = table.get(&Packed::from(y), meter)?.or_else(|| self.ended(y));
        found.ok_or_else(|| Rejection::MissingReply(fen(y)))
    }

    fn win_root(&self, table: &Table<'_>, meter: &mut Meter<'_>) -> Result<u32, Rejection> {
        let root = self.root;
        let foreign = || Rejection::ForeignRoot(fen(root));
        if Side::to_move(root) != self.section.owner {
            return self.after(root, table, meter)?.ok_or_else(foreign);
        }
        let rank = match self.rank(root, table, meter) {
            Err(Rejection::MissingReply(_)) => return Err(foreign()),
            rank => rank?,
        };
        Ok(self.ended(root).map_or(rank, |plies| plies.min(rank)))
    }

    /// The moves lead from the root to a mate of the owner's opponent.
    fn line(&self, meter: &mut Meter<'_>) -> Result<(), Rejection> {
        let mut y = *self.root;
        for m in self.certificate.line(self.section) {
            meter.done += 1;
            meter.moves()?;
            let m = m.ok_or_else(|| Rejection::NoMove(meter.done, fen(&y)))?;
            let z = play(Profile::Fide, &y, m);
            y = z.ok_or_else(|| Rejection::IllegalMove(meter.done, fen(&y), m))?;
        }
        if is_mated(&y, self.section.owner.other()) {
            Ok(())
        } else {
            Err(Rejection::NoMate(fen(&y)))
        }
    }

    fn hold(&self, meter: &mut Meter<'_>) -> Result<(), Rejection> {
        let mut table = self.table();
        let mut number = meter.done;
        for entry in self.certificate.entries(self.section) {
            number += 1;
            meter.spend(1)?;
            // Only what is a position can be turned.
            entry.position.vector().map_err(|_| Rejection::Position(number))?;
            let key = self.section.key(&entry.position);
            if !table.insert(&key, entry.at, 0, meter)? {
                let y = self.position(&entry, number)?;
                return Err(Rejection::Twice(number, fen(&y)));
            }
        }
        for entry in self.certificate.entries(self.section) {
            meter.done += 1;
            let y = self.position(&entry, meter.done)?;
            match self.played(&y, &entry, meter.done) {
                Ok((_, z)) => self.held(&z, &table, meter)?,
                Err(fault) => self.without_move(&y, &entry, meter.done, fault)?,
            }
        }
        self.hold_root(&table, meter)
    }

    /// An entry of a hold that gives no legal move: right where the owner is stalemated, and where
    /// none is given.
    fn without_move(
        &self,
        y: &Vector,
        entry: &Entry,
        number: u64,
        fault: Rejection,
    ) -> Result<(), Rejection> {
        match (has_move(Profile::Fide, y), in_check(y), entry.play) {
            (true, _, _) => Err(fault),
            (false, true, _) => Err(Rejection::OwnerMated(fen(y))),
            (false, false, Some(_)) => Err(Rejection::NeedlessMove(number, fen(y))),
            (false, false, None) => Ok(()),
        }
    }

    /// Every reply in z, the opponent to move, is answered, or needs no answer.
    fn held(&self, z: &Vector, table: &Table<'_>, meter: &mut Meter<'_>) -> Result<(), Rejection> {
        if cannot_be_mated(z, self.section.owner) || self.ended(z).is_some() {
            return Ok(());
        }
        for reply in replies(z, meter)? {
            let key = self.section.key(&Packed::from(&reply));
            if table.get(&key, meter)?.is_none() && self.ended(&reply).is_none() {
                return Err(Rejection::MissingReply(fen(&reply)));
            }
        }
        Ok(())
    }

    fn hold_root(&self, table: &Table<'_>, meter: &mut Meter<'_>) -> Result<(), Rejection> {
        let root = self.root;
        if Side::to_move(root) != self.section.owner {
            return self.held(root, table, meter);
        }
        let key = self.section.key(&Packed::from(root));
        if cannot_be_mated(root, self.section.owner)
            || table.get(&key, meter)?.is_some()
            || self.ended(root).is_some()
        {
            Ok(())
        } else {
            Err(Rejection::ForeignRoot(fen(root)))
        }
    }
}
