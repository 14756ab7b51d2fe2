use partsight_domain::{Feature, Plan};
use serde_json::{Value, json};

use crate::client::assert_reply_snapshot;
use crate::parts::price_lists::upload;
use crate::{Client, TestApp, pictures};

#[tokio::test]
async fn a_new_account_is_free_with_two_scans() {
    let (_app, client) = TestApp::with_ann().await;
    assert_reply_snapshot!("subscription_free", client.get("/api/subscription/status").await);
    let limits = client.get("/api/scans/limits").await;
    assert_eq!(limits.expect_status(200).json(), json!({ "limit": 2, "used": 0, "remaining": 2 }));
}

#[tokio::test]
async fn the_plan_of_the_server_holds_for_every_account() {
    for (plan, name) in [(Plan::Pro, "Pro"), (Plan::Business, "Business")] {
        let (_app, client) = TestApp::with_ann_on(plan).await;
        let status = client.get("/api/subscription/status").await.expect_status(200).json();
        assert_eq!(status["paidPlan"], json!(null), "nobody pays for what the settings give");
        assert_eq!((&status["plan"], &status["scansRemaining"]), (&json!(name), &json!(null)));
        let limits = client.get("/api/scans/limits").await;
        assert_eq!(limits.json(), json!({ "limit": 999, "used": 0, "remaining": 999 }));
        assert_eq!(client.get("/api/auth/user").await.json()["planType"], plan.as_str());
    }
}

/// Whether this client's plan opens each call that a feature concerns, by what the calls answer.
async fn opens(app: &TestApp, client: &Client, key: &str, feature: Feature) -> Vec<(&'static str, bool)> {
    let opened = |name, status: u16, yes: u16| {
        assert!([yes, 403].contains(&status), "{name} answers {status}");
        (name, status == yes)
    };
    match feature {
        Feature::FullHistory => {
            let page = client.get("/api/scans").await.expect_status(200).json();
            let recent = client.get("/api/scans/recent?limit=100").await.expect_status(200).json();
            let table = client.get("/api/export/scans.csv").await.expect_status(200).text.lines().count();
            let shown = |value: &Value| value.as_array().unwrap().len();
            let counts = [shown(&page["scans"]), shown(&recent), table - 1];
            assert!(counts == [5; 3] || counts == [6; 3], "{counts:?}");
            assert_eq!(page["hiddenByPlan"], 6 - counts[0]);
            ["GET /api/scans", "GET /api/scans/recent", "GET /api/export/scans.csv"]
                .into_iter()
                .zip(counts)
                .map(|(name, count)| (name, count == 6))
                .collect()
        }
        Feature::CompatibilityChecker => {
            let fits = client.get("/api/parts/brake-rotor/fits").await.status;
            vec![opened("GET /api/parts/{id}/fits", fits, 200)]
        }
        Feature::Company => {
            let made = client.post("/api/company", &json!({ "name": "Lee's Garage" })).await;
            if made.status == 201 {
                let path = format!("/api/company/{}", made.json()["id"].as_str().unwrap());
                client.delete(&path).await.expect_status(200);
            }
            vec![opened("POST /api/company", made.status, 201)]
        }
        Feature::SupplierIntegration => {
            let uploaded = upload(client, &[], "part,price\nBrake Rotor,45\n").await.status;
            let offers = client.get("/api/parts/brake-rotor/ai-suppliers").await.expect_status(200).json();
            let has_price = |offer: &Value| !offer["listedPrice"].is_null();
            let is_priced = offers["suppliers"].as_array().unwrap().iter().any(has_price);
            vec![
                opened("POST /api/price-lists", uploaded, 201),
                ("the prices of GET /api/parts/{id}/ai-suppliers", is_priced),
            ]
        }
        Feature::ApiAccess => {
            let made = client.post("/api/api-keys", &json!({ "name": "bay", "scopes": ["scan"] })).await;
            let request = app.client().request(reqwest::Method::GET, "/api/scans/limits").bearer_auth(key);
            let used = crate::client::send(request).await.status;
            vec![opened("POST /api/api-keys", made.status, 201), opened("a call with a key", used, 200)]
        }
    }
}

#[tokio::test]
async fn each_plan_opens_the_calls_of_its_features_and_no_others() {
    let (app, client) = TestApp::ready_to_scan().await;
    // What a plan may hide is made while it is shown.
    app.execute("UPDATE app_user SET plan = 'business'").await;
    for _ in 0..6 {
        client.identify(&pictures::plain()).await.expect_status(200);
    }
    let key = client.post("/api/api-keys", &json!({ "name": "till", "scopes": ["scan"] })).await;
    let key = key.expect_status(201).json()["key"].as_str().unwrap().to_owned();
    upload(&client, &[], "part,price\nBrake Rotor,45\n").await.expect_status(201);

    // The table of the specification: Basic, Pro, Business.
    let table = [
        (Feature::FullHistory, [false, true, true]),
        (Feature::CompatibilityChecker, [false, true, true]),
        (Feature::Company, [false, false, true]),
        (Feature::SupplierIntegration, [false, false, true]),
        (Feature::ApiAccess, [false, false, true]),
    ];
    assert_eq!(table.map(|(feature, _)| feature), Feature::ALL);
    let mut wrong = Vec::new();
    for (column, (plan, statement)) in [
        (Plan::Basic, "UPDATE app_user SET plan = 'basic'"),
        (Plan::Pro, "UPDATE app_user SET plan = 'pro'"),
        (Plan::Business, "UPDATE app_user SET plan = 'business'"),
    ]
    .into_iter()
    .enumerate()
    {
        app.execute(statement).await;
        for (feature, expected) in table {
            for (call, is_open) in opens(&app, &client, &key, feature).await {
                if is_open != expected[column] {
                    wrong.push(format!("{plan:?}: {call} is {}", if is_open { "open" } else { "closed" }));
                }
            }
        }
        let limit = client.get("/api/scans/limits").await.json()["limit"].clone();
        assert_eq!(limit, if plan == Plan::Basic { 2 } else { 999 });
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
