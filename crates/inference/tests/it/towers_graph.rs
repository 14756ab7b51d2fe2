//! Any graph with one image as input and one vector as output.

use std::{fs, path::Path};

use ndarray::Array4;
use partsight_inference::{
    Contents, Error, FileFormat, ImageBatch, TokenPool, TowerFiles, TowerOptions, Towers,
};
use partsight_test_support::onnx_graph::{
    any_encoder, mean_colour, of_bytes, of_open_rank, of_two_pictures, tokens, unflattened,
    with_external_weights,
};
use tempfile::TempDir;

use crate::common::onnx_runtime;

fn folder(graph: &[u8]) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("encoder.onnx"), graph).expect("a graph");
    folder
}

fn open_with(
    path: &Path,
    output: Option<&str>,
    pool: Option<TokenPool>,
) -> partsight_inference::Result<Towers> {
    let files = TowerFiles::find(path, None)?;
    assert_eq!((&files.contents, files.format), (&Contents::Graph, FileFormat::Onnx));
    let runtime = onnx_runtime();
    let options = TowerOptions {
        wants_texts: false,
        image_size: [32, 24],
        output,
        pool,
        onnxruntime: Some(runtime.path()),
    };
    Towers::open(&files, &options)
}

fn refusal(graph: &[u8], output: Option<&str>, pool: Option<TokenPool>) -> String {
    open_with(folder(graph).path(), output, pool).err().expect("a graph that does not fit").to_string()
}

/// Images of one colour each, of this size.
fn colours(height: usize, width: usize) -> ImageBatch {
    let pixels = Array4::from_shape_fn(
        (3, 3, height, width),
        |(image, channel, ..)| {
            if image == channel { 0.9 } else { 0.0 }
        },
    );
    ImageBatch::new(pixels).expect("images")
}

#[test]
fn open_and_fixed_axes_are_taken() {
    for (axes, size) in [
        ([None, Some(3), None, None], [32, 24]),
        ([None, None, None, None], [32, 24]),
        ([None, Some(3), Some(16), Some(48)], [48, 16]),
        ([Some(1), Some(3), Some(16), Some(16)], [16, 16]),
    ] {
        let folder = folder(&any_encoder(&axes));
        for path in [folder.path().to_owned(), folder.path().join("encoder.onnx")] {
            let mut towers = open_with(&path, None, None).expect("a graph");
            assert_eq!((towers.image_size(), towers.dimension()), (size, 3));
            assert_eq!(towers.image_names(), ("images", "vector"));
            let rows = towers.embed_images(&colours(size[1], size[0])).expect("images");
            for index in 0..3 {
                let length = (1.0_f32 + 0.1 * 0.1 * 2.0).sqrt();
                assert!((rows[[index, index]] - 1.0 / length).abs() < 1e-5, "{axes:?}: {rows}");
            }
            assert!(matches!(towers.embed_texts(&["a part"]), Err(Error::NoTextTower { .. })));
        }
    }
}

#[test]
fn an_output_of_tokens_takes_a_word_about_them() {
    let graph = tokens(32, 0.0);
    let sentence = refusal(&graph, None, None);
    assert!(sentence.contains("`--pool first`") && sentence.contains("last_hidden_state"), "{sentence}");
    let sentence = refusal(&graph, Some("last_hidden_state"), None);
    assert!(
        sentence.contains("the output `last_hidden_state`") && sentence.contains("`--pool mean`"),
        "{sentence}"
    );
    let folder = folder(&graph);
    let pixels = colours(32, 32);
    // The first token is the red channel, which is 0 in the second image.
    let mut towers = open_with(folder.path(), None, Some(TokenPool::First)).expect("a graph");
    assert_eq!((towers.dimension(), towers.pool()), (32, Some(TokenPool::First)));
    assert!(matches!(towers.embed_images(&pixels), Err(Error::NotFinite { .. })));
    let mut towers =
        open_with(folder.path(), Some("last_hidden_state"), Some(TokenPool::Mean)).expect("a graph");
    let rows = towers.embed_images(&pixels).expect("images");
    assert!(rows.iter().all(|value| (value - 1.0 / 32.0_f32.sqrt()).abs() < 1e-5), "{rows}");
}

#[test]
fn graphs_of_another_form_are_refused_with_what_they_have() {
    for (graph, words) in [
        (of_two_pictures(32), ["its input should be one, of pictures alone", "`left` and `right`"]),
        (of_bytes(32), ["the input `images` should be f32 [n, 3, height, width]", "u8 ["]),
        (of_open_rank(), ["the input `images`", "of an open number of axes"]),
        (
            any_encoder(&[Some(4), Some(3), Some(32), Some(32)]),
            ["an open number of pictures, or one", "f32 [4, 3"],
        ),
        (any_encoder(&[None, Some(1), Some(32), Some(32)]), ["f32 [n, 3, height, width]", "1, 32, 32]"]),
        (any_encoder(&[None, Some(32), Some(32), Some(3)]), ["channels first", "32, 32, 3]"]),
        (any_encoder(&[None, Some(3), Some(5000), Some(32)]), ["1 to 4096 pixels", "3, 5000, 32]"]),
        (unflattened(32), ["its output should be f32 [n, d]", "3, 1, 1]"]),
    ] {
        let sentence = refusal(&graph, None, None).to_lowercase();
        for part in words {
            assert!(sentence.contains(part), "{part}: {sentence}");
        }
    }
    let graph = mean_colour(32, [0.0; 3]);
    let sentence = refusal(&graph, Some("vectors"), None);
    assert!(sentence.contains("named `vectors`") && sentence.contains("image_embeds"), "{sentence}");
    let sentence = refusal(&graph, Some("image_embeds"), Some(TokenPool::First));
    assert!(sentence.contains("given without `--pool`"), "{sentence}");
    let sentence = refusal(b"no graph", None, None);
    assert!(sentence.contains("does not accept the graph"), "{sentence}");
}

#[test]
fn weights_beside_a_graph_come_with_it_or_are_missed() {
    let folder = folder(&with_external_weights(32, "encoder.onnx.data"));
    let error = TowerFiles::find(folder.path(), None).expect_err("no weights").to_string();
    assert!(error.contains("`encoder.onnx.data`, which is missing"), "{error}");
    let values: Vec<u8> = [0.1_f32; 3].iter().flat_map(|value| value.to_le_bytes()).collect();
    fs::write(folder.path().join("encoder.onnx.data"), values).expect("weights");
    let files = TowerFiles::find(folder.path(), None).expect("both files");
    assert_eq!(files.parts, [Path::new("encoder.onnx.data")]);
    let mut towers = open_with(folder.path(), None, None).expect("a graph");
    assert_eq!(towers.embed_images(&colours(32, 32)).expect("images").dim(), (3, 3));
    fs::write(folder.path().join("encoder.onnx.data"), [0; 5]).expect("too few weights");
    assert!(matches!(open_with(folder.path(), None, None), Err(Error::BuildSession { .. })));
}
