//! How many wrong answers a shop accepts: who may choose, what it does to a scan, and what it is said to cost.

use serde_json::{Value, json};

use crate::client::assert_reply_snapshot;
use crate::engine::Behaviour;
use crate::fake_judge::{FakeJudge, Says};
use crate::judging::judge::{scan, seeing};
use crate::plans::company::{join, make, start};
use crate::{Client, TestApp, pictures};

/// The stand-in sees the first at 80%: enough for at most 10% wrong, not for 5%.
const LEANING: [&str; 2] = ["brake-rotor", "spark-plug"];

async fn dial(client: &Client) -> Value {
    client.get("/api/dial").await.expect_status(200).json()
}

async fn choose(client: &Client, percent: Value) -> Value {
    let body = json!({ "maxWrongPercent": percent });
    client.put_json("/api/dial", &body).await.expect_status(200).json()
}

/// Verdict, and the confidence that the receipt says was asked for.
async fn verdict(client: &Client) -> (Value, Value) {
    let answer = scan(client, &pictures::blocks(1, 0)).await;
    let id = answer["id"].as_str().unwrap();
    let kept = client.get(&format!("/api/scans/{id}")).await.expect_status(200).json();
    assert_eq!(kept["receipt"], answer["receipt"]);
    (answer["verdict"].clone(), answer["receipt"]["identifiedConfidence"].clone())
}

#[tokio::test]
async fn the_choices_are_those_that_the_model_was_measured_at() {
    let app = TestApp::leaning(LEANING).await;
    let client = app.sign_up("ann").await;
    assert_reply_snapshot!("dial", client.get("/api/dial").await);
}

#[tokio::test]
async fn the_dial_moves_the_verdict_of_the_shops_own_scans_and_of_no_others() {
    let app = TestApp::leaning(LEANING).await;
    let (ann, bob) = (app.sign_up_with_vehicle("ann").await, app.sign_up_with_vehicle("bob").await);
    app.execute("UPDATE app_user SET plan = 'pro'").await;
    let not_sure = |confidence: &Value| (json!("not-sure"), confidence.clone());
    let models_own = dial(&ann).await["modelIdentifiedConfidence"].clone();
    assert_eq!(verdict(&ann).await, not_sure(&models_own));

    let chosen = choose(&ann, json!(10)).await;
    assert_eq!((&chosen["maxWrongPercent"], &chosen["choices"][3]["inForce"]), (&json!(10.0), &json!(true)));
    assert_eq!(verdict(&ann).await, (json!("identified"), chosen["identifiedConfidence"].clone()));
    assert_eq!(verdict(&bob).await, not_sure(&models_own));
    assert_eq!(dial(&bob).await["maxWrongPercent"], Value::Null);

    let strict = choose(&ann, json!(1)).await;
    assert!(strict["identifiedConfidence"].as_f64() >= models_own.as_f64());
    assert_eq!(verdict(&ann).await, not_sure(&strict["identifiedConfidence"]));
    let none = choose(&ann, Value::Null).await;
    assert_eq!((&none["maxWrongPercent"], &none["identifiedConfidence"]), (&Value::Null, &models_own));
    assert_eq!(verdict(&ann).await, not_sure(&models_own));
}

#[tokio::test]
async fn what_is_not_offered_is_refused_and_changes_nothing() {
    let app = TestApp::leaning(LEANING).await;
    let client = app.sign_up("ann").await;
    choose(&client, json!(2)).await;
    for percent in [json!(3), json!(0), json!(-5), json!(101), json!("5"), json!(true)] {
        client.put_json("/api/dial", &json!({ "maxWrongPercent": percent })).await.expect_status(422);
    }
    for body in [json!({}), json!({ "maxWrongPercent": 5, "more": 1 }), json!([])] {
        client.put_json("/api/dial", &body).await.expect_status(422);
    }
    let refused = client.put_json("/api/dial", &json!({ "maxWrongPercent": 3 })).await.json();
    assert_eq!(refused["field"], "maxWrongPercent");
    assert_eq!(refused["detail"], "Please choose one of 1, 2, 5, 10 percent, or null for the model's own.");
    assert_eq!(dial(&client).await["maxWrongPercent"], 2.0);
}

#[tokio::test]
async fn a_company_has_one_dial_which_its_managers_turn() {
    let (app, ann) = start().await;
    let (bob, carol) = (app.sign_up("bob").await, app.sign_up("carol").await);
    // What the owner has chosen goes along.
    choose(&ann, json!(1)).await;
    let company = make(&ann).await;
    join(&ann, &company, &bob, "manager").await;
    join(&ann, &company, &carol, "member").await;
    for client in [&ann, &bob, &carol] {
        assert_eq!(dial(client).await["maxWrongPercent"], 1.0);
    }
    choose(&bob, json!(10)).await;
    let body = json!({ "maxWrongPercent": 5 });
    carol.put_json("/api/dial", &body).await.problem(403, "forbidden");
    for (client, may_change) in [(&ann, true), (&bob, true), (&carol, false)] {
        let seen = dial(client).await;
        assert_eq!((&seen["maxWrongPercent"], &seen["mayChange"]), (&json!(10.0), &json!(may_change)));
    }
}

#[tokio::test]
async fn with_a_judge_each_choice_says_what_its_questions_cost() {
    let fake = FakeJudge::saying(Says::Candidate(0)).await;
    let (_app, client) = seeing(Behaviour::Lean(LEANING), &fake, |_| {}).await;
    let seen = dial(&client).await;
    let figures = seen["choices"].as_array().unwrap().iter().filter_map(|choice| {
        let share = choice["toJudge"].as_f64().unwrap();
        let cost = choice["judgeMicroDollarsPer1000Scans"].as_f64().unwrap();
        // Where nobody is asked, nothing is paid.
        assert!(share > 0.0 || cost == 0.0, "{choice}");
        (share > 0.0).then_some(cost / share)
    });
    let of_one: Vec<f64> = figures.map(|per_1000| per_1000 / 1000.0).collect();
    assert!(of_one.len() > 1, "{of_one:?}");
    // The same question, whatever the choice: 3,000 or 4,000 tokens in at $2.50 a million and what may come out at $10.
    assert!(of_one.iter().all(|cost| (cost / of_one[0] - 1.0).abs() < 1e-3), "{of_one:?}");
    assert!(of_one[0] > 3500.0 && of_one[0] < 100_000.0, "{of_one:?}");

    // Answered locally at 10%, nobody is asked.
    choose(&client, json!(10)).await;
    let answer = scan(&client, &pictures::blocks(1, 0)).await;
    assert_eq!((&answer["verdict"], &answer["receipt"]["notJudged"]), (&json!("identified"), &json!("sure")));
    assert!(fake.bytes().is_empty());
}
