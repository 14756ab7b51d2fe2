//! The dial: which error rate a shop accepts, and the measured effect of each choice.

use partsight_domain::{Dial, DialMark, ErrorRate, TenantId, User, VerdictThresholds};

use crate::Result;
use crate::accounts::owner::may_decide;
use crate::teaching::Teaching;

/// The dial as a user sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct DialStatus {
    /// The error rate that the shop chose; `None` for the model's own threshold.
    pub choice: Option<ErrorRate>,
    /// Whether the user may choose for the shop.
    pub may_change: bool,
    /// What the model offers.
    pub dial: Dial,
    /// How the marks were measured, and the probability with which their bounds hold, in words.
    pub rule: String,
    /// The photographs of the measurement, in words; `None` if there was none.
    pub measured_on: Option<String>,
    /// Whether the confidence is fitted to the shop's feedback. The marks were measured without that, so their bounds
    /// do not hold then.
    pub is_confidence_fitted: bool,
    /// Money that is reserved for a question to the judge, in millionths of a dollar; `None` without a judge.
    pub judge_question_cost: Option<u64>,
}

impl DialStatus {
    /// Whether the bound of a mark holds here, with the probability that the rule states.
    pub fn is_guaranteed(&self, mark: &DialMark) -> bool {
        mark.is_met() && !self.is_confidence_fitted
    }

    /// What the judge would cost for 1,000 scans of photographs like those measured, in millionths of a dollar.
    pub fn judge_cost_of_1000(&self, mark: &DialMark) -> Option<u64> {
        let share = mark.share(|counts| counts.not_sure)?;
        Some((self.judge_question_cost? as f64 * share * 1000.0).round() as u64)
    }
}

impl Teaching {
    /// The error rate that the user's shop accepts, and the choices with their effects.
    pub async fn dial(&self, user: &User) -> Result<DialStatus> {
        let thresholds = &self.identifier.manifest().thresholds;
        Ok(DialStatus {
            choice: self.store.dial_choice(user.shop_tenant()).await?,
            may_change: may_decide(user).is_ok(),
            dial: self.identifier.dial().clone(),
            rule: thresholds.derived_by.clone(),
            measured_on: thresholds.risk_measured_on.clone(),
            is_confidence_fitted: self.feedback_temperature(user.shop_tenant()).await?.is_some(),
            judge_question_cost: self.judging.judge_question_cost(),
        })
    }

    /// Chooses the percentage of answers that may be wrong, for the user or for all members of the company; `None`
    /// returns to the model's own threshold.
    ///
    /// # Errors
    /// [`Error::Forbidden`](crate::Error::Forbidden) for a member of a company who does not manage it,
    /// [`Error::Invalid`](crate::Error::Invalid) for a choice that the model does not offer.
    pub async fn set_dial(&self, user: &User, max_wrong_percent: Option<f64>) -> Result<DialStatus> {
        may_decide(user)?;
        let choice = max_wrong_percent.map(|percent| self.identifier.dial().choose(percent)).transpose()?;
        self.store.set_dial_choice(user.shop_tenant(), choice, self.clock.now()).await?;
        tracing::info!(dial.max_wrong_percent = max_wrong_percent, "a shop has set the dial");
        self.dial(user).await
    }

    /// The thresholds that hold for the scans of a shop.
    pub(crate) async fn thresholds_of(&self, tenant_id: TenantId) -> Result<VerdictThresholds> {
        let choice = self.store.dial_choice(tenant_id).await?;
        Ok(self.identifier.dial().thresholds(choice))
    }
}
