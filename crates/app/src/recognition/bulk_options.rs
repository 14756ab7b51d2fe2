//! How files are identified in bulk.

use partsight_domain::{Conditions, NearReferences};

use crate::Result;
use crate::recognition::vehicle_prior::VehiclePrior;

/// Searches taught references from threads outside the async runtime.
pub trait TaughtReferences: Sync {
    /// The references nearest to a photograph, by its embedding as the model outputs it, f32 `[d]`.
    ///
    /// # Errors
    /// [`Error::VectorIndex`](crate::Error::VectorIndex) if they cannot be searched: an answer without taught parts
    /// would name a wrong type.
    fn near(&self, embedding: &[f32]) -> Result<NearReferences>;

    /// Adds what applies to the owner of these parts: look-alike pairs, the dial, and the feedback temperature.
    fn in_force<'a>(&'a self, conditions: Conditions<'a>) -> Conditions<'a>;
}

/// How files are identified.
#[derive(Clone, Copy)]
pub struct BulkOptions<'a> {
    /// How many types each answer names.
    pub top: usize,
    /// The vehicle that the parts are for.
    pub vehicle: Option<&'a VehiclePrior>,
    /// Taught references, in addition to the types that the model has learnt.
    pub taught: Option<&'a dyn TaughtReferences>,
    /// Number of threads.
    pub jobs: usize,
    /// Whether results include the SHA-256 of the file.
    pub with_sha256: bool,
    /// Whether results include the parts on photographs that show several.
    pub with_regions: bool,
    /// Whether results include text and codes, if the identifier reads any.
    pub with_reading: bool,
}

impl BulkOptions<'_> {
    /// Only the `top` types of the model, on one thread.
    pub fn of_model(top: usize) -> Self {
        Self {
            top,
            vehicle: None,
            taught: None,
            jobs: 1,
            with_sha256: false,
            with_regions: false,
            with_reading: false,
        }
    }
}
