//! The life of price lists and cross-reference lists: invisible while they arrive, published in one step, deleted and
//! restored.

use std::fmt::Display;

use jiff::Timestamp;
use partsight_domain::{CrossReferenceListId, PriceListId, TenantId};
use sqlx::{AssertSqlSafe, Row};

use crate::{Error, Store, rows};

/// Rows that are deleted at a time, so that other writers do not wait long.
const ROWS_A_DELETION: i64 = 10_000;

/// The id of an uploaded list, and the tables of its kind of lists.
pub trait UploadedListId: Copy + Display + Send {
    /// The table of the lists.
    const LISTS: &'static str;
    /// The table of their rows.
    const ROWS: &'static str;
    /// The column of the id in both.
    const ID: &'static str;
}

impl UploadedListId for PriceListId {
    const LISTS: &'static str = "price_list";
    const ROWS: &'static str = "price_list_item";
    const ID: &'static str = "price_list_id";
}

impl UploadedListId for CrossReferenceListId {
    const LISTS: &'static str = "cross_reference_list";
    const ROWS: &'static str = "cross_reference";
    const ID: &'static str = "cross_reference_list_id";
}

/// The result of publishing a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishList {
    /// It is published; returns whether it replaced one with its name.
    Published {
        /// Whether there was one.
        has_replaced: bool,
    },
    /// The tenant has as many lists as allowed.
    TooManyLists,
    /// The tenant would have more rows than allowed.
    TooManyRows,
    /// There is no such list, or it is published already.
    Missing,
}

impl Store {
    /// Publishes a list of a tenant in place of the one with its name, which can be restored until it is purged; an
    /// earlier deleted one with that name is deleted by the next purge.
    ///
    /// `max_lists` and `max_rows` bound what a tenant may have in total. Deleted lists count, but the oldest of them
    /// are permanently deleted if this list needs their room.
    pub async fn publish_list<I: UploadedListId>(
        &self,
        tenant_id: TenantId,
        id: I,
        (max_lists, max_rows): (u64, u64),
        now: Timestamp,
    ) -> Result<PublishList, Error> {
        let (lists, id_column, id) = (I::LISTS, I::ID, id.to_string());
        let mut tx = self.begin().await?;
        // The bounds are a rule over all lists of the tenant, so the tenant is locked.
        Self::lock_tenant(&mut tx, tenant_id).await?;
        let sql = format!(
            "SELECT name_key FROM {lists} WHERE tenant_id = $1 AND {id_column} = $2 AND published_at IS NULL"
        );
        let query = sql!(AssertSqlSafe(sql), [tenant_id, id]);
        let unpublished = query.fetch_optional(&mut *tx).await?;
        let Some(row) = unpublished else {
            tx.rollback().await?;
            return Ok(PublishList::Missing);
        };
        let name_key: String = row.try_get("name_key")?;
        // One earlier version is kept; those before it are marked for the next purge by a time before any that is
        // kept.
        let sql = format!(
            "UPDATE {lists} SET deleted_at = 0 \
             WHERE tenant_id = $1 AND name_key = $2 AND published_at IS NOT NULL AND deleted_at IS NOT NULL"
        );
        sql!(AssertSqlSafe(sql), [tenant_id, name_key]).execute(&mut *tx).await?;
        let sql = format!(
            "UPDATE {lists} SET deleted_at = $3 \
             WHERE tenant_id = $1 AND name_key = $2 AND published_at IS NOT NULL AND deleted_at IS NULL"
        );
        let replaced = sql!(AssertSqlSafe(sql), [tenant_id, name_key, now]).execute(&mut *tx).await?;
        let sql = format!(
            "SELECT {id_column} AS list_id, n_items FROM {lists} \
             WHERE tenant_id = $1 AND COALESCE(deleted_at, 1) > 0 \
                   AND (published_at IS NOT NULL OR {id_column} = $2) \
             ORDER BY deleted_at, {id_column}"
        );
        let kept = sql!(AssertSqlSafe(sql), [tenant_id, id]).fetch_all(&mut *tx).await?;
        let (mut n_lists, mut n_rows) = (kept.len() as u64, 0);
        for list in &kept {
            n_rows += rows::count(list, "n_items")?;
        }
        // Deleted lists are kept only to be restored, so they make room, the oldest first: they are marked for the
        // next purge. The one that was just replaced is the newest of them.
        let mark = format!(
            "UPDATE {lists} SET deleted_at = 0 WHERE tenant_id = $1 AND {id_column} = $2 AND deleted_at > 0"
        );
        for list in &kept {
            if n_lists <= max_lists && n_rows <= max_rows {
                break;
            }
            let list_id: String = list.try_get("list_id")?;
            // Nothing is marked if the list is not deleted, or was restored meanwhile.
            let query = sql!(AssertSqlSafe(mark.clone()), [tenant_id, list_id]);
            if query.execute(&mut *tx).await?.rows_affected() > 0 {
                n_lists -= 1;
                n_rows -= rows::count(list, "n_items")?;
            }
        }
        // A refusal rolls the transaction back, so that the earlier list stays published and deleted ones restorable.
        if n_lists > max_lists {
            tx.rollback().await?;
            return Ok(PublishList::TooManyLists);
        }
        if n_rows > max_rows {
            tx.rollback().await?;
            return Ok(PublishList::TooManyRows);
        }
        let sql = format!("UPDATE {lists} SET published_at = $3 WHERE tenant_id = $1 AND {id_column} = $2");
        sql!(AssertSqlSafe(sql), [tenant_id, id, now]).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(PublishList::Published { has_replaced: replaced.rows_affected() > 0 })
    }

    /// Deletes an unpublished list of a tenant.
    pub async fn discard_list<I: UploadedListId>(&self, tenant_id: TenantId, id: I) -> Result<(), Error> {
        let sql = format!(
            "SELECT {id_column} FROM {lists} WHERE tenant_id = $1 AND {id_column} = $2 AND published_at IS NULL",
            lists = I::LISTS,
            id_column = I::ID
        );
        let query = scalar!(AssertSqlSafe(sql), [tenant_id, id.to_string()]);
        // Ownership is checked here, since its rows are deleted by its id in several transactions.
        let found: Option<String> = query.fetch_optional(&self.db).await?;
        match found {
            Some(id) => self.erase_list::<I>(&id).await,
            None => Ok(()),
        }
    }

    /// Marks a list of a tenant as deleted at a given time, or restores it; returns whether that changed anything.
    ///
    /// # Errors
    /// [`Error::Constraint`] `price_list_name_taken` or `cross_reference_list_name_taken` if a list with its name
    /// exists and it is to be restored.
    pub async fn set_list_deleted<I: UploadedListId>(
        &self,
        tenant_id: TenantId,
        id: I,
        deleted_at: Option<Timestamp>,
    ) -> Result<bool, Error> {
        let sql = format!(
            "UPDATE {} SET deleted_at = $3 \
             WHERE tenant_id = $1 AND {} = $2 AND published_at IS NOT NULL \
                   AND COALESCE(deleted_at, 1) > 0 AND (deleted_at IS NULL) <> ($3 IS NULL)",
            I::LISTS,
            I::ID
        );
        let query = sql!(AssertSqlSafe(sql), [tenant_id, id.to_string(), deleted_at]);
        Ok(self.write(query).await? > 0)
    }

    /// Permanently deletes the lists of all tenants that were deleted before one time, or created before another and
    /// never published; returns how many.
    pub async fn purge_lists<I: UploadedListId>(
        &self,
        deleted_before: Timestamp,
        made_before: Timestamp,
    ) -> Result<u64, Error> {
        let sql = format!(
            "SELECT {} FROM {} WHERE deleted_at < $1 OR (published_at IS NULL AND created_at < $2)",
            I::ID,
            I::LISTS
        );
        let query = scalar!(AssertSqlSafe(sql), [deleted_before, made_before]);
        let doomed: Vec<String> = query.fetch_all(&self.db).await?;
        // Marked first, by a statement that re-checks the condition: a list that was restored meanwhile is kept, and
        // one that is being deleted cannot be restored.
        let mark = format!(
            "UPDATE {} SET deleted_at = 0 \
             WHERE {} = $3 AND (deleted_at < $1 OR (published_at IS NULL AND created_at < $2))",
            I::LISTS,
            I::ID
        );
        let mut n_erased = 0;
        for id in &doomed {
            let query = sql!(AssertSqlSafe(mark.clone()), [deleted_before, made_before, id]);
            if self.write(query).await? > 0 {
                self.erase_list::<I>(id).await?;
                n_erased += 1;
            }
        }
        Ok(n_erased)
    }

    /// Permanently deletes the lists of a tenant, before the tenant itself is deleted.
    pub(crate) async fn erase_lists_of<I: UploadedListId>(&self, tenant_id: &str) -> Result<(), Error> {
        // Marked first: if this is interrupted, no list is seen without some of its rows, and the next purge continues.
        let sql = format!("UPDATE {} SET deleted_at = 0 WHERE tenant_id = $1", I::LISTS);
        self.write(sql!(AssertSqlSafe(sql), [tenant_id])).await?;
        let sql = format!("SELECT {} FROM {} WHERE tenant_id = $1 AND deleted_at = 0", I::ID, I::LISTS);
        let lists: Vec<String> = scalar!(AssertSqlSafe(sql), [tenant_id]).fetch_all(&self.db).await?;
        for id in &lists {
            self.erase_list::<I>(id).await?;
        }
        Ok(())
    }

    /// Deletes an invisible list, a chunk of rows at a time.
    async fn erase_list<I: UploadedListId>(&self, id: &str) -> Result<(), Error> {
        let (lists, rows, id_column) = (I::LISTS, I::ROWS, I::ID);
        let sql = format!("SELECT MAX(row_number) FROM {rows} WHERE {id_column} = $1");
        let last: Option<i64> = scalar!(AssertSqlSafe(sql), [id]).fetch_one(&self.db).await?;
        // By row numbers, which begin at 1 and are the key, so that each deletion reads only what it deletes.
        let mut up_to = 0;
        while up_to < last.unwrap_or(0) {
            up_to += ROWS_A_DELETION;
            let sql = format!("DELETE FROM {rows} WHERE {id_column} = $1 AND row_number <= $2");
            self.write(sql!(AssertSqlSafe(sql), [id, up_to])).await?;
        }
        // Last: if this is interrupted, the list still exists, and the next purge continues.
        let sql = format!("DELETE FROM {lists} WHERE {id_column} = $1");
        self.write(sql!(AssertSqlSafe(sql), [id])).await?;
        Ok(())
    }
}
