//! What was found in a file of prices.

use std::collections::BTreeMap;

use partsight_domain::{
    Currency, DecimalSign, InvalidInput, Price, PriceListDetails, PriceListId, PriceListItem,
};

use super::rows::Remark;
use crate::csv_file::reader::Delimiter;

/// Remarks that a report has at most of each kind; the counts are complete.
pub(in crate::parts) const MAX_REMARKS: usize = 100;
/// Faulty rows that a refusal names; the dry run names more.
const NAMED_FAULTS: usize = 5;
/// Rows that a report shows as they were understood.
pub(in crate::parts) const PREVIEWED: usize = 5;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The row breaks a rule.
    Error,
    /// The row has nothing to keep.
    Skipped,
    /// The row is kept all the same.
    Note,
}

/// Something to say about a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowProblem {
    /// As a spreadsheet counts: the header is row 1.
    pub row: u32,
    /// The field of the mapping that it is about.
    pub field: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, for people.
    pub message: String,
}

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
    /// The list's name.
    pub name: String,
    /// Who sells.
    pub supplier: String,
    /// Under which id it was saved; `None` for a dry run.
    pub saved_as: Option<PriceListId>,
    /// Whether a list of this name was replaced.
    pub has_replaced: bool,
    /// Rows that are not blank, the header not counted.
    pub n_rows: u64,
    /// Rows that are, or would be, saved.
    pub n_accepted: u64,
    /// Rows without a price.
    pub n_skipped: u64,
    /// Rows that break a rule.
    pub n_errors: u64,
    /// Of the accepted rows, those that no part type of this server and no part number finds.
    pub n_unknown: u64,
    /// Accepted rows by currency.
    pub currencies: BTreeMap<Currency, u64>,
    /// What parts the cells.
    pub delimiter: Option<Delimiter>,
    /// What parts the decimals, where the rows tell.
    pub decimal_sign: Option<DecimalSign>,
    /// The fields that are read, each with its header as written.
    pub columns: Vec<(&'static str, String)>,
    /// The headers of the columns that are not read.
    pub ignored_columns: Vec<String>,
    /// What there is to say, at most 100 of each severity, in the order of the rows.
    pub problems: Vec<RowProblem>,
    /// The first rows.
    pub preview: Vec<PreviewedRow>,
    n_remarks: [usize; 3],
}

impl PriceListReport {
    pub(super) fn new(details: &PriceListDetails) -> Self {
        Self {
            name: details.name.clone(),
            supplier: details.supplier.clone(),
            saved_as: None,
            has_replaced: false,
            n_rows: 0,
            n_accepted: 0,
            n_skipped: 0,
            n_errors: 0,
            n_unknown: 0,
            currencies: BTreeMap::new(),
            delimiter: None,
            decimal_sign: None,
            columns: Vec::new(),
            ignored_columns: Vec::new(),
            problems: Vec::new(),
            preview: Vec::new(),
            n_remarks: [0; 3],
        }
    }

    pub(super) fn accept(&mut self, item: &PriceListItem, is_known_part: bool) {
        self.n_accepted += 1;
        *self.currencies.entry(item.price.currency()).or_default() += 1;
        if !is_known_part && item.number_key.is_empty() {
            self.n_unknown += 1;
        }
        if self.preview.len() < PREVIEWED {
            self.preview.push(PreviewedRow {
                row: item.row,
                part: item.name.clone(),
                part_number: item.part_number.clone(),
                price: item.price,
                is_known_part,
            });
        }
    }

    pub(super) fn note(&mut self, row: u32, severity: Severity, remark: Remark) {
        let noted = &mut self.n_remarks[severity as usize];
        if *noted < MAX_REMARKS {
            *noted += 1;
            let Remark { field, message } = remark;
            self.problems.push(RowProblem { row, field, severity, message });
        }
    }

    /// Why the list is refused, where it has rows that break a rule.
    pub(super) fn refusal(&self) -> InvalidInput {
        let faults = self.problems.iter().filter(|problem| problem.severity == Severity::Error);
        refusal(faults, self.n_errors)
    }
}

/// Why a list is refused: the first of its `n_errors` faults.
pub(in crate::parts) fn refusal<'p>(
    faults: impl Iterator<Item = &'p RowProblem>,
    n_errors: u64,
) -> InvalidInput {
    let faults = faults.take(NAMED_FAULTS);
    let named: Vec<String> =
        faults.map(|fault| format!("Row {}, `{}`: {}", fault.row, fault.field, fault.message)).collect();
    let more = match n_errors.saturating_sub(NAMED_FAULTS as u64) {
        0 => String::new(),
        more => format!(" And {more} more; a dry run names the first {MAX_REMARKS}."),
    };
    let advice = "Please correct the rows, or send `skipErrors` to leave them out.";
    InvalidInput::new("file", format!("Nothing was saved. {}{more} {advice}", named.join(" ")))
}
