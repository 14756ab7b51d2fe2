//! Requests that no browser sends: each is answered or cut off, and the server goes on.

use jiff::SignedDuration;
use partsight_app::Settings;

use crate::TestApp;
use crate::connections::{SOON, Served, exchange, status_of};

async fn server() -> (TestApp, Served) {
    let app = TestApp::with_stand_in(|_| {}).await;
    let server = Served::with(&app, &Settings::default(), |_| {}).await;
    (app, server)
}

/// Sends these bytes and gives the status of the answer, none where the connection was closed without one.
async fn status(server: &Served, request: &[u8]) -> Option<u16> {
    let answer = exchange(server.address, request).await;
    let health = b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    assert_eq!(status_of(&exchange(server.address, health).await), Some(200), "the server goes on");
    status_of(&answer)
}

#[tokio::test]
async fn headers_that_are_too_long_are_refused() {
    let (_app, server) = server().await;
    let long = format!("GET / HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "a".repeat(40_000));
    assert_eq!(status(&server, long.as_bytes()).await, Some(431));
    let endless = format!("GET / HTTP/1.1\r\nhost: localhost\r\nx: {}", "a".repeat(1_000_000));
    assert_eq!(status(&server, endless.as_bytes()).await, Some(431));
    let many = format!("GET / HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "x: y\r\n".repeat(500));
    assert_eq!(status(&server, many.as_bytes()).await, Some(431));
    let address = format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "a".repeat(40_000));
    assert_eq!(status(&server, address.as_bytes()).await, Some(431));
}

#[tokio::test]
async fn what_is_no_http_is_refused() {
    let (_app, server) = server().await;
    for request in [
        &b"GET / HTTP/1.1\r\nhost: localhost\r\nx: a\0b\r\n\r\n"[..],
        b"GET / HTTP/1.1\r\nhost: localhost\r\na\0: b\r\n\r\n",
        b"GET /\0 HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"GET / HTTP/3.7\r\nhost: localhost\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a browser that tries https\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
        b"POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: gzip\r\n\r\n",
    ] {
        assert_eq!(status(&server, request).await, Some(400), "{}", request.escape_ascii());
    }
}

#[tokio::test]
async fn a_request_with_two_hosts_or_none_is_refused() {
    let (_app, server) = server().await;
    for (request, expected) in [
        (
            &b"GET /health HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\nconnection: close\r\n\r\n"[..],
            421,
        ),
        (b"GET /health HTTP/1.1\r\nconnection: close\r\n\r\n", 421),
        (b"GET http://evil.example/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n", 421),
        (b"GET /health HTTP/1.0\r\n\r\n", 200),
    ] {
        assert_eq!(status(&server, request).await, Some(expected), "{}", request.escape_ascii());
    }
}

#[tokio::test]
async fn a_body_whose_pieces_are_broken_is_refused() {
    let (app, server) = server().await;
    let impatient = Served::with(&app, &Settings::default(), |limits| limits.body_grace = SOON).await;
    let request = |pieces: &str| {
        format!(
            "POST /api/auth/login HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
             content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n{pieces}"
        )
    };
    for pieces in ["zz\r\n", "ffffffffffffffffff\r\n", "-1\r\n"] {
        assert_eq!(status(&server, request(pieces).as_bytes()).await, Some(422), "{pieces:?}");
    }
    // More of it could come.
    assert_eq!(status(&impatient, request("5\r\nab").as_bytes()).await, Some(408));
}

#[tokio::test]
async fn after_a_body_with_two_lengths_the_connection_is_closed() {
    let (_app, server) = server().await;
    // A proxy that believes the other length takes the second request for something else than we do.
    let request = b"POST /api/auth/login HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
        content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n\
        GET /no-such-page HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n";
    let answer = exchange(server.address, request).await;
    let statuses: Vec<_> =
        answer.match_indices("HTTP/1.1 ").map(|(at, _)| &answer[at + 9..at + 12]).collect();
    assert_eq!(statuses, ["422"], "{answer}");
}

#[tokio::test]
async fn http_2_is_cut_off_and_an_upgrade_to_it_ignored() {
    let (_app, server) = server().await;
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    assert_eq!(status(&server, preface).await, None);
    let upgrade =
        b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade, http2-settings, close\r\n\
        upgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n\r\n";
    assert_eq!(status(&server, upgrade).await, Some(200));
}

#[tokio::test]
async fn a_handler_that_panics_answers_500() {
    let (app, server) = server().await;
    let session = app.client().sign_up("ann").await;
    let cookie = session.header("set-cookie").split_once(';').unwrap().0;
    let request = format!(
        "GET /api/auth/user HTTP/1.1\r\nhost: localhost\r\ncookie: {cookie}\r\nconnection: close\r\n\r\n"
    );
    // A clock beyond the year 9999 is one that the test's own panics at.
    let aeons = SignedDuration::from_secs(1_000_000_000_000);
    app.advance(aeons);
    let answer = exchange(server.address, request.as_bytes()).await;
    assert_eq!(status_of(&answer), Some(500), "{answer}");
    assert!(answer.contains("\"code\":\"internal\""), "{answer}");
    app.advance(-aeons);
    assert_eq!(status(&server, request.as_bytes()).await, Some(200));
}
