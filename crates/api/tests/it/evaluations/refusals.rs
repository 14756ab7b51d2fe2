//! Photographs that are not measured, each with a sentence that says why.

use std::fs;

use partsight_domain::{Plan, messages};
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::json;

use super::jobs::{evaluate, send_zip, work};
use crate::batches::zips::zip_of;
use crate::client::send;
use crate::{TestApp, pictures};

#[tokio::test]
async fn photographs_without_labels_and_hostile_zips_are_refused_whole() {
    let (_app, ann) = TestApp::stand_in_with_ann_on(Plan::Business).await;
    let photo = ("rim/a.png", pictures::plain());
    let whole = zip_of(std::slice::from_ref(&photo));
    let list = |text: &str| [photo.clone(), ("list.csv", text.as_bytes().to_vec())];
    let cases = [
        (zip_of(&[photo.clone(), ("../b.jpg", vec![1])]), "`../b.jpg`"),
        (zip_of(&[photo.clone(), ("more.zip", vec![1])]), "`more.zip`"),
        (zip_of(&[photo.clone(), ("bomb.bmp", vec![0; 3_000_000])]), "`bomb.bmp`"),
        (whole[..whole.len() - 30].to_vec(), "cut off"),
        (zip_of(&[("notes.txt", vec![1])]), "no photos"),
        (zip_of(&[("a.png", pictures::plain())]), "one folder for each type"),
        (zip_of(&list("path,name\nrim/a.png,rim\n")), "there is no column `label`"),
        (zip_of(&list("path,label\n/etc/hostname,rim\n")), "does not lie in its folder"),
        (zip_of(&list("path,label\n../../a.png,rim\n")), "does not lie in its folder"),
        (zip_of(&list("path,label\nb.png,rim\n")), "None of the photos"),
        (zip_of(&[photo.clone(), ("a.csv", vec![1]), ("b.csv", vec![1])]), "several CSV files"),
    ];
    let mut wrong = Vec::new();
    for (zip, expected) in cases {
        let reply = send_zip(&ann, zip).await;
        if reply.status != 422 || !reply.text.contains(expected) || reply.text.contains("/tmp") {
            wrong.push(format!("{expected}: {} {}", reply.status, reply.text));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let form = Form::new().part("zip", Part::bytes(whole)).text("title", "June");
    let refused = send(ann.request(Method::POST, "/api/evaluations").multipart(form)).await;
    let sentence = refused.problem(422, "invalid");
    assert_eq!(sentence, "The form has no field `title`. Please leave it out.");
    assert_eq!(ann.get("/api/evaluations").await.json(), json!([]), "nothing of them is kept");
}

#[tokio::test]
async fn a_plan_that_counts_scans_has_no_evaluation_and_keeps_those_that_exist() {
    let (app, ann) = TestApp::stand_in_with_ann().await;
    let files = [("rim/1.jpg", pictures::blocks(1, 0))];
    app.execute("UPDATE app_user SET plan = 'pro'").await;
    let made = evaluate(&ann, &files).await.expect_status(201).json();
    work(&app).await;

    app.execute("UPDATE app_user SET plan = 'basic'").await;
    let sentence = evaluate(&ann, &files).await.problem(403, "forbidden");
    assert_eq!(sentence, messages::EVALUATION_PLAN_NEEDED);
    let of_folder = ann.post("/api/evaluations/folder", &json!({ "path": "" })).await;
    assert_eq!(of_folder.problem(403, "forbidden"), messages::EVALUATION_PLAN_NEEDED);
    let path = format!("/api/evaluations/{}", made["id"].as_str().unwrap());
    assert_eq!(ann.get(&path).await.expect_status(200).json()["state"], "done");
    ann.get(&format!("{path}/files/photos.csv")).await.expect_status(200);
}

#[tokio::test]
async fn a_folder_of_the_server_is_measured_where_a_setting_opens_one() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("june/rim")).unwrap();
    fs::write(folder.path().join("june/rim/a.jpg"), pictures::blocks(1, 0)).unwrap();
    fs::write(folder.path().join("loose.jpg"), pictures::blocks(2, 0)).unwrap();
    let app = TestApp::with_stand_in(|settings| {
        settings.server.plan = Some(Plan::Business);
        settings.model.batch_dir = Some(folder.path().to_owned());
    })
    .await;
    let ann = app.sign_up("ann").await;
    fs::create_dir(folder.path().join("empty")).unwrap();
    for (path, expected) in [
        ("..", messages::EVALUATION_FOLDER_MISSING),
        ("july", messages::EVALUATION_FOLDER_MISSING),
        ("empty", messages::EVALUATION_FOLDER_EMPTY),
    ] {
        let refused = ann.post("/api/evaluations/folder", &json!({ "path": path })).await;
        assert_eq!(refused.problem(422, "invalid"), expected, "{path}");
    }
    let made = ann.post("/api/evaluations/folder", &json!({ "path": "june" })).await;
    let made = made.expect_status(201).json();
    assert_eq!((&made["name"], &made["photos"]), (&json!("june"), &json!(1)));
    work(&app).await;
    let path = format!("/api/evaluations/{}", made["id"].as_str().unwrap());
    let done = ann.get(&path).await.json();
    assert_eq!((&done["state"], &done["known"]), (&json!("done"), &json!(1)), "{done}");
}
