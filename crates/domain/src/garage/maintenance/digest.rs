use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde_json::json;

use super::Alert;
use crate::{EventKind, InvalidInput, NewEvent, UserId, messages};

named! {
    /// How often a user gets a mail about due maintenance.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum DigestRhythm {
        /// On days with a new alert.
        Daily = "daily",
        /// Once a week, if anything is due.
        Weekly = "weekly",
    }
}

/// A user's choice of reminder mails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DigestChoice {
    /// How often.
    pub rhythm: DigestRhythm,
    /// Hour of the day in UTC, 0 to 23.
    pub hour_utc: u8,
    /// Day of weekly mails in UTC, which may differ from the local one: Monday morning in Tokyo is Sunday in UTC.
    pub weekday_utc: Weekday,
}

impl DigestChoice {
    /// Validates a form; weekdays are 1 for Monday to 7 for Sunday.
    ///
    /// # Errors
    /// Names the field `rhythm`, `hourUtc` or `weekdayUtc`.
    pub fn new(rhythm: &str, hour_utc: i64, weekday_utc: i64) -> Result<Self, InvalidInput> {
        let rhythm = DigestRhythm::from_name(rhythm)
            .ok_or_else(|| InvalidInput::new("rhythm", messages::DIGEST_RHYTHM))?;
        let hour_utc = u8::try_from(hour_utc).ok().filter(|hour| *hour < 24);
        let hour_utc = hour_utc.ok_or_else(|| InvalidInput::new("hourUtc", messages::DIGEST_HOUR))?;
        let weekday_utc =
            i8::try_from(weekday_utc).ok().and_then(|day| Weekday::from_monday_one_offset(day).ok());
        let weekday_utc =
            weekday_utc.ok_or_else(|| InvalidInput::new("weekdayUtc", messages::DIGEST_WEEKDAY))?;
        Ok(Self { rhythm, hour_utc, weekday_utc })
    }

    /// The time of the next mail after `now`.
    pub fn next_after(self, now: Timestamp) -> Timestamp {
        // In UTC, because time zones are not stored: mails shift by an hour with summer time.
        let today = now.to_zoned(TimeZone::UTC).date();
        // Today and the next seven days include every weekday.
        (0..=7)
            .map(|days| today.saturating_add(days.days()))
            .filter(|day| self.rhythm == DigestRhythm::Daily || day.weekday() == self.weekday_utc)
            .filter_map(|day| day.at(self.hour_utc.cast_signed(), 0, 0, 0).to_zoned(TimeZone::UTC).ok())
            .map(|moment| moment.timestamp())
            .find(|moment| *moment > now)
            .unwrap_or(Timestamp::MAX)
    }
}

/// A user's subscription to reminder mails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReminderDigest {
    /// The recipient.
    pub user_id: UserId,
    /// How often, and when.
    pub choice: DigestChoice,
    /// When the next one is due.
    pub next_at: Timestamp,
    /// Token of the link that unsubscribes.
    pub unsubscribe_token: String,
    /// Ids of the alerts in the last mail.
    pub mailed: Vec<String>,
}

impl ReminderDigest {
    /// Whether to send these alerts: daily mails only if an alert was not in the last mail.
    pub fn is_worth_it(&self, alerts: &[Alert]) -> bool {
        match self.choice.rhythm {
            // An alert may stay overdue for weeks, and is mailed once.
            DigestRhythm::Daily => alerts.iter().any(|alert| !self.mailed.contains(&alert.id)),
            DigestRhythm::Weekly => !alerts.is_empty(),
        }
    }
}

impl Alert {
    /// The event for webhooks.
    pub fn event(&self) -> NewEvent {
        let data = json!({
            "alertId": self.id,
            "state": self.state.as_str(),
            "vehicleId": self.vehicle_id,
            "vehicle": self.vehicle_name,
            "item": self.item.as_str(),
            "title": self.title,
            "message": self.message,
            "dueOn": self.due,
        });
        // Events are deleted with their scan or batch; a reminder has neither.
        NewEvent { kind: EventKind::ReminderDue, subject_id: None, data }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_mail_is_at_its_hour_of_the_next_day_or_of_its_weekday() {
        // 2027-01-15 is a Friday.
        let cases = [
            ("daily", 9, 1, "2027-01-15T08:00:00Z", "2027-01-15T09:00:00Z"),
            ("daily", 8, 1, "2027-01-15T08:00:00Z", "2027-01-16T08:00:00Z"),
            ("daily", 0, 1, "2027-12-31T23:59:59Z", "2028-01-01T00:00:00Z"),
            ("weekly", 9, 1, "2027-01-15T08:00:00Z", "2027-01-18T09:00:00Z"),
            ("weekly", 9, 1, "2027-01-18T08:59:59Z", "2027-01-18T09:00:00Z"),
            ("weekly", 9, 1, "2027-01-18T09:00:00Z", "2027-01-25T09:00:00Z"),
            ("weekly", 22, 7, "2027-01-15T08:00:00Z", "2027-01-17T22:00:00Z"),
            ("weekly", 22, 7, "2027-01-17T22:00:00Z", "2027-01-24T22:00:00Z"),
        ];
        for (rhythm, hour, day, now, expected) in cases {
            let choice = DigestChoice::new(rhythm, hour, day).unwrap();
            assert_eq!(choice.next_after(now.parse().unwrap()), expected.parse().unwrap(), "{rhythm} {now}");
        }
    }

    #[test]
    fn a_rhythm_an_hour_and_a_weekday_are_known_ones() {
        for (rhythm, hour, day, field) in [
            ("hourly", 8, 1, "rhythm"),
            ("daily", 24, 1, "hourUtc"),
            ("daily", -1, 1, "hourUtc"),
            ("weekly", 8, 0, "weekdayUtc"),
            ("weekly", 8, 8, "weekdayUtc"),
        ] {
            assert_eq!(DigestChoice::new(rhythm, hour, day).unwrap_err().field, field);
        }
    }
}
