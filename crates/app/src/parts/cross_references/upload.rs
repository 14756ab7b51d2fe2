//! Upload of a list of cross-references.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use partsight_domain::{
    CROSS_REFERENCE_LISTS_OF_SHOP, CROSS_REFERENCE_MAX_ROWS, CROSS_REFERENCE_RESTORABLE,
    CROSS_REFERENCE_ROWS_OF_SHOP, CrossReference, CrossReferenceListId, InvalidInput, TenantId, User, UserId,
    cross_reference_list_name, messages,
};
use partsight_store::{Error as StoreError, Store};
use uuid::Uuid;

use super::rows::Columns;
use crate::csv_file::reader::Row;
use crate::parts::Parts;
use crate::parts::list_upload::{ListFileOptions, ListKind, ListReport, ListUpload, ReadColumns, Severity};
use crate::{Entity, Result};

/// How a list is to be read.
#[derive(Debug, Clone, Default)]
pub struct CrossReferenceOptions {
    /// Name of the list; a list of the same name is replaced.
    pub name: Option<String>,
    /// How the file is parsed.
    pub file: ListFileOptions,
}

/// What an upload of cross-references did, or would do.
pub type CrossReferenceReport = ListReport<CrossReferenceListId, CrossReference>;

/// An upload of cross-references, parsed as a stream.
pub type CrossReferenceUpload = ListUpload<CrossReferenceRows>;

/// Converts rows of a file to cross-references.
#[derive(Debug)]
pub struct CrossReferenceRows {
    name: String,
    /// `None` until the header is read.
    columns: Option<Columns>,
}

impl Parts {
    /// Begins an upload of cross-references.
    ///
    /// # Errors
    /// [`Forbidden`](crate::Error::Forbidden) if the plan does not include it, or for a member of a company who is no
    /// manager; [`Invalid`](crate::Error::Invalid) for an invalid name; [`Busy`](crate::Error::Busy) at the limit of
    /// concurrent uploads.
    pub fn receive_cross_references(
        &self,
        user: &User,
        options: CrossReferenceOptions,
    ) -> Result<CrossReferenceUpload> {
        let tenant_id = self.shop_for_lists::<CrossReferenceRows>(user)?;
        let name = cross_reference_list_name(options.name.as_deref())?;
        let rows = CrossReferenceRows { name: name.clone(), columns: None };
        let id = CrossReferenceListId(Uuid::now_v7());
        self.receive_list(user, tenant_id, id, name, rows, options.file)
    }
}

impl ListKind for CrossReferenceRows {
    type Id = CrossReferenceListId;
    type Item = CrossReference;
    type Preview = CrossReference;
    type Report = CrossReferenceReport;
    const ENTITY: Entity = Entity::CrossReferenceList;
    const NAME: &'static str = "a list of cross-references";
    const RESTORABLE: SignedDuration = CROSS_REFERENCE_RESTORABLE;
    const MAX_ROWS: u32 = CROSS_REFERENCE_MAX_ROWS;
    const OF_SHOP: (u64, u64) = (CROSS_REFERENCE_LISTS_OF_SHOP, CROSS_REFERENCE_ROWS_OF_SHOP);
    const PLAN_NEEDED: &'static str = messages::CROSS_REFERENCE_PLAN_NEEDED;
    const NAME_TAKEN: &'static str = messages::CROSS_REFERENCE_NAME_TAKEN;
    const NO_ROW: &'static str = "The file has no row with two numbers.";
    const LISTS_FULL: &'static str = messages::CROSS_REFERENCE_LISTS_FULL;
    const ROWS_FULL: &'static str = messages::CROSS_REFERENCE_ROWS_FULL;

    fn recognise(
        &mut self,
        headers: Vec<String>,
        mapping: &BTreeMap<String, String>,
    ) -> Result<ReadColumns, InvalidInput> {
        let columns = Columns::recognise(headers, mapping)?;
        let read = columns.read();
        self.columns = Some(columns);
        Ok(read)
    }

    fn convert(&mut self, row: &Row, report: &mut CrossReferenceReport) -> Option<CrossReference> {
        match self.columns.as_ref()?.convert(row) {
            Ok(item) => {
                report.accept(|| item.clone());
                Some(item)
            }
            Err((field, message)) => {
                report.note(row.number, Severity::Error, field, message);
                None
            }
        }
    }

    async fn create(
        &self,
        store: &Store,
        tenant_id: TenantId,
        id: CrossReferenceListId,
        user_id: UserId,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        store.create_cross_reference_list(tenant_id, id, &self.name, user_id, now).await
    }

    async fn add(
        store: &Store,
        tenant_id: TenantId,
        id: CrossReferenceListId,
        items: &[CrossReference],
    ) -> Result<bool, StoreError> {
        store.add_cross_references(tenant_id, id, items).await
    }

    fn report(self, list: CrossReferenceReport) -> CrossReferenceReport {
        list
    }
}
