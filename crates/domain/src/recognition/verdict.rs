use serde::{Deserialize, Serialize};

use crate::PartLabel;

named! {
    /// The verdict of a scan.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Verdict {
        /// Sure enough to act on.
        Identified = "identified",
        /// A part, but which one is open; the best guess and the alternatives say what it could be.
        NotSure = "not-sure",
        /// None of the known part types is in the photograph.
        NotAPart = "not-a-part",
    }
}

impl Verdict {
    /// The verdict for one photograph's calibrated figures, both in 0..=1.
    pub fn decide(confidence: f32, known_score: f32, thresholds: &VerdictThresholds) -> Self {
        // First, because class probabilities are meaningless for a photograph of something else.
        if known_score < thresholds.not_a_part_below {
            Self::NotAPart
        } else if thresholds.let_known_score_through(known_score)
            && reaches(confidence, thresholds.identified_confidence)
        {
            Self::Identified
        } else {
            Self::NotSure
        }
    }
}

/// Whether a score reaches a threshold. A threshold of 1 means never, because scores near 1 round to 1 in f32.
fn reaches(score: f32, threshold: f32) -> bool {
    score >= threshold && threshold < 1.0
}

/// Thresholds between the three verdicts. The values come from a model's manifest, never from code.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct VerdictThresholds {
    /// Below this known score a photograph shows no part.
    pub not_a_part_below: f32,
    /// Minimum known score of a sure identification; with 1, none is sure.
    pub identified_known_score: f32,
    /// Minimum confidence of a sure identification; with 1, none is sure.
    pub identified_confidence: f32,
    /// At or above this summed probability a category may answer for its types (see
    /// [`CategoryGuess::roll_up`](crate::CategoryGuess::roll_up)); `None` where nothing is rolled up, as in receipts
    /// older than the rule.
    #[serde(default)]
    pub category_confidence: Option<f32>,
}

impl VerdictThresholds {
    /// Whether an identification with this known score may be sure.
    pub fn let_known_score_through(&self, known_score: f32) -> bool {
        reaches(known_score, self.identified_known_score)
    }
}

/// A part type that the photograph may show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The type.
    pub label: PartLabel,
    /// Its calibrated probability, in 0..=1.
    pub confidence: f32,
}

#[cfg(test)]
mod tests {
    use super::*;

    const THRESHOLDS: VerdictThresholds = VerdictThresholds {
        not_a_part_below: 0.1,
        identified_known_score: 0.5,
        identified_confidence: 0.8,
        category_confidence: None,
    };

    #[test]
    fn verdicts_part_at_their_thresholds() {
        let cases = [
            (0.99, 0.99, Verdict::Identified),
            (0.8, 0.5, Verdict::Identified),
            (0.79, 0.99, Verdict::NotSure),
            (0.99, 0.49, Verdict::NotSure),
            (0.1, 0.1, Verdict::NotSure),
            (0.99, 0.09, Verdict::NotAPart),
            (f32::NAN, 0.9, Verdict::NotSure),
        ];
        for (confidence, known_score, expected) in cases {
            assert_eq!(
                Verdict::decide(confidence, known_score, &THRESHOLDS),
                expected,
                "{confidence} {known_score}"
            );
        }
    }

    #[test]
    fn a_threshold_of_1_is_never_reached() {
        let by_confidence = VerdictThresholds { identified_confidence: 1.0, ..THRESHOLDS };
        let by_known_score = VerdictThresholds { identified_known_score: 1.0, ..THRESHOLDS };
        for thresholds in [by_confidence, by_known_score] {
            assert_eq!(Verdict::decide(1.0, 1.0, &thresholds), Verdict::NotSure, "{thresholds:?}");
        }
    }

    #[test]
    fn a_verdict_is_found_by_its_wire_name() {
        for verdict in [Verdict::Identified, Verdict::NotSure, Verdict::NotAPart] {
            assert_eq!(Verdict::from_name(verdict.as_str()), Some(verdict));
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.as_str());
        }
    }

    #[test]
    fn thresholds_kept_before_there_was_roll_up_are_read() {
        let old = r#"{"not_a_part_below":0.1,"identified_known_score":0.5,"identified_confidence":0.8}"#;
        assert_eq!(serde_json::from_str::<VerdictThresholds>(old).unwrap(), THRESHOLDS);
        let new = VerdictThresholds { category_confidence: Some(0.75), ..THRESHOLDS };
        let text = serde_json::to_string(&new).unwrap();
        assert_eq!(serde_json::from_str::<VerdictThresholds>(&text).unwrap(), new);
    }
}
