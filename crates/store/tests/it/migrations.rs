//! What becomes of a database that an earlier version of the program made, on each database.

use std::borrow::Cow;

use partsight_domain::{TenantId, UNLIMITED_SCANS, UserId, VehicleId};
use partsight_store::{Error, ScanFilter, Store, StoreOptions};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AnyConnection, Connection, Row, SqlSafeStr};

use crate::{Place, at, new_scan};

/// The migrations before tenants came.
const BEFORE_TENANTS: [(i64, &str); 4] = [
    (1, include_str!("../../../../migrations/0001_accounts.sql")),
    (2, include_str!("../../../../migrations/0002_vehicles.sql")),
    (3, include_str!("../../../../migrations/0003_scans.sql")),
    (4, include_str!("../../../../migrations/0004_scan_categories.sql")),
];

/// Two people; Ann has two vehicles, a session, and a scan of each kind.
const ROWS: &str = r#"
    INSERT INTO app_user (user_id, email, password_hash, first_name, last_name, plan, scans_used, created_at,
                          terms_accepted_at)
    VALUES ('0190a0a0-0000-7000-8000-00000000000a', 'ann@example.com', '$argon2id$x', 'Ann', 'Lee', 'pro', 7,
            1800000000000, 1800000001000),
           ('0190a0a0-0000-7000-8000-00000000000b', 'bob@example.com', '$argon2id$y', 'Bob', '', 'basic', 0,
            1800000000000, NULL);
    INSERT INTO session (session_id, user_id, token_sha256, created_at, expires_at)
    VALUES ('0190a0a0-0000-7000-8000-0000000000aa', '0190a0a0-0000-7000-8000-00000000000a', 'secret',
            1800000000000, 1900000000000);
    INSERT INTO vehicle (vehicle_id, user_id, make, model, year, engine, transmission, vin, license_plate,
                         is_default, created_at)
    VALUES ('0190a0a0-0000-7000-8000-0000000000c1', '0190a0a0-0000-7000-8000-00000000000a', 'Citroën', 'DS', 1969,
            '2.2 L', 'Manual', '1HGBH41JXMN109186', 'ABC 1', 1, 1800000000000),
           ('0190a0a0-0000-7000-8000-0000000000c2', '0190a0a0-0000-7000-8000-00000000000a', 'Honda', 'Civic', 2015,
            NULL, NULL, NULL, NULL, 0, 1800000000001),
           ('0190a0a0-0000-7000-8000-0000000000c3', '0190a0a0-0000-7000-8000-00000000000b', 'Honda', 'Jazz', 2015,
            NULL, NULL, NULL, NULL, 1, 1800000000002);
    INSERT INTO scan (scan_id, user_id, vehicle_id, vehicle_year, vehicle_make, vehicle_model, verdict, label,
                      confidence, known_score, alternatives, receipt, scanned_at, category, category_confidence)
    VALUES ('0190a0a0-0000-7000-8000-0000000000d1', '0190a0a0-0000-7000-8000-00000000000a',
            '0190a0a0-0000-7000-8000-0000000000c1', 1969, 'Citroën', 'DS', 'identified', 'brake-rotor', 0.5, 0.75,
            '[]', '{"model":"partsight-50","modelVersion":"1.0.0","modelSha256":"00","provider":"CPU",
                    "thresholds":{"not_a_part_below":0.125,"identified_known_score":0.5,
                                  "identified_confidence":0.75},
                    "timingsMs":{"decode":1,"preprocess":1,"queue":0,"inference":4,"total":6},
                    "photoLeftMachine":false}', 1800000000003, NULL, NULL),
           ('0190a0a0-0000-7000-8000-0000000000d2', '0190a0a0-0000-7000-8000-00000000000a', NULL, NULL, NULL, NULL,
            'not-sure', 'brake-rotor', 0.5, 0.75,
            '[]', '{"model":"partsight-50","modelVersion":"1.0.0","modelSha256":"00","provider":"CPU",
                    "thresholds":{"not_a_part_below":0.125,"identified_known_score":0.5,
                                  "identified_confidence":0.75},
                    "timingsMs":{"decode":1,"preprocess":1,"queue":0,"inference":4,"total":6},
                    "photoLeftMachine":false}', 1800000000004, 'brake', 0.875);
"#;

async fn make_old_database(url: &str) {
    sqlx::any::install_default_drivers();
    let migrations = BEFORE_TENANTS.map(|(version, sql)| {
        Migration::new(version, Cow::Borrowed("old"), MigrationType::Simple, sql.into_sql_str(), false)
    });
    let mut connection = AnyConnection::connect(url).await.unwrap();
    Migrator::with_migrations(migrations.into()).run(&mut connection).await.unwrap();
    sqlx::raw_sql(ROWS).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(end: &str) -> T {
    format!("0190a0a0-0000-7000-8000-{end:0>12}").parse().unwrap()
}

async fn the_rows_of_a_database_without_tenants_are_kept(url: &str) {
    make_old_database(url).await;
    let refused = Store::open_with(url, &StoreOptions { migrate: false, ..StoreOptions::default() }).await;
    let Err(Error::NotMigrated { version: 4, .. }) = refused else { panic!("{refused:?}") };
    let store = Store::open(url).await.unwrap();

    let ann = store.find_user_by_email("ann@example.com").await.unwrap().unwrap().user;
    assert_eq!((ann.id, ann.tenant_id), (id::<UserId>("a"), id::<TenantId>("a")));
    assert_eq!((ann.first_name.as_str(), ann.terms_accepted_at), ("Ann", Some(at(1))));
    assert_eq!(store.scans_used(ann.id).await.unwrap(), 7);
    let bob = store.find_user_by_email("bob@example.com").await.unwrap().unwrap().user;

    let hers = store.list_vehicles(ann.tenant_id).await.unwrap();
    let shown: Vec<_> = hers.iter().map(|v| (v.id, v.is_default, v.details.name.make.as_str())).collect();
    assert_eq!(shown, [(id::<VehicleId>("c1"), true, "Citroën"), (id("c2"), false, "Honda")]);
    assert_eq!(hers[0].details.vin.as_ref().unwrap().as_str(), "1HGBH41JXMN109186");
    assert_eq!(store.list_vehicles(bob.tenant_id).await.unwrap().len(), 1);

    let scans = store.list_scans(ann.tenant_id, &ScanFilter::default(), 10).await.unwrap();
    let shown: Vec<_> =
        scans.iter().map(|scan| (scan.id, scan.vehicle_id, scan.category.is_some())).collect();
    assert_eq!(shown, [(id("d2"), None, true), (id("d1"), Some(id("c1")), false)]);
    // From before there was roll-up.
    assert_eq!(scans[1].receipt.thresholds.category_confidence, None);
    assert_eq!(store.list_scans(bob.tenant_id, &ScanFilter::default(), 10).await.unwrap(), []);

    // The references hold: a vehicle that goes leaves its scan, and a new scan can be saved.
    store.delete_vehicle(ann.tenant_id, id("c1")).await.unwrap().unwrap();
    assert_eq!(store.find_scan(ann.tenant_id, id("d1")).await.unwrap().unwrap().vehicle_id, None);
    let scan = crate::scans::scan(at(9), None);
    store.save_scan(ann.tenant_id, ann.id, &new_scan(&scan, UNLIMITED_SCANS)).await.unwrap();

    // Migrated once; a second start changes nothing and is not refused.
    store.close().await;
    let store =
        Store::open_with(url, &StoreOptions { migrate: false, ..StoreOptions::default() }).await.unwrap();
    assert_eq!(store.list_scans(ann.tenant_id, &ScanFilter::default(), 10).await.unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rows_of_an_sqlite_database_without_tenants_are_kept() {
    let (url, _place) = Place::sqlite();
    the_rows_of_a_database_without_tenants_are_kept(&url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rows_of_a_postgres_database_without_tenants_are_kept() {
    if let Some((url, _place)) = Place::postgres().await {
        the_rows_of_a_database_without_tenants_are_kept(&url).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_postgres_database_is_refused_until_it_is_migrated() {
    let Some((url, _place)) = Place::postgres().await else { return };
    let options = StoreOptions { migrate: false, ..StoreOptions::default() };
    let error = Store::open_with(&url, &options).await.unwrap_err();
    assert!(matches!(error, Error::NotMigrated { version: 0, .. }), "{error:?}");
    assert!(error.to_string().contains("partsight migrate"), "{error}");
    Store::open(&url).await.unwrap().close().await;
    Store::open_with(&url, &options).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_that_start_at_once_migrate_once() {
    let Some((url, _place)) = Place::postgres().await else { return };
    let (first, second) = tokio::join!(Store::open(&url), Store::open(&url));
    assert_eq!(first.unwrap().version().await.unwrap(), second.unwrap().version().await.unwrap());
    let mut connection = AnyConnection::connect(&url).await.unwrap();
    let row =
        sqlx::query("SELECT COUNT(*) AS n, COUNT(DISTINCT version) AS n_distinct FROM _sqlx_migrations")
            .fetch_one(&mut connection)
            .await
            .unwrap();
    assert_eq!(row.get::<i64, _>("n"), row.get::<i64, _>("n_distinct"));
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_is_said_without_its_password() {
    let url = "postgres://ann:s3cret@localhost:1/parts?sslmode=disable";
    let error = Store::open(url).await.unwrap_err();
    assert!(matches!(error, Error::Open { .. }), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("s3cret"), "{error:?}");
    assert!(error.to_string().contains("ann:***@localhost:1"), "{error}");
}
