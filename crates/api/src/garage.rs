//! Vehicles and their data: reference data, oil, repairs, maintenance, files. Begin with `vehicles.rs`.

pub(crate) mod alerts;
pub(crate) mod calendar;
pub(crate) mod maintenance;
pub(crate) mod odometer;
pub(crate) mod oil_changes;
pub(crate) mod oil_specs;
pub(crate) mod push;
pub(crate) mod records;
pub(crate) mod records_csv;
pub(crate) mod reminder_mails;
pub(crate) mod repairs;
pub(crate) mod safety;
pub(crate) mod vehicle_data;
pub(crate) mod vehicle_oil;
pub(crate) mod vehicles;
pub(crate) mod vin_decoder;
