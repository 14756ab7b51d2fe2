//! What watches over the engines: gives up those that are stuck, and starts others in their place.
//!
//! A thread cannot be ended from outside. One that is stuck is left behind with its engine and its memory, and ends by
//! itself should it ever come back; so there may be only so many of them.

use std::{
    collections::VecDeque,
    sync::{Arc, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::{
    Shared,
    pulse::Pulse,
    worker::{Desk, End},
};
use crate::{Engine, Error, Result};

/// Starts an engine of the same model on the same device. Called on the thread that is going to run it.
pub type EngineFactory = Arc<dyn Fn() -> Result<Box<dyn Engine>> + Send + Sync>;

/// How often the watchdog looks.
const CHECK_EVERY: Duration = Duration::from_secs(1);
/// A batch may always run for this long, however quick the model is: a machine that swaps, or whose processor others
/// use, is slow and not stuck.
const MIN_LIMIT: Duration = Duration::from_secs(10);
/// How many times as long as one image at the start a batch may run: the largest batch is 32, on a device that is busy.
const LIMIT_FACTOR: u32 = 50;
/// How long an engine may take to load: gigabytes from a slow disk onto a GPU.
const LOADING_LIMIT: Duration = Duration::from_mins(2);
/// Threads that may be left behind, since none can be ended from outside. See
/// docs/decisions/0092-abandon-stuck-engines.md. Each keeps its engine, 9 MB for the shipped model and gigabytes for others.
const MAX_STUCK: usize = 8;
/// The span in which restarts count as recent.
const RESTART_WINDOW: Duration = Duration::from_mins(10);
/// Restarts that are remembered with their time; more of them say no more.
const RESTARTS_REMEMBERED: usize = 64;
/// How long after a failed start the next one is tried, doubled each time.
const FIRST_RETRY: Duration = Duration::from_secs(1);
/// The longest wait between two tries.
const LAST_RETRY: Duration = Duration::from_mins(1);

/// How engines are watched and replaced.
#[derive(Clone)]
pub struct Supervision {
    /// Starts the replacement.
    pub factory: EngineFactory,
    /// How long a batch may run.
    pub limit: Duration,
}

impl Supervision {
    /// With the limit for engines that took `warm_up` for one image: 50 times as long, at least 10 seconds.
    pub fn new(factory: EngineFactory, warm_up: Duration) -> Self {
        Self { factory, limit: warm_up.saturating_mul(LIMIT_FACTOR).max(MIN_LIMIT) }
    }
}

/// The threads of the engines.
#[derive(Default)]
pub(super) struct Pool {
    places: Vec<Place>,
    /// Threads that were given up and still run.
    stuck: usize,
    restarts: u64,
    recent: VecDeque<Instant>,
    /// Whether the watchdog is to end.
    pub(super) is_over: bool,
}

/// Where one engine should run.
enum Place {
    /// A thread has it.
    Taken { desk: Arc<Desk>, thread: Option<JoinHandle<()>> },
    /// It is lost. `failures` starts in a row have failed, and the next is tried at `retry`.
    Lost { retry: Instant, failures: u32 },
    /// The queue was closed, and its thread has ended.
    Closed,
}

impl Place {
    fn is_taken(&self) -> bool {
        matches!(self, Self::Taken { .. })
    }

    fn take_thread(&mut self) -> Option<JoinHandle<()>> {
        match self {
            Self::Taken { thread, .. } => thread.take(),
            Self::Lost { .. } | Self::Closed => None,
        }
    }

    /// Without an engine, after so many failed starts in a row.
    fn lost(now: Instant, failures: u32) -> Self {
        // The exponent stops at 6, past which the longest wait holds anyway and the shift would overflow.
        let wait = FIRST_RETRY.saturating_mul(1 << failures.saturating_sub(1).min(6)).min(LAST_RETRY);
        Self::Lost { retry: now + wait, failures }
    }
}

/// Figures of the pool.
pub(super) struct Figures {
    pub(super) engines: usize,
    pub(super) alive: usize,
    pub(super) stuck: usize,
    pub(super) restarts: u64,
    pub(super) recent_restarts: usize,
}

impl Pool {
    pub(super) fn figures(&self, now: Instant) -> Figures {
        let is_recent = |at: &&Instant| now.saturating_duration_since(**at) < RESTART_WINDOW;
        Figures {
            engines: self.places.len(),
            alive: self.places.iter().filter(|place| place.is_taken()).count(),
            stuck: self.stuck,
            restarts: self.restarts,
            recent_restarts: self.recent.iter().filter(is_recent).count(),
        }
    }

    fn count_restart(&mut self, now: Instant) {
        self.restarts += 1;
        self.recent.push_back(now);
        if self.recent.len() > RESTARTS_REMEMBERED {
            self.recent.pop_front();
        }
    }
}

impl Shared {
    pub(super) fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives `engine` a thread of its own.
    pub(super) fn add(self: &Arc<Self>, engine: Box<dyn Engine>) -> Result<()> {
        // Locked while the thread starts, so that the thread cannot look for its place before it is there.
        let mut pool = self.pool();
        let place = self.spawn(pool.places.len(), Some(engine), 0)?;
        pool.places.push(place);
        Ok(())
    }

    /// Starts the thread of a place; without an engine, the thread starts one for itself, after so many `failures`.
    fn spawn(
        self: &Arc<Self>,
        index: usize,
        engine: Option<Box<dyn Engine>>,
        failures: u32,
    ) -> Result<Place> {
        let (shared, desk) = (Arc::clone(self), Arc::new(Desk::default()));
        // Loading is watched like a batch of nobody: a driver that hangs while it opens a GPU would else
        // hold the place forever.
        if engine.is_none() {
            desk.begin(Instant::now(), LOADING_LIMIT, Vec::new());
        }
        let its_desk = Arc::clone(&desk);
        let thread = thread::Builder::new()
            .name(format!("engine-{index}"))
            .spawn(move || shared.work(index, &its_desk, engine, failures))
            .map_err(|source| Error::StartThread { source })?;
        Ok(Place::Taken { desk, thread: Some(thread) })
    }

    /// All that a thread does.
    fn work(&self, index: usize, desk: &Desk, mut engine: Option<Box<dyn Engine>>, mut failures: u32) {
        loop {
            let end = match engine.take().map_or_else(|| self.load(desk), Ok) {
                Ok(engine) => {
                    failures = 0;
                    self.serve(desk, engine)
                }
                Err(end) => {
                    failures += 1;
                    end
                }
            };
            let mut pool = self.pool();
            match end {
                End::Closed => pool.places[index] = Place::Closed,
                End::GivenUp => {
                    // Its place belongs to another thread by now, so only the count of the lost ones changes.
                    pool.stuck -= 1;
                    tracing::warn!(engine = index, "an engine that was given up has come back, and ends");
                }
                End::Panicked if failures == 0 => {
                    tracing::error!(engine = index, "an engine panicked and is replaced");
                    pool.count_restart(Instant::now());
                    desk.begin(Instant::now(), LOADING_LIMIT, Vec::new());
                    continue;
                }
                // An engine that could not be started: its thread ends, and the watchdog tries again after a wait.
                End::Panicked => {
                    pool.places[index] = Place::lost(Instant::now(), failures);
                }
            }
            drop(pool);
            self.changed.notify_all();
            return;
        }
    }

    /// A fresh engine, or why there is none.
    fn load(&self, desk: &Desk) -> Result<Box<dyn Engine>, End> {
        let Some(Supervision { factory, .. }) = &self.supervision else { return Err(End::Closed) };
        let started = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| factory()))
            .unwrap_or_else(|_| Err(Error::EnginePanicked { model: self.model.clone() }));
        // Given up while it loaded. Whatever was started late is dropped: its place has another engine.
        if desk.end().is_none() {
            return Err(End::GivenUp);
        }
        started.map_err(|error| {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "an engine could not be started; it is tried again"
            );
            End::Panicked
        })
    }

    /// What the watchdog's thread does until the batcher ends.
    pub(super) fn watch(self: &Arc<Self>) {
        let mut pulse = Pulse::new(Instant::now());
        let mut pool = self.pool();
        while !pool.is_over {
            let waited = self.changed.wait_timeout(pool, CHECK_EVERY);
            // The check locks the pool itself.
            drop(waited.unwrap_or_else(PoisonError::into_inner));
            let now = Instant::now();
            self.check(now, pulse.beat(now));
            pool = self.pool();
        }
    }

    /// Gives up what has run too long, not counting what was before the process `resumed`, and fills the places that
    /// are empty.
    pub(super) fn check(self: &Arc<Self>, now: Instant, resumed: Option<Instant>) {
        let Some(Supervision { limit, .. }) = &self.supervision else { return };
        let mut given_up = Vec::new();
        let mut pool = self.pool();
        for index in 0..pool.places.len() {
            if let Place::Taken { desk, .. } = &pool.places[index]
                // Order of locks everywhere: the pool, then a desk.
                && let Some(waiting) = desk.give_up(now, resumed)
            {
                tracing::error!(engine = index, images = waiting.len(), "an engine is stuck and is given up");
                // Answered below without the lock, because `on_loss` is the caller's code.
                given_up.push(waiting);
                pool.stuck += 1;
                pool.places[index] = Place::Lost { retry: now, failures: 0 };
            }
            self.refill(&mut pool, index, now);
        }
        let is_any_left = pool.places.iter().any(Place::is_taken);
        drop(pool);
        self.changed.notify_all();
        for waiting in given_up {
            // Nobody waits for an engine that was stuck while loading.
            if !waiting.is_empty() {
                self.count_batch(waiting.len());
                self.fail(waiting, Error::EngineStalled { model: self.model.clone(), limit: *limit });
            }
        }
        // Nothing takes from the queue any more. An error now is better than a wait for an engine that may never start.
        if !is_any_left {
            self.queue.refuse_waiting(|| Error::NoEngine { model: self.model.clone() });
        }
    }

    /// Starts a thread where one is missing and may be started.
    fn refill(self: &Arc<Self>, pool: &mut Pool, index: usize, now: Instant) {
        let Place::Lost { retry, failures } = pool.places[index] else { return };
        // At the limit the place stays empty until a thread comes back: another engine would take still more memory.
        if self.queue.is_closed() || now < retry || pool.stuck >= MAX_STUCK {
            return;
        }
        match self.spawn(index, None, failures) {
            Ok(place) => {
                pool.count_restart(now);
                pool.places[index] = place;
            }
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "no thread for an engine");
                pool.places[index] = Place::lost(now, failures + 1);
            }
        }
    }

    /// Waits until every thread has ended or was given up.
    pub(super) fn join_all(&self) {
        let mut pool = self.pool();
        let threads: Vec<_> = pool.places.iter_mut().map(Place::take_thread).collect();
        // Not `join` alone, which would wait forever for a thread that hangs: one that is given up leaves its place.
        let is_any_left = |pool: &mut Pool| pool.places.iter().any(Place::is_taken);
        let pool = self.changed.wait_while(pool, is_any_left).unwrap_or_else(PoisonError::into_inner);
        let has_ended: Vec<_> = pool.places.iter().map(|place| matches!(place, Place::Closed)).collect();
        drop(pool);
        for (thread, has_ended) in threads.into_iter().zip(has_ended) {
            if has_ended && thread.is_some_and(|thread| thread.join().is_err()) {
                tracing::error!("an engine thread panicked");
            }
        }
    }
}
