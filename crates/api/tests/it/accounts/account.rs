//! One's own account: names, password, sessions, export, deletion.

use std::time::Duration;

use jiff::SignedDuration;
use partsight_test_support::PATIENCE;
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::{AnyConnection, AssertSqlSafe, Connection};
use tokio::time::timeout;

use crate::client::send;
use crate::parts::cross_references;
use crate::parts::price_lists::upload;
use crate::teaching::taught_parts::{flower, new_type, teach};
use crate::ways_in::WaysIn;
use crate::{Client, Reply, TestApp};

const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

async fn put(client: &Client, path: &str, body: &Value) -> Reply {
    send(client.request(Method::PUT, path).json(body)).await
}

async fn delete_account(client: &Client, body: &Value) -> Reply {
    send(client.request(Method::DELETE, "/api/auth/user").json(body)).await
}

async fn count_rows(app: &TestApp, table: &str) -> i64 {
    let mut connection = AnyConnection::connect(&app.database_url).await.unwrap();
    let sql = AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
    sqlx::query_scalar(sql).fetch_one(&mut connection).await.unwrap()
}

/// What every test with more than one browser needs: two of Ann's.
async fn two_browsers(app: &TestApp) -> (Client, Client) {
    let phone = app.sign_up("ann").await;
    let desk = app.client();
    desk.sign_in("ann", "correct horse").await.expect_status(200);
    (phone, desk)
}

#[tokio::test]
async fn names_can_be_changed_and_emptied() {
    let (_app, client) = TestApp::stand_in_with_ann().await;
    let names = json!({ "firstName": " Änne 🚗 ", "lastName": "" });
    let user = put(&client, "/api/auth/user", &names).await.expect_status(200).json();
    assert_eq!((&user["firstName"], &user["lastName"]), (&json!("Änne 🚗"), &json!("")));
    assert_eq!(client.get("/api/auth/user").await.json(), user);
    for (name, value) in [("firstName", "x".repeat(81)), ("lastName", "a\u{0}b".to_owned())] {
        let mut names = names.clone();
        names[name] = json!(value);
        put(&client, "/api/auth/user", &names).await.invalid(name);
    }
    // A name that is left out is not emptied.
    for body in [json!({ "lastName": 5 }), json!({ "firstName": "Bea" }), json!({ "lastName": "Lee" })] {
        put(&client, "/api/auth/user", &body).await.problem(422, "invalid");
    }
    assert_eq!(client.get("/api/auth/user").await.json(), user);
}

#[tokio::test]
async fn a_new_password_needs_the_old_one_and_signs_all_other_browsers_out() {
    let app = TestApp::with_stand_in(|_| {}).await;
    let (phone, desk) = two_browsers(&app).await;
    for wrong in [json!("wrong horse"), json!("x"), json!(null), json!("")] {
        let body = json!({ "currentPassword": wrong, "newPassword": "battery staple" });
        let reply = put(&desk, "/api/auth/password", &body).await;
        assert_eq!(reply.invalid("currentPassword"), "This is not your current password.");
    }
    let short = json!({ "currentPassword": "correct horse", "newPassword": "12345" });
    let reply = put(&desk, "/api/auth/password", &short).await;
    assert_eq!(reply.invalid("newPassword"), "Password must be at least 6 characters");
    phone.get("/api/auth/user").await.expect_status(200);

    let body = json!({ "currentPassword": "correct horse", "newPassword": "battery staple" });
    let reply = put(&desk, "/api/auth/password", &body).await;
    assert!(reply.expect_status(204).header("set-cookie").contains("HttpOnly"), "{reply:?}");
    phone.get("/api/auth/user").await.problem(401, "not-signed-in");
    desk.get("/api/auth/user").await.expect_status(200);
    app.client().sign_in("ann", "correct horse").await.problem(401, "sign-in-failed");
    app.client().sign_in("ann", "battery staple").await.expect_status(200);
}

#[tokio::test]
async fn a_new_password_ends_keys_and_the_calendar_address_only_on_request() {
    let (app, ann) = TestApp::with_ann().await;
    let ways_in = WaysIn::leave(&app, &ann).await;
    let (first, second) = ("correct horse", "battery staple");
    for (old, new, body, expected) in
        [(first, second, json!({}), (200, 200)), (second, first, json!({ "endKeys": true }), (401, 404))]
    {
        let mut body = body;
        body["currentPassword"] = json!(old);
        body["newPassword"] = json!(new);
        put(&ann, "/api/auth/password", &body).await.expect_status(204);
        assert_eq!(ways_in.statuses().await, expected, "{body}");
    }
}

#[tokio::test]
async fn somebody_with_a_stolen_session_cannot_guess_the_password() {
    let app = TestApp::with_stand_in(|settings| settings.accounts.sign_in_attempts = 2).await;
    let client = app.sign_up("ann").await;
    let guess = json!({ "currentPassword": "wrong horse", "newPassword": "battery staple" });
    for _ in 0..2 {
        put(&client, "/api/auth/password", &guess).await.problem(422, "invalid");
    }
    put(&client, "/api/auth/password", &guess).await.problem(429, "too-many-attempts");
    delete_account(&client, &json!({ "password": "wrong horse" })).await.problem(429, "too-many-attempts");
}

#[tokio::test]
async fn sessions_are_listed_and_ended_one_by_one() {
    let app = TestApp::with_stand_in(|_| {}).await;
    let (phone, desk) = (app.sign_up("ann").await, app.client());
    app.advance(SignedDuration::from_mins(1));
    let body = json!({ "email": "ann@example.com", "password": "correct horse" });
    let request = desk.request(Method::POST, "/api/auth/login").header("user-agent", FIREFOX).json(&body);
    send(request).await.expect_status(200);
    let sessions = desk.get("/api/auth/sessions").await.expect_status(200).json();
    assert_eq!(sessions.as_array().unwrap().len(), 2, "{sessions}");
    assert_eq!(sessions[0]["browser"], "Firefox on Linux");
    assert_eq!(sessions[0]["isCurrent"], true);
    assert_eq!((&sessions[1]["browser"], &sessions[1]["isCurrent"]), (&json!(""), &json!(false)));
    assert_eq!(sessions[1]["createdAt"], "2027-01-15T08:00:00.000Z");
    assert_eq!(sessions[1]["expiresAt"], "2027-02-14T08:00:00.000Z");
    assert_eq!(sessions[1]["signInMethod"], "password");

    let other = app.sign_up("bob").await;
    let path = format!("/api/auth/sessions/{}", sessions[1]["id"].as_str().unwrap());
    let theirs = other.delete(&path).await.problem(404, "not-found");
    for made_up in ["/api/auth/sessions/0190a0a0-0000-7000-8000-000000000000", "/api/auth/sessions/x"] {
        assert_eq!(desk.delete(made_up).await.problem(404, "not-found"), theirs, "{made_up}");
    }
    phone.get("/api/auth/user").await.expect_status(200);
    desk.delete(&path).await.expect_status(204);
    phone.get("/api/auth/user").await.problem(401, "not-signed-in");
    desk.delete(&path).await.problem(404, "not-found");
    assert_eq!(desk.get("/api/auth/sessions").await.json().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn signing_out_everywhere_ends_every_session() {
    let app = TestApp::with_stand_in(|_| {}).await;
    let (phone, desk) = two_browsers(&app).await;
    let other = app.sign_up("bob").await;
    desk.post("/api/auth/sign-out-everywhere", &Value::Null).await.expect_status(204);
    for client in [&phone, &desk] {
        client.get("/api/auth/user").await.problem(401, "not-signed-in");
    }
    other.get("/api/auth/user").await.expect_status(200);
}

#[tokio::test]
async fn a_session_that_is_not_used_ends_before_its_days_are_over() {
    let app = TestApp::with_stand_in(|settings| settings.accounts.session_idle_days = 3).await;
    let client = app.sign_up("ann").await;
    for _ in 0..3 {
        let before = client.get("/api/auth/sessions").await.json();
        app.advance(SignedDuration::from_hours(3 * 24) - SignedDuration::from_secs(1));
        client.get("/api/auth/user").await.expect_status(200);
        client.get_until("/api/auth/sessions", |now| now[0]["lastSeenAt"] != before[0]["lastSeenAt"]).await;
    }
    app.advance(SignedDuration::from_hours(3 * 24));
    client.get("/api/auth/user").await.problem(401, "not-signed-in");
}

#[tokio::test]
async fn the_export_holds_what_is_kept_beside_the_garage() {
    let app =
        TestApp::with_stand_in(|settings| settings.server.plan = Some(partsight_domain::Plan::Business))
            .await;
    let (client, bob) = (app.sign_up_with_vehicle("ann").await, app.sign_up_with_vehicle("bob").await);
    let empty = client.get("/api/auth/user/export").await.expect_status(200).json();
    for list in ["apiKeys", "usage", "contactMessages", "taughtParts", "priceLists"] {
        assert_eq!(empty[list], json!([]), "{list}");
    }
    assert_eq!((&empty["company"], &empty["judgeAllowed"]), (&Value::Null, &Value::Null));
    for (who, name) in [(&client, "Lee's Garage"), (&bob, "Bob's Bumpers")] {
        who.post("/api/company", &json!({ "name": name })).await.expect_status(201);
        who.post("/api/api-keys", &json!({ "name": format!("key of {name}"), "scopes": ["scan"] }))
            .await
            .expect_status(201);
        let email = if name.contains("Bob") { "bob@example.com" } else { "ann@example.com" };
        let message = json!({ "name": "A", "email": email, "message": "How do I scan a brake pad?" });
        who.post("/api/contact", &message).await.expect_status(202);
        who.identify(&crate::pictures::plain()).await.expect_status(200);
    }
    let reply = client.get("/api/auth/user/export").await;
    let export = reply.expect_status(200).json();
    assert_eq!(export["company"]["name"], "Lee's Garage");
    assert_eq!(export["company"]["role"], "manager");
    assert_eq!(export["apiKeys"], client.get("/api/api-keys").await.json());
    assert_eq!(export["usage"], client.get("/api/usage").await.json()["rows"]);
    assert_eq!(export["usage"].as_array().unwrap().len(), 1);
    assert_eq!(export["contactMessages"][0]["message"], "How do I scan a brake pad?");
    assert_eq!(export["contactMessages"].as_array().unwrap().len(), 1);
    for theirs in ["Bob", "bob@", "sha256"] {
        assert!(!reply.text.contains(theirs), "{theirs}");
    }
}

#[tokio::test]
async fn the_export_names_what_was_taught_bought_in_and_said_and_where_pictures_lie() {
    let app = TestApp::with_settings(|settings| {
        settings.server.plan = Some(partsight_domain::Plan::Business);
        settings.data.keep_photos = partsight_domain::PhotoKeeping::Full;
    })
    .await;
    let (ann, bob) = (app.sign_up_with_vehicle("ann").await, app.sign_up_with_vehicle("bob").await);
    for (client, name) in [(&ann, "EGR valve, 2.0 TDI"), (&bob, "Bob's valve")] {
        teach(client, new_type(name, &[flower(0), flower(18)])).await.expect_status(201);
        upload(client, &[("name", name)], "part,price\nBrake Rotor,45\n").await.expect_status(201);
        let rows = "number,otherNumber\nA-1,B-1\n";
        cross_references::upload(client, &[("name", name)], rows).await.expect_status(201);
        client.put_json("/api/grades/scale", &json!({ "grades": [name] })).await.expect_status(200);
        let part = json!({ "label": "rim", "number": "17x7", "name": name });
        client.post("/api/catalog/parts", &part).await.expect_status(201);
        let scan = client.identify(&crate::pictures::golden("brake-rotor")).await.expect_status(200).json();
        let feedback = json!({ "answer": "other-part", "label": "rim" });
        let path = format!("/api/scans/{}/feedback", scan["id"].as_str().unwrap());
        client.post(&path, &feedback).await.expect_status(200);
        let path = format!("/api/scans/{}/grade", scan["id"].as_str().unwrap());
        let grade = json!({ "grade": name, "note": format!("Seen by {name}") });
        client.put_json(&path, &grade).await.expect_status(200);
    }
    let reply = ann.get("/api/auth/user/export").await;
    let export = reply.expect_status(200).json();
    assert_eq!(export["gradeScale"], json!(["EGR valve, 2.0 TDI"]));
    assert_eq!(export["scans"][0]["grade"]["note"], "Seen by EGR valve, 2.0 TDI");
    for (list, field, value) in [
        ("crossReferences", "name", json!("EGR valve, 2.0 TDI")),
        ("taughtParts", "name", json!("EGR valve, 2.0 TDI")),
        ("priceLists", "name", json!("EGR valve, 2.0 TDI")),
        ("parts", "name", json!("EGR valve, 2.0 TDI")),
        ("scans", "feedback", json!("other-part")),
        ("scans", "rightLabel", json!("rim")),
    ] {
        let rows = export[list].as_array().unwrap();
        assert_eq!((rows.len(), &rows[0][field]), (1, &value), "{list}: {rows:?}");
    }
    assert!(!reply.text.contains("Bob's valve"));
    // What is kept of the scan is there under the addresses that the export names.
    for (field, media_type) in [("thumbnailUrl", "image/jpeg"), ("photoUrl", "image/png")] {
        let path = export["scans"][0][field].as_str().unwrap();
        assert_eq!(
            ann.request(Method::GET, path).send().await.unwrap().headers()["content-type"],
            media_type
        );
        bob.get(path).await.problem(404, "not-found");
    }

    let app = TestApp::with_stand_in(|_| {}).await;
    let eve = app.sign_up_with_vehicle("eve").await;
    eve.identify(&crate::pictures::plain()).await.expect_status(200);
    let export = eve.get("/api/auth/user/export").await.json();
    assert!(export["scans"][0]["thumbnailUrl"].is_string());
    assert_eq!(export["scans"][0]["photoUrl"], Value::Null);
}

#[tokio::test]
async fn the_export_holds_what_the_account_holds_and_no_secret() {
    let (app, client) = TestApp::stand_in_with_ann().await;
    let vehicle_id = client.add_vehicle("Civic").await;
    let repair = json!({
        "vehicleId": vehicle_id, "mileage": 52_000, "partReplaced": "Brake pads", "repairDate": "2026-03-05",
    });
    client.post("/api/repair-history", &repair).await.expect_status(201);
    app.sign_up_with_vehicle("bob").await.add_vehicle("Accord").await;
    client.post("/api/auth/user/accept-terms", &Value::Null).await.expect_status(200);
    client.identify(&crate::pictures::plain()).await.expect_status(200);
    let reply = client.get("/api/auth/user/export").await;
    let disposition = "attachment; filename=\"partsight-account.json\"";
    assert_eq!(reply.expect_status(200).header("content-disposition"), disposition);
    assert_eq!(reply.header("cache-control"), "no-store");
    let export = reply.json();
    assert_eq!(export["user"], client.get("/api/auth/user").await.json());
    let vehicle = client.get("/api/vehicles/default").await.json();
    for name in ["id", "make", "model", "vinNumber"] {
        assert_eq!(export["vehicles"][0][name], vehicle[name], "{export}");
    }
    assert_eq!(export["vehicles"].as_array().unwrap().len(), 1, "{export}");
    assert_eq!(export["repairs"][0]["partReplaced"], "Brake pads", "{export}");
    assert_eq!(export["repairs"].as_array().unwrap().len(), 1, "{export}");
    assert_eq!(export["oilChanges"], json!([]));
    assert_eq!(export["odometerReadings"][0]["mileage"], 52_000, "{export}");
    assert_eq!(export["sessions"], client.get("/api/auth/sessions").await.json());
    assert_eq!(export["scans"].as_array().unwrap().len(), 1, "{export}");
    assert_eq!(export["termsVersion"], "2025-07-18");
    for secret in ["argon2", "sha256", "Accord", "bob@"] {
        assert!(!reply.text.contains(secret), "{secret}");
    }
    app.client().get("/api/auth/user/export").await.problem(401, "not-signed-in");
}

#[tokio::test]
async fn deleting_an_account_needs_the_password_and_leaves_nothing() {
    let (app, client) = TestApp::ready_to_scan().await;
    let other = app.sign_up_with_vehicle("bob").await;
    let second = app.client();
    second.sign_in("ann", "correct horse").await.expect_status(200);
    client.identify(&crate::pictures::plain()).await.expect_status(200);

    for wrong in [json!({}), json!({ "password": "wrong horse" }), json!({ "password": "x" })] {
        let reply = delete_account(&client, &wrong).await;
        assert_eq!(reply.invalid("password"), "This is not your current password.", "{wrong}");
    }
    client.delete("/api/auth/user").await.problem(422, "invalid");
    client.get("/api/auth/user").await.expect_status(200);

    app.execute(
        "INSERT INTO contact_message (message_id, user_id, name, email, message, created_at) \
         SELECT 'to-support', user_id, 'Ann', email, 'The plate is SEC-1', 0 FROM app_user \
         WHERE email = 'ann@example.com'",
    )
    .await;
    let reply = delete_account(&client, &json!({ "password": "correct horse" })).await;
    assert!(reply.expect_status(204).header("set-cookie").contains("Max-Age=0"), "{reply:?}");
    assert_eq!(count_rows(&app, "contact_message").await, 0);
    for client in [&client, &second] {
        client.get("/api/auth/user").await.problem(401, "not-signed-in");
    }
    app.client().sign_in("ann", "correct horse").await.problem(401, "sign-in-failed");
    for table in ["app_user", "tenant", "vehicle"] {
        assert_eq!(count_rows(&app, table).await, 1, "{table}");
    }
    assert_eq!(count_rows(&app, "scan").await, 0);
    assert_eq!(other.get("/api/vehicles").await.json().as_array().unwrap().len(), 1);
    // The address is free again.
    app.sign_up("ann").await;
}

#[tokio::test]
async fn a_server_that_runs_erases_what_another_one_has_left() {
    let app = TestApp::start().await;
    let pause = Duration::from_millis(10);
    let erasing = app.use_cases.operations.run_erasure(pause);
    let others = async {
        // Twice, because the first may still be found at the start.
        for name in ["ann", "bob"] {
            app.sign_up_with_vehicle(name).await;
            // As a server that stopped in the middle leaves it.
            app.execute("UPDATE tenant SET is_deleted = 1").await;
            while count_rows(&app, "tenant").await + count_rows(&app, "vehicle").await > 0 {
                tokio::time::sleep(pause).await;
            }
        }
    };
    tokio::select! {
        never = erasing => match never {},
        erased = timeout(PATIENCE, others) => erased.unwrap(),
    }
}

#[tokio::test]
async fn an_account_that_is_made_again_goes_on_with_its_scans_for_a_month() {
    let (app, ann) = TestApp::stand_in_with_ann().await;
    let password = json!({ "password": "correct horse" });
    // Anybody can sign up with an address that is not theirs.
    let eve = app.sign_up("bob").await;
    app.execute("UPDATE app_user SET scans_used = 2").await;
    delete_account(&eve, &password).await.expect_status(204);
    assert_eq!(app.sign_up("bob").await.used().await, 0);
    app.execute("UPDATE app_user SET email_verified_at = created_at WHERE email LIKE 'ann%'").await;
    delete_account(&ann, &password).await.expect_status(204);
    let again = app.sign_up("ann").await;
    assert_eq!(again.used().await, 2);
    delete_account(&again, &password).await.expect_status(204);
    assert_eq!(app.use_cases.accounts.forget_past_allowances().await.unwrap(), 0);
    app.advance(SignedDuration::from_hours(24 * 30));
    assert_eq!(app.use_cases.accounts.forget_past_allowances().await.unwrap(), 1);
    assert_eq!(app.sign_up("ann").await.used().await, 0);
}

#[tokio::test]
async fn terms_that_changed_are_asked_for_again() {
    let (app, client) = TestApp::stand_in_with_ann().await;
    let reply = client.post("/api/auth/user/accept-terms", &Value::Null).await;
    assert_eq!(reply.expect_status(200).json()["termsAccepted"], true);
    app.execute("UPDATE app_user SET terms_version = '2020-01-01'").await;
    assert_eq!(client.get("/api/auth/user").await.json()["termsAccepted"], false);
    let reply = client.post("/api/auth/user/accept-terms", &Value::Null).await;
    assert_eq!(reply.expect_status(200).json()["termsAccepted"], true);
}
