//! Batches over HTTP. Begin with `jobs.rs`.

pub(crate) mod answer;
pub(crate) mod events;
pub(crate) mod folders;
pub(crate) mod grades;
pub(crate) mod groups;
pub(crate) mod items;
pub(crate) mod jobs;
pub(crate) mod uploads;
