//! Fair scheduling of work: each person has a queue, and whoever had the least time lately comes next.

mod pace;
mod shares;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout, timeout_at};

use crate::limits::person::Person;
use crate::{Error, Result};
use pace::Pace;
use shares::Shares;

/// How long somebody who had a turn is expected to return.
const LATELY: Duration = Duration::from_mins(1);
/// Spare work begins only when nobody has waited for so long. Under load there are short times in which nobody waits,
/// and work that begins then occupies its core for the tenth of a second that reading a text takes.
const QUIET: Duration = Duration::from_millis(250);

/// At most `n` pieces of work at a time; the rest waits in a queue for each person, and [`Shares`] says whose is next.
/// So somebody with a piece of work now and then waits for no queue of those who keep the machine busy, however many
/// these are.
///
/// One piece can take a hundred times as long as another. So nobody holds all turns unless they were alone recently:
/// one is left for the next person.
pub(crate) struct Turns(Arc<Shared>);

struct Shared {
    /// Concurrent turns, in total and of one person.
    n: usize,
    of_each: usize,
    /// Spare turns begin only while fewer turns than this run.
    n_idle_below: usize,
    /// How long somebody who had a turn is expected to return.
    lately: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    n_running: usize,
    running: HashMap<Person, usize>,
    shares: Shares,
    /// Of equal shares, the first comes next; each person once, and only those with somebody in the queue, whose
    /// request may have been cancelled.
    queues: VecDeque<(Person, VecDeque<oneshot::Sender<Turn>>)>,
    /// Time when somebody last had to wait.
    last_wait: Option<Instant>,
    /// Spare work: how much runs, and what waits; it comes after all queues.
    n_spare_running: usize,
    spare: VecDeque<oneshot::Sender<Turn>>,
    /// Whether spare turns have ended.
    has_ended_spare: bool,
    /// Duration of the turns of people.
    pace: Pace,
    /// Number of people refused because their turn would have come too late, or did not come.
    n_refused: u64,
}

/// A turn, which ends when it is dropped.
pub(crate) struct Turn {
    /// `None` for a turn that nobody took.
    shared: Option<Arc<Shared>>,
    /// `None` for a spare turn, which is nobody's.
    person: Option<Person>,
    began: Instant,
    /// How long it was expected to take.
    expected: Duration,
}

impl Turn {
    /// Whose turn it is; a spare turn is the server's.
    pub(crate) fn person(&self) -> Person {
        self.person.unwrap_or(Person::SERVER)
    }
}

impl Turns {
    /// `n` concurrent turns, at most `of_each` of one person.
    pub(crate) fn new(n: usize, of_each: usize) -> Self {
        Self::with_spare_below(n.max(1), n, of_each)
    }

    /// As [`new`](Self::new), with spare turns only while fewer than `n_idle_below` turns run: more turns than cores
    /// exist so that the machine never waits, and not for spare work.
    pub(crate) fn with_spare_below(n_idle_below: usize, n: usize, of_each: usize) -> Self {
        let (n, of_each) = (n.max(1), of_each.max(1));
        Self(Arc::new(Shared { n, of_each, n_idle_below, lately: LATELY, state: Mutex::default() }))
    }

    /// Waits for a turn of `person`. Dropping the future leaves the queue.
    ///
    /// # Errors
    /// [`Error::Busy`] when it does not come within `wait`.
    pub(crate) async fn turn(&self, person: Person, wait: Duration) -> Result<Turn> {
        // The lock ends with this block, so that nobody waits while holding it.
        let receiver = {
            let mut state = self.0.lock();
            if state.may_run(person, &self.0) {
                return Ok(state.begin(person, &self.0));
            }
            state.wait(person)
        };
        // After the time-out the receiver is dropped, so that the queue skips it.
        match timeout(wait, receiver).await {
            Ok(Ok(turn)) => Ok(turn),
            _ => Err(Error::Busy),
        }
    }

    /// Waits for a turn of `person` for work that should be done within `deadline`, estimated from the current
    /// duration of turns. Work that would be late is refused at once: it would take the place of somebody who need
    /// not be late.
    ///
    /// If a turn takes longer than half of the deadline, twice its duration is used as the deadline, so that the next
    /// in the queue is admitted on the slowest machine.
    ///
    /// # Errors
    /// [`Error::Overloaded`] with the time after which a retry makes sense.
    pub(crate) async fn turn_within(&self, person: Person, deadline: Duration) -> Result<Turn> {
        let (receiver, patience) = {
            let mut state = self.0.lock();
            if state.may_run(person, &self.0) {
                return Ok(state.begin(person, &self.0));
            }
            let deadline = deadline.max(state.pace.usual() * 2);
            let expected = state.expected_wait(person, &self.0) + state.pace.usual();
            if expected > deadline {
                state.n_refused += 1;
                return Err(Error::Overloaded { retry_after: expected.saturating_sub(deadline) });
            }
            // The turn itself is part of the deadline: one that begins just before it is too late.
            (state.wait(person), deadline.saturating_sub(state.pace.usual()))
        };
        if let Ok(Ok(turn)) = timeout(patience, receiver).await {
            return Ok(turn);
        }
        // It took longer than estimated.
        let mut state = self.0.lock();
        state.n_refused += 1;
        Err(Error::Overloaded { retry_after: state.pace.at(Instant::now()) })
    }

    /// Number of people refused because their turn would have come too late, or did not come.
    pub(crate) fn n_refused(&self) -> u64 {
        self.0.lock().n_refused
    }

    /// Current duration of the turns of people.
    pub(crate) fn usual_duration(&self) -> Duration {
        self.0.lock().pace.usual()
    }
}

impl Turns {
    /// Waits for a spare turn, for work that nobody waits for. At most half of all turns are spare ones, but at least
    /// one.
    ///
    /// # Errors
    /// [`Error::Busy`] when none comes within `wait`; [`Error::ShuttingDown`] after [`end_spare`](Self::end_spare).
    pub(crate) async fn spare_turn(&self, wait: Duration) -> Result<Turn> {
        let until = Instant::now() + wait;
        loop {
            let receiver = {
                let mut state = self.0.lock();
                if state.has_ended_spare {
                    return Err(Error::ShuttingDown);
                }
                if state.may_spare(&self.0) {
                    return Ok(state.begin_spare(&self.0));
                }
                let (sender, receiver) = oneshot::channel();
                // Cancelled waiters must not accumulate while no spare turn ends.
                state.spare.retain(|waiting| !waiting.is_closed());
                state.spare.push_back(sender);
                receiver
            };
            // No turn ends when it has been quiet for long enough, so this checks again by then.
            let again = until.min(Instant::now() + QUIET);
            if let Ok(Ok(turn)) = timeout_at(again, receiver).await {
                return Ok(turn);
            }
            if Instant::now() >= until {
                return Err(Error::Busy);
            }
        }
    }

    /// Refuses all spare turns, now and from now on, when the server stops. Running ones end by themselves.
    pub(crate) fn end_spare(&self) {
        let mut state = self.0.lock();
        state.has_ended_spare = true;
        // Waiters wake, ask again, and are refused.
        state.spare.clear();
    }

    /// Number of those who wait for a turn.
    pub(crate) fn n_waiting(&self) -> usize {
        let state = self.0.lock();
        state.queues.iter().flat_map(|(_, queue)| queue).filter(|waiting| !waiting.is_closed()).count()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No statement that changes it can panic half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn may_run(&self, person: Person, shared: &Shared) -> bool {
        let n_own = self.running.get(&person).copied().unwrap_or(0);
        // All other turns are theirs, and this would be the last one.
        let is_last = n_own > 0 && n_own + 1 == shared.n;
        self.n_running < shared.n
            && n_own < shared.of_each
            && !(is_last && self.shares.has_other(person, shared.lately))
    }

    fn begin(&mut self, person: Person, shared: &Arc<Shared>) -> Turn {
        let expected = self.pace.usual();
        self.shares.begin(person, expected, shared.lately);
        self.n_running += 1;
        *self.running.entry(person).or_default() += 1;
        let began = Instant::now();
        self.pace.begin(began);
        Turn { shared: Some(Arc::clone(shared)), person: Some(person), began, expected }
    }

    /// Estimated time until another turn of `person` begins, at the current duration: before it come their own
    /// waiting ones, and those of each other person that begin before it by their share.
    fn expected_wait(&self, person: Person, shared: &Shared) -> Duration {
        let waiting = |queue: &VecDeque<_>| {
            queue.iter().filter(|one: &&oneshot::Sender<Turn>| !one.is_closed()).count()
        };
        let (own, others): (Vec<_>, Vec<_>) = self.queues.iter().partition(|(who, _)| *who == person);
        let n_own: usize = own.iter().map(|(_, queue)| waiting(queue)).sum();
        let mark = self.shares.mark(person).as_secs_f64();
        let usual = self.pace.usual().as_secs_f64();
        let n_others: usize = others
            .iter()
            .map(|(other, queue)| {
                // Turns by which they are behind; equal before the first turn has ended.
                let behind = (mark - self.shares.mark(*other).as_secs_f64()) / usual;
                let behind = if behind.is_finite() { behind } else { 0.0 };
                // Negative numbers become 0.
                ((n_own as f64 + 1.0 + behind).floor() as usize).min(waiting(queue))
            })
            .sum();
        let is_alone = others.iter().all(|(_, queue)| waiting(queue) == 0)
            && self.running.keys().all(|who| *who == person);
        // One turn is reserved for people who were here recently.
        let n_turns = shared.n - usize::from(is_alone && self.shares.has_other(person, shared.lately));
        // One more, because a running turn has to end before the first of them begins.
        let n_before = u32::try_from(n_own + n_others + 1).unwrap_or(u32::MAX);
        self.pace.at(Instant::now()) * n_before / u32::try_from(n_turns.max(1)).unwrap_or(u32::MAX)
    }

    fn may_spare(&self, shared: &Shared) -> bool {
        // Cancelled waiters must not block spare work until the next turn ends.
        let is_wanted = self.queues.iter().flat_map(|(_, queue)| queue).any(|waiting| !waiting.is_closed());
        let n = shared.n.min(shared.n_idle_below);
        let is_quiet = self.last_wait.is_none_or(|at| at.elapsed() >= QUIET);
        !is_wanted && is_quiet && self.n_running < n && self.n_spare_running < (n / 2).max(1)
    }

    fn begin_spare(&mut self, shared: &Arc<Shared>) -> Turn {
        self.n_running += 1;
        self.n_spare_running += 1;
        Turn {
            shared: Some(Arc::clone(shared)),
            person: None,
            began: Instant::now(),
            expected: Duration::ZERO,
        }
    }

    /// Takes back a turn that was offered, but not accepted.
    fn take_back(&mut self, turn: &Turn) {
        // Not part of the durations: nothing was done in this turn.
        if let Some(person) = turn.person {
            self.pace.forget(turn.began);
            self.shares.end(person, turn.expected, Duration::ZERO);
        }
        self.end(turn.person);
    }

    fn end(&mut self, person: Option<Person>) {
        self.n_running -= 1;
        let Some(person) = person else {
            self.n_spare_running -= 1;
            return;
        };
        if let Some(n) = self.running.get_mut(&person) {
            *n -= 1;
            if *n == 0 {
                self.running.remove(&person);
            }
        }
    }

    fn wait(&mut self, person: Person) -> oneshot::Receiver<Turn> {
        // Cancelled waiters must not accumulate while no turn ends.
        self.queues.retain_mut(|(_, queue)| {
            queue.retain(|waiting| !waiting.is_closed());
            !queue.is_empty()
        });
        self.last_wait = Some(Instant::now());
        let (sender, receiver) = oneshot::channel();
        match self.queues.iter_mut().find(|(who, _)| *who == person) {
            Some((_, queue)) => queue.push_back(sender),
            None => self.queues.push_back((person, VecDeque::from([sender]))),
        }
        receiver
    }

    /// Assigns free turns to the next waiters.
    fn hand_on(&mut self, shared: &Arc<Shared>) {
        loop {
            let may_run =
                self.queues.iter().enumerate().filter(|(_, (person, _))| self.may_run(*person, shared));
            let next = may_run.min_by_key(|(_, (person, _))| self.shares.mark(*person)).map(|(at, _)| at);
            let Some((person, mut queue)) = next.and_then(|at| self.queues.remove(at)) else { break };
            while let Some(waiting) = queue.pop_front() {
                let turn = self.begin(person, shared);
                let Err(mut untaken) = waiting.send(turn) else { break };
                // Dropped normally, it would try to take the lock that is held here.
                untaken.shared = None;
                self.take_back(&untaken);
            }
            if !queue.is_empty() {
                // At the end, so that everybody else with an equal share comes before their next one.
                self.queues.push_back((person, queue));
            }
        }
        // Last, so that spare turns are those that no person needs.
        while !self.spare.is_empty() && self.may_spare(shared) {
            let Some(waiting) = self.spare.pop_front() else { return };
            if let Err(mut untaken) = waiting.send(self.begin_spare(shared)) {
                untaken.shared = None;
                self.take_back(&untaken);
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.take() {
            // Ended and reassigned under one lock, so that nobody takes the turn in between.
            let mut state = shared.lock();
            if let Some(person) = self.person {
                let now = Instant::now();
                state.pace.end(self.began, now);
                state.shares.end(person, self.expected, now.duration_since(self.began));
            }
            state.end(self.person);
            state.hand_on(&shared);
        }
    }
}

impl std::fmt::Debug for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Turn")
    }
}

#[cfg(test)]
mod tests;
