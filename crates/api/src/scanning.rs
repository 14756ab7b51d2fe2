//! Identifying photographs, the history of scans, and feedback on them. Begin with `identify.rs`.

pub(crate) mod answer;
mod candidates;
pub(crate) mod feedback;
pub(crate) mod history;
pub(crate) mod identify;
pub(crate) mod pictures;
pub(crate) mod readings;
pub(crate) mod receipts;
pub(crate) mod regions;
pub(crate) mod scans;
pub(crate) mod vin_photo;
