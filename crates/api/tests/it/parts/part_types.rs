use std::collections::BTreeSet;
use std::sync::Arc;

use partsight_app::Catalog;
use partsight_domain::Category;
use serde_json::json;

use crate::client::assert_reply_snapshot;
use crate::{Setup, TestApp};

#[tokio::test]
async fn suppliers_lead_to_searches_for_the_default_vehicle() {
    let (_app, client, _) = TestApp::with_vehicle().await;
    assert_reply_snapshot!("suppliers", client.get("/api/parts/brake-rotor/ai-suppliers").await);
}

#[tokio::test]
async fn suppliers_are_named_without_a_vehicle_too() {
    let (_app, client) = TestApp::with_ann().await;
    let reply = client.get("/api/parts/brake-rotor/ai-suppliers").await;
    let body = reply.expect_status(200).json();
    let suppliers = body["suppliers"].as_array().unwrap();
    assert!(!suppliers.is_empty());
    for supplier in suppliers {
        assert!(!supplier.to_string().contains("{vehicle}"), "{supplier}");
    }
}

#[tokio::test]
async fn an_unknown_part_is_not_found() {
    let (_app, client) = TestApp::with_ann().await;
    for id in ["flux-capacitor", "Brake Rotor", "%20"] {
        let reply = client.get(&format!("/api/parts/{id}/ai-suppliers")).await;
        assert_eq!(reply.problem(404, "not-found"), "This part is not in the catalogue.", "{id}");
    }
}

#[tokio::test]
async fn a_category_lists_its_parts_by_name_with_their_guides() {
    let (_app, client) = TestApp::with_ann().await;
    let reply = client.get("/api/parts/category/exhaust").await;
    let parts = reply.expect_status(200).json();
    let parts = parts.as_array().unwrap();
    // "Diesel Particulate Filter" before "DPF Pressure Sensor".
    assert!(parts.is_sorted_by_key(|part| part["name"].as_str().unwrap().to_lowercase()), "{parts:?}");
    let muffler = parts.iter().find(|part| part["id"] == "muffler").unwrap();
    insta::assert_json_snapshot!("a_part_of_a_category", muffler);
}

#[tokio::test]
async fn the_categories_together_are_the_catalogue() {
    let (_app, client) = TestApp::with_ann().await;
    let described: BTreeSet<String> =
        Catalog::embedded().unwrap().iter().map(|part_type| part_type.label.to_string()).collect();
    let mut ids = BTreeSet::new();
    for category in Category::ALL {
        let reply = client.get(&format!("/api/parts/category/{}", category.as_str())).await;
        for part in reply.expect_status(200).json().as_array().unwrap() {
            assert!(ids.insert(part["id"].as_str().unwrap().to_owned()), "twice: {part}");
            assert!(!part["requiredTools"].as_array().unwrap().is_empty(), "{part}");
        }
    }
    assert_eq!(ids, described);
}

#[tokio::test]
async fn an_unknown_category_is_not_found() {
    let (_app, client) = TestApp::with_ann().await;
    for category in ["wings", "Brake", "brake-rotor", "%20"] {
        let reply = client.get(&format!("/api/parts/category/{category}")).await;
        let sentence = "The parts category you're looking for doesn't exist.";
        assert_eq!(reply.problem(404, "not-found"), sentence, "{category}");
    }
}

#[tokio::test]
async fn a_part_says_whether_the_model_knows_it() {
    let catalog = Arc::new(crate::teaching::taught_parts::with_flux_capacitor());
    let app = TestApp::with(Setup { catalog: Some(catalog), ..Setup::default() }).await;
    let client = app.sign_up("ann").await;
    let parts = client.get("/api/parts/category/electrical").await.expect_status(200).json();
    let knows = |id: &str| {
        let part = parts.as_array().unwrap().iter().find(|part| part["id"] == id).unwrap();
        part["modelKnows"].as_bool().unwrap()
    };
    assert!(knows("alternator"));
    assert!(!knows("flux-capacitor"));
}

#[tokio::test]
async fn a_category_says_what_cannot_be_on_the_default_vehicle() {
    let (_app, client) = TestApp::stand_in_with_ann().await;
    let reasons = async || -> Vec<String> {
        let parts = client.get("/api/parts/category/exhaust").await.expect_status(200).json();
        parts
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|part| Some(part["unfitReason"].as_str()?.to_owned()))
            .collect()
    };
    assert_eq!(reasons().await, [""; 0], "nothing is said without a vehicle");
    client.add_vehicle("Civic").await;
    let of_civic = reasons().await;
    let is_of_diesels = |reason: &String| reason.starts_with("A 2015 Honda Civic has no diesel engine, so");
    assert!(!of_civic.is_empty() && of_civic.iter().all(is_of_diesels), "{of_civic:?}");
    let tesla = json!({ "make": "Tesla", "model": "Model 3", "year": 2021 });
    let tesla = client.post("/api/vehicles", &tesla).await.expect_status(201).json();
    let path = format!("/api/vehicles/{}/default", tesla["id"].as_str().unwrap());
    client.put(&path).await.expect_status(200);
    let reasons = reasons().await;
    assert!(reasons.len() > of_civic.len(), "{reasons:?}");
    assert!(reasons.iter().all(|reason| reason.starts_with("A 2021 Tesla Model 3 has no")), "{reasons:?}");
}
