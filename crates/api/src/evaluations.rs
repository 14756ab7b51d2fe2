//! Evaluations over HTTP. Begin with `jobs.rs`.

pub(crate) mod drift;
pub(crate) mod figures;
pub(crate) mod jobs;
pub(crate) mod reports;
pub(crate) mod uploads;
