//! The people of a company: adding, inviting, roles, leaving, and the plan that they share.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::auth_mail::verify;
use crate::client::assert_reply_snapshot;
use crate::company::{add, make, plan, start, user_id};
use crate::smtp_server::{Manners, SmtpServer};
use crate::{Client, TestApp};

async fn members(client: &Client, company: &str) -> Vec<Value> {
    let reply = client.get(&format!("{company}/members")).await;
    reply.expect_status(200).json().as_array().unwrap().clone()
}

async fn accept(client: &Client, token: &str) -> crate::Reply {
    client.post("/api/company/invitations/accept", &json!({ "token": token })).await
}

/// A server that sends its mails to a real mail server, and Ann with Business.
async fn start_with_mail() -> (TestApp, SmtpServer, Client) {
    let mails = SmtpServer::start(Manners::default()).await;
    let url = mails.url();
    let app = TestApp::with_stand_in(|settings| {
        settings.smtp_url = Some(partsight_app::Secret::new(url));
        settings.public_url = Some("http://parts.example.com".to_owned());
    })
    .await;
    let ann = app.sign_up("ann").await;
    mails.next().await;
    app.execute("UPDATE app_user SET plan = 'business' WHERE email = 'ann@example.com'").await;
    (app, mails, ann)
}

#[tokio::test]
async fn members_are_listed_with_what_the_specification_names() {
    let (app, ann) = start().await;
    let bob = app.sign_up("bob").await;
    let company = make(&ann).await;
    let added = add(&ann, &company, "bob", "member").await;
    assert_eq!(added["userId"], user_id(&bob).await.as_str());
    add(&ann, &company, "carol", "manager").await;
    let mut list = bob.get(&format!("{company}/members")).await.json();
    for member in list.as_array_mut().unwrap() {
        for field in ["userId", "joinedAt", "expiresAt"] {
            if !member[field].is_null() {
                member[field] = format!("[{field}]").into();
            }
        }
    }
    let reply =
        crate::Reply { status: 200, headers: reqwest::header::HeaderMap::new(), text: list.to_string() };
    assert_reply_snapshot!("company_members", reply);
}

#[tokio::test]
async fn members_have_business_as_long_as_the_owner_has() {
    let (app, ann) = start().await;
    let bob = app.sign_up_with_vehicle("bob").await;
    let company = make(&ann).await;
    assert_eq!(plan(&bob).await, "basic");
    add(&ann, &company, "bob", "member").await;
    assert_eq!(plan(&bob).await, "business");
    assert_eq!(bob.get("/api/scans/limits").await.json()["limit"], 999);
    app.execute("UPDATE app_user SET plan = 'pro' WHERE email = 'ann@example.com'").await;
    assert_eq!(plan(&bob).await, "basic");
    assert_eq!(bob.get("/api/scans/limits").await.json()["limit"], 2);
    let body = json!({ "userEmail": "carol@example.com", "userName": "Carol" });
    let refused = ann.post(&format!("{company}/members"), &body).await.problem(403, "forbidden");
    assert!(refused.contains("has ended"), "{refused}");
    // The team can still be seen, edited and left.
    assert_eq!(members(&bob, &company).await.len(), 2);
    let me = user_id(&bob).await;
    bob.delete(&format!("{company}/members/{me}")).await.expect_status(204);
    assert_eq!(bob.get("/api/company").await.json(), Value::Null);
}

#[tokio::test]
async fn what_does_not_fit_adds_nobody() {
    let (app, ann) = start().await;
    let (_bob, dave) = (app.sign_up("bob").await, app.sign_up("dave").await);
    let company = make(&ann).await;
    add(&ann, &company, "bob", "member").await;
    add(&ann, &company, "carol", "member").await;
    app.execute("UPDATE app_user SET plan = 'business' WHERE email = 'dave@example.com'").await;
    make(&dave).await;
    let cases = [
        (json!({ "userEmail": "", "userName": "X" }), 422, "invalid", "userEmail"),
        (json!({ "userEmail": "x@example.com" }), 422, "invalid", "userName"),
        (json!({ "userEmail": "x@example.com", "userName": "X", "role": "owner" }), 422, "invalid", "role"),
        (json!({ "userEmail": "ANN@example.com", "userName": "Ann" }), 409, "conflict", "userEmail"),
        (json!({ "userEmail": "bob@example.com", "userName": "Bob" }), 409, "conflict", "userEmail"),
        (json!({ "userEmail": "carol@example.com", "userName": "C" }), 409, "conflict", "userEmail"),
        (json!({ "userEmail": "dave@example.com", "userName": "Dave" }), 409, "conflict", "userEmail"),
    ];
    for (body, status, code, field) in cases {
        let reply = ann.post(&format!("{company}/members"), &body).await;
        reply.problem(status, code);
        assert_eq!(reply.json()["field"], field, "{body}");
    }
    assert_eq!(members(&ann, &company).await.len(), 3);
}

#[tokio::test]
async fn two_that_add_the_same_person_at_once_add_one() {
    let (app, ann) = start().await;
    app.sign_up("bob").await;
    let company = make(&ann).await;
    let body = json!({ "userEmail": "bob@example.com", "userName": "Bob" });
    let path = format!("{company}/members");
    let (first, second) = tokio::join!(ann.post(&path, &body), ann.post(&path, &body));
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
    assert_eq!(members(&ann, &company).await.len(), 2);
}

/// What each role may do: status of each call, as owner, manager, member and outsider.
#[tokio::test]
async fn each_role_may_do_what_it_may() {
    let (app, ann) = start().await;
    let (bob, carol, eve) = (app.sign_up("bob").await, app.sign_up("carol").await, app.sign_up("eve").await);
    let company = make(&ann).await;
    add(&ann, &company, "bob", "manager").await;
    add(&ann, &company, "carol", "member").await;
    let owner = user_id(&ann).await;
    let mut wrong = Vec::new();
    for (who, client, read, manage, own) in [
        ("outsider", &eve, 404, 404, 404),
        ("member", &carol, 200, 403, 403),
        ("manager", &bob, 200, 200, 403),
        ("owner", &ann, 200, 200, 200),
    ] {
        let guest = format!("{who}-guest@example.com");
        let guest = json!({ "userEmail": guest, "userName": "Guest" });
        let name = json!({ "name": format!("by the {who}") });
        let role = json!({ "role": "member" });
        let mut check = |call: &str, reply: crate::Reply, expected: u16| {
            // What succeeds may be any success.
            let status = if (200..300).contains(&reply.status) { 200 } else { reply.status };
            if status != expected {
                wrong.push(format!("{who}: {call} answers {}: {}", reply.status, reply.text));
            }
        };
        let path = |end: &str| format!("{company}{end}");
        check("list", client.get(&path("/members")).await, read);
        check("edit", client.put_json(&company, &name).await, manage);
        check("add", client.post(&path("/members"), &guest).await, manage);
        let someone = path(&format!("/members/{}", user_id(&carol).await));
        check("role", client.put_json(&someone, &role).await, manage);
        // Nobody removes the owner or changes their role, not even they.
        let theirs = path(&format!("/members/{owner}"));
        let refused = if read == 404 { 404 } else { 403 };
        check("owner's role", client.put_json(&theirs, &role).await, refused);
        check("remove owner", client.delete(&theirs).await, refused);
        let unknown = path("/members/0190a0a0-0000-7000-8000-000000000000");
        // To somebody who is not in it, so that the owner stays.
        let nobody = json!({ "userId": "0190a0a0-0000-7000-8000-000000000000" });
        let handed = if own == 200 { 404 } else { own };
        check("hand over", client.put_json(&path("/owner"), &nobody).await, handed);
        check("remove nobody", client.delete(&unknown).await, if manage == 200 { 404 } else { manage });
        if who == "owner" {
            check("remove member", client.delete(&someone).await, 200);
        }
        check("delete", client.delete(&company).await, own);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn a_company_is_handed_to_a_member_who_pays_for_it() {
    let (app, ann) = start().await;
    let (bob, carol) = (app.sign_up("bob").await, app.sign_up("carol").await);
    let company = make(&ann).await;
    add(&ann, &company, "bob", "member").await;
    let path = format!("{company}/owner");
    let to = async |client: &Client| json!({ "userId": user_id(client).await });
    let refused = ann.put_json(&path, &to(&bob).await).await.problem(403, "forbidden");
    assert!(refused.contains("Business plan of their own"), "{refused}");
    app.execute("UPDATE app_user SET plan = 'business' WHERE email <> 'ann@example.com'").await;
    // Neither by a member nor to somebody outside, and not to the owner again.
    bob.put_json(&path, &to(&bob).await).await.problem(403, "forbidden");
    carol.put_json(&path, &to(&carol).await).await.problem(404, "not-found");
    ann.put_json(&path, &to(&carol).await).await.problem(404, "not-found");
    ann.put_json(&path, &to(&ann).await).await.problem(409, "conflict");
    for bad in [json!({}), json!({ "userId": "bob" })] {
        ann.put_json(&path, &bad).await.problem(404, "not-found");
    }

    let handed = ann.put_json(&path, &to(&bob).await).await.expect_status(200).json();
    assert_eq!(handed["ownerId"], user_id(&bob).await.as_str());
    let list = members(&bob, &company).await;
    assert_eq!((&list[0]["email"], &list[0]["role"]), (&json!("bob@example.com"), &json!("manager")));
    assert_eq!((&list[1]["email"], &list[1]["role"]), (&json!("ann@example.com"), &json!("manager")));
    // The plan is that of the new owner, and the old one may leave.
    app.execute("UPDATE app_user SET plan = 'basic' WHERE email = 'ann@example.com'").await;
    assert_eq!(plan(&ann).await, "business");
    ann.delete(&company).await.problem(403, "forbidden");
    ann.delete(&format!("{company}/members/{}", user_id(&ann).await)).await.expect_status(204);
    assert_eq!(plan(&ann).await, "basic");
    bob.delete(&company).await.expect_status(200);
}

#[tokio::test]
async fn an_invitation_says_what_it_asks_into_before_anybody_has_signed_in() {
    let (app, mails, ann) = start_with_mail().await;
    let company = make(&ann).await;
    add(&ann, &company, "carol", "manager").await;
    let token = mails.next().await.after("#invitation=");
    let show = async |token: &str| {
        app.client().post("/api/company/invitations/show", &json!({ "token": token })).await
    };
    let shown = show(&token).await.expect_status(200).json();
    assert_eq!((&shown["companyName"], &shown["role"]), (&json!("Lee's Garage"), &json!("manager")));
    assert_eq!(shown["email"], "carol@example.com");
    for bad in ["", "00", &"x".repeat(5000)] {
        show(bad).await.problem(422, "invalid");
    }
    // Looking does not use it.
    show(&token).await.expect_status(200);
    let carol = app.sign_up("caroline").await;
    accept(&carol, &token).await.expect_status(200);
    show(&token).await.problem(422, "invalid");
}

#[tokio::test]
async fn an_invitation_is_mailed_accepted_once_and_not_after_14_days() {
    let (app, mails, ann) = start_with_mail().await;
    let company = make(&ann).await;
    let pending = add(&ann, &company, "carol", "manager").await;
    assert_eq!((&pending["pending"], &pending["userId"]), (&json!(true), &Value::Null));
    let mail = mails.next().await;
    assert_eq!(mail.to, ["carol@example.com"]);
    assert!(mail.text.contains("Lee's Garage"), "{}", mail.text);
    let token = mail.after("http://parts.example.com/profile#invitation=");
    assert_eq!(token.len(), 64);

    // Whoever reads the mail joins, with the account that they have.
    let carol = app.sign_up("caroline").await;
    mails.next().await;
    for bad in ["", "00", &"x".repeat(5000)] {
        accept(&carol, bad).await.problem(422, "invalid");
    }
    accept(&app.client(), &token).await.problem(401, "not-signed-in");
    accept(&ann, &token).await.problem(409, "conflict");
    let joined = accept(&carol, &token).await;
    assert_eq!(joined.expect_status(200).json()["name"], "Lee's Garage");
    assert_eq!(plan(&carol).await, "business");
    accept(&carol, &token).await.problem(422, "invalid");
    let list = members(&ann, &company).await;
    assert_eq!((list.len(), &list[1]["role"], &list[1]["id"]), (2, &json!("manager"), &pending["id"]));

    let dave = app.sign_up("dave").await;
    mails.next().await;
    add(&ann, &company, "dave", "member").await;
    let late = mails.next().await.after("#invitation=");
    app.advance(SignedDuration::from_hours(14 * 24));
    dave.sign_in("dave", "correct horse").await.expect_status(200);
    accept(&dave, &late).await.problem(422, "invalid");
    ann.sign_in("ann", "correct horse").await.expect_status(200);
    assert_eq!(members(&ann, &company).await.len(), 2);
}

#[tokio::test]
async fn an_invitation_that_is_withdrawn_opens_nothing() {
    let (app, mails, ann) = start_with_mail().await;
    let company = make(&ann).await;
    let pending = add(&ann, &company, "carol", "member").await;
    let token = mails.next().await.after("#invitation=");
    let path = format!("{company}/members/{}", pending["id"].as_str().unwrap());
    ann.delete(&path).await.expect_status(204);
    ann.delete(&path).await.problem(404, "not-found");
    let carol = app.sign_up("carol").await;
    accept(&carol, &token).await.problem(422, "invalid");
}

#[tokio::test]
async fn a_mailbox_is_not_flooded_with_invitations() {
    let (_app, mails, ann) = start_with_mail().await;
    let company = make(&ann).await;
    for _ in 0..3 {
        let pending = add(&ann, &company, "carol", "member").await;
        mails.next().await;
        let path = format!("{company}/members/{}", pending["id"].as_str().unwrap());
        ann.delete(&path).await.expect_status(204);
    }
    let body = json!({ "userEmail": "carol@example.com", "userName": "Carol" });
    ann.post(&format!("{company}/members"), &body).await.problem(429, "too-many-attempts");
    assert_eq!(members(&ann, &company).await.len(), 1);
    assert!(mails.is_empty().await);
}

#[tokio::test]
async fn an_account_that_only_claims_an_address_joins_when_it_proves_it() {
    let (app, mails, ann) = start_with_mail().await;
    let company = make(&ann).await;
    // Whether or not there is an account, the answer is the same.
    let bob = app.sign_up("bob").await;
    let proof = mails.next().await.after("http://parts.example.com/profile#verify-email=");
    let answers = [add(&ann, &company, "bob", "member").await, add(&ann, &company, "carol", "member").await];
    for answer in &answers {
        assert_eq!((&answer["pending"], &answer["user"]), (&json!(true), &Value::Null));
    }
    assert_eq!(plan(&bob).await, "basic");
    verify(&app, &proof).await.expect_status(204);
    assert_eq!(plan(&bob).await, "business");
    assert_eq!(members(&ann, &company).await[1]["email"], "bob@example.com");
    // An account whose address is proved joins at once.
    bob.delete(&format!("{company}/members/{}", user_id(&bob).await)).await.expect_status(204);
    assert_eq!(add(&ann, &company, "bob", "member").await["pending"], false);
}

#[tokio::test]
async fn what_the_judge_may_see_is_decided_for_all_by_those_who_manage_the_company() {
    let (app, ann) = start().await;
    let bob = app.sign_up("bob").await;
    let company = make(&ann).await;
    add(&ann, &company, "bob", "member").await;
    let allow = json!({ "allowed": true });
    bob.put_json("/api/judge", &allow).await.problem(403, "forbidden");
    assert_eq!(bob.get("/api/judge").await.json()["allowed"], false);
    ann.put_json("/api/judge", &allow).await.expect_status(200);
    assert_eq!(bob.get("/api/judge").await.json()["allowed"], true);
}
