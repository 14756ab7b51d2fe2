mod drift;

use jiff::Timestamp;
use partsight_domain::{EvaluationId, EvaluationReport, EvaluationState, Proportion, Quota, TenantId, User};
use partsight_store::{EvaluationOutcome, MeasuredEvaluation, NewEvaluation};
use uuid::Uuid;

use crate::plans::companies::company;
use crate::{TestStore, at, on_each_database};

on_each_database![
    an_evaluation_is_claimed_once_and_its_photographs_go_with_its_report,
    what_a_dead_server_had_is_taken_over_and_its_report_refused,
    one_at_a_time_of_each_tenant_and_none_of_another,
    a_photograph_that_comes_beside_a_cancellation_does_not_stay,
    evaluations_go_to_the_company_that_their_owner_founds,
];

const WORKERS: [Uuid; 2] = [Uuid::from_u128(1), Uuid::from_u128(2)];

pub(crate) async fn waiting(db: &TestStore, user: &User) -> EvaluationId {
    let id = EvaluationId(Uuid::now_v7());
    let new = NewEvaluation { id, name: "June" };
    assert!(db.store.create_evaluation(user.tenant_id, &new, at(0)).await.unwrap());
    for path in ["rim/b.jpg", "rim/a.jpg", "rim/a.jpg"] {
        assert!(db.store.add_evaluation_photo(user.tenant_id, id, path, b"abc").await.unwrap());
    }
    assert!(db.store.submit_evaluation(user.tenant_id, id, 2).await.unwrap());
    id
}

async fn claim(db: &TestStore, worker: Uuid, now: Timestamp) -> Option<EvaluationId> {
    let claimed = db.store.claim_evaluation(worker, now, at(now.as_second() - at(0).as_second() + 60)).await;
    claimed.unwrap().map(|claimed| claimed.id)
}

async fn state(db: &TestStore, tenant_id: TenantId, id: EvaluationId) -> EvaluationState {
    db.store.find_evaluation(tenant_id, id).await.unwrap().unwrap().state
}

fn done() -> EvaluationOutcome {
    let proportion = Proportion { count: 1, total: 2, low: 0.1, high: 0.9 };
    EvaluationOutcome::Done(Box::new(MeasuredEvaluation {
        report: EvaluationReport {
            model: "made".to_owned(),
            model_version: "1".to_owned(),
            model_sha256: "0".repeat(64),
            top1: proportion,
            top5: proportion,
            ece: None,
            ece_by_chance: None,
            none_of_these: proportion,
            reject_auroc: None,
            reject_auroc_interval: None,
            unknown_labels: Vec::new(),
            n_unknown_labels: 0,
            coverage: Vec::new(),
            thresholds: Vec::new(),
            labels: Vec::new(),
            confusions: Vec::new(),
            slices: Vec::new(),
            mistakes: Vec::new(),
            n_mistakes: 0,
            unlikely_labels: Vec::new(),
            n_unlikely_labels: 0,
            n_wrong_labels: 0,
            top1_with_likely_labels: None,
            n_lookalikes: 0,
            notices: Vec::new(),
            failures: Vec::new(),
            n_failures: 0,
        },
        files: vec![("report.json".to_owned(), b"{}".to_vec())],
    }))
}

async fn an_evaluation_is_claimed_once_and_its_photographs_go_with_its_report(db: &TestStore) {
    let ann = db.user("ann").await;
    let id = waiting(db, &ann).await;
    let tenant = ann.tenant_id;
    assert_eq!(db.store.count_kept(tenant, Quota::PictureBytes).await.unwrap(), 6);
    assert!(
        !db.store.add_evaluation_photo(tenant, id, "rim/c.jpg", b"abc").await.unwrap(),
        "it waits by now"
    );
    assert_eq!(claim(db, WORKERS[0], at(1)).await, Some(id));
    assert_eq!(claim(db, WORKERS[1], at(1)).await, None);
    assert!(!db.store.has_evaluation_work(at(1)).await.unwrap());
    let paths = db.store.list_evaluation_paths(tenant, id).await.unwrap();
    assert_eq!(paths, ["rim/a.jpg", "rim/b.jpg"]);
    let photo = db.store.find_evaluation_photo(tenant, id, "rim/a.jpg").await.unwrap();
    assert_eq!(photo.as_deref(), Some(&b"abc"[..]));
    assert!(db.store.end_evaluation(tenant, id, WORKERS[0], &done(), at(2)).await.unwrap());
    let found = db.store.find_evaluation(tenant, id).await.unwrap().unwrap();
    assert_eq!((found.state, found.n_done, found.n_right), (EvaluationState::Done, 2, Some(1)));
    assert_eq!(found.model.as_deref(), Some("made 1"));
    assert!(found.report.is_some());
    assert!(db.store.list_evaluation_paths(tenant, id).await.unwrap().is_empty());
    let file = db.store.find_evaluation_file(tenant, id, "report.json").await.unwrap();
    assert_eq!(file.as_deref(), Some(&b"{}"[..]));
    assert!(db.store.delete_evaluation(tenant, id, at(9)).await.unwrap());
    assert_eq!(db.store.count_kept(tenant, Quota::PictureBytes).await.unwrap(), 0);
}

async fn what_a_dead_server_had_is_taken_over_and_its_report_refused(db: &TestStore) {
    let ann = db.user("ann").await;
    let id = waiting(db, &ann).await;
    let tenant = ann.tenant_id;
    claim(db, WORKERS[0], at(0)).await;
    assert!(db.store.renew_evaluation(tenant, id, WORKERS[0], at(90), 1).await.unwrap());
    assert_eq!(claim(db, WORKERS[1], at(80)).await, None, "it gave a sign of life");
    assert_eq!(claim(db, WORKERS[1], at(100)).await, Some(id));
    assert!(!db.store.renew_evaluation(tenant, id, WORKERS[0], at(200), 1).await.unwrap());
    assert!(!db.store.end_evaluation(tenant, id, WORKERS[0], &done(), at(101)).await.unwrap());
    assert_eq!(db.store.release_evaluations(WORKERS[1]).await.unwrap(), 1);
    let claimed = db.store.claim_evaluation(WORKERS[0], at(102), at(110)).await.unwrap().unwrap();
    assert_eq!(claimed.attempts, 2, "what was given back does not count");
    assert!(db.store.cancel_evaluation(tenant, id, at(103)).await.unwrap());
    assert!(!db.store.renew_evaluation(tenant, id, WORKERS[0], at(200), 1).await.unwrap());
    let failed = EvaluationOutcome::Failed("Broken.".to_owned());
    assert!(!db.store.end_evaluation(tenant, id, WORKERS[0], &failed, at(104)).await.unwrap());
    assert_eq!(state(db, tenant, id).await, EvaluationState::Cancelled);
    assert!(db.store.cancel_evaluation(tenant, id, at(105)).await.unwrap(), "it is there");
}

async fn one_at_a_time_of_each_tenant_and_none_of_another(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let id = waiting(db, &ann).await;
    let second = NewEvaluation { id: EvaluationId(Uuid::now_v7()), name: "July" };
    assert!(!db.store.create_evaluation(ann.tenant_id, &second, at(1)).await.unwrap());
    waiting(db, &bob).await;
    assert!(db.store.find_evaluation(bob.tenant_id, id).await.unwrap().is_none());
    assert!(!db.store.cancel_evaluation(bob.tenant_id, id, at(2)).await.unwrap());
    assert!(!db.store.delete_evaluation(bob.tenant_id, id, at(9)).await.unwrap());
    assert!(db.store.find_evaluation_photo(bob.tenant_id, id, "rim/a.jpg").await.unwrap().is_none());
    assert!(db.store.cancel_evaluation(ann.tenant_id, id, at(3)).await.unwrap());
    assert!(db.store.create_evaluation(ann.tenant_id, &second, at(4)).await.unwrap());
    // Whoever sent its photographs is gone.
    assert_eq!(db.store.delete_stale_evaluations(at(4), at(9)).await.unwrap(), 0);
    assert_eq!(db.store.delete_stale_evaluations(at(5), at(9)).await.unwrap(), 1);
    assert_eq!(db.store.list_evaluations(ann.tenant_id).await.unwrap().len(), 1);
}

async fn a_photograph_that_comes_beside_a_cancellation_does_not_stay(db: &TestStore) {
    let ann = db.user("ann").await;
    for _ in 0..20 {
        let id = EvaluationId(Uuid::now_v7());
        let new = NewEvaluation { id, name: "June" };
        assert!(db.store.create_evaluation(ann.tenant_id, &new, at(0)).await.unwrap());
        let (added, cancelled) = tokio::join!(
            db.store.add_evaluation_photo(ann.tenant_id, id, "rim/a.jpg", b"abc"),
            db.store.cancel_evaluation(ann.tenant_id, id, at(1)),
        );
        added.unwrap();
        assert!(cancelled.unwrap());
        let kept = db.store.count_kept(ann.tenant_id, Quota::PictureBytes).await.unwrap();
        assert_eq!(kept, 0, "what nobody measures takes no room");
    }
}

async fn evaluations_go_to_the_company_that_their_owner_founds(db: &TestStore) {
    let ann = db.user("ann").await;
    let ended = waiting(db, &ann).await;
    let [worker, other] = WORKERS;
    assert_eq!(claim(db, worker, at(1)).await, Some(ended));
    assert!(db.store.end_evaluation(ann.tenant_id, ended, worker, &done(), at(2)).await.unwrap());
    let running = waiting(db, &ann).await;
    assert_eq!(claim(db, worker, at(3)).await, Some(running));

    let (company, _) = company(db, &ann).await;
    assert_eq!(db.store.list_evaluations(ann.tenant_id).await.unwrap(), []);
    assert_eq!(db.store.list_evaluations(company.tenant_id).await.unwrap().len(), 2);
    assert_eq!(db.store.count_kept(ann.tenant_id, Quota::PictureBytes).await.unwrap(), 0);
    // Its worker has lost it, and another one begins it anew.
    assert!(!db.store.end_evaluation(ann.tenant_id, running, worker, &done(), at(4)).await.unwrap());
    assert_eq!(claim(db, other, at(4)).await, Some(running));
    assert!(db.store.end_evaluation(company.tenant_id, running, other, &done(), at(5)).await.unwrap());
}
