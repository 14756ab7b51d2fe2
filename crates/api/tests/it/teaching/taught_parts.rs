//! Teaching parts: what is found afterwards, what is refused, and whose it is.

use std::sync::Arc;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use jiff::SignedDuration;
use partsight_app::{Catalog, Settings};
use partsight_domain::{PartLabel, PartType, Plan};
use reqwest::Method;
use reqwest::multipart::Form;
use serde_json::{Value, json};

use crate::client::{assert_reply_snapshot, file, send};
use crate::{Client, Reply, Setup, TestApp, pictures};

const UNKNOWN: &str = "0190a0a0-0000-7000-8000-000000000000";

/// A drawing that no part type of the model looks like; each `view` of it is a little different.
pub(crate) fn flower(view: i32) -> Vec<u8> {
    drawing(|x, y| {
        let (dx, dy) = (f64::from(x - 160 - view), f64::from(y - 120 + view / 2));
        let size = 70.0 + f64::from(view % 7) * 3.0;
        let radius = dx.hypot(dy);
        let petals = size * (1.0 + 0.35 * (5.0 * dy.atan2(dx) + f64::from(view) * 0.1).cos());
        match radius {
            radius if radius < size * 0.3 => [250, 220, 60],
            radius if radius < petals => [220, 60, 140],
            _ => [40, 110, 60],
        }
    })
}

/// Another such drawing.
pub(crate) fn checks(view: i32) -> Vec<u8> {
    let cell = 36 + view % 11;
    drawing(|x, y| {
        let is_light = ((x + view) / cell + (y + 2 * view) / cell) % 2 == 1;
        if is_light { [230, 230, 60] } else { [30, 60, 160] }
    })
}

fn drawing(pixel: impl Fn(i32, i32) -> [u8; 3]) -> Vec<u8> {
    let picture = RgbImage::from_fn(320, 240, |x, y| Rgb(pixel(x.cast_signed(), y.cast_signed())));
    pictures::encode(&DynamicImage::ImageRgb8(picture), ImageFormat::Png)
}

pub(crate) fn form(photos: &[Vec<u8>]) -> Form {
    photos.iter().fold(Form::new(), |form, photo| form.part("image", file(photo, "image/png")))
}

pub(crate) fn new_type(name: &str, photos: &[Vec<u8>]) -> Form {
    form(photos).text("name", name.to_owned()).text("category", "engine")
}

pub(crate) async fn teach(client: &Client, form: Form) -> Reply {
    send(client.request(Method::POST, "/api/catalog/types").multipart(form)).await
}

pub(crate) async fn add(client: &Client, label: &str, form: Form) -> Reply {
    let path = format!("/api/catalog/types/{label}/references");
    send(client.request(Method::POST, &path).multipart(form)).await
}

/// The catalogue with a part type that no model has learnt.
pub(crate) fn with_flux_capacitor() -> Catalog {
    let catalog = Catalog::embedded().unwrap();
    let alternator = catalog.get(&PartLabel::new("alternator").unwrap()).unwrap();
    let flux_capacitor = PartType {
        label: PartLabel::new("flux-capacitor").unwrap(),
        name: "Flux Capacitor".to_owned(),
        ..alternator.clone()
    };
    catalog.with(flux_capacitor)
}

pub(crate) async fn identified(client: &Client, photo: &[u8]) -> String {
    let reply = client.identify(photo).await;
    match reply.status {
        200 => reply.json()["identification"]["label"].as_str().unwrap().to_owned(),
        _ => reply.json()["code"].as_str().unwrap().to_owned(),
    }
}

pub(crate) fn references(part: &Value) -> Vec<String> {
    let list = part["references"].as_array().unwrap();
    list.iter().map(|reference| reference["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_part_that_was_taught_is_found_by_the_next_scan() {
    let (_app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    assert_eq!(identified(&client, &flower(9)).await, "not-identified");

    let taught =
        teach(&client, new_type(" EGR valve, 2.0 TDI ", &[flower(0), flower(18), flower(-20)])).await;
    assert_reply_snapshot!("taught", taught);
    taught.expect_status(201);
    assert_eq!(client.get("/api/catalog/types").await.json(), json!([taught.json()]));
    assert_eq!(client.get("/api/catalog/types/egr-valve-2-0-tdi").await.json(), taught.json());

    let scan = client.identify(&flower(9)).await;
    assert_reply_snapshot!("a_scan_of_a_taught_part", scan);
    let body = scan.expect_status(200).json();
    assert_eq!(body["verdict"], "identified");
    assert!(body["identification"]["confidence"].as_f64().unwrap() > 0.9, "{body}");
    let kept = client.get("/api/scans/recent").await.json();
    assert_eq!(kept[0]["part"]["name"], "EGR valve, 2.0 TDI");
    // What the model has learnt is found as before.
    assert_eq!(identified(&client, &pictures::golden("brake-rotor")).await, "brake-rotor");
}

#[tokio::test]
async fn a_shipped_part_that_the_model_does_not_know_is_found_once_it_is_taught() {
    let settings = Settings::with(|settings| settings.server.plan = Some(Plan::Pro));
    let catalog = Some(Arc::new(with_flux_capacitor()));
    let app = TestApp::with(Setup { settings, catalog, ..Setup::default() }).await;
    let client = app.sign_up_with_vehicle("ann").await;
    assert_eq!(identified(&client, &flower(9)).await, "not-identified");

    let photos = form(&[flower(0), flower(18), flower(-20)]);
    let taught = add(&client, "flux-capacitor", photos).await.expect_status(201).json();
    assert_eq!((&taught["modelKnows"], &taught["isShared"]), (&json!(false), &json!(true)));
    let scan = client.identify(&flower(9)).await.expect_status(200).json();
    assert_eq!(scan["verdict"], "identified");
    assert_eq!(scan["identifiedPart"]["id"], "flux-capacitor");
    assert!(
        !scan["identifiedPart"]["installationInstructions"].as_str().unwrap().is_empty(),
        "its guide is shipped"
    );
    assert_eq!(scan["identifiedPart"]["category"], "electrical");
}

#[tokio::test]
async fn what_was_taught_is_nobody_elses() {
    let (app, ann) = TestApp::with_vehicle_on(Plan::Pro).await;
    let bob = app.sign_up_with_vehicle("bob").await;
    let taught = teach(&ann, new_type("EGR valve 47", &[flower(0), flower(18)])).await.json();
    let id = references(&taught)[0].clone();

    assert_eq!(identified(&bob, &flower(9)).await, "not-identified");
    assert_eq!(bob.get("/api/catalog/types").await.json(), json!([]));
    bob.get("/api/catalog/types/egr-valve-47").await.problem(404, "not-found");
    add(&bob, "egr-valve-47", form(&[flower(9)])).await.problem(404, "not-found");
    for (method, path) in [(Method::DELETE, ""), (Method::POST, "/restore"), (Method::GET, "/thumbnail")] {
        let path = format!("/api/catalog/references/{id}{path}");
        send(bob.request(method, &path)).await.problem(404, "not-found");
    }
    let thumbnail = ann.get(&format!("/api/catalog/references/{id}/thumbnail")).await;
    assert_eq!(thumbnail.expect_status(200).header("content-type"), "image/jpeg");
    // Their own of the same name is another part.
    teach(&bob, new_type("EGR valve 47", &[checks(0)])).await.expect_status(201);
    assert_eq!(identified(&ann, &flower(9)).await, "egr-valve-47");
}

#[tokio::test]
async fn a_deleted_photo_is_found_no_more_until_it_is_restored() {
    let (app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    let taught = teach(&client, new_type("EGR valve 47", &[flower(0)])).await.json();
    let path = format!("/api/catalog/references/{}", references(&taught)[0]);
    let restore = || async { client.post(&format!("{path}/restore"), &json!({})).await };
    restore().await.problem(404, "not-found");

    client.delete(&path).await.expect_status(204);
    assert_eq!(identified(&client, &flower(9)).await, "not-identified");
    assert_eq!(client.get("/api/catalog/types/egr-valve-47").await.json()["references"], json!([]));
    client.delete(&path).await.problem(404, "not-found");

    restore().await.expect_status(204);
    assert_eq!(identified(&client, &flower(9)).await, "egr-valve-47");

    client.delete(&path).await.expect_status(204);
    app.advance(SignedDuration::from_hours(24 * 29));
    assert_eq!(app.use_cases.teaching.purge_references().await.unwrap(), 0);
    app.advance(SignedDuration::from_hours(24 * 2));
    assert_eq!(app.use_cases.teaching.purge_references().await.unwrap(), 1);
}

#[tokio::test]
async fn photos_can_be_added_to_taught_and_to_shipped_parts() {
    let (app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    teach(&client, new_type("EGR valve 47", &[flower(0)])).await.expect_status(201);
    let added = add(&client, "egr-valve-47", form(&[flower(18), flower(-20)])).await;
    assert_eq!(references(&added.expect_status(201).json()).len(), 3);

    // Of somebody who taught nothing that they could look more like.
    let bob = app.sign_up_with_vehicle("bob").await;
    let added = add(&bob, "spark-plug", form(&[checks(0)])).await.expect_status(201).json();
    assert_eq!((&added["name"], &added["isShared"]), (&json!("Spark Plug"), &json!(true)));
    assert_eq!(identified(&bob, &checks(7)).await, "spark-plug");
    add(&client, "no-such-part", form(&[checks(13)])).await.problem(404, "not-found");
}

#[tokio::test]
async fn copies_and_pictures_of_nothing_are_refused() {
    let (_app, client) = TestApp::with_ann_on(Plan::Pro).await;
    let refusal = |form: Form| {
        let client = client.clone();
        async move { teach(&client, form).await.problem(422, "invalid") }
    };
    let blank = refusal(new_type("EGR valve 47", &[flower(0), pictures::plain()])).await;
    assert_eq!(blank, "Photo 2 shows nothing but one colour. Please send one that shows the part.");
    let twice = refusal(new_type("EGR valve 47", &[flower(0), checks(0), flower(0)])).await;
    assert_eq!(twice, "Photos 1 and 3 are the same picture. Please send different views of the part.");

    let half = flower(9)[..500].to_vec();
    let unreadable = teach(&client, new_type("EGR valve 47", &[flower(0), half])).await;
    let sentence = unreadable.problem(422, "invalid");
    assert_eq!(sentence, "Photo 2 of 2: The PNG file ends too early: send it again, whole.");

    teach(&client, new_type("EGR valve 47", &[flower(0)])).await.expect_status(201);
    let again = add(&client, "egr-valve-47", form(&[flower(0)])).await.problem(422, "invalid");
    assert!(again.starts_with("Photo 1 has been taught already (/api/catalog/references/"), "{again}");
}

#[tokio::test]
async fn a_form_that_is_not_whole_says_what_to_do() {
    let (_app, client) = TestApp::with_ann_on(Plan::Pro).await;
    let photos: Vec<Vec<u8>> = (0..6).map(|view| flower(view * 9)).collect();
    let one = &photos[..1];
    let cases = [
        (form(one).text("category", "engine"), 422, "name"),
        (form(one).text("name", "EGR valve 47"), 422, "category"),
        (form(one).text("name", "EGR valve 47").text("category", "wheels"), 422, "category"),
        (new_type("EGR valve 47", &[]), 422, "image"),
        (new_type("EGR valve 47", &photos), 422, "image"),
        (new_type("歯車", one), 422, "name"),
        (new_type(&"x".repeat(61), one), 422, "name"),
        (new_type("EGR valve 47", one).text("acceptCollision", "yes"), 422, "acceptCollision"),
        (new_type("EGR valve 47", one).text("partID", "1"), 422, "form"),
        (new_type("EGR valve 47", &[b"no picture".to_vec()]), 415, "image"),
    ];
    for (form, status, field) in cases {
        let reply = teach(&client, form).await;
        reply.expect_status(status);
        assert_eq!(reply.json()["field"].as_str().unwrap_or_default(), field, "{}", reply.text);
    }
    teach(&client, new_type("Spark Plug", one)).await.problem(409, "conflict");
    teach(&client, new_type("EGR valve 47", one)).await.expect_status(201);
    teach(&client, new_type("egr  VALVE 47", &photos[1..2])).await.problem(409, "conflict");
    assert_eq!(client.get("/api/catalog/types").await.json().as_array().unwrap().len(), 1);
    for path in ["/api/catalog/types/A+b", &format!("/api/catalog/references/{UNKNOWN}/thumbnail")] {
        client.get(path).await.problem(404, "not-found");
    }
    client.delete("/api/catalog/references/17").await.problem(404, "not-found");
}

#[tokio::test]
async fn photos_that_are_too_large_together_are_refused() {
    let limit = flower(0).len() * 3 / 2;
    let app = TestApp::with_settings(|settings| settings.photos.max_bytes = limit).await;
    let client = app.sign_up("ann").await;
    let reply = teach(&client, new_type("EGR valve 47", &[flower(0), flower(18)])).await;
    let sentence = reply.problem(413, "too-large");
    assert!(sentence.starts_with("The photos together are larger than the limit of"), "{sentence}");
}

#[tokio::test]
async fn a_model_that_was_not_measured_for_it_cannot_be_taught() {
    let (_app, client) = TestApp::stand_in_with_ann().await;
    let sentence = teach(&client, new_type("EGR valve 47", &[flower(0)])).await.problem(422, "invalid");
    assert!(sentence.contains("`[references]`"), "{sentence}");
}

#[tokio::test]
async fn what_was_taught_is_found_after_a_restart() {
    let (app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    teach(&client, new_type("EGR valve 47", &[flower(0), flower(18)])).await.expect_status(201);
    let setup = Setup { folder: Some(app.folder.clone()), ..Setup::default() };
    let again = TestApp::with(setup).await;
    again.use_cases.teaching.prepare_references().await.unwrap();
    let there = client.at(again.client().address());
    assert_eq!(there.get("/api/catalog/types").await.json().as_array().unwrap().len(), 1);
    assert_eq!(identified(&there, &flower(9)).await, "egr-valve-47");
}

#[tokio::test]
async fn a_company_shares_what_its_managers_teach() {
    let app = TestApp::with_settings(|_| {}).await;
    let ann = app.sign_up_with_vehicle("ann").await;
    let bob = app.sign_up_with_vehicle("bob").await;
    app.execute("UPDATE app_user SET plan = 'business' WHERE email = 'ann@example.com'").await;
    let before =
        teach(&ann, new_type("EGR valve 47", &[flower(0), flower(18)])).await.expect_status(201).json();
    let own =
        teach(&bob, new_type("Checked flag 3", &[checks(0), checks(13)])).await.expect_status(201).json();
    let company = crate::plans::company::make(&ann).await;
    crate::plans::company::join(&ann, &company, &bob, "member").await;

    // What the owner had taught is the company's; what a member had taught stays theirs, and is still found.
    assert_eq!(identified(&bob, &flower(9)).await, "egr-valve-47");
    assert_eq!(identified(&bob, &checks(7)).await, "checked-flag-3");
    assert_ne!(identified(&ann, &checks(7)).await, "checked-flag-3");
    let listed = bob.get("/api/catalog/types").await.json();
    let flags = |part: &Value| {
        part["references"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["isOwn"].as_bool().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        listed.as_array().unwrap().iter().map(flags).collect::<Vec<_>>(),
        [[true, true], [false, false]]
    );
    let thumbnail = format!("/api/catalog/references/{}/thumbnail", references(&before)[0]);
    bob.get(&thumbnail).await.expect_status(200);

    // Members read; managers change.
    let path = format!("/api/catalog/references/{}", references(&before)[0]);
    bob.delete(&path).await.problem(403, "forbidden");
    add(&bob, "egr-valve-47", form(&[flower(-20)])).await.problem(403, "forbidden");
    teach(&bob, new_type("Hood pin 9", &[checks(26)])).await.problem(403, "forbidden");
    bob.delete(&format!("/api/catalog/references/{}", references(&own)[0])).await.expect_status(204);
    let member = crate::plans::company::user_id(&bob).await;
    ann.put_json(&format!("{company}/members/{member}"), &json!({ "role": "manager" }))
        .await
        .expect_status(200);
    add(&bob, "egr-valve-47", form(&[flower(-20)])).await.expect_status(201);
    // Of a part that only the member knew, the company now hears.
    add(&bob, "checked-flag-3", form(&[checks(26)])).await.expect_status(201);
    assert_eq!(identified(&ann, &checks(29)).await, "checked-flag-3");
}
