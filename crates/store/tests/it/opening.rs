//! What can be wrong with the file of an SQLite database, or its disk.

use std::error::Error as _;
use std::fs;
use std::time::Duration;

use partsight_domain::{UNLIMITED_SCANS, UserId};
use partsight_store::{Error, ScanFilter, Store, StoreOptions, inspect};
use partsight_test_support::PATIENCE;
#[cfg(unix)]
use partsight_test_support::ordinary_user::as_ordinary_user;
use sqlx::{AnyConnection, Connection};
use tempfile::tempdir;
use tokio::time::timeout;
use uuid::Uuid;

use crate::{TestStore, at, new_scan, new_session, new_user, sqlite_url};

/// As in production, but a lock is waited for no longer than a slow disk keeps one.
fn impatient() -> StoreOptions {
    StoreOptions { wait: Duration::from_secs(2), ..StoreOptions::default() }
}

/// How the store that cannot be opened says so. One that tries again and again would do so for an hour.
async fn refusal(url: &str) -> Error {
    let options = StoreOptions { wait: Duration::from_hours(1), ..StoreOptions::default() };
    timeout(PATIENCE, Store::open_with(url, &options)).await.expect("it is refused at once").unwrap_err()
}

#[tokio::test]
async fn the_folder_of_the_data_is_made() {
    let folder = tempdir().unwrap();
    let data_dir = folder.path().join("a new/one with 100% ? # ü");
    let store = Store::open_sqlite(&data_dir).await.unwrap();
    store.ping().await.unwrap();
    assert!(data_dir.join("partsight.db").is_file());
}

#[tokio::test]
async fn a_relative_folder_is_the_one_that_was_meant() {
    // From the folder of this crate, where the tests run.
    let folder = tempfile::tempdir_in("..").unwrap();
    let relative = std::path::Path::new("..").join(folder.path().file_name().unwrap()).join("my data");
    Store::open_sqlite(&relative).await.unwrap().close().await;
    assert!(folder.path().join("my data/partsight.db").is_file());
}

#[tokio::test]
async fn a_store_that_was_closed_is_not_one_that_cannot_be_reached() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_sqlite(folder.path()).await.unwrap();
    store.close().await;
    let error = store.version().await.unwrap_err();
    assert!(error.is_closed(), "{error:?}");
}

#[tokio::test]
#[cfg(unix)]
async fn the_folder_of_the_data_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    Store::open_sqlite(&data_dir).await.unwrap().close().await;
    assert_eq!(std::fs::metadata(&data_dir).unwrap().permissions().mode() & 0o777, 0o700);
}

#[tokio::test]
#[cfg(unix)]
async fn the_files_of_the_data_are_their_owners_alone_in_a_folder_that_was_there_before() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempdir().unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let everybodys = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    everybodys(folder.path(), 0o755);
    let files = ["partsight.db", "partsight.db-wal", "partsight.db-shm"].map(|name| folder.path().join(name));

    let new = Store::open_sqlite(folder.path()).await.unwrap();
    new.check_writes().await.unwrap();
    assert_eq!(files.each_ref().map(|file| mode(file)), [0o600; 3]);
    // As an earlier version has left them, while it runs.
    for file in &files {
        everybodys(file, 0o644);
    }
    let store = Store::open_sqlite(folder.path()).await.unwrap();
    assert_eq!(files.each_ref().map(|file| mode(file)), [0o600; 3]);
    store.close().await;
    new.close().await;
    assert_eq!(mode(folder.path()), 0o755);
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "not a folder").unwrap();
    let error = Store::open_sqlite(&file.join("data")).await.unwrap_err();
    assert!(matches!(error, Error::CreateFolder { .. }), "{error:?}");
    assert!(error.to_string().contains(file.to_str().unwrap()), "{error}");
}

#[tokio::test]
async fn a_database_in_place_of_which_a_folder_stands_is_an_error_at_once() {
    let folder = tempdir().unwrap();
    fs::create_dir(folder.path().join("partsight.db")).unwrap();
    let error = refusal(&sqlite_url(&folder)).await;
    assert!(matches!(error, Error::Open { .. }), "{error:?}");
}

#[tokio::test]
async fn a_parameter_of_an_address_is_not_taken_for_a_wrong_password() {
    for parameter in ["sslmode=bogus", "sslmod=require"] {
        let url = format!("postgres://ann:s3cret@127.0.0.1:1/parts?{parameter}");
        for error in [refusal(&url).await, inspect(&url).await.unwrap_err()] {
            assert!(matches!(error, Error::WrongParameter { .. }), "{error:?}");
            assert!(!format!("{error} {error:?}").contains("s3cret"), "{error:?}");
        }
    }
}

#[tokio::test]
async fn a_database_that_cannot_be_written_is_named_with_its_folder() {
    // Takes no files of anybody, also not of root; elsewhere there is no such folder.
    let error = refusal("sqlite:///proc/partsight.db?mode=rwc").await;
    assert!(matches!(error, Error::NotWritable { .. }), "{error:?}");
    assert!(error.to_string().contains("its folder `/proc` must exist"), "{error}");
    assert!(!error.is_damaged());
}

#[test]
#[cfg(unix)]
fn a_database_in_a_folder_that_is_read_only_is_not_called_damaged() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempdir().unwrap();
    let url = sqlite_url(&folder);
    let set = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
    as_ordinary_user(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let errors = runtime.block_on(async {
            Store::open(&url).await.unwrap().close().await;
            set(0o500);
            let errors = [refusal(&url).await, inspect(&url).await.unwrap_err()];
            set(0o700);
            errors
        });
        for error in errors {
            assert!(matches!(error, Error::NotWritable { .. }), "{error:?}");
            assert!(error.to_string().contains(folder.path().to_str().unwrap()), "{error}");
        }
    });
}

#[tokio::test]
async fn a_file_that_is_no_database_is_named_at_once_and_left_as_it_is() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("partsight.db");
    let text = "a list of what to buy, and not a database at all\n".repeat(100);
    fs::write(&file, &text).unwrap();
    let error = refusal(&sqlite_url(&folder)).await;
    assert!(matches!(error, Error::Open { .. }), "{error:?}");
    assert!(error.to_string().contains("partsight.db"), "{error}");
    assert!(error.source().unwrap().to_string().contains("not a database"), "{error:?}");
    assert!(error.is_damaged(), "{error:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused_with_its_migration() {
    let db = TestStore::sqlite().await;
    db.execute(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (9999, 'of the future', TRUE, x'00', 0)",
    )
    .await;
    let error = Store::open(&db.url).await.unwrap_err();
    assert!(matches!(error, Error::NewerDatabase { version: 9999, .. }), "{error:?}");
    let sentence = error.to_string();
    assert!(
        sentence.contains("has migration 9999, which this version of partsight does not know"),
        "{sentence}"
    );
    assert!(sentence.contains("Please start that version, or restore an older copy"), "{sentence}");
}

#[tokio::test]
async fn a_database_held_by_another_process_is_locked() {
    let folder = tempdir().unwrap();
    let url = sqlite_url(&folder);
    Store::open(&url).await.unwrap().close().await;
    let mut holder = AnyConnection::connect(&url).await.unwrap();
    sqlx::raw_sql("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").execute(&mut holder).await.unwrap();
    let error = Store::open_with(&url, &impatient()).await.unwrap_err();
    assert!(matches!(error, Error::Locked(_)), "{error:?}");
}

#[tokio::test]
async fn a_write_beside_a_long_one_of_another_process_is_locked_and_saves_nothing() {
    let folder = tempdir().unwrap();
    let url = sqlite_url(&folder);
    let store = Store::open_with(&url, &impatient()).await.unwrap();
    let mut holder = AnyConnection::connect(&url).await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut holder).await.unwrap();
    let error = store
        .create_user(UserId(Uuid::now_v7()), &new_user("ann"), "hash", &new_session(at(0)), &[])
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Locked(_)), "{error:?}");
    // Reading goes on meanwhile.
    assert!(store.find_user_by_email("ann@example.com").await.unwrap().is_none());
    sqlx::raw_sql("ROLLBACK").execute(&mut holder).await.unwrap();
    store
        .create_user(UserId(Uuid::now_v7()), &new_user("ann"), "hash", &new_session(at(0)), &[])
        .await
        .unwrap();
}

#[tokio::test]
async fn a_full_disk_is_said_and_nothing_is_saved() {
    let db = TestStore::sqlite().await;
    let ann = db.user("ann").await;
    // SQLite takes a limit under the present size as "no page more".
    let full = StoreOptions { max_connections: 1, max_pages: Some(1), ..StoreOptions::default() };
    let store = Store::open_with(&db.url, &full).await.unwrap();

    let mut n_saved = 0;
    let error = loop {
        let mut scan = crate::scanning::scans::scan(at(n_saved), None);
        // A page and more each, so that the first free pages are soon used.
        scan.receipt.model = "x".repeat(8192);
        match store.save_scan(ann.tenant_id, ann.id, &new_scan(&scan, UNLIMITED_SCANS)).await {
            Ok(_) => n_saved += 1,
            Err(error) => break error,
        }
        assert!(n_saved < 100, "the disk is never full");
    };
    assert!(matches!(error, Error::Full(_)), "{error:?}");
    assert_eq!(i64::from(store.scans_used(ann.id).await.unwrap()), n_saved);
    let scans = store.list_scans(ann.tenant_id, &ScanFilter::default(), 100).await.unwrap();
    assert_eq!(i64::try_from(scans.len()).unwrap(), n_saved);
}

#[tokio::test]
async fn reopening_keeps_the_data() {
    let db = TestStore::sqlite().await;
    let ann = db.user("ann").await;
    let scan = crate::scanning::scans::scan(at(0), Some(&db.vehicle(&ann, "Civic").await));
    db.store.save_scan(ann.tenant_id, ann.id, &new_scan(&scan, 2)).await.unwrap();
    db.store.close().await;

    let store = Store::open(&db.url).await.unwrap();
    assert_eq!(store.find_user_by_email("ann@example.com").await.unwrap().unwrap().user, ann);
    assert_eq!(store.list_scans(ann.tenant_id, &ScanFilter::default(), 10).await.unwrap(), [scan]);
    assert_eq!(store.scans_used(ann.id).await.unwrap(), 1);
}

#[tokio::test]
async fn two_stores_over_one_file_see_each_others_rows() {
    let db = TestStore::sqlite().await;
    let other = Store::open(&db.url).await.unwrap();
    let ann = db.user("ann").await;
    assert_eq!(other.find_user_by_email("ann@example.com").await.unwrap().unwrap().user, ann);
}

#[cfg(unix)]
#[tokio::test]
async fn nothing_is_written_to_a_file_that_is_no_longer_at_its_place() {
    let folder = tempdir().unwrap();
    let store = Store::open_sqlite(folder.path()).await.unwrap();
    let (there, aside) = (folder.path().join("partsight.db"), folder.path().join("aside.db"));
    let sign_up = async || {
        let (user, session) = (new_user("ann"), new_session(at(0)));
        store.create_user(UserId(Uuid::now_v7()), &user, "hash", &session, &[]).await
    };
    fs::rename(&there, &aside).unwrap();
    assert!(matches!(sign_up().await, Err(Error::FileGone(_))));
    assert!(matches!(store.check_writes().await, Err(Error::FileGone(_))));
    fs::write(&there, "another file").unwrap();
    assert!(matches!(
        store.accept_terms(UserId(Uuid::now_v7()), "one", at(1)).await,
        Err(Error::FileGone(_))
    ));
    // Back at its place, it is the same.
    fs::rename(&aside, &there).unwrap();
    sign_up().await.unwrap();
}
