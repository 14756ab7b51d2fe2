//! A list of a shop while it arrives as CSV: what price lists and cross-references have in common.

use std::collections::BTreeMap;
use std::fmt::Debug;

use jiff::Timestamp;
use partsight_domain::{InvalidInput, TenantId, User, UserId};
use partsight_store::{Error as StoreError, PublishList, Store, UploadedListId};

use crate::csv_file::reader::{Delimiter, Row, RowReader};
use crate::limits::person::Person;
use crate::limits::places::Place;
use crate::parts::Parts;
use crate::{Error, Result};

/// Rows that are saved at a time: a transaction of some 50 ms. One of half a million rows would keep all other writers
/// out on SQLite. See docs/decisions/0044-publish-price-lists.md.
const ROWS_A_SAVE: usize = 5_000;
/// How much is read without letting other requests go on: about a millisecond.
const PIECE_BYTES: usize = 16 * 1024;
const ROWS_A_PIECE: usize = 200;
/// Remarks that a report has at most of each kind; the counts are complete.
const MAX_REMARKS: usize = 100;
/// Faulty rows that a refusal names; the dry run names more.
const NAMED_FAULTS: usize = 5;
/// Rows that a report shows as they were understood.
const PREVIEWED: usize = 5;

/// How the file of a list is to be read, and what becomes of it.
#[derive(Debug, Clone, Default)]
pub struct ListFileOptions {
    /// Field to header, for headers that are not known; an empty header leaves the field out.
    pub mapping: BTreeMap<String, String>,
    /// What parts the cells; found out unless given.
    pub delimiter: Option<Delimiter>,
    /// Whether nothing is to be saved.
    pub is_dry_run: bool,
    /// Whether rows that break a rule are left out, instead of the whole list being refused.
    pub skips_errors: bool,
}

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

/// Which columns of a file are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadColumns {
    /// The fields that are read, each with its header as written.
    pub read: Vec<(&'static str, String)>,
    /// The headers of the columns that are not read.
    pub ignored: Vec<String>,
}

/// What an upload did, or would do; `I` is the id of the list, `P` a row as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListReport<I, P> {
    /// The list's name.
    pub name: String,
    /// Under which id it was saved; `None` for a dry run.
    pub saved_as: Option<I>,
    /// Whether a list of this name was replaced.
    pub has_replaced: bool,
    /// Rows that are not blank, the header not counted.
    pub n_rows: u64,
    /// Rows that are, or would be, saved.
    pub n_accepted: u64,
    /// Rows that break a rule.
    pub n_errors: u64,
    /// What parts the cells.
    pub delimiter: Option<Delimiter>,
    /// Which columns are read.
    pub columns: ReadColumns,
    /// What there is to say, at most 100 of each severity, in the order of the rows.
    pub problems: Vec<RowProblem>,
    /// The first rows as they were understood.
    pub preview: Vec<P>,
    n_remarks: [usize; 3],
}

/// One kind of list: what its rows are, and where they are saved.
pub trait ListKind: Debug + Sized + Send + Sync {
    /// The id of a list.
    type Id: UploadedListId + Debug + Sync;
    /// A row as it is saved.
    type Item: Debug + Send + Sync;
    /// A row as a report shows it.
    type Preview: Debug + Send + Sync;
    /// What came of an upload.
    type Report: Send;
    /// What one is called in the log.
    const NAME: &'static str;
    /// Rows that a list may have.
    const MAX_ROWS: u32;
    /// Lists and rows that a shop may have.
    const OF_SHOP: (u64, u64);
    /// What is said of a file without a row that could be saved.
    const NO_ROW: &'static str;
    /// What is said where the shop has as many lists as it may.
    const LISTS_FULL: &'static str;
    /// What is said where the shop would have more rows than it may.
    const ROWS_FULL: &'static str;

    /// Recognises the columns by the first row.
    ///
    /// # Errors
    /// For columns that the mapping names or the list needs, and the file does not have.
    fn recognise(
        &mut self,
        headers: Vec<String>,
        mapping: &BTreeMap<String, String>,
    ) -> Result<ReadColumns, InvalidInput>;

    /// The rows that can be converted now that `row` came: by default itself.
    fn ready(&mut self, row: Row) -> Vec<Row> {
        vec![row]
    }

    /// The rows that [`ready`](Self::ready) held back, at the end of the file.
    fn rest(&mut self) -> Vec<Row> {
        Vec::new()
    }

    /// The row as it is saved; notes in the report what is wrong with it, and accepts it there.
    fn convert(&mut self, row: &Row, report: &mut ListReport<Self::Id, Self::Preview>) -> Option<Self::Item>;

    /// Makes the list, which nobody sees before it is published.
    fn create(
        &self,
        store: &Store,
        tenant_id: TenantId,
        id: Self::Id,
        user_id: UserId,
        now: Timestamp,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Adds rows to it; false where it is gone.
    fn add(
        store: &Store,
        tenant_id: TenantId,
        id: Self::Id,
        items: &[Self::Item],
    ) -> impl Future<Output = Result<bool, StoreError>> + Send;

    /// The whole report.
    fn report(self, list: ListReport<Self::Id, Self::Preview>) -> Self::Report;
}

/// A list that is read while it arrives. Nobody sees anything of it until [`ListUpload::finish`] publishes it; one that
/// is dropped half-way is deleted later.
#[derive(Debug)]
pub struct ListUpload<K: ListKind> {
    parts: Parts,
    tenant_id: TenantId,
    user_id: UserId,
    id: K::Id,
    options: ListFileOptions,
    pub(super) kind: K,
    reader: RowReader,
    has_header: bool,
    batch: Vec<K::Item>,
    is_made: bool,
    report: ListReport<K::Id, K::Preview>,
    _place: Place<Person>,
}

impl Parts {
    /// Begins to read a list of this name.
    ///
    /// # Errors
    /// [`Error::Busy`] while as many lists arrive as may, of all kinds together: each writes without pause.
    pub(super) fn receive_list<K: ListKind>(
        &self,
        user: &User,
        tenant_id: TenantId,
        id: K::Id,
        name: String,
        kind: K,
        options: ListFileOptions,
    ) -> Result<ListUpload<K>> {
        let place = self.price_list_places.take(user.into())?;
        Ok(ListUpload {
            parts: self.clone(),
            tenant_id,
            user_id: user.id,
            id,
            reader: RowReader::new(options.delimiter),
            options,
            kind,
            has_header: false,
            batch: Vec::new(),
            is_made: false,
            report: ListReport::new(name),
            _place: place,
        })
    }
}

impl<K: ListKind> ListUpload<K> {
    /// Reads a further piece of the file.
    ///
    /// # Errors
    /// [`Error::Invalid`] for what is no table, or has too many rows. The upload must be abandoned then.
    pub async fn push(&mut self, bytes: &[u8]) -> Result<()> {
        for piece in bytes.chunks(PIECE_BYTES) {
            let rows = self.reader.push(piece)?;
            self.take(rows).await?;
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Reads the last row and publishes the list, unless it is a dry run.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a file without a row to save, and for one with a row that breaks a rule unless such rows
    /// are left out: nothing is saved then.
    pub async fn finish(mut self) -> Result<K::Report> {
        match self.complete().await {
            Ok(()) => Ok(self.kind.report(self.report)),
            Err(error) => {
                self.abandon().await;
                Err(error)
            }
        }
    }

    /// Deletes what has been saved of the list so far.
    pub async fn abandon(self) {
        if !self.is_made {
            return;
        }
        if let Err(error) = self.parts.store.discard_list(self.tenant_id, self.id).await {
            // Nobody sees it, and the next clean-up deletes it.
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "{} that was given up is still there",
                K::NAME
            );
        }
    }

    async fn complete(&mut self) -> Result<()> {
        let rows = self.reader.finish()?;
        self.take(rows).await?;
        let rest = self.kind.rest();
        self.convert(rest).await?;
        let invalid = |message: &str| InvalidInput::new("file", message);
        if !self.has_header {
            return Err(invalid("The file is empty. Its first row must name the columns.").into());
        }
        if self.options.is_dry_run {
            return Ok(());
        }
        // Only now, so that the refusal counts all faults and names the first.
        if self.report.n_errors > 0 && !self.options.skips_errors {
            return Err(self.report.refusal().into());
        }
        if self.report.n_accepted == 0 {
            return Err(invalid(K::NO_ROW).into());
        }
        self.save().await?;
        let now = self.parts.clock.now();
        match self.parts.store.publish_list(self.tenant_id, self.id, K::OF_SHOP, now).await? {
            PublishList::Published { has_replaced } => {
                self.report.saved_as = Some(self.id);
                self.report.has_replaced = has_replaced;
            }
            PublishList::TooManyLists => return Err(InvalidInput::new("name", K::LISTS_FULL).into()),
            PublishList::TooManyRows => return Err(invalid(K::ROWS_FULL).into()),
            PublishList::Missing => return Err(Self::gone()),
        }
        tracing::info!(list.rows = self.report.n_accepted, "published {}", K::NAME);
        Ok(())
    }

    async fn take(&mut self, rows: Vec<Row>) -> Result<()> {
        for row in rows {
            if !self.has_header {
                let headers = row.cells().map(str::to_owned).collect();
                self.report.columns = self.kind.recognise(headers, &self.options.mapping)?;
                self.report.delimiter = self.reader.delimiter();
                self.has_header = true;
                continue;
            }
            // The header is row 1.
            if row.number > K::MAX_ROWS + 1 {
                let message = format!(
                    "The file has more than {} rows. Please split it into lists with a name each.",
                    K::MAX_ROWS
                );
                return Err(InvalidInput::new("file", message).into());
            }
            let ready = self.kind.ready(row);
            self.convert(ready).await?;
        }
        Ok(())
    }

    async fn convert(&mut self, rows: Vec<Row>) -> Result<()> {
        for (row, number) in rows.into_iter().zip(1..) {
            self.report.n_rows += 1;
            if let Some(item) = self.kind.convert(&row, &mut self.report) {
                self.keep(item).await?;
            }
            if number % ROWS_A_PIECE == 0 {
                tokio::task::yield_now().await;
            }
        }
        Ok(())
    }

    async fn keep(&mut self, item: K::Item) -> Result<()> {
        // The list will be refused: what follows is read for the report alone.
        let is_refused = self.report.n_errors > 0 && !self.options.skips_errors;
        if self.options.is_dry_run || is_refused {
            return Ok(());
        }
        self.batch.push(item);
        if self.batch.len() >= ROWS_A_SAVE { self.save().await } else { Ok(()) }
    }

    async fn save(&mut self) -> Result<()> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let store = &self.parts.store;
        // Made with its first rows, so that a file that is refused early leaves nothing behind.
        if !self.is_made {
            let now = self.parts.clock.now();
            self.kind.create(store, self.tenant_id, self.id, self.user_id, now).await?;
            self.is_made = true;
        }
        if !K::add(store, self.tenant_id, self.id, &self.batch).await? {
            return Err(Self::gone());
        }
        self.batch.clear();
        Ok(())
    }

    fn gone() -> Error {
        Error::internal(format!("{} went while it arrived", K::NAME))
    }
}

impl<I, P> ListReport<I, P> {
    fn new(name: String) -> Self {
        Self {
            name,
            saved_as: None,
            has_replaced: false,
            n_rows: 0,
            n_accepted: 0,
            n_errors: 0,
            delimiter: None,
            columns: ReadColumns::default(),
            problems: Vec::new(),
            preview: Vec::new(),
            n_remarks: [0; 3],
        }
    }

    /// Counts a row that can be saved; `preview` is how it is shown.
    pub(super) fn accept(&mut self, preview: impl FnOnce() -> P) {
        self.n_accepted += 1;
        if self.preview.len() < PREVIEWED {
            self.preview.push(preview());
        }
    }

    /// Keeps a remark on a row, and counts the row if it breaks a rule.
    pub(super) fn note(&mut self, row: u32, severity: Severity, field: &'static str, message: String) {
        if severity == Severity::Error {
            self.n_errors += 1;
        }
        let noted = &mut self.n_remarks[severity as usize];
        if *noted < MAX_REMARKS {
            *noted += 1;
            self.problems.push(RowProblem { row, field, severity, message });
        }
    }

    /// Why the list is refused: the first of the rows that break a rule.
    fn refusal(&self) -> InvalidInput {
        let faults = self.problems.iter().filter(|problem| problem.severity == Severity::Error);
        let faults = faults.take(NAMED_FAULTS);
        let named: Vec<String> =
            faults.map(|fault| format!("Row {}, `{}`: {}", fault.row, fault.field, fault.message)).collect();
        let more = match self.n_errors.saturating_sub(NAMED_FAULTS as u64) {
            0 => String::new(),
            more => format!(" And {more} more; a dry run names the first {MAX_REMARKS}."),
        };
        let advice = "Please correct the rows, or send `skipErrors` to leave them out.";
        InvalidInput::new("file", format!("Nothing was saved. {}{more} {advice}", named.join(" ")))
    }
}
