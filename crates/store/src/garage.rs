//! Vehicles and their records: oil changes, repairs, odometer readings, and what is due.
//! Begin with `vehicles.rs`; `records.rs` imports every kind of record.

mod columns;
mod maintenance;
mod oil_changes;
mod push;
mod records;
mod reminder_mails;
mod repairs;
mod safety_records;
mod vehicles;
mod vpic;

pub use maintenance::DoneRecord;
pub use push::{ClaimedPush, PushLease, PushSubscriptionRow};
pub use records::{ImportRecords, RecordBatch, RecordKind, RecordMark};
pub use safety_records::KeptSafetyRecords;
pub(crate) use vehicles::name_from_parts;
pub use vpic::{VpicRows, read_vpic};
