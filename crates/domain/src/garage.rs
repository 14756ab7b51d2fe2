//! Vehicles and their records: oil changes, repairs, maintenance and odometer readings.
//!
//! Begin with `vehicle`; due dates are computed in `maintenance`.

mod maintenance;
mod mileage;
mod oil_change;
mod record_cost;
mod record_date;
mod record_page;
mod record_warning;
mod repair;
mod safety;
mod vehicle;
mod vehicle_names;

pub use maintenance::{
    Alert, DigestChoice, DigestRhythm, DueState, Interval, ItemId, LastDone, MAX_PUSH_SUBSCRIPTIONS,
    MaintenanceForm, MaintenanceItem, NewMaintenance, NoPushSubscriptionId, OIL_CHANGE, OIL_CHANGE_INTERVAL,
    OdometerTrend, OwnerOil, PUSH_KEPT_FOR, PushMessage, PushSubscription, PushSubscriptionId, Reminder,
    ReminderDigest, ScheduledItem, alerts, reminders, snooze_day,
};
pub use mileage::Mileage;
pub use oil_change::{NewOilChange, OilChange, OilChangeForm};
pub use record_cost::Cost;
pub use record_date::{check_record_date, record_date};
pub use record_page::{NoCursor, RecordCursor, RecordPage};
pub use record_warning::{OdometerReading, RecordWarning, record_warnings};
pub use repair::{NewRepair, Repair, RepairForm};
pub use safety::{Complaint, ComponentComplaints, Recall, SafetyRecords};
pub use vehicle::{DeletedVehicle, ModelYear, NewVehicle, Vehicle, VehicleName, Vin};
pub use vehicle_names::vehicle_names;
