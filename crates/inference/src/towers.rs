//! The network of a folder or graph that somebody brings, whichever engine runs it: for making a model out of it.

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
/// The factor of similarities of a network that holds none: the one that CLIP's training ends at, which an exported
/// vision graph does not hold. Calibration divides by what fits.
const LOGIT_SCALE: f32 = 100.0;

/// What a folder holds, by its `config.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// CLIP or `SigLIP`: pictures and texts.
    DualEncoder,
    /// An encoder of pictures that is known by this name.
    VisionEncoder(String),
    /// Anything else: pictures only, and only as a graph.
    Graph,
}

impl Contents {
    /// By the `model_type` of the folder's `config.json`, where there is one.
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

/// Which files make up a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TowerFiles {
    /// Where they are.
    pub folder: PathBuf,
    /// What they are.
    pub contents: Contents,
    /// The engine that they are for.
    pub format: FileFormat,
    /// The weights, or the graph that embeds images; inside the folder.
    pub weights: PathBuf,
    /// Further files of the weights: configuration, tokenizer, shards, weights that a graph keeps elsewhere.
    pub parts: Vec<PathBuf>,
    /// The graph that embeds texts, where there is one; `None` with safetensors, which hold both towers.
    pub text_graph: Option<PathBuf>,
}

impl TowerFiles {
    /// Looks into a folder, or takes a file whose name ends in `.onnx`. Without a format safetensors come first, since
    /// they need no export.
    ///
    /// # Errors
    /// [`Error::NoNetwork`] when there are no weights of that format, [`Error::ExternalWeights`] when a graph needs
    /// more than is there, [`Error::ReadModel`] and [`Error::InvalidModelFile`] for what cannot be read.
    pub fn find(path: &Path, format: Option<FileFormat>) -> Result<Self> {
        if path.is_file() && is_graph(path) && format != Some(FileFormat::Safetensors) {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new(".")).to_owned();
            return Self::of_graph(folder, path.file_name().map(PathBuf::from).unwrap_or_default());
        }
        let folder = path.to_owned();
        let first = |names: &[&str]| names.iter().map(PathBuf::from).find(|name| folder.join(name).is_file());
        // Safetensors before graphs: they hold both towers and the scale, and need no export.
        if format != Some(FileFormat::Onnx)
            && let Some(weights) = first(&SAFETENSORS)
        {
            // Only those that are there: folders differ in how they keep their tokenizer.
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

/// A graph of any name, where the folder has just one.
fn only_graph(folder: &Path) -> Option<PathBuf> {
    match files_ending_in(folder, "onnx").as_slice() {
        [graph] => Some(graph.clone()),
        _ => None,
    }
}

/// The names of a folder's files with this extension, in order: graphs, or the files that an index of shards may name.
fn files_ending_in(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let names = entries.map(|entry| PathBuf::from(entry.file_name()));
    let mut names: Vec<PathBuf> =
        names.filter(|name| name.extension().is_some_and(|found| found == extension)).collect();
    names.sort();
    names
}

/// How a network is to be opened.
#[derive(Clone, Debug)]
pub struct TowerOptions<'a> {
    /// Whether texts are to be embedded too.
    pub wants_texts: bool,
    /// Width and height of the prepared pictures, in pixels: what a network takes that takes several.
    pub image_size: [u32; 2],
    /// Which output of a graph holds the embedding; unset, it is found.
    pub output: Option<&'a str>,
    /// How many vectors of a picture become one, for an output that holds many.
    pub pool: Option<TokenPool>,
    /// The shared library; see [`OnnxRuntime::load`].
    pub onnxruntime: Option<&'a Path>,
}

/// Embeds images and texts on the processor.
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

/// The towers as graphs, and what stands beside them in the folder.
struct Graphs {
    /// For texts alone.
    facts: Option<TowerFacts>,
    image: OnnxTower,
    text: Option<OnnxTower>,
}

impl Towers {
    /// Opens the towers; the one for texts only when it is wanted.
    ///
    /// # Errors
    /// What `DualEncoder::load`, `VisionEncoder::load`, [`OnnxRuntime::load`] and the graphs refuse
    /// ([`Error::GraphUnfit`], [`Error::GraphMismatch`]); [`Error::NoTextTower`] when texts are wanted of a network
    /// without; [`Error::MissingFeature`] for safetensors in a program without candle.
    pub fn open(files: &TowerFiles, options: &TowerOptions<'_>) -> Result<Self> {
        let model = || files.folder.display().to_string();
        // Safetensors of another type are refused by that type below, which says more.
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

    /// Factor of the cosine similarities: the network's own, or 100 where it holds none.
    pub fn logit_scale(&self) -> f32 {
        self.logit_scale
    }

    /// Names of the graph's input and of its embedding; those of `transformers` with safetensors.
    pub fn image_names(&self) -> (&str, &str) {
        match &self.network {
            #[cfg(feature = "candle")]
            Network::Candle(_) => ("pixel_values", "image_embeds"),
            #[cfg(feature = "candle")]
            Network::Vision(_) => ("pixel_values", "pooler_output"),
            Network::Onnx(graphs) => graphs.image.names(),
        }
    }

    /// How the graph's many vectors of a picture become one, where they do.
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
    /// [`Error::WrongTensorShape`], [`Error::NotFinite`], and what computing fails with.
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
    /// [`Error::NoTexts`], [`Error::NoTextTower`], [`Error::NotFinite`], and what computing fails with.
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
