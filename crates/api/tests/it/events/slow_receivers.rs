//! Receivers of webhooks that take messages and do not answer.

use std::time::Duration;

use jiff::SignedDuration;
use serde_json::{Value, json};
use tokio::task::{JoinSet, yield_now};
use tokio::time::timeout;

use super::webhooks::{Manner, Receiver, add, deliver, path, ready};
use crate::pictures;

#[tokio::test]
async fn what_is_not_answered_in_time_is_a_failure_and_sent_again() {
    let (app, ann, receiver) = ready().await;
    let webhook = add(&ann, &receiver.url, &["scan.answered"]).await;
    receiver.answer(Manner::Waits);
    ann.identify(&pictures::plain()).await.expect_status(200);
    let hurried = app.use_cases.events.with_delivery_limit(Duration::from_millis(500));
    assert!(timeout(Duration::from_secs(30), hurried.deliver_next()).await.unwrap().unwrap());
    let deliveries = format!("{}/deliveries", path(&webhook));
    let late = ann.get(&deliveries).await.expect_status(200).json()[0].clone();
    assert_eq!(
        [&late["state"], &late["status"], &late["attempts"]],
        [&json!("waiting"), &Value::Null, &json!(1)]
    );
    assert_eq!(late["problem"], "There was no answer within 10 seconds.");
    assert!(late["nextAt"].is_string(), "{late}");
    assert!(ann.get(&path(&webhook)).await.json()["failingSince"].is_string());

    receiver.answer(Manner::Takes);
    app.advance(SignedDuration::from_mins(1));
    deliver(&app).await;
    let arrived = receiver.arrived();
    assert_eq!(arrived.len(), 2);
    assert_eq!(arrived[1].header("webhook-id"), arrived[0].header("webhook-id"));
    assert_eq!(arrived[1].header("partsight-attempt"), "2");
    assert_eq!(ann.get(&deliveries).await.json()[0]["state"], "delivered");
    assert_eq!(ann.get(&path(&webhook)).await.json()["failingSince"], Value::Null);
}

#[tokio::test]
async fn a_receiver_that_does_not_answer_delays_no_other() {
    let (app, ann, slow) = ready().await;
    let quick = Receiver::start().await;
    for receiver in [&slow, &quick] {
        add(&ann, &receiver.url, &["scan.answered"]).await;
    }
    slow.answer(Manner::Waits);
    for _ in 0..3 {
        ann.identify(&pictures::plain()).await.expect_status(200);
    }
    // So long that nothing is over by itself.
    let events = app.use_cases.events.with_delivery_limit(Duration::from_mins(10));
    let mut sending = JoinSet::new();
    sending.spawn(async move { match events.run().await {} });
    let all_quick = async {
        while (slow.arrived().len(), quick.arrived().len()) != (2, 3) {
            yield_now().await;
        }
    };
    timeout(Duration::from_mins(1), all_quick).await.expect("the slow one gets two, and the other all");
    slow.answer(Manner::Takes);
    let rest = async {
        while slow.arrived().len() < 3 {
            yield_now().await;
        }
    };
    timeout(Duration::from_mins(1), rest).await.expect("the third follows the first two");
}
