//! What was read on the photographs of scans: whose it is, what it changes, and with what it goes.

use partsight_domain::{
    Candidate, FeedbackKind, MatchedPart, NumberSays, NumberSource, PartLabel, ReadLine, Reading, Scan,
    ScanFeedback, UNLIMITED_SCANS, User, Verdict,
};

use partsight_test_support::PATIENCE;
use sqlx::{AnyConnection, AssertSqlSafe, Connection};
use tokio::time::timeout;

use super::scans::scan;
use crate::{TestStore, at, new_scan, on_each_database};

on_each_database![
    a_reading_is_kept_with_its_scan_and_goes_with_it,
    a_reading_that_was_corrected_meanwhile_is_not_replaced,
    a_reading_amends_the_answer_unless_somebody_has_judged_it,
    a_scan_of_another_user_is_given_no_reading,
];

async fn save(db: &TestStore, user: &User) -> Scan {
    let scan = scan(at(0), None);
    db.store.save_scan(user.tenant_id, user.id, &new_scan(&scan, UNLIMITED_SCANS)).await.unwrap();
    scan
}

fn reading(text: &str) -> Reading {
    let corners = [[0.1, 0.2], [0.5, 0.2], [0.5, 0.3], [0.1, 0.3]];
    Reading {
        lines: vec![ReadLine::new(text.to_owned(), 0.9, 1, corners)],
        parts: vec![MatchedPart {
            says: NumberSays::Contradicts,
            read: text.to_owned(),
            is_exact: true,
            source: NumberSource::Shop,
            shop_part_id: None,
            label: Some(PartLabel::new("rim").unwrap()),
            number: text.to_owned(),
            brand: Some("Zündgut 🔥".to_owned()),
            name: None,
            via: None,
        }],
        picture: None,
        read_at: at(3),
    }
}

async fn a_reading_is_kept_with_its_scan_and_goes_with_it(db: &TestStore) {
    let ann = db.user("ann").await;
    let scan = save(db, &ann).await;
    assert_eq!(db.store.find_reading(ann.tenant_id, scan.id).await.unwrap(), None);
    assert!(db.store.save_reading(ann.tenant_id, scan.id, &reading("SP96051"), None, at(9)).await.unwrap());
    let again = Reading { picture: Some(scan.answer()), ..reading("SP96052") };
    assert!(db.store.save_reading(ann.tenant_id, scan.id, &again, None, at(9)).await.unwrap());
    assert_eq!(db.store.find_reading(ann.tenant_id, scan.id).await.unwrap(), Some(again.clone()));
    assert_eq!(db.store.list_readings(ann.tenant_id).await.unwrap(), [(scan.id, again)]);
    assert_eq!(db.store.find_scan(ann.tenant_id, scan.id).await.unwrap(), Some(scan.clone()), "as it was");
    assert!(db.store.delete_scan(ann.tenant_id, scan.id).await.unwrap());
    assert_eq!(db.store.find_reading(ann.tenant_id, scan.id).await.unwrap(), None);
    assert_eq!(db.store.list_readings(ann.tenant_id).await.unwrap(), []);
    assert!(!db.store.save_reading(ann.tenant_id, scan.id, &reading("SP96051"), None, at(9)).await.unwrap());
}

async fn a_reading_that_was_corrected_meanwhile_is_not_replaced(db: &TestStore) {
    let ann = db.user("ann").await;
    let scan = save(db, &ann).await;
    let amended = Scan { verdict: Verdict::NotSure, ..scan.clone() };
    let replace = async |found: &str, by: &str| {
        let (found, by) = (reading(found), reading(by));
        db.store.replace_reading(ann.tenant_id, scan.id, &found, &by, Some(&amended), at(9)).await.unwrap()
    };
    assert!(db.store.save_reading(ann.tenant_id, scan.id, &reading("SP96051"), None, at(9)).await.unwrap());
    assert!(!replace("SP96052", "SP96053").await);
    assert_eq!(db.store.find_reading(ann.tenant_id, scan.id).await.unwrap(), Some(reading("SP96051")));
    assert_eq!(db.store.find_scan(ann.tenant_id, scan.id).await.unwrap(), Some(scan.clone()));
    assert!(replace("SP96051", "SP96053").await);
    assert_eq!(db.store.find_reading(ann.tenant_id, scan.id).await.unwrap(), Some(reading("SP96053")));
}

async fn a_reading_amends_the_answer_unless_somebody_has_judged_it(db: &TestStore) {
    let ann = db.user("ann").await;
    let (free, judged) = (save(db, &ann).await, save(db, &ann).await);
    let feedback = ScanFeedback {
        kind: FeedbackKind::Right,
        label: Some(judged.best.label.clone()),
        reference_id: None,
        changed_at: at(1),
    };
    let set =
        db.store.set_feedback(ann.tenant_id, judged.id, ann.id, ann.tenant_id, &feedback).await.unwrap();
    assert!(set.is_some());
    for scan in [free, judged] {
        let before = db.store.find_scan(ann.tenant_id, scan.id).await.unwrap().unwrap();
        let mut answer = before.answer();
        answer.verdict = Verdict::NotSure;
        answer.best = Candidate { label: PartLabel::new("rim").unwrap(), confidence: 0.25 };
        let amended = before.clone().with_answer(answer);
        let saved =
            db.store.save_reading(ann.tenant_id, scan.id, &reading("SP96051"), Some(&amended), at(9)).await;
        assert!(saved.unwrap());
        let expected = if before.feedback.is_some() { before } else { amended };
        assert_eq!(db.store.find_scan(ann.tenant_id, scan.id).await.unwrap(), Some(expected));
    }
    // Programs are told of the changed answer, as they were of the first ones.
    let events = db.store.list_events(ann.tenant_id, 0, 10).await.unwrap();
    let told: Vec<_> =
        events.iter().map(|event| event.data["verdict"].as_str().unwrap().to_owned()).collect();
    assert_eq!(told, ["identified", "identified", "not-sure"]);
}

/// Waits until a statement of another connection waits for a lock.
pub(crate) async fn until_one_waits(connection: &mut AnyConnection) {
    let waiting = async {
        let query = "SELECT COUNT(*) FROM pg_stat_activity \
                     WHERE datname = current_database() AND wait_event_type = 'Lock'";
        while sqlx::query_scalar::<_, i64>(query).fetch_one(&mut *connection).await.unwrap() == 0 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, waiting).await.expect("it waits for the scan");
}

/// On PostgreSQL only: SQLite has one writer.
#[tokio::test]
async fn a_reading_leaves_an_answer_that_is_being_confirmed() {
    let Some(db) = TestStore::postgres().await else { return };
    let ann = db.user("ann").await;
    let scan = save(&db, &ann).await;
    let mut answer = scan.answer();
    answer.best = Candidate { label: PartLabel::new("rim").unwrap(), confidence: 0.25 };
    let amended = scan.clone().with_answer(answer);
    let mut person = AnyConnection::connect(&db.url).await.unwrap();
    let confirm = format!(
        "BEGIN; UPDATE scan SET scanned_at = scanned_at; \
         INSERT INTO scan_feedback (scan_id, tenant_id, user_id, kind, label, changed_at) \
         VALUES ('{}', '{}', '{}', 'right', 'brake-rotor', 1)",
        scan.id, ann.tenant_id, ann.id
    );
    sqlx::raw_sql(AssertSqlSafe(confirm)).execute(&mut person).await.unwrap();
    let read = reading("SP96051");
    let amending = db.store.save_reading(ann.tenant_id, scan.id, &read, Some(&amended), at(9));
    let confirming = async {
        until_one_waits(&mut person).await;
        sqlx::raw_sql("COMMIT").execute(&mut person).await.unwrap();
        person.close().await.unwrap();
    };
    assert!(tokio::join!(amending, confirming).0.unwrap());
    let found = db.store.find_scan(ann.tenant_id, scan.id).await.unwrap().unwrap();
    assert_eq!((found.best, found.feedback.map(|given| given.kind)), (scan.best, Some(FeedbackKind::Right)));
}

async fn a_scan_of_another_user_is_given_no_reading(db: &TestStore) {
    let (ann, bob) = (db.user("ann").await, db.user("bob").await);
    let hers = save(db, &ann).await;
    let amended = Scan { verdict: Verdict::NotSure, ..hers.clone() };
    let saved =
        db.store.save_reading(bob.tenant_id, hers.id, &reading("SP96051"), Some(&amended), at(9)).await;
    assert!(!saved.unwrap());
    assert_eq!(db.store.find_scan(ann.tenant_id, hers.id).await.unwrap(), Some(hers.clone()));
    db.store.save_reading(ann.tenant_id, hers.id, &reading("SP96051"), None, at(9)).await.unwrap();
    assert_eq!(db.store.find_reading(bob.tenant_id, hers.id).await.unwrap(), None);
    assert_eq!(db.store.list_readings(bob.tenant_id).await.unwrap(), []);
}
