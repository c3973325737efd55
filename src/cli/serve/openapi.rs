//! The interface described for programs (OpenAPI 3.1).

/// The description.
pub fn text() -> String {
    String::from("{}")
}
