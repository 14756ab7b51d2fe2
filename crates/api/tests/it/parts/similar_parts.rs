//! Parts of the shop that look like a scan: photographs taught for a part, and which parts a scan leads to.

use partsight_domain::Plan;
use reqwest::multipart::Form;
use serde_json::{Value, json};

use crate::client::file;
use crate::parts::shop_parts::create;
use crate::teaching::taught_parts::{add, flower, form, new_type, references, teach};
use crate::{Client, TestApp};

const TYPE: &str = "egr-valve-47";

/// Teaches a part type that flowers show, without any part of the shop.
async fn teach_type(client: &Client) {
    teach(client, new_type("EGR valve 47", &[flower(0)])).await.expect_status(201);
}

fn valve(number: &str, fitments: &Value) -> Value {
    json!({ "label": TYPE, "number": number, "brand": "Pierburg", "price": 89, "fitments": fitments })
}

/// Adds a part with photographs of its own and gives its id.
async fn part_with(client: &Client, body: &Value, photos: &[Vec<u8>]) -> String {
    let id = create(client, body).await;
    let label = body["label"].as_str().unwrap();
    add(client, label, form(photos).text("partId", id.clone())).await.expect_status(201);
    id
}

async fn scan(client: &Client, photo: &[u8], vehicle: &str) -> String {
    let form = Form::new().part("image", file(photo, "image/png")).text("vehicleId", vehicle.to_owned());
    let reply = client.identify_form(form).await;
    reply.expect_status(200).json()["id"].as_str().unwrap().to_owned()
}

async fn similar(client: &Client, scan: &str) -> Vec<String> {
    let found = client.get(&format!("/api/scans/{scan}/similar-parts")).await.expect_status(200).json();
    let found = found.as_array().unwrap();
    let scores: Vec<f64> = found.iter().map(|part| part["similarity"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores.iter().all(|score| *score > 0.2), "{scores:?}");
    found.iter().map(|part| part["number"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn photos_that_are_taught_for_a_part_are_the_parts() {
    let (app, client) = TestApp::with_vehicle_on(Plan::Pro).await;
    teach_type(&client).await;
    let id = part_with(&client, &valve("1", &json!([])), &[flower(18), flower(-20)]).await;
    let part = client.get(&format!("/api/catalog/parts/{id}")).await.json();
    let taught = client.get(&format!("/api/catalog/types/{TYPE}")).await.json();
    let photos: Vec<&Value> = part["photos"].as_array().unwrap().iter().map(|photo| &photo["id"]).collect();
    assert_eq!(json!(photos), json!(references(&taught)[1..]));

    // The checks of teaching hold for a part as well, and nothing is kept of what they refuse.
    let of_part = |photos: &[Vec<u8>], id: &str| form(photos).text("partId", id.to_owned());
    let copy = add(&client, TYPE, of_part(&[flower(18)], &id)).await.problem(422, "invalid");
    assert!(copy.contains("has been taught already"), "{copy}");
    let rim = create(&client, &json!({ "label": "rim", "number": "17x7" })).await;
    let bob = app.sign_up("bob").await;
    let others = create(&bob, &json!({ "label": "rim", "number": "17x7" })).await;
    let unknown = "0190a0a0-0000-7000-8000-000000000000";
    for wrong in [rim.as_str(), others.as_str(), unknown, "x"] {
        add(&client, TYPE, of_part(&[flower(9)], wrong)).await.invalid("partId");
    }
    let many: Vec<Vec<u8>> = (0..5).map(|view| flower(31 + 7 * view)).collect();
    add(&client, TYPE, of_part(&many, &id)).await.expect_status(201);
    let full = add(&client, TYPE, of_part(&[flower(80), flower(-50), flower(-70), flower(100)], &id)).await;
    assert!(full.problem(422, "invalid").contains("has 7 photos, and one has at most 10"), "{}", full.text);
    let taught = client.get(&format!("/api/catalog/types/{TYPE}")).await.json();
    assert_eq!(references(&taught).len(), 8);
}

#[tokio::test]
async fn a_scan_leads_to_the_parts_that_look_like_it_and_may_fit_its_vehicle() {
    let (app, client) = TestApp::with_ann_on(Plan::Pro).await;
    let civic = client.add_vehicle("Civic").await;
    let accord = client.add_vehicle("Accord").await;
    teach_type(&client).await;
    let of = |model: &str, fits: bool| json!([{ "make": "Honda", "model": model, "fits": fits }]);
    part_with(&client, &valve("open", &json!([])), &[flower(18)]).await;
    let fitting = part_with(&client, &valve("civic", &of("Civic", true)), &[flower(-20)]).await;
    part_with(&client, &valve("not-civic", &of("Civic", false)), &[flower(31)]).await;
    // What has no photograph is not found.
    create(&client, &valve("unseen", &json!([]))).await;

    let on_civic = scan(&client, &flower(9), &civic).await;
    let on_accord = scan(&client, &flower(9), &accord).await;
    let reply = client.get(&format!("/api/scans/{on_accord}/similar-parts")).await;
    let nearest = &reply.expect_status(200).json()[0];
    let keys: Vec<&String> = nearest.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["brand", "id", "label", "name", "number", "price", "similarity", "thumbnailUrl"],
        "{nearest}"
    );
    assert_eq!((&nearest["name"], &nearest["brand"]), (&json!("EGR valve 47"), &json!("Pierburg")));
    assert_eq!(nearest["price"], json!({ "cents": 8900, "currency": "USD" }));
    client.get(nearest["thumbnailUrl"].as_str().unwrap()).await.expect_status(200);
    let sorted = async |scan: &str| {
        let mut numbers = similar(&client, scan).await;
        numbers.sort_unstable();
        numbers
    };
    assert_eq!(sorted(&on_civic).await, ["civic", "open"]);
    assert_eq!(sorted(&on_accord).await, ["civic", "not-civic", "open"]);

    // What is said of a part holds from the next question on, and so does that it is gone.
    let path = format!("/api/catalog/parts/{fitting}");
    let photos = client.get(&path).await.json()["photos"][0]["id"].clone();
    let mut changed = valve("civic", &of("Civic", false));
    changed["photos"] = json!([photos]);
    client.put_json(&path, &changed).await.expect_status(200);
    assert_eq!(sorted(&on_civic).await, ["open"]);
    client.delete(&path).await.expect_status(204);
    assert_eq!(sorted(&on_accord).await, ["not-civic", "open"]);

    let bob = app.sign_up("bob").await;
    bob.get(&format!("/api/scans/{on_accord}/similar-parts")).await.problem(404, "not-found");
    // The answer of the scan did not hang on any of it.
    let answer = client.get(&format!("/api/scans/{on_civic}")).await.json();
    assert_eq!(answer["identification"]["label"], TYPE);
}

#[tokio::test]
async fn a_member_of_a_company_finds_its_parts_and_their_own() {
    let app = TestApp::with_settings(|_| {}).await;
    let (ann, bob) = (app.sign_up_with_vehicle("ann").await, app.sign_up("bob").await);
    let vehicle = bob.add_vehicle("Civic").await;
    app.execute("UPDATE app_user SET plan = 'business' WHERE email = 'ann@example.com'").await;
    teach_type(&ann).await;
    teach_type(&bob).await;
    let company = crate::plans::company::make(&ann).await;
    let own = create(&bob, &valve("own", &json!([]))).await;
    crate::plans::company::join(&ann, &company, &bob, "member").await;
    let of_company = part_with(&ann, &valve("company", &json!([])), &[flower(18)]).await;

    // Photographs of one's own part are one's own; of the company's, members teach none.
    let of_part = |id: &str, view: i32| form(&[flower(view)]).text("partId", id.to_owned());
    add(&bob, TYPE, of_part(&own, -20)).await.expect_status(201);
    add(&bob, TYPE, of_part(&of_company, 31)).await.problem(403, "forbidden");
    let scan = scan(&bob, &flower(9), &vehicle).await;
    let mut found = similar(&bob, &scan).await;
    found.sort_unstable();
    assert_eq!(found, ["company", "own"]);
}
