//! Evaluations for people, and the files of their reports.

use partsight_domain::{
    Evaluation, EvaluationDifference, EvaluationId, EvaluationState, InvalidInput, User, messages,
};

use super::Evaluations;
use crate::accounts::owner::may_decide;
use crate::{Entity, Error, Result};

pub(super) const NOT_FOUND: Error = Error::NotFound { entity: Entity::Evaluation };
/// The file that two evaluations are compared by.
const FIGURES: &str = "report.json";

impl Evaluations {
    /// The evaluations of the user's shop, the newest first, without their figures.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for a member of a company who does not manage it, because evaluations show photographs.
    pub async fn list(&self, user: &User) -> Result<Vec<Evaluation>> {
        may_decide(user)?;
        Ok(self.store.list_evaluations(user.shop_tenant()).await?)
    }

    /// One evaluation with its figures.
    ///
    /// # Errors
    /// As [`list`](Self::list); [`Error::NotFound`] for one that does not exist or is of another shop.
    pub async fn get(&self, user: &User, id: EvaluationId) -> Result<Evaluation> {
        may_decide(user)?;
        self.store.find_evaluation(user.shop_tenant(), id).await?.ok_or(NOT_FOUND)
    }

    /// A file of its report, by its name.
    ///
    /// # Errors
    /// Those of [`get`](Self::get), also if the file does not exist.
    pub async fn file(&self, user: &User, id: EvaluationId, name: &str) -> Result<Vec<u8>> {
        may_decide(user)?;
        let missing = Error::NotFound { entity: Entity::EvaluationFile };
        self.store.find_evaluation_file(user.shop_tenant(), id, name).await?.ok_or(missing)
    }

    /// Cancels an evaluation and deletes its photographs. If it has already ended, nothing changes.
    ///
    /// # Errors
    /// Those of [`get`](Self::get).
    pub async fn cancel(&self, user: &User, id: EvaluationId) -> Result<Evaluation> {
        may_decide(user)?;
        if !self.store.cancel_evaluation(user.shop_tenant(), id, self.clock.now()).await? {
            return Err(NOT_FOUND);
        }
        self.stop_if(id);
        self.get(user, id).await
    }

    /// Deletes an evaluation with its report; a running evaluation is cancelled.
    ///
    /// # Errors
    /// Those of [`get`](Self::get).
    pub async fn delete(&self, user: &User, id: EvaluationId) -> Result<()> {
        may_decide(user)?;
        if !self.store.delete_evaluation(user.shop_tenant(), id, self.clock.now()).await? {
            return Err(NOT_FOUND);
        }
        self.stop_if(id);
        Ok(())
    }

    /// Compares the first evaluation with the second, on the photographs that both contain.
    ///
    /// # Errors
    /// Those of [`get`](Self::get); [`Error::Invalid`] for an evaluation that is not finished.
    pub async fn compare(
        &self,
        user: &User,
        first: EvaluationId,
        second: EvaluationId,
    ) -> Result<EvaluationDifference> {
        let refused = |message: &str| Error::from(InvalidInput::new("with", message));
        let Some(assessor) = self.assessor.clone() else { return Err(refused(messages::EVALUATION_OFF)) };
        let mut files = Vec::new();
        for id in [first, second] {
            if self.get(user, id).await?.state != EvaluationState::Done {
                return Err(refused(messages::EVALUATION_NOT_DONE));
            }
            files.push(self.file(user, id, FIGURES).await?);
        }
        let compared = tokio::task::spawn_blocking(move || assessor.compare(&files[0], &files[1]));
        compared.await.map_err(Error::internal)?.map_err(|sentence| refused(&sentence))
    }
}
