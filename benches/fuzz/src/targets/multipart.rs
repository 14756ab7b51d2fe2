use axum::body::{Body, to_bytes};
use axum::http::header::{CONTENT_TYPE, COOKIE, HOST};
use axum::http::{Method, Request, StatusCode};
use partsight_domain::MAX_SCAN_PHOTOS;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::shop::{Shop, in_shop};

/// What parts the fields; the seeds use it.
const FORM: &str = "multipart/form-data; boundary=X";
/// Largest answer that is read.
const MAX_ANSWER: usize = 1 << 20;

/// The body of an upload form, sent to the call that identifies, through the router and with a session.
pub(crate) fn multipart(data: &[u8]) {
    in_shop(async |shop| {
        let cookie = cookie(shop).await;
        let before = shop.images();
        let (status, answer) = send(shop, Method::POST, "/api/identify", FORM, &cookie, data).await;
        let n_images = shop.images() - before;
        assert!(n_images <= MAX_SCAN_PHOTOS, "{n_images} photographs were looked at");
        // Nobody else is here: "busy" would be a place that somebody did not give back.
        assert!(!status.is_server_error(), "{status}: {answer}");
        if status == StatusCode::OK {
            let photos = answer["photos"].as_array().map_or(1, |photos| photos.len().max(1));
            assert!((1..=MAX_SCAN_PHOTOS).contains(&photos), "{photos} photographs in {answer}");
            assert_eq!(n_images, photos, "{answer}");
            let (status, answer) = send(shop, Method::DELETE, "/api/scans", FORM, &cookie, b"").await;
            assert_eq!(status, StatusCode::NO_CONTENT, "{answer}");
        } else {
            assert!(answer["code"].is_string() && answer["detail"].is_string(), "{status}: {answer}");
        }
    });
}

/// The session of somebody who has a vehicle.
async fn cookie(shop: &mut Shop) -> String {
    let signed_in = shop.signed_in().await;
    let (user, token) = (signed_in.user.clone(), signed_in.token.as_str().to_owned());
    let cookie = format!("partsight_session={token}");
    if shop.app.garage.default_vehicle(&user).await.expect("the database answers").is_none() {
        let vehicle = json!({ "make": "Honda", "model": "Civic", "year": 2015 }).to_string();
        let (status, answer) =
            send(shop, Method::POST, "/api/vehicles", "application/json", &cookie, vehicle.as_bytes()).await;
        assert_eq!(status, StatusCode::CREATED, "{answer}");
    }
    cookie
}

async fn send(
    shop: &Shop,
    method: Method,
    path: &str,
    media_type: &str,
    cookie: &str,
    body: &[u8],
) -> (StatusCode, Value) {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(HOST, "localhost")
        .header(CONTENT_TYPE, media_type)
        .header(COOKIE, cookie)
        .body(Body::from(body.to_vec()))
        .expect("the request is one");
    let response = shop.router.clone().oneshot(request).await.expect("the router always answers");
    let status = response.status();
    let bytes = to_bytes(response.into_body(), MAX_ANSWER).await.expect("answers are short");
    (status, serde_json::from_slice(&bytes).unwrap_or_default())
}
