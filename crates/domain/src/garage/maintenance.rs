//! Due dates: intervals, the odometer's trend, reminders and alerts, all as pure functions of the records and the
//! current day.

mod alert;
mod digest;
mod interval;
mod item;
mod odometer;
mod owner_oil;
mod push;
mod reminder;

pub use alert::{Alert, alerts};
pub use digest::{DigestChoice, DigestRhythm, ReminderDigest};
pub use interval::{Interval, OIL_CHANGE_INTERVAL};
pub use item::{
    ItemId, LastDone, MaintenanceForm, MaintenanceItem, NewMaintenance, OIL_CHANGE, ScheduledItem, snooze_day,
};
pub use odometer::OdometerTrend;
pub use owner_oil::OwnerOil;
pub use push::{
    MAX_PUSH_SUBSCRIPTIONS, NoPushSubscriptionId, PUSH_KEPT_FOR, PushMessage, PushSubscription,
    PushSubscriptionId,
};
pub use reminder::{DueState, Reminder, reminders};
