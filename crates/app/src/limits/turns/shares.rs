//! Who comes next: start-time fair queueing (Goyal, Vin and Cheng, 1996) over the time that turns take.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::limits::person::Person;

/// Most time by which somebody can be ahead. A turn that was stuck for long is no reason to refuse everything that its
/// person asks for later.
const MOST_AHEAD: Duration = Duration::from_secs(5);

/// The time that persons had recently, on a common virtual clock. The person whose mark is lowest comes next, so
/// whoever had little comes before those who keep the machine busy; time that was not used is not saved up.
#[derive(Debug, Default)]
pub(super) struct Shares {
    /// The mark at which the latest turn began.
    now: Duration,
    /// Of each person who had a turn recently.
    lately: HashMap<Person, Had>,
}

#[derive(Debug)]
struct Had {
    /// The mark at which their next turn begins, if it is later than now.
    mark: Duration,
    last_turn: Instant,
}

impl Shares {
    /// The mark at which the next turn of `person` begins.
    pub(super) fn mark(&self, person: Person) -> Duration {
        self.lately.get(&person).map_or(self.now, |had| had.mark.max(self.now))
    }

    /// Begins a turn that is expected to take `expected`, and forgets those whose last turn is older than `memory`.
    pub(super) fn begin(&mut self, person: Person, expected: Duration, memory: Duration) {
        // Here, where the map grows.
        self.lately.retain(|_, had| had.last_turn.elapsed() < memory);
        self.now = self.mark(person);
        let had = Had { mark: self.now + expected, last_turn: Instant::now() };
        self.lately.insert(person, had);
    }

    /// Ends a turn: what it took replaces what was expected.
    pub(super) fn end(&mut self, person: Person, expected: Duration, took: Duration) {
        if let Some(had) = self.lately.get_mut(&person) {
            had.mark = (had.mark + took).saturating_sub(expected).min(self.now + MOST_AHEAD);
        }
    }

    /// Whether somebody else had a turn within `memory`.
    pub(super) fn has_other(&self, person: Person, memory: Duration) -> bool {
        self.lately.iter().any(|(who, had)| *who != person && had.last_turn.elapsed() < memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: Person = Person::number(1);
    const BOB: Person = Person::number(2);
    const EVE: Person = Person::number(3);
    const MEMORY: Duration = Duration::from_hours(1);

    /// Has the turn of whoever of them is next; the first of equals.
    fn serve(shares: &mut Shares, waiting: &[Person], expected_ms: u64) -> Person {
        let next = *waiting.iter().min_by_key(|person| shares.mark(**person)).unwrap();
        let expected = Duration::from_millis(expected_ms);
        shares.begin(next, expected, MEMORY);
        let took = Duration::from_millis(if next == ANN { 100 } else { 10 });
        shares.end(next, expected, took);
        next
    }

    #[test]
    fn two_who_are_never_done_have_equal_time_and_a_third_comes_next() {
        for expected_ms in [0, 20, 100] {
            let mut shares = Shares::default();
            let served: Vec<Person> =
                (0..440).map(|_| serve(&mut shares, &[ANN, BOB], expected_ms)).collect();
            let of_ann = served.iter().filter(|person| **person == ANN).count();
            assert!((39..=41).contains(&of_ann), "{of_ann} turns of 100 ms beside 400 of 10");

            assert_eq!(serve(&mut shares, &[ANN, BOB, EVE], expected_ms), EVE);
            // Who was away saved nothing up: after one turn, Eve is one of three.
            let served: Vec<Person> =
                (0..210).map(|_| serve(&mut shares, &[ANN, BOB, EVE], expected_ms)).collect();
            let of_eve = served.iter().filter(|person| **person == EVE).count();
            assert!((95..=105).contains(&of_eve), "{of_eve} of 210, of which ten are Ann's");
        }
    }

    #[test]
    fn a_turn_that_was_stuck_is_not_held_against_its_person_for_long() {
        let mut shares = Shares::default();
        shares.begin(ANN, Duration::ZERO, MEMORY);
        shares.end(ANN, Duration::ZERO, Duration::from_hours(1));
        let n_before = (0..1_000).take_while(|_| serve(&mut shares, &[ANN, BOB], 10) == BOB).count();
        assert_eq!(n_before, 500, "of 10 ms each");
    }

    #[test]
    fn a_running_turn_counts_as_long_as_it_is_expected_to_take() {
        let mut shares = Shares::default();
        shares.begin(ANN, Duration::from_millis(10), MEMORY);
        assert!(shares.mark(BOB) < shares.mark(ANN));
        assert!(shares.has_other(BOB, MEMORY) && !shares.has_other(ANN, MEMORY));
        assert!(!shares.has_other(BOB, Duration::ZERO));
    }
}
