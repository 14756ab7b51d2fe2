//! A server has the claims of the one that crashed before it.

use jiff::SignedDuration;
use partsight_store::{Claim, IdempotentCall, StaleCalls};

use crate::batches::queue::{WORKERS, claim, running};
use crate::{MINUTE, TestStore, at, new_mail, on_each_database};

on_each_database![what_a_crashed_server_had_claimed_is_free_again];

async fn what_a_crashed_server_had_claimed_is_free_again(db: &TestStore) {
    let ann = db.user("ann").await;
    let [dead, other] = WORKERS;
    running(db, &ann, 1).await;
    db.store.queue_mail(None, &new_mail("ann@example.com"), at(1)).await.unwrap();
    let claim_mail = |worker| db.store.claim_mail(worker, at(2), at(2) + MINUTE);
    let call = |key: &str| IdempotentCall {
        path: "/api/vehicles".to_owned(),
        key: key.to_owned(),
        request_sha256: "hash".to_owned(),
    };
    let stale = StaleCalls {
        answered_before: at(2) - SignedDuration::from_hours(24),
        running_before: at(2) - MINUTE,
        running_after: at(2) + MINUTE,
    };
    let claim_call = async |key| db.store.claim_call(ann.tenant_id, &call(key), at(2), stale).await.unwrap();

    assert!(claim(db, dead, at(2)).await.is_some());
    assert!(claim_mail(dead).await.unwrap().is_some());
    for key in ["running", "answered"] {
        assert_eq!(claim_call(key).await, Claim::New);
    }
    db.store.finish_call(ann.tenant_id, &call("answered"), 201, "{}").await.unwrap();
    assert_eq!(claim(db, other, at(2)).await, None);
    assert!(claim_mail(other).await.unwrap().is_none());
    assert_eq!(claim_call("running").await, Claim::Running);

    db.store.end_claims(at(2)).await.unwrap();
    assert_eq!(claim(db, other, at(2)).await.map(|item| item.attempts), Some(2));
    assert_eq!(claim_mail(other).await.unwrap().map(|mail| mail.attempts), Some(2));
    assert_eq!(claim_call("running").await, Claim::New);
    assert_eq!(claim_call("answered").await, Claim::Answered { status: 201, body: "{}".to_owned() });
}
