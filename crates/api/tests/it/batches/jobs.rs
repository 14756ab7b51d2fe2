//! The life of a batch, from its photographs to the file of its results.

use std::sync::Arc;

use jiff::SignedDuration;
use partsight_domain::{Plan, messages};
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::client::send;
use crate::engine::Behaviour;
use crate::{Client, Engines, Reply, Setup, TestApp, pictures};

/// A form with these photographs under these keys.
pub(crate) fn photos(files: &[(&str, Vec<u8>)]) -> Form {
    files.iter().fold(Form::new(), |form, (key, bytes)| {
        let file = Part::bytes(bytes.clone()).file_name(format!("{key}.jpg"));
        form.text("key", (*key).to_owned()).part("photo", file)
    })
}

pub(crate) async fn upload(client: &Client, batch: &str, form: Form) -> Reply {
    send(client.request(Method::POST, &format!("/api/batches/{batch}/photos")).multipart(form)).await
}

pub(crate) async fn new_batch(client: &Client) -> String {
    let reply = client.post("/api/batches", &json!({ "name": "Returns" })).await;
    reply.expect_status(201).json()["id"].as_str().unwrap().to_owned()
}

pub(crate) async fn start(client: &Client, batch: &str) -> Reply {
    client.post_bare(&format!("/api/batches/{batch}/start")).await
}

pub(crate) async fn batch(client: &Client, id: &str) -> Value {
    client.get(&format!("/api/batches/{id}")).await.expect_status(200).json()
}

pub(crate) async fn items(client: &Client, id: &str, query: &str) -> Vec<Value> {
    let page = client.get(&format!("/api/batches/{id}/items{query}")).await.expect_status(200).json();
    page["items"].as_array().unwrap().clone()
}

/// Lets the server answer everything that waits.
pub(crate) async fn work(app: &TestApp) {
    while app.use_cases.batches.answer_next().await.unwrap() {}
}

/// A server on which everybody has any number of scans, with a stand-in engine, and Ann.
pub(crate) async fn ready() -> (TestApp, Client) {
    TestApp::stand_in_with_ann_on(Plan::Business).await
}

#[tokio::test]
async fn a_field_of_a_new_batch_that_is_null_is_as_if_it_were_not_there() {
    let (_app, ann) = ready().await;
    let new = json!({ "name": "Returns", "vehicleId": null, "readText": null });
    let batch = ann.post("/api/batches", &new).await.expect_status(201).json();
    assert_eq!((&batch["vehicleId"], &batch["readText"]), (&Value::Null, &json!(false)));
}

#[tokio::test]
async fn a_batch_lives_from_its_photographs_to_the_file_of_its_results() {
    let (app, ann) = ready().await;
    let id = new_batch(&ann).await;
    start(&ann, &id).await.problem(422, "invalid");
    let form = photos(&[
        ("a", pictures::blocks(1, 0)),
        ("b", pictures::blocks(2, 0)),
        ("twin of a", pictures::blocks(1, 0)),
        ("broken", b"GIF89a".to_vec()),
    ]);
    let report = upload(&ann, &id, form).await.expect_status(200).json();
    let outcomes: Vec<&Value> =
        report["photos"].as_array().unwrap().iter().map(|photo| &photo["outcome"]).collect();
    assert_eq!(outcomes, ["added", "added", "duplicate", "added"]);
    assert_eq!(report["photos"][2]["duplicateOf"], report["photos"][0]["id"]);
    // Nothing is answered before it is asked for.
    work(&app).await;
    assert_eq!(batch(&ann, &id).await["counts"]["waiting"], 3);
    let started = start(&ann, &id).await.expect_status(200).json();
    assert_eq!(started["state"], "running");
    work(&app).await;
    let done = batch(&ann, &id).await;
    assert_eq!(done["state"], "done");
    let expected = json!({
        "total": 4, "waiting": 0, "running": 0, "answered": 2, "notAPart": 0, "failed": 1, "duplicate": 1,
        "cancelled": 0,
    });
    assert_eq!(done["counts"], expected);
    // In the words of a single scan, and the most doubtful first.
    let single = {
        ann.add_vehicle("Civic").await;
        ann.identify(b"GIF89a").await.json()["detail"].clone()
    };
    let listed = items(&ann, &id, "?sort=doubt").await;
    assert_eq!((&listed[0]["file"], &listed[0]["problem"]), (&json!("broken.jpg"), &single));
    let answer = &listed[1]["scan"];
    assert_eq!(answer["verdict"], "identified");
    let path = format!("/api/scans/{}", answer["id"].as_str().unwrap());
    let kept = ann.get(&path).await.expect_status(200).json();
    assert_eq!(kept["vehicle"], Value::Null);
    let thumbnail = ann.get(answer["thumbnailUrl"].as_str().unwrap()).await;
    thumbnail.expect_status(200);
    assert_eq!(ann.used().await, 2);
    assert_eq!(items(&ann, &id, "?state=failed").await.len(), 1);
    assert_eq!(items(&ann, &id, "?verdict=identified").await.len(), 2);
    // What somebody says of an answer is what is filtered by, and in the file.
    let feedback = json!({ "answer": "other-part", "label": "rim" });
    ann.post(&format!("{path}/feedback"), &feedback).await.expect_status(200);
    assert_eq!(items(&ann, &id, "?type=rim").await.len(), 1);
    let label = &listed[2]["scan"]["label"];
    let types = async || ann.get(&format!("/api/batches/{id}/types")).await.expect_status(200).json();
    let (rim, answered) = (
        json!({ "label": "rim", "name": "Wheel Rim", "count": 1 }),
        json!({ "label": label, "name": listed[2]["scan"]["partName"], "count": 1 }),
    );
    let mut both = [rim.clone(), answered];
    both.sort_by_key(|one| one["label"].to_string());
    assert_eq!(types().await, json!({ "types": both }));
    let other = listed[2]["scan"]["id"].as_str().unwrap();
    let rejected = json!({ "answer": "not-a-part" });
    let answered = format!("?type={}", label.as_str().unwrap());
    assert_eq!(items(&ann, &id, &answered).await.len(), 1);
    ann.post(&format!("/api/scans/{other}/feedback"), &rejected).await.expect_status(200);
    assert_eq!(items(&ann, &id, &answered).await.len(), 0);
    assert_eq!(types().await, json!({ "types": [rim] }));
    let table = ann.get(&format!("/api/batches/{id}/results")).await.text;
    assert_eq!((table.lines().count(), table.matches(",other-part,rim,").count()), (5, 1), "{table}");
    assert_eq!(table.matches(",not-a-part,,").count(), 1, "{table}");
    // The copy names its original by the id that the row of that one has.
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!((rows[0][4], rows[0].last()), ("duplicate_of", Some(&"id")));
    assert_eq!(Some(&rows[3][4]), rows[1].last(), "{table}");
    let lines = ann.get(&format!("/api/batches/{id}/results?format=jsonl")).await.text;
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.iter().map(|line| &line["key"]).collect::<Vec<_>>(), ["a", "b", "twin of a", "broken"]);
    let export = ann.get("/api/auth/user/export").await.expect_status(200).json();
    assert_eq!(export["batches"][0]["counts"]["total"], 4);
    ann.delete(&format!("/api/batches/{id}")).await.expect_status(204);
    ann.get(&format!("/api/batches/{id}")).await.problem(404, "not-found");
    // The scans are in the history all the same.
    ann.get(&path).await.expect_status(200);
}

#[tokio::test]
async fn an_upload_that_is_sent_again_adds_what_is_missing() {
    let (app, ann) = ready().await;
    let id = new_batch(&ann).await;
    let (a, b) = (("a", pictures::blocks(1, 0)), ("b", pictures::blocks(2, 0)));
    upload(&ann, &id, photos(std::slice::from_ref(&a))).await.expect_status(200);
    let report = upload(&ann, &id, photos(&[a, b])).await.expect_status(200).json();
    assert_eq!((&report["added"], &report["known"]), (&json!(1), &json!(1)));
    start(&ann, &id).await.expect_status(200);
    work(&app).await;
    assert_eq!((&batch(&ann, &id).await["counts"]["total"], ann.used().await), (&json!(2), 2));
    // Another photograph of a key has a key of its own, which the answer names.
    let both = photos(&[("k", pictures::blocks(3, 0)), ("k", pictures::blocks(4, 0))]);
    let report = upload(&ann, &id, both).await.expect_status(200).json();
    assert_eq!((&report["photos"][0]["key"], &report["photos"][1]["key"]), (&json!("k"), &json!("k (2)")));
    upload(&ann, &id, Form::new().text("key", "k")).await.problem(422, "invalid");
    // A photograph after a misspelt key is not stored under another one.
    let photo = Part::bytes(pictures::blocks(5, 0)).file_name("n.jpg");
    let refused = upload(&ann, &id, Form::new().text("kye", "n").part("photo", photo)).await;
    let sentence = refused.problem(422, "invalid");
    assert_eq!(sentence, "The form has no field `kye`. Please leave it out.");
    assert_eq!(batch(&ann, &id).await["counts"]["total"], 4);
    let after = photos(&[("k", pictures::blocks(3, 0))]).text("note", "x");
    upload(&ann, &id, after).await.problem(422, "invalid");
    let refused = upload(&ann, &id, Form::new().text("image", "x")).await;
    assert_eq!(refused.problem(422, "invalid"), messages::BATCH_PHOTO_MISSING);
}

/// The parts of a form: keys as `("key", key)`, photographs and zips by their file names.
fn form_of(parts: &[(&'static str, &str)]) -> Form {
    (1..).zip(parts).fold(Form::new(), |form, (seed, (field, text))| {
        if *field == "key" {
            return form.text("key", (*text).to_owned());
        }
        let file = Part::bytes(pictures::blocks(seed, 0)).file_name((*text).to_owned());
        form.part(*field, file)
    })
}

#[tokio::test]
async fn a_key_that_is_not_directly_before_its_photograph_names_no_other() {
    let (_app, ann) = ready().await;
    // As many programs write a form: first all texts, then all files. The last ones have kept what came before.
    let (key, photo) = (|key| ("key", key), |name| ("photo", name));
    for (parts, n_kept) in [
        (&[key("a"), key("b"), photo("1.jpg"), photo("2.jpg")][..], 0),
        (&[key("a"), photo("1.jpg"), key("b"), key("c"), photo("2.jpg")], 1),
        (&[key("a"), ("zip", "pallet.zip")], 0),
        (&[photo("1.jpg"), key("a"), photo("2.jpg"), key("b")], 2),
    ] {
        let id = new_batch(&ann).await;
        let refused = upload(&ann, &id, form_of(parts)).await;
        assert_eq!(refused.json()["field"], "key", "{parts:?}: {}", refused.text);
        let sentence = refused.problem(422, "invalid");
        assert!(sentence.contains("directly before its photo"), "{sentence}");
        assert_eq!(batch(&ann, &id).await["counts"]["total"], n_kept, "{parts:?}");
    }
    // A photograph may be without a key.
    let id = new_batch(&ann).await;
    let form = form_of(&[photo("1.jpg"), key("b"), photo("2.jpg"), photo("3.jpg")]);
    let report = upload(&ann, &id, form).await.expect_status(200).json();
    let keys: Vec<&Value> = report["photos"].as_array().unwrap().iter().map(|photo| &photo["key"]).collect();
    assert_eq!(keys, ["1.jpg", "b", "3.jpg"]);
}

#[tokio::test]
async fn a_key_is_kept_without_what_a_table_must_not_hold() {
    let (_app, ann) = ready().await;
    let id = new_batch(&ann).await;
    let form = |key: &str| {
        let photo = Part::bytes(pictures::blocks(1, 0)).file_name("1.jpg");
        Form::new().text("key", key.to_owned()).part("photo", photo)
    };
    let sent = "shelf\u{1b}[31m\r\n\u{202e}7\u{0}";
    let report = upload(&ann, &id, form(sent)).await.expect_status(200).json();
    assert_eq!(report["photos"][0]["key"], "shelf[31m7");
    let table = ann.get(&format!("/api/batches/{id}/results")).await;
    let table = &table.expect_status(200).text;
    assert!(table.contains("shelf[31m7") && !table.contains(['\u{1b}', '\u{202e}']), "{table}");
    // Sent again it is the same one.
    assert_eq!(upload(&ann, &id, form(sent)).await.expect_status(200).json()["known"], 1);
    // PostgreSQL would not keep it, and nothing else is left of it.
    upload(&ann, &id, form("\u{0}\u{202e}")).await.problem(422, "invalid");
    // A character of three bytes.
    upload(&ann, &id, form(&"键".repeat(341))).await.expect_status(200);
    let too_long = upload(&ann, &id, form(&"键".repeat(342))).await;
    assert_eq!(too_long.problem(422, "invalid"), messages::BATCH_KEY);
}

#[tokio::test]
async fn the_name_of_a_photograph_is_what_the_browser_escaped() {
    let (_app, ann) = ready().await;
    let id = new_batch(&ann).await;
    // As browsers write it: reqwest escapes more.
    let head =
        "--xyz\r\ncontent-disposition: form-data; name=\"photo\"; filename=\"16%22 rim 100%.jpg\"\r\n\r\n";
    let body = [head.as_bytes(), &pictures::blocks(1, 0), b"\r\n--xyz--\r\n"].concat();
    let request = ann.request(Method::POST, &format!("/api/batches/{id}/photos"));
    let request = request.header("content-type", "multipart/form-data; boundary=xyz").body(body);
    let report = send(request).await.expect_status(200).json();
    assert_eq!(report["photos"][0]["key"], "16\" rim 100%.jpg");
    assert_eq!(items(&ann, &id, "").await[0]["file"], "16\" rim 100%.jpg");
}

#[tokio::test]
async fn a_batch_beyond_the_allowance_stops_with_the_reason_and_can_go_on() {
    let (app, ann) = TestApp::stand_in_with_ann().await;
    let id = new_batch(&ann).await;
    let files: Vec<_> =
        ["a", "b", "c"].into_iter().zip(1..).map(|(key, seed)| (key, pictures::blocks(seed, 0))).collect();
    upload(&ann, &id, photos(&files)).await.expect_status(200);
    start(&ann, &id).await.expect_status(200);
    work(&app).await;
    let stopped = batch(&ann, &id).await;
    assert_eq!((&stopped["state"], ann.used().await), (&json!("stopped"), 2));
    assert!(stopped["reason"].as_str().unwrap().contains("upgrade"), "{stopped}");
    assert_eq!(stopped["counts"]["waiting"], 1);
    // Started again it says so again, and loses nothing.
    start(&ann, &id).await.expect_status(200);
    work(&app).await;
    assert_eq!(batch(&ann, &id).await["counts"], stopped["counts"]);
}

#[tokio::test]
async fn a_cancelled_batch_answers_nothing_more_until_it_is_tried_again() {
    let (app, ann) = ready().await;
    let id = new_batch(&ann).await;
    upload(&ann, &id, photos(&[("a", pictures::blocks(1, 0))])).await.expect_status(200);
    start(&ann, &id).await.expect_status(200);
    let cancelled = ann.post_bare(&format!("/api/batches/{id}/cancel")).await.expect_status(200).json();
    assert_eq!((&cancelled["state"], &cancelled["counts"]["cancelled"]), (&json!("cancelled"), &json!(1)));
    work(&app).await;
    assert_eq!(ann.used().await, 0);
    start(&ann, &id).await.problem(409, "conflict");
    upload(&ann, &id, photos(&[("b", pictures::blocks(2, 0))])).await.problem(409, "conflict");
    ann.post_bare(&format!("/api/batches/{id}/retry")).await.expect_status(200);
    work(&app).await;
    assert_eq!((&batch(&ann, &id).await["state"], ann.used().await), (&json!("done"), 1));
    // Too late to end it: what it has answered stays done.
    let done = ann.post_bare(&format!("/api/batches/{id}/cancel")).await.expect_status(200).json();
    assert_eq!((&done["state"], &done["counts"]["answered"]), (&json!("done"), &json!(1)));
}

#[tokio::test]
async fn two_servers_share_a_batch_and_one_that_dies_loses_nothing() {
    let (app, ann) = ready().await;
    let id = new_batch(&ann).await;
    let files: Vec<_> = ["a", "b", "c", "d", "e"]
        .into_iter()
        .zip(1..)
        .map(|(key, seed)| (key, pictures::blocks(seed, 0)))
        .collect();
    upload(&ann, &id, photos(&files)).await.expect_status(200);
    start(&ann, &id).await.expect_status(200);
    assert!(app.use_cases.batches.answer_next().await.unwrap());
    // The second server is killed over a photograph: its engine has it and never answers.
    let mut setup = Setup {
        engines: Some(Engines { count: 1, behaviour: Behaviour::Answer, is_open: false }),
        folder: Some(Arc::clone(&app.folder)),
        ..Setup::default()
    };
    setup.settings.server.plan = Some(Plan::Business);
    let other = TestApp::with(setup).await;
    {
        let batches = Arc::clone(&other.use_cases.batches);
        let answering = batches.answer_next();
        tokio::select! {
            _ = answering => panic!("the engine never answers"),
            () = other.gate().wait_for_images(1) => {}
        }
    }
    drop(other);
    work(&app).await;
    let counts = batch(&ann, &id).await["counts"].clone();
    assert_eq!((&counts["answered"], &counts["running"]), (&json!(4), &json!(1)), "{counts}");
    app.advance(SignedDuration::from_secs(61));
    work(&app).await;
    let done = batch(&ann, &id).await;
    assert_eq!((&done["state"], &done["counts"]["answered"]), (&json!("done"), &json!(5)));
    assert_eq!(ann.used().await, 5);
    assert_eq!(ann.get("/api/scans/recent?limit=100").await.json().as_array().unwrap().len(), 5);
}

#[tokio::test]
async fn the_worker_of_a_server_answers_by_itself_beside_people() {
    let app = TestApp::stalled(1, |settings| {
        settings.server.plan = Some(Plan::Business);
        settings.model.batch_workers = 2;
    })
    .await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up_with_vehicle("bob").await);
    let id = new_batch(&ann).await;
    let files: Vec<_> =
        ["a", "b", "c"].into_iter().zip(1..).map(|(key, seed)| (key, pictures::blocks(seed, 0))).collect();
    upload(&ann, &id, photos(&files)).await.expect_status(200);
    start(&ann, &id).await.expect_status(200);
    let batches = Arc::clone(&app.use_cases.batches);
    let whole_life = async {
        let photo = pictures::plain();
        let scan = bob.identify(&photo);
        let opening = async {
            app.gate().wait_for_images(1).await;
            app.gate().open();
        };
        let (reply, ()) = tokio::join!(scan, opening);
        reply.expect_status(200);
        ann.get_until(&format!("/api/batches/{id}"), |batch| batch["state"] == "done").await
    };
    tokio::select! {
        never = batches.run() => match never {},
        done = whole_life => assert_eq!(done["counts"]["answered"], 3),
    }
}

#[tokio::test]
async fn events_tell_the_progress_and_end_with_the_batch() {
    let (app, ann) = ready().await;
    let id = new_batch(&ann).await;
    upload(&ann, &id, photos(&[("a", pictures::blocks(1, 0))])).await.expect_status(200);
    start(&ann, &id).await.expect_status(200);
    work(&app).await;
    let events = ann.get(&format!("/api/batches/{id}/events")).await;
    events.expect_status(200);
    assert_eq!(events.header("content-type"), "text/event-stream");
    assert_eq!(events.header("x-accel-buffering"), "no");
    assert!(events.text.starts_with("event: progress\ndata: {"), "{}", events.text);
    assert!(events.text.contains("\"state\":\"done\""), "{}", events.text);
}

#[tokio::test]
async fn what_is_asked_for_wrongly_is_refused() {
    let (_app, ann) = ready().await;
    let id = new_batch(&ann).await;
    for (query, field) in [
        ("?state=new", "state"),
        ("?verdict=sure", "verdict"),
        ("?sort=size", "sort"),
        ("?cursor=x", "cursor"),
        ("?limit=0", "limit"),
        ("?limit=501", "limit"),
    ] {
        ann.get(&format!("/api/batches/{id}/items{query}")).await.invalid(field);
    }
    ann.get(&format!("/api/batches/{id}/results?format=xml")).await.problem(422, "invalid");
    ann.post("/api/batches", &json!({ "name": " " })).await.problem(422, "invalid");
    let vehicle = json!({ "name": "Returns", "vehicleId": "0190a0a0-0000-7000-8000-000000000000" });
    ann.post("/api/batches", &vehicle).await.problem(404, "not-found");
}

#[tokio::test]
async fn of_a_photograph_that_is_too_large_only_the_limit_is_known() {
    let app = TestApp::with_stand_in(|settings| {
        settings.server.plan = Some(Plan::Business);
        settings.photos.max_bytes = 100_000;
    })
    .await;
    let ann = app.sign_up("ann").await;
    let id = new_batch(&ann).await;
    upload(&ann, &id, photos(&[("large", vec![7; 150_000])])).await.expect_status(200);
    let problem = items(&ann, &id, "").await[0]["problem"].clone();
    assert_eq!(
        problem,
        "The photo has more than 100000 bytes, which is the limit: send a smaller or more compressed one."
    );
}
