pub(crate) mod feedback;
mod idempotency;
pub(crate) mod photo_objects;
pub(crate) mod readings;
mod regions;
mod scan_history;
pub(crate) mod scans;
