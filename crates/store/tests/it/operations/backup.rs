use std::hash::{DefaultHasher, Hasher};

use partsight_domain::UNLIMITED_SCANS;
use partsight_store::{Cell, Error, Restoration, ScanFilter, Snapshot, Store, count_rows_at, inspect};
use sqlx::{AnyConnection, Connection};

use crate::{MINUTE, Place, TestStore, at, new_mail, new_scan, on_each_database};

/// The name and the rows of each table.
type Rows = Vec<(String, Vec<Vec<Cell>>)>;

async fn rows(snapshot: &mut Snapshot) -> Rows {
    let names: Vec<String> = snapshot.tables().iter().map(|(table, _)| table.name.clone()).collect();
    let mut all = Vec::new();
    for (place, name) in names.into_iter().enumerate() {
        let mut reader = snapshot.rows(place).unwrap();
        let mut rows = Vec::new();
        loop {
            let page = reader.next_page().await.unwrap();
            if page.is_empty() {
                break;
            }
            rows.extend(page);
        }
        all.push((name, rows));
    }
    all
}

/// Fills the database at `url` with rows as they came out of another one.
async fn fill(url: &str, migrations: &[i64], rows: &Rows) {
    let mut restoration = Restoration::start(url, migrations, false).await.unwrap();
    let names: Vec<String> = restoration.tables().iter().map(|table| table.name.clone()).collect();
    for (place, name) in names.iter().enumerate() {
        let (_, rows) = rows.iter().find(|(table, _)| table == name).unwrap();
        restoration.insert(place, rows).await.unwrap();
    }
    restoration.finish().await.unwrap();
}

async fn empty_place(postgres: bool) -> Option<(String, Place)> {
    if postgres { Place::postgres().await } else { Some(Place::sqlite()) }
}

async fn every_table_comes_back_on_both_databases(db: &TestStore) {
    let ann = db.user("ann").await;
    let vehicle = db.vehicle(&ann, "Civic").await;
    db.leave_ways_in(&ann).await;
    for owner in [Some(ann.tenant_id), None] {
        let look_alike = crate::teaching::look_alikes::mark(owner, "rim", "hub-cap");
        assert!(db.store.mark_look_alike(&look_alike, Some(ann.id)).await.unwrap());
    }
    for second in 0..3 {
        let mut scan = crate::scanning::scans::scan(at(second), (second < 2).then_some(&vehicle));
        scan.best.confidence = 0.1 + 0.2;
        db.store.save_scan(ann.tenant_id, ann.id, &new_scan(&scan, UNLIMITED_SCANS)).await.unwrap();
    }
    // More than one page, in an order that the rows were not made in.
    db.execute(
        "INSERT INTO tenant (tenant_id, created_at) \
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1300) \
         SELECT 'T-' || ((i * 7919) % 10007) || CASE WHEN i % 2 = 0 THEN 'a' ELSE 'B' END, i FROM n",
    )
    .await;
    let mut snapshot = Snapshot::take(&db.url).await.unwrap();
    let migrations = snapshot.migrations().to_vec();
    let original = rows(&mut snapshot).await;
    let counted: Vec<usize> = original.iter().map(|(_, rows)| rows.len()).collect();
    let expected: Vec<usize> = snapshot.tables().iter().map(|&(_, n_rows)| n_rows as usize).collect();
    assert_eq!(counted, expected);
    snapshot.close().await.unwrap();

    for postgres in [false, true] {
        let Some((url, _place)) = empty_place(postgres).await else { continue };
        fill(&url, &migrations, &original).await;
        let mut copy = Snapshot::take(&url).await.unwrap();
        assert_eq!(rows(&mut copy).await, original);
        copy.close().await.unwrap();

        let store = Store::open(&url).await.unwrap();
        assert_eq!(store.list_vehicles(ann.tenant_id).await.unwrap(), std::slice::from_ref(&vehicle));
        let scans = store.list_scans(ann.tenant_id, &ScanFilter::default(), 10).await.unwrap();
        assert_eq!(scans, db.store.list_scans(ann.tenant_id, &ScanFilter::default(), 10).await.unwrap());
        store.close().await;
    }
}

async fn a_mail_that_waited_is_not_sent_after_a_restore(db: &TestStore) {
    db.store.queue_mail(None, &new_mail("ann@example.com"), at(0)).await.unwrap();
    let mut snapshot = Snapshot::take(&db.url).await.unwrap();
    let (migrations, original) = (snapshot.migrations().to_vec(), rows(&mut snapshot).await);
    snapshot.close().await.unwrap();
    let (url, _place) = Place::sqlite();
    fill(&url, &migrations, &original).await;
    let store = Store::open(&url).await.unwrap();
    for (store, is_sent) in [(&db.store, true), (&store, false)] {
        let claimed = store.claim_mail(uuid::Uuid::nil(), at(0), at(0) + MINUTE).await.unwrap();
        assert_eq!(claimed.is_some(), is_sent);
    }
    store.close().await;
}

#[tokio::test]
async fn a_restored_sqlite_database_has_every_index() {
    let indexes = async |url: &str| {
        let mut connection = AnyConnection::connect(url).await.unwrap();
        let query = "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY sql";
        sqlx::query_scalar::<_, String>(query).fetch_all(&mut connection).await.unwrap()
    };
    let db = TestStore::sqlite().await;
    let mut snapshot = Snapshot::take(&db.url).await.unwrap();
    let (migrations, original) = (snapshot.migrations().to_vec(), rows(&mut snapshot).await);
    snapshot.close().await.unwrap();
    let (url, _place) = Place::sqlite();
    fill(&url, &migrations, &original).await;
    let expected = indexes(&db.url).await;
    assert!(!expected.is_empty());
    assert_eq!(indexes(&url).await, expected);
}

async fn a_snapshot_holds_what_was_there_when_it_was_taken(db: &TestStore) {
    let ann = db.user("ann").await;
    db.vehicle(&ann, "Civic").await;
    let mut snapshot = Snapshot::take(&db.url).await.unwrap();
    // Nobody waits for the snapshot, and it sees nothing of this.
    db.vehicle(&ann, "Jazz").await;
    db.user("bob").await;
    let rows = rows(&mut snapshot).await;
    let count = |name: &str| rows.iter().find(|(table, _)| table == name).unwrap().1.len();
    assert_eq!((count("vehicle"), count("app_user")), (1, 1));
    snapshot.close().await.unwrap();
}

async fn a_database_of_a_newer_version_is_not_filled(db: &TestStore) {
    let error = Restoration::start(&db.url, &[1, 9999], true).await.unwrap_err();
    assert!(matches!(error, Error::NewerDatabase { version: 9999, .. }), "{error:?}");
}

async fn what_is_not_finished_is_not_there(db: &TestStore) {
    let mut snapshot = Snapshot::take(&db.url).await.unwrap();
    let (migrations, original) = (snapshot.migrations().to_vec(), rows(&mut snapshot).await);
    snapshot.close().await.unwrap();
    let Some((url, _place)) = Place::postgres().await else { return };
    let mut restoration = Restoration::start(&url, &migrations, false).await.unwrap();
    let place = restoration.tables().iter().position(|table| table.name == "tenant").unwrap();
    let tenant = vec![Cell::Text("t".to_owned()), Cell::Integer(1), Cell::Integer(0)];
    restoration.insert(place, &[tenant]).await.unwrap();
    drop(restoration);
    fill(&url, &migrations, &original).await;
    assert_eq!(count_rows_at(&url).await.unwrap(), 0);
}

async fn the_facts_of_a_database_are_seen_without_a_change(db: &TestStore) {
    let empty = inspect(&db.url).await.unwrap();
    assert_eq!((empty.newest_row, empty.version, &empty.damage[..]), (None, empty.latest, &[][..]));
    let ann = db.user("ann").await;
    let scan = crate::scanning::scans::scan(at(77), None);
    db.store.save_scan(ann.tenant_id, ann.id, &new_scan(&scan, UNLIMITED_SCANS)).await.unwrap();
    let facts = inspect(&db.url).await.unwrap();
    assert_eq!(facts.newest_row, Some(at(77)));
    assert!(facts.size_bytes > 0 && !facts.engine.is_empty(), "{facts:?}");
}

on_each_database!(
    every_table_comes_back_on_both_databases,
    a_mail_that_waited_is_not_sent_after_a_restore,
    a_snapshot_holds_what_was_there_when_it_was_taken,
    a_database_of_a_newer_version_is_not_filled,
    what_is_not_finished_is_not_there,
    the_facts_of_a_database_are_seen_without_a_change,
);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_postgres_database_with_rows_is_replaced_only_when_told() {
    let Some(db) = TestStore::postgres().await else { return };
    db.user("ann").await;
    let in_use = Restoration::start(&db.url, &[1], true).await.unwrap_err();
    assert!(matches!(in_use, Error::InUse { .. }), "{in_use:?}");
    db.store.close().await;
    let refused = Restoration::start(&db.url, &[1], false).await.unwrap_err();
    assert!(matches!(refused, Error::NotEmpty { .. }), "{refused:?}");
    // An older version is brought to this one at the end.
    let restoration = Restoration::start(&db.url, &[1, 2, 3], true).await.unwrap();
    assert_eq!(restoration.tables().len(), 16);
    restoration.finish().await.unwrap();
    let store = Store::open(&db.url).await.unwrap();
    assert!(store.find_user_by_email("ann@example.com").await.unwrap().is_none());
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_postgres_database_with_more_than_our_tables_is_not_replaced() {
    for (sql, reason) in [
        ("CREATE VIEW our_shops AS SELECT tenant_id FROM tenant", "view our_shops depends on table tenant"),
        ("CREATE TABLE of_others (tenant_id TEXT REFERENCES tenant)", "on table of_others depends on"),
        (
            "CREATE TABLE newer (n BIGINT PRIMARY KEY); INSERT INTO _sqlx_migrations \
             (version, description, success, checksum, execution_time) VALUES (9999, 'newer', TRUE, '', 0)",
            "a newer version of partsight made it (migration 9999)",
        ),
    ] {
        let Some(db) = TestStore::postgres().await else { return };
        db.store.close().await;
        db.execute(sql).await;
        let error = Restoration::start(&db.url, &[1], true).await.unwrap_err();
        assert!(matches!(error, Error::NotReplaceable { .. }), "{error:?}");
        let sentence = error.to_string();
        assert!(
            sentence.contains(reason) && sentence.ends_with("restore into a new, empty database"),
            "{sentence}"
        );
        // A plan already says it of a newer version, before anybody is asked.
        assert_eq!(count_rows_at(&db.url).await.is_err(), sql.contains("9999"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_that_fits_into_no_index_of_postgres_is_named() {
    let Some((url, _place)) = Place::postgres().await else { return };
    let mut restoration = Restoration::start(&url, &[1], false).await.unwrap();
    let place = restoration.tables().iter().position(|table| table.name == "tenant").unwrap();
    // Of 4,800 digits in no order: PostgreSQL compresses the entries of an index.
    let digits = |n: u32| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u32(n);
        format!("{:016x}", hasher.finish())
    };
    let long = (0..300).map(digits).collect::<Vec<_>>().concat();
    let row = |id: &str| vec![Cell::Text(id.to_owned()), Cell::Integer(1)];
    let error = restoration.insert(place, &[row("short"), row(&long)]).await.unwrap_err();
    assert!(matches!(&error, Error::RowTooLarge { table, .. } if table == "tenant"), "{error:?}");
    assert!(error.to_string().contains(&long[..100]), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_of_the_database_and_of_its_user_count_as_those_of_postgres() {
    let Some((url, _place)) = Place::postgres().await else { return };
    let mut owner = AnyConnection::connect(&url).await.unwrap();
    let allowed = async |url: &str| inspect(url).await.unwrap().connections.unwrap();
    let role = format!("limited_{}", uuid::Uuid::now_v7().simple());
    let sql = format!(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I CONNECTION LIMIT 20', current_database()); END $$; \
         CREATE ROLE {role} LOGIN CONNECTION LIMIT 7"
    );
    assert!(allowed(&url).await > 20);
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut owner).await.unwrap();
    assert_eq!(allowed(&url).await, 20);
    assert_eq!(allowed(&url.replacen("//partsight@", &format!("//{role}@"), 1)).await, 7);
}

#[tokio::test]
async fn a_database_that_is_not_there_is_not_made() {
    let (url, _place) = Place::sqlite();
    let error = Snapshot::take(&url).await.unwrap_err();
    assert!(matches!(error, Error::Open { .. }), "{error:?}");
    let error = inspect(&url).await.unwrap_err();
    assert!(matches!(error, Error::Open { .. }), "{error:?}");
}
