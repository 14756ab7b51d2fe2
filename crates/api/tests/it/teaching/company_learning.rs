//! What a company learns from the feedback of its members, and what stays theirs.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::plans::company::{join, make, start, user_id};
use crate::teaching::taught_parts::{checks, new_type, teach};
use crate::{Client, TestApp, pictures};

async fn learning(client: &Client) -> Value {
    client.get("/api/learning").await.expect_status(200).json()
}

async fn choose(client: &Client, teach: bool, refit: bool) {
    let choice = json!({ "confirmedScansTeach": teach, "refitCalibration": refit });
    client.put_json("/api/learning", &choice).await.expect_status(200);
}

async fn scanned(client: &Client, photo: &[u8]) -> Value {
    client.identify(photo).await.expect_status(200).json()
}

async fn say(client: &Client, scan: &Value, body: &Value) -> Value {
    let path = format!("/api/scans/{}/feedback", scan["id"].as_str().unwrap());
    client.post(&path, body).await.expect_status(200).json()
}

#[tokio::test]
async fn the_choice_is_that_of_the_company_and_a_members_own_comes_back() {
    let (app, ann) = start().await;
    let (bob, carol) = (app.sign_up("bob").await, app.sign_up("carol").await);
    // What the owner had chosen goes along; what a member had chosen waits.
    choose(&ann, false, false).await;
    choose(&bob, true, true).await;
    let company = make(&ann).await;
    join(&ann, &company, &bob, "member").await;
    join(&ann, &company, &carol, "manager").await;
    for (client, may_change) in [(&ann, true), (&bob, false), (&carol, true)] {
        let seen = learning(client).await;
        let choice = [&seen["confirmedScansTeach"], &seen["refitCalibration"], &seen["mayChange"]];
        assert_eq!(choice, [&json!(false), &json!(false), &json!(may_change)]);
    }
    let choice = json!({ "confirmedScansTeach": true, "refitCalibration": true });
    bob.put_json("/api/learning", &choice).await.problem(403, "forbidden");
    bob.post("/api/learning/calibration", &json!({})).await.problem(403, "forbidden");
    bob.delete("/api/learning/calibration").await.problem(403, "forbidden");
    choose(&carol, false, true).await;
    assert_eq!(learning(&bob).await["refitCalibration"], true);

    let member = user_id(&bob).await;
    ann.delete(&format!("{company}/members/{member}")).await.expect_status(204);
    let own = learning(&bob).await;
    let own = [&own["confirmedScansTeach"], &own["refitCalibration"], &own["mayChange"]];
    assert_eq!(own, [&json!(true); 3]);
    assert_eq!(learning(&ann).await["confirmedScansTeach"], false);
}

#[tokio::test]
async fn the_confidence_of_a_company_is_fitted_to_what_all_its_members_say() {
    let app = TestApp::leaning(["brake-rotor", "spark-plug"]).await;
    let ann = app.sign_up_with_vehicle("ann").await;
    app.execute("UPDATE app_user SET plan = 'business' WHERE email = 'ann@example.com'").await;
    let bob = app.sign_up_with_vehicle("bob").await;
    // What was said before is the author's own.
    let before = scanned(&bob, &pictures::blocks(200, 0)).await;
    say(&bob, &before, &json!({ "answer": "right" })).await;
    let company = make(&ann).await;
    join(&ann, &company, &bob, "member").await;
    for index in 0..50_u32 {
        let client = if index % 2 == 0 { &ann } else { &bob };
        let scan = scanned(client, &pictures::blocks(index, 0)).await;
        // The stand-in is sure at 80%; here every third of its answers is wrong.
        let body = if index % 3 == 0 {
            json!({ "answer": "other-part", "label": scan["alternatives"][0]["label"] })
        } else {
            json!({ "answer": "right" })
        };
        say(client, &scan, &body).await;
    }
    let counted = learning(&bob).await["feedback"].clone();
    assert_eq!(counted, json!({ "right": 33, "otherPart": 17, "notAPart": 0 }));
    // One for the company, one for what bob had said alone.
    app.advance(SignedDuration::from_secs(1));
    assert_eq!(app.use_cases.teaching.refit_calibrations().await.unwrap(), 1);
    let fitted = learning(&bob).await["calibration"].clone();
    assert_eq!((&fitted["outcome"], &fitted["n"]), (&json!("changed"), &json!(50)));
    assert!(fitted["temperature"].as_f64().unwrap() > 1.0, "{fitted}");
    for client in [&ann, &bob] {
        let scan = scanned(client, &pictures::blocks(60, 0)).await;
        assert_eq!(scan["receipt"]["feedbackTemperature"], fitted["temperature"]);
    }

    // Alone, bob has scanned more than Basic allows.
    app.execute("UPDATE app_user SET plan = 'pro' WHERE email = 'bob@example.com'").await;
    let member = user_id(&bob).await;
    ann.delete(&format!("{company}/members/{member}")).await.expect_status(204);
    let own = learning(&bob).await;
    assert_eq!((&own["feedback"]["right"], &own["calibration"]["temperature"]), (&json!(1), &Value::Null));
    let scan = scanned(&bob, &pictures::blocks(61, 0)).await;
    assert_eq!(scan["receipt"]["feedbackTemperature"], Value::Null);
    assert_eq!(learning(&ann).await["feedback"], counted, "what bob said there stays the company's");
    assert_eq!(learning(&ann).await["calibration"]["temperature"], fitted["temperature"]);
}

#[tokio::test]
async fn a_confirmed_scan_of_a_member_teaches_the_company_where_it_wants_that() {
    let app = TestApp::with_settings(|_| {}).await;
    let (ann, bob) = (app.sign_up_with_vehicle("ann").await, app.sign_up_with_vehicle("bob").await);
    app.execute("UPDATE app_user SET plan = 'business' WHERE email = 'ann@example.com'").await;
    teach(&bob, new_type("Checked flag 3", &[checks(0), checks(13)])).await.expect_status(201);
    choose(&bob, true, true).await;
    let company = make(&ann).await;
    join(&ann, &company, &bob, "member").await;
    let right = json!({ "answer": "right" });
    let references = async |client: &Client, label: &str| {
        let part = client.get(&format!("/api/catalog/types/{label}")).await.expect_status(200).json();
        part["references"].as_array().unwrap().clone()
    };

    // The company does not want it, whatever its member chose for themselves.
    let scan = scanned(&bob, &pictures::golden("brake-rotor")).await;
    assert_eq!(say(&bob, &scan, &right).await["feedback"]["referenceId"], Value::Null);
    choose(&ann, true, true).await;
    let reference = say(&bob, &scan, &right).await["feedback"]["referenceId"].clone();
    for (client, is_own) in [(&ann, true), (&bob, false)] {
        let kept = references(client, "brake-rotor").await;
        assert_eq!((&kept[0]["id"], &kept[0]["isOwn"]), (&reference, &json!(is_own)));
    }
    // Of a part type that the member alone knows, the company does not hear.
    let flag = scanned(&bob, &checks(7)).await;
    assert_eq!(flag["identification"]["label"], "checked-flag-3");
    assert_ne!(say(&bob, &flag, &right).await["feedback"]["referenceId"], Value::Null);
    assert_eq!(references(&bob, "checked-flag-3").await[2]["isOwn"], true);
    ann.get("/api/catalog/types/checked-flag-3").await.problem(404, "not-found");

    // Whoever said it can take it back.
    let path = format!("/api/scans/{}/feedback", scan["id"].as_str().unwrap());
    bob.delete(&path).await.expect_status(204);
    assert!(references(&ann, "brake-rotor").await.is_empty());
}

#[tokio::test]
async fn a_scan_stays_when_its_company_is_left_or_goes_and_keeps_the_name_of_its_part() {
    let app = TestApp::with_settings(|_| {}).await;
    let (ann, bob) = (app.sign_up_with_vehicle("ann").await, app.sign_up_with_vehicle("bob").await);
    app.execute("UPDATE app_user SET plan = 'business' WHERE email = 'ann@example.com'").await;
    let company = make(&ann).await;
    join(&ann, &company, &bob, "member").await;
    teach(&ann, new_type("Checked flag 3", &[checks(0), checks(13)])).await.expect_status(201);
    for client in [&ann, &bob] {
        let flag = scanned(client, &checks(7)).await;
        assert_eq!(flag["identification"]["label"], "checked-flag-3");
    }
    // The names and the categories that each way to the only scan says.
    let shown = async |client: &Client| {
        let list = client.get("/api/scans").await.expect_status(200).json()["scans"].clone();
        let recent = client.get("/api/scans/recent").await.expect_status(200).json();
        let scan = client.get(&format!("/api/scans/{}", list[0]["id"].as_str().unwrap())).await;
        let said = |scan: &Value| [scan["part"]["name"].clone(), scan["part"]["category"].clone()];
        let all = [said(&list[0]), said(&recent[0]), said(&scan.expect_status(200).json())];
        assert_eq!((&all[0], &all[1]), (&all[1], &all[2]));
        let table = client.get("/api/export/scans.csv").await;
        let table = &table.expect_status(200).text;
        assert!(table.contains(all[0][0].as_str().unwrap()), "{table}");
        all[0].clone()
    };
    let before = shown(&bob).await;
    assert_eq!(before[0], "Checked flag 3");
    let member = user_id(&bob).await;
    bob.delete(&format!("{company}/members/{member}")).await.expect_status(204);
    assert_eq!(shown(&bob).await, before);
    assert_eq!(bob.get("/api/catalog/types").await.json(), json!([]), "nothing to scan by");
    ann.delete(&company).await.expect_status(200);
    assert_eq!(shown(&ann).await, before);

    // One whose company went before names were kept: the scan is there, under the label.
    app.execute("DELETE FROM taught_part_type").await;
    assert_eq!(shown(&bob).await, [json!("checked-flag-3"), Value::Null]);
}
