mod dial;
mod part_references;
