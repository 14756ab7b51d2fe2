//! The dial: how many wrong answers a shop accepts, and what that was measured to lead to.

use partsight_domain::{Dial, DialMark, ErrorRate, User, VerdictCounts, VerdictThresholds};
use partsight_inference::Thresholds;

use crate::companies::may_decide;
use crate::{App, Result};

/// The dial as a user sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct DialStatus {
    /// What the shop chose; `None` where the model's own threshold holds.
    pub choice: Option<ErrorRate>,
    /// Whether the user may choose for the shop.
    pub may_change: bool,
    /// What the model offers.
    pub dial: Dial,
    /// How the marks came about, and with which probability their bounds hold, in words.
    pub rule: String,
    /// Which photographs the verdicts were counted on, in words; `None` where nobody counted.
    pub measured_on: Option<String>,
    /// Whether the confidence is fitted to the shop's feedback. The marks were measured without that, so none of them
    /// is promised then.
    pub is_confidence_fitted: bool,
    /// What a question to the judge is set aside for, in millionths of a dollar; `None` without a judge.
    pub judge_question_cost: Option<u64>,
}

impl DialStatus {
    /// Whether the bound of a mark holds here with the probability that the rule names.
    pub fn is_guaranteed(&self, mark: &DialMark) -> bool {
        mark.is_met() && !self.is_confidence_fitted
    }

    /// What the judge would cost for 1,000 scans of photographs like those measured, in millionths of a dollar.
    pub fn judge_cost_of_1000(&self, mark: &DialMark) -> Option<u64> {
        let share = mark.share(|counts| counts.not_sure)?;
        Some((self.judge_question_cost? as f64 * share * 1000.0).round() as u64)
    }
}

impl App {
    /// How many wrong answers the user's shop accepts, and the choices with what they lead to.
    pub async fn dial(&self, user: &User) -> Result<DialStatus> {
        let thresholds = &self.identifier.manifest().thresholds;
        Ok(DialStatus {
            choice: self.store.dial_choice(user.shop_tenant()).await?,
            may_change: may_decide(user).is_ok(),
            dial: self.identifier.dial().clone(),
            rule: thresholds.derived_by.clone(),
            measured_on: thresholds.risk_measured_on.clone(),
            is_confidence_fitted: self.feedback_temperature(user.shop_tenant()).await?.is_some(),
            judge_question_cost: self.judge_question_cost(),
        })
    }

    /// Chooses how many percent of the answers may be wrong, for the user or for all members of the company; `None`
    /// goes back to the model's own threshold.
    ///
    /// # Errors
    /// [`Error::Forbidden`](crate::Error::Forbidden) for a member of a company who does not manage it,
    /// [`Error::Invalid`](crate::Error::Invalid) for a choice that the model does not offer.
    pub async fn set_dial(&self, user: &User, max_wrong_percent: Option<f64>) -> Result<DialStatus> {
        may_decide(user)?;
        let choice = max_wrong_percent.map(|percent| self.identifier.dial().choose(percent)).transpose()?;
        self.store.set_dial_choice(user.shop_tenant(), choice, self.now()).await?;
        tracing::info!(dial.max_wrong_percent = max_wrong_percent, "a shop has set the dial");
        self.dial(user).await
    }

    /// The thresholds that hold for a user's scans.
    pub(crate) async fn thresholds_of(&self, user: &User) -> Result<VerdictThresholds> {
        let choice = self.store.dial_choice(user.shop_tenant()).await?;
        Ok(self.identifier.dial().thresholds(choice))
    }
}

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

    /// The level of each of the rule's bounds, which hold together: of its 20, the 331 photographs of 351 that the
    /// known score lets through reach 18.
    const RISK: f64 = (1.0 - GUARANTEE) / 18.0;

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
            assert_eq!(mark.n, 351);
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
