//! A perceptual hash of a picture, for finding copies of a photograph.

use std::{fmt, fs, io, path::Path};

use crate::{Error, Result, RgbImage};

/// Fingerprints of the training photographs of a model, in its folder.
const TRAINING_FILE: &str = "fingerprints.bin";
/// Blocks along each side of the grid.
const GRID: usize = 16;
/// The difference of block means above which a bit is set, in thousandths of a grey level. One level keeps the
/// noise of a plain background from setting bits.
const MARGIN_MILLI: u64 = 1000;

/// A difference hash of 240 bits. Resized or re-encoded copies of a photograph differ in a few bits only.
///
/// Computed from the picture at the model's input size, before normalisation, so that training can reproduce it
/// exactly. Grey is `299 R + 587 G + 114 B` thousandths of a level; the picture is divided into 16 x 16 blocks with
/// edges at `floor(i * size / 16)`. In each of the 16 rows of blocks, from the top, each block but the last gives a
/// bit: 1 if its mean is more than one level above that of the block to its right. All in integer arithmetic. The
/// first bit is the most significant bit of the first byte.
///
/// Fingerprints of different input sizes or resize methods are not comparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// The bits in order, starting with the most significant bit of the first word; the last 16 are 0.
    words: [u64; 4],
}

impl Fingerprint {
    /// Length of [`Fingerprint::to_bytes`].
    pub const BYTES: usize = 30;

    /// The fingerprint of a picture at the model's input size.
    ///
    /// A picture of fewer than 16 pixels a side has empty blocks, whose bits are 0.
    pub fn of(image: &RgbImage) -> Self {
        let (width, height) = (image.width as usize, image.height as usize);
        let edge = |index: usize, size: usize| index * size / GRID;
        let (pixels, _) = image.rgb.as_chunks::<3>();
        let mut fingerprint = Self { words: [0; 4] };
        let mut next = 0;
        for block_row in 0..GRID {
            // At most 4096 x 4096 pixels of 255,000 per block: far below 2^64, products included.
            let mut sums = [0_u64; GRID];
            let (top, bottom) = (edge(block_row, height), edge(block_row + 1, height));
            for row in pixels.chunks_exact(width.max(1)).take(bottom).skip(top) {
                for (block, sum) in sums.iter_mut().enumerate() {
                    // Row by row, in memory order.
                    let blocks_pixels = &row[edge(block, width)..edge(block + 1, width)];
                    *sum += blocks_pixels.iter().map(|&pixel| grey_milli(pixel)).sum::<u64>();
                }
            }
            let n_rows = (bottom - top) as u64;
            let count = |block: usize| n_rows * (edge(block + 1, width) - edge(block, width)) as u64;
            for block in 0..GRID - 1 {
                let (left, right) = (count(block), count(block + 1));
                // left sum / left count > right sum / right count + margin, without division.
                if sums[block] * right > (sums[block + 1] + MARGIN_MILLI * right) * left {
                    fingerprint.words[next / 64] |= 1 << (63 - next % 64);
                }
                next += 1;
            }
        }
        fingerprint
    }

    /// The fingerprint whose [`Fingerprint::to_bytes`] are `bytes`.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let mut padded = [0; 32];
        padded[..Self::BYTES].copy_from_slice(bytes);
        let (chunks, _) = padded.as_chunks::<8>();
        let mut words = [0; 4];
        for (word, chunk) in words.iter_mut().zip(chunks) {
            // Big-endian, so that the first bit is the most significant bit of the first byte.
            *word = u64::from_be_bytes(*chunk);
        }
        Self { words }
    }

    /// The bits, row-major, starting with the most significant bit of the first byte.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        for (byte, value) in bytes.iter_mut().zip(self.words.iter().flat_map(|word| word.to_be_bytes())) {
            *byte = value;
        }
        bytes
    }

    /// The fingerprint in 60 hex digits, as [`fmt::Display`] writes them; `None` for anything else.
    pub fn from_hex(text: &str) -> Option<Self> {
        let mut bytes = [0_u8; Self::BYTES];
        hex::decode_to_slice(text, &mut bytes).ok()?;
        Some(Self::from_bytes(&bytes))
    }

    /// Hamming distance: the number of the 240 bits that differ.
    pub fn distance(&self, other: &Self) -> u32 {
        self.words.iter().zip(&other.words).map(|(one, two)| (one ^ two).count_ones()).sum()
    }

    /// The distance if it is at most `limit`. Faster than [`Fingerprint::distance`] over many, since most pairs
    /// already exceed the limit in the first word.
    #[inline]
    pub fn distance_within(&self, other: &Self, limit: u32) -> Option<u32> {
        let mut distance = 0;
        for (one, two) in self.words.iter().zip(&other.words) {
            distance += (one ^ two).count_ones();
            if distance > limit {
                return None;
            }
        }
        Some(distance)
    }

    /// Number of bits set, of 240. A picture that is plain almost everywhere has few; such pictures have similar
    /// hashes without being copies.
    pub fn set_bits(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }
}

impl fmt::Display for Fingerprint {
    /// Lower-case hex, 60 digits.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hex::encode(self.to_bytes()))
    }
}

/// Fingerprints of the training photographs of a model; empty if the model comes without them.
///
/// `folder` is a model's folder; `None` is the embedded model. The file is `fingerprints.bin` beside `model.toml`:
/// records of 30 bytes, without separators.
///
/// # Errors
/// [`Error::ReadModel`], and [`Error::WrongFingerprintLength`] if the last record is incomplete.
pub fn training_fingerprints(folder: Option<&Path>) -> Result<Vec<Fingerprint>> {
    let Some(folder) = folder else {
        return records(TRAINING_FILE, include_bytes!("../../../models/partsight-50/fingerprints.bin"));
    };
    let path = folder.join(TRAINING_FILE);
    match fs::read(&path) {
        Ok(bytes) => records(&path.display().to_string(), &bytes),
        // Imported models have no such file.
        Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(Error::ReadModel { path, source }),
    }
}

fn records(name: &str, bytes: &[u8]) -> Result<Vec<Fingerprint>> {
    let (records, rest) = bytes.as_chunks::<{ Fingerprint::BYTES }>();
    if !rest.is_empty() {
        return Err(Error::WrongFingerprintLength { name: name.to_owned(), size_bytes: bytes.len() });
    }
    Ok(records.iter().map(Fingerprint::from_bytes).collect())
}

fn grey_milli(pixel: [u8; 3]) -> u64 {
    299 * u64::from(pixel[0]) + 587 * u64::from(pixel[1]) + 114 * u64::from(pixel[2])
}
