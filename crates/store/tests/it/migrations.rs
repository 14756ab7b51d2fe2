//! What becomes of a database that another version of the program made, on each database.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use partsight_domain::UserId;
use partsight_store::{Error, Snapshot, Store, StoreOptions, inspect};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AnyConnection, AssertSqlSafe, Connection, Row, SqlSafeStr};
use uuid::Uuid;

use crate::{Place, at, new_session, new_user};

/// As a server opens a PostgreSQL database.
fn as_it_is() -> StoreOptions {
    StoreOptions { migrate: false, ..StoreOptions::default() }
}

/// The first `n` migrations of the folder.
fn first_migrations(n: usize) -> Vec<Migration> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort_unstable();
    let migration = |(version, file): (i64, _)| {
        let sql = AssertSqlSafe(fs::read_to_string(file).unwrap()).into_sql_str();
        Migration::new(version, Cow::Borrowed("earlier"), MigrationType::Simple, sql, false)
    };
    (1..).zip(files).take(n).map(migration).collect()
}

async fn apply(url: &str, migrations: Vec<Migration>) -> AnyConnection {
    sqlx::any::install_default_drivers();
    let mut connection = AnyConnection::connect(url).await.unwrap();
    Migrator::with_migrations(migrations).run(&mut connection).await.unwrap();
    connection
}

async fn an_earlier_database_gets_what_it_lacks_and_keeps_its_rows(url: &str) {
    let mut connection = apply(url, first_migrations(9)).await;
    sqlx::raw_sql("INSERT INTO tenant (tenant_id, created_at) VALUES ('earlier', 1)")
        .execute(&mut connection)
        .await
        .unwrap();
    let refused = Store::open_with(url, &as_it_is()).await;
    let Err(Error::NotMigrated { version: 9, .. }) = refused else { panic!("{refused:?}") };

    let store = Store::open(url).await.unwrap();
    store.check_writes().await.unwrap();
    store
        .create_user(UserId(Uuid::now_v7()), &new_user("ann"), "hash", &new_session(at(0)), &[])
        .await
        .unwrap();
    store.close().await;
    // Migrated once; a second start changes nothing and is not refused.
    Store::open_with(url, &as_it_is()).await.unwrap().close().await;
    let n: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM tenant").fetch_one(&mut connection).await.unwrap();
    assert_eq!(n, 2);
    connection.close().await.unwrap();
}

async fn a_database_of_a_development_version_is_refused_as_it_is(url: &str) {
    // Their numbers are partly those of today, and partly unknown.
    let migrations = [(1, "CREATE TABLE app_user (user_id TEXT NOT NULL PRIMARY KEY)"), (20, "SELECT 1")];
    let migrations = migrations.map(|(version, sql)| {
        Migration::new(version, Cow::Borrowed("old"), MigrationType::Simple, sql.into_sql_str(), false)
    });
    let mut connection = apply(url, migrations.into()).await;
    sqlx::raw_sql("INSERT INTO app_user (user_id) VALUES ('ann')").execute(&mut connection).await.unwrap();

    for options in [StoreOptions::default(), as_it_is()] {
        let error = Store::open_with(url, &options).await.unwrap_err();
        assert!(matches!(error, Error::DevelopmentDatabase(_)), "{error:?}");
        assert!(error.to_string().contains("new data folder"), "{error}");
    }
    let error = Snapshot::take(url).await.unwrap_err();
    assert!(matches!(error, Error::DevelopmentDatabase(_)), "{error:?}");
    assert!(inspect(url).await.unwrap().is_from_development);

    let row = sqlx::query("SELECT user_id, (SELECT COUNT(*) FROM _sqlx_migrations) AS n FROM app_user")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!((row.get::<String, _>("user_id"), row.get::<i64, _>("n")), ("ann".to_owned(), 2));
    connection.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_earlier_sqlite_database_gets_what_it_lacks_and_keeps_its_rows() {
    let (url, _place) = Place::sqlite();
    an_earlier_database_gets_what_it_lacks_and_keeps_its_rows(&url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_earlier_postgres_database_gets_what_it_lacks_and_keeps_its_rows() {
    if let Some((url, _place)) = Place::postgres().await {
        an_earlier_database_gets_what_it_lacks_and_keeps_its_rows(&url).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_sqlite_database_of_a_development_version_is_refused_as_it_is() {
    let (url, _place) = Place::sqlite();
    a_database_of_a_development_version_is_refused_as_it_is(&url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_postgres_database_of_a_development_version_is_refused_as_it_is() {
    if let Some((url, _place)) = Place::postgres().await {
        a_database_of_a_development_version_is_refused_as_it_is(&url).await;
    }
}

#[tokio::test]
async fn an_sqlite_file_of_another_program_is_refused_and_gets_no_table() {
    let (url, _place) = Place::sqlite();
    sqlx::any::install_default_drivers();
    let mut connection = AnyConnection::connect(&url).await.unwrap();
    sqlx::raw_sql("CREATE TABLE shopping (what TEXT NOT NULL)").execute(&mut connection).await.unwrap();
    let error = Store::open(&url).await.unwrap_err();
    assert!(matches!(error, Error::ForeignDatabase(_)), "{error:?}");
    assert!(inspect(&url).await.unwrap().is_foreign);
    let query = "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table'";
    let n: i64 = sqlx::query_scalar(query).fetch_one(&mut connection).await.unwrap();
    assert_eq!(n, 1);
    connection.close().await.unwrap();
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
    let patient = crate::patient();
    let (first, second) = tokio::join!(Store::open_with(&url, &patient), Store::open_with(&url, &patient));
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
async fn a_password_that_breaks_its_address_is_to_be_encoded() {
    for url in ["postgres://ann:s3/cret@localhost:1/parts", "postgres://ann:s3#cret@localhost:1/parts"] {
        let error = Store::open(url).await.unwrap_err();
        assert!(error.to_string().contains("`%2F` for `/`"), "{url}: {error}");
        assert!(!format!("{error} {error:?}").contains("cret"), "{error:?}");
    }
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_is_said_without_its_password() {
    let url = "postgres://ann:s3cret@localhost:1/parts?sslmode=disable";
    let error = Store::open(url).await.unwrap_err();
    assert!(matches!(error, Error::Open { .. }), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("s3cret"), "{error:?}");
    assert!(error.to_string().contains("ann:***@localhost:1"), "{error}");
}
