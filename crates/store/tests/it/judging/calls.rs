use std::sync::Arc;

use jiff::SignedDuration;
use partsight_domain::{
    Embedding, JudgeBudgetChoice, Judgement, NotJudged, PartLabel, ScanId, TenantId, UNLIMITED_SCANS,
};
use partsight_store::{
    CallPurpose, JudgeBudgets, JudgeCost, JudgeSpending, JudgedVerdict, Kept, NoMoney, ReservedCall,
};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::plans::companies::join;
use crate::scanning::scans::scan;
use crate::{TestStore, at, new_scan, on_each_database};

on_each_database![
    money_is_set_aside_and_settled_once,
    each_budget_ends_by_itself_and_leaves_the_others_as_they_were,
    calls_at_once_never_exceed_the_budget,
    what_is_set_aside_is_not_spent_until_nobody_can_settle_it,
    a_new_day_and_a_new_month_begin_at_nothing,
    what_was_spent_yesterday_or_last_month_leaves_the_budget_as_it_is,
    a_call_of_another_tenant_cannot_be_settled,
    the_judgement_of_the_most_similar_photograph_is_found,
    judgements_are_found_by_their_tenant_and_model_alone_until_they_expire,
    who_is_in_a_company_finds_the_judgements_of_all_in_it,
    a_consent_is_kept_and_taken_back_with_the_judgements,
    a_budget_is_chosen_changed_and_taken_back,
    judgements_go_with_their_scans,
    old_calls_go_and_the_sums_stay,
];

const WIDE: JudgeBudgets = JudgeBudgets {
    tenant_day: 1_000_000,
    tenant_month: 1_000_000,
    server_day: 1_000_000,
    server_month: 1_000_000,
};

async fn reserve(db: &TestStore, tenant_id: TenantId, second: i64) -> ReservedCall {
    db.store
        .reserve_judge_call(tenant_id, CallPurpose::Judgement, 100, &WIDE, at(second))
        .await
        .unwrap()
        .unwrap()
}

fn cost(micro_dollars: u64) -> JudgeCost {
    JudgeCost { input_tokens: 30, output_tokens: 4, micro_dollars }
}

/// A vector of the plane, `degrees` from the first axis.
fn direction(degrees: f32) -> Embedding {
    let (sin, cos) = degrees.to_radians().sin_cos();
    Embedding::new(vec![cos, sin, 0.0, 0.0]).unwrap()
}

fn verdict(degrees: f32, label: &str, second: i64) -> JudgedVerdict {
    JudgedVerdict {
        tenant_id: TenantId(Uuid::nil()),
        scan_id: ScanId(Uuid::now_v7()),
        embedding: direction(degrees),
        model_sha256: "model".to_owned(),
        judgement: Judgement {
            label: Some(PartLabel::new(label).unwrap()),
            stated_confidence: 0.75,
            evidence: "Five holes, vented: \u{1f697}".to_owned(),
            part_numbers: vec!["A-1".to_owned()],
            better_photo: None,
        },
        offered: vec![PartLabel::new(label).unwrap()],
        judge_model: "judge-1".to_owned(),
        cost: cost(7),
        created_at: at(second),
        expires_at: at(second + 1000),
    }
}

async fn keep(db: &TestStore, tenant_id: TenantId, verdict: &JudgedVerdict, second: i64) {
    let call = reserve(db, tenant_id, second).await;
    let verdict = JudgedVerdict { tenant_id, ..verdict.clone() };
    db.store
        .settle_judge_call(tenant_id, call, cost(7), Some(Kept::Verdict(&verdict)), at(second))
        .await
        .unwrap();
}

async fn found(db: &TestStore, tenant_id: TenantId, degrees: f32, least: f32, second: i64) -> Option<String> {
    let found = db
        .store
        .find_similar_verdict(tenant_id, "model", &direction(degrees), least, at(second))
        .await
        .unwrap();
    found.map(|found| found.judgement.label.unwrap().to_string())
}

async fn money_is_set_aside_and_settled_once(db: &TestStore) {
    let ann = db.user("ann").await.tenant_id;
    let spending = async || db.store.judge_spending(ann, at(0)).await.unwrap();
    let all = |amount| JudgeSpending {
        tenant_day: amount,
        tenant_month: amount,
        server_day: amount,
        server_month: amount,
    };
    assert_eq!(spending().await, JudgeSpending::default());
    let call = reserve(db, ann, 0).await;
    assert_eq!(spending().await, all(100));
    for micro_dollars in [30, 99] {
        db.store.settle_judge_call(ann, call, cost(micro_dollars), None, at(1)).await.unwrap();
        assert_eq!(spending().await, all(30));
    }
    // More than was set aside counts as well.
    let dear = reserve(db, ann, 0).await;
    db.store.settle_judge_call(ann, dear, cost(170), None, at(1)).await.unwrap();
    assert_eq!(spending().await, all(200));
}

async fn each_budget_ends_by_itself_and_leaves_the_others_as_they_were(db: &TestStore) {
    type Change = fn(&mut JudgeBudgets);
    let ann = db.user("ann").await.tenant_id;
    let cases: [(Change, NotJudged); 4] = [
        (|b| b.tenant_day = 99, NotJudged::TenantDayBudget),
        (|b| b.tenant_month = 99, NotJudged::TenantMonthBudget),
        (|b| b.server_day = 99, NotJudged::ServerDayBudget),
        (|b| b.server_month = 99, NotJudged::ServerMonthBudget),
    ];
    for (change, expected) in cases {
        let mut budgets = WIDE;
        change(&mut budgets);
        let refused =
            db.store.reserve_judge_call(ann, CallPurpose::Judgement, 100, &budgets, at(0)).await.unwrap();
        assert_eq!(refused, Err(NoMoney::Spent(expected)));
        assert_eq!(db.store.judge_spending(ann, at(0)).await.unwrap(), JudgeSpending::default());
        assert!(
            db.store
                .reserve_judge_call(ann, CallPurpose::Judgement, 0, &budgets, at(0))
                .await
                .unwrap()
                .is_ok()
        );
    }
    // What one tenant has spent counts for all, and not as another's.
    let bob = db.user("bob").await.tenant_id;
    let call = reserve(db, ann, 0).await;
    db.store.settle_judge_call(ann, call, cost(100), None, at(0)).await.unwrap();
    let server = JudgeBudgets { server_day: 150, ..WIDE };
    let refused =
        db.store.reserve_judge_call(bob, CallPurpose::Judgement, 100, &server, at(0)).await.unwrap();
    assert_eq!(refused, Err(NoMoney::Spent(NotJudged::ServerDayBudget)));
    let tenant = JudgeBudgets { tenant_day: 150, ..WIDE };
    assert!(
        db.store.reserve_judge_call(bob, CallPurpose::Judgement, 100, &tenant, at(0)).await.unwrap().is_ok()
    );
}

async fn calls_at_once_never_exceed_the_budget(db: &TestStore) {
    let ann = db.user("ann").await.tenant_id;
    let budgets = Arc::new(JudgeBudgets { tenant_day: 550, ..WIDE });
    let mut calls = JoinSet::new();
    for _ in 0..12 {
        let (store, budgets) = (db.store.clone(), Arc::clone(&budgets));
        calls.spawn(async move {
            store.reserve_judge_call(ann, CallPurpose::Judgement, 100, &budgets, at(0)).await.unwrap().is_ok()
        });
    }
    let reserved = calls.join_all().await.into_iter().filter(|reserved| *reserved).count();
    assert_eq!(reserved, 5);
    assert_eq!(db.store.judge_spending(ann, at(0)).await.unwrap().tenant_day, 500);
}

async fn what_is_set_aside_is_not_spent_until_nobody_can_settle_it(db: &TestStore) {
    type Change = fn(&mut JudgeBudgets);
    let cases: [(Change, NotJudged); 4] = [
        (|b| b.tenant_day = 150, NotJudged::TenantDayBudget),
        (|b| b.tenant_month = 150, NotJudged::TenantMonthBudget),
        (|b| b.server_day = 150, NotJudged::ServerDayBudget),
        (|b| b.server_month = 150, NotJudged::ServerMonthBudget),
    ];
    for (name, (change, budget)) in ["ann", "bob", "carol", "dave"].into_iter().zip(cases) {
        let tenant = db.user(name).await.tenant_id;
        let mut budgets = WIDE;
        change(&mut budgets);
        let attempt = async |second| {
            let now = at(second);
            db.store.reserve_judge_call(tenant, CallPurpose::Judgement, 100, &budgets, now).await.unwrap()
        };
        let settle = async |call, micro_dollars| {
            db.store.settle_judge_call(tenant, call, cost(micro_dollars), None, at(1)).await.unwrap();
        };
        let first = attempt(0).await.unwrap();
        assert_eq!(attempt(1).await, Err(NoMoney::SetAside), "{budget:?}");
        settle(first, 30).await;
        let second = attempt(1).await.unwrap();
        assert_eq!(attempt(180).await, Err(NoMoney::SetAside), "{budget:?}");
        // Whoever set it aside has gone.
        assert_eq!(attempt(181).await, Err(NoMoney::Spent(budget)));
        settle(second, 100).await;
        assert_eq!(attempt(1).await, Err(NoMoney::Spent(budget)));
        db.execute("DELETE FROM judge_spending; DELETE FROM judge_call").await;
    }
}

async fn a_new_day_and_a_new_month_begin_at_nothing(db: &TestStore) {
    let ann = db.user("ann").await.tenant_id;
    let call = reserve(db, ann, 0).await;
    let (tomorrow, next_month) =
        (at(0) + SignedDuration::from_hours(24), at(0) + SignedDuration::from_hours(24 * 31));
    let spending = db.store.judge_spending(ann, tomorrow).await.unwrap();
    assert_eq!((spending.tenant_day, spending.tenant_month), (0, 100));
    assert_eq!(db.store.judge_spending(ann, next_month).await.unwrap(), JudgeSpending::default());
    // It is settled where it was reserved.
    db.store.settle_judge_call(ann, call, cost(40), None, next_month).await.unwrap();
    assert_eq!(db.store.judge_spending(ann, at(0)).await.unwrap().tenant_day, 40);
    assert_eq!(db.store.judge_spending(ann, next_month).await.unwrap(), JudgeSpending::default());
}

async fn what_was_spent_yesterday_or_last_month_leaves_the_budget_as_it_is(db: &TestStore) {
    let ann = db.user("ann").await.tenant_id;
    let of_tenant = JudgeBudgets { tenant_day: 100, tenant_month: 200, ..WIDE };
    let of_server = JudgeBudgets { server_day: 200, server_month: 400, ..WIDE };
    let spend = async |budgets: &JudgeBudgets, now| {
        let purpose = CallPurpose::Judgement;
        let call = db.store.reserve_judge_call(ann, purpose, 100, budgets, now).await.unwrap()?;
        db.store.settle_judge_call(ann, call, cost(100), None, now).await.unwrap();
        Ok::<(), NoMoney>(())
    };
    let day = |n: i64| at(0) + SignedDuration::from_hours(24 * n);
    // From the 15th of January on. What is spent for the server's sake is the tenant's as well.
    for (n, of, expected) in [
        (0, of_tenant, Ok(())),
        (0, of_tenant, Err(NotJudged::TenantDayBudget)),
        (0, of_server, Ok(())),
        (0, of_server, Err(NotJudged::ServerDayBudget)),
        (1, of_tenant, Err(NotJudged::TenantMonthBudget)),
        (1, of_server, Ok(())),
        (2, of_server, Ok(())),
        (3, of_server, Err(NotJudged::ServerMonthBudget)),
        (17, of_tenant, Ok(())),
        (17, of_tenant, Err(NotJudged::TenantDayBudget)),
        (17, of_server, Ok(())),
    ] {
        assert_eq!(spend(&of, day(n)).await, expected.map_err(NoMoney::Spent), "day {n}");
    }
}

async fn a_call_of_another_tenant_cannot_be_settled(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await.tenant_id, db.user("bob").await.tenant_id);
    let call = reserve(db, ann, 0).await;
    db.store
        .settle_judge_call(bob, call, cost(0), Some(Kept::Verdict(&verdict(0.0, "rim", 0))), at(0))
        .await
        .unwrap();
    assert_eq!(db.store.judge_spending(ann, at(0)).await.unwrap().tenant_day, 100);
    assert_eq!(found(db, bob, 0.0, 0.9, 0).await, None);
}

async fn the_judgement_of_the_most_similar_photograph_is_found(db: &TestStore) {
    let ann = db.user("ann").await.tenant_id;
    for (degrees, label) in [(0.0, "rim"), (10.0, "spark-plug"), (90.0, "radiator")] {
        keep(db, ann, &verdict(degrees, label, 0), 0).await;
    }
    // The cosine of 4 degrees is 0.9976, that of 6 is 0.9945, that of 30 is 0.866.
    assert_eq!(found(db, ann, 4.0, 0.99, 1).await.as_deref(), Some("rim"));
    assert_eq!(found(db, ann, 6.0, 0.99, 1).await.as_deref(), Some("spark-plug"));
    assert_eq!(found(db, ann, 40.0, 0.99, 1).await, None);
    assert_eq!(found(db, ann, 40.0, 0.86, 1).await.as_deref(), Some("spark-plug"));
    let found =
        db.store.find_similar_verdict(ann, "model", &direction(90.0), 0.99, at(1)).await.unwrap().unwrap();
    assert_eq!(
        (found.judgement, found.judge_model),
        (verdict(90.0, "radiator", 0).judgement, "judge-1".to_owned())
    );
    assert!((found.similarity - 1.0).abs() < 1e-5);
}

async fn judgements_are_found_by_their_tenant_and_model_alone_until_they_expire(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await.tenant_id, db.user("bob").await.tenant_id);
    keep(db, ann, &verdict(0.0, "rim", 0), 0).await;
    assert_eq!(found(db, bob, 0.0, 0.9, 1).await, None);
    let other = db.store.find_similar_verdict(ann, "other", &direction(0.0), 0.9, at(1)).await.unwrap();
    assert_eq!(other, None);
    assert_eq!(found(db, ann, 0.0, 0.9, 999).await.as_deref(), Some("rim"));
    assert_eq!(found(db, ann, 0.0, 0.9, 1000).await, None);
    // Expired ones are deleted now and then.
    keep(db, bob, &verdict(90.0, "radiator", 1000), 1000).await;
    assert_eq!(db.store.purge_judged_verdicts(at(1000)).await.unwrap(), 1);
    assert_eq!(found(db, ann, 0.0, 0.9, 1).await, None);
    // One that goes leaves nothing.
    db.execute("DELETE FROM app_user; DELETE FROM tenant").await;
    db.execute("CREATE TABLE nothing_left (n BIGINT NOT NULL CHECK (n = 0))").await;
    db.execute("INSERT INTO nothing_left SELECT COUNT(*) FROM judged_verdict").await;
    db.execute("INSERT INTO nothing_left SELECT COUNT(*) FROM judge_call").await;
    db.execute("INSERT INTO nothing_left SELECT COUNT(*) FROM tenant_judge_spending").await;
}

async fn who_is_in_a_company_finds_the_judgements_of_all_in_it(db: &TestStore) {
    let (ann, bob, eve) = (db.user("ann").await, db.user("bob").await, db.user("eve").await);
    let (company, place) = crate::plans::companies::company(db, &ann).await;
    join(db, &place, "bob").await;
    let (elsewhere, _) = crate::plans::companies::company(db, &eve).await;
    let shop = company.tenant_id;
    let of_scan = JudgedVerdict { scan_id: ScanId(Uuid::now_v7()), ..verdict(0.0, "rim", 0) };
    keep(db, bob.tenant_id, &of_scan, 0).await;
    assert_eq!(found(db, shop, 0.0, 0.9, 1).await.as_deref(), Some("rim"));
    assert_eq!(found(db, bob.tenant_id, 0.0, 0.9, 1).await.as_deref(), Some("rim"));
    for nobody in [ann.tenant_id, elsewhere.tenant_id, eve.tenant_id] {
        assert_eq!(found(db, nobody, 0.0, 0.9, 1).await, None);
    }
    // It stays the member's: it goes with the scan, and with the member.
    assert!(db.store.remove_company_member(company.id, bob.id).await.unwrap());
    assert_eq!(found(db, shop, 0.0, 0.9, 1).await, None);
    assert_eq!(found(db, bob.tenant_id, 0.0, 0.9, 1).await.as_deref(), Some("rim"));
    join(db, &place, "bob").await;
    assert_eq!(found(db, shop, 0.0, 0.9, 1).await.as_deref(), Some("rim"));
    db.store.delete_judged_verdict(bob.tenant_id, of_scan.scan_id).await.unwrap();
    assert_eq!(found(db, shop, 0.0, 0.9, 1).await, None);
}

async fn a_consent_is_kept_and_taken_back_with_the_judgements(db: &TestStore) {
    let (user, bob) = (db.user("ann").await, db.user("bob").await.tenant_id);
    let ann = user.tenant_id;
    assert_eq!(db.store.judge_consent(ann).await.unwrap(), None);
    for allowed in [true, false, true] {
        db.store.set_judge_consent(user.id, ann, allowed, at(0)).await.unwrap();
        assert_eq!(db.store.judge_consent(ann).await.unwrap(), Some(allowed));
    }
    assert_eq!(db.store.judge_consent(bob).await.unwrap(), None);
    for tenant_id in [ann, bob] {
        keep(db, tenant_id, &verdict(0.0, "rim", 0), 0).await;
    }
    db.store.set_judge_consent(user.id, ann, false, at(1)).await.unwrap();
    assert_eq!(found(db, ann, 0.0, 0.9, 1).await, None);
    assert_eq!(found(db, bob, 0.0, 0.9, 1).await.as_deref(), Some("rim"));
}

async fn a_budget_is_chosen_changed_and_taken_back(db: &TestStore) {
    let (user, bob) = (db.user("ann").await, db.user("bob").await.tenant_id);
    let ann = user.tenant_id;
    let none = JudgeBudgetChoice::default();
    assert_eq!(db.store.judge_budget_choice(ann).await.unwrap(), none);
    for choice in [
        JudgeBudgetChoice { day: Some(0), month: None },
        JudgeBudgetChoice { day: None, month: Some(7_000_000) },
        none,
        JudgeBudgetChoice { day: Some(3), month: Some(4) },
    ] {
        db.store.set_judge_budget_choice(user.id, ann, choice, at(0)).await.unwrap();
        assert_eq!(db.store.judge_budget_choice(ann).await.unwrap(), choice);
    }
    assert_eq!(db.store.judge_budget_choice(bob).await.unwrap(), none);
}

async fn judgements_go_with_their_scans(db: &TestStore) {
    let ann = db.user("ann").await;
    let civic = db.vehicle(&ann, "Civic").await;
    let mut scans = Vec::new();
    for (degrees, vehicle) in [(0.0, Some(&civic)), (40.0, None), (80.0, None)] {
        let scan = scan(at(0), vehicle);
        db.store.save_scan(ann.tenant_id, ann.id, &new_scan(&scan, UNLIMITED_SCANS)).await.unwrap();
        let of_scan = JudgedVerdict { scan_id: scan.id, ..verdict(degrees, "rim", 0) };
        keep(db, ann.tenant_id, &of_scan, 0).await;
        scans.push(scan.id);
    }
    let kept = async || {
        let mut kept = Vec::new();
        for degrees in [0.0, 40.0, 80.0] {
            kept.push(found(db, ann.tenant_id, degrees, 0.99, 1).await.is_some());
        }
        kept
    };
    assert_eq!(kept().await, [true; 3]);
    db.store.delete_scan(ann.tenant_id, scans[1]).await.unwrap();
    assert_eq!(kept().await, [true, false, true]);
    db.store.delete_scans_of_vehicle(ann.tenant_id, civic.id, at(1_000)).await.unwrap();
    assert_eq!(kept().await, [false, false, true]);
    // One whose scan was never saved goes with the whole history.
    keep(db, ann.tenant_id, &verdict(40.0, "rim", 0), 0).await;
    db.store.clear_history(ann.tenant_id).await.unwrap();
    // One on a scan that is made meanwhile stays.
    let new = scan(at(1), None);
    db.store.save_scan(ann.tenant_id, ann.id, &new_scan(&new, UNLIMITED_SCANS)).await.unwrap();
    keep(db, ann.tenant_id, &JudgedVerdict { scan_id: new.id, ..verdict(0.0, "rim", 0) }, 0).await;
    db.store.erase_cleared_history(ann.tenant_id).await.unwrap();
    assert_eq!(kept().await, [true, false, false]);
    db.store.delete_scan(ann.tenant_id, new.id).await.unwrap();
    assert_eq!(kept().await, [false; 3]);
}

async fn old_calls_go_and_the_sums_stay(db: &TestStore) {
    let ann = db.user("ann").await.tenant_id;
    let old = reserve(db, ann, 0).await;
    reserve(db, ann, 100).await;
    assert_eq!(db.store.prune_judge_calls(at(100)).await.unwrap(), 1);
    assert_eq!(db.store.prune_judge_calls(at(100)).await.unwrap(), 0);
    assert_eq!(db.store.judge_spending(ann, at(0)).await.unwrap().tenant_day, 200);
    // One that is settled too late stays counted at its most.
    db.store.settle_judge_call(ann, old, cost(1), None, at(101)).await.unwrap();
    assert_eq!(db.store.judge_spending(ann, at(0)).await.unwrap().tenant_day, 200);
}
