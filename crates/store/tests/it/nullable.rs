//! Values that may be missing, through connections that have seen the same statement with and without them.
//!
//! PostgreSQL keeps the types of a statement's first call, so a driver that declares a missing value otherwise than
//! one that is there makes later calls fail.

use partsight_domain::{Category, CategoryGuess, RefitOutcome, TenantCalibration, UNLIMITED_SCANS};
use partsight_store::{Store, StoreOptions};
use sqlx::{AnyConnection, AssertSqlSafe, Connection, Row};

use crate::{TestStore, at, new_scan, on_each_database};

on_each_database![
    every_nullable_column_takes_nothing_and_something_in_turn,
    the_category_of_a_scan_comes_and_goes,
    the_temperature_of_a_tenant_comes_and_goes,
];

/// The nullable columns of floats, each of which has a test of the method that writes it: sqlx declares a missing
/// float wrongly, so that the method must bind it through the store's own type.
const FLOATS: [(&str, &str); 2] = [("scan", "category_confidence"), ("tenant_calibration", "temperature")];

/// Table, column and type of every column that may be NULL, as the database says.
async fn nullable_columns(connection: &mut AnyConnection) -> Vec<(String, String, String)> {
    let sql = if connection.backend_name() == "SQLite" {
        "SELECT tables.name AS t, columns.name AS c, LOWER(columns.type) AS kind \
         FROM sqlite_master AS tables JOIN pragma_table_info(tables.name) AS columns \
         WHERE tables.type = 'table' AND columns.\"notnull\" = 0 AND columns.pk = 0 \
           AND tables.name NOT LIKE '\\_sqlx%' ESCAPE '\\' ORDER BY t, c"
    } else {
        "SELECT table_name::text AS t, column_name::text AS c, data_type::text AS kind \
         FROM information_schema.columns \
         WHERE table_schema = 'public' AND is_nullable = 'YES' AND table_name NOT LIKE '\\_sqlx%' ORDER BY t, c"
    };
    let rows = sqlx::query(sql).fetch_all(connection).await.unwrap();
    rows.iter()
        .map(|row| (row.try_get("t").unwrap(), row.try_get("c").unwrap(), row.try_get("kind").unwrap()))
        .collect()
}

async fn every_nullable_column_takes_nothing_and_something_in_turn(db: &TestStore) {
    let mut connection = AnyConnection::connect(&db.url).await.unwrap();
    let columns = nullable_columns(&mut connection).await;
    assert!(columns.len() > 40, "{columns:?}");
    let mut floats = Vec::new();
    for (table, column, kind) in &columns {
        if kind == "double precision" {
            floats.push((table.as_str(), column.as_str()));
            continue;
        }
        // No row is needed: the types are compared before any is looked for.
        let sql = format!("UPDATE {table} SET {column} = $1 WHERE 1 = 0");
        for is_there in [false, true, false, true] {
            let query = sqlx::query(AssertSqlSafe(sql.clone()));
            let query = match kind.as_str() {
                "text" => query.bind(is_there.then(|| "a".to_owned())),
                "bigint" => query.bind(is_there.then_some(1_i64)),
                "bytea" => query.bind(is_there.then(|| vec![1_u8])),
                other => panic!("{table}.{column} is of a type that this test does not know: {other}"),
            };
            let done = query.execute(&mut connection).await;
            assert!(done.is_ok(), "{table}.{column}: {done:?}");
        }
    }
    assert_eq!(floats, FLOATS, "a nullable float needs a test here of the method that writes it");
    connection.close().await.unwrap();
}

/// The store on one connection for reading and one for writing.
async fn on_one_connection(db: &TestStore) -> Store {
    let options = StoreOptions { max_connections: 1, ..StoreOptions::default() };
    Store::open_with(&db.url, &options).await.unwrap()
}

async fn the_category_of_a_scan_comes_and_goes(db: &TestStore) {
    let ann = db.user("ann").await;
    let store = on_one_connection(db).await;
    let guess = CategoryGuess { category: Category::Brake, confidence: 0.875 };
    for (second, category) in [None, Some(guess), None, Some(guess)].into_iter().enumerate() {
        let mut scan = crate::scanning::scans::scan(at(i64::try_from(second).unwrap()), None);
        scan.category = category;
        store.save_scan(ann.tenant_id, ann.id, &new_scan(&scan, UNLIMITED_SCANS)).await.unwrap();
        assert_eq!(store.find_scan(ann.tenant_id, scan.id).await.unwrap(), Some(scan));
    }
}

async fn the_temperature_of_a_tenant_comes_and_goes(db: &TestStore) {
    let ann = db.user("ann").await;
    let store = on_one_connection(db).await;
    for temperature in [None, Some(1.25), None, Some(0.75)] {
        let calibration = TenantCalibration {
            model_sha256: "00".repeat(32),
            temperature,
            outcome: RefitOutcome::TooFew,
            doubt: None,
            n: 3,
            before: None,
            after: None,
            attempted_at: at(1),
        };
        store.set_tenant_calibration(ann.tenant_id, &calibration, true).await.unwrap();
        assert_eq!(store.tenant_calibration(ann.tenant_id).await.unwrap(), Some(calibration));
    }
}
