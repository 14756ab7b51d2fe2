//! A zip as the photographs of a batch.

use std::io::{Cursor, Write as _};

use partsight_domain::Plan;
use reqwest::multipart::{Form, Part};
use serde_json::json;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::jobs::{new_batch, upload};
use crate::{TestApp, pictures};

pub(crate) fn zip_of(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes) in entries {
        writer.start_file(*path, SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn form(zip: Vec<u8>) -> Form {
    Form::new().part("zip", Part::bytes(zip).file_name("pallet.zip"))
}

#[tokio::test]
async fn the_photographs_of_a_zip_are_items_by_their_paths_and_sent_again_known() {
    let (_app, ann) = TestApp::stand_in_with_ann().await;
    let id = new_batch(&ann).await;
    let zip = zip_of(&[
        ("shelf/a.jpg", pictures::blocks(1, 0)),
        ("b.png", pictures::plain()),
        ("copy.jpg", pictures::blocks(1, 0)),
        ("notes.txt", b"x".to_vec()),
    ]);
    let report = upload(&ann, &id, form(zip.clone())).await.expect_status(200).json();
    let expected =
        json!({ "photos": [], "added": 2, "known": 0, "duplicates": 1, "seenBefore": 0, "leftOut": 1 });
    assert_eq!(report, expected);
    let page = ann.get(&format!("/api/batches/{id}/items")).await.json();
    assert_eq!(
        (&page["items"][0]["key"], &page["items"][0]["file"]),
        (&json!("shelf/a.jpg"), &json!("a.jpg"))
    );
    let again = upload(&ann, &id, form(zip)).await.expect_status(200).json();
    assert_eq!((&again["added"], &again["known"]), (&json!(0), &json!(3)));
}

#[tokio::test]
async fn a_hostile_zip_is_refused_whole_with_a_sentence_that_names_the_entry() {
    let (_app, ann) = TestApp::stand_in_with_ann().await;
    let id = new_batch(&ann).await;
    let good = ("a.png", pictures::plain());
    let whole = zip_of(std::slice::from_ref(&good));
    let cases = [
        (zip_of(&[good.clone(), ("../b.jpg", vec![1])]), "`../b.jpg`"),
        (zip_of(&[good.clone(), ("more.ZIP", vec![1])]), "`more.ZIP`"),
        (zip_of(&[good.clone(), ("bomb.bmp", vec![0; 3_000_000])]), "`bomb.bmp`"),
        (whole[..whole.len() - 30].to_vec(), "cut off"),
        (b"no zip at all".to_vec(), "cut off"),
    ];
    for (zip, expected) in cases {
        let reply = upload(&ann, &id, form(zip)).await;
        let detail = reply.problem(422, "invalid");
        assert!(detail.contains(expected), "{detail}");
        assert_eq!(reply.json()["field"], "zip", "{expected}");
    }
    let page = ann.get(&format!("/api/batches/{id}/items")).await.json();
    assert_eq!(page["items"], json!([]));
}

#[tokio::test]
async fn a_body_that_is_no_form_is_told_the_fields_of_this_call() {
    let app = TestApp::with_stand_in(|settings| settings.server.plan = Some(Plan::Pro)).await;
    let ann = app.sign_up("ann").await;
    let id = new_batch(&ann).await;
    let reply = ann.post(&format!("/api/batches/{id}/photos"), &json!({ "photo": "a.jpg" })).await;
    let sentence = reply.problem(415, "unsupported-media-type");
    assert!(sentence.contains("field `photo`") && sentence.contains("field `zip`"), "{sentence}");
    let reply = ann.post("/api/evaluations", &json!({ "zip": "a.zip" })).await;
    let sentence = reply.problem(415, "unsupported-media-type");
    assert!(sentence.contains("field `zip`") && !sentence.contains("`image`"), "{sentence}");
}
