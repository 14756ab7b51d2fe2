//! Signing in with an account elsewhere, at a real provider.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, ImageFormat};
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::send;
use crate::oidc_provider::{OidcProvider, PUBLIC_URL, claims};
use crate::ways_in::WaysIn;
use crate::{Client, Reply, TestApp};

async fn with_issuer(issuer: &str) -> TestApp {
    TestApp::with_stand_in(|settings| {
        settings.server.public_url = Some(PUBLIC_URL.to_owned());
        settings.sign_in.issuer = Some(issuer.to_owned());
        settings.sign_in.client_id = Some("partsight".to_owned());
        settings.sign_in.client_secret = Some(partsight_app::Secret::new("a secret between us"));
    })
    .await
}

/// A provider with a server that knows it; none where the provider is not installed.
async fn start() -> Option<(OidcProvider, TestApp)> {
    let provider = OidcProvider::start().await?;
    let app = with_issuer(&provider.issuer).await;
    Some((provider, app))
}

/// Goes to the provider and back, up to the call that the provider leads to.
async fn callback_path(provider: &OidcProvider, client: &Client, login: &str) -> String {
    let reply = client.get(login).await;
    provider.visit(reply.expect_status(303).header("location")).await
}

/// The whole way; where it leads in the end.
async fn sign_in(provider: &OidcProvider, client: &Client) -> String {
    let path = callback_path(provider, client, "/api/login").await;
    client.get(&path).await.expect_status(303).header("location").to_owned()
}

fn failed(reason: &str) -> String {
    format!("/profile?sign-in=failed&reason={reason}")
}

async fn user(client: &Client) -> Value {
    client.get("/api/auth/user").await.expect_status(200).json()
}

#[tokio::test]
async fn somebody_new_gets_an_account_and_the_same_one_again() {
    let Some((provider, app)) = start().await else { return };
    for (name, claims_in_token) in [("ann", false), ("bob", true)] {
        let next = json!({ "sub": name, "claims": claims(name), "claimsInToken": claims_in_token });
        provider.expect(&next).await;
        let client = app.client();
        assert_eq!(sign_in(&provider, &client).await, "/", "{name}");
        let first = user(&client).await;
        assert_eq!(first["email"], format!("{name}@example.com"));
        assert_eq!((&first["firstName"], &first["lastName"]), (&json!("Ann"), &json!("Lee")));
        assert_eq!((&first["emailVerified"], &first["hasPassword"]), (&json!(true), &json!(false)));
        let sessions = client.get("/api/auth/sessions").await.json();
        assert_eq!(sessions[0]["signInMethod"], "provider");

        // The identity counts from now on, whatever the provider says of the address.
        provider.expect(&json!({ "sub": name, "claims": {} })).await;
        let again = app.client();
        assert_eq!(sign_in(&provider, &again).await, "/", "{name}");
        assert_eq!(user(&again).await, first);
        let export = again.get("/api/auth/user/export").await.json();
        assert_eq!(export["signInProviders"], json!([provider.issuer]));
    }
}

#[tokio::test]
async fn the_way_there_asks_for_what_the_standard_wants() {
    let Some((provider, app)) = start().await else { return };
    let reply = app.client().get("/api/login").await;
    let location = reply.expect_status(303).header("location");
    assert!(location.starts_with(&format!("{}/auth?", provider.issuer)), "{location}");
    for part in [
        "response_type=code",
        "client_id=partsight",
        "code_challenge_method=S256",
        "scope=openid+email+profile",
        "redirect_uri=http%3A%2F%2Fparts.example.com%2Fapi%2Flogin%2Fcallback",
        "state=",
        "nonce=",
        "code_challenge=",
    ] {
        assert!(location.contains(part), "{part}: {location}");
    }
    assert!(!location.contains("secret"), "{location}");
    let cookie = reply.header("set-cookie");
    for part in ["partsight_sign_in=", "HttpOnly", "SameSite=Lax", "Path=/api/login", "Max-Age=600"] {
        assert!(cookie.contains(part), "{part}: {cookie}");
    }
    let settings = app.client().get("/api/settings").await.json();
    assert_eq!(settings["externalSignIn"], true);
}

#[tokio::test]
async fn signing_in_leads_back_to_our_own_pages_only() {
    let Some((provider, app)) = start().await else { return };
    let cases = [
        ("/vehicle", "/vehicle"),
        ("/subscribe%3Fplan%3Dpro%26interval%3Dyear", "/subscribe?plan=pro&interval=year"),
        ("https://evil.example", "/"),
        ("//evil.example", "/"),
        ("/%5Cevil.example", "/"),
        ("/api/logout", "/"),
        ("/a%0D%0ASet-Cookie:x=y", "/"),
    ];
    provider.expect_person("ann").await;
    for (return_to, expected) in cases {
        let client = app.client();
        let path = callback_path(&provider, &client, &format!("/api/login?returnTo={return_to}")).await;
        assert_eq!(client.get(&path).await.expect_status(303).header("location"), expected, "{return_to}");
    }
}

#[tokio::test]
async fn a_proved_address_is_linked_to_its_account_which_keeps_its_password() {
    let Some((provider, app)) = start().await else { return };
    let password_client = app.sign_up("ann").await;
    let before = user(&password_client).await;
    app.execute("UPDATE app_user SET email_verified_at = 1").await;
    provider.expect_person("ann").await;
    let client = app.client();
    assert_eq!(sign_in(&provider, &client).await, "/");
    assert_eq!(user(&client).await["id"], before["id"]);
    password_client.get("/api/auth/user").await.expect_status(200);
    app.client().sign_in("ann", "correct horse").await.expect_status(200);
}

#[tokio::test]
async fn whoever_signed_up_with_an_address_of_somebody_else_is_shut_out() {
    let Some((provider, app)) = start().await else { return };
    let intruder = app.sign_up("ann").await;
    let ways_in = WaysIn::leave(&app, &intruder).await;
    assert_eq!(ways_in.statuses().await, (200, 200));
    provider.expect_person("ann").await;
    let owner = app.client();
    assert_eq!(sign_in(&provider, &owner).await, "/");
    assert_eq!(user(&owner).await["hasPassword"], false);
    assert_eq!(ways_in.statuses().await, (401, 404));
    assert_eq!(owner.get("/api/api-keys").await.json(), json!([]));
    intruder.get("/api/auth/user").await.problem(401, "not-signed-in");
    app.client().sign_in("ann", "correct horse").await.problem(401, "sign-in-failed");
}

#[tokio::test]
async fn an_address_that_the_provider_does_not_vouch_for_opens_nothing() {
    let Some((provider, app)) = start().await else { return };
    app.sign_up("ann").await;
    let unproved = [
        json!({ "email": "ann@example.com", "email_verified": false }),
        json!({ "email": "ann@example.com" }),
        json!({ "email": "ann", "email_verified": true }),
        json!({}),
    ];
    for claims in unproved {
        provider.expect(&json!({ "sub": "eve", "claims": claims })).await;
        let client = app.client();
        assert_eq!(sign_in(&provider, &client).await, failed("email-not-verified"), "{claims}");
        client.get("/api/auth/user").await.problem(401, "not-signed-in");
    }
    app.client().sign_in("ann", "correct horse").await.expect_status(200);
}

#[tokio::test]
async fn an_answer_counts_for_the_browser_that_asked_and_once() {
    let Some((provider, app)) = start().await else { return };
    provider.expect_person("ann").await;
    let client = app.client();
    let path = callback_path(&provider, &client, "/api/login").await;

    // A link with somebody's code, followed in another browser.
    let victim = app.client();
    assert_eq!(victim.get(&path).await.expect_status(303).header("location"), failed("unknown-attempt"));
    // The other browser is at an attempt of its own.
    victim.get("/api/login").await.expect_status(303);
    assert_eq!(victim.get(&path).await.header("location"), failed("unknown-attempt"));
    victim.get("/api/auth/user").await.problem(401, "not-signed-in");

    assert_eq!(client.get(&path).await.header("location"), "/");
    assert_eq!(client.get(&path).await.header("location"), failed("unknown-attempt"));
    client.get("/api/auth/user").await.expect_status(200);
}

#[tokio::test]
async fn a_wrong_state_issuer_or_nonce_is_refused() {
    let Some((provider, app)) = start().await else { return };
    provider.expect_person("ann").await;
    let with = |path: &str, name: &str, value: &str| {
        let (call, query) = path.split_once('?').unwrap();
        let parameters: Vec<String> = query
            .split('&')
            .filter(|parameter| !parameter.starts_with(&format!("{name}=")))
            .map(str::to_owned)
            .chain((!value.is_empty()).then(|| format!("{name}={value}")))
            .collect();
        format!("{call}?{}", parameters.join("&"))
    };
    let faults = [
        ("state", "made-up", "unknown-attempt"),
        ("state", "", "unknown-attempt"),
        ("iss", "https%3A%2F%2Fevil.example", "unknown-attempt"),
        ("code", "made-up", "not-trusted"),
        ("code", "", "cancelled"),
    ];
    for (name, value, reason) in faults {
        let client = app.client();
        let path = with(&callback_path(&provider, &client, "/api/login").await, name, value);
        let reply = client.get(&path).await;
        assert_eq!(reply.expect_status(303).header("location"), failed(reason), "{name}={value}");
        client.get("/api/auth/user").await.problem(401, "not-signed-in");
    }
    for (statement, reason) in [
        ("UPDATE sign_in_attempt SET nonce = 'another'", "not-trusted"),
        (
            "UPDATE sign_in_attempt SET pkce_verifier = 'another-verifier-of-more-than-43-characters-xx'",
            "not-trusted",
        ),
    ] {
        let client = app.client();
        let path = callback_path(&provider, &client, "/api/login").await;
        app.execute(statement).await;
        assert_eq!(client.get(&path).await.header("location"), failed(reason), "{statement}");
        client.get("/api/auth/user").await.problem(401, "not-signed-in");
    }
}

#[tokio::test]
async fn a_token_that_does_not_hold_is_refused() {
    let Some((provider, app)) = start().await else { return };
    let faults = [
        ("bad-signature", "not-trusted"),
        ("no-signature", "not-trusted"),
        ("other-audience", "not-trusted"),
        ("other-issuer", "not-trusted"),
        ("expired", "not-trusted"),
        ("other-subject", "provider-unavailable"),
        ("cancelled", "cancelled"),
    ];
    for (fault, reason) in faults {
        provider.expect_fault("ann", fault).await;
        let client = app.client();
        assert_eq!(sign_in(&provider, &client).await, failed(reason), "{fault}");
        client.get("/api/auth/user").await.problem(401, "not-signed-in");
    }
    // The same person, with nothing wrong.
    provider.expect_person("ann").await;
    assert_eq!(sign_in(&provider, &app.client()).await, "/");
}

#[tokio::test]
async fn an_attempt_ends_after_ten_minutes() {
    let Some((provider, app)) = start().await else { return };
    provider.expect_person("ann").await;
    let client = app.client();
    let path = callback_path(&provider, &client, "/api/login").await;
    app.advance(SignedDuration::from_mins(10));
    assert_eq!(client.get(&path).await.header("location"), failed("unknown-attempt"));
}

#[tokio::test]
async fn an_account_without_a_password_is_deleted_after_a_fresh_sign_in() {
    let Some((provider, app)) = start().await else { return };
    provider.expect_person("ann").await;
    let client = app.client();
    sign_in(&provider, &client).await;
    app.advance(SignedDuration::from_mins(11));
    let sentence = client.delete("/api/auth/user").await.problem(403, "fresh-sign-in-needed");
    assert!(sentence.contains("sign in again"), "{sentence}");
    let body = json!({ "newPassword": "battery staple" });
    let request = client.request(Method::PUT, "/api/auth/password").json(&body);
    send(request).await.problem(403, "fresh-sign-in-needed");

    sign_in(&provider, &client).await;
    let request = client.request(Method::PUT, "/api/auth/password").json(&body);
    send(request).await.expect_status(204);
    app.client().sign_in("ann", "battery staple").await.expect_status(200);
    client.delete("/api/auth/user").await.expect_status(204);
    client.get("/api/auth/user").await.problem(401, "not-signed-in");
    // The identity went with the account: the next sign-in makes a new one.
    sign_in(&provider, &client).await;
    assert_eq!(user(&client).await["hasPassword"], false);
}

#[tokio::test]
async fn a_provider_that_does_not_answer_is_said_to_be_down() {
    // Nothing listens at this port.
    let app = with_issuer("http://127.0.0.1:9").await;
    let reply: Reply = app.client().get("/api/login").await;
    assert_eq!(reply.expect_status(303).header("location"), failed("provider-unavailable"));
    assert_eq!(reply.header("set-cookie"), "");
    // Signing in with a password goes on.
    app.sign_up("ann").await;

    let Some((provider, app)) = start().await else { return };
    provider.expect_person("ann").await;
    let client = app.client();
    let path = callback_path(&provider, &client, "/api/login").await;
    drop(provider);
    assert_eq!(client.get(&path).await.header("location"), failed("provider-unavailable"));
}

#[tokio::test]
async fn the_callback_without_a_provider_or_an_attempt_says_so() {
    let app = TestApp::with_stand_in(|_| {}).await;
    let reply = app.client().get("/api/login/callback?code=x&state=y").await;
    assert_eq!(reply.expect_status(303).header("location"), failed("not-set-up"));
    let app = with_issuer("http://127.0.0.1:9").await;
    for query in ["", "?code=x", "?error=access_denied", "?state=&code="] {
        let reply = app.client().get(&format!("/api/login/callback{query}")).await;
        assert_eq!(reply.expect_status(303).header("location"), failed("unknown-attempt"), "{query}");
    }
}

#[tokio::test]
async fn the_picture_of_the_provider_is_copied_and_goes_where_it_goes() {
    let Some((provider, app)) = start().await else { return };
    let expect = async |picture: Option<&str>, file: Option<Vec<u8>>| {
        let mut claims = claims("ann");
        claims["picture"] = json!(picture);
        let file = file.map(|file| STANDARD.encode(file));
        provider.expect(&json!({ "sub": "ann", "claims": claims, "picture": file })).await;
    };
    let own = format!("{}/people/picture", provider.issuer);
    let elsewhere = "http://127.0.0.1:9/people/picture";
    // Without what the pictures of other tests have planted in them: it is the provider's to begin with.
    let mut file = Cursor::new(Vec::new());
    DynamicImage::new_rgb8(16, 12).write_to(&mut file, ImageFormat::Png).unwrap();
    let png = || Some(file.get_ref().clone());
    let mut first = Value::Null;
    for (turn, picture, file, has_picture) in [
        ("a picture", Some(own.as_str()), png(), true),
        ("no picture any more", None, None, false),
        ("no file at its address", Some(&own), None, false),
        ("no picture in the file", Some(&own), Some(b"<svg onload='alert(1)'/>".to_vec()), false),
        ("a picture of another machine", Some(elsewhere), png(), false),
        ("a picture again", Some(&own), png(), true),
    ] {
        expect(picture, file).await;
        let client = app.client();
        assert_eq!(sign_in(&provider, &client).await, "/", "{turn}");
        let shown = user(&client).await["profileImageUrl"].clone();
        assert_eq!(shown.is_string(), has_picture, "{turn}: {shown}");
        if has_picture {
            let shown = shown.as_str().unwrap();
            assert!(shown.starts_with("data:image/") && !shown.contains("http"), "{turn}: {shown}");
            first = if first.is_null() { json!(shown) } else { first };
            assert_eq!(first, shown, "{turn}");
        }
    }
}
