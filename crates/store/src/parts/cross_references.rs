//! Cross-references: lists made unseen, published at once, deleted and restored, and rows found by their numbers.

use std::cmp::Reverse;

use jiff::Timestamp;
use partsight_domain::{
    CrossReference, CrossReferenceList, CrossReferenceListId, TenantId, UserId, folded_number, list_name_key,
};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use super::price_lists::PublishList;
use crate::filter::Filter;
use crate::{Error, Store, rows};

const INSERT: &str = "INSERT INTO cross_reference (cross_reference_list_id, row_number, part_number, folded_number, brand, \
                      relation, other_number, other_folded_number, other_brand)";
/// Of [`INSERT`].
const VALUES_A_ROW: usize = 9;
/// Rows of one statement; a longer one takes longer for each row (see `price_lists.rs`).
const ROWS_A_STATEMENT: usize = 80;
/// Rows that are deleted at a time, so that nobody else's work waits for long.
const ROWS_A_DELETION: i64 = 10_000;
/// Rows that are read by either of their numbers.
const MOST: i64 = 300;

impl Store {
    /// Makes an empty list of a tenant that nobody sees until it is published.
    pub async fn create_cross_reference_list(
        &self,
        tenant_id: TenantId,
        id: CrossReferenceListId,
        name: &str,
        user_id: UserId,
        now: Timestamp,
    ) -> Result<(), Error> {
        let query = sql!(
            "INSERT INTO cross_reference_list (cross_reference_list_id, tenant_id, name, name_key, n_items, created_by, \
                                               created_at) \
             VALUES ($1, $2, $3, $4, 0, $5, $6)",
            [id, tenant_id, name, list_name_key(name), user_id, now]
        );
        self.write(query).await?;
        Ok(())
    }

    /// Adds rows to a list of a tenant that is not published, all or none; tells whether there is such a list.
    pub async fn add_cross_references(
        &self,
        tenant_id: TenantId,
        id: CrossReferenceListId,
        items: &[CrossReference],
    ) -> Result<bool, Error> {
        // In many short transactions, as rows of price lists are.
        let mut tx = self.begin().await?;
        let query = sql!(
            "UPDATE cross_reference_list SET n_items = n_items + $3 \
             WHERE cross_reference_list_id = $2 AND tenant_id = $1 AND published_at IS NULL",
            [tenant_id, id, i64::try_from(items.len()).unwrap_or(i64::MAX)]
        );
        if query.execute(&mut *tx).await?.rows_affected() == 0 {
            tx.rollback().await?;
            return Ok(false);
        }
        for items in items.chunks(ROWS_A_STATEMENT) {
            insert_items(id, items, &mut tx).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Puts a list of a tenant into force in place of the one of its name, which can be restored until it is purged; an older
    /// one of that name that was deleted is purged with the next ones.
    ///
    /// `max_lists` and `max_rows` bound what a tenant may have in all, deleted lists among it.
    pub async fn publish_cross_reference_list(
        &self,
        tenant_id: TenantId,
        id: CrossReferenceListId,
        (max_lists, max_rows): (u64, u64),
        now: Timestamp,
    ) -> Result<PublishList, Error> {
        let mut tx = self.begin().await?;
        // The bounds are a rule over all lists of the tenant.
        Self::lock_tenant(&mut tx, tenant_id).await?;
        let query = sql!(
            "SELECT name_key FROM cross_reference_list \
             WHERE tenant_id = $1 AND cross_reference_list_id = $2 AND published_at IS NULL",
            [tenant_id, id]
        );
        let Some(row) = query.fetch_optional(&mut *tx).await? else {
            tx.rollback().await?;
            return Ok(PublishList::Missing);
        };
        let name_key: String = row.try_get("name_key")?;
        // One version to go back to is enough: those before it make room. The moment is before any that is kept.
        let query = sql!(
            "UPDATE cross_reference_list SET deleted_at = 0 \
             WHERE tenant_id = $1 AND name_key = $2 AND published_at IS NOT NULL AND deleted_at IS NOT NULL",
            [tenant_id, name_key]
        );
        query.execute(&mut *tx).await?;
        let query = sql!(
            "UPDATE cross_reference_list SET deleted_at = $3 \
             WHERE tenant_id = $1 AND name_key = $2 AND published_at IS NOT NULL AND deleted_at IS NULL",
            [tenant_id, name_key, now]
        );
        let replaced = query.execute(&mut *tx).await?;
        let query = sql!(
            "SELECT COUNT(*) AS n_lists, CAST(COALESCE(SUM(n_items), 0) AS BIGINT) AS n_rows \
             FROM cross_reference_list \
             WHERE tenant_id = $1 AND COALESCE(deleted_at, 1) > 0 \
                   AND (published_at IS NOT NULL OR cross_reference_list_id = $2)",
            [tenant_id, id]
        );
        // Counted after the older versions were marked, which a replacement does not have to make room for. A refusal
        // is rolled back with the transaction, so that the list before stays in force.
        let totals = query.fetch_one(&mut *tx).await?;
        if totals.try_get::<i64, _>("n_lists")?.unsigned_abs() > max_lists {
            tx.rollback().await?;
            return Ok(PublishList::TooManyLists);
        }
        if totals.try_get::<i64, _>("n_rows")?.unsigned_abs() > max_rows {
            tx.rollback().await?;
            return Ok(PublishList::TooManyRows);
        }
        let query = sql!(
            "UPDATE cross_reference_list SET published_at = $3 \
             WHERE tenant_id = $1 AND cross_reference_list_id = $2",
            [tenant_id, id, now]
        );
        query.execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(PublishList::Published { has_replaced: replaced.rows_affected() > 0 })
    }

    /// Gives up a list of a tenant that was not published.
    pub async fn discard_cross_reference_list(
        &self,
        tenant_id: TenantId,
        id: CrossReferenceListId,
    ) -> Result<(), Error> {
        let query = scalar!(
            "SELECT cross_reference_list_id FROM cross_reference_list \
             WHERE tenant_id = $1 AND cross_reference_list_id = $2 AND published_at IS NULL",
            [tenant_id, id]
        );
        // Whose list it is is checked here, and its id is what is deleted by: rows are erased in several transactions.
        let found: Option<String> = query.fetch_optional(&self.db).await?;
        match found {
            Some(id) => self.erase_cross_reference_list(&id).await,
            None => Ok(()),
        }
    }

    /// The lists of a tenant, the newest first; deleted ones that can be restored among them.
    pub async fn list_cross_reference_lists(
        &self,
        tenant_id: TenantId,
    ) -> Result<Vec<CrossReferenceList>, Error> {
        let query = sql!(
            "SELECT cross_reference_list_id, name, n_items, published_at, deleted_at FROM cross_reference_list \
             WHERE tenant_id = $1 AND published_at IS NOT NULL AND COALESCE(deleted_at, 1) > 0 \
             ORDER BY published_at DESC, cross_reference_list_id DESC",
            [tenant_id]
        );
        self.list(query, list_from_row).await
    }

    /// Marks a list of a tenant as deleted at a moment, or restores it; tells whether that changed anything.
    ///
    /// # Errors
    /// [`Error::Constraint`] `cross_reference_list_name_taken` for one that is to be restored beside another of its name.
    pub async fn set_cross_reference_list_deleted(
        &self,
        tenant_id: TenantId,
        id: CrossReferenceListId,
        deleted_at: Option<Timestamp>,
    ) -> Result<bool, Error> {
        let query = sql!(
            "UPDATE cross_reference_list SET deleted_at = $3 \
             WHERE tenant_id = $1 AND cross_reference_list_id = $2 AND published_at IS NOT NULL \
                   AND COALESCE(deleted_at, 1) > 0 AND (deleted_at IS NULL) <> ($3 IS NULL)",
            [tenant_id, id, deleted_at]
        );
        Ok(self.write(query).await? > 0)
    }

    /// Deletes for good the lists of all tenants that were deleted before one moment, and those that were made before another
    /// and never published; returns how many went.
    pub async fn purge_cross_reference_lists(
        &self,
        deleted_before: Timestamp,
        made_before: Timestamp,
    ) -> Result<u64, Error> {
        let query = scalar!(
            "SELECT cross_reference_list_id FROM cross_reference_list \
             WHERE deleted_at < $1 OR (published_at IS NULL AND created_at < $2)",
            [deleted_before, made_before]
        );
        let doomed: Vec<String> = query.fetch_all(&self.db).await?;
        for id in &doomed {
            self.erase_cross_reference_list(id).await?;
        }
        Ok(doomed.len() as u64)
    }

    /// Rows of a tenant's lists in force that have one of these numbers on either side, each number as `folded_number` writes
    /// it: at most 300 by either side, those of the newest list first.
    pub async fn find_cross_references(
        &self,
        tenant_id: TenantId,
        folded: &[String],
    ) -> Result<Vec<CrossReference>, Error> {
        let mut found = Vec::new();
        // Two queries, each with an index and a bound of its own.
        for column in ["item.folded_number", "item.other_folded_number"] {
            let (sql, filter) = rows_query(tenant_id, column, folded);
            let query = filter.bind(sqlx::query(AssertSqlSafe(sql)));
            let rows =
                self.list(query, |row| Ok((rows::timestamp(row, "published_at")?, item_from_row(row)?)));
            let mut rows = rows.await?;
            rows.sort_by_key(|(published_at, item)| (Reverse(*published_at), item.row));
            found.extend(rows.into_iter().map(|(_, item)| item));
        }
        Ok(found)
    }

    /// Deletes a list that nobody sees any more, its rows some at a time.
    async fn erase_cross_reference_list(&self, id: &str) -> Result<(), Error> {
        let query =
            scalar!("SELECT MAX(row_number) FROM cross_reference WHERE cross_reference_list_id = $1", [id]);
        let last: Option<i64> = query.fetch_one(&self.db).await?;
        // By row numbers, which begin at 1 and are the key, so that each deletion reads only what it deletes.
        let mut up_to = 0;
        while up_to < last.unwrap_or(0) {
            up_to += ROWS_A_DELETION;
            let query = sql!(
                "DELETE FROM cross_reference WHERE cross_reference_list_id = $1 AND row_number <= $2",
                [id, up_to]
            );
            self.write(query).await?;
        }
        // Last: where this is interrupted, the list is still there, and the next purge goes on.
        self.write(sql!("DELETE FROM cross_reference_list WHERE cross_reference_list_id = $1", [id])).await?;
        Ok(())
    }
}

fn rows_query(tenant_id: TenantId, column: &str, folded: &[String]) -> (String, Filter) {
    let mut filter = Filter::new("list.tenant_id", tenant_id);
    filter.and(|_| "list.published_at IS NOT NULL AND list.deleted_at IS NULL".to_owned());
    filter.and(|f| f.one_of(column, folded));
    // Without an order, which would have each of the million rows read that a number may stand in.
    let sql = format!(
        "SELECT list.published_at, item.row_number, item.part_number, item.brand, item.relation, item.other_number, \
                item.other_brand \
         FROM cross_reference_list AS list JOIN cross_reference AS item \
              ON item.cross_reference_list_id = list.cross_reference_list_id \
         WHERE {} LIMIT {MOST}",
        filter.condition()
    );
    (sql, filter)
}

async fn insert_items(
    id: CrossReferenceListId,
    items: &[CrossReference],
    connection: &mut AnyConnection,
) -> Result<(), Error> {
    let places = (0..items.len()).map(|row| {
        let first = row * VALUES_A_ROW + 1;
        let places: Vec<String> = (first..first + VALUES_A_ROW).map(|place| format!("${place}")).collect();
        format!("({})", places.join(", "))
    });
    let sql = format!("{INSERT} VALUES {}", places.collect::<Vec<_>>().join(", "));
    let mut query = sqlx::query(AssertSqlSafe(sql));
    let id = id.to_string();
    for item in items {
        query = query
            .bind(&id)
            .bind(i64::from(item.row))
            .bind(&item.number)
            .bind(folded_number(&item.number))
            .bind(item.brand.as_deref())
            .bind(item.relation.as_str())
            .bind(&item.other_number)
            .bind(folded_number(&item.other_number))
            .bind(item.other_brand.as_deref());
    }
    query.execute(connection).await?;
    Ok(())
}

fn item_from_row(row: &AnyRow) -> Result<CrossReference, Error> {
    Ok(CrossReference {
        row: u32::try_from(rows::count(row, "row_number")?)
            .map_err(|error| rows::corrupt("row_number", &error))?,
        number: row.try_get("part_number")?,
        brand: row.try_get("brand")?,
        relation: rows::parsed(row, "relation")?,
        other_number: row.try_get("other_number")?,
        other_brand: row.try_get("other_brand")?,
    })
}

fn list_from_row(row: &AnyRow) -> Result<CrossReferenceList, Error> {
    Ok(CrossReferenceList {
        id: rows::parsed(row, "cross_reference_list_id")?,
        name: row.try_get("name")?,
        n_items: rows::count(row, "n_items")?,
        published_at: rows::timestamp(row, "published_at")?,
        deleted_at: rows::optional_timestamp(row, "deleted_at")?,
    })
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[tokio::test]
    async fn rows_are_found_by_an_index_over_either_number() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}?mode=rwc", folder.path().join("partsight.db").display());
        let store = Store::open(&url).await.unwrap();
        let numbers = ["0986479851".to_owned(), "27060".to_owned()];
        for (index, column) in [
            ("cross_reference_by_number", "item.folded_number"),
            ("cross_reference_by_other_number", "item.other_folded_number"),
        ] {
            let (sql, filter) = rows_query(TenantId(Uuid::nil()), column, &numbers);
            let query = format!("EXPLAIN QUERY PLAN {sql}");
            let rows = filter.bind(sqlx::query(AssertSqlSafe(query))).fetch_all(&store.db).await.unwrap();
            let plan: Vec<String> = rows.iter().map(|row| row.get("detail")).collect();
            assert!(plan.iter().any(|step| step.contains(index)), "{plan:?}");
            assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE")), "no more rows are read: {plan:?}");
        }
        store.close().await;
    }
}
