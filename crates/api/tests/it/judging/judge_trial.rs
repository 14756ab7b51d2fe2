//! The cascade as it is measured: the judge over its real protocol, and each step by itself.

use partsight_app::{CascadeTrial, Catalog, Settings};
use partsight_domain::{NotJudged, PartLabel, Verdict};

use crate::engine::{Behaviour, fake_identifier};
use crate::fake_judge::{FakeJudge, Says};
use crate::judging::judge::{ANSWER_COST, ask_fake_judge};
use crate::pictures;

const TIED: [&str; 2] = ["brake-rotor", "spark-plug"];

#[tokio::test]
async fn the_judge_is_asked_where_the_model_is_not_sure_and_its_word_is_weighed() {
    let fake = FakeJudge::saying(Says::Candidate(1)).await;
    let mut settings = Settings::default();
    ask_fake_judge(&mut settings, &fake);
    let catalog = Catalog::embedded().unwrap();
    let (identifier, _gate) = fake_identifier(1, Behaviour::Tie(TIED), true, &catalog, &settings);
    let trial = CascadeTrial::new(&identifier, &catalog, &settings).unwrap();
    assert_eq!(trial.judge().unwrap().1, "judge-1");
    let folder = tempfile::tempdir().unwrap();
    let photo = folder.path().join("photo.jpg");
    std::fs::write(&photo, pictures::blocks(1, 0)).unwrap();

    let answer = trial.try_file(&photo, None, true).await.unwrap();
    assert_eq!((answer.local.label.as_str(), answer.local.verdict), (TIED[0], Verdict::NotSure));
    assert_eq!(answer.with_references, answer.local);
    let judged = answer.judged.unwrap();
    let step = judged.step.unwrap();
    assert_eq!((step.label.as_str(), step.verdict), (TIED[1], Verdict::Identified));
    assert_eq!(judged.cost_micro_dollars, ANSWER_COST);
    assert_eq!(fake.questions().len(), 1);

    let unasked = trial.try_file(&photo, None, false).await.unwrap();
    assert_eq!((unasked.judged, fake.questions().len()), (None, 1));
    assert!(trial.try_file(&folder.path().join("missing.jpg"), None, true).await.is_err());
}

#[tokio::test]
async fn a_judge_without_an_answer_leaves_the_local_one_and_a_simulated_one_asks_nobody() {
    let fake = FakeJudge::saying(Says::Refusal).await;
    let mut settings = Settings::default();
    ask_fake_judge(&mut settings, &fake);
    let catalog = Catalog::embedded().unwrap();
    let (identifier, _gate) = fake_identifier(1, Behaviour::Tie(TIED), true, &catalog, &settings);
    let mut trial = CascadeTrial::new(&identifier, &catalog, &settings).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let photo = folder.path().join("photo.jpg");
    std::fs::write(&photo, pictures::blocks(1, 0)).unwrap();
    let judged = trial.try_file(&photo, None, true).await.unwrap().judged.unwrap();
    assert_eq!((judged.step, judged.not_judged), (None, Some(NotJudged::Refused)));
    let n_asked = fake.questions().len();

    trial.simulate_judge(1.0);
    assert_eq!(trial.judge(), None);
    let truth = PartLabel::new(TIED[1]).unwrap();
    let judged = trial.try_file(&photo, Some(&truth), true).await.unwrap().judged.unwrap();
    assert_eq!((judged.step.unwrap().label, judged.cost_micro_dollars), (truth, 0));
    assert_eq!(fake.questions().len(), n_asked);
}
