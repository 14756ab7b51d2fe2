//! The queue: batches under load, order, cancellation, failures, shutdown. Engines here are stand-ins that
//! report each batch and wait to be told how it ends.

use std::{
    future::Future,
    pin::{Pin, pin},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    task::{Context, Poll, Waker},
    thread,
    time::{Duration, Instant},
};

use ndarray::{Array1, Array2, Array3};
use partsight_inference::{
    Batcher, BatcherOptions, Engine, EngineFactory, Error, ImageBatch, Manifest, Outputs, Prediction,
    Preprocessor, Result, Supervision, Tensor,
};

use crate::common::{drawn, engine, largest_difference, model};

/// How the stand-in ends a batch.
enum End {
    Well,
    Failing,
    Panicking,
    OneRowShort,
}

struct StandIn {
    manifest: Manifest,
    started: Sender<usize>,
    end: Receiver<End>,
}

/// The test's hand on a stand-in.
struct Control {
    started: Receiver<usize>,
    end: Sender<End>,
}

impl Control {
    /// Blocks until the engine has begun a batch; gives the number of its images.
    fn begun(&self) -> usize {
        self.started.recv().expect("the engine runs")
    }

    fn finish(&self, end: End) {
        self.end.send(end).expect("the engine waits");
    }
}

impl Engine for StandIn {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn max_batch(&self) -> usize {
        16
    }

    fn provider(&self) -> &'static str {
        "stand-in"
    }

    fn run(&mut self, images: &ImageBatch) -> Result<Outputs> {
        let n_images = images.n_images();
        self.started.send(n_images).expect("the test listens");
        let rows = match self.end.recv().expect("the test decides") {
            End::Well => n_images,
            End::OneRowShort => n_images - 1,
            End::Failing => {
                return Err(Error::NotFinite { model: "stand-in".to_owned(), output: "logits".to_owned() });
            }
            // One past the last image: as a faulty engine would.
            End::Panicking => images.view()[[n_images, 0, 0, 0]] as usize,
        };
        let mark = |image: usize| images.view()[[image, 0, 0, 0]];
        Ok(Outputs {
            embeddings: Array2::from_shape_fn((rows, 2), |(image, _)| mark(image)),
            logits: Array2::zeros((rows, 2)),
            known: Array1::from_shape_fn(rows, mark),
        })
    }
}

fn stand_in() -> (Box<dyn Engine>, Control) {
    let (started, begun) = channel();
    let (end, ended) = channel();
    let engine = StandIn { manifest: model().manifest().clone(), started, end: ended };
    (Box::new(engine), Control { started: begun, end })
}

fn batcher(max_batch: usize, queue_capacity: usize) -> (Batcher, Control) {
    let (engine, control) = stand_in();
    (Batcher::start(vec![engine], BatcherOptions { max_batch, queue_capacity }).expect("a batcher"), control)
}

/// How long a batch may run before it is given up. Tests do not wait for it: they say that it has passed.
const LIMIT: Duration = Duration::from_mins(1);

/// One engine, and stand-ins that replace it while `can_start` says so. Their controls arrive as they start.
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

/// A moment at which a batch that is running has run too long.
fn too_late() -> Instant {
    Instant::now() + LIMIT + Duration::from_secs(1)
}

fn cause_of(answer: Result<Prediction>) -> Arc<Error> {
    let error = answer.expect_err("a failed batch");
    let Error::Batch { source, .. } = error else { unreachable!("not a failed batch: {error:?}") };
    source
}

/// An image that can be told apart in the answer.
fn marked(mark: u8) -> Tensor {
    Tensor::new(Array3::from_elem((3, 256, 256), f32::from(mark))).expect("three channels")
}

fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Waits for an answer that an engine's thread is about to give.
fn wait<F: Future>(mut future: Pin<&mut F>) -> F::Output {
    loop {
        if let Poll::Ready(output) = poll(future.as_mut()) {
            return output;
        }
        thread::yield_now();
    }
}

fn mark_of(answer: Result<Prediction>) -> u8 {
    answer.expect("a prediction").known as u8
}

#[test]
fn a_lone_request_runs_at_once_and_alone() {
    let (batcher, control) = batcher(8, 8);
    let mut request = pin!(batcher.submit(marked(7)));
    assert!(poll(request.as_mut()).is_pending());
    assert_eq!(control.begun(), 1);
    control.finish(End::Well);
    let prediction = wait(request).expect("a prediction");
    assert_eq!(
        (prediction.known, prediction.embedding.as_slice(), prediction.batch_size),
        (7.0, &[7.0, 7.0][..], 1)
    );
}

#[test]
fn what_waits_becomes_one_batch_in_order() {
    let (batcher, control) = batcher(3, 8);
    let mut requests: Vec<_> = (0..6).map(|mark| Box::pin(batcher.submit(marked(mark)))).collect();
    assert!(poll(requests[0].as_mut()).is_pending());
    assert_eq!(control.begun(), 1, "the first does not wait for company");
    for request in &mut requests[1..] {
        assert!(poll(request.as_mut()).is_pending());
    }
    assert_eq!(batcher.stats().waiting, 5);
    for expected in [3, 2] {
        control.finish(End::Well);
        assert_eq!(control.begun(), expected);
    }
    control.finish(End::Well);
    for (mark, request) in requests.iter_mut().enumerate() {
        assert_eq!(mark_of(wait(request.as_mut())), mark as u8);
    }
    let stats = batcher.stats();
    assert_eq!((stats.batches, stats.images, stats.waiting), (3, 6, 0));
}

#[test]
fn a_cancelled_request_is_dropped_before_it_is_batched() {
    let (batcher, control) = batcher(8, 8);
    let mut first = Box::pin(batcher.submit(marked(1)));
    let mut cancelled = Box::pin(batcher.submit(marked(2)));
    let mut kept = Box::pin(batcher.submit(marked(3)));
    assert!(poll(first.as_mut()).is_pending());
    control.begun();
    assert!(poll(cancelled.as_mut()).is_pending() && poll(kept.as_mut()).is_pending());
    drop(cancelled);
    control.finish(End::Well);
    assert_eq!(control.begun(), 1, "only the one that is still wanted");
    control.finish(End::Well);
    assert_eq!(mark_of(wait(kept.as_mut())), 3);
    assert_eq!((batcher.stats().abandoned, batcher.stats().images), (1, 2));
}

#[test]
fn a_full_queue_refuses_at_once_and_cancelled_places_are_free_again() {
    let (batcher, control) = batcher(8, 2);
    let mut requests: Vec<_> = (0..3).map(|mark| Box::pin(batcher.submit(marked(mark)))).collect();
    assert!(poll(requests[0].as_mut()).is_pending());
    control.begun();
    assert!(poll(requests[1].as_mut()).is_pending() && poll(requests[2].as_mut()).is_pending());

    let refused = wait(pin!(batcher.submit(marked(9))));
    assert!(matches!(refused, Err(Error::QueueFull { capacity: 2 })), "{refused:?}");
    assert_eq!(batcher.stats().refused, 1);

    drop(requests.pop());
    let mut accepted = Box::pin(batcher.submit(marked(4)));
    assert!(poll(accepted.as_mut()).is_pending());
    control.finish(End::Well);
    assert_eq!(control.begun(), 2);
    control.finish(End::Well);
    assert_eq!(mark_of(wait(accepted.as_mut())), 4);
}

#[test]
fn blocking_requests_wait_for_room() {
    let (batcher, control) = batcher(1, 1);
    thread::scope(|scope| {
        let requests: Vec<_> = (0..4)
            .map(|mark| {
                scope.spawn({
                    let batcher = &batcher;
                    move || batcher.submit_blocking(marked(mark))
                })
            })
            .collect();
        for _ in 0..4 {
            assert_eq!(control.begun(), 1);
            control.finish(End::Well);
        }
        for (mark, request) in requests.into_iter().enumerate() {
            assert_eq!(mark_of(request.join().expect("no panic")), mark as u8);
        }
    });
}

#[test]
fn a_failing_batch_does_not_stop_the_next() {
    let (batcher, control) = batcher(8, 8);
    for end in [End::Failing, End::Panicking, End::OneRowShort] {
        let mut failing = Box::pin(batcher.submit(marked(1)));
        assert!(poll(failing.as_mut()).is_pending());
        control.begun();
        control.finish(end);
        let answer = wait(failing.as_mut());
        assert!(matches!(answer, Err(Error::Batch { images: 1, .. })), "{answer:?}");
    }
    let mut next = Box::pin(batcher.submit(marked(5)));
    assert!(poll(next.as_mut()).is_pending());
    control.begun();
    control.finish(End::Well);
    assert_eq!(mark_of(wait(next.as_mut())), 5);
    assert_eq!((batcher.stats().failed_batches, batcher.stats().batches), (3, 4));
}

#[test]
fn a_stuck_engine_is_given_up_and_replaced() {
    let (batcher, stuck, replacements) = supervised(&yes());
    let mut held = Box::pin(batcher.submit(marked(1)));
    let mut behind = Box::pin(batcher.submit(marked(2)));
    assert!(poll(held.as_mut()).is_pending() && poll(behind.as_mut()).is_pending());
    stuck.begun();
    batcher.check_engines(Instant::now() + LIMIT / 2);
    assert!(poll(held.as_mut()).is_pending(), "it may still take its time");

    batcher.check_engines(too_late());
    let cause = cause_of(wait(held.as_mut()));
    assert!(matches!(*cause, Error::EngineStalled { limit: LIMIT, .. }), "{cause:?}");
    assert!(cause.lost_a_worker());
    let fresh = replacements.recv().expect("another engine");
    fresh.begun();
    fresh.finish(End::Well);
    assert_eq!(mark_of(wait(behind.as_mut())), 2, "those who wait are served by the next engine");
    let stats = batcher.stats();
    assert_eq!((stats.engines, stats.engines_alive, stats.threads_stuck), (1, 1, 1));
    assert_eq!((stats.restarts, stats.recent_restarts, stats.failed_batches), (1, 1, 1));

    // It comes back: nobody is answered twice, and its thread ends.
    stuck.finish(End::Well);
    while batcher.stats().threads_stuck > 0 {
        thread::yield_now();
    }
}

#[test]
fn an_engine_that_panicked_is_replaced() {
    let (batcher, control, replacements) = supervised(&yes());
    let mut failing = Box::pin(batcher.submit(marked(1)));
    assert!(poll(failing.as_mut()).is_pending());
    control.begun();
    control.finish(End::Panicking);
    let cause = cause_of(wait(failing.as_mut()));
    assert!(matches!(*cause, Error::EnginePanicked { .. }), "{cause:?}");
    let fresh = replacements.recv().expect("another engine");
    let mut next = Box::pin(batcher.submit(marked(2)));
    assert!(poll(next.as_mut()).is_pending());
    fresh.begun();
    fresh.finish(End::Well);
    assert_eq!(mark_of(wait(next.as_mut())), 2);
    assert_eq!((batcher.stats().restarts, batcher.stats().threads_stuck), (1, 0));
}

#[test]
fn a_batch_that_only_failed_keeps_its_engine() {
    let (batcher, control, _replacements) = supervised(&yes());
    for end in [End::Failing, End::Well] {
        let mut request = Box::pin(batcher.submit(marked(1)));
        assert!(poll(request.as_mut()).is_pending());
        control.begun();
        control.finish(end);
        drop(wait(request.as_mut()));
    }
    assert_eq!(batcher.stats().restarts, 0);
}

#[test]
fn without_any_engine_those_who_wait_are_told_and_starts_are_tried_again() {
    let can_start = Arc::new(AtomicBool::new(false));
    let (batcher, control, replacements) = supervised(&can_start);
    let mut failing = Box::pin(batcher.submit(marked(1)));
    assert!(poll(failing.as_mut()).is_pending());
    control.begun();
    control.finish(End::Panicking);
    drop(wait(failing.as_mut()));
    while batcher.stats().engines_alive > 0 {
        thread::yield_now();
    }
    let mut waiting = Box::pin(batcher.submit(marked(2)));
    assert!(poll(waiting.as_mut()).is_pending());
    batcher.check_engines(Instant::now());
    let answer = wait(waiting.as_mut());
    assert!(matches!(answer, Err(Error::NoEngine { .. })), "{answer:?}");

    can_start.store(true, Ordering::SeqCst);
    batcher.check_engines(Instant::now() + Duration::from_mins(5));
    let fresh = replacements.recv().expect("another engine");
    let mut next = Box::pin(batcher.submit(marked(3)));
    assert!(poll(next.as_mut()).is_pending());
    fresh.begun();
    fresh.finish(End::Well);
    assert_eq!(mark_of(wait(next.as_mut())), 3);
}

#[test]
fn whoever_asks_hears_of_a_lost_engine_also_after_they_left() {
    let (batcher, control, _replacements) = supervised(&yes());
    let (sender, lost) = channel();
    let mut left = Box::pin(
        batcher.submit_watched(marked(1), Box::new(move |images| sender.send(images).expect("a listener"))),
    );
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
        let mut held = Box::pin(batcher.submit(marked(1)));
        assert!(poll(held.as_mut()).is_pending());
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

    // One of them comes back, and makes room.
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
    let mut held = Box::pin(batcher.submit(marked(1)));
    assert!(poll(held.as_mut()).is_pending());
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

#[test]
fn everyone_in_a_failed_batch_learns_the_cause() {
    let (batcher, control) = batcher(8, 8);
    let mut requests: Vec<_> = (0..3).map(|mark| Box::pin(batcher.submit(marked(mark)))).collect();
    for request in &mut requests {
        assert!(poll(request.as_mut()).is_pending());
    }
    // The first may have been taken alone.
    let mut begun = control.begun();
    control.finish(End::Failing);
    while begun < 3 {
        begun += control.begun();
        control.finish(End::Failing);
    }
    for request in &mut requests {
        let error = wait(request.as_mut()).expect_err("a failed batch");
        let source = std::error::Error::source(&error).expect("a cause");
        assert_eq!(source.to_string(), "`stand-in` gave a value in `logits` that is not a finite number");
    }
}

#[test]
fn idle_engines_share_what_waits() {
    let (first, first_control) = stand_in();
    let (second, second_control) = stand_in();
    let options = BatcherOptions { max_batch: 8, queue_capacity: 8 };
    let batcher = Batcher::start(vec![first, second], options).expect("a batcher");
    let mut one = Box::pin(batcher.submit(marked(1)));
    let mut two = Box::pin(batcher.submit(marked(2)));
    assert!(poll(one.as_mut()).is_pending() && poll(two.as_mut()).is_pending());
    // Either may take both, one after the other.
    for control in [&first_control, &second_control] {
        control.finish(End::Well);
        control.finish(End::Well);
    }
    assert_eq!(mark_of(wait(one.as_mut())), 1);
    assert_eq!(mark_of(wait(two.as_mut())), 2);
    assert_eq!(batcher.stats().images, 2);
}

#[test]
fn a_tensor_of_another_shape_is_refused_before_it_is_queued() {
    let (batcher, _control) = batcher(8, 8);
    let tensor = Tensor::new(Array3::zeros((3, 8, 8))).expect("three channels");
    let refused = batcher.submit_blocking(tensor.clone());
    assert!(matches!(refused, Err(Error::WrongTensorShape { .. })), "{refused:?}");
    assert!(matches!(wait(pin!(batcher.submit(tensor))), Err(Error::WrongTensorShape { .. })));
}

#[test]
fn shutting_down_answers_those_who_wait_and_refuses_the_rest() {
    let (batcher, control) = batcher(8, 8);
    let batcher = Arc::new(batcher);
    let mut running = Box::pin(batcher.submit(marked(1)));
    let mut waiting = Box::pin(batcher.submit(marked(2)));
    assert!(poll(running.as_mut()).is_pending());
    control.begun();
    assert!(poll(waiting.as_mut()).is_pending());
    control.finish(End::Well);
    control.finish(End::Well);
    batcher.shut_down();
    assert_eq!(mark_of(wait(running.as_mut())), 1);
    assert_eq!(mark_of(wait(waiting.as_mut())), 2);
    assert!(matches!(batcher.submit_blocking(marked(3)), Err(Error::ShutDown)));
    assert!(matches!(wait(pin!(batcher.submit(marked(3)))), Err(Error::ShutDown)));
    batcher.shut_down();
}

#[test]
fn a_batcher_needs_an_engine_and_room() {
    let none = Batcher::start(Vec::new(), BatcherOptions::default());
    assert!(matches!(none, Err(Error::InvalidBatcher { what: "engine" })));
    for (max_batch, queue_capacity) in [(0, 1), (1, 0)] {
        let (engine, _control) = stand_in();
        let options = BatcherOptions { max_batch, queue_capacity };
        assert!(matches!(Batcher::start(vec![engine], options), Err(Error::InvalidBatcher { .. })));
    }
}

#[test]
fn two_real_engines_answer_many_threads_as_one_engine_does() {
    let engines: Vec<Box<dyn Engine>> = vec![Box::new(engine()), Box::new(engine())];
    let batcher =
        Batcher::start(engines, BatcherOptions { max_batch: 4, queue_capacity: 4 }).expect("a batcher");
    let preprocessor = Preprocessor::new(batcher.manifest()).expect("a valid manifest");
    let tensors: Vec<_> = (1..=12).map(|size| preprocessor.tensor(&drawn(20 * size, 15 * size))).collect();
    let mut alone = engine();
    thread::scope(|scope| {
        let requests: Vec<_> = tensors
            .iter()
            .map(|tensor| {
                scope.spawn({
                    let batcher = &batcher;
                    move || batcher.submit_blocking(tensor.clone())
                })
            })
            .collect();
        for (tensor, request) in tensors.iter().zip(requests) {
            let answer = request.join().expect("no panic").expect("a prediction");
            let batch = ImageBatch::stack(std::slice::from_ref(tensor)).expect("one image");
            let expected = alone.run(&batch).expect("a run");
            let difference = largest_difference(&answer.logits, &expected.logits.row(0).to_vec());
            assert!(difference < 1e-3, "{difference}");
        }
    });
    assert_eq!(batcher.stats().images, 12);
}
