//! What people say of answers: kept, changed and forgotten; what it teaches; and what it does to the confidence.

use jiff::SignedDuration;
use partsight_domain::Plan;
use reqwest::Method;
use reqwest::multipart::Form;
use serde_json::{Value, json};

use crate::client::{file, send};
use crate::fake_judge::{FakeJudge, Says};
use crate::judging::judge::unsure;
use crate::plans::company::{join, make, start, user_id};
use crate::{Client, Reply, TestApp, pictures};

async fn scanned(client: &Client, photo: &[u8]) -> Value {
    client.identify(photo).await.expect_status(200).json()
}

fn id(scan: &Value) -> String {
    scan["id"].as_str().unwrap().to_owned()
}

async fn say(client: &Client, id: &str, body: &Value) -> Reply {
    client.post(&format!("/api/scans/{id}/feedback"), body).await
}

async fn feedback_of(client: &Client, id: &str) -> Value {
    client.get(&format!("/api/scans/{id}")).await.expect_status(200).json()["feedback"].clone()
}

async fn let_scans_teach(client: &Client) {
    let choice = json!({ "confirmedScansTeach": true, "refitCalibration": true });
    client.put_json("/api/learning", &choice).await.expect_status(200);
}

async fn references(client: &Client, label: &str) -> Vec<Value> {
    let part = client.get(&format!("/api/catalog/types/{label}")).await.expect_status(200).json();
    part["references"].as_array().unwrap().clone()
}

#[tokio::test]
async fn feedback_is_shown_with_the_scan_until_it_is_changed_or_forgotten() {
    let (_app, client) = TestApp::ready_to_scan_on(Plan::Pro).await;
    let scan = scanned(&client, &pictures::blocks(1, 0)).await;
    let (id, named) = (id(&scan), scan["identification"]["label"].clone());
    assert_eq!(feedback_of(&client, &id).await, Value::Null);

    let right = say(&client, &id, &json!({ "answer": "right" })).await.expect_status(200).json();
    assert_eq!((&right["feedback"]["label"], &right["notTaught"]), (&named, &Value::Null));
    assert_eq!(feedback_of(&client, &id).await, right["feedback"]);

    let other = json!({ "answer": "other-part", "label": "brake-caliper" });
    let other = say(&client, &id, &other).await.expect_status(200).json();
    assert_eq!(other["feedback"]["name"], "Brake Caliper");
    assert_eq!(feedback_of(&client, &id).await, other["feedback"]);
    let table = client.get("/api/export/scans.csv").await.text;
    assert!(table.lines().next().unwrap().ends_with(",feedback,right_label,photos"), "{table}");
    assert!(table.contains(",other-part,brake-caliper,1"), "{table}");

    say(&client, &id, &json!({ "answer": "not-a-part" })).await.expect_status(200);
    let counts = client.get("/api/learning").await.expect_status(200).json()["feedback"].clone();
    assert_eq!(counts, json!({ "right": 0, "otherPart": 0, "notAPart": 1 }));
    client.delete(&format!("/api/scans/{id}/feedback")).await.expect_status(204);
    assert_eq!(feedback_of(&client, &id).await, Value::Null);
    client.delete(&format!("/api/scans/{id}/feedback")).await.expect_status(204);
}

#[tokio::test]
async fn feedback_that_makes_no_sense_says_what_to_do() {
    let app = TestApp::with_stand_in(|settings| settings.server.plan = Some(Plan::Pro)).await;
    let (ann, bob) = (app.sign_up_with_vehicle("ann").await, app.sign_up_with_vehicle("bob").await);
    let scan = scanned(&ann, &pictures::blocks(1, 0)).await;
    let (id, named) = (id(&scan), scan["identification"]["label"].clone());
    for body in [
        json!({ "answer": "other-part" }),
        json!({ "answer": "other-part", "label": "no-such-part" }),
        json!({ "answer": "other-part", "label": "No Part!" }),
        json!({ "answer": "right", "label": "rim" }),
        json!({ "answer": "not-a-part", "label": "rim" }),
    ] {
        let reply = say(&ann, &id, &body).await;
        reply.expect_status(422);
        assert_eq!(reply.json()["field"], "label", "{body}");
    }
    say(&ann, &id, &json!({ "answer": "perhaps" })).await.expect_status(422);
    // Another part that is the one that was named is the right one.
    let same = say(&ann, &id, &json!({ "answer": "other-part", "label": named })).await.json();
    assert_eq!(same["feedback"]["answer"], "right");
    say(&bob, &id, &json!({ "answer": "right" })).await.problem(404, "not-found");
    bob.delete(&format!("/api/scans/{id}/feedback")).await.problem(404, "not-found");
    assert_eq!(feedback_of(&ann, &id).await["answer"], "right");
}

#[tokio::test]
async fn a_confirmed_scan_teaches_only_where_that_is_wanted_and_the_checks_pass() {
    let (_app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    let scan = id(&scanned(&client, &pictures::golden("brake-rotor")).await);
    let right = json!({ "answer": "right" });
    let given = say(&client, &scan, &right).await.expect_status(200).json();
    assert_eq!(given["feedback"]["referenceId"], Value::Null);
    assert!(references(&client, "brake-rotor").await.is_empty());

    let_scans_teach(&client).await;
    let given = say(&client, &scan, &right).await.expect_status(200).json();
    let reference = given["feedback"]["referenceId"].as_str().unwrap().to_owned();
    assert_eq!(given["notTaught"], Value::Null);
    let kept = references(&client, "brake-rotor").await;
    assert_eq!(
        (kept.len(), &kept[0]["id"], &kept[0]["kind"]),
        (1, &json!(reference), &json!("confirmed-scan"))
    );
    let picture = client.get(&format!("/api/catalog/references/{reference}/thumbnail")).await;
    assert_eq!(picture.expect_status(200).header("content-type"), "image/jpeg");

    // The same again keeps it; the same photograph once more is a copy.
    assert_eq!(say(&client, &scan, &right).await.json()["feedback"]["referenceId"], json!(reference));
    let again = id(&scanned(&client, &pictures::golden("brake-rotor")).await);
    let copy = say(&client, &again, &right).await.expect_status(200).json();
    assert!(copy["notTaught"].as_str().unwrap().contains("has been taught already"), "{copy}");

    // A label that the model is sure is wrong is kept as feedback and taught nobody.
    let poison = json!({ "answer": "other-part", "label": "spark-plug" });
    let given = say(&client, &scan, &poison).await.expect_status(200).json();
    assert!(given["notTaught"].as_str().unwrap().contains("looks more like Brake Rotor"), "{given}");
    assert_eq!(feedback_of(&client, &scan).await["label"], "spark-plug");
    assert!(references(&client, "spark-plug").await.is_empty());
    // What was taught before it was changed is taken back.
    assert!(references(&client, "brake-rotor").await.is_empty());

    // Said four times at once, as by impatient clicks, it teaches once.
    let once = || say(&client, &scan, &right);
    let replies = tokio::join!(once(), once(), once(), once());
    for reply in [replies.0, replies.1, replies.2, replies.3] {
        reply.expect_status(200);
    }
    assert_eq!(references(&client, "brake-rotor").await.len(), 1);
    client.delete(&format!("/api/scans/{scan}/feedback")).await.expect_status(204);
    assert!(references(&client, "brake-rotor").await.is_empty());
}

#[tokio::test]
async fn a_scan_can_be_corrected_to_a_part_of_ones_own() {
    let (_app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    let form = Form::new()
        .part("image", file(&pictures::blocks(3, 0), "image/jpeg"))
        .text("name", "EGR valve 47")
        .text("category", "engine");
    send(client.request(Method::POST, "/api/catalog/types").multipart(form)).await.expect_status(201);
    let scan = id(&scanned(&client, &pictures::golden("coil-spring")).await);
    let given = json!({ "answer": "other-part", "label": "egr-valve-47" });
    let given = say(&client, &scan, &given).await.expect_status(200).json();
    assert_eq!(given["feedback"]["name"], "EGR valve 47");
}

#[tokio::test]
async fn the_confidence_follows_feedback_where_that_makes_it_better_and_can_be_put_back() {
    let app = TestApp::leaning(["brake-rotor", "spark-plug"]).await;
    let client = app.sign_up_with_vehicle("ann").await;
    app.execute("UPDATE app_user SET plan = 'pro'").await;
    let refit = async || {
        let reply = client.post("/api/learning/calibration", &json!({})).await;
        reply.expect_status(200).json()["calibration"].clone()
    };
    // The stand-in is sure at 80%; here every third of its answers is wrong.
    let mut named = Value::Null;
    for index in 0..50_u32 {
        let scan = scanned(&client, &pictures::blocks(index, 0)).await;
        named = scan["identification"]["label"].clone();
        assert_eq!(scan["receipt"]["feedbackTemperature"], Value::Null);
        let body = if index % 3 == 0 {
            json!({ "answer": "other-part", "label": scan["alternatives"][0]["label"] })
        } else {
            json!({ "answer": "right" })
        };
        if index == 49 {
            let too_few = refit().await;
            assert_eq!((&too_few["outcome"], &too_few["n"]), (&json!("too-few"), &json!(49)));
            app.advance(SignedDuration::from_secs(1));
        }
        say(&client, &id(&scan), &body).await.expect_status(200);
    }
    assert_eq!(app.use_cases.teaching.refit_calibrations().await.unwrap(), 1);
    let learning = client.get("/api/learning").await.json();
    let fitted = &learning["calibration"];
    assert_eq!((&fitted["outcome"], &fitted["n"]), (&json!("changed"), &json!(50)));
    let temperature = fitted["temperature"].as_f64().unwrap();
    assert!(temperature > 1.0, "{fitted}");
    for figure in ["logLoss", "ece"] {
        let (before, after) = (fitted["before"][figure].as_f64(), fitted["after"][figure].as_f64());
        assert!(after < before, "{figure}: {fitted}");
    }
    // Nothing new was said: nothing is fitted again.
    assert_eq!(app.use_cases.teaching.refit_calibrations().await.unwrap(), 0);
    let scan = scanned(&client, &pictures::blocks(60, 0)).await;
    assert_eq!(scan["receipt"]["feedbackTemperature"], json!(temperature));
    assert_eq!(scan["identification"]["label"], named);
    assert!(scan["identification"]["confidence"].as_f64().unwrap() < 0.7);

    let undone = client.delete("/api/learning/calibration").await.expect_status(200).json();
    assert_eq!((&undone["calibration"], &undone["refitCalibration"]), (&Value::Null, &json!(false)));
    let scan = scanned(&client, &pictures::blocks(61, 0)).await;
    assert_eq!(scan["receipt"]["feedbackTemperature"], Value::Null);
    say(&client, &id(&scan), &json!({ "answer": "right" })).await.expect_status(200);
    assert_eq!(app.use_cases.teaching.refit_calibrations().await.unwrap(), 0);
    // By hand it still can be.
    assert_eq!(refit().await["outcome"], "changed");
    let bob = app.sign_up_with_vehicle("bob").await;
    assert_eq!(bob.get("/api/learning").await.json()["calibration"], Value::Null);
}

#[tokio::test]
async fn feedback_that_only_says_right_does_not_make_answers_surer() {
    let app = TestApp::leaning(["brake-rotor", "spark-plug"]).await;
    let client = app.sign_up_with_vehicle("ann").await;
    app.execute("UPDATE app_user SET plan = 'pro'").await;
    for index in 0..50_u32 {
        let scan = scanned(&client, &pictures::blocks(index, 0)).await;
        say(&client, &id(&scan), &json!({ "answer": "right" })).await.expect_status(200);
    }
    let learning = client.post("/api/learning/calibration", &json!({})).await.expect_status(200).json();
    let fitted = &learning["calibration"];
    assert_eq!(
        [&fitted["outcome"], &fitted["doubt"], &fitted["temperature"], &fitted["after"]],
        [&json!("kept"), &json!("too-few-wrong"), &Value::Null, &Value::Null]
    );
    let scan = scanned(&client, &pictures::blocks(60, 0)).await;
    assert_eq!(scan["receipt"]["feedbackTemperature"], Value::Null);
}

#[tokio::test]
async fn what_the_judge_said_is_not_said_again_once_it_was_wrong() {
    let fake = FakeJudge::saying(Says::Candidate(1)).await;
    let (_app, client) = unsure(&fake, |_| {}).await;
    let first = scanned(&client, &pictures::blocks(1, 0)).await;
    assert_eq!(first["receipt"]["verdictPath"], "llm");
    say(&client, &id(&first), &json!({ "answer": "right" })).await.expect_status(200);
    assert_eq!(scanned(&client, &pictures::blocks(1, 1)).await["receipt"]["verdictPath"], "reused");
    say(&client, &id(&first), &json!({ "answer": "not-a-part" })).await.expect_status(200);
    assert_eq!(scanned(&client, &pictures::blocks(1, 2)).await["receipt"]["verdictPath"], "llm");
    // Clearing the history forgets the rest.
    client.delete("/api/scans").await.expect_status(204);
    assert_eq!(scanned(&client, &pictures::blocks(1, 3)).await["receipt"]["verdictPath"], "llm");
}

#[tokio::test]
async fn what_was_given_for_a_company_stays_there_when_its_author_leaves() {
    let (app, ann) = start().await;
    let company = make(&ann).await;
    let bob = app.sign_up_with_vehicle("bob").await;
    join(&ann, &company, &bob, "manager").await;
    let scan = id(&scanned(&bob, &pictures::blocks(1, 0)).await);
    let (right, good) = (json!({ "answer": "right" }), json!({ "grade": "A", "damage": [], "note": "" }));
    let grade = format!("/api/scans/{scan}/grade");
    // As long as they are in it, they can change both.
    for _ in 0..2 {
        say(&bob, &scan, &right).await.expect_status(200);
        bob.put_json(&grade, &good).await.expect_status(200);
    }
    ann.delete(&format!("{company}/members/{}", user_id(&bob).await)).await.expect_status(204);

    let teaching = json!({ "label": "rim", "scans": [scan] });
    let refused = [
        say(&bob, &scan, &json!({ "answer": "not-a-part" })).await.problem(403, "forbidden"),
        bob.delete(&format!("/api/scans/{scan}/feedback")).await.problem(403, "forbidden"),
        bob.put_json(&grade, &good).await.problem(403, "forbidden"),
        bob.delete(&grade).await.problem(403, "forbidden"),
        bob.post("/api/catalog/types/from-scans", &teaching).await.problem(422, "invalid"),
    ];
    for sentence in refused {
        assert!(sentence.contains("company"), "{sentence}");
    }
    assert_eq!(feedback_of(&bob, &scan).await["answer"], "right");
    // What they say of other scans is theirs.
    let scan = id(&scanned(&bob, &pictures::blocks(2, 0)).await);
    say(&bob, &scan, &right).await.expect_status(200);
    say(&bob, &scan, &json!({ "answer": "not-a-part" })).await.expect_status(200);
}
