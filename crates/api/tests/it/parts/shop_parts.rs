//! The parts of a shop: whose they are, what is refused, and what a company shares.

use partsight_domain::Plan;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{assert_reply_snapshot, send};
use crate::plans::company::{join, make, start};
use crate::teaching::taught_parts::{flower, new_type, teach};
use crate::{Client, TestApp};

const PATH: &str = "/api/catalog/parts";
const UNKNOWN: &str = "0190a0a0-0000-7000-8000-000000000000";

pub(crate) fn plug(number: &str) -> Value {
    json!({
        "label": "spark-plug", "number": number, "brand": "NGK", "price": "12.50", "notes": "Gap 0.8 mm",
        "name": "Iridium plug",
        "fitments": [{ "make": "Honda", "model": "Civic", "yearFrom": 2012, "yearTo": "2015" }],
    })
}

pub(crate) async fn create(client: &Client, body: &Value) -> String {
    client.post(PATH, body).await.expect_status(201).json()["id"].as_str().unwrap().to_owned()
}

async fn numbers(client: &Client, query: &str) -> Vec<String> {
    let parts = client.get(&format!("{PATH}{query}")).await.expect_status(200).json();
    let parts = parts.as_array().unwrap();
    parts.iter().map(|part| part["number"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_part_is_added_changed_deleted_and_restored() {
    let (app, client) = TestApp::stand_in_with_ann().await;
    let reply = client.post(PATH, &plug(" ILZKR7B-11S ")).await;
    assert_reply_snapshot!("shop_part", reply);
    let part = reply.expect_status(201).json();
    let path = format!("{PATH}/{}", part["id"].as_str().unwrap());
    assert_eq!(client.get(&path).await.expect_status(200).json(), part);
    assert_eq!(client.get(PATH).await.json(), json!([part]));

    let bare = json!({ "label": "spark-plug", "number": "2", "currency": "eur", "price": 7 });
    let changed = client.put_json(&path, &bare).await.expect_status(200).json();
    assert_eq!((&changed["number"], &changed["brand"]), (&json!("2"), &Value::Null));
    assert_eq!(changed["price"], json!({ "cents": 700, "currency": "EUR" }));
    assert_eq!(changed["fitments"], json!([]));

    client.delete(&path).await.expect_status(204);
    client.delete(&path).await.problem(404, "not-found");
    client.get(&path).await.problem(404, "not-found");
    assert_eq!(client.get(PATH).await.json(), json!([]));
    let restored = client.post(&format!("{path}/restore"), &json!({})).await.expect_status(200).json();
    assert_eq!(restored["id"], part["id"]);
    client.post(&format!("{path}/restore"), &json!({})).await.problem(404, "not-found");

    client.delete(&path).await.expect_status(204);
    create(&client, &bare).await;
    let taken = client.post(&format!("{path}/restore"), &json!({})).await.problem(409, "conflict");
    assert!(taken.contains("number and brand"), "{taken}");
    app.advance(jiff::SignedDuration::from_hours(24 * 31));
    assert_eq!(app.use_cases.parts.purge_shop_parts().await.unwrap(), 1);
}

#[tokio::test]
async fn what_does_not_fit_names_its_field() {
    let (_app, client) = TestApp::stand_in_with_ann().await;
    let with = |field: &str, value: Value| {
        let mut body = plug("1");
        body[field] = value;
        body
    };
    let cases = [
        (with("label", json!("flux-capacitor")), "label"),
        (with("label", Value::Null), "label"),
        (with("number", json!(" ")), "number"),
        (with("price", json!("cheap")), "price"),
        (with("currency", json!("dollars")), "currency"),
        (with("currency", json!("abc")), "currency"),
        (with("fitments", json!([{ "make": "Honda" }, { "model": "Civic" }])), "fitments[1].make"),
        (with("fitments", json!([{ "make": "Honda", "yearFrom": 1700 }])), "fitments[0].yearFrom"),
        (with("photos", json!([UNKNOWN])), "photos"),
        (with("photos", json!(["x"])), "photos"),
    ];
    for (body, field) in cases {
        client.post(PATH, &body).await.invalid(field);
    }
    create(&client, &plug("A-1")).await;
    client.post(PATH, &plug("a 1")).await.problem(409, "conflict");
    assert_eq!(numbers(&client, "").await, ["A-1"]);
    for query in ["?limit=0", "?limit=201", "?before=x"] {
        client.get(&format!("{PATH}{query}")).await.problem(422, "invalid");
    }
    client.get(&format!("{PATH}/x")).await.problem(404, "not-found");
}

#[tokio::test]
async fn pages_lead_through_the_parts_and_a_type_narrows_them() {
    let (_app, client) = TestApp::stand_in_with_ann().await;
    for number in ["1", "2", "3"] {
        create(&client, &plug(number)).await;
    }
    create(&client, &json!({ "label": "rim", "number": "17x7" })).await;
    let first = client.get(&format!("{PATH}?limit=2&label=spark-plug")).await;
    assert_eq!(first.expect_status(200).json().as_array().unwrap().len(), 2);
    let next = format!("?before={}&limit=2&label=spark-plug", first.header("x-next-cursor"));
    assert_eq!(first.header("link"), format!("<{PATH}{next}>; rel=\"next\""));
    assert_eq!(numbers(&client, &next).await, ["1"]);
    assert_eq!(client.get(&format!("{PATH}?limit=4")).await.header("x-next-cursor"), "", "a full last page");
    assert_eq!(numbers(&client, "?label=rim").await, ["17x7"]);
    assert_eq!(numbers(&client, "").await, ["17x7", "3", "2", "1"]);
}

#[tokio::test]
async fn a_part_that_is_sent_twice_is_added_once() {
    let (_app, client) = TestApp::stand_in_with_ann().await;
    let sent = || async {
        let request = client.request(Method::POST, PATH).header("Idempotency-Key", "k").json(&plug("1"));
        send(request).await.expect_status(201).json()
    };
    assert_eq!(sent().await, sent().await);
    assert_eq!(numbers(&client, "").await, ["1"]);
}

#[tokio::test]
async fn the_parts_of_a_company_are_read_by_all_and_changed_by_managers() {
    let (app, ann) = start().await;
    let (bob, carol) = (app.sign_up("bob").await, app.sign_up("carol").await);
    // What the owner had before goes along.
    create(&ann, &plug("before")).await;
    let company = make(&ann).await;
    join(&ann, &company, &bob, "member").await;
    join(&ann, &company, &carol, "manager").await;
    let id = create(&carol, &plug("1")).await;
    for client in [&ann, &bob, &carol] {
        assert_eq!(numbers(client, "").await, ["1", "before"]);
    }
    let path = format!("{PATH}/{id}");
    bob.get(&path).await.expect_status(200);
    let import = bob.request(Method::POST, &format!("{PATH}/import")).header("content-type", "text/csv");
    for refused in [
        bob.post(PATH, &plug("2")).await,
        bob.put_json(&path, &plug("2")).await,
        bob.delete(&path).await,
        bob.post(&format!("{path}/restore"), &json!({})).await,
        send(import.body("number\n1\n")).await,
    ] {
        let sentence = refused.problem(403, "forbidden");
        assert_eq!(sentence, "Only the owner or a manager of the company can do this.");
    }
    ann.put_json(&path, &plug("3")).await.expect_status(200);
    let dave = app.sign_up("dave").await;
    dave.get(&path).await.problem(404, "not-found");
    assert_eq!(numbers(&dave, "").await, Vec::<String>::new());
}

#[tokio::test]
async fn a_members_own_parts_stay_theirs_beside_those_of_the_company() {
    let (app, ann) = start().await;
    let bob = app.sign_up("bob").await;
    let own = create(&bob, &plug("own")).await;
    let company = make(&ann).await;
    join(&ann, &company, &bob, "member").await;
    let of_company = create(&ann, &plug("1")).await;

    let seen = bob.get(PATH).await.json();
    let flags = |part: &Value| (part["number"].clone(), part["ownedBy"].clone(), part["mayChange"].clone());
    let seen: Vec<_> = seen.as_array().unwrap().iter().map(flags).collect();
    assert_eq!(
        seen,
        [(json!("1"), json!("company"), json!(false)), (json!("own"), json!("you"), json!(true))]
    );
    assert_eq!(numbers(&ann, "").await, ["1"], "and nobody else sees them");
    ann.get(&format!("{PATH}/{own}")).await.problem(404, "not-found");
    // The pages lead through both lists.
    let first = bob.get(&format!("{PATH}?limit=1")).await;
    let next = format!("?limit=1&before={}", first.header("x-next-cursor"));
    assert_eq!(numbers(&bob, &next).await, ["own"]);
    let found = bob.get("/api/parts/search?q=own").await.expect_status(200).json();
    assert!(found.as_array().unwrap().iter().any(|part| part["id"] == json!(own)), "{found}");
    let exported = bob.get("/api/export/parts.csv").await.expect_status(200).text.clone();
    let owners: Vec<&str> = exported.lines().map(|line| line.rsplit(',').next().unwrap()).collect();
    assert_eq!(owners, ["owner", "you", "company"], "{exported}");

    // Their own they change, in the company as before; the company's they do not.
    let path = format!("{PATH}/{own}");
    bob.put_json(&path, &plug("mine")).await.expect_status(200);
    bob.delete(&path).await.expect_status(204);
    bob.post(&format!("{path}/restore"), &json!({})).await.expect_status(200);
    bob.delete(&format!("{PATH}/{of_company}")).await.problem(403, "forbidden");
    bob.post(PATH, &plug("2")).await.problem(403, "forbidden");

    // A manager who imports that file brings nothing of their own into the company.
    let member = crate::plans::company::user_id(&bob).await;
    ann.put_json(&format!("{company}/members/{member}"), &json!({ "role": "manager" }))
        .await
        .expect_status(200);
    let import = bob.request(Method::POST, &format!("{PATH}/import?dryRun=true"));
    let report = send(import.header("content-type", "text/csv").body(exported)).await;
    let report = report.expect_status(200).json();
    let rows: Vec<&Value> = report["rows"].as_array().unwrap().iter().map(|row| &row["status"]).collect();
    assert_eq!(rows, ["skipped", "unchanged"], "{report}");

    bob.delete(&format!("{company}/members/{member}")).await.expect_status(204);
    assert_eq!(numbers(&bob, "").await, ["mine"]);
}

#[tokio::test]
async fn a_part_of_a_company_has_no_type_that_only_one_member_sees() {
    let app = TestApp::with_settings(|settings| settings.server.plan = Some(Plan::Business)).await;
    let (ann, carol) = (app.sign_up("ann").await, app.sign_up("carol").await);
    teach(&carol, new_type("EGR valve 47", &[flower(0)])).await.expect_status(201);
    let company = make(&ann).await;
    join(&ann, &company, &carol, "manager").await;
    let valve = json!({ "label": "egr-valve-47", "number": "1" });
    let refused = carol.post(PATH, &valve).await.problem(422, "invalid");
    assert!(refused.contains("no part type `egr-valve-47`"), "{refused}");
    let import = carol.request(Method::POST, &format!("{PATH}/import?dryRun=true"));
    let file = "type,number\negr-valve-47,1\n";
    let report = send(import.header("content-type", "text/csv").body(file)).await.expect_status(200).json();
    assert_eq!(report["rows"][0]["status"], "error", "{report}");
    let plug = create(&carol, &plug("2")).await;
    carol.put_json(&format!("{PATH}/{plug}"), &valve).await.problem(422, "invalid");
}

#[tokio::test]
async fn a_key_for_the_catalogue_opens_the_parts() {
    let (app, client) = TestApp::stand_in_with_ann_on(Plan::Business).await;
    create(&client, &plug("1")).await;
    for (scope, status) in [("catalog", 200), ("garage-read", 403)] {
        let key = client.post("/api/api-keys", &json!({ "name": "till", "scopes": [scope] })).await;
        let key = key.expect_status(201).json()["key"].as_str().unwrap().to_owned();
        let exports = ["/api/export/parts.csv", "/api/export/parts.xml?format=pies"];
        for path in [PATH, "/api/parts/search?q=plug"].into_iter().chain(exports) {
            let request = app.client().request(Method::GET, path).bearer_auth(&key);
            assert_eq!(send(request).await.status, status, "{scope} {path}");
        }
    }
}
