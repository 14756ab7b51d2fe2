use crate::client::send;
use crate::judge::{scan, unsure};
use crate::judge_peer::{JudgePeer, Says};
use crate::{TestApp, pictures};

#[tokio::test]
async fn the_counters_say_what_was_scanned_judged_and_paid() {
    let peer = JudgePeer::start(vec![Says::Candidate(0), Says::Refusal], Says::Candidate(0)).await;
    let app = unsure(&peer, |_| {}).await;
    let client = app.sign_up_with_vehicle("ann").await;
    for (seed, again) in [(1, 0), (2, 0), (1, 1)] {
        scan(&client, &pictures::blocks(seed, again)).await;
    }
    let reply = app.client().get("/metrics").await;
    assert_eq!(reply.expect_status(200).header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    for line in [
        "partsight_scans_total{verdict=\"identified\",path=\"llm\"} 1",
        "partsight_scans_total{verdict=\"identified\",path=\"reused\"} 1",
        "partsight_scans_total{verdict=\"not-sure\",path=\"local\"} 1",
        "partsight_judge_total{outcome=\"answered\"} 1",
        "partsight_judge_total{outcome=\"failed\"} 1",
        "partsight_judge_unasked_total{reason=\"refused\"} 1",
        "partsight_judge_cost_dollars_total 0.007",
        "partsight_stage_seconds_count{stage=\"decode\"} 3",
        "partsight_queue_depth 0",
        "partsight_judge_in_flight 0",
        "partsight_judge_circuit_open 0",
    ] {
        assert!(reply.text.lines().any(|found| found == line), "{line}\n{}", reply.text);
    }
    assert!(!reply.text.contains("ann"));
}

#[tokio::test]
async fn only_this_machine_sees_the_counters_unless_they_are_public() {
    for is_public in [false, true] {
        let app = TestApp::with_stand_in(|settings| settings.metrics_public = is_public).await;
        app.client().get("/metrics").await.expect_status(200);
        for (name, value) in
            [("x-forwarded-for", "203.0.113.7"), ("forwarded", "for=127.0.0.1"), ("x-real-ip", "127.0.0.1")]
        {
            let request = app.client().request(reqwest::Method::GET, "/metrics").header(name, value);
            let reply = send(request).await;
            assert_eq!(reply.status, if is_public { 200 } else { 404 }, "{name}");
        }
    }
}
