//! Supervision of the engines: abandons stuck ones and starts replacements.
//!
//! A thread cannot be killed. A stuck thread is left behind with its engine and memory, and ends by itself if it
//! ever returns, so the number of stuck threads is limited.

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

/// Starts an engine of the same model on the same device. Called on the thread that will run it.
pub type EngineFactory = Arc<dyn Fn() -> Result<Box<dyn Engine>> + Send + Sync>;

/// Interval of the watchdog's checks.
const CHECK_EVERY: Duration = Duration::from_secs(1);
/// A batch may always run this long, however fast the model is: on a machine that swaps, or whose CPU is busy, an
/// engine is slow and not stuck.
const MIN_LIMIT: Duration = Duration::from_secs(10);
/// Limit of a batch, as a multiple of the time for one image at the start: the largest batch is 32, and the device
/// may be busy.
const LIMIT_FACTOR: u32 = 50;
/// Limit for loading an engine: gigabytes from a slow disk onto a GPU.
const LOADING_LIMIT: Duration = Duration::from_mins(2);
/// Maximum number of stuck threads that may be left behind. See docs/decisions/0092-abandon-stuck-engines.md. Each
/// keeps its engine in memory: 9 MB for the shipped model, gigabytes for others.
const MAX_STUCK: usize = 8;
/// Restarts within this time count as recent.
const RESTART_WINDOW: Duration = Duration::from_mins(10);
/// Largest number of restarts whose times are kept; a larger count adds no information.
const RESTARTS_REMEMBERED: usize = 64;
/// Delay before the retry after a failed start; doubled with each failure.
const FIRST_RETRY: Duration = Duration::from_secs(1);
/// Longest delay between two attempts.
const LAST_RETRY: Duration = Duration::from_mins(1);

/// How engines are monitored and replaced.
#[derive(Clone)]
pub struct Supervision {
    /// Starts the replacement.
    pub factory: EngineFactory,
    /// Time limit of a batch.
    pub limit: Duration,
}

impl Supervision {
    /// With a limit of 50 times `warm_up`, the time for one image, but at least 10 seconds.
    pub fn new(factory: EngineFactory, warm_up: Duration) -> Self {
        Self { factory, limit: warm_up.saturating_mul(LIMIT_FACTOR).max(MIN_LIMIT) }
    }
}

/// The engine threads.
#[derive(Default)]
pub(super) struct Pool {
    places: Vec<Place>,
    /// Threads that were abandoned and still run.
    stuck: usize,
    restarts: u64,
    recent: VecDeque<Instant>,
    /// Whether the watchdog must stop.
    pub(super) is_over: bool,
}

/// The slot of one engine.
enum Place {
    /// A thread runs an engine here, or loads one.
    Taken { desk: Arc<Desk>, thread: Option<JoinHandle<()>> },
    /// The engine is lost. The last `failures` starts failed, and the next attempt is at `retry`.
    Lost { retry: Instant, failures: u32 },
    /// The queue is closed, and the thread has ended.
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

    /// A slot without an engine, after this many consecutive failed starts.
    fn lost(now: Instant, failures: u32) -> Self {
        // The exponent is capped at 6: larger waits exceed the maximum anyway, and the shift would overflow.
        let wait = FIRST_RETRY.saturating_mul(1 << failures.saturating_sub(1).min(6)).min(LAST_RETRY);
        Self::Lost { retry: now + wait, failures }
    }
}

/// Counters of the pool.
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

    /// Starts a thread for `engine`.
    pub(super) fn add(self: &Arc<Self>, engine: Box<dyn Engine>) -> Result<()> {
        // Locked while the thread starts, so that the thread cannot look for its slot before it exists.
        let mut pool = self.pool();
        let place = self.spawn(pool.places.len(), Some(engine), 0)?;
        pool.places.push(place);
        Ok(())
    }

    /// Starts the thread of a slot. Without an engine, the thread loads one; `failures` starts have failed so far.
    fn spawn(
        self: &Arc<Self>,
        index: usize,
        engine: Option<Box<dyn Engine>>,
        failures: u32,
    ) -> Result<Place> {
        let (shared, desk) = (Arc::clone(self), Arc::new(Desk::default()));
        // Loading is monitored like a batch without requests: otherwise a driver that hangs while opening a GPU
        // would block the slot forever.
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

    /// The main loop of an engine thread.
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
                    // Its slot belongs to another thread by now, so only the count of stuck threads changes.
                    pool.stuck -= 1;
                    tracing::warn!(engine = index, "an engine that was given up has come back, and ends");
                }
                End::Panicked if failures == 0 => {
                    tracing::error!(engine = index, "an engine panicked and is replaced");
                    pool.count_restart(Instant::now());
                    desk.begin(Instant::now(), LOADING_LIMIT, Vec::new());
                    continue;
                }
                // The engine could not be started: the thread ends, and the watchdog retries later.
                End::Panicked => {
                    pool.places[index] = Place::lost(Instant::now(), failures);
                }
            }
            drop(pool);
            self.changed.notify_all();
            return;
        }
    }

    /// A new engine, or the reason why there is none.
    fn load(&self, desk: &Desk) -> Result<Box<dyn Engine>, End> {
        let Some(Supervision { factory, .. }) = &self.supervision else { return Err(End::Closed) };
        let started = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| factory()))
            .unwrap_or_else(|_| Err(Error::EnginePanicked { model: self.model.clone() }));
        // The slot was given to another thread while this one loaded, so the engine that started late is dropped.
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

    /// The loop of the watchdog thread, until the batcher shuts down.
    pub(super) fn watch(self: &Arc<Self>) {
        let mut pulse = Pulse::new(Instant::now());
        let mut pool = self.pool();
        while !pool.is_over {
            let waited = self.changed.wait_timeout(pool, CHECK_EVERY);
            // `check` locks the pool itself.
            drop(waited.unwrap_or_else(PoisonError::into_inner));
            let now = Instant::now();
            self.check(now, pulse.beat(now));
            pool = self.pool();
        }
    }

    /// Abandons batches that have run too long, not counting the time before the process `resumed`, and refills
    /// empty slots.
    pub(super) fn check(self: &Arc<Self>, now: Instant, resumed: Option<Instant>) {
        let Some(Supervision { limit, .. }) = &self.supervision else { return };
        let mut given_up = Vec::new();
        let mut pool = self.pool();
        for index in 0..pool.places.len() {
            if let Place::Taken { desk, .. } = &pool.places[index]
                // Lock order everywhere: the pool, then a desk.
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
            // No request waits for an engine that was stuck while loading.
            if !waiting.is_empty() {
                self.count_batch(waiting.len());
                self.fail(waiting, Error::EngineStalled { model: self.model.clone(), limit: *limit });
            }
        }
        // No engine is left to serve the queue. An error now is better than waiting for an engine that may never
        // start.
        if !is_any_left {
            self.queue.refuse_waiting(|| Error::NoEngine { model: self.model.clone() });
        }
    }

    /// Starts a thread for an empty slot, if one may be started now.
    fn refill(self: &Arc<Self>, pool: &mut Pool, index: usize, now: Instant) {
        let Place::Lost { retry, failures } = pool.places[index] else { return };
        // At the limit the slot stays empty until a stuck thread returns: another engine would use still more
        // memory.
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

    /// Waits until every thread has ended or was abandoned.
    pub(super) fn join_all(&self) {
        let mut pool = self.pool();
        let threads: Vec<_> = pool.places.iter_mut().map(Place::take_thread).collect();
        // `join` alone would wait forever for a thread that hangs; an abandoned thread is no longer in its slot.
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
