//! Calls whose sender holds back the end of the body until the rights that it began with have ended.

use std::time::Duration;

use partsight_domain::Plan;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::sleep;

use crate::connections::status_of;
use crate::plans::company::{join, make, start, user_id};
use crate::recorder::PASSWORD;
use crate::{Client, TestApp};

/// How many bytes are held back: the end of a form, or of an object.
const HELD_BACK: usize = 12;
const JSON: &str = "application/json";
const FORM: &str = "multipart/form-data; boundary=xyz";
const PRICES: &str = "--xyz\r\ncontent-disposition: form-data; name=\"supplier\"\r\n\r\nLee\r\n\
                      --xyz\r\ncontent-disposition: form-data; name=\"currency\"\r\n\r\nEUR\r\n\
                      --xyz\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\
                      content-type: text/csv\r\n\r\npart,price\r\nBrake Rotor,45\r\n\r\n--xyz--\r\n";
const PHOTO: &str = "--xyz\r\ncontent-disposition: form-data; name=\"image\"; filename=\"a.jpg\"\r\n\
                     content-type: image/jpeg\r\n\r\nphotograph\r\n--xyz--\r\n";

/// A call of which the server has everything but the end.
struct Held {
    connection: TcpStream,
    end: Vec<u8>,
}

impl Held {
    /// Begins a call. `by` is the header that signs it in.
    async fn begin(app: &TestApp, call: &str, by: &str, media_type: &str, body: &str) -> Self {
        let mut connection = TcpStream::connect(app.address).await.unwrap();
        let (start, end) = body.as_bytes().split_at(body.len() - HELD_BACK);
        let head = format!(
            "{call} HTTP/1.1\r\nhost: {}\r\n{by}\r\nconnection: close\r\ncontent-type: {media_type}\r\n\
             content-length: {}\r\n\r\n",
            app.address,
            body.len()
        );
        connection.write_all(&[head.as_bytes(), start].concat()).await.unwrap();
        Self { connection, end: end.to_vec() }
    }

    /// Sends the end, and gives the status of the answer.
    async fn end(mut self) -> u16 {
        self.connection.write_all(&self.end).await.unwrap();
        let mut answer = String::new();
        self.connection.read_to_string(&mut answer).await.unwrap();
        status_of(&answer).unwrap()
    }
}

/// A signed-in client, and the header with its cookie.
async fn with_cookie(app: &TestApp, name: &str) -> (Client, String) {
    let client = app.client();
    let reply = client.sign_up(name).await;
    let cookie = reply.expect_status(201).header("set-cookie").split_once(';').unwrap().0.to_owned();
    (client, format!("cookie: {cookie}"))
}

/// Lets the server read what it has: a right that is looked up too early is looked up by then.
async fn let_it_read() {
    sleep(Duration::from_millis(300)).await;
}

#[tokio::test]
async fn whoever_is_removed_or_demoted_decides_nothing_for_the_company_any_more() {
    let (app, ann) = start().await;
    let company = make(&ann).await;
    let ((bob, by_bob), (carol, by_carol)) =
        (with_cookie(&app, "bob").await, with_cookie(&app, "carol").await);
    let dave = app.sign_up("dave").await;
    for (client, role) in [(&bob, "manager"), (&carol, "manager"), (&dave, "member")] {
        join(&ann, &company, client, role).await;
    }
    let member = |id: &str| format!("{company}/members/{id}");
    let invitation =
        json!({ "userEmail": "eve@example.com", "userName": "Eve", "role": "manager" }).to_string();
    let promotion = json!({ "role": "manager" }).to_string();
    let (invite, promote) =
        (format!("POST {company}/members"), format!("PUT {}", member(&user_id(&dave).await)));
    let mut held = Vec::new();
    for (by, statuses) in [(&by_bob, [404, 404, 403]), (&by_carol, [403, 403, 403])] {
        for (call, media_type, body, status) in [
            (&*invite, JSON, &*invitation, statuses[0]),
            (&promote, JSON, &promotion, statuses[1]),
            ("POST /api/price-lists", FORM, PRICES, statuses[2]),
        ] {
            held.push((call, Held::begin(&app, call, by, media_type, body).await, status));
        }
    }
    let_it_read().await;
    ann.delete(&member(&user_id(&bob).await)).await.expect_status(204);
    ann.put_json(&member(&user_id(&carol).await), &json!({ "role": "member" })).await.expect_status(200);
    for (call, held, status) in held {
        assert_eq!(held.end().await, status, "{call}");
    }
    let members = ann.get(&format!("{company}/members")).await.expect_status(200).json();
    let names: Vec<_> = members.as_array().unwrap().iter().map(|member| &member["role"]).collect();
    assert_eq!(names, ["manager", "member", "member"]);
    assert_eq!(ann.get("/api/price-lists").await.json(), json!([]));
}

#[tokio::test]
async fn a_new_password_ends_calls_that_had_begun() {
    let (app, ann) = TestApp::stand_in_with_ann_on(Plan::Business).await;
    let made =
        ann.post("/api/api-keys", &json!({ "name": "till", "scopes": ["scan", "garage-write"] })).await;
    let by_key = format!("authorization: Bearer {}", made.expect_status(201).json()["key"].as_str().unwrap());
    let thief = app.client().sign_in("ann", PASSWORD).await;
    let by_cookie = format!("cookie: {}", thief.header("set-cookie").split_once(';').unwrap().0);

    let key = json!({ "name": "thief", "scopes": ["scan", "garage-write"] }).to_string();
    let vehicle = json!({ "make": "Honda", "model": "Civic", "year": 2015 }).to_string();
    let mut held = Vec::new();
    for (by, call, media_type, body) in [
        (&by_cookie, "POST /api/api-keys", JSON, &*key),
        (&by_cookie, "POST /api/vehicles", JSON, &vehicle),
        (&by_cookie, "POST /api/identify", FORM, PHOTO),
        (&by_key, "POST /api/vehicles", JSON, &vehicle),
        (&by_key, "POST /api/identify", FORM, PHOTO),
    ] {
        held.push((call, Held::begin(&app, call, by, media_type, body).await));
    }
    let_it_read().await;
    let new = json!({ "currentPassword": PASSWORD, "newPassword": "battery staple", "endKeys": true });
    ann.put_json("/api/auth/password", &new).await.expect_status(204);
    for (call, held) in held {
        assert_eq!(held.end().await, 401, "{call}");
    }
    assert_eq!(ann.get("/api/api-keys").await.expect_status(200).json(), json!([]));
    assert_eq!(ann.get("/api/vehicles").await.expect_status(200).json(), json!([]));
}
