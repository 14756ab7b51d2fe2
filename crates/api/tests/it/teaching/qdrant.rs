//! References on a Qdrant server: what a scan does without it, and what it knows once it is back.

use std::net::TcpListener;
use std::time::Duration;

use jiff::SignedDuration;
use partsight_app::{IndexCondition, Owner, Settings, Store};
use partsight_domain::{Plan, ServiceUrl};
use partsight_test_support::PATIENCE;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::batches::jobs;
use crate::client::send;
use crate::engine::Behaviour;
use crate::qdrant_server::QdrantServer;
use crate::teaching::taught_parts::{checks, flower, identified, new_type, teach};
use crate::{Client, Engines, Setup, TestApp, pictures};

/// Seconds that a scan may wait for its references.
const DEADLINE: f64 = 1.0;
/// Less than a change may wait for the server, which is half a minute.
const SOON: Duration = Duration::from_secs(25);

fn settings(server: &QdrantServer) -> Settings {
    Settings::with(|settings| {
        settings.server.plan = Some(Plan::Pro);
        settings.qdrant.url = Some(ServiceUrl::new(server.url()));
    })
}

async fn start(server: &QdrantServer) -> TestApp {
    TestApp::with(Setup { settings: settings(server), ..Setup::default() }).await
}

/// A server, and a client there who has taught it a part by two photographs.
async fn start_taught(server: &QdrantServer) -> (TestApp, Client) {
    let app = start(server).await;
    let client = app.sign_up_with_vehicle("ann").await;
    teach(&client, new_type("EGR valve 47", &[flower(0), flower(18)])).await.expect_status(201);
    (app, client)
}

/// A server on the data of `app`, as after a restart, and a signed-in client there.
async fn start_again(app: &TestApp, client: &Client, server: &QdrantServer) -> (TestApp, Client) {
    let folder = Some(app.folder.clone());
    let again = TestApp::with(Setup { settings: settings(server), folder, ..Setup::default() }).await;
    again.use_cases.teaching.prepare_references().await.unwrap();
    let there = client.at(again.address);
    (again, there)
}

/// Scans until it is what it should be. A server that does not answer a scan in time, be it only because the machine is
/// busy, is left alone for some seconds.
async fn comes_to_be(client: &Client, photo: &[u8], label: &str) {
    let mut found = String::new();
    let scans = async {
        loop {
            found = identified(client, photo).await;
            if found == label {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let _ = timeout(PATIENCE, scans).await;
    assert_eq!(found, label);
}

/// Waits until the index of `app` holds what its database has.
async fn becomes_whole(app: &TestApp) {
    let whole = async {
        while app.use_cases.teaching.index_status().unwrap().condition != IndexCondition::Whole {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, whole).await.expect("it becomes whole by itself");
}

/// What a scan identifies, and whether its receipt says that taught parts are missing.
async fn scanned(client: &Client, photo: &[u8]) -> (String, bool) {
    let reply = client.identify(photo).await;
    if reply.status == 422 {
        return ("not-identified".to_owned(), false);
    }
    let scan = reply.expect_status(200).json();
    (
        scan["identification"]["label"].as_str().unwrap().to_owned(),
        scan["receipt"]["lacksTaughtParts"] == true,
    )
}

/// Seconds that all scans have spent with the search for references.
async fn search_seconds(client: &Client) -> f64 {
    let metrics = client.get("/metrics").await.expect_status(200).text.clone();
    let sum = "partsight_scan_stage_duration_seconds_sum{stage=\"search\"} ";
    let value = metrics.lines().find_map(|line| line.strip_prefix(sum));
    value.unwrap_or_else(|| panic!("no {sum}: {metrics}")).parse().unwrap()
}

async fn delete_account(client: &Client) {
    let body = json!({ "password": "correct horse" });
    send(client.request(Method::DELETE, "/api/auth/user").json(&body)).await.expect_status(204);
}

#[tokio::test]
async fn a_server_that_goes_away_costs_taught_parts_and_no_answer_until_it_is_back() {
    let mut server = QdrantServer::start();
    let (_app, client) = start_taught(&server).await;
    assert_eq!(server.n_points(&server.names()[0]), 2);
    comes_to_be(&client, &flower(9), "egr-valve-47").await;

    server.stop();
    assert_eq!(identified(&client, &flower(9)).await, "not-identified");
    assert_eq!(identified(&client, &pictures::golden("brake-rotor")).await, "brake-rotor");
    teach(&client, new_type("Checked flag 3", &[checks(0), checks(13)])).await.expect_status(201);
    assert_eq!(identified(&client, &checks(7)).await, "not-identified");

    server.start_again();
    comes_to_be(&client, &checks(7), "checked-flag-3").await;
    comes_to_be(&client, &flower(9), "egr-valve-47").await;
    assert_eq!(server.n_points(&server.names()[0]), 4);
}

/// What became of the photographs of a batch: of each its state, its label, and whether taught parts were missing.
async fn answers(client: &Client, batch: &str) -> Vec<(String, String, bool)> {
    let mut answers = Vec::new();
    for item in jobs::items(client, batch, "").await {
        let state = item["state"].as_str().unwrap().to_owned();
        let (label, lacks) = match item["scan"]["id"].as_str() {
            Some(id) => {
                let scan = client.get(&format!("/api/scans/{id}")).await.expect_status(200).json();
                let label = scan["identification"]["label"].as_str().unwrap().to_owned();
                (label, scan["receipt"]["lacksTaughtParts"] == true)
            }
            None => (String::new(), false),
        };
        answers.push((state, label, lacks));
    }
    answers
}

/// Of each photograph of a batch, whether the results as a table and as JSON lines say that taught parts were missing.
async fn marks(client: &Client, batch: &str) -> Vec<(bool, bool)> {
    let results = format!("/api/batches/{batch}/results");
    let table = client.get(&results).await.expect_status(200).text.clone();
    let mut rows = table.lines();
    assert!(rows.next().unwrap().ends_with(",note,lacks_taught_parts,id"), "{table}");
    let lines = client.get(&format!("{results}?format=jsonl")).await.expect_status(200).text.clone();
    let in_line = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["scan"]["lacksTaughtParts"].as_bool().unwrap()
    };
    rows.zip(lines.lines())
        .map(|(row, line)| (row.rsplit(',').nth(1) == Some("yes"), in_line(line)))
        .collect()
}

#[tokio::test]
async fn photographs_of_a_batch_wait_for_taught_parts_for_a_quarter_of_an_hour() {
    let mut server = QdrantServer::start();
    let mut settings = settings(&server);
    settings.server.plan = Some(Plan::Business);
    let app = TestApp::with(Setup { settings, ..Setup::default() }).await;
    let ann = app.sign_up_with_vehicle("ann").await;
    // Nothing was taught that he could see.
    let bob = app.sign_up_with_vehicle("bob").await;
    teach(&ann, new_type("EGR valve 47", &[flower(0), flower(18)])).await.expect_status(201);
    comes_to_be(&ann, &flower(9), "egr-valve-47").await;
    server.stop();

    let rotor = pictures::golden("brake-rotor");
    let batch_of = async |client: &Client| {
        let id = jobs::new_batch(client).await;
        jobs::upload(client, &id, jobs::photos(&[("rotor", rotor.clone())])).await.expect_status(200);
        jobs::start(client, &id).await.expect_status(200);
        id
    };
    let of_bob = batch_of(&bob).await;
    jobs::work(&app).await;
    let answered = |lacks| vec![("answered".to_owned(), "brake-rotor".to_owned(), lacks)];
    assert_eq!(answers(&bob, &of_bob).await, answered(false));

    let of_ann = batch_of(&ann).await;
    for _ in 0..5 {
        assert!(app.use_cases.batches.answer_next().await.unwrap(), "it goes on waiting");
    }
    assert_eq!(answers(&ann, &of_ann).await, [("waiting".to_owned(), String::new(), false)]);
    app.advance(SignedDuration::from_mins(16));
    jobs::work(&app).await;
    assert_eq!(answers(&ann, &of_ann).await, answered(true));
    assert_eq!(marks(&ann, &of_ann).await, [(true, true)]);
    assert_eq!(marks(&bob, &of_bob).await, [(false, false)]);
    let parquet = ann.get(&format!("/api/batches/{of_ann}/results?format=parquet")).await;
    assert!(parquet.expect_status(200).text.contains("lacks_taught_parts"), "{}", parquet.text);

    server.start_again();
    comes_to_be(&ann, &flower(9), "egr-valve-47").await;
    let of_ann = batch_of(&ann).await;
    jobs::work(&app).await;
    assert_eq!(answers(&ann, &of_ann).await, answered(false));
}

#[tokio::test]
async fn scans_do_not_queue_behind_a_server_that_hangs() {
    let mut server = QdrantServer::start();
    let (app, client) = start_taught(&server).await;
    // As if another server of this database had taught something that this one has to tell the index.
    app.execute(
        "UPDATE part_reference_revision SET revision = revision + 1; \
         UPDATE part_reference SET revision = (SELECT revision FROM part_reference_revision)",
    )
    .await;
    server.stop();
    // It takes connections and says nothing.
    let address = server.url().trim_start_matches("http://").to_owned();
    let hanging = loop {
        match TcpListener::bind(&address) {
            Ok(listener) => break listener,
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    };

    let photo = pictures::golden("brake-rotor");
    let together = async {
        tokio::join!(
            identified(&client, &photo),
            identified(&client, &photo),
            identified(&client, &photo),
            identified(&client, &photo),
            identified(&client, &photo),
        )
    };
    let (one, two, three, four, five) = timeout(SOON, together).await.expect("no scan waits for another");
    assert_eq!([one, two, three, four, five], ["brake-rotor"; 5]);
    // Those that come after do not wait at all, until some seconds later one of them tries again.
    let mut shortest = f64::MAX;
    for _ in 0..20 {
        let before = search_seconds(&client).await;
        assert_eq!(identified(&client, &photo).await, "brake-rotor");
        shortest = shortest.min(search_seconds(&client).await - before);
        if shortest < DEADLINE / 2.0 {
            break;
        }
    }
    assert!(shortest < DEADLINE / 2.0, "{shortest} s");

    drop(hanging);
    loop {
        match TcpListener::bind(&address) {
            Ok(_) => break,
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
    server.start_again();
    comes_to_be(&client, &flower(9), "egr-valve-47").await;
}

#[tokio::test]
async fn a_server_that_is_away_at_the_start_is_used_once_it_is_there() {
    let mut server = QdrantServer::start();
    let (app, client) = start_taught(&server).await;
    server.stop();
    let (_again, there) = start_again(&app, &client, &server).await;
    assert_eq!(identified(&there, &pictures::golden("brake-rotor")).await, "brake-rotor");
    server.start_again();
    comes_to_be(&there, &flower(9), "egr-valve-47").await;
}

#[tokio::test]
async fn a_collection_that_is_older_or_fuller_than_the_catalogue_is_put_right_at_the_start() {
    let server = QdrantServer::start();
    let (app, client) = start_taught(&server).await;
    let collection = server.names()[0].clone();

    server.lose_points(&collection);
    let (again, there) = start_again(&app, &client, &server).await;
    becomes_whole(&again).await;
    assert_eq!(server.n_points(&collection), 2);
    comes_to_be(&there, &flower(9), "egr-valve-47").await;

    // As after the database was put back to before the part was taught.
    again.execute("DELETE FROM part_reference").await;
    let (third, there) = start_again(&again, &client, &server).await;
    becomes_whole(&third).await;
    assert_eq!(server.n_points(&collection), 0);
    assert_eq!(identified(&there, &flower(9)).await, "not-identified");
}

#[tokio::test]
async fn a_start_with_an_unchanged_collection_writes_nothing() {
    let server = QdrantServer::start();
    let (app, client) = start_taught(&server).await;
    comes_to_be(&client, &flower(9), "egr-valve-47").await;
    becomes_whole(&app).await;
    let n_writes = server.n_writes();
    let (again, there) = start_again(&app, &client, &server).await;
    becomes_whole(&again).await;
    comes_to_be(&there, &flower(9), "egr-valve-47").await;
    assert_eq!(server.n_writes(), n_writes);
}

#[tokio::test]
async fn a_collection_that_is_lost_while_serving_comes_back_by_itself_and_scans_say_so_meanwhile() {
    let server = QdrantServer::start();
    let (app, client) = start_taught(&server).await;
    comes_to_be(&client, &flower(9), "egr-valve-47").await;
    let rotor = pictures::golden("brake-rotor");
    assert_eq!(scanned(&client, &rotor).await, ("brake-rotor".to_owned(), false));
    let collection = server.names()[0].clone();
    for lose in [QdrantServer::lose_collection, QdrantServer::lose_points, QdrantServer::lose_a_point] {
        becomes_whole(&app).await;
        lose(&server, &collection);
        assert_eq!(scanned(&client, &rotor).await, ("brake-rotor".to_owned(), true));
        becomes_whole(&app).await;
        assert_eq!(server.n_points(&collection), 2);
        comes_to_be(&client, &flower(9), "egr-valve-47").await;
    }
    let metrics = client.get("/metrics").await.expect_status(200).text.clone();
    for line in [
        "partsight_scans_without_taught_parts_total 3",
        "partsight_index_condition{condition=\"whole\"} 1",
        "partsight_index_references{state=\"held\"} 2",
        "partsight_index_repaired_references_total 3",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line}\n{metrics}");
    }
}

#[tokio::test]
async fn a_snapshot_that_was_put_back_is_noticed_although_its_number_of_references_is_right() {
    let server = QdrantServer::start();
    let (app, client) = start_taught(&server).await;
    let collection = server.names()[0].clone();
    becomes_whole(&app).await;
    let snapshot = server.snapshot(&collection);
    client.delete("/api/catalog/types/egr-valve-47").await.expect_status(204);
    teach(&client, new_type("Throttle body 3", &[flower(0), flower(18)])).await.expect_status(201);
    comes_to_be(&client, &flower(9), "throttle-body-3").await;
    becomes_whole(&app).await;
    assert_eq!(server.n_points(&collection), snapshot.len());
    server.put_back(&collection, snapshot);
    // Until it is noticed, this is the part that was deleted.
    comes_to_be(&client, &flower(9), "throttle-body-3").await;
}

#[tokio::test]
async fn an_index_that_is_away_is_named_by_ready_and_takes_the_server_out_of_no_rotation() {
    let mut server = QdrantServer::start();
    let (_app, client) = start_taught(&server).await;
    server.stop();
    let rotor = pictures::golden("brake-rotor");
    while !scanned(&client, &rotor).await.1 {}
    let away = async {
        loop {
            let ready = client.get("/ready").await.expect_status(200).json();
            let checks = ready["checks"].as_array().unwrap();
            let index = checks.iter().find(|check| check["name"] == "index").unwrap().clone();
            if index["ok"] == false {
                break index;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let index = timeout(PATIENCE, away).await.unwrap();
    assert_eq!(index["required"], false);
    let detail = index["detail"].as_str().unwrap();
    assert!(detail.contains("Scans are answered without taught parts."), "{detail}");
}

#[tokio::test]
async fn telling_that_was_interrupted_is_carried_on() {
    let server = QdrantServer::start();
    let (app, client) = start_taught(&server).await;
    let collection = server.names()[0].clone();
    server.lose_points(&collection);
    server.set_revision(&collection, 0);
    let (again, there) = start_again(&app, &client, &server).await;
    becomes_whole(&again).await;
    assert_eq!(server.n_points(&collection), 2);
    comes_to_be(&there, &flower(9), "egr-valve-47").await;
}

#[tokio::test]
async fn a_check_of_the_index_compares_it_with_the_database_and_with_the_exact_one() {
    let server = QdrantServer::start();
    let app = start(&server).await;
    let client = app.sign_up_with_vehicle("ann").await;
    teach(&client, new_type("EGR valve 47", &[flower(0), flower(9), flower(18)])).await.expect_status(201);
    let store = Store::open(&app.database_url).await.unwrap();
    let owner = Owner::of(&store.find_user_by_email("ann@example.com").await.unwrap().unwrap().user);
    let checked = app.use_cases.teaching.check_index(&owner, |_| {}).await.unwrap().served.unwrap();
    assert_eq!((checked.difference.n(), checked.difference.n_compared), (0, 3));
    assert_eq!((checked.status.held, checked.status.wanted, checked.n_queries), (3, 3, 3));
    assert_eq!((checked.recall, checked.nearest_found), (Some(1.0), Some(1.0)));

    server.lose_a_point(&server.names()[0]);
    let checked = app.use_cases.teaching.check_index(&owner, |_| {}).await.unwrap().served.unwrap();
    assert_eq!((checked.difference.n_missing, checked.status.held), (1, 2));
    assert!(checked.recall.unwrap() < 1.0, "{checked:?}");
}

#[tokio::test]
async fn reindexing_fills_a_collection_anew() {
    let server = QdrantServer::start();
    let (app, client) = start_taught(&server).await;
    let collection = server.names()[0].clone();
    server.lose_points(&collection);
    assert_eq!(identified(&client, &flower(9)).await, "not-identified");
    assert_eq!(app.use_cases.teaching.reindex(|_| {}).await.unwrap(), 2);
    assert_eq!(server.n_points(&collection), 2);
    comes_to_be(&client, &flower(9), "egr-valve-47").await;
}

#[tokio::test]
async fn another_model_fills_a_second_collection_and_then_searches_it() {
    let server = QdrantServer::start();
    let engines = Some(Engines { count: 1, behaviour: Behaviour::OtherModel, is_open: true });
    let old = TestApp::with(Setup { settings: settings(&server), engines, ..Setup::default() }).await;
    old.use_cases.teaching.prepare_references().await.unwrap();
    let first = server.names();
    // The stand-in cannot be taught; what was taught beside it is made out to be of its model.
    let folder = Some(old.folder.clone());
    let beside = Settings::with(|settings| settings.server.plan = Some(Plan::Pro));
    let beside = TestApp::with(Setup { settings: beside, folder, ..Setup::default() }).await;
    let client = beside.sign_up_with_vehicle("ann").await;
    teach(&client, new_type("EGR valve 47", &[flower(0), flower(18)])).await.expect_status(201);
    beside
        .execute(
            "UPDATE part_reference_revision SET revision = revision + 1; \
             UPDATE part_reference SET model_sha256 = 'other', \
                 revision = (SELECT revision FROM part_reference_revision)",
        )
        .await;

    let (new, there) = start_again(&old, &client, &server).await;
    assert_eq!(new.use_cases.teaching.hold_references_back().await.unwrap(), 2);
    let second = server.names().into_iter().find(|name| *name != first[0]).unwrap();
    assert_eq!(server.n_points(&second), 0);
    assert_eq!(identified(&there, &flower(9)).await, "not-identified");
    new.use_cases.teaching.reembed_references().await.unwrap();
    assert_eq!((server.n_points(&first[0]), server.n_points(&second)), (0, 2));
    comes_to_be(&there, &flower(18), "egr-valve-47").await;
}

#[tokio::test]
async fn what_a_deleted_account_taught_is_forgotten_by_each_kind_of_index() {
    let mut server = QdrantServer::start();
    for has_server in [false, true] {
        let qdrant_url = has_server.then(|| server.url());
        let settings = Settings::with(|settings| {
            settings.server.plan = Some(Plan::Business);
            settings.qdrant.url = qdrant_url.map(ServiceUrl::new);
        });
        let app = TestApp::with(Setup { settings, ..Setup::default() }).await;
        let (ann, bob) = (app.sign_up("ann").await, app.sign_up_with_vehicle("bob").await);
        let indexed = async || app.use_cases.teaching.count_indexed_references().await.unwrap();
        teach(&ann, new_type("EGR valve 47", &[flower(0), flower(18)])).await.expect_status(201);
        teach(&bob, new_type("Checked flag 3", &[checks(0)])).await.expect_status(201);
        assert_eq!(indexed().await, 3);
        delete_account(&ann).await;
        assert_eq!(indexed().await, 1, "with a server: {has_server}");

        // A company goes with what it was taught, its owner's own from before included.
        let company = crate::plans::company::make(&bob).await;
        let lesson = new_type("EGR valve 47", &[flower(0)]).text("acceptCollision", "true");
        teach(&bob, lesson).await.expect_status(201);
        assert_eq!(indexed().await, 2);
        if has_server {
            // A server that is away hears of it at the next scan after it is back, whoever makes it.
            server.stop();
        }
        bob.delete(&company).await.expect_status(200);
        if has_server {
            server.start_again();
            let scans = async {
                while indexed().await > 0 {
                    identified(&bob, &checks(7)).await;
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            };
            timeout(PATIENCE, scans).await.expect("it is forgotten");
        }
        assert_eq!(indexed().await, 0, "with a server: {has_server}");
        assert_eq!(identified(&bob, &checks(7)).await, "not-identified");
    }
}
