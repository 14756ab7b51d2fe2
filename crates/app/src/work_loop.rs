//! The loop of a worker that takes pieces of work which several servers share.

use std::convert::Infallible;
use std::future::pending;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use crate::Result;

/// How often a worker without work looks for some that came to another server.
const IDLE: Duration = Duration::from_secs(2);

/// Does one piece after the other, for as long as the server runs. `next` does one and says whether there was any;
/// `work_came` is rung when some came to this server. `failure` is what the log says where none could be taken.
pub(crate) async fn work<F: Future<Output = Result<bool>>>(
    next: impl Fn() -> F,
    work_came: &Notify,
    failure: &'static str,
) -> Infallible {
    loop {
        match next().await {
            Ok(true) => {}
            Ok(false) => {
                // Whether something came or the time is over, it is looked for.
                let _ = timeout(IDLE, work_came.notified()).await;
            }
            // The server stops, and with it whoever awaits this; another try would only fill the log.
            Err(error) if error.is_closed() => return pending().await,
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "{failure}");
                sleep(IDLE).await;
            }
        }
    }
}
