//! A model: its manifest, its labels and its graph, verified together.

use std::{borrow::Cow, collections::HashSet, fmt, fs, path::Path, sync::Arc};

use sha2::{Digest, Sha256};

use crate::{Error, Manifest, Result};

const MANIFEST_FILE: &str = "model.toml";

/// A verified model: the graph is the one that the manifest describes, and the labels fit it.
///
/// Cloning is cheap; the graph's bytes are shared.
#[derive(Clone)]
pub struct Model {
    manifest: Arc<Manifest>,
    labels: Arc<[String]>,
    onnx: Arc<Cow<'static, [u8]>>,
}

impl Model {
    /// The model that is part of the program.
    ///
    /// # Errors
    /// As [`Model::load`]; an error here means that the build mixed files of two models.
    pub fn embedded() -> Result<Self> {
        Self::verified(
            Manifest::parse("the built-in model", include_str!("../../../models/partsight-50/model.toml"))?,
            include_str!("../../../models/partsight-50/labels.txt"),
            Cow::Borrowed(include_bytes!("../../../models/partsight-50/model.onnx")),
        )
    }

    /// Reads `model.toml` in `folder` and the files that it names.
    ///
    /// # Errors
    /// [`Error::ReadModel`] for a missing file, [`Error::ParseManifest`] and [`Error::InvalidManifest`] for
    /// the manifest, [`Error::WrongModelSize`] and [`Error::WrongModelHash`] for the graph,
    /// [`Error::WrongLabelCount`] and [`Error::InvalidLabel`] for the labels.
    pub fn load(folder: &Path) -> Result<Self> {
        let path = folder.join(MANIFEST_FILE);
        let text = String::from_utf8_lossy(&read(&path)?).into_owned();
        let manifest = Manifest::parse(&path.display().to_string(), &text)?;
        let labels = String::from_utf8_lossy(&read(&folder.join(&manifest.classes.labels))?).into_owned();
        let graph = folder.join(&manifest.file.path);
        let found_bytes =
            fs::metadata(&graph).map_err(|source| Error::ReadModel { path: graph.clone(), source })?.len();
        check_size(&manifest, found_bytes)?;
        let onnx = read(&graph)?;
        Self::verified(manifest, &labels, Cow::Owned(onnx))
    }

    fn verified(manifest: Manifest, labels: &str, onnx: Cow<'static, [u8]>) -> Result<Self> {
        check_size(&manifest, onnx.len() as u64)?;
        let found = hex(&Sha256::digest(&onnx));
        if found != manifest.file.sha256 {
            let expected = manifest.file.sha256.clone();
            return Err(Error::WrongModelHash { model: manifest.name, expected, found });
        }
        let labels = parse_labels(&manifest, labels)?;
        Ok(Self { manifest: Arc::new(manifest), labels: labels.into(), onnx: Arc::new(onnx) })
    }

    /// The facts about the model.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The manifest, shared.
    pub fn shared_manifest(&self) -> Arc<Manifest> {
        Arc::clone(&self.manifest)
    }

    /// The label of each class, in class order; kebab-case, each once.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The graph, as bytes of an ONNX file.
    pub fn onnx(&self) -> &[u8] {
        &self.onnx
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Model")
            .field("name", &self.manifest.name)
            .field("version", &self.manifest.version)
            .field("classes", &self.labels.len())
            .field("onnx_bytes", &self.onnx.len())
            .finish()
    }
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|source| Error::ReadModel { path: path.to_owned(), source })
}

fn check_size(manifest: &Manifest, found_bytes: u64) -> Result<()> {
    if found_bytes == manifest.file.size_bytes {
        return Ok(());
    }
    Err(Error::WrongModelSize {
        model: manifest.name.clone(),
        expected_bytes: manifest.file.size_bytes,
        found_bytes,
    })
}

fn parse_labels(manifest: &Manifest, text: &str) -> Result<Vec<String>> {
    let mut seen = HashSet::new();
    let mut labels = Vec::new();
    for (index, label) in text.lines().enumerate() {
        if !is_label(label) || !seen.insert(label) {
            let model = manifest.name.clone();
            return Err(Error::InvalidLabel { model, line: index + 1, label: label.to_owned() });
        }
        labels.push(label.to_owned());
    }
    if labels.len() != manifest.classes.count {
        return Err(Error::WrongLabelCount {
            model: manifest.name.clone(),
            expected: manifest.classes.count,
            found: labels.len(),
        });
    }
    Ok(labels)
}

fn is_label(label: &str) -> bool {
    label.split('-').all(|word| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: [u8; 16] = *b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}
