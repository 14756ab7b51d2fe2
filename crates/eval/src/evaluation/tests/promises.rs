//! The promises of a model beside what photographs show.

use super::*;
use crate::{Promise, PromiseVerdict, Promised};

/// 60 photographs, of which 40 are of unknown labels: 30 labelled `not-a-part`, 10 `hose`.
fn with_unknown(n_not_a_part_identified: usize, n_hose_identified: usize) -> (TempDir, Dataset, Measurement) {
    let (folder, mut dataset) = photographs();
    let mut measurement = measurement(|index| index != N - 1);
    measurement.model.promises = [
        (Promised::IdentifiedWrong, 0.2),
        (Promised::NotAPartIdentified, 0.1),
        (Promised::OtherPartsIdentified, 0.3),
    ]
    .map(|(of, at_most)| Promise { of, at_most })
    .to_vec();
    dataset.labels = vec!["rim".to_owned(), crate::NOT_A_PART.to_owned(), "hose".to_owned()];
    for (index, photo) in measurement.photos.iter_mut().enumerate().take(40) {
        let (label, is_identified) = if index < 30 {
            (1, index < n_not_a_part_identified)
        } else {
            (2, index - 30 < n_hose_identified)
        };
        dataset.samples[index].label = label;
        photo.truth = Truth::NotKnown;
        photo.answer.verdict = if is_identified { Verdict::Identified } else { Verdict::NotSure };
    }
    (folder, dataset, measurement)
}

#[test]
fn each_promise_is_checked_on_its_own_photographs() {
    use PromiseVerdict::{Compatible, Held, Refuted};
    let (_folder, dataset, measurement) = with_unknown(7, 0);
    let evaluation = made(&dataset, &measurement);
    let found: Vec<_> = evaluation
        .promises
        .iter()
        .map(|check| (check.of, check.found.count, check.found.total, check.verdict))
        .collect();
    let expected = [
        // P(X <= 1 of 20) at 0.2 is 0.0692, so that a larger share is not ruled out.
        (Promised::IdentifiedWrong, 1, 20, Compatible),
        // P(X >= 7 of 30) at 0.1 is 0.0258.
        (Promised::NotAPartIdentified, 7, 30, Refuted),
        // None of 10 has the upper bound 1 - 0.05^(1/10) = 0.2589.
        (Promised::OtherPartsIdentified, 0, 10, Held),
    ];
    assert_eq!(found, expected);
    assert!(evaluation.refutes_a_promise());

    let (_, page) = written(&evaluation);
    let row = "<th scope=\"row\">identified among photographs labelled not-a-part</th><td class=\"number\">10.0%</td>\
               <td class=\"number\">7 of 30 (23.3%)</td><td class=\"number\">11.8% to 40.9%</td>\
               <td class=\"number\">0.0258</td><td>refuted</td>";
    assert!(page.contains(row), "{page}");
    let check = &crate::summary_json(&evaluation)["promises"][1];
    assert_eq!((&check["of"], &check["atMost"]), (&"notAPartIdentified".into(), &0.1.into()));
    assert_eq!(check["found"], serde_json::json!({ "count": 7, "total": 30 }));
    assert_eq!(check["verdict"], "refuted");
    assert_near(check["pValue"].as_f64().unwrap(), 0.025_827);
    assert_near(check["interval"][0].as_f64().unwrap(), 0.117_923);
}

#[test]
fn photographs_of_the_training_and_missing_kinds_are_left_out() {
    let (_folder, dataset, measurement) = with_unknown(7, 0);
    let mut duplicates = Duplicates::find(&measurement.photos, &dataset, &[], None);
    for lookalike in &mut duplicates.photos[..30] {
        lookalike.training = Some(crate::Match { index: 0, distance: 0 });
    }
    let options = made(&dataset, &measurement).options;
    let evaluation = Evaluation::new(&dataset, &measurement, duplicates, Vec::new(), options);
    let of: Vec<Promised> = evaluation.promises.iter().map(|check| check.of).collect();
    assert_eq!(of, [Promised::IdentifiedWrong, Promised::OtherPartsIdentified]);
    assert!(!evaluation.refutes_a_promise());

    let (_folder, dataset) = photographs();
    let unpromised = self::measurement(|_| true);
    let (_, page) = written(&made(&dataset, &unpromised));
    assert!(!page.contains("id=\"promises\""), "the manifest promises nothing");
}
