//! What an account may keep.

use jiff::SignedDuration;
use partsight_app::{Error, Store};
use partsight_domain::{Plan, Quota, messages};
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::json;
use tokio::task::JoinSet;

use crate::batches::jobs::{items, new_batch, photos, start, upload, work};
use crate::batches::zips::zip_of;
use crate::client::send;
use crate::pictures::golden;
use crate::{Client, Reply, TestApp, pictures};

const FULL: &str = "The Basic plan keeps at most 200 vehicles. Please delete some first, or upgrade to Pro.";

fn vehicles_csv(models: std::ops::Range<u64>) -> String {
    models.fold("Make,Model,Year\n".to_owned(), |file, n| format!("{file}Honda,Model {n},2015\n"))
}

async fn import(client: &Client, file: String) -> Reply {
    send(client.request(Method::POST, "/api/import/vehicles").header("content-type", "text/csv").body(file))
        .await
}

#[tokio::test]
async fn a_full_garage_takes_no_vehicle_until_one_is_deleted() {
    let (app, client) = TestApp::with_ann().await;
    let limit = Quota::Vehicles.limit(Plan::Basic);
    // Nothing of a file that would go over the limit is saved.
    assert_eq!(import(&client, vehicles_csv(0..limit + 1)).await.problem(409, "conflict"), FULL);
    assert_eq!(client.get("/api/vehicles").await.json(), json!([]));

    import(&client, vehicles_csv(0..limit)).await.expect_status(200);
    let accord = json!({ "make": "Honda", "model": "Accord", "year": 2015 });
    let refused = client.post("/api/vehicles", &accord).await;
    assert_eq!(refused.json()["field"], "vehicles");
    assert_eq!(refused.problem(409, "conflict"), FULL);
    // Somebody else's garage is not full.
    app.sign_up("bob").await.post("/api/vehicles", &accord).await.expect_status(201);

    let id = client.get("/api/vehicles").await.json()[0]["id"].as_str().unwrap().to_owned();
    client.delete(&format!("/api/vehicles/{id}")).await.expect_status(200);
    client.post("/api/vehicles", &accord).await.expect_status(201);
}

#[tokio::test]
async fn vehicles_added_at_once_do_not_exceed_the_limit() {
    let (_app, client) = TestApp::with_ann().await;
    import(&client, vehicles_csv(0..195)).await.expect_status(200);
    let accord = json!({ "make": "Honda", "model": "Accord", "year": 2015 });
    let mut adding = JoinSet::new();
    for _ in 0..20 {
        let call = client.request(Method::POST, "/api/vehicles").json(&accord);
        adding.spawn(async move { send(call).await.status });
    }
    let statuses = adding.join_all().await;
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 5, "{statuses:?}");
    assert_eq!(client.get("/api/vehicles").await.json().as_array().unwrap().len(), 200);
}

#[tokio::test]
async fn a_scan_of_an_account_with_full_pictures_is_answered_and_kept_without_one() {
    let app = TestApp::on_sqlite().await;
    let client = app.sign_up_with_vehicle("ann").await;
    client.identify(&golden("brake-rotor")).await.expect_status(200);
    app.execute("UPDATE scan_photo SET bytes = zeroblob(200000000)").await;
    // The count of before holds for an hour.
    app.advance(SignedDuration::from_hours(1));
    client.identify(&golden("brake-rotor")).await.expect_status(200);
    let scans = client.get("/api/scans/recent").await.json();
    let pictures: Vec<bool> =
        scans.as_array().unwrap().iter().map(|scan| scan["thumbnailUrl"].is_string()).collect();
    // The newest first.
    assert_eq!(pictures, [false, true], "{scans}");
}

#[tokio::test]
async fn what_a_full_account_has_set_for_an_item_can_still_be_changed() {
    let app = TestApp::on_sqlite().await;
    let client = app.sign_up_with_vehicle("ann").await;
    let vehicle = client.get("/api/vehicles").await.json()[0]["id"].as_str().unwrap().to_owned();
    let path = |item: &str| format!("/api/vehicles/{vehicle}/maintenance/{item}");
    let every = |months: u32| json!({ "intervalMonths": months });
    client.put_json(&path("engine-oil"), &every(6)).await.expect_status(200);
    app.execute(
        "WITH RECURSIVE counted (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM counted WHERE n < 2000) \
         INSERT INTO maintenance_item (tenant_id, vehicle_id, item) \
         SELECT tenant_id, vehicle_id, 'own-' || n FROM counted, vehicle",
    )
    .await;
    client.put_json(&path("engine-oil"), &every(12)).await.expect_status(200);
    let refused = client.put_json(&path("brake-fluid"), &every(24)).await;
    assert_eq!(refused.json()["field"], "maintenanceItems");
    refused.problem(409, "conflict");

    let until = json!({ "until": "2027-02-01" });
    client.post(&format!("{}/snooze", path("engine-oil")), &until).await.expect_status(200);
    client.post(&format!("{}/snooze", path("brake-fluid")), &until).await.problem(409, "conflict");
}

#[tokio::test]
async fn confirmed_scans_of_a_full_account_are_no_references() {
    let app = TestApp::on_sqlite().await;
    let client = app.sign_up_with_vehicle("ann").await;
    let choice = json!({ "confirmedScansTeach": true, "refitCalibration": false });
    client.put_json("/api/learning", &choice).await.expect_status(200);
    // Deleted ones count as long as they can be restored.
    app.execute(
        "WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 1000) \
         INSERT INTO part_reference (part_reference_id, tenant_id, label, kind, model_sha256, embedding, \
                                     fingerprint, created_at, deleted_at, revision) \
         SELECT printf('%08x-0000-7000-8000-000000000000', n), tenant_id, 'rim', 'enrolled', 'other', x'', x'', 0, 0, 0 \
         FROM counted, tenant",
    )
    .await;
    let scan = client.identify(&golden("brake-rotor")).await.expect_status(200).json();
    let feedback = format!("/api/scans/{}/feedback", scan["id"].as_str().unwrap());
    let said = client.post(&feedback, &json!({ "answer": "right" })).await.expect_status(200).json();
    assert_eq!(said["notTaught"], Quota::TaughtPhotos.sentence(Plan::Basic), "{said}");
}

#[tokio::test]
async fn what_a_full_batch_or_account_has_already_can_be_sent_again() {
    let app = TestApp::on_sqlite_with(|_| {}).await;
    let client = app.sign_up("ann").await;
    let id = new_batch(&client).await;
    let file = |n: u32| pictures::blocks(n, 0);
    let sent = [("k", file(1)), ("l", file(2))];
    upload(&client, &id, photos(&sent)).await.expect_status(200);
    app.execute(
        "WITH RECURSIVE counted (n) AS (SELECT 3 UNION ALL SELECT n + 1 FROM counted WHERE n < 50000) \
         INSERT INTO batch_item (batch_item_id, batch_id, tenant_id, client_key, name, sha256, state, doubt) \
         SELECT printf('%08x-0000-7000-8000-000000000000', n), batch_id, tenant_id, n, 'x', n, 'failed', 0 \
         FROM counted, batch",
    )
    .await;
    let known = |reply: Reply| reply.expect_status(200).json()["known"].clone();
    assert_eq!(known(upload(&client, &id, photos(&sent)).await), 2);
    let zip = |entries: &[(&str, Vec<u8>)]| {
        Form::new().part("zip", Part::bytes(zip_of(entries)).file_name("pallet.zip"))
    };
    upload(&client, &id, photos(&[("k.jpg", file(3))])).await.problem(422, "invalid");
    // The same photograph under another key is another item.
    let refused = upload(&client, &id, photos(&[("k", file(1)), ("m", file(1))])).await;
    assert_eq!(refused.problem(422, "invalid"), messages::BATCH_FULL);

    // An account without room for pictures.
    let id = new_batch(&client).await;
    let sent = [("k.jpg", file(4)), ("l.jpg", file(5))];
    upload(&client, &id, zip(&sent)).await.expect_status(200);
    app.execute(
        "UPDATE batch_photo SET bytes = zeroblob(210000000) WHERE batch_item_id = \
                 (SELECT batch_item_id FROM batch_item WHERE client_key = 'k.jpg')",
    )
    .await;
    assert_eq!(known(upload(&client, &id, photos(&sent)).await), 2);
    assert_eq!(known(upload(&client, &id, zip(&sent)).await), 2);
    let more = [&sent[..], &[("m.jpg", file(6))]].concat();
    let refused = upload(&client, &id, zip(&more)).await;
    assert_eq!(refused.problem(409, "conflict"), Quota::PictureBytes.sentence(Plan::Basic));
}

#[tokio::test]
async fn an_upload_finds_out_that_others_have_filled_the_account() {
    let app = TestApp::on_sqlite_with(|_| {}).await;
    let client = app.sign_up("ann").await;
    let batch = new_batch(&client).await;
    let store = Store::open(&app.database_url).await.unwrap();
    let user = store.find_user_by_email("ann@example.com").await.unwrap().unwrap().user;
    let mut upload = app.use_cases.batches.begin_upload(&user, batch.parse().unwrap()).await.unwrap();
    let photo = |n: u8| vec![n; 8_400_000];
    upload.add("1", "1.jpg", photo(1)).await.unwrap();
    // The account has 200 MB.
    app.execute("UPDATE batch_photo SET bytes = zeroblob(190000000)").await;
    upload.add("2", "2.jpg", photo(2)).await.unwrap();
    let refused = upload.add("3", "3.jpg", photo(3)).await.unwrap_err();
    assert!(matches!(refused, Error::QuotaReached { quota: Quota::PictureBytes, .. }), "{refused:?}");
}

#[tokio::test]
async fn an_answer_has_the_room_of_the_photograph_that_it_takes_the_place_of() {
    let app = TestApp::on_sqlite_with(|_| {}).await;
    let client = app.sign_up("ann").await;
    let batch = new_batch(&client).await;
    let files = [("full", vec![7; 100]), ("rotor", golden("brake-rotor"))];
    upload(&client, &batch, photos(&files)).await.expect_status(200);
    // With what waits the account is full to the last byte.
    assert_eq!(Quota::PictureBytes.limit(Plan::Basic), 200_000_000);
    app.execute(
        "UPDATE batch_photo SET bytes = zeroblob(200000100 - (SELECT SUM(LENGTH(bytes)) FROM batch_photo)) \
         WHERE LENGTH(bytes) = 100",
    )
    .await;
    start(&client, &batch).await.expect_status(200);
    work(&app).await;
    let answer = items(&client, &batch, "?state=answered").await[0]["scan"].clone();
    assert!(answer["thumbnailUrl"].is_string(), "{answer}");
}
