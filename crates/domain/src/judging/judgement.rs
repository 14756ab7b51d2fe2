//! The judgement of a vision LLM on a photograph, and how it is weighed.

use serde::{Deserialize, Serialize};

use crate::PartLabel;
use crate::recognition::{Candidate, Verdict, VerdictThresholds};
use crate::text::clean_line;

/// The judge's answer. Its texts are stored and shown, and affect nothing else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Judgement {
    /// Which of the offered types it named; `None` for "none of these".
    pub label: Option<PartLabel>,
    /// Its stated confidence, in 0..=1. Not calibrated, and not used for the scan's confidence.
    pub stated_confidence: f32,
    /// Visible evidence for its answer.
    pub evidence: String,
    /// Part numbers that it read in the photograph.
    pub part_numbers: Vec<String>,
    /// Which photograph would help more, if any.
    pub better_photo: Option<String>,
}

impl Judgement {
    /// Maximum of characters of a text.
    pub const MAX_TEXT_CHARS: usize = 500;
    /// Maximum of part numbers.
    pub const MAX_PART_NUMBERS: usize = 10;
    /// Maximum of characters of a part number.
    pub const MAX_PART_NUMBER_CHARS: usize = 40;

    /// The judgement with its values bounded: confidence clamped to 0..=1, control characters and bidirectional
    /// controls removed, long texts and lists truncated.
    #[must_use]
    pub fn bounded(self) -> Self {
        let Self { label, stated_confidence, evidence, part_numbers, better_photo } = self;
        let mut part_numbers: Vec<String> =
            part_numbers.iter().map(|number| clean_line(number, Self::MAX_PART_NUMBER_CHARS)).collect();
        part_numbers.retain(|number| !number.is_empty());
        // After empty ones are removed, so that they do not count.
        part_numbers.truncate(Self::MAX_PART_NUMBERS);
        Self {
            label,
            stated_confidence: if stated_confidence.is_nan() {
                0.0
            } else {
                stated_confidence.clamp(0.0, 1.0)
            },
            evidence: clean_line(&evidence, Self::MAX_TEXT_CHARS),
            part_numbers,
            better_photo: better_photo
                .map(|text| clean_line(&text, Self::MAX_TEXT_CHARS))
                .filter(|text| !text.is_empty()),
        }
    }
}

named! {
    /// How the verdict of a scan was reached.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum VerdictPath {
        /// By the model on this machine alone.
        #[default]
        Local = "local",
        /// With a reused judgement on a near-duplicate.
        Reused = "reused",
        /// With a judgement on this photograph.
        Llm = "llm",
    }
}

named! {
    /// Why a scan has no judgement.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum NotJudged {
        /// The model on this machine was sure.
        Sure = "sure",
        /// It is one of several look-alikes, which a photograph cannot tell apart.
        LookAlikes = "look-alikes",
        /// This server has no judge.
        NotConfigured = "not-configured",
        /// There is no consent to send photographs, or the person has refused it for theirs.
        NotAllowed = "not-allowed",
        /// The plan does not include it.
        NotInPlan = "not-in-plan",
        /// The photograph cannot be compared or sent: the model gave no usable embedding, or no JPEG could be made.
        NotPossible = "not-possible",
        /// The tenant's daily budget is spent.
        TenantDayBudget = "tenant-day-budget",
        /// The tenant's monthly budget is spent.
        TenantMonthBudget = "tenant-month-budget",
        /// The server's daily budget is spent.
        ServerDayBudget = "server-day-budget",
        /// The server's monthly budget is spent.
        ServerMonthBudget = "server-month-budget",
        /// The limit of concurrent questions is reached, or all remaining money is reserved for running ones.
        Busy = "busy",
        /// The circuit breaker is open after repeated failures.
        CircuitOpen = "circuit-open",
        /// No answer in time.
        TimedOut = "timed-out",
        /// No connection.
        Unreachable = "unreachable",
        /// The judge's rate limit was exceeded.
        RateLimited = "rate-limited",
        /// The judge failed with a server error.
        ServerError = "server-error",
        /// The judge rejected our API key.
        KeyRejected = "key-rejected",
        /// The judge rejected the request.
        RequestRejected = "request-rejected",
        /// The judge refused to answer for this photograph.
        Refused = "refused",
        /// The answer exceeded the size limit.
        AnswerTooLarge = "answer-too-large",
        /// The answer had an invalid form, or named a type that was not offered.
        AnswerUnreadable = "answer-unreadable",
        /// An internal error of this server.
        Internal = "internal",
    }
}

/// The local answer, updated with a judgement.
#[derive(Debug, Clone, PartialEq)]
pub struct WeighedVerdict {
    /// By the same thresholds as without a judge. Never [`Verdict::NotAPart`], which only the local model decides.
    pub verdict: Verdict,
    /// All candidates, the most probable first, with their probabilities in 0..=1.
    pub candidates: Vec<Candidate>,
    /// Known score: probability that the photograph shows one of the known types, in 0..=1.
    pub known_score: f32,
}

/// Updates the model's probabilities with the judge's answer: one step of Bayes' rule.
///
/// `candidates` are those offered to the judge besides "none of these", with the model's calibrated probabilities
/// `p_i`. `known_score` is `s` in 0..=1, capped at 0.99. `trust` is `a` in 0..=1, the assumed accuracy of the
/// judge. The prior of a candidate is `s p_i`, and that of "none of these" the rest to 1. The judge names the right
/// one with probability `a`, and each of the other `n` with `(1 - a) / n`; each prior is multiplied by its
/// likelihood, and the products are normalised to the sum 1. The known score is updated in the same way: a named
/// type raises it, "none of these" lowers it.
///
/// The judge's stated confidence is not used: it is not calibrated. `trust` is a setting, because the accuracy was
/// not measured yet.
///
/// `None` if `label` is not among the candidates.
pub fn weigh_judgement(
    candidates: &[Candidate],
    known_score: f32,
    label: Option<&PartLabel>,
    trust: f32,
    thresholds: &VerdictThresholds,
) -> Option<WeighedVerdict> {
    if label.is_some_and(|label| !candidates.iter().any(|candidate| candidate.label == *label)) {
        return None;
    }
    // Bounded away from certainty: with trust 1 the model would not count, with a prior of 1 the judge would not
    // count, and both together would give 0 / 0.
    let trust = if trust.is_nan() { 0.5 } else { trust.clamp(0.01, 0.99) };
    let known_score = share(known_score).min(0.99);
    let n_others = candidates.len().max(1) as f32;
    let likelihood = |is_named: bool| if is_named { trust } else { (1.0 - trust) / n_others };

    let priors: Vec<f32> =
        candidates.iter().map(|candidate| known_score * share(candidate.confidence)).collect();
    // Types that were not offered, and photographs without a part.
    let rest = (1.0 - priors.iter().sum::<f32>()).max(0.0);
    let weights: Vec<f32> = candidates
        .iter()
        .zip(&priors)
        .map(|(candidate, prior)| prior * likelihood(label == Some(&candidate.label)))
        .collect();
    let sum = weights.iter().sum::<f32>() + rest * likelihood(label.is_none());
    let mut weighed: Vec<Candidate> = candidates
        .iter()
        .zip(&weights)
        .map(|(candidate, weight)| Candidate {
            label: candidate.label.clone(),
            confidence: if sum > 0.0 { share(weight / sum) } else { 0.0 },
        })
        .collect();
    // Stable, so that ties keep the model's order.
    weighed.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));

    let (if_known, if_not) = if label.is_some() { (trust, 1.0 - trust) } else { (1.0 - trust, trust) };
    // Bayes' rule for two cases: a known part, and anything else.
    let known = known_score * if_known;
    let known_score = share(known / (known + (1.0 - known_score) * if_not));
    let confidence = weighed.first().map_or(0.0, |best| best.confidence);
    let verdict = match Verdict::decide(confidence, known_score, thresholds) {
        // "None of these" never makes an answer sure, whatever the confidence of the best guess.
        Verdict::Identified if label.is_some() => Verdict::Identified,
        _ => Verdict::NotSure,
    };
    Some(WeighedVerdict { verdict, candidates: weighed, known_score })
}

fn share(value: f32) -> f32 {
    if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) }
}

/// A shop's chosen budget for the judge, in millionths of a dollar; `None` for the server's limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JudgeBudgetChoice {
    /// In a day of UTC.
    pub day: Option<u64>,
    /// In a month of UTC.
    pub month: Option<u64>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const THRESHOLDS: VerdictThresholds = VerdictThresholds {
        not_a_part_below: 0.1,
        identified_known_score: 0.6,
        identified_confidence: 0.8,
        category_confidence: None,
    };

    fn label(name: &str) -> PartLabel {
        PartLabel::new(name).unwrap()
    }

    fn candidates(confidences: &[f32]) -> Vec<Candidate> {
        let numbered = confidences.iter().enumerate();
        numbered
            .map(|(index, &confidence)| Candidate { label: label(&format!("part-{index}")), confidence })
            .collect()
    }

    fn weigh(confidences: &[f32], known_score: f32, named: Option<&str>) -> WeighedVerdict {
        let named = named.map(label);
        weigh_judgement(&candidates(confidences), known_score, named.as_ref(), 0.9, &THRESHOLDS).unwrap()
    }

    #[test]
    fn a_judge_who_agrees_makes_it_sure_and_one_who_differs_does_not() {
        let agreed = weigh(&[0.6, 0.3, 0.1], 0.9, Some("part-0"));
        assert_eq!(agreed.verdict, Verdict::Identified);
        assert_eq!(agreed.candidates[0].label.as_str(), "part-0");
        // By hand: 0.54 * 0.9 against (0.27 + 0.09 + 0.1) * 0.1 / 3.
        assert!((agreed.candidates[0].confidence - 0.486 / (0.486 + 0.46 / 30.0)).abs() < 1e-5);
        assert!((agreed.known_score - 0.81 / 0.82).abs() < 1e-5);

        let other = weigh(&[0.6, 0.3, 0.1], 0.9, Some("part-2"));
        assert_eq!(other.candidates[0].label.as_str(), "part-2");
        assert_eq!(other.verdict, Verdict::NotSure);
        assert!(other.candidates[0].confidence < 0.8);

        let none = weigh(&[0.6, 0.3, 0.1], 0.9, None);
        assert_eq!(none.verdict, Verdict::NotSure);
        assert_eq!(none.candidates[0].label.as_str(), "part-0");
        assert!(none.candidates[0].confidence < 0.2 && none.known_score < 0.6);
    }

    #[test]
    fn a_judge_never_turns_a_photograph_into_no_part_or_none_into_sure() {
        assert_eq!(weigh(&[0.2], 0.05, None).verdict, Verdict::NotSure);
        assert_eq!(weigh(&[1.0], 1.0, None).verdict, Verdict::NotSure);
    }

    #[test]
    fn what_was_not_offered_is_not_weighed() {
        let offered = candidates(&[0.5]);
        assert_eq!(weigh_judgement(&offered, 0.9, Some(&label("rim")), 0.9, &THRESHOLDS), None);
    }

    #[test]
    fn texts_are_cut_and_cleaned() {
        let judgement = Judgement {
            label: None,
            stated_confidence: 87.0,
            evidence: format!("a\u{0}\u{1b}[31m\u{202e}b\nc {}", "x".repeat(900)),
            part_numbers: std::iter::repeat_n(" 123-\u{7}456 ".to_owned(), 50)
                .chain([String::new()])
                .collect(),
            better_photo: Some("\u{200b}\n ".to_owned()),
        }
        .bounded();
        assert!((judgement.stated_confidence - 1.0).abs() < f32::EPSILON);
        assert!(judgement.evidence.starts_with("a[31mb c x"), "{}", judgement.evidence);
        assert_eq!(judgement.evidence.chars().count(), 500);
        assert_eq!((judgement.part_numbers.len(), judgement.part_numbers[0].as_str()), (10, "123-456"));
        assert_eq!(judgement.better_photo, None);
    }

    #[test]
    fn names_on_the_wire_are_those_that_are_stored() {
        for path in VerdictPath::ALL {
            assert_eq!(serde_json::to_value(path).unwrap(), path.as_str());
        }
        for (index, reason) in NotJudged::ALL.into_iter().enumerate() {
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.as_str());
            assert_eq!(reason as usize, index);
        }
    }

    proptest! {
        #[test]
        fn what_comes_out_is_a_distribution_and_the_named_one_gains(
            confidences in prop::collection::vec(0.0_f32..1.0, 1..6),
            known_score in 0.0_f32..=0.99,
            trust in 0.5_f32..=1.0,
            named in 0_usize..6,
        ) {
            let sum: f32 = confidences.iter().sum::<f32>().max(1.0);
            let offered = candidates(&confidences.iter().map(|value| value / sum).collect::<Vec<_>>());
            let named = offered.get(named).map(|candidate| candidate.label.clone());
            let weighed =
                weigh_judgement(&offered, known_score, named.as_ref(), trust, &THRESHOLDS).unwrap();
            let total: f32 = weighed.candidates.iter().map(|candidate| candidate.confidence).sum();
            prop_assert!(total <= 1.0 + 1e-4);
            prop_assert!((0.0..=1.0).contains(&weighed.known_score));
            prop_assert!(weighed.candidates.is_sorted_by(|a, b| a.confidence >= b.confidence));
            if let Some(named) = named {
                let of = |list: &[Candidate]| list.iter().find(|c| c.label == named).unwrap().confidence;
                prop_assert!(of(&weighed.candidates) >= known_score * of(&offered) - 1e-4);
            }
        }
    }
}
