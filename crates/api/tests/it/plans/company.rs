//! A company: who may make, edit and delete it, and which pictures it takes for its logo.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::client::assert_reply_snapshot;
use crate::{Client, TestApp, pictures};

/// Bob, Carol and Dave beside Ann, who has Business.
pub(crate) async fn start() -> (TestApp, Client) {
    let (app, ann) = TestApp::stand_in_with_ann().await;
    app.execute("UPDATE app_user SET plan = 'business' WHERE email = 'ann@example.com'").await;
    (app, ann)
}

/// Makes a company and gives its path.
pub(crate) async fn make(client: &Client) -> String {
    let reply = client.post("/api/company", &json!({ "name": "Lee's Garage" })).await;
    format!("/api/company/{}", reply.expect_status(201).json()["id"].as_str().unwrap())
}

pub(crate) async fn user_id(client: &Client) -> String {
    client.get("/api/auth/user").await.json()["id"].as_str().unwrap().to_owned()
}

pub(crate) async fn plan(client: &Client) -> Value {
    client.get("/api/auth/user").await.expect_status(200).json()["planType"].clone()
}

/// Invites whoever has this name before `@example.com`.
pub(crate) async fn add(client: &Client, company: &str, name: &str, role: &str) -> Value {
    let body = json!({ "userEmail": format!("{name}@example.com"), "userName": name, "role": role });
    client.post(&format!("{company}/members"), &body).await.expect_status(201).json()
}

/// Invites somebody, and says yes for them by the link, on a server without mail; the answer to the invitation.
pub(crate) async fn join(owner: &Client, company: &str, person: &Client, role: &str) -> Value {
    let account = person.get("/api/auth/user").await.json();
    let (name, _) = account["email"].as_str().unwrap().split_once('@').unwrap();
    let invited = add(owner, company, name, role).await;
    let yes = json!({ "token": link_token(&invited) });
    person.post("/api/company/invitations/accept", &yes).await.expect_status(200);
    invited
}

/// The secret of the link in the answer to an invitation, on a server without mail.
pub(crate) fn link_token(invited: &Value) -> String {
    invited["link"].as_str().unwrap().split_once("#invitation=").unwrap().1.to_owned()
}

fn data_url(kind: &str, bytes: &[u8]) -> String {
    format!("data:image/{kind};base64,{}", STANDARD.encode(bytes))
}

#[tokio::test]
async fn a_company_is_made_with_business_edited_and_deleted() {
    let (app, ann) = start().await;
    assert_eq!(ann.get("/api/company").await.expect_status(200).json(), Value::Null);
    let body = json!({ "name": " Lee's Garage ", "description": "Brakes\r\nand exhausts" });
    let made = ann.post("/api/company", &body).await;
    let company = made.expect_status(201).json();
    assert_eq!(company["ownerId"], user_id(&ann).await.as_str());
    assert_eq!(company["description"], "Brakes\nand exhausts");
    assert_eq!(ann.get("/api/company").await.json(), company);
    let again = ann.post("/api/company", &body).await.problem(409, "conflict");
    assert!(again.contains("already"), "{again}");

    let path = format!("/api/company/{}", company["id"].as_str().unwrap());
    let edited = ann.put_json(&path, &json!({ "name": "Lee & Sons" })).await;
    assert_eq!(edited.expect_status(200).json()["name"], "Lee & Sons");
    // What is left out stays, as the logo does; null takes it away.
    assert_eq!(edited.json()["description"], "Brakes\nand exhausts");
    let cleared = ann.put_json(&path, &json!({ "name": "Lee & Sons", "description": null })).await;
    assert_eq!(cleared.expect_status(200).json()["description"], Value::Null);
    ann.put_json(&path, &json!({ "name": " " })).await.problem(422, "invalid");

    let bob = app.sign_up("bob").await;
    let refused = bob.post("/api/company", &body).await.problem(403, "forbidden");
    assert!(refused.contains("Business"), "{refused}");
    for reply in [bob.put_json(&path, &body).await, bob.delete(&path).await] {
        reply.problem(404, "not-found");
    }
    assert_reply_snapshot!("a_deleted_company", ann.delete(&path).await);
    assert_eq!(ann.get("/api/company").await.json(), Value::Null);
    ann.delete(&path).await.problem(404, "not-found");
}

#[tokio::test]
async fn two_companies_at_once_are_one() {
    let (_app, ann) = start().await;
    let body = json!({ "name": "Lee's Garage" });
    let (first, second) = tokio::join!(ann.post("/api/company", &body), ann.post("/api/company", &body));
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
}

#[tokio::test]
async fn a_logo_is_drawn_anew_kept_and_removed() {
    let (_app, ann) = start().await;
    let company = make(&ann).await;
    let logo = data_url("png", &pictures::golden("brake-rotor"));
    let edit =
        async |body: Value| ann.put_json(&company, &body).await.expect_status(200).json()["logo"].clone();
    let drawn = edit(json!({ "name": "Lee", "logo": logo })).await;
    let text = drawn.as_str().unwrap();
    assert!(text.starts_with("data:image/") && text != logo, "{}", &text[..40]);
    let bytes = STANDARD.decode(text.split_once(',').unwrap().1).unwrap();
    let picture = image::load_from_memory(&bytes);
    // The tests' decoder reads no JPEG, which a photograph may have become.
    assert!(picture.is_ok_and(|picture| picture.width() <= 512) || bytes.starts_with(&[0xff, 0xd8]));
    assert_eq!(edit(json!({ "name": "Lee" })).await, drawn);
    assert_eq!(edit(json!({ "name": "Lee", "logo": drawn })).await, drawn);
    assert_eq!(edit(json!({ "name": "Lee", "logo": null })).await, Value::Null);
}

#[tokio::test]
async fn a_logo_that_is_no_harmless_picture_is_refused_with_what_to_do() {
    let (_app, ann) = start().await;
    let svg = br#"<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(2)</script></svg>"#;
    let mut polyglot = b"GIF89a/*".to_vec();
    polyglot.extend_from_slice(b"\0\0\0*/=1;alert(document.cookie)//");
    let image = "Please select an image file.";
    let large = "Please select an image smaller than 5MB.";
    let cases = [
        (data_url("svg+xml", svg), 422, "invalid", image),
        (data_url("png", svg), 422, "invalid", image),
        (data_url("gif", &polyglot), 422, "invalid", "damaged"),
        (data_url("png", &pictures::huge_png()), 422, "invalid", "megapixels"),
        (data_url("png", &vec![0x89; 6_000_000]), 422, "invalid", large),
        (data_url("png", &vec![0x89; 11_000_000]), 413, "too-large", large),
        (data_url("png", b"just a text"), 422, "invalid", image),
        ("javascript:alert(1)".to_owned(), 422, "invalid", image),
        ("https://evil.example/logo.png".to_owned(), 422, "invalid", image),
    ];
    for (logo, status, code, expected) in cases {
        let reply = ann.post("/api/company", &json!({ "name": "Lee", "logo": logo })).await;
        let detail = reply.problem(status, code);
        assert!(detail.contains(expected), "{}: {detail}", &logo[..logo.len().min(40)]);
        assert_eq!(reply.json()["field"], "logo");
    }
    assert_eq!(ann.get("/api/company").await.json(), Value::Null);
}

#[tokio::test]
async fn an_owner_with_members_is_told_what_to_do_before_the_account_goes() {
    let (app, ann) = start().await;
    let bob = app.sign_up("bob").await;
    let company = make(&ann).await;
    join(&ann, &company, &bob, "member").await;
    let delete = async |client: &Client| {
        let body = json!({ "password": "correct horse" });
        crate::client::send(client.request(reqwest::Method::DELETE, "/api/auth/user").json(&body)).await
    };
    let refused = delete(&ann).await.problem(409, "conflict");
    assert!(refused.contains("make one of them the owner"), "{refused}");
    assert_eq!(plan(&bob).await, "business");
    delete(&bob).await.expect_status(204);
    assert_eq!(ann.get(&format!("{company}/members")).await.json().as_array().unwrap().len(), 1);
    delete(&ann).await.expect_status(204);
}

#[tokio::test]
async fn everybody_may_have_a_company_where_the_server_gives_business() {
    let app =
        TestApp::with_stand_in(|settings| settings.server.plan = Some(partsight_domain::Plan::Business))
            .await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    let company = make(&ann).await;
    join(&ann, &company, &bob, "manager").await;
    assert_eq!(plan(&bob).await, "business");
}
