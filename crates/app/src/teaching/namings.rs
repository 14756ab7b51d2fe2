//! Limits how often teaching names another part that a photograph resembles.
//!
//! A scan would give the same information, and a lesson does not count as a scan: without a limit, a plan with few
//! scans would have unlimited ones.

use std::time::Duration;

use partsight_domain::User;

use crate::limits::rate_limit::RateLimit;
use crate::teaching::Teaching;
use crate::{Error, Result};

/// Burst of named parts, and the interval until one more. In the four hours of a morning that is 500: enough for a
/// shop that teaches 200 parts, each of which resembles another one and is then kept.
const NAMINGS: u32 = 100;
const NAMING_INTERVAL: Duration = Duration::from_secs(36);

/// The limit for each account.
pub(crate) struct NamingLimit(RateLimit);

impl Default for NamingLimit {
    fn default() -> Self {
        Self(RateLimit::new(NAMINGS, NAMING_INTERVAL))
    }
}

impl Teaching {
    /// Counts `n_parts` that a lesson is about to name. There is no limit for plans with unlimited scans.
    ///
    /// # Errors
    /// [`Error::NamingsUsedUp`].
    pub(super) fn count_namings(&self, user: &User, n_parts: usize) -> Result<()> {
        if self.accounts.has_unlimited_scans(user) {
            return Ok(());
        }
        let key = user.id.to_string();
        for _ in 0..n_parts {
            self.namings.0.take(&key, self.clock.steady()).map_err(|error| match error {
                Error::TooManyAttempts { retry_after } => Error::NamingsUsedUp { retry_after },
                other => other,
            })?;
        }
        Ok(())
    }
}
