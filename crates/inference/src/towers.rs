//! The network in a folder or graph from elsewhere, for importing it as a model; it is independent of the engine.

mod external;
mod graph;
mod onnx;

use std::path::{Path, PathBuf};

use ndarray::Array2;

#[cfg(feature = "candle")]
use crate::{ComputeDevice, DualEncoder, VisionEncoder};
use crate::{
    Error, FileFormat, ImageBatch, OnnxRuntime, Result, TokenPool, dual_encoder::TowerFacts, network_config,
};
use onnx::OnnxTower;

/// Usual paths of exported graphs, in search order.
const IMAGE_GRAPHS: [&str; 4] =
    ["vision_model.onnx", "onnx/vision_model.onnx", "model.onnx", "onnx/model.onnx"];
const TEXT_GRAPHS: [&str; 2] = ["text_model.onnx", "onnx/text_model.onnx"];
const SAFETENSORS: [&str; 2] = ["model.safetensors", "model.safetensors.index.json"];
/// Files that belong to safetensors weights; those that exist become parts of the model.
const BESIDE_SAFETENSORS: [&str; 7] = [
    "config.json",
    "preprocessor_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "vocab.json",
    "merges.txt",
    "special_tokens_map.json",
];
/// Factor of similarities for a network without its own: the value at which CLIP's training ends, which an exported
/// vision graph does not contain. Calibration compensates for a wrong scale.
const LOGIT_SCALE: f32 = 100.0;

/// The kind of network in a folder, by its `config.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// CLIP or `SigLIP`: images and texts.
    DualEncoder,
    /// A supported image encoder, with its `model_type`.
    VisionEncoder(String),
    /// Anything else: images only, and only as a graph.
    Graph,
}

impl Contents {
    /// By the `model_type` in the folder's `config.json`; `Graph` if there is none.
    ///
    /// # Errors
    /// [`Error::ReadModel`] and [`Error::InvalidModelFile`].
    pub fn of(folder: &Path) -> Result<Self> {
        let Some(model_type) = network_config::model_type(folder)? else { return Ok(Self::Graph) };
        Ok(match model_type.as_str() {
            "clip" | "siglip" => Self::DualEncoder,
            "dinov2" | "dinov2_with_registers" | "dinov3_vit" | "convnext" | "convnextv2" => {
                Self::VisionEncoder(model_type)
            }
            _ => Self::Graph,
        })
    }
}

/// The files of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TowerFiles {
    /// Their folder.
    pub folder: PathBuf,
    /// The kind of network.
    pub contents: Contents,
    /// The format, which determines the engine.
    pub format: FileFormat,
    /// The weights, or the graph that embeds images; relative to the folder.
    pub weights: PathBuf,
    /// Further files of the weights: configuration, tokenizer, shards, external weights of a graph.
    pub parts: Vec<PathBuf>,
    /// The graph that embeds texts, if there is one; `None` with safetensors, which contain both towers.
    pub text_graph: Option<PathBuf>,
}

impl TowerFiles {
    /// Searches a folder, or accepts a file with the extension `.onnx`. Without a `format`, safetensors are
    /// preferred, since they need no export.
    ///
    /// # Errors
    /// [`Error::NoNetwork`] if there are no weights of that format, [`Error::ExternalWeights`] if external weights
    /// of a graph are missing, [`Error::ReadModel`] and [`Error::InvalidModelFile`] for unreadable files.
    pub fn find(path: &Path, format: Option<FileFormat>) -> Result<Self> {
        if path.is_file() && is_graph(path) && format != Some(FileFormat::Safetensors) {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new(".")).to_owned();
            return Self::of_graph(folder, path.file_name().map(PathBuf::from).unwrap_or_default());
        }
        let folder = path.to_owned();
        let first = |names: &[&str]| names.iter().map(PathBuf::from).find(|name| folder.join(name).is_file());
        // Safetensors before graphs: they contain both towers and the scale, and need no export.
        if format != Some(FileFormat::Onnx)
            && let Some(weights) = first(&SAFETENSORS)
        {
            // Only existing ones: folders differ in the files of their tokenizer.
            let beside = BESIDE_SAFETENSORS.iter().map(PathBuf::from);
            let mut parts: Vec<PathBuf> = beside.filter(|name| folder.join(name).is_file()).collect();
            if weights.extension().is_some_and(|extension| extension == "json") {
                parts.extend(files_ending_in(&folder, "safetensors"));
            }
            let contents = Contents::of(&folder)?;
            return Ok(Self {
                folder,
                contents,
                format: FileFormat::Safetensors,
                weights,
                parts,
                text_graph: None,
            });
        }
        if format != Some(FileFormat::Safetensors)
            && let Some(weights) = first(&IMAGE_GRAPHS).or_else(|| only_graph(&folder))
        {
            return Self::of_graph(folder, weights);
        }
        let expected: &[&[&str]] = match format {
            Some(FileFormat::Safetensors) => &[&SAFETENSORS],
            Some(FileFormat::Onnx) => &[&IMAGE_GRAPHS],
            None => &[&SAFETENSORS, &IMAGE_GRAPHS],
        };
        let expected =
            expected.iter().flat_map(|names| names.iter().map(|name| (*name).to_owned())).collect();
        Err(Error::NoNetwork { folder, expected })
    }

    fn of_graph(folder: PathBuf, weights: PathBuf) -> Result<Self> {
        let contents = Contents::of(&folder)?;
        let is_there = |name: &&&str| folder.join(name).is_file();
        let text_graph = match contents {
            Contents::DualEncoder => TEXT_GRAPHS.iter().find(is_there).map(PathBuf::from),
            Contents::VisionEncoder(_) | Contents::Graph => None,
        };
        let parts = external::files_of(&folder, &weights)?;
        Ok(Self { folder, contents, format: FileFormat::Onnx, weights, parts, text_graph })
    }
}

fn is_graph(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "onnx")
}

/// The only graph in the folder, with any name.
fn only_graph(folder: &Path) -> Option<PathBuf> {
    match files_ending_in(folder, "onnx").as_slice() {
        [graph] => Some(graph.clone()),
        _ => None,
    }
}

/// The names of a folder's files with this extension, sorted: graphs, or the shards of an index.
fn files_ending_in(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let names = entries.map(|entry| PathBuf::from(entry.file_name()));
    let mut names: Vec<PathBuf> =
        names.filter(|name| name.extension().is_some_and(|found| found == extension)).collect();
    names.sort();
    names
}

/// Options for opening a network.
#[derive(Clone, Debug)]
pub struct TowerOptions<'a> {
    /// Whether texts will be embedded too.
    pub wants_texts: bool,
    /// Width and height of the preprocessed images, in pixels; used by networks that accept several sizes.
    pub image_size: [u32; 2],
    /// The name of the output with the embedding; `None` to detect it.
    pub output: Option<&'a str>,
    /// How to pool the token vectors of an image, for an output that has several.
    pub pool: Option<TokenPool>,
    /// The path of the shared library; see [`OnnxRuntime::load`].
    pub onnxruntime: Option<&'a Path>,
}

/// Embeds images and texts on the CPU.
pub struct Towers {
    network: Network,
    image_size: [usize; 2],
    dimension: usize,
    logit_scale: f32,
}

enum Network {
    #[cfg(feature = "candle")]
    Candle(Box<DualEncoder>),
    #[cfg(feature = "candle")]
    Vision(Box<VisionEncoder>),
    Onnx(Box<Graphs>),
}

/// The towers as graphs, and the configuration in their folder.
struct Graphs {
    /// For texts only.
    facts: Option<TowerFacts>,
    image: OnnxTower,
    text: Option<OnnxTower>,
}

impl Towers {
    /// Opens the towers; the text tower only if it is requested.
    ///
    /// # Errors
    /// The errors of `DualEncoder::load`, `VisionEncoder::load`, [`OnnxRuntime::load`] and of the graphs
    /// ([`Error::GraphUnfit`], [`Error::GraphMismatch`]); [`Error::NoTextTower`] if texts are requested from a
    /// network without a text tower; [`Error::MissingFeature`] for safetensors in a program without candle.
    pub fn open(files: &TowerFiles, options: &TowerOptions<'_>) -> Result<Self> {
        let model = || files.folder.display().to_string();
        // Safetensors of an unsupported type are refused below, with a more specific error.
        let is_unknown = files.format == FileFormat::Safetensors && files.contents == Contents::Graph;
        if options.wants_texts && files.contents != Contents::DualEncoder && !is_unknown {
            return Err(Error::NoTextTower { model: model() });
        }
        match (files.format, &files.contents) {
            #[cfg(not(feature = "candle"))]
            (FileFormat::Safetensors, _) => Err(Error::MissingFeature { model: model(), feature: "candle" }),
            #[cfg(feature = "candle")]
            (FileFormat::Safetensors, Contents::VisionEncoder(_)) => {
                let size = options.image_size[0] as usize;
                let encoder = VisionEncoder::load(&files.folder, size, &ComputeDevice::Cpu)?;
                Ok(Self {
                    image_size: [encoder.image_size(); 2],
                    dimension: encoder.dimension(),
                    logit_scale: LOGIT_SCALE,
                    network: Network::Vision(Box::new(encoder)),
                })
            }
            #[cfg(feature = "candle")]
            (FileFormat::Safetensors, Contents::DualEncoder | Contents::Graph) => {
                let load = if options.wants_texts { DualEncoder::load } else { DualEncoder::load_vision };
                let encoder = load(&files.folder, &ComputeDevice::Cpu)?;
                Ok(Self {
                    image_size: [encoder.image_size(); 2],
                    dimension: encoder.dimension(),
                    logit_scale: encoder.logit_scale(),
                    network: Network::Candle(Box::new(encoder)),
                })
            }
            (FileFormat::Onnx, Contents::DualEncoder) => Self::open_dual_graphs(files, options),
            (FileFormat::Onnx, Contents::VisionEncoder(_) | Contents::Graph) => {
                let runtime = OnnxRuntime::load(options.onnxruntime)?;
                let (image, image_size) = graph::open(&runtime, files, options)?;
                Ok(Self {
                    image_size,
                    dimension: image.dimension(),
                    logit_scale: LOGIT_SCALE,
                    network: Network::Onnx(Box::new(Graphs { facts: None, image, text: None })),
                })
            }
        }
    }

    fn open_dual_graphs(files: &TowerFiles, options: &TowerOptions<'_>) -> Result<Self> {
        let facts = TowerFacts::read(&files.folder)?;
        let runtime = OnnxRuntime::load(options.onnxruntime)?;
        let dimension = facts.dimension();
        let image = OnnxTower::image(&runtime, &files.folder.join(&files.weights), dimension)?;
        let text = match &files.text_graph {
            Some(graph) if options.wants_texts => {
                Some(OnnxTower::text(&runtime, &files.folder.join(graph), dimension)?)
            }
            None if options.wants_texts => {
                return Err(Error::NoTextTower { model: files.folder.display().to_string() });
            }
            _ => None,
        };
        Ok(Self {
            image_size: [facts.image_size(); 2],
            dimension,
            logit_scale: LOGIT_SCALE,
            network: Network::Onnx(Box::new(Graphs { facts: Some(facts), image, text })),
        })
    }

    /// Width and height of the input, in pixels.
    pub fn image_size(&self) -> [usize; 2] {
        self.image_size
    }

    /// Length d of an embedding.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Factor of the cosine similarities: the network's own, or 100 if it has none.
    pub fn logit_scale(&self) -> f32 {
        self.logit_scale
    }

    /// Names of the graph's input and of its embedding; for safetensors, those of `transformers`.
    pub fn image_names(&self) -> (&str, &str) {
        match &self.network {
            #[cfg(feature = "candle")]
            Network::Candle(_) => ("pixel_values", "image_embeds"),
            #[cfg(feature = "candle")]
            Network::Vision(_) => ("pixel_values", "pooler_output"),
            Network::Onnx(graphs) => graphs.image.names(),
        }
    }

    /// How the graph's token vectors of an image are pooled, if it has several.
    pub fn pool(&self) -> Option<TokenPool> {
        match &self.network {
            #[cfg(feature = "candle")]
            Network::Candle(_) | Network::Vision(_) => None,
            Network::Onnx(graphs) => graphs.image.pool(),
        }
    }

    /// Embeds images `[n, 3, height, width]` into unit rows `[n, d]`.
    ///
    /// # Errors
    /// [`Error::WrongTensorShape`], [`Error::NotFinite`], and the errors of the engine.
    pub fn embed_images(&mut self, images: &ImageBatch) -> Result<Array2<f32>> {
        match &mut self.network {
            #[cfg(feature = "candle")]
            Network::Candle(encoder) => encoder.embed_images(images),
            #[cfg(feature = "candle")]
            Network::Vision(encoder) => encoder.embed_images(images),
            Network::Onnx(graphs) => graphs.image.embed_images(images),
        }
    }

    /// Embeds texts into unit rows `[n, d]`.
    ///
    /// # Errors
    /// [`Error::NoTexts`], [`Error::NoTextTower`], [`Error::NotFinite`], and the errors of the engine.
    pub fn embed_texts(&mut self, texts: &[&str]) -> Result<Array2<f32>> {
        let Graphs { facts, image, text } = match &mut self.network {
            #[cfg(feature = "candle")]
            Network::Candle(encoder) => return encoder.embed_texts(texts),
            #[cfg(feature = "candle")]
            Network::Vision(_) => return Err(Error::NoTextTower { model: "the network".to_owned() }),
            Network::Onnx(graphs) => graphs.as_mut(),
        };
        let (Some(tower), Some(facts)) = (text, facts) else {
            return Err(Error::NoTextTower { model: image.name().to_owned() });
        };
        if texts.is_empty() {
            return Err(Error::NoTexts);
        }
        let mut values = Vec::with_capacity(texts.len() * self.dimension);
        // One by one: texts differ in length, and an exported graph may not support padding.
        for text in texts {
            values.extend(tower.embed_text(&facts.token_ids(text)?)?);
        }
        let shape = (texts.len(), self.dimension);
        let found = vec![values.len()];
        Array2::from_shape_vec(shape, values)
            .map_err(|_| Error::WrongTensorShape { expected: vec![shape.0, shape.1], found })
    }
}
