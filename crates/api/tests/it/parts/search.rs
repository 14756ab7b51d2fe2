//! Finding parts by words, and whether they fit.

use partsight_domain::Plan;
use serde_json::{Value, json};

use crate::client::assert_reply_snapshot;
use crate::parts::shop_parts::{create, plug};
use crate::plans::company::{join, make, start};
use crate::{Client, Engines, Setup, TestApp, engine::Behaviour, pictures};

async fn ids(client: &Client, query: &str) -> Vec<String> {
    let found = client.get(&format!("/api/parts/search?{query}")).await.expect_status(200).json();
    found.as_array().unwrap().iter().map(|part| part["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn part_types_are_found_in_spite_of_typing_errors() {
    let (_app, client) = TestApp::stand_in_with_ann().await;
    for (query, expected) in [
        ("q=spark%20plug", "spark-plug"),
        ("q=sparc%20plgu", "spark-plug"),
        ("q=Brake%20Disc", "brake-rotor"),
        ("q=muffler", "muffler"),
        ("q=mufler&category=exhaust", "muffler"),
        ("q=altternator&limit=1", "alternator"),
    ] {
        assert_eq!(ids(&client, query).await.first().map(String::as_str), Some(expected), "{query}");
    }
    assert_eq!(ids(&client, "q=spark%20plug&category=brake").await, Vec::<String>::new());
    assert_eq!(ids(&client, "q=xyzzyx").await, Vec::<String>::new());
    assert!(ids(&client, "q=brake&limit=2").await.len() == 2);
    for (query, status, code) in [
        ("", 422, "invalid"),
        ("q=%20-", 422, "invalid"),
        ("q=a&limit=51", 422, "invalid"),
        ("q=a&limit=0", 422, "invalid"),
        ("q=a&category=wings", 404, "not-found"),
    ] {
        client.get(&format!("/api/parts/search?{query}")).await.problem(status, code);
    }
    client.get(&format!("/api/parts/search?q={}", "x".repeat(101))).await.problem(422, "invalid");
}

#[tokio::test]
async fn the_parts_of_the_own_shop_are_found_by_number_name_and_brand() {
    let (app, ann) = start().await;
    let bob = app.sign_up("bob").await;
    let id = create(&ann, &plug("ILZKR7B-11S")).await;
    for query in ["ilzkr7b11s", "ILZKR7B", "ilzkr7b-12s", "ngk", "iridum"] {
        assert_eq!(ids(&ann, &format!("q={query}")).await.first(), Some(&id), "{query}");
        assert!(!ids(&bob, &format!("q={query}")).await.contains(&id), "{query}");
    }
    let reply = ann.get("/api/parts/search?q=ILZKR7B-11S").await;
    assert_eq!(reply.json()[0]["kind"], "part");
    assert_reply_snapshot!("found_parts", reply);
    // What the company has is found by its members.
    let company = make(&ann).await;
    join(&ann, &company, &bob, "member").await;
    assert_eq!(ids(&bob, "q=ilzkr7b11s").await, [id]);
}

async fn add_tesla(client: &Client) -> String {
    let body = json!({ "make": "Tesla", "model": "Model 3", "year": 2021 });
    client.post("/api/vehicles", &body).await.expect_status(201).json()["id"].as_str().unwrap().to_owned()
}

async fn fits(client: &Client, id: &str, vehicle: &str) -> Value {
    client.get(&format!("/api/parts/{id}/fits?vehicleId={vehicle}")).await.expect_status(200).json()
}

#[tokio::test]
async fn the_compatibility_check_says_whether_who_and_why() {
    let (_app, client) = TestApp::stand_in_with_ann_on(Plan::Pro).await;
    let (civic, tesla) = (client.add_vehicle("Civic").await, add_tesla(&client).await);
    let verdict = |answer: &Value| {
        let text = |field: &str| answer[field].as_str().unwrap_or_default().to_owned();
        (text("verdict"), text("source"))
    };
    let says = |verdict: &str, source: &str| (verdict.to_owned(), source.to_owned());

    let electric = client.get(&format!("/api/parts/spark-plug/fits?vehicleId={tesla}")).await;
    assert_reply_snapshot!("a_spark_plug_on_an_electric_car", electric);
    assert_eq!(verdict(&fits(&client, "brake-pad", &tesla).await), says("unknown", ""));
    assert_eq!(verdict(&fits(&client, "spark-plug", &civic).await), says("unknown", ""));

    let listed = create(&client, &plug("1")).await;
    let excluded = create(&client, &json!({
        "label": "spark-plug", "number": "2", "fitments": [{ "make": "Honda", "fits": false, "note": "too long" }],
    }))
    .await;
    let bare = create(&client, &json!({ "label": "spark-plug", "number": "3" })).await;
    for (part, vehicle, expected) in [
        (&listed, &civic, says("fits", "shop")),
        (&excluded, &civic, says("does-not-fit", "shop")),
        (&bare, &civic, says("unknown", "")),
        // What the vehicle lacks comes before what the shop wrote.
        (&listed, &tesla, says("does-not-fit", "vehicle")),
    ] {
        assert_eq!(verdict(&fits(&client, part, vehicle).await), expected);
    }
    let of_type = fits(&client, "spark-plug", &civic).await;
    assert_eq!(verdict(&of_type), says("fits", "shop"));
    assert_eq!(of_type["parts"].as_array().unwrap().len(), 1);
    assert!(of_type["reason"].as_str().unwrap().starts_with("Your shop has NGK 1: "), "{of_type}");
    // The default vehicle, where none is named.
    let default = client.get("/api/parts/spark-plug/fits").await.expect_status(200).json();
    assert_eq!(default["vehicle"]["make"], "Honda");
}

#[tokio::test]
async fn the_compatibility_check_is_part_of_pro_and_knows_only_own_things() {
    let app = TestApp::with_stand_in(|_| {}).await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    let vehicle = ann.add_vehicle("Civic").await;
    let part = create(&ann, &plug("1")).await;
    let path = format!("/api/parts/{part}/fits?vehicleId={vehicle}");
    let refused = ann.get(&path).await.problem(403, "forbidden");
    assert!(refused.contains("Pro and Business"), "{refused}");
    app.execute("UPDATE app_user SET plan = 'pro'").await;
    ann.get(&path).await.expect_status(200);
    bob.get(&path).await.problem(404, "not-found");
    bob.get(&format!("/api/parts/spark-plug/fits?vehicleId={vehicle}")).await.problem(404, "not-found");
    bob.get("/api/parts/spark-plug/fits").await.problem(422, "invalid");
    bob.get("/api/parts/flux-capacitor/fits").await.problem(404, "not-found");
}

#[tokio::test]
async fn what_cannot_be_on_the_vehicle_ranks_lower_and_the_scan_says_why() {
    let app = TestApp::with_tie(["spark-plug", "brake-rotor"]).await;
    let client = app.sign_up("ann").await;
    let civic = client.add_vehicle("Civic").await;
    let on_civic = client.identify(&pictures::plain()).await.expect_status(200).json();
    assert_eq!((&on_civic["verdict"], &on_civic["vehicleDoubts"]), (&json!("not-sure"), &json!([])));

    let tesla = add_tesla(&client).await;
    client.put(&format!("/api/vehicles/{tesla}/default")).await.expect_status(200);
    let scan = client.identify(&pictures::plain()).await.expect_status(200).json();
    assert_eq!(scan["verdict"], "identified");
    assert_eq!(scan["identification"]["label"], "brake-rotor");
    let doubts = scan["vehicleDoubts"].as_array().unwrap();
    assert_eq!(
        (doubts.len(), &doubts[0]["label"], &doubts[0]["name"]),
        (1, &json!("spark-plug"), &json!("Spark Plug"))
    );
    let before = doubts[0]["confidenceWithoutVehicle"].as_f64().unwrap();
    let after = scan["alternatives"][0]["confidence"].as_f64().unwrap();
    assert!((before - 0.5).abs() < 0.01 && after < 0.03, "{before} {after}");
    assert_eq!(
        doubts[0]["reason"],
        "A 2021 Tesla Model 3 has no engine with spark ignition, so Spark Plug cannot be on it."
    );
    // The history keeps it.
    let kept = client.get(&format!("/api/scans/{}", scan["id"].as_str().unwrap())).await.json();
    assert_eq!(kept["vehicleDoubts"], scan["vehicleDoubts"]);
    assert!(!civic.is_empty());
}

#[tokio::test]
async fn a_sure_look_is_not_talked_away_by_the_vehicle() {
    let behaviour = Behaviour::Tie(["spark-plug", "spark-plug"]);
    let mut setup =
        Setup { engines: Some(Engines { count: 1, behaviour, is_open: true }), ..Setup::default() };
    setup.settings.server.plan = Some(Plan::Pro);
    let app = TestApp::with(setup).await;
    let client = app.sign_up("ann").await;
    add_tesla(&client).await;
    let scan = client.identify(&pictures::plain()).await.expect_status(200).json();
    assert_eq!(scan["identification"]["label"], "spark-plug");
    assert_eq!(scan["vehicleDoubts"][0]["label"], "spark-plug");
}
