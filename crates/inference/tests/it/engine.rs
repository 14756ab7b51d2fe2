//! The contract of every engine: batches equal single images, the order is kept, invalid inputs are refused.

use ndarray::{Array3, Array4};
use partsight_inference::{Engine, Error, ImageBatch, OrtEngine, Preprocessor, Tensor};

use crate::common::{drawn, engine, largest_difference, model, onnx_runtime};

fn tensors() -> Vec<Tensor> {
    let preprocessor = Preprocessor::new(model().manifest()).expect("a valid manifest");
    [(300, 200), (31, 77), (640, 480), (5, 5)]
        .map(|(width, height)| preprocessor.tensor(&drawn(width, height)))
        .into()
}

#[test]
fn a_batch_gives_what_singles_give_in_order() {
    let mut engine = engine();
    let tensors = tensors();
    let together = engine.run(&ImageBatch::stack(&tensors).expect("one shape")).expect("a run");
    assert_eq!(together.embeddings.nrows(), tensors.len());
    for (row, tensor) in tensors.iter().enumerate() {
        let alone =
            engine.run(&ImageBatch::stack(std::slice::from_ref(tensor)).expect("one image")).expect("a run");
        let close = |a: Vec<f32>, b: Vec<f32>, tolerance| {
            let difference = largest_difference(&a, &b);
            assert!(difference < tolerance, "image {row} differs by {difference}");
        };
        close(together.embeddings.row(row).to_vec(), alone.embeddings.row(0).to_vec(), 1e-4);
        close(together.logits.row(row).to_vec(), alone.logits.row(0).to_vec(), 1e-3);
        close(vec![together.known[row]], vec![alone.known[0]], 1e-3);
    }
}

#[test]
fn threads_do_not_change_the_answer() {
    let batch = ImageBatch::stack(&tensors()).expect("one shape");
    let one = engine().run(&batch).expect("a run");
    let two = OrtEngine::new(&onnx_runtime(), &model(), 2).expect("an engine").run(&batch).expect("a run");
    let flat = |array: &ndarray::Array2<f32>| array.iter().copied().collect::<Vec<_>>();
    assert!(largest_difference(&flat(&one.logits), &flat(&two.logits)) < 1e-3);
}

#[test]
fn the_engine_says_where_it_runs() {
    let mut engine = engine();
    assert_eq!(engine.provider(), "CPU");
    assert_eq!(engine.manifest().name, model().manifest().name);
    engine.warm_up().expect("a blank image runs");
}

#[test]
fn a_wrong_shape_is_an_error_that_names_both() {
    let mut engine = engine();
    let batch = ImageBatch::new(Array4::zeros((1, 3, 32, 48))).expect("a batch of another size");
    let error = engine.run(&batch).expect_err("not the model's size");
    assert_eq!(
        error.to_string(),
        "the tensor has shape [1, 3, 32, 48], but the model takes [1, 3, 256, 256]"
    );
    assert!(matches!(ImageBatch::new(Array4::zeros((1, 4, 8, 8))), Err(Error::WrongTensorShape { .. })));
    assert!(matches!(ImageBatch::new(Array4::zeros((0, 3, 8, 8))), Err(Error::WrongTensorShape { .. })));
    assert!(matches!(Tensor::new(Array3::zeros((1, 8, 8))), Err(Error::WrongTensorShape { .. })));
}

#[test]
fn batches_have_at_least_one_and_no_more_than_the_limit() {
    assert!(matches!(ImageBatch::stack(&[]), Err(Error::WrongBatchSize { found: 0, .. })));
    let mut engine = engine();
    let limit = engine.max_batch();
    let batch = ImageBatch::new(Array4::zeros((limit + 1, 3, 256, 256))).expect("a large batch");
    assert!(matches!(engine.run(&batch), Err(Error::WrongBatchSize { .. })));
}

#[test]
fn tensors_of_two_shapes_do_not_stack() {
    let tensor = |side| Tensor::new(Array3::zeros((3, side, side))).expect("three channels");
    assert!(matches!(ImageBatch::stack(&[tensor(8), tensor(9)]), Err(Error::WrongTensorShape { .. })));
}

#[test]
fn values_in_another_memory_order_are_put_in_order() {
    let values = Array3::from_shape_fn((8, 8, 3), |(y, x, channel)| (100 * channel + 10 * y + x) as f32);
    let tensor = Tensor::new(values.permuted_axes([2, 0, 1])).expect("three channels");
    assert_eq!(&tensor.as_slice()[..3], &[0.0, 1.0, 2.0]);
    assert_eq!(tensor.as_slice().len(), 192);
}
