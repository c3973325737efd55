//! The tables at hand: in memory, in the cache directory, or solved when they are asked for.

use hashbrown::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use rayon::prelude::*;

use crate::chess::Value;
use crate::chess::board::{Board, Position};
use crate::limits::Budget;

use super::one_sided::OneSided;
use super::parts::Parts;
use super::store::Store;
use super::trust::{Provenance, Trust};
use crate::tables::file::damage::Damage;
use crate::tables::file::draft::Draft;
use crate::tables::file::format::Kind;
use crate::tables::file::image::Image;
use crate::tables::file::packed::Packed;
use crate::tables::file::shelf::Shelf;
use crate::tables::file::source::Source;
use crate::tables::index::layout::Layout;
use crate::tables::index::material::{MAX_MEN, Material};
use crate::tables::index::probe::Query;
use crate::tables::index::raw::RawTable;
use crate::tables::index::value::Relative;
use crate::tables::solve::build::solve;
use crate::tables::solve::memory::MEN_IN_MEMORY;
use crate::tables::solve::memory::bytes_to_solve;
use crate::tables::{Metric, TableError};

/// Solved tables, shared between threads. A probe takes about 100 ns in a table solved by this
/// process, a few microseconds in a stored one whose block is not at hand.
#[derive(Debug, Default)]
pub struct Tables {
    pub(in crate::tables) store: Option<Store>,
    held: RwLock<HashMap<Material, Arc<Entry>>>,
    pub(in crate::tables) parts: Parts,
    pub(in crate::tables) one_sided: OneSided,
    /// Signatures known to be at hand with everything they depend on.
    ready: RwLock<HashSet<Material>>,
    /// Signatures that were looked for and not found whole.
    absent: RwLock<HashSet<Material>>,
    /// How far stored tables are believed, where each one at hand comes from, and which have been
    /// sampled.
    pub(in crate::tables) trust: Trust,
    pub(in crate::tables) origins: RwLock<HashMap<Material, Provenance>>,
    pub(in crate::tables) sampled: RwLock<HashSet<Material>>,
    /// Signatures of which it has been told that there is no memory for them.
    refused: RwLock<HashSet<Material>>,
    /// Held while tables are being solved, so that no two threads solve the same one.
    solving: Mutex<()>,
}

/// Solves with the usual bytes, and where a mate of up to five men is too long for them on the
/// loser's scale.
pub(in crate::tables) fn on_either_scale<T>(
    material: Material,
    attempt: impl Fn(Layout) -> Result<T, TableError>,
) -> Result<T, TableError> {
    match attempt(Layout::new(material)) {
        Err(TableError::TooDeep { material: of })
            if of == material && material.men() <= MAX_MEN =>
        {
            attempt(Layout::of_deep(material))
        }
        done => done,
    }
}

/// A table at hand.
#[derive(Debug)]
pub(in crate::tables) struct Entry {
    packed: Arc<Packed>,
    /// The table one byte a position, for small ones that other tables were built from.
    raw: OnceLock<Arc<RawTable>>,
}

impl Entry {
    pub(in crate::tables) fn new(packed: Packed, raw: Option<RawTable>) -> Self {
        let cell = OnceLock::new();
        if let Some(table) = raw {
            cell.get_or_init(|| Arc::new(table));
        }
        Self { packed: Arc::new(packed), raw: cell }
    }

    /// The table in the form that building reads.
    fn source(&self) -> Result<Source, Damage> {
        if self.packed.layout.material.men() > MEN_IN_MEMORY {
            return Ok(Source::Packed(Arc::clone(&self.packed)));
        }
        if let Some(raw) = self.raw.get() {
            return Ok(Source::Raw(Arc::clone(raw)));
        }
        let raw = Arc::new(self.packed.unpack()?);
        Ok(Source::Raw(Arc::clone(self.raw.get_or_init(|| raw))))
    }

    fn value(&self, query: &Query) -> Result<Option<Relative>, Damage> {
        let layout = &self.packed.layout;
        let squares = query.squares(layout);
        let Some(raw) = self.raw.get() else {
            return self.packed.value(query.to_move, query.king, query.other, &squares);
        };
        let code = raw.code(query.to_move, query.king, query.other, &squares);
        Ok(layout.scale(query.to_move).decode(code))
    }
}

impl Tables {
    /// No tables yet; what is solved is kept in memory only.
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// Tables kept in a directory, which is made if it is not there; without one, in memory only.
    ///
    /// # Errors
    /// [`TableError::Cache`] when it cannot be made.
    pub fn open(directory: Option<&Path>) -> Result<Self, TableError> {
        let Some(directory) = directory else { return Ok(Self::in_memory()) };
        let store = Store::open(directory)
            .map_err(|error| TableError::Cache { path: directory.to_owned(), error })?;
        Ok(Self { store: Some(store), ..Self::default() })
    }

    /// The same store with nothing at hand, every stored table to be checked before it is used.
    pub(in crate::tables) fn checking(&self) -> Self {
        Self { store: self.store.clone(), ..Self::default() }.with_trust(Trust::Checked)
    }

    /// Is there a table for this position, solved where it is not at hand? (At most [`MAX_MEN`] men
    /// and no castling rights. Of more men see [`Tables::material_at_hand`].)
    pub fn covers(board: &Board) -> bool {
        board.chess().board().occupied().count() <= MAX_MEN && !board.chess().castles().any()
    }

    /// The signature of a position that tables cover.
    pub fn material_of(board: &Board) -> Option<Material> {
        Query::new(board).map(|query| query.material).filter(|material| material.men() <= MAX_MEN)
    }

    /// Makes the table of a signature, and every table it depends on, available to
    /// [`Tables::probe`]: from the cache directory, or by solving it, smallest first. A damaged
    /// file is set aside and the table solved anew; a table that cannot be written is kept in
    /// memory (both are noted in the budget's progress). About 50 ns when all is at hand.
    ///
    /// # Errors
    /// When the budget ends first, or a mate is too long for a table.
    pub fn ensure(&self, material: Material, budget: &Budget) -> Result<(), TableError> {
        if self.is_ready(material) {
            return Ok(());
        }
        let _solving = self.lock();
        if self.is_ready(material) {
            return Ok(());
        }
        let closure = material.closure();
        let make = || match self.trust {
            Trust::Checked => self.ensure_checked(&closure, budget),
            Trust::Blind => self.solve_missing(&closure, budget),
            Trust::Sampled => {
                self.solve_missing(&closure, budget)?;
                self.sample_stored(&closure)
            }
        };
        // A table that was to be built upon, or one that was sampled, is damaged or wrong: it is set
        // aside now, so a second try builds it too. Wrong ones come together.
        let mut tries = closure.len();
        while let Err(error) = make() {
            let damaged = matches!(error, TableError::Damaged { .. });
            if !damaged || tries == 0 {
                return Err(error);
            }
            tries -= 1;
            budget.progress().note(&format!("{error}; set aside, built anew"));
        }
        self.ready.write().unwrap_or_else(PoisonError::into_inner).extend(closure);
        Ok(())
    }

    pub(in crate::tables) fn is_ready(&self, material: Material) -> bool {
        self.ready.read().unwrap_or_else(PoisonError::into_inner).contains(&material)
    }

    /// Held while tables are being solved.
    pub(in crate::tables) fn lock(&self) -> MutexGuard<'_, ()> {
        self.solving.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Solves those of the signatures that are not at hand; in the list each comes after those it
    /// depends on.
    pub(in crate::tables) fn solve_missing(
        &self,
        materials: &[Material],
        budget: &Budget,
    ) -> Result<(), TableError> {
        let missing = self.not_kept(materials, budget);
        if budget.limits().memory.is_some()
            && let Some(last) = missing.last()
        {
            let bytes = bytes_to_solve(&missing, budget.limits().memory);
            budget.check(0, bytes).inspect_err(|_| {
                if !self.refused.write().unwrap_or_else(PoisonError::into_inner).insert(*last) {
                    return;
                }
                let megabytes = bytes.div_ceil(1 << 20);
                budget.progress().note(&format!(
                    "the table {last}, with what it depends on, takes {megabytes} MiB to solve"
                ));
            })?;
        }
        let begun = AtomicUsize::new(0);
        let build = |next: Material| {
            let name = match (begun.fetch_add(1, Ordering::Relaxed) + 1, missing.len()) {
                (_, 1) => format!("table {next}"),
                (number, all) => format!("table {number} of {all}: {next}"),
            };
            budget.progress().stage(&name, None);
            self.build(next, budget)
        };
        for group in Material::by_depth(&missing) {
            // Large tables are solved one at a time: each takes all threads and much memory.
            let (large, small): (Vec<Material>, Vec<Material>) =
                group.into_iter().partition(|m| m.men() > MEN_IN_MEMORY);
            small.into_par_iter().try_for_each(build)?;
            for next in large {
                self.forget_raw(&next.children());
                build(next)?;
            }
        }
        Ok(())
    }

    /// The tables that [`Tables::ensure`] would have to solve, each after those it depends on.
    pub fn to_solve(&self, material: Material, budget: &Budget) -> Vec<Material> {
        self.not_kept(&material.closure(), budget)
    }

    fn not_kept(&self, materials: &[Material], budget: &Budget) -> Vec<Material> {
        materials.iter().copied().filter(|&m| !self.is_kept(m, budget)).collect()
    }

    /// How many bytes [`Tables::ensure`] will allocate at its peak; 0 where nothing has to be
    /// solved. True to about a tenth for tables of five men. The process takes some more: pages of
    /// mapped tables, which the system can take back, and what the allocator does not give back. A
    /// millisecond for each table to be solved.
    pub fn bytes_needed(&self, material: Material) -> u64 {
        bytes_to_solve(&self.not_kept(&material.closure(), &Budget::default()), None)
    }

    /// Has the large tables at hand keep up to so many bytes of what they decompress, together: a
    /// strategy asks them for positions in no order, and a block that is not kept costs a probe some
    /// 20 µs. They stay kept as long as the tables do.
    pub fn widen(&self, bytes: u64) {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        let large: Vec<_> =
            held.iter().filter(|(material, _)| material.men() > MEN_IN_MEMORY).collect();
        let count = (large.len() + self.one_sided.count()).max(1) as u64;
        large.iter().for_each(|(_, entry)| entry.packed.widen(bytes / count));
        self.one_sided.widen(bytes / count);
    }

    /// The value of a position, exact also with a mark for en passant; `None` if its table, or one
    /// that a capture en passant leads to, is not at hand ([`Tables::ensure`]) or cannot be
    /// ([`Tables::covers`]).
    ///
    /// # Errors
    /// [`TableError::Damaged`] when a stored table turns out to be damaged; it is set aside.
    pub fn probe(&self, board: &Board) -> Result<Option<Value>, TableError> {
        let Some(value) = self.stored_value(board)? else { return Ok(None) };
        if board.chess().maybe_ep_square().is_none() {
            return Ok(Some(value));
        }
        let (mover, moves) = (board.side_to_move(), board.legal_moves());
        let mut capture: Option<Value> = None;
        for m in moves.iter().filter(|m| m.is_en_passant()) {
            let Some(after) = self.probe(&board.after(*m))? else { return Ok(None) };
            let both = capture.into_iter().chain([after.before()]);
            capture = both.max_by_key(|value| value.preference(mover));
        }
        Ok(Some(match capture {
            None => value,
            // Only a stalemate is worse off for the right: the capture is then forced.
            Some(capture) if value == Value::Draw && moves.iter().all(|m| m.is_en_passant()) => {
                capture
            }
            Some(capture) if capture.preference(mover) > value.preference(mover) => capture,
            Some(_) => value,
        }))
    }

    /// The value of a position that [`Tables::material_at_hand`] knows, solving what is missing;
    /// `None` for other positions.
    ///
    /// # Errors
    /// As [`Tables::ensure`].
    pub fn value(&self, board: &Board, budget: &Budget) -> Result<Option<Value>, TableError> {
        let Some(material) = self.material_at_hand(board, budget) else { return Ok(None) };
        self.ensure_values(material, budget)?;
        match self.probe(board) {
            Err(error @ TableError::Damaged { .. }) => {
                budget.progress().note(&format!("{error}; set aside, built anew"));
                self.ensure_values(material, budget)?;
                self.probe(board)
            }
            found => found,
        }
    }

    /// The value of a position that is at hand, a mark for en passant left out.
    fn stored_value(&self, board: &Board) -> Result<Option<Value>, TableError> {
        let Some(query) = Query::new(board) else { return Ok(None) };
        let value = match self.get(query.material) {
            Some(entry) => {
                entry.value(&query).map_err(|damage| self.damaged(query.material, damage))?
            }
            None => self
                .parts
                .value(&query)
                .map_err(|damage| self.damaged_part(query.material, damage))?,
        };
        match value {
            Some(value) => Ok(Some(value.of(board.side_to_move()))),
            None => self.one_sided_value(board, &query),
        }
    }

    /// Forgets a damaged table and sets its file aside.
    pub(in crate::tables) fn damaged(&self, material: Material, damage: Damage) -> TableError {
        let held = self.held.write().unwrap_or_else(PoisonError::into_inner).remove(&material);
        self.ready.write().unwrap_or_else(PoisonError::into_inner).clear();
        let one_sided = self.one_sided.forget(material) && held.is_none();
        if let Some(store) = &self.store {
            // If it cannot be renamed, the next build writes over it.
            let _ = store.set_aside(material, if one_sided { Kind::OneSided } else { Kind::Whole });
        }
        TableError::Damaged { material, damage }
    }

    /// The compressed table of a signature at hand.
    pub(in crate::tables) fn packed(&self, material: Material) -> Result<Arc<Packed>, TableError> {
        let entry =
            self.get(material).ok_or(TableError::Damaged { material, damage: Damage::SetAside })?;
        Ok(Arc::clone(&entry.packed))
    }

    /// Where the slices of a large table are stored until it is whole. What has to be checked first
    /// is not stored.
    pub(in crate::tables) fn shelf(&self, material: Material) -> Option<Shelf> {
        let store = self.store.as_ref().filter(|_| self.trust != Trust::Checked)?;
        (material.men() > MEN_IN_MEMORY).then(|| store.shelf(material))
    }

    /// Solves a signature whose children are at hand and keeps it in memory and in the store.
    pub(in crate::tables) fn build(
        &self,
        material: Material,
        budget: &Budget,
    ) -> Result<(), TableError> {
        if material.is_one_large_slice() {
            return self.build_large(material, None, budget);
        }
        let children = self.children(material)?;
        let shelf = self.shelf(material);
        let attempt = |layout: Layout| {
            let layout = Arc::new(layout);
            let mut draft = Draft::new(&layout, Kind::Whole, self.temporary());
            solve(&layout, Metric::Mate, &children, shelf.as_ref(), &mut draft, budget)
                .map(|built| (draft, built))
        };
        let (draft, built) = on_either_scale(material, attempt)?;
        let image = self.keep(material, Kind::Whole, draft.finish()?, budget)?;
        let packed = Packed::new(material, Kind::Whole, self.unchanging(image))
            .map_err(|damage| self.damaged(material, damage))?;
        let origin = if built.found { Provenance::Believed } else { Provenance::Solved };
        self.note_origin(material, origin);
        self.put(material, Entry::new(packed, built.raw));
        self.parts.forget(material);
        Ok(())
    }

    /// A table that was solved, where others cannot change it if it is to be trusted.
    pub(in crate::tables) fn unchanging(&self, image: Image) -> Image {
        match image {
            // What is mapped could still be changed.
            Image::File(mapped) if self.trust == Trust::Checked => Image::Heap(mapped.to_vec()),
            image => image,
        }
    }

    /// The tables that a signature's captures and promotions lead to.
    pub(in crate::tables) fn children(
        &self,
        material: Material,
    ) -> Result<HashMap<Material, Source>, TableError> {
        material.children().into_iter().map(|child| Ok((child, self.source(child)?))).collect()
    }

    /// A table at hand in the form that building reads.
    pub(in crate::tables) fn source(&self, material: Material) -> Result<Source, TableError> {
        let entry =
            self.get(material).ok_or(TableError::Damaged { material, damage: Damage::SetAside })?;
        entry.source().map_err(|damage| self.damaged(material, damage))
    }

    /// Whether nothing has to be solved for the values of a signature: its table and those it depends
    /// on, whole or of one side to move, are in memory or in the cache directory. About 50 ns once the
    /// answer is known; what is stored meanwhile by others is not noticed.
    pub fn is_at_hand(&self, material: Material, budget: &Budget) -> bool {
        self.is_whole_at_hand(material, budget) || self.rests_on_one_side(material, budget)
    }

    /// The same for whole tables.
    pub(in crate::tables) fn is_whole_at_hand(&self, material: Material, budget: &Budget) -> bool {
        if self.is_ready(material) {
            return true;
        }
        if self.absent.read().unwrap_or_else(PoisonError::into_inner).contains(&material) {
            return false;
        }
        // There are many signatures of more men, and few that have a table.
        if material.men() > MAX_MEN && self.get(material).is_none() && !self.is_stored(material) {
            return false;
        }
        let closure = material.closure();
        let whole = closure.iter().all(|&m| self.is_kept(m, budget));
        let noted = if whole { &self.ready } else { &self.absent };
        noted.write().unwrap_or_else(PoisonError::into_inner).extend(if whole {
            closure
        } else {
            vec![material]
        });
        whole
    }

    /// Is the table in memory, or can it be fetched from the store?
    pub(in crate::tables) fn is_kept(&self, material: Material, budget: &Budget) -> bool {
        if self.get(material).is_some() {
            return true;
        }
        // What has to be checked first is not at hand.
        let Some(store) = self.store.as_ref().filter(|_| self.trust != Trust::Checked) else {
            return false;
        };
        match store.load(material, Kind::Whole) {
            None => false,
            Some(Ok(packed)) => {
                self.note_origin(material, Provenance::Believed);
                self.put(material, Entry::new(packed, None));
                true
            }
            Some(Err(damage)) => {
                self.note_damage(store, material, Kind::Whole, damage, budget);
                false
            }
        }
    }

    /// Gives back the memory of small tables that are not among `needed`; they are decompressed
    /// anew when they are.
    pub(in crate::tables) fn forget_raw(&self, needed: &[Material]) {
        for (material, entry) in
            self.held.write().unwrap_or_else(PoisonError::into_inner).iter_mut()
        {
            if !needed.contains(material) && entry.raw.get().is_some() {
                *entry =
                    Arc::new(Entry { packed: Arc::clone(&entry.packed), raw: OnceLock::new() });
            }
        }
    }

    pub(in crate::tables) fn put(&self, material: Material, entry: Entry) {
        self.held.write().unwrap_or_else(PoisonError::into_inner).insert(material, Arc::new(entry));
    }

    pub(in crate::tables) fn get(&self, material: Material) -> Option<Arc<Entry>> {
        self.held.read().unwrap_or_else(PoisonError::into_inner).get(&material).cloned()
    }
}

#[cfg(test)]
mod tests;
