//! The bounded queue: who waits, in order, and which engines are idle.

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
    /// Ends with the wait.
    // Never read; dropping the entry as its batch begins, or as it is refused, ends the span.
    _queue_span: Span,
}

/// Who waits for an answer, and since when.
pub(super) struct Requester {
    pub(super) reply: Reply,
    pub(super) queued: Instant,
    /// What asked, for the traces.
    pub(super) span: Span,
    /// Told when a worker is lost over it, also where nobody waits any more.
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

/// Where the answer goes.
pub(super) enum Reply {
    Future(oneshot::Sender<Result<Prediction>>),
    Blocking(mpsc::SyncSender<Result<Prediction>>),
}

impl Reply {
    /// A requester that has gone in the meantime does not need the answer.
    pub(super) fn send(self, answer: Result<Prediction>) {
        match self {
            Self::Future(sender) => drop(sender.send(answer)),
            Self::Blocking(sender) => drop(sender.send(answer)),
        }
    }

    fn is_abandoned(&self) -> bool {
        // A thread in `recv` cannot give up as a dropped future can: it always waits to the end.
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

/// Figures of the queue.
pub(super) struct Counts {
    pub(super) waiting: usize,
    pub(super) abandoned: u64,
    pub(super) refused: u64,
}

impl Queue {
    pub(super) fn new(capacity: usize) -> Self {
        Self { state: Mutex::default(), capacity, arrived: Condvar::new(), room: Condvar::new() }
    }

    /// Adds requests that belong together, or refuses all of them at once.
    pub(super) fn try_push(&self, entries: Vec<Entry>) -> Result<()> {
        let mut state = self.lock();
        let is_full = |state: &State| state.entries.len() + entries.len() > self.capacity;
        if !state.closed && is_full(&state) {
            // Only when full: looking through the queue with every request would cost more than the dead ones do.
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
        // A closed queue wakes those who wait for room as well; `push` then refuses them.
        let is_full = |state: &mut State| !state.closed && state.entries.len() >= self.capacity;
        let state = self.room.wait_while(state, is_full).unwrap_or_else(PoisonError::into_inner);
        self.push(state, [entry])
    }

    fn push(&self, mut state: MutexGuard<'_, State>, entries: impl IntoIterator<Item = Entry>) -> Result<()> {
        if state.closed {
            return Err(Error::ShutDown);
        }
        state.entries.extend(entries);
        // Unlocked first: an engine that is woken would only wait for the lock.
        drop(state);
        // An engine that leaves some of them wakes the next one.
        self.arrived.notify_one();
        Ok(())
    }

    /// Blocks until something waits, then takes up to `max_batch` of it in order; `None` once the queue is
    /// closed and empty. An engine leaves to each other idle engine as much as it takes itself.
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
            // Abandoned entries have just made room.
            self.room.notify_all();
            state = self.arrived.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        // Counts this engine as idle too, so that the divisor is never 0 and the shares add up to all that waits.
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

    /// Refuses what comes from now on; what waits is still taken.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_all();
        self.room.notify_all();
    }

    /// Answers all who wait with the error that `why` makes.
    pub(super) fn refuse_waiting(&self, why: impl Fn() -> Error) {
        // Answered without the lock: a receiver that wakes up may push again at once.
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
