use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{Mail, MailSettings, Mailer};
use crate::Error;

/// Most mails that wait for their first try, and most that wait for another one. One more is dropped with a warning:
/// then links are asked for faster than they can be sent.
const WAITING_MAILS: usize = 256;
/// Deliveries at a time, so that one slow answer does not hold up all others.
const PARALLEL_DELIVERIES: usize = 4;
/// Waits before further tries. They outlast the restart of a mail server and the minutes for which many refuse an
/// unknown sender (greylisting, RFC 6647), but not the hour for which a link to a new password is valid.
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
/// A mail that cannot be sent is dropped and logged, without its address and text; people can ask for another one.
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

    /// Sends a mail now, ahead of the queue, and tries only once: for callers that keep the mail and retry by
    /// themselves.
    ///
    /// # Errors
    /// [`Error::Compose`], [`Error::Deliver`], [`Error::WriteMail`].
    pub async fn deliver(&self, mail: &Mail) -> Result<(), Error> {
        self.mailer.send(&self.mailer.compose(mail)?).await
    }

    /// Queues a mail without waiting.
    pub fn send(&self, mail: Mail) {
        // Never waits: the response time must not tell whether a mail was sent.
        if self.queue.try_send(mail).is_err() {
            tracing::warn!("a mail was dropped: {WAITING_MAILS} are waiting, or the server is stopping");
        }
    }

    /// Takes no more mails, and sends the queued ones for at most ten seconds.
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
        // The number of mails that wait for another try is bounded, too.
        while deliveries.len() >= WAITING_MAILS {
            let _ = deliveries.join_next().await;
        }
        let mail = tokio::select! {
            mail = mails.recv() => mail,
            // Also when the outbox is dropped without being closed.
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

/// Tries until the mail was sent, was refused for good, or all tries are used up.
async fn deliver(
    mail: &Mail,
    mailer: &Mailer,
    places: &Semaphore,
    mut is_closing: watch::Receiver<bool>,
) -> Result<(), Error> {
    let message = mailer.compose(mail)?;
    // The place in the limit is held only during the try, so that waiting mails do not hold up the others.
    let try_once = async || {
        let _place = places.acquire().await;
        // The same message with the same id each time, so that a receiver can recognise one that it already has.
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
        // A stopping server makes the last try at once.
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
