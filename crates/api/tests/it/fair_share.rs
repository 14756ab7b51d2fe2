//! One account or address that asks for much, and others who ask for little.

use std::time::Duration;

use image::{DynamicImage, GrayImage, ImageFormat};
use partsight_domain::Plan;
use reqwest::Method;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;
use uuid::Uuid;

use crate::client::send;
use crate::evaluations::jobs::evaluate;
use crate::{Client, Reply, TestApp, pictures};

/// Sends plain photographs, each in a task of its own.
fn start_scans(scans: &mut JoinSet<Reply>, client: &Client, n: usize) {
    for _ in 0..n {
        let client = client.clone();
        scans.spawn(async move { client.identify(&pictures::plain()).await });
    }
}

pub(crate) async fn wait_until(what: impl Fn() -> bool) {
    while !what() {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
}

/// Ids of answered scans; they grow with time.
fn ids(replies: &[Reply]) -> Vec<Uuid> {
    let id = |reply: &Reply| reply.expect_status(200).json()["id"].as_str().unwrap().parse().unwrap();
    replies.iter().map(id).collect()
}

#[tokio::test]
async fn one_scan_goes_before_the_many_that_another_account_sent_earlier() {
    let app = TestApp::stalled(1, |settings| {
        settings.server.plan = Some(Plan::Pro);
        settings.model.queue_capacity = 400;
        // As on a processor, where a photograph for each core and one for the engine have a turn.
        settings.model.max_batch = 1;
    })
    .await;
    let (ann, bob) = (app.sign_up_with_vehicle("ann").await, app.sign_up_with_vehicle("bob").await);
    let n_turns = std::thread::available_parallelism().unwrap().get() + 1;
    let identifier = &app.use_cases.recognition;

    let mut hers = JoinSet::new();
    start_scans(&mut hers, &ann, 4 * n_turns);
    wait_until(|| identifier.n_waiting() == 3 * n_turns).await;
    let mut his = JoinSet::new();
    start_scans(&mut his, &bob, 1);
    wait_until(|| identifier.n_waiting() == 3 * n_turns + 1).await;
    app.gate().open();

    let his = ids(&his.join_all().await)[0];
    let later = ids(&hers.join_all().await).into_iter().filter(|hers| *hers > his).count();
    // Before his were those that ran, one more, and those that began with his.
    assert!(later >= n_turns, "only {later} of her {} scans came after his", 4 * n_turns);
}

#[tokio::test]
async fn one_account_cannot_fill_the_queue() {
    let app = TestApp::stalled(1, |settings| settings.model.queue_capacity = 8).await;
    let (ann, bob) = (app.sign_up_with_vehicle("ann").await, app.sign_up_with_vehicle("bob").await);
    let identifier = &app.use_cases.recognition;
    let mut hers = JoinSet::new();
    start_scans(&mut hers, &ann, 4);
    wait_until(|| identifier.n_in_flight() == 4).await;
    ann.identify(&pictures::plain()).await.problem(503, "busy");

    let mut his = JoinSet::new();
    start_scans(&mut his, &bob, 1);
    wait_until(|| identifier.n_in_flight() == 5).await;
    app.gate().open();
    his.join_all().await[0].expect_status(200);
}

/// Half of an upload to this call, kept open.
async fn half_an_upload(app: &TestApp, cookie: &str, call: &str) -> TcpStream {
    let mut connection = TcpStream::connect(app.address).await.unwrap();
    let media_type = match call {
        call if call.contains("company") => "application/json",
        call if call.contains("import") => "text/csv",
        _ => "multipart/form-data; boundary=xyz",
    };
    // A smaller body than this is received before it needs a place, unless it is a form.
    let n_bytes = if media_type.starts_with("multipart/") { 100_000 } else { 300_000 };
    let head = format!(
        "{call} HTTP/1.1\r\nhost: {}\r\ncookie: {cookie}\r\ncontent-length: {n_bytes}\r\n\
         content-type: {media_type}\r\n\r\n\
         --xyz\r\ncontent-disposition: form-data; name=\"image\"\r\n\r\n",
        app.address
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    connection
}

#[tokio::test]
async fn slow_uploads_of_one_account_leave_room_for_others_at_the_same_address() {
    let app = TestApp::with_stand_in(|settings| settings.model.queue_capacity = 8).await;
    let ann = app.client();
    let cookie = ann.sign_up("ann").await.header("set-cookie").split_once(';').unwrap().0.to_owned();
    ann.add_vehicle("Civic").await;
    let bob = app.sign_up_with_vehicle("bob").await;

    // 16 places, of which an account may have 5 here.
    let mut refusals = JoinSet::new();
    for _ in 0..16 {
        let mut connection = half_an_upload(&app, &cookie, "POST /api/identify").await;
        refusals.spawn(async move {
            let mut status = [0; 12];
            connection.read_exact(&mut status).await.unwrap();
            assert_eq!(&status, b"HTTP/1.1 503");
        });
    }
    for _ in 0..11 {
        refusals.join_next().await.unwrap().unwrap();
    }
    bob.identify(&pictures::plain()).await.expect_status(200);
}

#[tokio::test]
async fn the_memory_of_every_photograph_that_arrives_is_bounded() {
    let lesson = "POST /api/catalog/types";
    let marks = "PUT /api/scans/01936f50-0000-7000-8000-000000000000/regions";
    let logo = "PUT /api/company/01936f50-0000-7000-8000-000000000000";
    for (call, most) in [
        ("POST /api/identify", 2),
        ("POST /api/vehicles/read-vin", 5),
        (marks, 5),
        (lesson, 5),
        ("POST /api/company", 5),
        (logo, 5),
        ("POST /api/import/repairs", 5),
        ("POST /api/catalog/parts/import", 5),
    ] {
        let app = TestApp::with_stand_in(|settings| {
            settings.server.plan = Some(Plan::Business);
            // Memory for one scan of five photographs, each of which counts as 64 KiB.
            (settings.photos.max_bytes, settings.photos.max_upload_bytes) = (64 << 10, 1024);
        })
        .await;
        let cookie =
            app.client().sign_up("ann").await.header("set-cookie").split_once(';').unwrap().0.to_owned();
        let mut refusals = JoinSet::new();
        for _ in 0..=most {
            let mut connection = half_an_upload(&app, &cookie, call).await;
            refusals.spawn(async move {
                let mut status = [0; 12];
                connection.read_exact(&mut status).await.unwrap();
                status
            });
        }
        assert_eq!(&refusals.join_next().await.unwrap().unwrap(), b"HTTP/1.1 503", "{call}");
    }
}

#[tokio::test]
async fn whoever_reads_much_waits_for_their_own_reads_and_nobody_else_does() {
    let app = TestApp::with_stand_in(|_| {}).await;
    let ann = app.sign_up("ann").await;
    let bob = app.sign_up_with_vehicle("bob").await;
    // As many calls of hers as may read at a time, which take long.
    let mut reading = app.take_read_turns("ann").await;
    bob.get("/api/vehicles").await.expect_status(200);
    let (mut of_ann, hers) = (JoinSet::new(), ann.clone());
    of_ann.spawn(async move { hers.get("/api/repair-history").await });
    sleep(Duration::from_millis(300)).await;
    assert!(of_ann.try_join_next().is_none());
    // It is for calls that read only.
    ann.add_vehicle("Civic").await;
    reading.pop();
    of_ann.join_next().await.unwrap().unwrap().expect_status(200);
    // A turn ends with its answer, whatever that is.
    for status in [404, 404, 200] {
        let path = if status == 200 { "/api/vehicles" } else { "/api/vehicles/none" };
        ann.get(path).await.expect_status(status);
    }
}

#[tokio::test]
async fn whoever_does_not_read_long_answers_gets_no_more_of_them() {
    let app = TestApp::with_stand_in(|settings| settings.server.plan = Some(Plan::Business)).await;
    let ann = app.client();
    let cookie = ann.sign_up("ann").await.header("set-cookie").split_once(';').unwrap().0.to_owned();
    let vehicle = ann.add_vehicle("Civic").await;
    let bob = app.sign_up_with_vehicle("bob").await;
    let notes = "x".repeat(1800);
    let rows: Vec<String> = (1..=2500).map(|n| format!("2025-03-05,{n},Belt,{notes}")).collect();
    let import = ann.request(Method::POST, &format!("/api/import/repairs?vehicleId={vehicle}"));
    let rows = format!("date,mileage,part_replaced,notes\r\n{}", rows.join("\r\n"));
    let import = import.header("content-type", "text/csv").body(rows);
    send(import).await.expect_status(200);

    let mut unread = Vec::new();
    for _ in 0..4 {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        let mut connection = socket.connect(app.address).await.unwrap();
        let request =
            format!("GET /api/repair-history HTTP/1.1\r\nhost: {}\r\ncookie: {cookie}\r\n\r\n", app.address);
        connection.write_all(request.as_bytes()).await.unwrap();
        // The answer has begun, so the turn is no longer that of the query.
        let mut status = [0; 12];
        connection.read_exact(&mut status).await.unwrap();
        assert_eq!(&status, b"HTTP/1.1 200");
        unread.push(connection);
    }
    let mut of_ann = JoinSet::new();
    of_ann.spawn(async move { ann.get("/api/vehicles").await });
    sleep(Duration::from_millis(300)).await;
    assert!(of_ann.try_join_next().is_none());
    bob.get("/api/vehicles").await.expect_status(200);
    drop(unread);
    of_ann.join_next().await.unwrap().unwrap().expect_status(200);
}

#[tokio::test]
async fn an_evaluation_is_unpacked_once_there_is_memory_for_it() {
    let app = TestApp::with_settings(|settings| {
        settings.server.plan = Some(Plan::Business);
        // Memory for five photographs, as above, of which two are for others than batches and evaluations.
        (settings.photos.max_bytes, settings.photos.max_upload_bytes) = (64 << 10, 1024);
    })
    .await;
    let ann = app.sign_up("ann").await;
    let cookie = app.client().sign_up("bob").await.header("set-cookie").split_once(';').unwrap().0.to_owned();
    let mut halves = JoinSet::new();
    for _ in 0..3 {
        let mut connection = half_an_upload(&app, &cookie, "POST /api/identify").await;
        halves.spawn(async move {
            let mut status = [0; 12];
            connection.read_exact(&mut status).await.unwrap();
            status
        });
    }
    // The third finds no memory, so the other two have theirs.
    assert_eq!(&halves.join_next().await.unwrap().unwrap(), b"HTTP/1.1 503");

    let (mut evaluation, hers) = (JoinSet::new(), ann.clone());
    evaluation.spawn(async move { evaluate(&hers, &[("rim/1.png", pictures::plain())]).await });
    for _ in 0..20 {
        assert_eq!(ann.get("/api/evaluations").await.expect_status(200).json(), json!([]));
    }
    halves.abort_all();
    evaluation.join_next().await.unwrap().unwrap().expect_status(201);
}

/// A PNG whose header is of 64 million pixels, and whose data is none.
fn large_and_broken() -> Vec<u8> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |kind: &[u8], data: &[u8]| {
        file.extend(u32::try_from(data.len()).unwrap().to_be_bytes());
        let content = [kind, data].concat();
        file.extend(&content);
        file.extend(pictures::crc32(&content).to_be_bytes());
    };
    let side = 8_000_u32.to_be_bytes();
    chunk(b"IHDR", &[&side[..], &side, &[8, 0, 0, 0, 0]].concat());
    // As much as could hold that many pixels.
    chunk(b"IDAT", &vec![0xff; 100_000]);
    chunk(b"IEND", b"");
    file
}

/// The first reply with another status to a photograph of 64 megapixels that is sent again and again.
async fn refusal_after(client: &Client, photo: &[u8], status: u16) -> Reply {
    let mut n_replies = 0;
    // 37 at once, and one more every 2.7 seconds.
    let refusal = loop {
        assert!(n_replies < 350, "seventy requests of five were all looked at");
        let reply = client.identify(photo).await;
        if reply.status != status {
            break reply;
        }
        n_replies += 1;
    };
    assert!(n_replies >= 37, "{n_replies}");
    refusal
}

#[tokio::test]
async fn photographs_without_an_answer_are_charged_by_their_pixels() {
    let app = TestApp::with_stand_in(|_| {}).await;
    let (ann, bob) = (app.sign_up_with_vehicle("ann").await, app.sign_up_with_vehicle("bob").await);
    let photo = large_and_broken();
    let refusal = refusal_after(&ann, &photo, 422).await;
    let sentence = refusal.problem(429, "too-many-attempts");
    assert!(sentence.contains("photos"), "{sentence}");
    assert!((1..=4).contains(&refusal.header("retry-after").parse::<u32>().unwrap()));
    assert_eq!(ann.used().await, 0);
    // Small ones are still looked at, and nobody else notices.
    ann.identify(&pictures::plain()).await.expect_status(200);
    bob.identify(&photo).await.expect_status(422);
}

#[tokio::test]
async fn answers_that_use_no_allowance_are_charged_by_their_pixels() {
    let app = TestApp::with_spread(&["brake-rotor", "rim", "crankshaft", "camshaft", "piston"]).await;
    let ann = app.sign_up_with_vehicle("ann").await;
    let large = DynamicImage::ImageLuma8(GrayImage::new(8_000, 8_000));
    let photo = pictures::encode(&large, ImageFormat::Jpeg);
    refusal_after(&ann, &photo, 200).await.problem(429, "too-many-attempts");
    assert_eq!(ann.used().await, 0);
}

#[tokio::test]
async fn a_part_takes_500_fitments_of_a_file_and_each_row_beyond_is_refused_alike() {
    let (_app, ann) = TestApp::stand_in_with_ann().await;
    let rows: Vec<String> = (0..10_000).map(|n| format!("spark-plug,A-1,Honda,Model {n}")).collect();
    let request = ann.request(Method::POST, "/api/catalog/parts/import?dryRun=true");
    let file = format!("type,number,make,model\r\n{}\r\n", rows.join("\r\n"));
    let reply = send(request.header("content-type", "text/csv").body(file)).await;
    let report = reply.expect_status(200).json();
    assert_eq!(
        (&report["new"], &report["changed"], &report["errors"]),
        (&1.into(), &499.into(), &9_500.into())
    );
    let last = report["rows"].as_array().unwrap().last().unwrap();
    assert_eq!(last["message"], "A part has at most 500 fitments; these are 501.");
}
