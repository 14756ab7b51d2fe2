pub(crate) mod feedback;
mod idempotency;
mod readings;
mod regions;
mod scan_history;
pub(crate) mod scans;
