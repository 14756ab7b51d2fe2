//! The queue: batches under load, order, cancellation, failures, shutdown. The engines are fakes that report each
//! batch and wait for an instruction how to end it.

mod lost_engines;

use std::{
    future::Future,
    pin::{Pin, pin},
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    task::{Context, Poll, Waker},
    thread,
};

use ndarray::{Array1, Array2, Array3};
use partsight_inference::{
    Batcher, BatcherOptions, Engine, Error, ImageBatch, Manifest, OnLoss, Outputs, Prediction, Preprocessor,
    Result, Tensor,
};

use crate::common::{drawn, engine, largest_difference, model};

/// How the fake engine ends a batch.
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

/// Controls a fake engine from the test.
struct Control {
    started: Receiver<usize>,
    end: Sender<End>,
}

impl Control {
    /// Blocks until the engine has started a batch; returns the number of its images.
    fn begun(&self) -> usize {
        self.started.recv().expect("the engine runs")
    }

    fn finish(&self, end: End) {
        self.end.send(end).expect("the engine waits");
    }

    /// Lets one batch start and end; returns the number of its images.
    fn run(&self, end: End) -> usize {
        let n_images = self.begun();
        self.finish(end);
        n_images
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
            // One past the last image, as in a faulty engine.
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

/// An image that can be recognised in the prediction.
fn marked(mark: u8) -> Tensor {
    Tensor::new(Array3::from_elem((3, 256, 256), f32::from(mark))).expect("three channels")
}

fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// For tests that need no callback for a loss.
fn unwatched() -> OnLoss {
    Box::new(|_| ())
}

/// A request that is queued and waits for its prediction.
fn submitted(batcher: &Batcher, mark: u8) -> Pin<Box<impl Future<Output = Result<Prediction>>>> {
    let mut request = Box::pin(batcher.submit(marked(mark), unwatched()));
    assert!(poll(request.as_mut()).is_pending());
    request
}

/// Waits for a prediction that an engine thread is about to send.
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
    let mut request = submitted(&batcher, 7);
    assert_eq!(control.run(End::Well), 1);
    let prediction = wait(request.as_mut()).expect("a prediction");
    assert_eq!(
        (prediction.known, prediction.embedding.as_slice(), prediction.batch_size),
        (7.0, &[7.0, 7.0][..], 1)
    );
}

#[test]
fn what_waits_becomes_one_batch_in_order() {
    let (batcher, control) = batcher(3, 8);
    let mut requests: Vec<_> =
        (0..6).map(|mark| Box::pin(batcher.submit(marked(mark), unwatched()))).collect();
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
    let _first = submitted(&batcher, 1);
    control.begun();
    let cancelled = submitted(&batcher, 2);
    let mut kept = submitted(&batcher, 3);
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
    let mut requests: Vec<_> =
        (0..3).map(|mark| Box::pin(batcher.submit(marked(mark), unwatched()))).collect();
    assert!(poll(requests[0].as_mut()).is_pending());
    control.begun();
    assert!(poll(requests[1].as_mut()).is_pending() && poll(requests[2].as_mut()).is_pending());

    let refused = wait(pin!(batcher.submit(marked(9), unwatched())));
    assert!(matches!(refused, Err(Error::QueueFull { capacity: 2 })), "{refused:?}");
    assert_eq!(batcher.stats().refused, 1);

    drop(requests.pop());
    let mut accepted = submitted(&batcher, 4);
    control.finish(End::Well);
    assert_eq!(control.run(End::Well), 2);
    assert_eq!(mark_of(wait(accepted.as_mut())), 4);
}

#[test]
fn images_that_belong_together_share_a_batch_and_come_in_order() {
    let (batcher, control) = batcher(4, 8);
    let tensors = (1..=3).map(marked).collect();
    let mut together = Box::pin(batcher.submit_all(tensors, unwatched));
    assert!(poll(together.as_mut()).is_pending());
    assert_eq!(control.run(End::Well), 3);
    let predictions = wait(together.as_mut()).expect("three predictions");
    let marks: Vec<_> =
        predictions.iter().map(|prediction| (prediction.known, prediction.batch_size)).collect();
    assert_eq!(marks, [(1.0, 3), (2.0, 3), (3.0, 3)]);
    let blocking = thread::scope(|scope| {
        let waiting = scope.spawn(|| batcher.submit_all_blocking(vec![marked(4), marked(5)]));
        let mut n_images = 0;
        while n_images < 2 {
            n_images += control.run(End::Well);
        }
        waiting.join().expect("no panic").expect("two predictions")
    });
    assert_eq!(blocking.iter().map(|prediction| prediction.known).collect::<Vec<_>>(), [4.0, 5.0]);
}

#[test]
fn images_that_belong_together_are_refused_together() {
    let (batcher, control) = batcher(1, 2);
    let running = submitted(&batcher, 0);
    assert_eq!(control.begun(), 1);
    let waiting = submitted(&batcher, 1);
    let refused = wait(pin!(batcher.submit_all(vec![marked(2), marked(3)], unwatched)));
    assert!(matches!(refused, Err(Error::QueueFull { capacity: 2 })), "{refused:?}");
    assert_eq!((batcher.stats().waiting, batcher.stats().refused), (1, 2));
    drop((running, waiting));
    control.finish(End::Well);
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
            assert_eq!(control.run(End::Well), 1);
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
        let mut failing = submitted(&batcher, 1);
        control.run(end);
        let answer = wait(failing.as_mut());
        assert!(matches!(answer, Err(Error::Batch { images: 1, .. })), "{answer:?}");
    }
    let mut next = submitted(&batcher, 5);
    control.run(End::Well);
    assert_eq!(mark_of(wait(next.as_mut())), 5);
    assert_eq!((batcher.stats().failed_batches, batcher.stats().batches), (3, 4));
}

#[test]
fn everyone_in_a_failed_batch_learns_the_cause() {
    let (batcher, control) = batcher(8, 8);
    let mut requests: Vec<_> =
        (0..3).map(|mark| Box::pin(batcher.submit(marked(mark), unwatched()))).collect();
    for request in &mut requests {
        assert!(poll(request.as_mut()).is_pending());
    }
    // The first request may have been taken alone.
    let mut begun = control.run(End::Failing);
    while begun < 3 {
        begun += control.run(End::Failing);
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
    let mut one = submitted(&batcher, 1);
    let mut two = submitted(&batcher, 2);
    // Either engine may take both, one after the other.
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
    assert!(matches!(wait(pin!(batcher.submit(tensor, unwatched()))), Err(Error::WrongTensorShape { .. })));
}

#[test]
fn shutting_down_answers_those_who_wait_and_refuses_the_rest() {
    let (batcher, control) = batcher(8, 8);
    let batcher = Arc::new(batcher);
    let mut running = submitted(&batcher, 1);
    control.begun();
    let mut waiting = submitted(&batcher, 2);
    control.finish(End::Well);
    control.finish(End::Well);
    batcher.shut_down();
    assert_eq!(mark_of(wait(running.as_mut())), 1);
    assert_eq!(mark_of(wait(waiting.as_mut())), 2);
    assert!(matches!(batcher.submit_blocking(marked(3)), Err(Error::ShutDown)));
    assert!(matches!(wait(pin!(batcher.submit(marked(3), unwatched()))), Err(Error::ShutDown)));
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
