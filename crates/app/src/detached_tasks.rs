//! Work that goes on when whoever asked for it goes away.

use std::future::Future;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::{Error, Result};

/// How long a stopping server waits for work that runs.
const CLOSING_LIMIT: Duration = Duration::from_secs(10);

/// What runs until it is done: half of it would leave it unknown what was bought, or throw away what was paid for.
/// Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct DetachedTasks {
    running: TaskTracker,
    /// Ends what has not ended in time when the server stops.
    given_up: CancellationToken,
}

impl DetachedTasks {
    /// Does `work` to its end, whether or not somebody still waits for it.
    ///
    /// # Errors
    /// Its own; [`Error::ShuttingDown`] for a server that stopped before it was done, [`Error::Internal`] where it
    /// panicked.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let given_up = self.given_up.clone();
        let work = async move { given_up.run_until_cancelled(work).await };
        // Dropping the handle does not end the task.
        match self.running.spawn_on(work, &Handle::current()).await {
            Ok(Some(result)) => result,
            Err(error) if error.is_panic() => Err(Error::internal(error)),
            Ok(None) | Err(_) => Err(Error::ShuttingDown),
        }
    }

    /// Begins work that nobody waits for; also while something is dropped. Not where everything ends.
    pub(crate) fn begin(&self, work: impl Future<Output = ()> + Send + 'static) {
        // Without a runtime the process is ending, and nobody is left to do it.
        let Ok(runtime) = Handle::try_current() else { return };
        let given_up = self.given_up.clone();
        let work = async move {
            given_up.run_until_cancelled(work).await;
        };
        self.running.spawn_on(work, &runtime);
    }

    /// Begins `work` and waits for its end, but no longer than `patience`: then it goes on by itself.
    pub(crate) async fn begin_and_wait(
        &self,
        patience: Duration,
        work: impl Future<Output = ()> + Send + 'static,
    ) {
        let (is_done, done) = oneshot::channel::<()>();
        self.begin(async move {
            work.await;
            // Dropping it wakes whoever waits, also where the work panics.
            drop(is_done);
        });
        let _ = tokio::time::timeout(patience, done).await;
    }

    /// Lets what runs end.
    pub(crate) async fn close(&self) {
        self.running.close();
        if tokio::time::timeout(CLOSING_LIMIT, self.running.wait()).await.is_err() {
            self.given_up.cancel();
            tracing::warn!("what somebody had asked for did not end in time");
        }
    }
}
