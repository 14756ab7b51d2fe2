//! Parts that look alike: the question of teaching, the marks, and what a scan answers between them.

use jiff::SignedDuration;
use partsight_domain::Plan;
use serde_json::{Value, json};

use super::taught_parts::{add, checks, flower, form, new_type, references, teach};
use crate::{Client, Reply, TestApp, pictures};

/// What is asked of a photograph that looks like another part.
fn question(reply: &Reply) -> Value {
    let sentence = reply.problem(409, "looks-alike");
    let body = reply.json();
    let name = body["resembles"]["name"].as_str().unwrap();
    let number = &body["resembles"]["photo"];
    let expected =
        format!("Photo {number} looks more like {name} than like this part. If it shows this part, ");
    assert!(sentence.starts_with(&expected) && sentence.contains("`acceptCollision`"), "{sentence}");
    assert_eq!(body["field"], "image");
    body["resembles"].clone()
}

fn path(label: &str, other: &str) -> String {
    format!("/api/catalog/types/{label}/look-alikes/{other}")
}

async fn mark(client: &Client, label: &str, other: &str) -> Reply {
    client.put(&path(label, other)).await
}

/// The labels of the look-alikes of a part.
async fn look_alikes(client: &Client, label: &str) -> Vec<String> {
    let part = client.get(&format!("/api/catalog/types/{label}")).await.expect_status(200).json();
    let list = part["lookAlikes"].as_array().unwrap();
    list.iter().map(|other| other["id"].as_str().unwrap().to_owned()).collect()
}

/// The verdict of a scan, why it is one of several, and of which.
async fn answer(client: &Client, photo: &[u8]) -> (String, Value, Vec<String>) {
    let scan = client.identify(photo).await.expect_status(200).json();
    let labels = scan["candidateSet"]["labels"].as_array().cloned().unwrap_or_default();
    let labels = labels.iter().map(|one| one["label"].as_str().unwrap().to_owned()).collect();
    (scan["verdict"].as_str().unwrap().to_owned(), scan["candidateSet"]["reason"].clone(), labels)
}

async fn add_shop_part(client: &Client, label: &str, number: &str, notes: &str) {
    let part = json!({ "label": label, "number": number, "brand": "Pierburg", "notes": notes });
    client.post("/api/catalog/parts", &part).await.expect_status(201);
}

#[tokio::test]
async fn a_photo_of_another_part_is_a_question_with_its_name_picture_and_number() {
    let (_app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    // One that the model is sure of, and of which nobody has taught a picture.
    let asked = question(&teach(&client, new_type("EGR valve 47", &[pictures::golden("rim")])).await);
    assert_eq!(
        (&asked["photo"], &asked["id"], &asked["thumbnailUrl"]),
        (&json!(1), &json!("rim"), &Value::Null)
    );
    assert_eq!(client.get("/api/catalog/types").await.json(), json!([]), "nothing is saved");

    // One that another taught part is nearer to than its own.
    let flowers = teach(&client, new_type("EGR valve 47", &[flower(0), flower(18)])).await.json();
    add_shop_part(&client, "egr-valve-47", "7.22", "Six pins.").await;
    let mixed = [checks(0), checks(13), flower(9)];
    let asked = question(&teach(&client, new_type("Door handle 12", &mixed)).await);
    assert_eq!((&asked["photo"], &asked["name"]), (&json!(3), &json!("EGR valve 47")));
    let picture = asked["thumbnailUrl"].as_str().unwrap();
    assert!(references(&flowers).iter().any(|id| picture.contains(id.as_str())), "{picture}");
    let shown = &asked["shopParts"][0];
    assert_eq!((&shown["number"], &shown["notes"]), (&json!("7.22"), &json!("Six pins.")));
    assert_eq!(client.get("/api/catalog/types").await.json().as_array().unwrap().len(), 1);

    // What is wrong is said before anything is asked.
    let blank = teach(&client, new_type("Door handle 12", &[flower(9), pictures::plain()])).await;
    blank.problem(422, "invalid");

    let meant = new_type("Door handle 12", &mixed).text("acceptCollision", "true");
    let taught = teach(&client, meant).await.expect_status(201).json();
    assert_eq!(references(&taught).len(), 3);
    let marked = &taught["lookAlikes"][0];
    assert_eq!((&marked["id"], &marked["name"]), (&json!("egr-valve-47"), &json!("EGR valve 47")));
    assert_eq!((&marked["isOwn"], &marked["shopParts"][0]["number"]), (&json!(true), &json!("7.22")));
    assert_eq!(look_alikes(&client, "egr-valve-47").await, ["door-handle-12"]);
    // Of a marked pair nobody is asked again.
    add(&client, "door-handle-12", form(&[flower(-20)])).await.expect_status(201);
    let doctor = client.get("/api/catalog/doctor").await.json();
    let pair: Vec<&Value> =
        doctor["lookAlikes"][0].as_array().unwrap().iter().map(|part| &part["name"]).collect();
    assert_eq!(pair, [&json!("Door handle 12"), &json!("EGR valve 47")]);
    let export = client.get("/api/auth/user/export").await.json();
    assert_eq!(export["lookAlikes"][0]["parts"], json!(["door-handle-12", "egr-valve-47"]));

    // The mark comes back with a part that was deleted.
    let part = "/api/catalog/types/door-handle-12";
    client.delete(part).await.expect_status(204);
    assert_eq!(client.get("/api/catalog/doctor").await.json()["lookAlikes"], json!([]));
    client.post(&format!("{part}/restore"), &json!({})).await.expect_status(200);
    assert_eq!(client.get("/api/catalog/doctor").await.json()["lookAlikes"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn teaching_is_no_way_to_scan_without_end() {
    let app = TestApp::with_settings(|_| {}).await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    let lesson = || new_type("EGR valve 47", &[pictures::golden("rim")]);
    for _ in 0..100 {
        question(&teach(&ann, lesson()).await);
    }
    let used_up = [lesson(), lesson().text("acceptCollision", "true")];
    for lesson in used_up {
        let refused = teach(&ann, lesson).await;
        let sentence = refused.problem(429, "too-many-attempts");
        assert!(sentence.contains("100 an hour") && !refused.text.contains("rim"), "{}", refused.text);
        assert!((1..=37).contains(&refused.header("retry-after").parse::<u32>().unwrap()));
    }
    // What looks like no other part is taught as before, and others are asked as before.
    teach(&ann, new_type("EGR valve 47", &[flower(0)])).await.expect_status(201);
    question(&teach(&bob, lesson()).await);
    app.advance(SignedDuration::from_secs(36));
    question(&teach(&ann, new_type("Wheel 8J", &[pictures::golden("rim")])).await);
}

#[tokio::test]
async fn between_marked_parts_a_scan_says_that_it_is_one_of_them() {
    let (_app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    let photo = pictures::golden("rim");
    let form = new_type("Wheel 8J", std::slice::from_ref(&photo)).text("acceptCollision", "true");
    teach(&client, form).await.expect_status(201);
    assert_eq!(look_alikes(&client, "rim").await, ["wheel-8j"], "the page of what the model has learnt, too");
    add_shop_part(&client, "wheel-8j", "8J17", "Five bolts.").await;

    let scan = client.identify(&photo).await.expect_status(200).json();
    assert_eq!(scan["verdict"], "not-sure", "{scan}");
    let set = &scan["candidateSet"];
    assert_eq!((&set["reason"], &set["coverage"]), (&json!("look-alikes"), &Value::Null));
    let labels = set["labels"].as_array().unwrap();
    let mut names: Vec<&str> = labels.iter().map(|one| one["label"].as_str().unwrap()).collect();
    assert_eq!(names[0], scan["identification"]["label"]);
    names.sort_unstable();
    assert_eq!(names, ["rim", "wheel-8j"]);
    let wheel = labels.iter().find(|one| one["label"] == "wheel-8j").unwrap();
    let told = &wheel["shopParts"][0];
    assert_eq!((&told["number"], &told["notes"]), (&json!("8J17"), &json!("Five bolts.")));
    assert_eq!((&scan["rolledUp"], &scan["receipt"]["notJudged"]), (&Value::Null, &json!("look-alikes")));
    // The history says the same.
    let id = scan["id"].as_str().unwrap();
    let kept = client.get(&format!("/api/scans/{id}")).await.json();
    assert_eq!(kept["candidateSet"], scan["candidateSet"]);
    assert_eq!(client.get("/api/scans/recent").await.json()[0]["candidateSet"], scan["candidateSet"]);
}

#[tokio::test]
async fn two_parts_can_be_marked_and_unmarked_at_any_time() {
    let (_app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    let rotor = pictures::golden("brake-rotor");
    let identified = ("identified".to_owned(), Value::Null, vec![]);
    assert_eq!(answer(&client, &rotor).await, identified);
    for (label, other) in [("brake-rotor", "rim"), ("rim", "brake-rotor")] {
        mark(&client, label, other).await.expect_status(204);
    }
    assert_eq!(look_alikes(&client, "rim").await, ["brake-rotor"], "once");
    let open =
        ("not-sure".to_owned(), json!("look-alikes"), vec!["brake-rotor".to_owned(), "rim".to_owned()]);
    assert_eq!(answer(&client, &rotor).await, open);
    client.delete(&path("rim", "brake-rotor")).await.expect_status(204);
    assert_eq!(answer(&client, &rotor).await, identified);
    client.delete(&path("rim", "brake-rotor")).await.problem(404, "not-found");

    // A part that no scan can answer with is no reason to leave it open.
    let taught = teach(&client, new_type("EGR valve 47", &[flower(0)])).await.expect_status(201).json();
    mark(&client, "egr-valve-47", "brake-rotor").await.expect_status(204);
    assert_eq!(answer(&client, &rotor).await.2, ["brake-rotor", "egr-valve-47"]);
    let photo = format!("/api/catalog/references/{}", references(&taught)[0]);
    client.delete(&photo).await.expect_status(204);
    assert_eq!(answer(&client, &rotor).await, identified);
    client.post(&format!("{photo}/restore"), &json!({})).await.expect_status(204);
    assert_eq!(answer(&client, &rotor).await.0, "not-sure");
}

#[tokio::test]
async fn what_cannot_be_marked_is_refused_and_marks_are_nobody_elses() {
    let (app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    let bob = app.sign_up_with_vehicle("bob").await;
    teach(&client, new_type("EGR valve 47", &[flower(0)])).await.expect_status(201);
    mark(&client, "rim", "rim").await.invalid("other");
    for (label, other) in [("rim", "no-such-part"), ("no-such-part", "rim"), ("rim", "A+b")] {
        mark(&client, label, other).await.problem(404, "not-found");
        client.delete(&path(label, other)).await.problem(404, "not-found");
    }
    mark(&bob, "rim", "egr-valve-47").await.problem(404, "not-found");

    mark(&client, "rim", "egr-valve-47").await.expect_status(204);
    bob.delete(&path("rim", "egr-valve-47")).await.problem(404, "not-found");
    assert_eq!(look_alikes(&bob, "rim").await, Vec::<String>::new());
    assert_eq!(look_alikes(&client, "rim").await, ["egr-valve-47"]);
}
