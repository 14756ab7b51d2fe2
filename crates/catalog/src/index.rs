//! Finds the references that are most similar to a photograph.

mod error;
mod exact;
mod qdrant;

use std::fmt;
use std::pin::Pin;

use partsight_domain::{
    Category, PartFitments, PartLabel, ReferenceId, ReferenceKind, TenantId, VehicleKey, VehicleName,
};

pub use error::IndexError;
pub use exact::ExactIndex;
pub use qdrant::{HeldReference, QdrantIndex, QdrantOptions, QdrantSettings, Standing};

/// The return type of an index: a boxed future, so that the trait is object-safe.
pub type IndexFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, IndexError>> + Send + 'a>>;

/// Tolerance of a vector's length around 1, far above a model's rounding error.
const LENGTH_TOLERANCE: f32 = 1e-3;
/// Supported dimensions of embeddings.
pub const DIMENSIONS: std::ops::RangeInclusive<usize> = 2..=4096;

/// The model and dimension of embeddings: only those of one model are comparable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingSpace {
    /// Dimension `d` of an embedding.
    pub dimension: usize,
    /// SHA-256 of the model file, lower-case hex.
    pub model_sha256: String,
}

/// One reference in an index.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexEntry {
    /// The id of its row in SQL.
    pub id: ReferenceId,
    /// Its owner; `None` for a reference that all tenants share.
    pub tenant_id: Option<TenantId>,
    /// The part type that it shows.
    pub label: PartLabel,
    /// The category of that type, if known.
    pub category: Option<Category>,
    /// The kind of its origin.
    pub kind: ReferenceKind,
    /// For each shop part that it shows, the statements about vehicles; empty if it shows no particular part.
    pub parts: Vec<PartFitments>,
    /// Revision of its last change; a persistent index is compared with SQL by it.
    pub revision: i64,
    /// f32 `[d]`, of L2 length 1.
    pub embedding: Vec<f32>,
}

/// Which references to search: the tenant's own and the shared ones that match all conditions.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchFilter {
    /// The tenant that searches. References of other tenants are never found.
    pub tenant_id: TenantId,
    /// Only references of this category; references without a category do not match.
    pub category: Option<Category>,
    /// Only references of this kind.
    pub kind: Option<ReferenceKind>,
    /// Only references with a part that may fit this vehicle; references without a particular part may fit every
    /// vehicle.
    pub vehicle: Option<VehicleName>,
    /// Excludes the tenant's own references without a particular part. Shared references, whose parts belong to
    /// several shops, are not excluded.
    pub parts_only: bool,
}

impl SearchFilter {
    /// All references that a tenant may see.
    pub fn of_tenant(tenant_id: TenantId) -> Self {
        Self { tenant_id, category: None, kind: None, vehicle: None, parts_only: false }
    }

    /// Whether a reference matches; this is the definition for all kinds of index.
    pub fn passes(&self, entry: &IndexEntry) -> bool {
        entry.tenant_id.is_none_or(|owner| owner == self.tenant_id)
            && self.category.is_none_or(|category| entry.category == Some(category))
            && self.kind.is_none_or(|kind| entry.kind == kind)
            && (!self.parts_only || entry.tenant_id.is_none() || !entry.parts.is_empty())
            && self.vehicle.as_ref().is_none_or(|vehicle| may_fit(&entry.parts, &vehicle.into()))
    }
}

// The filter for the server must be equivalent: `payload::may_fit`.
/// Whether a reference with these parts matches the vehicle of a filter.
fn may_fit(parts: &[PartFitments], vehicle: &VehicleKey) -> bool {
    parts.is_empty() || parts.iter().any(|part| part.may_fit(vehicle))
}

/// A reference that a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// The id of the reference.
    pub id: ReferenceId,
    /// The part type that it shows.
    pub label: PartLabel,
    /// The category of that type, if known.
    pub category: Option<Category>,
    /// Cosine similarity in -1..=1.
    pub score: f32,
    /// Its embedding, f32 `[d]` of length 1.
    pub embedding: Vec<f32>,
}

/// Stores embeddings and finds the nearest.
///
/// It is derived from SQL and can be rebuilt at any time, so its contents may be lost but must never be the only
/// copy. All methods may be called concurrently from many tasks; a search sees every change that returned before
/// the search started.
pub trait VectorIndex: fmt::Debug + Send + Sync {
    /// The space of the embeddings that it accepts.
    fn space(&self) -> &EmbeddingSpace;

    /// Inserts entries, or replaces those with the same id.
    ///
    /// # Errors
    /// [`IndexError::WrongDimension`] and [`IndexError::NotUnitLength`] before anything is changed; further errors
    /// depend on the kind of index.
    fn upsert(&self, entries: Vec<IndexEntry>) -> IndexFuture<'_, ()>;

    /// Deletes entries; unknown ids are ignored.
    fn delete(&self, ids: Vec<ReferenceId>) -> IndexFuture<'_, ()>;

    /// The `k` entries nearest to `query`, f32 `[d]` of length 1, that match `filter`: in descending order of
    /// score, ties by id.
    ///
    /// # Errors
    /// [`IndexError::WrongDimension`] and [`IndexError::NotUnitLength`]; further errors depend on the kind of
    /// index.
    fn search<'a>(
        &'a self,
        query: &'a [f32],
        filter: &'a SearchFilter,
        k: usize,
    ) -> IndexFuture<'a, Vec<Neighbour>>;

    /// The number of entries, of all tenants.
    fn count(&self) -> IndexFuture<'_, u64>;

    /// Deletes all entries.
    fn clear(&self) -> IndexFuture<'_, ()>;
}

impl EmbeddingSpace {
    /// Checks that `embedding` is `[d]`, finite and of length 1.
    ///
    /// # Errors
    /// [`IndexError::WrongDimension`], [`IndexError::NotUnitLength`].
    pub fn check(&self, embedding: &[f32]) -> Result<(), IndexError> {
        if embedding.len() != self.dimension {
            return Err(IndexError::WrongDimension { expected: self.dimension, found: embedding.len() });
        }
        // In f64, because the check is for the vector's rounding errors, not for those of the sum.
        let length = embedding.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt() as f32;
        // Written so that NaN is refused too.
        if (length - 1.0).abs() <= LENGTH_TOLERANCE {
            Ok(())
        } else {
            Err(IndexError::NotUnitLength { length })
        }
    }
}
