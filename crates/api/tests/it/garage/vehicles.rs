use serde_json::{Value, json};

use crate::TestApp;
use crate::client::assert_reply_snapshot;

const UNKNOWN: &str = "0190a0a0-0000-7000-8000-000000000000";

#[tokio::test]
async fn a_new_vehicle_is_answered_as_it_was_saved() {
    let (_app, client) = TestApp::with_ann().await;
    let body = json!({
        "make": " Honda ", "model": "Civic", "year": 2015, "engine": "1.8 L", "transmission": "",
        "vinNumber": "1hgbh41jxmn109186", "licensePlate": null,
    });
    let reply = client.post("/api/vehicles", &body).await;
    assert_reply_snapshot!("new_vehicle", reply);
    assert_eq!(client.get("/api/vehicles").await.json(), json!([reply.json()]));
    assert_eq!(client.get("/api/vehicles/default").await.json(), reply.json());
}

#[tokio::test]
async fn a_year_may_come_as_text_like_a_mileage() {
    let (_app, client) = TestApp::with_ann().await;
    let body = json!({ "make": "Honda", "model": "Civic", "year": "2015" });
    let saved = client.post("/api/vehicles", &body).await.expect_status(201).json();
    assert_eq!(saved["year"], 2015);
    let path = format!("/api/vehicles/{}", saved["id"].as_str().unwrap());
    let edit = json!({ "make": "Honda", "model": "Civic", "year": 2014.0 });
    assert_eq!(client.put_json(&path, &edit).await.expect_status(200).json()["year"], 2014);
    let edit = json!({ "make": "Honda", "model": "Civic", "year": "2016" });
    assert_eq!(client.put_json(&path, &edit).await.expect_status(200).json()["year"], 2016);
}

#[tokio::test]
async fn without_a_vehicle_the_list_is_empty_and_the_default_null() {
    let (_app, client) = TestApp::with_ann().await;
    assert_eq!(client.get("/api/vehicles").await.expect_status(200).json(), json!([]));
    assert_eq!(client.get("/api/vehicles/default").await.expect_status(200).json(), Value::Null);
}

#[tokio::test]
async fn another_vehicle_becomes_the_default_and_the_first_of_the_list() {
    let (_app, client) = TestApp::with_ann().await;
    client.add_vehicle("Civic").await;
    let accord = client.add_vehicle("Accord").await;
    let reply = client.put(&format!("/api/vehicles/{accord}/default")).await;
    assert_eq!(reply.expect_status(200).json()["isDefault"], true);
    let list = client.get("/api/vehicles").await.json();
    let shown: Vec<_> = list.as_array().unwrap().iter().map(|v| (&v["model"], &v["isDefault"])).collect();
    assert_eq!(shown, [(&json!("Accord"), &json!(true)), (&json!("Civic"), &json!(false))]);
}

#[tokio::test]
async fn the_list_comes_in_pages_where_a_limit_is_asked_for() {
    let (_app, client) = TestApp::with_ann().await;
    let mut ids = Vec::new();
    for model in ["Civic", "Accord", "Jazz"] {
        ids.push(client.add_vehicle(model).await);
    }
    let first = client.get("/api/vehicles?limit=2").await;
    let next = first.header("x-next-cursor").to_owned();
    assert_eq!(first.header("link"), format!("</api/vehicles?after={next}&limit=2>; rel=\"next\""));
    let second = client.get(&format!("/api/vehicles?after={next}&limit=2")).await;
    assert!(second.headers.get("x-next-cursor").is_none() && second.headers.get("link").is_none());
    let listed = [first.json(), second.json()];
    let listed: Vec<_> =
        listed.iter().flat_map(|page| page.as_array().unwrap()).map(|vehicle| &vehicle["id"]).collect();
    assert_eq!(listed, [&json!(ids[0]), &json!(ids[1]), &json!(ids[2])]);
    for (query, field) in [("limit=0", "limit"), ("limit=201", "limit"), ("after=first", "after")] {
        client.get(&format!("/api/vehicles?{query}")).await.invalid(field);
    }
}

#[tokio::test]
async fn a_vehicle_that_does_not_fit_names_the_field_and_what_to_do() {
    let (_app, client) = TestApp::with_ann().await;
    let with = |field: &str, value: Value| {
        let mut body = json!({ "make": "Honda", "model": "Civic", "year": 2015 });
        body[field] = value;
        body
    };
    let missing = "Please fill in make, model, and year.";
    let cases = [
        (json!({}), "make", missing),
        (with("make", json!(" ")), "make", missing),
        (with("make", Value::Null), "make", missing),
        (with("model", Value::Null), "model", missing),
        (with("model", json!("")), "model", missing),
        (with("year", Value::Null), "year", missing),
        (with("year", json!(" ")), "year", missing),
        (with("year", json!("twenty")), "year", "Please enter a year between 1886 and 2100."),
        (with("year", json!(1885)), "year", "Please enter a year between 1886 and 2100."),
        (with("year", json!(99999)), "year", "Please enter a year between 1886 and 2100."),
        (with("make", json!("x".repeat(81))), "make", "The make has 81 characters; please use at most 80."),
        (
            with("vinNumber", json!("123456789012345678")),
            "vinNumber",
            "The VIN has 18 characters; a VIN has at most 17.",
        ),
        (
            with("vinNumber", json!("12 34")),
            "vinNumber",
            "A VIN has only letters and digits. Please check what you typed.",
        ),
        (
            with("licensePlate", json!("x".repeat(17))),
            "licensePlate",
            "The license plate has 17 characters; please use at most 16.",
        ),
    ];
    for (body, field, sentence) in cases {
        let reply = client.post("/api/vehicles", &body).await;
        assert_eq!(reply.invalid(field), sentence, "{body}");
    }
    assert_eq!(client.get("/api/vehicles").await.json(), json!([]));
}

#[tokio::test]
async fn an_unknown_vehicle_cannot_become_the_default() {
    let (_app, client, _) = TestApp::with_vehicle().await;
    for id in [UNKNOWN, "1", "x'--"] {
        let reply = client.put(&format!("/api/vehicles/{id}/default")).await;
        let sentence = reply.problem(404, "not-found");
        assert_eq!(sentence, "This vehicle does not exist. Please choose another one.", "{id}");
        assert_eq!(client.get("/api/vehicles/default").await.json()["isDefault"], true, "{id}");
    }
}

#[tokio::test]
async fn an_edited_vehicle_has_the_new_details_only() {
    let (_app, client, id) = TestApp::with_vehicle().await;
    let body = json!({ "make": "Škoda", "model": "Octavia 🚗", "year": 2020, "vinNumber": "tmbjj7nx" });
    let reply = client.put_json(&format!("/api/vehicles/{id}"), &body).await;
    assert_reply_snapshot!("edited_vehicle", reply);
    assert_eq!(client.get(&format!("/api/vehicles/{id}")).await.json(), reply.json());
    // What is left out is removed.
    let body = json!({ "make": "Škoda", "model": "Octavia", "year": 2020 });
    let reply = client.put_json(&format!("/api/vehicles/{id}"), &body).await;
    assert_eq!(reply.expect_status(200).json()["vinNumber"], Value::Null);
}

#[tokio::test]
async fn an_edited_vehicle_obeys_the_rules_of_a_new_one_in_its_own_words() {
    let (_app, client) = TestApp::with_ann().await;
    let path = format!("/api/vehicles/{}", client.add_vehicle("Civic").await);
    let missing = "Please fill in all required fields.";
    let cases = [
        (json!({}), "make", missing),
        (json!({ "make": "Honda", "model": " ", "year": 2015 }), "model", missing),
        (json!({ "make": "Honda", "model": "Jazz" }), "year", missing),
        (
            json!({ "make": "Honda", "model": "Jazz", "year": 0 }),
            "year",
            "Please enter a year between 1886 and 2100.",
        ),
        (
            json!({ "make": "Ho\u{0}nda", "model": "Jazz", "year": 2015 }),
            "make",
            "The make contains a line break, control character or invisible character; please remove it.",
        ),
    ];
    for (body, field, sentence) in cases {
        let reply = client.put_json(&path, &body).await;
        assert_eq!(reply.invalid(field), sentence, "{body}");
    }
    assert_eq!(client.get(&path).await.json()["model"], "Civic");
    let wrong_type = json!({ "make": "Honda", "model": ["Jazz"], "year": 2015 });
    client.put_json(&path, &wrong_type).await.problem(422, "invalid");
}

#[tokio::test]
async fn deleting_a_vehicle_says_what_went_and_names_the_new_default() {
    let (_app, client, civic) = TestApp::with_vehicle().await;
    let accord = client.add_vehicle("Accord").await;
    // Of each kind another number, and some of another vehicle, which stay.
    let path = format!("/api/vehicles/{civic}");
    for (vehicle, n) in [(&civic, 2), (&accord, 1)] {
        for day in 1..=n {
            let body = json!({ "vehicleId": vehicle, "mileage": 100 * day, "changeDate": "2026-12-01" });
            client.post("/api/oil-changes", &body).await.expect_status(201);
        }
    }
    for day in 1..=3 {
        let body = json!({
            "vehicleId": civic, "mileage": 100 * day, "partReplaced": "Rim", "repairDate": "2026-12-01",
        });
        client.post("/api/repair-history", &body).await.expect_status(201);
    }
    let item = json!({ "intervalMonths": 6 });
    client.put_json(&format!("{path}/maintenance/engine-oil"), &item).await.expect_status(200);
    for day in 2..=5 {
        let body = json!({ "mileage": 300 + day, "date": format!("2026-12-0{day}") });
        client.post(&format!("{path}/odometer"), &body).await.expect_status(201);
    }
    client.put_json(&format!("{path}/oil"), &json!({ "oilType": "0W-20" })).await.expect_status(200);
    let reply = client.delete(&path).await;
    assert_reply_snapshot!("deleted_vehicle", reply);
    let deleted = reply.json();
    for (field, n) in [("oilChanges", 2), ("repairs", 3), ("maintenanceItems", 1), ("odometerReadings", 4)] {
        assert_eq!(deleted[field], n, "{field}");
    }
    assert_eq!(deleted["ownOil"], true);
    let left = client.get(&format!("/api/oil-changes?vehicleId={accord}")).await.json();
    assert_eq!(left.as_array().unwrap().len(), 1);
    assert_eq!(reply.json()["defaultVehicle"]["id"], accord);
    assert_eq!(client.get("/api/vehicles/default").await.json()["id"], accord);
    client.get(&format!("/api/vehicles/{civic}")).await.problem(404, "not-found");
    client.delete(&format!("/api/vehicles/{civic}")).await.problem(404, "not-found");
    let last = client.delete(&format!("/api/vehicles/{accord}")).await.expect_status(200).json();
    assert_eq!(last["defaultVehicle"], Value::Null);
    assert_eq!((&last["oilChanges"], &last["ownOil"]), (&json!(1), &json!(false)));
    assert_eq!(client.get("/api/vehicles").await.json(), json!([]));
}

#[tokio::test]
async fn a_scan_outlives_its_vehicle_with_the_name() {
    let (_app, client) = TestApp::ready_to_scan().await;
    let scan = client.identify(&crate::pictures::plain()).await.expect_status(200).json();
    let id = client.get("/api/vehicles/default").await.json()["id"].as_str().unwrap().to_owned();
    client.delete(&format!("/api/vehicles/{id}")).await.expect_status(200);
    let kept = client.get(&format!("/api/scans/{}", scan["id"].as_str().unwrap())).await;
    assert_eq!(
        kept.expect_status(200).json()["vehicle"],
        json!({ "year": 2015, "make": "Honda", "model": "Civic" })
    );
}

#[tokio::test]
async fn two_tabs_that_change_the_default_leave_one() {
    let (_app, client) = TestApp::with_ann().await;
    let (civic, accord) = (client.add_vehicle("Civic").await, client.add_vehicle("Accord").await);
    for _ in 0..5 {
        let (first, second) =
            (format!("/api/vehicles/{civic}/default"), format!("/api/vehicles/{accord}/default"));
        let (first, second) = tokio::join!(client.put(&first), client.put(&second));
        first.expect_status(200);
        second.expect_status(200);
        let list = client.get("/api/vehicles").await.json();
        let n_defaults =
            list.as_array().unwrap().iter().filter(|vehicle| vehicle["isDefault"] == true).count();
        assert_eq!(n_defaults, 1, "{list}");
    }
}

#[tokio::test]
async fn right_to_left_text_is_kept_as_it_was_typed() {
    let (_app, client) = TestApp::with_ann_on(partsight_domain::Plan::Business).await;
    // Hebrew, and Arabic with digits and Latin letters, which a screen shows in another order than they are in.
    let (hebrew, arabic) = ("סוּבָּארוּ פורסטר", "فلتر زيت ٥W-30 (أصلي)");
    let body = json!({ "make": hebrew, "model": arabic, "year": 2015, "licensePlate": "ب ع ٣١٢" });
    let made = client.post("/api/vehicles", &body).await.expect_status(201).json();
    let id = made["id"].as_str().unwrap();
    let kept = client.get(&format!("/api/vehicles/{id}")).await.json();
    for field in ["make", "model", "licensePlate"] {
        assert_eq!(kept[field], body[field], "{field}");
    }
    let notes = format!("{hebrew}\n{arabic} 42");
    let repair = json!({
        "vehicleId": id, "mileage": 5, "partReplaced": arabic, "partNumber": "מק-17", "notes": notes,
        "repairDate": "2026-12-01",
    });
    client.post("/api/repair-history", &repair).await.expect_status(201);
    let kept = client.get("/api/repair-history").await.json();
    for field in ["partReplaced", "partNumber", "notes"] {
        assert_eq!(kept[0][field], repair[field], "{field}");
    }
    let part = json!({ "label": "rim", "number": "מק-17", "name": arabic, "brand": hebrew, "notes": notes });
    let made = client.post("/api/catalog/parts", &part).await.expect_status(201).json();
    let kept = client.get(&format!("/api/catalog/parts/{}", made["id"].as_str().unwrap())).await.json();
    for field in ["number", "name", "brand", "notes"] {
        assert_eq!(kept[field], part[field], "{field}");
    }
    let table = client.get("/api/export/repairs.csv").await.text;
    assert!(table.contains(arabic) && table.contains(hebrew), "{table}");
}
