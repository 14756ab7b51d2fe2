//! The people of a company: inviting, answering, roles, leaving, and the plan that they share.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::accounts::mailed_links::verify;
use crate::client::assert_reply_snapshot;
use crate::plans::company::{add, join, make, plan, start, user_id};
use crate::smtp_server::{Manners, SmtpServer};
use crate::{Client, TestApp, pictures};

async fn members(client: &Client, company: &str) -> Vec<Value> {
    let reply = client.get(&format!("{company}/members")).await;
    reply.expect_status(200).json().as_array().unwrap().clone()
}

async fn accept(client: &Client, token: &str) -> crate::Reply {
    client.post("/api/company/invitations/accept", &json!({ "token": token })).await
}

/// A server that sends its mails to a real mail server, and Ann with Business and an address that is proved.
async fn start_with_mail() -> (TestApp, SmtpServer, Client) {
    let mails = SmtpServer::start(Manners::default()).await;
    let url = mails.url();
    let app = TestApp::with_stand_in(|settings| {
        settings.mail.smtp_url = Some(partsight_app::Secret::new(url));
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
async fn members_are_listed_with_what_the_specification_names() {
    let (app, ann) = start().await;
    let bob = app.sign_up("bob").await;
    let company = make(&ann).await;
    let invited = join(&ann, &company, &bob, "member").await;
    assert_eq!((&invited["userId"], &invited["pending"]), (&Value::Null, &json!(true)));
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
async fn whoever_changes_their_name_changes_it_in_the_list_of_members() {
    let (app, ann) = start().await;
    let bob = app.sign_up("bob").await;
    let company = make(&ann).await;
    join(&ann, &company, &bob, "member").await;
    let shown = async || {
        let members = members(&ann, &company).await;
        let his = members.iter().find(|member| member["email"] == "bob@example.com").unwrap();
        his["displayName"].as_str().unwrap().to_owned()
    };
    let rename = async |first: &str, last: &str| {
        let names = json!({ "firstName": first, "lastName": last });
        bob.put_json("/api/auth/user", &names).await.expect_status(200);
    };
    rename("Robert", "Lee").await;
    assert_eq!(shown().await, "Robert Lee");
    // Without a name of his own the company's stays.
    rename("", "").await;
    assert_eq!(shown().await, "Robert Lee");
    let hers = members(&bob, &company).await[0]["displayName"].clone();
    assert_ne!(hers, "Robert Lee", "nobody else was renamed");
}

#[tokio::test]
async fn members_have_business_as_long_as_the_owner_has() {
    let (app, ann) = start().await;
    let bob = app.sign_up_with_vehicle("bob").await;
    let company = make(&ann).await;
    assert_eq!(plan(&bob).await, "basic");
    join(&ann, &company, &bob, "member").await;
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
async fn nobody_joins_a_company_whose_plan_has_ended_until_it_is_renewed() {
    let (app, ann) = start().await;
    let bob = app.sign_up("bob").await;
    let company = make(&ann).await;
    add(&ann, &company, "bob", "member").await;
    let id = invitations(&bob).await[0]["id"].clone();
    let accept = async || bob.post("/api/company/invitations/accept", &json!({ "id": id })).await;
    app.execute("UPDATE app_user SET plan = 'pro' WHERE email = 'ann@example.com'").await;
    let refused = accept().await.problem(403, "forbidden");
    assert!(refused.contains("has ended"), "{refused}");
    assert_eq!(bob.get("/api/company").await.json(), Value::Null);
    app.execute("UPDATE app_user SET plan = 'business' WHERE email = 'ann@example.com'").await;
    accept().await.expect_status(200);
    assert_eq!(members(&ann, &company).await.len(), 2);
}

#[tokio::test]
async fn what_does_not_fit_adds_nobody() {
    let (app, ann) = start().await;
    let bob = app.sign_up("bob").await;
    let company = make(&ann).await;
    join(&ann, &company, &bob, "member").await;
    add(&ann, &company, "carol", "member").await;
    let cases = [
        (json!({ "userEmail": "", "userName": "X" }), 422, "invalid", "userEmail"),
        (json!({ "userEmail": "x@example.com" }), 422, "invalid", "userName"),
        (json!({ "userEmail": "x@example.com", "userName": "X", "role": "owner" }), 422, "invalid", "role"),
        (json!({ "userEmail": "ANN@example.com", "userName": "Ann" }), 409, "conflict", "userEmail"),
        (json!({ "userEmail": "bob@example.com", "userName": "Bob" }), 409, "conflict", "userEmail"),
        (json!({ "userEmail": "carol@example.com", "userName": "C" }), 409, "conflict", "userEmail"),
    ];
    for (body, status, code, field) in cases {
        let reply = ann.post(&format!("{company}/members"), &body).await;
        reply.problem(status, code);
        assert_eq!(reply.json()["field"], field, "{body}");
    }
    assert_eq!(members(&ann, &company).await.len(), 3);
}

/// What each role may do: status of each call, as owner, manager, member and outsider.
#[tokio::test]
async fn each_role_may_do_what_it_may() {
    let (app, ann) = start().await;
    let (bob, carol, eve) = (app.sign_up("bob").await, app.sign_up("carol").await, app.sign_up("eve").await);
    let company = make(&ann).await;
    join(&ann, &company, &bob, "manager").await;
    join(&ann, &company, &carol, "member").await;
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
    join(&ann, &company, &bob, "member").await;
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
async fn scans_made_in_a_company_use_none_of_the_own_allowance() {
    let (app, ann) = start().await;
    let company = make(&ann).await;
    let bob = app.sign_up_with_vehicle("bob").await;
    let scan = async |seed| bob.identify(&pictures::blocks(seed, 0)).await;
    let remaining =
        async || bob.get("/api/scans/limits").await.expect_status(200).json()["remaining"].clone();
    scan(1).await.expect_status(200);
    assert_eq!(remaining().await, 1);
    join(&ann, &company, &bob, "member").await;
    for seed in 2..5 {
        scan(seed).await.expect_status(200);
    }
    // The plan of the company has ended, so they use up their own.
    app.execute("UPDATE app_user SET plan = 'basic' WHERE email = 'ann@example.com'").await;
    assert_eq!(remaining().await, 1);
    scan(5).await.expect_status(200);
    assert_eq!(remaining().await, 0);
    scan(6).await.problem(429, "limit-reached");
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
    assert!(mails.is_empty().await);
    verify(&app, &proof).await.expect_status(204);
    mallory.post(&path, &body).await.expect_status(201);
    assert_eq!(mails.next().await.to, ["carol@example.com"]);
}

async fn decline(client: &Client, answer: Value) -> crate::Reply {
    client.post("/api/company/invitations/decline", &answer).await
}

async fn invitations(client: &Client) -> Vec<Value> {
    client.get("/api/company/invitations").await.expect_status(200).json().as_array().unwrap().clone()
}

#[tokio::test]
async fn an_account_joins_by_its_own_yes_alone_and_comes_back_by_another() {
    let (app, ann) = start().await;
    let (bob, eve) = (app.sign_up("bob").await, app.sign_up("eve").await);
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
async fn who_declines_is_left_alone_for_thirty_days() {
    let (app, ann) = start().await;
    let bob = app.sign_up("bob").await;
    let company = make(&ann).await;
    let invited = add(&ann, &company, "bob", "member").await;
    decline(&bob, json!({ "id": invited["id"] })).await.expect_status(204);
    decline(&bob, json!({ "id": invited["id"] })).await.problem(422, "invalid");
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

#[tokio::test]
async fn what_the_judge_may_see_is_decided_for_all_by_those_who_manage_the_company() {
    let (app, ann) = start().await;
    let bob = app.sign_up("bob").await;
    let company = make(&ann).await;
    join(&ann, &company, &bob, "member").await;
    let allow = json!({ "allowed": true });
    bob.put_json("/api/judge", &allow).await.problem(403, "forbidden");
    assert_eq!(bob.get("/api/judge").await.json()["allowed"], false);
    ann.put_json("/api/judge", &allow).await.expect_status(200);
    assert_eq!(bob.get("/api/judge").await.json()["allowed"], true);
}
