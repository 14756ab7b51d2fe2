use jiff::SignedDuration;
use partsight_domain::{Company, CompanyId, MemberId, TenantId};
use partsight_store::{Error, InvitationKey, Invite, JoinCompany};
use uuid::Uuid;

use super::companies::{company, invitation, invite, join, membership, person};
use crate::{TestStore, at, on_each_database};

on_each_database![
    an_owner_with_members_cannot_be_deleted,
    nobody_comes_to_a_company_whose_owner_is_being_deleted,
    an_account_that_a_wrong_clock_closed_is_open,
    of_joining_and_closing_at_once_one_is_refused,
    an_account_is_deleted_while_its_company_invites,
    a_company_is_deleted_while_somebody_joins_it,
];

async fn an_owner_with_members_cannot_be_deleted(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (company, place) = company(db, &ann).await;
    join(db, &place, "bob").await;
    let refused = db.store.delete_user(ann.id, ann.tenant_id).await;
    assert!(matches!(refused, Err(Error::OwnsCompany)), "{refused:?}");
    assert!(db.store.find_user(ann.id).await.unwrap().is_some());
    // A member goes, and leaves the company.
    assert!(db.store.delete_user(bob.id, bob.tenant_id).await.unwrap());
    assert_eq!(db.store.list_company_members(company.id).await.unwrap().len(), 1);
    // An owner alone takes the company along, and nobody else's tenant does.
    assert!(!db.store.delete_user(ann.id, company.tenant_id).await.unwrap());
    assert!(db.store.find_company_of(ann.id).await.unwrap().is_some());
    assert!(db.store.delete_user(ann.id, ann.tenant_id).await.unwrap());
    assert_eq!(db.store.find_company_of(ann.id).await.unwrap(), None);
}

async fn nobody_comes_to_a_company_whose_owner_is_being_deleted(db: &TestStore) {
    let (ann, bob, eve) = (db.user("ann").await, db.user("bob").await, db.user("eve").await);
    let (company, place) = company(db, &ann).await;
    invite(db, &place, "carol").await;
    db.store.close_account(ann.id, at(1)).await.unwrap();
    let eve_closing = db.store.close_account(eve.id, at(1)).await.unwrap();

    let another = invitation(db, &place, "another secret").await;
    let invited = db.store.invite_to_company(another, &person("bob"), &[]).await;
    assert!(matches!(invited, Err(Error::AccountClosing)), "{invited:?}");
    let link = InvitationKey::Link("secret of carol");
    let accepted = db.store.accept_invitation(bob.id, link, at(3)).await;
    assert!(matches!(accepted, Err(Error::AccountClosing)), "{accepted:?}");
    let carol = db.user("carol").await;
    let second =
        Company { id: CompanyId(Uuid::now_v7()), tenant_id: TenantId(Uuid::now_v7()), ..company.clone() };
    let second = Company { owner_id: eve.id, ..second };
    let made = db.store.create_company(&second, &eve, MemberId(Uuid::now_v7())).await;
    assert!(matches!(made, Err(Error::AccountClosing)), "{made:?}");
    assert_eq!(db.store.list_company_members(company.id).await.unwrap().len(), 1);

    // Two minutes later, or once the account is to stay, everything is as before.
    // Who gave up does not open what another one has closed since.
    db.store.reopen_account(eve.id, eve_closing - SignedDuration::from_secs(1)).await.unwrap();
    let made = db.store.create_company(&second, &eve, MemberId(Uuid::now_v7())).await;
    assert!(matches!(made, Err(Error::AccountClosing)), "{made:?}");
    db.store.reopen_account(eve.id, eve_closing).await.unwrap();
    db.store.create_company(&second, &eve, MemberId(Uuid::now_v7())).await.unwrap();
    let later = db.store.accept_invitation(carol.id, link, at(121)).await.unwrap();
    assert_eq!(later, JoinCompany::Joined);
    let refused = db.store.close_account(ann.id, at(122)).await;
    assert!(matches!(refused, Err(Error::OwnsCompany)), "{refused:?}");
    // The refusal leaves it open, and its members may take it over as long as they stay themselves.
    join(db, &place, "bob").await;
    db.store.close_account(bob.id, at(122)).await.unwrap();
    let handed = db.store.hand_over_company(ann.id, company.id, bob.id, at(123)).await;
    assert!(matches!(handed, Err(Error::AccountClosing)), "{handed:?}");
    assert!(db.store.hand_over_company(ann.id, company.id, carol.id, at(123)).await.unwrap());
}

async fn an_account_that_a_wrong_clock_closed_is_open(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (_, place) = company(db, &ann).await;
    // A week ahead, by a server that then died; no later than two servers' clocks differ it would hold.
    db.store.close_account(ann.id, at(2) + SignedDuration::from_hours(7 * 24)).await.unwrap();
    join(db, &place, "bob").await;
    db.store.close_account(bob.id, at(3) + SignedDuration::from_mins(1)).await.unwrap();
    let handed = db.store.hand_over_company(ann.id, place.company_id, bob.id, at(3)).await;
    assert!(matches!(handed, Err(Error::AccountClosing)), "{handed:?}");
}

async fn of_joining_and_closing_at_once_one_is_refused(db: &TestStore) {
    for round in 0..5 {
        let (ann, bob) = (db.user(&format!("ann{round}")).await, format!("bob{round}"));
        let user = db.user(&bob).await;
        let (company, membership) = company(db, &ann).await;
        invite(db, &membership, &bob).await;
        let secret = format!("secret of {bob}");
        let (joined, closed) = tokio::join!(
            db.store.accept_invitation(user.id, InvitationKey::Link(&secret), at(2)),
            db.store.close_account(ann.id, at(2)),
        );
        let n_members = db.store.list_company_members(company.id).await.unwrap().len();
        match (&joined, &closed) {
            (Ok(JoinCompany::Joined), Err(Error::OwnsCompany)) => assert_eq!(n_members, 2),
            (Err(Error::AccountClosing), Ok(_)) => assert_eq!(n_members, 1),
            both => panic!("{both:?}"),
        }
    }
}

async fn an_account_is_deleted_while_its_company_invites(db: &TestStore) {
    for round in 0..20 {
        let ann = db.user(&format!("ann{round}")).await;
        let (_, place) = company(db, &ann).await;
        let secret = format!("secret {round}");
        let invitation = invitation(db, &place, &secret).await;
        let new = person("carol");
        let (invited, deleted) = tokio::join!(
            db.store.invite_to_company(invitation, &new, &[]),
            db.store.delete_user(ann.id, ann.tenant_id),
        );
        assert!(deleted.unwrap(), "the account goes");
        let is_done = matches!(invited, Ok(Invite::Invited(_)) | Err(Error::NotManager));
        assert!(is_done, "it came before, or found no company: {invited:?}");
    }
}

async fn a_company_is_deleted_while_somebody_joins_it(db: &TestStore) {
    for round in 0..20 {
        let (ann, bob) = (db.user(&format!("ann{round}")).await, format!("bob{round}"));
        let user = db.user(&bob).await;
        let (company, place) = company(db, &ann).await;
        invite(db, &place, &bob).await;
        let secret = format!("secret of {bob}");
        let (joined, deleted) = tokio::join!(
            db.store.accept_invitation(user.id, InvitationKey::Link(&secret), at(3)),
            db.store.delete_company(ann.id, company.id),
        );
        let went = deleted.unwrap().unwrap();
        match joined.unwrap() {
            JoinCompany::Joined => assert_eq!((went.n_members, went.n_invitations), (2, 0)),
            JoinCompany::NotOpen => assert_eq!((went.n_members, went.n_invitations), (1, 1)),
            JoinCompany::IsElsewhere => panic!("they were nowhere"),
        }
        assert_eq!(membership(db, &user).await, None);
        assert_eq!(db.store.erase_deleted_tenants().await.unwrap(), 0, "all of it was erased");
    }
}
