//! Erasing what somebody has deleted, in the background.

use std::time::Duration;

use partsight_store::Error;

use crate::detached_tasks::DetachedTasks;
use crate::logged;

/// How long the answer to a deletion waits for the rows to be erased. Nobody sees them by then.
const PATIENCE: Duration = Duration::from_secs(2);

/// Erases what is already out of sight, in slices, and waits a moment for it: the space of a few pictures is free again
/// when their deletion is answered. `Operations::run_erasure` continues what is interrupted.
pub(crate) async fn erase_soon(
    tasks: &DetachedTasks,
    erasing: impl Future<Output = Result<u64, Error>> + Send + 'static,
) {
    let work = async move {
        if let Err(error) = erasing.await {
            tracing::warn!(
                error = logged(&error),
                "not all of what was deleted could be erased; this is continued within a minute"
            );
        }
    };
    tasks.begin_and_wait(PATIENCE, work).await;
}
