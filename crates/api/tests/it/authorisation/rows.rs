//! Rows of every kind that somebody owns, and which of them the ids in a path name.

use reqwest::Method;
use reqwest::multipart::Form;
use serde_json::{Map, Value, json};

use crate::client::{file, send};
use crate::evaluations::jobs as evaluations;
use crate::parts::cross_references;
use crate::parts::price_lists::upload;
use crate::plans::company::{join, user_id};
use crate::teaching::taught_parts::{flower, new_type, references, teach};
use crate::{Client, Reply, TestApp, pictures};

/// What the ids in a path name, by its beginning: rows that somebody owns, as [`Rows`] has them.
pub(super) const OWNED: [&str; 17] = [
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

/// The longest beginning in [`OWNED`] of a path.
pub(super) fn owned(path: &str) -> Option<&'static str> {
    let starts = OWNED.into_iter().filter(|start| path.starts_with(start));
    starts.max_by_key(|start| start.len())
}

/// The rows of a user who owns a company with two members.
pub(super) struct Rows {
    pub(super) by_path: Vec<(&'static str, String)>,
    pub(super) vehicle: String,
    /// What the webhook was told.
    event: String,
    pub(super) member: String,
    heir: String,
}

impl Rows {
    pub(super) async fn make(app: &TestApp, client: &Client) -> Self {
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
    pub(super) fn values(&self, path: &str) -> Map<String, Value> {
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
