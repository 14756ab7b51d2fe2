//! Refusals that belong to no one call.

use reqwest::Method;
use serde_json::json;

use crate::TestApp;
use crate::client::send;

const FORM: &str = "The request body must be a JSON object with the fields of this call. The list of calls is at \
            /api/openapi.json.";

/// Name, method, path and body of a call, the field that it is refused for, and the sentence.
const UNREADABLE: &[(&str, &str, &str, &str, &str, &str)] = &[
    (
        "broken",
        "PUT",
        "/api/auth/user",
        "{\"firstName\": \"Ann\",",
        "body",
        "The request body is not valid JSON. Please look at line 1, column 20.",
    ),
    (
        "cut off",
        "PUT",
        "/api/auth/user",
        "{\"firstName\": \"An",
        "body",
        "The request body is not valid JSON. Please look at line 1, column 17.",
    ),
    (
        "more behind it",
        "PUT",
        "/api/auth/password",
        "{} {}",
        "body",
        "The request body is not valid JSON. Please look at line 1, column 4.",
    ),
    ("empty", "PUT", "/api/auth/user", "", "body", "The request body is empty. Please send a JSON object."),
    ("not an object", "PUT", "/api/auth/user", "7", "body", FORM),
    ("by position", "PUT", "/api/auth/user", "[\"Ann\", \"Lee\"]", "body", FORM),
    (
        "sign-up by position",
        "POST",
        "/api/auth/signup",
        "[\"zoe@example.com\", \"a quiet battery\", \"Zoe\", \"Lee\"]",
        "body",
        FORM,
    ),
    ("wrong kind", "POST", "/api/vehicles", "{\"make\": 7}", "make", "`make` must be text."),
    (
        "missing",
        "POST",
        "/api/create-subscription",
        "{\"plan\": \"pro\"}",
        "price",
        "`price` is missing. Please send it.",
    ),
    (
        "no whole number",
        "PUT",
        "/api/judge/budget",
        "{\"dayMicroDollars\": 1.5, \"monthMicroDollars\": null}",
        "dayMicroDollars",
        "`dayMicroDollars` must be a whole number.",
    ),
    (
        "out of range",
        "PUT",
        "/api/judge/budget",
        "{\"dayMicroDollars\": -1, \"monthMicroDollars\": null}",
        "dayMicroDollars",
        "`dayMicroDollars` must be a whole number that is not negative.",
    ),
    (
        "unknown",
        "PUT",
        "/api/judge",
        "{\"permitted\": true}",
        "permitted",
        "This call has no field `permitted`. Please leave it out.",
    ),
    (
        "unknown, and near one",
        "POST",
        "/api/vehicles",
        "{\"make\": \"Honda\", \"model\": \"Civic\", \"year\": 2015, \"vin\": \"1HGCM82633A004352\"}",
        "vin",
        "This call has no field `vin`. Did you mean `vinNumber`?",
    ),
    (
        "unknown in a list",
        "POST",
        "/api/catalog/parts",
        "{\"label\": \"rim\", \"fitments\": [{\"make\": \"Honda\", \"yearform\": 2012}]}",
        "fitments[0].yearform",
        "This call has no field `fitments[0].yearform`. Did you mean `yearFrom`?",
    ),
    (
        "twice",
        "PUT",
        "/api/judge",
        "{\"allowed\": true, \"allowed\": false}",
        "allowed",
        "`allowed` is given more than once. Please send it once.",
    ),
    (
        "in a list",
        "POST",
        "/api/catalog/parts",
        "{\"name\": \"Disc\", \"fitments\": [{}, {\"make\": 7}]}",
        "fitments[1].make",
        "`fitments[1].make` must be text.",
    ),
    (
        "by position in a list",
        "POST",
        "/api/catalog/parts",
        "{\"name\": \"Disc\", \"fitments\": [[\"Honda\", \"Civic\", null, null, null, true]]}",
        "fitments[0]",
        "`fitments[0]` must be a JSON object.",
    ),
    (
        "no list",
        "POST",
        "/api/api-keys",
        "{\"name\": \"Desk\", \"scopes\": \"scan\"}",
        "scopes",
        "`scopes` must be a list.",
    ),
    (
        "another choice",
        "POST",
        "/api/scans/0190a0a0-0000-7000-8000-000000000000/feedback",
        "{\"answer\": \"maybe\"}",
        "answer",
        "`answer` must be one of `right`, `other-part`, `not-a-part`.",
    ),
    (
        "no choice at all",
        "POST",
        "/api/scans/0190a0a0-0000-7000-8000-000000000000/feedback",
        "{\"answer\": null}",
        "answer",
        "`answer` must be one of `right`, `other-part`, `not-a-part`.",
    ),
    (
        "a list in place of a choice",
        "POST",
        "/api/scans/0190a0a0-0000-7000-8000-000000000000/feedback",
        "{\"answer\": []}",
        "answer",
        "`answer` must be one of `right`, `other-part`, `not-a-part`.",
    ),
];

#[tokio::test]
async fn a_body_that_cannot_be_read_is_refused_in_plain_words() {
    let (_app, client) = TestApp::with_ann().await;
    let mut wrong = Vec::new();
    for &(name, method, path, body, field, sentence) in UNREADABLE {
        let request = client
            .request(method.parse().unwrap(), path)
            .header("content-type", "application/json")
            .body(body);
        let reply = send(request).await;
        let answer = (reply.problem(422, "invalid"), reply.json()["field"].clone());
        if answer != (sentence.to_owned(), field.into()) {
            wrong.push((name, answer));
        }
    }
    assert_eq!(wrong, []);
}

#[tokio::test]
async fn a_query_that_cannot_be_read_is_refused_in_plain_words() {
    let (_app, client) = TestApp::with_ann().await;
    let cases = [
        ("/api/scans?limit=ten", "limit", "`limit` must be a whole number, written with digits alone."),
        ("/api/scans?limit=", "limit", "`limit` must be a whole number, written with digits alone."),
        ("/api/scans?limit=-1", "limit", "`limit` must be a whole number, written with digits alone."),
        ("/api/scans?limit=99999999999", "limit", "`limit` must be a smaller whole number."),
        ("/api/scans?limit=1&limit=2", "limit", "`limit` is given more than once. Please send it once."),
        ("/api/export/parts.xml", "format", "`format` is missing. Please send it."),
        ("/api/export/parts.xml?format=csv", "format", "`format` must be `aces` or `pies`."),
    ];
    let mut wrong = Vec::new();
    for (path, field, sentence) in cases {
        let reply = client.get(path).await;
        let answer = (reply.problem(422, "invalid"), reply.json()["field"].clone());
        if answer != (sentence.to_owned(), field.into()) {
            wrong.push((path, answer));
        }
    }
    assert_eq!(wrong, []);
}

#[tokio::test]
async fn a_body_that_is_not_said_to_be_json_is_refused() {
    let app = TestApp::start().await;
    for content_type in ["text/plain", "application/x-www-form-urlencoded", ""] {
        let request = app
            .client()
            .request(Method::POST, "/api/auth/login")
            .header("content-type", content_type)
            .body("{}");
        let sentence = send(request).await.problem(415, "unsupported-media-type");
        assert!(sentence.contains("Content-Type: application/json"), "{sentence}");
    }
}

#[tokio::test]
async fn a_compressed_body_is_refused_as_one() {
    let app = TestApp::start().await;
    for (encoding, status) in [("gzip", 415), ("identity", 401)] {
        let request = app
            .client()
            .request(Method::POST, "/api/auth/login")
            .header("content-type", "application/json")
            .header("content-encoding", encoding)
            .body(r#"{"email": "ann@example.com", "password": "correct horse"}"#);
        let reply = send(request).await;
        reply.expect_status(status);
        assert_eq!(reply.text.contains("Content-Encoding"), status == 415, "{}", reply.text);
    }
}

#[tokio::test]
async fn a_body_larger_than_any_form_is_refused() {
    let app = TestApp::start().await;
    let body = json!({ "email": "a".repeat(300 * 1024), "password": "correct horse" });
    let sentence = app.client().post("/api/auth/login", &body).await.problem(413, "too-large");
    assert!(sentence.contains("larger than the 256 KB"), "{sentence}");
}

#[tokio::test]
async fn an_address_that_is_not_text_is_refused() {
    let (_app, client) = TestApp::with_ann().await;
    client.put("/api/vehicles/%ff/default").await.problem(404, "not-found");
    client.get("/api/parts/%ff/ai-suppliers").await.problem(404, "not-found");
}

#[tokio::test]
async fn each_answer_has_a_request_id_of_its_own() {
    let app = TestApp::start().await;
    let (first, second) = (app.client().get("/health").await, app.client().get("/health").await);
    assert_ne!(first.header("x-request-id"), second.header("x-request-id"));
}
