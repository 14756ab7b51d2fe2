//! Invitations to a company: the mail, the answer, and what neither tells.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::accounts::mailed_links::verify;
use crate::plans::company::{add, link_token, make, plan, start, user_id};
use crate::plans::company_members::members;
use crate::smtp_server::{Manners, SmtpServer};
use crate::{Client, TestApp};

pub(super) async fn accept(client: &Client, token: &str) -> crate::Reply {
    client.post("/api/company/invitations/accept", &json!({ "token": token })).await
}

/// A server that sends its mails to a real mail server, and Ann with Business and an address that is proved.
async fn start_with_mail() -> (TestApp, SmtpServer, Client) {
    let (app, mails) = TestApp::with_mails(Manners::default(), |settings| {
        settings.server.public_url = Some("http://parts.example.com".to_owned());
    })
    .await;
    let ann = app.sign_up("ann").await;
    let proof = mails.next().await.after("http://parts.example.com/profile#verify-email=");
    verify(&app, &proof).await.expect_status(204);
    app.execute("UPDATE app_user SET plan = 'business' WHERE email = 'ann@example.com'").await;
    (app, mails, ann)
}

#[tokio::test]
async fn two_that_invite_the_same_person_at_once_invite_one() {
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
    assert_eq!((&shown["invitedBy"], &shown["inviterEmail"]), (&json!("Ann Lee"), &json!("ann@example.com")));
    assert_eq!(shown["photosGoTo"], Value::Null);
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
    assert_eq!(pending["link"], Value::Null, "only whoever reads the mail has it");
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
    let (app, mails, ann) = start_with_mail().await;
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
    app.mails_were_tried(1).await;
    assert!(mails.is_empty().await);
}

#[tokio::test]
async fn nobody_invites_in_the_name_of_an_address_that_may_be_somebody_elses() {
    let (app, mails, _ann) = start_with_mail().await;
    let mallory = app.sign_up("chief").await;
    let proof = mails.next().await.after("http://parts.example.com/profile#verify-email=");
    app.execute("UPDATE app_user SET plan = 'business' WHERE email = 'chief@example.com'").await;
    let company = make(&mallory).await;
    let body = json!({ "userEmail": "carol@example.com", "userName": "Carol" });
    let path = format!("{company}/members");
    let refused = mallory.post(&path, &body).await.problem(403, "forbidden");
    assert!(refused.contains("confirm your e-mail address"), "{refused}");
    assert_eq!(members(&mallory, &company).await.len(), 1);
    app.mails_were_tried(1).await;
    assert!(mails.is_empty().await);
    verify(&app, &proof).await.expect_status(204);
    mallory.post(&path, &body).await.expect_status(201);
    assert_eq!(mails.next().await.to, ["carol@example.com"]);
}

async fn decline(client: &Client, answer: Value) -> crate::Reply {
    client.post("/api/company/invitations/decline", &answer).await
}

pub(super) async fn invitations(client: &Client) -> Vec<Value> {
    client.get("/api/company/invitations").await.expect_status(200).json().as_array().unwrap().clone()
}

#[tokio::test]
async fn an_account_joins_by_its_own_yes_alone_and_comes_back_by_another() {
    let (app, ann) = start().await;
    let (bob, eve) = (app.sign_up("bob").await, app.sign_up("eve").await);
    app.execute("UPDATE app_user SET email_verified_at = 1").await;
    let company = make(&ann).await;
    let invited = add(&ann, &company, "bob", "manager").await;
    assert_eq!((plan(&bob).await, bob.get("/api/company").await.json()), (json!("basic"), Value::Null));
    let seen = invitations(&bob).await;
    assert_eq!((seen.len(), &seen[0]["id"]), (1, &invited["id"]));
    let expected = json!({
        "id": invited["id"], "companyName": "Lee's Garage", "invitedBy": "Ann Lee",
        "inviterEmail": "ann@example.com", "email": "bob@example.com", "role": "manager",
        "expiresAt": invited["expiresAt"], "photosGoTo": null,
    });
    assert_eq!(seen[0], expected);

    // Nobody else answers for him, and no answer is none.
    assert_eq!(invitations(&eve).await, Vec::<Value>::new());
    let yes = json!({ "id": invited["id"] });
    for (client, answer) in [
        (&eve, yes.clone()),
        (&bob, json!({})),
        (&bob, json!({ "id": "0190a0a0-0000-7000-8000-000000000000" })),
        (&bob, json!({ "id": invited["id"], "token": "00" })),
        (&bob, json!({ "id": "x" })),
    ] {
        client.post("/api/company/invitations/accept", &answer).await.problem(422, "invalid");
        decline(client, answer).await.problem(422, "invalid");
    }
    decline(&app.client(), yes.clone()).await.problem(422, "invalid");
    app.client().post("/api/company/invitations/accept", &yes).await.problem(401, "not-signed-in");
    app.client().get("/api/company/invitations").await.problem(401, "not-signed-in");

    bob.post("/api/company/invitations/accept", &yes).await.expect_status(200);
    assert_eq!(plan(&bob).await, "business");
    assert_eq!(invitations(&bob).await, Vec::<Value>::new());
    bob.delete(&format!("{company}/members/{}", user_id(&bob).await)).await.expect_status(204);
    // Who left is asked like anybody else.
    assert_eq!(add(&ann, &company, "bob", "member").await["pending"], true);
    assert_eq!((plan(&bob).await, bob.get("/api/company").await.json()), (json!("basic"), Value::Null));
}

#[tokio::test]
async fn without_mail_a_claimed_address_opens_no_invitation_but_the_link_does() {
    let (app, ann) = start().await;
    let mallory = app.sign_up("bob").await;
    let company = make(&ann).await;
    let invited = add(&ann, &company, "bob", "member").await;
    assert_eq!(invitations(&mallory).await, Vec::<Value>::new());
    let yes = json!({ "id": invited["id"] });
    mallory.post("/api/company/invitations/accept", &yes).await.problem(422, "invalid");
    decline(&mallory, yes).await.problem(422, "invalid");

    // Without `public_url` it is a path, and it is shown once.
    let link = invited["link"].as_str().unwrap();
    assert!(link.starts_with("/profile#invitation="), "{link}");
    assert_eq!(members(&ann, &company).await[1].get("link"), None);
    // Another invitation has another link, and the lost one opens nothing.
    ann.delete(&format!("{company}/members/{}", invited["id"].as_str().unwrap())).await.expect_status(204);
    let again = add(&ann, &company, "bob", "member").await;
    let bob = app.sign_up("robert").await;
    accept(&bob, &link_token(&invited)).await.problem(422, "invalid");
    accept(&bob, &link_token(&again)).await.expect_status(200);
    assert_eq!(plan(&bob).await, "business");
}

#[tokio::test]
async fn who_declines_is_left_alone_for_thirty_days() {
    let (app, ann) = start().await;
    let bob = app.sign_up("bob").await;
    let company = make(&ann).await;
    let invited = add(&ann, &company, "bob", "member").await;
    let no = json!({ "token": link_token(&invited) });
    decline(&bob, no.clone()).await.expect_status(204);
    decline(&bob, no).await.problem(422, "invalid");
    assert_eq!(members(&ann, &company).await.len(), 1);
    let again = json!({ "userEmail": "bob@example.com", "userName": "Bob" });
    let path = format!("{company}/members");
    let refused = ann.post(&path, &again).await.problem(409, "conflict");
    assert!(refused.contains("declined") && refused.contains("30 days"), "{refused}");
    app.advance(SignedDuration::from_hours(30 * 24));
    ann.sign_in("ann", "correct horse").await.expect_status(200);
    ann.post(&path, &again).await.expect_status(201);
}

#[tokio::test]
async fn the_answer_does_not_tell_who_has_an_account() {
    let (app, mails, ann) = start_with_mail().await;
    let company = make(&ann).await;
    // With an account that is proved, one that is not, one in another company, and none.
    let bob = app.sign_up("bob").await;
    let proof = mails.next().await.after("http://parts.example.com/profile#verify-email=");
    verify(&app, &proof).await.expect_status(204);
    app.sign_up("carol").await;
    mails.next().await;
    let dave = app.sign_up("dave").await;
    mails.next().await;
    app.execute("UPDATE app_user SET plan = 'business' WHERE email = 'dave@example.com'").await;
    make(&dave).await;
    let mut answers = Vec::new();
    for name in ["bob", "carol", "dave", "nobody"] {
        let mut answer = add(&ann, &company, name, "member").await;
        let mail = mails.next().await;
        assert_eq!(mail.to, [format!("{name}@example.com")]);
        answer.as_object_mut().unwrap().remove("id");
        answers.push(answer.to_string().replace(name, "[name]"));
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:#?}");
    assert_eq!(invitations(&bob).await.len(), 1);
}

#[tokio::test]
async fn a_proved_address_shows_its_invitations_and_joins_nothing_by_itself() {
    let (app, mails, ann) = start_with_mail().await;
    let company = make(&ann).await;
    let bob = app.sign_up("bob").await;
    let proof = mails.next().await.after("http://parts.example.com/profile#verify-email=");
    let invited = add(&ann, &company, "bob", "member").await;
    let token = mails.next().await.after("#invitation=");
    // Whoever made the account may not be whose address it is.
    assert_eq!(invitations(&bob).await, Vec::<Value>::new());
    let yes = json!({ "id": invited["id"] });
    bob.post("/api/company/invitations/accept", &yes).await.problem(422, "invalid");
    decline(&bob, yes.clone()).await.problem(422, "invalid");
    verify(&app, &proof).await.expect_status(204);
    assert_eq!(plan(&bob).await, "basic");
    assert_eq!(invitations(&bob).await[0]["id"], invited["id"]);
    // The link is answered without an account as well.
    decline(&app.client(), json!({ "token": token })).await.expect_status(204);
    assert_eq!(invitations(&bob).await, Vec::<Value>::new());
    bob.post("/api/company/invitations/accept", &yes).await.problem(422, "invalid");
}
