use jiff::SignedDuration;
use partsight_domain::{FillKind, Filled, FitmentNotes, TenantId, UsageDays};
use partsight_store::{CallPurpose, FillKey, JudgeBudgets, JudgeCost, Kept, NewFill};

use crate::{TestStore, at, on_each_database};

on_each_database![
    a_fill_is_found_by_its_owner_kind_and_subject_until_it_expires,
    a_shared_fill_is_thrown_away_for_one_tenant_alone,
    a_fill_goes_with_its_tenant,
    fills_are_counted_for_the_user_who_asked,
];

const WIDE: JudgeBudgets = JudgeBudgets {
    tenant_day: 1_000_000,
    tenant_month: 1_000_000,
    server_day: 1_000_000,
    server_month: 1_000_000,
};

fn content(note: &str) -> Filled {
    Filled::Fitment(FitmentNotes { notes: vec![note.to_owned()], compare: Vec::new() })
}

/// Keeps a note as of a second, for a hundred seconds.
async fn keep(db: &TestStore, payer: TenantId, owner: Option<TenantId>, note: Option<&str>, second: i64) {
    let purpose = CallPurpose::Judgement;
    let call = db.store.reserve_judge_call(payer, purpose, 100, &WIDE, at(second)).await.unwrap().unwrap();
    let fill = NewFill {
        kind: FillKind::Fitment,
        owner,
        subject_sha256: "aa".to_owned(),
        content: note.map(content),
        llm_model: "judge-1".to_owned(),
        created_at: at(second),
        expires_at: at(second) + SignedDuration::from_secs(100),
    };
    let kept = Some(Kept::Fill(&fill));
    db.store.settle_judge_call(payer, call, JudgeCost::default(), kept, at(second)).await.unwrap();
}

fn key(owner: Option<TenantId>, viewer: TenantId) -> FillKey<'static> {
    FillKey { kind: FillKind::Fitment, owner, subject_sha256: "aa", viewer }
}

async fn found(db: &TestStore, key: FillKey<'_>, second: i64) -> Option<Option<Filled>> {
    let found = db.store.find_fill(key, at(second)).await.unwrap();
    found.map(|fill| {
        assert_eq!(fill.llm_model, "judge-1");
        fill.content
    })
}

async fn a_fill_is_found_by_its_owner_kind_and_subject_until_it_expires(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await.tenant_id, db.user("bob").await.tenant_id);
    keep(db, ann, Some(ann), Some("of ann"), 0).await;
    assert_eq!(found(db, key(Some(ann), ann), 1).await, Some(Some(content("of ann"))));
    for other in [
        key(Some(bob), bob),
        key(None, ann),
        FillKey { kind: FillKind::Oil, ..key(Some(ann), ann) },
        FillKey { subject_sha256: "bb", ..key(Some(ann), ann) },
    ] {
        assert_eq!(found(db, other, 1).await, None);
    }
    assert_eq!(found(db, key(Some(ann), ann), 100).await, None);
    keep(db, ann, None, None, 101).await;
    assert_eq!(found(db, key(None, bob), 102).await, Some(None));
    keep(db, ann, None, Some("for all"), 103).await;
    assert_eq!(found(db, key(None, bob), 104).await, Some(Some(content("for all"))));
}

async fn a_shared_fill_is_thrown_away_for_one_tenant_alone(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await.tenant_id, db.user("bob").await.tenant_id);
    keep(db, ann, None, Some("for all"), 0).await;
    assert!(db.store.reject_fill(key(None, ann), at(1)).await.unwrap());
    assert!(!db.store.reject_fill(key(None, ann), at(1)).await.unwrap());
    assert_eq!(found(db, key(None, ann), 2).await, None);
    assert_eq!(found(db, key(None, bob), 2).await, Some(Some(content("for all"))));
    // What is one's own is gone.
    keep(db, ann, Some(ann), Some("of ann"), 3).await;
    assert!(!db.store.reject_fill(key(Some(bob), bob), at(4)).await.unwrap());
    assert!(db.store.reject_fill(key(Some(ann), ann), at(4)).await.unwrap());
    assert_eq!(found(db, key(Some(ann), ann), 4).await, None);
}

async fn a_fill_goes_with_its_tenant(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await.tenant_id);
    keep(db, ann.tenant_id, Some(ann.tenant_id), Some("of ann"), 0).await;
    keep(db, ann.tenant_id, None, Some("for all"), 0).await;
    db.store.reject_fill(key(None, ann.tenant_id), at(1)).await.unwrap();
    db.store.delete_user(ann.id, ann.tenant_id).await.unwrap();
    assert_eq!(found(db, key(Some(ann.tenant_id), ann.tenant_id), 1).await, None);
    assert_eq!(found(db, key(None, bob), 1).await, Some(Some(content("for all"))));
}

async fn fills_are_counted_for_the_user_who_asked(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let ask = async |purpose, second| {
        db.store.reserve_judge_call(ann.tenant_id, purpose, 100, &WIDE, at(second)).await.unwrap().unwrap()
    };
    let first = ask(CallPurpose::Fill(FillKind::Oil, ann.id), 0).await;
    let cost = JudgeCost { micro_dollars: 7, ..JudgeCost::default() };
    db.store.settle_judge_call(ann.tenant_id, first, cost, None, at(0)).await.unwrap();
    ask(CallPurpose::Fill(FillKind::Oil, ann.id), 1).await;
    ask(CallPurpose::Judgement, 2).await;
    let today = at(0).to_zoned(jiff::tz::TimeZone::UTC).date();
    let days = UsageDays { from: today, to: today };
    let rows = db.store.list_fill_usage(ann.id, days).await.unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].kind, rows[0].n_questions, rows[0].cost_micros), (FillKind::Oil, 2, 107));
    assert!(db.store.list_fill_usage(bob.id, days).await.unwrap().is_empty());
}
