//! Report on an uploaded price list.

use std::collections::BTreeMap;

use partsight_domain::{Currency, DecimalSign, Price, PriceListId};

use crate::parts::list_upload::ListReport;

/// A row as it was parsed, for the preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewedRow {
    /// Row number as in a spreadsheet, where the header is row 1.
    pub row: u32,
    /// Name of the part in the file.
    pub part: Option<String>,
    /// Part number as written in the file.
    pub part_number: Option<String>,
    /// Price of the part.
    pub price: Price,
    /// Whether a part type of this server has this label or name.
    pub is_known_part: bool,
}

/// What an upload did, or would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceListReport {
    /// What the report of every kind of list has.
    pub list: ListReport<PriceListId, PreviewedRow>,
    /// Name of the supplier.
    pub supplier: String,
    /// Counts of its rows.
    pub prices: PriceCounts,
}

/// Counts of the rows of a price list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PriceCounts {
    /// Rows without a price.
    pub n_skipped: u64,
    /// Accepted rows with neither a part type of this server nor a part number: no search finds them.
    pub n_unknown: u64,
    /// Accepted rows by currency.
    pub currencies: BTreeMap<Currency, u64>,
    /// The decimal separator, if a row shows it.
    pub decimal_sign: Option<DecimalSign>,
}
