//! Whatever the judge does, a scan has its local answer.

use std::time::Duration;

use partsight_test_support::PATIENCE;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::fake_judge::{FakeJudge, Says};
use crate::judging::judge::{ANSWER_COST, scan, spent_today, unsure};
use crate::pictures;

#[tokio::test]
async fn every_failure_leaves_the_local_answer_with_its_reason() {
    let most = 1..20_000;
    let (nothing, paid) = (0..1, ANSWER_COST..ANSWER_COST + 1);
    let cases = [
        (Says::Text("A fine rotor!".to_owned()), "answer-unreadable", paid.clone()),
        (Says::Text("{\"label\":".to_owned()), "answer-unreadable", paid.clone()),
        (Says::Object(json!({ "label": "flux-capacitor" })), "answer-unreadable", paid.clone()),
        (Says::Refusal, "refused", paid),
        (Says::Bytes(vec![b'x'; 10 * 1024 * 1024]), "answer-too-large", most.clone()),
        (Says::Silence, "timed-out", most.clone()),
        (Says::After(Duration::from_mins(1), Box::new(Says::Candidate(0))), "timed-out", most),
        (Says::Status(500, Vec::new()), "server-error", nothing.clone()),
        (Says::Status(429, vec![("retry-after", "600".to_owned())]), "rate-limited", nothing.clone()),
        (Says::Status(401, Vec::new()), "key-rejected", nothing.clone()),
        (Says::Status(400, Vec::new()), "request-rejected", nothing),
    ];
    for (says, expected, cost) in cases {
        let fake = FakeJudge::saying(says).await;
        let seconds = if expected == "timed-out" { 2 } else { 120 };
        let (_app, client) = unsure(&fake, |settings| settings.judge.timeout_seconds = seconds).await;
        let answer = scan(&client, &pictures::blocks(1, 0)).await;
        let receipt = &answer["receipt"];
        assert_eq!((&receipt["notJudged"], &receipt["verdictPath"]), (&json!(expected), &json!("local")));
        assert_eq!((&answer["verdict"], &receipt["judgement"]), (&json!("not-sure"), &Value::Null));
        // It may have left, and that is said.
        assert_eq!(receipt["photoSentTo"], json!(fake.address.to_string()), "{expected}");
        let spent = receipt["costMicroDollars"].as_u64().unwrap();
        assert!(cost.contains(&spent), "{expected}: {spent}");
        assert_eq!(spent_today(&client).await, spent, "{expected}");
        assert_eq!(client.used().await, 1);
    }
}

#[tokio::test]
async fn a_judge_that_fails_again_and_again_is_left_alone_and_nothing_is_sent() {
    let fake = FakeJudge::saying(Says::Status(401, Vec::new())).await;
    let (_app, client) = unsure(&fake, |_| {}).await;
    let mut reasons = Vec::new();
    for seed in 0..7 {
        let answer = scan(&client, &pictures::blocks(seed, 0)).await;
        reasons.push(answer["receipt"]["notJudged"].as_str().unwrap().to_owned());
        if reasons.last().is_some_and(|reason| reason == "circuit-open") {
            assert_eq!(answer["receipt"]["photoSentTo"], Value::Null);
        }
    }
    assert_eq!(reasons[..5], ["key-rejected"; 5].map(str::to_owned));
    assert_eq!(reasons[5..], ["circuit-open"; 2].map(str::to_owned));
    assert_eq!(fake.questions().len(), 5);
}

#[tokio::test]
async fn more_photographs_than_may_be_with_the_judge_are_answered_without_it() {
    let fake = FakeJudge::saying(Says::AtGate(Box::new(Says::Candidate(0)))).await;
    let (_app, client) = unsure(&fake, |settings| settings.judge.concurrency = 1).await;
    let (first, second) = tokio::join!(async { scan(&client, &pictures::blocks(1, 0)).await }, async {
        fake.wait_for_questions(1).await;
        let answer = scan(&client, &pictures::blocks(2, 0)).await;
        fake.open_gate();
        answer
    });
    assert_eq!(first["receipt"]["verdictPath"], "llm");
    assert_eq!(second["receipt"]["notJudged"], "busy");
}

#[tokio::test]
async fn a_scan_that_is_given_up_ends_the_question_and_leaves_nothing_but_its_price() {
    let fake = FakeJudge::start(vec![Says::Silence], Says::Candidate(0)).await;
    let (app, client) = unsure(&fake, |_| {}).await;
    let photo = pictures::blocks(1, 0);
    tokio::select! {
        reply = client.identify(&photo) => panic!("the judge is silent, but {}", reply.text),
        () = fake.wait_for_questions(1) => {}
    }
    timeout(PATIENCE, fake.wait_for_dropped(1)).await.unwrap();
    app.wait_for_running(0).await;
    assert_eq!((client.used().await, client.get("/api/scans/recent").await.json()), (0, json!([])));
    // Nobody knows whether the judge went on, so the most that it can have cost stays counted.
    let reserved = spent_today(&client).await;
    assert!((1..20_000).contains(&reserved), "{reserved}");
    // The next one like it is not held up by the one that went away.
    assert_eq!(scan(&client, &photo).await["receipt"]["verdictPath"], "llm");
    assert_eq!(spent_today(&client).await, reserved + ANSWER_COST);
}
