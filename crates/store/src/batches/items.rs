//! The photographs of a batch: adding and listing them.

use jiff::Timestamp;
use jiff::civil::DateTime;
use partsight_domain::{
    BatchId, BatchItem, BatchItemId, BatchItemState, BatchSort, BatchState, ItemPosition, PartLabel,
    TenantId, Verdict,
};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use super::events::item_failed;
use super::jobs::set_state;
use crate::filter::Filter;
use crate::scanning::SHOWN_LABEL;
use crate::transaction::retried;
use crate::{Error, Store, rows};

/// A photograph to add to a batch.
#[derive(Debug, Clone, Copy)]
pub struct NewBatchItem<'a> {
    /// Its id, if it is new.
    pub id: BatchItemId,
    /// The key that the client gave it.
    pub key: &'a str,
    /// The file name.
    pub name: &'a str,
    /// SHA-256 of its bytes, lower-case hex.
    pub sha256: &'a str,
    /// When it was taken, by the camera's clock.
    pub captured_at: Option<DateTime>,
    /// The photograph, or the sentence why it is refused.
    pub photo: Result<&'a [u8], &'a str>,
}

/// The result of adding a photograph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemAdded {
    /// It is a new item.
    New(BatchItemId),
    /// An item with this key and content exists.
    Known(BatchItemId),
    /// It is a new item with the same bytes as another one, the second of these.
    Duplicate(BatchItemId, BatchItemId),
    /// The batch was cancelled or does not exist.
    Closed,
}

/// Which items of a batch are listed; by default all.
#[derive(Debug, Clone, Default)]
pub struct ItemFilter {
    /// Only those in this state.
    pub state: Option<BatchItemState>,
    /// Only those whose answer has this verdict. If `is_grouped`, the first answer of a group counts as that of its
    /// first item, here and for `label`.
    pub verdict: Option<Verdict>,
    /// Only those whose answer, or the correction of it, is this part.
    pub label: Option<PartLabel>,
    /// Only those with this part number, as [`partsight_domain::folded_number`] writes it: read on the photograph, or
    /// in its key or file name. Separators and characters that are easily confused do not matter.
    pub folded_number: Option<String>,
    /// Of each group only the first item that passes `is_discarded`, sorted by the doubt of the group if that is
    /// computed.
    pub is_grouped: bool,
    /// Only discarded items, or only the others.
    pub is_discarded: Option<bool>,
    /// The sort order.
    pub sort: BatchSort,
    /// Only those after this position.
    pub after: Option<ItemPosition>,
}

/// Most photographs with the same key in one batch that are numbered and recognised if they are sent again.
const MOST_OF_ONE_KEY: u32 = 100;

impl Store {
    /// Adds photographs to a batch of a tenant in one transaction, each once for its key and content; returns what became
    /// of each, with the key that the item got.
    pub async fn add_batch_items(
        &self,
        tenant_id: TenantId,
        batch_id: BatchId,
        items: &[NewBatchItem<'_>],
        now: Timestamp,
    ) -> Result<Vec<(ItemAdded, String)>, Error> {
        retried(|| async {
            let mut tx = self.begin().await?;
            // The first statement locks the batch, so that of two equal photographs at once the second is found to be a
            // duplicate.
            let query = sql!(
                "UPDATE batch SET served_at = served_at WHERE tenant_id = $1 AND batch_id = $2 RETURNING state",
                [tenant_id, batch_id]
            );
            let state = query.fetch_optional(&mut *tx).await?;
            let state: Option<BatchState> = state.map(|row| rows::parsed(&row, "state")).transpose()?;
            // A batch in a state without a next one takes no more photographs.
            let Some((state, next_state)) = state.and_then(|state| Some((state, state.after_more_photos()?)))
            else {
                tx.rollback().await?;
                return Ok(items.iter().map(|new| (ItemAdded::Closed, new.key.to_owned())).collect());
            };
            let (mut added, mut failed, mut has_waiting) = (Vec::with_capacity(items.len()), Vec::new(), false);
            for new in items {
                let (known, key) = item_key(tenant_id, batch_id, new, &mut tx).await?;
                if let Some(known) = known {
                    added.push((ItemAdded::Known(known), key));
                    continue;
                }
                let (item_state, original) = insert_item(tenant_id, batch_id, new, &key, &mut tx).await?;
                match item_state {
                    BatchItemState::Waiting => has_waiting = true,
                    BatchItemState::Failed => failed.push((item_failed(new.id, &mut tx).await?, now)),
                    _ => {}
                }
                let item = match original {
                    Some(original) => ItemAdded::Duplicate(new.id, original),
                    None => ItemAdded::New(new.id),
                };
                added.push((item, key));
            }
            // Only a photograph that will be answered reopens a batch that was done.
            if has_waiting && next_state != state {
                set_state(tenant_id, batch_id, next_state, &mut tx).await?;
            }
            // Events come last in a transaction: see `append_event`.
            self.append_events(tenant_id, &failed, &mut tx).await?;
            tx.commit().await?;
            Ok(added)
        })
        .await
    }

    /// Whether a batch of a tenant has a photograph with the key and content of `new`, so that adding it again would
    /// find it [known](ItemAdded::Known).
    pub async fn has_batch_item(
        &self,
        tenant_id: TenantId,
        batch_id: BatchId,
        new: &NewBatchItem<'_>,
    ) -> Result<bool, Error> {
        let mut db = self.db.acquire().await?;
        let (known, _) = item_key(tenant_id, batch_id, new, &mut db).await?;
        Ok(known.is_some())
    }

    /// Those of `digests` (SHA-256 in lower-case hex) that photographs of other batches of the tenant have.
    pub async fn list_in_other_batches(
        &self,
        tenant_id: TenantId,
        batch_id: BatchId,
        digests: &[&str],
    ) -> Result<Vec<String>, Error> {
        let mut conditions = Filter::new("tenant_id", tenant_id);
        conditions.and(|f| f.one_of("sha256", digests));
        conditions.and(|f| format!("batch_id <> {}", f.text(batch_id)));
        // A batch that was deleted is no longer the tenant's, and its items are until they are erased.
        conditions.and(|f| {
            format!("batch_id IN (SELECT batch_id FROM batch WHERE tenant_id = {})", f.text(tenant_id))
        });
        let sql = format!("SELECT DISTINCT sha256 FROM batch_item WHERE {}", conditions.condition());
        let query = conditions.bind(sqlx::query(AssertSqlSafe(sql)));
        self.list(query, |row| Ok(row.try_get("sha256")?)).await
    }

    /// At most `limit` items of a batch of a tenant that pass `filter`.
    pub async fn list_batch_items(
        &self,
        tenant_id: TenantId,
        batch_id: BatchId,
        filter: &ItemFilter,
        limit: u32,
    ) -> Result<Vec<BatchItem>, Error> {
        let mut conditions = listed_items(tenant_id, batch_id, filter);
        // Until the doubt of a group is computed, its first photograph's is used.
        let doubt_column = if filter.is_grouped {
            "COALESCE(batch_item.group_doubt, batch_item.doubt)"
        } else {
            "batch_item.doubt"
        };
        // The id at the end makes the order total, which a cursor needs.
        let order = match filter.sort {
            BatchSort::Sent => "batch_item.batch_item_id".to_owned(),
            BatchSort::Doubt => format!("{doubt_column} DESC, batch_item.batch_item_id"),
        };
        if let Some(after) = filter.after {
            conditions.and(|f| {
                let id = f.text(after.id);
                match filter.sort {
                    BatchSort::Sent => format!("batch_item.batch_item_id > {id}"),
                    BatchSort::Doubt => {
                        let doubt = f.number(after.doubt);
                        format!(
                            "({doubt_column} < {doubt} OR \
                              ({doubt_column} = {doubt} AND batch_item.batch_item_id > {id}))"
                        )
                    }
                }
            });
        }
        // Bound after all conditions, because placeholders are numbered in the order of binding.
        let limit = conditions.number(i64::from(limit));
        // The first photograph of a group may have no answer; then the first one that has one stands for it.
        let scan_id = if filter.is_grouped {
            "COALESCE(batch_item.scan_id, \
                 (SELECT member.scan_id FROM batch_item AS member \
                  WHERE member.batch_id = batch_item.batch_id AND member.group_id = batch_item.group_id \
                    AND member.scan_id IS NOT NULL ORDER BY member.batch_item_id LIMIT 1))"
        } else {
            "batch_item.scan_id"
        };
        let sql = format!(
            "SELECT batch_item.*, {doubt_column} AS sorted_by FROM batch_item \
             LEFT JOIN scan ON scan.scan_id = {scan_id} \
             WHERE {} ORDER BY {order} LIMIT {limit}",
            conditions.condition()
        );
        let query = conditions.bind(sqlx::query(AssertSqlSafe(sql)));
        self.list(query, |row| Ok(BatchItem { doubt: row.try_get("sorted_by")?, ..item_from_row(row)? }))
            .await
    }

    /// The part types that the photographs of a batch of a tenant show by their answers, or the corrections of them, each
    /// with its number of photographs; the most frequent first.
    pub async fn count_batch_types(
        &self,
        tenant_id: TenantId,
        batch_id: BatchId,
    ) -> Result<Vec<(PartLabel, u64)>, Error> {
        let query = sql!(
            AssertSqlSafe(format!(
                "SELECT shown.label, COUNT(*) AS n_photos FROM \
                     (SELECT {SHOWN_LABEL} AS label FROM batch_item \
                      JOIN scan ON scan.scan_id = batch_item.scan_id \
                      WHERE batch_item.tenant_id = $1 AND batch_item.batch_id = $2) AS shown \
                 WHERE shown.label <> '' GROUP BY shown.label ORDER BY n_photos DESC, shown.label"
            )),
            [tenant_id, batch_id]
        );
        self.list(query, |row| Ok((rows::label(row, "label")?, rows::count(row, "n_photos")?))).await
    }

    /// Discards items of a batch from the list, or restores them; returns how many were changed.
    pub async fn discard_batch_items(
        &self,
        tenant_id: TenantId,
        batch_id: BatchId,
        ids: &[BatchItemId],
        is_discarded: bool,
    ) -> Result<u64, Error> {
        let mut conditions = Filter::new("tenant_id", tenant_id);
        conditions.and(|f| format!("batch_id = {}", f.text(batch_id)));
        conditions.and(|f| f.one_of("batch_item_id", ids));
        let value = i64::from(is_discarded);
        // So that only changed items are counted.
        conditions.and(|f| format!("is_discarded <> {}", f.number(value)));
        let sql = format!("UPDATE batch_item SET is_discarded = {value} WHERE {}", conditions.condition());
        self.write(conditions.bind(sqlx::query(AssertSqlSafe(sql)))).await
    }
}

/// Inserts an item; returns its state, and the item that it is a duplicate of, if it is one.
async fn insert_item(
    tenant_id: TenantId,
    batch_id: BatchId,
    new: &NewBatchItem<'_>,
    key: &str,
    tx: &mut AnyConnection,
) -> Result<(BatchItemState, Option<BatchItemId>), Error> {
    let query = sql!(
        "SELECT batch_item_id FROM batch_item \
         WHERE batch_id = $1 AND sha256 = $2 AND duplicate_of IS NULL AND state <> $3 LIMIT 1",
        [batch_id, new.sha256, BatchItemState::Failed]
    );
    let original = query.fetch_optional(&mut *tx).await?;
    let original: Option<BatchItemId> =
        original.map(|row| rows::parsed(&row, "batch_item_id")).transpose()?;
    let state = match (new.photo, original) {
        (Err(_), _) => BatchItemState::Failed,
        (Ok(_), Some(_)) => BatchItemState::Duplicate,
        (Ok(_), None) => BatchItemState::Waiting,
    };
    // A refused photograph is no duplicate, even if its bytes are known.
    let original = original.filter(|_| state == BatchItemState::Duplicate);
    let query = sql!(
        "INSERT INTO batch_item (batch_item_id, batch_id, tenant_id, client_key, name, sha256, duplicate_of, \
                                 state, problem, doubt, captured_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        [new.id, batch_id, tenant_id, key, new.name, new.sha256, original, state],
        [new.photo.err(), state.doubt(), new.captured_at.map(|moment| moment.to_string())]
    );
    query.execute(&mut *tx).await?;
    // Only a photograph that will be answered keeps its bytes.
    if let (BatchItemState::Waiting, Ok(bytes)) = (state, new.photo) {
        let query = sql!(
            "INSERT INTO batch_photo (batch_item_id, tenant_id, bytes) VALUES ($1, $2, $3)",
            [new.id, tenant_id, bytes]
        );
        query.execute(tx).await?;
    }
    Ok((state, original))
}

/// The key for a photograph to add, with the id of the item if one with this key and content exists.
///
/// A client that lost the answer sends the photograph again under its key. Another photograph with that key, such as a
/// file of the same name in a second zip, gets a key of its own.
async fn item_key(
    tenant_id: TenantId,
    batch_id: BatchId,
    new: &NewBatchItem<'_>,
    db: &mut AnyConnection,
) -> Result<(Option<BatchItemId>, String), Error> {
    let mut key = new.key.to_owned();
    for number in 2.. {
        let query = sql!(
            "SELECT batch_item_id, sha256 FROM batch_item \
             WHERE tenant_id = $1 AND batch_id = $2 AND client_key = $3",
            [tenant_id, batch_id, key.as_str()]
        );
        let Some(row) = query.fetch_optional(&mut *db).await? else { break };
        if row.try_get::<String, _>("sha256")? == new.sha256 {
            return Ok((Some(rows::parsed(&row, "batch_item_id")?), key));
        }
        key = if number <= MOST_OF_ONE_KEY { format!("{} ({number})", new.key) } else { new.id.to_string() };
    }
    Ok((None, key))
}

/// The conditions of `filter` on the items of a batch, all but its position.
fn listed_items(tenant_id: TenantId, batch_id: BatchId, filter: &ItemFilter) -> Filter {
    let mut conditions = Filter::new("batch_item.tenant_id", tenant_id);
    conditions.and(|f| format!("batch_item.batch_id = {}", f.text(batch_id)));
    if let Some(state) = filter.state {
        conditions.and(|f| format!("batch_item.state = {}", f.text(state)));
    }
    if let Some(verdict) = filter.verdict {
        conditions.and(|f| format!("scan.verdict = {}", f.text(verdict)));
    }
    if let Some(label) = &filter.label {
        conditions.and(|f| format!("{SHOWN_LABEL} = {}", f.text(label)));
    }
    if filter.is_grouped && filter.is_discarded.is_none() {
        conditions.and(|_| {
            "(batch_item.group_id IS NULL OR batch_item.group_id = batch_item.batch_item_id)".to_owned()
        });
    }
    if let Some(is_discarded) = filter.is_discarded {
        conditions.and(|f| format!("batch_item.is_discarded = {}", f.number(i64::from(is_discarded))));
    }
    if let Some(is_discarded) = filter.is_discarded.filter(|_| filter.is_grouped) {
        // The first listed item: the one that names the group may be discarded while others are not.
        conditions.and(|f| {
            format!(
                "NOT EXISTS (SELECT 1 FROM batch_item AS earlier WHERE earlier.batch_id = batch_item.batch_id \
                   AND earlier.group_id = batch_item.group_id AND earlier.is_discarded = {} \
                   AND earlier.batch_item_id < batch_item.batch_item_id)",
                f.number(i64::from(is_discarded))
            )
        });
    }
    if let Some(number) = &filter.folded_number {
        conditions.and(|f| has_number(f, number));
    }
    conditions
}

/// The condition that an item has a folded number: read on the photograph, in its key or in its file name.
fn has_number(filter: &mut Filter, number: &str) -> String {
    // It has only letters and digits, and so no wildcard.
    let like = filter.text(format!("%{number}%"));
    let (key, name) = (folded("batch_item.client_key"), folded("batch_item.name"));
    format!(
        "({key} LIKE {like} OR {name} LIKE {like} OR EXISTS (SELECT 1 FROM scan_reading \
           WHERE scan_reading.scan_id = batch_item.scan_id AND scan_reading.folded_lines LIKE {like}))"
    )
}

/// A column as `folded_number` writes it, except for separators that part numbers do not have.
fn folded(column: &str) -> String {
    const REPLACED: [(&str, &str); 12] = [
        ("-", ""),
        (" ", ""),
        (".", ""),
        ("_", ""),
        ("/", ""),
        ("o", "0"),
        ("i", "1"),
        ("l", "1"),
        ("s", "5"),
        ("b", "8"),
        ("z", "2"),
        ("g", "6"),
    ];
    // Nested REPLACE, because SQLite has no TRANSLATE. Only names and keys are folded here, with a full scan of one
    // batch; the text read on photographs is stored folded.
    let lower = format!("LOWER({column})");
    REPLACED.into_iter().fold(lower, |text, (from, to)| format!("REPLACE({text}, '{from}', '{to}')"))
}

pub(super) fn item_from_row(row: &AnyRow) -> Result<BatchItem, Error> {
    Ok(BatchItem {
        id: rows::parsed(row, "batch_item_id")?,
        key: row.try_get("client_key")?,
        name: row.try_get("name")?,
        state: rows::parsed(row, "state")?,
        duplicate_of: rows::optional(row, "duplicate_of")?,
        problem: row.try_get("problem")?,
        scan_id: rows::optional(row, "scan_id")?,
        doubt: row.try_get("doubt")?,
        group_id: rows::optional(row, "group_id")?,
        grouped_by: rows::optional(row, "grouped_by")?,
        captured_at: rows::optional(row, "captured_at")?,
        is_discarded: rows::flag(row, "is_discarded")?,
    })
}
