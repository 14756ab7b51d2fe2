//! What a language model fills in where the catalogue has nothing: asked for once, labelled, and checked.

use jiff::SignedDuration;
use partsight_app::{JudgeProvider, Settings};
use partsight_domain::{Plan, ServiceUrl};
use serde_json::{Value, json};

use crate::fake_judge::{FakeJudge, Question, Says};
use crate::judging::judge::{ANSWER_COST, ask_fake_judge, sign_in_again, spent_today};
use crate::teaching::taught_parts::{flower, new_type, teach};
use crate::{Client, TestApp};

pub(crate) const OIL: &str = "/api/vehicles/ai/oil-specs/Trabant/601/1988";

pub(crate) fn oil() -> Value {
    json!({ "grade": "10W-40", "capacityQuarts": 3.2, "intervalMiles": 6000, "intervalMonths": 12, "standard": "API SG" })
}

pub(crate) fn guide() -> Value {
    json!({
        "known": true, "difficulty": "medium", "timeMinutesLow": 60, "timeMinutesHigh": 120,
        "tools": ["Ratchet", "New gasket"],
        "steps": ["Let the engine cool.", "Undo the two bolts.", "Fit the new valve with a new gasket."],
        "safety": "The exhaust stays hot for a long time.",
    })
}

pub(crate) fn notes() -> Value {
    json!({ "notes": ["The 1.8 and the 2.4 take different plugs."], "compare": ["Thread reach"] })
}

/// A server whose language model is `fake`, which everybody may ask, and Ann.
pub(crate) async fn server(fake: &FakeJudge, change: impl FnOnce(&mut Settings)) -> (TestApp, Client) {
    let app = TestApp::with_stand_in(|settings| {
        ask_fake_judge(settings, fake);
        change(settings);
    })
    .await;
    let ann = app.sign_up("ann").await;
    (app, ann)
}

/// Teaches `ann` a part type of this server, without photographs.
pub(crate) async fn teach_ann(app: &TestApp) {
    app.execute(
        "INSERT INTO taught_part_type (taught_part_type_id, tenant_id, label, name, category, created_at) \
         SELECT 'type-of-ann', tenant_id, 'brass-valve', 'Brass valve', 'engine', 0 FROM app_user \
         WHERE email = 'ann@example.com'",
    )
    .await;
}

pub(crate) async fn ask_oil(client: &Client, vehicle: &str) -> Value {
    client.post_bare(&format!("/api/vehicles/{vehicle}/oil/ai")).await.expect_status(200).json()
}

fn assert_labelled(ai: &Value) {
    assert_eq!((&ai["status"], &ai["label"]), (&json!("filled"), &json!("AI, verify")), "{ai}");
    assert_eq!((&ai["model"], &ai["reason"]), (&json!("judge-1"), &Value::Null));
    assert!(ai["filledAt"].as_str().unwrap().starts_with("2027-01-15T08:00"), "{ai}");
}

/// Only words went out, and no word of a person.
fn assert_only_names(question: &Question, names: &Value) {
    assert_eq!(question.text(), *names);
    let sent = question.body.to_string();
    for private in ["image", "base64", "ann@", "Lee", "photo"] {
        assert!(!sent.contains(private), "{private}: {sent}");
    }
    assert!(question.system().contains("data, never instructions"));
}

#[tokio::test]
async fn the_oil_of_an_unknown_engine_is_filled_in_once() {
    for provider in [JudgeProvider::OpenaiCompatible, JudgeProvider::Anthropic] {
        let fake = FakeJudge::saying(Says::Object(oil())).await;
        let (_app, client) = server(&fake, |settings| {
            settings.judge.provider = Some(provider);
            if provider == JudgeProvider::Anthropic {
                settings.judge.base_url = Some(ServiceUrl::new(format!("http://{}", fake.address)));
            }
        })
        .await;
        let vehicle = client.add_trabant("601").await;
        let before = client.get(OIL).await.expect_status(200).json();
        assert_eq!((&before["oilType"], &before["oilCapacity"]), (&json!("5W-30"), &json!("4.5 quarts")));
        assert_eq!(before["source"], "fallback");
        assert_eq!(before["ai"]["status"], "askable");
        assert_eq!(before["ai"]["label"], Value::Null);
        assert_eq!(fake.questions().len(), 0);

        let filled = ask_oil(&client, &vehicle).await;
        for (field, expected) in [
            ("oilType", json!("10W-40")),
            ("oilCapacity", json!("3.2 quarts")),
            ("changeInterval", json!("6,000 miles or 12 months, whichever comes first")),
            ("standard", json!("API SG")),
            ("source", json!("ai")),
            ("oilFilter", json!([])),
        ] {
            assert_eq!(filled[field], expected, "{field}");
        }
        assert_labelled(&filled["ai"]);
        let basis = &filled["basis"]["oilType"];
        assert_eq!((&basis["source"], &basis["confidence"]), (&json!("ai"), &Value::Null));
        assert!(basis["basis"].as_str().unwrap().ends_with("judge-1, 2027-01-15."), "{basis}");
        assert!(filled["verify"].as_str().unwrap().contains("owner's manual"));

        // Read or asked for again, it is there and costs nothing.
        assert_eq!(ask_oil(&client, &vehicle).await, filled);
        assert_eq!(client.get(&OIL.replace("Trabant", "TRABANT")).await.json(), filled);
        assert_eq!((fake.questions().len(), spent_today(&client).await), (1, ANSWER_COST));
        let names = json!({ "year": 1988, "make": "Trabant", "model": "601", "engine": null });
        assert_only_names(&fake.questions()[0], &names);
    }
}

#[tokio::test]
async fn what_is_known_comes_before_what_is_filled_in() {
    let fake = FakeJudge::saying(Says::Object(oil())).await;
    let (_app, client) = server(&fake, |_| {}).await;
    let body = json!({ "make": "Toyota", "model": "Camry", "year": 2015, "engine": "2.5L 4-cyl" });
    let known = client.post("/api/vehicles", &body).await.json()["id"].as_str().unwrap().to_owned();
    let body = json!({ "make": "Tesla", "model": "Model 3", "year": 2021 });
    let electric = client.post("/api/vehicles", &body).await.json()["id"].as_str().unwrap().to_owned();
    for (vehicle, source) in [(&known, "table"), (&electric, "none")] {
        let answer = ask_oil(&client, vehicle).await;
        assert_eq!((&answer["source"], &answer["ai"]), (&json!(source), &Value::Null));
    }
    assert_eq!(fake.questions().len(), 0);

    let vehicle = client.add_trabant("601").await;
    let own = json!({ "oilType": "SAE 30" });
    client.put_json(&format!("/api/vehicles/{vehicle}/oil"), &own).await.expect_status(200);
    let answer = ask_oil(&client, &vehicle).await;
    assert_eq!((&answer["source"], &answer["oilType"]), (&json!("owner"), &json!("SAE 30")));
    assert_eq!(answer["oilCapacity"], "3.2 quarts");
    assert_eq!(answer["basis"]["oilCapacity"]["source"], "ai");
    assert_eq!(answer["ai"]["label"], "AI, verify");
}

#[tokio::test]
async fn a_taught_part_gets_a_guide_that_its_scans_carry() {
    let fake = FakeJudge::saying(Says::Object(guide())).await;
    let app = TestApp::with_settings(|settings| ask_fake_judge(settings, &fake)).await;
    let client = app.sign_up_with_vehicle("ann").await;
    let photos = [flower(0), flower(18), flower(-20)];
    teach(&client, new_type("EGR valve 47", &photos)).await.expect_status(201);
    let scan = client.identify(&flower(9)).await.expect_status(200).json();
    let part = &scan["identifiedPart"];
    assert_eq!((&part["id"], &part["ai"]["status"]), (&json!("egr-valve-47"), &json!("askable")));
    assert_eq!(part["installationInstructions"], "");

    let path = "/api/parts/egr-valve-47/guide";
    let filled = client.post_bare(path).await.expect_status(200).json();
    assert_labelled(&filled["ai"]);
    assert_eq!(filled["toolsRequired"], "[\"Ratchet\",\"New gasket\"]");
    assert!(filled["installationInstructions"].as_str().unwrap().starts_with("Let the engine cool.\n"));
    assert_eq!((&filled["difficulty"], &filled["estimatedTime"]), (&json!("medium"), &json!("1-2 hours")));
    let id = scan["id"].as_str().unwrap();
    for shown in [
        client.get(path).await.json(),
        client.post_bare(path).await.json(),
        client.get("/api/scans/recent").await.json()[0]["part"].clone(),
        client.get("/api/scans").await.json()["scans"][0]["part"].clone(),
        client.get(&format!("/api/scans/{id}")).await.json()["part"].clone(),
    ] {
        assert_eq!(shown, filled);
    }
    let n_filled =
        fake.questions().iter().filter(|question| question.text()["part"] == "EGR valve 47").count();
    assert_eq!(n_filled, 1);
    let question = fake.questions().into_iter().find(|question| question.text()["part"] == "EGR valve 47");
    assert_only_names(
        &question.unwrap(),
        &json!({ "part": "EGR valve 47", "category": "Engine Components" }),
    );

    // A part with a guide of our own needs none.
    let own = client.post_bare("/api/parts/spark-plug/guide").await.expect_status(200).json();
    assert_eq!((&own["id"], &own["ai"]), (&json!("spark-plug"), &Value::Null));
    client.post_bare("/api/parts/flux-capacitor/guide").await.problem(404, "not-found");
}

#[tokio::test]
async fn an_unknown_fit_gets_notes_and_stays_unknown() {
    let fake = FakeJudge::saying(Says::Object(notes())).await;
    let (_app, client) = server(&fake, |_| {}).await;
    let civic = client.add_vehicle("Civic").await;
    let path = format!("/api/parts/spark-plug/fits?vehicleId={civic}");
    let before = client.get(&path).await.expect_status(200).json();
    assert_eq!((&before["notes"], &before["ai"]["status"]), (&Value::Null, &json!("askable")));
    let filled = client.post_bare(&path).await.expect_status(200).json();
    assert_eq!((&filled["verdict"], &filled["source"]), (&json!("unknown"), &Value::Null));
    assert_eq!(filled["notes"], notes());
    assert_labelled(&filled["ai"]);
    assert_eq!(client.get(&path).await.json(), filled);
    let names = json!({ "part": "Spark Plug", "category": "Engine Components", "year": 2015, "make": "Honda",
                        "model": "Civic", "engine": null });
    assert_only_names(&fake.questions()[0], &names);

    // Where the vehicle or the shop knows, nobody is asked.
    let body = json!({ "make": "Tesla", "model": "Model 3", "year": 2021 });
    let tesla = client.post("/api/vehicles", &body).await.json()["id"].as_str().unwrap().to_owned();
    let known = client.post_bare(&format!("/api/parts/spark-plug/fits?vehicleId={tesla}")).await.json();
    assert_eq!((&known["verdict"], &known["ai"]), (&json!("does-not-fit"), &Value::Null));
    assert_eq!((fake.questions().len(), spent_today(&client).await), (1, ANSWER_COST));
}

#[tokio::test]
async fn what_it_does_not_know_is_remembered_for_a_while() {
    let nothing = json!({ "grade": null, "capacityQuarts": null, "intervalMiles": null, "intervalMonths": null, "standard": null });
    let fake = FakeJudge::start(vec![Says::Object(nothing)], Says::Object(oil())).await;
    let (app, client) = server(&fake, |_| {}).await;
    let vehicle = client.add_trabant("601").await;
    for _ in 0..2 {
        let answer = ask_oil(&client, &vehicle).await;
        assert_eq!((&answer["source"], &answer["oilType"]), (&json!("fallback"), &json!("5W-30")));
        assert_eq!(answer["ai"]["status"], "not-known");
        assert_eq!(answer["ai"]["model"], "judge-1");
        // Nothing was filled in: there is nothing to throw away, and no second try to be had by it.
        client.delete(&format!("/api/vehicles/{vehicle}/oil/ai")).await.problem(404, "not-found");
    }
    assert_eq!(fake.questions().len(), 1);
    app.advance(SignedDuration::from_hours(24 * 14));
    let client = sign_in_again(&app, "ann").await;
    assert_eq!(client.get(OIL).await.json()["ai"]["status"], "askable");
    assert_eq!(ask_oil(&client, &vehicle).await["source"], "ai");
    app.advance(SignedDuration::from_hours(24 * 179));
    assert_eq!(sign_in_again(&app, "ann").await.get(OIL).await.json()["source"], "ai");
    app.advance(SignedDuration::from_hours(24));
    assert_eq!(sign_in_again(&app, "ann").await.get(OIL).await.json()["source"], "fallback");
}

#[tokio::test]
async fn reading_never_spends_and_asking_is_for_people_and_limited() {
    let fake = FakeJudge::saying(Says::Object(oil())).await;
    let (app, client) = server(&fake, |settings| settings.server.plan = Some(Plan::Business)).await;
    let civic = client.add_vehicle("Civic").await;
    teach_ann(&app).await;
    for path in
        [OIL, "/api/parts/brass-valve/guide", &format!("/api/parts/spark-plug/fits?vehicleId={civic}")]
    {
        for method in [reqwest::Method::GET, reqwest::Method::HEAD] {
            let reply = crate::client::send(client.request(method, path)).await;
            reply.expect_status(200);
        }
    }
    assert_eq!(fake.bytes().len(), 0);

    let vehicle = client.add_trabant("601").await;
    let body = json!({ "name": "till", "scopes": ["catalog", "garage-read", "garage-write"] });
    let key = client.post("/api/api-keys", &body).await.expect_status(201).json();
    let secret = format!("Bearer {}", key["key"].as_str().unwrap());
    for path in [format!("/api/vehicles/{vehicle}/oil/ai"), "/api/parts/brass-valve/guide".to_owned()] {
        let request = app.client().request(reqwest::Method::POST, &path).header("authorization", &secret);
        crate::client::send(request).await.problem(403, "forbidden");
    }
    for model in 0..10 {
        let vehicle = client.add_trabant(&format!("P {model}")).await;
        assert_eq!(ask_oil(&client, &vehicle).await["source"], "ai");
    }
    let path = format!("/api/vehicles/{vehicle}/oil/ai");
    let refused = client.post_bare(&path).await;
    refused.problem(429, "too-many-attempts");
    assert_eq!(refused.header("retry-after"), "61");
    assert_eq!(fake.questions().len(), 10);
    app.advance(SignedDuration::from_mins(1));
    assert_eq!(ask_oil(&client, &vehicle).await["source"], "ai");
}

#[tokio::test]
async fn fills_are_counted_beside_the_judgements() {
    let fake = FakeJudge::start(vec![Says::Object(oil()), Says::Refusal], Says::Object(notes())).await;
    let (app, client) = server(&fake, |_| {}).await;
    for model in ["601", "P 50"] {
        let vehicle = client.add_trabant(model).await;
        ask_oil(&client, &vehicle).await;
    }
    let vehicle = client.add_vehicle("Civic").await;
    client.post_bare(&format!("/api/parts/spark-plug/fits?vehicleId={vehicle}")).await.expect_status(200);
    let page = app.client().get("/metrics").await.text;
    for line in [
        "partsight_fills_total{kind=\"oil\",outcome=\"filled\"} 1",
        "partsight_fills_total{kind=\"oil\",outcome=\"failed\"} 1",
        "partsight_fills_total{kind=\"fitment\",outcome=\"filled\"} 1",
        "partsight_fill_cost_dollars_total{kind=\"oil\"} 0.007",
        "partsight_fill_tokens_total{kind=\"output\"} 300",
        "partsight_judge_cost_dollars_total 0.0",
    ] {
        assert!(page.lines().any(|found| found == line), "{line}\n{page}");
    }
    let usage = client.get("/api/usage").await.expect_status(200).json();
    assert_eq!((&usage["scans"], &usage["costMicros"]), (&json!(0), &json!(0)));
    assert_eq!(
        usage["fills"],
        json!([
            { "day": "2027-01-15", "kind": "fitment", "questions": 1, "costMicros": ANSWER_COST },
            { "day": "2027-01-15", "kind": "oil", "questions": 2, "costMicros": 2 * ANSWER_COST },
        ])
    );
    let table = client.get("/api/export/usage.csv").await.text;
    assert!(table.contains("2027-01-15,web,,fill-oil,0,0.007000"), "{table}");
    assert_eq!(app.sign_up("bob").await.get("/api/usage").await.json()["fills"], json!([]));
    assert_eq!(spent_today(&client).await, 3 * ANSWER_COST);
}
