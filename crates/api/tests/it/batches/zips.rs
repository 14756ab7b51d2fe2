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
async fn a_zip_of_many_small_files_is_stored_in_groups_with_the_same_answers() {
    let (_app, ann) = TestApp::stand_in_with_ann().await;
    let (earlier, id) = (new_batch(&ann).await, new_batch(&ann).await);
    let file = |n: usize| format!("photo {n}").into_bytes();
    upload(&ann, &earlier, form(zip_of(&[("old.jpg", file(1)), ("older.jpg", file(150))]))).await;
    upload(&ann, &id, form(zip_of(&[("0.jpg", file(0)), ("70.jpg", b"another".to_vec())]))).await;

    let names: Vec<String> = (0..200).map(|n| format!("{n}.jpg")).collect();
    // Copies of one in the same group, of one in an earlier group, and of one that was there before.
    let copies = [("copy of 10.jpg", file(10)), ("copy of 199.jpg", file(199)), ("copy of 0.jpg", file(0))];
    let mut entries: Vec<(&str, Vec<u8>)> = names.iter().map(String::as_str).zip((0..).map(file)).collect();
    entries.extend(copies);
    let zip = zip_of(&entries);
    let report = upload(&ann, &id, form(zip.clone())).await.expect_status(200).json();
    let expected =
        json!({ "photos": [], "added": 199, "known": 1, "duplicates": 3, "seenBefore": 2, "leftOut": 0 });
    assert_eq!(report, expected);
    let again = upload(&ann, &id, form(zip)).await.expect_status(200).json();
    assert_eq!((&again["added"], &again["known"], &again["duplicates"]), (&json!(0), &json!(203), &json!(0)));
    // Another photograph under a key that is taken has a key of its own.
    let page = ann.get(&format!("/api/batches/{id}/items?limit=100")).await.json();
    let keys = page["items"].as_array().unwrap().iter().map(|item| item["key"].as_str().unwrap());
    let keys: Vec<&str> = keys.filter(|key| key.starts_with("70")).collect();
    assert_eq!(keys, ["70.jpg", "70.jpg (2)"]);
}

#[tokio::test]
async fn what_comes_before_a_refused_entry_of_a_zip_is_stored() {
    let (_app, ann) = TestApp::stand_in_with_ann().await;
    let id = new_batch(&ann).await;
    let long = format!("{}.jpg", "a".repeat(2_000));
    let zip = zip_of(&[("a.jpg", b"a".to_vec()), ("b.jpg", b"b".to_vec()), (&long, b"c".to_vec())]);
    upload(&ann, &id, form(zip)).await.problem(422, "invalid");
    let page = ann.get(&format!("/api/batches/{id}/items")).await.json();
    let keys: Vec<&str> =
        page["items"].as_array().unwrap().iter().map(|item| item["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["a.jpg", "b.jpg"]);
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
        let detail = reply.invalid("zip");
        assert!(detail.contains(expected), "{detail}");
    }
    let page = ann.get(&format!("/api/batches/{id}/items")).await.json();
    assert_eq!(page["items"], json!([]));
}

#[tokio::test]
async fn a_body_that_is_no_form_is_told_the_fields_of_this_call() {
    let (_app, ann) = TestApp::stand_in_with_ann_on(Plan::Pro).await;
    let id = new_batch(&ann).await;
    let reply = ann.post(&format!("/api/batches/{id}/photos"), &json!({ "photo": "a.jpg" })).await;
    let sentence = reply.problem(415, "unsupported-media-type");
    assert!(sentence.contains("field `photo`") && sentence.contains("field `zip`"), "{sentence}");
    let reply = ann.post("/api/evaluations", &json!({ "zip": "a.zip" })).await;
    let sentence = reply.problem(415, "unsupported-media-type");
    assert!(sentence.contains("field `zip`") && !sentence.contains("`image`"), "{sentence}");
}
