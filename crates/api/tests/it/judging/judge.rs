//! The judge where the model is not sure: when it is asked, what its word is worth, and what it costs.

use jiff::SignedDuration;
use partsight_app::{Decimal, JudgeConsent, JudgeProvider, Secret, Settings};
use partsight_domain::{Plan, ServiceUrl};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::engine::Behaviour;
use crate::fake_judge::{FakeJudge, KEY, Says};
use crate::plans::company::{join, make};
use crate::{Client, Engines, Setup, TestApp, pictures};

/// What an answer of the fake costs: 1,000 tokens at $2.50 and 100 at $10 a million.
pub(crate) const ANSWER_COST: u64 = 3500;

/// Two types of different categories, so that neither category answers for them.
const TIED: [&str; 2] = ["brake-rotor", "spark-plug"];

/// The settings of a judge that is `fake`, which everybody's photographs may go to.
pub(crate) fn ask_fake_judge(settings: &mut Settings, fake: &FakeJudge) {
    settings.server.plan = Some(Plan::Pro);
    settings.judge.provider = Some(JudgeProvider::OpenaiCompatible);
    settings.judge.base_url = Some(ServiceUrl::new(fake.base_url()));
    settings.judge.model = Some("judge-1".to_owned());
    settings.judge.api_key = Some(Secret::new(KEY));
    settings.judge.input_price = Some(Decimal::from_millionths(2_500_000));
    settings.judge.output_price = Some(Decimal::from_millionths(10_000_000));
    settings.judge.consent = JudgeConsent::Given;
    // Nobody is to be timed out by a busy machine; those whose judge is silent set less.
    settings.judge.timeout_seconds = 120;
    settings.check().unwrap();
}

/// A server whose model is never sure, and whose judge is `fake`, and Ann with a Civic.
pub(crate) async fn unsure(fake: &FakeJudge, change: impl FnOnce(&mut Settings)) -> (TestApp, Client) {
    seeing(Behaviour::Tie(TIED), fake, change).await
}

/// A server with this judge, whose model sees what is said here, and Ann with a Civic.
pub(crate) async fn seeing(
    behaviour: Behaviour,
    fake: &FakeJudge,
    change: impl FnOnce(&mut Settings),
) -> (TestApp, Client) {
    let engines = Engines { count: 1, behaviour, is_open: true };
    let mut setup = Setup { engines: Some(engines), ..Setup::default() };
    ask_fake_judge(&mut setup.settings, fake);
    change(&mut setup.settings);
    let app = TestApp::with(setup).await;
    let ann = app.sign_up_with_vehicle("ann").await;
    (app, ann)
}

/// The answer to a scan.
pub(crate) async fn scan(client: &Client, photo: &[u8]) -> Value {
    client.identify(photo).await.expect_status(200).json()
}

pub(crate) async fn spent_today(client: &Client) -> u64 {
    let judge = client.get("/api/judge").await.expect_status(200).json();
    judge["today"]["spentMicroDollars"].as_u64().unwrap()
}

#[tokio::test]
async fn a_scan_that_is_not_sure_is_judged_and_its_receipt_says_so() {
    let fake = FakeJudge::saying(Says::Candidate(1)).await;
    let (_app, client) = unsure(&fake, |_| {}).await;
    let answer = scan(&client, &pictures::blocks(1, 0)).await;
    assert_eq!(answer["verdict"], "identified");
    assert_eq!(answer["identification"]["label"], json!(TIED[1]));
    // Half and half before; the judge's word is worth 0.9 against 0.1 among five others.
    let confidence = answer["identification"]["confidence"].as_f64().unwrap();
    assert!((confidence - 0.45 / (0.45 + 0.01)).abs() < 0.01, "{confidence}");
    assert_eq!(answer["alternatives"][0]["label"], TIED[0]);

    let receipt = &answer["receipt"];
    for (field, expected) in [
        ("verdictPath", json!("llm")),
        ("notJudged", Value::Null),
        ("judgeModel", json!("judge-1")),
        ("costMicroDollars", json!(ANSWER_COST)),
        ("inputTokens", json!(1000)),
        ("outputTokens", json!(100)),
        ("reusedSimilarity", Value::Null),
        ("photoSentTo", json!(fake.address.to_string())),
        // The fake runs on this machine.
        ("photoLeftMachine", json!(false)),
    ] {
        assert_eq!(receipt[field], expected, "{field}");
    }
    assert_eq!(receipt["judgement"]["label"], TIED[1]);
    assert_eq!(receipt["judgement"]["partNumbers"], json!(["45251-TBA-A00"]));
    assert!((receipt["judgement"]["statedConfidence"].as_f64().unwrap() - 0.93).abs() < 1e-6);
    assert_eq!(receipt["catalogVersion"].as_str().unwrap().len(), 12);
    assert!(answer["timingsMs"]["judge"].as_f64().unwrap() > 0.0);

    let id = answer["id"].as_str().unwrap();
    let kept = client.get(&format!("/api/scans/{id}")).await.expect_status(200).json();
    assert_eq!((&kept["receipt"], &kept["timingsMs"]), (receipt, &answer["timingsMs"]));
    assert_eq!(spent_today(&client).await, ANSWER_COST);
    let asked = fake.questions().remove(0).text();
    assert_eq!(asked["vehicle"], "2015 Honda Civic");
    assert_eq!(asked["candidates"].as_array().unwrap().len(), 5);
    assert_eq!(asked["candidates"][0]["name"], "Brake Rotor");
    assert!(asked["candidates"][0]["description"].as_str().unwrap().len() > 100);
}

#[tokio::test]
async fn none_of_these_leaves_the_scan_unsure_and_less_sure_than_before() {
    let fake = FakeJudge::saying(Says::Candidate(9)).await;
    let (_app, client) = unsure(&fake, |_| {}).await;
    let answer = scan(&client, &pictures::blocks(1, 0)).await;
    assert_eq!(answer["verdict"], "not-sure");
    assert_eq!(answer["receipt"]["judgement"]["label"], Value::Null);
    assert!(answer["identification"]["confidence"].as_f64().unwrap() < 0.5);
    assert!(answer["identification"]["knownScore"].as_f64().unwrap() <= 1.0);
}

#[tokio::test]
async fn a_sure_scan_is_not_judged() {
    let fake = FakeJudge::saying(Says::Candidate(0)).await;
    let app = TestApp::with_stand_in(|settings| ask_fake_judge(settings, &fake)).await;
    let client = app.sign_up_with_vehicle("ann").await;
    let answer = scan(&client, &pictures::blocks(1, 0)).await;
    assert_eq!(answer["receipt"]["notJudged"], "sure");
    assert_eq!((answer["receipt"]["verdictPath"].as_str(), fake.bytes().len()), (Some("local"), 0));
}

#[tokio::test]
async fn the_judge_is_asked_only_where_there_is_one_it_is_in_the_plan_and_allowed() {
    type Change = fn(&mut Settings);
    let fake = FakeJudge::saying(Says::Candidate(0)).await;
    let cases: [(Change, &str); 4] = [
        (|settings| settings.judge.provider = None, "not-configured"),
        (|settings| settings.server.plan = Some(Plan::Basic), "not-in-plan"),
        (|settings| settings.judge.plan = Plan::Business, "not-in-plan"),
        (|settings| settings.judge.consent = JudgeConsent::Ask, "not-allowed"),
    ];
    for (change, expected) in cases {
        let (_app, client) = unsure(&fake, change).await;
        let answer = scan(&client, &pictures::blocks(1, 0)).await;
        assert_eq!(answer["receipt"]["notJudged"], json!(expected));
        assert_eq!(answer["verdict"], "not-sure");
    }
    assert_eq!(fake.bytes().len(), 0);
}

#[tokio::test]
async fn whose_photographs_they_are_decides() {
    let fake = FakeJudge::saying(Says::Candidate(0)).await;
    let (app, ann) = unsure(&fake, |settings| settings.judge.consent = JudgeConsent::Ask).await;
    let bob = app.sign_up_with_vehicle("bob").await;
    let allow = async |allowed: bool| ann.put_json("/api/judge", &json!({ "allowed": allowed })).await;
    let status = allow(true).await.expect_status(200).json();
    insta::assert_json_snapshot!("judge_status", status, { ".host" => "[host]" });
    assert_eq!(scan(&ann, &pictures::blocks(1, 0)).await["receipt"]["verdictPath"], "llm");
    assert_eq!(scan(&bob, &pictures::blocks(1, 0)).await["receipt"]["notJudged"], "not-allowed");
    assert_eq!(bob.get("/api/judge").await.json()["today"]["spentMicroDollars"], 0);
    // Forbidding it forgets what was said, also for the time when it is allowed again.
    allow(false).await.expect_status(200);
    assert_eq!(scan(&ann, &pictures::blocks(1, 0)).await["receipt"]["notJudged"], "not-allowed");
    allow(true).await.expect_status(200);
    assert_eq!(scan(&ann, &pictures::blocks(1, 0)).await["receipt"]["verdictPath"], "llm");
    let body = json!({ "allowed": "yes" });
    ann.put_json("/api/judge", &body).await.expect_status(422);
}

#[tokio::test]
async fn a_photograph_that_is_nearly_the_same_gets_the_same_judgement_for_nothing() {
    let fake = FakeJudge::saying(Says::Candidate(0)).await;
    let (app, ann) = unsure(&fake, |settings| settings.judge.reuse_days = 30).await;
    let bob = app.sign_up_with_vehicle("bob").await;
    let first = scan(&ann, &pictures::blocks(1, 0)).await;
    let second = scan(&ann, &pictures::blocks(1, 1)).await;
    let receipt = &second["receipt"];
    assert_eq!((&receipt["verdictPath"], &receipt["costMicroDollars"]), (&json!("reused"), &json!(0)));
    assert_eq!((&receipt["photoSentTo"], &receipt["photoLeftMachine"]), (&Value::Null, &json!(false)));
    assert_eq!(receipt["judgement"], first["receipt"]["judgement"]);
    let similarity = receipt["reusedSimilarity"].as_f64().unwrap();
    assert!((0.98..1.0).contains(&similarity), "{similarity}");
    assert_eq!(spent_today(&ann).await, ANSWER_COST);
    // Whoever says that it was wrong is not told the same again.
    let wrong = format!("/api/scans/{}/feedback", second["id"].as_str().unwrap());
    ann.post(&wrong, &json!({ "answer": "not-a-part" })).await.expect_status(200);
    assert_eq!(scan(&ann, &pictures::blocks(1, 1)).await["receipt"]["verdictPath"], "llm");
    // Another photograph, another tenant, and one that comes too late are asked about.
    for (client, photo) in [(&ann, pictures::blocks(2, 0)), (&bob, pictures::blocks(1, 0))] {
        assert_eq!(scan(client, &photo).await["receipt"]["verdictPath"], "llm");
    }
    app.advance(SignedDuration::from_hours(24 * 29));
    let again = scan(&sign_in_again(&app, "ann").await, &pictures::blocks(1, 2)).await;
    assert_eq!(again["receipt"]["verdictPath"], "reused");
    app.advance(SignedDuration::from_hours(24 * 2));
    let late = scan(&sign_in_again(&app, "ann").await, &pictures::blocks(1, 3)).await;
    assert_eq!((late["receipt"]["verdictPath"].as_str(), fake.questions().len()), (Some("llm"), 5));
}

#[tokio::test]
async fn a_shop_pays_once_for_a_photograph_whoever_of_it_takes_it() {
    let fake = FakeJudge::saying(Says::AtGate(Box::new(Says::Candidate(0)))).await;
    let (app, ann) = unsure(&fake, |settings| settings.server.plan = Some(Plan::Business)).await;
    let (bob, eve) = (app.sign_up_with_vehicle("bob").await, app.sign_up_with_vehicle("eve").await);
    let company = make(&ann).await;
    join(&ann, &company, &bob, "member").await;
    make(&eve).await;
    // At the same moment,
    let (photo, like) = (pictures::blocks(1, 0), pictures::blocks(1, 1));
    let at_once = async {
        fake.wait_for_questions(1).await;
        app.gate().wait_for_images(2).await;
        fake.open_gate();
    };
    let (first, second, ()) = tokio::join!(scan(&ann, &photo), scan(&bob, &like), at_once);
    let mut paths = [&first, &second].map(|answer| answer["receipt"]["verdictPath"].as_str().unwrap());
    paths.sort_unstable();
    assert_eq!(paths, ["llm", "reused"]);
    // and later; nobody of another shop.
    for client in [&bob, &ann] {
        let later = scan(client, &pictures::blocks(1, 2)).await;
        assert_eq!(later["receipt"]["verdictPath"], "reused");
        assert_eq!(later["receipt"]["judgement"], first["receipt"]["judgement"]);
        assert_eq!(later["receipt"]["costMicroDollars"], 0);
        assert_eq!(later["receipt"]["photoSentTo"], Value::Null);
    }
    assert_eq!((fake.questions().len(), spent_today(&bob).await), (1, ANSWER_COST));
    assert_eq!(scan(&eve, &photo).await["receipt"]["verdictPath"], "llm");

    // The scan and its photograph stay hers, and nothing of his answer names them.
    let id = first["id"].as_str().unwrap();
    assert!(!second.to_string().contains(id), "{second}");
    for path in [format!("/api/scans/{id}"), format!("/api/scans/{id}/thumbnail")] {
        bob.get(&path).await.problem(404, "not-found");
    }
    // Once the photograph that was judged is gone, what was said of it is gone for all.
    for client in [&ann, &bob] {
        client.delete("/api/scans").await.expect_status(204);
    }
    assert_eq!(scan(&bob, &like).await["receipt"]["verdictPath"], "llm");
}

#[tokio::test]
async fn who_sends_no_photographs_sends_none_as_a_company() {
    let fake = FakeJudge::saying(Says::Candidate(1)).await;
    let (_app, ann) = unsure(&fake, |settings| settings.server.plan = Some(Plan::Business)).await;
    ann.put_json("/api/judge", &json!({ "allowed": false })).await.expect_status(200);
    make(&ann).await;
    assert_eq!(ann.get("/api/judge").await.json()["allowed"], false);
    assert_eq!(scan(&ann, &pictures::blocks(1, 0)).await["receipt"]["notJudged"], "not-allowed");
    assert_eq!(fake.questions().len(), 0);
}

#[tokio::test]
async fn a_refusal_of_ones_own_is_stronger_than_the_yes_of_a_company() {
    let fake = FakeJudge::saying(Says::Candidate(1)).await;
    let (app, ann) = unsure(&fake, |settings| settings.server.plan = Some(Plan::Business)).await;
    let (bob, carol) = (app.sign_up_with_vehicle("bob").await, app.sign_up_with_vehicle("carol").await);
    let company = make(&ann).await;
    ann.put_json("/api/judge", &json!({ "allowed": true })).await.expect_status(200);
    // Before he joins, and the company's yes does not undo it.
    bob.put_json("/api/judge", &json!({ "allowed": false })).await.expect_status(200);
    join(&ann, &company, &bob, "member").await;
    join(&ann, &company, &carol, "member").await;
    ann.put_json("/api/judge", &json!({ "allowed": true })).await.expect_status(200);
    let words = async |client: &Client| {
        let judge = client.get("/api/judge").await.expect_status(200).json();
        ["allowed", "allowedByCompany", "refusedByYou", "mayChange"]
            .map(|name| judge[name].as_bool().unwrap())
    };
    assert_eq!(words(&bob).await, [false, true, true, false]);
    assert_eq!(words(&carol).await, [true, true, false, false]);
    assert_eq!(scan(&bob, &pictures::blocks(1, 0)).await["receipt"]["notJudged"], "not-allowed");
    assert_eq!(fake.questions().len(), 0);
    assert_eq!(scan(&carol, &pictures::blocks(1, 0)).await["receipt"]["verdictPath"], "llm");
    // Not from memory either: what was said of his is nobody's business, and he asks nothing.
    assert_eq!(scan(&bob, &pictures::blocks(1, 1)).await["receipt"]["notJudged"], "not-allowed");

    // At any time, and what was said of her photographs is forgotten with it.
    carol.put_json("/api/judge/own", &json!({ "allowed": false })).await.expect_status(200);
    assert_eq!(words(&carol).await, [false, true, true, false]);
    assert_eq!(scan(&carol, &pictures::blocks(1, 2)).await["receipt"]["notJudged"], "not-allowed");
    assert_eq!(scan(&ann, &pictures::blocks(1, 0)).await["receipt"]["verdictPath"], "llm");
    assert_eq!(fake.questions().len(), 2);
    carol.put_json("/api/judge/own", &json!({ "allowed": true })).await.expect_status(200);
    assert_eq!(scan(&carol, &pictures::blocks(1, 2)).await["receipt"]["verdictPath"], "reused");
    // Nobody gets more by their own yes than the company allows.
    ann.put_json("/api/judge", &json!({ "allowed": false })).await.expect_status(200);
    assert_eq!(words(&carol).await, [false, false, false, false]);
    // An owner as well: what they refuse for themselves is not undone by what they allow the others.
    ann.put_json("/api/judge/own", &json!({ "allowed": false })).await.expect_status(200);
    let said = ann.put_json("/api/judge", &json!({ "allowed": true })).await.expect_status(200).json();
    assert_eq!((&said["allowed"], &said["refusedByYou"]), (&json!(false), &json!(true)));
    assert_eq!(words(&carol).await, [true, true, false, false]);
    app.client().put_json("/api/judge/own", &json!({ "allowed": true })).await.problem(401, "not-signed-in");
}

#[tokio::test]
async fn an_invitation_says_where_photographs_would_go() {
    let fake = FakeJudge::saying(Says::Candidate(1)).await;
    // Nothing is sent there: nobody scans.
    let elsewhere = |settings: &mut Settings| {
        settings.server.plan = Some(Plan::Business);
        settings.judge.base_url = Some(ServiceUrl::new("https://judge.example.com/v1"));
    };
    let (app, ann) = unsure(&fake, elsewhere).await;
    let bob = app.sign_up("bob").await;
    let company = make(&ann).await;
    crate::plans::company::add(&ann, &company, "bob", "member").await;
    app.execute("UPDATE app_user SET email_verified_at = 1").await;
    let goes_to = async || bob.get("/api/company/invitations").await.json()[0]["photosGoTo"].clone();
    assert_eq!(goes_to().await, "judge.example.com");
    ann.put_json("/api/judge", &json!({ "allowed": false })).await.expect_status(200);
    assert_eq!(goes_to().await, Value::Null);
}

#[tokio::test]
async fn a_company_has_one_budget_for_all_its_members() {
    let fake = FakeJudge::saying(Says::Candidate(1)).await;
    // The most that a question can cost is about 2.1 cents: one fits, and with what it cost no other does.
    let (app, ann) = unsure(&fake, |settings| {
        settings.server.plan = Some(Plan::Business);
        settings.judge.tenant_daily_budget = Decimal::from_millionths(22_000);
    })
    .await;
    let (bob, eve) = (app.sign_up_with_vehicle("bob").await, app.sign_up_with_vehicle("eve").await);
    let company = make(&ann).await;
    join(&ann, &company, &bob, "member").await;
    assert_eq!(scan(&ann, &pictures::blocks(1, 0)).await["receipt"]["verdictPath"], "llm");
    let refused = scan(&bob, &pictures::blocks(2, 0)).await;
    assert_eq!(refused["receipt"]["notJudged"], "tenant-day-budget");
    assert_eq!(refused["verdict"], "not-sure");
    assert_eq!((spent_today(&ann).await, spent_today(&bob).await), (ANSWER_COST, ANSWER_COST));
    // Who is not in the company has a budget of their own.
    assert_eq!(scan(&eve, &pictures::blocks(3, 0)).await["receipt"]["verdictPath"], "llm");
    assert_eq!(fake.questions().len(), 2);
}

#[tokio::test]
async fn a_shop_spends_no_more_than_it_chose_and_the_server_allows() {
    let fake = FakeJudge::saying(Says::Candidate(1)).await;
    let (app, ann) = unsure(&fake, |settings| settings.server.plan = Some(Plan::Business)).await;
    let eve = app.sign_up_with_vehicle("eve").await;
    let before = ann.get("/api/judge").await.expect_status(200).json();
    assert_eq!(
        before["today"],
        json!({ "spentMicroDollars": 0, "limitMicroDollars": 1_000_000, "chosenMicroDollars": null,
                "mostMicroDollars": 1_000_000 })
    );

    // The most that a question can cost is about 2.1 cents: one fits, and with what it cost no other does.
    let choice = json!({ "dayMicroDollars": 22_000, "monthMicroDollars": null });
    let chosen = ann.put_json("/api/judge/budget", &choice).await.expect_status(200).json();
    assert_eq!(chosen["today"]["limitMicroDollars"], 22_000);
    assert_eq!(chosen["today"]["chosenMicroDollars"], 22_000);
    assert_eq!(chosen["thisMonth"], before["thisMonth"]);
    // A company begins with the choice of its owner, and its members are under it.
    let company = make(&ann).await;
    let bob = app.sign_up_with_vehicle("bob").await;
    join(&ann, &company, &bob, "member").await;
    assert_eq!(scan(&ann, &pictures::blocks(1, 0)).await["receipt"]["verdictPath"], "llm");
    assert_eq!(scan(&bob, &pictures::blocks(2, 0)).await["receipt"]["notJudged"], "tenant-day-budget");
    assert_eq!(scan(&eve, &pictures::blocks(3, 0)).await["receipt"]["verdictPath"], "llm");
    let seen = bob.get("/api/judge").await.expect_status(200).json();
    assert_eq!((&seen["mayChange"], &seen["today"]["limitMicroDollars"]), (&json!(false), &json!(22_000)));
    bob.put_json("/api/judge/budget", &choice).await.problem(403, "forbidden");

    // It holds for what comes, in the month as well, and taking it back leaves the server's.
    let month = json!({ "dayMicroDollars": null, "monthMicroDollars": 3600 });
    ann.put_json("/api/judge/budget", &month).await.expect_status(200);
    assert_eq!(scan(&ann, &pictures::blocks(4, 0)).await["receipt"]["notJudged"], "tenant-month-budget");
    let export = ann.get("/api/auth/user/export").await.expect_status(200).json();
    assert_eq!(export["judgeMonthMicroDollars"], 3600);
    let none = json!({ "dayMicroDollars": null, "monthMicroDollars": null });
    ann.put_json("/api/judge/budget", &none).await.expect_status(200);
    assert_eq!(scan(&ann, &pictures::blocks(4, 0)).await["receipt"]["verdictPath"], "llm");
    assert_eq!(fake.questions().len(), 3);
}

#[tokio::test]
async fn a_budget_above_the_servers_is_refused_with_what_there_is() {
    let fake = FakeJudge::saying(Says::Candidate(1)).await;
    let (_app, client) = unsure(&fake, |_| {}).await;
    let cases = [
        (json!({ "dayMicroDollars": 1_000_001, "monthMicroDollars": null }), "at most $1 a day"),
        (json!({ "dayMicroDollars": 1, "monthMicroDollars": 10_000_001 }), "at most $10 a month"),
        (json!({ "dayMicroDollars": 1 }), "monthMicroDollars"),
        (json!({ "dayMicroDollars": -1, "monthMicroDollars": null }), "dayMicroDollars"),
        (json!({ "dayMicroDollars": "1", "monthMicroDollars": null }), "dayMicroDollars"),
    ];
    for (body, expected) in cases {
        let said = client.put_json("/api/judge/budget", &body).await.problem(422, "invalid");
        assert!(said.contains(expected), "{body}: {said}");
    }
    let judge = client.get("/api/judge").await.expect_status(200).json();
    assert_eq!(judge["today"]["chosenMicroDollars"], Value::Null);
}

/// A new session: the clock has run on.
pub(crate) async fn sign_in_again(app: &TestApp, name: &str) -> Client {
    let client = app.client();
    let body = json!({ "email": format!("{name}@example.com"), "password": "correct horse" });
    client.post("/api/auth/login", &body).await.expect_status(200);
    client
}

#[tokio::test]
async fn photographs_that_come_at_once_and_are_alike_are_sent_once() {
    let fake = FakeJudge::saying(Says::AtGate(Box::new(Says::Candidate(1)))).await;
    let (app, client) = unsure(&fake, |_| {}).await;
    let mut scans = JoinSet::new();
    for again in 0..6 {
        let client = client.at(app.address);
        scans.spawn(async move { scan(&client, &pictures::blocks(7, again)).await });
    }
    fake.wait_for_questions(1).await;
    app.gate().wait_for_images(6).await;
    fake.open_gate();
    let mut paths = Vec::new();
    for answer in scans.join_all().await {
        assert_eq!(answer["identification"]["label"], TIED[1]);
        paths.push(answer["receipt"]["verdictPath"].as_str().unwrap().to_owned());
    }
    paths.sort_unstable();
    assert_eq!(paths, ["llm", "reused", "reused", "reused", "reused", "reused"]);
    assert_eq!((fake.questions().len(), spent_today(&client).await), (1, ANSWER_COST));
}

#[tokio::test]
async fn a_budget_that_runs_out_between_two_scans_leaves_the_local_answer() {
    type Change = fn(&mut Settings, Decimal);
    let fake = FakeJudge::saying(Says::Candidate(1)).await;
    // The most that a question can cost is about 2.1 cents: the first fits, and with what that cost no third does.
    let budget = Decimal::from_millionths(25_000);
    let cases: [(Change, &str); 4] = [
        (|settings, budget| settings.judge.tenant_daily_budget = budget, "tenant-day-budget"),
        (|settings, budget| settings.judge.tenant_monthly_budget = budget, "tenant-month-budget"),
        (|settings, budget| settings.judge.daily_budget = budget, "server-day-budget"),
        (|settings, budget| settings.judge.monthly_budget = budget, "server-month-budget"),
    ];
    for (change, expected) in cases {
        let (_app, client) = unsure(&fake, |settings| change(settings, budget)).await;
        let n_before = fake.questions().len();
        let mut reasons = Vec::new();
        for seed in 1..=3 {
            let answer = scan(&client, &pictures::blocks(seed, 0)).await;
            reasons.push(answer["receipt"]["notJudged"].clone());
            if answer["receipt"]["notJudged"] == expected {
                assert_eq!(answer["verdict"], "not-sure");
                assert_eq!(answer["receipt"]["costMicroDollars"], 0);
            }
        }
        let n_asked = fake.questions().len() - n_before;
        assert!((1..3).contains(&n_asked), "{reasons:?}");
        assert_eq!(reasons[2], expected, "{reasons:?}");
        // What was judged before is reused without money.
        assert_eq!(scan(&client, &pictures::blocks(1, 1)).await["receipt"]["verdictPath"], "reused");
        assert_eq!(spent_today(&client).await, n_asked as u64 * ANSWER_COST);
    }
}
