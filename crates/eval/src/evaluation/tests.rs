//! A report of synthetic answers: its slices, labels and photographs, and the comparison of a later run with it.

mod corrections;
mod promises;

use std::fmt::Write as _;
use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, RgbImage};
use partsight_app::{Fingerprint, OCCLUSION_GRID, PhotoDecoder, PhotoLimits};
use partsight_domain::{PartLabel, StageTimings, VerdictThresholds};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::*;
use crate::report::{ReportFolder, write_report, wrong_labels_csv};
use crate::testing::assert_near;
use crate::{Answer, Baseline, Drift, Embeddings, GateVerdict, Guess, verify};

const N: usize = 60;
const LABELS: [&str; 3] = ["brake-rotor", "rim", "spark-plug"];

/// A list of 60 photographs of rims: a quarter of them dark, another quarter from the workshop `south`.
fn photographs() -> (TempDir, Dataset) {
    let folder = tempfile::tempdir().unwrap();
    let mut list = "path,label,workshop\n".to_owned();
    for index in 0..N {
        let grey = if index < N / 4 { 10 } else { 120 + index as u8 };
        let picture = RgbImage::from_pixel(24, 16, image::Rgb([grey; 3]));
        let mut jpeg = Vec::new();
        JpegEncoder::new(&mut jpeg)
            .encode(picture.as_raw(), picture.width(), picture.height(), ExtendedColorType::Rgb8)
            .unwrap();
        fs::write(folder.path().join(format!("{index}.jpg")), jpeg).unwrap();
        let workshop = if index >= 3 * N / 4 { "south" } else { "north" };
        let _ = writeln!(list, "{index}.jpg,rim,{workshop}");
    }
    let path = folder.path().join("list.csv");
    fs::write(&path, list).unwrap();
    let mut dataset = Dataset::open(&path).unwrap();
    dataset.examine(&decoder(), 2, || {}).unwrap();
    (folder, dataset)
}

fn decoder() -> PhotoDecoder {
    PhotoDecoder::in_process(PhotoLimits::default())
}

/// Answers that are right if `is_right`, and otherwise guess brake rotor with a probability of 0.9.
fn measurement(is_right: impl Fn(usize) -> bool) -> Measurement {
    let model = ModelFacts {
        name: "made".to_owned(),
        version: "1".to_owned(),
        sha256: "0".repeat(64),
        provider: "CPU".to_owned(),
        labels: LABELS.map(|label| PartLabel::new(label).unwrap()).to_vec(),
        thresholds: VerdictThresholds {
            not_a_part_below: 0.2,
            identified_known_score: 0.5,
            identified_confidence: 0.5,
            category_confidence: None,
        },
        sets: None,
        promises: Vec::new(),
    };
    let photo = |sample: usize| {
        let (best, second) = if is_right(sample) { (1, 0) } else { (0, 1) };
        let guess = |class, confidence| Guess { class, confidence };
        Measured {
            sample,
            truth: Truth::Class(1),
            answer: Answer {
                guesses: vec![guess(best, 0.9), guess(second, 0.08), guess(2, 0.02)],
                known_score: 0.9,
                verdict: Verdict::Identified,
                timings_ms: StageTimings::default(),
                fingerprint: Fingerprint::from_bytes(&[0; 30]),
            },
        }
    };
    Measurement::made(model, (0..N).map(photo).collect())
}

fn made<'a>(dataset: &'a Dataset, measurement: &'a Measurement) -> Evaluation<'a> {
    let options = Options {
        prices: Prices { llm_price: 0.01, llm_accuracy: 0.9 },
        program: "partsight 0".to_owned(),
        arguments: vec!["eval".to_owned(), "list.csv".to_owned()],
    };
    let duplicates = Duplicates::find(&measurement.photos, dataset, &[], None);
    Evaluation::new(dataset, measurement, duplicates, Vec::new(), options)
}

/// The report of an evaluation, and its page.
fn written(evaluation: &Evaluation<'_>) -> (Baseline, String) {
    let folder = tempfile::tempdir().unwrap();
    let report = ReportFolder::prepare(folder.path()).unwrap();
    write_report(&report, evaluation, &decoder(), "now").unwrap();
    let page = fs::read_to_string(report.page()).unwrap();
    (Baseline::read(&folder.path().join("report.json")).unwrap(), page)
}

/// A file of the report of an evaluation.
fn file_of(evaluation: &Evaluation<'_>, name: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let report = ReportFolder::prepare(folder.path()).unwrap();
    write_report(&report, evaluation, &decoder(), "now").unwrap();
    fs::read_to_string(folder.path().join(name)).unwrap()
}

#[test]
fn dark_photographs_and_columns_are_slices() {
    let (_folder, dataset) = photographs();
    let measurement = measurement(|index| index >= N / 4);
    let evaluation = made(&dataset, &measurement);
    let worst = &evaluation.slices[0];
    assert_eq!((worst.dimension.as_str(), worst.right), ("light", Share { count: 5, total: 20 }));
    assert!(worst.is_worse(), "{worst:?}");
    let south = evaluation.slices.iter().find(|slice| slice.value == "south").unwrap();
    assert_eq!((south.right.count, south.others), (15, Share { count: 30, total: 45 }));
    let (_, page) = written(&evaluation);
    for part in ["workshop: south", "id=\"slices\"", "id=\"wrong-labels\"", "list.csv"] {
        assert!(page.contains(part), "{part}");
    }
    let ids = quoted(&page, " id=\"");
    for link in quoted(&page, "href=\"#") {
        assert_eq!(ids.iter().filter(|id| **id == link).count(), 1, "{link}");
    }
}

/// The texts between each `before` and the next quotation mark.
fn quoted<'a>(page: &'a str, before: &str) -> Vec<&'a str> {
    page.split(before).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn unknown_labels_have_a_table_a_file_and_every_section_a_link() {
    let (_folder, dataset) = photographs();
    let mut measurement = measurement(|_| true);
    measurement.model.sets = Some(SetCalibration { coverage: 0.9, probability: 0.05 });
    measurement.photos[0].answer.verdict = Verdict::NotSure;
    for (photo, verdict) in
        measurement.photos[N - 3..].iter_mut().zip([Verdict::Identified, Verdict::NotSure, Verdict::NotAPart])
    {
        photo.truth = Truth::NotKnown;
        photo.answer.verdict = verdict;
    }
    let evaluation = made(&dataset, &measurement);
    let (_, page) = written(&evaluation);
    for part in ["<th scope=\"row\">rim</th><td class=\"number\">3</td>", "1 of 3 (33.3%)", "rim (1)"] {
        assert!(page.contains(part), "{part}");
    }
    let mut sections = quoted(&page, "<section id=\"");
    let mut links = quoted(&page, "href=\"#");
    sections.sort_unstable();
    links.sort_unstable();
    assert_eq!(links, sections);
    for id in ["sets", "risk", "identified", "unknown-labels"] {
        assert!(links.contains(&id), "{id}");
    }
    let file = file_of(&evaluation, "rejection.csv");
    let [header, row] = file.lines().collect::<Vec<_>>()[..] else { panic!("{file}") };
    assert!(header.starts_with("label,n,identified,identifiedShare,"), "{header}");
    assert!(row.starts_with("rim,3,1,0.33333") && row.ends_with(",1,1,rim,1"), "{row}");
    let figures: serde_json::Value = serde_json::from_str(&file_of(&evaluation, "report.json")).unwrap();
    let of_label = &figures["rejectionByLabel"][0];
    assert_eq!((&of_label["label"], &of_label["takenFor"]), (&"rim".into(), &"rim".into()));
    assert_eq!(of_label["identified"], serde_json::json!({ "count": 1, "total": 3 }));
    assert_eq!((&of_label["notSure"], &of_label["notAPart"]), (&1.into(), &1.into()));

    let (_, page) = written(&made(&dataset, &self::measurement(|_| true)));
    assert!(!page.contains("unknown-labels"), "all labels are known");
}

#[test]
fn a_mapped_mistake_says_in_picture_and_words_where_its_evidence_lies() {
    let (_folder, dataset) = photographs();
    let measurement = measurement(|index| index >= 2);
    let mut evaluation = made(&dataset, &measurement);
    assert_eq!(evaluation.mistakes_to_explain().len(), 2);
    let (_, page) = written(&evaluation);
    for part in ["class=\"heat\"", "Evidence:", "class=\"legend\""] {
        assert!(!page.contains(part), "{part} without a map");
    }

    let mut drops = vec![0.0; OCCLUSION_GRID * OCCLUSION_GRID];
    (drops[1], drops[2], drops[3]) = (0.7, 0.35, -2.0);
    let map = OcclusionMap { drops, seen: [0.0, 0.0, 1.0, 1.0], width: 24, height: 16 };
    let nowhere = OcclusionMap { drops: vec![0.0; OCCLUSION_GRID * OCCLUSION_GRID], ..map.clone() };
    evaluation.maps = [(0, map), (1, nowhere)].into();
    let (_, page) = written(&evaluation);
    for (part, n) in [
        ("<svg class=\"heat\" viewBox=\"0 0 24 16\" aria-hidden=\"true\">", 1),
        ("fill-opacity=\"0.70\"", 1),
        ("fill-opacity=\"0.35\"", 1),
        ("Evidence: upper left; without it 50% less probable", 1),
        ("Evidence: no single place carries it", 1),
        ("2 maps show how much less probable", 1),
    ] {
        assert_eq!(page.matches(part).count(), n, "{part}");
    }
    let figures: serde_json::Value = serde_json::from_str(&file_of(&evaluation, "report.json")).unwrap();
    let [first, second] = [0, 1].map(|index| &figures["mistakes"][index]["occlusion"]);
    assert_eq!((&first["strongest"], &second["strongest"]), (&"upper left".into(), &serde_json::Value::Null));
    assert_eq!(first["drops"].as_array().map(Vec::len), Some(OCCLUSION_GRID));
}

#[test]
fn beside_a_mistake_stand_the_nearest_other_photographs() {
    let (_folder, dataset) = photographs();
    let mut measurement = measurement(|index| index >= 2);
    measurement.photos[1].truth = Truth::NotKnown;
    let mut evaluation = made(&dataset, &measurement);
    assert_eq!(evaluation.n_compared(), N);
    let (_, page) = written(&evaluation);
    assert!(!page.contains("Nearest"), "nothing was compared");

    // Photograph 0 is near 9, 8 and 7, in this order; 1 is a false identification.
    let row = |sample: usize| match sample {
        7..=9 => vec![1.0, (10 - sample) as f32, 0.0],
        0 => vec![1.0, 0.0, 0.0],
        _ => vec![0.0, 0.1, 1.0],
    };
    evaluation.compare(Embeddings {
        samples: (0..N).collect(),
        rows: (0..N).map(row).collect(),
        failures: Vec::new(),
    });
    let near: Vec<usize> = evaluation.nearest[&0].iter().map(|neighbour| neighbour.sample).collect();
    assert_eq!((near, evaluation.nearest.len()), (vec![9, 8, 7], 2));
    let (_, page) = written(&evaluation);
    assert_eq!(page.matches("<ul class=\"nearest\">").count(), 2);
    // 1 / sqrt(2) and 1 / sqrt(5).
    for part in ["<li title=\"9.jpg\"><img src=\"data:image/jpeg;", "<p>rim, 0.71</p>", "<p>rim, 0.45</p>"] {
        assert!(page.contains(part), "{part}");
    }
    let figures: serde_json::Value = serde_json::from_str(&file_of(&evaluation, "report.json")).unwrap();
    let nearest = &figures["mistakes"][0]["nearest"];
    assert_eq!((&nearest[0]["path"], &nearest[0]["label"]), (&"9.jpg".into(), &"rim".into()));
    assert_near(nearest[1]["similarity"].as_f64().unwrap(), 0.2_f64.sqrt());
    assert_eq!(figures["falseIdentifications"][0]["nearest"].as_array().map(Vec::len), Some(3));

    let right = self::measurement(|_| true);
    assert_eq!(made(&dataset, &right).n_compared(), 0, "without a mistake nothing is embedded");
}

#[test]
fn mistakes_are_listed_as_possible_label_errors() {
    let (_folder, dataset) = photographs();
    let measurement = measurement(|index| index != 7);
    let evaluation = made(&dataset, &measurement);
    let list = String::from_utf8(wrong_labels_csv(&evaluation)).unwrap();
    let expected = "path,label,likely_label,label_probability,likely_probability,rank\n\
                    7.jpg,rim,brake-rotor,0.0800,0.9000,1\n";
    assert_eq!(list, expected);
    // No photograph is labelled brake rotor, so that class has no threshold.
    assert_eq!(evaluation.n_confidently_wrong_labels(), 0);
}

#[test]
fn the_accuracy_with_the_likely_labels_is_stated() {
    let (_folder, dataset) = photographs();
    // Eight brake rotors, and a rim each that is surely a brake rotor and a spark plug; no label is spark plug.
    let mut measurement = measurement(|index| index >= 8 && index != 30);
    for photo in &mut measurement.photos[..8] {
        photo.truth = Truth::Class(0);
    }
    measurement.photos[31].answer.guesses[0].class = 2;
    let evaluation = made(&dataset, &measurement);
    assert_eq!(evaluation.top1_with_likely_labels(), Some(Share { count: 59, total: 60 }));
    let (_, page) = written(&evaluation);
    let sentence = "<p>1 of these 60 labels is probably wrong. If it is, and the likely label is right, top-1 accuracy \
                    is 98.3%.</p>";
    assert!(page.contains(sentence), "{page}");
    let summary = crate::summary_json(&evaluation);
    assert_eq!(
        (&summary["wrongLabels"], &summary["top1WithLikelyLabels"]),
        (&1.into(), &(59.0 / 60.0).into())
    );

    let without = self::measurement(|index| index != 7);
    let without = made(&dataset, &without);
    assert_eq!((without.top1_with_likely_labels(), crate::label_noise(&without)), (None, None));
}

#[test]
fn a_set_of_the_most_types_counts_and_a_larger_one_does_not() {
    let (_folder, dataset) = photographs();
    let mut measurement = measurement(|_| true);
    measurement.model.labels =
        (0..8).map(|class| PartLabel::new(&format!("part-{class}")).unwrap()).collect();
    for (sample, photo) in measurement.photos.iter_mut().enumerate() {
        let n_reaching = if sample == 0 { 6 } else { 5 };
        let confidence = |class: usize| if class < n_reaching { 0.15 } else { 0.02 };
        photo.answer.guesses = (0..8).map(|class| Guess { class, confidence: confidence(class) }).collect();
        photo.answer.verdict = Verdict::NotSure;
    }
    let counted = |measurement: &Measurement| {
        let (_, sets) = made(&dataset, measurement).sets().unwrap();
        (sets.without, sets.overall.held.total, sets.overall.total_size)
    };
    measurement.model.sets = Some(SetCalibration { coverage: 0.9, probability: 0.1 });
    assert_eq!(counted(&measurement), (1, N - 1, 5 * (N - 1)));
    // Of guesses below 0.001 only the first five are kept.
    for photo in &mut measurement.photos {
        photo.answer.guesses.truncate(5);
    }
    measurement.model.sets = Some(SetCalibration { coverage: 0.9, probability: 0.0005 });
    assert_eq!(counted(&measurement), (N, 0, 0));
}

#[test]
fn the_power_rests_on_number_and_accuracy() {
    let (_folder, dataset) = photographs();
    let half = measurement(|index| index % 2 == 0);
    let half = made(&dataset, &half).figures.smallest_difference.unwrap();
    // Of 60 photographs at a discordance of 0.5, by scipy.optimize.brentq on Connor's formula.
    assert_near(half, 0.250_755);
}

#[test]
fn a_report_is_reproduced_by_the_same_answers_alone() {
    let (_folder, mut dataset) = photographs();
    let same = measurement(|index| index >= N / 4);
    let (report, _) = written(&made(&dataset, &same));
    assert_eq!(report.provenance.arguments, ["eval", "list.csv"]);
    let differing = |dataset: &Dataset, measurement: &Measurement| -> Vec<String> {
        let checks = verify(&made(dataset, measurement), &report, 0.001);
        checks.into_iter().filter(|check| !check.agrees).map(|check| check.name).collect()
    };
    assert_eq!(differing(&dataset, &same), [""; 0]);
    let names = differing(&dataset, &measurement(|index| index > N / 4));
    assert!(names.contains(&"top1".to_owned()), "{names:?}");
    assert!(names.contains(&"photographs with another best guess".to_owned()), "{names:?}");
    assert!(!names.iter().any(|name| name.contains("SHA-256")), "{names:?}");
    dataset.labels[0] = "piston".to_owned();
    assert_eq!(differing(&dataset, &same), ["photographs and labels (SHA-256)"]);
}

#[test]
fn drift_is_seen_in_the_confidences_alone() {
    let (_folder, dataset) = photographs();
    let before = measurement(|_| true);
    let (report, _) = written(&made(&dataset, &before));
    let same = Drift::new(&report, &before.photos, None);
    assert_eq!((same.n_before, same.n_now, same.n_identified), (N, N, N));
    assert!(same.shifts.iter().all(|shift| !shift.is_shifted()), "{same:?}");

    let mut unsure = measurement(|_| true);
    for photo in &mut unsure.photos[..N / 2] {
        photo.answer.guesses[0].confidence = 0.4;
        photo.answer.verdict = Verdict::NotSure;
    }
    let drift = Drift::new(&report, &unsure.photos, None);
    let shifted: Vec<&str> =
        drift.shifts.iter().filter(|shift| shift.is_shifted()).map(|shift| shift.name).collect();
    assert_eq!((shifted, drift.n_identified), (vec!["confidence"], N / 2));
    assert_near(drift.shifts[0].test.distance, 0.5);
    assert!((drift.shifts[0].mean_now - 0.65).abs() < 1e-3, "{drift:?}");
    assert!(Drift::new(&report, &[], None).shifts.is_empty());
}

#[test]
fn a_drop_fails_overall_and_in_its_slice() {
    let (_folder, dataset) = photographs();
    let before = measurement(|_| true);
    let (report, _) = written(&made(&dataset, &before));
    let after = measurement(|index| index < 3 * N / 4);
    let mut evaluation = made(&dataset, &after);
    let gate = Gate::new(&evaluation, &report, 0.05);
    assert_eq!((gate.overall.outcomes.only_first, gate.n_unpaired), (15, 0));
    assert_eq!(gate.overall.verdict, GateVerdict::Failed);
    let failed: Vec<&str> = gate.failed_slices().map(|slice| slice.value.as_str()).collect();
    assert!(failed.contains(&"south") && !failed.contains(&"north"), "{failed:?}");
    assert_near(gate.slices[0].change.difference.unwrap(), -1.0);

    evaluation.gate = Some(gate);
    let (_, page) = written(&evaluation);
    assert!(page.contains("failed: the drop is larger than the allowed 5.0 points"), "{page}");
    let unchanged = Gate::new(&made(&dataset, &before), &report, 0.2);
    assert_eq!(unchanged.overall.verdict, GateVerdict::Held);
    assert!(!unchanged.has_failed());
}
