use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{Mail, MailSettings, Mailer};
use crate::Error;

/// Largest number of mails that wait for their first attempt, and of those that wait for a retry. Further mails are
/// dropped with a warning: links are then requested faster than they can be sent.
const WAITING_MAILS: usize = 256;
/// Concurrent deliveries, so that one slow answer does not delay all others.
const PARALLEL_DELIVERIES: usize = 4;
/// Delays before retries. They cover the restart of a mail server and the minutes for which many refuse an unknown
/// sender (greylisting, RFC 6647), but not the hour for which a password reset link is valid.
const RETRY_WAITS: [Duration; 5] = [
    Duration::from_secs(2),
    Duration::from_secs(30),
    Duration::from_mins(5),
    Duration::from_mins(15),
    Duration::from_mins(30),
];
/// How long a stopping server waits for queued mails to be sent.
const CLOSING_LIMIT: Duration = Duration::from_secs(10);

/// Sends mails in the background. Cheap to clone.
///
/// A mail that cannot be sent is dropped and logged, without its address and text; users can request another one.
#[derive(Debug, Clone)]
pub struct Outbox {
    queue: mpsc::Sender<Mail>,
    closing: watch::Sender<bool>,
    worker: Arc<Mutex<JoinSet<()>>>,
    mailer: Mailer,
}

impl Outbox {
    /// Starts the worker; must be called in a tokio runtime.
    ///
    /// # Errors
    /// [`Error::SmtpUrl`] or [`Error::Compose`] for an address that cannot be used; a sender must be set.
    pub fn start(settings: &MailSettings) -> Result<Self, Error> {
        let mailer = Mailer::new(settings)?;
        let (queue, mails) = mpsc::channel(WAITING_MAILS);
        let (closing, is_closing) = watch::channel(false);
        let mut worker = JoinSet::new();
        worker.spawn(work(mails, is_closing, mailer.clone()));
        Ok(Self { queue, closing, worker: Arc::new(Mutex::new(worker)), mailer })
    }

    /// Sends a mail immediately, ahead of the queue, with a single attempt: for callers that keep the mail and
    /// retry themselves.
    ///
    /// # Errors
    /// [`Error::Compose`], [`Error::Deliver`], [`Error::WriteMail`].
    pub async fn deliver(&self, mail: &Mail) -> Result<(), Error> {
        self.mailer.send(&self.mailer.compose(mail)?).await
    }

    /// Queues a mail without waiting.
    pub fn send(&self, mail: Mail) {
        // Never waits: the response time must not reveal whether a mail was sent.
        if self.queue.try_send(mail).is_err() {
            tracing::warn!("a mail was dropped: {WAITING_MAILS} are waiting, or the server is stopping");
        }
    }

    /// Accepts no more mails, and sends the queued ones for at most ten seconds.
    pub async fn close(&self) {
        self.closing.send_replace(true);
        let mut worker = std::mem::take(&mut *self.worker.lock().unwrap_or_else(PoisonError::into_inner));
        if timeout(CLOSING_LIMIT, worker.join_next()).await.is_err() {
            tracing::warn!("some mails did not leave in time and are lost");
        }
    }
}

async fn work(mut mails: mpsc::Receiver<Mail>, mut is_closing: watch::Receiver<bool>, mailer: Mailer) {
    let mut deliveries = JoinSet::new();
    let places = Arc::new(Semaphore::new(PARALLEL_DELIVERIES));
    loop {
        // The number of mails that wait for a retry is limited, too.
        while deliveries.len() >= WAITING_MAILS {
            let _ = deliveries.join_next().await;
        }
        let mail = tokio::select! {
            mail = mails.recv() => mail,
            // This also happens if the outbox is dropped without being closed.
            _ = is_closing.wait_for(|closing| *closing), if !mails.is_closed() => {
                // Queued mails are still received; only new ones are refused.
                mails.close();
                continue;
            }
        };
        let Some(mail) = mail else { break };
        let (mailer, places, is_closing) = (mailer.clone(), Arc::clone(&places), is_closing.clone());
        deliveries.spawn(async move {
            if let Err(error) = deliver(&mail, &mailer, &places, is_closing).await {
                log_failure(&error);
            }
        });
    }
    while deliveries.join_next().await.is_some() {}
}

/// Retries until the mail was sent, was refused permanently, or the attempts are used up.
async fn deliver(
    mail: &Mail,
    mailer: &Mailer,
    places: &Semaphore,
    mut is_closing: watch::Receiver<bool>,
) -> Result<(), Error> {
    let message = mailer.compose(mail)?;
    // The permit is held only during an attempt, so that waiting mails do not block others.
    let try_once = async || {
        let _place = places.acquire().await;
        // Always the same message with the same id, so that a receiver can recognise a duplicate.
        mailer.send(&message).await
    };
    let mut waits = RETRY_WAITS.into_iter();
    loop {
        let error = match try_once().await {
            Err(Error::Deliver { failure }) if failure.is_temporary() => Error::Deliver { failure },
            other => return other,
        };
        if waits.len() == RETRY_WAITS.len() {
            tracing::warn!(%error, "a mail has not left yet, and is tried again");
        }
        let Some(wait) = waits.next() else { return Err(error) };
        // When the server stops, the last attempt is made at once.
        let _ = timeout(wait, is_closing.wait_for(|closing| *closing)).await;
        if *is_closing.borrow() {
            return try_once().await;
        }
    }
}

fn log_failure(error: &Error) {
    use std::error::Error as _;
    let cause = error.source().map(ToString::to_string).unwrap_or_default();
    tracing::error!(%error, cause, "a mail did not leave");
}
