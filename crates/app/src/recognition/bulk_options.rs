//! How files are identified in bulk.

use partsight_domain::{Conditions, NearReferences};

use crate::Result;
use crate::recognition::vehicle_prior::VehiclePrior;

/// Searches taught references from threads outside the async runtime.
pub trait TaughtReferences: Sync {
    /// Those near to a photograph, by its embedding as the model gives it, f32 `[d]`.
    ///
    /// # Errors
    /// [`Error::VectorIndex`](crate::Error::VectorIndex) where they cannot be searched: an answer without taught parts
    /// would name a wrong type.
    fn near(&self, embedding: &[f32]) -> Result<NearReferences>;

    /// These conditions with what is in force for whose parts these are: the pairs between which no picture decides, the
    /// dial, and the temperature of the feedback.
    fn in_force<'a>(&'a self, conditions: Conditions<'a>) -> Conditions<'a>;
}

/// How files are identified.
#[derive(Clone, Copy)]
pub struct BulkOptions<'a> {
    /// How many types each answer names.
    pub top: usize,
    /// What the parts are for.
    pub vehicle: Option<&'a VehiclePrior>,
    /// What people taught beside what the model has learnt.
    pub taught: Option<&'a dyn TaughtReferences>,
    /// Threads.
    pub jobs: usize,
    /// Whether each result has the SHA-256 of its file.
    pub with_sha256: bool,
    /// Whether each result has the parts on the photograph, where it shows several.
    pub with_regions: bool,
    /// Whether each result has the text and codes on the photograph, where the identifier reads any.
    pub with_reading: bool,
}

impl BulkOptions<'_> {
    /// The `top` types of the model alone, on one thread, and nothing else.
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
