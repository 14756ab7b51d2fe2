//! Writing iCalendar (RFC 5545).

use std::fmt::Write as _;

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use partsight_domain::{DueState, Mileage, Reminder, VehicleId};

use crate::VehicleMaintenance;

/// Longest content line, in octets without its line break (RFC 5545, section 3.1).
const MAX_OCTETS: usize = 75;
/// Days before the due day on which the calendar reminds.
const ALARM: &str = "-P3D";

/// One all-day event for each item with a due date, on that date, or on the date until which it is snoozed.
pub(super) fn calendar(due: &[VehicleMaintenance], now: Timestamp) -> String {
    let mut file = String::new();
    for line in [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Partsight//Maintenance//EN",
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        "X-WR-CALNAME:Vehicle maintenance",
        "REFRESH-INTERVAL;VALUE=DURATION:PT12H",
        "X-PUBLISHED-TTL:PT12H",
    ] {
        push(&mut file, line);
    }
    for VehicleMaintenance { vehicle, name, reminders, .. } in due {
        for reminder in reminders {
            let day = reminder.due.filter(|_| reminder.state != DueState::Off);
            if let Some(day) = day {
                push_event(&mut file, (vehicle.id, name), reminder, day, now);
            }
        }
    }
    push(&mut file, "END:VCALENDAR");
    file
}

fn push_event(
    file: &mut String,
    (vehicle_id, name): (VehicleId, &str),
    reminder: &Reminder,
    due: Date,
    now: Timestamp,
) {
    // A snooze moves a reminder later, never earlier than its due date.
    let day = reminder.snoozed_until.map_or(due, |until| until.max(due));
    let summary = format!("{} due: {name}", reminder.name);
    push(file, "BEGIN:VEVENT");
    // Stable as long as the item exists, so that a calendar moves the event instead of adding one.
    push(file, &format!("UID:{}.{}@partsight", vehicle_id, reminder.item));
    push(file, &format!("DTSTAMP:{}", now.strftime("%Y%m%dT%H%M%SZ")));
    push(file, &format!("DTSTART;VALUE=DATE:{}", day.strftime("%Y%m%d")));
    // The end of an all-day event is the first day after it (RFC 5545, section 3.6.1).
    push(file, &format!("DTEND;VALUE=DATE:{}", day.saturating_add(1.day()).strftime("%Y%m%d")));
    push(file, &format!("SUMMARY:{}", escaped(&summary)));
    push(file, &format!("DESCRIPTION:{}", escaped(&description(reminder, due))));
    // Otherwise the owner would look busy on that day.
    push(file, "TRANSP:TRANSPARENT");
    push(file, "CATEGORIES:MAINTENANCE");
    push(file, "BEGIN:VALARM");
    push(file, "ACTION:DISPLAY");
    push(file, &format!("DESCRIPTION:{}", escaped(&summary)));
    push(file, &format!("TRIGGER:{ALARM}"));
    push(file, "END:VALARM");
    push(file, "END:VEVENT");
}

fn description(reminder: &Reminder, due: Date) -> String {
    let mut text = format!("Due on {due}");
    if let Some(miles) = reminder.due_mileage {
        // Beyond the range of an odometer, the number is written without separators.
        let miles = Mileage::new(miles.into()).map_or_else(|| miles.to_string(), |miles| miles.to_string());
        // Writing to a `String` cannot fail.
        let _ = write!(text, " or at {miles} miles");
    }
    text.push('.');
    if let Some(last) = reminder.last_done {
        let _ = write!(text, "\nLast done on {}", last.on);
        if let Some(mileage) = last.mileage {
            let _ = write!(text, " at {mileage} miles");
        }
        text.push('.');
    }
    text
}

/// Text as a value (RFC 5545, section 3.3.11).
fn escaped(text: &str) -> String {
    // The backslash first, or those that the others add would be escaped again.
    text.replace('\\', "\\\\").replace(';', "\\;").replace(',', "\\,").replace('\n', "\\n")
}

/// Adds a content line, folded so that no line has more than 75 octets and no character is split.
fn push(file: &mut String, line: &str) {
    let mut octets = 0;
    for character in line.chars() {
        if octets + character.len_utf8() > MAX_OCTETS {
            file.push_str("\r\n ");
            // The space that marks a continued line counts.
            octets = 1;
        }
        file.push(character);
        octets += character.len_utf8();
    }
    file.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_folded_between_characters() {
        for text in ["x".repeat(200), "é".repeat(100), "🚗".repeat(60), "x".repeat(75), String::new()] {
            let mut file = String::new();
            push(&mut file, &text);
            assert!(file.ends_with("\r\n"));
            let lines: Vec<&str> = file.trim_end_matches("\r\n").split("\r\n").collect();
            assert!(lines.iter().all(|line| line.len() <= MAX_OCTETS), "{file:?}");
            assert_eq!(lines.join("").replace(' ', ""), text);
        }
    }

    #[test]
    fn what_means_something_is_escaped() {
        assert_eq!(escaped("a;b,c\\d\ne"), "a\\;b\\,c\\\\d\\ne");
    }
}
