//! Engines that are stuck or panic are abandoned and replaced.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, channel},
    },
    thread,
    time::{Duration, Instant},
};

use partsight_inference::{Batcher, BatcherOptions, EngineFactory, Error, Prediction, Result, Supervision};

use super::{Control, End, mark_of, marked, poll, stand_in, submitted, wait};

/// How long a batch may run before it is abandoned. Tests do not wait for it: they pass a later time.
const LIMIT: Duration = Duration::from_mins(1);

/// One engine, and fakes that replace it while `can_start` is true. Their controls are sent when they start.
fn supervised(can_start: &Arc<AtomicBool>) -> (Batcher, Control, Receiver<Control>) {
    let (engine, control) = stand_in();
    let (sender, replacements) = channel();
    let (can_start, sender) = (Arc::clone(can_start), Mutex::new(sender));
    let factory: EngineFactory = Arc::new(move || {
        if !can_start.load(Ordering::SeqCst) {
            return Err(Error::InvalidBatcher { what: "working engine" });
        }
        let (engine, control) = stand_in();
        // The test may have ended.
        let _ = sender.lock().expect("no panic").send(control);
        Ok(engine)
    });
    let options = BatcherOptions { max_batch: 1, queue_capacity: 8 };
    let supervision = Supervision { factory, limit: LIMIT };
    let batcher = Batcher::start_supervised(vec![engine], options, Some(supervision)).expect("a batcher");
    (batcher, control, replacements)
}

fn yes() -> Arc<AtomicBool> {
    Arc::new(AtomicBool::new(true))
}

/// A time at which a running batch has exceeded its limit.
fn too_late() -> Instant {
    Instant::now() + LIMIT + Duration::from_secs(1)
}

fn cause_of(answer: Result<Prediction>) -> Arc<Error> {
    let error = answer.expect_err("a failed batch");
    let Error::Batch { source, .. } = error else { unreachable!("not a failed batch: {error:?}") };
    source
}

#[test]
fn a_stuck_engine_is_given_up_and_replaced() {
    let (batcher, stuck, replacements) = supervised(&yes());
    let mut held = submitted(&batcher, 1);
    let mut behind = submitted(&batcher, 2);
    stuck.begun();
    batcher.check_engines(Instant::now() + LIMIT / 2);
    assert!(poll(held.as_mut()).is_pending(), "it may still take its time");

    batcher.check_engines(too_late());
    let cause = cause_of(wait(held.as_mut()));
    assert!(matches!(*cause, Error::EngineStalled { limit: LIMIT, .. }), "{cause:?}");
    assert!(cause.lost_a_worker());
    let fresh = replacements.recv().expect("another engine");
    fresh.run(End::Well);
    assert_eq!(mark_of(wait(behind.as_mut())), 2, "those who wait are served by the next engine");
    let stats = batcher.stats();
    assert_eq!((stats.engines, stats.engines_alive, stats.threads_stuck), (1, 1, 1));
    assert_eq!((stats.restarts, stats.recent_restarts, stats.failed_batches), (1, 1, 1));

    // It returns later: no request is answered twice, and its thread ends.
    stuck.finish(End::Well);
    while batcher.stats().threads_stuck > 0 {
        thread::yield_now();
    }
}

#[test]
fn an_engine_that_panicked_is_replaced() {
    let (batcher, control, replacements) = supervised(&yes());
    let mut failing = submitted(&batcher, 1);
    control.run(End::Panicking);
    let cause = cause_of(wait(failing.as_mut()));
    assert!(matches!(*cause, Error::EnginePanicked { .. }), "{cause:?}");
    let fresh = replacements.recv().expect("another engine");
    let mut next = submitted(&batcher, 2);
    fresh.run(End::Well);
    assert_eq!(mark_of(wait(next.as_mut())), 2);
    assert_eq!((batcher.stats().restarts, batcher.stats().threads_stuck), (1, 0));
}

#[test]
fn a_batch_that_only_failed_keeps_its_engine() {
    let (batcher, control, _replacements) = supervised(&yes());
    for end in [End::Failing, End::Well] {
        let mut request = submitted(&batcher, 1);
        control.run(end);
        drop(wait(request.as_mut()));
    }
    assert_eq!(batcher.stats().restarts, 0);
}

#[test]
fn without_any_engine_those_who_wait_are_told_and_starts_are_tried_again() {
    let can_start = Arc::new(AtomicBool::new(false));
    let (batcher, control, replacements) = supervised(&can_start);
    let mut failing = submitted(&batcher, 1);
    control.run(End::Panicking);
    drop(wait(failing.as_mut()));
    while batcher.stats().engines_alive > 0 {
        thread::yield_now();
    }
    let mut waiting = submitted(&batcher, 2);
    batcher.check_engines(Instant::now());
    let answer = wait(waiting.as_mut());
    assert!(matches!(answer, Err(Error::NoEngine { .. })), "{answer:?}");

    can_start.store(true, Ordering::SeqCst);
    batcher.check_engines(Instant::now() + Duration::from_mins(5));
    let fresh = replacements.recv().expect("another engine");
    let mut next = submitted(&batcher, 3);
    fresh.run(End::Well);
    assert_eq!(mark_of(wait(next.as_mut())), 3);
}

#[test]
fn whoever_asks_hears_of_a_lost_engine_also_after_they_left() {
    let (batcher, control, _replacements) = supervised(&yes());
    let (sender, lost) = channel();
    let mut left =
        Box::pin(batcher.submit(marked(1), Box::new(move |images| sender.send(images).expect("a listener"))));
    assert!(poll(left.as_mut()).is_pending());
    control.begun();
    drop(left);
    batcher.check_engines(too_late());
    assert_eq!(lost.recv(), Ok(1));
}

#[test]
fn only_so_many_stuck_engines_are_left_behind() {
    let (batcher, control, replacements) = supervised(&yes());
    let mut stuck = vec![control];
    for n_stuck in 1..=8 {
        let mut held = submitted(&batcher, 1);
        stuck.last().expect("an engine").begun();
        batcher.check_engines(too_late());
        drop(wait(held.as_mut()));
        assert_eq!(batcher.stats().threads_stuck, n_stuck);
        if n_stuck < 8 {
            stuck.push(replacements.recv().expect("another engine"));
        }
    }
    assert_eq!(batcher.stats().engines_alive, 0, "no ninth is started");
    let refused = batcher.stats().restarts;
    batcher.check_engines(Instant::now() + Duration::from_mins(30));
    assert_eq!(batcher.stats().restarts, refused);

    // One of them returns, which allows another start.
    stuck.remove(0).finish(End::Well);
    while batcher.stats().threads_stuck == 8 {
        thread::yield_now();
    }
    batcher.check_engines(Instant::now() + Duration::from_mins(30));
    replacements.recv().expect("another engine");
}

#[test]
fn a_stuck_engine_does_not_hold_up_the_end() {
    let (batcher, control, _replacements) = supervised(&yes());
    let mut held = submitted(&batcher, 1);
    control.begun();
    thread::scope(|scope| {
        let ending = scope.spawn(|| batcher.shut_down());
        while !ending.is_finished() {
            batcher.check_engines(too_late());
            thread::yield_now();
        }
    });
    assert!(matches!(*cause_of(wait(held.as_mut())), Error::EngineStalled { .. }));
}

#[test]
fn a_batch_may_run_for_seconds_and_for_many_times_the_first() {
    let factory: EngineFactory = Arc::new(|| Err(Error::ShutDown));
    let limit = |millis| Supervision::new(Arc::clone(&factory), Duration::from_millis(millis)).limit;
    assert_eq!((limit(20), limit(3000)), (Duration::from_secs(10), Duration::from_secs(150)));
}
