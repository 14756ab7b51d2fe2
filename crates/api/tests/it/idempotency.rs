use std::time::Duration;

use partsight_domain::Plan;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::send;
use crate::fake_judge::{FakeJudge, Says};
use crate::judging::judge::unsure;
use crate::scanning::several_photos::form_of;
use crate::{Client, Reply, TestApp, pictures};

async fn add(client: &Client, key: &str, body: &Value) -> Reply {
    send(client.request(Method::POST, "/api/vehicles").header("Idempotency-Key", key).json(body)).await
}

fn civic() -> Value {
    json!({ "make": "Honda", "model": "Civic", "year": 2015 })
}

async fn n_vehicles(client: &Client) -> usize {
    client.get("/api/vehicles").await.json().as_array().unwrap().len()
}

#[tokio::test]
async fn a_call_that_is_sent_twice_is_done_once() {
    let (_app, client) = TestApp::with_ann().await;
    let first = add(&client, "k", &civic()).await;
    let second = add(&client, "k", &civic()).await;
    assert_eq!(first.expect_status(201).json(), second.expect_status(201).json());
    assert_eq!((first.header("idempotency-replayed"), second.header("idempotency-replayed")), ("", "true"));
    assert_eq!(n_vehicles(&client).await, 1);
    // Another key, or none, is another call.
    add(&client, "l", &civic()).await.expect_status(201);
    client.post("/api/vehicles", &civic()).await.expect_status(201);
    assert_eq!(n_vehicles(&client).await, 3);
}

#[tokio::test]
async fn a_batch_that_is_made_twice_is_one() {
    let (_app, client) = TestApp::with_ann().await;
    let create = async |name: &str| {
        let request = client.request(Method::POST, "/api/batches").header("Idempotency-Key", "k");
        send(request.json(&json!({ "name": name }))).await
    };
    let first = create("Returns").await.expect_status(201).json();
    let second = create("Returns").await;
    assert_eq!(second.expect_status(201).json(), first);
    assert_eq!(second.header("idempotency-replayed"), "true");
    create("Cores").await.problem(422, "invalid");
    assert_eq!(client.get("/api/batches").await.json().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn what_is_due_that_is_done_twice_and_a_mileage_are_saved_once() {
    let (_app, client) = TestApp::with_ann().await;
    let id = client.post("/api/vehicles", &civic()).await.expect_status(201).json()["id"].clone();
    let path = format!("/api/vehicles/{}", id.as_str().unwrap());
    let post = async |call: &str, body: Value| {
        let request = client.request(Method::POST, &format!("{path}/{call}")).header("Idempotency-Key", call);
        send(request.json(&body)).await
    };
    for (call, body) in [
        ("maintenance/engine-oil/done", json!({ "mileage": 52000 })),
        ("odometer", json!({ "mileage": 53000 })),
    ] {
        let first = post(call, body.clone()).await;
        let second = post(call, body).await;
        assert!([200, 201].contains(&first.status), "{call}: {}", first.text);
        assert_eq!((second.status, &second.text), (first.status, &first.text), "{call}");
        assert_eq!(second.header("idempotency-replayed"), "true", "{call}");
    }
    assert_eq!(client.get("/api/oil-changes").await.json().as_array().unwrap().len(), 1);
    assert_eq!(client.get(&format!("{path}/odometer")).await.json().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn an_answer_that_is_larger_than_its_call_is_kept_as_well() {
    let (_app, client) = TestApp::with_ann_on(Plan::Business).await;
    let fitment = json!({ "make": "Honda", "model": "é".repeat(60), "yearFrom": 2012, "yearTo": 2015, "note": "é".repeat(150) });
    let body = json!({ "label": "spark-plug", "name": "Plug", "number": "15400", "brand": "NGK", "fitments": vec![fitment; 480] });
    let create = async || {
        let request = client.request(Method::POST, "/api/catalog/parts").header("Idempotency-Key", "k");
        send(request.json(&body)).await
    };
    let first = create().await.expect_status(201).json();
    let second = create().await;
    assert_eq!(second.expect_status(201).json(), first);
    assert_eq!(second.header("idempotency-replayed"), "true");
}

#[tokio::test]
async fn a_key_cannot_be_used_for_another_body() {
    let (_app, client) = TestApp::with_ann().await;
    add(&client, "k", &civic()).await.expect_status(201);
    let reply = add(&client, "k", &json!({ "make": "Honda", "model": "Jazz", "year": 2015 })).await;
    let sentence = reply.problem(422, "invalid");
    assert_eq!(
        sentence,
        "This `Idempotency-Key` was used for another call. Please use a new one for each call."
    );
    assert_eq!(reply.json()["field"], "Idempotency-Key");
    assert_eq!(n_vehicles(&client).await, 1);
}

#[tokio::test]
async fn a_refused_call_can_be_sent_again() {
    let (_app, client) = TestApp::with_ann().await;
    let bad = json!({ "make": "", "model": "Civic", "year": 2015 });
    for _ in 0..2 {
        add(&client, "k", &bad).await.problem(422, "invalid");
    }
    add(&client, "k", &civic()).await.expect_status(201);
    assert_eq!(n_vehicles(&client).await, 1);
}

#[tokio::test]
async fn many_sendings_at_once_make_one_vehicle() {
    let (_app, client) = TestApp::with_ann().await;
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let client = client.clone();
        calls.spawn(async move { add(&client, "k", &civic()).await });
    }
    for reply in calls.join_all().await {
        if reply.status == 409 {
            assert_eq!(
                reply.problem(409, "conflict"),
                "The same call is still running. Please wait a moment."
            );
            assert_eq!(reply.header("retry-after"), "1");
        } else {
            reply.expect_status(201);
        }
    }
    assert_eq!(n_vehicles(&client).await, 1);
}

#[tokio::test]
async fn a_key_is_of_one_user() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    let hers = add(&ann, "k", &civic()).await.expect_status(201).json();
    let his = add(&bob, "k", &civic()).await.expect_status(201).json();
    assert_ne!(hers["id"], his["id"]);
    add(&app.client(), "k", &civic()).await.problem(401, "not-signed-in");
}

#[tokio::test]
async fn a_key_that_cannot_be_one_is_refused() {
    let (_app, client) = TestApp::with_ann().await;
    for key in ["", "a b", &"x".repeat(256)] {
        let sentence = add(&client, key, &civic()).await.problem(422, "invalid");
        assert_eq!(sentence, "`Idempotency-Key` must have 1 to 255 visible ASCII characters.", "{key:?}");
    }
    assert_eq!(n_vehicles(&client).await, 0);
}

#[tokio::test]
async fn another_sites_page_cannot_use_a_key_either() {
    let (_app, client) = TestApp::with_ann().await;
    let request = client.request(Method::POST, "/api/vehicles").header("Idempotency-Key", "k");
    let reply = send(request.header("Origin", "https://evil.example").json(&civic())).await;
    reply.problem(403, "forbidden");
    assert_eq!(n_vehicles(&client).await, 0);
}

/// Sends a scan with a key; each sending has a boundary of its own.
async fn scan(client: &Client, key: &str, photos: &[Vec<u8>]) -> Reply {
    let request = client.request(Method::POST, "/api/identify").header("Idempotency-Key", key);
    send(request.multipart(form_of(photos))).await
}

#[tokio::test]
async fn a_scan_that_is_sent_twice_is_counted_and_saved_once() {
    let (app, client) = TestApp::ready_to_scan().await;
    let photos = [pictures::plain(), pictures::blocks(1, 0)];
    let first = scan(&client, "k", &photos).await;
    let second = scan(&client, "k", &photos).await;
    assert_eq!(first.expect_status(200).json(), second.expect_status(200).json());
    assert_eq!((first.header("idempotency-replayed"), second.header("idempotency-replayed")), ("", "true"));
    assert_eq!((client.used().await, app.gate().images()), (1, 2));
    assert_eq!(client.get("/api/scans/recent").await.json().as_array().unwrap().len(), 1);

    // Other photographs, fewer, in another order, or for a named vehicle, are another scan.
    let accord = client.add_vehicle("Accord").await;
    let turned = [photos[1].clone(), photos[0].clone()];
    for photos in [&turned[..], &photos[..1]] {
        let sentence = scan(&client, "k", photos).await.problem(422, "invalid");
        assert_eq!(
            sentence,
            "This `Idempotency-Key` was used for another call. Please use a new one for each call."
        );
    }
    let request = client.request(Method::POST, "/api/identify").header("Idempotency-Key", "k");
    let form = form_of(&photos).text("vehicleId", accord);
    send(request.multipart(form)).await.problem(422, "invalid");
    scan(&client, "a b", &photos).await.problem(422, "invalid");
    scan(&client, "l", &photos).await.expect_status(200);
    assert_eq!(client.used().await, 2);
    // The allowance is used up, but this one has been counted.
    scan(&client, "k", &photos).await.expect_status(200);
    scan(&client, "m", &photos).await.problem(429, "limit-reached");
    // Once it is deleted, its answer is gone as well, and it is not made anew.
    client.delete("/api/scans").await.expect_status(204);
    scan(&client, "k", &photos).await.problem(404, "not-found");
    assert_eq!(client.used().await, 2);
}

#[tokio::test]
async fn a_refused_scan_can_be_sent_again_with_its_key() {
    let (_app, client) = TestApp::ready_to_scan().await;
    let photos = [pictures::plain(), b"a letter".to_vec()];
    for _ in 0..2 {
        scan(&client, "k", &photos).await.problem(415, "unsupported-media-type");
    }
    assert_eq!(client.used().await, 0);
    scan(&client, "k", &photos[..1]).await.expect_status(200);
}

#[tokio::test]
async fn many_sendings_of_a_scan_at_once_make_one() {
    let (_app, client) = TestApp::ready_to_scan().await;
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let client = client.clone();
        calls.spawn(async move { scan(&client, "k", &[pictures::plain()]).await });
    }
    for reply in calls.join_all().await {
        if reply.status == 409 {
            let sentence = reply.problem(409, "conflict");
            assert_eq!(sentence, "The same call is still running. Please wait a moment.");
        } else {
            reply.expect_status(200);
        }
    }
    assert_eq!(client.used().await, 1);
    assert_eq!(client.get("/api/scans/recent").await.json().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_scan_that_was_cancelled_can_be_sent_again() {
    let app = TestApp::stalled(1, |_| {}).await;
    let client = app.sign_up_with_vehicle("ann").await;
    let photos = [pictures::plain()];
    tokio::select! {
        reply = scan(&client, "k", &photos) => panic!("the engine waits, but {}", reply.status),
        () = app.gate().wait_for_images(1) => {}
    }
    app.wait_for_running(0).await;
    app.gate().open();
    // The call is given up beside the requests, a moment after its client was seen to be gone.
    let again = loop {
        let reply = scan(&client, "k", &photos).await;
        if reply.status != 409 {
            break reply;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    again.expect_status(200);
    assert_eq!(client.used().await, 1);
}

#[tokio::test]
async fn a_scan_that_is_sent_twice_asks_the_judge_once() {
    let fake = FakeJudge::saying(Says::Candidate(1)).await;
    let (_app, client) = unsure(&fake, |_| {}).await;
    let photos = [pictures::blocks(1, 0)];
    let first = scan(&client, "k", &photos).await.expect_status(200).json();
    let second = scan(&client, "k", &photos).await.expect_status(200).json();
    assert_eq!((&first, fake.questions().len()), (&second, 1));
}

#[tokio::test]
async fn a_call_whose_connection_breaks_is_done_once_when_it_is_sent_again() {
    const N_CALLS: u64 = 40;
    let (_app, client) = TestApp::with_ann().await;
    let key = |number: u64| format!("broken-{number}");
    for number in 0..N_CALLS {
        // Each goes away a little later than the one before: at the session, the claim, the vehicle or its answer.
        let request = client.request(Method::POST, "/api/vehicles").header("Idempotency-Key", key(number));
        let _ = request.json(&civic()).timeout(Duration::from_micros(250 * number)).send().await;
    }
    for number in 0..N_CALLS {
        let again = async {
            loop {
                let reply = add(&client, &key(number), &civic()).await;
                if reply.status != 409 {
                    return reply;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        // A claim that nobody ends holds for a minute.
        let reply = tokio::time::timeout(Duration::from_secs(20), again).await;
        reply.unwrap_or_else(|_| panic!("call {number} was never finished")).expect_status(201);
    }
    assert_eq!(n_vehicles(&client).await as u64, N_CALLS);
}
