use jiff::civil::Date;

use super::{DueState, ItemId, Reminder};
use crate::VehicleId;

/// Maintenance of a vehicle that is overdue, due today or due soon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alert {
    /// Changes when the work is done or the state changes, which ends a dismissal.
    pub id: String,
    /// Overdue, due today or due soon.
    pub state: DueState,
    /// Name of the item.
    pub what: String,
    /// Short title.
    pub title: String,
    /// One sentence.
    pub message: String,
    /// The vehicle.
    pub vehicle_id: VehicleId,
    /// Name of the vehicle, distinguished from vehicles of the same name.
    pub vehicle_name: String,
    /// What is due.
    pub item: ItemId,
    /// Day on which it is due.
    pub due: Date,
    /// Days since the due day if overdue, otherwise days until it.
    pub days: u32,
}

/// The alerts among the reminders of one vehicle, the most urgent first.
pub fn alerts(id: VehicleId, name: &str, reminders: &[Reminder], today: Date) -> Vec<Alert> {
    let mut alerts: Vec<Alert> =
        reminders.iter().filter_map(|reminder| alert(id, name, reminder, today)).collect();
    alerts.sort_by(|a, b| (a.due, &a.item).cmp(&(b.due, &b.item)));
    alerts
}

fn alert(id: VehicleId, name: &str, reminder: &Reminder, today: Date) -> Option<Alert> {
    let due = reminder.due.filter(|_| reminder.state.is_alert())?;
    let days = reminder.days_left(today)?.unsigned_abs();
    let what = &reminder.name;
    let day_count = if days == 1 { "1 day".to_owned() } else { format!("{days} days") };
    let (title, message) = match reminder.state {
        DueState::Overdue => {
            (format!("{what} overdue"), format!("{what} for your {name} is overdue by {day_count}."))
        }
        DueState::DueToday => (format!("{what} due today"), format!("{what} for your {name} is due today.")),
        _ => (format!("{what} due soon"), format!("{what} for your {name} is due in {day_count}.")),
    };
    let last = reminder.last_done.map(|last| last.on.to_string()).unwrap_or_default();
    Some(Alert {
        // Derived from item, last date and state: if one of them changes, it is a new alert, which is shown even if
        // the previous one was dismissed.
        id: format!("{}.{id}.{last}.{}", reminder.item, reminder.state.as_str()),
        state: reminder.state,
        what: what.clone(),
        title,
        message,
        vehicle_id: id,
        vehicle_name: name.to_owned(),
        item: reminder.item.clone(),
        due,
        days,
    })
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;
    use jiff::civil::date;
    use uuid::Uuid;

    use super::super::{Interval, LastDone, OIL_CHANGE, ScheduledItem, reminders};
    use super::*;

    const ID: VehicleId = VehicleId(Uuid::nil());

    fn oil_alerts(last: Date, today: Date) -> Vec<Alert> {
        let schedule = ScheduledItem {
            id: OIL_CHANGE.parse().unwrap(),
            name: "Oil change".to_owned(),
            interval: Interval::new(Some(3), Some(5000)).unwrap().unwrap(),
            basis: String::new(),
        };
        let last = [(OIL_CHANGE.parse().unwrap(), LastDone { on: last, mileage: None })];
        alerts(ID, "2015 Honda Civic", &reminders(&[schedule], &[], &last, None, today), today)
    }

    #[test]
    fn an_oil_change_alerts_by_the_rules_of_the_specification() {
        let last = date(2026, 11, 30);
        // Three calendar months later is the end of February.
        let due = date(2027, 2, 28);
        for (days, expected) in [
            (-31_i32, None),
            (-30, Some(("due_soon", "Oil change for your 2015 Honda Civic is due in 30 days."))),
            (-1, Some(("due_soon", "Oil change for your 2015 Honda Civic is due in 1 day."))),
            (0, Some(("due_today", "Oil change for your 2015 Honda Civic is due today."))),
            (1, Some(("overdue", "Oil change for your 2015 Honda Civic is overdue by 1 day."))),
            (365, Some(("overdue", "Oil change for your 2015 Honda Civic is overdue by 365 days."))),
        ] {
            let alerts = oil_alerts(last, due.saturating_add(days.days()));
            let shown = alerts.first().map(|alert| (alert.state.as_str(), alert.message.as_str()));
            assert_eq!(shown, expected, "{days}");
            if let Some(alert) = alerts.first() {
                assert_eq!((alert.days, alert.due), (days.unsigned_abs(), due));
            }
        }
    }

    #[test]
    fn the_id_of_an_alert_lasts_until_the_next_change_or_state() {
        let id = |last, today| oil_alerts(last, today)[0].id.clone();
        let first = id(date(2026, 9, 1), date(2027, 1, 1));
        assert_eq!(first, id(date(2026, 9, 1), date(2027, 2, 1)));
        assert_ne!(first, id(date(2026, 9, 1), date(2026, 12, 1)));
        assert_ne!(first, id(date(2026, 9, 2), date(2027, 1, 1)));
    }
}
