mod maintenance;
mod oil_changes;
mod repairs;
mod safety_records;
mod vehicles;
mod vpic;
