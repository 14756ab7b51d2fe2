//! Who sees what was filled in, who pays, and who may throw it away.

use partsight_app::JudgeConsent;
use partsight_domain::Plan;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::fake_judge::{FakeJudge, Says};
use crate::judging::fills::{OIL, ask_oil, guide, oil, server, teach_ann};
use crate::judging::judge::{ANSWER_COST, spent_today};

const GUIDE: &str = "/api/parts/brass-valve/guide";

#[tokio::test]
async fn facts_about_vehicles_are_shared_among_those_who_may_ask() {
    let fake = FakeJudge::saying(Says::Object(oil())).await;
    let (app, ann) = server(&fake, |settings| settings.judge.consent = JudgeConsent::Ask).await;
    let (bob, eve) = (app.sign_up("bob").await, app.sign_up("eve").await);
    for client in [&ann, &bob] {
        client.put_json("/api/judge", &json!({ "allowed": true })).await.expect_status(200);
    }
    let vehicle = ann.add_trabant("601").await;
    ask_oil(&ann, &vehicle).await;
    let of_bob = bob.add_trabant("601").await;
    for answer in [bob.get(OIL).await.json(), ask_oil(&bob, &of_bob).await] {
        assert_eq!((&answer["source"], &answer["oilType"]), (&json!("ai"), &json!("10W-40")));
    }
    assert_eq!(
        (fake.questions().len(), spent_today(&ann).await, spent_today(&bob).await),
        (1, ANSWER_COST, 0)
    );
    // Who allows no language model sees none of its words.
    let answer = eve.get(OIL).await.json();
    assert_eq!((&answer["source"], &answer["ai"]["reason"]), (&json!("fallback"), &json!("not-allowed")));
    bob.put_json("/api/judge", &json!({ "allowed": false })).await.expect_status(200);
    assert_eq!(bob.get(OIL).await.json()["source"], "fallback");
}

#[tokio::test]
async fn a_guide_of_a_taught_part_is_nobody_elses() {
    let fake = FakeJudge::saying(Says::Object(guide())).await;
    let (app, ann) = server(&fake, |_| {}).await;
    let (bob, eve) = (app.sign_up("bob").await, app.sign_up("eve").await);
    teach_ann(&app).await;
    app.execute(
        "INSERT INTO taught_part_type (taught_part_type_id, tenant_id, label, name, category, created_at) \
         SELECT 'type-of-bob', tenant_id, 'brass-valve', 'Brass valve', 'engine', 0 FROM app_user \
         WHERE email = 'bob@example.com'",
    )
    .await;
    let filled = ann.post_bare(GUIDE).await.expect_status(200).json();
    assert_eq!(filled["ai"]["status"], "filled");
    let other = bob.get(GUIDE).await.expect_status(200).json();
    assert_eq!((&other["ai"]["status"], &other["installationInstructions"]), (&json!("askable"), &json!("")));
    for reply in [eve.get(GUIDE).await, eve.post_bare(GUIDE).await, eve.delete(GUIDE).await] {
        reply.problem(404, "not-found");
    }
    // Neither does throwing it away reach the other's.
    bob.delete(GUIDE).await.problem(404, "not-found");
    bob.post_bare(GUIDE).await.expect_status(200);
    bob.delete(GUIDE).await.expect_status(204);
    assert_eq!(ann.get(GUIDE).await.json(), filled);
    assert_eq!(fake.questions().len(), 2);
}

#[tokio::test]
async fn what_is_wrong_is_thrown_away_and_asked_anew() {
    let better = json!({ "grade": "SAE 30", "capacityQuarts": null, "intervalMiles": null, "intervalMonths": null,
                         "standard": null });
    let fake = FakeJudge::start(vec![Says::Object(oil())], Says::Object(better)).await;
    let (app, ann) = server(&fake, |_| {}).await;
    let bob = app.sign_up("bob").await;
    let vehicle = ann.add_trabant("601").await;
    let path = format!("/api/vehicles/{vehicle}/oil/ai");
    ann.delete(&path).await.problem(404, "not-found");
    ask_oil(&ann, &vehicle).await;
    bob.delete(&path).await.problem(404, "not-found");
    ann.delete(&path).await.expect_status(204);
    ann.delete(&path).await.problem(404, "not-found");
    let gone = ann.get(OIL).await.json();
    assert_eq!((&gone["source"], &gone["ai"]["status"]), (&json!("fallback"), &json!("askable")));
    // The others have not judged it.
    assert_eq!(bob.get(OIL).await.json()["oilType"], "10W-40");
    assert_eq!(ask_oil(&ann, &vehicle).await["oilType"], "SAE 30");
    assert_eq!((fake.questions().len(), spent_today(&ann).await), (2, 2 * ANSWER_COST));
    // Of two, the newer is shown.
    app.advance(jiff::SignedDuration::from_secs(1));
    assert_eq!(bob.get(OIL).await.json()["oilType"], "SAE 30");

    ann.add_vehicle("Civic").await;
    ann.delete("/api/parts/spark-plug/fits").await.problem(404, "not-found");
    ann.delete("/api/parts/spark-plug/guide").await.problem(404, "not-found");
}

#[tokio::test]
async fn in_a_company_members_ask_and_managers_throw_away() {
    let fake = FakeJudge::saying(Says::Object(guide())).await;
    let (app, ann) = server(&fake, |settings| settings.server.plan = Some(Plan::Business)).await;
    let bob = app.sign_up("bob").await;
    teach_ann(&app).await;
    // What the owner had written goes along with what they taught.
    let filled = ann.post_bare(GUIDE).await.expect_status(200).json();
    let company = crate::plans::company::make(&ann).await;
    crate::plans::company::join(&ann, &company, &bob, "member").await;
    assert_eq!(ann.get(GUIDE).await.expect_status(200).json(), filled);
    let of_member = bob.get(GUIDE).await.expect_status(200).json();
    assert_eq!(of_member["installationInstructions"], filled["installationInstructions"]);
    assert_eq!((&filled["ai"]["mayRemove"], &of_member["ai"]["mayRemove"]), (&json!(true), &json!(false)));
    bob.delete(GUIDE).await.problem(403, "forbidden");
    ann.delete(GUIDE).await.expect_status(204);
    assert_eq!(bob.post_bare(GUIDE).await.expect_status(200).json()["ai"]["status"], "filled");
    // The company pays, beside what its owner had spent before, and whoever asked is named in their usage.
    assert_eq!(spent_today(&ann).await, 2 * ANSWER_COST);
    assert_eq!(bob.get("/api/usage").await.json()["fills"][0]["questions"], 1);
    let vehicle = bob.add_trabant("601").await;
    bob.delete(&format!("/api/vehicles/{vehicle}/oil/ai")).await.problem(403, "forbidden");
}

#[tokio::test]
async fn the_same_question_asked_at_once_is_paid_for_once() {
    let fake = FakeJudge::saying(Says::AtGate(Box::new(Says::Object(oil())))).await;
    let (app, ann) = server(&fake, |_| {}).await;
    let mut questions = JoinSet::new();
    for client in [ann, app.sign_up("bob").await, app.sign_up("eve").await] {
        let vehicle = client.add_trabant("601").await;
        for _ in 0..2 {
            let (client, vehicle) = (client.clone(), vehicle.clone());
            questions.spawn(async move { ask_oil(&client, &vehicle).await });
        }
    }
    fake.wait_for_questions(1).await;
    app.wait_for_running(6).await;
    fake.open_gate();
    let answers: Vec<Value> = questions.join_all().await;
    assert!(answers.iter().all(|answer| answer["oilType"] == "10W-40"), "{answers:?}");
    assert_eq!(fake.questions().len(), 1);
}

#[tokio::test]
async fn what_somebody_who_goes_away_has_asked_for_is_kept_for_the_next() {
    let fake = FakeJudge::saying(Says::AtGate(Box::new(Says::Object(oil())))).await;
    let (app, client) = server(&fake, |_| {}).await;
    let vehicle = client.add_trabant("601").await;
    tokio::select! {
        answer = ask_oil(&client, &vehicle) => panic!("the model waits, but {answer}"),
        () = fake.wait_for_questions(1) => {}
    }
    app.wait_for_running(0).await;
    fake.open_gate();
    assert_eq!(ask_oil(&client, &vehicle).await["source"], "ai");
    assert_eq!((fake.questions().len(), spent_today(&client).await), (1, ANSWER_COST));
}

#[tokio::test]
async fn what_failed_for_one_shop_is_tried_for_another() {
    let fake = FakeJudge::start(vec![Says::Text("No idea.".to_owned())], Says::Object(oil())).await;
    let (app, ann) = server(&fake, |_| {}).await;
    let bob = app.sign_up("bob").await;
    let (of_ann, of_bob) = (ann.add_trabant("601").await, bob.add_trabant("601").await);
    assert_eq!(ask_oil(&ann, &of_ann).await["source"], "fallback");
    assert_eq!(ask_oil(&ann, &of_ann).await["source"], "fallback");
    assert_eq!(fake.questions().len(), 1);
    assert_eq!(ask_oil(&bob, &of_bob).await["source"], "ai");
    // And what came of it, the first one has as well.
    assert_eq!(ann.get(OIL).await.json()["source"], "ai");
    assert_eq!((fake.questions().len(), spent_today(&ann).await), (2, ANSWER_COST));
}
