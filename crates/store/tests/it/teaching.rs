mod dial;
mod look_alikes;
mod part_references;
