pub(crate) mod feedback;
mod idempotency;
mod photo_objects;
mod readings;
mod regions;
mod scan_history;
pub(crate) mod scans;
