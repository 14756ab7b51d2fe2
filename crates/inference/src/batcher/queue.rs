//! The bounded queue: waiting requests in order, and the number of idle engines.

use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc},
    time::Instant,
};

use tokio::sync::oneshot;
use tracing::Span;

use super::{OnLoss, Prediction};
use crate::{Error, Result, Tensor};

/// One waiting request.
pub(super) struct Entry {
    tensor: Tensor,
    requester: Requester,
    /// Ends when the request stops waiting.
    // Never read: the span ends when the entry is dropped, which is when its batch starts or it is refused.
    _queue_span: Span,
}

/// Where an answer goes, and when its request was queued.
pub(super) struct Requester {
    pub(super) reply: Reply,
    pub(super) queued: Instant,
    /// The span of the caller, as the parent of the inference span.
    pub(super) span: Span,
    /// Called when an engine is lost on this request, even if the caller no longer waits.
    pub(super) on_loss: Option<OnLoss>,
}

impl Entry {
    pub(super) fn new(tensor: Tensor, reply: Reply, on_loss: Option<OnLoss>) -> Self {
        let requester = Requester { reply, queued: Instant::now(), span: Span::current(), on_loss };
        Self { tensor, requester, _queue_span: tracing::debug_span!("queue") }
    }

    pub(super) fn into_parts(self) -> (Tensor, Requester) {
        (self.tensor, self.requester)
    }
}

/// The channel for the answer.
pub(super) enum Reply {
    Future(oneshot::Sender<Result<Prediction>>),
    Blocking(mpsc::SyncSender<Result<Prediction>>),
}

impl Reply {
    /// Sends the answer; a caller that has gone in the meantime is ignored.
    pub(super) fn send(self, answer: Result<Prediction>) {
        match self {
            Self::Future(sender) => drop(sender.send(answer)),
            Self::Blocking(sender) => drop(sender.send(answer)),
        }
    }

    fn is_abandoned(&self) -> bool {
        // A thread blocked in `recv` cannot be cancelled, so only a dropped future is abandoned.
        matches!(self, Self::Future(sender) if sender.is_closed())
    }
}

pub(super) struct Queue {
    state: Mutex<State>,
    capacity: usize,
    arrived: Condvar,
    room: Condvar,
}

#[derive(Default)]
struct State {
    entries: VecDeque<Entry>,
    idle_engines: usize,
    closed: bool,
    abandoned: u64,
    refused: u64,
}

/// Counters of the queue.
pub(super) struct Counts {
    pub(super) waiting: usize,
    pub(super) abandoned: u64,
    pub(super) refused: u64,
}

impl Queue {
    pub(super) fn new(capacity: usize) -> Self {
        Self { state: Mutex::default(), capacity, arrived: Condvar::new(), room: Condvar::new() }
    }

    /// Adds all of these requests, or refuses all of them.
    pub(super) fn try_push(&self, entries: Vec<Entry>) -> Result<()> {
        let mut state = self.lock();
        let is_full = |state: &State| state.entries.len() + entries.len() > self.capacity;
        if !state.closed && is_full(&state) {
            // Only when full: scanning the queue on every request would cost more than the abandoned entries do.
            state.drop_abandoned();
            if is_full(&state) {
                state.refused += entries.len() as u64;
                return Err(Error::QueueFull { capacity: self.capacity });
            }
        }
        self.push(state, entries)
    }

    /// Adds a request, blocking until there is room.
    pub(super) fn push_when_room(&self, entry: Entry) -> Result<()> {
        let state = self.lock();
        // Closing the queue wakes the threads that wait for room too; `push` then refuses their requests.
        let is_full = |state: &mut State| !state.closed && state.entries.len() >= self.capacity;
        let state = self.room.wait_while(state, is_full).unwrap_or_else(PoisonError::into_inner);
        self.push(state, [entry])
    }

    fn push(&self, mut state: MutexGuard<'_, State>, entries: impl IntoIterator<Item = Entry>) -> Result<()> {
        if state.closed {
            return Err(Error::ShutDown);
        }
        state.entries.extend(entries);
        // Unlocked first: an engine that is woken would otherwise wait for the lock.
        drop(state);
        // If that engine leaves some requests, it wakes the next engine.
        self.arrived.notify_one();
        Ok(())
    }

    /// Blocks until a request waits, then takes up to `max_batch` requests in order; `None` once the queue is
    /// closed and empty. The requests are shared evenly among the idle engines.
    pub(super) fn take(&self, max_batch: usize) -> Option<Vec<Entry>> {
        let mut state = self.lock();
        state.idle_engines += 1;
        loop {
            state.drop_abandoned();
            if !state.entries.is_empty() {
                break;
            }
            if state.closed {
                state.idle_engines -= 1;
                return None;
            }
            // Dropping abandoned entries may have made room.
            self.room.notify_all();
            state = self.arrived.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        // This engine counts as idle too, so the divisor is never 0.
        let share = state.entries.len().div_ceil(state.idle_engines).min(max_batch);
        state.idle_engines -= 1;
        let entries = state.entries.drain(..share).collect();
        let is_more_waiting = !state.entries.is_empty();
        drop(state);
        if is_more_waiting {
            self.arrived.notify_one();
        }
        self.room.notify_all();
        Some(entries)
    }

    /// Refuses new requests; waiting ones are still served.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_all();
        self.room.notify_all();
    }

    /// Answers all waiting requests with the error that `why` makes.
    pub(super) fn refuse_waiting(&self, why: impl Fn() -> Error) {
        // Answered without the lock: a caller that wakes up may push again at once.
        let entries = std::mem::take(&mut self.lock().entries);
        self.room.notify_all();
        for entry in entries {
            entry.requester.reply.send(Err(why()));
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    pub(super) fn counts(&self) -> Counts {
        let state = self.lock();
        Counts { waiting: state.entries.len(), abandoned: state.abandoned, refused: state.refused }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn drop_abandoned(&mut self) {
        let before = self.entries.len();
        self.entries.retain(|entry| !entry.requester.reply.is_abandoned());
        self.abandoned += (before - self.entries.len()) as u64;
    }
}
