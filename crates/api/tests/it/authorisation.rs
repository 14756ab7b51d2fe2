//! Each call of the OpenAPI document as a visitor, with a stale session, as its owner, and as somebody else.

use std::cmp::Reverse;

use jiff::SignedDuration;
use partsight_domain::{PhotoKeeping, Plan};
use reqwest::Method;
use reqwest::multipart::Form;
use serde_json::{Map, Value, json};

use crate::client::{file, send};
use crate::evaluations::jobs as evaluations;
use crate::parts::cross_references;
use crate::parts::price_lists::upload;
use crate::plans::company::{join, user_id};
use crate::teaching::taught_parts::{self, checks, flower, new_type, references, teach};
use crate::{Client, Reply, TestApp, pictures};

/// One call of the document.
struct Call {
    method: Method,
    path: String,
    operation: Value,
}

fn calls(document: &Value) -> Vec<Call> {
    let paths = document["paths"].as_object().unwrap();
    let mut calls = Vec::new();
    for (path, item) in paths {
        for (method, operation) in item.as_object().unwrap() {
            let method = method.to_uppercase().parse().unwrap();
            calls.push(Call { method, path: path.clone(), operation: operation.clone() });
        }
    }
    calls
}

fn document() -> Value {
    serde_json::to_value(partsight_api::openapi()).unwrap()
}

impl Call {
    /// Whether the call is for people who are signed in.
    fn is_private(&self) -> bool {
        let names_session = |code: &str| self.operation["responses"].get(code).is_some();
        // Signing in answers 401 as well, to a wrong password.
        names_session("401") && self.path != "/api/auth/login"
    }

    fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// Whether the call names a vehicle beside the rows in its path.
    fn takes_vehicle(&self) -> bool {
        let parameters = self.operation["parameters"].as_array().into_iter().flatten();
        parameters.clone().any(|parameter| parameter["in"] == "query" && parameter["name"] == "vehicleId")
    }

    /// Sends the call with these values in its path, query and body, and else with a body that fits its schema.
    async fn send(&self, client: &Client, values: &Map<String, Value>, document: &Value) -> Reply {
        let mut path = self.path.clone();
        for (name, value) in values {
            path = path.replace(&format!("{{{name}}}"), value.as_str().unwrap());
        }
        let mut request = client.request(self.method.clone(), &path);
        if let (true, Some(vehicle)) = (self.takes_vehicle(), values.get("vehicleId")) {
            request = request.query(&[("vehicleId", vehicle.as_str().unwrap())]);
        }
        if let Some(content) = self.operation["requestBody"]["content"].as_object() {
            if let Some(json) = content.get("application/json") {
                request = request.json(&body(&json["schema"], values, document));
            } else if content.contains_key("text/csv") {
                request = request.header("Content-Type", "text/csv").body("date,mileage\n2026-12-01,51000\n");
            } else if self.path == "/api/batches/{id}/photos" {
                request = request.multipart(Form::new().part("photo", file(&flower(7), "image/jpeg")));
            } else if self.path == "/api/scans/{id}/regions" {
                request = request.multipart(Form::new().text("regions", "[]"));
            } else if self.path == "/api/catalog/types/{id}/references" {
                request = request.multipart(taught_parts::form(&[taught_parts::flower(5)]));
            }
        }
        send(request).await
    }
}

/// The example of a body's schema, with these values in the fields that name rows.
fn body(schema: &Value, values: &Map<String, Value>, document: &Value) -> Value {
    let mut body = example(document, schema, 0);
    // Handing a company over names its heir where a change of role names a member in the path.
    for (field, name) in [("vehicleId", "vehicleId"), ("userId", "heir"), ("until", "until"), ("url", "url")]
    {
        if let (Some(old), Some(value)) = (body.get_mut(field), values.get(name)) {
            *old = value.clone();
        }
    }
    body
}

/// A value that fits a schema.
fn example(document: &Value, schema: &Value, depth: usize) -> Value {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap();
        return example(document, &document["components"]["schemas"][name], depth);
    }
    for choices in ["oneOf", "anyOf", "allOf"] {
        if let Some(choices) = schema[choices].as_array() {
            let choice = choices.iter().find(|choice| choice["type"] != "null").unwrap_or(&choices[0]);
            return example(document, choice, depth);
        }
    }
    if let Some(example) = schema.get("example") {
        return example.clone();
    }
    if let Some(values) = schema["enum"].as_array() {
        return values[0].clone();
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().find(|kind| *kind != "null").cloned().unwrap_or_default(),
        kind => kind.clone(),
    };
    match kind.as_str() {
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        Some("boolean") => json!(false),
        Some("array") => json!([]),
        Some("string") if schema["format"] == "date" => json!("2027-01-01"),
        Some("string") => json!("text"),
        _ if depth > 5 => json!({}),
        _ => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            fields
                .filter(|(name, _)| required.contains(&json!(name)))
                .map(|(name, field)| (name.clone(), example(document, field, depth + 1)))
                .collect::<Map<_, _>>()
                .into()
        }
    }
}

/// An id that names nothing.
const UNKNOWN: &str = "0190a0a0-0000-7000-8000-000000000000";

/// Ids for every variable of every path that name nothing.
fn unknown_ids() -> Map<String, Value> {
    [
        "id", "makeId", "modelId", "make", "model", "year", "engine", "vin", "item", "token", "kind",
        "category", "userId", "name",
    ]
    .into_iter()
    .map(|name| (name.to_owned(), json!(UNKNOWN)))
    .collect()
}

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

/// What the ids in a path name, by its beginning: rows that somebody owns, as [`Rows`] has them.
const OWNED: [&str; 17] = [
    "/api/api-keys/{id}",
    "/api/auth/sessions/{id}",
    "/api/batches/{id}",
    "/api/catalog/parts/{id}",
    "/api/catalog/references/{id}",
    "/api/catalog/types/{id}",
    "/api/company/{id}",
    "/api/cross-references/{id}",
    "/api/evaluations/{id}",
    "/api/oil-changes/{id}",
    "/api/price-lists/{id}",
    "/api/reminders/push/{id}",
    "/api/repair-history/{id}",
    "/api/scans/{id}",
    "/api/vehicles/{id}",
    "/api/vehicles/{id}/maintenance/{item}",
    "/api/webhooks/{id}",
];

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
const OWNERS_REFUSED: [(&str, u16, &str); 10] = [
    ("DELETE /api/company/{id}", 403, "it was handed over to the heir by then"),
    ("DELETE /api/parts/{id}/fits", 404, "no language model is set, so none filled in notes"),
    ("DELETE /api/parts/{id}/guide", 404, "no language model is set, so none wrote a guide"),
    ("DELETE /api/vehicles/{id}/oil/ai", 404, "no language model is set, so none filled in values"),
    ("GET /api/evaluations/{id}/comparison", 404, "the call names no other evaluation"),
    ("GET /api/vehicles/vin/{vin}/decoder", 404, "no decoder is set"),
    ("POST /api/batches/{id}/folder", 409, "it was cancelled by then"),
    ("POST /api/batches/{id}/groups", 422, "two photographs at least make a group"),
    ("POST /api/batches/{id}/groups/split", 404, "the photograph of the body is in no batch"),
    ("PUT /api/scans/{id}/reading", 422, "this server reads no text, so there is none to correct"),
];

/// The longest beginning in [`OWNED`] of a path.
fn owned(path: &str) -> Option<&'static str> {
    let starts = OWNED.into_iter().filter(|start| path.starts_with(start));
    starts.max_by_key(|start| start.len())
}

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

/// The rows of a user who owns a company with two members.
struct Rows {
    by_path: Vec<(&'static str, String)>,
    vehicle: String,
    /// What the webhook was told.
    event: String,
    member: String,
    heir: String,
}

impl Rows {
    async fn make(app: &TestApp, client: &Client) -> Self {
        let id =
            |reply: Reply| reply.json()["id"].as_str().unwrap_or_else(|| panic!("{}", reply.text)).to_owned();
        let (carl, dora) = (app.sign_up("carl").await, app.sign_up("dora").await);
        let vehicle = client.add_vehicle("Civic").await;
        let company = client.post("/api/company", &json!({ "name": "Lee's Garage" })).await;
        let company = id(company);
        for person in [&carl, &dora] {
            join(client, &format!("/api/company/{company}"), person, "member").await;
        }
        let webhook = json!({ "url": "http://127.0.0.1:9/", "events": ["scan.answered"] });
        let webhook = id(client.post("/api/webhooks", &webhook).await);
        let scan = id(client.identify(&pictures::golden("brake-rotor")).await);
        let told = client.get(&format!("/api/webhooks/{webhook}/deliveries")).await.json();
        let event = told[0]["eventId"].as_str().unwrap().to_owned();
        let body = json!({ "vehicleId": vehicle, "mileage": 1000 });
        let oil_change = id(client.post("/api/oil-changes", &body).await);
        let body = json!({
            "vehicleId": vehicle, "mileage": 1000, "partReplaced": "Rim", "repairDate": "2027-01-01",
        });
        let repair = id(client.post("/api/repair-history", &body).await);
        let key = id(client.post("/api/api-keys", &json!({ "name": "till", "scopes": ["scan"] })).await);
        let part = json!({ "label": "rim", "number": "17x7" });
        let part = id(client.post("/api/catalog/parts", &part).await);
        let price_list = id(upload(client, &[], "part,price\nBrake Rotor,45\n").await);
        let cross_references =
            id(cross_references::upload(client, &[], "number,otherNumber\nA-1,B-1\n").await);
        let taught = teach(client, new_type("EGR valve, 2.0 TDI", &[flower(0), flower(18)])).await;
        let taught = taught.expect_status(201).json();
        let batch = id(client.post("/api/batches", &json!({ "name": "Returns" })).await);
        let photo = Form::new().part("photo", file(&flower(9), "image/jpeg"));
        let path = format!("/api/batches/{batch}/photos");
        send(client.request(Method::POST, &path).multipart(photo)).await.expect_status(200);
        let photos = [("rim/1.jpg", pictures::golden("brake-rotor"))];
        let evaluation = id(evaluations::evaluate(client, &photos).await);
        evaluations::work(app).await;
        let browser = json!({
            "endpoint": "https://push.example.net/ann",
            // The example of RFC 8291.
            "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "auth": "BTBZMqHH6r4Tts7J_aSIgg",
        });
        let push = id(client.put_json("/api/reminders/push", &browser).await);
        let phone = app.client();
        phone.sign_in("ann", "correct horse").await.expect_status(200);
        let sessions = client.get("/api/auth/sessions").await.json();
        let session = sessions.as_array().unwrap().iter().find(|session| session["isCurrent"] == false);
        let by_path = vec![
            ("/api/api-keys/{id}", key),
            ("/api/auth/sessions/{id}", session.unwrap()["id"].as_str().unwrap().to_owned()),
            ("/api/batches/{id}", batch),
            ("/api/catalog/parts/{id}", part),
            ("/api/catalog/references/{id}", references(&taught).remove(0)),
            ("/api/catalog/types/{id}", taught["id"].as_str().unwrap().to_owned()),
            ("/api/company/{id}", company),
            ("/api/cross-references/{id}", cross_references),
            ("/api/evaluations/{id}", evaluation),
            ("/api/oil-changes/{id}", oil_change),
            ("/api/price-lists/{id}", price_list),
            ("/api/reminders/push/{id}", push),
            ("/api/repair-history/{id}", repair),
            ("/api/scans/{id}", scan),
            ("/api/vehicles/{id}", vehicle.clone()),
            ("/api/vehicles/{id}/maintenance/{item}", vehicle.clone()),
            ("/api/webhooks/{id}", webhook),
        ];
        Self { by_path, vehicle, event, member: user_id(&carl).await, heir: user_id(&dora).await }
    }

    /// Values for the variables of a path, all of these rows.
    fn values(&self, path: &str) -> Map<String, Value> {
        let id = match owned(path) {
            Some(start) => self.by_path.iter().find(|(have, _)| *have == start).unwrap().1.as_str(),
            None => "brake-rotor",
        };
        let values = [
            ("id", id),
            ("item", "engine-oil"),
            ("other", "brake-rotor"),
            ("name", "report.json"),
            ("event", &self.event),
            ("userId", &self.member),
            ("heir", &self.heir),
            ("vehicleId", &self.vehicle),
            ("kind", "oil-changes"),
            ("category", "brake"),
            ("make", "Honda"),
            ("model", "Civic"),
            ("year", "2015"),
            ("engine", "1.8L"),
            ("vin", "1HGCM82633A004352"),
            // Nobody listens there, and no name has to be looked up.
            ("url", "http://127.0.0.1:9/"),
            // After the day of the test's clock, as an example cannot be for ever.
            ("until", "2027-02-01"),
        ];
        values.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect()
    }
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
        ("DELETE", "/api/scans") => 5,
        ("DELETE", "/api/vehicles/{id}") => 6,
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
    let table: [(&str, &str, [u16; 2]); 26] = [
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
        ("PUT", "/api/catalog/types/{id}/look-alikes/{other}", [403, 204]),
        ("DELETE", "/api/catalog/references/{id}", [403, 204]),
        ("POST", "/api/catalog/references/{id}/restore", [403, 204]),
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
