use std::collections::BTreeSet;

use partsight_app::Catalog;
use partsight_domain::Category;

use crate::TestApp;
use crate::client::assert_reply_snapshot;

#[tokio::test]
async fn suppliers_lead_to_searches_for_the_default_vehicle() {
    let app = TestApp::start().await;
    let client = app.sign_up_with_vehicle("ann").await;
    assert_reply_snapshot!("suppliers", client.get("/api/parts/brake-rotor/ai-suppliers").await);
}

#[tokio::test]
async fn suppliers_are_named_without_a_vehicle_too() {
    let app = TestApp::start().await;
    let client = app.sign_up("ann").await;
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
    let app = TestApp::start().await;
    let client = app.sign_up("ann").await;
    for id in ["flux-capacitor", "Brake Rotor", "%20"] {
        let reply = client.get(&format!("/api/parts/{id}/ai-suppliers")).await;
        assert_eq!(reply.problem(404, "not-found"), "This part is not in the catalogue.", "{id}");
    }
}

#[tokio::test]
async fn a_category_lists_its_parts_by_name_with_their_guides() {
    let app = TestApp::start().await;
    let client = app.sign_up("ann").await;
    assert_reply_snapshot!("category", client.get("/api/parts/category/exhaust").await);
}

#[tokio::test]
async fn the_categories_together_are_the_catalogue() {
    let app = TestApp::start().await;
    let client = app.sign_up("ann").await;
    let mut ids = BTreeSet::new();
    for category in Category::ALL {
        let reply = client.get(&format!("/api/parts/category/{}", category.as_str())).await;
        for part in reply.expect_status(200).json().as_array().unwrap() {
            assert!(ids.insert(part["id"].as_str().unwrap().to_owned()), "twice: {part}");
            assert!(!part["requiredTools"].as_array().unwrap().is_empty(), "{part}");
        }
    }
    assert_eq!(ids.len(), Catalog::embedded().unwrap().iter().len());
}

#[tokio::test]
async fn an_unknown_category_is_not_found() {
    let app = TestApp::start().await;
    let client = app.sign_up("ann").await;
    for category in ["wings", "Brake", "brake-rotor", "%20"] {
        let reply = client.get(&format!("/api/parts/category/{category}")).await;
        let sentence = "The parts category you're looking for doesn't exist.";
        assert_eq!(reply.problem(404, "not-found"), sentence, "{category}");
    }
}
