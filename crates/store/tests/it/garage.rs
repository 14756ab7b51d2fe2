mod maintenance;
mod oil_changes;
pub(crate) mod push;
mod reminder_mails;
mod repairs;
mod safety_records;
mod vehicles;
mod vpic;
