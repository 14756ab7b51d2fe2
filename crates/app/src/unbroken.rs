//! Work that goes on when whoever asked for it goes away.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::{Error, Result};

/// How long a stopping server waits for work that runs.
const CLOSING_LIMIT: Duration = Duration::from_secs(10);

/// What runs until it is done: half of it would leave it unknown what was bought, or throw away what was paid for.
/// Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Unbroken(Arc<Mutex<JoinSet<()>>>);

impl Unbroken {
    /// Does `work` to its end, whether or not somebody still waits for it.
    ///
    /// # Errors
    /// Its own, and [`Error::ShuttingDown`] for a server that stopped before it was done.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let (sender, receiver) = oneshot::channel();
        self.begin(async move {
            // The browser is gone.
            let _ = sender.send(work.await);
        });
        receiver.await.unwrap_or(Err(Error::ShuttingDown))
    }

    /// Begins work that nobody waits for; also while something is dropped. Not where everything ends.
    pub(crate) fn begin(&self, work: impl Future<Output = ()> + Send + 'static) {
        let Ok(runtime) = Handle::try_current() else { return };
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while running.try_join_next().is_some() {}
        running.spawn_on(work, &runtime);
    }

    /// Lets what runs end.
    pub(crate) async fn close(&self) {
        let mut running = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let all = async { while running.join_next().await.is_some() {} };
        if tokio::time::timeout(CLOSING_LIMIT, all).await.is_err() {
            tracing::warn!("what somebody had asked for did not end in time");
        }
    }
}
