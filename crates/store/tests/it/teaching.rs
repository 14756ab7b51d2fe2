pub(crate) mod look_alikes;
pub(crate) mod part_references;
mod taught_types;
