//! The items of a batch with their answers, as pages and as a file.

mod sheet;
mod table;

use std::collections::HashMap;

use partsight_domain::{
    BatchId, BatchItem, BatchSort, InvalidInput, ItemPosition, PartLabel, PhotoSize, Scan, ScanGrade, ScanId,
    User,
};
use partsight_store::{ItemFilter, ScanFilter};

use super::item_group::ItemGroup;
use crate::batches::Batches;
use crate::csv_file::file;
use crate::parquet_file::ParquetFile;
use crate::{Error, Result};
use sheet::Sheet;

/// Default and maximum of items per page.
const DEFAULT_PAGE: u32 = 200;
const MAX_PAGE: u32 = 500;

/// A query for one page of items.
#[derive(Debug, Clone, Default)]
pub struct ItemQuery {
    /// Filter, order and start position.
    pub filter: ItemFilter,
    /// Maximum of items, 1 to 500; 200 by default.
    pub limit: Option<u32>,
}

/// An item with its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemAnswer {
    /// The item.
    pub item: BatchItem,
    /// Its answer, unless it has none or its scan was deleted.
    pub scan: Option<Scan>,
    /// Its group; `None` for a single photograph.
    pub group: Option<ItemGroup>,
    /// The condition grade of its part; in a grouped list, that of its group.
    pub grade: Option<ScanGrade>,
}

/// A page of items.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemPage {
    /// The items in the requested order.
    pub items: Vec<ItemAnswer>,
    /// Start of the next page, if there is one.
    pub next: Option<ItemPosition>,
}

/// Format of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultsFormat {
    /// One JSON object per line.
    JsonLines,
    /// CSV with a header.
    Csv,
    /// A spreadsheet with a thumbnail in each row.
    Xlsx,
    /// A Parquet file.
    Parquet,
}

/// A file being written.
enum Writing {
    JsonLines(String),
    Csv(Vec<Vec<String>>),
    Xlsx(Box<Sheet>),
    Parquet(ParquetFile<Vec<u8>>),
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
        // Only before the first page: doubts that change between pages would move items across page boundaries,
        // so that some would be shown twice or never.
        let is_first_page = query.filter.after.is_none();
        if query.filter.is_grouped && query.filter.sort == BatchSort::Doubt && is_first_page {
            self.work_out_group_doubts(user, id).await?;
        }
        // One more than the limit shows whether there is a next page.
        let mut items = self.store.list_batch_items(user.tenant_id, id, &query.filter, limit + 1).await?;
        let has_more = items.len() > limit as usize;
        items.truncate(limit as usize);
        let next = if has_more { items.last().map(BatchItem::position) } else { None };
        let answers = self.with_scans(user, items).await?;
        let mut items = self.with_groups(user, id, answers).await?;
        if query.filter.is_grouped {
            // The entry stands for all photographs of the group, of which any may have the grade.
            for ItemAnswer { group, grade, .. } in &mut items {
                if let Some(group) = group {
                    grade.clone_from(&group.grade);
                }
            }
        }
        Ok(ItemPage { items, next })
    }

    /// The part types that the photographs of a batch show by their answers, or the corrections of them, each with its
    /// number of photographs; the most frequent first.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound).
    pub async fn types(&self, user: &User, id: BatchId) -> Result<Vec<(PartLabel, u64)>> {
        self.get(user, id).await?;
        Ok(self.store.count_batch_types(user.tenant_id, id).await?)
    }

    /// All items of a batch as a file, in the order of upload.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound), [`Error::Busy`](crate::Error::Busy) at the limit of whole batches
    /// in memory, and those of the store.
    pub async fn results(&self, user: &User, id: BatchId, format: ResultsFormat) -> Result<Vec<u8>> {
        // Held until the file is complete, because its rows, and the pictures of a spreadsheet, are in memory
        // until then.
        let _place = self.whole.take(user.into())?;
        let types = self.parts.part_types(user).await?;
        let mut query = ItemQuery { limit: Some(MAX_PAGE), ..ItemQuery::default() };
        let mut writing = match format {
            ResultsFormat::JsonLines => Writing::JsonLines(String::new()),
            ResultsFormat::Csv => Writing::Csv(Vec::new()),
            ResultsFormat::Xlsx => Writing::Xlsx(Box::new(Sheet::new())),
            ResultsFormat::Parquet => {
                let file = ParquetFile::new(Vec::new(), table::COLUMNS.to_vec());
                Writing::Parquet(file.map_err(Error::internal)?)
            }
        };
        loop {
            let page = self.items(user, id, &query).await?;
            for answer in &page.items {
                match &mut writing {
                    Writing::JsonLines(lines) => lines.push_str(&table::json_line(&types, answer)),
                    Writing::Csv(rows) => rows.push(table::csv_row(&types, answer)),
                    Writing::Xlsx(sheet) => {
                        let picture =
                            if sheet.takes_pictures() { self.picture_of(user, answer).await? } else { None };
                        sheet.add(table::row(&types, answer), picture.as_deref())?;
                    }
                    Writing::Parquet(file) => {
                        file.push(table::row(&types, answer)).map_err(Error::internal)?;
                    }
                }
            }
            query.filter.after = page.next;
            if page.next.is_none() {
                break;
            }
        }
        // Packing a spreadsheet with thousands of pictures takes seconds.
        self.parts.heavy.run(user.into(), |_| writing.finish()).await
    }

    /// The thumbnail of an answer, if one is kept.
    async fn picture_of(&self, user: &User, answer: &ItemAnswer) -> Result<Option<Vec<u8>>> {
        let Some(scan) = answer.scan.as_ref().filter(|scan| scan.has_thumbnail) else { return Ok(None) };
        let photo = self.scanning.kept_photo(user.tenant_id, scan.id, PhotoSize::Thumbnail).await?;
        Ok(photo.map(|photo| photo.bytes))
    }

    /// Adds its answer to each item.
    pub(super) async fn with_scans(&self, user: &User, items: Vec<BatchItem>) -> Result<Vec<ItemAnswer>> {
        let ids: Vec<ScanId> = items.iter().filter_map(|item| item.scan_id).collect();
        let limit = u32::try_from(ids.len()).unwrap_or(MAX_PAGE);
        let filter = ScanFilter { ids: Some(ids), ..ScanFilter::default() };
        // Two queries per page instead of two per item.
        let scans = self.store.list_scans(user.tenant_id, &filter, limit).await?;
        let mut scans: HashMap<ScanId, Scan> = scans.into_iter().map(|scan| (scan.id, scan)).collect();
        let ids: Vec<ScanId> = scans.keys().copied().collect();
        let grades = self.store.list_scan_grades(user.tenant_id, &ids).await?;
        let mut grades: HashMap<ScanId, ScanGrade> = grades.into_iter().collect();
        let with_scan = |item: BatchItem| {
            let scan = item.scan_id.and_then(|id| scans.remove(&id));
            let grade = item.scan_id.and_then(|id| grades.remove(&id));
            ItemAnswer { item, scan, group: None, grade }
        };
        Ok(items.into_iter().map(with_scan).collect())
    }
}

impl Writing {
    fn finish(self) -> Result<Vec<u8>> {
        match self {
            Self::JsonLines(lines) => Ok(lines.into_bytes()),
            Self::Csv(rows) => {
                let names: Vec<&str> = table::COLUMNS.iter().map(|(name, _)| *name).collect();
                Ok(file(&names, rows.into_iter()).into_bytes())
            }
            Self::Xlsx(sheet) => sheet.finish(),
            Self::Parquet(file) => file.finish().map_err(Error::internal),
        }
    }
}
