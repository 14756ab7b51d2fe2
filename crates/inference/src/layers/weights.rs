//! Reads tensors by name from safetensors files, one at a time.
//!
//! Only the headers are read at first, so that an unused tower costs no memory. A tensor is checked for its shape
//! and for non-finite values, and converted to f32.

mod error;

use std::{
    collections::{BTreeSet, HashMap},
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use candle_core::{Device, DeviceLocation, Tensor};
use candle_nn::LayerNorm;
use half::{bf16, f16};
use safetensors::{Dtype, tensor::Metadata};
use serde::Deserialize;

pub use error::WeightsError;

use super::Dense;
use crate::{ComputeDevice, Error, Result, network_config::model_name};

const SINGLE_FILE: &str = "model.safetensors";
const INDEX_FILE: &str = "model.safetensors.index.json";

/// The format's own limit on its header, in bytes.
const MAX_HEADER_BYTES: u64 = 100_000_000;

/// The tensors of a model folder.
#[derive(Debug)]
pub(crate) struct Weights {
    model: String,
    files: Vec<WeightsFile>,
    stored: HashMap<String, Stored>,
    device: Device,
}

#[derive(Debug)]
struct WeightsFile {
    path: PathBuf,
    file: File,
}

/// Location of a tensor: the index of its file, and its offset in the file.
#[derive(Debug)]
struct Stored {
    file: usize,
    dtype: Dtype,
    shape: Vec<usize>,
    begin: u64,
    size_bytes: usize,
}

#[derive(Deserialize)]
struct Index {
    weight_map: HashMap<String, String>,
}

impl Weights {
    /// Opens `model.safetensors`, or the shards listed in `model.safetensors.index.json`, and reads their headers.
    /// Tensors are loaded to `device`.
    ///
    /// # Errors
    /// [`Error::ReadModel`], [`Error::InvalidModelFile`], [`WeightsError::WrongSize`].
    pub(crate) fn open(folder: &Path, device: Device) -> Result<Self> {
        let mut weights =
            Self { model: model_name(folder), files: Vec::new(), stored: HashMap::new(), device };
        // A folder may have both forms, for different readers; the single file is enough.
        if folder.join(INDEX_FILE).is_file() && !folder.join(SINGLE_FILE).is_file() {
            for shard in shards(&folder.join(INDEX_FILE))? {
                weights.add(folder.join(shard))?;
            }
        } else {
            weights.add(folder.join(SINGLE_FILE))?;
        }
        Ok(weights)
    }

    /// The tensors whose names begin with `prefix` and a dot; all of them if `prefix` is empty.
    pub(crate) fn at(&self, prefix: &str) -> Scope<'_> {
        Scope { weights: self, prefix: prefix.to_owned() }
    }

    /// All tensors below the first of these prefixes that any name has, or all tensors: a published network may be
    /// part of one with a head for another task.
    pub(crate) fn below(&self, prefixes: &[&str]) -> Scope<'_> {
        let is_there =
            |prefix: &&&str| self.stored.keys().any(|name| name.starts_with(&format!("{prefix}.")));
        self.at(prefixes.iter().find(is_there).copied().unwrap_or_default())
    }

    /// A tensor that holds one value, of shape `[]` or `[1]`.
    pub(crate) fn scalar(&self, name: &str) -> Result<f32> {
        let stored = self.find(name)?;
        match self.read(name, stored)?[..] {
            [value] => Ok(value),
            _ => Err(self.wrong_shape(name, &[1], stored)),
        }
    }

    fn tensor(&self, name: &str, shape: &[usize]) -> Result<Tensor> {
        let stored = self.find(name)?;
        if stored.shape != shape {
            return Err(self.wrong_shape(name, shape, stored));
        }
        Tensor::from_vec(self.read(name, stored)?, shape, &self.device)
            .map_err(|source| self.compute_error(source))
    }

    fn wrong_shape(&self, name: &str, expected: &[usize], stored: &Stored) -> Error {
        let (model, name) = (self.model.clone(), name.to_owned());
        WeightsError::WrongShape { model, name, expected: expected.to_vec(), found: stored.shape.clone() }
            .into()
    }

    fn compute_error(&self, source: candle_core::Error) -> Error {
        let device = match self.device.location() {
            DeviceLocation::Cuda { gpu_id } => ComputeDevice::Cuda(gpu_id),
            _ => ComputeDevice::Cpu,
        };
        Error::Compute { model: self.model.clone(), device, source: Box::new(source) }
    }

    fn find(&self, name: &str) -> Result<&Stored> {
        let missing =
            || WeightsError::TensorMissing { model: self.model.clone(), name: name.to_owned() }.into();
        self.stored.get(name).ok_or_else(missing)
    }

    /// The values in row-major order, all of them finite.
    fn read(&self, name: &str, stored: &Stored) -> Result<Vec<f32>> {
        let WeightsFile { path, file } = &self.files[stored.file];
        // The sum of all sizes was compared with the file's, so a header cannot demand more memory than that.
        let mut bytes = vec![0; stored.size_bytes];
        read_at(file, stored.begin, &mut bytes)
            .map_err(|source| Error::ReadModel { path: path.clone(), source })?;
        let values: Vec<f32> = match stored.dtype {
            Dtype::F32 => bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect(),
            Dtype::F16 => bytes.as_chunks().0.iter().map(|two| f16::from_le_bytes(*two).to_f32()).collect(),
            Dtype::BF16 => bytes.as_chunks().0.iter().map(|two| bf16::from_le_bytes(*two).to_f32()).collect(),
            other => {
                let (model, name) = (self.model.clone(), name.to_owned());
                return Err(WeightsError::UnsupportedType { model, name, found: format!("{other:?}") }.into());
            }
        };
        // Checked here, because one NaN in a weight would make every score NaN.
        if values.iter().all(|value| value.is_finite()) {
            Ok(values)
        } else {
            Err(WeightsError::NotFinite { model: self.model.clone(), name: name.to_owned() }.into())
        }
    }

    /// Adds the tensors of a file.
    fn add(&mut self, path: PathBuf) -> Result<()> {
        let unreadable = |source| Error::ReadModel { path: path.clone(), source };
        let wrong_size = |expected_bytes, found_bytes| {
            Error::from(WeightsError::WrongSize { path: path.clone(), expected_bytes, found_bytes })
        };
        let file = File::open(&path).map_err(unreadable)?;
        let file_bytes = file.metadata().map_err(unreadable)?.len();
        if file_bytes < 8 {
            return Err(wrong_size(8, file_bytes));
        }
        let mut length = [0; 8];
        read_at(&file, 0, &mut length).map_err(unreadable)?;
        let header_bytes = u64::from_le_bytes(length);
        // Checked before allocating: the length is whatever the first eight bytes of the file state.
        if header_bytes > MAX_HEADER_BYTES {
            let source = format!("its header should have {header_bytes} bytes, which is too many").into();
            return Err(Error::InvalidModelFile { path, source });
        }
        let data_begin = 8 + header_bytes;
        if file_bytes < data_begin {
            return Err(wrong_size(data_begin, file_bytes));
        }
        let mut header = vec![0; header_bytes as usize];
        read_at(&file, 8, &mut header).map_err(unreadable)?;
        // Parsing also checks that the tensors are contiguous, and that their sizes match their shapes.
        let metadata: Metadata = serde_json::from_slice(&header)
            .map_err(|source| Error::InvalidModelFile { path: path.clone(), source: Box::new(source) })?;
        let expected_bytes = data_begin + metadata.data_len() as u64;
        if file_bytes != expected_bytes {
            return Err(wrong_size(expected_bytes, file_bytes));
        }
        for (name, info) in metadata.tensors() {
            let (begin, end) = info.data_offsets;
            let stored = Stored {
                file: self.files.len(),
                dtype: info.dtype,
                shape: info.shape.clone(),
                begin: data_begin + begin as u64,
                size_bytes: end - begin,
            };
            self.stored.insert(name, stored);
        }
        self.files.push(WeightsFile { path, file });
        Ok(())
    }
}

/// Tensors under a common prefix of their names.
pub(crate) struct Scope<'w> {
    weights: &'w Weights,
    prefix: String,
}

impl Scope<'_> {
    /// The tensors one level deeper.
    pub(crate) fn at(&self, name: &str) -> Self {
        Self { weights: self.weights, prefix: self.name(name) }
    }

    /// A tensor of exactly this shape.
    ///
    /// # Errors
    /// [`Error::Weights`], [`Error::ReadModel`], [`Error::Compute`].
    pub(crate) fn tensor(&self, name: &str, shape: &[usize]) -> Result<Tensor> {
        self.weights.tensor(&self.name(name), shape)
    }

    /// Whether there is a tensor of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.weights.stored.contains_key(&self.name(name))
    }

    /// The layer `x W^T + b` of `name.weight` `[n_out, n_in]` and `name.bias` `[n_out]`.
    pub(crate) fn linear(&self, name: &str, n_in: usize, n_out: usize) -> Result<Dense> {
        self.linear_with(name, n_in, n_out, true)
    }

    /// The same, with or without a bias.
    pub(crate) fn linear_with(&self, name: &str, n_in: usize, n_out: usize, has_bias: bool) -> Result<Dense> {
        let layer = self.at(name);
        let bias = has_bias.then(|| layer.tensor("bias", &[n_out])).transpose()?;
        self.dense(layer.tensor("weight", &[n_out, n_in])?, bias)
    }

    /// The layer of loaded weights `[n_out, n_in]` and a loaded bias `[n_out]`.
    pub(crate) fn dense(&self, weights: Tensor, bias: Option<Tensor>) -> Result<Dense> {
        Dense::new(weights, bias).map_err(|source| self.compute_error(source))
    }

    /// The device of the tensors.
    pub(crate) fn device(&self) -> &Device {
        &self.weights.device
    }

    /// The layer that embeds patches: a kernel `weight` `[width, 3, patch, patch]`, and an optional bias.
    pub(crate) fn patch_projection(&self, patch: usize, width: usize, bias: Option<Tensor>) -> Result<Dense> {
        let kernel = self.tensor("weight", &[width, 3, patch, patch])?;
        self.dense(kernel.flatten_from(1).map_err(|source| self.compute_error(source))?, bias)
    }

    /// The layer norm of `name.weight` and `name.bias`, both `[n]`.
    pub(crate) fn layer_norm(&self, name: &str, n: usize, eps: f64) -> Result<LayerNorm> {
        let layer = self.at(name);
        Ok(LayerNorm::new(layer.tensor("weight", &[n])?, layer.tensor("bias", &[n])?, eps))
    }

    /// For errors when a loaded tensor is split.
    pub(crate) fn compute_error(&self, source: candle_core::Error) -> Error {
        self.weights.compute_error(source)
    }

    fn name(&self, name: &str) -> String {
        match (self.prefix.as_str(), name) {
            ("", name) => name.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, name) => format!("{prefix}.{name}"),
        }
    }
}

/// The file names of the shards in an index.
fn shards(index: &Path) -> Result<BTreeSet<String>> {
    let invalid = |source| Error::InvalidModelFile { path: index.to_owned(), source };
    let bytes = std::fs::read(index).map_err(|source| Error::ReadModel { path: index.to_owned(), source })?;
    let Index { weight_map } = serde_json::from_slice(&bytes).map_err(|source| invalid(Box::new(source)))?;
    let shards: BTreeSet<_> = weight_map.into_values().collect();
    // A shard is in the same folder as its index; a path could point elsewhere.
    match shards.iter().find(|shard| Path::new(shard).file_name() != Some(shard.as_ref())) {
        Some(shard) => Err(invalid(format!("`{shard}` is not the name of a file").into())),
        None => Ok(shards),
    }
}

fn read_at(mut file: &File, begin: u64, bytes: &mut [u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(begin))?;
    file.read_exact(bytes)
}
