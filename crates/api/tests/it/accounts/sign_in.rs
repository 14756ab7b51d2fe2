use jiff::SignedDuration;
use partsight_app::Settings;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{assert_reply_snapshot, send};
use crate::{Reply, Setup, TestApp};

/// The attributes of the session cookie that an answer sets, without its value.
fn session_cookie(reply: &Reply) -> Vec<String> {
    cookie_named("partsight_session", reply)
}

fn cookie_named(name: &str, reply: &Reply) -> Vec<String> {
    let cookie = reply.header("set-cookie");
    let (value, attributes) = cookie.split_once(';').unwrap();
    assert_eq!(value.split_once('=').unwrap().0, name, "{cookie}");
    let mut attributes: Vec<_> = attributes.split(';').map(|text| text.trim().to_owned()).collect();
    attributes.sort();
    attributes
}

#[tokio::test]
async fn signing_up_answers_with_the_account_and_signs_in() {
    let app = TestApp::start().await;
    let client = app.client();
    let reply = client.sign_up("ann").await;
    assert_reply_snapshot!("sign_up", reply);
    let user = client.get("/api/auth/user").await;
    assert_eq!(user.expect_status(200).json(), reply.json());
}

#[tokio::test]
async fn signing_in_answers_with_the_account_and_opens_a_session() {
    let app = TestApp::start().await;
    let account = app.sign_up("ann").await.get("/api/auth/user").await.json();
    let client = app.client();
    let reply = client.sign_in("ann", "correct horse").await;
    assert_eq!(reply.expect_status(200).json(), account);
    assert_eq!(client.get("/api/auth/user").await.json(), account);
}

#[tokio::test]
async fn the_session_cookie_is_out_of_reach_of_scripts_and_other_sites() {
    let app = TestApp::start().await;
    let attributes = ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax"];
    assert_eq!(session_cookie(&app.client().sign_up("ann").await), attributes);
    assert_eq!(session_cookie(&app.client().sign_in("ann", "correct horse").await), attributes);
}

#[tokio::test]
async fn the_session_cookie_is_secure_behind_https() {
    let app = TestApp::with_settings(|settings| {
        settings.server.public_url = Some("https://parts.example.com".to_owned());
    })
    .await;
    let reply = app.client().sign_up("ann").await;
    // By its name browsers let no other site set it, and take it with these attributes alone.
    let attributes = cookie_named("__Host-partsight_session", &reply);
    assert_eq!(attributes, ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax", "Secure"]);
    assert_eq!(reply.header("strict-transport-security"), "max-age=31536000");
    let plain = TestApp::start().await.client().get("/api/settings").await;
    assert_eq!(plain.header("strict-transport-security"), "");
}

/// The name and value of the cookie that an answer sets.
fn cookie_pair(reply: &Reply) -> String {
    reply.header("set-cookie").split_once(';').unwrap().0.to_owned()
}

#[tokio::test]
async fn a_session_from_before_https_ends_at_the_next_sign_in() {
    let before = TestApp::start().await;
    let earlier = cookie_pair(&before.client().sign_up("ann").await);
    let settings =
        Settings::with(|settings| settings.server.public_url = Some("https://parts.example.com".to_owned()));
    let setup = Setup { settings, folder: Some(before.folder.clone()), ..Setup::default() };
    let app = TestApp::with(setup).await;
    let with_cookie =
        |app: &TestApp, method, path| app.client().request(method, path).header("cookie", &earlier);

    let user = send(with_cookie(&app, Method::GET, "/api/auth/user")).await;
    user.problem(401, "not-signed-in");
    let body = json!({ "email": "ann@example.com", "password": "correct horse" });
    let reply = send(with_cookie(&app, Method::POST, "/api/auth/login").json(&body)).await;
    reply.expect_status(200);
    let cookies: Vec<_> = reply.headers.get_all("set-cookie").iter().map(|c| c.to_str().unwrap()).collect();
    assert_eq!(cookies.len(), 2, "{cookies:?}");
    assert!(cookies.iter().any(|cookie| cookie.starts_with("partsight_session=;")), "{cookies:?}");
    let current = cookies.iter().find(|cookie| cookie.starts_with("__Host-partsight_session=")).unwrap();
    let current = current.split_once(';').unwrap().0;
    let request = app.client().request(Method::GET, "/api/auth/user").header("cookie", current);
    send(request).await.expect_status(200);
    send(with_cookie(&before, Method::GET, "/api/auth/user")).await.expect_status(401);

    let request = app.client().request(Method::GET, "/api/logout").header("cookie", current);
    let removed = send(request).await;
    assert_eq!(cookie_pair(&removed), "__Host-partsight_session=");
    assert!(removed.header("set-cookie").contains("Secure"), "{removed:?}");
}

#[tokio::test]
async fn no_cache_keeps_a_personal_answer() {
    let (app, client) = TestApp::with_ann().await;
    for (path, status) in [
        ("/api/auth/user", 200),
        ("/api/vehicles", 200),
        ("/api/scans/limits", 200),
        ("/api/vehicles/0190a0a0-0000-7000-8000-000000000000", 404),
        ("/api/no-such-call", 404),
    ] {
        let reply = client.get(path).await;
        assert_eq!(reply.expect_status(status).header("cache-control"), "no-store", "{path}");
    }
    app.client().get("/api/auth/user").await.expect_status(401);
    // What is for everybody may be kept.
    let makes = client.get("/api/vehicles/makes").await;
    assert_eq!(makes.header("cache-control"), "public, max-age=3600");
}

#[tokio::test]
async fn the_session_cookie_lasts_as_long_as_the_setting_says() {
    let app = TestApp::with_settings(|settings| settings.accounts.session_days = 2).await;
    let attributes = session_cookie(&app.client().sign_up("ann").await);
    assert!(attributes.contains(&"Max-Age=172800".to_owned()), "{attributes:?}");
}

#[tokio::test]
async fn an_e_mail_counts_without_regard_to_case_and_outer_spaces() {
    let app = TestApp::start().await;
    app.sign_up("ann").await;
    let body = json!({ "email": "  Ann@Example.COM ", "password": "correct horse" });
    app.client().post("/api/auth/login", &body).await.expect_status(200);
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_e_mail_get_the_same_answer() {
    let app = TestApp::start().await;
    app.sign_up("ann").await;
    let wrong = app.client().sign_in("ann", "wrong horse").await;
    let unknown = app.client().sign_in("bob", "wrong horse").await;
    assert_reply_snapshot!("sign_in_failed", wrong);
    let without_id = |reply: &Reply| {
        let mut body = reply.json();
        body["requestId"] = Value::Null;
        (reply.status, body, reply.header("set-cookie").to_owned())
    };
    assert_eq!(without_id(&wrong), without_id(&unknown));
}

#[tokio::test]
async fn a_second_account_for_an_e_mail_is_refused() {
    let app = TestApp::start().await;
    app.sign_up("ann").await;
    let client = app.client();
    assert_reply_snapshot!("sign_up_twice", client.sign_up("ann").await);
    client.get("/api/auth/user").await.problem(401, "not-signed-in");
}

#[tokio::test]
async fn a_refused_sign_up_names_the_field_and_what_to_do() {
    let app = TestApp::start().await;
    let client = app.client();
    let long = "x".repeat(81);
    let cases = [
        (json!({}), "email", "Please enter your e-mail address."),
        (
            json!({ "email": "ann", "password": "correct horse" }),
            "email",
            "This is not an e-mail address. It should look like name@example.com.",
        ),
        (json!({ "email": "ann@example.com" }), "password", "Password must be at least 6 characters"),
        (
            json!({ "email": "ann@example.com", "password": "12345" }),
            "password",
            "Password must be at least 6 characters",
        ),
        (
            json!({ "email": "ann@example.com", "password": "p".repeat(1025) }),
            "password",
            "Password must be at most 1024 bytes",
        ),
        (
            json!({ "email": "ann@example.com", "password": "correct horse", "firstName": long }),
            "firstName",
            "The name has 81 characters; please use at most 80.",
        ),
        (
            json!({ "email": "ann@example.com", "password": "correct horse", "lastName": "a\nb" }),
            "lastName",
            "The name contains a line break, control character or invisible character; please remove it.",
        ),
    ];
    for (body, field, sentence) in cases {
        let reply = client.post("/api/auth/signup", &body).await;
        assert_eq!(reply.invalid(field), sentence, "{body}");
    }
    client.sign_up("ann").await.expect_status(201);
}

#[tokio::test]
async fn names_may_be_left_out() {
    let app = TestApp::start().await;
    let body = json!({ "email": "ann@example.com", "password": "correct horse" });
    let user = app.client().post("/api/auth/signup", &body).await.expect_status(201).json();
    assert_eq!((&user["firstName"], &user["lastName"]), (&json!(""), &json!("")));
}

#[tokio::test]
async fn a_session_ends_when_its_days_are_over() {
    let app = TestApp::with_settings(|settings| settings.accounts.session_idle_days = 30).await;
    let client = app.sign_up("ann").await;
    app.advance(SignedDuration::from_hours(30 * 24) - SignedDuration::from_millis(1));
    client.get("/api/auth/user").await.expect_status(200);
    app.advance(SignedDuration::from_millis(1));
    client.get("/api/auth/user").await.problem(401, "not-signed-in");
}

#[tokio::test]
async fn a_made_up_cookie_signs_nobody_in() {
    let app = TestApp::start().await;
    app.sign_up("ann").await;
    for cookie in ["partsight_session=", "partsight_session=00", "partsight_session=' OR 1=1 --", "x=y"] {
        let request = app.client().request(Method::GET, "/api/auth/user").header("cookie", cookie);
        assert_eq!(send(request).await.problem(401, "not-signed-in"), "Unauthorized", "{cookie}");
    }
}

#[tokio::test]
async fn a_page_that_only_asks_whether_somebody_is_signed_in_gets_no_error() {
    let app = TestApp::start().await;
    let visitor = app.client();
    assert_eq!(visitor.get("/api/auth/user?optional=true").await.expect_status(204).text, "");
    for call in ["/api/auth/user", "/api/auth/user?optional=false"] {
        visitor.get(call).await.problem(401, "not-signed-in");
    }
    let ann = app.sign_up("ann").await;
    let user = ann.get("/api/auth/user").await.expect_status(200).json();
    assert_eq!(ann.get("/api/auth/user?optional=true").await.expect_status(200).json(), user);
}

#[tokio::test]
async fn signing_out_ends_the_session_and_leads_home() {
    let app = TestApp::start().await;
    let client = app.client();
    let cookie = client.sign_up("ann").await.header("set-cookie").split_once(';').unwrap().0.to_owned();
    let reply = client.get("/api/logout").await;
    assert_eq!(reply.expect_status(303).header("location"), "/");
    client.get("/api/auth/user").await.problem(401, "not-signed-in");
    // The secret is worth nothing any more, whoever kept it.
    let request = app.client().request(Method::GET, "/api/auth/user").header("cookie", cookie);
    send(request).await.problem(401, "not-signed-in");
}

#[tokio::test]
async fn signing_out_without_a_session_leads_home() {
    let app = TestApp::start().await;
    assert_eq!(app.client().get("/api/logout").await.expect_status(303).header("location"), "/");
}

#[tokio::test]
async fn a_sign_out_link_on_another_site_keeps_the_session() {
    let (_app, client) = TestApp::with_ann().await;
    let request = client.request(Method::GET, "/api/logout").header("sec-fetch-site", "cross-site");
    send(request).await.expect_status(303);
    client.get("/api/auth/user").await.expect_status(200);
}

#[tokio::test]
async fn signing_in_again_ends_the_session_before() {
    let app = TestApp::start().await;
    let client = app.client();
    let old = client.sign_up("ann").await.header("set-cookie").split_once(';').unwrap().0.to_owned();
    client.sign_in("ann", "correct horse").await.expect_status(200);
    let request = app.client().request(Method::GET, "/api/auth/user").header("cookie", old);
    send(request).await.problem(401, "not-signed-in");
    client.get("/api/auth/user").await.expect_status(200);
}

#[tokio::test]
async fn accepting_the_terms_is_kept() {
    let (_app, client) = TestApp::with_ann().await;
    assert_eq!(client.get("/api/auth/user").await.json()["termsAccepted"], false);
    let reply = client.post("/api/auth/user/accept-terms", &Value::Null).await;
    assert_eq!(reply.expect_status(200).json()["termsAccepted"], true);
    assert_eq!(client.get("/api/auth/user").await.json()["termsAccepted"], true);
}

#[tokio::test]
async fn the_login_address_leads_to_the_account_page() {
    let app = TestApp::start().await;
    assert_eq!(app.client().get("/api/login").await.expect_status(303).header("location"), "/profile");
}

#[tokio::test]
async fn a_write_from_another_sites_page_is_refused() {
    let (_app, client) = TestApp::with_ann().await;
    let vehicle = json!({ "make": "Honda", "model": "Civic", "year": 2015 });
    let foreign = [("origin", "http://evil.example"), ("origin", "null"), ("sec-fetch-site", "cross-site")];
    for (name, value) in foreign {
        let request = client.request(Method::POST, "/api/vehicles").json(&vehicle).header(name, value);
        let sentence = send(request).await.problem(403, "forbidden");
        assert!(sentence.contains("another site"), "{sentence}");
    }
    assert_eq!(client.get("/api/vehicles").await.json(), json!([]));
}

#[tokio::test]
async fn a_write_from_our_own_page_is_taken() {
    let app = TestApp::with_settings(|settings| {
        settings.server.public_url = Some("http://parts.example.com/".to_owned());
    })
    .await;
    let client = app.sign_up("ann").await;
    let own = [format!("http://{}", app.address), "http://parts.example.com".to_owned()];
    for origin in own {
        let request = client.request(Method::POST, "/api/auth/user/accept-terms").header("origin", origin);
        send(request).await.expect_status(200);
    }
}

#[tokio::test]
async fn every_call_about_a_user_needs_one() {
    let app = TestApp::start().await;
    let id = "0190a0a0-0000-7000-8000-000000000000";
    let calls = [
        (Method::GET, "/api/auth/user".to_owned()),
        (Method::POST, "/api/auth/user/accept-terms".to_owned()),
        (Method::GET, "/api/vehicles".to_owned()),
        (Method::POST, "/api/vehicles".to_owned()),
        (Method::GET, "/api/vehicles/default".to_owned()),
        (Method::PUT, format!("/api/vehicles/{id}/default")),
        (Method::POST, "/api/identify".to_owned()),
        (Method::GET, "/api/scans/recent".to_owned()),
        (Method::GET, "/api/scans/limits".to_owned()),
        (Method::DELETE, "/api/scans".to_owned()),
        (Method::GET, "/api/parts/rim/ai-suppliers".to_owned()),
        (Method::GET, "/api/subscription/status".to_owned()),
    ];
    for (method, path) in calls {
        let reply = send(app.client().request(method.clone(), &path)).await;
        assert_eq!(reply.problem(401, "not-signed-in"), "Unauthorized", "{method} {path}");
        assert_eq!(reply.json()["title"], "Unauthorized", "{method} {path}");
    }
}
