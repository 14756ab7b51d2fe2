mod feedback;
mod idempotency;
mod scan_history;
pub(crate) mod scans;
