//! The text on photographs: when it is read, what its numbers do to the answer, and whose parts they name.

use reqwest::Method;
use reqwest::multipart::Form;
use serde_json::{Value, json};

use crate::batches::jobs::{items, photos, start, upload, work};
use crate::client::{file, send};
use crate::engine::Behaviour;
use crate::fake_judge::{FakeJudge, Says};
use crate::judging::judge::ask_fake_judge;
use crate::{Client, Engines, Reply, Setup, TestApp};

/// A drawing with this number, and other text, on it.
const NUMBER: &str = "27060-0L022";

fn picture(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../models/reading/golden/{name}.png", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

async fn scan(client: &Client, picture: &[u8], read: &str) -> Reply {
    let form = Form::new().part("image", file(picture, "image/png"));
    send(client.request(Method::POST, &format!("/api/identify?read={read}")).multipart(form)).await
}

/// What was read on a scan, once it is.
async fn reading_of(client: &Client, id: &str) -> Value {
    let path = format!("/api/scans/{id}/reading");
    loop {
        let reply = client.get(&path).await;
        match reply.json()["state"].as_str() {
            Some("pending") => {
                reply.expect_status(202);
                tokio::task::yield_now().await;
            }
            _ => return reply.expect_status(200).json(),
        }
    }
}

async fn add_part(client: &Client, number: &str, label: &str) {
    let part = json!({ "label": label, "number": number, "brand": "Denso" });
    client.post("/api/catalog/parts", &part).await.expect_status(201);
}

fn id_of(scan: &Value) -> String {
    scan["id"].as_str().unwrap().to_owned()
}

fn said(scan: &Value) -> (&str, &str) {
    (scan["verdict"].as_str().unwrap(), scan["identification"]["label"].as_str().unwrap())
}

const TIE: Behaviour = Behaviour::Tie(["brake-caliper", "brake-pad"]);

#[tokio::test(flavor = "multi_thread")]
async fn text_is_read_after_the_answer_and_goes_with_the_scan() {
    let app = TestApp::reading(TIE).await;
    let ann = app.sign_up_with_vehicle("ann").await;
    let answer = scan(&ann, &picture("level"), "later").await.expect_status(200).json();
    assert_eq!(answer.get("reading"), None);
    let id = id_of(&answer);
    let reading = reading_of(&ann, &id).await;
    let lines = reading["lines"].as_array().unwrap();
    let number = lines.iter().find(|line| line["text"] == NUMBER).unwrap();
    assert_eq!((&number["kind"], &number["number"]), (&json!("part-number"), &json!(NUMBER)));
    assert_eq!((&number["photo"], &number["readAs"]), (&json!(0), &json!(null)));
    let shares = number["corners"].as_array().unwrap().iter().flat_map(|corner| corner.as_array().unwrap());
    assert!(
        shares.clone().count() == 8
            && shares.clone().all(|share| (0.0..=1.0).contains(&share.as_f64().unwrap()))
    );
    assert_eq!(reading["parts"], json!([]), "nobody has such a part");
    let exported = ann.get("/api/auth/user/export").await.expect_status(200).json();
    assert!(
        exported["scans"][0]["text"].as_array().unwrap().contains(&json!(NUMBER)),
        "{}",
        exported["scans"]
    );
    // A repair of it begins with the number.
    let repair = json!({ "scanId": id, "mileage": 1000 });
    let repair = ann.post("/api/repair-history", &repair).await.expect_status(201).json();
    assert_eq!(repair["partNumber"], NUMBER);

    let bob = app.sign_up("bob").await;
    let path = format!("/api/scans/{id}/reading");
    bob.get(&path).await.expect_status(404);
    bob.put_json(&path, &json!({ "line": 0, "text": "x" })).await.expect_status(404);
    ann.delete(&format!("/api/scans/{id}")).await.expect_status(204);
    ann.get(&path).await.expect_status(404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_of_the_shop_settles_the_answer_that_waits_for_it() {
    for (name, behaviour, label, expected, says) in [
        ("the one of two", TIE, "brake-pad", ("identified", "brake-pad"), "named"),
        (
            "another than the picture shows",
            Behaviour::Lean(["brake-rotor", "rim"]),
            "spark-plug",
            ("not-sure", "brake-rotor"),
            "contradicts",
        ),
    ] {
        let app = TestApp::reading(behaviour).await;
        let ann = app.sign_up_with_vehicle("ann").await;
        add_part(&ann, "27060 0l022", label).await;
        let answer = scan(&ann, &picture("level"), "wait").await.expect_status(200).json();
        assert_eq!(said(&answer), expected, "{name}");
        let part = &answer["reading"]["parts"][0];
        assert_eq!(
            (&part["says"], &part["isExact"], &part["brand"]),
            (&json!(says), &json!(true), &json!("Denso"))
        );
        let kept = ann.get(&format!("/api/scans/{}", id_of(&answer))).await.expect_status(200).json();
        assert_eq!(said(&kept), expected, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_is_read_later_amends_the_scan() {
    let app = TestApp::reading(TIE).await;
    let ann = app.sign_up_with_vehicle("ann").await;
    add_part(&ann, NUMBER, "brake-pad").await;
    let answer = scan(&ann, &picture("level"), "later").await.expect_status(200).json();
    assert_eq!(said(&answer).0, "not-sure");
    let id = id_of(&answer);
    let reading = reading_of(&ann, &id).await;
    assert_eq!(
        (&reading["parts"][0]["says"], &reading["parts"][0]["typeName"]),
        (&json!("named"), &json!("Brake Pad"))
    );
    let scan_path = format!("/api/scans/{id}");
    assert_eq!(said(&ann.get(&scan_path).await.json()), ("identified", "brake-pad"));

    // Somebody sees that it is another number: the answer is the picture's again, and the number's when that is undone.
    let lines = reading["lines"].as_array().unwrap();
    let line = lines.iter().position(|line| line["text"] == NUMBER).unwrap();
    let correct = async |text: &str| {
        let body = json!({ "line": line, "text": text });
        ann.put_json(&format!("{scan_path}/reading"), &body).await.expect_status(200).json()
    };
    let corrected = correct("27060-0L923").await;
    assert_eq!((&corrected["lines"][line]["readAs"], &corrected["parts"]), (&json!(NUMBER), &json!([])));
    assert_eq!(said(&ann.get(&scan_path).await.json()), said(&answer));
    let undone = correct(" ").await;
    assert_eq!(
        (&undone["lines"][line]["readAs"], &undone["parts"][0]["says"]),
        (&json!(null), &json!("named"))
    );
    assert_eq!(said(&ann.get(&scan_path).await.json()), ("identified", "brake-pad"));
    for (body, field) in [
        (json!({ "line": 99, "text": "x" }), "line"),
        (json!({ "line": line, "text": "x".repeat(201) }), "text"),
    ] {
        ann.put_json(&format!("{scan_path}/reading"), &body).await.invalid(field);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_that_are_corrected_at_once_are_all_corrected() {
    let app = TestApp::reading(TIE).await;
    let ann = app.sign_up_with_vehicle("ann").await;
    let answer = scan(&ann, &picture("level"), "later").await.expect_status(200).json();
    let id = id_of(&answer);
    let n_lines = reading_of(&ann, &id).await["lines"].as_array().unwrap().len();
    assert!(n_lines > 1, "one line shows nothing");
    for round in 0..4 {
        let corrections = (0..n_lines).map(|line| {
            let body = json!({ "line": line, "text": format!("line {line} {round}") });
            let (ann, path) = (&ann, format!("/api/scans/{id}/reading"));
            async move {
                ann.put_json(&path, &body).await.expect_status(200);
            }
        });
        futures_util::future::join_all(corrections).await;
        let reading = reading_of(&ann, &id).await;
        for line in 0..n_lines {
            assert_eq!(reading["lines"][line]["text"], format!("line {line} {round}"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_of_another_tenant_is_never_named() {
    let app = TestApp::reading(TIE).await;
    let (ann, bob) = (app.sign_up_with_vehicle("ann").await, app.sign_up("bob").await);
    // The maker on the picture is named whoever has parts of it; this one stands nowhere else.
    let part = json!({ "label": "brake-pad", "number": NUMBER, "brand": "Bob & Sons", "name": "Bob's pads" });
    bob.post("/api/catalog/parts", &part).await.expect_status(201);
    let answer = scan(&ann, &picture("level"), "wait").await.expect_status(200).json();
    assert_eq!((said(&answer).0, &answer["reading"]["parts"]), ("not-sure", &json!([])));
    let text = ann.get(&format!("/api/scans/{}/reading", id_of(&answer))).await.text;
    assert!(text.contains(NUMBER) && text.contains(r#""parts":[]"#), "{text}");
    assert!(!text.contains("Bob"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_photographs_of_a_batch_are_read_where_it_asks_for_that() {
    let app = TestApp::reading(TIE).await;
    let ann = app.sign_up_with_vehicle("ann").await;
    add_part(&ann, NUMBER, "brake-pad").await;
    for (read_text, expected) in [(false, ("not-sure", 0)), (true, ("identified", 1))] {
        let new = json!({ "name": "Returns", "readText": read_text });
        let batch = ann.post("/api/batches", &new).await.expect_status(201).json();
        assert_eq!(batch["readText"], read_text);
        let id = id_of(&batch);
        upload(&ann, &id, photos(&[("one", picture("level"))])).await.expect_status(200);
        start(&ann, &id).await.expect_status(200);
        work(&app).await;
        let scan = &items(&ann, &id, "").await[0]["scan"];
        let found = items(&ann, &id, "?number=27060-OL").await.len();
        assert_eq!((scan["verdict"].as_str().unwrap(), found), expected, "{scan}");
        if read_text {
            let reading = reading_of(&ann, &id_of(scan)).await;
            assert_eq!((&reading["state"], &reading["parts"][0]["says"]), (&json!("read"), &json!("named")));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_leaves_an_answer_without_text() {
    let app = TestApp::reading(TIE).await;
    let ann = app.sign_up_with_vehicle("ann").await;
    add_part(&ann, NUMBER, "brake-pad").await;
    let mirrored = image::load_from_memory(&picture("level")).unwrap().fliph();
    let mirrored = crate::pictures::encode(&mirrored, image::ImageFormat::Png);
    for (name, picture) in [("without text", picture("nothing")), ("mirrored", mirrored)] {
        let answer = scan(&ann, &picture, "wait").await.expect_status(200).json();
        let reading = &answer["reading"];
        assert_eq!((&reading["state"], &reading["parts"]), (&json!("read"), &json!([])), "{name}: {reading}");
    }
    // Not asked for: nobody waits for it.
    let answer = scan(&ann, &picture("level"), "off").await.expect_status(200).json();
    let path = format!("/api/scans/{}/reading", id_of(&answer));
    assert_eq!(ann.get(&path).await.expect_status(200).json()["state"], "not-read");
    ann.put_json(&path, &json!({ "line": 0, "text": "x" })).await.problem(422, "invalid");
}

#[tokio::test]
async fn a_server_that_reads_nothing_answers_all_the_same() {
    let (_app, ann) = TestApp::ready_to_scan().await;
    let answer = scan(&ann, &picture("level"), "wait").await.expect_status(200).json();
    assert_eq!(answer["reading"]["state"], "off");
    assert_eq!(reading_of(&ann, &id_of(&answer)).await["state"], "off");
    let refused = scan(&ann, &picture("level"), "now").await;
    assert!([400, 422].contains(&refused.status), "{}", refused.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_judge_is_told_what_was_read_and_only_where_it_may_be_asked() {
    let fake = FakeJudge::saying(Says::Candidate(1)).await;
    let engines = Some(Engines { count: 1, behaviour: TIE, is_open: true });
    let mut setup = Setup { engines, reads_text: true, ..Setup::default() };
    ask_fake_judge(&mut setup.settings, &fake);
    let app = TestApp::with(setup).await;
    let ann = app.sign_up_with_vehicle("ann").await;
    let answer = scan(&ann, &picture("level"), "later").await.expect_status(200).json();
    let told = fake.questions().remove(0).text();
    assert!(told["readText"].as_array().unwrap().contains(&json!(NUMBER)), "{told}");
    // It was read for the judge, so it is there with the answer.
    let reading = ann.get(&format!("/api/scans/{}/reading", id_of(&answer))).await.expect_status(200).json();
    assert_eq!(reading["state"], "read");

    let bob = app.sign_up_with_vehicle("bob").await;
    bob.put_json("/api/judge/own", &json!({ "allowed": false })).await.expect_status(200);
    scan(&bob, &picture("tilted"), "later").await.expect_status(200);
    assert_eq!(fake.questions().len(), 1, "nothing is sent for those who refuse");
}
