//! Which engine oil a vehicle takes.

use serde_json::json;

use crate::TestApp;
use crate::client::assert_reply_snapshot;

const PATH: &str = "/api/vehicles/ai/oil-specs";

#[tokio::test]
async fn a_known_engine_is_answered_from_the_table() {
    let (_app, client) = TestApp::with_ann().await;
    let reply = client.get(&format!("{PATH}/Toyota/Camry/2015/2.5L%204-cyl")).await;
    assert_reply_snapshot!("oil_specs", reply);
}

#[tokio::test]
async fn a_vehicle_that_nobody_knows_gets_the_labelled_fallback() {
    let (_app, client) = TestApp::with_ann().await;
    for path in ["Trabant/601/1988", "%F0%9F%9A%97/%D8%B3%D9%8A%D8%A7%D8%B1%D8%A9/2015/%F0%9F%9A%97"] {
        let oil = client.get(&format!("{PATH}/{path}")).await.expect_status(200).json();
        assert_eq!((&oil["oilType"], &oil["oilCapacity"]), (&json!("5W-30"), &json!("4.5 quarts")), "{path}");
        assert_eq!(oil["source"], "fallback");
        assert!(oil["notes"].as_str().unwrap().contains("check your owner's manual"), "{oil}");
    }
}

#[tokio::test]
async fn an_electric_vehicle_needs_no_oil() {
    let (_app, client) = TestApp::with_ann().await;
    for path in ["Tesla/Model%203/2020", "Nissan/Leaf/2018/Electric", "Tesla/Model%2099/2020"] {
        let oil = client.get(&format!("{PATH}/{path}")).await.expect_status(200).json();
        assert_eq!((&oil["source"], &oil["oilType"]), (&json!("none"), &json!("No engine oil")), "{path}");
        assert_eq!((&oil["oilCapacityQuarts"], &oil["verify"]), (&json!(null), &json!(null)), "{path}");
    }
}

#[tokio::test]
async fn what_the_owner_says_of_a_vehicle_comes_first() {
    let (app, ann, id) = TestApp::with_vehicle().await;
    let path = format!("{PATH}/honda/CIVIC/2015");
    let own = json!({ "oilType": "10W-60", "oilCapacityQuarts": 7.25 });
    ann.put_json(&format!("/api/vehicles/{id}/oil"), &own).await.expect_status(200);

    let other_name = format!("{PATH}/Ford/F-150/2015?vehicleId={id}");
    for path in [path.as_str(), &other_name] {
        let oil = ann.get(path).await.expect_status(200).json();
        assert_eq!((&oil["oilType"], &oil["oilCapacity"]), (&json!("10W-60"), &json!("7.25 quarts")));
        assert_eq!((&oil["source"], &oil["basis"]["oilType"]["source"]), (&json!("owner"), &json!("owner")));
    }
    let bob = app.sign_up("bob").await;
    assert_ne!(bob.get(&path).await.expect_status(200).json()["oilType"], "10W-60");
    bob.get(&other_name).await.problem(404, "not-found");
}

#[tokio::test]
async fn what_is_no_vehicle_is_refused() {
    let (app, client) = TestApp::with_ann().await;
    let long = "x".repeat(81);
    let cases = [
        ("Toyota/Camry/new".to_owned(), "year"),
        ("Toyota/Camry/20150".to_owned(), "year"),
        ("Toyota/Camry/-1".to_owned(), "year"),
        ("Toyota/Camry/2015.5".to_owned(), "year"),
        (format!("{long}/Camry/2015"), "81 characters"),
        (format!("Toyota/{long}/2015"), "81 characters"),
        (format!("Toyota/Camry/2015/{long}"), "81 characters"),
        ("Toyota/Camry%0A/2015/2.5L%0A4".to_owned(), "control character"),
        ("%20/Camry/2015".to_owned(), "make"),
    ];
    for (path, words) in cases {
        let sentence = client.get(&format!("{PATH}/{path}")).await.problem(422, "invalid");
        assert!(sentence.contains(words), "{path}: {sentence}");
    }
    app.client().get(&format!("{PATH}/Toyota/Camry/2015")).await.problem(401, "not-signed-in");
}
