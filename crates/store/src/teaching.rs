//! What people taught: part types, reference photographs with their embeddings, and a shop's choices about learning.
//! Begin with `part_references.rs`; the vector indexes are made from it.

mod dial;
mod learning;
mod look_alikes;
mod part_references;
mod taught_types;

pub use part_references::StoredReference;
pub use taught_types::TypeDeletion;
