//! Taught parts for many photographs at once, beside the model's own types: `partsight scan --user`.

use partsight_catalog::SearchFilter;
use partsight_domain::{LookAlikes, NearReferences};
use tokio::runtime::Handle;

use super::reference_index::NEIGHBOURS;
use crate::recognition::bulk::TaughtReferences;
use crate::{Owner, PartTypes, Result, Teaching};

/// The parts that an account and its company taught, and those that all accounts share, as photographs are compared with
/// them. Each search waits on the thread that asks, which must be none of the runtime's.
pub struct TaughtParts {
    teaching: Teaching,
    owner: Owner,
    types: PartTypes,
    look_alikes: LookAlikes,
    runtime: Handle,
}

impl Teaching {
    /// The taught parts that an owner may see now. Searches are made on the runtime that this is called on.
    ///
    /// # Errors
    /// [`Error::VectorIndex`](crate::Error::VectorIndex) for an index that is away or holds something else.
    pub async fn taught_parts(&self, owner: Owner) -> Result<TaughtParts> {
        self.bring_index_up_to_date().await?;
        Ok(TaughtParts {
            types: self.parts.part_types_of(owner.visible_tenants()).await?,
            look_alikes: self.look_alikes_in_force(owner.visible_tenants()).await?,
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

    fn look_alikes(&self) -> &LookAlikes {
        &self.look_alikes
    }
}
