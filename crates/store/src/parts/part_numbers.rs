//! Finds parts by numbers that were read on one, some of whose characters may be misread.

use partsight_domain::TenantId;
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row};

use super::shop_parts::texts_from_row;
use crate::filter::Filter;
use crate::{Error, ShopPartTexts, Store};

/// A lower-case number as `folded_number` writes it; must be exactly as in the indexes of the migration
/// `0012_readings`.
const FOLDED: [&str; 2] = [
    "REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(REPLACE(",
    ", 'o', '0'), 'i', '1'), 'l', '1'), 's', '5'), 'b', '8'), 'z', '2'), 'g', '6')",
];
// A part's key is its number without separators, a vertical bar, and its brand.
const SHOP_NUMBER: &str = "SUBSTR(part_key, 1, LENGTH(part_key) - LENGTH(COALESCE(brand, '')) - 1)";
const LISTED_NUMBER: &str = "LOWER(item.number_key)";
/// Most parts, and most rows of price lists, that are read.
const MOST: i64 = 100;

/// A row of a price list with a matching number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedNumber {
    /// Label or name of the part type, as `part_key` writes it; empty if the row has neither.
    pub type_key: String,
    /// The number as the shop writes it.
    pub part_number: String,
    /// The brand.
    pub brand: Option<String>,
    /// The shop's name for the part.
    pub name: Option<String>,
}

impl Store {
    /// The parts of a tenant with one of these numbers, each as `folded_number` writes it.
    pub async fn find_shop_parts_by_number(
        &self,
        tenant_id: TenantId,
        folded: &[String],
    ) -> Result<Vec<ShopPartTexts>, Error> {
        let (sql, filter) = shop_part_query(tenant_id, folded);
        let mut parts = self.list(filter.bind(sqlx::query(AssertSqlSafe(sql))), texts_from_row).await?;
        // Sorted here: if the query were to sort by id, SQLite would scan all parts in that order.
        parts.sort_unstable_by_key(|part| std::cmp::Reverse(part.id));
        Ok(parts)
    }

    /// The rows of a tenant's published price lists with one of these numbers, each as `folded_number` writes it;
    /// rows that differ only in price are returned once.
    pub async fn find_listed_numbers(
        &self,
        tenant_id: TenantId,
        folded: &[String],
    ) -> Result<Vec<ListedNumber>, Error> {
        let (sql, filter) = listed_query(tenant_id, folded);
        self.list(filter.bind(sqlx::query(AssertSqlSafe(sql))), listed_from_row).await
    }
}

fn shop_part_query(tenant_id: TenantId, folded: &[String]) -> (String, Filter) {
    let mut filter = Filter::new("tenant_id", tenant_id);
    filter.and(|f| f.one_of(&folded_column(SHOP_NUMBER), folded));
    let sql = format!(
        "SELECT shop_part_id, label, name, part_number, brand, notes FROM shop_part \
         WHERE {} AND deleted_at IS NULL LIMIT {MOST}",
        filter.condition()
    );
    (sql, filter)
}

fn listed_query(tenant_id: TenantId, folded: &[String]) -> (String, Filter) {
    let mut filter = Filter::new("list.tenant_id", tenant_id);
    filter.and(|_| "list.published_at IS NOT NULL AND list.deleted_at IS NULL".to_owned());
    // SQLite's `LOWER` changes only ASCII, and a number key is upper case.
    let upper = |c: char| if c.is_ascii() { c } else { c.to_uppercase().next().unwrap_or(c) };
    let others = folded.iter().filter(|text| !text.is_ascii());
    let others = others.map(|text| -> String { text.chars().map(upper).collect() });
    let folded: Vec<String> = folded.iter().cloned().chain(others).collect();
    filter.and(|f| f.one_of(&folded_column(LISTED_NUMBER), &folded));
    let sql = format!(
        "SELECT DISTINCT item.type_key, item.part_number, item.brand, item.name \
         FROM price_list AS list JOIN price_list_item AS item ON item.price_list_id = list.price_list_id \
         WHERE {} AND item.part_number IS NOT NULL \
         ORDER BY item.part_number, item.brand, item.name, item.type_key LIMIT {MOST}",
        filter.condition()
    );
    (sql, filter)
}

fn folded_column(number: &str) -> String {
    let [before, after] = FOLDED;
    format!("{before}{number}{after}")
}

fn listed_from_row(row: &AnyRow) -> Result<ListedNumber, Error> {
    Ok(ListedNumber {
        type_key: row.try_get("type_key")?,
        part_number: row.try_get("part_number")?,
        brand: row.try_get("brand")?,
        name: row.try_get("name")?,
    })
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[tokio::test]
    async fn numbers_are_found_by_their_indexes_and_not_by_a_walk_through_all_parts() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}?mode=rwc", folder.path().join("partsight.db").display());
        let store = Store::open(&url).await.unwrap();
        let tenant_id = TenantId(Uuid::nil());
        let numbers = ["0986479851".to_owned(), "27060".to_owned()];
        for (index, (sql, filter)) in [
            ("shop_part_by_folded_number", shop_part_query(tenant_id, &numbers)),
            ("price_list_item_by_folded_number", listed_query(tenant_id, &numbers)),
        ] {
            let query = format!("EXPLAIN QUERY PLAN {sql}");
            let rows = filter.bind(sqlx::query(AssertSqlSafe(query))).fetch_all(&store.db).await.unwrap();
            let plan: Vec<String> = rows.iter().map(|row| row.get("detail")).collect();
            assert!(plan.iter().any(|step| step.contains(index)), "{plan:?}");
        }
        store.close().await;
    }
}
