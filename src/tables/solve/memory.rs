//! How much memory solving takes, known before it begins.

use hashbrown::HashSet;

use super::room::Needs;
use super::share::Share;
use super::slice::work_bytes;
use crate::tables::file::held::CACHE_BYTES;
use crate::tables::index::layout::Layout;
use crate::tables::index::material::Material;

/// Tables of at most this many men are kept in memory, one byte a position, while others need them.
pub(in crate::tables) const MEN_IN_MEMORY: usize = 4;

/// Whether tables of this signature are kept in memory while others need them.
pub(super) fn is_small(material: Material) -> bool {
    material.men() <= MEN_IN_MEMORY
}

/// Whether the slices of a table are too large to be read in memory as a whole, one byte a
/// position: with pawns and three pieces they have two gigabytes.
pub(super) fn is_read_in_blocks(layout: &Layout) -> bool {
    layout.slices() > 1 && layout.rows() > 1 << 12
}

/// How many slices are solved at the same time: large ones one by one, since all threads work on
/// each.
pub(in crate::tables) fn at_once(layout: &Layout) -> usize {
    (512 / layout.rows()).max(1)
}

/// Bytes that slices just solved may take as they are ([`Recent`]): those of the last eight slices of
/// one pawn and two pieces, which is all that a pawn's single and double steps lead to.
///
/// [`Recent`]: super::recent::Recent
const RECENT: u64 = 8 * (64 << 18);

/// What a block takes compressed, in hundredths: 17 in KRPvKR, 24 in KRBvKN.
const COMPRESSED: u64 = 20;

/// Plies for which some row of each king's waits, in slices of gigabytes: of each a bit a row (in
/// KNNNvKP, whose mates take up to 230 plies, the peak was 1.1 GB above what was said without).
const WAITED: u64 = 230;

/// Slices that even two threads have begun at a time.
const BEGUN: usize = 8;

/// Bytes that solving these signatures allocates at its peak, true to about a tenth for tables of
/// five men. `missing` lists each after those it depends on; what they depend on beside each other
/// is stored. Tables of six men take no more than the limit where they can do with less.
pub(in crate::tables) fn bytes_to_solve(missing: &[Material], limit: Option<u64>) -> u64 {
    bytes_of_each(missing, limit, 1)
}

/// The same of each of several processes that solve them together, or of the one that takes most.
pub(in crate::tables) fn bytes_of_each(
    missing: &[Material],
    limit: Option<u64>,
    processes: usize,
) -> u64 {
    let is_small = |m: &&Material| m.men() <= MEN_IN_MEMORY;
    let small: Vec<&Material> = missing.iter().filter(is_small).collect();
    // All of these stay in memory until the first large table is begun.
    let needed: HashSet<Material> =
        small.iter().flat_map(|m| m.children()).chain(small.iter().map(|&&m| m)).collect();
    let kept: u64 = needed.iter().map(raw_bytes).sum();
    let at_work = small.iter().map(|&m| work_bytes(&Layout::new(*m))).max().unwrap_or(0);
    let threads = rayon::current_num_threads().min(small.len()) as u64;
    let bytes = |&material: &Material| large_bytes(material, limit, processes);
    let large = missing.iter().filter(|m| !is_small(m)).map(bytes).max();
    (kept + at_work * threads).max(large.unwrap_or(0))
}

/// Bytes of a small table in memory.
fn raw_bytes(material: &Material) -> u64 {
    let pawns = material.pawns();
    // Placements of the pawns (as `Layout::slices`), and squares of the leading king.
    let (slices, kings) = match pawns {
        0 => (1, 10),
        1 => (24, 64),
        _ => (1128, 64),
    };
    (slices * kings * 128) << (6 * (material.men() - 2 - usize::from(pawns)))
}

/// What a share of a table of six men takes; its children are unpacked.
pub(super) fn needs(layout: &Layout, share: &Share) -> Needs {
    Needs::new(layout, share, layout.material.children().iter().map(raw_bytes).sum())
}

/// Bytes that solving one table of six men allocates in the process with the largest share; or of
/// five men or with pawns: its slices at work, those they read and those kept for others, the small
/// tables that captures lead to and the blocks read of large ones.
fn large_bytes(material: Material, limit: Option<u64>, processes: usize) -> u64 {
    let layout = Layout::new(material);
    if material.is_one_large_slice() {
        let share = |process: usize| Share::new(layout.kings, (process, processes));
        let bytes = |process: usize| needs(&layout, &share(process)).within(limit);
        return (0..processes).map(bytes).max().unwrap_or(0);
    }
    let rows = (layout.kings.count() * layout.rows()) as u64;
    let read =
        (0..layout.slices()).map(|slice| layout.ahead(slice).len()).max().unwrap_or(0) as u64;
    let packed = layout.positions() / layout.slices() as u64 * COMPRESSED / 100;
    // A thread that waits for others to end their share of its slice begins another slice.
    let begun = at_once(&layout).min(rayon::current_num_threads().max(BEGUN)) as u64;
    let reading = if is_read_in_blocks(&layout) { CACHE_BYTES } else { rows * 128 };
    let waiting = if is_read_in_blocks(&layout) { 2 * rows / 8 * WAITED } else { 0 };
    let solving = begun * (work_bytes(&layout) + waiting + read * reading);
    let packing = begun * rows * 128 + at_once(&layout) as u64 * packed;
    let of_child = |m: &Material| if m.men() <= MEN_IN_MEMORY { raw_bytes(m) } else { CACHE_BYTES };
    let children: u64 = material.children().iter().map(of_child).sum();
    let needed = solving.max(packing) + most_kept(&layout) as u64 * packed + children;
    let recent = recent_at_most(&layout);
    if limit.is_none_or(|limit| needed + recent <= limit) { needed + recent } else { needed }
}

/// The most bytes of slices just solved that are kept as they are. Small tables are kept whole, and
/// slices of gigabytes are too large.
fn recent_at_most(layout: &Layout) -> u64 {
    let fits = layout.slices() > 1 && !is_small(layout.material) && !is_read_in_blocks(layout);
    if fits { RECENT } else { 0 }
}

/// Bytes of slices just solved that may be kept as they are: none where the limit does not allow it.
pub(super) fn room_for_recent(layout: &Layout, limit: Option<u64>) -> u64 {
    let fits = limit.is_none_or(|limit| large_bytes(layout.material, None, 1) <= limit);
    if fits { recent_at_most(layout) } else { 0 }
}

/// The most slices that lie compressed in memory at a time, because others will read them.
fn most_kept(layout: &Layout) -> usize {
    let last_reader = layout.last_readers();
    let kept = |end: usize| last_reader[..end].iter().filter(|&&reader| reader >= end).count();
    layout.batches().into_iter().map(|batch| kept(batch.end)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    /// What is kept for speed alone is left out where the limit does not allow it, and then it is
    /// not counted either.
    #[test]
    fn recent_slices_keep_to_the_limit() {
        for name in ["KRPvKR", "KPPvKP", "KRBvKN", "KPvKP", "KNNNvKP"] {
            let layout = Layout::new(name.parse().unwrap());
            let usual = large_bytes(layout.material, None, 1);
            let recent = if matches!(name, "KRPvKR" | "KPPvKP") { RECENT } else { 0 };
            assert_eq!(room_for_recent(&layout, None), recent, "{name}");
            assert_eq!(room_for_recent(&layout, Some(usual)), recent, "{name}");
            let least = usual - recent;
            assert_eq!(large_bytes(layout.material, Some(least), 1), least, "{name}");
            if recent > 0 {
                assert_eq!(large_bytes(layout.material, Some(usual - 1), 1), least, "{name}");
                assert_eq!(room_for_recent(&layout, Some(usual - 1)), 0, "{name}");
            }
        }
    }
}
