//! A shop's price lists and lists of cross-references: uploaded as CSV, deleted and restored.

use std::collections::BTreeMap;
use std::fmt::Debug;

use jiff::{SignedDuration, Timestamp};
use partsight_domain::{Feature, InvalidInput, TenantId, User, UserId};
use partsight_store::{Error as StoreError, PublishList, Store, UploadedListId};

use crate::accounts::owner::shop_to_change;
use crate::csv_file::reader::{Delimiter, Row, RowReader};
use crate::limits::person::Person;
use crate::limits::places::Place;
use crate::parts::Parts;
use crate::{Entity, Error, Result, logged};

/// Rows that are saved at a time: a transaction of some 50 ms. One of half a million rows would block all other
/// writers on SQLite. See docs/decisions/0044-publish-price-lists.md.
const ROWS_A_SAVE: usize = 5_000;
/// Bytes that are parsed before yielding to other tasks: about a millisecond.
const PIECE_BYTES: usize = 16 * 1024;
const ROWS_A_PIECE: usize = 200;
/// Most problems of each severity in a report; the counts are complete.
const MAX_REMARKS: usize = 100;
/// Faulty rows that a refusal names; the dry run lists more.
const NAMED_FAULTS: usize = 5;
/// Rows that a report previews.
const PREVIEWED: usize = 5;
/// An unpublished list of this age belongs to an upload that was aborted.
const GIVEN_UP_AFTER: SignedDuration = SignedDuration::from_hours(2);

/// How the file of a list is read.
#[derive(Debug, Clone, Default)]
pub struct ListFileOptions {
    /// Fields with their headers, for unknown headers; an empty header skips the field.
    pub mapping: BTreeMap<String, String>,
    /// The delimiter of the cells; detected by default.
    pub delimiter: Option<Delimiter>,
    /// Whether nothing is to be saved.
    pub is_dry_run: bool,
    /// Whether rows that break a rule are left out, instead of the whole list being refused.
    pub skips_errors: bool,
}

/// The severity of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The row breaks a rule.
    Error,
    /// The row has nothing to save.
    Skipped,
    /// The row is saved nevertheless.
    Note,
}

/// A problem with a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowProblem {
    /// Row number as in a spreadsheet: the header is row 1.
    pub row: u32,
    /// The affected field of the mapping.
    pub field: &'static str,
    /// The severity.
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

/// The result of an upload or a dry run; `I` is the id of the list, `P` a row in the preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListReport<I, P> {
    /// The list's name.
    pub name: String,
    /// The id of the saved list; `None` for a dry run.
    pub saved_as: Option<I>,
    /// Whether a list of this name was replaced.
    pub has_replaced: bool,
    /// Rows that are not blank, the header not counted.
    pub n_rows: u64,
    /// Rows that are, or would be, saved.
    pub n_accepted: u64,
    /// Rows that break a rule.
    pub n_errors: u64,
    /// The delimiter of the cells.
    pub delimiter: Option<Delimiter>,
    /// Which columns are read.
    pub columns: ReadColumns,
    /// The problems, at most 100 of each severity, in the order of the rows.
    pub problems: Vec<RowProblem>,
    /// The first rows as they were understood.
    pub preview: Vec<P>,
    n_remarks: [usize; 3],
}

/// A kind of list: its rows, and where they are saved.
pub trait ListKind: Debug + Sized + Send + Sync {
    /// The id of a list.
    type Id: UploadedListId + Debug + Sync;
    /// A row as it is saved.
    type Item: Debug + Send + Sync;
    /// A row as a report shows it.
    type Preview: Debug + Send + Sync;
    /// The report of an upload.
    type Report: Send;
    /// What is missing if there is no such list.
    const ENTITY: Entity;
    /// Its name in the log.
    const NAME: &'static str;
    /// How long a deleted list can be restored.
    const RESTORABLE: SignedDuration;
    /// Maximum number of rows of a list.
    const MAX_ROWS: u32;
    /// Maximum number of lists and rows of a shop.
    const OF_SHOP: (u64, u64);
    /// Message if the plan includes no such lists.
    const PLAN_NEEDED: &'static str;
    /// Message if a list that is to be restored has the name of a newer one.
    const NAME_TAKEN: &'static str;
    /// Message for a file without a row that can be saved.
    const NO_ROW: &'static str;
    /// Message if the shop has as many lists as allowed.
    const LISTS_FULL: &'static str;
    /// Message if the shop would have more rows than allowed.
    const ROWS_FULL: &'static str;

    /// Recognises the columns by the header row.
    ///
    /// # Errors
    /// For columns that the mapping names or the list needs, and the file lacks.
    fn recognise(
        &mut self,
        headers: Vec<String>,
        mapping: &BTreeMap<String, String>,
    ) -> Result<ReadColumns, InvalidInput>;

    /// The rows that can be converted once `row` has arrived; by default just that row.
    fn ready(&mut self, row: Row) -> Vec<Row> {
        vec![row]
    }

    /// The rows that [`ready`](Self::ready) held back, at the end of the file.
    fn rest(&mut self) -> Vec<Row> {
        Vec::new()
    }

    /// Converts a row for saving; adds its problems to the report, or accepts it there.
    fn convert(&mut self, row: &Row, report: &mut ListReport<Self::Id, Self::Preview>) -> Option<Self::Item>;

    /// Creates the list, which is invisible until it is published.
    fn create(
        &self,
        store: &Store,
        tenant_id: TenantId,
        id: Self::Id,
        user_id: UserId,
        now: Timestamp,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Adds rows to the list; false if it no longer exists.
    fn add(
        store: &Store,
        tenant_id: TenantId,
        id: Self::Id,
        items: &[Self::Item],
    ) -> impl Future<Output = Result<bool, StoreError>> + Send;

    /// Completes the report.
    fn report(self, list: ListReport<Self::Id, Self::Preview>) -> Self::Report;
}

impl Parts {
    /// Whether the user's plan includes lists.
    pub(super) fn has_lists(&self, user: &User) -> bool {
        self.accounts.effective_plan(user).includes(Feature::SupplierIntegration)
    }

    /// The shop into which the user may upload lists.
    pub(super) fn shop_for_lists<K: ListKind>(&self, user: &User) -> Result<TenantId> {
        let tenant_id = shop_to_change(user)?;
        if self.has_lists(user) { Ok(tenant_id) } else { Err(Error::Forbidden { message: K::PLAN_NEEDED }) }
    }

    /// Deletes a list of the user's shop; it can be restored for 30 days.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a list that does not exist, is not theirs, or is already deleted; [`Error::Forbidden`]
    /// for a member of a company who is no manager.
    pub async fn delete_list<K: ListKind>(&self, user: &User, id: K::Id) -> Result<()> {
        let tenant_id = shop_to_change(user)?;
        let is_deleted = self.store.set_list_deleted(tenant_id, id, Some(self.clock.now())).await?;
        is_deleted.then_some(()).ok_or(Error::NotFound { entity: K::ENTITY })
    }

    /// Restores a deleted or replaced list of the user's shop.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a list that was purged, is not theirs, or is not deleted; [`Error::Conflict`] if there
    /// is a newer list of this name; [`Error::Forbidden`] for a user who may not upload such lists.
    pub async fn restore_list<K: ListKind>(&self, user: &User, id: K::Id) -> Result<()> {
        let tenant_id = self.shop_for_lists::<K>(user)?;
        match self.store.set_list_deleted(tenant_id, id, None).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::NotFound { entity: K::ENTITY }),
            Err(StoreError::Constraint(_)) => Err(Error::Conflict { field: "name", message: K::NAME_TAKEN }),
            Err(other) => Err(other.into()),
        }
    }

    /// Purges lists that were deleted more than 30 days ago, and those of aborted uploads; returns their number.
    pub async fn purge_lists<K: ListKind>(&self) -> Result<u64> {
        let now = self.clock.now();
        Ok(self.store.purge_lists::<K::Id>(now - K::RESTORABLE, now - GIVEN_UP_AFTER).await?)
    }
}

/// An upload of a list. Nothing of it is visible until [`ListUpload::finish`] publishes it; the rows of an
/// interrupted upload are deleted later.
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
    /// Begins an upload of a list with this name.
    ///
    /// # Errors
    /// [`Error::Busy`] if too many lists of any kind are being uploaded: each writes without pause.
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
    /// Parses another chunk of the file.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a file that is no table or has too many rows. The upload must be abandoned then.
    pub async fn push(&mut self, bytes: &[u8]) -> Result<()> {
        for piece in bytes.chunks(PIECE_BYTES) {
            let rows = self.reader.push(piece)?;
            self.take(rows).await?;
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Parses the last row and publishes the list, unless it is a dry run.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a file without a row to save, and for one with a faulty row unless such rows are
    /// skipped: nothing is saved then.
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
            // It is invisible, and the next clean-up deletes it.
            tracing::warn!(error = logged(&error), "{} that was given up is still there", K::NAME);
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
        // Only at the end, so that the refusal counts all faults and names the first.
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
        // The list will be refused: the rest is read only for the report.
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
        // Created with its first rows, so that a file that is refused early leaves nothing behind.
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

    /// Counts a valid row; `preview` is its form in the report.
    pub(super) fn accept(&mut self, preview: impl FnOnce() -> P) {
        self.n_accepted += 1;
        if self.preview.len() < PREVIEWED {
            self.preview.push(preview());
        }
    }

    /// Adds a problem of a row, and counts the row if it is faulty.
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

    /// The message of a refusal: the first of the faulty rows.
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
