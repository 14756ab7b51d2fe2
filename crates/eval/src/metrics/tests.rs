//! The figures are those of published packages, on fixed random scores (numpy 2.4.6, `default_rng(20261130)`).
//!
//! The expected figures were computed with scikit-learn 1.9.1, MAPIE 1.6.0, `SciPy` 1.17.1 and numpy; each test names
//! the functions. `p` is [`PREDICTIONS`] over 1,000, `y` its labels, `guess` is `p.argmax(1)`.
//!
//! Not compared, because these packages have no such figure: the ECE expected by chance, the area under the
//! risk-coverage curve, Newcombe's intervals, and the minimum detectable difference. Label errors are compared with
//! cleanlab, and Fisher's test and false discovery rates with `SciPy`, in their own modules.

use partsight_inference::calibration::{self, Labelled, negative_log_likelihood};

use super::*;
use crate::testing::assert_near;
use crate::{Answer, Guess};

const N_CLASSES: usize = 5;

/// Label, and the probability of each class in thousandths; no two of a row are equal.
const PREDICTIONS: [(usize, [u16; N_CLASSES]); 60] = [
    (4, [186, 430, 3, 135, 246]),
    (3, [7, 3, 1, 977, 12]),
    (2, [44, 96, 835, 11, 14]),
    (1, [126, 667, 83, 44, 80]),
    (4, [39, 57, 3, 11, 890]),
    (2, [20, 82, 879, 8, 11]),
    (4, [51, 298, 147, 29, 475]),
    (0, [16, 10, 179, 183, 612]),
    (3, [14, 43, 730, 169, 44]),
    (2, [48, 187, 626, 117, 22]),
    (2, [3, 10, 960, 4, 23]),
    (2, [3, 9, 781, 16, 191]),
    (1, [261, 329, 14, 208, 188]),
    (2, [57, 13, 677, 234, 19]),
    (4, [46, 326, 98, 190, 340]),
    (3, [13, 3, 32, 945, 7]),
    (2, [21, 169, 47, 623, 140]),
    (4, [191, 54, 30, 37, 688]),
    (2, [133, 114, 304, 423, 26]),
    (4, [437, 78, 9, 35, 441]),
    (2, [115, 376, 186, 177, 146]),
    (4, [42, 16, 2, 12, 928]),
    (3, [487, 102, 371, 19, 21]),
    (2, [69, 21, 455, 285, 170]),
    (3, [141, 367, 68, 86, 338]),
    (3, [523, 158, 91, 134, 94]),
    (2, [368, 289, 69, 136, 138]),
    (1, [35, 820, 22, 113, 10]),
    (0, [104, 172, 622, 53, 49]),
    (3, [667, 153, 45, 38, 97]),
    (4, [77, 39, 9, 222, 653]),
    (3, [228, 30, 79, 627, 36]),
    (4, [7, 12, 677, 181, 123]),
    (1, [234, 734, 12, 6, 14]),
    (0, [634, 289, 19, 30, 28]),
    (3, [224, 94, 8, 399, 275]),
    (2, [156, 54, 512, 52, 226]),
    (0, [942, 7, 11, 26, 14]),
    (2, [40, 2, 921, 14, 23]),
    (2, [83, 32, 821, 49, 15]),
    (4, [177, 62, 35, 87, 639]),
    (0, [539, 73, 238, 107, 43]),
    (4, [18, 4, 43, 13, 922]),
    (4, [8, 24, 35, 59, 874]),
    (4, [183, 231, 42, 62, 482]),
    (2, [94, 23, 348, 3, 532]),
    (0, [990, 4, 3, 2, 1]),
    (1, [530, 156, 50, 245, 19]),
    (3, [39, 24, 18, 754, 165]),
    (0, [877, 44, 46, 4, 29]),
    (4, [21, 127, 18, 235, 599]),
    (0, [61, 631, 289, 9, 10]),
    (2, [37, 1, 953, 5, 4]),
    (1, [86, 303, 160, 133, 318]),
    (0, [947, 4, 9, 3, 37]),
    (3, [157, 168, 73, 575, 27]),
    (1, [6, 924, 38, 7, 25]),
    (4, [63, 157, 6, 86, 688]),
    (4, [27, 67, 19, 10, 877]),
    (2, [8, 28, 896, 47, 21]),
];

/// Known scores of photographs of known labels, some equal to one of the other side.
const KNOWN_SCORES: [f32; 40] = [
    0.76, 0.82, 0.93, 0.4, 0.99, 0.67, 0.75, 0.64, 0.79, 0.62, 0.87, 0.62, 0.48, 0.86, 0.71, 0.71, 0.49,
    0.85, 0.84, 0.72, 0.81, 0.89, 0.62, 0.78, 0.87, 0.94, 0.76, 0.67, 0.65, 0.81, 0.62, 0.84, 0.75, 0.47,
    0.61, 0.72, 0.91, 0.59, 0.8, 0.6,
];

/// Known scores of photographs of unknown labels.
const UNKNOWN_SCORES: [f32; 30] = [
    0.65, 0.34, 0.22, 0.2, 0.52, 0.19, 0.53, 0.38, 0.05, 0.37, 0.24, 0.45, 0.34, 0.34, 0.24, 0.25, 0.56,
    0.33, 0.43, 0.14, 0.14, 0.22, 0.35, 0.27, 0.29, 0.33, 0.54, 0.1, 0.31, 0.76,
];

/// Durations in milliseconds.
const DURATIONS: [f32; 37] = [
    29.6, 18.1, 38.9, 8.2, 24.0, 23.7, 24.8, 8.8, 21.3, 20.0, 16.9, 26.4, 13.1, 42.6, 20.5, 25.2, 32.9, 29.9,
    7.9, 13.9, 27.8, 12.4, 30.0, 18.4, 38.5, 30.2, 43.6, 13.2, 30.4, 11.1, 14.2, 24.5, 5.0, 20.2, 45.8, 56.3,
    38.9,
];

/// The label and the answer of each prediction.
fn answers() -> Vec<(usize, Answer)> {
    let answer = |&(label, thousandths): &(usize, [u16; N_CLASSES])| {
        let guess = |(class, thousandths)| Guess { class, confidence: f32::from(thousandths) / 1000.0 };
        let mut guesses: Vec<Guess> = thousandths.into_iter().enumerate().map(guess).collect();
        guesses.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
        let answer = Answer {
            guesses,
            known_score: 1.0,
            verdict: partsight_domain::Verdict::NotSure,
            timings_ms: partsight_domain::StageTimings::default(),
            fingerprint: partsight_app::Fingerprint::from_bytes(&[0; 30]),
        };
        (label, answer)
    };
    PREDICTIONS.iter().map(answer).collect()
}

/// Confidence of each best guess, and whether it is right.
fn confidences() -> Vec<(f32, bool)> {
    answers()
        .iter()
        .map(|(label, answer)| (answer.best().confidence, answer.best().class == *label))
        .collect()
}

fn assert_all_near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (&found, &expected) in found.iter().zip(expected) {
        assert_near(found, expected);
    }
}

#[test]
fn top_k_accuracy_is_scikit_learns() {
    // sklearn.metrics.top_k_accuracy_score(y, p, k=k).
    for (k, expected) in [(1, 0.716_667), (2, 0.816_667), (3, 0.9), (5, 1.0)] {
        let right = Share::of(answers().iter().map(|(label, answer)| answer.has_in_top(*label, k)));
        assert_near(right.value().unwrap(), expected);
    }
}

#[test]
fn confusion_recall_and_precision_are_scikit_learns() {
    let confusion = Confusion::of(answers().iter().map(|(label, answer)| (*label, answer.best().class)));
    // sklearn.metrics.confusion_matrix(y, guess).
    let expected = [[6, 1, 1, 0, 1], [1, 5, 0, 0, 1], [1, 1, 12, 2, 1], [3, 1, 1, 6, 0], [0, 1, 1, 0, 14]];
    for (label, row) in expected.iter().enumerate() {
        let found: Vec<usize> = (0..N_CLASSES).map(|guess| confusion.count(label, guess)).collect();
        assert_eq!(found, row, "{label}");
    }
    // sklearn.metrics.precision_recall_fscore_support(y, guess).
    let classes = confusion.classes();
    let of = |share: fn(&ClassFigures) -> Share| {
        classes.iter().map(|figures| share(figures).value().unwrap()).collect::<Vec<_>>()
    };
    assert_all_near(&of(|figures| figures.precision), &[0.545_455, 0.555_556, 0.8, 0.75, 0.823_529]);
    assert_all_near(&of(|figures| figures.recall), &[0.666_667, 0.714_286, 0.705_882, 0.545_455, 0.875]);
    // sklearn.metrics.balanced_accuracy_score(y, guess).
    assert_near(confusion.macro_recall().unwrap(), 0.701_458);
}

#[test]
fn the_calibration_error_is_mapies() {
    // mapie.metrics.calibration.expected_calibration_error(guess == y, p.max(1), num_bins=16,
    // split_strategy="uniform"): num_bins is the number of edges there.
    let expected = 0.109_933;
    let bins = calibration_bins(&confidences());
    assert_near(expected_calibration_error(&bins).unwrap(), expected);
    let answers: Vec<(f64, bool)> =
        confidences().iter().map(|&(confidence, is_right)| (f64::from(confidence), is_right)).collect();
    assert_near(calibration::expected_calibration_error(&answers, CALIBRATION_BINS), expected);
}

#[test]
fn the_reliability_diagram_is_scikit_learns() {
    // sklearn.calibration.calibration_curve(guess == y, p.max(1), n_bins=15), which leaves out empty bins.
    let bins: Vec<CalibrationBin> =
        calibration_bins(&confidences()).into_iter().filter(|bin| bin.right.total > 0).collect();
    let accuracies: Vec<f64> = bins.iter().filter_map(|bin| bin.right.value()).collect();
    let confidences: Vec<f64> = bins.iter().filter_map(|bin| bin.mean_confidence).collect();
    assert_all_near(&accuracies, &[0.5, 0.4, 0.5, 0.428_571, 1.0, 0.555_556, 0.571_429, 1.0, 1.0, 1.0, 1.0]);
    assert_all_near(
        &confidences,
        &[
            0.3235, 0.37, 0.43725, 0.505_857, 0.571, 0.629_667, 0.684_857, 0.756_333, 0.825_333, 0.8988,
            0.959_143,
        ],
    );
}

#[test]
fn the_log_loss_is_scikit_learns() {
    let logits: Vec<[f32; N_CLASSES]> = PREDICTIONS
        .iter()
        .map(|(_, thousandths)| thousandths.map(|thousandths| (f32::from(thousandths) / 1000.0).ln()))
        .collect();
    let photos: Vec<Labelled<'_>> = PREDICTIONS
        .iter()
        .zip(&logits)
        .map(|(&(class, _), logits)| Labelled { logits, class, weight: 1.0 })
        .collect();
    // sklearn.metrics.log_loss(y, p).
    assert_near(negative_log_likelihood(&photos, 1.0), 0.900_136);
}

#[test]
fn the_roc_curve_and_its_area_are_scikit_learns() {
    // sklearn.metrics.roc_auc_score.
    assert_near(auroc(&KNOWN_SCORES, &UNKNOWN_SCORES).unwrap(), 0.956_25);
    // sklearn.metrics.roc_curve(drop_intermediate=False), without its first point, and of the others each eighth.
    let curve = roc_curve(&KNOWN_SCORES, &UNKNOWN_SCORES);
    assert_eq!(curve.len(), 51);
    let expected = [
        (0.0, 0.025, 0.99),
        (0.0, 0.275, 0.84),
        (0.033_333, 0.575, 0.72),
        (0.066_667, 0.9, 0.59),
        (0.233_333, 0.975, 0.45),
        (0.566_667, 1.0, 0.31),
        (0.933_333, 1.0, 0.14),
    ];
    for (point, expected) in curve.iter().step_by(8).zip(expected) {
        let found = (point.false_positive_rate, point.true_positive_rate, f64::from(point.threshold));
        assert_all_near(&[found.0, found.1, found.2], &[expected.0, expected.1, expected.2]);
    }
}

#[test]
fn coverage_and_size_of_candidate_sets_are_mapies() {
    // sets = p >= threshold, with the best guess in any case; mapie.metrics.classification:
    // classification_coverage_score(y, sets), also for each class alone, and classification_mean_width_score(sets).
    let cases = [
        (0.3, 0.766_667, 1.116_667, [0.666_667, 0.857_143, 0.823_529, 0.545_455, 0.875]),
        (0.15, 0.833_333, 1.866_667, [0.666_667, 1.0, 0.882_353, 0.636_364, 0.9375]),
        (0.05, 0.933_333, 2.816_667, [0.888_889, 1.0, 0.941_176, 0.818_182, 1.0]),
    ];
    for (threshold, coverage, size, of_classes) in cases {
        let sets: Vec<(usize, Vec<usize>)> = answers()
            .iter()
            .map(|(label, answer)| {
                let n = answer.guesses.iter().filter(|guess| guess.confidence >= threshold).count();
                (*label, answer.guesses.iter().take(n.max(1)).map(|guess| guess.class).collect())
            })
            .collect();
        let found = SetCoverage::of(sets.iter().map(|(label, set)| (*label, Some(set.as_slice()))));
        assert_near(found.overall.held.value().unwrap(), coverage);
        assert_near(found.overall.mean_size().unwrap(), size);
        for (class, figures) in found.classes {
            assert_near(figures.held.value().unwrap(), of_classes[class]);
        }
    }
}

#[test]
fn percentiles_are_numpys() {
    let mut durations = DURATIONS;
    durations.sort_by(f32::total_cmp);
    // numpy.percentile(method="inverted_cdf").
    for (percent, expected) in [(50.0, 24.0), (95.0, 45.8), (99.0, 56.3)] {
        assert_eq!(percentile(&durations, percent), Some(expected), "{percent}");
    }
}

#[test]
fn intervals_and_upper_bounds_of_a_share_are_scipys() {
    // scipy.stats.binomtest(count, total).proportion_ci(method="wilson"), and the upper end of
    // binomtest(count, total, alternative="less").proportion_ci(method="exact").
    let cases = [
        ((43, 60), [0.592_327, 0.814_932], 0.810_737),
        ((0, 7), [0.0, 0.354_330], 0.348_164),
        ((19, 20), [0.763_869, 0.991_119], 0.997_439),
    ];
    for ((count, total), interval, upper_bound) in cases {
        let share = Share { count, total };
        assert_all_near(&share.interval(), &interval);
        assert_near(share.upper_bound(), upper_bound);
    }
}
