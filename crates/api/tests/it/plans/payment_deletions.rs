//! Accounts that pay and are deleted, here or at Stripe.

use std::time::Duration;

use serde_json::{Value, json};

use super::payments::{BUSINESS, PRO, is, status, subscribe};
use crate::fake_stripe::{FakeStripe, Fault};
use crate::plans::company::{join, make};

#[tokio::test]
async fn a_deleted_account_pays_no_more() {
    let (fake, app, ann) = FakeStripe::with_ann().await;
    subscribe(&fake, &app, &ann, PRO).await;
    let password = json!({ "password": "correct horse" });
    let delete =
        || crate::client::send(ann.request(reqwest::Method::DELETE, "/api/auth/user").json(&password));

    // While the subscription cannot be ended, the account stays.
    fake.set_fault(Fault::Down);
    delete().await.problem(503, "payment-provider");
    assert_eq!(status(&ann).await, is("Pro", "active", false));
    fake.set_fault(Fault::None);
    delete().await.expect_status(204);
    assert_eq!((fake.statuses(), fake.customers()), (vec!["canceled".to_owned()], 0));
    // The event of its end is about nobody.
    fake.deliver(&app).await;
    ann.get("/api/auth/user").await.expect_status(401);
}

#[tokio::test]
async fn nobody_joins_while_the_owner_alone_deletes_the_account() {
    let fake = FakeStripe::start().await;
    let app = fake.shop().await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    subscribe(&fake, &app, &ann, BUSINESS).await;
    let company = make(&ann).await;
    fake.set_fault(Fault::Silent);
    let password = json!({ "password": "correct horse" });
    let delete = crate::client::send(ann.request(reqwest::Method::DELETE, "/api/auth/user").json(&password));
    let n_before = fake.calls();
    let join = async {
        // From here on the provider is being asked.
        while fake.calls() == n_before {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let body = json!({ "userEmail": "bob@example.com", "userName": "Bob" });
        let joined = ann.post(&format!("{company}/members"), &body).await;
        fake.set_fault(Fault::None);
        joined
    };
    let (deleted, joined) = tokio::join!(delete, join);
    let sentence = joined.problem(409, "conflict");
    assert!(sentence.contains("being deleted"), "{sentence}");
    deleted.expect_status(204);
    assert_eq!((fake.statuses(), fake.customers()), (vec!["canceled".to_owned()], 0));
    ann.get("/api/auth/user").await.expect_status(401);
    assert_eq!(bob.get("/api/company").await.json(), Value::Null);
}

#[tokio::test]
async fn a_company_is_open_again_when_its_owner_could_not_be_deleted() {
    let fake = FakeStripe::start().await;
    let app = fake.shop().await;
    let (ann, bob) = (app.sign_up("ann").await, app.sign_up("bob").await);
    subscribe(&fake, &app, &ann, BUSINESS).await;
    let company = make(&ann).await;
    fake.set_fault(Fault::Down);
    let password = json!({ "password": "correct horse" });
    let delete =
        || crate::client::send(ann.request(reqwest::Method::DELETE, "/api/auth/user").json(&password));
    delete().await.problem(503, "payment-provider");
    fake.set_fault(Fault::None);
    join(&ann, &company, &bob, "member").await;
    // With somebody in it the account stays, and so does what is paid for.
    delete().await.problem(409, "conflict");
    assert_eq!((fake.statuses(), fake.customers()), (vec!["active".to_owned()], 1));
    assert_eq!(status(&ann).await, is("Business", "active", false));
}

#[tokio::test]
async fn a_customer_who_was_deleted_at_stripe_can_buy_again() {
    let (fake, app, ann) = FakeStripe::with_ann().await;
    subscribe(&fake, &app, &ann, PRO).await;
    fake.delete_customers();
    fake.deliver(&app).await;
    assert_eq!(status(&ann).await, is("Free", "canceled", false));
    subscribe(&fake, &app, &ann, PRO).await;
    assert_eq!(status(&ann).await, is("Pro", "active", false));
    assert_eq!(fake.customers(), 1);
}
