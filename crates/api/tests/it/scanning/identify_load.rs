//! Several photographs at a time, and clients that go away.

use reqwest::Method;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::engine::Behaviour;
use crate::{Client, Engines, Setup, TestApp, pictures};

/// Sends a plain photograph in a task of its own, which ends with the set.
fn start_scan(scans: &mut JoinSet<u16>, client: &Client) {
    let client = client.clone();
    scans.spawn(async move { client.identify(&pictures::plain()).await.status });
}

/// Those that are answered while one is being saved are saved together, or one by one if not all fit.
#[tokio::test]
async fn of_four_scans_at_once_as_many_are_saved_as_are_left() {
    let app = TestApp::stalled(4, |_| {}).await;
    let client = app.sign_up_with_vehicle("ann").await;
    let mut scans = JoinSet::new();
    for _ in 0..4 {
        start_scan(&mut scans, &client);
    }
    app.gate().wait_for_images(4).await;
    app.gate().open();

    let mut statuses = scans.join_all().await;
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 429, 429]);
    assert_eq!(client.used().await, 2);
    assert_eq!(client.get("/api/scans/recent").await.json().as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_full_queue_answers_busy_and_when_to_come_back() {
    let app = TestApp::stalled(1, |settings| settings.model.queue_capacity = 1).await;
    let client = app.sign_up_with_vehicle("ann").await;
    let mut scans = JoinSet::new();
    start_scan(&mut scans, &client);
    app.gate().wait_for_images(1).await;

    let reply = client.identify(&pictures::plain()).await;
    let sentence = reply.problem(503, "busy");
    assert_eq!(sentence, "The server is busy. Please try again in a few seconds.");
    assert!(reply.header("retry-after").parse::<u32>().unwrap() > 0);
    assert_eq!(client.used().await, 0);

    app.gate().open();
    assert_eq!(scans.join_all().await, [200]);
    client.identify(&pictures::plain()).await.expect_status(200);
    assert_eq!(client.used().await, 2);
}

#[tokio::test]
async fn a_scan_cancelled_while_it_waits_uses_nothing_and_never_reaches_the_engine() {
    let app = TestApp::stalled(1, |_| {}).await;
    let ann = app.sign_up_with_vehicle("ann").await;
    let bob = app.sign_up_with_vehicle("bob").await;
    let mut hers = JoinSet::new();
    start_scan(&mut hers, &ann);
    app.gate().wait_for_images(1).await;

    let mut his = JoinSet::new();
    start_scan(&mut his, &bob);
    app.wait_for_running(2).await;
    his.shutdown().await;
    app.wait_for_running(1).await;

    app.gate().open();
    assert_eq!(hers.join_all().await, [200]);
    // The engine takes in order: whatever of his still waited would be seen before her next one.
    ann.identify(&pictures::plain()).await.expect_status(200);
    assert_eq!(app.gate().images(), 2);
    assert_eq!((ann.used().await, bob.used().await), (2, 0));
}

#[tokio::test]
async fn a_scan_cancelled_while_the_engine_runs_uses_nothing() {
    let app = TestApp::stalled(1, |_| {}).await;
    let client = app.sign_up_with_vehicle("ann").await;
    let mut scans = JoinSet::new();
    start_scan(&mut scans, &client);
    app.gate().wait_for_images(1).await;
    scans.shutdown().await;
    app.wait_for_running(0).await;

    app.gate().open();
    client.identify(&pictures::plain()).await.expect_status(200);
    assert_eq!(client.used().await, 1);
}

/// Starts a scan whose photograph never arrives whole, and keeps the connection open.
async fn half_an_upload(app: &TestApp, cookie: &str) -> TcpStream {
    let mut connection = TcpStream::connect(app.address).await.unwrap();
    let head = format!(
        "POST /api/identify HTTP/1.1\r\nhost: {}\r\ncookie: {cookie}\r\ncontent-length: 100000\r\n\
         content-type: multipart/form-data; boundary=xyz\r\n\r\n\
         --xyz\r\ncontent-disposition: form-data; name=\"image\"\r\n\r\n",
        app.address
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    connection.write_all(&pictures::plain()).await.unwrap();
    connection
}

#[tokio::test]
async fn uploads_that_never_end_leave_a_bounded_number_in_memory() {
    let app = TestApp::with_stand_in(|settings| {
        settings.model.queue_capacity = 1;
        settings.server.plan = Some(partsight_domain::Plan::Pro);
    })
    .await;
    let client = app.client();
    let cookie = client.sign_up("ann").await.header("set-cookie").split_once(';').unwrap().0.to_owned();
    client.add_vehicle("Civic").await;
    let mut held = vec![half_an_upload(&app, &cookie).await, half_an_upload(&app, &cookie).await];
    app.wait_for_running(2).await;

    // The two take their places once their session has been looked up. Should a whole upload have had a place
    // at that moment, one of them was refused in its stead: so another half comes after each whole one.
    let mut refused = false;
    for _ in 0..200 {
        refused = client.identify(&pictures::plain()).await.status == 503;
        if refused {
            break;
        }
        held.push(half_an_upload(&app, &cookie).await);
    }
    assert!(refused, "a whole upload was taken beside {} that are still arriving", held.len());
}

#[tokio::test]
async fn an_upload_cancelled_half_way_uses_nothing() {
    let app = TestApp::with_stand_in(|_| {}).await;
    let client = app.client();
    let cookie = client.sign_up("ann").await.header("set-cookie").split_once(';').unwrap().0.to_owned();
    client.add_vehicle("Civic").await;

    let connection = half_an_upload(&app, &cookie).await;
    app.wait_for_running(1).await;
    drop(connection);
    app.wait_for_running(0).await;

    assert_eq!(app.gate().images(), 0);
    assert_eq!(client.used().await, 0);
}

#[tokio::test]
async fn a_failing_engine_answers_500_without_its_reason_and_uses_nothing() {
    let engines = Engines { count: 1, behaviour: Behaviour::Fail, is_open: true };
    let app = TestApp::with(Setup { engines: Some(engines), ..Setup::default() }).await;
    let client = app.sign_up_with_vehicle("ann").await;
    let reply = client.identify(&pictures::plain()).await;
    reply.problem(500, "internal");
    assert!(!reply.text.contains("secret-output"), "{}", reply.text);
    assert_eq!(client.used().await, 0);
}

#[tokio::test]
async fn reading_goes_on_while_the_engines_are_busy() {
    let app = TestApp::stalled(1, |_| {}).await;
    let client = app.sign_up_with_vehicle("ann").await;
    let mut scans = JoinSet::new();
    start_scan(&mut scans, &client);
    app.gate().wait_for_images(1).await;
    for path in ["/health", "/api/vehicles", "/api/scans/recent"] {
        crate::client::send(client.request(Method::GET, path)).await.expect_status(200);
    }
}
