//! A thousand photographs, three in ten of them taken before.

use std::sync::Arc;

use partsight_app::{Decimal, ReadText, ScanRequest, Store};
use partsight_domain::{ScanSource, VerdictPath};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::fake_judge::{FakeJudge, Says};
use crate::judging::judge::{ANSWER_COST, unsure};
use crate::pictures;

const SCANS: u32 = 1000;

/// Which picture the `n`th scan shows, and the how many-eth time: of each ten, three show what an earlier one did.
fn picture(n: u32) -> (u32, u32) {
    let (ten, place) = (n / 10, n % 10);
    match place {
        // Of the same ten, so that some come at the same moment, and of one long before.
        7 => (ten * 7, 1),
        8 => (ten * 7 + 3, 2),
        9 => (ten / 2 * 7 + 5, 3 + ten),
        fresh => (ten * 7 + fresh, 0),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_thousand_photographs_no_duplicate_reaches_the_judge() {
    let fake = FakeJudge::saying(Says::Candidate(1)).await;
    let plenty = Decimal::from_millionths(1_000_000_000);
    let (app, client) = unsure(&fake, |settings| {
        settings.judge.daily_budget = plenty;
        settings.judge.monthly_budget = plenty;
        settings.judge.tenant_daily_budget = plenty;
        settings.judge.tenant_monthly_budget = plenty;
        settings.judge.concurrency = 8;
    })
    .await;
    let use_cases = app.use_cases.clone();
    let store = Store::open(&app.database_url).await.unwrap();
    let user = store.find_user_by_email("ann@example.com").await.unwrap().unwrap().user;
    let at_once = Arc::new(Semaphore::new(8));
    let mut scans = JoinSet::new();
    for n in 0..SCANS {
        let (use_cases, user) = (use_cases.clone(), user.clone());
        let turn = Arc::clone(&at_once).acquire_owned().await.unwrap();
        scans.spawn(async move {
            let _turn = turn;
            let (seed, again) = picture(n);
            let request = ScanRequest {
                photos: vec![pictures::blocks(seed, again)],
                vehicle_id: None,
                source: ScanSource::Web,
                read: ReadText::default(),
                several: false,
            };
            use_cases.scanning.scan(&user, request, None).await.unwrap().receipt.judging
        });
    }
    let receipts = scans.join_all().await;
    let n_of = |path| receipts.iter().filter(|receipt| receipt.verdict_path == path).count();
    assert_eq!((n_of(VerdictPath::Llm), n_of(VerdictPath::Reused), n_of(VerdictPath::Local)), (700, 300, 0));
    assert_eq!(fake.questions().len(), 700);
    let spent = client.get("/api/judge").await.json()["today"]["spentMicroDollars"].as_u64();
    assert_eq!(spent, Some(700 * ANSWER_COST));
}
