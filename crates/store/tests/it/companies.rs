use jiff::SignedDuration;
use partsight_domain::{
    Category, Company, CompanyId, CompanyProfile, CompanyRole, EmailAddress, InvitationId, LinkPurpose,
    MemberId, Membership, NewMember, PartLabel, Plan, ReferenceId, ReferenceKind, TaughtPartType, TenantId,
    User,
};
use partsight_store::{
    AddMember, CallPurpose, DeletedCompany, Error, JoinCompany, JudgeBudgets, MemberPlace, StoredReference,
};
use uuid::Uuid;

use crate::{TestStore, at, on_each_database};

on_each_database![
    an_owner_is_the_first_member_and_members_have_their_plan,
    what_the_owner_taught_goes_to_the_company,
    a_user_is_in_one_company,
    an_account_joins_and_an_address_is_invited,
    an_account_that_claims_an_address_is_invited_like_none,
    two_that_add_the_same_person_at_once_add_one,
    two_companies_that_add_the_same_person_at_once_get_them_once,
    an_invitation_opens_once_and_ends,
    a_proved_address_joins_the_one_company_that_invited_it,
    roles_and_members_change_within_their_company_only,
    a_company_goes_with_what_it_shares_and_leaves_its_people,
    an_owner_with_members_cannot_be_deleted,
    nobody_comes_to_a_company_whose_owner_is_being_deleted,
    of_joining_and_closing_at_once_one_is_refused,
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

fn place<'a>(company: &'a Membership, token: &'a str, trusts_unproved: bool) -> MemberPlace<'a> {
    MemberPlace { company, id: Uuid::now_v7(), trusts_unproved, token_sha256: token, now: at(2) }
}

/// Adds whoever is called so, with an account or without.
pub(crate) async fn add(db: &TestStore, company: &Membership, name: &str) -> AddMember {
    let token = format!("secret of {name}");
    db.store.add_company_member(place(company, &token, true), &person(name)).await.unwrap()
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
        let part_type = TaughtPartType { tenant_id: owner, label, name, category, created_at: at(2) };
        db.store
            .save_references(Some(&part_type), None, &[(reference, vec![])], Some(user.id))
            .await
            .unwrap();
    };
    teach(&ann).await;
    teach(&bob).await;
    let (company, _) = company(db, &ann).await;
    let taught = async |tenant_id| {
        let types = db.store.list_taught_types(tenant_id).await.unwrap().len();
        (types, db.store.list_references(tenant_id, None).await.unwrap().len())
    };
    assert_eq!(taught(ann.tenant_id).await, (0, 0));
    assert_eq!(taught(company.tenant_id).await, (1, 1));
    assert_eq!(taught(bob.tenant_id).await, (1, 1));
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

    let AddMember::Joined(member) = add(db, &place, "bob").await else { panic!() };
    assert_eq!((member.user_id, member.display_name.as_str(), member.joined_at), (bob.id, "bob", at(2)));
    let members = db.store.list_company_members(company.id).await.unwrap();
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
    assert_eq!(add(db, &place, "bob").await, AddMember::IsElsewhere);
    assert_eq!(add(db, &other, "bob").await, AddMember::IsMember);
    // Nothing is left of the second attempt.
    assert_eq!(db.store.find_company_of(ann.id).await.unwrap().unwrap().id, place.company_id);
}

async fn an_account_joins_and_an_address_is_invited(db: &TestStore) {
    let ann = db.user("ann").await;
    let (company, place) = company(db, &ann).await;
    let AddMember::Invited(invitation) = add(db, &place, "carol").await else { panic!() };
    assert_eq!((invitation.email.as_str(), invitation.role), ("carol@example.com", CompanyRole::Member));
    assert_eq!(invitation.expires_at, at(2) + SignedDuration::from_hours(14 * 24));
    assert_eq!(
        db.store.list_company_invitations(company.id, at(3)).await.unwrap(),
        std::slice::from_ref(&invitation)
    );
    assert_eq!(add(db, &place, "carol").await, AddMember::IsInvited);
    // Once there is an account, adding again lets it in, and the invitation goes.
    db.user("carol").await;
    assert!(matches!(add(db, &place, "carol").await, AddMember::Joined(_)));
    assert_eq!(db.store.list_company_invitations(company.id, at(3)).await.unwrap(), []);
    let later = invitation.expires_at;
    add(db, &place, "dave").await;
    assert_eq!(db.store.list_company_invitations(company.id, later).await.unwrap(), []);
    let again = MemberPlace { now: later, ..crate::companies::place(&place, "another", true) };
    let again = db.store.add_company_member(again, &person("dave")).await.unwrap();
    assert!(matches!(again, AddMember::Invited(_)), "{again:?}");
}

async fn an_account_that_claims_an_address_is_invited_like_none(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (_, company) = company(db, &ann).await;
    let add = async |token: &str| {
        db.store.add_company_member(place(&company, token, false), &person("bob")).await.unwrap()
    };
    assert!(matches!(add("one").await, AddMember::Invited(_)));
    assert_eq!(membership(db, &bob).await, None);
    prove(db, "bob").await;
    assert_eq!(membership(db, &bob).await.unwrap().company_id, company.company_id);
}

async fn two_that_add_the_same_person_at_once_add_one(db: &TestStore) {
    let ann = db.user("ann").await;
    db.user("bob").await;
    let (id, company) = company(db, &ann).await;
    for (name, n_members, n_invitations) in [("bob", 2, 0), ("carol", 2, 1)] {
        let new = person(name);
        let (one, other) = (format!("{name} 1"), format!("{name} 2"));
        let (first, second) = tokio::join!(
            db.store.add_company_member(place(&company, &one, true), &new),
            db.store.add_company_member(place(&company, &other, true), &new),
        );
        let added = [first.unwrap(), second.unwrap()];
        let n_added = added
            .iter()
            .filter(|added| matches!(added, AddMember::Joined(_) | AddMember::Invited(_)))
            .count();
        assert_eq!(n_added, 1, "{added:?}");
        assert_eq!(db.store.list_company_members(id.id).await.unwrap().len(), n_members);
        let invitations = db.store.list_company_invitations(id.id, at(3)).await.unwrap();
        assert_eq!(invitations.len(), n_invitations);
    }
}

async fn two_companies_that_add_the_same_person_at_once_get_them_once(db: &TestStore) {
    let (ann, dave, bob) = (db.user("ann").await, db.user("dave").await, db.user("bob").await);
    let ((_, hers), (_, his)) = (company(db, &ann).await, company(db, &dave).await);
    let new = person("bob");
    let (first, second) = tokio::join!(
        db.store.add_company_member(place(&hers, "1", true), &new),
        db.store.add_company_member(place(&his, "2", true), &new),
    );
    let added = [first.unwrap(), second.unwrap()];
    assert_eq!(added.iter().filter(|added| matches!(added, AddMember::Joined(_))).count(), 1, "{added:?}");
    assert!(added.contains(&AddMember::IsElsewhere), "{added:?}");
    assert!(membership(db, &bob).await.is_some());
}

async fn an_invitation_opens_once_and_ends(db: &TestStore) {
    let (ann, bob, eve) = (db.user("ann").await, db.user("bob").await, db.user("eve").await);
    let (company, place) = company(db, &ann).await;
    add(db, &place, "carol").await;
    let accept = async |user: &User, token: &str, second| {
        db.store.accept_invitation(user.id, token, at(second)).await.unwrap()
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

    let AddMember::Invited(invitation) = add(db, &place, "frank").await else { panic!() };
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

async fn a_proved_address_joins_the_one_company_that_invited_it(db: &TestStore) {
    let (ann, dave) = (db.user("ann").await, db.user("dave").await);
    let ((_, hers), (_, his)) = (company(db, &ann).await, company(db, &dave).await);
    add(db, &hers, "bob").await;
    for (company, token) in [(&hers, "1"), (&his, "2")] {
        db.store.add_company_member(place(company, token, true), &person("carol")).await.unwrap();
    }
    let (bob, carol) = (db.user("bob").await, db.user("carol").await);
    prove(db, "bob").await;
    assert_eq!(membership(db, &bob).await.unwrap().company_id, hers.company_id);
    // The one who is wanted by two decides.
    prove(db, "carol").await;
    assert_eq!(membership(db, &carol).await, None);
    assert_eq!(db.store.accept_invitation(carol.id, "2", at(5)).await.unwrap(), JoinCompany::Joined);
    let open = db.store.list_company_invitations(hers.company_id, at(6)).await.unwrap();
    assert_eq!(open.len(), 1);
}

async fn roles_and_members_change_within_their_company_only(db: &TestStore) {
    let (ann, bob, dave) = (db.user("ann").await, db.user("bob").await, db.user("dave").await);
    let ((mine, place), (theirs, _)) = (company(db, &ann).await, company(db, &dave).await);
    add(db, &place, "bob").await;
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
    add(db, &place, "bob").await;
    add(db, &place, "carol").await;
    let vehicle = db.vehicle(&bob, "Civic").await;
    assert_eq!(db.store.delete_company(bob.id, company.id).await.unwrap(), None);
    let deleted = db.store.delete_company(ann.id, company.id).await.unwrap();
    assert_eq!(deleted, Some(DeletedCompany { n_members: 2, n_invitations: 1 }));
    assert_eq!(db.store.find_company_of(bob.id).await.unwrap(), None);
    assert_eq!(db.store.list_vehicles(bob.tenant_id).await.unwrap(), [vehicle]);
    assert_eq!(db.store.delete_company(ann.id, company.id).await.unwrap(), None);
    // Free for another one.
    let (_, again) = crate::companies::company(db, &ann).await;
    assert!(again.is_owner);
}

async fn an_owner_with_members_cannot_be_deleted(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let (company, place) = company(db, &ann).await;
    add(db, &place, "bob").await;
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
    add(db, &place, "carol").await;
    db.store.close_account(ann.id, at(1)).await.unwrap();
    let eve_closing = db.store.close_account(eve.id, at(1)).await.unwrap();

    let token = "another secret";
    let added =
        db.store.add_company_member(crate::companies::place(&place, token, true), &person("bob")).await;
    assert!(matches!(added, Err(Error::AccountClosing)), "{added:?}");
    let accepted = db.store.accept_invitation(bob.id, "secret of carol", at(3)).await;
    assert!(matches!(accepted, Err(Error::AccountClosing)), "{accepted:?}");
    // A proved address is proved all the same, and its invitation stays.
    let carol = db.user("carol").await;
    prove(db, "carol").await;
    assert_eq!(membership(db, &carol).await, None);
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
    let later = db.store.accept_invitation(carol.id, "secret of carol", at(121)).await.unwrap();
    assert_eq!(later, JoinCompany::Joined);
    let refused = db.store.close_account(ann.id, at(122)).await;
    assert!(matches!(refused, Err(Error::OwnsCompany)), "{refused:?}");
    // The refusal leaves it open, and its members may take it over as long as they stay themselves.
    add(db, &place, "bob").await;
    db.store.close_account(bob.id, at(122)).await.unwrap();
    let handed = db.store.hand_over_company(ann.id, company.id, bob.id, at(123)).await;
    assert!(matches!(handed, Err(Error::AccountClosing)), "{handed:?}");
    assert!(db.store.hand_over_company(ann.id, company.id, carol.id, at(123)).await.unwrap());
}

async fn of_joining_and_closing_at_once_one_is_refused(db: &TestStore) {
    for round in 0..5 {
        let (ann, bob) = (db.user(&format!("ann{round}")).await, format!("bob{round}"));
        db.user(&bob).await;
        let (company, membership) = company(db, &ann).await;
        let new = person(&bob);
        let (joined, closed) = tokio::join!(
            db.store.add_company_member(place(&membership, &bob, true), &new),
            db.store.close_account(ann.id, at(2)),
        );
        let n_members = db.store.list_company_members(company.id).await.unwrap().len();
        match (&joined, &closed) {
            (Ok(AddMember::Joined(_)), Err(Error::OwnsCompany)) => assert_eq!(n_members, 2),
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
