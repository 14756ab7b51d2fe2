//! Uploads of price lists.

use std::collections::{BTreeMap, HashSet};

use jiff::{SignedDuration, Timestamp};
use partsight_domain::{
    DecimalSign, InvalidInput, PRICE_LIST_MAX_ROWS, PRICE_LIST_RESTORABLE, PRICE_LISTS_OF_SHOP,
    PRICE_ROWS_OF_SHOP, PriceListDetails, PriceListForm, PriceListId, PriceListItem, TenantId, User, UserId,
    messages, part_key,
};
use partsight_store::{Error as StoreError, NewPriceList, Store};
use uuid::Uuid;

use super::columns::Columns;
use super::report::{PreviewedRow, PriceCounts, PriceListReport};
use super::rows::{Converter, RowOutcome};
use crate::csv_file::reader::Row;
use crate::parts::Parts;
use crate::parts::list_upload::{ListFileOptions, ListKind, ListReport, ListUpload, ReadColumns, Severity};
use crate::{Entity, Result};

/// Most rows, and bytes, that are held back until the decimal sign is known.
const MAX_WAITING_ROWS: usize = 2_000;
const MAX_WAITING_BYTES: usize = 4 * 1024 * 1024;

/// How a price list is to be read.
#[derive(Debug, Clone, Default)]
pub struct PriceListOptions {
    /// What the list is.
    pub form: PriceListForm,
    /// The decimal sign; detected by default.
    pub decimal_sign: Option<DecimalSign>,
    /// How its file is read.
    pub file: ListFileOptions,
}

/// A price list that is read while it arrives.
pub type PriceListUpload = ListUpload<PriceListRows>;

/// Turns rows of a file into prices.
#[derive(Debug)]
pub struct PriceListRows {
    details: PriceListDetails,
    /// The decimal sign of the form, if it states one.
    decimal_sign: Option<DecimalSign>,
    known_types: HashSet<String>,
    /// Created with the header.
    converter: Option<Converter>,
    waiting: Vec<Row>,
    waiting_bytes: usize,
    counts: PriceCounts,
}

impl Parts {
    /// Begins to read a price list.
    ///
    /// # Errors
    /// [`Forbidden`](crate::Error::Forbidden) without the plan for it, or for a member of a company who is no manager;
    /// [`Invalid`](crate::Error::Invalid) for what the form says; [`Busy`](crate::Error::Busy) while as many lists
    /// arrive as may.
    pub async fn receive_price_list(
        &self,
        user: &User,
        options: PriceListOptions,
    ) -> Result<PriceListUpload> {
        let tenant_id = self.shop_for_lists::<PriceListRows>(user)?;
        let details = PriceListDetails::from_form(&options.form)?;
        let name = details.name.clone();
        let rows = PriceListRows {
            details,
            decimal_sign: options.decimal_sign,
            known_types: HashSet::new(),
            converter: None,
            waiting: Vec::new(),
            waiting_bytes: 0,
            counts: PriceCounts::default(),
        };
        let id = PriceListId(Uuid::now_v7());
        // The place first: the part types are not read if there is none.
        let mut upload = self.receive_list(user, tenant_id, id, name, rows, options.file)?;
        upload.kind.known_types = self.known_type_keys(user).await?;
        Ok(upload)
    }

    /// Normalised labels and names of the part types that a user knows.
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

impl ListKind for PriceListRows {
    type Id = PriceListId;
    type Item = PriceListItem;
    type Preview = PreviewedRow;
    type Report = PriceListReport;
    const ENTITY: Entity = Entity::PriceList;
    const NAME: &'static str = "a price list";
    const RESTORABLE: SignedDuration = PRICE_LIST_RESTORABLE;
    const MAX_ROWS: u32 = PRICE_LIST_MAX_ROWS;
    const OF_SHOP: (u64, u64) = (PRICE_LISTS_OF_SHOP, PRICE_ROWS_OF_SHOP);
    const PLAN_NEEDED: &'static str = messages::PRICE_LIST_PLAN_NEEDED;
    const NAME_TAKEN: &'static str = messages::PRICE_LIST_NAME_TAKEN;
    const NO_ROW: &'static str = "The file has no row with a price.";
    const LISTS_FULL: &'static str = messages::PRICE_LISTS_FULL;
    const ROWS_FULL: &'static str = messages::PRICE_ROWS_FULL;

    fn recognise(
        &mut self,
        headers: Vec<String>,
        mapping: &BTreeMap<String, String>,
    ) -> Result<ReadColumns, InvalidInput> {
        let columns = Columns::recognise(headers, mapping)?;
        let read = columns.read();
        self.converter = Some(Converter {
            columns,
            currency: self.details.currency,
            sign: self.decimal_sign,
            known_types: std::mem::take(&mut self.known_types),
        });
        Ok(read)
    }

    /// `1.234` alone is ambiguous, so rows are held back until one of them shows the decimal sign. See
    /// docs/decisions/0045-ambiguous-prices.md.
    fn ready(&mut self, row: Row) -> Vec<Row> {
        let Some(converter) = self.converter.as_mut().filter(|converter| converter.sign.is_none()) else {
            return vec![row];
        };
        converter.sign = converter.sign_of(&row);
        let has_sign = converter.sign.is_some();
        self.waiting_bytes += row.n_bytes();
        self.waiting.push(row);
        // Bounded: if no row has shown the sign by then, the ambiguous ones are faults.
        if has_sign || self.waiting.len() >= MAX_WAITING_ROWS || self.waiting_bytes >= MAX_WAITING_BYTES {
            self.rest()
        } else {
            Vec::new()
        }
    }

    fn rest(&mut self) -> Vec<Row> {
        self.waiting_bytes = 0;
        std::mem::take(&mut self.waiting)
    }

    fn convert(
        &mut self,
        row: &Row,
        report: &mut ListReport<PriceListId, PreviewedRow>,
    ) -> Option<PriceListItem> {
        let converter = self.converter.as_ref()?;
        self.counts.decimal_sign = converter.sign;
        match converter.convert(row) {
            RowOutcome::Skip(remark) => {
                self.counts.n_skipped += 1;
                report.note(row.number, Severity::Skipped, remark.field, remark.message);
                None
            }
            RowOutcome::Fault(remark) => {
                report.note(row.number, Severity::Error, remark.field, remark.message);
                None
            }
            RowOutcome::Item(item, remarks) => {
                let is_known_part = converter.is_known_type(&item.type_key);
                report.accept(|| PreviewedRow {
                    row: item.row,
                    part: item.name.clone(),
                    part_number: item.part_number.clone(),
                    price: item.price,
                    is_known_part,
                });
                *self.counts.currencies.entry(item.price.currency()).or_default() += 1;
                if !is_known_part && item.number_key.is_empty() {
                    self.counts.n_unknown += 1;
                }
                for remark in remarks {
                    report.note(row.number, Severity::Note, remark.field, remark.message);
                }
                Some(*item)
            }
        }
    }

    async fn create(
        &self,
        store: &Store,
        tenant_id: TenantId,
        id: PriceListId,
        user_id: UserId,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let new = NewPriceList { id, details: &self.details, user_id, created_at: now };
        store.create_price_list(tenant_id, new).await
    }

    async fn add(
        store: &Store,
        tenant_id: TenantId,
        id: PriceListId,
        items: &[PriceListItem],
    ) -> Result<bool, StoreError> {
        store.add_price_list_items(tenant_id, id, items).await
    }

    fn report(self, list: ListReport<PriceListId, PreviewedRow>) -> PriceListReport {
        PriceListReport { list, supplier: self.details.supplier, prices: self.counts }
    }
}
