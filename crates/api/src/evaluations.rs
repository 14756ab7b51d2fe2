//! Evaluations of the model. Begin with `jobs.rs`.

pub(crate) mod drift;
pub(crate) mod figures;
pub(crate) mod jobs;
pub(crate) mod reports;
pub(crate) mod uploads;
