//! A price list while it arrives.

use std::collections::{BTreeMap, HashSet};

use partsight_domain::{
    DecimalSign, Feature, InvalidInput, PRICE_LIST_MAX_ROWS, PRICE_LISTS_OF_SHOP, PRICE_ROWS_OF_SHOP,
    PriceListDetails, PriceListForm, PriceListId, PriceListItem, TenantId, User, UserId, messages, part_key,
};
use partsight_store::{NewPriceList, PublishList};
use uuid::Uuid;

use super::columns::Columns;
use super::report::{PriceListReport, Severity};
use super::rows::{Converter, RowOutcome};
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
/// Rows and bytes that wait for the decimal sign to show.
const MAX_WAITING_ROWS: usize = 2_000;
const MAX_WAITING_BYTES: usize = 4 * 1024 * 1024;

/// How a price list is to be read.
#[derive(Debug, Clone, Default)]
pub struct PriceListOptions {
    /// What the list is.
    pub form: PriceListForm,
    /// Field to header, for headers that are not known; an empty header leaves the field out.
    pub mapping: BTreeMap<String, String>,
    /// What parts the cells; found out unless given.
    pub delimiter: Option<Delimiter>,
    /// What parts the decimals; found out unless given.
    pub decimal_sign: Option<DecimalSign>,
    /// Whether nothing is to be saved.
    pub is_dry_run: bool,
    /// Whether rows that break a rule are left out, instead of the whole list being refused.
    pub skips_errors: bool,
}

/// A price list that is read while it arrives. Nobody sees anything of it until [`PriceListUpload::finish`] publishes
/// it; one that is dropped half-way is deleted later.
#[derive(Debug)]
pub struct PriceListUpload {
    parts: Parts,
    tenant_id: TenantId,
    user_id: UserId,
    id: PriceListId,
    details: PriceListDetails,
    options: PriceListOptions,
    known_types: HashSet<String>,
    reader: RowReader,
    /// Made with the header.
    converter: Option<Converter>,
    waiting: Vec<Row>,
    waiting_bytes: usize,
    batch: Vec<PriceListItem>,
    is_made: bool,
    report: PriceListReport,
    _place: Place<Person>,
}

impl Parts {
    /// Begins to read a price list.
    ///
    /// # Errors
    /// [`Error::Forbidden`] without the plan for it, or for a member of a company who is no manager;
    /// [`Error::Invalid`] for what the form says; [`Error::Busy`] while as many lists arrive as may.
    pub async fn receive_price_list(
        &self,
        user: &User,
        options: PriceListOptions,
    ) -> Result<PriceListUpload> {
        let tenant_id = super::managed_tenant(user)?;
        if !self.accounts.effective_plan(user).includes(Feature::SupplierIntegration) {
            return Err(Error::Forbidden { message: messages::PRICE_LIST_PLAN_NEEDED });
        }
        let details = PriceListDetails::from_form(&options.form)?;
        let place = self.price_list_places.take(user.into())?;
        Ok(PriceListUpload {
            parts: self.clone(),
            tenant_id,
            user_id: user.id,
            id: PriceListId(Uuid::now_v7()),
            report: PriceListReport::new(&details),
            details,
            known_types: self.known_type_keys(user).await?,
            reader: RowReader::new(options.delimiter),
            options,
            converter: None,
            waiting: Vec::new(),
            waiting_bytes: 0,
            batch: Vec::new(),
            is_made: false,
            _place: place,
        })
    }

    /// Labels and names of the part types that a user knows, as they are compared.
    async fn known_type_keys(&self, user: &User) -> Result<HashSet<String>> {
        let mut keys = HashSet::new();
        for part_type in self.catalog.iter() {
            keys.insert(part_type.label.to_string());
            keys.insert(part_key(&part_type.name));
            keys.extend(part_type.also_known_as.iter().map(|name| part_key(name)));
        }
        for part_type in self.part_types(user).await?.taught() {
            keys.insert(part_type.label.to_string());
            keys.insert(part_key(&part_type.name));
        }
        Ok(keys)
    }
}

impl PriceListUpload {
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
    /// [`Error::Invalid`] for a file without a price, and for one with a row that breaks a rule unless such rows are
    /// left out: nothing is saved then.
    pub async fn finish(mut self) -> Result<PriceListReport> {
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
                "a price list that was given up is still there"
            );
        }
    }

    async fn complete(&mut self) -> Result<()> {
        let rows = self.reader.finish()?;
        self.take(rows).await?;
        self.release_waiting().await?;
        let invalid = |message: &str| InvalidInput::new("file", message);
        if self.converter.is_none() {
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
            return Err(invalid("The file has no row with a price.").into());
        }
        self.save().await?;
        let limits = (PRICE_LISTS_OF_SHOP, PRICE_ROWS_OF_SHOP);
        let now = self.parts.clock.now();
        match self.parts.store.publish_list(self.tenant_id, self.id, limits, now).await? {
            PublishList::Published { has_replaced } => {
                self.report.saved_as = Some(self.id);
                self.report.has_replaced = has_replaced;
            }
            PublishList::TooManyLists => {
                return Err(InvalidInput::new("name", messages::PRICE_LISTS_FULL).into());
            }
            PublishList::TooManyRows => return Err(invalid(messages::PRICE_ROWS_FULL).into()),
            PublishList::Missing => return Err(Error::internal("a price list went while it arrived")),
        }
        tracing::info!(price_list.rows = self.report.n_accepted, "published a price list");
        Ok(())
    }

    async fn take(&mut self, rows: Vec<Row>) -> Result<()> {
        for row in rows {
            let Some(converter) = &mut self.converter else {
                self.begin(&row)?;
                continue;
            };
            // The header is row 1.
            if row.number > PRICE_LIST_MAX_ROWS + 1 {
                let message = format!(
                    "The file has more than {PRICE_LIST_MAX_ROWS} rows. Please split it into lists with a name each."
                );
                return Err(InvalidInput::new("file", message).into());
            }
            // `1.234` alone can be read two ways, so rows wait until one of them shows which sign parts the
            // decimals. See docs/decisions/0045-ambiguous-prices.md.
            if converter.sign.is_some() {
                self.convert(&row).await?;
                continue;
            }
            converter.sign = converter.sign_of(&row);
            let has_sign = converter.sign.is_some();
            self.waiting_bytes += row.n_bytes();
            self.waiting.push(row);
            // No more than so many: if no row has shown the sign by then, those that need it are faults.
            if has_sign || self.waiting.len() >= MAX_WAITING_ROWS || self.waiting_bytes >= MAX_WAITING_BYTES {
                self.release_waiting().await?;
            }
        }
        Ok(())
    }

    fn begin(&mut self, header: &Row) -> Result<()> {
        let headers = header.cells().map(str::to_owned).collect();
        let columns = Columns::recognise(headers, &self.options.mapping)?;
        self.report.columns = columns.read();
        self.report.ignored_columns = columns.ignored();
        self.report.delimiter = self.reader.delimiter();
        self.converter = Some(Converter {
            columns,
            currency: self.details.currency,
            sign: self.options.decimal_sign,
            known_types: std::mem::take(&mut self.known_types),
        });
        Ok(())
    }

    async fn release_waiting(&mut self) -> Result<()> {
        self.waiting_bytes = 0;
        for (at, row) in std::mem::take(&mut self.waiting).into_iter().enumerate() {
            self.convert(&row).await?;
            if at % ROWS_A_PIECE == 0 {
                tokio::task::yield_now().await;
            }
        }
        Ok(())
    }

    async fn convert(&mut self, row: &Row) -> Result<()> {
        let Some(converter) = &self.converter else { return Ok(()) };
        self.report.decimal_sign = converter.sign;
        self.report.n_rows += 1;
        match converter.convert(row) {
            RowOutcome::Skip(remark) => {
                self.report.n_skipped += 1;
                self.report.note(row.number, Severity::Skipped, remark);
            }
            RowOutcome::Fault(remark) => {
                self.report.n_errors += 1;
                self.report.note(row.number, Severity::Error, remark);
            }
            RowOutcome::Item(item, remarks) => {
                let is_known = converter.is_known_type(&item.type_key);
                self.report.accept(&item, is_known);
                for remark in remarks {
                    self.report.note(row.number, Severity::Note, remark);
                }
                self.keep(*item).await?;
            }
        }
        Ok(())
    }

    async fn keep(&mut self, item: PriceListItem) -> Result<()> {
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
            let new = NewPriceList {
                id: self.id,
                details: &self.details,
                user_id: self.user_id,
                created_at: self.parts.clock.now(),
            };
            store.create_price_list(self.tenant_id, new).await?;
            self.is_made = true;
        }
        if !store.add_price_list_items(self.tenant_id, self.id, &self.batch).await? {
            return Err(Error::internal("a price list went while it arrived"));
        }
        self.batch.clear();
        Ok(())
    }
}
