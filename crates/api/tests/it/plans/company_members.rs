//! The people of a company: roles, leaving, and the plan that they share.

use serde_json::{Value, json};

use crate::client::assert_reply_snapshot;
use crate::plans::company::{add, join, link_token, make, plan, start, user_id};
use crate::plans::company_invitations::accept;
use crate::{Client, pictures};

pub(super) async fn members(client: &Client, company: &str) -> Vec<Value> {
    let reply = client.get(&format!("{company}/members")).await;
    reply.expect_status(200).json().as_array().unwrap().clone()
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
    let token = link_token(&add(&ann, &company, "bob", "member").await);
    let accept = async || accept(&bob, &token).await;
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
    ann.put_json(&path, &json!({})).await.problem(422, "invalid");
    ann.put_json(&path, &json!({ "userId": "bob" })).await.problem(404, "not-found");

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
