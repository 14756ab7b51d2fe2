use jiff::SignedDuration;
use partsight_domain::{CompanyId, CompanyRole, EmailAddress, LinkPurpose, User};
use partsight_store::{Error, InvitationKey, Invite, JoinCompany, NewInvitation};
use uuid::Uuid;

use super::companies::{company, invitation, invite, join, membership, person};
use crate::{TestStore, at, on_each_database};

on_each_database![
    an_account_is_invited_like_an_address_without_one,
    an_invitation_is_shown_to_whose_address_it_is,
    who_declines_is_not_asked_again_for_thirty_days,
    whoever_may_no_longer_invite_leaves_no_invitation_behind,
    who_left_comes_back_by_their_own_yes,
    two_that_invite_the_same_person_at_once_invite_one,
    of_two_invitations_accepted_at_once_one_counts,
    an_invitation_opens_once_and_ends,
    a_proved_address_alone_joins_nothing,
];

async fn an_account_is_invited_like_an_address_without_one(db: &TestStore) {
    let ann = db.user("ann").await;
    let bob = db.user("bob").await;
    let (company, place) = company(db, &ann).await;
    for name in ["bob", "carol"] {
        let Invite::Invited(invitation) = invite(db, &place, name).await else { panic!() };
        assert_eq!(invitation.email, format!("{name}@example.com"));
        assert_eq!((invitation.role, invitation.created_at), (CompanyRole::Member, at(2)));
        assert_eq!(invitation.expires_at, at(2) + SignedDuration::from_hours(14 * 24));
        assert_eq!(invite(db, &place, name).await, Invite::IsInvited);
    }
    assert_eq!(membership(db, &bob).await, None);
    assert_eq!(db.store.list_company_members(company.id).await.unwrap().len(), 1);
    assert_eq!(db.store.list_company_invitations(company.id, at(3)).await.unwrap().len(), 2);
    let later = at(2) + SignedDuration::from_hours(14 * 24);
    assert_eq!(db.store.list_company_invitations(company.id, later).await.unwrap(), []);
    db.store.purge_invitations(later).await.unwrap();
    assert_eq!(db.store.list_company_invitations(company.id, at(3)).await.unwrap(), []);
    let again = NewInvitation { now: later, ..invitation(db, &place, "another").await };
    let again = db.store.invite_to_company(again, &person("carol"), &[]).await.unwrap();
    assert!(matches!(again, Invite::Invited(_)), "{again:?}");
}

async fn an_invitation_is_shown_to_whose_address_it_is(db: &TestStore) {
    let (ann, bob, eve) = (db.user("ann").await, db.user("bob").await, db.user("eve").await);
    let (_, place) = company(db, &ann).await;
    let Invite::Invited(invited) = invite(db, &place, "bob").await else { panic!() };
    let shown = async |user: &User| db.store.list_invitations_to(user.id, at(3)).await.unwrap();
    prove(db, "eve").await;
    assert_eq!(shown(&eve).await, []);
    // Anybody can make an account with his address.
    assert_eq!(shown(&bob).await, []);
    let key = |user: &User| InvitationKey::Address { id: invited.id, user_id: user.id };
    for user in [&bob, &eve] {
        assert!(!db.store.decline_invitation(key(user), at(3)).await.unwrap());
        let joined = db.store.accept_invitation(user.id, key(user), at(3)).await.unwrap();
        assert_eq!(joined, JoinCompany::NotOpen);
    }
    prove(db, "bob").await;
    let [open] = &shown(&bob).await[..] else { panic!() };
    assert_eq!((open.id, open.company_name.as_str()), (invited.id, "Lee's Garage"));
    assert_eq!((open.invited_by.as_str(), open.inviter_email.as_str()), ("Ann Lee", "ann@example.com"));
    assert_eq!((open.email.as_str(), open.company_tenant_id), ("bob@example.com", place.tenant_id));
    let joined = db.store.accept_invitation(bob.id, key(&bob), at(4)).await.unwrap();
    assert_eq!(joined, JoinCompany::Joined);
    assert_eq!(shown(&bob).await, []);
}

async fn who_declines_is_not_asked_again_for_thirty_days(db: &TestStore) {
    let (ann, bob, dave) = (db.user("ann").await, db.user("bob").await, db.user("dave").await);
    let ((_, hers), (_, his)) = (company(db, &ann).await, company(db, &dave).await);
    invite(db, &hers, "bob").await;
    let link = InvitationKey::Link("secret of bob");
    assert!(db.store.decline_invitation(link, at(3)).await.unwrap());
    assert!(!db.store.decline_invitation(link, at(3)).await.unwrap());
    assert_eq!(db.store.accept_invitation(bob.id, link, at(3)).await.unwrap(), JoinCompany::NotOpen);
    assert_eq!(invite(db, &hers, "bob").await, Invite::HasDeclined);
    // Another company may ask, and so may this one later.
    let other = invitation(db, &his, "his").await;
    assert!(matches!(
        db.store.invite_to_company(other, &person("bob"), &[]).await.unwrap(),
        Invite::Invited(_)
    ));
    let month = SignedDuration::from_hours(30 * 24);
    let early = NewInvitation { now: at(2) + month, ..invitation(db, &hers, "early").await };
    assert_eq!(db.store.invite_to_company(early, &person("bob"), &[]).await.unwrap(), Invite::HasDeclined);
    let late = NewInvitation { now: at(3) + month, ..invitation(db, &hers, "late").await };
    assert!(matches!(
        db.store.invite_to_company(late, &person("bob"), &[]).await.unwrap(),
        Invite::Invited(_)
    ));
}

async fn whoever_may_no_longer_invite_leaves_no_invitation_behind(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (company, place) = company(db, &ann).await;
    join(db, &place, "bob").await;
    let ask = async |by: &User, name: &str| {
        let token = format!("{name} by {}", by.id);
        let new = NewInvitation { invited_by: by.id, ..invitation(db, &place, &token).await };
        let asked = db.store.invite_to_company(new, &person(name), &[]).await.unwrap();
        assert!(matches!(asked, Invite::Invited(_)), "{asked:?}");
    };
    let open = async || {
        let open = db.store.list_company_invitations(company.id, at(3)).await.unwrap();
        open.into_iter().map(|invitation| invitation.email).collect::<Vec<_>>()
    };
    let give = async |role| {
        db.store.set_company_role(ann.id, &place, bob.id, role).await.unwrap();
    };
    let refused = async || {
        let new = NewInvitation { invited_by: bob.id, ..invitation(db, &place, "late").await };
        let asked = db.store.invite_to_company(new, &person("eve"), &[]).await;
        assert!(matches!(asked, Err(Error::NotManager)), "{asked:?}");
        let allowed = db.store.set_judge_consent(bob.id, place.tenant_id, true, at(3)).await;
        assert!(matches!(allowed, Err(Error::NotManager)), "{allowed:?}");
    };
    ask(&ann, "carol").await;
    refused().await;
    give(CompanyRole::Manager).await;
    ask(&bob, "dan").await;
    assert_eq!(open().await.len(), 2);
    give(CompanyRole::Member).await;
    assert_eq!(open().await, ["carol@example.com"]);
    refused().await;
    give(CompanyRole::Manager).await;
    ask(&bob, "dan").await;
    assert!(db.store.remove_company_member(company.id, bob.id).await.unwrap());
    assert_eq!(open().await, ["carol@example.com"]);
    refused().await;
}

async fn who_left_comes_back_by_their_own_yes(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (company, place) = company(db, &ann).await;
    join(db, &place, "bob").await;
    assert!(db.store.remove_company_member(company.id, bob.id).await.unwrap());
    invite(db, &place, "bob").await;
    assert_eq!(membership(db, &bob).await, None);
    assert_eq!(db.store.list_company_members(company.id).await.unwrap().len(), 1);
}

async fn two_that_invite_the_same_person_at_once_invite_one(db: &TestStore) {
    let ann = db.user("ann").await;
    db.user("bob").await;
    let (id, company) = company(db, &ann).await;
    for (n_before, name) in ["bob", "carol"].into_iter().enumerate() {
        let new = person(name);
        let (one, other) = (format!("{name} 1"), format!("{name} 2"));
        let (one, other) = (invitation(db, &company, &one).await, invitation(db, &company, &other).await);
        let (first, second) = tokio::join!(
            db.store.invite_to_company(one, &new, &[]),
            db.store.invite_to_company(other, &new, &[])
        );
        let invited = [first.unwrap(), second.unwrap()];
        let n_invited = invited.iter().filter(|invited| matches!(invited, Invite::Invited(_))).count();
        assert_eq!(n_invited, 1, "{invited:?}");
        let open = db.store.list_company_invitations(id.id, at(3)).await.unwrap();
        assert_eq!(open.len(), n_before + 1);
    }
}

async fn of_two_invitations_accepted_at_once_one_counts(db: &TestStore) {
    let (ann, dave, bob) = (db.user("ann").await, db.user("dave").await, db.user("bob").await);
    let ((_, hers), (_, his)) = (company(db, &ann).await, company(db, &dave).await);
    for (company, token) in [(&hers, "1"), (&his, "2")] {
        let invitation = invitation(db, company, token).await;
        db.store.invite_to_company(invitation, &person("bob"), &[]).await.unwrap();
    }
    let (first, second) = tokio::join!(
        db.store.accept_invitation(bob.id, InvitationKey::Link("1"), at(3)),
        db.store.accept_invitation(bob.id, InvitationKey::Link("2"), at(3)),
    );
    let joined = [first.unwrap(), second.unwrap()];
    assert_eq!(joined.iter().filter(|joined| **joined == JoinCompany::Joined).count(), 1, "{joined:?}");
    assert!(joined.contains(&JoinCompany::IsElsewhere), "{joined:?}");
    assert!(membership(db, &bob).await.is_some());
}

async fn an_invitation_opens_once_and_ends(db: &TestStore) {
    let (ann, bob, eve) = (db.user("ann").await, db.user("bob").await, db.user("eve").await);
    let (company, place) = company(db, &ann).await;
    invite(db, &place, "carol").await;
    let accept = async |user: &User, token: &str, second| {
        db.store.accept_invitation(user.id, InvitationKey::Link(token), at(second)).await.unwrap()
    };
    let too_late = 2 + 14 * 24 * 3600;
    assert_eq!(accept(&bob, "secret of dave", 3).await, JoinCompany::NotOpen);
    assert_eq!(accept(&bob, "secret of carol", too_late).await, JoinCompany::NotOpen);
    assert_eq!(accept(&ann, "secret of carol", 3).await, JoinCompany::IsElsewhere);
    assert_eq!(accept(&bob, "secret of carol", 3).await, JoinCompany::Joined);
    assert_eq!(accept(&eve, "secret of carol", 4).await, JoinCompany::NotOpen);
    assert_eq!(accept(&bob, "secret of carol", 4).await, JoinCompany::NotOpen);
    let members = db.store.list_company_members(company.id).await.unwrap();
    assert_eq!((members.len(), members[1].display_name.as_str()), (2, "carol"));

    let Invite::Invited(invitation) = invite(db, &place, "frank").await else { panic!() };
    let elsewhere = CompanyId(Uuid::now_v7());
    assert!(!db.store.delete_company_invitation(elsewhere, invitation.id).await.unwrap());
    assert!(db.store.delete_company_invitation(company.id, invitation.id).await.unwrap());
    assert_eq!(accept(&eve, "secret of frank", 4).await, JoinCompany::NotOpen);
}

/// Follows the link that proves the address of this account.
async fn prove(db: &TestStore, name: &str) {
    let email = EmailAddress::new(&format!("{name}@example.com")).unwrap();
    let token = format!("proof of {name}");
    assert!(db.mailed_link(&email, LinkPurpose::VerifyEmail, &token, at(3)).await);
    assert!(db.store.verify_email(&token, at(4)).await.unwrap());
}

async fn a_proved_address_alone_joins_nothing(db: &TestStore) {
    let ann = db.user("ann").await;
    let (_, place) = company(db, &ann).await;
    invite(db, &place, "bob").await;
    let bob = db.user("bob").await;
    prove(db, "bob").await;
    assert_eq!(membership(db, &bob).await, None);
}
