use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{Mail, MailSettings, Mailer};
use crate::Error;

/// Mails that may wait for their first try, and as many for another one. One more is dropped with a warning: somebody asks for
/// links faster than they leave.
const WAITING_MAILS: usize = 256;
/// Deliveries at a time, so that one slow answer does not hold up all others.
const PARALLEL_DELIVERIES: usize = 4;
/// Waits before further tries: past the restart of a mail server, and the minutes for which many refuse an unknown sender
/// (greylisting, RFC 6647), but not beyond the hour for which the link to a new password works.
const RETRY_WAITS: [Duration; 5] = [
    Duration::from_secs(2),
    Duration::from_secs(30),
    Duration::from_mins(5),
    Duration::from_mins(15),
    Duration::from_mins(30),
];
/// How long waiting mails may take to leave once the server stops.
const CLOSING_LIMIT: Duration = Duration::from_secs(10);

/// Takes mails and lets them leave in the background. Cheap to clone.
///
/// A mail that cannot leave is logged, without its address and its text, and gone: whoever waits for it can ask
/// for another one.
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

    /// Sends a mail now, past those that wait, and tries once: for whoever keeps what is to be sent, and tries again.
    ///
    /// # Errors
    /// [`Error::Compose`], [`Error::Deliver`], [`Error::WriteMail`].
    pub async fn deliver(&self, mail: &Mail) -> Result<(), Error> {
        self.mailer.send(&self.mailer.compose(mail)?).await
    }

    /// Takes a mail without waiting for anything.
    pub fn send(&self, mail: Mail) {
        // Never waits: whoever asks for a link must not learn from the time whether a mail was sent.
        if self.queue.try_send(mail).is_err() {
            tracing::warn!("a mail was dropped: {WAITING_MAILS} are waiting, or the server is stopping");
        }
    }

    /// Lets the waiting mails leave, for at most ten seconds, and takes no more.
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
        // Those that wait for another try are bounded, too.
        while deliveries.len() >= WAITING_MAILS {
            let _ = deliveries.join_next().await;
        }
        let mail = tokio::select! {
            mail = mails.recv() => mail,
            // Also when the outbox was dropped without being closed.
            _ = is_closing.wait_for(|closing| *closing), if !mails.is_closed() => {
                // What is in the queue is still handed out; only new mails are refused.
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

/// Tries until it left, was refused for good, or all tries are used up.
async fn deliver(
    mail: &Mail,
    mailer: &Mailer,
    places: &Semaphore,
    mut is_closing: watch::Receiver<bool>,
) -> Result<(), Error> {
    let message = mailer.compose(mail)?;
    // A place for the time of a try alone: what waits for another one must not hold up the rest.
    let try_once = async || {
        let _place = places.acquire().await;
        // The same message each time, with the same id: a receiver that had taken the first one can tell.
        mailer.send(&message).await
    };
    let mut waits = RETRY_WAITS.into_iter();
    loop {
        let error = match try_once().await {
            Err(Error::Deliver { failure }) if failure.is_temporary() => Error::Deliver { failure },
            other => return other,
        };
        let Some(wait) = waits.next() else { return Err(error) };
        // A server that stops tries at once for the last time.
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
