//! The loop of a worker on a queue that several servers share.

use std::convert::Infallible;
use std::future::pending;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use crate::{Result, logged};

/// Poll interval of an idle worker, for work that was queued by another server.
const IDLE: Duration = Duration::from_secs(2);

/// Runs one piece of work after the other, for as long as the server runs. `next` runs one and returns whether there
/// was any; `work_came` is notified when work is queued on this server. `failure` is the log message if none could be
/// claimed.
pub(crate) async fn work<F: Future<Output = Result<bool>>>(
    next: impl Fn() -> F,
    work_came: &Notify,
    failure: &'static str,
) -> Infallible {
    loop {
        match next().await {
            Ok(true) => {}
            Ok(false) => {
                // Whether it was notified or timed out, the worker looks for work.
                let _ = timeout(IDLE, work_came.notified()).await;
            }
            // The server is stopping, and with it the caller; another attempt would only fill the log.
            Err(error) if error.is_closed() => return pending().await,
            Err(error) => {
                tracing::warn!(error = logged(&error), "{failure}");
                sleep(IDLE).await;
            }
        }
    }
}
