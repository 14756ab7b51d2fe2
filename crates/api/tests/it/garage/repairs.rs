use serde_json::{Value, json};

use crate::{Client, TestApp};

const PATH: &str = "/api/repair-history";
const UNKNOWN: &str = "0190a0a0-0000-7000-8000-000000000000";
const NOT_FOUND: &str = "This repair does not exist. It may have been deleted.";

fn repair(vehicle: &str, day: &str, mileage: u32) -> Value {
    json!({ "vehicleId": vehicle, "mileage": mileage, "partReplaced": "Alternator", "repairDate": day })
}

async fn log(client: &Client, vehicle: &str, day: &str, mileage: u32) -> String {
    let reply = client.post(PATH, &repair(vehicle, day, mileage)).await;
    reply.expect_status(201).json()["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_repair_is_answered_and_listed_with_its_vehicle() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    let mut body = repair(&vehicle, "2025-03-05", 52_000);
    body["partReplaced"] = json!("  Lichtmaschine 🔋 ");
    body["notes"] = json!("   ");
    body["cost"] = json!(349.5);
    let reply = client.post(PATH, &body).await;
    let mut saved = reply.expect_status(201).json();
    assert_eq!(saved["vehicleId"], vehicle);
    saved["vehicleId"] = "[vehicle]".into();
    insta::assert_json_snapshot!("new_repair", crate::client::redacted("", saved));
    let mut listed = reply.json();
    listed.as_object_mut().unwrap().remove("warnings");
    assert_eq!(client.get(PATH).await.expect_status(200).json(), json!([listed]));
}

#[tokio::test]
async fn a_repair_that_does_not_fit_names_the_field_in_the_words_of_the_specification() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    let with = |field: &str, value: Value| {
        let mut body = repair(&vehicle, "2025-03-05", 52_000);
        body[field] = value;
        body
    };
    let missing = "Please fill in all required fields";
    let mileage = "Please enter a valid mileage between 1 and 999,999";
    let cases = [
        (json!({}), "vehicleId", missing),
        (with("vehicleId", json!(" ")), "vehicleId", missing),
        (with("mileage", Value::Null), "mileage", missing),
        (with("partReplaced", json!("  ")), "partReplaced", missing),
        (with("repairDate", json!("")), "repairDate", missing),
        (with("mileage", json!(0)), "mileage", mileage),
        (with("mileage", json!("0")), "mileage", mileage),
        (with("mileage", json!(1_000_000)), "mileage", mileage),
        (with("mileage", json!(-3)), "mileage", mileage),
        (with("mileage", json!(1.5)), "mileage", mileage),
        (with("mileage", json!("a lot")), "mileage", mileage),
        (with("mileage", json!(false)), "mileage", mileage),
        (with("repairDate", json!("0001-01-01")), "repairDate", "Please enter a date from 1900 on."),
        (
            with("partReplaced", json!("x".repeat(121))),
            "partReplaced",
            "The part has 121 characters; please use at most 120.",
        ),
        (
            with("partReplaced", json!("a\nb")),
            "partReplaced",
            "The part contains a line break, control character or invisible character; please remove it.",
        ),
    ];
    for (body, field, sentence) in cases {
        let reply = client.post(PATH, &body).await;
        assert_eq!(reply.invalid(field), sentence, "{body}");
    }
    assert_eq!(client.get(PATH).await.json(), json!([]));
}

#[tokio::test]
async fn repairs_of_all_vehicles_or_of_one_come_newest_first() {
    let (_app, client) = TestApp::with_ann().await;
    let (civic, accord) = (client.add_vehicle("Civic").await, client.add_vehicle("Accord").await);
    log(&client, &civic, "2025-03-05", 1).await;
    log(&client, &accord, "2026-03-05", 2).await;
    log(&client, &civic, "1999-12-31", 3).await;
    let days = |list: Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|row| row["repairDate"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(days(client.get(PATH).await.json()), ["2026-03-05", "2025-03-05", "1999-12-31"]);
    let of_civic = client.get(&format!("{PATH}?vehicleId={civic}&limit=1")).await;
    assert_eq!(days(of_civic.json()), ["2025-03-05"]);
    let next = of_civic.header("link").trim_start_matches('<').split('>').next().unwrap().to_owned();
    assert_eq!(days(client.get(&next).await.expect_status(200).json()), ["1999-12-31"]);
}

#[tokio::test]
async fn the_list_is_whole_where_no_limit_is_asked_for() {
    let (_app, client, vehicle) = TestApp::with_vehicle().await;
    for mileage in 1..=51 {
        log(&client, &vehicle, "2026-01-01", mileage).await;
    }
    for path in [PATH.to_owned(), format!("{PATH}?vehicleId="), format!("{PATH}?vehicleId={vehicle}")] {
        let list = client.get(&path).await;
        assert_eq!(list.expect_status(200).json().as_array().unwrap().len(), 51, "{path}");
        assert_eq!(list.header("x-next-cursor"), "", "{path}");
    }
}

#[tokio::test]
async fn a_repair_is_edited_and_deleted_by_its_owner_alone() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    let (hers, his) = (ann.add_vehicle("Civic").await, bob.add_vehicle("Accord").await);
    let id = log(&ann, &hers, "2025-03-05", 52_000).await;
    let path = format!("{PATH}/{id}");
    for path in [path.clone(), format!("{PATH}/{UNKNOWN}"), format!("{PATH}/1")] {
        assert_eq!(bob.delete(&path).await.problem(404, "not-found"), NOT_FOUND);
        let reply = bob.put_json(&path, &repair(&his, "2025-03-05", 5)).await;
        assert_eq!(reply.problem(404, "not-found"), NOT_FOUND);
    }
    bob.post(PATH, &repair(&hers, "2025-03-05", 5)).await.problem(404, "not-found");
    bob.get(&format!("{PATH}?vehicleId={hers}")).await.problem(404, "not-found");
    let edited = ann.put_json(&path, &repair(&hers, "2025-04-06", 51_000)).await;
    let edited = edited.expect_status(200).json();
    assert_eq!((&edited["mileage"], &edited["warnings"]), (&json!(51_000), &json!([])));
    ann.put_json(&path, &repair(&his, "2025-04-06", 51_000)).await.problem(404, "not-found");
    ann.delete(&path).await.expect_status(204);
    assert_eq!(ann.delete(&path).await.problem(404, "not-found"), NOT_FOUND);
    app.client().get(PATH).await.problem(401, "not-signed-in");
}

#[tokio::test]
async fn a_scan_fills_in_what_a_repair_leaves_out() {
    let (app, client) = TestApp::stand_in_with_ann_on(partsight_domain::Plan::Pro).await;
    let vehicle = client.add_vehicle("Civic").await;
    let scan = client.identify(&crate::pictures::plain()).await.expect_status(200).json();
    let label = scan["identification"]["label"].clone();

    let bare = client.post(PATH, &json!({ "scanId": scan["id"], "mileage": 52_000 })).await;
    let bare = bare.expect_status(201).json();
    assert_eq!((&bare["vehicleId"], &bare["partLabel"]), (&json!(vehicle), &label));
    assert_eq!(bare["partReplaced"], scan["identification"]["partName"]);
    assert_eq!((&bare["repairDate"], &bare["partNumber"]), (&json!("2027-01-15"), &Value::Null));

    // The only part of the shop of this type gives number and brand.
    let part = json!({ "label": label, "number": "AC-1", "brand": "Denso" });
    client.post("/api/catalog/parts", &part).await.expect_status(201);
    let own = json!({ "scanId": scan["id"], "mileage": 52_001, "partReplaced": "Compressor", "repairDate": "2026-12-24" });
    let filled = client.post(PATH, &own).await.expect_status(201).json();
    assert_eq!(filled["partReplaced"], "Compressor");
    assert_eq!(filled["repairDate"], "2026-12-24");
    assert_eq!((&filled["partNumber"], &filled["partBrand"]), (&json!("AC-1"), &json!("Denso")));
    // What is typed stays.
    let typed = json!({ "scanId": scan["id"], "mileage": 52_002, "partNumber": "X-2" });
    let typed = client.post(PATH, &typed).await.expect_status(201).json();
    assert_eq!((&typed["partNumber"], &typed["partBrand"]), (&json!("X-2"), &Value::Null));

    // What somebody took out does not come back.
    let mut out = json!({ "scanId": scan["id"], "mileage": 52_003, "partReplaced": "Hub", "partLabel": "" });
    let kept = client.post(PATH, &out).await.expect_status(201).json();
    assert_eq!((&kept["partLabel"], &kept["partNumber"]), (&Value::Null, &Value::Null));
    out = json!({ "scanId": scan["id"], "mileage": 52_004, "partNumber": "" });
    let kept = client.post(PATH, &out).await.expect_status(201).json();
    assert_eq!((&kept["partLabel"], &kept["partNumber"]), (&label, &Value::Null));

    let file = client.get("/api/export/repairs.csv").await.text;
    assert!(file.contains(",AC-1,Denso"), "{file}");
    let bob = app.sign_up("bob").await;
    bob.post(PATH, &json!({ "scanId": scan["id"], "mileage": 1 })).await.problem(404, "not-found");
    client.post(PATH, &json!({ "scanId": "x", "mileage": 1 })).await.problem(404, "not-found");
    let mut unknown = repair(&vehicle, "2025-03-05", 52_000);
    unknown["partLabel"] = json!("flux-capacitor");
    let refused = client.post(PATH, &unknown).await;
    assert!(refused.invalid("partLabel").contains("flux-capacitor"));
}
