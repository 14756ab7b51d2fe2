//! Batches whose photographs the model is not sure of: they have time to wait for the judge.

use std::time::{Duration, Instant};

use jiff::SignedDuration;
use partsight_app::{Decimal, Settings};
use partsight_domain::Plan;
use tokio::time::sleep;

use crate::batches::jobs::items;
use crate::batches::workers::{done, started};
use crate::fake_judge::{FakeJudge, Says};
use crate::judging::judge::{ANSWER_COST, scan, spent_today, unsure};
use crate::{Client, TestApp, pictures};

/// A server for a shop whose model is never sure, and whose judge is `fake`, and Ann.
async fn server(fake: &FakeJudge, change: impl FnOnce(&mut Settings)) -> (TestApp, Client) {
    unsure(fake, |settings| {
        settings.server.plan = Some(Plan::Business);
        change(settings);
    })
    .await
}

/// Which way the verdict on each photograph of a batch was reached, or why the judge had no say; sorted.
async fn paths(client: &Client, batch: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for item in items(client, batch, "").await {
        let id = item["scan"]["id"].as_str().unwrap().to_owned();
        let scan = client.get(&format!("/api/scans/{id}")).await.expect_status(200).json();
        let receipt = &scan["receipt"];
        let path = receipt["notJudged"].as_str().or_else(|| receipt["verdictPath"].as_str());
        paths.push(path.unwrap().to_owned());
    }
    paths.sort_unstable();
    paths
}

/// A batch of two photographs, and a judge that takes one at a time and answers when its gate opens.
async fn two_for_one_turn() -> (FakeJudge, TestApp, Client, String) {
    let fake = FakeJudge::saying(Says::AtGate(Box::new(Says::Candidate(0)))).await;
    let (app, ann) = server(&fake, |settings| settings.judge.concurrency = 1).await;
    let batch = started(&ann, 2).await;
    (fake, app, ann, batch)
}

#[tokio::test]
async fn a_photograph_of_a_batch_waits_for_its_turn_with_the_judge() {
    // Longer than a person waits.
    let slow = Says::After(Duration::from_secs(3), Box::new(Says::Candidate(0)));
    let fake = FakeJudge::start(vec![slow], Says::Candidate(0)).await;
    let (app, ann) = server(&fake, |settings| settings.judge.concurrency = 1).await;
    let batch = started(&ann, 2).await;
    let batches = &app.use_cases.batches;
    let (one, other) = tokio::join!(batches.answer_next(), batches.answer_next());
    assert!(one.unwrap() && other.unwrap());
    assert_eq!(paths(&ann, &batch).await, ["llm", "llm"]);
}

#[tokio::test]
async fn a_photograph_of_a_batch_does_not_wait_for_the_judge_for_ever() {
    let (fake, app, ann, batch) = two_for_one_turn().await;
    let batches = &app.use_cases.batches;
    let meanwhile = async {
        fake.wait_for_questions(1).await;
        app.gate().wait_for_images(2).await;
        app.advance(SignedDuration::from_mins(10));
        let path = format!("/api/batches/{batch}");
        ann.get_until(&path, |batch| batch["counts"]["answered"] == 1).await;
        fake.open_gate();
    };
    let (one, other, ()) = tokio::join!(batches.answer_next(), batches.answer_next(), meanwhile);
    assert!(one.unwrap() && other.unwrap());
    assert_eq!(paths(&ann, &batch).await, ["busy", "llm"]);
}

#[tokio::test]
async fn a_photograph_that_was_cancelled_while_it_waited_is_not_sent_to_the_judge() {
    let (fake, app, ann, batch) = two_for_one_turn().await;
    let batches = &app.use_cases.batches;
    let meanwhile = async {
        fake.wait_for_questions(1).await;
        app.gate().wait_for_images(2).await;
        ann.post_bare(&format!("/api/batches/{batch}/cancel")).await.expect_status(200);
        fake.open_gate();
    };
    let (one, other, ()) = tokio::join!(batches.answer_next(), batches.answer_next(), meanwhile);
    assert!(one.unwrap() && other.unwrap());
    assert_eq!((fake.questions().len(), ann.used().await), (1, 0));
}

#[tokio::test]
async fn a_photograph_whose_owner_refuses_the_judge_while_it_waits_is_not_sent() {
    let (fake, app, ann, batch) = two_for_one_turn().await;
    let batches = &app.use_cases.batches;
    let (one, other, ()) = tokio::join!(batches.answer_next(), batches.answer_next(), async {
        fake.wait_for_questions(1).await;
        app.gate().wait_for_images(2).await;
        let refusal = serde_json::json!({ "allowed": false });
        ann.put_json("/api/judge/own", &refusal).await.expect_status(200);
        // It is answered while the other is still with the judge.
        let path = format!("/api/batches/{batch}");
        ann.get_until(&path, |batch| batch["counts"]["answered"] == 1).await;
        fake.open_gate();
    });
    assert!(one.unwrap() && other.unwrap());
    assert_eq!(paths(&ann, &batch).await, ["llm", "not-allowed"]);
}

#[tokio::test]
async fn a_batch_spends_its_budget_although_more_is_set_aside_for_each_call() {
    let fake = FakeJudge::saying(Says::AtGate(Box::new(Says::Candidate(0)))).await;
    // The most that a question can cost is 1.9 cents, so that one can be with the judge at a time; five of them and what
    // they cost fit, and six do not.
    let (app, ann) = server(&fake, |settings| {
        settings.model.batch_workers = 4;
        settings.judge.tenant_daily_budget = Decimal::from_millionths(35_000);
    })
    .await;
    let batch = started(&ann, 6).await;
    let all_six = async {
        fake.wait_for_questions(1).await;
        app.gate().wait_for_images(4).await;
        fake.open_gate();
        done(&ann, &batch).await;
    };
    tokio::select! {
        never = app.use_cases.batches.run() => match never {},
        () = all_six => {}
    }
    assert_eq!(paths(&ann, &batch).await, ["llm", "llm", "llm", "llm", "llm", "tenant-day-budget"]);
    assert_eq!(spent_today(&ann).await, 5 * ANSWER_COST);
}

#[tokio::test]
async fn a_person_whose_budget_is_set_aside_for_another_call_is_not_told_that_it_is_spent() {
    let fake = FakeJudge::saying(Says::AtGate(Box::new(Says::Candidate(0)))).await;
    let budget = Decimal::from_millionths(35_000);
    let (_app, ann) = server(&fake, |settings| settings.judge.daily_budget = budget).await;
    let (photo, other) = (pictures::blocks(1, 0), pictures::blocks(2, 0));
    let (first, second) = tokio::join!(scan(&ann, &photo), async {
        fake.wait_for_questions(1).await;
        let answer = scan(&ann, &other).await;
        fake.open_gate();
        answer
    });
    assert_eq!((&first["receipt"]["verdictPath"], fake.questions().len()), (&"llm".into(), 1));
    assert_eq!(second["receipt"]["notJudged"], "busy");
    assert_eq!(scan(&ann, &other).await["receipt"]["verdictPath"], "llm");
}

#[tokio::test]
async fn a_batch_after_an_outage_of_the_judge_gets_its_judgements() {
    // Long enough for the scan in between on a busy machine.
    let rest = Duration::from_secs(10);
    let outage = vec![
        Says::Status(503, Vec::new()),
        Says::Status(503, vec![("retry-after", rest.as_secs().to_string())]),
    ];
    let fake = FakeJudge::start(outage, Says::AtGate(Box::new(Says::Candidate(0)))).await;
    let (app, ann) = server(&fake, |_| {}).await;
    let failed = scan(&ann, &pictures::blocks(101, 0)).await;
    let since = Instant::now();
    assert_eq!(failed["receipt"]["notJudged"], "server-error");
    let left_alone = scan(&ann, &pictures::blocks(102, 0)).await;
    assert_eq!(left_alone["receipt"]["notJudged"], "circuit-open");
    assert_eq!(fake.questions().len(), 2, "two tries, and nothing since");

    sleep(rest.saturating_sub(since.elapsed())).await;
    let batch = started(&ann, 3).await;
    let batches = &app.use_cases.batches;
    let meanwhile = async {
        // One shows that the judge is back, and the others wait for it.
        fake.wait_for_questions(3).await;
        app.gate().wait_for_images(5).await;
        fake.open_gate();
    };
    let (one, two, three, ()) =
        tokio::join!(batches.answer_next(), batches.answer_next(), batches.answer_next(), meanwhile);
    assert!(one.unwrap() && two.unwrap() && three.unwrap());
    assert_eq!(paths(&ann, &batch).await, ["llm", "llm", "llm"]);
    assert_eq!(fake.questions().len(), 5);
}
