//! Taught parts in bulk work, beside the model's own types: `partsight scan --user`.

use partsight_catalog::SearchFilter;
use partsight_domain::{Conditions, InvalidInput, LookAlikes, NearReferences, VerdictThresholds};
use tokio::runtime::Handle;

use super::reference_index::NEIGHBOURS;
use crate::recognition::bulk_options::TaughtReferences;
use crate::{Owner, PartTypes, Result, Teaching};

/// Searches the parts of an account, its company and all accounts from threads outside the async runtime: it blocks,
/// and panics on a thread of the runtime. Parts that are taught later are found, but have no name here.
pub struct TaughtParts {
    teaching: Teaching,
    owner: Owner,
    types: PartTypes,
    look_alikes: LookAlikes,
    feedback_temperature: Option<f64>,
    thresholds: VerdictThresholds,
    runtime: Handle,
}

impl Teaching {
    /// The taught parts that an owner may see now. Searches run on the runtime that this is called on.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) for a model that was not measured for references, or while some of them
    /// are embeddings of another model: half of them would be taken for all. [`Error::VectorIndex`](crate::Error::VectorIndex)
    /// for an index that is away or holds something else.
    pub async fn taught_parts(&self, owner: Owner) -> Result<TaughtParts> {
        if !self.identifier.can_be_taught() {
            return Err(InvalidInput::new(
                "model",
                "Taught parts cannot be compared by this model: it has no `[references]` in its `model.toml`. For an \
                 imported model, `partsight models fit-references` makes it.",
            )
            .into());
        }
        let (n_others, _) =
            self.store.count_references_of_other_models(self.identifier.model_sha256()).await?;
        if n_others > 0 {
            let message = format!(
                "Photographs of taught parts are still embeddings of another model ({n_others}). Start the server with \
                 this model once: it embeds them again."
            );
            return Err(InvalidInput::new("model", message).into());
        }
        self.bring_index_up_to_date().await?;
        let (feedback_temperature, thresholds) = match owner.shop_tenant() {
            Some(shop) => (self.feedback_temperature(shop).await?, self.thresholds_of(shop).await?),
            None => (None, self.identifier.thresholds()),
        };
        Ok(TaughtParts {
            types: self.parts.part_types_of(owner.visible_tenants()).await?,
            look_alikes: self.look_alikes_in_force(owner.visible_tenants()).await?,
            feedback_temperature,
            thresholds,
            teaching: self.clone(),
            owner,
            runtime: Handle::current(),
        })
    }
}

impl TaughtParts {
    /// The types that an answer may name.
    pub fn types(&self) -> &PartTypes {
        &self.types
    }
}

impl TaughtReferences for TaughtParts {
    fn near(&self, embedding: &[f32]) -> Result<NearReferences> {
        let identifier = &self.teaching.identifier;
        let Some(embedding) = identifier.reference_embedding(embedding) else {
            return Ok(NearReferences::default());
        };
        let filters = self.owner.visible_tenants().map(SearchFilter::of_tenant);
        let search = self.teaching.nearest_references(filters, &embedding, NEIGHBOURS);
        let found = self.runtime.block_on(search)?;
        Ok(identifier.near_references(self.teaching.as_references(found), &embedding))
    }

    fn in_force<'a>(&'a self, conditions: Conditions<'a>) -> Conditions<'a> {
        Conditions {
            feedback_temperature: self.feedback_temperature,
            thresholds: self.thresholds,
            look_alikes: Some(&self.look_alikes),
            ..conditions
        }
    }
}
