mod ics;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use partsight_domain::{User, UserId};
use partsight_inference::sha256;

use crate::accounts::network;
use crate::garage::Garage;
use crate::garage::day::Day;
use crate::limits::rate_limit::RateLimit;
use crate::{Caller, Entity, Error, Result, SecretToken, VehicleMaintenance};

/// How long a calendar is cached. The response allows calendar programs to cache it three times as long.
const KEPT_FOR: Duration = Duration::from_mins(5);
/// Calendars in memory at a time; one of 20 vehicles takes some 100 KB.
const MAX_KEPT: usize = 200;
/// Burst of reads of one calendar, and the interval until one more: for a household of devices that read it when they
/// wake. The same burst applies to unknown secrets from one address.
const READS: u32 = 30;
const READ_INTERVAL: Duration = Duration::from_secs(10);

/// What calendar feeds need besides the store.
pub(crate) struct CalendarFeeds {
    kept: Mutex<HashMap<UserId, KeptCalendar>>,
    reads: RateLimit,
}

struct KeptCalendar {
    /// The cached calendar is of this day: on another day other things are due.
    day: Date,
    until: Instant,
    file: CalendarFile,
}

/// A calendar as a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarFile {
    /// iCalendar (RFC 5545).
    pub content: Arc<str>,
    /// The same for the same content: SHA-256 in hex.
    pub sha256: Arc<str>,
}

impl CalendarFeeds {
    /// Without a limit if sign-in `attempts` have none.
    pub(crate) fn new(attempts: u32) -> Self {
        let reads = if attempts == 0 { 0 } else { READS };
        Self { kept: Mutex::default(), reads: RateLimit::new(reads, READ_INTERVAL) }
    }

    fn find(&self, user_id: UserId, day: Date, now: Instant) -> Option<CalendarFile> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(&user_id).filter(|kept| kept.day == day && kept.until > now).map(|kept| kept.file.clone())
    }

    fn keep(&self, user_id: UserId, day: Date, now: Instant, file: CalendarFile) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MAX_KEPT {
            kept.retain(|_, kept| kept.until > now);
        }
        // Not cached while all others are fresh: this one is then built at each read, and memory stays bounded.
        if kept.len() < MAX_KEPT {
            kept.insert(user_id, KeptCalendar { day, until: now + KEPT_FOR, file });
        }
    }
}

impl Garage {
    /// Creates a private calendar address for the user, which replaces an earlier one. The secret is returned only this
    /// once.
    pub async fn create_calendar(&self, user: &User) -> Result<SecretToken> {
        let token = SecretToken::generate();
        self.store.save_calendar_feed(user.id, &token.sha256(), self.clock.now()).await?;
        Ok(token)
    }

    /// When the user's calendar address was made, if they have one.
    pub async fn calendar_since(&self, user: &User) -> Result<Option<Timestamp>> {
        Ok(self.store.find_calendar_feed(user.id).await?)
    }

    /// Ends the user's calendar address. Ending one that does not exist is no error.
    pub async fn delete_calendar(&self, user: &User) -> Result<()> {
        self.store.delete_calendar_feed(user.id).await?;
        Ok(())
    }

    /// What is due on all vehicles of the calendar's owner, as an iCalendar file. It may be five minutes old; a
    /// deleted address is refused at once, on every server.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a secret that belongs to no calendar; [`Error::TooManyAttempts`] if a calendar is read
    /// more than once in ten seconds for a longer time, or if many unknown secrets come from one address.
    pub async fn calendar_file(&self, token: &SecretToken, caller: &Caller) -> Result<CalendarFile> {
        let (feeds, now) = (&self.calendar_feeds, self.clock.steady());
        let Some(user) = self.store.find_calendar_user(&token.sha256()).await? else {
            feeds.reads.take(&format!("from {}", network(caller.address)), now)?;
            return Err(Error::NotFound { entity: Entity::CalendarFeed });
        };
        feeds.reads.take(&user.id.to_string(), now)?;
        let day = self.utc_today();
        if let Some(file) = feeds.find(user.id, day, now) {
            return Ok(file);
        }
        // The time of the day and not of this second, so that the same content gives the same file.
        let as_of = day.to_zoned(TimeZone::UTC).map_err(Error::internal)?.timestamp();
        let write = move |due: Vec<VehicleMaintenance>| {
            let content = ics::calendar(&due, as_of);
            CalendarFile { sha256: sha256(content.as_bytes()).into(), content: content.into() }
        };
        let file = self.with_all_maintenance(&user, Day::of_utc(day), write).await?;
        feeds.keep(user.id, day, now, file.clone());
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_calendar_is_kept_for_its_day_and_a_few_minutes_and_no_more_than_so_many() {
        let feeds = CalendarFeeds::new(10);
        let (day, now) = (jiff::civil::date(2027, 1, 15), Instant::now());
        let file = CalendarFile { content: "one".into(), sha256: "hash".into() };
        let ann = UserId(Uuid::now_v7());
        feeds.keep(ann, day, now, file.clone());
        assert_eq!(feeds.find(ann, day, now + KEPT_FOR.abs_diff(Duration::from_secs(1))), Some(file.clone()));
        assert_eq!(feeds.find(ann, day, now + KEPT_FOR), None);
        assert_eq!(feeds.find(ann, day.tomorrow().unwrap(), now), None);
        assert_eq!(feeds.find(UserId(Uuid::now_v7()), day, now), None);
        for _ in 0..MAX_KEPT + 10 {
            feeds.keep(UserId(Uuid::now_v7()), day, now, file.clone());
        }
        assert_eq!(feeds.kept.lock().unwrap().len(), MAX_KEPT);
        // Expired calendars make room.
        let bob = UserId(Uuid::now_v7());
        feeds.keep(bob, day, now + KEPT_FOR, file.clone());
        assert_eq!(feeds.find(bob, day, now + KEPT_FOR), Some(file));
        assert_eq!(feeds.kept.lock().unwrap().len(), 1);
    }
}
