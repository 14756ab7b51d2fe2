//! What a shop lets the server learn from its feedback, and the results.

use partsight_domain::{LearningChoice, TenantCalibration, User};
use partsight_store::FeedbackCounts;

use crate::Result;
use crate::accounts::owner::may_decide;
use crate::teaching::Teaching;

/// The results of a shop's feedback.
#[derive(Debug, Clone, PartialEq)]
pub struct LearningStatus {
    /// What the shop lets the server learn.
    pub choice: LearningChoice,
    /// Whether the user may choose for the shop.
    pub may_change: bool,
    /// Feedback on the stored scans, by kind.
    pub counts: FeedbackCounts,
    /// The shop's own calibration of the model in use, or the last attempt.
    pub calibration: Option<TenantCalibration>,
}

impl Teaching {
    /// The results of the feedback of a user's shop.
    pub async fn learning(&self, user: &User) -> Result<LearningStatus> {
        let shop = user.shop_tenant();
        Ok(LearningStatus {
            choice: self.store.learning_choice(shop).await?.unwrap_or_default(),
            may_change: may_decide(user).is_ok(),
            counts: self.store.count_feedback(shop).await?,
            calibration: self.calibration_of(shop).await?,
        })
    }

    /// Saves what a user's shop lets the server learn: for the user alone, or for all members of the company.
    ///
    /// # Errors
    /// [`Error::Forbidden`](crate::Error::Forbidden) for a member of a company who does not manage it.
    pub async fn set_learning(&self, user: &User, choice: LearningChoice) -> Result<LearningStatus> {
        may_decide(user)?;
        self.store.set_learning_choice(user.shop_tenant(), choice, self.clock.now()).await?;
        self.learning(user).await
    }
}
