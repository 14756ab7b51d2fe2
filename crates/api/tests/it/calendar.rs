use serde_json::{Value, json};

use crate::TestApp;

async fn body_of(app: &TestApp, path: &str) -> String {
    let reply = app.client().get(path).await;
    reply.expect_status(200);
    assert_eq!(reply.header("content-type"), "text/calendar; charset=utf-8");
    reply.text
}

#[tokio::test]
async fn the_feed_shows_what_is_due_to_whoever_knows_its_address() {
    let app = TestApp::start().await;
    let client = app.sign_up("ann").await;
    let body = json!({ "make": "Škoda", "model": "Octavia; \"RS\", 2.0", "year": 2015 });
    let vehicle = client.post("/api/vehicles", &body).await.json()["id"].as_str().unwrap().to_owned();
    let change = json!({ "vehicleId": vehicle, "mileage": 52_000, "changeDate": "2026-11-30" });
    client.post("/api/oil-changes", &change).await.expect_status(201);

    let address = client.post("/api/calendar", &json!({})).await.expect_status(201).json();
    assert_eq!(address["url"], Value::Null);
    let path = address["path"].as_str().unwrap();
    let secret = path.strip_prefix("/api/calendar/").and_then(|file| file.strip_suffix(".ics")).unwrap();
    assert_eq!(secret.len(), 64, "{path}");
    let feed = body_of(&app, path).await;
    assert!(feed.starts_with("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n") && feed.ends_with("END:VCALENDAR\r\n"));
    assert!(!feed.replace("\r\n", "").contains(['\r', '\n']));
    assert!(feed.split("\r\n").all(|line| line.len() <= 75), "{feed}");
    let unfolded = feed.replace("\r\n ", "");
    for line in [
        format!("UID:{vehicle}.engine-oil@partsight"),
        "DTSTART;VALUE=DATE:20270228".to_owned(),
        "DTEND;VALUE=DATE:20270301".to_owned(),
        "DTSTAMP:20270115T080000Z".to_owned(),
        "SUMMARY:Oil change due: 2015 Škoda Octavia\\; \"RS\"\\, 2.0".to_owned(),
        "DESCRIPTION:Due on 2027-02-28 or at 57000 miles.\\nLast done on 2026-11-30 at 52\\,000 miles."
            .to_owned(),
        "BEGIN:VALARM".to_owned(),
    ] {
        assert!(unfolded.split("\r\n").any(|have| have == line), "{line}\n{unfolded}");
    }
    assert_eq!(unfolded.matches("BEGIN:VEVENT").count(), 1);
    // The secret itself is not kept.
    assert_eq!(client.get("/api/calendar").await.json(), json!({ "createdAt": "2027-01-15T08:00:00Z" }));
}

#[tokio::test]
async fn a_new_address_ends_the_one_before_and_deleting_ends_it() {
    let app = TestApp::start().await;
    let client = app.sign_up("ann").await;
    client.delete("/api/calendar").await.expect_status(204);
    let new_address = async || {
        let address = client.post("/api/calendar", &json!({})).await.expect_status(201).json();
        address["path"].as_str().unwrap().to_owned()
    };
    let (first, second) = (new_address().await, new_address().await);
    let sentence = "This calendar address is not valid. Please make a new one in Partsight.";
    assert_eq!(app.client().get(&first).await.problem(404, "not-found"), sentence);
    body_of(&app, &second).await;
    client.delete("/api/calendar").await.expect_status(204);
    assert_eq!(app.client().get(&second).await.problem(404, "not-found"), sentence);
    assert_eq!(client.get("/api/calendar").await.json(), json!({ "createdAt": null }));
    for bad in ["x.ics", ".ics", &second[14..second.len() - 4], "%00.ics"] {
        app.client().get(&format!("/api/calendar/{bad}")).await.problem(404, "not-found");
    }
    for reply in [app.client().get("/api/calendar").await, app.client().delete("/api/calendar").await] {
        reply.problem(401, "not-signed-in");
    }
}

#[tokio::test]
async fn the_address_has_the_name_of_the_server_where_it_is_set() {
    let app =
        TestApp::with_settings(|settings| settings.public_url = Some("https://garage.example/".to_owned()))
            .await;
    let client = app.sign_up("ann").await;
    let address = client.post("/api/calendar", &json!({})).await.json();
    let url = format!("https://garage.example{}", address["path"].as_str().unwrap());
    assert_eq!(address["url"], url);
}
