use jiff::civil::Date;

use super::{Interval, ItemId, LastDone, MaintenanceItem, OIL_CHANGE_INTERVAL, OdometerTrend, ScheduledItem};
use crate::day::days_between;

/// From this number of days before the due day on, an item is due soon (specification 1, section 9).
const DUE_SOON_DAYS: i32 = 30;
/// The specification's name, which overrides the schedule's.
const OIL_CHANGE_NAME: &str = "Oil change";

named! {
    /// State of a due day relative to today.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum DueState {
        /// The day has passed.
        Overdue = "overdue",
        /// It is today.
        DueToday = "due_today",
        /// It is within 30 days.
        DueSoon = "due_soon",
        /// It is later than that.
        Later = "later",
        /// The last date or the mileage is not known.
        Unknown = "unknown",
        /// The owner snoozed it.
        Snoozed = "snoozed",
        /// The owner disabled it.
        Off = "off",
    }
}

impl DueState {
    /// The state of a due day (specification 1, section 4).
    pub fn of(due: Date, today: Date) -> Self {
        match days_between(today, due) {
            ..0 => Self::Overdue,
            0 => Self::DueToday,
            1..=DUE_SOON_DAYS => Self::DueSoon,
            _ => Self::Later,
        }
    }

    /// Whether it is an alert.
    pub const fn is_alert(self) -> bool {
        matches!(self, Self::Overdue | Self::DueToday | Self::DueSoon)
    }
}

/// A maintenance item of a vehicle with its due day.
#[derive(Debug, Clone, PartialEq)]
pub struct Reminder {
    /// The item.
    pub item: ItemId,
    /// Display name.
    pub name: String,
    /// The interval in force.
    pub interval: Option<Interval>,
    /// Whether the owner set it.
    pub is_own_interval: bool,
    /// Whether the default schedule has the item.
    pub is_scheduled: bool,
    /// Kind of source of the schedule's interval.
    pub basis: Option<String>,
    /// When it was last done.
    pub last_done: Option<LastDone>,
    /// Due day by months.
    pub due_on: Option<Date>,
    /// Due mileage by miles.
    pub due_mileage: Option<u32>,
    /// Day on which the odometer is expected to reach the due mileage.
    pub projected_on: Option<Date>,
    /// The due day in force.
    pub due: Option<Date>,
    /// State of that day relative to today.
    pub state: DueState,
    /// No reminder before this day.
    pub snoozed_until: Option<Date>,
}

impl Reminder {
    /// Days from `today` to the due day; negative if it has passed.
    pub fn days_left(&self, today: Date) -> Option<i32> {
        self.due.map(|due| days_between(today, due))
    }
}

/// The reminders of one vehicle: the items of its `schedule` in their order, then the owner's own items by id.
///
/// `logged` are the latest records of items: oil changes, and repairs logged for other items. The due day is the
/// earlier of the date by months and the date projected from the odometer. For an oil change with the default
/// interval it is only the date by months, because specification 1, section 4, defines that alert by the date; the
/// mileage is shown.
pub fn reminders(
    schedule: &[ScheduledItem],
    own: &[MaintenanceItem],
    logged: &[(ItemId, LastDone)],
    trend: Option<OdometerTrend>,
    today: Date,
) -> Vec<Reminder> {
    let scheduled = |id: &ItemId| schedule.iter().find(|item| item.id == *id);
    let set = |id: &ItemId| own.iter().find(|item| item.item == *id);
    let last_logged = |id: &ItemId| logged.iter().filter(|(item, _)| item == id).map(|(_, last)| *last).max();
    // An item without a name belongs to a schedule that the vehicle no longer has, after its details were changed.
    let mut items: Vec<ItemId> =
        own.iter().filter(|item| item.name.is_some()).map(|item| item.item.clone()).collect();
    // After a logged oil change there is a reminder of the next one, even if the schedule has none.
    let of_oil = own.iter().map(|own| &own.item).chain(logged.iter().map(|(item, _)| item));
    items.extend(of_oil.filter(|item| item.is_oil_change()).cloned());
    // Items of the schedule come first, in its order.
    items.retain(|id| scheduled(id).is_none());
    items.sort();
    items.dedup();
    schedule
        .iter()
        .map(|item| item.id.clone())
        .chain(items)
        .map(|id| {
            let (scheduled, own, logged) = (scheduled(&id), set(&id), last_logged(&id));
            reminder(id, scheduled, own, logged, trend, today)
        })
        .collect()
}

fn reminder(
    item: ItemId,
    scheduled: Option<&ScheduledItem>,
    own: Option<&MaintenanceItem>,
    logged: Option<LastDone>,
    trend: Option<OdometerTrend>,
    today: Date,
) -> Reminder {
    let is_oil = item.is_oil_change();
    let own_interval = own.and_then(|own| own.interval);
    let interval = own_interval
        .or(is_oil.then_some(OIL_CHANGE_INTERVAL))
        .or(scheduled.map(|scheduled| scheduled.interval));
    // The later of the entered and the logged date.
    let last_done = own.and_then(|own| own.last_done).into_iter().chain(logged).max();

    let due_on = interval.zip(last_done).and_then(|(interval, last)| interval.due_after(last.on));
    let due_mileage = interval
        .zip(last_done.and_then(|last| last.mileage))
        .and_then(|(interval, mileage)| interval.due_mileage_after(mileage));
    let projected_on = due_mileage.zip(trend).and_then(|(miles, trend)| {
        let projected = trend.day_of(miles)?;
        match last_done {
            // Already passed. By the rate this may be before the last date, which means that more was driven since
            // then.
            Some(last) if trend.latest.on >= last.on && trend.latest.mileage.get() >= miles => {
                Some(projected.max(last.on))
            }
            // The projection from a reading before the last date is invalid for the time after it.
            Some(last) if projected < last.on => None,
            _ => Some(projected),
        }
    });
    let due = match (due_on, projected_on) {
        (Some(due_on), _) if is_oil && own_interval.is_none() => Some(due_on),
        (Some(due_on), Some(projected_on)) => Some(due_on.min(projected_on)),
        (due_on, projected_on) => due_on.or(projected_on),
    };
    // An expired snooze is ignored.
    let snoozed_until = own.and_then(|own| own.snoozed_until).filter(|until| *until > today);
    let state = match due {
        // Off has precedence: a disabled item must not be shown as overdue.
        _ if own.is_some_and(|own| !own.is_enabled) => DueState::Off,
        None => DueState::Unknown,
        Some(due) if snoozed_until.is_some() && DueState::of(due, today).is_alert() => DueState::Snoozed,
        Some(due) => DueState::of(due, today),
    };
    let name = own
        .and_then(|own| own.name.clone())
        .or_else(|| is_oil.then(|| OIL_CHANGE_NAME.to_owned()))
        .or_else(|| scheduled.map(|scheduled| scheduled.name.clone()))
        .unwrap_or_else(|| item.to_string());
    Reminder {
        item,
        name,
        interval,
        is_own_interval: own_interval.is_some(),
        is_scheduled: scheduled.is_some(),
        basis: scheduled.map(|scheduled| scheduled.basis.clone()),
        last_done,
        due_on,
        due_mileage,
        projected_on,
        due,
        state,
        snoozed_until,
    }
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;
    use jiff::civil::date;

    use super::super::OIL_CHANGE;
    use super::*;
    use crate::garage::{Mileage, OdometerReading};

    const TODAY: Date = date(2027, 1, 15);

    fn scheduled(id: &str, months: Option<i64>, miles: Option<i64>) -> ScheduledItem {
        ScheduledItem {
            id: id.parse().unwrap(),
            name: id.to_owned(),
            interval: Interval::new(months, miles).unwrap().unwrap(),
            basis: "common".to_owned(),
        }
    }

    fn own(id: &str) -> MaintenanceItem {
        MaintenanceItem {
            item: id.parse().unwrap(),
            name: None,
            interval: None,
            last_done: None,
            snoozed_until: None,
            is_enabled: true,
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "an item may never have been done")]
    fn done(on: Date, miles: i64) -> Option<LastDone> {
        Some(LastDone { on, mileage: Mileage::new(miles) })
    }

    /// 30 miles a day, 13,000 miles today.
    fn trend() -> OdometerTrend {
        let latest = OdometerReading { on: TODAY, mileage: Mileage::new(13_000).unwrap() };
        OdometerTrend { latest, miles_per_day: Some(30.0) }
    }

    #[test]
    fn the_state_follows_the_days_left() {
        for (days, state) in [
            (-400, DueState::Overdue),
            (-1, DueState::Overdue),
            (0, DueState::DueToday),
            (1, DueState::DueSoon),
            (30, DueState::DueSoon),
            (31, DueState::Later),
        ] {
            assert_eq!(DueState::of(TODAY.saturating_add(days.days()), TODAY), state, "{days}");
        }
        // The day after the last of February, in a leap year and not.
        assert_eq!(DueState::of(date(2028, 2, 29), date(2028, 3, 1)), DueState::Overdue);
        assert_eq!(DueState::of(date(2028, 3, 1), date(2028, 2, 28)), DueState::DueSoon);
    }

    #[test]
    fn an_oil_change_counts_by_its_date_alone_unless_the_owner_says_otherwise() {
        let schedule = [scheduled(OIL_CHANGE, Some(12), Some(7500))];
        // By the odometer it was due ten days ago: 7,700 + 5,000 = 12,700 miles.
        let oil = [(OIL_CHANGE.parse().unwrap(), done(date(2026, 12, 20), 7700).unwrap())];
        let plain = &reminders(&schedule, &[], &oil, Some(trend()), TODAY)[0];
        assert_eq!((plain.due, plain.state), (Some(date(2027, 3, 20)), DueState::Later));
        assert_eq!((plain.due_mileage, plain.projected_on), (Some(12_700), Some(date(2027, 1, 5))));
        let set =
            MaintenanceItem { interval: Interval::new(Some(6), Some(5000)).unwrap(), ..own(OIL_CHANGE) };
        let set = &reminders(&schedule, &[set], &oil, Some(trend()), TODAY)[0];
        assert_eq!((set.due, set.state), (Some(date(2027, 1, 5)), DueState::Overdue));
    }

    #[test]
    fn the_earlier_of_date_and_odometer_counts() {
        let schedule = [scheduled("tire-rotation", Some(6), Some(6000))];
        let item = MaintenanceItem { last_done: done(date(2026, 12, 1), 7600), ..own("tire-rotation") };
        let by_miles = &reminders(&schedule, &[item], &[], Some(trend()), TODAY)[0];
        assert_eq!((by_miles.due_on, by_miles.due), (Some(date(2027, 6, 1)), Some(date(2027, 2, 4))));
        assert_eq!((by_miles.state, by_miles.days_left(TODAY)), (DueState::DueSoon, Some(20)));
        let item = MaintenanceItem { last_done: done(date(2026, 12, 1), 12_000), ..own("tire-rotation") };
        let by_date = &reminders(&schedule, &[item], &[], Some(trend()), TODAY)[0];
        assert_eq!((by_date.due, by_date.projected_on), (Some(date(2027, 6, 1)), Some(date(2027, 6, 30))));
    }

    #[test]
    fn what_was_never_done_or_cannot_be_projected_is_unknown() {
        let schedule = [scheduled("spark-plugs", None, Some(60_000)), scheduled("coolant", Some(60), None)];
        let list = reminders(&schedule, &[], &[], Some(trend()), TODAY);
        assert!(list.iter().all(|reminder| reminder.state == DueState::Unknown && reminder.due.is_none()));
        let item = MaintenanceItem { last_done: done(date(2026, 12, 1), 12_000), ..own("spark-plugs") };
        assert_eq!(reminders(&schedule, &[item], &[], None, TODAY)[0].state, DueState::Unknown);
    }

    #[test]
    fn a_snoozed_item_waits_until_its_day_and_one_that_is_off_for_ever() {
        let schedule = [scheduled("coolant", Some(12), None)];
        let item = MaintenanceItem {
            last_done: done(date(2025, 1, 1), 5000),
            snoozed_until: Some(TODAY.saturating_add(1.day())),
            ..own("coolant")
        };
        let state = |item: &MaintenanceItem, today| {
            reminders(&schedule, std::slice::from_ref(item), &[], None, today)[0].state
        };
        assert_eq!(state(&item, TODAY), DueState::Snoozed);
        assert_eq!(state(&item, TODAY.saturating_add(1.day())), DueState::Overdue);
        assert_eq!(state(&MaintenanceItem { is_enabled: false, ..item }, TODAY), DueState::Off);
    }

    #[test]
    fn own_items_follow_the_schedule_and_the_later_last_time_counts() {
        let schedule = [scheduled("coolant", Some(12), None)];
        let wax = MaintenanceItem {
            name: Some("Wax".to_owned()),
            interval: Interval::new(Some(6), None).unwrap(),
            ..own("wax")
        };
        let oil = MaintenanceItem { last_done: done(date(2026, 6, 1), 1), ..own(OIL_CHANGE) };
        let changed = [(OIL_CHANGE.parse().unwrap(), done(date(2026, 12, 1), 2).unwrap())];
        let list = reminders(&schedule, &[wax, oil], &changed, None, TODAY);
        let shown: Vec<_> =
            list.iter().map(|reminder| (reminder.item.as_str(), reminder.name.as_str())).collect();
        assert_eq!(shown, [("coolant", "coolant"), (OIL_CHANGE, "Oil change"), ("wax", "Wax")]);
        assert_eq!(list[1].last_done, done(date(2026, 12, 1), 2));
        assert!(list[2].is_own_interval && !list[2].is_scheduled && list[0].is_scheduled);
    }

    #[test]
    fn a_repair_that_was_logged_for_an_item_counts_as_its_last_time() {
        let schedule = [scheduled("coolant", Some(12), None)];
        let typed = MaintenanceItem { last_done: done(date(2026, 6, 1), 1), ..own("coolant") };
        let logged = |on| [("coolant".parse().unwrap(), done(on, 2).unwrap())];
        let last = |logged: &[_]| {
            reminders(&schedule, std::slice::from_ref(&typed), logged, None, TODAY)[0].last_done
        };
        assert_eq!(last(&logged(date(2026, 12, 1))), done(date(2026, 12, 1), 2));
        assert_eq!(last(&logged(date(2026, 1, 1))), typed.last_done);
        assert_eq!(last(&[]), typed.last_done);
    }

    #[test]
    fn miles_that_were_passed_since_the_last_time_are_due_whatever_the_usual_rate() {
        let schedule = [scheduled("tire-rotation", Some(6), Some(6000))];
        // A long trip: at 30 miles a day, 7,000 miles ago was long before the last time.
        let item = MaintenanceItem { last_done: done(date(2027, 1, 1), 6000), ..own("tire-rotation") };
        let passed = &reminders(&schedule, &[item], &[], Some(trend()), TODAY)[0];
        assert_eq!((passed.due, passed.state), (Some(date(2027, 1, 1)), DueState::Overdue));
        // A reading from before the last time is not used.
        let item =
            MaintenanceItem { last_done: done(TODAY.saturating_add(1.day()), 6000), ..own("tire-rotation") };
        assert_eq!(reminders(&schedule, &[item], &[], Some(trend()), TODAY)[0].projected_on, None);
    }

    #[test]
    fn an_item_of_the_schedule_goes_when_the_vehicle_no_longer_has_it() {
        let fluid = MaintenanceItem { last_done: done(date(2026, 6, 1), 1), ..own("transmission-fluid") };
        assert_eq!(reminders(&[], std::slice::from_ref(&fluid), &[], None, TODAY), []);
        let schedule = [scheduled("transmission-fluid", Some(24), None)];
        assert_eq!(reminders(&schedule, &[fluid], &[], None, TODAY)[0].last_done, done(date(2026, 6, 1), 1));
    }
}
