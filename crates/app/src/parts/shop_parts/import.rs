//! Import and export of parts as our own CSV, ACES and PIES. An import is all or nothing, with a report on each row.

mod aces_pies;
mod csv;
mod merge;
mod xml;
mod xml_files;

use std::collections::HashSet;
use std::sync::Arc;

use jiff::tz::TimeZone;
use partsight_domain::{
    FitmentSource, InvalidInput, MAX_SHOP_PARTS, PartFitmentForm, PartLabel, ShopPart, User, named,
};

use self::merge::Merger;
use crate::accounts::owner::shop_to_change;
use crate::csv_file::table::refuse_faults;
use crate::limits::heavy_work::Deadline;
use crate::parts::Parts;
use crate::{Entity, Error, Result};

/// Most rows of a file, the header not counted: an export of a full shop whose parts have five fitments each can be
/// imported again.
pub const MAX_PART_ROWS: usize = 100_000;

named! {
    /// Formats of files with parts.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum PartFormat {
        /// Our own columns.
        Csv = "csv",
        /// ACES of the Auto Care Association: fitments ("applications").
        Aces = "aces",
        /// PIES of the Auto Care Association: product information.
        Pies = "pies",
    }
}

/// A file to be imported.
#[derive(Debug, Clone)]
pub struct PartImport {
    /// Contents of the file.
    pub body: Arc<[u8]>,
    /// Whether it is XML.
    pub is_xml: bool,
    /// The type for rows that name none.
    pub label: Option<PartLabel>,
    /// Whether to report only, and save nothing.
    pub is_dry_run: bool,
}

/// What becomes of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartRowStatus {
    /// It adds a new part.
    New,
    /// It changes an existing part, or a part of an earlier row.
    Changed,
    /// It changes nothing.
    Unchanged,
    /// It cannot be imported; the other rows can.
    Skipped,
    /// It is invalid; the whole file is refused.
    Error,
}

/// Value of the column `owner` of an export: the user's own part.
const OWN: &str = "you";
/// Value of the column `owner` of an export: a part of the user's company.
const OF_COMPANY: &str = "company";

/// What becomes of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartRowReport {
    /// In CSV the row number of a spreadsheet, where the header is row 1; in XML the record, from 1.
    pub row: usize,
    /// What becomes of it.
    pub status: PartRowStatus,
    /// Why a row was skipped or refused; else empty.
    pub message: String,
}

/// What an import did, or would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartImportReport {
    /// Format of the file.
    pub format: PartFormat,
    /// Whether it was saved.
    pub is_saved: bool,
    /// Columns that were not read.
    pub ignored_columns: Vec<String>,
    /// Row by row.
    pub rows: Vec<PartRowReport>,
}

impl PartImportReport {
    /// How many rows have this status.
    pub fn count(&self, status: PartRowStatus) -> usize {
        self.rows.iter().filter(|row| row.status == status).count()
    }

    fn faults(&self) -> impl Iterator<Item = (usize, &str)> {
        let faults = self.rows.iter().filter(|row| row.status == PartRowStatus::Error);
        faults.map(|row| (row.row, row.message.as_str()))
    }
}

/// The values of one row, not yet validated.
#[derive(Debug, Default)]
struct PartRow {
    /// The part type: its label, its name, or the part's name.
    type_name: Option<String>,
    /// Whether `type_name` comes from a column for the type, so that an unknown type is an error.
    is_type_given: bool,
    number: Option<String>,
    brand: Option<String>,
    name: Option<String>,
    price: Option<String>,
    currency: Option<String>,
    notes: Option<String>,
    fitment: Option<(PartFitmentForm, FitmentSource)>,
    /// The column `owner` of an export.
    owner: Option<String>,
}

/// The rows of a file, each with its row number.
struct FileRows {
    format: PartFormat,
    ignored_columns: Vec<String>,
    rows: Vec<(usize, Result<PartRow, RowFault>)>,
    partial: PartialLists,
}

/// The parts of which an ACES file does not list every vehicle that they fit.
#[derive(Debug, Default)]
struct PartialLists {
    /// Whether they are all parts of the file: it is no full submission.
    are_all: bool,
    /// [`NewShopPart::key`](partsight_domain::NewShopPart::key) of those with an application that was skipped.
    keys: HashSet<String>,
}

impl PartialLists {
    /// Whether the part with this key is one of them.
    fn has(&self, key: &str) -> bool {
        self.are_all || self.keys.contains(key)
    }
}

impl FileRows {
    fn read(body: &[u8], is_xml: bool, deadline: &Deadline) -> Result<Self> {
        if is_xml {
            return aces_pies::rows(body, MAX_PART_ROWS, deadline);
        }
        let csv::Rows { rows, ignored_columns } = csv::rows(body, MAX_PART_ROWS, deadline)?;
        Ok(Self { format: PartFormat::Csv, ignored_columns, rows, partial: PartialLists::default() })
    }
}

/// Why a row is not imported.
#[derive(Debug)]
enum RowFault {
    /// It cannot be imported; the other rows can.
    Skip(String),
    /// It is invalid, so that the whole file is refused.
    Fault(String),
}

impl From<InvalidInput> for RowFault {
    fn from(error: InvalidInput) -> Self {
        Self::Fault(error.message)
    }
}

impl Parts {
    /// All parts of the user as a file, oldest first. CSV holds everything except the photographs; for a member of a
    /// company also the company's parts, with a column for the owner. ACES holds the fitments, and PIES the parts
    /// without their fitments; neither has a field for the owner, so that for a member they hold the company's parts
    /// only.
    ///
    /// # Errors
    /// [`Error::Invalid`] for ACES with more than 100,000 fitments.
    pub async fn export_shop_parts(&self, user: &User, format: PartFormat) -> Result<String> {
        let types = self.part_types(user).await?;
        let mut parts = self.all_shop_parts(user, None).await?;
        parts.reverse();
        if format != PartFormat::Csv {
            parts.retain(|part| part.tenant_id == user.shop_tenant());
        }
        let date = self.clock.now().to_zoned(TimeZone::UTC).date();
        let own = user.company.is_some().then_some(user.tenant_id);
        let write = move |_: &Deadline| {
            Ok(match format {
                PartFormat::Csv => {
                    let owner = |part: &ShopPart| if Some(part.tenant_id) == own { OWN } else { OF_COMPANY };
                    let owner = own.map(|_| &owner as &dyn Fn(&ShopPart) -> &'static str);
                    csv::write(&parts, &types, owner)
                }
                PartFormat::Aces => xml_files::aces(&parts, &types, date)?,
                PartFormat::Pies => xml_files::pies(&parts, &types, date),
            })
        };
        self.heavy.run(user.into(), write).await
    }

    /// Imports parts from a file, or reports what an import would do.
    ///
    /// An existing part with the same number and brand is updated: values of the file replace the saved ones, blank
    /// cells change nothing, and fitments are added. For a member of a company, rows marked as the user's own parts are
    /// skipped, because an import adds to the company's parts.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a file that cannot be read or, unless it is a dry run, has an invalid row: nothing is
    /// saved then. [`Error::QuotaReached`] for a full shop; [`Error::Conflict`] for parts that were changed during the
    /// import; [`Error::Forbidden`] for a member of a company who is no manager; [`Error::NotFound`] for an unknown
    /// `label`; [`Error::TooLong`] for a file that takes too much work.
    pub async fn import_shop_parts(&self, user: &User, import: PartImport) -> Result<PartImportReport> {
        let tenant_id = shop_to_change(user)?;
        let types = self.types_for_shop_parts(user, tenant_id).await?;
        if import.label.as_ref().is_some_and(|label| !types.has(label)) {
            return Err(Error::NotFound { entity: Entity::Part });
        }
        // The file is read first, so that an unreadable one costs no query.
        let (body, is_xml) = (import.body, import.is_xml);
        let read = move |deadline: &Deadline| FileRows::read(&body, is_xml, deadline);
        let file = self.heavy.run(user.into(), read).await?;
        let existing = self.store.list_shop_parts(tenant_id, None, None, MAX_SHOP_PARTS).await?;
        let mut merger = Merger::new(user, types, import.label, existing, file.partial, self.clock.now());
        let merge = move |deadline: &Deadline| {
            let mut rows = Vec::with_capacity(file.rows.len());
            for (row, said) in file.rows {
                deadline.check()?;
                let (status, message) = match said.and_then(|said| merger.take(said)) {
                    Ok(status) => (status, String::new()),
                    Err(RowFault::Skip(why)) => (PartRowStatus::Skipped, why),
                    Err(RowFault::Fault(why)) => (PartRowStatus::Error, why),
                };
                rows.push(PartRowReport { row, status, message });
            }
            let (format, ignored_columns) = (file.format, file.ignored_columns);
            Ok((PartImportReport { format, is_saved: false, ignored_columns, rows }, merger.finish()))
        };
        let (mut report, (added, changed, labels)) = self.heavy.run(user.into(), merge).await?;
        if !import.is_dry_run {
            refuse_faults(report.faults())?;
            // By the revisions, the whole import is refused if one of the parts was changed since the merge.
            self.save_shop_parts(user, tenant_id, &added, &changed, labels).await?;
            report.is_saved = true;
            tracing::info!(
                import.format = report.format.as_str(),
                import.rows = report.rows.len(),
                import.parts = added.len() + changed.len(),
                "imported parts"
            );
        }
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_until_its_time_is_over() {
        for (file, is_xml) in [
            ("number\nA-1\n", false),
            ("<ACES><App><Make name='Honda'/><Part>A-1</Part></App></ACES>", true),
            ("<PIES><Item><PartNumber>A-1</PartNumber></Item></PIES>", true),
        ] {
            let read = |is_over| FileRows::read(file.as_bytes(), is_xml, &Deadline::for_test(is_over));
            assert_eq!(read(false).map(|file| file.rows.len()).unwrap(), 1, "{file}");
            assert!(matches!(read(true), Err(Error::TooLong)), "{file}");
        }
    }
}
