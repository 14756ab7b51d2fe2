//! The budget of an account for work on photographs without an answer.
//!
//! An answered scan counts against the allowance, or is paid for. A failed one counts nowhere, and a file of a few
//! bytes can have 64 million pixels: so pixels are charged before they are decoded, and refunded with the answer.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::SignedDuration;

use crate::limits::person::Person;
use crate::{Error, Result};

/// Pixels that are refunded each second: two photographs of 12 megapixels.
const PIXELS_A_SECOND: u64 = 24_000_000;
/// Burst in pixels: 200 photographs of 12 megapixels, or 37 of the largest.
const PIXELS_AT_ONCE: u64 = 2_400_000_000;
/// Most accounts that are stored. Those without charges are removed first.
const MAX_PERSONS: usize = 10_000;

/// The charged pixels of each account.
///
/// For each account one time is stored: when all charges will have been restored (the generic cell rate algorithm,
/// ITU-T I.371). It is a time of the monotonic clock.
#[derive(Default)]
pub(crate) struct PhotoBudget(Mutex<HashMap<Person, Instant>>);

/// The person whose photographs are processed, and their budget.
#[derive(Clone)]
pub(crate) struct Asker {
    pub(crate) person: Person,
    /// Whether it is for a batch, whose photographs let scans go first.
    pub(crate) is_of_batch: bool,
    /// `None` for work of the server itself.
    bill: Option<Arc<Bill>>,
}

struct Bill {
    budget: Arc<PhotoBudget>,
    person: Person,
    is_unlimited: bool,
    pixels: AtomicU64,
}

impl Asker {
    /// The server itself, or the command line.
    pub(crate) const SERVER: Self = Self { person: Person::SERVER, is_of_batch: false, bill: None };

    /// A person; `is_unlimited` where their plan allows any number of scans.
    pub(crate) fn new(budget: &Arc<PhotoBudget>, person: Person, is_unlimited: bool) -> Self {
        let bill = Bill { budget: Arc::clone(budget), person, is_unlimited, pixels: AtomicU64::new(0) };
        Self { person, is_of_batch: false, bill: Some(Arc::new(bill)) }
    }

    /// The same, for a photograph of a batch.
    pub(crate) fn of_batch(self) -> Self {
        Self { is_of_batch: true, ..self }
    }

    /// Charges a photograph before it is decoded. A plan with unlimited scans may use the whole machine while nobody
    /// else has photographs.
    ///
    /// # Errors
    /// [`Error::PhotoWorkUsedUp`].
    pub(crate) fn charge(&self, pixels: u64, is_somebody_else_here: bool) -> Result<()> {
        self.charge_at(pixels, is_somebody_else_here, Instant::now())
    }

    fn charge_at(&self, pixels: u64, is_somebody_else_here: bool, now: Instant) -> Result<()> {
        let Some(bill) = &self.bill else { return Ok(()) };
        let may_overdraw = bill.is_unlimited && !is_somebody_else_here;
        bill.budget.charge(bill.person, pixels, may_overdraw, now)?;
        bill.pixels.fetch_add(pixels, Ordering::Relaxed);
        Ok(())
    }

    /// Refunds what was charged, because there is an answer that the plan pays for.
    pub(crate) fn give_back(&self) {
        if let Some(bill) = &self.bill {
            // Read and reset in one step, so that nothing is refunded twice.
            bill.budget.give_back(bill.person, bill.pixels.swap(0, Ordering::Relaxed));
        }
    }
}

#[cfg(test)]
impl Asker {
    /// Pixels that were charged and not refunded.
    pub(crate) fn n_charged(&self) -> u64 {
        self.bill.as_ref().map_or(0, |bill| bill.pixels.load(Ordering::Relaxed))
    }
}

impl PhotoBudget {
    fn charge(&self, person: Person, pixels: u64, may_overdraw: bool, now: Instant) -> Result<()> {
        let at_once = time_of(PIXELS_AT_ONCE);
        let mut full_again = self.lock();
        // As in `RateLimit`, the time at which all charges are restored is bounded.
        let used_until = full_again.get(&person).copied().unwrap_or(now).max(now);
        let wanted = used_until + time_of(pixels);
        let over = (wanted - now).saturating_sub(at_once);
        if !over.is_zero() && !may_overdraw {
            let retry_after = SignedDuration::try_from(over).unwrap_or(SignedDuration::MAX);
            return Err(Error::PhotoWorkUsedUp { retry_after });
        }
        if full_again.len() >= MAX_PERSONS && !full_again.contains_key(&person) {
            forget_some(&mut full_again, now);
        }
        // Overdrawing is not a debt.
        full_again.insert(person, wanted.min(now + at_once));
        Ok(())
    }

    fn give_back(&self, person: Person, pixels: u64) {
        if let Some(used_until) = self.lock().get_mut(&person)
            && let Some(earlier) = used_until.checked_sub(time_of(pixels))
        {
            *used_until = earlier;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Person, Instant>> {
        // No statement that changes the map can leave it inconsistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The time in which this many pixels are restored.
fn time_of(pixels: u64) -> Duration {
    // Accurate enough: a microsecond for 24 pixels.
    Duration::from_micros(pixels.saturating_mul(1_000) / (PIXELS_A_SECOND / 1_000))
}

fn forget_some(full_again: &mut HashMap<Person, Instant>, now: Instant) {
    full_again.retain(|_, until| *until > now);
    if full_again.len() >= MAX_PERSONS
        && let Some(person) = full_again.iter().min_by_key(|(_, until)| **until).map(|(person, _)| *person)
    {
        full_again.remove(&person);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: Person = Person::number(1);
    const BOB: Person = Person::number(2);
    const LARGEST: u64 = 64_000_000;

    /// How many of the largest photographs are charged at a moment before one is refused.
    fn charged(asker: &Asker, now: Instant) -> usize {
        (0..350).take_while(|_| asker.charge_at(LARGEST, true, now).is_ok()).count()
    }

    #[test]
    fn seventy_requests_of_five_of_the_largest_are_stopped_and_a_desk_is_not() {
        let (budget, now) = (Arc::default(), Instant::now());
        assert_eq!(charged(&Asker::new(&budget, ANN, false), now), 37);
        // Five photographs of 12 megapixels every three seconds, none with an answer, for an hour.
        for request in 0..1_200 {
            let desk = Asker::new(&budget, BOB, false);
            for _ in 0..5 {
                desk.charge_at(12_000_000, true, now + Duration::from_secs(3 * request)).unwrap();
            }
        }
    }

    #[test]
    fn a_refusal_says_when_to_come_back() {
        let (budget, now) = (Arc::default(), Instant::now());
        let ann = Asker::new(&budget, ANN, false);
        charged(&ann, now);
        let Err(Error::PhotoWorkUsedUp { retry_after }) = ann.charge_at(LARGEST, true, now) else {
            panic!("it was charged")
        };
        assert!((1..=3).contains(&retry_after.as_secs()), "{retry_after:?}");
        let later = now + Duration::from_secs(retry_after.as_secs().unsigned_abs() + 1);
        ann.charge_at(LARGEST, true, later).unwrap();
    }

    #[test]
    fn what_has_an_answer_costs_nothing() {
        let (budget, now) = (Arc::default(), Instant::now());
        for _ in 0..350 {
            let ann = Asker::new(&budget, ANN, false);
            ann.charge_at(LARGEST, true, now).unwrap();
            ann.give_back();
            ann.give_back();
        }
        assert_eq!(charged(&Asker::new(&budget, ANN, false), now), 37);
    }

    #[test]
    fn any_number_of_scans_means_the_whole_machine_while_nobody_else_is_here() {
        let (budget, now) = (Arc::default(), Instant::now());
        let ann = Asker::new(&budget, ANN, true);
        for _ in 0..1_000 {
            ann.charge_at(LARGEST, false, now).unwrap();
        }
        ann.charge_at(LARGEST, true, now).unwrap_err();
        // What was overdrawn is no debt.
        ann.charge_at(LARGEST, true, now + Duration::from_secs(3)).unwrap();
    }

    #[test]
    fn the_memory_is_bounded() {
        let (budget, now): (Arc<PhotoBudget>, _) = (Arc::default(), Instant::now());
        for number in 0..MAX_PERSONS as u128 + 100 {
            Asker::new(&budget, Person::number(number), false).charge_at(LARGEST, true, now).unwrap();
        }
        assert_eq!(budget.lock().len(), MAX_PERSONS);
        let later = now + Duration::from_mins(1);
        Asker::new(&budget, Person::number(1 << 64), false).charge_at(LARGEST, true, later).unwrap();
        assert_eq!(budget.lock().len(), 1);
    }
}
