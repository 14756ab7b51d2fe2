use jiff::Timestamp;
use partsight_domain::{EmailAddress, InvitationId, LinkPurpose, NewMember, UserId};
use partsight_store::{ClaimedMail, Error, InvitationKey, Invite, MailLink, NewInvitation, NewMail};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::plans::companies::company;
use crate::{MINUTE, TestStore, at, new_mail, new_session, new_user, on_each_database};

on_each_database![
    a_mail_is_claimed_by_one_server_and_again_when_that_one_is_gone,
    a_mail_is_queued_with_what_it_tells_of_or_not_at_all,
    a_link_of_an_unknown_address_opens_nothing,
    a_link_of_an_invitation_opens_the_last_mail_and_goes_with_it,
    a_new_password_takes_waiting_links_back,
    an_account_that_is_deleted_takes_its_mails_along,
];

const RESET: MailLink = MailLink::Account(LinkPurpose::ResetPassword);

fn mail(name: &str, link: Option<MailLink>) -> NewMail {
    NewMail { link, ..new_mail(&format!("{name}@example.com")) }
}

/// What a server of this number claims.
async fn claim(db: &TestStore, server: u128, now: Timestamp) -> Option<ClaimedMail> {
    let has_work = db.store.has_mail_work(now).await.unwrap();
    let claimed = db.store.claim_mail(Uuid::from_u128(server), now, now + MINUTE).await.unwrap();
    assert_eq!(claimed.is_some(), has_work);
    claimed
}

async fn a_mail_is_claimed_by_one_server_and_again_when_that_one_is_gone(db: &TestStore) {
    let queued =
        NewMail { reply_to: Some(EmailAddress::new("bob@example.com").unwrap()), ..mail("ann", Some(RESET)) };
    db.store.queue_mail(None, &queued, at(1)).await.unwrap();
    let mut servers = JoinSet::new();
    for server in 0..4 {
        let store = db.store.clone();
        let worker = Uuid::from_u128(server);
        servers.spawn(async move { store.claim_mail(worker, at(1), at(61)).await.unwrap() });
    }
    let claims: Vec<ClaimedMail> = servers.join_all().await.into_iter().flatten().collect();
    assert_eq!(claims.len(), 1);
    assert_eq!((&claims[0].mail, claims[0].attempts), (&queued, 1));
    let first = claims[0].lease;
    assert!(claim(db, 7, at(60)).await.is_none());
    let second = claim(db, 7, at(61)).await.unwrap();
    assert_eq!(second.attempts, 2);
    // The first one is late.
    assert!(!db.store.postpone_mail(&first, at(62)).await.unwrap());
    assert!(!db.store.finish_mail(&first).await.unwrap());
    assert!(!db.store.open_mail_link(&claims[0], RESET, "late", at(62)).await.unwrap());
    assert_eq!(db.store.release_mail_leases(second.lease.worker).await.unwrap(), 1);
    let third = claim(db, 8, at(62)).await.unwrap();
    assert_eq!(third.attempts, 2, "what was given back was no try");
    assert!(db.store.postpone_mail(&third.lease, at(100)).await.unwrap());
    assert!(claim(db, 8, at(99)).await.is_none());
    let last = claim(db, 8, at(100)).await.unwrap();
    assert!(db.store.finish_mail(&last.lease).await.unwrap());
    assert!(claim(db, 8, at(1000)).await.is_none());
}

async fn a_mail_is_queued_with_what_it_tells_of_or_not_at_all(db: &TestStore) {
    let sign_up = async || {
        let (id, session) = (UserId(Uuid::now_v7()), new_session(at(0)));
        db.store.create_user(id, &new_user("ann"), "hash", &session, &[mail("ann", None)]).await
    };
    sign_up().await.unwrap();
    let refused = sign_up().await.unwrap_err();
    assert!(matches!(refused, Error::Constraint(_)), "{refused:?}");
    assert_eq!(claim(db, 1, at(0)).await.unwrap().mail, mail("ann", None));
    assert!(claim(db, 1, at(0)).await.is_none());
}

async fn a_link_of_an_unknown_address_opens_nothing(db: &TestStore) {
    db.user("ann").await;
    for (name, has_account) in [("ann", true), ("bob", false)] {
        db.store.queue_mail(None, &mail(name, Some(RESET)), at(1)).await.unwrap();
        let claimed = claim(db, 1, at(1)).await.unwrap();
        assert_eq!(db.store.open_mail_link(&claimed, RESET, name, at(1)).await.unwrap(), has_account);
        let found = db.store.find_email_of_link(name, LinkPurpose::ResetPassword, at(1)).await.unwrap();
        assert_eq!(found.is_some(), has_account, "{name}");
    }
}

async fn a_link_of_an_invitation_opens_the_last_mail_and_goes_with_it(db: &TestStore) {
    let ann = db.user("ann").await;
    let (_, garage) = company(db, &ann).await;
    let id = InvitationId(Uuid::now_v7());
    let link = MailLink::Invitation(id);
    let new = NewMember::new("bob@example.com", "Bob", None).unwrap();
    let invitation =
        NewInvitation { company: &garage, id, invited_by: ann.id, token_sha256: "none", now: at(2) };
    let mails = [mail("bob", Some(link))];
    let invited = db.store.invite_to_company(invitation, &new, &mails).await.unwrap();
    assert!(matches!(invited, Invite::Invited(_)), "{invited:?}");
    // Already invited, so nothing is mailed.
    db.store.invite_to_company(invitation, &new, &mails).await.unwrap();
    let is_open =
        async |token| db.store.find_invitation(InvitationKey::Link(token), at(3)).await.unwrap().is_some();
    for (second, token) in [(2, "one"), (70, "two")] {
        let claimed = claim(db, 1, at(second)).await.unwrap();
        assert_eq!(claimed.mail.link, Some(link));
        assert!(claim(db, 1, at(second)).await.is_none());
        assert!(db.store.open_mail_link(&claimed, link, token, at(second)).await.unwrap());
    }
    assert_eq!([is_open("one").await, is_open("two").await], [false, true]);
    assert!(db.store.delete_company_invitation(garage.company_id, id).await.unwrap());
    assert!(claim(db, 1, at(1000)).await.is_none());
}

async fn a_new_password_takes_waiting_links_back(db: &TestStore) {
    let ann = db.user("ann").await;
    for name in ["ann", "ann", "bob"] {
        db.store.queue_mail(None, &mail(name, Some(RESET)), at(1)).await.unwrap();
    }
    db.store.queue_mail(Some(ann.id), &mail("ann", None), at(2)).await.unwrap();
    let claimed = claim(db, 1, at(1)).await.unwrap();
    db.store.change_password(ann.id, "new hash", None, false, &[], at(1)).await.unwrap();
    // The server that holds it has not sent it yet.
    assert!(!db.store.open_mail_link(&claimed, RESET, "token", at(1)).await.unwrap());
    assert_eq!(claim(db, 1, at(2)).await.unwrap().mail, mail("bob", Some(RESET)));
    assert_eq!(claim(db, 1, at(2)).await.unwrap().mail, mail("ann", None));
    assert!(claim(db, 1, at(2)).await.is_none());
}

async fn an_account_that_is_deleted_takes_its_mails_along(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    db.store.queue_mail(None, &mail("ann", Some(RESET)), at(1)).await.unwrap();
    db.store.queue_mail(Some(ann.id), &mail("ann", None), at(1)).await.unwrap();
    // To support, about her.
    db.store.queue_mail(Some(ann.id), &mail("help", None), at(1)).await.unwrap();
    db.store.queue_mail(Some(bob.id), &mail("bob", None), at(1)).await.unwrap();
    assert!(db.store.mark_user_deleted(ann.id, ann.tenant_id).await.unwrap());
    assert_eq!(claim(db, 1, at(1)).await.unwrap().mail, mail("bob", None));
    assert!(claim(db, 1, at(1)).await.is_none());
}
