//! How the kernel's types are written with serde: the kernel itself knows no serde.

use super::Side;
use serde::Serializer;

/// `#[serde(serialize_with = "crate::chess::serialize_name")]` on a field: `"White"`, `"Black"`.
///
/// # Errors
/// The serializer's.
pub fn serialize_name<S: Serializer>(side: &Side, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(side)
}

/// `#[serde(serialize_with = "crate::chess::serialize_side")]` on a field: `"white"`, `"black"`.
///
/// # Errors
/// The serializer's.
pub fn serialize_side<S: Serializer>(side: &Side, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(match side {
        Side::White => "white",
        Side::Black => "black",
    })
}
