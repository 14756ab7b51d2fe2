//! What people teach the server, and what it learns from their feedback. Begin with `taught_parts.rs`.

pub(crate) mod catalog_health;
pub(crate) mod dial;
pub(crate) mod learning;
pub(crate) mod taught_parts;
pub(crate) mod taught_types;
pub(crate) mod teach_scans;
