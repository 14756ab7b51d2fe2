use std::fmt::Write;
use std::sync::Arc;

use jiff::SignedDuration;
use partsight_domain::{PhotoKeeping, Plan};
use serde_json::Value;

use crate::client::assert_reply_snapshot;
use crate::teaching::taught_parts::{flower, new_type, teach};
use crate::{Client, Setup, TestApp, pictures};

const UNKNOWN: &str = "0190a0a0-0000-7000-8000-000000000000";

/// A server of this plan that keeps these pictures, and a client with a vehicle.
async fn server(plan: Plan, keep: PhotoKeeping) -> (TestApp, Client) {
    let app = TestApp::with_stand_in(|settings| {
        settings.server.plan = Some(plan);
        settings.data.keep_photos = keep;
    })
    .await;
    let client = app.sign_up_with_vehicle("ann").await;
    (app, client)
}

/// Makes `n` scans, a second apart, and gives their ids, the newest first.
async fn scan(app: &TestApp, client: &Client, n: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for _ in 0..n {
        let scan = client.identify(&pictures::plain()).await.expect_status(200).json();
        ids.insert(0, scan["id"].as_str().unwrap().to_owned());
        app.advance(SignedDuration::from_secs(1));
    }
    ids
}

async fn page(client: &Client, query: &str) -> Value {
    client.get(&format!("/api/scans{query}")).await.expect_status(200).json()
}

fn ids(page: &Value) -> Vec<String> {
    page["scans"].as_array().unwrap().iter().map(|scan| scan["id"].as_str().unwrap().to_owned()).collect()
}

/// A value for a query string, every byte escaped.
fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "%{byte:02X}");
        text
    })
}

#[tokio::test]
async fn pages_lead_from_the_newest_scan_to_the_oldest() {
    let (app, client) = server(Plan::Pro, PhotoKeeping::None).await;
    let scans = scan(&app, &client, 5).await;
    let mut seen = Vec::new();
    let mut query = "?limit=2".to_owned();
    loop {
        let page = page(&client, &query).await;
        assert_eq!(page["hiddenByPlan"], 0);
        seen.extend(ids(&page));
        let Some(next) = page["next"].as_str() else { break };
        query = format!("?limit=2&before={next}");
    }
    assert_eq!(seen, scans);
}

#[tokio::test]
async fn an_empty_history_is_one_empty_page() {
    let (_app, client) = server(Plan::Pro, PhotoKeeping::None).await;
    let reply = client.get("/api/scans").await;
    assert_reply_snapshot!("empty_history", reply);
}

#[tokio::test]
async fn basic_sees_the_last_five_and_how_many_more_there_are() {
    let (pro, client) = server(Plan::Pro, PhotoKeeping::Thumbnail).await;
    let scans = scan(&pro, &client, 7).await;
    let basic = TestApp::with(crate::Setup {
        folder: Some(std::sync::Arc::clone(&pro.folder)),
        ..crate::Setup::default()
    })
    .await;
    let client = client.at(basic.address);
    let first = page(&client, "?limit=3").await;
    assert_eq!((ids(&first), &first["hiddenByPlan"]), (scans[..3].to_vec(), &Value::from(2)));
    let second = page(&client, &format!("?limit=3&before={}", first["next"].as_str().unwrap())).await;
    assert_eq!((ids(&second), &second["next"]), (scans[3..5].to_vec(), &Value::Null));
    let table = client.get("/api/export/scans.csv").await;
    assert_eq!(table.expect_status(200).text.lines().count(), 1 + 5, "{}", table.text);
    // The older ones are left out of the lists, and still the user's own.
    for path in ["", "/thumbnail"] {
        client.get(&format!("/api/scans/{}{path}", scans[6])).await.expect_status(200);
    }
}

#[tokio::test]
async fn words_are_found_in_parts_and_vehicles() {
    let (app, client) = server(Plan::Pro, PhotoKeeping::None).await;
    let civic = scan(&app, &client, 1).await;
    let part = page(&client, "").await["scans"][0]["part"]["name"].as_str().unwrap().to_uppercase();
    let accord = client.add_vehicle("Accord").await;
    client.put(&format!("/api/vehicles/{accord}/default")).await.expect_status(200);
    let accord = scan(&app, &client, 1).await;
    let both = [accord.clone(), civic.clone()].concat();
    for (words, expected) in [
        ("honda", &both),
        ("CIVIC", &civic),
        ("accord 2015", &accord),
        (part.as_str(), &both),
        ("civic accord", &Vec::new()),
        ("%", &Vec::new()),
        ("' OR 1=1 --", &Vec::new()),
        ("🚗", &Vec::new()),
        ("\u{202e}civic", &Vec::new()),
        ("a\u{0}b", &Vec::new()),
        ("  ", &both),
    ] {
        let reply = client.get(&format!("/api/scans?q={}", encoded(words))).await;
        assert_eq!(&ids(&reply.expect_status(200).json()), expected, "{words:?}");
    }
}

#[tokio::test]
async fn a_category_filters_the_history() {
    let (app, client) = server(Plan::Pro, PhotoKeeping::None).await;
    let scans = scan(&app, &client, 1).await;
    let category = page(&client, "").await["scans"][0]["identification"]["category"].clone();
    for other in ["engine", "brake", "electrical", "suspension", "cooling", "body"] {
        let expected = if category == other { scans.clone() } else { Vec::new() };
        assert_eq!(ids(&page(&client, &format!("?category={other}")).await), expected, "{other}");
    }
}

#[tokio::test]
async fn a_scan_of_a_taught_part_is_found_by_its_name_and_its_category() {
    let (app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    let photos = [flower(0), flower(18), flower(-20)];
    teach(&client, new_type("EGR valve, 2.0 TDI", &photos)).await.expect_status(201);
    let taught = client.identify(&flower(9)).await.expect_status(200).json()["id"].clone();
    app.advance(SignedDuration::from_secs(1));
    let rotor = pictures::golden("brake-rotor");
    let shipped = client.identify(&rotor).await.expect_status(200).json()["id"].clone();
    let [taught, shipped] = [taught, shipped].map(|id| vec![id.as_str().unwrap().to_owned()]);
    for (query, expected) in [
        ("?q=tdi", &taught),
        ("?q=VALVE%20egr-valve-2-0-tdi", &taught),
        ("?q=rotor", &shipped),
        ("?category=engine", &taught),
        ("?category=brake", &shipped),
        ("?category=brake&q=egr", &Vec::new()),
    ] {
        assert_eq!(&ids(&page(&client, query).await), expected, "{query}");
    }
    let table = client.get("/api/export/scans.csv").await.text;
    assert!(table.contains(",\"EGR valve, 2.0 TDI\",egr-valve-2-0-tdi,Engine Components,"), "{table}");
    // What one shop teaches is no word to another.
    let bob = app.sign_up("bob").await;
    assert_eq!(ids(&page(&bob, "?q=egr").await), Vec::<String>::new());
}

#[tokio::test]
async fn what_does_not_fit_is_named() {
    let (_app, client) = server(Plan::Pro, PhotoKeeping::None).await;
    let long = "x".repeat(101);
    let cases = [
        ("limit", "0", "Please ask for 1 to 100 scans at a time."),
        ("limit", "101", "Please ask for 1 to 100 scans at a time."),
        ("before", "yesterday", "This cursor is not valid; please take `next` of the page before."),
        (
            "category",
            "wheels",
            "There is no such category; there are engine, brake, electrical, suspension, \
                                transmission, cooling, exhaust, fuel, body.",
        ),
        ("q", &long, "The search text has 101 characters; please use at most 100."),
    ];
    for (field, value, sentence) in cases {
        let reply = client.get(&format!("/api/scans?{field}={}", encoded(value))).await;
        assert_eq!(reply.invalid(field), sentence);
    }
    client.get(&format!("/api/scans?vehicleId={UNKNOWN}")).await.problem(404, "not-found");
}

#[tokio::test]
async fn one_scan_is_shown_and_deleted() {
    let (app, client) = server(Plan::Pro, PhotoKeeping::Thumbnail).await;
    let scans = scan(&app, &client, 2).await;
    let path = format!("/api/scans/{}", scans[0]);
    let shown = client.get(&path).await.expect_status(200).json();
    assert_eq!(shown, page(&client, "").await["scans"][0]);
    assert_eq!(shown["thumbnailUrl"], format!("{path}/thumbnail"));
    client.delete(&path).await.expect_status(204);
    for reply in [client.get(&path).await, client.delete(&path).await] {
        assert_eq!(reply.problem(404, "not-found"), "This scan does not exist. It may have been deleted.");
    }
    client.get(&format!("{path}/thumbnail")).await.problem(404, "not-found");
    assert_eq!(ids(&page(&client, "").await), scans[1..]);
    assert_eq!(client.used().await, 2);
}

/// The bytes of an answer.
async fn bytes(client: &Client, path: &str) -> Vec<u8> {
    let response = client.request(reqwest::Method::GET, path).send().await.unwrap();
    assert_eq!(response.status(), 200);
    response.bytes().await.unwrap().to_vec()
}

#[tokio::test]
async fn a_thumbnail_is_a_small_jpeg_with_nothing_but_pixels() {
    let (_app, client) = server(Plan::Pro, PhotoKeeping::Thumbnail).await;
    let photo = pictures::rotor(|picture| picture, image::ImageFormat::Png);
    let scan = client.identify(&photo).await.expect_status(200).json();
    let path = format!("/api/scans/{}", scan["id"].as_str().unwrap());
    let reply = client.request(reqwest::Method::GET, &format!("{path}/thumbnail")).send().await.unwrap();
    assert_eq!(reply.headers()["content-type"], "image/jpeg");
    assert_eq!(reply.headers()["cache-control"], "no-store");
    let jpeg = reply.bytes().await.unwrap();
    assert!(jpeg.len() <= 20_000, "{}", jpeg.len());
    assert!(jpeg.starts_with(&[0xff, 0xd8]));
    assert!(!jpeg.windows(4).any(|window| window == b"Exif"));
    let sentence = client.get(&format!("{path}/photo")).await.problem(404, "not-found");
    assert_eq!(sentence, "No picture is kept of this scan.");
}

#[tokio::test]
async fn nothing_is_kept_where_the_settings_say_so() {
    let (app, client) = server(Plan::Pro, PhotoKeeping::None).await;
    let id = scan(&app, &client, 1).await.remove(0);
    assert_eq!(page(&client, "").await["scans"][0]["thumbnailUrl"], Value::Null);
    for picture in ["thumbnail", "photo"] {
        client.get(&format!("/api/scans/{id}/{picture}")).await.problem(404, "not-found");
    }
}

#[tokio::test]
async fn the_photograph_is_kept_as_it_was_sent_where_the_settings_say_so() {
    let (app, client) = server(Plan::Pro, PhotoKeeping::Full).await;
    let id = scan(&app, &client, 1).await.remove(0);
    let path = format!("/api/scans/{id}/photo");
    assert_eq!(page(&client, "").await["scans"][0]["photoUrl"], path);
    assert_eq!(bytes(&client, &path).await, pictures::plain());
    let reply = client.request(reqwest::Method::GET, &path).send().await.unwrap();
    assert_eq!(reply.headers()["content-type"], "image/png");
    assert_eq!(reply.headers()["content-disposition"], "attachment");
    assert_eq!(reply.headers()["x-content-type-options"], "nosniff");
}

#[tokio::test]
async fn pictures_go_after_their_days() {
    let app = TestApp::with_stand_in(|settings| {
        settings.server.plan = Some(Plan::Pro);
        settings.data.keep_photos_days = 30;
    })
    .await;
    let client = app.sign_up_with_vehicle("ann").await;
    scan(&app, &client, 1).await;
    app.advance(SignedDuration::from_hours(30 * 24 - 2));
    assert_eq!(app.use_cases.scanning.delete_old_photos().await.unwrap(), 0);
    app.advance(SignedDuration::from_hours(2));
    client.sign_in("ann", "correct horse").await.expect_status(200);
    assert_eq!(app.use_cases.scanning.delete_old_photos().await.unwrap(), 1);
    assert_eq!(page(&client, "").await["scans"][0]["thumbnailUrl"], Value::Null);
}

#[tokio::test]
async fn pictures_that_the_settings_no_longer_keep_go_after_a_day_without_a_server_that_keeps_them() {
    let app = TestApp::with_stand_in(|settings| settings.data.keep_photos = PhotoKeeping::Full).await;
    let client = app.sign_up_with_vehicle("ann").await;
    scan(&app, &client, 1).await;
    let mut setup = Setup { folder: Some(Arc::clone(&app.folder)), ..Setup::default() };
    setup.settings.data.keep_photos = PhotoKeeping::None;
    let other = TestApp::with(setup).await;
    let n_deleted = async |server: &TestApp, hours| {
        for clock in [&app, &other] {
            clock.advance(SignedDuration::from_hours(hours));
        }
        server.use_cases.scanning.delete_old_photos().await.unwrap()
    };
    assert_eq!(n_deleted(&other, 0).await, 0);
    assert_eq!(n_deleted(&app, 23).await, 0);
    assert_eq!(n_deleted(&other, 2).await, 0, "one server keeps them");
    assert_eq!(n_deleted(&other, 23).await, 0);
    assert_eq!(n_deleted(&other, 1).await, 2, "thumbnail and photograph");
}

#[tokio::test]
async fn the_history_is_a_table_that_no_spreadsheet_runs() {
    let (app, client) = server(Plan::Pro, PhotoKeeping::None).await;
    let body = serde_json::json!({ "make": "=cmd|' /C calc'!A0", "model": "Civic, \"R\"", "year": 2015 });
    let id = client.post("/api/vehicles", &body).await.json()["id"].as_str().unwrap().to_owned();
    client.put(&format!("/api/vehicles/{id}/default")).await.expect_status(200);
    scan(&app, &client, 1).await;
    let reply = client.get("/api/export/scans.csv").await;
    assert_eq!(reply.expect_status(200).header("content-type"), "text/csv; charset=utf-8");
    assert_eq!(reply.header("content-disposition"), "attachment; filename=\"scans.csv\"");
    let lines: Vec<&str> = reply.text.trim_start_matches('\u{feff}').lines().collect();
    assert_eq!(
        lines[0],
        "scanned_at,part,label,category,verdict,confidence,year,make,model,identified_by,model_version,feedback,right_label,photos"
    );
    assert!(lines[1].contains(",2015,'=cmd|' /C calc'!A0,\"Civic, \"\"R\"\"\","), "{}", lines[1]);
    assert!(lines[1].starts_with("2027-01-15T08:00:00.000Z,"), "{}", lines[1]);
}
