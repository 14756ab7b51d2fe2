//! Keys for programs: what they open, what they do not, and how they end.

use jiff::SignedDuration;
use partsight_domain::{ApiScope, Plan};
use reqwest::Method;
use reqwest::multipart::Form;
use serde_json::{Value, json};

use crate::client::{file, send};
use crate::{Client, Reply, TestApp, pictures};

/// A server on which everybody has Business, and a client with an account there.
async fn start() -> (TestApp, Client) {
    TestApp::stand_in_with_ann_on(Plan::Business).await
}

/// Makes a key with these scopes, and gives its answer.
async fn make(client: &Client, scopes: &[&str]) -> Value {
    let body = json!({ "name": "till", "scopes": scopes });
    client.post("/api/api-keys", &body).await.expect_status(201).json()
}

async fn key(client: &Client, scopes: &[&str]) -> String {
    make(client, scopes).await["key"].as_str().unwrap().to_owned()
}

/// A program that sends this key and no cookie.
struct Program {
    client: Client,
    key: String,
}

impl Program {
    fn new(app: &TestApp, key: &str) -> Self {
        Self { client: app.client(), key: key.to_owned() }
    }

    async fn call(&self, method: Method, path: &str) -> Reply {
        send(self.client.request(method, path).bearer_auth(&self.key)).await
    }

    /// What a call is answered with. Nothing but the head of the answer is read: a stream of events has no end.
    async fn status(&self, method: Method, path: &str) -> u16 {
        let request = self.client.request(method, path).bearer_auth(&self.key);
        request.send().await.unwrap().status().as_u16()
    }

    async fn get(&self, path: &str) -> Reply {
        self.call(Method::GET, path).await
    }

    async fn identify(&self) -> Reply {
        let form = Form::new().part("image", file(&pictures::plain(), "image/png"));
        send(self.client.request(Method::POST, "/api/identify").multipart(form).bearer_auth(&self.key)).await
    }
}

#[tokio::test]
async fn a_key_is_shown_once_listed_and_revoked() {
    let (app, ann) = start().await;
    let made = make(&ann, &["garage-read", "scan"]).await;
    let secret = made["key"].as_str().unwrap();
    assert!(secret.starts_with("ps_live_") && secret.len() == 72, "{secret}");
    let list = ann.get("/api/api-keys").await;
    assert!(!list.text.contains(secret));
    let row = &list.json()[0];
    assert_eq!((&row["id"], &row["scopes"]), (&made["id"], &json!(["scan", "garage-read"])));
    assert!(secret.starts_with(row["prefix"].as_str().unwrap()));
    assert_eq!(row["lastUsedAt"], Value::Null);

    let program = Program::new(&app, secret);
    assert_eq!(program.get("/api/vehicles").await.expect_status(200).json(), json!([]));
    let keys = ann.get_until("/api/api-keys", |keys| keys[0]["lastUsedAt"].is_string()).await;
    let noted = &keys[0]["lastUsedAt"];
    app.advance(SignedDuration::from_secs(59));
    program.get("/api/vehicles").await.expect_status(200);
    assert_eq!(ann.get("/api/api-keys").await.json()[0]["lastUsedAt"], *noted);
    app.advance(SignedDuration::from_secs(1));
    program.get("/api/vehicles").await.expect_status(200);
    ann.get_until("/api/api-keys", |keys| keys[0]["lastUsedAt"] != *noted).await;

    let path = format!("/api/api-keys/{}", made["id"].as_str().unwrap());
    let bob = app.sign_up("bob").await;
    bob.delete(&path).await.problem(404, "not-found");
    ann.delete(&path).await.expect_status(204);
    ann.delete(&path).await.problem(404, "not-found");
    let refused = program.get("/api/vehicles").await;
    refused.problem(401, "api-key-refused");
    assert_eq!(refused.header("www-authenticate"), "Bearer");
}

#[tokio::test]
async fn a_key_without_garage_read_is_told_of_no_vehicle() {
    let (app, ann) = start().await;
    let vehicle = json!({
        "make": "Tesla", "model": "Model 3", "year": 2021, "vinNumber": "5YJ3E1EA7MF000001", "licensePlate": "ANN 1",
    });
    let vehicle = ann.post("/api/vehicles", &vehicle).await.expect_status(201).json();
    let id = vehicle["id"].as_str().unwrap();
    let fits = format!("/api/parts/spark-plug/fits?vehicleId={id}");
    let (of_one, suppliers) =
        (format!("/api/parts/spark-plug/ai-suppliers?vehicleId={id}"), "/api/parts/spark-plug/ai-suppliers");
    let (default, itself) = (format!("/api/vehicles/{id}/default"), format!("/api/vehicles/{id}"));
    let calls = [
        (Method::GET, &*fits, false),
        (Method::GET, "/api/parts/spark-plug/fits", false),
        (Method::GET, "/api/parts/spark-plug/recalls", false),
        (Method::GET, &of_one, false),
        (Method::GET, suppliers, true),
        (Method::GET, "/api/parts/category/engine", true),
        (Method::PUT, &default, false),
        (Method::DELETE, &itself, false),
    ];
    let blind = Program::new(&app, &key(&ann, &["catalog", "garage-write"]).await);
    let seeing = Program::new(&app, &key(&ann, &["catalog", "garage-write", "garage-read"]).await);
    for (method, path, is_answered) in calls {
        let answer = blind.call(method.clone(), path).await;
        if is_answered {
            answer.expect_status(200);
            assert!(!answer.text.contains("Tesla") && !answer.text.contains("ANN 1"), "{}", answer.text);
        } else {
            answer.problem(403, "forbidden");
        }
        let answer = seeing.call(method, path).await;
        assert!(
            answer.status == 200 && answer.text.contains("Tesla") || path.ends_with(id),
            "{}",
            answer.text
        );
    }
}

#[tokio::test]
async fn what_makes_no_key_is_refused() {
    let (app, ann) = start().await;
    for (body, field) in [
        (json!({ "scopes": ["scan"] }), "name"),
        (json!({ "name": "x" }), "scopes"),
        (json!({ "name": "x", "scopes": ["admin"] }), "scopes"),
        (json!({ "name": "x", "scopes": ["scan"], "expiresAt": "soon" }), "expiresAt"),
        (json!({ "name": "x", "scopes": ["scan"], "expiresAt": "2020-01-01T00:00:00Z" }), "expiresAt"),
    ] {
        ann.post("/api/api-keys", &body).await.invalid(field);
    }
    // The second is later than any moment that we can count.
    for moment in ["2120-01-01T00:00:00Z", "9999-12-31T23:59:59Z"] {
        let body = json!({ "name": "x", "scopes": ["scan"], "expiresAt": moment });
        let said = ann.post("/api/api-keys", &body).await.problem(422, "invalid");
        assert_eq!(said, "Please choose a moment in the next ten years, or none.", "{moment}");
    }
    for moment in ["9999-12-31", "9999-12-31T23:59:59", "9999-13-31T23:59:59Z"] {
        let body = json!({ "name": "x", "scopes": ["scan"], "expiresAt": moment });
        let said = ann.post("/api/api-keys", &body).await.problem(422, "invalid");
        assert!(said.contains("2027-06-01T00:00:00Z"), "{moment}: {said}");
    }
    for _ in 0..20 {
        make(&ann, &["scan"]).await;
    }
    let full = ann.post("/api/api-keys", &json!({ "name": "x", "scopes": ["scan"] })).await;
    assert!(full.problem(422, "invalid").contains("20 keys"));
    drop(app);

    let app = TestApp::with_stand_in(|_| {}).await;
    let basic = app.sign_up("bob").await;
    let refused = basic.post("/api/api-keys", &json!({ "name": "x", "scopes": ["scan"] })).await;
    assert!(refused.problem(403, "forbidden").contains("Business"));
}

#[tokio::test]
async fn a_key_that_has_expired_or_whose_plan_has_ended_opens_nothing_and_says_why() {
    let (app, ann) = TestApp::stand_in_with_ann().await;
    app.execute("UPDATE app_user SET plan = 'business'").await;
    let body = json!({ "name": "x", "scopes": ["garage-read"], "expiresAt": "2027-01-15T09:00:00Z" });
    let made = ann.post("/api/api-keys", &body).await.expect_status(201).json();
    let program = Program::new(&app, made["key"].as_str().unwrap());
    program.get("/api/vehicles").await.expect_status(200);
    app.execute("UPDATE app_user SET plan = 'pro'").await;
    assert!(program.get("/api/vehicles").await.problem(403, "forbidden").contains("Business"));
    app.execute("UPDATE app_user SET plan = 'business'").await;
    program.get("/api/vehicles").await.expect_status(200);
    app.advance(SignedDuration::from_hours(1));
    assert!(program.get("/api/vehicles").await.problem(401, "api-key-refused").contains("expired"));
}

#[tokio::test]
async fn nothing_but_one_whole_key_in_one_header_is_a_key() {
    let (_app, ann) = start().await;
    let good = key(&ann, &["garage-read"]).await;
    let headers: [&[&str]; 7] = [
        &["Bearer"],
        &["Bearer ps_live_"],
        &["Bearer ' OR 1=1 --"],
        &[&format!("Bearer {}", &good[..71])],
        &[&format!("Bearer {good}, Bearer {good}")],
        &[&format!("Bearer {good}"), &format!("Bearer {good}")],
        &["Basic YW5uOng=", &format!("Bearer {good}")],
    ];
    for values in headers {
        // Neither does the cookie that came with it count.
        let mut request = ann.request(Method::GET, "/api/vehicles");
        for value in values {
            request = request.header("authorization", *value);
        }
        send(request).await.problem(401, "api-key-refused");
    }
    // What a proxy before us asks for is none of our business.
    let request = ann.request(Method::GET, "/api/vehicles").header("authorization", "Basic YW5uOng=");
    send(request).await.expect_status(200);
}

#[tokio::test]
async fn a_key_opens_its_scopes_and_never_accounts_companies_plans_or_keys() {
    let (app, ann) = start().await;
    ann.add_vehicle("Civic").await;
    let document = serde_json::to_value(partsight_api::openapi()).unwrap();
    let mut programs = Vec::new();
    for scope in ApiScope::ALL.map(ApiScope::as_str) {
        programs.push((scope, Program::new(&app, &key(&ann, &[scope]).await)));
    }
    let mut opened = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let mut opens = Vec::new();
            for (scope, program) in &programs {
                let path = path.replace(['{', '}'], "");
                let status = program.status(method.to_uppercase().parse().unwrap(), &path).await;
                // What a call without its body or with a wrong id answers does not matter here.
                assert!(status != 401 || path == "/api/auth/login", "{method} {path}");
                if status != 403 {
                    opens.push((*scope).to_owned());
                }
            }
            let ways = operation["security"].as_array().into_iter().flatten();
            let scopes: Vec<_> =
                ways.filter_map(|way| way["key"].as_array()).flatten().filter_map(Value::as_str).collect();
            if opens.is_empty() && scopes.len() > 1 {
                let program = Program::new(&app, &key(&ann, &scopes).await);
                let path = path.replace(['{', '}'], "");
                assert_ne!(
                    program.status(method.to_uppercase().parse().unwrap(), &path).await,
                    403,
                    "{path}"
                );
                opens.push(scopes.join(" and "));
            }
            let opens = match opens.len() {
                0 => "no key".to_owned(),
                n if n == programs.len() => "any key".to_owned(),
                _ => opens.join(" "),
            };
            let tells_refusal = operation["responses"].get("403").is_some();
            assert!(tells_refusal || opens == "any key", "{method} {path}: {opens}");
            opened.push(format!("{} {path}: {opens}", method.to_uppercase()));
        }
    }
    insta::assert_snapshot!("calls_with_a_key", opened.join("\n"));
    let refused = programs[0].1.get("/api/vehicles").await;
    assert!(refused.problem(403, "forbidden").contains("`garage-read`"));
    assert!(programs[0].1.get("/api/auth/user").await.problem(403, "forbidden").contains("API key"));
    // These are not in the document.
    for path in ["/api/openapi.json", "/api/docs", "/api/docs/page.js", "/api/docs/page.css"] {
        programs[0].1.get(path).await.expect_status(200);
    }
}

#[tokio::test]
async fn a_key_is_told_which_methods_a_call_takes() {
    let (app, ann) = start().await;
    let program = Program::new(&app, &key(&ann, &["scan"]).await);
    for (method, path, allowed) in [
        (Method::PUT, "/api/scans", "GET,HEAD,DELETE"),
        (Method::PATCH, "/api/scans", "GET,HEAD,DELETE"),
        (Method::DELETE, "/api/scans/limits", "GET,HEAD"),
        (Method::POST, "/api/dial", "GET,HEAD,PUT"),
    ] {
        let reply = program.call(method.clone(), path).await;
        reply.problem(405, "method-not-allowed");
        assert_eq!(reply.header("allow"), allowed, "{method} {path}");
    }
    // The head of a call for people alone is theirs as well.
    assert_eq!(program.status(Method::HEAD, "/api/dial").await, 403);
}

#[tokio::test]
async fn a_key_writes_from_anywhere_and_a_cookie_still_does_not() {
    let (app, ann) = start().await;
    let key = key(&ann, &["garage-write"]).await;
    let body = json!({ "make": "Honda", "model": "Civic", "year": 2015 });
    let write = |client: &Client| {
        let request = client.request(Method::POST, "/api/vehicles").json(&body);
        request.header("origin", "https://elsewhere.example")
    };
    send(write(&app.client()).bearer_auth(&key)).await.expect_status(201);
    // The key counts, not the cookie that came with it: it may not read.
    send(ann.request(Method::GET, "/api/vehicles").bearer_auth(&key)).await.problem(403, "forbidden");
    send(write(&ann)).await.problem(403, "forbidden");
    assert_eq!(ann.get("/api/vehicles").await.json().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_scan_with_a_key_needs_no_vehicle_and_is_counted_as_its_own() {
    let (app, ann) = start().await;
    let made = make(&ann, &["scan"]).await;
    let program = Program::new(&app, made["key"].as_str().unwrap());
    program.identify().await.expect_status(200);
    // A default vehicle is that of the browser.
    ann.add_vehicle("Civic").await;
    program.identify().await.expect_status(200);
    let vehicle = async || ann.get("/api/scans/recent").await.json()[0]["vehicle"].clone();
    assert_eq!(vehicle().await, Value::Null);
    ann.identify(&pictures::plain()).await.expect_status(200);
    assert_eq!(vehicle().await["model"], "Civic");
    ann.identify(b"no picture").await.problem(415, "unsupported-media-type");

    let usage = ann.get("/api/usage").await.expect_status(200).json();
    assert_eq!((&usage["scans"], &usage["costMicros"]), (&json!(4), &json!(0)));
    let mut rows: Vec<_> = usage["rows"].as_array().unwrap().clone();
    rows.sort_by_key(|row| row["path"].to_string() + &row["keyName"].to_string());
    let expected = [
        ("web", Value::Null, "error", 1),
        (made["id"].as_str().unwrap(), json!("till"), "local", 2),
        ("web", Value::Null, "local", 1),
    ];
    for (row, (source, name, path, scans)) in rows.iter().zip(expected) {
        let expected = json!({
            "day": "2027-01-15", "source": source, "keyName": name, "path": path, "scans": scans, "costMicros": 0,
        });
        assert_eq!(row, &expected);
    }
    assert_eq!(rows.len(), 3);
    let bob = app.sign_up("bob").await;
    assert_eq!(bob.get("/api/usage").await.json()["rows"], json!([]));
    assert_eq!(ann.get("/api/usage?to=2027-01-14").await.json()["scans"], 0);
    ann.get("/api/usage?from=yesterday").await.problem(422, "invalid");
}

#[tokio::test]
async fn usage_is_a_table_that_no_spreadsheet_runs() {
    let (app, ann) = start().await;
    let body = json!({ "name": "=HYPERLINK(\"x\")", "scopes": ["scan"] });
    let made = ann.post("/api/api-keys", &body).await.expect_status(201).json();
    Program::new(&app, made["key"].as_str().unwrap()).identify().await.expect_status(200);
    let table = ann.get("/api/export/usage.csv").await;
    assert!(table.expect_status(200).header("content-disposition").contains("usage.csv"));
    let id = made["id"].as_str().unwrap();
    let expected = format!(
        "day,source,key,path,scans,cost_usd\n2027-01-15,{id},\"'=HYPERLINK(\"\"x\"\")\",local,1,0.000000\n"
    );
    assert_eq!(table.text.trim_start_matches('\u{feff}').replace("\r\n", "\n"), expected);
}

#[tokio::test]
async fn a_key_has_so_many_requests_a_minute_and_is_told_what_is_left() {
    let app = TestApp::with_stand_in(|settings| {
        settings.server.plan = Some(Plan::Business);
        settings.accounts.api_key_requests = 3;
    })
    .await;
    let ann = app.sign_up("ann").await;
    let program = Program::new(&app, &key(&ann, &["garage-read"]).await);
    for left in [2, 1, 0] {
        let reply = program.get("/api/vehicles").await;
        assert_eq!(reply.expect_status(200).header("ratelimit-policy"), "\"key\";q=3;w=60");
        assert_eq!(reply.header("ratelimit"), format!("\"key\";r={left};t={}", 60 - 20 * left));
    }
    let refused = program.get("/api/vehicles").await;
    refused.problem(429, "rate-limited");
    assert_eq!(refused.header("ratelimit"), "\"key\";r=0;t=60");
    assert!(refused.header("retry-after").parse::<u32>().is_ok_and(|seconds| (1..=21).contains(&seconds)));
    // Another key and the browser have their own.
    let other = Program::new(&app, &key(&ann, &["garage-read"]).await);
    other.get("/api/vehicles").await.expect_status(200);
    assert_eq!(ann.get("/api/vehicles").await.expect_status(200).header("ratelimit"), "");
    app.advance(SignedDuration::from_secs(20));
    program.get("/api/vehicles").await.expect_status(200);
}
