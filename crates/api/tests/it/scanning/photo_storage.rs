use std::collections::BTreeMap;
use std::path::Path;

use partsight_app::Settings;
use partsight_domain::{PhotoKeeping, Plan, Secret, ServiceUrl};
use partsight_test_support::fake_bucket::{BUCKET, FakeBucket, KEY, KEY_ID, REGION};

use crate::{Client, Setup, TestApp};

/// The object that a check leaves.
const CHECKED: &str = "check/partsight";

/// A photograph without metadata. A photograph is stored as it was sent, but a fake service fails the test if the
/// planted metadata of other test pictures arrives at it.
fn picture() -> Vec<u8> {
    let rotor = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/partsight-50/golden/brake-rotor.png");
    std::fs::read(rotor).unwrap()
}

fn keep_in(settings: &mut Settings, storage: Option<String>) {
    settings.server.plan = Some(Plan::Pro);
    settings.data.keep_photos = PhotoKeeping::Full;
    settings.storage.storage = storage;
}

fn name_bucket(settings: &mut Settings, bucket: &FakeBucket) {
    keep_in(settings, Some(format!("s3://{BUCKET}/photographs")));
    settings.storage.endpoint = Some(ServiceUrl::new(&*bucket.endpoint));
    REGION.clone_into(&mut settings.storage.region);
    settings.storage.access_key_id = Some(KEY_ID.to_owned());
    settings.storage.secret_access_key = Some(Secret::new(KEY));
}

async fn scan(client: &Client) -> String {
    let scan = client.identify(&picture()).await.expect_status(200).json();
    format!("/api/scans/{}", scan["id"].as_str().unwrap())
}

async fn photo(client: &Client, scan: &str) -> (u16, Vec<u8>) {
    let reply = client.request(reqwest::Method::GET, &format!("{scan}/photo")).send().await.unwrap();
    (reply.status().as_u16(), reply.bytes().await.unwrap().to_vec())
}

async fn tidy(app: &TestApp) {
    app.use_cases.scanning.tidy_photo_storage().await.unwrap();
}

/// Whether the storage works, and whether the server is not ready without it.
async fn readiness(client: &Client) -> Option<[bool; 2]> {
    // The server itself is not ready: the stand-in engine does not know the canary.
    let ready = client.get("/ready").await.json();
    let check = ready["checks"].as_array().unwrap().iter().find(|check| check["name"] == "photo-storage")?;
    Some(["ok", "required"].map(|fact| check[fact].as_bool().unwrap()))
}

/// The photographs in a folder, by their names.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for inner in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        for file in std::fs::read_dir(inner).unwrap().map(|entry| entry.unwrap().path()) {
            let name = file.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            found.insert(name, std::fs::read(file).unwrap());
        }
    }
    found
}

/// What every place for photographs must do; `held` says what lies outside the database.
async fn keep_the_contract(app: &TestApp, n_outside: usize, held: impl Fn() -> BTreeMap<String, Vec<u8>>) {
    let held = || {
        let mut held = held();
        held.retain(|key, _| !key.ends_with(CHECKED));
        held
    };
    let (ann, ben) = (app.sign_up_with_vehicle("ann").await, app.sign_up("ben").await);
    let (first, second) = (scan(&ann).await, scan(&ann).await);
    for _ in 0..2 {
        // In the database at first; then wherever it was moved to.
        assert_eq!(photo(&ann, &first).await, (200, picture()));
        assert_eq!(photo(&ben, &first).await.0, 404);
        tidy(app).await;
    }
    assert_eq!(held().len(), 2 * n_outside);
    for (key, bytes) in held() {
        assert_eq!(bytes, picture());
        assert!(!key.contains(first.rsplit('/').next().unwrap()), "{key}");
    }
    ann.delete(&first).await.expect_status(204);
    assert_eq!(photo(&ann, &first).await.0, 404);
    tidy(app).await;
    assert_eq!(held().len(), n_outside);
    assert_eq!(photo(&ann, &second).await, (200, picture()));
    let delete = ann.request(reqwest::Method::DELETE, "/api/auth/user");
    let deleted = delete.json(&serde_json::json!({ "password": "correct horse" })).send().await.unwrap();
    assert!(deleted.status().is_success(), "{}", deleted.status());
    tidy(app).await;
    assert_eq!(held().len(), 0);
}

#[tokio::test]
async fn photographs_in_the_database_keep_the_contract() {
    let app = TestApp::with_stand_in(|settings| keep_in(settings, None)).await;
    keep_the_contract(&app, 0, BTreeMap::new).await;
    assert_eq!(readiness(&app.client()).await, None);
}

#[tokio::test]
async fn photographs_in_a_folder_keep_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let storage = folder.path().to_str().unwrap().to_owned();
    let app = TestApp::with_stand_in(|settings| keep_in(settings, Some(storage))).await;
    keep_the_contract(&app, 1, || files(folder.path())).await;
}

#[tokio::test]
async fn photographs_in_a_bucket_keep_the_contract() {
    let bucket = FakeBucket::start().await;
    let app = TestApp::with_stand_in(|settings| name_bucket(settings, &bucket)).await;
    keep_the_contract(&app, 1, || bucket.objects()).await;
    assert_eq!(readiness(&app.client()).await, Some([true, false]));
}

#[tokio::test]
async fn a_bucket_that_is_away_loses_nothing_and_keeps_nothing_that_was_deleted() {
    let bucket = FakeBucket::start().await;
    let app = TestApp::with_stand_in(|settings| name_bucket(settings, &bucket)).await;
    let ann = app.sign_up_with_vehicle("ann").await;
    let moved = scan(&ann).await;
    tidy(&app).await;
    assert_eq!(bucket.objects().len(), 2);

    bucket.be_away(true);
    let reply = ann.get(&format!("{moved}/photo")).await;
    assert_eq!(reply.expect_status(503).json()["code"], "service-down");
    let waiting = scan(&ann).await;
    tidy(&app).await;
    assert_eq!(photo(&ann, &waiting).await, (200, picture()), "from the database");
    assert_eq!(readiness(&ann).await, Some([false, false]));
    ann.delete(&moved).await.expect_status(204);
    tidy(&app).await;
    assert_eq!(bucket.objects().len(), 2);

    bucket.be_away(false);
    tidy(&app).await;
    tidy(&app).await;
    assert_eq!(bucket.objects().len(), 2, "one has gone, and one has come");
    assert_eq!(photo(&ann, &waiting).await, (200, picture()));
    assert_eq!(photo(&ann, &moved).await.0, 404);
}

#[tokio::test]
async fn photographs_stay_readable_and_deletable_after_the_setting_changes() {
    let (old, new) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let storage = |folder: &tempfile::TempDir| Some(folder.path().to_str().unwrap().to_owned());
    let before = TestApp::with_stand_in(|settings| keep_in(settings, storage(&old))).await;
    let ann = before.sign_up_with_vehicle("ann").await;
    let first = scan(&ann).await;
    tidy(&before).await;
    let after = TestApp::with(Setup {
        settings: Settings::with(|settings| keep_in(settings, storage(&new))),
        folder: Some(std::sync::Arc::clone(&before.folder)),
        ..Setup::default()
    })
    .await;
    let ann = ann.at(after.address);
    assert_eq!(photo(&ann, &first).await, (200, picture()));
    tidy(&after).await;
    assert!(files(old.path()).len() == 2 && files(new.path()).len() == 1);
    ann.delete(&first).await.expect_status(204);
    tidy(&after).await;
    assert_eq!(files(old.path()).into_keys().collect::<Vec<_>>(), [CHECKED]);
}

#[tokio::test]
async fn a_photograph_that_somebody_else_deleted_is_not_found() {
    let folder = tempfile::tempdir().unwrap();
    let storage = folder.path().to_str().unwrap().to_owned();
    let app = TestApp::with_stand_in(|settings| keep_in(settings, Some(storage))).await;
    let ann = app.sign_up_with_vehicle("ann").await;
    let scan = scan(&ann).await;
    tidy(&app).await;
    for key in files(folder.path()).into_keys().filter(|key| key != CHECKED) {
        std::fs::remove_file(folder.path().join(key)).unwrap();
    }
    assert_eq!(photo(&ann, &scan).await.0, 404);
}
