//! Finding the references that look most like a photograph.

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

/// What an index returns: a future that can be boxed, so that the kinds of index stand behind one type.
pub type IndexFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, IndexError>> + Send + 'a>>;

/// How far a vector may be from length 1. A model's own rounding stays far below.
const LENGTH_TOLERANCE: f32 = 1e-3;
/// The embedding widths that an index takes.
pub const DIMENSIONS: std::ops::RangeInclusive<usize> = 2..=4096;

/// Embeddings are comparable only where one model made them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingSpace {
    /// Numbers in an embedding, `d`.
    pub dimension: usize,
    /// SHA-256 of the model file, lower-case hex.
    pub model_sha256: String,
}

/// One reference as an index holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexEntry {
    /// The row of SQL that it stands for.
    pub id: ReferenceId,
    /// Whose it is; `None` for a reference that all tenants share.
    pub tenant_id: Option<TenantId>,
    /// The part type that it shows.
    pub label: PartLabel,
    /// Where that type belongs, when known.
    pub category: Option<Category>,
    /// How it came to be.
    pub kind: ReferenceKind,
    /// Of each part of a shop that it shows, what is said of vehicles; empty for one of no part in particular.
    pub parts: Vec<PartFitments>,
    /// The number of its last change; an index that is kept is compared with SQL by it.
    pub revision: i64,
    /// f32 `[d]`, of L2 length 1.
    pub embedding: Vec<f32>,
}

/// Among which references to search: a tenant's own and the shared ones, and of these all that pass.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchFilter {
    /// Who asks. References of other tenants are never found.
    pub tenant_id: TenantId,
    /// Only those of this category; one without a category is not of it.
    pub category: Option<Category>,
    /// Only those of this kind.
    pub kind: Option<ReferenceKind>,
    /// Only those with a part that may fit this vehicle; one of no part in particular may fit every vehicle.
    pub vehicle: Option<VehicleName>,
    /// Without those of the tenant itself that show no part in particular. Of shared ones, whose parts are those of
    /// several shops, none is left out.
    pub parts_only: bool,
}

impl SearchFilter {
    /// All references that a tenant may see.
    pub fn of_tenant(tenant_id: TenantId) -> Self {
        Self { tenant_id, category: None, kind: None, vehicle: None, parts_only: false }
    }

    /// Whether a reference passes; the definition that every index must agree with.
    pub fn passes(&self, entry: &IndexEntry) -> bool {
        entry.tenant_id.is_none_or(|owner| owner == self.tenant_id)
            && self.category.is_none_or(|category| entry.category == Some(category))
            && self.kind.is_none_or(|kind| entry.kind == kind)
            && (!self.parts_only || entry.tenant_id.is_none() || !entry.parts.is_empty())
            && self.vehicle.as_ref().is_none_or(|vehicle| may_fit(&entry.parts, &vehicle.into()))
    }
}

// On a server the same rule is a filter: `payload::may_fit` has to say what this says.
/// Whether a reference of these parts passes the filter on a vehicle.
fn may_fit(parts: &[PartFitments], vehicle: &VehicleKey) -> bool {
    parts.is_empty() || parts.iter().any(|part| part.may_fit(vehicle))
}

/// A reference that a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// The reference that was found.
    pub id: ReferenceId,
    /// The part type that it shows.
    pub label: PartLabel,
    /// Where that type belongs, when known.
    pub category: Option<Category>,
    /// Cosine similarity in -1..=1.
    pub score: f32,
    /// Where it lies, f32 `[d]` of length 1.
    pub embedding: Vec<f32>,
}

/// Holds embeddings and finds the nearest.
///
/// It is derived from SQL and can be built anew at any time, so what it holds may be lost but never be the
/// only copy. All methods may be called at once from many tasks; a search sees every change that had
/// returned before it began.
pub trait VectorIndex: fmt::Debug + Send + Sync {
    /// Which embeddings it takes.
    fn space(&self) -> &EmbeddingSpace;

    /// Puts entries in; one of an id that is there takes its place.
    ///
    /// # Errors
    /// [`IndexError::WrongDimension`] and [`IndexError::NotUnitLength`] before anything is changed; what the
    /// kind of index adds.
    fn upsert(&self, entries: Vec<IndexEntry>) -> IndexFuture<'_, ()>;

    /// Takes entries out; an id that is not there is no error.
    fn delete(&self, ids: Vec<ReferenceId>) -> IndexFuture<'_, ()>;

    /// The `k` entries nearest to `query`, f32 `[d]` of length 1, that pass `filter`: best first, equals by id.
    ///
    /// # Errors
    /// [`IndexError::WrongDimension`] and [`IndexError::NotUnitLength`]; what the kind of index adds.
    fn search<'a>(
        &'a self,
        query: &'a [f32],
        filter: &'a SearchFilter,
        k: usize,
    ) -> IndexFuture<'a, Vec<Neighbour>>;

    /// How many entries it holds, of all tenants.
    fn count(&self) -> IndexFuture<'_, u64>;

    /// Takes everything out.
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
        // In f64, because the check is about the vector's rounding and not about that of the sum.
        let length = embedding.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt() as f32;
        // Written so that a length that is not a number is refused as well.
        if (length - 1.0).abs() <= LENGTH_TOLERANCE {
            Ok(())
        } else {
            Err(IndexError::NotUnitLength { length })
        }
    }
}
