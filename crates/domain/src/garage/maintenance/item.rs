use std::fmt;
use std::str::FromStr;

use jiff::ToSpan;
use jiff::civil::Date;

use super::Interval;
use crate::garage::Mileage;
use crate::garage::record_date;
use crate::text::optional_text;
use crate::{InvalidInput, messages};

/// The item for which oil changes are logged.
pub const OIL_CHANGE: &str = "engine-oil";

const ID_MAX_CHARS: usize = 60;
const NAME_MAX_CHARS: usize = 80;

/// Id of a maintenance item: lower-case letters, digits and single hyphens, such as `engine-air-filter`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(String);

impl ItemId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is the item for which oil changes are logged.
    pub fn is_oil_change(&self) -> bool {
        self.0 == OIL_CHANGE
    }
}

impl FromStr for ItemId {
    type Err = InvalidInput;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_id = text.len() <= ID_MAX_CHARS
            && text.split('-').all(|word| {
                !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            });
        if is_id {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidInput::new(
                "item",
                "Please name the item with lower-case letters, digits and hyphens, like engine-air-filter.",
            ))
        }
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An item of the default schedule of a vehicle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledItem {
    /// Unique in the schedule.
    pub id: ItemId,
    /// Display name.
    pub name: String,
    /// Its interval.
    pub interval: Interval,
    /// Kind of source of the interval.
    pub basis: String,
}

/// When an item was last done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LastDone {
    /// The day.
    pub on: Date,
    /// Odometer on that day.
    pub mileage: Option<Mileage>,
}

/// The owner's settings for a maintenance item of a vehicle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaintenanceItem {
    /// The item, of the default schedule or the owner's own.
    pub item: ItemId,
    /// The owner's name for it.
    pub name: Option<String>,
    /// The owner's interval, which overrides the schedule's.
    pub interval: Option<Interval>,
    /// When it was done last.
    pub last_done: Option<LastDone>,
    /// No reminder before this day.
    pub snoozed_until: Option<Date>,
    /// Whether it creates reminders.
    pub is_enabled: bool,
}

/// The form of a maintenance item, as typed.
#[derive(Debug, Clone, Default)]
pub struct MaintenanceForm {
    /// Required for an item that the default schedule does not have.
    pub name: Option<String>,
    /// 1 to 240.
    pub interval_months: Option<i64>,
    /// 100 to 300,000.
    pub interval_miles: Option<i64>,
    /// A day.
    pub last_done_on: Option<String>,
    /// Odometer on that day; needs the day.
    pub last_done_mileage: Option<String>,
    /// True by default.
    pub enabled: Option<bool>,
}

/// The form of a maintenance item, validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMaintenance {
    /// The owner's name for it.
    pub name: Option<String>,
    /// The owner's interval.
    pub interval: Option<Interval>,
    /// When it was done last.
    pub last_done: Option<LastDone>,
    /// Whether it creates reminders.
    pub is_enabled: bool,
}

impl NewMaintenance {
    /// Validates the form of an item of the default schedule (`is_scheduled`), or of the owner's own.
    ///
    /// # Errors
    /// Names the first invalid field. An own item needs a name and an interval.
    pub fn from_form(form: &MaintenanceForm, is_scheduled: bool, today: Date) -> Result<Self, InvalidInput> {
        let name = optional_text("name", "The name", form.name.as_deref(), NAME_MAX_CHARS)?;
        let interval = Interval::new(form.interval_months, form.interval_miles)?;
        if !is_scheduled && name.is_none() {
            return Err(InvalidInput::new("name", "Please name what is to be done, like Wheel alignment."));
        }
        if !is_scheduled && interval.is_none() {
            return Err(InvalidInput::new(
                "intervalMonths",
                "Please enter after how many months or miles it is due.",
            ));
        }
        // Blank fields count as absent.
        let filled = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let mileage = filled(&form.last_done_mileage)
            .map(|text| Mileage::reading("lastDoneMileage", &text))
            .transpose()?;
        let last_done = match filled(&form.last_done_on) {
            Some(text) => {
                let on = record_date("lastDoneOn", &text, today)?;
                // A day of tolerance, because it may be tomorrow already in the owner's time zone.
                if on > today.saturating_add(1.day()) {
                    return Err(InvalidInput::new("lastDoneOn", messages::DAY_NOT_COME));
                }
                Some(LastDone { on, mileage })
            }
            // A mileage without a day cannot be ordered among other readings.
            None if mileage.is_some() => {
                return Err(InvalidInput::new(
                    "lastDoneOn",
                    "Please enter the day of the last time as well.",
                ));
            }
            None => None,
        };
        Ok(Self { name, interval, last_done, is_enabled: form.enabled.unwrap_or(true) })
    }
}

/// Parses the day until which an item is snoozed: after `today`, at most a year ahead.
///
/// # Errors
/// Names the field `until`.
pub fn snooze_day(text: &str, today: Date) -> Result<Date, InvalidInput> {
    let until = record_date("until", text, today)?;
    if until <= today {
        return Err(InvalidInput::new("until", "Please choose a day after today."));
    }
    Ok(until)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    const TODAY: Date = date(2027, 1, 15);

    #[expect(clippy::unnecessary_wraps, reason = "fields of a form are optional")]
    fn text(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn an_item_id_is_kebab_case() {
        for good in ["engine-oil", "a", "4wd-fluid", &"x".repeat(60)] {
            assert!(good.parse::<ItemId>().is_ok(), "{good}");
        }
        for bad in ["", "-", "a--b", "a-", "Oil", "öl", "a b", "a/b", "../x", &"x".repeat(61)] {
            assert!(bad.parse::<ItemId>().is_err(), "{bad}");
        }
        assert!("engine-oil".parse::<ItemId>().unwrap().is_oil_change());
    }

    #[test]
    fn an_item_of_ones_own_needs_a_name_and_an_interval() {
        let field = |form: &MaintenanceForm| NewMaintenance::from_form(form, false, TODAY).unwrap_err().field;
        assert_eq!(field(&MaintenanceForm::default()), "name");
        assert_eq!(field(&MaintenanceForm { name: text("Wax"), ..Default::default() }), "intervalMonths");
        let form = MaintenanceForm { name: text("Wax"), interval_months: Some(6), ..Default::default() };
        let new = NewMaintenance::from_form(&form, false, TODAY).unwrap();
        assert_eq!((new.interval.unwrap().months(), new.is_enabled), (Some(6), true));
        assert!(NewMaintenance::from_form(&MaintenanceForm::default(), true, TODAY).is_ok());
    }

    #[test]
    fn the_last_time_is_a_day_and_perhaps_a_mileage() {
        let form = |on: Option<String>, mileage: Option<String>| MaintenanceForm {
            last_done_on: on,
            last_done_mileage: mileage,
            ..Default::default()
        };
        let check = |form| NewMaintenance::from_form(&form, true, TODAY).map(|new| new.last_done);
        let done = check(form(text("2026-12-01"), text("52,000"))).unwrap().unwrap();
        assert_eq!((done.on, done.mileage.map(Mileage::get)), (date(2026, 12, 1), Some(52_000)));
        assert_eq!(check(form(text(" "), text(""))).unwrap(), None);
        assert_eq!(check(form(None, text("52000"))).unwrap_err().field, "lastDoneOn");
        assert_eq!(check(form(text("2027-02-01"), None)).unwrap_err().field, "lastDoneOn");
        assert_eq!(check(form(text("2026-12-01"), text("-1"))).unwrap_err().field, "lastDoneMileage");
    }

    #[test]
    fn a_snooze_ends_after_today_and_within_a_year() {
        assert_eq!(snooze_day("2027-01-16", TODAY), Ok(date(2027, 1, 16)));
        for bad in ["2027-01-15", "2026-01-01", "2028-01-16", "soon", ""] {
            assert_eq!(snooze_day(bad, TODAY).unwrap_err().field, "until", "{bad}");
        }
    }
}
