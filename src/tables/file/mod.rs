//! The bytes of a table at rest.
//!
//! * `damage`: what can be wrong with a file.
//! * `predict`: Black's values foretold from White's, so that a file keeps the others alone.
//! * `block`: the positions that are read and written together, in parts.
//! * `frame`: one part of a block, compressed.
//! * `squares`: the squares of a row that a block keeps.
//! * `format`: header and directory, and how a solved slice is packed.
//! * `draft`: a file being written, slice by slice.
//! * `shelf`: the solved slices of a table that is not whole yet, in files of their own.
//! * `mapped`: a file mapped into memory.
//! * `image`: the bytes of such a file, mapped or in memory.
//! * `packed`: a table in this form: header, directory, blocks.
//! * `held`: decompressed blocks that are kept.
//! * `lookup`: values, rows and blocks of rows read from it.
//! * `unpack`: a whole slice read back into bytes of `index::raw`.
//! * `source`: a table as those above read it, packed or not.

mod block;
pub(super) mod damage;
pub(super) mod draft;
pub(super) mod format;
mod frame;
pub(super) mod held;
pub(super) mod image;
mod lookup;
pub(super) mod mapped;
pub(super) mod packed;
mod predict;
pub(super) mod shelf;
pub(super) mod source;
mod squares;
#[cfg(test)]
mod tests;
pub(super) mod unpack;
