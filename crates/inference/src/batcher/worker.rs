//! One engine and its thread: takes batches, runs them and answers.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};

use tracing::Span;

use super::{
    BATCH_SIZE_BOUNDS, Prediction, Shared,
    queue::{Entry, Requester},
};
use crate::{Engine, Error, ImageBatch, Manifest, Outputs, Result};

/// The current work of a thread, shared with the watchdog. Whichever of the two takes the requesters out answers
/// them.
#[derive(Default)]
pub(super) struct Desk(Mutex<Work>);

#[derive(Default)]
enum Work {
    /// Idle.
    #[default]
    None,
    /// A batch has been running, or an engine loading, since then.
    Batch { since: Instant, limit: Duration, requesters: Vec<Waiting> },
    /// Abandoned: another thread has its slot.
    GivenUp,
}

/// A requester, with the span of its batch.
pub(super) struct Waiting {
    requester: Requester,
    _inference_span: Span,
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Work> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the start of some work and its time limit.
    pub(super) fn begin(&self, since: Instant, limit: Duration, requesters: Vec<Waiting>) {
        *self.lock() = Work::Batch { since, limit, requesters };
    }

    /// Ends the work and returns its requesters; `None` if it was abandoned meanwhile.
    pub(super) fn end(&self) -> Option<Vec<Waiting>> {
        let mut work = self.lock();
        match std::mem::take(&mut *work) {
            Work::None => Some(Vec::new()),
            Work::Batch { requesters, .. } => Some(requesters),
            Work::GivenUp => {
                // Put back, because `take` left `None` in its place and `end` may be called again.
                *work = Work::GivenUp;
                None
            }
        }
    }

    /// Abandons the work if it exceeds its limit, and returns its requesters. Time before the process `resumed`
    /// does not count, since nothing ran then.
    pub(super) fn give_up(&self, now: Instant, resumed: Option<Instant>) -> Option<Vec<Waiting>> {
        let mut work = self.lock();
        match &mut *work {
            // The requesters are taken under the lock, so that a thread that returns later cannot answer them
            // again.
            Work::Batch { since, limit, requesters }
                if now.saturating_duration_since(resumed.map_or(*since, |resumed| resumed.max(*since)))
                    > *limit =>
            {
                let requesters = std::mem::take(requesters);
                *work = Work::GivenUp;
                Some(requesters)
            }
            _ => None,
        }
    }
}

/// Why a thread stops serving batches.
pub(super) enum End {
    /// The queue is closed and empty.
    Closed,
    /// The watchdog has abandoned the thread.
    GivenUp,
    /// Its engine panicked, or could not be started.
    Panicked,
}

impl Shared {
    /// Serves batches until the queue is closed or the engine is lost.
    pub(super) fn serve(&self, desk: &Desk, mut engine: Box<dyn Engine>) -> End {
        let max_batch = self.max_batch.min(engine.max_batch()).max(1);
        while let Some(entries) = self.queue.take(max_batch) {
            if let Some(end) = self.run(desk, engine.as_mut(), entries) {
                return end;
            }
        }
        End::Closed
    }

    fn run(&self, desk: &Desk, engine: &mut dyn Engine, entries: Vec<Entry>) -> Option<End> {
        let started = Instant::now();
        let n_images = entries.len();
        let (tensors, requesters): (Vec<_>, Vec<_>) = entries.into_iter().map(Entry::into_parts).unzip();
        let with_span = |requester: Requester| Waiting {
            _inference_span: tracing::debug_span!(parent: &requester.span, "inference", batch.size = n_images),
            requester,
        };
        let limit = self.supervision.as_ref().map_or(Duration::MAX, |supervision| supervision.limit);
        // Recorded before the engine runs: if it hangs, the watchdog must know the requesters.
        desk.begin(started, limit, requesters.into_iter().map(with_span).collect());
        // A panic in an engine must fail one batch, not the requests in the queue.
        let result = catch_unwind(AssertUnwindSafe(|| {
            let outputs = engine.run(&ImageBatch::stack(&tensors)?)?;
            check_rows(&outputs, engine.manifest(), n_images)?;
            Ok(outputs)
        }))
        .unwrap_or_else(|_| Err(Error::EnginePanicked { model: self.model.clone() }));
        let ran = started.elapsed();
        let Some(waiting) = desk.end() else { return Some(End::GivenUp) };

        self.count_batch(n_images);
        match result {
            Ok(outputs) => {
                for (row, Waiting { requester, .. }) in waiting.into_iter().enumerate() {
                    requester.reply.send(Ok(Prediction {
                        embedding: outputs.embeddings.row(row).to_vec(),
                        logits: outputs.logits.row(row).to_vec(),
                        known: outputs.known[row],
                        batch_size: n_images,
                        waited: started.duration_since(requester.queued),
                        ran,
                    }));
                }
                None
            }
            Err(source) => {
                // The state of an engine after a panic is unknown, so it is used again only without supervision.
                let is_lost = source.lost_a_worker() && self.supervision.is_some();
                self.fail(waiting, source);
                is_lost.then_some(End::Panicked)
            }
        }
    }

    pub(super) fn count_batch(&self, n_images: usize) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.images.fetch_add(n_images as u64, Ordering::Relaxed);
        let class =
            BATCH_SIZE_BOUNDS.iter().position(|bound| n_images <= *bound).unwrap_or(BATCH_SIZE_BOUNDS.len());
        self.batch_sizes[class].fetch_add(1, Ordering::Relaxed);
    }

    /// Answers all requesters of a batch with the error.
    pub(super) fn fail(&self, waiting: Vec<Waiting>, source: Error) {
        self.failed_batches.fetch_add(1, Ordering::Relaxed);
        // All requests of the batch share one error, because its sources cannot be cloned.
        let (images, source) = (waiting.len(), Arc::new(source));
        for Waiting { requester, .. } in waiting {
            // Before the answer, so that the loss is recorded before the caller can retry.
            if let Some(on_loss) = requester.on_loss.filter(|_| source.lost_a_worker()) {
                on_loss(images);
            }
            requester.reply.send(Err(Error::Batch { images, source: Arc::clone(&source) }));
        }
    }
}

/// With fewer rows than images, a requester would receive the answer of another.
fn check_rows(outputs: &Outputs, manifest: &Manifest, n_images: usize) -> Result<()> {
    for (name, found) in [
        (manifest.embedding.output.as_str(), outputs.embeddings.nrows()),
        (manifest.logits_name(), outputs.logits.nrows()),
        (manifest.known_name(), outputs.known.len()),
    ] {
        if found != n_images {
            return Err(Error::GraphMismatch {
                model: manifest.name.clone(),
                name: name.to_owned(),
                expected: format!("{n_images} rows"),
                found: format!("{found} rows"),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_not_given_up_for_the_time_in_which_the_process_stood_still() {
        let (desk, begun) = (Desk::default(), Instant::now());
        desk.begin(begun, Duration::from_secs(10), Vec::new());
        let resumed = begun + Duration::from_mins(1);
        assert!(desk.give_up(resumed + Duration::from_secs(10), Some(resumed)).is_none());
        assert!(desk.give_up(resumed + Duration::from_secs(11), Some(resumed)).is_some());
    }
}
