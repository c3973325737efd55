//! One part of a block, compressed: a frame of zstd (RFC 8878) without its magic number, or the
//! bytes as they are where that is no longer.
//!
//! Parts are short, a kilobyte or two, so that the tables of codes at the head of a frame would be
//! a tenth of it, and reading those tables a fifth of the time. Two dictionaries that the program
//! holds, one for each side to move, give the frames codes to begin with: `white.dict` and
//! `black.dict`, 2,048 bytes each, made by zstd's own trainer from every 211th block of all tables
//! of up to five men (the ignored test `dictionaries` of `tests.rs` makes them anew). Other
//! dictionaries are another [`VERSION`] of the files' form.
//!
//! [`VERSION`]: super::format::VERSION

use std::cell::RefCell;
use std::io;
use std::sync::LazyLock;

use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};
use zstd::zstd_safe::{CParameter, DParameter, FrameFormat};

use crate::chess::Side;

/// 3 takes two fifths less time and makes files 6 % larger, 5 takes two thirds more for 7 % less,
/// and what it writes takes longer to read.
const LEVEL: i32 = 4;

pub(super) const DICTIONARIES: [&[u8]; 2] =
    [include_bytes!("white.dict"), include_bytes!("black.dict")];

static WRITING: LazyLock<[EncoderDictionary<'static>; 2]> =
    LazyLock::new(|| DICTIONARIES.map(|bytes| EncoderDictionary::copy(bytes, LEVEL)));
static READING: LazyLock<[DecoderDictionary<'static>; 2]> =
    LazyLock::new(|| DICTIONARIES.map(DecoderDictionary::copy));

/// A context that its thread uses again.
type Kept<C> = RefCell<Option<C>>;

thread_local! {
    // Making a context takes longer than a block.
    static WRITERS: [Kept<Compressor<'static>>; 2] = const { [Kept::new(None), Kept::new(None)] };
    static READERS: [Kept<Decompressor<'static>>; 2] = const { [Kept::new(None), Kept::new(None)] };
}

fn writer(side: Side) -> io::Result<Compressor<'static>> {
    let mut writer = Compressor::with_prepared_dictionary(&WRITING[side as usize])?;
    // The length is known, the directory has a checksum, and there is no other dictionary.
    writer.set_parameter(CParameter::ContentSizeFlag(false))?;
    writer.set_parameter(CParameter::ChecksumFlag(false))?;
    writer.set_parameter(CParameter::DictIdFlag(false))?;
    writer.set_parameter(CParameter::Format(FrameFormat::Magicless))?;
    Ok(writer)
}

fn reader(side: Side) -> io::Result<Decompressor<'static>> {
    let mut reader = Decompressor::with_prepared_dictionary(&READING[side as usize])?;
    reader.set_parameter(DParameter::Format(FrameFormat::Magicless))?;
    Ok(reader)
}

/// Appends the bytes of a part, with this side to move, compressed: never more bytes than it has.
pub(super) fn push(side: Side, raw: &[u8], out: &mut Vec<u8>) {
    let packed = WRITERS.with(|writers| {
        let mut kept = writers[side as usize].borrow_mut();
        let mut context = kept.take().map_or_else(|| writer(side), Ok)?;
        let packed = context.compress(raw);
        *kept = Some(context);
        packed
    });
    let shorter = packed.ok().filter(|packed| packed.len() < raw.len());
    out.extend_from_slice(shorter.as_deref().unwrap_or(raw));
}

/// The bytes of a part, as many as it must have; `None` if they are not. About 3 µs for 2,000.
pub(super) fn read(side: Side, packed: &[u8], length: usize) -> Option<Vec<u8>> {
    if packed.len() == length {
        return Some(packed.to_vec());
    }
    let raw = READERS.with(|readers| {
        let mut kept = readers[side as usize].borrow_mut();
        let mut context = kept.take().map_or_else(|| reader(side), Ok)?;
        let raw = context.decompress(packed, length);
        *kept = Some(context);
        raw
    });
    raw.ok().filter(|raw| raw.len() == length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_come_back(
            runs in prop::collection::vec((any::<u8>(), 1..90_usize), 0..60),
            cut in any::<usize>(),
        ) {
            let run = |(code, count)| std::iter::repeat_n(code, count);
            let raw: Vec<u8> = runs.into_iter().flat_map(run).collect();
            for side in Side::ALL {
                let mut packed = vec![7];
                push(side, &raw, &mut packed);
                let packed = &packed[1..];
                prop_assert!(packed.len() <= raw.len());
                assert_eq!(read(side, packed, raw.len()).as_ref(), Some(&raw));
                // A part that is cut off, or of another length, is no part.
                if packed.len() < raw.len() {
                    assert_eq!(read(side, &packed[..cut % packed.len()], raw.len()), None);
                    assert_eq!(read(side, packed, raw.len() + 1), None);
                }
            }
        }
    }
}
