use jiff::SignedDuration;
use partsight_domain::{
    Category, Company, CompanyId, CompanyProfile, CompanyRole, EmailAddress, InvitationId, LinkPurpose,
    LookAlike, LookAlikePair, MemberId, Membership, NewMember, PartLabel, Plan, TaughtPartType, TenantId,
    User,
};
use partsight_store::{
    CallPurpose, DeletedCompany, Error, InvitationKey, Invite, JoinCompany, JudgeBudgets, NewInvitation,
};
use uuid::Uuid;

use crate::teaching::part_references::reference;
use crate::{TestStore, at, on_each_database};

on_each_database![
    an_owner_is_the_first_member_and_members_have_their_plan,
    what_the_owner_taught_goes_to_the_company,
    a_user_is_in_one_company,
    roles_and_members_change_within_their_company_only,
    a_company_goes_with_what_it_shares_and_leaves_its_people,
    whoever_becomes_the_owner_is_not_taken_out_at_that_moment,
    a_company_takes_and_gives_back_what_its_owner_has_spent_on_the_judge,
    whoever_takes_an_address_back_is_in_nobody_elses_company,
    whoever_takes_an_address_back_is_alone_in_their_company,
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

pub(super) async fn membership(db: &TestStore, user: &User) -> Option<Membership> {
    db.store.find_user(user.id).await.unwrap().unwrap().user.company
}

pub(super) fn person(name: &str) -> NewMember {
    NewMember::new(&format!("{name}@example.com"), name, None).unwrap()
}

/// What invites into a company, by its owner.
pub(super) async fn invitation<'a>(
    db: &TestStore,
    company: &'a Membership,
    token: &'a str,
) -> NewInvitation<'a> {
    let members = db.store.list_company_members(company.company_id).await.unwrap();
    let id = InvitationId(Uuid::now_v7());
    NewInvitation { company, id, invited_by: members[0].user_id, token_sha256: token, now: at(2) }
}

/// Sets a new password by a mailed link, which proves the address.
async fn take_address_back(db: &TestStore, user: &User) {
    let email = EmailAddress::new(&user.email).unwrap();
    let link = db.mailed_link(&email, LinkPurpose::ResetPassword, &user.email, at(3)).await;
    assert!(link);
    assert_eq!(db.store.reset_password(&user.email, "hash", false, &[], at(4)).await.unwrap(), Some(user.id));
}

async fn whoever_takes_an_address_back_is_in_nobody_elses_company(db: &TestStore) {
    let (ann, bob, carol) = (db.user("ann").await, db.user("bob").await, db.user("carol").await);
    let (_, garage) = company(db, &ann).await;
    join(db, &garage, "bob").await;
    join(db, &garage, "carol").await;
    take_address_back(db, &bob).await;
    assert!(membership(db, &bob).await.is_none());
    for user in [&ann, &carol] {
        assert!(membership(db, user).await.is_some(), "{}", user.email);
    }
}

async fn whoever_takes_an_address_back_is_alone_in_their_company(db: &TestStore) {
    let (ann, bob, dave) = (db.user("ann").await, db.user("bob").await, db.user("dave").await);
    let carol = db.user("carol").await;
    let (_, garage) = company(db, &ann).await;
    join(db, &garage, "bob").await;
    invite(db, &garage, "carol").await;
    for (user, tenant_id) in [(&ann, ann.tenant_id), (&ann, garage.tenant_id), (&bob, bob.tenant_id)] {
        db.store.set_judge_consent(user.id, tenant_id, true, at(2)).await.unwrap();
    }
    let (theirs, place) = company(db, &dave).await;
    db.user("eve").await;
    join(db, &place, "eve").await;
    let email = EmailAddress::new(&dave.email).unwrap();
    assert!(
        db.mailed_link(&email, LinkPurpose::VerifyEmail, "proof", at(2)).await
            && db.store.verify_email("proof", at(3)).await.unwrap()
    );

    take_address_back(db, &ann).await;
    assert!(membership(db, &ann).await.is_some_and(|company| company.is_owner), "her own");
    let members = db.store.list_company_members(garage.company_id).await.unwrap();
    assert_eq!(members.iter().map(|member| member.user_id).collect::<Vec<_>>(), [ann.id]);
    assert!(membership(db, &bob).await.is_none());
    let late = db.store.accept_invitation(carol.id, InvitationKey::Link("secret of carol"), at(5)).await;
    assert_eq!(late.unwrap(), JoinCompany::NotOpen);
    for (tenant_id, consent) in [(ann.tenant_id, None), (garage.tenant_id, None), (bob.tenant_id, Some(true))]
    {
        assert_eq!(db.store.judge_consent(tenant_id).await.unwrap(), consent);
    }
    // Dave forgot his password, and his team stays.
    take_address_back(db, &dave).await;
    assert_eq!(db.store.list_company_members(theirs.id).await.unwrap().len(), 2);
}

/// Asks whoever is called so into a company, with an account or without.
pub(super) async fn invite(db: &TestStore, company: &Membership, name: &str) -> Invite {
    let token = format!("secret of {name}");
    let invitation = invitation(db, company, &token).await;
    db.store.invite_to_company(invitation, &person(name), &[]).await.unwrap()
}

/// Asks somebody with an account into a company, and says yes for them.
pub(crate) async fn join(db: &TestStore, company: &Membership, name: &str) {
    let invited = invite(db, company, name).await;
    let Invite::Invited(invitation) = invited else { panic!("{invited:?}") };
    let user = db.store.find_user_by_email(&invitation.email).await.unwrap().unwrap().user;
    let token = format!("secret of {name}");
    let joined = db.store.accept_invitation(user.id, InvitationKey::Link(&token), at(2)).await.unwrap();
    assert_eq!(joined, JoinCompany::Joined);
}

async fn what_the_owner_taught_goes_to_the_company(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let teach = async |user: &User| {
        let owner = Some(user.tenant_id);
        let label = PartLabel::new("inlet-scoop").unwrap();
        let reference = reference(owner, "inlet-scoop");
        let (name, category) = ("Inlet scoop".to_owned(), Category::Engine);
        let pair = LookAlikePair::new(label.clone(), PartLabel::new("rim").unwrap()).unwrap();
        let marks = [LookAlike { tenant_id: owner, pair, created_at: at(2) }];
        let part_type =
            TaughtPartType { tenant_id: owner, label, name, category, created_at: at(2), deleted_at: None };
        db.store
            .save_references(Some(&part_type), None, &[(reference, vec![])], &marks, Some(user.id), None)
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
    assert!(matches!(refused, Err(Error::Constraint(_))), "{refused:?}");
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

async fn roles_and_members_change_within_their_company_only(db: &TestStore) {
    let (ann, bob, dave) = (db.user("ann").await, db.user("bob").await, db.user("dave").await);
    let ((mine, place), (theirs, other)) = (company(db, &ann).await, company(db, &dave).await);
    join(db, &place, "bob").await;
    let set = async |by: &User, company, user: &User| {
        let set = db.store.set_company_role(by.id, company, user.id, CompanyRole::Manager).await;
        set.map(|member| member.map(|member| member.role))
    };
    for (by, company) in [(&bob, &place), (&dave, &place), (&ann, &other)] {
        assert!(matches!(set(by, company, &bob).await, Err(Error::NotManager)), "{}", by.email);
    }
    assert_eq!(set(&dave, &other, &bob).await.unwrap(), None);
    assert_eq!(set(&ann, &place, &ann).await.unwrap(), None);
    assert_eq!(set(&ann, &place, &bob).await.unwrap(), Some(CompanyRole::Manager));
    assert!(membership(db, &bob).await.unwrap().may_manage());

    let profile = CompanyProfile::new("Other", None).unwrap();
    let edit = async |user: &User, id, logo| {
        db.store.update_company(user.id, id, &profile, false, logo).await.unwrap()
    };
    let kept = db.store.update_company(ann.id, mine.id, &profile, true, None).await.unwrap().unwrap();
    assert_eq!(kept.profile.description, mine.profile.description);
    assert!(kept.profile.description.is_some());
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
