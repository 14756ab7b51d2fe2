pub(crate) mod feedback;
mod idempotency;
mod readings;
mod scan_history;
pub(crate) mod scans;
