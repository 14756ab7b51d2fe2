use crate::InvalidInput;
use crate::recognition::VerdictThresholds;

/// Maximum accepted share of wrong answers, in hundredths of a percent: 1 to 9,999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ErrorRate(u16);

impl ErrorRate {
    /// The rate in hundredths of a percent; `None` outside 1 to 9,999.
    pub fn from_hundredths(hundredths: i64) -> Option<Self> {
        u16::try_from(hundredths).ok().filter(|rate| (1..=9999).contains(rate)).map(Self)
    }

    /// The rate nearest to a share in 0..=1; `None` if it rounds to 0 or 1.
    pub fn from_share(share: f64) -> Option<Self> {
        Self::from_hundredths((share * 10_000.0).round() as i64)
    }

    /// In hundredths of a percent.
    pub const fn hundredths(self) -> u16 {
        self.0
    }

    /// In percent, greater than 0 and less than 100.
    pub fn percent(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

/// Number of each verdict at a mark, among the `n` photographs of known parts that it was measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerdictCounts {
    /// Identified.
    pub identified: u64,
    /// Wrong ones among the identified.
    pub identified_wrong: u64,
    /// Not sure, which a judge could answer.
    pub not_sure: u64,
}

/// A choice on the dial: a maximum error rate, and the model's measured figures for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DialMark {
    /// The maximum error rate.
    pub max_wrong: ErrorRate,
    /// The confidence from which answers are given, in 0..=1.
    pub identified_confidence: f64,
    /// Upper confidence bound, at 95%, of the share of wrong answers from that confidence, in 0..=1: of those about
    /// photographs of types that the model has learnt.
    pub error_upper_bound: f64,
    /// Photographs that it was measured on.
    pub n: u64,
    /// Their verdicts; `None` if they were not counted.
    pub counts: Option<VerdictCounts>,
}

impl DialMark {
    /// Whether the bound is within the maximum error rate. If not, there were too few photographs to guarantee it, and
    /// the mark is the lowest one above every wrong answer on them, or that of a laxer mark if it is higher.
    pub fn is_met(&self) -> bool {
        self.error_upper_bound <= self.max_wrong.percent() / 100.0
    }

    /// A count as a share of the photographs, in 0..=1.
    pub fn share(&self, count: impl Fn(&VerdictCounts) -> u64) -> Option<f64> {
        self.counts.as_ref().map(|counts| count(counts) as f64 / self.n as f64)
    }
}

/// A model's own thresholds, and the marks that a shop can choose instead.
#[derive(Debug, Clone, PartialEq)]
pub struct Dial {
    /// The model's own.
    pub model: VerdictThresholds,
    /// Sorted by ascending error rate.
    pub marks: Vec<DialMark>,
}

impl Dial {
    /// The mark in force for a choice: its own; else the next stricter one, if the model was not measured at it; else
    /// the strictest. `None` without a choice or without marks, when the model's own thresholds apply.
    pub fn mark(&self, choice: Option<ErrorRate>) -> Option<&DialMark> {
        let choice = choice?;
        // From the end, to find the least strict mark within the chosen error rate.
        self.marks.iter().rfind(|mark| mark.max_wrong <= choice).or(self.marks.first())
    }

    /// The thresholds in force for a choice. Only the confidence moves: the model's threshold of the known score was
    /// chosen at the model's own confidence, so a laxer mark calls more photographs of other parts, and of other things,
    /// identified than that threshold was chosen for. The threshold of categories is at least that of types, and at least the
    /// model's own, below which none was measured.
    pub fn thresholds(&self, choice: Option<ErrorRate>) -> VerdictThresholds {
        let Some(mark) = self.mark(choice) else { return self.model };
        let confidence = mark.identified_confidence as f32;
        VerdictThresholds {
            identified_confidence: confidence,
            category_confidence: self.model.category_confidence.map(|category| category.max(confidence)),
            ..self.model
        }
    }

    /// Whether a mark has the confidence of the model's own threshold; of several, the least strict one, because the
    /// bound may not be met for a stricter one.
    pub fn is_models_own(&self, mark: &DialMark) -> bool {
        // Both as f32, in which thresholds are compared; a manifest has more digits.
        let own = self.model.identified_confidence.to_bits();
        let found = self.marks.iter().rfind(|mark| (mark.identified_confidence as f32).to_bits() == own);
        found.is_some_and(|own| own.max_wrong == mark.max_wrong)
    }

    /// Validates a choice in percent.
    ///
    /// # Errors
    /// Names the field `maxWrongPercent` and the choices that the model offers.
    pub fn choose(&self, percent: f64) -> Result<ErrorRate, InvalidInput> {
        // Only marks, because the error rate between them was not measured.
        let offered = self.marks.iter().map(|mark| mark.max_wrong);
        let found = offered.clone().find(|rate| (rate.percent() - percent).abs() < 1e-9);
        found.ok_or_else(|| {
            let offered: Vec<String> = offered.map(|rate| rate.percent().to_string()).collect();
            let message = if offered.is_empty() {
                "The model in use was not measured for other shares of wrong answers; only null can be chosen."
                    .to_owned()
            } else {
                format!("Please choose one of {} percent, or null for the model's own.", offered.join(", "))
            };
            InvalidInput::new("maxWrongPercent", message)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(percent: f64) -> ErrorRate {
        ErrorRate::from_share(percent / 100.0).unwrap()
    }

    fn mark(percent: f64, confidence: f64, bound: f64) -> DialMark {
        let counts = Some(VerdictCounts { identified: 150, identified_wrong: 3, not_sure: 40 });
        DialMark {
            max_wrong: rate(percent),
            identified_confidence: confidence,
            error_upper_bound: bound,
            n: 200,
            counts,
        }
    }

    fn dial() -> Dial {
        let model = VerdictThresholds {
            not_a_part_below: 0.2,
            identified_known_score: 0.8,
            identified_confidence: 0.85,
            category_confidence: Some(0.9),
        };
        Dial { model, marks: vec![mark(1.0, 0.98, 0.03), mark(5.0, 0.85, 0.05), mark(10.0, 0.5, 0.08)] }
    }

    #[test]
    fn a_choice_moves_the_confidence_and_nothing_that_was_not_measured() {
        let dial = dial();
        let thresholds = |percent| dial.thresholds(Some(rate(percent)));
        assert_eq!(dial.thresholds(None), dial.model);
        let strict =
            VerdictThresholds { identified_confidence: 0.98, category_confidence: Some(0.98), ..dial.model };
        assert_eq!(thresholds(1.0), strict);
        assert_eq!(thresholds(10.0), VerdictThresholds { identified_confidence: 0.5, ..dial.model });
    }

    #[test]
    fn a_choice_that_another_model_offered_holds_as_the_next_stricter_one() {
        let dial = dial();
        let confidence = |percent| dial.mark(Some(rate(percent))).unwrap().identified_confidence;
        for (percent, expected) in [(0.5, 0.98), (1.0, 0.98), (4.0, 0.98), (7.0, 0.85), (50.0, 0.5)] {
            assert!((confidence(percent) - expected).abs() < 1e-6, "{percent}");
        }
        let none = Dial { marks: Vec::new(), ..dial };
        assert_eq!((none.mark(Some(rate(5.0))), none.thresholds(Some(rate(5.0)))), (None, none.model));
    }

    #[test]
    fn only_what_is_offered_can_be_chosen() {
        let dial = dial();
        assert_eq!(dial.choose(5.0).unwrap().hundredths(), 500);
        for percent in [0.0, 3.0, -1.0, 100.0, f64::NAN, f64::INFINITY] {
            let error = dial.choose(percent).unwrap_err();
            assert_eq!(error.field, "maxWrongPercent");
            assert!(error.message.contains("1, 5, 10 percent"), "{}", error.message);
        }
        let none = Dial { marks: Vec::new(), ..dial };
        assert!(none.choose(5.0).unwrap_err().message.contains("was not measured"));
    }

    #[test]
    fn a_mark_says_whether_it_is_promised_and_what_it_leaves_open() {
        let dial = dial();
        assert_eq!(dial.marks.iter().map(DialMark::is_met).collect::<Vec<_>>(), [false, true, true]);
        assert_eq!(
            dial.marks.iter().map(|mark| dial.is_models_own(mark)).collect::<Vec<_>>(),
            [false, true, false]
        );
        let mut strict = dial.clone();
        strict.marks[0].identified_confidence = strict.marks[1].identified_confidence;
        assert!(!strict.is_models_own(&strict.marks[0]), "its promise is not what the model promises");
        assert!(strict.is_models_own(&strict.marks[1]));
        assert_eq!(dial.marks[0].share(|counts| counts.not_sure), Some(0.2));
        assert_eq!(DialMark { counts: None, ..dial.marks[0] }.share(|counts| counts.identified), None);
    }

    #[test]
    fn rates_are_kept_in_hundredths_of_a_percent() {
        assert_eq!(ErrorRate::from_share(0.01).map(ErrorRate::hundredths), Some(100));
        assert_eq!(ErrorRate::from_share(0.0), None);
        for hundredths in [0, -1, 10_000, i64::MAX] {
            assert_eq!(ErrorRate::from_hundredths(hundredths), None, "{hundredths}");
        }
    }
}
