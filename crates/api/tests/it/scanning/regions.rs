//! Several parts on one photograph: found, marked by hand, counted, and all of one scan.

use image::{DynamicImage, ImageFormat, Rgb, RgbImage, imageops};
use reqwest::Method;
use reqwest::multipart::Form;
use serde_json::{Value, json};

use crate::client::{file, send};
use crate::{Client, Reply, TestApp, pictures};

/// The parts on [`table`], from the left.
const ON_THE_TABLE: [&str; 3] = ["brake-rotor", "rim", "coil-spring"];

/// Three parts beside each other on a grey table.
fn table() -> Vec<u8> {
    let mut picture = RgbImage::from_pixel(1200, 480, Rgb([120, 124, 130]));
    for (left, name) in [40, 440, 840].into_iter().zip(ON_THE_TABLE) {
        let part =
            image::load_from_memory(&pictures::golden(name)).unwrap().thumbnail_exact(320, 320).into_rgb8();
        imageops::overlay(&mut picture, &part, left, 80);
    }
    pictures::encode(&DynamicImage::ImageRgb8(picture), ImageFormat::Png)
}

async fn scan_several(client: &Client, photo: &[u8]) -> Reply {
    let form = Form::new().part("image", file(photo, "image/png"));
    send(client.request(Method::POST, "/api/identify?several=true").multipart(form)).await
}

fn path_of(scan: &Value) -> String {
    format!("/api/scans/{}/regions", scan["id"].as_str().unwrap())
}

/// Sends boxes, and the photograph where it is given.
async fn mark(client: &Client, path: &str, photo: Option<&[u8]>, regions: Option<&Value>) -> Reply {
    let mut form = Form::new();
    if let Some(photo) = photo {
        form = form.part("image", file(photo, "image/png"));
    }
    if let Some(regions) = regions {
        form = form.text("regions", regions.to_string());
    }
    send(client.request(Method::PUT, path).multipart(form)).await
}

fn areas(found: &Value) -> Vec<Value> {
    let regions = found["regions"].as_array().unwrap().iter();
    regions.map(|region| json!({ "area": region["area"], "label": region["correctedLabel"] })).collect()
}

fn labels(found: &Value) -> Vec<&str> {
    found["regions"].as_array().unwrap().iter().map(|region| region["label"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_parts_on_a_table_are_found_answered_and_counted_as_one_scan() {
    let (_app, ann, _) = TestApp::with_vehicle().await;
    let photo = table();
    let answer = scan_several(&ann, &photo).await.expect_status(200).json();
    let found = &answer["regions"];
    assert_eq!(labels(found), ON_THE_TABLE, "{found}");
    for (index, region) in found["regions"].as_array().unwrap().iter().enumerate() {
        assert_eq!(region["number"], index + 1);
        let side = |name: &str| region["area"][name].as_f64().unwrap();
        // The drawn part is smaller than its drawing, with which it has the middle in common.
        let middle = side("left") + side("width") / 2.0;
        let expected = (200.0 + 400.0 * index as f64) / 1200.0;
        assert!((middle - expected).abs() < 0.04 && (0.1..0.32).contains(&side("width")), "{region}");
    }
    assert_eq!(found["totals"].as_array().unwrap().len(), 3);
    assert_eq!(ann.used().await, 1);
    let history = ann.get("/api/scans").await.expect_status(200).json();
    assert_eq!(history["scans"].as_array().unwrap().len(), 1);

    // The surest speaks for the scan.
    let said = answer["identification"]["label"].as_str().unwrap();
    assert!(ON_THE_TABLE.contains(&said), "{said}");

    // It is all there when it is opened again, in the export, and gone with the scan.
    let path = path_of(&answer);
    assert_eq!(ann.get(&path).await.expect_status(200).json(), *found);
    let exported = ann.get("/api/auth/user/export").await.expect_status(200).json();
    assert_eq!(exported["scans"][0]["regions"].as_array().unwrap().len(), 3, "{}", exported["scans"]);
    ann.delete(&format!("/api/scans/{}", answer["id"].as_str().unwrap())).await.expect_status(204);
    ann.get(&path).await.problem(404, "not-found");
}

#[tokio::test(flavor = "multi_thread")]
async fn boxes_are_moved_added_deleted_and_corrected_without_a_further_scan() {
    let (_app, ann, _) = TestApp::with_vehicle().await;
    let photo = table();
    let answer = scan_several(&ann, &photo).await.expect_status(200).json();
    let path = path_of(&answer);

    // One is deleted, one corrected: nothing is looked at, so that no photograph is needed.
    let mut marked = areas(&answer["regions"]);
    marked.remove(2);
    marked[0]["label"] = json!("rim");
    let regions = json!(marked);
    let kept = mark(&ann, &path, None, Some(&regions)).await.expect_status(200).json();
    assert_eq!(kept["regions"][0]["correctedName"], answer["regions"]["regions"][1]["partName"]);
    assert_eq!((&kept["totals"][0]["label"], &kept["totals"][0]["count"]), (&json!("rim"), &json!(2)));
    assert_eq!(kept["regions"][1], answer["regions"]["regions"][1]);

    // A new box needs it, and gets the answer of what is there.
    let spring = json!({ "area": { "left": 0.7, "top": 0.15, "width": 0.27, "height": 0.7 } });
    marked.push(spring);
    let regions = json!(marked);
    let refused = mark(&ann, &path, None, Some(&regions)).await;
    assert!(refused.invalid("image").contains("send it again"), "{}", refused.text);
    let other = pictures::golden("meadow");
    let refused = mark(&ann, &path, Some(&other), Some(&regions)).await;
    assert!(refused.problem(422, "invalid").starts_with("This is not the photo"), "{}", refused.text);
    let added = mark(&ann, &path, Some(&photo), Some(&regions)).await.expect_status(200).json();
    assert_eq!(labels(&added), ON_THE_TABLE);
    assert_eq!(added["regions"][0], kept["regions"][0], "what was answered is not looked at again");

    // The same call twice does the same as once.
    let again = mark(&ann, &path, Some(&photo), Some(&regions)).await.expect_status(200).json();
    assert_eq!((&again["regions"], &again["totals"]), (&added["regions"], &added["totals"]));
    // Without a list, they are found anew.
    let anew = mark(&ann, &path, Some(&photo), None).await.expect_status(200).json();
    assert_eq!(anew["regions"], answer["regions"]["regions"]);
    let none = mark(&ann, &path, None, Some(&json!([]))).await.expect_status(200).json();
    assert_eq!((&none["regions"], &none["isLookedFor"]), (&json!([]), &json!(true)));
    assert_eq!(ann.used().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_photo_of_one_part_has_one_region_and_one_of_none_is_no_scan() {
    let (_app, ann, _) = TestApp::with_vehicle().await;
    let plain = ann.identify(&pictures::golden("rim")).await.expect_status(200).json();
    assert_eq!(plain.get("regions"), None);
    let path = path_of(&plain);
    let before = ann.get(&path).await.expect_status(200).json();
    assert_eq!((&before["isLookedFor"], &before["regions"]), (&json!(false), &json!([])));
    // Looked for afterwards, on a scan that was made without.
    let found = mark(&ann, &path, Some(&pictures::golden("rim")), None).await.expect_status(200).json();
    assert_eq!(labels(&found), ["rim"]);
    assert_eq!(ann.used().await, 1);
    scan_several(&ann, &pictures::golden("meadow")).await.problem(422, "not-identified");
    assert_eq!(ann.used().await, 1);
}

#[tokio::test]
async fn wrong_boxes_are_refused_and_say_why() {
    let (app, ann) = TestApp::ready_to_scan().await;
    let answer = ann.identify(&pictures::plain()).await.expect_status(200).json();
    let path = path_of(&answer);
    let area = |left: f64, width: f64| json!({ "left": left, "top": 0.1, "width": width, "height": 0.2 });
    let many: Vec<Value> = (0..21).map(|at| json!({ "area": area(f64::from(at) * 0.04, 0.05) })).collect();
    for (regions, expected) in [
        (json!({ "area": 1 }), "must be a JSON array"),
        (json!([{ "area": area(0.0, 0.5), "colour": 1 }]), "no field `regions[0].colour`"),
        (json!([{ "area": area(0.1, 0.5) }, { "area": area(0.1, 0.001) }]), "Box 2 is too small"),
        (json!([{ "area": area(0.8, 0.5) }]), "Box 1 reaches beyond"),
        (json!([{ "area": area(0.1, 0.5) }, { "area": area(0.1, 0.5) }]), "Boxes 1 and 2"),
        (json!([{ "area": area(0.1, 0.5), "label": "no-such-part" }]), "is not known here"),
        (json!(many), "at most 20"),
    ] {
        let reply = mark(&ann, &path, Some(&pictures::plain()), Some(&regions)).await;
        let message = reply.invalid("regions");
        assert!(message.contains(expected), "{regions}: {message}");
    }
    let misspelt = Form::new().part("image", file(&pictures::plain(), "image/png")).text("region", "[]");
    let misspelt = send(ann.request(Method::PUT, &path).multipart(misspelt)).await;
    assert!(misspelt.problem(422, "invalid").contains("no field `region`"), "{}", misspelt.text);
    assert_eq!(app.gate().images(), 1, "nothing but the scan was looked at");
    let not_a_photo = mark(&ann, &path, Some(b"GIF89a"), None).await;
    assert_eq!(not_a_photo.status, 422, "{}", not_a_photo.text);
    let json_body = ann.put_json(&path, &json!([])).await;
    assert_eq!(json_body.status, 415, "{}", json_body.text);
    assert_eq!(ann.get(&path).await.json()["isLookedFor"], false);
}

#[tokio::test]
async fn the_regions_of_somebody_elses_scan_are_not_there() {
    let (app, ann) = TestApp::ready_to_scan().await;
    let answer = ann.identify(&pictures::plain()).await.expect_status(200).json();
    let path = path_of(&answer);
    let bob = app.sign_up_with_vehicle("bob").await;
    bob.get(&path).await.problem(404, "not-found");
    mark(&bob, &path, Some(&pictures::plain()), None).await.problem(404, "not-found");
    mark(&bob, &path, None, Some(&json!([]))).await.problem(404, "not-found");
    assert_eq!(ann.get(&path).await.json()["isLookedFor"], false);
}

#[tokio::test]
async fn several_parts_are_looked_for_on_a_single_photo_and_within_the_allowance() {
    let (app, ann) = TestApp::ready_to_scan().await;
    let form = (0..2).fold(Form::new(), |form, _| form.part("image", file(&pictures::plain(), "image/png")));
    let reply = send(ann.request(Method::POST, "/api/identify?several=true").multipart(form)).await;
    assert!(reply.invalid("image").contains("one photo at a time"), "{}", reply.text);
    let two =
        ann.identify_form(super::several_photos::form_of(&[pictures::plain(), pictures::plain()])).await;
    let two = two.expect_status(200).json();
    let reply = mark(&ann, &path_of(&two), Some(&pictures::plain()), None).await;
    assert_eq!((reply.problem(422, "invalid").is_empty(), &reply.json()["field"]), (false, &json!("id")));
    assert_eq!((app.gate().images(), ann.used().await), (2, 1));
    let one = scan_several(&ann, &pictures::plain()).await.expect_status(200).json();
    assert_eq!((one["regions"]["regions"].as_array().unwrap().len(), ann.used().await), (1, 2));
}

/// A PNG in black and white with so many pixels a side, of which the data can hold as many and hold none.
fn claiming(side: u32) -> Vec<u8> {
    let chunk = |content: &[u8]| {
        // The checksum of PNG's chunks (ISO 3309), bit by bit.
        let checksum = !content.iter().fold(u32::MAX, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1)))
        });
        let length = u32::try_from(content.len() - 4).unwrap();
        [&length.to_be_bytes()[..], content, &checksum.to_be_bytes()].concat()
    };
    let head = [&b"IHDR"[..], &side.to_be_bytes(), &side.to_be_bytes(), &[1, 0, 0, 0, 0]].concat();
    let data = [&b"IDAT"[..], &[0; 16 * 1024]].concat();
    [&b"\x89PNG\r\n\x1a\n"[..], &chunk(&head), &chunk(&data)].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn looks_at_a_tiny_photo_are_work_that_an_account_has_only_so_much_of() {
    let (_app, ann, _) = TestApp::with_vehicle().await;
    let photo = table();
    let answer = scan_several(&ann, &photo).await.expect_status(200).json();
    // Broken photographs use up what the account may have without an answer: less than 16 million pixels are left.
    for side in [8000, 4000] {
        let large = claiming(side);
        let mut n_charged = 0;
        while ann.identify(&large).await.status != 429 {
            n_charged += 1;
            assert!(n_charged < 100, "nothing is charged for them");
        }
    }
    // Looks at 20 boxes are charged as 40 million.
    let area = |at: u8| json!({ "left": f64::from(at) * 0.04, "top": 0.1, "width": 0.05, "height": 0.2 });
    let boxes: Vec<Value> = (0..20).map(|at| json!({ "area": area(at) })).collect();
    let refused = mark(&ann, &path_of(&answer), Some(&photo), Some(&json!(boxes))).await;
    refused.problem(429, "too-many-attempts");
}
