//! A field of a barcode or matrix code, used by `code` and by the GS1 parser.

use serde::{Deserialize, Serialize};

/// One field of a code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodeField {
    /// The GS1 application identifier, or the data identifier: `01`, `241`, `1P`.
    pub id: String,
    /// Title of the field.
    pub title: String,
    /// Its value; measures include the decimal point.
    pub value: String,
}
