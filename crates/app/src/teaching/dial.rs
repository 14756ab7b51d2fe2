//! The dial: how many wrong answers a shop accepts, and what that was measured to lead to.

use partsight_domain::{Dial, DialMark, ErrorRate, TenantId, User, VerdictThresholds};

use crate::Result;
use crate::accounts::owner::may_decide;
use crate::teaching::Teaching;

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

impl Teaching {
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
            judge_question_cost: self.judging.judge_question_cost(),
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
