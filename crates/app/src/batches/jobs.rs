//! Creating, starting, cancelling and deleting batches.

use partsight_domain::{
    Batch, BatchId, InvalidInput, MAX_OPEN_BATCHES, ScanSource, User, VehicleId, batch_name, messages,
};
use partsight_store::NewBatch;
use uuid::Uuid;

use crate::batches::Batches;
use crate::erasing::erase_soon;
use crate::{Entity, Error, Result};

const NOT_FOUND: Error = Error::NotFound { entity: Entity::Batch };

/// Form for a new batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewBatchForm {
    /// Name of the batch.
    pub name: String,
    /// The vehicle of all its parts, if any.
    pub vehicle_id: Option<VehicleId>,
    /// Whether text on each photograph is read before it is answered, if the server reads text.
    pub reads_text: bool,
}

impl Batches {
    /// Creates an empty batch.
    ///
    /// # Errors
    /// [`Error::Invalid`] for the name, [`Error::NotFound`] for a vehicle of somebody else, [`Error::Conflict`] at the
    /// account's limit of open batches.
    pub async fn create(&self, user: &User, form: &NewBatchForm, source: ScanSource) -> Result<Batch> {
        let name = batch_name(&form.name)?;
        if let Some(id) = form.vehicle_id {
            self.garage.vehicle(user, id).await?;
        }
        // Counted outside the insert's transaction, so that concurrent calls may exceed the limit by their number.
        if self.store.count_batches(user.tenant_id).await? >= MAX_OPEN_BATCHES {
            return Err(Error::Conflict { field: "batches", message: messages::TOO_MANY_BATCHES });
        }
        let id = BatchId(Uuid::now_v7());
        let new = NewBatch {
            id,
            user_id: user.id,
            name: &name,
            vehicle_id: form.vehicle_id,
            source,
            reads_text: form.reads_text,
        };
        self.store.create_batch(user.tenant_id, &new, self.clock.now()).await?;
        self.get(user, id).await
    }

    /// The batches of the user, the newest first.
    pub async fn list(&self, user: &User) -> Result<Vec<Batch>> {
        let batches = self.store.list_batches(user.tenant_id).await?;
        Ok(batches.into_iter().map(|batch| self.space.explained(batch)).collect())
    }

    /// One batch of the user.
    ///
    /// # Errors
    /// [`Error::NotFound`] for one that does not exist or belongs to somebody else.
    pub async fn get(&self, user: &User, id: BatchId) -> Result<Batch> {
        let batch = self.store.find_batch(user.tenant_id, id).await?.ok_or(NOT_FOUND)?;
        Ok(self.space.explained(batch))
    }

    /// Starts a batch, or continues one that was stopped.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`] without photographs, [`Error::Conflict`] for a cancelled one.
    pub async fn start(&self, user: &User, id: BatchId) -> Result<Batch> {
        let batch = self.get(user, id).await?;
        if !batch.state.can_start() {
            return Err(Error::Conflict { field: "batch", message: messages::BATCH_CANCELLED });
        }
        if batch.counts.total() == 0 {
            return Err(InvalidInput::new("photo", messages::BATCH_EMPTY).into());
        }
        self.store.start_batch(user.tenant_id, id).await?;
        // A batch whose photographs were all refused is done at once.
        self.store.finish_batches(self.clock.now()).await?;
        self.work_came.notify_one();
        self.get(user, id).await
    }

    /// Cancels a batch: waiting photographs are not begun, and those in work are neither saved nor counted.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn cancel(&self, user: &User, id: BatchId) -> Result<Batch> {
        if !self.store.cancel_batch(user.tenant_id, id).await? {
            return Err(NOT_FOUND);
        }
        self.claims.forget(id);
        self.get(user, id).await
    }

    /// Retries the failed and cancelled photographs.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn retry(&self, user: &User, id: BatchId) -> Result<Batch> {
        self.get(user, id).await?;
        self.store.retry_batch(user.tenant_id, id).await?;
        self.work_came.notify_one();
        self.get(user, id).await
    }

    /// Deletes a batch with its items and waiting photographs. Its scans stay in the history. The batch is out of sight at
    /// once, and is erased afterwards.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn delete(&self, user: &User, id: BatchId) -> Result<()> {
        if !self.store.delete_batch(user.tenant_id, id).await? {
            return Err(NOT_FOUND);
        }
        self.claims.forget(id);
        let store = self.store.clone();
        erase_soon(&self.scanning.tasks, async move { store.erase_deleted_tenants().await }).await;
        Ok(())
    }
}
