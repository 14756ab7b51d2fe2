//! Each call of the OpenAPI document as a visitor, with a stale session, as its owner, and as somebody else.

use jiff::SignedDuration;
use partsight_domain::Plan;
use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::client::send;
use crate::price_lists::upload;
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

    /// Sends the call with these values in its path and a body that fits its schema.
    async fn send(&self, client: &Client, ids: &Map<String, Value>, document: &Value) -> Reply {
        let mut path = self.path.clone();
        for (name, id) in ids {
            path = path.replace(&format!("{{{name}}}"), id.as_str().unwrap());
        }
        let mut request = client.request(self.method.clone(), &path);
        if let Some(content) = self.operation["requestBody"]["content"].as_object() {
            if let Some(json) = content.get("application/json") {
                request = request.json(&example(document, &json["schema"], 0));
            } else if content.contains_key("text/csv") {
                request =
                    request.header("Content-Type", "text/csv").body("year,make,model\n2015,Honda,Civic\n");
            }
        }
        send(request).await
    }
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

/// Ids for every variable of every path that name nothing.
fn unknown_ids() -> Map<String, Value> {
    let id = "0190a0a0-0000-7000-8000-000000000000";
    [
        "id", "makeId", "modelId", "make", "model", "year", "engine", "vin", "item", "token", "kind",
        "category", "userId",
    ]
    .into_iter()
    .map(|name| (name.to_owned(), json!(id)))
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

/// The rows of a user, by the beginning of the paths that name them.
async fn rows(client: &Client) -> Vec<(&'static str, String)> {
    let id = |reply: Reply| reply.json()["id"].as_str().unwrap().to_owned();
    let vehicle = client.add_vehicle("Civic").await;
    let scan = id(client.identify(&pictures::plain()).await);
    let body = json!({ "vehicleId": vehicle, "mileage": 1000 });
    let oil_change = id(client.post("/api/oil-changes", &body).await);
    let body =
        json!({ "vehicleId": vehicle, "mileage": 1000, "partReplaced": "Rim", "repairDate": "2027-01-01" });
    let repair = id(client.post("/api/repair-history", &body).await);
    let company = id(client.post("/api/company", &json!({ "name": "Lee's Garage" })).await);
    let key = id(client.post("/api/api-keys", &json!({ "name": "till", "scopes": ["scan"] })).await);
    let part = json!({ "label": "rim", "number": "17x7" });
    let part = id(client.post("/api/catalog/parts", &part).await);
    let price_list = id(upload(client, &[], "part,price\nBrake Rotor,45\n").await);
    vec![
        ("/api/catalog/parts/{id}", part),
        ("/api/vehicles/{id}", vehicle),
        ("/api/price-lists/{id}", price_list),
        ("/api/scans/{id}", scan),
        ("/api/oil-changes/{id}", oil_change),
        ("/api/repair-history/{id}", repair),
        ("/api/company/{id}", company),
        ("/api/api-keys/{id}", key),
    ]
}

#[tokio::test]
async fn the_rows_of_somebody_else_do_not_exist() {
    let document = document();
    let app = TestApp::with_stand_in(|settings| settings.plan = Some(Plan::Business)).await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    let rows = rows(&ann).await;
    let mut wrong = Vec::new();
    for call in calls(&document).iter().filter(|call| call.is_private()) {
        let Some((_, id)) = rows.iter().find(|(start, _)| call.path.starts_with(start)) else { continue };
        let mut ids = unknown_ids();
        ids.insert("id".to_owned(), json!(id));
        ids.insert("item".to_owned(), json!("engine-oil"));
        let reply = call.send(&bob, &ids, &document).await;
        if reply.status != 404 {
            wrong.push(format!("{} answers {}: {}", call.name(), reply.status, reply.text));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for (start, id) in rows {
        // There is no call for a single oil change or repair; the lists have them.
        let path = start.replace("{id}", &id);
        let reply = ann.get(&path).await;
        assert!([200, 405].contains(&reply.status), "{path}: {}", reply.text);
    }
    assert_eq!(ann.get("/api/oil-changes").await.json().as_array().unwrap().len(), 1);
    assert_eq!(ann.get("/api/repair-history").await.json().as_array().unwrap().len(), 1);
    for list in [
        "/api/vehicles",
        "/api/oil-changes",
        "/api/repair-history",
        "/api/scans/recent",
        "/api/catalog/parts",
    ] {
        assert_eq!(bob.get(list).await.expect_status(200).json(), json!([]), "{list}");
    }
}
