//! Checks of what the servers on one PostgreSQL database must have in common.

use jiff::{SignedDuration, Timestamp};
use partsight_store::DatabaseFacts;

use super::Finding;
use crate::Settings;
use crate::operations::replicas::{CLOCK_TOLERANCE, compare_marks, server_mark};

/// Findings about a database that several servers can share; none for SQLite.
pub(super) fn replicas(settings: &Settings, facts: &DatabaseFacts, now: Timestamp) -> Vec<Finding> {
    let Some(database_time) = facts.now else { return Vec::new() };
    let ahead = database_time.duration_since(now);
    let clocks = if ahead.abs() > CLOCK_TOLERANCE {
        let seconds = ahead.abs().as_secs();
        let place = if ahead > SignedDuration::ZERO { "ahead of" } else { "behind" };
        Finding::warning(
            "clocks",
            format!("the clock of the database is {seconds} s {place} that of this machine"),
            "keep both right with NTP (`timedatectl set-ntp true`)",
        )
    } else {
        Finding::ok("clocks", "the clock of the database is that of this machine")
    };
    let others = compare_marks(&server_mark(settings), &facts.session_names);
    let mut findings = vec![clocks];
    if !others.settings.is_empty() {
        findings.push(Finding::warning(
            "servers",
            format!("a server that runs on the database has other settings: {}", others.settings.join(", ")),
            "compare what `partsight config` prints on its machine and on this one, and restart it if they agree by now",
        ));
    }
    if others.has_other_model {
        findings.push(Finding::warning(
            "servers",
            "a server that runs on the database has another model",
            "compare what `partsight models info` prints on its machine and on this one, and restart it if they agree by \
             now",
        ));
    }
    if findings.len() == 1 {
        findings.push(Finding::ok(
            "servers",
            "no server that runs on the database has other settings or another model",
        ));
    }
    findings
}
