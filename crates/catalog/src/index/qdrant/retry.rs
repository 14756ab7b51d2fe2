//! Asking again when the server does not answer.

use std::time::Duration;

use qdrant_client::QdrantError;
use tokio::time::{Instant, sleep, timeout_at};

use super::super::IndexError;

/// Attempts at most.
const ATTEMPTS: u32 = 4;
/// Waited before the second attempt; doubled before each further one.
const FIRST_WAIT: Duration = Duration::from_millis(50);
/// gRPC status codes after which the same call may succeed: cancelled, unknown (which is what a broken connection
/// gives), deadline exceeded, resource exhausted, aborted, internal (what a refused connection gives), unavailable
/// (<https://grpc.io/docs/guides/status-codes/>).
const TRANSIENT: [i32; 7] = [1, 2, 4, 8, 10, 13, 14];

/// How long to go on asking.
pub(super) struct Retry<'a> {
    pub(super) url: &'a str,
    pub(super) deadline: Duration,
}

impl Retry<'_> {
    /// Makes a call that may be made twice, until it succeeds, is refused, or too much has been tried.
    ///
    /// # Errors
    /// [`IndexError::Refused`], [`IndexError::Unavailable`].
    pub(super) async fn run<T, F>(&self, action: &'static str, call: impl Fn() -> F) -> Result<T, IndexError>
    where
        F: Future<Output = Result<T, QdrantError>>,
    {
        let end = Instant::now() + self.deadline;
        let mut attempt = 1;
        let mut wait = FIRST_WAIT;
        loop {
            let unavailable =
                |source| IndexError::Unavailable { url: self.url.to_owned(), attempts: attempt, source };
            match timeout_at(end, call()).await {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(error)) if !is_transient(&error) => {
                    return Err(IndexError::Refused {
                        url: self.url.to_owned(),
                        action,
                        source: error.into(),
                    });
                }
                Ok(Err(error)) => {
                    if attempt == ATTEMPTS || Instant::now() + wait >= end {
                        return Err(unavailable(error.into()));
                    }
                }
                Err(elapsed) => return Err(unavailable(elapsed.into())),
            }
            sleep(wait).await;
            wait *= 2;
            attempt += 1;
        }
    }
}

fn is_transient(error: &QdrantError) -> bool {
    match error {
        QdrantError::ResponseError { status } => TRANSIENT.contains(&(status.code() as i32)),
        QdrantError::ResourceExhaustedError { .. } | QdrantError::Io(_) => true,
        _ => false,
    }
}
