//! Cross-references: uploaded, previewed, replaced, deleted, restored, and followed by search, offers and reading.

use std::fmt::Write as _;

use partsight_domain::Plan;
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::client::send;
use crate::parts::price_lists;
use crate::{Client, Reply, TestApp};

/// Uploads a list named `OE`.
pub(crate) async fn upload(client: &Client, fields: &[(&'static str, &str)], file: &str) -> Reply {
    let fields = [("name", "OE")].iter().chain(fields);
    let form = fields.fold(Form::new(), |form, (name, value)| form.text(*name, (*value).to_owned()));
    let file = Part::bytes(file.as_bytes().to_vec()).file_name("oe.csv").mime_str("text/csv").unwrap();
    send(client.request(Method::POST, "/api/cross-references").multipart(form.part("file", file))).await
}

const LIST: &str = "number,brand,relation,otherNumber,otherBrand\n\
                    0 986 479 R51,Bosch,equals,1K0 615 301 AA,VW\n\
                    1K0 615 301 AA,VW,replaces,1K0 615 301 K,VW\n\
                    1K0 615 301 K,VW,replaced by,1K0 615 301 AA,VW\n\
                    0 986 479 R51,ATE,equals,24.0125,ATE\n";

async fn add_part(client: &Client, number: &str, brand: &str) -> String {
    let part = json!({ "label": "brake-rotor", "number": number, "brand": brand });
    let made = client.post("/api/catalog/parts", &part).await.expect_status(201).json();
    made["id"].as_str().unwrap().to_owned()
}

async fn search(client: &Client, number: &str) -> Vec<Value> {
    let found = client.get(&format!("/api/parts/search?q={number}")).await.expect_status(200).json();
    let found = found.as_array().unwrap().iter();
    found.filter(|found| found["kind"] == "part").cloned().collect()
}

#[tokio::test]
async fn a_list_is_checked_saved_deleted_and_restored() {
    let (_app, ann) = price_lists::start().await;
    let faulty = format!("{LIST}A-1,,equals,a1,\nB-1,,likes,C-1,\n");
    let report = upload(&ann, &[("dryRun", "true")], &faulty).await.expect_status(200).json();
    assert_eq!(
        (&report["rows"], &report["accepted"], &report["errors"], &report["saved"]),
        (&json!(6), &json!(4), &json!(2), &json!(false))
    );
    assert_eq!(
        (&report["problems"][0]["row"], &report["problems"][1]["field"]),
        (&json!(6), &json!("relation"))
    );
    // A row that says it the other way round is turned.
    assert_eq!(report["preview"][2]["number"], "1K0 615 301 AA");
    let refused = upload(&ann, &[], &faulty).await;
    refused.problem(422, "invalid");
    assert!(refused.text.contains("Nothing was saved") && refused.text.contains("Row 7"), "{}", refused.text);
    assert_eq!(ann.get("/api/cross-references").await.json(), json!([]));

    let saved = upload(&ann, &[("skipErrors", "true")], &faulty).await.expect_status(201).json();
    let path = format!("/api/cross-references/{}", saved["id"].as_str().unwrap());
    let again = upload(&ann, &[], LIST).await.expect_status(201).json();
    assert_eq!(again["replaced"], true);
    ann.post(&format!("{path}/restore"), &json!({})).await.problem(409, "conflict");
    let newer = format!("/api/cross-references/{}", again["id"].as_str().unwrap());
    ann.delete(&newer).await.expect_status(204);
    ann.delete(&newer).await.expect_status(404);
    ann.post(&format!("{path}/restore"), &json!({})).await.expect_status(204);
    let lists = ann.get("/api/cross-references").await.json();
    let states: Vec<_> = lists.as_array().unwrap().iter().map(|list| list["deletedAt"].is_null()).collect();
    assert_eq!(states, [false, true]);
}

#[tokio::test]
async fn bad_files_are_refused_and_change_nothing() {
    let (app, ann) = price_lists::start().await;
    upload(&ann, &[], LIST).await.expect_status(201);
    for (name, fields, file) in [
        ("empty", &[][..], ""),
        ("no columns", &[][..], "a,b\n1,2\n"),
        ("header alone", &[][..], "number,otherNumber\n"),
        ("no field of the mapping", &[("mapping", r#"{"cost":"a"}"#)][..], LIST),
        ("no mapping", &[("mapping", "[")][..], LIST),
        ("no delimiter", &[("delimiter", "pipe")][..], LIST),
        ("a blank name", &[("name", " ")][..], LIST),
    ] {
        let reply = upload(&ann, fields, file).await;
        assert_eq!(reply.status, 422, "{name}: {}", reply.text);
    }
    let lists = ann.get("/api/cross-references").await.json();
    assert_eq!((lists.as_array().unwrap().len(), &lists[0]["rows"]), (1, &json!(4)));
    let bob = app.sign_up("bob").await;
    assert_eq!(bob.get("/api/cross-references").await.json(), json!([]));
    bob.delete(&format!("/api/cross-references/{}", lists[0]["id"].as_str().unwrap()))
        .await
        .expect_status(404);
}

#[tokio::test]
async fn other_plans_have_none() {
    let (_app, ann) = TestApp::ready_to_scan_on(Plan::Pro).await;
    let reply = upload(&ann, &[], LIST).await;
    reply.problem(403, "forbidden");
    assert!(reply.text.contains("Business"), "{}", reply.text);
}

#[tokio::test]
async fn a_number_finds_the_parts_that_equal_or_replace_it() {
    let (app, ann) = price_lists::start().await;
    let (vw, bosch) =
        (add_part(&ann, "1K0615301AA", "VW").await, add_part(&ann, "0986479R51", "Bosch").await);
    let by_likeness = search(&ann, "1K0615301K").await;
    assert!(by_likeness.iter().all(|part| part["via"].is_null()), "{by_likeness:?}");
    upload(&ann, &[], LIST).await.expect_status(201);
    let found = search(&ann, "1K0+615+301+K").await;
    let said: Vec<_> = found.iter().map(|part| (part["id"].clone(), part["via"]["link"].clone())).collect();
    assert!(said.contains(&(json!(vw), json!("newer"))), "{found:?}");
    assert!(said.contains(&(json!(bosch), json!("newer"))), "{found:?}");
    // Its own number comes first, and by itself.
    let found = search(&ann, "0986479R51").await;
    assert_eq!((&found[0]["id"], &found[0]["via"]), (&json!(bosch), &json!(null)));
    assert_eq!((&found[1]["id"], &found[1]["via"]["ofBrand"]), (&json!(vw), &json!("Bosch")));
    // Nobody else's.
    let bob = app.sign_up("bob").await;
    assert_eq!(search(&bob, "1K0615301K").await, [] as [Value; 0]);
}

#[tokio::test]
async fn offers_of_equal_and_newer_numbers_stand_beside_the_others_but_not_of_a_number_of_two_makers() {
    let (_app, ann) = price_lists::start().await;
    let prices = "sku,brand,part,price\n1K0615301AA,VW,Brake Rotor,60\n24.0125,ATE,Brake Rotor,50\nX-1,,Brake Rotor,5\n";
    price_lists::upload(&ann, &[], prices).await.expect_status(201);
    upload(&ann, &[], LIST).await.expect_status(201);
    let offers = async |number: &str| -> Vec<(String, String)> {
        let path = format!("/api/parts/brake-rotor/ai-suppliers?partNumber={number}");
        let body = ann.get(&path).await.expect_status(200).json();
        let with_price =
            body["suppliers"].as_array().unwrap().iter().filter(|one| !one["listedPrice"].is_null());
        with_price
            .map(|one| (one["listedPrice"].to_string(), one["notes"].as_str().unwrap_or_default().to_owned()))
            .collect()
    };
    let found = offers("1K0615301K").await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].0.starts_with("60") && found[0].1.starts_with("Replaces 1K0615301K"), "{found:?}");
    // Bosch's and ATE's number is the same, and their parts need not be: what the type has is shown, as without a list.
    assert_eq!(offers("0986479R51").await.len(), 3);
}

#[tokio::test]
async fn offers_by_cross_references_are_for_the_vehicle_as_its_owner_names_it() {
    let (_app, ann) = price_lists::start().await;
    let prices = "sku,brand,part,price,make,model\n1K0615301AA,VW,Brake Rotor,60,Honda,Accord V6 Coupe\n";
    price_lists::upload(&ann, &[], prices).await.expect_status(201);
    upload(&ann, &[], LIST).await.expect_status(201);
    // By its number it is an Accord, as suppliers elsewhere are told.
    let vehicle = json!({
        "make": "Honda", "model": "Accord V6 Coupe", "year": 2003, "vinNumber": "1HGCM82633A004352",
    });
    let vehicle = ann.post("/api/vehicles", &vehicle).await.expect_status(201).json();
    for number in ["1K0615301AA", "1K0615301K"] {
        let vehicle = vehicle["id"].as_str().unwrap();
        let path = format!("/api/parts/brake-rotor/ai-suppliers?partNumber={number}&vehicleId={vehicle}");
        let body = ann.get(&path).await.expect_status(200).json();
        let prices: Vec<&Value> =
            body["suppliers"].as_array().unwrap().iter().map(|one| &one["listedPrice"]).collect();
        assert!(prices.iter().any(|price| price.as_f64() == Some(60.0)), "{number}: {prices:?}");
    }
}

#[tokio::test]
async fn a_large_list_with_a_circle_is_taken_and_followed() {
    let (_app, ann) = price_lists::start().await;
    let mut file =
        "number,relation,otherNumber\nC-1,replaces,C-2\nC-2,replaces,C-3\nC-3,replaces,C-1\n".to_owned();
    for row in 0..20_000 {
        writeln!(file, "N{row},equals,M{row}").unwrap();
        writeln!(file, "100-100,equals,Z{row}").unwrap();
    }
    let part = add_part(&ann, "C-3", "").await;
    let report = upload(&ann, &[], &file).await.expect_status(201).json();
    assert_eq!(report["accepted"], 40_003);
    assert_eq!(search(&ann, "C-1").await[0]["id"], json!(part));
    // A number in thousands of rows costs no more than a few.
    search(&ann, "100-100").await;
}
