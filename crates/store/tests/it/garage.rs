mod maintenance;
mod oil_changes;
mod repairs;
mod vehicles;
mod vpic;
