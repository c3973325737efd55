//! Tables packed and read back.

use hashbrown::HashMap;
use std::sync::Arc;

use super::damage::Damage;
use super::draft::Draft;
use super::format::{ENTRY, HEADER, Kind, PackedSlice};
use super::frame;
use super::image::Image;
use super::packed::Packed;
use super::shelf::in_memory;
use super::source::{Ahead, Next, Source};
use crate::chess::Side;
use crate::chess::board::Square;
use crate::limits::Budget;
use crate::tables::Metric;
use crate::tables::index::layout::Layout;
use crate::tables::index::material::Material;
use crate::tables::index::raw::RawTable;
use crate::tables::index::symmetry::KingSquares;
use crate::tables::index::value::{Code, ILLEGAL};
use crate::tables::solve::build::solve;
use pretty_assertions::assert_eq;

/// A signature's table in memory and packed.
fn solved(name: &str) -> (Arc<RawTable>, Vec<u8>) {
    let material: Material = name.parse().unwrap();
    let mut tables = HashMap::new();
    let mut last = None;
    for next in material.closure() {
        let layout = Arc::new(Layout::new(next));
        let mut draft = Draft::new(&layout, Kind::Whole, Ok(None));
        let raw = solve(&layout, Metric::Mate, &tables, None, &mut draft, &Budget::default())
            .unwrap()
            .raw;
        let raw = Arc::new(raw.unwrap());
        tables.insert(next, Source::Raw(Arc::clone(&raw)));
        last = Some((raw, draft.finish().unwrap().into_bytes().unwrap()));
    }
    last.unwrap()
}

fn packed(name: &str, image: Vec<u8>) -> Result<Packed, Damage> {
    Packed::new(name.parse().unwrap(), Kind::Whole, Image::Heap(image))
}

#[test]
fn packing_loses_nothing() {
    for name in ["KvK", "KQvK", "KPvK", "KRvKN", "KNNvK"] {
        let (raw, image) = solved(name);
        let table = packed(name, image).unwrap();
        table.verify().unwrap();
        let unpacked = table.unpack().unwrap();
        let layout = &raw.layout;
        for slice in 0..layout.slices() {
            for (king, row) in
                (0..layout.kings.count()).flat_map(|k| (0..layout.rows()).map(move |r| (k, r)))
            {
                if !layout.in_order(row) {
                    continue;
                }
                for to_move in Side::ALL {
                    assert_eq!(
                        unpacked.stored(to_move, slice, king, row),
                        raw.stored(to_move, slice, king, row)
                    );
                }
            }
        }
    }
}

#[test]
fn rows_and_single_positions_agree_with_the_table_in_memory() {
    for name in ["KRvKN", "KRvKB", "KNNvK", "KPvK"] {
        let (raw, image) = solved(name);
        let table = packed(name, image).unwrap();
        let layout = &raw.layout;
        // Any square for White's king, so that rows are turned into place.
        for king in Square::ALL {
            for row in (0..layout.rows()).step_by(61) {
                let mut squares = layout.squares(king as usize % layout.slices(), row);
                if layout.kings == KingSquares::Board && row % 2 == 0 {
                    squares = squares.map(Square::flip_horizontal);
                }
                if layout.occupied(king, &squares).is_none() {
                    continue;
                }
                for to_move in Side::ALL {
                    let expected = raw.row(to_move, king, &squares);
                    assert_eq!(
                        table.row(to_move, king, &squares).unwrap(),
                        expected,
                        "{name} {king} {squares:?}"
                    );
                    for other in
                        Square::ALL.into_iter().filter(|&s| expected[s as usize] != ILLEGAL)
                    {
                        let code = table.code(to_move, king, other, &squares).unwrap();
                        assert_eq!(
                            code, expected[other as usize],
                            "{name} {king} {other} {squares:?}"
                        );
                    }
                }
            }
        }
    }
}

/// Slices stored as a group, and read block by block, are those in memory.
#[test]
fn a_group_of_slices_is_read_as_the_table_is() {
    let (raw, _) = solved("KRvKP");
    let layout = &*raw.layout;
    let group = 3..6;
    let slice = |slice: usize| raw.slices[slice].clone().unwrap();
    let packed: Vec<_> =
        group.clone().map(|n| (PackedSlice::new(layout, n, &slice(n)), 30)).collect();
    let file = in_memory(layout, &group, &packed).unwrap();
    file.verify().unwrap();
    assert_eq!((file.slices(), file.has(2), file.has(3), file.has(6)), (3, false, true, false));
    assert!(file.unpack_slice(2).is_err() && file.unpack_slice(6).is_err());
    let raw = group.clone().map(|n| (n, Next::Raw(slice(n)))).collect();
    let stored = group.map(|n| (n, Next::Packed(&file))).collect();
    let [raw, stored] = [raw, stored].map(|slices| Ahead { layout, slices });
    let places = (3..6).flat_map(|slice| (0..layout.rows()).map(move |row| (slice, row)));
    for ((slice, row), mirrored) in places.flat_map(|place| [(place, false), (place, true)]) {
        let mut squares = layout.squares(slice, row);
        if mirrored {
            squares = squares.map(Square::flip_horizontal);
        }
        for (king, side) in Square::ALL.into_iter().flat_map(|k| Side::ALL.map(|s| (k, s))) {
            if layout.occupied(king, &squares).is_some() {
                let rows = [&raw, &stored].map(|ahead| ahead.row(side, king, &squares));
                let [raw, stored] = rows.map(Result::unwrap);
                assert_eq!(raw, stored, "{king} {squares:?}");
            }
        }
    }
}

/// The dictionaries of the files' frames are those that zstd trains on every 211th block of the
/// tables in the directory `THETA_TABLES`, in the order of their names: all of up to five men and no
/// others.
#[test]
#[ignore = "needs all tables of five men"]
fn dictionaries() {
    let directory = std::env::var_os("THETA_TABLES").expect("a directory with tables");
    let mut paths: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "theta"))
        .collect();
    paths.sort();
    let mut samples = [Vec::new(), Vec::new()];
    let mut before = 0;
    for path in paths {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let image = Image::open(&path).unwrap();
        let table = Packed::new(name.parse().unwrap(), Kind::Whole, image).unwrap();
        if table.layout.pieces == 0 {
            continue;
        }
        for block in (before % 211..table.layout.blocks()).step_by(211) {
            let codes = table.read(block).unwrap();
            for (samples, parts) in samples.iter_mut().zip(codes.parts()) {
                samples.extend(parts.map(<[Code]>::to_vec));
            }
        }
        before += table.layout.blocks();
    }
    for (samples, held) in samples.iter().zip(frame::DICTIONARIES) {
        let trained = zstd::dict::from_samples(samples, held.len()).unwrap();
        assert!(trained == held, "{} samples make another dictionary", samples.len());
    }
}

#[test]
fn every_flipped_bit_and_every_cut_is_found() {
    let (_, image) = solved("KRvK");
    let whole = packed("KRvK", image.clone()).unwrap();
    whole.verify().unwrap();
    let accepted = |image: Vec<u8>| packed("KRvK", image).and_then(|table| table.verify());
    for at in (0..HEADER + 40 * ENTRY).chain((HEADER..image.len()).step_by(7)) {
        let mut flipped = image.clone();
        flipped[at] ^= 1 << (at % 8);
        assert!(accepted(flipped).is_err(), "byte {at}");
    }
    for length in (0..image.len()).step_by(101).chain([0, HEADER - 1, HEADER, image.len() - 1]) {
        assert!(accepted(image[..length].to_vec()).is_err(), "cut to {length}");
    }
    let mut longer = image.clone();
    longer.push(0);
    assert_eq!(accepted(longer), Err(Damage::Length));
    assert_eq!(packed("KQvK", image).map(drop), Err(Damage::Signature));
}
