//! Another model, and the look over all photos.

use partsight_domain::Plan;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::send;
use crate::teaching::taught_parts::{add, checks, flower, form, identified, new_type, references, teach};
use crate::{TestApp, pictures};

#[tokio::test]
async fn references_of_another_model_are_embedded_again_and_held_back_until_then() {
    let (app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    let taught = teach(&client, new_type("EGR valve 47", &[flower(0), flower(18)])).await.json();
    assert_eq!(references(&taught).len(), 2);
    let status = async || client.get("/api/catalog").await.expect_status(200).json();
    let fresh = status().await;
    assert_eq!((&fresh["references"], &fresh["usable"]), (&json!(2), &json!(2)));

    // As if another model had made them; one of them has lost its picture.
    app.execute(
        "UPDATE part_reference SET model_sha256 = 'other', \
             revision = (SELECT revision + 1 FROM part_reference_revision); \
         UPDATE part_reference_revision SET revision = revision + 1; \
         DELETE FROM part_reference_photo WHERE part_reference_id = \
             (SELECT MIN(part_reference_id) FROM part_reference)",
    )
    .await;
    let again =
        TestApp::with(crate::Setup { folder: Some(app.folder.clone()), ..crate::Setup::default() }).await;
    let there = client.at(again.client().address());
    again.use_cases.teaching.prepare_references().await.unwrap();
    assert_eq!(again.use_cases.teaching.hold_references_back().await.unwrap(), 1);
    let waiting = there.get("/api/catalog").await.json();
    assert_eq!((&waiting["usable"], &waiting["reembedding"]["running"]), (&json!(0), &json!(true)));
    assert_eq!(waiting["withoutPicture"].as_array().unwrap().len(), 1);
    assert_eq!(waiting["withoutPicture"][0]["typeName"], "EGR valve 47");
    assert_eq!(identified(&there, &flower(9)).await, "not-identified");

    let progress = again.use_cases.teaching.reembed_references().await.unwrap();
    assert_eq!((progress.done, progress.failed, progress.is_running), (1, 0, false));
    let done = there.get("/api/catalog").await.json();
    assert_eq!((&done["usable"], &done["reembedding"]["done"]), (&json!(1), &json!(1)));
    assert_eq!(identified(&there, &flower(18)).await, "egr-valve-47");
    let metrics = there.get("/metrics").await.text;
    assert!(metrics.contains("partsight_reembedding_references{outcome=\"done\"} 1"), "{metrics}");
    assert!(metrics.contains("partsight_references_held_back 0"), "{metrics}");
    // There is nothing left to do at the next start, but to say what has no picture.
    assert_eq!(again.use_cases.teaching.hold_references_back().await.unwrap(), 0);
}

#[tokio::test]
async fn the_doctor_names_doubtful_photos_of_ones_own_parts_alone() {
    let (app, ann) = TestApp::with_ann_on(Plan::Pro).await;
    let bob = app.sign_up("bob").await;
    let empty = ann.get("/api/catalog/doctor").await.expect_status(200).json();
    assert_eq!((&empty["references"], &empty["lonely"]), (&json!(0), &json!([])));

    let egr = teach(&ann, new_type("EGR valve 47", &[flower(0), flower(18), flower(-20)])).await.json();
    // One of the flowers is in the wrong part, and a part has a single photo.
    let mixed = new_type("Door handle", &[checks(0), checks(13), flower(9)]).text("acceptCollision", "true");
    let door = teach(&ann, mixed).await.expect_status(201).json();
    add(&ann, "spark-plug", form(&[pictures::golden("meadow")])).await.expect_status(201);
    let found = ann.get("/api/catalog/doctor").await.expect_status(200).json();
    assert_eq!(found["references"], 7);
    assert_eq!(found["examined"], 7);
    assert_eq!(found["judged"], 6);
    let confused = &found["confusions"][0];
    let labels: Vec<&Value> =
        confused["parts"].as_array().unwrap().iter().map(|part| &part["label"]).collect();
    assert_eq!(labels, [&json!("door-handle"), &json!("egr-valve-47")]);
    let wrong = references(&door)[2].clone();
    assert!(confused["examples"].to_string().contains(&wrong), "{confused}");
    assert_eq!(found["lonely"][0]["part"]["name"], "Spark Plug");
    assert_eq!(found["lonely"][0]["photo"]["typeName"], "Spark Plug");
    // A taught type has the name that it was taught by.
    assert!(confused["examples"].to_string().contains("EGR valve 47"), "{confused}");
    let picture = found["lonely"][0]["photo"]["thumbnailUrl"].as_str().unwrap();
    ann.get(picture).await.expect_status(200);

    let nothing = bob.get("/api/catalog/doctor").await.expect_status(200).json();
    assert_eq!(nothing["references"], json!(0));
    let path = format!("/api/catalog/references/{}", references(&egr)[0]);
    send(ann.request(Method::DELETE, &path)).await.expect_status(204);
    assert_eq!(ann.get("/api/catalog/doctor").await.json()["references"], json!(6));
}
