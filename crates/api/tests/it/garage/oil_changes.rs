use serde_json::{Value, json};

use crate::{Client, TestApp};

const PATH: &str = "/api/oil-changes";
const NOT_FOUND: &str = "This oil change does not exist. It may have been deleted.";

/// Logs an oil change of this day and gives its id.
async fn log(client: &Client, vehicle: &str, day: &str, mileage: u32) -> String {
    let body = json!({ "vehicleId": vehicle, "mileage": mileage, "changeDate": day });
    client.post(PATH, &body).await.expect_status(201).json()["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_oil_change_is_answered_and_listed_as_it_was_saved() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    // All values as text, as the form of the specification sends them.
    let body = json!({
        "vehicleId": vehicle, "mileage": "52,000", "oilType": " 0W-20 ", "oilBrand": "Mobil 1 🛢️",
        "filterBrand": "", "notes": " two\r\nlines ", "cost": "49.90", "changeDate": "2026-12-05T23:00:00.000Z",
    });
    let reply = client.post(PATH, &body).await;
    let mut saved = reply.expect_status(201).json();
    assert_eq!(saved["vehicleId"], vehicle);
    assert_eq!(saved["notes"], "two\nlines");
    saved["vehicleId"] = "[vehicle]".into();
    let redacted = crate::client::redacted("", saved);
    insta::assert_json_snapshot!("new_oil_change", redacted);
    let mut listed = reply.json();
    listed.as_object_mut().unwrap().remove("warnings");
    assert_eq!(client.get(PATH).await.expect_status(200).json(), json!([listed]));
}

#[tokio::test]
async fn vehicle_and_mileage_are_enough_and_the_day_is_today() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    let body = json!({ "vehicleId": vehicle, "mileage": 0, "notes": null, "oilType": null });
    let saved = client.post(PATH, &body).await.expect_status(201).json();
    assert_eq!((&saved["changeDate"], &saved["mileage"]), (&json!("2027-01-15"), &json!(0)));
    assert_eq!((&saved["oilType"], saved.get("notes"), saved.get("cost")), (&Value::Null, None, None));
}

#[tokio::test]
async fn an_oil_change_that_does_not_fit_names_the_field_in_the_words_of_the_specification() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    let with = |field: &str, value: Value| {
        let mut body = json!({ "vehicleId": vehicle, "mileage": 52_000 });
        body[field] = value;
        body
    };
    let missing = "Missing information - Please select a vehicle and enter the mileage.";
    let too_high = "Invalid mileage - Please enter a mileage under 999,999 miles.";
    let fraction = "Please enter the mileage in whole miles, without a fraction.";
    let negative = "The mileage cannot be negative. Please enter a number from 0 to 999,999.";
    let no_number = "Please enter the mileage as a number from 0 to 999,999.";
    let no_date = "Please enter the date as year, month and day, like 2025-03-05.";
    let cases = [
        (json!({}), "vehicleId", missing),
        (with("vehicleId", json!("")), "vehicleId", missing),
        (with("vehicleId", Value::Null), "vehicleId", missing),
        (with("mileage", Value::Null), "mileage", missing),
        (with("mileage", json!("  ")), "mileage", missing),
        (with("mileage", json!(1_000_000)), "mileage", too_high),
        (with("mileage", json!("1000000")), "mileage", too_high),
        (with("mileage", json!(-1)), "mileage", negative),
        (with("mileage", json!(1.5)), "mileage", fraction),
        (with("mileage", json!("many")), "mileage", no_number),
        (with("mileage", json!(true)), "mileage", no_number),
        (with("mileage", json!([1])), "mileage", no_number),
        (with("mileage", json!("٥")), "mileage", no_number),
        (with("cost", json!(1.005)), "cost", "Please enter the cost with at most two decimals."),
        (with("cost", json!(-1)), "cost", "The cost cannot be negative."),
        (with("cost", json!({})), "cost", "Please enter the cost in dollars, like 49.99."),
        (with("changeDate", json!("")), "changeDate", no_date),
        (with("changeDate", json!("  ")), "changeDate", no_date),
        (with("changeDate", json!("yesterday")), "changeDate", no_date),
        (with("changeDate", json!("2025-02-30")), "changeDate", no_date),
        (with("changeDate", json!("0001-01-01")), "changeDate", "Please enter a date from 1900 on."),
        (
            with("changeDate", json!("9999-12-31")),
            "changeDate",
            "Please enter a date that is at most a year ahead.",
        ),
        (
            with("oilType", json!("x".repeat(81))),
            "oilType",
            "The oil type has 81 characters; please use at most 80.",
        ),
        (
            with("oilBrand", json!("a\u{0}b")),
            "oilBrand",
            "The oil brand contains a line break, control character or invisible character; please remove it.",
        ),
        (
            with("notes", json!("x".repeat(2001))),
            "notes",
            "The notes have 2001 characters; please use at most 2000.",
        ),
        (
            with("notes", json!("a\u{1b}b")),
            "notes",
            "The notes contain a control character; please remove it.",
        ),
    ];
    for (body, field, sentence) in cases {
        let reply = client.post(PATH, &body).await;
        assert_eq!(reply.invalid(field), sentence, "{body}");
    }
    client.post(PATH, &with("oilType", json!(5))).await.problem(422, "invalid");
    assert_eq!(client.get(PATH).await.json(), json!([]));
}

#[tokio::test]
async fn the_list_is_of_the_default_vehicle_or_of_another() {
    let (_app, client) = TestApp::with_ann().await;
    assert_eq!(client.get(PATH).await.expect_status(200).json(), json!([]));
    let (civic, accord) = (client.add_vehicle("Civic").await, client.add_vehicle("Accord").await);
    let older = log(&client, &civic, "2026-01-01", 10_000).await;
    let newer = log(&client, &civic, "2026-06-01", 15_000).await;
    let other = log(&client, &accord, "2026-03-01", 70_000).await;
    let ids = |list: Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(client.get(PATH).await.json()), [newer.clone(), older.clone()]);
    assert_eq!(ids(client.get(&format!("{PATH}?vehicleId={accord}")).await.json()), [other]);
    let first = client.get(&format!("{PATH}?limit=1")).await;
    assert_eq!(ids(first.expect_status(200).json()), [newer]);
    let cursor = first.header("x-next-cursor");
    let next = format!("{PATH}?before={cursor}&limit=1");
    assert_eq!(first.header("link"), format!("<{next}>; rel=\"next\""));
    assert_eq!(ids(client.get(&next).await.json()), [older]);
    // A last page that is full leads nowhere either.
    for last in [next, format!("{PATH}?limit=2"), format!("{PATH}?limit=50")] {
        let last = client.get(&last).await;
        assert_eq!((last.header("x-next-cursor"), last.header("link")), ("", ""));
    }
    for bad in ["limit=0", "limit=201", "limit=x", "before=x", "before=2025-01-01_1"] {
        client.get(&format!("{PATH}?{bad}")).await.problem(422, "invalid");
    }
}

#[tokio::test]
async fn the_list_is_whole_where_no_limit_is_asked_for() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    for mileage in 1..=51 {
        log(&client, &vehicle, "2026-01-01", mileage).await;
    }
    // A form that leaves the vehicle empty names none.
    for path in [PATH.to_owned(), format!("{PATH}?vehicleId=")] {
        let list = client.get(&path).await;
        assert_eq!(list.expect_status(200).json().as_array().unwrap().len(), 51, "{path}");
        assert_eq!((list.header("x-next-cursor"), list.header("link")), ("", ""), "{path}");
    }
    let page = client.get(&format!("{PATH}?vehicleId=&limit=1")).await;
    assert!(
        page.expect_status(200).header("link").ends_with("&limit=1>; rel=\"next\""),
        "{:?}",
        page.headers
    );
}

#[tokio::test]
async fn an_edit_takes_what_is_null_for_what_is_absent() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    let whole = json!({
        "vehicleId": vehicle, "mileage": 1, "oilType": "0W-20", "oilBrand": "Mobil 1", "filterBrand": "Wix",
        "notes": "Washer replaced.", "cost": 49.9, "changeDate": "2026-01-01",
    });
    let with_null = json!({
        "vehicleId": vehicle, "mileage": 1, "oilType": null, "oilBrand": null, "filterBrand": null, "notes": null,
        "cost": null, "changeDate": null,
    });
    let mut edited = Vec::new();
    for edit in [json!({ "vehicleId": vehicle, "mileage": 1 }), with_null] {
        let id = client.post(PATH, &whole).await.expect_status(201).json()["id"].as_str().unwrap().to_owned();
        let mut saved = client.put_json(&format!("{PATH}/{id}"), &edit).await.expect_status(200).json();
        saved["id"].take();
        edited.push(saved);
    }
    assert_eq!(edited[0], edited[1]);
    assert_eq!((edited[0].get("notes"), &edited[0]["changeDate"]), (None, &json!("2026-01-01")));
}

#[tokio::test]
async fn an_edit_with_an_empty_day_is_refused_and_the_day_stays() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    let id = log(&client, &vehicle, "2026-01-01", 50_000).await;
    for empty in ["", "  "] {
        let edit = json!({ "vehicleId": vehicle, "mileage": 50_000, "changeDate": empty });
        client.put_json(&format!("{PATH}/{id}"), &edit).await.invalid("changeDate");
    }
    assert_eq!(client.get(PATH).await.json()[0]["changeDate"], "2026-01-01");
}

#[tokio::test]
async fn what_goes_backwards_is_saved_with_a_warning() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    log(&client, &vehicle, "2026-06-01", 50_000).await;
    let save = async |day: &str, mileage: u32| {
        let body = json!({ "vehicleId": vehicle, "mileage": mileage, "changeDate": day });
        let saved = client.post(PATH, &body).await.expect_status(201).json();
        let codes: Vec<Value> =
            saved["warnings"].as_array().unwrap().iter().map(|warning| warning["code"].clone()).collect();
        (saved, codes)
    };
    let (saved, codes) = save("2026-09-01", 49_000).await;
    assert_eq!(codes, ["mileage-goes-back"]);
    assert_eq!(
        saved["warnings"][0]["message"],
        "The mileage is lower than the 50,000 miles of 2026-06-01. Please check it."
    );
    assert_eq!(save("2026-03-01", 45_000).await.1, ["date-goes-back"]);
    assert_eq!(save("2027-01-15", 60_000).await.1, Vec::<Value>::new());
    // An edit that leaves the day says nothing of it again; one that moves it does.
    let id = saved["id"].as_str().unwrap();
    for (day, expected) in [("2026-09-01", json!([])), ("2026-08-01", json!(["date-goes-back"]))] {
        let body = json!({ "vehicleId": vehicle, "mileage": 55_000, "changeDate": day });
        let edited = client.put_json(&format!("{PATH}/{id}"), &body).await.expect_status(200).json();
        let codes: Vec<&Value> =
            edited["warnings"].as_array().unwrap().iter().map(|it| &it["code"]).collect();
        assert_eq!(json!(codes), expected, "{day}");
    }
    assert_eq!(client.get(PATH).await.json().as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn an_oil_change_is_edited_and_deleted() {
    let (_app, client) = TestApp::with_ann().await;
    let (civic, accord) = (client.add_vehicle("Civic").await, client.add_vehicle("Accord").await);
    let id = log(&client, &civic, "2026-06-01", 50_000).await;
    let path = format!("{PATH}/{id}");
    // An edit does not warn of the record's own old values, and keeps the day that it does not name.
    let body = json!({ "vehicleId": civic, "mileage": "40000", "oilType": "5W-30" });
    let edited = client.put_json(&path, &body).await.expect_status(200).json();
    assert_eq!(edited["id"], json!(id));
    assert_eq!(edited["mileage"], 40_000);
    assert_eq!(edited["oilType"], "5W-30");
    assert_eq!((&edited["changeDate"], &edited["warnings"]), (&json!("2026-06-01"), &json!([])));
    let moved = json!({ "vehicleId": accord, "mileage": 40_000, "changeDate": "2026-07-01" });
    assert_eq!(client.put_json(&path, &moved).await.json()["vehicleId"], accord);
    client
        .put_json(&path, &json!({ "vehicleId": accord, "mileage": 1_000_000 }))
        .await
        .problem(422, "invalid");
    client.delete(&path).await.expect_status(204);
    assert_eq!(client.delete(&path).await.problem(404, "not-found"), NOT_FOUND);
    assert_eq!(client.put_json(&path, &moved).await.problem(404, "not-found"), NOT_FOUND);
}

#[tokio::test]
async fn a_call_from_another_site_logs_nothing() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    let request = client
        .request(reqwest::Method::POST, PATH)
        .header("origin", "https://evil.example")
        .json(&json!({ "vehicleId": vehicle, "mileage": 1 }));
    crate::client::send(request).await.problem(403, "forbidden");
    assert_eq!(client.get(PATH).await.json(), json!([]));
}
