//! The condition of parts, by the scale of a shop.

use partsight_domain::{PhotoKeeping, Plan};
use reqwest::Method;
use serde_json::{Value, json};

use super::groups::{answered, ids};
use super::jobs::{items, new_batch, photos, ready, start, upload, work};
use crate::plans::company::make;
use crate::{TestApp, pictures};

#[tokio::test]
async fn parts_are_graded_by_the_scale_of_the_shop_and_counted() {
    let (app, ann) = ready().await;
    let id = answered(&app, &ann, &["a", "b"]).await;
    let all = items(&ann, &id, "").await;
    let path = format!("/api/scans/{}/grade", all[0]["scan"]["id"].as_str().unwrap());
    let scale = ann.get("/api/grades/scale").await.expect_status(200).json();
    assert_eq!(scale["grades"][0], "A");
    let scale = json!({ "grades": ["Good", "Core"] });
    ann.put_json("/api/grades/scale", &scale).await.expect_status(200);
    ann.put_json("/api/grades/scale", &json!({ "grades": [] })).await.problem(422, "invalid");
    ann.put_json(&path, &json!({ "grade": "A" })).await.problem(422, "invalid");
    let bare = json!({ "grade": "Core", "damage": null, "note": null });
    let bare = ann.put_json(&path, &bare).await.expect_status(200).json();
    assert_eq!((&bare["damage"], &bare["note"]), (&json!([]), &json!("")));
    let grade = json!({ "grade": "Core", "damage": ["Bent"], "note": "One ear is off." });
    ann.put_json(&path, &grade).await.expect_status(200);
    let listed = items(&ann, &id, "").await;
    assert_eq!((&listed[0]["grade"]["grade"], &listed[1]["grade"]), (&json!("Core"), &Value::Null));
    let table = ann.get(&format!("/api/batches/{id}/results")).await.text;
    assert!(table.contains(",Core,Bent,One ear is off."), "{table}");
    let today = ann.get("/api/grades/totals?from=2020-01-01&to=2020-12-31").await.expect_status(200).json();
    assert_eq!(today, json!([]));
    let day = listed[0]["grade"]["gradedAt"].as_str().unwrap()[..10].to_owned();
    let totals = ann.get(&format!("/api/grades/totals?from={day}&to={day}")).await.expect_status(200).json();
    assert_eq!(
        (&totals[0]["day"], &totals[0]["grade"], &totals[0]["count"]),
        (&json!(day), &json!("Core"), &json!(1))
    );
    // Two photographs of one item are one part.
    let second = format!("/api/scans/{}/grade", all[1]["scan"]["id"].as_str().unwrap());
    ann.put_json(&second, &grade).await.expect_status(200);
    let count = async || {
        let totals = ann.get(&format!("/api/grades/totals?from={day}&to={day}")).await.json();
        totals.as_array().unwrap().iter().map(|row| row["count"].as_u64().unwrap()).sum::<u64>()
    };
    assert_eq!(count().await, 2);
    let both = json!({ "items": ids(&all) });
    ann.post(&format!("/api/batches/{id}/groups"), &both).await.expect_status(204);
    assert_eq!(count().await, 1);
    let totals = ann.get(&format!("/api/grades/totals?from={day}&to={day}")).await.json();
    assert!(totals[0]["personId"].is_string(), "{totals}");
    // They are the shop's, and stay its when it becomes a company.
    make(&ann).await;
    let of_company = ann.get(&format!("/api/grades/totals?from={day}&to={day}")).await.json();
    assert_eq!(of_company, totals);
    for wrong in ["from=x&to=2020-01-01", "from=2020-01-02&to=2020-01-01", "from=2020-01-01&to=2022-01-01"] {
        ann.get(&format!("/api/grades/totals?{wrong}")).await.problem(422, "invalid");
    }
    for offset in [-1560, 1560] {
        let wrong = format!("/api/grades/totals?from={day}&to={day}&utcOffset={offset}");
        ann.get(&wrong).await.invalid("utcOffset");
    }
    let bob = app.sign_up("bob").await;
    bob.put_json(&path, &grade).await.problem(404, "not-found");
    bob.delete(&path).await.problem(404, "not-found");
    ann.delete(&path).await.expect_status(204);
    assert_eq!(items(&ann, &id, "").await[0]["grade"], Value::Null);
}

#[tokio::test]
async fn a_grade_that_left_the_scale_can_be_kept_and_brought_back() {
    let (app, ann) = ready().await;
    let id = answered(&app, &ann, &["a"]).await;
    let path = format!("/api/scans/{}/grade", items(&ann, &id, "").await[0]["scan"]["id"].as_str().unwrap());
    let give =
        async |grade: &str| ann.put_json(&path, &json!({ "grade": grade, "note": "One ear is off." })).await;
    give("Core").await.expect_status(200);
    ann.put_json("/api/grades/scale", &json!({ "grades": ["A", "B"] })).await.expect_status(200);
    // Only the note is another one.
    give("Core").await.expect_status(200);
    give("B").await.expect_status(200);
    give("Scrap").await.problem(422, "invalid");
    // What somebody undoes.
    give("Core").await.expect_status(200);
    give("A").await.expect_status(200);
    give("B").await.expect_status(200);
    give("Core").await.problem(422, "invalid");
}

#[tokio::test]
async fn the_grade_of_an_item_is_that_of_its_first_graded_photograph() {
    let (app, ann) = ready().await;
    let id = new_batch(&ann).await;
    let files =
        [("broken", b"GIF89a".to_vec()), ("a", pictures::blocks(1, 0)), ("b", pictures::blocks(2, 0))];
    upload(&ann, &id, photos(&files)).await.expect_status(200);
    start(&ann, &id).await.expect_status(200);
    work(&app).await;
    let all = items(&ann, &id, "").await;
    let both = json!({ "items": ids(&all) });
    ann.post(&format!("/api/batches/{id}/groups"), &both).await.expect_status(204);
    for (item, grade) in all[1..].iter().zip(["B", "C"]) {
        let path = format!("/api/scans/{}/grade", item["scan"]["id"].as_str().unwrap());
        ann.put_json(&path, &json!({ "grade": grade, "damage": ["Bent"] })).await.expect_status(200);
    }
    let listed = items(&ann, &id, "?grouped=true").await;
    assert_eq!((&listed[0]["key"], &listed[0]["grade"]["grade"]), (&json!("broken"), &json!("B")));
    assert_eq!(listed[0]["grade"]["damage"], json!(["Bent"]));
    // A photograph by itself has its own.
    let alone: Vec<Value> =
        items(&ann, &id, "").await.iter().map(|item| item["grade"]["grade"].clone()).collect();
    assert_eq!(alone, [Value::Null, json!("B"), json!("C")]);
}

#[tokio::test]
async fn a_photograph_that_is_kept_whole_is_named_with_its_answer() {
    for (keep, is_whole) in [(PhotoKeeping::Full, true), (PhotoKeeping::Thumbnail, false)] {
        let app = TestApp::with_stand_in(|settings| {
            settings.server.plan = Some(Plan::Business);
            settings.data.keep_photos = keep;
        })
        .await;
        let ann = app.sign_up("ann").await;
        let id = answered(&app, &ann, &["a"]).await;
        let scan = items(&ann, &id, "").await[0]["scan"].clone();
        assert!(scan["thumbnailUrl"].is_string(), "{scan}");
        let path = format!("/api/scans/{}/photo", scan["id"].as_str().unwrap());
        if is_whole {
            assert_eq!(scan["photoUrl"], path);
            let photo = ann.request(Method::GET, &path).send().await.unwrap();
            assert_eq!(photo.bytes().await.unwrap(), pictures::blocks(1, 0));
        } else {
            assert_eq!(scan["photoUrl"], Value::Null);
            ann.get(&path).await.problem(404, "not-found");
        }
    }
}
