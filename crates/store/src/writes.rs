//! Whether the database takes writes.

use std::time::{Duration, Instant};

use tokio::time::timeout;
use uuid::Uuid;

use crate::store::PROBE_WAIT;
use crate::{Error, Store};

/// A write that succeeded answers for this long, so that asking often does not wear the disk.
const GOOD_FOR: Duration = Duration::from_secs(1);
/// Bytes of a probe, about those of a scan with its picture.
const PROBE_BYTES: usize = 16 * 1024;

/// Bytes that PostgreSQL cannot compress: the probe must take the room that it stands for. Others each time, because
/// SQLite writes nothing where the bytes are those that are there already. From the generator of Numerical Recipes, whose
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
    /// Whether a write is accepted and committed. A database whose disk is full still answers every question.
    ///
    /// Writes 16 KiB at most once a second, however often and by however many it is asked, and answers within two seconds.
    ///
    /// # Errors
    /// [`Error::Full`], [`Error::Locked`] or [`Error::Unreachable`], as a write of somebody's would have failed;
    /// [`Error::NoConnection`] where the database did not answer in time.
    pub async fn check_writes(&self) -> Result<(), Error> {
        timeout(PROBE_WAIT, self.write_probe()).await.unwrap_or_else(|_| Err(Error::out_of_time()))
    }

    async fn write_probe(&self) -> Result<(), Error> {
        // Held across the write, so that others who ask meanwhile wait for this probe and share its answer.
        let mut last = self.last_probe.lock().await;
        if last.is_some_and(|last| last.elapsed() < GOOD_FOR) {
            return Ok(());
        }
        let seed = Uuid::now_v7().as_u128() as u32;
        let mut tx = self.begin().await?;
        // One statement, so that two servers that look at the same moment do not stand in each other's way.
        let query = sql!(
            "INSERT INTO write_probe (write_probe_id, filler) VALUES (1, $1) \
             ON CONFLICT (write_probe_id) DO UPDATE SET filler = $1",
            [filler(seed)]
        );
        query.execute(&mut *tx).await?;
        tx.commit().await?;
        // Failures are not remembered: the first question after the disk has room again must be answered by a write.
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
