//! The life of an evaluation, from its zip to its report.

use partsight_domain::Plan;
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::batches::zips::zip_of;
use crate::client::send;
use crate::plans::company::join;
use crate::{Client, Reply, TestApp, pictures};

/// Asks for an evaluation on a zip of these files.
pub(crate) async fn evaluate(client: &Client, files: &[(&str, Vec<u8>)]) -> Reply {
    send_zip(client, zip_of(files)).await
}

pub(crate) async fn send_zip(client: &Client, zip: Vec<u8>) -> Reply {
    let form = Form::new().part("zip", Part::bytes(zip).file_name("June.zip"));
    send(client.request(Method::POST, "/api/evaluations").multipart(form)).await
}

/// Lets the server make every evaluation that waits.
pub(crate) async fn work(app: &TestApp) {
    while app.use_cases.evaluations.evaluate_next().await.unwrap() {}
}

async fn evaluation(client: &Client, id: &str) -> Value {
    client.get(&format!("/api/evaluations/{id}")).await.expect_status(200).json()
}

fn id(reply: &Reply) -> String {
    reply.json()["id"].as_str().unwrap().to_owned()
}

/// A brake rotor, one that is labelled as a rim, and a drawing of nothing.
fn photos() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("photos/Brake Rotor/1.jpg", pictures::golden("brake-rotor")),
        ("photos/rim/2.jpg", pictures::golden("brake-rotor")),
        ("photos/not-a-part/3.png", pictures::plain()),
        ("photos/rim/broken.jpg", b"GIF89a".to_vec()),
    ]
}

#[tokio::test]
async fn an_evaluation_lives_from_its_zip_to_its_report() {
    let (app, ann) = TestApp::with_ann_on(Plan::Business).await;
    let made = evaluate(&ann, &photos()).await.expect_status(201).json();
    assert_eq!(
        (&made["name"], &made["state"], &made["photos"]),
        (&json!("June.zip"), &json!("waiting"), &json!(4))
    );
    let id = made["id"].as_str().unwrap();
    work(&app).await;
    let done = evaluation(&ann, id).await;
    assert_eq!(done["state"], "done", "{done}");
    assert_eq!((&done["done"], &done["known"], &done["right"]), (&json!(4), &json!(2), &json!(1)));
    let report = &done["report"];
    assert_eq!((&report["top1"]["count"], &report["top1"]["total"]), (&json!(1), &json!(2)));
    assert_eq!(report["noneOfThese"]["total"], 1);
    let unknown = &report["unknownLabels"][0];
    assert_eq!((&unknown["label"], &unknown["identified"]["total"]), (&json!("not-a-part"), &json!(1)));
    assert_eq!((&unknown["notAPart"], &unknown["takenFor"]), (&json!(1), &Value::Null), "{unknown}");
    assert_eq!((&report["unknownLabelCount"], &report["wrongLabelCount"]), (&json!(1), &json!(1)));
    assert_eq!(report["top1WithLikelyLabels"], 1.0, "the rim is surely a brake rotor");
    assert_eq!(report["mistakes"][0]["path"], "rim/2.jpg");
    assert_eq!(report["mistakes"][0]["guess"], "brake-rotor");
    assert_eq!(report["failures"][0]["path"], "rim/broken.jpg");
    assert!(report["lookalikeCount"].as_u64() >= Some(1), "two are the same file: {report}");
    // The dial's choices have the same confidences, by which the screen finds them.
    let dial = ann.get("/api/dial").await.json();
    for choice in dial["choices"].as_array().unwrap() {
        let confidence = &choice["identifiedConfidence"];
        let thresholds = report["thresholds"].as_array().unwrap();
        assert!(thresholds.iter().any(|one| one["confidence"] == *confidence), "{confidence}");
    }
    let file = |name: &str| format!("/api/evaluations/{id}/files/{name}");
    let picture = ann.get(&file(report["mistakes"][0]["picture"].as_str().unwrap())).await;
    assert_eq!(picture.expect_status(200).header("content-type"), "image/jpeg");
    let page = ann.get(&file("index.html")).await;
    let policy = page.expect_status(200).header("content-security-policy").to_owned();
    assert!(policy.contains("default-src 'none'"), "{policy}");
    assert!(policy.contains("sandbox") && !policy.contains("allow-same-origin"), "{policy}");
    assert!(page.text.contains("June.zip") && !page.text.contains("/tmp/"), "no path of the server");
    let json = ann.get(&file("report.json")).await;
    assert!(json.expect_status(200).header("content-disposition").starts_with("attachment"));
    for name in ["photos.csv", "rejection.csv"] {
        ann.get(&file(name)).await.expect_status(200);
    }
    ann.get(&file("nothing.csv")).await.problem(404, "not-found");
    // The photographs are gone, and the list has no figures.
    let list = ann.get("/api/evaluations").await.json();
    assert_eq!((&list[0]["report"], list.as_array().unwrap().len()), (&Value::Null, 1));
    let export = ann.get("/api/auth/user/export").await.json();
    assert_eq!(export["evaluations"][0]["id"], id);
    ann.delete(&format!("/api/evaluations/{id}")).await.expect_status(204);
    ann.get(&file("report.json")).await.problem(404, "not-found");
}

#[tokio::test]
async fn two_evaluations_are_compared_on_the_photographs_in_both() {
    let (app, ann) = TestApp::with_ann_on(Plan::Business).await;
    let first = id(evaluate(&ann, &photos()).await.expect_status(201));
    work(&app).await;
    // The label was wrong, and is put right.
    let list = b"path,label\na/1.jpg,brake-rotor\na/2.jpg,brake-rotor\n".to_vec();
    let corrected = [
        ("a/1.jpg", pictures::golden("brake-rotor")),
        ("a/2.jpg", pictures::golden("coil-spring")),
        ("list.csv", list),
    ];
    let second = id(evaluate(&ann, &corrected).await.expect_status(201));
    work(&app).await;
    let path = format!("/api/evaluations/{second}/comparison?with={first}");
    let compared = ann.get(&path).await.expect_status(200).json();
    assert_eq!((&compared["photos"], &compared["difference"]), (&json!(1), &json!(0.0)), "{compared}");
    let unknown = format!("/api/evaluations/{second}/comparison?with=0190a0a0-0000-7000-8000-000000000000");
    ann.get(&unknown).await.problem(404, "not-found");
}

#[tokio::test]
async fn a_list_that_differs_from_its_zip_says_so_in_the_report() {
    let (app, ann) = TestApp::with_ann_on(Plan::Business).await;
    let files = [
        ("p/0.jpg", pictures::golden("coil-spring")),
        ("p/1.jpg", pictures::golden("brake-rotor")),
        ("list.csv", b"path,label\np/1.jpg,brake-rotor\np/2.jpg,rim\n".to_vec()),
    ];
    let id = id(evaluate(&ann, &files).await.expect_status(201));
    work(&app).await;
    let report = &evaluation(&ann, &id).await["report"];
    let expected = json!([{
        "path": "p/2.jpg", "reason": "line 3 of the list names it, and there is no such photo",
    }]);
    assert_eq!(report["failures"], expected);
    let notice = json!("the list does not name 1 photograph, such as `p/0.jpg`");
    assert!(report["notices"].as_array().unwrap().contains(&notice), "{report}");
}

#[tokio::test]
async fn a_cancelled_evaluation_is_not_made_and_its_photographs_are_gone() {
    let (app, ann) = TestApp::stand_in_with_ann_on(Plan::Business).await;
    let files = [("rim/1.jpg", pictures::blocks(1, 0))];
    let first = id(evaluate(&ann, &files).await.expect_status(201));
    // One at a time of each account, and Bob's does not count.
    evaluate(&ann, &files).await.problem(409, "conflict");
    let bob = app.sign_up("bob").await;
    evaluate(&bob, &files).await.expect_status(201);
    let cancelled =
        ann.post_bare(&format!("/api/evaluations/{first}/cancel")).await.expect_status(200).json();
    assert_eq!(cancelled["state"], "cancelled");
    work(&app).await;
    assert_eq!(evaluation(&ann, &first).await["state"], "cancelled");
    let with = format!("/api/evaluations/{first}/comparison?with={first}");
    ann.get(&with).await.problem(422, "invalid");
    evaluate(&ann, &files).await.expect_status(201);
}

#[tokio::test]
async fn members_who_do_not_manage_a_company_see_no_evaluation() {
    let app = TestApp::with_stand_in(|settings| settings.server.plan = Some(Plan::Business)).await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    let company = ann.post("/api/company", &json!({ "name": "Lee's Garage" })).await.json();
    join(&ann, &format!("/api/company/{}", company["id"].as_str().unwrap()), &bob, "member").await;
    let files = [("rim/1.jpg", pictures::blocks(1, 0))];
    evaluate(&bob, &files).await.problem(403, "forbidden");
    let made = id(evaluate(&ann, &files).await.expect_status(201));
    bob.get(&format!("/api/evaluations/{made}")).await.problem(403, "forbidden");
    bob.get("/api/evaluations").await.problem(403, "forbidden");
}
