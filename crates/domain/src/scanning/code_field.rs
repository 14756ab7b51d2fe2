//! A field of a barcode or matrix code: what the code and the parser of GS1 content both speak of.

use serde::{Deserialize, Serialize};

/// One field of a code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeField {
    /// The GS1 application identifier, or the data identifier: `01`, `241`, `1P`.
    pub id: String,
    /// What it is, for people.
    pub title: String,
    /// Its value; a measure with its decimal point.
    pub value: String,
}
