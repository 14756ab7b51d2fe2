mod dial;
pub(crate) mod look_alikes;
mod part_references;
