//! The verdict thresholds of the model in use, and those that a shop can choose instead.

use partsight_domain::{Dial, DialMark, ErrorRate, VerdictCounts, VerdictThresholds};
use partsight_inference::Thresholds;

/// The dial of a manifest.
pub(crate) fn dial_of(thresholds: &Thresholds) -> Dial {
    let marks = thresholds.risk.iter().filter_map(|mark| {
        let counted = mark.identified.zip(mark.identified_wrong).zip(mark.not_sure);
        Some(DialMark {
            max_wrong: ErrorRate::from_share(mark.wanted_error)?,
            identified_confidence: mark.identified_confidence,
            error_upper_bound: mark.error_upper_bound,
            n: mark.n,
            counts: counted.map(|((identified, identified_wrong), not_sure)| VerdictCounts {
                identified,
                identified_wrong,
                not_sure,
            }),
        })
    });
    Dial {
        marks: marks.collect(),
        model: VerdictThresholds {
            not_a_part_below: thresholds.not_a_part_below as f32,
            identified_known_score: thresholds.identified_known_score as f32,
            identified_confidence: thresholds.identified_confidence as f32,
            category_confidence: Some(thresholds.category_confidence() as f32),
        },
    }
}

#[cfg(test)]
mod tests {
    use partsight_inference::Model;
    use partsight_inference::calibration::{GUARANTEE, error_upper_bound};

    use super::*;

    /// The level of each of the bounds of the rule's 20 candidates, which hold together.
    const RISK: f64 = (1.0 - GUARANTEE) / 20.0;

    #[test]
    fn the_dial_of_the_shipped_model_is_whole_and_consistent() {
        let model = Model::embedded().unwrap();
        let thresholds = &model.manifest().thresholds;
        let dial = dial_of(thresholds);
        let rates: Vec<f64> = dial.marks.iter().map(|mark| mark.max_wrong.percent()).collect();
        assert_eq!(rates, [1.0, 2.0, 5.0, 10.0]);
        assert!(thresholds.risk_measured_on.is_some());
        assert_eq!(dial.marks.iter().filter(|mark| dial.is_models_own(mark)).count(), 1);
        for mark in &dial.marks {
            let counts = mark.counts.expect("counted");
            assert_eq!(mark.n, 493);
            assert!(counts.identified + counts.not_sure <= mark.n, "{mark:?}");
            // What is promised of the answers by confidence holds for those that the known score lets through too.
            let bound = error_upper_bound(counts.identified_wrong, counts.identified, RISK);
            assert!(!mark.is_met() || bound <= mark.max_wrong.percent() / 100.0, "{bound} {mark:?}");
        }
        for pair in dial.marks.windows(2) {
            let [strict, lax] = pair else { unreachable!("windows of two") };
            let (before, after) = (strict.counts.expect("counted"), lax.counts.expect("counted"));
            assert!(strict.identified_confidence >= lax.identified_confidence);
            assert!(strict.max_wrong < lax.max_wrong);
            assert!(before.identified <= after.identified && before.not_sure >= after.not_sure);
            assert!(before.identified_wrong <= after.identified_wrong);
        }
    }
}
