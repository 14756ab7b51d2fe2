//! Cross-reference lists, which `uploaded_lists.rs` publishes, deletes and restores, and their rows, found by number.

use std::cmp::Reverse;

use jiff::Timestamp;
use partsight_domain::{
    CrossReference, CrossReferenceList, CrossReferenceListId, TenantId, UserId, folded_number, list_name_key,
};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, Row};

use crate::filter::Filter;
use crate::many_rows::repeated;
use crate::{Error, Store, rows};

const INSERT: &str = "INSERT INTO cross_reference (cross_reference_list_id, row_number, part_number, folded_number, brand, \
                      relation, other_number, other_folded_number, other_brand)";
/// The placeholders of a row of [`INSERT`].
const ROW: &str = "($1, $2, $3, $4, $5, $6, $7, $8, $9)";
/// Rows in one statement; in a longer one each row takes longer (see `price_lists.rs`).
const ROWS_A_STATEMENT: usize = 80;
/// Most rows that are read for each side.
const MOST: i64 = 300;

impl Store {
    /// Creates an empty list of a tenant that is invisible until it is published.
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

    /// Adds rows to an unpublished list of a tenant, all or none; returns whether there is such a list.
    pub async fn add_cross_references(
        &self,
        tenant_id: TenantId,
        id: CrossReferenceListId,
        items: &[CrossReference],
    ) -> Result<bool, Error> {
        // In many short transactions, like rows of price lists.
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

    /// The lists of a tenant, the newest first, including deleted ones that can be restored.
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

    /// Rows of a tenant's published lists that have one of these numbers on either side, each number as
    /// `folded_number` writes it: at most 300 for each side, those of the newest list first.
    pub async fn find_cross_references(
        &self,
        tenant_id: TenantId,
        folded: &[String],
    ) -> Result<Vec<CrossReference>, Error> {
        let mut found = Vec::new();
        // Two queries, each with its own index and limit.
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
}

fn rows_query(tenant_id: TenantId, column: &str, folded: &[String]) -> (String, Filter) {
    let mut filter = Filter::new("list.tenant_id", tenant_id);
    filter.and(|_| "list.published_at IS NOT NULL AND list.deleted_at IS NULL".to_owned());
    filter.and(|f| f.one_of(column, folded));
    // Unsorted: sorting would read all of the up to a million rows that have the number.
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
    let sql = format!("{INSERT} VALUES {}", repeated(ROW, 9, items.len(), 0));
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
