//! Retries calls while the server does not answer.

use std::time::Duration;

use partsight_domain::ServiceUrl;
use qdrant_client::QdrantError;
use tokio::time::{Instant, sleep, timeout_at};

use super::super::IndexError;

/// Delay before the second attempt; doubled before each further one.
const FIRST_WAIT: Duration = Duration::from_millis(50);
/// Longest delay, so that a server that starts is found soon afterwards.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// The gRPC status code of a missing collection.
const NOT_FOUND: i32 = 5;
/// gRPC status codes after which the same call may succeed: cancelled, unknown (for a broken connection), deadline
/// exceeded, resource exhausted, aborted, internal (for a refused connection), unavailable
/// (<https://grpc.io/docs/guides/status-codes/>).
const TRANSIENT: [i32; 7] = [1, 2, 4, 8, 10, 13, 14];

/// The limits of retries.
pub(super) struct Retry<'a> {
    pub(super) url: &'a ServiceUrl,
    pub(super) collection: &'a str,
    pub(super) deadline: Duration,
    /// Maximum number of attempts.
    pub(super) attempts: u32,
}

impl Retry<'_> {
    /// Repeats an idempotent call until it succeeds, is refused, or a limit is reached.
    ///
    /// # Errors
    /// [`IndexError::Refused`], [`IndexError::Unavailable`], [`IndexError::CollectionMissing`].
    pub(super) async fn run<T, F>(&self, action: &'static str, call: impl Fn() -> F) -> Result<T, IndexError>
    where
        F: Future<Output = Result<T, QdrantError>>,
    {
        let end = Instant::now() + self.deadline;
        let mut attempt = 1;
        let mut wait = FIRST_WAIT;
        loop {
            let unavailable =
                |source| IndexError::Unavailable { url: self.url.to_string(), attempts: attempt, source };
            // The deadline is for all attempts together, since the caller waits for all of them.
            match timeout_at(end, call()).await {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(error)) if code(&error) == Some(NOT_FOUND) => {
                    return Err(IndexError::CollectionMissing { collection: self.collection.to_owned() });
                }
                Ok(Err(error)) if !is_transient(&error) => {
                    return Err(IndexError::Refused {
                        url: self.url.to_string(),
                        action,
                        source: error.into(),
                    });
                }
                Ok(Err(error)) => {
                    // Gives up if the next delay would end after the deadline.
                    if attempt >= self.attempts || Instant::now() + wait >= end {
                        return Err(unavailable(error.into()));
                    }
                }
                Err(elapsed) => return Err(unavailable(elapsed.into())),
            }
            sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
            attempt += 1;
        }
    }
}

fn code(error: &QdrantError) -> Option<i32> {
    match error {
        QdrantError::ResponseError { status } => Some(status.code() as i32),
        _ => None,
    }
}

fn is_transient(error: &QdrantError) -> bool {
    match error {
        QdrantError::ResourceExhaustedError { .. } | QdrantError::Io(_) => true,
        other => code(other).is_some_and(|code| TRANSIENT.contains(&code)),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// The result of a call that fails `n_failures` times.
    async fn run(attempts: u32, n_failures: u32) -> Result<u32, IndexError> {
        let retry = Retry {
            url: &ServiceUrl::new("http://away"),
            collection: "parts",
            deadline: Duration::from_mins(1),
            attempts,
        };
        let n_calls = Cell::new(0);
        let call = || {
            n_calls.set(n_calls.get() + 1);
            let is_over = n_calls.get() > n_failures;
            std::future::ready(if is_over {
                Ok(n_calls.get())
            } else {
                Err(QdrantError::Io(std::io::Error::other("connection refused")))
            })
        };
        retry.run("take references", call).await
    }

    #[tokio::test]
    async fn a_search_is_tried_a_few_times_and_a_change_for_longer() {
        let result = run(4, 5).await;
        assert!(matches!(result, Err(IndexError::Unavailable { attempts: 4, .. })), "{result:?}");
        assert_eq!(run(u32::MAX, 5).await.unwrap(), 6);
    }
}
