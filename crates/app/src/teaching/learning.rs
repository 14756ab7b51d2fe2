//! What a shop lets the server learn from its feedback, and what that has led to.

use partsight_domain::{LearningChoice, TenantCalibration, User};
use partsight_store::FeedbackCounts;

use crate::Result;
use crate::accounts::owner::may_decide;
use crate::teaching::Teaching;

/// What the feedback of a shop has led to.
#[derive(Debug, Clone, PartialEq)]
pub struct LearningStatus {
    /// What the shop lets the server learn.
    pub choice: LearningChoice,
    /// Whether the user may choose for the shop.
    pub may_change: bool,
    /// What was said of the scans that are kept.
    pub counts: FeedbackCounts,
    /// The shop's own calibration of the model in use, or the last attempt at one.
    pub calibration: Option<TenantCalibration>,
}

impl Teaching {
    /// What the feedback of a user's shop has led to.
    pub async fn learning(&self, user: &User) -> Result<LearningStatus> {
        let shop = user.shop_tenant();
        Ok(LearningStatus {
            choice: self.store.learning_choice(shop).await?.unwrap_or_default(),
            may_change: may_decide(user).is_ok(),
            counts: self.store.count_feedback(shop).await?,
            calibration: self.calibration_of(shop).await?,
        })
    }

    /// Notes what a user's shop lets the server learn: the user alone, or all members of the company.
    ///
    /// # Errors
    /// [`Error::Forbidden`](crate::Error::Forbidden) for a member of a company who does not manage it.
    pub async fn set_learning(&self, user: &User, choice: LearningChoice) -> Result<LearningStatus> {
        may_decide(user)?;
        self.store.set_learning_choice(user.shop_tenant(), choice, self.clock.now()).await?;
        self.learning(user).await
    }
}
