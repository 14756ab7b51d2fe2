//! The two towers of a Hugging Face folder, whichever engine runs them: for making a model out of it.

mod onnx;

use std::path::{Path, PathBuf};

use ndarray::Array2;

#[cfg(feature = "candle")]
use crate::{ComputeDevice, DualEncoder};
use crate::{Error, FileFormat, ImageBatch, OnnxRuntime, Result, dual_encoder::TowerFacts};
use onnx::OnnxTower;

/// Where exports keep graphs, in the order in which they are looked for.
const IMAGE_GRAPHS: [&str; 4] =
    ["vision_model.onnx", "onnx/vision_model.onnx", "model.onnx", "onnx/model.onnx"];
const TEXT_GRAPHS: [&str; 2] = ["text_model.onnx", "onnx/text_model.onnx"];
const SAFETENSORS: [&str; 2] = ["model.safetensors", "model.safetensors.index.json"];
/// What belongs to safetensors weights; those that are there are kept with them.
const BESIDE_SAFETENSORS: [&str; 7] = [
    "config.json",
    "preprocessor_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.json",
    "merges.txt",
    "special_tokens_map.json",
];
/// The factor of CLIP's similarities that its training ends at; an exported vision graph does not hold it.
const CLIP_LOGIT_SCALE: f32 = 100.0;

/// Which files of a Hugging Face folder make up a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TowerFiles {
    /// The engine that they are for.
    pub format: FileFormat,
    /// The weights, or the graph that embeds images; inside the folder.
    pub weights: PathBuf,
    /// Further files of the weights: configuration, tokenizer, shards.
    pub parts: Vec<PathBuf>,
    /// The graph that embeds texts, where there is one; `None` with safetensors, which hold both towers.
    pub text_graph: Option<PathBuf>,
}

impl TowerFiles {
    /// Looks into the folder. Without a format safetensors come first, since they need no export.
    ///
    /// # Errors
    /// [`Error::NoNetwork`] when there are no weights of that format.
    pub fn find(folder: &Path, format: Option<FileFormat>) -> Result<Self> {
        let first = |names: &[&str]| names.iter().map(PathBuf::from).find(|name| folder.join(name).is_file());
        // Safetensors before graphs: they hold both towers and the scale, and need no export.
        if format != Some(FileFormat::Onnx)
            && let Some(weights) = first(&SAFETENSORS)
        {
            // Only those that are there: folders differ in how they keep their tokenizer.
            let beside = BESIDE_SAFETENSORS.iter().map(PathBuf::from);
            let mut parts: Vec<PathBuf> = beside.filter(|name| folder.join(name).is_file()).collect();
            if weights.extension().is_some_and(|extension| extension == "json") {
                // Any safetensors file beside the index: each gets a hash of its own in the manifest.
                parts.extend(shards(folder));
            }
            return Ok(Self { format: FileFormat::Safetensors, weights, parts, text_graph: None });
        }
        if format != Some(FileFormat::Safetensors)
            && let Some(weights) = first(&IMAGE_GRAPHS)
        {
            let text_graph = first(&TEXT_GRAPHS);
            return Ok(Self { format: FileFormat::Onnx, weights, parts: Vec::new(), text_graph });
        }
        let expected: &[&[&str]] = match format {
            Some(FileFormat::Safetensors) => &[&SAFETENSORS],
            Some(FileFormat::Onnx) => &[&IMAGE_GRAPHS],
            None => &[&SAFETENSORS, &IMAGE_GRAPHS],
        };
        let expected =
            expected.iter().flat_map(|names| names.iter().map(|name| (*name).to_owned())).collect();
        Err(Error::NoNetwork { folder: folder.to_owned(), expected })
    }
}

/// The files that an index of shards may name, in order.
fn shards(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let names = entries.map(|entry| PathBuf::from(entry.file_name()));
    let is_shard = |name: &PathBuf| name.extension().is_some_and(|extension| extension == "safetensors");
    let mut shards: Vec<PathBuf> = names.filter(is_shard).collect();
    shards.sort();
    shards
}

/// Embeds images and texts on the processor.
pub struct Towers {
    network: Network,
    image_size: usize,
    dimension: usize,
    logit_scale: f32,
}

enum Network {
    #[cfg(feature = "candle")]
    Candle(Box<DualEncoder>),
    Onnx(Box<Graphs>),
}

/// The towers as graphs, and what stands beside them in the folder.
struct Graphs {
    facts: TowerFacts,
    image: OnnxTower,
    text: Option<OnnxTower>,
}

impl Towers {
    /// Opens the towers; the one for texts only when it is wanted.
    ///
    /// # Errors
    /// What `DualEncoder::load`, [`OnnxRuntime::load`] and the graphs refuse; [`Error::NoTextTower`] when texts
    /// are wanted and there is no graph for them; [`Error::MissingFeature`] for safetensors in a program without
    /// candle.
    pub fn open(
        folder: &Path,
        files: &TowerFiles,
        wants_texts: bool,
        onnxruntime: Option<&Path>,
    ) -> Result<Self> {
        match files.format {
            #[cfg(not(feature = "candle"))]
            FileFormat::Safetensors => {
                Err(Error::MissingFeature { model: folder.display().to_string(), feature: "candle" })
            }
            #[cfg(feature = "candle")]
            FileFormat::Safetensors => {
                let load = if wants_texts { DualEncoder::load } else { DualEncoder::load_vision };
                let encoder = load(folder, &ComputeDevice::Cpu)?;
                Ok(Self {
                    image_size: encoder.image_size(),
                    dimension: encoder.dimension(),
                    logit_scale: encoder.logit_scale(),
                    network: Network::Candle(Box::new(encoder)),
                })
            }
            FileFormat::Onnx => {
                let facts = TowerFacts::read(folder)?;
                let runtime = OnnxRuntime::load(onnxruntime)?;
                let image = OnnxTower::image(&runtime, &folder.join(&files.weights), facts.dimension())?;
                let text = match &files.text_graph {
                    Some(graph) if wants_texts => {
                        Some(OnnxTower::text(&runtime, &folder.join(graph), facts.dimension())?)
                    }
                    // Found out now, before pictures are embedded for it.
                    None if wants_texts => {
                        return Err(Error::NoTextTower { model: folder.display().to_string() });
                    }
                    _ => None,
                };
                Ok(Self {
                    image_size: facts.image_size(),
                    dimension: facts.dimension(),
                    logit_scale: CLIP_LOGIT_SCALE,
                    network: Network::Onnx(Box::new(Graphs { facts, image, text })),
                })
            }
        }
    }

    /// Side of the square input, in pixels.
    pub fn image_size(&self) -> usize {
        self.image_size
    }

    /// Length d of an embedding.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Factor of the cosine similarities: the network's own, or 100 for a graph, which does not hold it.
    pub fn logit_scale(&self) -> f32 {
        self.logit_scale
    }

    /// Names of the graph's input and of its embedding; those of `transformers` with safetensors.
    pub fn image_names(&self) -> (&str, &str) {
        match &self.network {
            #[cfg(feature = "candle")]
            Network::Candle(_) => ("pixel_values", "image_embeds"),
            Network::Onnx(graphs) => graphs.image.names(),
        }
    }

    /// Embeds images `[n, 3, image_size, image_size]` into unit rows `[n, d]`.
    ///
    /// # Errors
    /// [`Error::WrongTensorShape`], [`Error::NotFinite`], and what computing fails with.
    pub fn embed_images(&mut self, images: &ImageBatch) -> Result<Array2<f32>> {
        match &mut self.network {
            #[cfg(feature = "candle")]
            Network::Candle(encoder) => encoder.embed_images(images),
            Network::Onnx(graphs) => graphs.image.embed_images(images),
        }
    }

    /// Embeds texts into unit rows `[n, d]`.
    ///
    /// # Errors
    /// [`Error::NoTexts`], [`Error::NoTextTower`], [`Error::NotFinite`], and what computing fails with.
    pub fn embed_texts(&mut self, texts: &[&str]) -> Result<Array2<f32>> {
        let Graphs { facts, image, text } = match &mut self.network {
            #[cfg(feature = "candle")]
            Network::Candle(encoder) => return encoder.embed_texts(texts),
            Network::Onnx(graphs) => graphs.as_mut(),
        };
        let Some(tower) = text else {
            return Err(Error::NoTextTower { model: image.name().to_owned() });
        };
        if texts.is_empty() {
            return Err(Error::NoTexts);
        }
        let mut values = Vec::with_capacity(texts.len() * self.dimension);
        // One by one: texts differ in length, and an exported graph may know no padding.
        for text in texts {
            values.extend(tower.embed_text(&facts.token_ids(text)?)?);
        }
        let shape = (texts.len(), self.dimension);
        let found = vec![values.len()];
        Array2::from_shape_vec(shape, values)
            .map_err(|_| Error::WrongTensorShape { expected: vec![shape.0, shape.1], found })
    }
}
