//! Near-duplicates: photographs that look like copies of each other, or of training photographs.

use std::fs;
use std::path::{Path, PathBuf};

use partsight_app::{Fingerprint, Identifier, photos_in_folder};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::{Dataset, Failure, Measured, Result};

/// Maximum of differing bits, of 240, between the fingerprints of two copies.
///
/// Measured with [`BITS_PER_DIFFERENCE`] on 351 catalogue and field photographs. Share of copies that are found: 99.7%
/// as JPEG of quality 60, 97.7% of quality 30, 96.9% at half the size and quality 60, 100% at twice the size. Most
/// copies cropped to nine tenths are not found. False positives: 14 of 37 million pairs among 8,650 training
/// photographs count as copies, each pair of one label; none of 250 photographs without near-duplicates counts as a
/// copy of a training photograph (the nearest differs in 15 bits).
pub(crate) const MAX_DISTANCE: u32 = 12;
/// Set bits that a fingerprint needs for each allowed differing bit. A thin part on a plain background sets few bits,
/// so such pictures are close to each other without being copies.
const BITS_PER_DIFFERENCE: u32 = 6;
/// A photograph with fewer set bits is almost plain and would match other plain ones.
pub(crate) const MIN_SET_BITS: u32 = 16;

/// A match of one photograph with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// Index of the other photograph in the searched list.
    pub index: usize,
    /// Differing bits of the fingerprints, of 240.
    pub distance: u32,
}

/// The near-duplicates of one evaluated photograph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lookalike {
    /// The first earlier photograph of the set that matches.
    pub earlier: Option<Match>,
    /// Whether `earlier` is the same file, byte for byte.
    pub is_same_file: bool,
    /// The nearest training photograph of the model.
    pub training: Option<Match>,
    /// The nearest reference photograph.
    pub reference: Option<Match>,
}

impl Lookalike {
    /// Whether the photograph is left out of the figures without duplicates.
    pub fn is_any(&self) -> bool {
        self.earlier.is_some() || self.training.is_some() || self.reference.is_some()
    }
}

/// Photographs that the evaluated ones are compared with.
#[derive(Debug, Default)]
pub struct References {
    /// Their paths.
    pub paths: Vec<PathBuf>,
    /// Their fingerprints, in the order of the paths.
    pub fingerprints: Vec<Fingerprint>,
    /// Files that could not be read.
    pub failures: Vec<Failure>,
}

impl References {
    /// Computes the fingerprints of the photographs in a folder and its subfolders, on `jobs` threads.
    ///
    /// # Errors
    /// [`Error::App`](crate::Error::App) when the threads cannot be started.
    pub fn read(folder: &Path, identifier: &Identifier, jobs: usize) -> Result<Self> {
        let found = photos_in_folder(folder);
        let mut references = Self::default();
        references.failures.extend(found.problems.into_iter().map(|(path, reason)| Failure { path, reason }));
        identifier.fingerprint_files(&found.photos, jobs, |scan| {
            match scan.outcome {
                Ok(fingerprint) => {
                    references.paths.push(scan.path);
                    references.fingerprints.push(fingerprint);
                }
                Err(error) => references.failures.push(crate::run::failure(scan.path, &error, None)),
            }
            true
        })?;
        Ok(references)
    }
}

/// The near-duplicates of all evaluated photographs.
#[derive(Debug, Default)]
pub struct Duplicates {
    /// One for each evaluated photograph, in order.
    pub photos: Vec<Lookalike>,
    /// Number of training photographs with a fingerprint; 0 if the model's folder has none.
    pub n_training: usize,
    /// The reference photographs; `None` without a folder of them.
    pub references: Option<Vec<PathBuf>>,
    /// Number of photographs too plain to compare.
    pub n_plain: usize,
}

impl Duplicates {
    /// Compares the photographs with one another, with those of training, and with references.
    ///
    /// Compares all pairs on all cores: 100,000 photographs take some seconds.
    pub fn find(
        photos: &[Measured],
        dataset: &Dataset,
        training: &[Fingerprint],
        references: Option<&References>,
    ) -> Self {
        let fingerprints: Vec<Fingerprint> = photos.iter().map(|photo| photo.answer.fingerprint).collect();
        let reference_fingerprints = references.map_or(&[][..], |references| &references.fingerprints[..]);
        let lookalikes = (0..photos.len()).into_par_iter().map(|index| {
            let fingerprint = &fingerprints[index];
            // Plain pictures have similar fingerprints without being copies.
            if is_plain(fingerprint) {
                return Lookalike::default();
            }
            // An identical file is an error of the data set; a similar one may be intended.
            let path = |index: usize| &dataset.samples[photos[index].sample].path;
            // Files are compared only if the fingerprints are equal, which is rare.
            let is_same_file = |earlier: usize| {
                fingerprints[earlier] == *fingerprint && have_same_bytes(path(index), path(earlier))
            };
            // Only earlier photographs, so that always the first of two copies is kept.
            let same_file = (0..index).find(|earlier| is_same_file(*earlier));
            let same_file = same_file.map(|index| Match { index, distance: 0 });
            Lookalike {
                is_same_file: same_file.is_some(),
                earlier: same_file.or_else(|| first_within(fingerprint, &fingerprints[..index])),
                training: nearest_within(fingerprint, training),
                reference: nearest_within(fingerprint, reference_fingerprints),
            }
        });
        Self {
            photos: lookalikes.collect(),
            n_training: training.len(),
            references: references.map(|references| references.paths.clone()),
            n_plain: fingerprints.iter().filter(|fingerprint| is_plain(fingerprint)).count(),
        }
    }

    /// Number of reference photographs; `None` without a folder of them.
    pub fn n_references(&self) -> Option<usize> {
        self.references.as_ref().map(Vec::len)
    }

    /// Path of the reference photograph that `lookalike` matches.
    pub fn reference(&self, lookalike: &Lookalike) -> Option<&Path> {
        self.references.as_ref()?.get(lookalike.reference?.index).map(PathBuf::as_path)
    }

    /// Number of photographs with a near-duplicate.
    pub fn count(&self) -> usize {
        self.photos.iter().filter(|lookalike| lookalike.is_any()).count()
    }
}

fn is_plain(fingerprint: &Fingerprint) -> bool {
    fingerprint.set_bits() < MIN_SET_BITS
}

fn first_within(fingerprint: &Fingerprint, others: &[Fingerprint]) -> Option<Match> {
    let limit = max_distance(fingerprint);
    others.iter().enumerate().find_map(|(index, other)| {
        let distance = distance_of_copy(fingerprint, other, limit)?;
        Some(Match { index, distance })
    })
}

fn nearest_within(fingerprint: &Fingerprint, others: &[Fingerprint]) -> Option<Match> {
    let mut limit = max_distance(fingerprint);
    let mut nearest: Option<Match> = None;
    for (index, other) in others.iter().enumerate() {
        if let Some(distance) = distance_of_copy(fingerprint, other, limit) {
            nearest = Some(Match { index, distance });
            if distance == 0 {
                break;
            }
            // Later candidates must be nearer, so most comparisons end early.
            limit = distance - 1;
        }
    }
    nearest
}

/// The distance of two fingerprints if they count as copies and differ in at most `limit` bits.
fn distance_of_copy(one: &Fingerprint, other: &Fingerprint, limit: u32) -> Option<u32> {
    // The fingerprint with fewer set bits decides how many bits may differ.
    one.distance_within(other, limit).filter(|distance| *distance <= max_distance(other))
}

/// Maximum of differing bits for a copy of this fingerprint.
fn max_distance(fingerprint: &Fingerprint) -> u32 {
    MAX_DISTANCE.min(fingerprint.set_bits() / BITS_PER_DIFFERENCE)
}

/// Whether two files have the same content; false if one cannot be read.
fn have_same_bytes(one: &Path, two: &Path) -> bool {
    let size = |path: &Path| fs::metadata(path).map(|metadata| metadata.len()).ok();
    size(one).is_some()
        && size(one) == size(two)
        && matches!((fs::read(one), fs::read(two)), (Ok(one), Ok(two)) if one == two)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fingerprint with the first `n` of every other bit set.
    fn with_bits(n: usize) -> Fingerprint {
        let mut bytes = [0_u8; 30];
        for bit in (0..240).step_by(2).take(n) {
            bytes[bit / 8] |= 0x80 >> (bit % 8);
        }
        Fingerprint::from_bytes(&bytes)
    }

    #[test]
    fn the_nearest_within_the_limit_is_found() {
        let others = [with_bits(110), with_bits(79), with_bits(76), with_bits(72), with_bits(30)];
        assert_eq!(nearest_within(&with_bits(75), &others), Some(Match { index: 2, distance: 1 }));
        assert_eq!(nearest_within(&with_bits(79), &others), Some(Match { index: 1, distance: 0 }));
        assert_eq!(nearest_within(&with_bits(95), &others), None);
        assert_eq!(nearest_within(&with_bits(75), &[]), None);
        assert_eq!(first_within(&with_bits(75), &others), Some(Match { index: 1, distance: 4 }));
    }

    #[test]
    fn the_limit_itself_still_counts() {
        let at = |distance: u32| with_bits(80 + distance as usize);
        assert!(nearest_within(&with_bits(80), &[at(MAX_DISTANCE)]).is_some());
        assert!(nearest_within(&with_bits(80), &[at(MAX_DISTANCE + 1)]).is_none());
    }

    #[test]
    fn pictures_that_set_few_bits_must_be_nearer() {
        // 42 bits allow 7 differences, 30 bits only 5.
        assert!(nearest_within(&with_bits(42), &[with_bits(49)]).is_some());
        assert!(nearest_within(&with_bits(42), &[with_bits(50)]).is_none());
        assert!(nearest_within(&with_bits(36), &[with_bits(30)]).is_none());
    }

    #[test]
    fn files_are_the_same_only_byte_for_byte() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let (one, copy, other) = (write("a", "same"), write("b", "same"), write("c", "else"));
        assert!(have_same_bytes(&one, &copy));
        assert!(!have_same_bytes(&one, &other));
        assert!(!have_same_bytes(&one, &folder.path().join("missing")));
    }
}
