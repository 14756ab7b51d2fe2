//! Each call of the OpenAPI document as a visitor, with a stale session, as its owner, and as somebody else.

mod calls;
mod rows;

use std::cmp::Reverse;

use jiff::SignedDuration;
use partsight_domain::{PhotoKeeping, Plan};
use reqwest::multipart::Form;
use serde_json::{Value, json};

use crate::client::file;
use crate::parts::cross_references;
use crate::parts::price_lists::upload;
use crate::teaching::taught_parts::{checks, new_type, teach};
use crate::{Client, TestApp, pictures};
use calls::{Call, UNKNOWN, calls, document, example, unknown_ids};
use rows::{OWNED, Rows, owned};

#[tokio::test]
async fn calls_for_everybody_are_as_reviewed() {
    let mut public: Vec<String> =
        calls(&document()).iter().filter(|call| !call.is_private()).map(Call::name).collect();
    public.sort_unstable();
    insta::assert_snapshot!("calls_for_everybody", public.join("\n"));
}

#[tokio::test]
async fn visitors_and_stale_sessions_are_refused() {
    let document = document();
    let app = TestApp::with_stand_in(|_| {}).await;
    let visitor = app.client();
    let stale = app.sign_up("ann").await;
    app.advance(SignedDuration::from_hours(24 * 400));
    let mut wrong = Vec::new();
    for call in calls(&document).iter().filter(|call| call.is_private()) {
        for (who, client) in [("visitor", &visitor), ("stale session", &stale)] {
            let reply = call.send(client, &unknown_ids(), &document).await;
            if reply.status != 401 || reply.json()["code"] != "not-signed-in" {
                wrong.push(format!("{who}: {} answers {}", call.name(), reply.status));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Private paths whose variables name nobody's row, and why.
const NOBODYS: [(&str, &str); 9] = [
    ("/api/import/{kind}", "a kind of records; the vehicle in its query is somebody's"),
    ("/api/parts/category/{category}", "the categories are the same for everybody"),
    ("/api/parts/{id}/ai-suppliers", "a shipped part type; the vehicle in its query is somebody's"),
    ("/api/parts/{id}/fits", "a shipped part type; the vehicle in its query is somebody's"),
    ("/api/parts/{id}/guide", "a part type; one that somebody else taught is like none"),
    ("/api/parts/{id}/recalls", "a shipped part type; the vehicle in its query is somebody's"),
    ("/api/vehicles/ai/oil-specs/{make}/{model}/{year}", "a model that anybody may ask for"),
    ("/api/vehicles/ai/oil-specs/{make}/{model}/{year}/{engine}", "a model that anybody may ask for"),
    ("/api/vehicles/vin/{vin}/decoder", "a number that anybody may ask for"),
];

/// What an owner is answered with where that is no success, and why.
const OWNERS_REFUSED: [(&str, u16, &str); 11] = [
    ("DELETE /api/company/{id}", 403, "it was handed over to the heir by then"),
    ("DELETE /api/parts/{id}/fits", 404, "no language model is set, so none filled in notes"),
    ("DELETE /api/parts/{id}/guide", 404, "no language model is set, so none wrote a guide"),
    ("DELETE /api/vehicles/{id}/oil/ai", 404, "no language model is set, so none filled in values"),
    ("GET /api/evaluations/{id}/comparison", 404, "the call names no other evaluation"),
    ("GET /api/vehicles/vin/{vin}/decoder", 404, "no decoder is set"),
    ("POST /api/batches/{id}/folder", 409, "it was cancelled by then"),
    ("POST /api/batches/{id}/groups", 422, "two photographs at least make a group"),
    ("POST /api/batches/{id}/groups/split", 404, "the photograph of the body is in no batch"),
    ("PUT /api/batches/{id}/groups", 404, "the photograph of the body is in no batch"),
    ("PUT /api/scans/{id}/reading", 422, "this server reads no text, so there is none to correct"),
];

#[test]
fn every_private_path_with_an_id_is_reviewed() {
    let document = document();
    let calls = calls(&document);
    let mut wrong = Vec::new();
    for call in calls.iter().filter(|call| call.is_private() && call.path.contains('{')) {
        let is_nobodys = NOBODYS.iter().any(|(path, _)| *path == call.path);
        if owned(&call.path).is_some() == is_nobodys {
            wrong.push(format!("{} must stand in OWNED or in NOBODYS", call.path));
        }
    }
    for path in OWNED.into_iter().chain(NOBODYS.map(|(path, _)| path)) {
        if !calls.iter().any(|call| call.is_private() && call.path.starts_with(path)) {
            wrong.push(format!("{path} is no path of a private call"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A server on which everybody has Business, with Ann, her rows, and Bob, who has a vehicle.
async fn start() -> (TestApp, Client, Rows, Client) {
    let app = TestApp::with_settings(|settings| {
        settings.server.plan = Some(Plan::Business);
        settings.data.keep_photos = PhotoKeeping::Full;
        settings.webhooks.private_addresses = true;
        settings.push.enabled = true;
    })
    .await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up_with_vehicle("bob").await);
    let rows = Rows::make(&app, &ann).await;
    (app, ann, rows, bob)
}

/// In which order calls leave each other something to do: what reads first, then what makes and edits, then what
/// deletes, from the leaves up, what brings back, and what takes everything along.
fn rank(call: &Call) -> (u8, Reverse<usize>) {
    let rank = match (call.method.as_str(), call.path.as_str()) {
        // Its photographs go with it, so that none could be restored by itself.
        ("DELETE", "/api/scans" | "/api/catalog/types/{id}") => 5,
        ("DELETE", "/api/vehicles/{id}") | ("POST", "/api/catalog/types/{id}/restore") => 6,
        ("PUT", "/api/company/{id}/owner") => 7,
        ("DELETE", "/api/company/{id}") => 8,
        ("GET", _) => 0,
        ("PUT", _) | ("POST", "/api/batches/{id}/photos" | "/api/batches/{id}/start") => 1,
        ("DELETE", _) => 3,
        (_, path) if path.ends_with("/restore") => 4,
        _ => 2,
    };
    (rank, Reverse(call.path.len()))
}

#[tokio::test]
async fn owners_reach_their_own_rows() {
    let document = document();
    let (_app, ann, rows, _bob) = start().await;
    let mut calls = calls(&document);
    calls.retain(|call| call.is_private() && (call.path.contains('{') || call.takes_vehicle()));
    calls.sort_by_key(rank);
    let mut wrong = Vec::new();
    for call in &calls {
        let reply = call.send(&ann, &rows.values(&call.path), &document).await;
        let refused = OWNERS_REFUSED.iter().find(|(name, ..)| *name == call.name());
        let is_right = match refused {
            Some((_, status, _)) => reply.status == *status,
            None => (200..300).contains(&reply.status),
        };
        if !is_right {
            wrong.push(format!("{} answers {}: {}", call.name(), reply.status, reply.text));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn a_body_without_a_field_that_it_needs_is_refused() {
    let document = document();
    let (_app, ann, rows, _bob) = start().await;
    let mut wrong = Vec::new();
    for call in calls(&document).iter().filter(|call| call.is_private()) {
        for (field, may_be_null) in call.required_fields(&document) {
            let values = rows.values(&call.path);
            let omit = |body: &mut Value| drop(body.as_object_mut().unwrap().remove(&field));
            let omitted = call.send_changed(&ann, &values, &document, omit).await.status;
            let null = |body: &mut Value| body[&field] = Value::Null;
            let nulled = call.send_changed(&ann, &values, &document, null).await.status;
            if omitted != 422 || (nulled == 422) == may_be_null {
                wrong
                    .push(format!("{} without `{field}` answers {omitted}, with null {nulled}", call.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn the_rows_of_somebody_else_do_not_exist() {
    let document = document();
    let (_app, ann, rows, bob) = start().await;
    let own_vehicle = bob.get("/api/vehicles/default").await.json()["id"].clone();
    let mut wrong = Vec::new();
    for call in calls(&document).iter().filter(|call| call.is_private() && owned(&call.path).is_some()) {
        let mut values = rows.values(&call.path);
        values.insert("vehicleId".to_owned(), own_vehicle.clone());
        // What is hers is like what nobody has, and like what is no id at all.
        let hers = values["id"].clone();
        for id in [hers, json!(UNKNOWN), json!("1"), json!("%00")] {
            values.insert("id".to_owned(), id.clone());
            let reply = call.send(&bob, &values, &document).await;
            if reply.status != 404 {
                wrong.push(format!("{} of {id} answers {}: {}", call.name(), reply.status, reply.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for (start, id) in &rows.by_path {
        // There is no call for some single rows; the lists have them.
        let path = start.replace("{id}", id).replace("{item}", "engine-oil");
        let reply = ann.get(&path).await;
        assert!([200, 404, 405].contains(&reply.status), "{path}: {}", reply.text);
    }
    for (list, n) in [
        ("/api/vehicles", 1),
        ("/api/oil-changes", 1),
        ("/api/repair-history", 1),
        ("/api/price-lists", 1),
        ("/api/cross-references", 1),
        ("/api/batches", 1),
        ("/api/webhooks", 1),
        ("/api/api-keys", 1),
        ("/api/auth/sessions", 2),
        ("/api/catalog/types", 1),
        ("/api/catalog/parts", 1),
        ("/api/scans/recent", 1),
    ] {
        assert_eq!(ann.get(list).await.json().as_array().unwrap().len(), n, "{list}");
    }
    for list in [
        "/api/oil-changes",
        "/api/repair-history",
        "/api/scans/recent",
        "/api/catalog/parts",
        "/api/catalog/types",
    ] {
        assert_eq!(bob.get(list).await.expect_status(200).json(), json!([]), "{list}");
    }
}

#[tokio::test]
async fn the_vehicle_of_somebody_else_does_not_exist() {
    let document = document();
    let (_app, ann, rows, bob) = start().await;
    let mut wrong = Vec::new();
    let mut n_calls = 0;
    for call in calls(&document).iter().filter(|call| call.is_private()) {
        let schema = &call.operation["requestBody"]["content"]["application/json"]["schema"];
        let in_body = !schema.is_null() && example(&document, schema, 0).get("vehicleId").is_some();
        // Calls with an id of their own have been seen to refuse it.
        if !(call.takes_vehicle() || in_body) || owned(&call.path).is_some() {
            continue;
        }
        n_calls += 1;
        let reply = call.send(&bob, &rows.values(&call.path), &document).await;
        if reply.status != 404 {
            wrong.push(format!("{} answers {}: {}", call.name(), reply.status, reply.text));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(n_calls >= 15, "{n_calls}");
    let image = file(&pictures::golden("brake-rotor"), "image/jpeg");
    let form = Form::new().part("image", image).text("vehicleId", rows.vehicle.clone());
    bob.identify_form(form).await.problem(404, "not-found");

    // Nor can a record be moved to it.
    let own = bob.get("/api/vehicles/default").await.json()["id"].clone();
    let made = bob.post("/api/oil-changes", &json!({ "vehicleId": own, "mileage": 5 })).await;
    let path = format!("/api/oil-changes/{}", made.expect_status(201).json()["id"].as_str().unwrap());
    let moved = bob.put_json(&path, &json!({ "vehicleId": rows.vehicle, "mileage": 5 })).await;
    moved.problem(404, "not-found");
    assert_eq!(ann.get("/api/oil-changes").await.json().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn members_use_what_the_company_shares_and_managers_change_it() {
    let document = document();
    let (app, ann, rows, _bob) = start().await;
    let company = rows.by_path.iter().find(|(path, _)| *path == "/api/company/{id}").unwrap().1.clone();
    let member = app.client();
    member.sign_in("carl", "correct horse").await.expect_status(200);
    // What a plain member and what a manager is answered with.
    let table: [(&str, &str, [u16; 2]); 29] = [
        ("GET", "/api/dial", [200, 200]),
        ("PUT", "/api/dial", [403, 200]),
        ("GET", "/api/judge", [200, 200]),
        ("PUT", "/api/judge", [403, 200]),
        ("PUT", "/api/judge/budget", [403, 200]),
        ("GET", "/api/price-lists", [200, 200]),
        ("DELETE", "/api/price-lists/{id}", [403, 204]),
        ("POST", "/api/price-lists/{id}/restore", [403, 204]),
        // A new list of this name takes the place of the other.
        ("POST", "/api/price-lists", [403, 201]),
        ("GET", "/api/cross-references", [200, 200]),
        ("DELETE", "/api/cross-references/{id}", [403, 204]),
        ("POST", "/api/cross-references/{id}/restore", [403, 204]),
        ("POST", "/api/cross-references", [403, 201]),
        ("GET", "/api/catalog/parts/{id}", [200, 200]),
        ("POST", "/api/catalog/parts", [403, 201]),
        ("PUT", "/api/catalog/parts/{id}", [403, 200]),
        ("DELETE", "/api/catalog/parts/{id}", [403, 204]),
        ("POST", "/api/catalog/parts/{id}/restore", [403, 200]),
        ("GET", "/api/catalog/types/{id}", [200, 200]),
        ("POST", "/api/catalog/types", [403, 201]),
        ("POST", "/api/catalog/types/{id}/references", [403, 201]),
        ("PUT", "/api/catalog/types/{id}", [403, 200]),
        ("PUT", "/api/catalog/types/{id}/look-alikes/{other}", [403, 204]),
        ("DELETE", "/api/catalog/references/{id}", [403, 204]),
        ("POST", "/api/catalog/references/{id}/restore", [403, 204]),
        ("DELETE", "/api/catalog/types/{id}", [403, 204]),
        // Of a part that is not deleted there is nothing to restore.
        ("POST", "/api/catalog/types/{id}/restore", [404, 200]),
        ("PUT", "/api/company/{id}", [403, 200]),
        ("POST", "/api/company/{id}/members", [403, 201]),
    ];
    let calls = calls(&document);
    let mut wrong = Vec::new();
    for (who, column) in [("member", 0), ("manager", 1)] {
        if who == "manager" {
            let role = json!({ "role": "manager" });
            let path = format!("/api/company/{company}/members/{}", rows.member);
            ann.put_json(&path, &role).await.expect_status(200);
        }
        for (method, path, expected) in &table {
            let name = format!("{method} {path}");
            let call = calls.iter().find(|call| call.name() == name).unwrap_or_else(|| panic!("{name}"));
            let reply = match name.as_str() {
                "POST /api/price-lists" => upload(&member, &[], "part,price\nBrake Pad,30\n").await,
                "POST /api/cross-references" => {
                    cross_references::upload(&member, &[], "number,otherNumber\nA-1,B-2\n").await
                }
                "POST /api/catalog/types" => {
                    // The model was not made for such drawings, which are alike to it.
                    let form = new_type("Checks", &[checks(0)]).text("acceptCollision", "true");
                    teach(&member, form).await
                }
                "POST /api/catalog/parts" => {
                    member.post("/api/catalog/parts", &json!({ "label": "rim", "number": "18x8" })).await
                }
                _ => call.send(&member, &rows.values(path), &document).await,
            };
            if reply.status != expected[column] {
                wrong.push(format!("{who}: {name} answers {}: {}", reply.status, reply.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
