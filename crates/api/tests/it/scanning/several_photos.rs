//! Several photographs of one part in one scan.

use partsight_domain::{PhotoKeeping, Plan};
use reqwest::multipart::Form;
use serde_json::{Value, json};

use crate::client::file;
use crate::fake_judge::{FakeJudge, Says};
use crate::judging::judge::unsure;
use crate::{Client, Reply, TestApp, pictures};

/// A form with these photographs, in this order.
pub(crate) fn form_of(photos: &[Vec<u8>]) -> Form {
    photos.iter().fold(Form::new(), |form, photo| form.part("image", file(photo, "image/jpeg")))
}

async fn identify_all(client: &Client, photos: &[Vec<u8>]) -> Reply {
    client.identify_form(form_of(photos)).await
}

fn near(value: &Value, expected: &Value) -> bool {
    (value.as_f64().unwrap() - expected.as_f64().unwrap()).abs() < 1e-4
}

#[tokio::test]
async fn several_photos_make_one_answer_one_scan_and_one_entry_of_the_history() {
    let (_app, client, _) = TestApp::with_vehicle().await;
    let one = client.identify(&pictures::golden("rim")).await.expect_status(200).json();
    let photos = [pictures::golden("rim"), pictures::golden("meadow"), pictures::golden("rim")];
    let answer = identify_all(&client, &photos).await.expect_status(200).json();

    assert_eq!((&answer["photoCount"], &one["photoCount"]), (&json!(3), &json!(1)));
    assert_eq!(one["photos"], json!([]));
    let found = &answer["identification"];
    assert_eq!((&found["label"], &answer["verdict"]), (&json!("rim"), &one["verdict"]));
    // The meadow hardly counts, so the two copies say what the one says.
    assert!(
        (found["confidence"].as_f64().unwrap() - one["identification"]["confidence"].as_f64().unwrap()).abs()
            < 0.05,
        "{found}"
    );
    let parts = answer["photos"].as_array().unwrap();
    assert_eq!(parts.iter().map(|photo| &photo["isLead"]).collect::<Vec<_>>(), [true, false, false]);
    for index in [0, 2] {
        assert_eq!((&parts[index]["label"], &parts[index]["name"]), (&json!("rim"), &found["partName"]));
        assert!(near(&parts[index]["confidence"], &one["identification"]["confidence"]), "{parts:?}");
    }
    let weight = |index: usize| parts[index]["weight"].as_f64().unwrap();
    assert!(weight(1) < 0.2 && (weight(0) + weight(1) + weight(2) - 1.0).abs() < 1e-4, "{parts:?}");

    assert_eq!(client.used().await, 2);
    let id = answer["id"].as_str().unwrap();
    let kept = client.get(&format!("/api/scans/{id}")).await.expect_status(200).json();
    assert_eq!((&kept["photoCount"], &kept["photos"]), (&answer["photoCount"], &answer["photos"]));
    assert_eq!(client.get("/api/scans/recent").await.json()[0], kept);
    let table = client.get("/api/export/scans.csv").await.text;
    assert!(table.lines().nth(1).unwrap().ends_with(",3"), "{table}");
    let export = client.get("/api/auth/user/export").await.expect_status(200).json();
    assert_eq!(export["scans"][0]["photoCount"], 3);
    let metrics = client.get("/metrics").await.text;
    assert!(metrics.contains("partsight_scan_photographs_total 4"), "{metrics}");
}

#[tokio::test]
async fn copies_of_a_photo_are_answered_as_the_photo_is() {
    let (_app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    let one = client.identify(&pictures::golden("coil-spring")).await.expect_status(200).json();
    let five = vec![pictures::golden("coil-spring"); 5];
    let all = identify_all(&client, &five).await.expect_status(200).json();
    for field in ["confidence", "knownScore"] {
        assert!(near(&all["identification"][field], &one["identification"][field]), "{field}: {all}");
    }
    assert_eq!(all["verdict"], one["verdict"]);
    assert_eq!(client.used().await, 2);
}

#[tokio::test]
async fn photos_that_all_show_no_part_are_not_identified_and_use_no_scan() {
    let (_app, client, _) = TestApp::with_vehicle().await;
    let reply = identify_all(&client, &vec![pictures::golden("meadow"); 2]).await;
    reply.problem(422, "not-identified");
    assert_eq!(client.used().await, 0);
}

#[tokio::test]
async fn the_photo_that_shows_the_answer_best_stands_for_the_scan() {
    let app = TestApp::with_settings(|settings| settings.data.keep_photos = PhotoKeeping::Full).await;
    let client = app.sign_up_with_vehicle("ann").await;
    let photos = [pictures::golden("meadow"), pictures::golden("rim")];
    let answer = identify_all(&client, &photos).await.expect_status(200).json();
    assert_eq!(answer["photos"][1]["isLead"], true, "{answer}");
    let reply = client.get(&format!("/api/scans/{}/photo", answer["id"].as_str().unwrap())).await;
    assert_eq!(reply.expect_status(200).header("content-length"), photos[1].len().to_string());
}

#[tokio::test]
async fn six_photos_are_refused_with_the_limit() {
    let (app, client) = TestApp::ready_to_scan().await;
    let reply = identify_all(&client, &vec![pictures::plain(); 6]).await;
    let expected = "A scan takes at most 5 photos of one part. Please choose the best ones.";
    assert_eq!(reply.invalid("image"), expected);
    assert_eq!((app.gate().images(), client.used().await), (0, 0));
    identify_all(&client, &vec![pictures::plain(); 5]).await.expect_status(200);
    assert_eq!((app.gate().images(), client.used().await), (5, 1));
}

#[tokio::test]
async fn a_refusal_names_the_photo_that_it_is_about() {
    let app = TestApp::with_stand_in(|settings| settings.photos.max_bytes = 3000).await;
    let client = app.sign_up_with_vehicle("ann").await;
    let (plain, broken, large) = (pictures::plain(), b"GIF89a".to_vec(), vec![7; 3001]);
    let cases: [(&[Vec<u8>], u16, &str, &str); 5] = [
        (
            &[plain.clone(), Vec::new()],
            422,
            "invalid",
            "Photo 2 of 2: The photo is empty (0 bytes): send the whole file.",
        ),
        (
            &[plain.clone(), b"a letter".to_vec(), plain.clone()],
            415,
            "unsupported-media-type",
            "Photo 2 of 3: This is not a photo: send a JPEG, PNG, WebP, HEIC, GIF, BMP or TIFF file.",
        ),
        (&[broken.clone(), plain.clone()], 422, "invalid", "Photo 1 of 2: "),
        (
            &[plain.clone(), large.clone(), plain.clone()],
            413,
            "too-large",
            "Photo 2 of 3: The photo is larger than the limit of 3000 bytes. Please send a smaller or more compressed one.",
        ),
        (&[large], 413, "too-large", "The photo is larger than the limit of 3000 bytes."),
    ];
    for (photos, status, code, expected) in cases {
        let sentence = identify_all(&client, photos).await.problem(status, code);
        assert!(sentence.starts_with(expected), "{sentence}");
    }
    let form = Form::new()
        .part("image", file(&plain, "image/png"))
        .part("image", file(&plain, "application/pdf"))
        .part("image", file(&plain, "image/png"));
    let sentence = client.identify_form(form).await.problem(415, "unsupported-media-type");
    assert!(sentence.starts_with("Photo 2 of 3: The file is of the type `application/pdf`"), "{sentence}");
    assert_eq!(client.used().await, 0);
}

#[tokio::test]
async fn the_limit_on_pixels_holds_for_each_photo() {
    let (_app, client) = TestApp::ready_to_scan().await;
    let reply = identify_all(&client, &[pictures::plain(), pictures::huge_png()]).await;
    let sentence = reply.problem(422, "invalid");
    assert!(sentence.starts_with("Photo 2 of 2: The photo has 30000 x 30000 pixels"), "{sentence}");
    assert_eq!(client.used().await, 0);
}

#[tokio::test]
async fn other_fields_may_stand_between_the_photos() {
    let (_app, client) = TestApp::ready_to_scan().await;
    let accord = client.add_vehicle("Accord").await;
    let photo = || file(&pictures::plain(), "image/png");
    let form = Form::new()
        .part("image", photo())
        .text("vehicleId", accord)
        .part("image", photo())
        .text("vehicleInfo", r#"{"make":"Honda"}"#);
    let answer = client.identify_form(form).await.expect_status(200).json();
    assert_eq!((&answer["vehicle"]["model"], &answer["photoCount"]), (&json!("Accord"), &json!(2)));

    // A field that is wrong is wrong by itself, not the photograph before it.
    let form = Form::new().part("image", photo()).part("image", photo()).text("vehicleInfo", "Honda");
    let sentence = client.identify_form(form).await.problem(422, "invalid");
    assert!(sentence.starts_with("The field `vehicleInfo`"), "{sentence}");
}

#[tokio::test]
async fn a_scan_with_several_photos_fits_into_the_smallest_queue() {
    let app = TestApp::with_stand_in(|settings| settings.model.queue_capacity = 1).await;
    let client = app.sign_up_with_vehicle("ann").await;
    let answer = identify_all(&client, &vec![pictures::plain(); 5]).await.expect_status(200).json();
    assert_eq!(answer["photoCount"], 5);
}

#[tokio::test]
async fn the_judge_sees_the_one_photo_that_stands_for_the_scan() {
    let fake = FakeJudge::saying(Says::Candidate(1)).await;
    let (_app, client) = unsure(&fake, |_| {}).await;
    let photos = [pictures::blocks(1, 0), pictures::blocks(2, 0)];
    let answer = identify_all(&client, &photos).await.expect_status(200).json();
    assert_eq!((&answer["receipt"]["verdictPath"], fake.questions().len()), (&json!("llm"), 1));
    // Of equals the first stands for the scan, so a photograph like it needs no question.
    let again = identify_all(&client, &[pictures::blocks(1, 1)]).await.expect_status(200).json();
    assert_eq!((&again["receipt"]["verdictPath"], fake.questions().len()), (&json!("reused"), 1));
}

#[tokio::test]
async fn feedback_teaches_the_photo_that_stands_for_the_scan() {
    let (_app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    let choice = json!({ "confirmedScansTeach": true, "refitCalibration": true });
    client.put_json("/api/learning", &choice).await.expect_status(200);
    let photos = [pictures::golden("meadow"), pictures::golden("rim")];
    let answer = identify_all(&client, &photos).await.expect_status(200).json();
    let path = format!("/api/scans/{}/feedback", answer["id"].as_str().unwrap());
    let said = client.post(&path, &json!({ "answer": "right" })).await.expect_status(200).json();
    assert_eq!(said["notTaught"], Value::Null, "{said}");
    let part = client.get("/api/catalog/types/rim").await.expect_status(200).json();
    assert_eq!(part["references"].as_array().unwrap().len(), 1);
}
