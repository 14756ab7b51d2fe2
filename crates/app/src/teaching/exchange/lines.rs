//! The lines of a catalogue file, and reading them one by one.

use std::io::{BufRead, Read, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use partsight_domain::{Category, PartLabel};
use partsight_store::StoredReference;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::CatalogFileError;
use crate::recognition::thumbnails;
use crate::{Error, Result};

pub(super) const FORMAT: &str = "partsight-catalog";
/// 2 since a part line may hold look-alikes; files of version 1 are read as well.
pub(super) const VERSION: u32 = 2;
/// Maximum length of a line in bytes: an embedding of 4096 numbers and a thumbnail have about 50,000.
const MAX_LINE: usize = 128 * 1024;
/// Lines of a file: 100,000 references and their parts.
const MAX_LINES: usize = 200_000;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Header {
    pub(super) format: String,
    pub(super) version: u32,
    pub(super) model_sha256: String,
    pub(super) dimension: usize,
    pub(super) exported_at: Timestamp,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Line {
    Part(PartLine),
    Reference(ReferenceLine),
    End(End),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PartLine {
    pub(super) label: PartLabel,
    pub(super) name: String,
    pub(super) category: Category,
    /// Parts that are marked as its look-alikes, by label.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) look_alikes: Vec<PartLabel>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ReferenceLine {
    pub(super) kind: String,
    pub(super) created_at: Timestamp,
    pub(super) embedding: String,
    pub(super) fingerprint: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) thumbnail: Option<String>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct End {
    pub(super) parts: usize,
    pub(super) references: usize,
    pub(super) sha256: String,
}

/// Lines of a file with their numbers, none longer than it may be.
pub(super) struct Lines<R> {
    pub(super) reader: R,
    pub(super) number: usize,
    pub(super) hasher: Sha256,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, number: 0, hasher: Sha256::new() }
    }

    pub(super) fn wrong(&self, what: impl Into<String>) -> CatalogFileError {
        CatalogFileError::Line { line: self.number, what: what.into() }
    }

    /// The next line with its end; empty at the end of the file.
    pub(super) fn next(&mut self) -> Result<Vec<u8>, CatalogFileError> {
        let mut line = Vec::new();
        self.number += 1;
        // One byte more than allowed tells a line that is too long from one that just fits.
        (&mut self.reader).take(MAX_LINE as u64 + 1).read_until(b'\n', &mut line)?;
        if line.len() > MAX_LINE {
            return Err(self.wrong(format!("is longer than {MAX_LINE} bytes")));
        }
        if self.number > MAX_LINES {
            return Err(self.wrong(format!("is one too many: {MAX_LINES} are the most")));
        }
        Ok(line)
    }

    pub(super) fn header(&mut self) -> Result<Header, CatalogFileError> {
        let line = self.next()?;
        let header: Header = serde_json::from_slice(&line).map_err(|_| CatalogFileError::Format)?;
        if header.format != FORMAT || !(1..=VERSION).contains(&header.version) {
            return Err(CatalogFileError::Format);
        }
        self.hasher.update(&line);
        Ok(header)
    }

    /// The next line and the hash of everything before it.
    pub(super) fn line(&mut self) -> Result<(Line, String), CatalogFileError> {
        let line = self.next()?;
        if line.is_empty() {
            return Err(CatalogFileError::NotWhole);
        }
        // Of what comes before: the last line states it, and only its content shows that it is the last.
        let before = hex::encode(self.hasher.clone().finalize());
        self.hasher.update(&line);
        let parsed = serde_json::from_slice(&line)
            .map_err(|error| self.wrong(format!("is not as it should be: {error}")))?;
        Ok((parsed, before))
    }
}

pub(super) fn reference_line(reference: &StoredReference, picture: Option<Vec<u8>>) -> ReferenceLine {
    let bytes: Vec<u8> = reference.embedding.iter().flat_map(|value| value.to_le_bytes()).collect();
    ReferenceLine {
        kind: reference.kind.as_str().to_owned(),
        created_at: reference.created_at,
        embedding: STANDARD.encode(bytes),
        fingerprint: STANDARD.encode(&reference.fingerprint),
        thumbnail: picture
            // A larger one would be refused when the file is read.
            .filter(|bytes| bytes.len() <= thumbnails::MAX_BYTES)
            .map(|bytes| STANDARD.encode(bytes)),
    }
}

pub(super) fn put(
    out: &mut impl Write,
    hasher: &mut Sha256,
    line: &impl Serialize,
) -> Result<(), CatalogFileError> {
    let mut text = serde_json::to_vec(line).map_err(Error::internal)?;
    text.push(b'\n');
    hasher.update(&text);
    Ok(out.write_all(&text)?)
}

pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

pub(super) fn embedding(text: &str) -> Option<Vec<f32>> {
    let bytes = decode(text)?;
    let (numbers, rest) = bytes.as_chunks::<4>();
    rest.is_empty().then(|| numbers.iter().map(|&number| f32::from_le_bytes(number)).collect())
}
