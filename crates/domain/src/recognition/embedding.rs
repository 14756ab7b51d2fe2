/// The embedding of a photograph: `[d]`, f32, of L2 norm 1.
///
/// Only embeddings of the same model can be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding(Vec<f32>);

/// Number of components between two checks for an early exit.
const CHUNK: usize = 32;

impl Embedding {
    /// Normalises `values` to L2 norm 1; `None` for a vector that is empty, zero, or has a non-finite component.
    pub fn new(mut values: Vec<f32>) -> Option<Self> {
        let length = values.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
        // A smaller norm is rounding noise without a direction.
        if !length.is_finite() || length < 1e-6 {
            return None;
        }
        for value in &mut values {
            *value = (f64::from(*value) / length) as f32;
        }
        Some(Self(values))
    }

    /// The cosine similarity in -1..=1 with another embedding of the same model, if it is at least `least`; `None`
    /// if it is lower, or if the dimensions differ.
    ///
    /// For unit vectors `|a - b|^2 = 2 - 2 cos`, a sum of non-negative terms: the comparison stops when it exceeds
    /// `2 - 2 least`, so that dissimilar photographs cost only a few components.
    pub fn similarity(&self, other: &Self, least: f32) -> Option<f32> {
        if self.0.len() != other.0.len() {
            return None;
        }
        // Tolerance for rounding, so that a vector always matches its own copy.
        let limit = 2.0 - 2.0 * least + 1e-5;
        let mut distance = 0.0_f32;
        for (ours, theirs) in self.0.chunks(CHUNK).zip(other.0.chunks(CHUNK)) {
            distance += ours.iter().zip(theirs).map(|(a, b)| (a - b) * (a - b)).sum::<f32>();
            if distance > limit {
                return None;
            }
        }
        Some((1.0 - distance / 2.0).clamp(-1.0, 1.0))
    }

    /// The components as little-endian f32, 4 bytes each.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    /// Restores the output of [`Embedding::to_bytes`]; `None` for invalid bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        // A remainder means that it was truncated.
        let (values, []) = bytes.as_chunks::<4>() else { return None };
        Self::new(values.iter().map(|value| f32::from_le_bytes(*value)).collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain_cosine(a: &[f32], b: &[f32]) -> f32 {
        let dot = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(x, y)| x * y).sum() };
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    }

    #[test]
    fn what_has_no_direction_is_no_embedding() {
        for values in [vec![], vec![0.0; 8], vec![f32::NAN, 1.0], vec![f32::INFINITY, 1.0]] {
            assert_eq!(Embedding::new(values.clone()), None, "{values:?}");
        }
        for bytes in [&[][..], &[1, 2, 3], &[0; 8]] {
            assert_eq!(Embedding::from_bytes(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn embeddings_of_different_models_are_never_alike() {
        let (short, long) = (Embedding::new(vec![1.0; 4]).unwrap(), Embedding::new(vec![1.0; 8]).unwrap());
        assert_eq!(short.similarity(&long, -1.0), None);
    }

    proptest! {
        #[test]
        fn the_similarity_is_the_cosine_and_is_kept_by_the_bytes(
            a in prop::collection::vec(-1.0_f32..1.0, 100),
            b in prop::collection::vec(-1.0_f32..1.0, 100),
            least in -1.0_f32..1.0,
        ) {
            let (ours, theirs) = (Embedding::new(a.clone()).unwrap(), Embedding::new(b.clone()).unwrap());
            let cosine = plain_cosine(&a, &b);
            prop_assert!((ours.similarity(&theirs, -1.0).unwrap() - cosine).abs() < 1e-4);
            prop_assume!((cosine - least).abs() > 1e-4);
            prop_assert_eq!(ours.similarity(&theirs, least).is_some(), cosine >= least);
            let read = Embedding::from_bytes(&ours.to_bytes()).unwrap();
            prop_assert!(read.similarity(&ours, 1.0).is_some());
        }
    }
}
