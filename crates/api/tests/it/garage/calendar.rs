use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};

use crate::TestApp;
use crate::client::send;

async fn body_of(app: &TestApp, path: &str) -> String {
    let reply = app.client().get(path).await;
    reply.expect_status(200);
    assert_eq!(reply.header("content-type"), "text/calendar; charset=utf-8");
    reply.text
}

#[tokio::test]
async fn the_feed_shows_what_is_due_to_whoever_knows_its_address() {
    let (app, client) = TestApp::with_ann().await;
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
        "DTSTAMP:20270115T000000Z".to_owned(),
        "SUMMARY:Oil change due: 2015 Škoda Octavia\\; \"RS\"\\, 2.0".to_owned(),
        "DESCRIPTION:Due on 2027-02-28 or at 57\\,000 miles.\\nLast done on 2026-11-30 at 52\\,000 miles."
            .to_owned(),
        "BEGIN:VALARM".to_owned(),
    ] {
        assert!(unfolded.split("\r\n").any(|have| have == line), "{line}\n{unfolded}");
    }
    assert_eq!(unfolded.matches("BEGIN:VEVENT").count(), 1);
    // The secret itself is not kept.
    assert_eq!(client.get("/api/calendar").await.json(), json!({ "createdAt": "2027-01-15T08:00:00.000Z" }));
}

#[tokio::test]
async fn the_feed_tells_equal_vehicles_apart() {
    let (app, client) = TestApp::with_ann().await;
    for plate in ["AAA 111", "BBB 222"] {
        let body = json!({ "make": "Ford", "model": "Transit", "year": 2019, "licensePlate": plate });
        let vehicle = client.post("/api/vehicles", &body).await.json()["id"].clone();
        let change = json!({ "vehicleId": vehicle, "mileage": 52_000, "changeDate": "2026-11-30" });
        client.post("/api/oil-changes", &change).await.expect_status(201);
    }
    let address = client.post("/api/calendar", &json!({})).await.expect_status(201).json();
    let feed = body_of(&app, address["path"].as_str().unwrap()).await;
    for plate in ["AAA 111", "BBB 222"] {
        assert!(
            feed.contains(&format!("SUMMARY:Oil change due: {plate}\\, 2019 Ford Transit\r\n")),
            "{feed}"
        );
    }
}

#[tokio::test]
async fn a_new_address_ends_the_one_before_and_deleting_ends_it() {
    let (app, client) = TestApp::with_ann().await;
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
async fn a_program_that_polls_costs_nothing_and_one_that_hammers_waits() {
    let (app, client) = TestApp::stand_in_with_ann().await;
    let vehicle = client.add_vehicle("Civic").await;
    let change = async |mileage: i32, date: &str| {
        let body = json!({ "vehicleId": vehicle, "mileage": mileage, "changeDate": date });
        client.post("/api/oil-changes", &body).await.expect_status(201);
    };
    change(52_000, "2026-11-30").await;
    let address = client.post("/api/calendar", &json!({})).await.expect_status(201).json();
    let path = address["path"].as_str().unwrap();
    let read = async |tag: Option<&str>| {
        let mut request = app.client().request(Method::GET, path);
        if let Some(tag) = tag {
            request = request.header("if-none-match", tag);
        }
        send(request).await
    };
    let first = read(None).await;
    let tag = first.header("etag").to_owned();
    assert!(tag.len() == 66 && tag.starts_with('"'), "{tag}");
    for known in [tag.clone(), format!("\"other\", W/{tag}"), "*".to_owned()] {
        let reply = read(Some(&known)).await;
        assert_eq!((reply.status, reply.text.as_str(), reply.header("etag")), (304, "", tag.as_str()));
    }
    assert_eq!(read(Some("\"other\"")).await.text, first.text);

    // A few minutes from memory, then what is due by then, under another tag.
    change(53_000, "2027-01-10").await;
    app.advance(SignedDuration::from_secs(299));
    assert_eq!(read(Some(&tag)).await.status, 304);
    app.advance(SignedDuration::from_secs(1));
    let changed = read(Some(&tag)).await;
    assert_eq!(changed.status, 200);
    assert_ne!((changed.header("etag"), &changed.text), (tag.as_str(), &first.text));
    // What has not changed has the same tag an hour later.
    let before = changed.header("etag").to_owned();
    app.advance(SignedDuration::from_hours(1));
    assert_eq!(read(Some(&before)).await.status, 304);

    let mut n_read = 0;
    let refused = loop {
        let reply = read(Some(&before)).await;
        if reply.status != 304 {
            break reply;
        }
        n_read += 1;
    };
    assert_eq!(n_read, 29);
    refused.problem(429, "too-many-attempts");
    assert_eq!(refused.header("retry-after"), "11");
    app.advance(SignedDuration::from_secs(10));
    assert_eq!(read(Some(&before)).await.status, 304);
}

#[tokio::test]
async fn guessing_calendar_addresses_is_slowed_down() {
    let app = TestApp::with_stand_in(|_| {}).await;
    for _ in 0..30 {
        app.client().get("/api/calendar/guess.ics").await.problem(404, "not-found");
    }
    app.client().get("/api/calendar/guess.ics").await.problem(429, "too-many-attempts");
}

#[tokio::test]
async fn the_address_has_the_name_of_the_server_where_it_is_set() {
    let app = TestApp::with_settings(|settings| {
        settings.server.public_url = Some("https://garage.example/".to_owned());
    })
    .await;
    let client = app.sign_up("ann").await;
    let address = client.post("/api/calendar", &json!({})).await.json();
    let url = format!("https://garage.example{}", address["path"].as_str().unwrap());
    assert_eq!(address["url"], url);
}
