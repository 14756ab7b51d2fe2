//! What price lists and cross-references share: made unseen, published at once, deleted and restored.

use std::fmt::Display;

use jiff::Timestamp;
use partsight_domain::{CrossReferenceListId, PriceListId, TenantId};
use sqlx::{AssertSqlSafe, Row};

use crate::{Error, Store};

/// Rows that are deleted at a time, so that nobody else's work waits for long.
const ROWS_A_DELETION: i64 = 10_000;

/// The id of a list that a shop uploads, and where such lists are kept.
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

/// What became of a list that was to be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishList {
    /// It is in force; whether it replaced one of its name.
    Published {
        /// Whether there was one.
        has_replaced: bool,
    },
    /// There are as many lists as there may be.
    TooManyLists,
    /// There are as many rows as there may be.
    TooManyRows,
    /// There is no such list, or it is published.
    Missing,
}

impl Store {
    /// Puts a list of a tenant into force in place of the one of its name, which can be restored until it is purged; an
    /// older one of that name that was deleted is purged with the next ones.
    ///
    /// `max_lists` and `max_rows` bound what a tenant may have in all, deleted lists among it.
    pub async fn publish_list<I: UploadedListId>(
        &self,
        tenant_id: TenantId,
        id: I,
        (max_lists, max_rows): (u64, u64),
        now: Timestamp,
    ) -> Result<PublishList, Error> {
        let (lists, id_column, id) = (I::LISTS, I::ID, id.to_string());
        let mut tx = self.begin().await?;
        // The bounds are a rule over all lists of the tenant.
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
        // One version to go back to is enough: those before it make room. The moment is before any that is kept.
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
            "SELECT COUNT(*) AS n_lists, CAST(COALESCE(SUM(n_items), 0) AS BIGINT) AS n_rows FROM {lists} \
             WHERE tenant_id = $1 AND COALESCE(deleted_at, 1) > 0 \
                   AND (published_at IS NOT NULL OR {id_column} = $2)"
        );
        // Counted after the older versions were marked, which a replacement does not have to make room for. A refusal
        // is rolled back with the transaction, so that the list before stays in force.
        let totals = sql!(AssertSqlSafe(sql), [tenant_id, id]).fetch_one(&mut *tx).await?;
        if totals.try_get::<i64, _>("n_lists")?.unsigned_abs() > max_lists {
            tx.rollback().await?;
            return Ok(PublishList::TooManyLists);
        }
        if totals.try_get::<i64, _>("n_rows")?.unsigned_abs() > max_rows {
            tx.rollback().await?;
            return Ok(PublishList::TooManyRows);
        }
        let sql = format!("UPDATE {lists} SET published_at = $3 WHERE tenant_id = $1 AND {id_column} = $2");
        sql!(AssertSqlSafe(sql), [tenant_id, id, now]).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(PublishList::Published { has_replaced: replaced.rows_affected() > 0 })
    }

    /// Gives up a list of a tenant that was not published.
    pub async fn discard_list<I: UploadedListId>(&self, tenant_id: TenantId, id: I) -> Result<(), Error> {
        let sql = format!(
            "SELECT {id_column} FROM {lists} WHERE tenant_id = $1 AND {id_column} = $2 AND published_at IS NULL",
            lists = I::LISTS,
            id_column = I::ID
        );
        let query = scalar!(AssertSqlSafe(sql), [tenant_id, id.to_string()]);
        // Whose list it is is checked here, and its id is what is deleted by: rows are erased in several transactions.
        let found: Option<String> = query.fetch_optional(&self.db).await?;
        match found {
            Some(id) => self.erase_list::<I>(&id).await,
            None => Ok(()),
        }
    }

    /// Marks a list of a tenant as deleted at a moment, or restores it; tells whether that changed anything.
    ///
    /// # Errors
    /// [`Error::Constraint`] `price_list_name_taken` or `cross_reference_list_name_taken` for one that is to be
    /// restored beside another of its name.
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

    /// Deletes for good the lists of all tenants that were deleted before one moment, and those that were made before
    /// another and never published; returns how many went.
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
        // Marked first, in a statement that looks once more, so that one that was restored since is kept, and one that
        // is being erased cannot be restored.
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

    /// Deletes a list that nobody sees any more, its rows some at a time.
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
        // Last: where this is interrupted, the list is still there, and the next purge goes on.
        let sql = format!("DELETE FROM {lists} WHERE {id_column} = $1");
        self.write(sql!(AssertSqlSafe(sql), [id])).await?;
        Ok(())
    }
}
