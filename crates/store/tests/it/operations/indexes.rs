//! The indexes of the tables.

use sqlx::{AnyConnection, AssertSqlSafe, Connection, Row};

use crate::TestStore;

/// Foreign keys without an index, of tables that have few rows: the deletion of what they refer to reads them whole.
const WITHOUT_INDEX: [(&str, &str); 5] = [
    ("cross_reference_list", "created_by"),
    ("cross_reference_list", "tenant_id"),
    ("look_alike", "created_by"),
    ("price_list", "created_by"),
    ("price_list", "tenant_id"),
];

/// Of SQLite, which can be asked for them; the migrations are the same on PostgreSQL.
#[tokio::test]
async fn every_foreign_key_has_an_index() {
    let db = TestStore::sqlite().await;
    let mut connection = AnyConnection::connect(&db.url).await.unwrap();
    let keys = list(
        "SELECT tables.name AS of_table, GROUP_CONCAT(keys.\"from\", ', ' ORDER BY keys.seq) AS columns \
         FROM sqlite_schema AS tables JOIN pragma_foreign_key_list(tables.name) AS keys \
         WHERE tables.type = 'table' GROUP BY tables.name, keys.id",
        &mut connection,
    )
    .await;
    // Whole ones: a partial index serves no foreign key.
    let indexes = list(
        "SELECT tables.name AS of_table, GROUP_CONCAT(COALESCE(columns.name, '(an expression)'), ', ' ORDER BY columns.seqno) AS columns \
         FROM sqlite_schema AS tables JOIN pragma_index_list(tables.name) AS indexes \
         JOIN pragma_index_info(indexes.name) AS columns \
         WHERE tables.type = 'table' AND indexes.partial = 0 GROUP BY tables.name, indexes.name",
        &mut connection,
    )
    .await;
    connection.close().await.unwrap();
    assert!(keys.len() > 80 && indexes.len() > 100, "{} keys, {} indexes", keys.len(), indexes.len());
    let has_index = |(table, columns): &(String, String)| {
        let longer = format!("{columns}, ");
        indexes
            .iter()
            .any(|(of, indexed)| of == table && (indexed == columns || indexed.starts_with(&longer)))
    };
    let mut without: Vec<_> = keys.iter().filter(|key| !has_index(key)).collect();
    without.sort_unstable();
    let without: Vec<_> = without.iter().map(|(table, columns)| (table.as_str(), columns.as_str())).collect();
    assert_eq!(without, WITHOUT_INDEX);
}

async fn list(sql: &str, connection: &mut AnyConnection) -> Vec<(String, String)> {
    let rows = sqlx::query(AssertSqlSafe(sql.to_owned())).fetch_all(connection).await.unwrap();
    rows.iter().map(|row| (row.get("of_table"), row.get("columns"))).collect()
}
