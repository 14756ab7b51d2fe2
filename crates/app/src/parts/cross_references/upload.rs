//! A list of cross-references while it arrives.

use std::collections::BTreeMap;

use partsight_domain::{
    CROSS_REFERENCE_LISTS_OF_SHOP, CROSS_REFERENCE_MAX_ROWS, CROSS_REFERENCE_ROWS_OF_SHOP, CrossReference,
    CrossReferenceListId, InvalidInput, TenantId, User, UserId, cross_reference_list_name, messages,
};
use partsight_store::PublishList;
use uuid::Uuid;

use super::rows::Columns;
use crate::csv_file::reader::{Delimiter, Row, RowReader};
use crate::limits::person::Person;
use crate::limits::places::Place;
use crate::parts::Parts;
use crate::parts::price_lists::{MAX_REMARKS, PREVIEWED, RowProblem, Severity, managed_tenant, refusal};
use crate::{Error, Result};

/// Rows that are saved at a time: a transaction of some 50 ms.
const ROWS_A_SAVE: usize = 5_000;
/// How much is read without letting other requests go on: about a millisecond.
const PIECE_BYTES: usize = 16 * 1024;

/// How a list is to be read.
#[derive(Debug, Clone, Default)]
pub struct CrossReferenceOptions {
    /// By which it replaces the one before it.
    pub name: Option<String>,
    /// Field to header, for headers that are not known; an empty header leaves the field out.
    pub mapping: BTreeMap<String, String>,
    /// What parts the cells; found out unless given.
    pub delimiter: Option<Delimiter>,
    /// Whether nothing is to be saved.
    pub is_dry_run: bool,
    /// Whether rows that break a rule are left out, instead of the whole list being refused.
    pub skips_errors: bool,
}

/// What an upload did, or would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrossReferenceReport {
    /// The list's name.
    pub name: String,
    /// Under which id it was saved; `None` for a dry run.
    pub saved_as: Option<CrossReferenceListId>,
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
    /// The fields that are read, each with its header as written.
    pub columns: Vec<(&'static str, String)>,
    /// The headers of the columns that are not read.
    pub ignored_columns: Vec<String>,
    /// The first 100 rows that break a rule.
    pub problems: Vec<RowProblem>,
    /// The first rows as they were understood.
    pub preview: Vec<CrossReference>,
}

/// A list that is read while it arrives. Nobody sees anything of it until [`CrossReferenceUpload::finish`] publishes
/// it; one that is dropped half-way is deleted later.
#[derive(Debug)]
pub struct CrossReferenceUpload {
    parts: Parts,
    tenant_id: TenantId,
    user_id: UserId,
    id: CrossReferenceListId,
    options: CrossReferenceOptions,
    reader: RowReader,
    /// Made with the header.
    columns: Option<Columns>,
    batch: Vec<CrossReference>,
    is_made: bool,
    report: CrossReferenceReport,
    _place: Place<Person>,
}

impl Parts {
    /// Begins to read a list of cross-references.
    ///
    /// # Errors
    /// [`Error::Forbidden`] without the plan for it, or for a member of a company who is no manager;
    /// [`Error::Invalid`] for its name; [`Error::Busy`] while as many lists arrive as may.
    pub fn receive_cross_references(
        &self,
        user: &User,
        options: CrossReferenceOptions,
    ) -> Result<CrossReferenceUpload> {
        let tenant_id = managed_tenant(user)?;
        if !self.has_cross_references(user) {
            return Err(Error::Forbidden { message: messages::CROSS_REFERENCE_PLAN_NEEDED });
        }
        let name = cross_reference_list_name(options.name.as_deref())?;
        // Of price lists and these together: both write without pause.
        let place = self.price_list_places.take(user.into())?;
        Ok(CrossReferenceUpload {
            parts: self.clone(),
            tenant_id,
            user_id: user.id,
            id: CrossReferenceListId(Uuid::now_v7()),
            reader: RowReader::new(options.delimiter),
            options,
            columns: None,
            batch: Vec::new(),
            is_made: false,
            report: CrossReferenceReport::new(name),
            _place: place,
        })
    }
}

impl CrossReferenceUpload {
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
    /// [`Error::Invalid`] for a file without a row, and for one with a row that breaks a rule unless such rows are
    /// left out: nothing is saved then.
    pub async fn finish(mut self) -> Result<CrossReferenceReport> {
        match self.complete().await {
            Ok(()) => Ok(self.report),
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
                "a list of cross-references that was given up is still there"
            );
        }
    }

    async fn complete(&mut self) -> Result<()> {
        let rows = self.reader.finish()?;
        self.take(rows).await?;
        let invalid = |message: &str| InvalidInput::new("file", message);
        if self.columns.is_none() {
            return Err(invalid("The file is empty. Its first row must name the columns.").into());
        }
        if self.options.is_dry_run {
            return Ok(());
        }
        // Only now, so that the refusal counts all faults and names the first.
        if self.report.n_errors > 0 && !self.options.skips_errors {
            return Err(refusal(self.report.problems.iter(), self.report.n_errors).into());
        }
        if self.report.n_accepted == 0 {
            return Err(invalid("The file has no row with two numbers.").into());
        }
        self.save().await?;
        let limits = (CROSS_REFERENCE_LISTS_OF_SHOP, CROSS_REFERENCE_ROWS_OF_SHOP);
        let now = self.parts.clock.now();
        let store = &self.parts.store;
        match store.publish_list(self.tenant_id, self.id, limits, now).await? {
            PublishList::Published { has_replaced } => {
                self.report.saved_as = Some(self.id);
                self.report.has_replaced = has_replaced;
            }
            PublishList::TooManyLists => {
                return Err(InvalidInput::new("name", messages::CROSS_REFERENCE_LISTS_FULL).into());
            }
            PublishList::TooManyRows => return Err(invalid(messages::CROSS_REFERENCE_ROWS_FULL).into()),
            PublishList::Missing => return Err(gone()),
        }
        tracing::info!(
            cross_references.rows = self.report.n_accepted,
            "published a list of cross-references"
        );
        Ok(())
    }

    async fn take(&mut self, rows: Vec<Row>) -> Result<()> {
        for row in rows {
            let Some(columns) = &self.columns else {
                let headers = row.cells().map(str::to_owned).collect();
                let columns = Columns::recognise(headers, &self.options.mapping)?;
                self.report.columns = columns.read();
                self.report.ignored_columns = columns.ignored();
                self.report.delimiter = self.reader.delimiter();
                self.columns = Some(columns);
                continue;
            };
            // The header is row 1.
            if row.number > CROSS_REFERENCE_MAX_ROWS + 1 {
                let message = format!(
                    "The file has more than {CROSS_REFERENCE_MAX_ROWS} rows. Please split it into lists with a name each."
                );
                return Err(InvalidInput::new("file", message).into());
            }
            self.report.n_rows += 1;
            match columns.convert(&row) {
                Ok(item) => {
                    self.report.n_accepted += 1;
                    if self.report.preview.len() < PREVIEWED {
                        self.report.preview.push(item.clone());
                    }
                    self.keep(item).await?;
                }
                Err((field, message)) => self.report.fault(row.number, field, message),
            }
        }
        Ok(())
    }

    async fn keep(&mut self, item: CrossReference) -> Result<()> {
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
            let (name, now) = (&self.report.name, self.parts.clock.now());
            store.create_cross_reference_list(self.tenant_id, self.id, name, self.user_id, now).await?;
            self.is_made = true;
        }
        if !store.add_cross_references(self.tenant_id, self.id, &self.batch).await? {
            return Err(gone());
        }
        self.batch.clear();
        Ok(())
    }
}

fn gone() -> Error {
    Error::internal("a list of cross-references went while it arrived")
}

impl CrossReferenceReport {
    fn new(name: String) -> Self {
        Self {
            name,
            saved_as: None,
            has_replaced: false,
            n_rows: 0,
            n_accepted: 0,
            n_errors: 0,
            delimiter: None,
            columns: Vec::new(),
            ignored_columns: Vec::new(),
            problems: Vec::new(),
            preview: Vec::new(),
        }
    }

    fn fault(&mut self, row: u32, field: &'static str, message: String) {
        self.n_errors += 1;
        if self.problems.len() < MAX_REMARKS {
            self.problems.push(RowProblem { row, field, severity: Severity::Error, message });
        }
    }
}
