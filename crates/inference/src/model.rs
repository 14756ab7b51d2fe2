//! A model: its manifest, labels and files, verified against each other.

use std::{
    borrow::Cow,
    collections::HashSet,
    fmt,
    fs::{self, File},
    io::{self, Read},
    path::Path,
    sync::Arc,
};

use sha2::{Digest, Sha256};

use crate::{Classes, Error, FileFormat, Manifest, PrototypeHead, ReferenceSpace, Result, onnx_graph::Graph};

/// File name of the manifest in a model's folder.
pub const MANIFEST_FILE: &str = "model.toml";

/// Bytes hashed at a time, so that large files are not loaded into memory.
const HASH_CHUNK_BYTES: usize = 1 << 20;

/// A verified model: its files match the manifest, and its labels match the classes.
///
/// Cloning is cheap; the graph's bytes and the prototypes are shared.
#[derive(Clone)]
pub struct Model {
    manifest: Arc<Manifest>,
    labels: Arc<[String]>,
    weights: Weights,
    prototypes: Option<Arc<PrototypeHead>>,
    reference_space: Option<Arc<ReferenceSpace>>,
}

/// Where the network's weights are.
#[derive(Clone)]
enum Weights {
    /// The bytes of an ONNX file, and its path if it has external weights.
    Onnx { bytes: Arc<Cow<'static, [u8]>>, beside: Option<Arc<Path>> },
    /// The folder of a safetensors file and its parts.
    Folder(Arc<Path>),
}

/// The bytes of an ONNX file, shared with the model.
#[derive(Clone, Debug)]
pub struct SharedOnnx(Arc<Cow<'static, [u8]>>);

impl AsRef<[u8]> for SharedOnnx {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Model {
    /// The model that is embedded in the program.
    ///
    /// # Errors
    /// As [`Model::load`]; an error means that the build mixed files of two models.
    pub fn embedded() -> Result<Self> {
        let manifest = Self::embedded_manifest()?;
        let onnx: &'static [u8] = include_bytes!("../../../models/partsight-50/model.onnx");
        // Checked although it is embedded: manifest and network are separate files, which a commit can mix.
        check_size(&manifest, &manifest.file.path, manifest.file.size_bytes, onnx.len() as u64)?;
        check_hash(&manifest, &manifest.file.path, &manifest.file.sha256, sha256(onnx))?;
        let labels = parse_labels(&manifest, include_str!("../../../models/partsight-50/labels.txt"))?;
        let weights = Weights::Onnx { bytes: Arc::new(Cow::Borrowed(onnx)), beside: None };
        let bytes = include_bytes!("../../../models/partsight-50/prototypes.safetensors");
        let reference_space = match &manifest.references {
            Some(file) => {
                check_size(&manifest, &file.prototypes, file.size_bytes, bytes.len() as u64)?;
                check_hash(&manifest, &file.prototypes, &file.sha256, sha256(bytes))?;
                Some(reference_space(&manifest, bytes)?)
            }
            None => None,
        };
        // The embedded network computes its own scores.
        let prototypes = None;
        Ok(Self { manifest: Arc::new(manifest), labels: labels.into(), weights, prototypes, reference_space })
    }

    /// The manifest of the embedded model, without checking its files.
    ///
    /// # Errors
    /// As [`Manifest::parse`].
    pub fn embedded_manifest() -> Result<Manifest> {
        Manifest::parse("the built-in model", include_str!("../../../models/partsight-50/model.toml"))
    }

    /// Reads `model.toml` in `folder` and the files that it names.
    ///
    /// # Errors
    /// [`Error::ReadModel`] for a missing file, [`Error::ParseManifest`] and [`Error::InvalidManifest`] for
    /// the manifest, [`Error::WrongModelSize`] and [`Error::WrongModelHash`] for any other file,
    /// [`Error::WrongLabelCount`] and [`Error::InvalidLabel`] for the labels, [`Error::ReadPrototypes`] and
    /// [`Error::InvalidPrototypes`] for the prototypes.
    pub fn load(folder: &Path) -> Result<Self> {
        let manifest = Self::load_manifest(folder)?;
        let labels = Self::load_labels(folder, &manifest)?;
        for part in &manifest.file.parts {
            verify_file(folder, &manifest, &part.path, part.size_bytes, &part.sha256)?;
        }
        let prototypes = Self::load_prototypes(folder, &manifest)?.map(Arc::new);
        let file = &manifest.file;
        let weights = match file.format {
            FileFormat::Onnx => {
                let onnx = read_verified(folder, &manifest, &file.path, file.size_bytes, &file.sha256)?;
                let beside = (!file.parts.is_empty()).then(|| Arc::from(folder.join(&file.path)));
                Weights::Onnx { bytes: Arc::new(Cow::Owned(onnx)), beside }
            }
            FileFormat::Safetensors => {
                verify_file(folder, &manifest, &file.path, file.size_bytes, &file.sha256)?;
                // Hashed in chunks and not kept: the engine reads its tensors from the file, one at a time.
                Weights::Folder(Arc::from(folder))
            }
        };
        let reference_space = match &manifest.references {
            Some(file) => {
                let bytes =
                    read_verified(folder, &manifest, &file.prototypes, file.size_bytes, &file.sha256)?;
                Some(reference_space(&manifest, &bytes)?)
            }
            None => None,
        };
        Ok(Self { manifest: Arc::new(manifest), labels: labels.into(), weights, prototypes, reference_space })
    }

    /// Reads only the manifest in `folder`: enough to list a model, not to run it.
    ///
    /// # Errors
    /// [`Error::ReadModel`], [`Error::ParseManifest`] and [`Error::InvalidManifest`].
    pub fn load_manifest(folder: &Path) -> Result<Manifest> {
        let path = folder.join(MANIFEST_FILE);
        let text = String::from_utf8_lossy(&read(&path)?).into_owned();
        Manifest::parse(&path.display().to_string(), &text)
    }

    /// Reads the labels file of the manifest in `folder`.
    ///
    /// # Errors
    /// [`Error::ReadModel`], [`Error::WrongModelHash`], [`Error::WrongLabelCount`] and [`Error::InvalidLabel`].
    pub fn load_labels(folder: &Path, manifest: &Manifest) -> Result<Vec<String>> {
        let Classes { labels, labels_sha256, .. } = &manifest.classes;
        let text = read(&folder.join(labels))?;
        let parsed = parse_labels(manifest, &String::from_utf8_lossy(&text))?;
        // In another order they would name other classes.
        if let Some(expected) = labels_sha256 {
            check_hash(manifest, labels, expected, sha256(&text))?;
        }
        Ok(parsed)
    }

    /// Reads the prototypes in `folder`; `None` for a model without them.
    ///
    /// # Errors
    /// [`Error::ReadModel`], [`Error::WrongModelSize`], [`Error::WrongModelHash`],
    /// [`Error::ReadPrototypes`] and [`Error::InvalidPrototypes`].
    pub fn load_prototypes(folder: &Path, manifest: &Manifest) -> Result<Option<PrototypeHead>> {
        let Some(file) = &manifest.prototypes else { return Ok(None) };
        let bytes = read_verified(folder, manifest, &file.path, file.size_bytes, &file.sha256)?;
        PrototypeHead::from_safetensors(manifest, file.scale, &bytes).map(Some)
    }

    /// Compares the size and SHA-256 of a file in `folder` with the expected ones.
    ///
    /// # Errors
    /// [`Error::ReadModel`], [`Error::WrongModelSize`] and [`Error::WrongModelHash`].
    pub fn verify_file(
        folder: &Path,
        manifest: &Manifest,
        path: &str,
        size_bytes: u64,
        sha256: &str,
    ) -> Result<()> {
        verify_file(folder, manifest, path, size_bytes, sha256)
    }

    /// The manifest of the model.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The manifest, shared.
    pub fn shared_manifest(&self) -> Arc<Manifest> {
        Arc::clone(&self.manifest)
    }

    /// The label of each class, in class order; kebab-case and unique.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The bytes of the ONNX file, shared without a copy; `None` for a model of another format.
    pub fn shared_onnx(&self) -> Option<SharedOnnx> {
        match &self.weights {
            Weights::Onnx { bytes, .. } => Some(SharedOnnx(Arc::clone(bytes))),
            Weights::Folder(_) => None,
        }
    }

    /// The bytes of the ONNX file; `None` for a model of another format.
    pub fn onnx(&self) -> Option<&[u8]> {
        match &self.weights {
            Weights::Onnx { bytes, .. } => Some(bytes),
            Weights::Folder(_) => None,
        }
    }

    /// The graph for building a session.
    pub(crate) fn graph(&self) -> Option<Graph<'_>> {
        match &self.weights {
            Weights::Onnx { beside: Some(path), .. } => Some(Graph::File(path)),
            Weights::Onnx { bytes, .. } => Some(Graph::Bytes(bytes)),
            Weights::Folder(_) => None,
        }
    }

    /// The folder of a safetensors model; `None` for one of another format.
    pub fn safetensors_folder(&self) -> Option<&Path> {
        match &self.weights {
            Weights::Onnx { .. } => None,
            Weights::Folder(folder) => Some(folder),
        }
    }

    /// The prototypes of a network without scores of its own.
    pub fn prototypes(&self) -> Option<&Arc<PrototypeHead>> {
        self.prototypes.as_ref()
    }

    /// The space in which embeddings are compared with references; `None` for a model without `[references]`.
    pub fn reference_space(&self) -> Option<&Arc<ReferenceSpace>> {
        self.reference_space.as_ref()
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Model")
            .field("name", &self.manifest.name)
            .field("version", &self.manifest.version)
            .field("classes", &self.labels.len())
            .field("format", &self.manifest.file.format)
            .finish_non_exhaustive()
    }
}

/// Size in bytes and SHA-256 (lower-case hex) of a file, read in chunks.
///
/// # Errors
/// The error of opening or reading the file.
pub fn size_and_sha256(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let (mut hasher, mut size_bytes) = (Sha256::new(), 0);
    let mut chunk = vec![0; HASH_CHUNK_BYTES];
    loop {
        match file.read(&mut chunk)? {
            0 => return Ok((size_bytes, hex::encode(hasher.finalize()))),
            n_bytes => {
                hasher.update(&chunk[..n_bytes]);
                size_bytes += n_bytes as u64;
            }
        }
    }
}

/// SHA-256 of bytes, 64 lower-case hex digits.
pub fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|source| Error::ReadModel { path: path.to_owned(), source })
}

fn read_verified(
    folder: &Path,
    manifest: &Manifest,
    path: &str,
    size_bytes: u64,
    expected: &str,
) -> Result<Vec<u8>> {
    check_length(folder, manifest, path, size_bytes)?;
    let bytes = read(&folder.join(path))?;
    check_hash(manifest, path, expected, sha256(&bytes))?;
    Ok(bytes)
}

fn verify_file(
    folder: &Path,
    manifest: &Manifest,
    path: &str,
    size_bytes: u64,
    expected: &str,
) -> Result<()> {
    check_length(folder, manifest, path, size_bytes)?;
    let file = folder.join(path);
    let (_, found) = size_and_sha256(&file).map_err(|source| Error::ReadModel { path: file, source })?;
    check_hash(manifest, path, expected, found)
}

/// The cheap check comes first: a truncated large file is refused without being read.
fn check_length(folder: &Path, manifest: &Manifest, path: &str, size_bytes: u64) -> Result<()> {
    let file = folder.join(path);
    let found = fs::metadata(&file).map_err(|source| Error::ReadModel { path: file, source })?.len();
    check_size(manifest, path, size_bytes, found)
}

fn check_size(manifest: &Manifest, path: &str, expected_bytes: u64, found_bytes: u64) -> Result<()> {
    if found_bytes == expected_bytes {
        return Ok(());
    }
    let (model, file) = (manifest.name.clone(), path.to_owned());
    Err(Error::WrongModelSize { model, file, expected_bytes, found_bytes })
}

fn check_hash(manifest: &Manifest, path: &str, expected: &str, found: String) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    let (model, file) = (manifest.name.clone(), path.to_owned());
    Err(Error::WrongModelHash { model, file, expected: expected.to_owned(), found })
}

fn parse_labels(manifest: &Manifest, text: &str) -> Result<Vec<String>> {
    let labels = labels_of(&manifest.name, text)?;
    if labels.len() != manifest.classes.count {
        return Err(Error::WrongLabelCount {
            model: manifest.name.clone(),
            expected: manifest.classes.count,
            found: labels.len(),
        });
    }
    Ok(labels)
}

/// The reference space of the prototypes in a safetensors file.
fn reference_space(manifest: &Manifest, bytes: &[u8]) -> Result<Arc<ReferenceSpace>> {
    // These prototypes compute no scores, so their scale has no effect.
    let prototypes = PrototypeHead::from_safetensors(manifest, 1.0, bytes)?;
    let background_counts = manifest.references.as_ref().is_some_and(|given| given.background_scale > 0.0);
    if background_counts && prototypes.background().is_none() {
        let reason =
            "the file has no tensor `background`, but `references.background_scale` is above 0".to_owned();
        return Err(Error::InvalidPrototypes { model: manifest.name.clone(), reason });
    }
    Ok(Arc::new(ReferenceSpace::around(prototypes.classes(), prototypes.background())))
}

/// Parses labels, one per line, kebab-case and unique; `model` is for messages.
///
/// # Errors
/// [`Error::InvalidLabel`] for the first line that is not kebab-case, or repeats another.
pub fn labels_of(model: &str, text: &str) -> Result<Vec<String>> {
    let mut seen = HashSet::new();
    let mut labels = Vec::new();
    for (index, label) in text.lines().enumerate() {
        // The index of a line is its class, so an empty or repeated line would shift or merge classes.
        if !is_kebab_case(label) || !seen.insert(label) {
            let (model, line) = (model.to_owned(), index + 1);
            return Err(Error::InvalidLabel { model, line, label: label.to_owned() });
        }
        labels.push(label.to_owned());
    }
    Ok(labels)
}

/// Whether a text consists of lower-case words of letters and digits, joined by single hyphens.
pub fn is_kebab_case(text: &str) -> bool {
    text.split('-').all(|word| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}
