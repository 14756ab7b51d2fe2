use partsight_app::Settings;
use partsight_test_support::free_address;
use tokio::net::TcpStream;

use crate::client::send;
use crate::connections::Served;
use crate::fake_judge::{FakeJudge, Says};
use crate::judging::judge::{scan, unsure};
use crate::{TestApp, pictures};

#[tokio::test]
async fn the_counters_say_what_was_scanned_judged_and_paid() {
    let fake = FakeJudge::start(vec![Says::Candidate(0), Says::Refusal], Says::Candidate(0)).await;
    let (app, client) = unsure(&fake, |_| {}).await;
    for (seed, again) in [(1, 0), (2, 0), (1, 1)] {
        scan(&client, &pictures::blocks(seed, again)).await;
    }
    let reply = app.client().get("/metrics").await;
    assert_eq!(
        reply.expect_status(200).header("content-type"),
        "application/openmetrics-text; version=1.0.0; charset=utf-8"
    );
    for line in [
        "partsight_scans_total{verdict=\"identified\",path=\"llm\"} 1",
        "partsight_scans_total{verdict=\"identified\",path=\"reused\"} 1",
        "partsight_scans_total{verdict=\"not-sure\",path=\"local\"} 1",
        "partsight_judge_scans_total{outcome=\"answered\"} 1",
        "partsight_judge_scans_total{outcome=\"failed\"} 1",
        "partsight_judge_not_asked_total{reason=\"refused\"} 1",
        "partsight_judge_cost_dollars_total 0.007",
        "partsight_scan_stage_duration_seconds_count{stage=\"decode\"} 3",
        "partsight_inference_queue_depth 0",
        "partsight_judge_requests_in_flight 0",
        "partsight_judge_circuit_open 0",
    ] {
        assert!(reply.text.lines().any(|found| found == line), "{line}\n{}", reply.text);
    }
    assert!(!reply.text.contains("ann"));
}

#[tokio::test]
async fn only_this_machine_sees_the_counters_unless_they_are_public() {
    for is_public in [false, true] {
        let app = TestApp::with_stand_in(|settings| settings.monitoring.metrics_public = is_public).await;
        app.client().get("/metrics").await.expect_status(200);
        for (name, value) in [
            ("x-forwarded-for", "203.0.113.7"),
            ("x-forwarded-proto", "https"),
            ("forwarded", "for=127.0.0.1"),
            ("via", "1.1 proxy"),
            ("x-real-ip", "127.0.0.1"),
        ] {
            let request = app.client().request(reqwest::Method::GET, "/metrics").header(name, value);
            let reply = send(request).await;
            assert_eq!(reply.status, if is_public { 200 } else { 404 }, "{name}");
        }
    }
}

#[tokio::test]
async fn behind_a_proxy_the_counters_are_hidden_whatever_it_adds() {
    type Change = fn(&mut Settings);
    let proxied: [Change; 2] = [
        |settings| settings.server.trusted_proxies = "127.0.0.1".to_owned().try_into().unwrap(),
        |settings| settings.server.public_url = Some("https://parts.example.com".to_owned()),
    ];
    for change in proxied {
        let app = TestApp::with_stand_in(change).await;
        // As a proxy on the server itself sends it that adds nothing.
        app.client().get("/metrics").await.problem(404, "not-found");
        app.client().get("/health").await.expect_status(200);
    }
    let at_home: Change = |settings| settings.server.public_url = Some("http://localhost:8080".to_owned());
    TestApp::with_stand_in(at_home).await.client().get("/metrics").await.expect_status(200);
}

#[tokio::test]
async fn an_address_of_their_own_shows_the_counters_and_nothing_else() {
    let app = TestApp::with_stand_in(|_| {}).await;
    let address = free_address();
    let settings = Settings::with(|settings| {
        settings.monitoring.metrics_listen = Some(address);
        settings.server.public_url = Some("https://parts.example.com".to_owned());
    });
    let server = Served::with(&app, &settings, |_| {}).await;
    app.client().at(server.address).get("/metrics").await.expect_status(404);
    let metrics = app.client().at(address);
    assert!(
        metrics.get("/metrics").await.expect_status(200).text.contains("partsight_inference_queue_depth 0")
    );
    metrics.get("/health").await.expect_status(404);
    server.stop().await;
    assert!(TcpStream::connect(address).await.is_err());
}
