//! One photograph at a time: what is answered, what is refused, and what that costs.

use image::{DynamicImage, ImageFormat};
use partsight_domain::Plan;
use reqwest::Method;
use reqwest::multipart::Form;
use serde_json::json;

use crate::client::{assert_reply_snapshot, file, send};
use crate::recorder::BEHIND;
use crate::{Client, Reply, TestApp, pictures};

const UNKNOWN: &str = "0190a0a0-0000-7000-8000-000000000000";

fn photo_form(photo: &[u8]) -> Form {
    Form::new().part("image", file(photo, "image/jpeg"))
}

async fn expect_refusal(
    app: &TestApp,
    client: &Client,
    reply: &Reply,
    status: u16,
    code: &str,
    field: &str,
) -> String {
    let sentence = reply.problem(status, code);
    assert_eq!(reply.json()["field"].as_str().unwrap_or_default(), field, "{}", reply.text);
    assert_eq!(client.used().await, 0, "{sentence}");
    assert_eq!(app.gate().images(), 0, "{sentence}");
    assert_eq!(client.get("/api/scans/recent").await.json(), json!([]));
    sentence
}

#[tokio::test]
async fn a_photo_is_answered_with_the_part_and_all_that_is_said_about_it() {
    let (_app, client) = TestApp::ready_to_scan().await;
    let reply = client.identify(&pictures::plain()).await;
    assert_reply_snapshot!("identified", reply);
    assert_eq!(client.used().await, 1);
}

#[tokio::test]
async fn each_recognisable_picture_gets_its_label() {
    let (_app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    for label in ["brake-rotor", "coil-spring", "rim"] {
        let body = client.identify(&pictures::golden(label)).await.expect_status(200).json();
        assert_eq!(body["identification"]["label"], label, "{}", body["identification"]);
        assert_eq!(body["alternatives"].as_array().unwrap().len(), 4);
    }
}

#[tokio::test]
async fn siblings_that_tie_are_answered_by_their_category() {
    let app = TestApp::with_tie(["brake-caliper", "brake-pad"]).await;
    let client = app.sign_up_with_vehicle("ann").await;
    let body = client.identify(&pictures::plain()).await.expect_status(200).json();
    assert_eq!(body["verdict"], "not-sure");
    assert_eq!(body["identification"]["label"], "brake-caliper");
    let half = body["identification"]["confidence"].as_f64().unwrap();
    assert!((half - 0.5).abs() < 1e-3, "{half}");
    let rolled_up = &body["rolledUp"];
    assert_eq!((&rolled_up["category"], &rolled_up["name"]), (&json!("brake"), &json!("Brake System")));
    assert!((0.99..=1.0).contains(&rolled_up["confidence"].as_f64().unwrap()), "{rolled_up}");
    let sibling = &body["alternatives"][0];
    assert_eq!((&sibling["label"], &sibling["category"]), (&json!("brake-pad"), &json!("brake")));
    assert!(body["receipt"]["categoryConfidence"].as_f64().unwrap() > 0.5, "{}", body["receipt"]);
    let kept = &client.get("/api/scans/recent").await.json()[0];
    assert_eq!((&kept["rolledUp"], &kept["receipt"]), (rolled_up, &body["receipt"]));
}

#[tokio::test]
async fn a_tie_across_categories_has_no_category_for_an_answer() {
    let app = TestApp::with_tie(["brake-caliper", "spark-plug"]).await;
    let client = app.sign_up_with_vehicle("ann").await;
    let body = client.identify(&pictures::plain()).await.expect_status(200).json();
    assert_eq!((&body["verdict"], &body["rolledUp"]), (&json!("not-sure"), &json!(null)));
    assert_eq!(client.get("/api/scans/recent").await.json()[0]["rolledUp"], json!(null));
}

#[tokio::test]
async fn the_answer_says_how_long_each_stage_took() {
    let (_app, client, _) = TestApp::with_vehicle().await;
    let reply = client.identify(&pictures::golden("rim")).await;
    let header = reply.expect_status(200).header("server-timing");
    let stages: Vec<_> = header.split(", ").map(|stage| stage.split_once(";dur=").unwrap()).collect();
    let names: Vec<_> = stages.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["decode", "preprocess", "queue", "inference", "identify"]);
    let ms: Vec<f32> = stages.iter().map(|(_, ms)| ms.parse().unwrap()).collect();
    // The whole is no less than its parts, up to the rounding of each.
    assert!(ms[4] + 0.05 >= ms[..4].iter().sum::<f32>() && ms[3] > 0.0, "{header}");
}

#[tokio::test]
async fn a_picture_without_a_part_is_not_identified_and_uses_no_scan() {
    let (_app, client, _) = TestApp::with_vehicle().await;
    let reply = client.identify(&pictures::golden("meadow")).await;
    assert_reply_snapshot!("not_identified", reply);
    reply.problem(422, "not-identified");
    assert_eq!(client.used().await, 0);
    assert_eq!(client.get("/api/scans/recent").await.json(), json!([]));
}

#[tokio::test]
async fn unusual_but_whole_pictures_are_read() {
    let (_app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    let unchanged = |picture| picture;
    let cases = [
        ("16 bits", pictures::rotor(|picture| picture.into_rgb16().into(), ImageFormat::Png)),
        ("alpha", pictures::rotor(|picture| picture.into_rgba8().into(), ImageFormat::Png)),
        ("grey", pictures::rotor(|picture| picture.into_luma8().into(), ImageFormat::Png)),
        ("WebP", pictures::rotor(unchanged, ImageFormat::WebP)),
        ("BMP", pictures::rotor(unchanged, ImageFormat::Bmp)),
        ("TIFF", pictures::rotor(unchanged, ImageFormat::Tiff)),
        ("animated", pictures::animated_rotor()),
    ];
    for (kind, photo) in cases {
        let reply = client.identify(&photo).await;
        assert_eq!(reply.status, 200, "{kind}: {}", reply.text);
        assert_eq!(reply.json()["identification"]["label"], "brake-rotor", "{kind}");
    }
}

#[tokio::test]
async fn a_cmyk_jpeg_is_read() {
    let (_app, client) = TestApp::ready_to_scan().await;
    client.identify(&pictures::cmyk_jpeg()).await.expect_status(200);
}

#[tokio::test]
async fn a_photo_of_several_megabytes_is_taken() {
    let (_app, client) = TestApp::ready_to_scan().await;
    // Uncompressed, as from a scanner: 6 MB.
    let photo = pictures::encode(&DynamicImage::new_rgb8(2000, 1000), ImageFormat::Bmp);
    client.identify(&photo).await.expect_status(200);
}

#[tokio::test]
async fn a_large_file_of_another_type_is_read_to_its_end_so_that_the_reason_arrives() {
    let (_app, client) = TestApp::ready_to_scan().await;
    let video = file(&vec![7; 20 * 1024 * 1024], "video/mp4");
    let reply = client.identify_form(Form::new().part("image", video)).await;
    assert!(reply.problem(415, "unsupported-media-type").contains("video/mp4"), "{}", reply.text);
}

#[tokio::test]
async fn a_photo_sent_without_a_media_type_is_taken() {
    let (_app, client) = TestApp::ready_to_scan().await;
    let form = Form::new().part("image", reqwest::multipart::Part::bytes(pictures::plain()));
    client.identify_form(form).await.expect_status(200);
}

#[tokio::test]
async fn what_is_no_whole_picture_of_a_known_kind_is_refused_with_what_to_do() {
    let (app, client) = TestApp::ready_to_scan().await;
    let (rim, huge) = (pictures::golden("rim"), pictures::huge_png());
    // What the camera left behind the picture may be missing.
    let end = rim.len() - BEHIND.len();
    let mut damaged = rim.clone();
    damaged[rim.len() / 2..][..64].fill(0x55);
    let no_picture = (415, "unsupported-media-type");
    let invalid = (422, "invalid");
    let ends_early = "The PNG file ends too early: send it again, whole.";
    let cases: [(&[u8], (u16, &str), &str); 8] = [
        (b"", invalid, "The photo is empty (0 bytes): send the whole file."),
        (
            b"I am a letter, not a picture.",
            no_picture,
            "This is not a photo: send a JPEG, PNG, WebP, HEIC, GIF, BMP or TIFF file.",
        ),
        (
            b"%PDF-1.7 and so on",
            no_picture,
            "PDF pictures are not read: save it as JPEG or PNG and send that.",
        ),
        (&rim[..end / 2], invalid, ends_early),
        (&rim[..end - 20], invalid, ends_early),
        (&rim[..40], invalid, ends_early),
        (
            &damaged,
            invalid,
            "The PNG file is damaged or of an unusual kind: open it and save it again as JPEG.",
        ),
        (
            &huge,
            invalid,
            "The photo has 30000 x 30000 pixels and the limit is 64000000 in all: send a smaller one.",
        ),
    ];
    for (photo, (status, code), expected) in cases {
        let reply = client.identify(photo).await;
        assert_eq!(expect_refusal(&app, &client, &reply, status, code, "image").await, expected);
    }
}

#[tokio::test]
async fn the_limit_on_pixels_is_a_setting() {
    let app = TestApp::with_stand_in(|settings| settings.photos.max_pixels = 100).await;
    let client = app.sign_up_with_vehicle("ann").await;
    let reply = client.identify(&pictures::plain()).await;
    let sentence = expect_refusal(&app, &client, &reply, 422, "invalid", "image").await;
    let expected = "The photo has 16 x 12 pixels and the limit is 100 in all: send a smaller one.";
    assert_eq!(sentence, expected);
}

#[tokio::test]
async fn a_file_of_50_megabytes_is_refused_with_the_limit() {
    let sentence = refusal_of_size(50 * 1024 * 1024, 25 * 1024 * 1024).await;
    let expected =
        "The photo is larger than the limit of 25 MB. Please send a smaller or more compressed one.";
    assert_eq!(sentence, expected);
}

#[tokio::test]
async fn the_limit_on_bytes_is_a_setting() {
    let sentence = refusal_of_size(2001, 2000).await;
    let expected =
        "The photo is larger than the limit of 2000 bytes. Please send a smaller or more compressed one.";
    assert_eq!(sentence, expected);
}

#[tokio::test]
async fn a_form_that_does_not_fit_names_the_field_and_what_to_do() {
    let (app, client) = TestApp::ready_to_scan().await;
    let accord = client.add_vehicle("Accord").await;
    let photo = || photo_form(&pictures::plain());
    // Larger than any other field of the form may be.
    let large = file("x".repeat(100_000).as_bytes(), "image/jpeg");
    let missing = "The photo is missing: please send it in the form field `image`.";
    let no_vehicle = "This vehicle does not exist. Please choose another one.";
    let cases = [
        (Form::new().part("photo", large), (422, "invalid", "image"), missing),
        (Form::new().text("vehicleId", ""), (422, "invalid", "image"), missing),
        (Form::new().text("photo", "x"), (422, "invalid", "image"), missing),
        (
            Form::new().part("image", file(&pictures::plain(), "application/pdf")),
            (415, "unsupported-media-type", ""),
            "The file is of the type `application/pdf`, not a photo. Please choose a JPEG, PNG, WebP, HEIC, GIF, BMP \
             or TIFF file.",
        ),
        (
            photo().text("vehicleID", accord),
            (422, "invalid", "form"),
            "The form has no field `vehicleID`. Please leave it out.",
        ),
        (photo().text("vehicleId", UNKNOWN), (404, "not-found", ""), no_vehicle),
        (photo().text("vehicleId", "my car"), (404, "not-found", ""), no_vehicle),
        (
            photo().text("vehicleInfo", "Honda"),
            (422, "invalid", "vehicleInfo"),
            "The field `vehicleInfo` must be a JSON object with make, model and year.",
        ),
    ];
    for (form, (status, code, field), expected) in cases {
        let reply = client.identify_form(form).await;
        assert_eq!(expect_refusal(&app, &client, &reply, status, code, field).await, expected);
    }
}

async fn refusal_of_size(size_bytes: usize, limit_bytes: usize) -> String {
    let app = TestApp::with_stand_in(|settings| settings.photos.max_bytes = limit_bytes).await;
    let client = app.sign_up_with_vehicle("ann").await;
    let reply = client.identify(&vec![0; size_bytes]).await;
    expect_refusal(&app, &client, &reply, 413, "too-large", "").await
}

#[tokio::test]
async fn a_body_that_is_no_form_is_refused() {
    let (app, client) = TestApp::ready_to_scan().await;
    let reply = client.post("/api/identify", &json!({ "image": "…" })).await;
    let sentence = expect_refusal(&app, &client, &reply, 415, "unsupported-media-type", "").await;
    assert!(sentence.starts_with("Please send the photo as multipart/form-data"), "{sentence}");
}

#[tokio::test]
async fn a_form_that_ends_early_is_refused() {
    let (app, client) = TestApp::ready_to_scan().await;
    let request = client
        .request(Method::POST, "/api/identify")
        .header("content-type", "multipart/form-data; boundary=xyz")
        .body("--xyz\r\ncontent-disposition: form-data; name=\"image\"\r\n\r\nhalf a photo");
    let reply = send(request).await;
    let sentence = expect_refusal(&app, &client, &reply, 422, "invalid", "image").await;
    let expected = "The upload is incomplete or not a valid form. What had not arrived was not saved; please \
                    send it again.";
    assert_eq!(sentence, expected);
}

#[tokio::test]
async fn a_vehicle_of_somebody_else_is_refused() {
    let app = TestApp::with_stand_in(|_| {}).await;
    let his = app.sign_up("bob").await.add_vehicle("Accord").await;
    let client = app.sign_up_with_vehicle("ann").await;
    let reply = client.identify_form(photo_form(&pictures::plain()).text("vehicleId", his)).await;
    let sentence = expect_refusal(&app, &client, &reply, 404, "not-found", "").await;
    assert_eq!(sentence, "This vehicle does not exist. Please choose another one.");
}

#[tokio::test]
async fn without_a_default_vehicle_a_photo_is_refused() {
    let (app, client) = TestApp::stand_in_with_ann().await;
    let reply = client.identify(&pictures::plain()).await;
    let sentence = expect_refusal(&app, &client, &reply, 422, "invalid", "vehicleId").await;
    assert_eq!(sentence, "Please select a vehicle first");
}

#[tokio::test]
async fn the_chosen_vehicle_is_the_one_that_is_answered_and_kept() {
    let (_app, client) = TestApp::ready_to_scan().await;
    let accord = client.add_vehicle("Accord").await;
    let form = photo_form(&pictures::plain())
        .text("vehicleId", accord.clone())
        .text("vehicleInfo", r#"{"make":"Ford","model":"T","year":1908}"#);
    let reply = client.identify_form(form).await;
    let expected = json!({ "year": 2015, "make": "Honda", "model": "Accord" });
    assert_eq!(reply.expect_status(200).json()["vehicle"], expected);
    let kept = client.get(&format!("/api/scans/recent?vehicleId={accord}")).await.json();
    assert_eq!(kept[0]["vehicle"], expected);
}

#[tokio::test]
async fn without_a_choice_the_default_vehicle_is_taken() {
    let (_app, client) = TestApp::ready_to_scan().await;
    client.add_vehicle("Accord").await;
    for form in [photo_form(&pictures::plain()), photo_form(&pictures::plain()).text("vehicleId", " ")] {
        let reply = client.identify_form(form).await;
        assert_eq!(reply.expect_status(200).json()["vehicle"]["model"], "Civic");
    }
}

#[tokio::test]
async fn a_third_scan_on_basic_is_refused_with_the_sentence() {
    let (app, client) = TestApp::ready_to_scan().await;
    for used in 1..=2 {
        client.identify(&pictures::plain()).await.expect_status(200);
        assert_eq!(client.used().await, used);
    }
    let reply = client.identify(&pictures::plain()).await;
    assert_reply_snapshot!("limit_reached", reply);
    let sentence = reply.problem(429, "limit-reached");
    assert_eq!(
        sentence,
        "Monthly scan limit exceeded. Please upgrade to Pro or Business plan for unlimited scans."
    );
    assert_eq!(client.used().await, 2);
    assert_eq!(app.gate().images(), 2);
}

#[tokio::test]
async fn a_guess_below_a_third_of_confidence_uses_no_allowance() {
    const LABELS: &[&str] = &["brake-rotor", "alternator", "radiator", "spark-plug"];
    for (labels, expected) in [(LABELS, [0, 0, 0]), (&LABELS[..2], [1, 2, 2])] {
        let app = TestApp::with_spread(labels).await;
        let client = app.sign_up_with_vehicle("ann").await;
        let mut used = Vec::new();
        for _ in 0..3 {
            let reply = client.identify(&pictures::plain()).await;
            if reply.status == 200 {
                assert_eq!(reply.json()["verdict"], "not-sure", "{}", reply.text);
            }
            used.push(client.used().await);
        }
        assert_eq!(used, expected, "{labels:?}");
        let recent = client.get("/api/scans/recent").await.json();
        assert_eq!(recent.as_array().unwrap().len(), 3.min(labels.len()), "the answers are kept");
    }
}

#[tokio::test]
async fn scans_of_one_user_do_not_count_for_another() {
    let (app, ann) = TestApp::ready_to_scan().await;
    let bob = app.sign_up_with_vehicle("bob").await;
    ann.identify(&pictures::plain()).await.expect_status(200);
    assert_eq!((ann.used().await, bob.used().await), (1, 0));
}

#[tokio::test]
async fn a_server_on_the_pro_plan_stops_nobody() {
    let (_app, client) = TestApp::ready_to_scan_on(Plan::Pro).await;
    for _ in 0..4 {
        client.identify(&pictures::plain()).await.expect_status(200);
    }
    let limits = client.get("/api/scans/limits").await.json();
    assert_eq!(limits, json!({ "limit": 999, "used": 4, "remaining": 999 }));
}

#[tokio::test]
async fn a_signed_out_browser_gets_its_answer_for_a_large_photo_too() {
    let app = TestApp::with_stand_in(|_| {}).await;
    let reply = app.client().identify(&vec![0; 8 * 1024 * 1024]).await;
    reply.problem(401, "not-signed-in");
}
