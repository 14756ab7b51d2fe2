//! How often teaching tells which other part a photograph looks like.
//!
//! That is what a scan would say of it, and a lesson counts as no scan: without a limit whoever has a few scans would have
//! any number of them.

use std::time::Duration;

use partsight_domain::User;

use crate::limits::rate_limit::RateLimit;
use crate::teaching::Teaching;
use crate::{Error, Result};

/// Parts told at once, and the time after which one comes back. In the four hours of a morning that is 500: as many as a
/// shop needs that teaches 200 parts, of which each is asked about and then kept.
const NAMINGS: u32 = 100;
const NAMING_INTERVAL: Duration = Duration::from_secs(36);

/// How often an account is told of a part that a photograph resembles.
pub(crate) struct NamingLimit(RateLimit);

impl Default for NamingLimit {
    fn default() -> Self {
        Self(RateLimit::new(NAMINGS, NAMING_INTERVAL))
    }
}

impl Teaching {
    /// Counts so many parts that a lesson is about to tell. Whose plan has any number of scans may be told of any number.
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
