//! Makes, models, years, engines, VINs, and the vehicle database call.

use std::time::Duration;

use partsight_domain::Plan;
use partsight_test_support::cpu_time;
use serde_json::{Value, json};

use crate::TestApp;

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_visitor_finds_an_engine_from_make_to_year() {
    let app = TestApp::start().await;
    let client = app.client();
    let makes = client.get("/api/vehicles/makes?search=Hon").await;
    assert_eq!(makes.expect_status(200).json(), json!([{ "id": "honda", "name": "Honda" }]));
    assert_eq!(makes.header("cache-control"), "public, max-age=3600");
    let models = client.get("/api/vehicles/models/honda?year=2018").await.expect_status(200).json();
    assert!(ids(&models).contains(&"civic") && !ids(&models).contains(&"prelude"), "{models}");
    let all_models = client.get("/api/vehicles/models/honda").await.expect_status(200).json();
    assert!(ids(&all_models).contains(&"prelude"), "{all_models}");
    let years = client.get("/api/vehicles/years?makeId=honda&modelId=civic").await.expect_status(200).json();
    assert!(years.as_array().unwrap().contains(&json!({ "id": "2018", "name": "2018" })), "{years}");
    let engines = client.get("/api/vehicles/engines/honda/civic/2018").await.expect_status(200).json();
    let engine = engines.as_array().unwrap().iter().find(|engine| engine["name"] == "2.0L 4-cyl").unwrap();
    assert_eq!(engine["id"], "2-0l-4-cyl-regular-gasoline");
    assert_eq!(engine["transmissions"], json!(["Manual 6-spd", "CVT"]));
}

#[tokio::test]
async fn names_serve_in_place_of_ids() {
    let app = TestApp::start().await;
    let client = app.client();
    let by_id = client.get("/api/vehicles/engines/ford/f150/2015").await;
    for path in ["Ford/F-150", "FORD/f%20150", "ford/F-150%20Lariat"] {
        let reply = client.get(&format!("/api/vehicles/engines/{path}/2015")).await;
        assert_eq!(reply.expect_status(200).json(), by_id.expect_status(200).json(), "{path}");
    }
    let slashed = client.get("/api/vehicles/engines/volkswagen/Golf%2FGTI/2016").await;
    assert!(!slashed.expect_status(200).json().as_array().unwrap().is_empty());
}

#[tokio::test]
async fn years_go_from_the_latest_back_to_1984() {
    let app = TestApp::start().await;
    let years = app.client().get("/api/vehicles/years").await.expect_status(200).json();
    let years: Vec<u16> = ids(&years).into_iter().map(|year| year.parse().unwrap()).collect();
    assert!(years[0] >= 2026 && years.last() == Some(&1984), "{years:?}");
    assert!(years.is_sorted_by(|a, b| a > b), "{years:?}");
}

#[tokio::test]
async fn what_is_not_listed_gives_an_empty_list() {
    let app = TestApp::start().await;
    let client = app.client();
    let endless = "x".repeat(5000);
    for path in [
        "/api/vehicles/makes?search=Trabant",
        "/api/vehicles/makes?search=%F0%9F%9A%97",
        "/api/vehicles/models/Trabant",
        "/api/vehicles/models/%E2%80%AEadnoH",
        "/api/vehicles/models/%00",
        "/api/vehicles/models/honda?year=1900",
        "/api/vehicles/engines/honda/Trabant/2018",
        "/api/vehicles/engines/honda/civic/1900",
        "/api/vehicles/years?makeId=Trabant&modelId=601",
        "/api/suppliers?carquery=models&makeId=Trabant&year=2018",
        &format!("/api/vehicles/models/{endless}"),
        &format!("/api/vehicles/makes?search={endless}"),
    ] {
        let reply = client.get(path).await;
        assert_eq!(reply.expect_status(200).json(), json!([]), "{path}");
    }
}

#[tokio::test]
async fn a_year_that_is_none_is_refused() {
    let app = TestApp::start().await;
    for path in [
        "/api/vehicles/engines/honda/civic/abc",
        "/api/vehicles/engines/honda/civic/-1",
        "/api/vehicles/engines/honda/civic/99999999999999999999",
        "/api/vehicles/models/honda?year=2018.5",
        "/api/suppliers?carquery=makes&year=soon",
    ] {
        let reply = app.client().get(path).await;
        assert_eq!(reply.invalid("year"), "Please enter a year between 1886 and 2100.", "{path}");
    }
    let text = app.client().get("/api/vehicles/models/%FF").await;
    text.problem(404, "not-found");
}

#[tokio::test]
async fn the_vehicle_database_answers_makes_models_and_specs() {
    let app = TestApp::start().await;
    let client = app.client();
    let get = async |query: &str| client.get(&format!("/api/suppliers?carquery={query}")).await;
    let makes = get("makes&year=2020").await.expect_status(200).json();
    assert!(
        makes.as_array().unwrap().contains(&json!({ "id": "toyota", "name": "Toyota", "country": "Japan" }))
    );
    assert!(!ids(&makes).contains(&"pontiac"), "{makes}");
    let models = get("models&makeId=toyota&year=2012").await.expect_status(200).json();
    assert!(
        models.as_array().unwrap().contains(&json!({ "id": "camry", "name": "Camry", "body": "Sedan" })),
        "{models}"
    );
    let specs = get("specs&makeId=toyota&modelId=camry&year=2012").await.expect_status(200).json();
    assert_eq!(
        specs[0],
        json!({
            "id": "2-5l-4-cyl-regular-gasoline-178hp", "displacement": 2.5, "engine": "2.5L 4-cyl", "cylinders": 4,
            "power": 178, "torque": null, "fuelType": "Regular gasoline", "transmission": "Automatic 6-spd",
            "drivetrain": "Front-Wheel Drive",
        })
    );
    assert_eq!(specs[1]["power"], Value::Null, "a hybrid");
}

#[tokio::test]
async fn a_question_that_the_vehicle_database_does_not_answer_names_the_field() {
    let app = TestApp::start().await;
    let which = "Please ask for makes, models or specs.";
    let needs = "Please name the make for models, and the make, the model and the year for specs.";
    for (query, field, detail) in [
        ("", "carquery", which),
        ("?carquery=", "carquery", which),
        ("?carquery=trims", "carquery", which),
        ("?carquery=Makes", "carquery", which),
        ("?carquery=models", "makeId", needs),
        ("?carquery=models&makeId=%20", "makeId", needs),
        ("?carquery=specs&makeId=honda&year=2018", "modelId", needs),
        ("?carquery=specs&makeId=honda&modelId=civic", "year", needs),
    ] {
        let reply = app.client().get(&format!("/api/suppliers{query}")).await;
        assert_eq!(reply.invalid(field), detail, "{query}");
    }
}

#[tokio::test]
async fn a_number_is_decoded_for_a_visitor() {
    let app = TestApp::start().await;
    let reply = app.client().get("/api/vehicles/vin/1hgcm82633a004352").await;
    assert_eq!(
        reply.expect_status(200).json(),
        json!({
            "vin": "1HGCM82633A004352", "checkDigitFits": true, "wmi": "1HG", "region": "North America",
            "country": "United States", "manufacturer": "Honda", "make": "Honda", "modelYear": 2003,
            "otherModelYear": null, "models": ["Accord"], "description": "CM826", "plant": "A", "serial": "004352",
            "warnings": [],
            "details": {
                "series": null, "trim": "EX-V6", "body": "Coupe", "doors": 2, "engine": "3.0L 6-cyl",
                "engineCode": "J30A4", "cylinders": 6, "displacement": null, "fuel": "Gasoline", "secondFuel": null,
                "power": null, "drive": { "value": "Front-Wheel Drive", "source": "epa" }, "transmission": null,
                "builtIn": "Marysville, Ohio, United States",
                "restraint": "Seat Belt (Rr center position)",
            },
        })
    );
    assert_eq!(reply.header("cache-control"), "private, max-age=3600");
}

#[tokio::test]
async fn a_wrong_check_digit_warns_and_the_rest_is_decoded() {
    let app = TestApp::start().await;
    let vin = app.client().get("/api/vehicles/vin/KMTGA4SCDRU227656").await.expect_status(200).json();
    assert_eq!((&vin["make"], &vin["modelYear"]), (&json!("Genesis"), &json!(2024)));
    assert_eq!(vin["models"], json!(["G80"]));
    assert_eq!(vin["checkDigitFits"], false);
    let warning = vin["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("The check digit (position 9) is D, but "), "{warning}");
}

#[tokio::test]
async fn what_is_no_number_is_refused_with_the_reason() {
    let app = TestApp::start().await;
    for (vin, part) in [
        ("1HGCM8263", "has 17 characters, and this has 9"),
        ("1HGCM82633AO04352", "no letter O (position 12): it is the digit 0"),
        ("1HGCM82633A00435%F0%9F%9A%97", "position 17 is '🚗'"),
        ("1HGCM82633A00435%00", "position 17 is '\\0'"),
    ] {
        let reply = app.client().get(&format!("/api/vehicles/vin/{vin}")).await;
        let detail = reply.invalid("vin");
        assert!(
            detail.starts_with("A VIN has ") && detail.contains(part) && detail.ends_with('.'),
            "{detail}"
        );
    }
}

#[tokio::test]
async fn saved_vehicles_keep_their_own_paths() {
    let app = TestApp::start().await;
    app.client().get("/api/vehicles").await.problem(401, "not-signed-in");
    app.client().get("/api/vehicles/default").await.problem(401, "not-signed-in");
}

#[tokio::test]
async fn broken_imported_facts_stop_the_start_and_good_ones_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("vehicles.bin");
    std::fs::write(&file, b"PSVD\x01nonsense").unwrap();
    let error = partsight_app::vehicle_reference::load(folder.path()).unwrap_err();
    assert!(error.to_string().contains("vehicles.bin"), "{error}");
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("damaged"), "{cause}");
    std::fs::write(
        &file,
        partsight_app::vehicle_reference::load(&folder.path().join("none")).unwrap().to_bytes(),
    )
    .unwrap();
    assert!(partsight_app::vehicle_reference::load(folder.path()).is_ok());
}

#[tokio::test]
async fn lookups_take_less_than_the_time_of_a_glance() {
    let app = TestApp::start().await;
    let client = app.client();
    let mut n_lookups = 0;
    // Client and server share this thread.
    let start = cpu_time();
    for make in ["honda", "ford", "chevrolet", "bmw", "toyota"] {
        for year in 1984..=2026 {
            for path in [format!("models/{make}?year={year}"), format!("engines/{make}/civic/{year}")] {
                client.get(&format!("/api/vehicles/{path}")).await.expect_status(200);
                n_lookups += 1;
            }
        }
    }
    let mean = cpu_time().saturating_sub(start) / n_lookups;
    eprintln!("{n_lookups} lookups with the way there and back: {mean:?} each");
    assert!(mean < Duration::from_millis(100), "{mean:?}");
}

/// A diesel pickup, which EPA's list of vehicles does not have.
const PICKUP: &str = "1FT7W2BT5KEC00001";

#[tokio::test]
async fn the_number_of_an_unlisted_vehicle_says_what_cannot_be_on_it() {
    let (_app, client) = TestApp::stand_in_with_ann_on(Plan::Pro).await;
    let mut verdicts = Vec::new();
    for vin in [None, Some(PICKUP), Some("1HGCM82633A004352")] {
        let pickup = json!({ "make": "Ford", "model": "F-250", "year": 2019, "vinNumber": vin });
        let vehicle = client.post("/api/vehicles", &pickup).await.expect_status(201).json();
        let path = format!("/api/parts/spark-plug/fits?vehicleId={}", vehicle["id"].as_str().unwrap());
        let fit = client.get(&path).await.expect_status(200).json();
        verdicts.push(fit["verdict"].clone());
    }
    // The last number is of another vehicle, so it says nothing of this one.
    assert_eq!(verdicts, [json!("unknown"), json!("does-not-fit"), json!("unknown")]);
}

#[tokio::test]
async fn the_number_says_the_engine_that_its_owner_did_not_type() {
    let (_app, client) = TestApp::with_ann().await;
    let car =
        |vin: Option<&str>| json!({ "make": "Honda", "model": "Accord", "year": 2003, "vinNumber": vin });
    let mut families = Vec::new();
    for vin in [None, Some("1HGCM82633A004352")] {
        let vehicle = client.post("/api/vehicles", &car(vin)).await.expect_status(201).json();
        let id = vehicle["id"].as_str().unwrap();
        let oil = client
            .get(&format!("/api/vehicles/ai/oil-specs/Honda/Accord/2003?vehicleId={id}"))
            .await
            .expect_status(200)
            .json();
        families.push(oil["oilCapacityQuarts"].clone());
    }
    assert_ne!(families[0], families[1], "the V6 takes another amount than what both engines have in common");
}

#[tokio::test]
async fn broken_imported_vin_patterns_stop_the_start_and_good_ones_are_used() {
    use partsight_app::vin_reading::load_vin_patterns;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("vin-patterns.bin");
    std::fs::write(&file, b"PSVP\x01nonsense").unwrap();
    let error = load_vin_patterns(folder.path()).unwrap_err();
    assert!(error.to_string().contains("vin-patterns.bin"), "{error}");
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("damaged"), "{cause}");
    std::fs::write(&file, load_vin_patterns(&folder.path().join("none")).unwrap().to_bytes()).unwrap();
    assert!(load_vin_patterns(folder.path()).is_ok());
}
