//! Our own engine for int8 networks of the `MobileNet` and `EfficientNet`-Lite families, on x86 and 64-bit Arm
//! processors.
//!
//! It reads the same ONNX file as ONNX Runtime and computes the same products; results differ by the order of sums
//! in the few f32 layers, and sometimes by a byte rounded to the neighbouring step. It takes 0.6 of the time of
//! ONNX Runtime, because blocks of layers are computed strip by strip in the processor's cache, and because each
//! kernel is written for the shapes of such networks.
//! See docs/decisions/0148-own-int8-engine.md.
//!
//! Begin with `plan.rs` for the supported graphs, `block.rs` for the order of the computation, and `../simd.rs` for
//! how one kernel is compiled for several instruction sets.

#[expect(
    clippy::inline_always,
    reason = "functions that are not inlined are compiled without the instructions"
)]
mod ahead;
#[expect(unsafe_code, reason = "kernels load vectors by address")]
mod aligned;
#[expect(unsafe_code, reason = "kernels are compiled for one instruction set")]
mod block;
#[expect(unsafe_code, reason = "kernels load vectors by address")]
#[expect(
    clippy::inline_always,
    reason = "functions that are not inlined are compiled without the instructions"
)]
mod depthwise;
#[expect(unsafe_code, reason = "kernels load vectors by address")]
mod head;
mod layout;
#[expect(unsafe_code, reason = "kernels are compiled for one instruction set")]
mod network;
mod onnx;
mod plan;
#[expect(unsafe_code, reason = "kernels load vectors by address")]
#[expect(
    clippy::inline_always,
    reason = "functions that are not inlined are compiled without the instructions"
)]
mod pointwise;
mod quantization;
#[cfg(test)]
mod reference;
#[expect(unsafe_code, reason = "kernels load vectors by address")]
#[expect(
    clippy::inline_always,
    reason = "functions that are not inlined are compiled without the instructions"
)]
mod sixteen_bits;
#[expect(unsafe_code, reason = "kernels load vectors by address")]
#[expect(
    clippy::inline_always,
    reason = "functions that are not inlined are compiled without the instructions"
)]
mod stem;
mod unsupported;

use std::{collections::HashMap, sync::Arc};

use ndarray::{Array1, Array2};

use crate::{
    Engine, Error, ImageBatch, Manifest, Model, Outputs, Result,
    simd::{Instructions, with_family},
};
use network::{Memory, Network};
use onnx::Graph;
use unsupported::Unsupported;

/// Maximum number of images in one run. Each is computed alone, so a longer batch only delays its first result.
const MAX_BATCH: usize = 32;

/// Runs one image after the other on the calling thread.
pub struct Int8Engine {
    manifest: Arc<Manifest>,
    network: Arc<Network>,
    instructions: Instructions,
    memory: Memory,
}

impl Int8Engine {
    /// The engine for a model; `None`, with the reason in the log, for an unsupported graph or processor.
    pub fn new(model: &Model) -> Option<Self> {
        let manifest = model.shared_manifest();
        let built = Instructions::of_this_machine()
            .ok_or_else(|| Unsupported::new("a processor that no kernel is for"))
            .and_then(|instructions| Self::build(model, instructions));
        built
            .inspect_err(|reason| tracing::debug!(model = manifest.name, %reason, "not for the int8 engine"))
            .ok()
    }

    fn build(model: &Model, instructions: Instructions) -> std::result::Result<Self, Unsupported> {
        if !instructions.are_there() {
            return Err(Unsupported::new(format!("a processor without {instructions}")));
        }
        let manifest = model.shared_manifest();
        // Prototypes and token pools belong to networks without scores of their own.
        if manifest.prototypes.is_some() || manifest.embedding.pool.is_some() {
            return Err(Unsupported::new("a network without scores"));
        }
        let graph = Graph::read(model.onnx().ok_or_else(|| Unsupported::new("no ONNX file"))?)?;
        let [_, height, width] = manifest.tensor_shape();
        let size = (height, width);
        let network =
            with_family!(instructions, S => plan::network::<S>(&graph, &manifest.input.name, size))?;
        let widths = network.head.widths(network.last.n_out())?;
        for (name, wanted) in [
            (manifest.embedding.output.as_str(), manifest.embedding.dimension),
            (manifest.logits_name(), manifest.classes.count),
            (manifest.known_name(), 1),
        ] {
            if widths.get(name) != Some(&wanted) {
                return Err(Unsupported::new(format!("the output `{name}` is no row of {wanted} numbers")));
            }
        }
        let memory = network.memory();
        Ok(Self { manifest, network: Arc::new(network), instructions, memory })
    }

    /// Another engine that shares the weights.
    #[must_use]
    pub fn another(&self) -> Self {
        Self {
            manifest: Arc::clone(&self.manifest),
            network: Arc::clone(&self.network),
            instructions: self.instructions,
            memory: self.network.memory(),
        }
    }

    /// Name of the runtime, with its instruction set, for display.
    pub fn runtime(&self) -> String {
        format!("Partsight int8 ({})", self.instructions)
    }

    /// Runs a blank image, so that the first photograph is not slowed down by the first use of memory.
    ///
    /// # Errors
    /// As [`Engine::run`].
    pub fn warm_up(&mut self) -> Result<()> {
        let blank = ImageBatch::blank(&self.manifest)?;
        self.run(&blank).map(drop)
    }

    #[expect(unsafe_code, reason = "the compiler cannot know which machine the program will run on")]
    fn tensors(&mut self, image: &[f32]) -> HashMap<&str, Vec<f32>> {
        let (network, memory) = (&self.network, &mut self.memory);
        // SAFETY: `build` has checked that the machine has the instructions.
        unsafe { with_family!(self.instructions, S => network.run::<S>(image, memory)) }
    }
}

impl Engine for Int8Engine {
    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn max_batch(&self) -> usize {
        MAX_BATCH
    }

    fn provider(&self) -> &'static str {
        "CPU"
    }

    fn run(&mut self, images: &ImageBatch) -> Result<Outputs> {
        let manifest = Arc::clone(&self.manifest);
        images.check(&manifest, MAX_BATCH)?;
        let n_images = images.n_images();
        let (dimension, n_classes) = (manifest.embedding.dimension, manifest.classes.count);
        let mut embeddings = Array2::zeros((n_images, dimension));
        let mut logits = Array2::zeros((n_images, n_classes));
        let mut known = Array1::zeros(n_images);
        for (index, image) in images.as_slice().chunks_exact(images.as_slice().len() / n_images).enumerate() {
            let mut tensors = self.tensors(image);
            let mut take = |name: &str| {
                let values = tensors.remove(name).unwrap_or_default();
                // NaN compares false with every threshold: an error is better than an answer computed from it.
                if values.is_empty() || !values.iter().all(|value| value.is_finite()) {
                    return Err(Error::NotFinite { model: manifest.name.clone(), output: name.to_owned() });
                }
                Ok(Array1::from(values))
            };
            embeddings.row_mut(index).assign(&take(&manifest.embedding.output)?);
            logits.row_mut(index).assign(&take(manifest.logits_name())?);
            known[index] = take(manifest.known_name())?[0];
        }
        Ok(Outputs { embeddings, logits, known })
    }
}

/// Calls a generic test for each instruction set that this machine has.
#[cfg(test)]
macro_rules! on_each {
    ($test:ident) => {
        for instructions in
            $crate::int8_engine::Instructions::ALL.into_iter().filter(|family| family.are_there())
        {
            $crate::simd::with_family!(instructions, S => $test::<S>())
        }
    };
}
#[cfg(test)]
use on_each;

#[cfg(test)]
mod tests {
    use ndarray::Array4;

    use super::*;
    use crate::{OnnxRuntime, OrtEngine};

    fn engine(instructions: Instructions) -> Int8Engine {
        let model = Model::embedded().expect("the embedded model");
        Int8Engine::build(&model, instructions)
            .map_err(|reason| reason.to_string())
            .expect("a network of this kind")
    }

    fn images() -> ImageBatch {
        let mut random = reference::Random::new(3);
        let values = random.floats(2 * 3 * 256 * 256, 1.0);
        ImageBatch::new(Array4::from_shape_vec((2, 3, 256, 256), values).expect("two images"))
            .expect("a batch")
    }

    fn largest_difference(one: &Outputs, other: &Outputs) -> f32 {
        one.logits.iter().zip(&other.logits).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max)
    }

    #[test]
    fn each_processor_gives_the_scores_of_onnx_runtime() {
        let path = std::env::var_os("PARTSIGHT_ONNXRUNTIME").map(std::path::PathBuf::from);
        let runtime = OnnxRuntime::load(path.as_deref()).expect("ONNX Runtime is installed");
        let model = Model::embedded().expect("the embedded model");
        let mut ort = OrtEngine::new(&runtime, &model, 1).expect("an engine");
        let expected = ort.run(&images()).expect("a run");
        let best = Instructions::of_this_machine().expect("kernels for this machine");
        let of_best = engine(best).run(&images()).expect("a run");
        for family in Instructions::ALL.into_iter().filter(|family| family.are_there()) {
            let found = engine(family).run(&images()).expect("a run");
            // A value near a rounding boundary may round to either byte, depending on the order of sums in f32.
            let difference = largest_difference(&found, &expected);
            assert!(difference < 0.3, "{family}: {difference}");
            // Between our own kernels only the order of sums in the head differs.
            assert!(largest_difference(&found, &of_best) < 1e-4, "{family}");
        }
    }

    #[test]
    fn an_image_gives_the_same_alone_in_a_batch_and_on_another_engine() {
        let mut first = engine(Instructions::of_this_machine().expect("kernels for this machine"));
        let together = first.run(&images()).expect("a run");
        let mut second = first.another();
        for (row, image) in images().each().expect("images").iter().enumerate() {
            let alone = second.run(image).expect("a run");
            assert_eq!(alone.embeddings.row(0), together.embeddings.row(row));
            assert_eq!(
                (alone.logits.row(0), alone.known[0]),
                (together.logits.row(row), together.known[row])
            );
        }
    }

    #[test]
    fn a_graph_that_differs_in_one_place_is_left_to_others() {
        let model = Model::embedded().expect("the embedded model");
        let bytes = model.onnx().expect("a graph");
        let best = Instructions::of_this_machine().expect("kernels for this machine");
        let network_of = |graph: &Graph, input: &str, size| {
            with_family!(best, S => plan::network::<S>(graph, input, size)).map(drop)
        };
        let network = |graph: &Graph| network_of(graph, "image", (256, 256));
        assert!(network(&Graph::read(bytes).expect("a graph")).is_ok());
        // Another operator with a name of the same length, another name of the input, a size that is no multiple of
        // 16.
        for (from, to) in [
            ("Clip", "Elup"),
            ("GlobalAveragePool", "GlobalMaximumPool"),
            ("QuantizeLinear", "QuantizeLogits"),
        ] {
            let mut changed = bytes.to_vec();
            let place = memchr::memmem::find(&changed, from.as_bytes()).expect("the operator");
            changed[place..place + from.len()].copy_from_slice(to.as_bytes());
            assert!(network(&Graph::read(&changed).expect("a graph")).is_err(), "{from}");
        }
        let graph = Graph::read(bytes).expect("a graph");
        assert!(network_of(&graph, "picture", (256, 256)).is_err());
        assert!(network_of(&graph, "image", (240, 240)).is_err());
        assert!(Graph::read(&bytes[..bytes.len() / 2]).is_err());
        assert!(Graph::read(b"").is_err());
    }
}
