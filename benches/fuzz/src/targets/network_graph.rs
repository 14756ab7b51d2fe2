use std::fs;

use ndarray::{Array4, s};
use partsight_inference::{Engine, ImageBatch, Int8Engine, MANIFEST_FILE, Model, Outputs, Result, sha256};

/// All of a manifest but `[file]`. Images are not square, so that sides that are mistaken for one another show, and as
/// wide as a layer of stride 2 needs.
const MANIFEST: &str = r#"
name = "graph"
version = "1.0.0"
description = "A network that somebody else made."
licence = "MIT"
source = "Unknown."
created_on = 2026-11-26

[input]
name = "image"
width = 32
height = 16
layout = "nchw"
channels = "rgb"
mean = [0.5, 0.5, 0.5]
std = [0.5, 0.5, 0.5]

[resize]
mode = "squash"
filter = "bilinear"

[embedding]
output = "embedding"
dimension = 8
normalised = false

[classes]
output = "logits"
labels = "labels.txt"
count = 2

[known]
output = "known"

[calibration]
temperature = 1.0
known_scale = 1.0
known_bias = 0.0
fitted_on = "Nothing."

[thresholds]
not_a_part_below = 0.1
identified_known_score = 0.5
identified_confidence = 0.9
derived_by = "Nothing."
"#;

/// An ONNX file that somebody else wrote, as an imported model: loaded, and computed where the int8 engine takes it.
pub(crate) fn network_graph(data: &[u8]) {
    match model_of(data) {
        Ok(model) => compute(&model),
        Err(error) => assert!(!error.to_string().is_empty(), "every refusal says why"),
    }
}

fn model_of(graph: &[u8]) -> Result<Model> {
    let folder = tempfile::tempdir().expect("a folder for the model");
    let file = format!(
        "[file]\npath = \"model.onnx\"\nsha256 = \"{}\"\nsize_bytes = {}\n",
        sha256(graph),
        graph.len()
    );
    let manifest = format!("{MANIFEST}\n{file}");
    for (name, content) in [
        ("model.onnx", graph),
        ("labels.txt", b"rim\npiston\n".as_slice()),
        (MANIFEST_FILE, manifest.as_bytes()),
    ] {
        fs::write(folder.path().join(name), content).expect("the file is written");
    }
    Model::load(folder.path())
}

/// An image gives the same whenever it is computed: in a batch, alone, and by an engine with memory of its own.
fn compute(model: &Model) {
    let Some(mut engine) = Int8Engine::new(model) else { return };
    let both = checked(&mut engine, 2);
    let first = checked(&mut engine, 1);
    assert_eq!(both, checked(&mut engine.another(), 2), "another engine gives something else");
    if let Ok(both) = both {
        let alone = first.expect("the image is computed in a batch");
        assert_eq!(alone.embeddings, both.embeddings.slice(s![..1, ..]));
        assert_eq!(alone.logits, both.logits.slice(s![..1, ..]));
        assert_eq!(alone.known, both.known.slice(s![..1]));
    }
}

/// What the engine gives for images of numbers without order, of which the first are always the same, or why it gives
/// nothing.
fn checked(engine: &mut Int8Engine, n_images: usize) -> std::result::Result<Outputs, String> {
    let mut state = 1_u64;
    let [channels, height, width] = engine.manifest().tensor_shape();
    let numbers = Array4::from_shape_simple_fn((n_images, channels, height, width), || {
        // Knuth's MMIX generator; from -1 to 1, as preprocessing gives them.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / 8_388_608.0 - 1.0
    });
    let images = ImageBatch::new(numbers).expect("the shape is that of images");
    let outputs = engine.run(&images).map_err(|error| error.to_string());
    match &outputs {
        Ok(Outputs { embeddings, logits, known }) => {
            let manifest = engine.manifest();
            assert_eq!(embeddings.dim(), (n_images, manifest.embedding.dimension));
            assert_eq!(logits.dim(), (n_images, manifest.classes.count));
            assert_eq!(known.len(), n_images);
            let is_finite = embeddings.iter().chain(logits).chain(known).all(|value| value.is_finite());
            assert!(is_finite, "a number is missing: {outputs:?}");
        }
        Err(error) => assert!(!error.is_empty(), "every failure says why"),
    }
    outputs
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn engine(seed: &str) -> Option<Int8Engine> {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/network-graph");
        let graph = fs::read(corpus.join(seed)).expect("the corpus has the graph");
        Int8Engine::new(&model_of(&graph).expect("the manifest fits every graph"))
    }

    /// Else the target would try refusals alone.
    #[test]
    fn whole_networks_are_computed() {
        if !(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")) {
            return;
        }
        for seed in ["small", "strides"] {
            let mut engine = engine(seed).unwrap_or_else(|| panic!("`{seed}` is refused"));
            assert!(checked(&mut engine, 1).is_ok(), "`{seed}` gives no scores");
        }
    }

    #[test]
    fn graphs_that_would_take_any_amount_of_memory_are_refused() {
        for seed in ["circle", "copies", "no-columns", "no-weights", "shared"] {
            assert!(engine(seed).is_none(), "`{seed}` is computed");
        }
    }
}
