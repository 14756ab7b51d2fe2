mod maintenance;
mod oil_changes;
mod reminder_mails;
mod repairs;
mod vehicles;
mod vpic;
