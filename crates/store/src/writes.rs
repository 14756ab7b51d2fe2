//! Checks whether the database accepts writes.

use std::time::{Duration, Instant};

use tokio::time::timeout;
use uuid::Uuid;

use crate::store::PROBE_WAIT;
use crate::{Error, Store};

/// How long a successful write is reused as the answer, so that frequent checks do not wear the disk.
const GOOD_FOR: Duration = Duration::from_secs(1);
/// Size of a probe in bytes, about that of a scan with its picture.
const PROBE_BYTES: usize = 16 * 1024;

/// Bytes that PostgreSQL cannot compress, so that the probe takes its full size. Different each time, because SQLite
/// writes nothing if the bytes are unchanged. From the linear congruential generator of Numerical Recipes, whose
/// upper bits look random.
fn filler(seed: u32) -> Vec<u8> {
    let mut state = seed;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    std::iter::repeat_with(next).take(PROBE_BYTES).collect()
}

impl Store {
    /// Whether a write is accepted and committed. A database whose disk is full still answers reads.
    ///
    /// Writes 16 KiB, at most once a second for all callers together, and answers within two seconds.
    ///
    /// # Errors
    /// [`Error::Full`], [`Error::Locked`] or [`Error::Unreachable`], as any other write would fail;
    /// [`Error::NoConnection`] if the database did not answer in time.
    pub async fn check_writes(&self) -> Result<(), Error> {
        let probed = timeout(PROBE_WAIT, self.write_probe()).await;
        probed.unwrap_or_else(|_| Err(self.noted(sqlx::Error::PoolTimedOut)))
    }

    async fn write_probe(&self) -> Result<(), Error> {
        // Held across the write, so that concurrent callers wait for this probe and share its result.
        let mut last = self.last_probe.lock().await;
        if last.is_some_and(|last| last.elapsed() < GOOD_FOR) {
            return Ok(());
        }
        let seed = Uuid::now_v7().as_u128() as u32;
        let mut tx = self.begin().await?;
        // One statement, so that two servers that probe at once do not block each other.
        let query = sql!(
            "INSERT INTO write_probe (write_probe_id, filler) VALUES (1, $1) \
             ON CONFLICT (write_probe_id) DO UPDATE SET filler = $1",
            [filler(seed)]
        );
        query.execute(&mut *tx).await?;
        tx.commit().await?;
        // Failures are not cached: the first check after the disk has room again must write.
        *last = Some(Instant::now());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_probes_write_the_same_bytes() {
        let (one, other) = (filler(1), filler(2));
        assert_eq!(one.len(), PROBE_BYTES);
        // In each page that SQLite would write.
        for (one, other) in one.chunks(4096).zip(other.chunks(4096)) {
            assert_ne!(one, other);
        }
    }
}
