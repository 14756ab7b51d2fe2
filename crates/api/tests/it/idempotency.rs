use reqwest::Method;
use serde_json::{Value, json};

use crate::client::send;
use crate::{Client, Reply, TestApp};

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
    let app = TestApp::start().await;
    let client = app.sign_up("ann").await;
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
async fn a_key_cannot_be_used_for_another_body() {
    let app = TestApp::start().await;
    let client = app.sign_up("ann").await;
    add(&client, "k", &civic()).await.expect_status(201);
    let reply = add(&client, "k", &json!({ "make": "Honda", "model": "Jazz", "year": 2015 })).await;
    let sentence = reply.problem(422, "invalid");
    assert_eq!(sentence, "This key was used for another call. Please use a new one for each call.");
    assert_eq!(reply.json()["field"], "Idempotency-Key");
    assert_eq!(n_vehicles(&client).await, 1);
}

#[tokio::test]
async fn a_refused_call_can_be_sent_again() {
    let app = TestApp::start().await;
    let client = app.sign_up("ann").await;
    let bad = json!({ "make": "", "model": "Civic", "year": 2015 });
    for _ in 0..2 {
        add(&client, "k", &bad).await.problem(422, "invalid");
    }
    add(&client, "k", &civic()).await.expect_status(201);
    assert_eq!(n_vehicles(&client).await, 1);
}

#[tokio::test]
async fn many_sendings_at_once_make_one_vehicle() {
    let app = TestApp::start().await;
    let client = app.sign_up("ann").await;
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
    let app = TestApp::start().await;
    let client = app.sign_up("ann").await;
    for key in ["", "a b", &"x".repeat(256)] {
        let sentence = add(&client, key, &civic()).await.problem(422, "invalid");
        assert_eq!(sentence, "The key must have 1 to 255 visible ASCII characters.", "{key:?}");
    }
    assert_eq!(n_vehicles(&client).await, 0);
}

#[tokio::test]
async fn another_sites_page_cannot_use_a_key_either() {
    let app = TestApp::start().await;
    let client = app.sign_up("ann").await;
    let request = client.request(Method::POST, "/api/vehicles").header("Idempotency-Key", "k");
    let reply = send(request.header("Origin", "https://evil.example").json(&civic())).await;
    reply.problem(403, "forbidden");
    assert_eq!(n_vehicles(&client).await, 0);
}
