//! The items of a batch with their answers: as pages for a screen, and whole as a file.

use std::collections::HashMap;

use partsight_domain::{BatchId, BatchItem, InvalidInput, ItemPosition, Scan, ScanId, User};
use partsight_store::{ItemFilter, ScanFilter};
use serde_json::json;

use crate::batches::Batches;
use crate::csv_file::file;
use crate::{PartTypes, Result};

/// Items in one page, where nothing is said and at most.
const DEFAULT_PAGE: u32 = 200;
const MAX_PAGE: u32 = 500;

const CSV_COLUMNS: [&str; 11] = [
    "key",
    "file",
    "state",
    "problem",
    "duplicate_of",
    "part",
    "label",
    "verdict",
    "confidence",
    "right_label",
    "scan",
];

/// Which page of the items to show.
#[derive(Debug, Clone, Default)]
pub struct ItemQuery {
    /// Which items, in which order, after which place.
    pub filter: ItemFilter,
    /// At most so many, 1 to 500; 200 unless given.
    pub limit: Option<u32>,
}

/// An item with its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemAnswer {
    /// The item.
    pub item: BatchItem,
    /// Its answer, where it has one that was not deleted since.
    pub scan: Option<Scan>,
}

/// A page of the items.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemPage {
    /// In the order that was asked for.
    pub items: Vec<ItemAnswer>,
    /// Where the next page begins, if there is one.
    pub next: Option<ItemPosition>,
}

/// In which form the results come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultsFormat {
    /// One JSON object a line.
    JsonLines,
    /// A table with a header.
    Csv,
}

impl Batches {
    /// A page of the items of a batch.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound), [`Error::Invalid`](crate::Error::Invalid) for a limit out of range.
    pub async fn items(&self, user: &User, id: BatchId, query: &ItemQuery) -> Result<ItemPage> {
        let limit = query.limit.unwrap_or(DEFAULT_PAGE);
        if !(1..=MAX_PAGE).contains(&limit) {
            return Err(InvalidInput::new("limit", "Please ask for 1 to 500 items at a time.").into());
        }
        self.get(user, id).await?;
        // One more than asked for tells whether there is a next page.
        let mut items = self.store.list_batch_items(user.tenant_id, id, &query.filter, limit + 1).await?;
        let has_more = items.len() > limit as usize;
        items.truncate(limit as usize);
        let next = if has_more { items.last().map(BatchItem::position) } else { None };
        Ok(ItemPage { items: self.with_scans(user, items).await?, next })
    }

    /// All items of a batch as a file, in the order in which they were sent.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound), and those of the store.
    pub async fn results(&self, user: &User, id: BatchId, format: ResultsFormat) -> Result<String> {
        let types = self.parts.part_types(user).await?;
        let mut query = ItemQuery { limit: Some(MAX_PAGE), ..ItemQuery::default() };
        let (mut lines, mut rows) = (String::new(), Vec::new());
        loop {
            let page = self.items(user, id, &query).await?;
            for answer in &page.items {
                match format {
                    ResultsFormat::JsonLines => lines.push_str(&json_line(&types, answer)),
                    ResultsFormat::Csv => rows.push(csv_row(&types, answer)),
                }
            }
            query.filter.after = page.next;
            if page.next.is_none() {
                break;
            }
        }
        Ok(match format {
            ResultsFormat::JsonLines => lines,
            ResultsFormat::Csv => file(&CSV_COLUMNS, rows.into_iter()),
        })
    }

    async fn with_scans(&self, user: &User, items: Vec<BatchItem>) -> Result<Vec<ItemAnswer>> {
        let ids: Vec<ScanId> = items.iter().filter_map(|item| item.scan_id).collect();
        let limit = u32::try_from(ids.len()).unwrap_or(MAX_PAGE);
        let filter = ScanFilter { ids: Some(ids), ..ScanFilter::default() };
        let scans = self.store.list_scans(user.tenant_id, &filter, limit).await?;
        let mut scans: HashMap<ScanId, Scan> = scans.into_iter().map(|scan| (scan.id, scan)).collect();
        let with_scan = |item: BatchItem| {
            let scan = item.scan_id.and_then(|id| scans.remove(&id));
            ItemAnswer { item, scan }
        };
        Ok(items.into_iter().map(with_scan).collect())
    }
}

fn json_line(types: &PartTypes, ItemAnswer { item, scan }: &ItemAnswer) -> String {
    let answer = scan.as_ref().map(|scan| {
        let feedback = scan.feedback.as_ref();
        json!({
            "id": scan.id,
            "part": types.name(&scan.best.label),
            "label": scan.best.label.as_str(),
            "verdict": scan.verdict.as_str(),
            "confidence": scan.best.confidence,
            "feedback": feedback.map(|feedback| feedback.kind.as_str()),
            "rightLabel": feedback.and_then(|feedback| feedback.label.as_ref()).map(ToString::to_string),
            "scannedAt": scan.scanned_at.to_string(),
        })
    });
    let line = json!({
        "id": item.id,
        "key": item.key,
        "file": item.name,
        "state": item.state.as_str(),
        "problem": item.problem,
        "duplicateOf": item.duplicate_of,
        "scan": answer,
    });
    format!("{line}\n")
}

fn csv_row(types: &PartTypes, ItemAnswer { item, scan }: &ItemAnswer) -> Vec<String> {
    let of_scan = |read: &dyn Fn(&Scan) -> String| scan.as_ref().map(read).unwrap_or_default();
    vec![
        item.key.clone(),
        item.name.clone(),
        item.state.as_str().to_owned(),
        item.problem.clone().unwrap_or_default(),
        item.duplicate_of.map(|id| id.to_string()).unwrap_or_default(),
        of_scan(&|scan| types.name(&scan.best.label)),
        of_scan(&|scan| scan.best.label.to_string()),
        of_scan(&|scan| scan.verdict.as_str().to_owned()),
        of_scan(&|scan| format!("{:.3}", scan.best.confidence)),
        of_scan(&|scan| {
            let label = scan.feedback.as_ref().and_then(|feedback| feedback.label.as_ref());
            label.map(ToString::to_string).unwrap_or_default()
        }),
        of_scan(&|scan| scan.id.to_string()),
    ]
}
