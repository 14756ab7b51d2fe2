//! Tasks that survive the disconnect of the client that started them.

use std::future::Future;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::{Error, Result};

/// How long a stopping server waits for running tasks.
const CLOSING_LIMIT: Duration = Duration::from_secs(10);

/// Tasks that must run to the end: otherwise it would be unknown what was bought, or paid results would be lost.
/// Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct DetachedTasks {
    running: TaskTracker,
    /// Cancels what has not ended in time when the server stops.
    given_up: CancellationToken,
}

impl DetachedTasks {
    /// Runs `work` to its end, even if its caller goes away.
    ///
    /// # Errors
    /// Those of `work`; [`Error::ShuttingDown`] if the server stopped before it was done, [`Error::Internal`] if it
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

    /// Starts work that nobody waits for; also usable in a destructor. Does nothing without a runtime.
    pub(crate) fn begin(&self, work: impl Future<Output = ()> + Send + 'static) {
        // Without a runtime the process is ending.
        let Ok(runtime) = Handle::try_current() else { return };
        let given_up = self.given_up.clone();
        let work = async move {
            given_up.run_until_cancelled(work).await;
        };
        self.running.spawn_on(work, &runtime);
    }

    /// Starts `work` and waits for its end, at most for `patience`; after that it continues in the background.
    pub(crate) async fn begin_and_wait(
        &self,
        patience: Duration,
        work: impl Future<Output = ()> + Send + 'static,
    ) {
        let (is_done, done) = oneshot::channel::<()>();
        self.begin(async move {
            work.await;
            // Dropping it wakes the waiting caller, even if the work panics.
            drop(is_done);
        });
        let _ = tokio::time::timeout(patience, done).await;
    }

    /// What a stopping server waits for until it is dropped; `None` if it is stopping already.
    pub(crate) fn hold(&self) -> Option<TaskTrackerToken> {
        // In this order: a server that begins to stop in between waits for it.
        let held = self.running.token();
        (!self.running.is_closed()).then_some(held)
    }

    /// Waits for running tasks.
    pub(crate) async fn close(&self) {
        self.running.close();
        if tokio::time::timeout(CLOSING_LIMIT, self.running.wait()).await.is_err() {
            self.given_up.cancel();
            tracing::warn!("what somebody had asked for did not end in time");
        }
    }
}
