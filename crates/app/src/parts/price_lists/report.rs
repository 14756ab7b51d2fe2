//! What was found in a file of prices.

use std::collections::BTreeMap;

use partsight_domain::{Currency, DecimalSign, Price, PriceListId};

use crate::parts::list_upload::ListReport;

/// A row as it was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewedRow {
    /// As a spreadsheet counts.
    pub row: u32,
    /// As the shop calls the part.
    pub part: Option<String>,
    /// As the shop writes it.
    pub part_number: Option<String>,
    /// What it costs.
    pub price: Price,
    /// Whether a part type of this server has this label or name.
    pub is_known_part: bool,
}

/// What an upload did, or would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceListReport {
    /// What there is to say of any list.
    pub list: ListReport<PriceListId, PreviewedRow>,
    /// Who sells.
    pub supplier: String,
    /// What its rows hold.
    pub prices: PriceCounts,
}

/// What the rows of a price list hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PriceCounts {
    /// Rows without a price.
    pub n_skipped: u64,
    /// Of the accepted rows, those that no part type of this server and no part number finds.
    pub n_unknown: u64,
    /// Accepted rows by currency.
    pub currencies: BTreeMap<Currency, u64>,
    /// What parts the decimals, where the rows tell.
    pub decimal_sign: Option<DecimalSign>,
}
