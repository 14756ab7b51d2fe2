//! The worker of a server, which claims and runs one evaluation at a time.
//!
//! Scans come first: a photograph begins only while no scan waits, and while scans are being answered only one at a
//! time. So few are in progress that no scan has to wait longer for them.

use std::convert::Infallible;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use jiff::SignedDuration;
use partsight_domain::{EvaluationId, LabelledLayout, MAX_EVALUATION_ATTEMPTS, labelled_layout, messages};
use partsight_store::{ClaimedEvaluation, EvaluationOutcome};
use tokio::time::timeout;

use super::Evaluations;
use super::assessor::{Assessment, AssessmentPace};
use super::upload::{is_below, within};
use crate::{Error, Identifier, Result, logged, work_loop};

/// Length of a lease: an evaluation whose server dies is delayed for this long.
const LEASE: SignedDuration = SignedDuration::from_secs(60);
/// How often the server extends its lease and saves the progress.
const RENEWAL: Duration = Duration::from_secs(1);
/// Poll interval of an evaluation that lets scans go first.
const YIELD: Duration = Duration::from_millis(20);
/// Steps for each photograph.
const PIECES: usize = 2;

/// Decides when the next photograph of the running evaluation may begin.
pub(super) struct Pace {
    id: EvaluationId,
    identifier: Arc<Identifier>,
    is_stopped: AtomicBool,
    n_running: AtomicUsize,
    n_ended: AtomicUsize,
}

impl AssessmentPace for Pace {
    fn begin(&self) -> bool {
        loop {
            if self.is_stopped.load(Ordering::Relaxed) {
                return false;
            }
            let n_running = self.n_running.load(Ordering::Relaxed);
            if may_begin(n_running, self.identifier.n_in_flight(), self.identifier.n_waiting()) {
                self.n_running.fetch_add(1, Ordering::Relaxed);
                return true;
            }
            std::thread::sleep(YIELD);
        }
    }

    fn end(&self) {
        // A step that began before a stop may end after it, and one that did not begin never ends.
        let less = |n: usize| Some(n.saturating_sub(1));
        let _ = self.n_running.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        self.n_ended.fetch_add(1, Ordering::Relaxed);
    }
}

impl Pace {
    fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    fn n_done(&self) -> u64 {
        (self.n_ended.load(Ordering::Relaxed) / PIECES) as u64
    }
}

/// Whether a photograph may begin, given the running ones of the evaluation, and the running and waiting ones of
/// others.
fn may_begin(n_running: usize, n_others: usize, n_waiting: usize) -> bool {
    n_waiting == 0 && (n_others == 0 || n_running == 0)
}

impl Evaluations {
    /// Runs evaluations for as long as the server runs.
    pub async fn run(&self) -> Infallible {
        work_loop::work(|| self.evaluate_next(), &self.work_came, "the next evaluation could not be made")
            .await
    }

    /// Claims and runs an evaluation; false if there is none to claim.
    ///
    /// # Errors
    /// Those of the store. A problem with the photographs is the outcome of the evaluation.
    pub async fn evaluate_next(&self) -> Result<bool> {
        let now = self.clock.now();
        let is_idle = self.assessor.is_none() || self.is_closing.load(Ordering::Relaxed);
        if is_idle || !self.store.has_evaluation_work(now).await? {
            return Ok(false);
        }
        let Some(claimed) = self.store.claim_evaluation(self.worker, now, now + LEASE).await? else {
            return Ok(false);
        };
        // Released attempts do not count. These attempts ended with their server, which the photographs may have
        // crashed.
        let outcome = if claimed.attempts > MAX_EVALUATION_ATTEMPTS {
            Some(EvaluationOutcome::Failed(messages::EVALUATION_TRIED_OFTEN.to_owned()))
        } else {
            self.measure(&claimed).await.unwrap_or_else(|error| {
                tracing::error!(error = logged(&error), "an evaluation could not be finished");
                // A temporary error is no outcome: the evaluation is claimed again when its lease has expired.
                let is_temporary = matches!(error, Error::DatabaseBusy(_));
                let failed = EvaluationOutcome::Failed(messages::EVALUATION_FAILED.to_owned());
                (!is_temporary).then_some(failed)
            })
        };
        if let Some(outcome) = outcome {
            let (tenant_id, id) = (claimed.tenant_id, claimed.id);
            self.store.end_evaluation(tenant_id, id, self.worker, &outcome, self.clock.now()).await?;
        }
        Ok(true)
    }

    /// Measures on its own threads, and saves the progress meanwhile; `None` if it was stopped.
    async fn measure(&self, claimed: &ClaimedEvaluation) -> Result<Option<EvaluationOutcome>> {
        let pace = Arc::new(Pace {
            id: claimed.id,
            identifier: Arc::clone(&self.identifier),
            is_stopped: AtomicBool::default(),
            n_running: AtomicUsize::default(),
            n_ended: AtomicUsize::default(),
        });
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&pace));
        // However this future ends, the threads must stop.
        let _stop = StopOnDrop(Arc::clone(&pace));
        let folder = tempfile::tempdir().map_err(Error::internal)?;
        let Some(layout) = self.unpack(claimed, &pace, folder.path()).await? else { return Ok(None) };
        let (all, name, worker_pace) = (self.clone(), claimed.name.clone(), Arc::clone(&pace));
        let mut measuring =
            tokio::task::spawn_blocking(move || all.assess(folder.path(), &layout, &name, &worker_pace));
        loop {
            match timeout(RENEWAL, &mut measuring).await {
                Ok(ended) => return ended.map_err(Error::internal),
                Err(_) => {
                    // The lease outlasts many renewals, and a busy database must not discard the measurement.
                    if let Err(error) = self.renew(claimed, &pace).await {
                        tracing::warn!(%error, "the evaluation in work could not be held");
                    }
                }
            }
        }
    }

    async fn renew(&self, claimed: &ClaimedEvaluation, pace: &Pace) -> Result<()> {
        let (tenant_id, until) = (claimed.tenant_id, self.clock.now() + LEASE);
        if !self.store.renew_evaluation(tenant_id, claimed.id, self.worker, until, pace.n_done()).await? {
            pace.stop();
        }
        Ok(())
    }

    /// Writes the photographs into `folder`, and returns the path of their labels; `None` if the evaluation has ended
    /// meanwhile.
    async fn unpack(
        &self,
        claimed: &ClaimedEvaluation,
        pace: &Pace,
        folder: &Path,
    ) -> Result<Option<LabelledLayout>> {
        let paths = self.store.list_evaluation_paths(claimed.tenant_id, claimed.id).await?;
        for (index, path) in paths.iter().enumerate() {
            // Writing thousands of files may take longer than a lease.
            if index % 50 == 0 {
                self.renew(claimed, pace).await?;
            }
            let photo = self.store.find_evaluation_photo(claimed.tenant_id, claimed.id, path).await?;
            // Cancelling an evaluation deletes its photographs.
            let Some(bytes) = photo else { return Ok(None) };
            // The upload refuses such paths; a row from elsewhere must not write outside the folder either.
            if !is_below(Path::new(path)) {
                return Err(Error::internal("a photograph of an evaluation lies outside of it"));
            }
            let file = folder.join(path);
            let written = tokio::task::spawn_blocking(move || {
                if let Some(folder) = file.parent() {
                    fs::create_dir_all(folder)?;
                }
                fs::write(&file, bytes)
            });
            written.await.map_err(Error::internal)?.map_err(Error::internal)?;
        }
        let layout = labelled_layout(paths.iter().map(String::as_str), self.identifier.labels());
        Ok(layout.map(Some)?)
    }

    fn assess(
        &self,
        folder: &Path,
        layout: &LabelledLayout,
        name: &str,
        pace: &Pace,
    ) -> Option<EvaluationOutcome> {
        let assessor = self.assessor.as_ref()?;
        let source = match layout {
            LabelledLayout::Folders(path) | LabelledLayout::List(path) => folder.join(path),
        };
        let dial = self.identifier.dial();
        let mut thresholds: Vec<f32> =
            dial.marks.iter().map(|mark| mark.identified_confidence as f32).collect();
        thresholds.push(dial.model.identified_confidence);
        let now = self.clock.now().to_string();
        // RFC 3339 to the minute.
        let written_at =
            now.get(..16).map_or(now.clone(), |minutes| format!("{} UTC", minutes.replace('T', " ")));
        let order = Assessment {
            identifier: &self.identifier,
            source: &source,
            name,
            thresholds: &thresholds,
            jobs: self.n_jobs,
            written_at: &written_at,
            pace,
        };
        match assessor.assess(&order) {
            Ok(measured) => measured.map(|measured| EvaluationOutcome::Done(Box::new(measured))),
            Err(sentence) => Some(EvaluationOutcome::Failed(within(&sentence, folder))),
        }
    }

    /// Stops the running evaluation if it is this one.
    pub(super) fn stop_if(&self, id: EvaluationId) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pace) = running.as_ref().filter(|pace| pace.id == id) {
            pace.stop();
        }
    }

    /// Stops the running evaluation and releases it, for another server or the next start.
    pub(crate) async fn give_back(&self) {
        self.is_closing.store(true, Ordering::Relaxed);
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(pace) = running else { return };
        pace.stop();
        if let Err(error) = self.store.release_evaluations(self.worker).await {
            tracing::warn!(%error, "the evaluation in work could not be given back");
        }
    }
}

/// Stops the threads of an evaluation when its future is dropped.
struct StopOnDrop(Arc<Pace>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_at_a_screen_come_first() {
        let cases = [
            ("nobody is here", 3, 0, 0, true),
            ("somebody is being answered, and nothing else of the evaluation", 0, 1, 0, true),
            ("somebody is being answered beside one of the evaluation", 1, 1, 0, false),
            ("somebody waits", 0, 1, 1, false),
        ];
        for (name, n_running, n_others, n_waiting, expected) in cases {
            assert_eq!(may_begin(n_running, n_others, n_waiting), expected, "{name}");
        }
    }
}
