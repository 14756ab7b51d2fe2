//! Whether scans are like what the confidence was fitted on: on the screen of one account, and in the metrics.

use jiff::SignedDuration;
use partsight_domain::Plan;
use serde_json::{Value, json};

use crate::plans::company::join;
use crate::{Client, TestApp, pictures};

/// Makes sixty scans of the newest one, all alike.
async fn repeat_newest_scan(app: &TestApp) {
    app.execute(
        "WITH RECURSIVE copies (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM copies WHERE i < 59) \
         INSERT INTO scan (scan_id, tenant_id, verdict, label, confidence, known_score, alternatives, receipt, \
                           scanned_at) \
         SELECT CAST(i AS TEXT) || ' of ' || scan_id, tenant_id, verdict, label, confidence, known_score, \
                alternatives, receipt, scanned_at FROM scan CROSS JOIN copies \
         WHERE scanned_at = (SELECT MAX(scanned_at) FROM scan)",
    )
    .await;
    // Only the scan that was copied has features by now.
    app.execute(
        "WITH RECURSIVE copies (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM copies WHERE i < 59) \
         INSERT INTO scan_features (scan_id, tenant_id, model_sha256, embedding, fingerprint, logits, known, \
                                    log_probabilities, taught_labels) \
         SELECT CAST(i AS TEXT) || ' of ' || scan_features.scan_id, scan_features.tenant_id, model_sha256, embedding, \
                fingerprint, logits, known, log_probabilities, taught_labels \
         FROM scan_features JOIN scan ON scan.scan_id = scan_features.scan_id CROSS JOIN copies \
         WHERE scanned_at = (SELECT MAX(scanned_at) FROM scan)",
    )
    .await;
}

async fn drift(client: &Client) -> Value {
    client.get("/api/drift").await.expect_status(200).json()
}

async fn scan(app: &TestApp, client: &Client, seed: u32) {
    client.identify(&pictures::blocks(seed, 0)).await.expect_status(200);
    app.advance(SignedDuration::from_secs(1));
}

#[tokio::test]
async fn few_scans_are_not_compared_and_say_how_many_it_takes() {
    let (app, ann) = TestApp::ready_to_scan().await;
    scan(&app, &ann, 1).await;
    let found = drift(&ann).await;
    assert_eq!((&found["scans"], &found["leastScans"], &found["days"]), (&json!(1), &json!(50), &json!(7)));
    assert!(found["at"].as_array().unwrap().len() > 10, "the model was measured for this: {found}");
    for of in ["confidence", "knownScore", "embedding"] {
        assert_eq!(found[of], Value::Null, "{of}");
    }
}

#[tokio::test]
async fn scans_unlike_the_calibration_photographs_are_an_alert_on_the_screen_and_in_the_metrics() {
    let (app, ann) = TestApp::ready_to_scan().await;
    scan(&app, &ann, 1).await;
    repeat_newest_scan(&app).await;
    let found = drift(&ann).await;
    assert_eq!(found["scans"], 60);
    let confidence = &found["confidence"];
    // The stand-in is sure of everything, and the shipped model of the photographs that it was fitted on is not.
    assert_eq!(
        (&confidence["isAlert"], &confidence["isLower"]),
        (&json!(true), &json!(false)),
        "{confidence}"
    );
    assert!(confidence["distance"].as_f64().unwrap() > 0.5, "{confidence}");
    assert_eq!(confidence["now"].as_array().unwrap().len(), found["at"].as_array().unwrap().len());
    assert_eq!(found["embedding"], Value::Null, "there are no earlier scans");
    let bob = app.sign_up("bob").await;
    assert_eq!(drift(&bob).await["scans"], 0, "another account's scans do not count");

    let metrics = async || app.client().get("/metrics").await.expect_status(200).text.clone();
    assert!(!metrics().await.contains("partsight_drift"), "nobody has looked yet");
    app.use_cases.evaluations.look_for_drift().await.unwrap();
    let page = metrics().await;
    for line in ["partsight_drift_scans 60", "partsight_drift_alert{of=\"confidence\"} 1"] {
        assert!(page.lines().any(|found| found == line), "{line}\n{page}");
    }
    assert!(!page.contains("partsight_drift_alert{of=\"embedding\"}"), "{page}");
}

#[tokio::test]
async fn a_look_holds_for_an_hour_and_scans_count_for_seven_days() {
    let (app, ann) = TestApp::ready_to_scan().await;
    scan(&app, &ann, 1).await;
    assert_eq!(drift(&ann).await["scans"], 1);
    scan(&app, &ann, 2).await;
    app.advance(SignedDuration::from_mins(50));
    assert_eq!(drift(&ann).await["scans"], 1, "the look of before");
    app.advance(SignedDuration::from_mins(10));
    assert_eq!(drift(&ann).await["scans"], 2);
    app.advance(SignedDuration::from_hours(7 * 24));
    assert_eq!(drift(&ann).await["scans"], 0);
}

#[tokio::test]
async fn embeddings_are_compared_with_those_of_earlier_scans() {
    let (app, ann) = TestApp::ready_to_scan().await;
    scan(&app, &ann, 1).await;
    repeat_newest_scan(&app).await;
    app.advance(SignedDuration::from_hours(8 * 24));
    scan(&app, &ann, 1).await;
    let alone = drift(&ann).await;
    assert_eq!((&alone["scans"], &alone["embedding"]), (&json!(1), &Value::Null));
    repeat_newest_scan(&app).await;
    app.advance(SignedDuration::from_hours(1));
    let found = drift(&ann).await["embedding"].clone();
    assert_eq!((&found["scans"], &found["earlierScans"]), (&json!(60), &json!(60)), "{found}");
    assert_eq!(found["isAlert"], false, "the same picture: {found}");
}

#[tokio::test]
async fn members_who_do_not_manage_a_company_see_none() {
    let app = TestApp::with_stand_in(|settings| settings.server.plan = Some(Plan::Business)).await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    let company = ann.post("/api/company", &json!({ "name": "Lee's Garage" })).await.json();
    join(&ann, &format!("/api/company/{}", company["id"].as_str().unwrap()), &bob, "member").await;
    bob.get("/api/drift").await.problem(403, "forbidden");
    drift(&ann).await;
}
