use jiff::SignedDuration;
use partsight_domain::{
    Category, Company, CompanyId, CompanyProfile, CompanyRole, EmailAddress, InvitationId, LinkPurpose,
    LookAlike, LookAlikePair, MemberId, Membership, NewMember, PartLabel, Plan, ReferenceId, ReferenceKind,
    TaughtPartType, TenantId, User,
};
use partsight_store::{
    CallPurpose, DeletedCompany, Error, InvitationKey, Invite, JoinCompany, JudgeBudgets, NewInvitation,
    StoredReference,
};
use uuid::Uuid;

use crate::{TestStore, at, on_each_database};

on_each_database![
    an_owner_is_the_first_member_and_members_have_their_plan,
    what_the_owner_taught_goes_to_the_company,
    a_user_is_in_one_company,
    an_account_is_invited_like_an_address_without_one,
    an_invitation_is_shown_to_whose_address_it_is,
    who_declines_is_not_asked_again_for_thirty_days,
    who_left_comes_back_by_their_own_yes,
    two_that_invite_the_same_person_at_once_invite_one,
    of_two_invitations_accepted_at_once_one_counts,
    an_invitation_opens_once_and_ends,
    a_proved_address_alone_joins_nothing,
    roles_and_members_change_within_their_company_only,
    a_company_goes_with_what_it_shares_and_leaves_its_people,
    an_owner_with_members_cannot_be_deleted,
    nobody_comes_to_a_company_whose_owner_is_being_deleted,
    an_account_that_a_wrong_clock_closed_is_open,
    of_joining_and_closing_at_once_one_is_refused,
    an_account_is_deleted_while_its_company_invites,
    a_company_is_deleted_while_somebody_joins_it,
    whoever_becomes_the_owner_is_not_taken_out_at_that_moment,
    a_company_takes_and_gives_back_what_its_owner_has_spent_on_the_judge,
];

pub(crate) async fn company(db: &TestStore, owner: &User) -> (Company, Membership) {
    let company = Company {
        id: CompanyId(Uuid::now_v7()),
        tenant_id: TenantId(Uuid::now_v7()),
        owner_id: owner.id,
        profile: CompanyProfile::new("Lee's Garage", Some("one\ntwo")).unwrap(),
        logo: Some("data:image/png;base64,AAAA".to_owned()),
        created_at: at(1),
    };
    db.store.create_company(&company, owner, MemberId(Uuid::now_v7())).await.unwrap();
    (company.clone(), membership(db, owner).await.unwrap())
}

async fn membership(db: &TestStore, user: &User) -> Option<Membership> {
    db.store.find_user(user.id).await.unwrap().unwrap().user.company
}

fn person(name: &str) -> NewMember {
    NewMember::new(&format!("{name}@example.com"), name, None).unwrap()
}

/// What invites into a company, by its owner.
async fn invitation<'a>(db: &TestStore, company: &'a Membership, token: &'a str) -> NewInvitation<'a> {
    let members = db.store.list_company_members(company.company_id).await.unwrap();
    let id = InvitationId(Uuid::now_v7());
    NewInvitation { company, id, invited_by: members[0].user_id, token_sha256: token, now: at(2) }
}

/// Asks whoever is called so into a company, with an account or without.
async fn invite(db: &TestStore, company: &Membership, name: &str) -> Invite {
    let token = format!("secret of {name}");
    let invitation = invitation(db, company, &token).await;
    db.store.invite_to_company(invitation, &person(name)).await.unwrap()
}

/// Asks somebody with an account into a company, and says yes for them.
pub(crate) async fn join(db: &TestStore, company: &Membership, name: &str) {
    let invited = invite(db, company, name).await;
    let Invite::Invited(invitation) = invited else { panic!("{invited:?}") };
    let user = db.store.find_user_by_email(&invitation.email).await.unwrap().unwrap().user;
    let key = InvitationKey::Address { id: invitation.id, user_id: user.id, trusts_unproved: true };
    let joined = db.store.accept_invitation(user.id, key, at(2)).await.unwrap();
    assert_eq!(joined, JoinCompany::Joined);
}

async fn what_the_owner_taught_goes_to_the_company(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let teach = async |user: &User| {
        let owner = Some(user.tenant_id);
        let label = PartLabel::new("inlet-scoop").unwrap();
        let reference = StoredReference {
            id: ReferenceId(Uuid::now_v7()),
            tenant_id: owner,
            label: label.clone(),
            category: Some(Category::Engine),
            kind: ReferenceKind::Enrolled,
            model_sha256: "aaaa".to_owned(),
            embedding: vec![1.0, 0.0],
            fingerprint: vec![7; 30],
            created_at: at(2),
            deleted_at: None,
            revision: 0,
        };
        let (name, category) = ("Inlet scoop".to_owned(), Category::Engine);
        let pair = LookAlikePair::new(label.clone(), PartLabel::new("rim").unwrap()).unwrap();
        let marks = [LookAlike { tenant_id: owner, pair, created_at: at(2) }];
        let part_type = TaughtPartType { tenant_id: owner, label, name, category, created_at: at(2) };
        db.store
            .save_references(Some(&part_type), None, &[(reference, vec![])], &marks, Some(user.id))
            .await
            .unwrap();
    };
    teach(&ann).await;
    teach(&bob).await;
    let (company, _) = company(db, &ann).await;
    let taught = async |tenant_id| {
        let types = db.store.list_taught_types(tenant_id).await.unwrap().len();
        let marks = db.store.list_look_alikes(tenant_id).await.unwrap().len();
        (types, db.store.list_references(tenant_id, None).await.unwrap().len(), marks)
    };
    assert_eq!(taught(ann.tenant_id).await, (0, 0, 0));
    assert_eq!(taught(company.tenant_id).await, (1, 1, 1));
    assert_eq!(taught(bob.tenant_id).await, (1, 1, 1));
    // Indexes hear of it: the reference has a number after those that they know.
    let changed = db.store.list_changed_references("aaaa", 2, 10).await.unwrap();
    assert_eq!((changed.len(), changed[0].tenant_id), (1, Some(company.tenant_id)));
}

async fn an_owner_is_the_first_member_and_members_have_their_plan(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    db.store.set_plan(ann.id, Plan::Business).await.unwrap();
    let (company, place) = company(db, &ann).await;
    assert_eq!(db.store.find_company_of(ann.id).await.unwrap(), Some(company.clone()));
    assert_eq!(db.store.find_company_of(bob.id).await.unwrap(), None);
    assert!(place.is_owner && place.may_manage());

    join(db, &place, "bob").await;
    let members = db.store.list_company_members(company.id).await.unwrap();
    assert_eq!((members[1].display_name.as_str(), members[1].joined_at), ("bob", at(2)));
    let names: Vec<_> = members.iter().map(|member| (member.user_id, member.display_name.as_str())).collect();
    assert_eq!(names, [(ann.id, "Ann Lee"), (bob.id, "bob")]);

    // Wherever a user comes from.
    let bob = db.store.find_user_by_email("bob@example.com").await.unwrap().unwrap().user;
    assert_eq!((bob.plan, bob.subscribed_plan()), (Plan::Basic, Plan::Business));
    assert_eq!(bob.shop_tenant(), company.tenant_id);
    assert!(db.store.list_users().await.unwrap().iter().all(|user| user.company.is_some()));
    db.store.set_plan(ann.id, Plan::Pro).await.unwrap();
    let bob = db.store.find_user(bob.id).await.unwrap().unwrap().user;
    assert_eq!(bob.subscribed_plan(), Plan::Basic);
}

async fn a_user_is_in_one_company(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (first, place) = company(db, &ann).await;
    let second = Company { id: CompanyId(Uuid::now_v7()), tenant_id: TenantId(Uuid::now_v7()), ..first };
    let refused = db.store.create_company(&second, &ann, MemberId(Uuid::now_v7())).await;
    assert!(matches!(refused, Err(Error::Constraint { .. })), "{refused:?}");
    let (_, other) = company(db, &bob).await;
    // Whoever invites is not told of the other company; it is for Bob to leave it.
    let invited = invite(db, &place, "bob").await;
    assert!(matches!(invited, Invite::Invited(_)), "{invited:?}");
    let joined =
        db.store.accept_invitation(bob.id, InvitationKey::Link("secret of bob"), at(3)).await.unwrap();
    assert_eq!(joined, JoinCompany::IsElsewhere);
    assert_eq!(invite(db, &other, "bob").await, Invite::IsMember);
    // Nothing is left of the second attempt.
    assert_eq!(db.store.find_company_of(ann.id).await.unwrap().unwrap().id, place.company_id);
}

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
    let again = NewInvitation { now: later, ..invitation(db, &place, "another").await };
    let again = db.store.invite_to_company(again, &person("carol")).await.unwrap();
    assert!(matches!(again, Invite::Invited(_)), "{again:?}");
}

async fn an_invitation_is_shown_to_whose_address_it_is(db: &TestStore) {
    let (ann, bob, eve) = (db.user("ann").await, db.user("bob").await, db.user("eve").await);
    let (_, place) = company(db, &ann).await;
    let Invite::Invited(invited) = invite(db, &place, "bob").await else { panic!() };
    let shown = async |user: &User, trusts_unproved| {
        db.store.list_invitations_to(user.id, trusts_unproved, at(3)).await.unwrap()
    };
    let [open] = &shown(&bob, true).await[..] else { panic!() };
    assert_eq!((open.id, open.company_name.as_str()), (invited.id, "Lee's Garage"));
    assert_eq!((open.invited_by.as_str(), open.inviter_email.as_str()), ("Ann Lee", "ann@example.com"));
    assert_eq!((open.email.as_str(), open.company_tenant_id), ("bob@example.com", place.tenant_id));
    assert_eq!(shown(&eve, true).await, []);
    // Where mails prove addresses, only to who has proved it.
    assert_eq!(shown(&bob, false).await, []);
    let key = |user: &User, trusts_unproved| InvitationKey::Address {
        id: invited.id,
        user_id: user.id,
        trusts_unproved,
    };
    for (user, key) in [(&bob, key(&bob, false)), (&eve, key(&eve, true))] {
        assert!(!db.store.decline_invitation(key, at(3)).await.unwrap());
        let joined = db.store.accept_invitation(user.id, key, at(3)).await.unwrap();
        assert_eq!(joined, JoinCompany::NotOpen);
    }
    prove(db, "bob").await;
    assert_eq!(shown(&bob, false).await.len(), 1);
    let joined = db.store.accept_invitation(bob.id, key(&bob, false), at(4)).await.unwrap();
    assert_eq!(joined, JoinCompany::Joined);
    assert_eq!(shown(&bob, false).await, []);
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
    assert!(matches!(db.store.invite_to_company(other, &person("bob")).await.unwrap(), Invite::Invited(_)));
    let month = SignedDuration::from_hours(30 * 24);
    let early = NewInvitation { now: at(2) + month, ..invitation(db, &hers, "early").await };
    assert_eq!(db.store.invite_to_company(early, &person("bob")).await.unwrap(), Invite::HasDeclined);
    let late = NewInvitation { now: at(3) + month, ..invitation(db, &hers, "late").await };
    assert!(matches!(db.store.invite_to_company(late, &person("bob")).await.unwrap(), Invite::Invited(_)));
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
        let (first, second) =
            tokio::join!(db.store.invite_to_company(one, &new), db.store.invite_to_company(other, &new));
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
        db.store.invite_to_company(invitation, &person("bob")).await.unwrap();
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
    assert!(db.store.create_mailed_link(&email, LinkPurpose::VerifyEmail, &token, at(3)).await.unwrap());
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

async fn roles_and_members_change_within_their_company_only(db: &TestStore) {
    let (ann, bob, dave) = (db.user("ann").await, db.user("bob").await, db.user("dave").await);
    let ((mine, place), (theirs, _)) = (company(db, &ann).await, company(db, &dave).await);
    join(db, &place, "bob").await;
    let set = async |id, user: &User| {
        db.store.set_company_role(id, user.id, CompanyRole::Manager).await.unwrap().map(|member| member.role)
    };
    assert_eq!(set(theirs.id, &bob).await, None);
    assert_eq!(set(mine.id, &ann).await, None);
    assert_eq!(set(mine.id, &bob).await, Some(CompanyRole::Manager));
    assert!(membership(db, &bob).await.unwrap().may_manage());

    let profile = CompanyProfile::new("Other", None).unwrap();
    let edit =
        async |user: &User, id, logo| db.store.update_company(user.id, id, &profile, logo).await.unwrap();
    assert_eq!(edit(&bob, theirs.id, None).await, None);
    assert_eq!(edit(&bob, mine.id, None).await.unwrap().logo, mine.logo);
    assert_eq!(edit(&bob, mine.id, Some(None)).await.unwrap().logo, None);
    let drawn = edit(&ann, mine.id, Some(Some("data:,"))).await.unwrap();
    assert_eq!((drawn.profile.name.as_str(), drawn.logo.as_deref()), ("Other", Some("data:,")));

    assert!(!db.store.remove_company_member(theirs.id, bob.id).await.unwrap());
    assert!(!db.store.remove_company_member(mine.id, ann.id).await.unwrap());
    assert!(db.store.remove_company_member(mine.id, bob.id).await.unwrap());
    assert_eq!(membership(db, &bob).await, None);
    let nobody = InvitationId(Uuid::now_v7());
    assert!(!db.store.delete_company_invitation(mine.id, nobody).await.unwrap());
}

async fn a_company_goes_with_what_it_shares_and_leaves_its_people(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (company, place) = company(db, &ann).await;
    join(db, &place, "bob").await;
    invite(db, &place, "carol").await;
    let vehicle = db.vehicle(&bob, "Civic").await;
    assert_eq!(db.store.delete_company(bob.id, company.id).await.unwrap(), None);
    let deleted = db.store.delete_company(ann.id, company.id).await.unwrap();
    assert_eq!(deleted, Some(DeletedCompany { n_members: 2, n_invitations: 1 }));
    assert_eq!(db.store.find_company_of(bob.id).await.unwrap(), None);
    assert_eq!(db.store.list_vehicles(bob.tenant_id).await.unwrap(), [vehicle]);
    assert_eq!(db.store.delete_company(ann.id, company.id).await.unwrap(), None);
    // Free for another one.
    let (_, again) = crate::plans::companies::company(db, &ann).await;
    assert!(again.is_owner);
}

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
    let invited = db.store.invite_to_company(another, &person("bob")).await;
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

async fn a_company_takes_and_gives_back_what_its_owner_has_spent_on_the_judge(db: &TestStore) {
    let ann = db.user("ann").await;
    let budgets = JudgeBudgets { tenant_day: 1000, tenant_month: 1000, server_day: 9000, server_month: 9000 };
    let judgement = CallPurpose::Judgement;
    let reserve = async |tenant_id, micro_dollars| {
        db.store
            .reserve_judge_call(tenant_id, judgement, micro_dollars, &budgets, at(2))
            .await
            .unwrap()
            .is_ok()
    };
    assert!(reserve(ann.tenant_id, 400).await);
    let (mine, membership) = company(db, &ann).await;
    // 600 are left, whichever tenant it is.
    assert!(!reserve(membership.tenant_id, 601).await);
    assert!(reserve(membership.tenant_id, 500).await);
    db.store.delete_company(ann.id, mine.id).await.unwrap().unwrap();
    assert!(!reserve(ann.tenant_id, 101).await);
    let (again, membership) = company(db, &ann).await;
    assert!(!reserve(membership.tenant_id, 101).await);
    assert!(reserve(membership.tenant_id, 100).await);
    // Another day is another budget.
    let tomorrow = at(2) + SignedDuration::from_hours(24);
    let call =
        db.store.reserve_judge_call(membership.tenant_id, judgement, 1, &budgets, tomorrow).await.unwrap();
    assert!(call.is_err(), "the month is spent: {call:?}");
    db.store.delete_company(ann.id, again.id).await.unwrap().unwrap();
}

async fn an_account_is_deleted_while_its_company_invites(db: &TestStore) {
    for round in 0..20 {
        let ann = db.user(&format!("ann{round}")).await;
        let (_, place) = company(db, &ann).await;
        let secret = format!("secret {round}");
        let invitation = invitation(db, &place, &secret).await;
        let new = person("carol");
        let (invited, deleted) = tokio::join!(
            db.store.invite_to_company(invitation, &new),
            db.store.delete_user(ann.id, ann.tenant_id),
        );
        assert!(deleted.unwrap(), "the account goes");
        let is_done = matches!(invited, Ok(Invite::Invited(_)) | Err(Error::ReferenceMissing { .. }));
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
    }
}

async fn whoever_becomes_the_owner_is_not_taken_out_at_that_moment(db: &TestStore) {
    for round in 0..20 {
        let (ann, bob) = (db.user(&format!("ann{round}")).await, format!("bob{round}"));
        let user = db.user(&bob).await;
        let (company, place) = company(db, &ann).await;
        join(db, &place, &bob).await;
        let (handed, removed) = tokio::join!(
            db.store.hand_over_company(ann.id, company.id, user.id, at(3)),
            db.store.remove_company_member(company.id, user.id),
        );
        let (handed, removed) = (handed.unwrap(), removed.unwrap());
        assert_ne!(handed, removed, "one of the two comes first");
        let is_owner = membership(db, &user).await.is_some_and(|membership| membership.is_owner);
        assert_eq!(is_owner, handed);
    }
}
