//! The space in which embeddings are compared with references.

use ndarray::{Array2, ArrayView1, Axis};

/// Centred embeddings of a model.
///
/// All embeddings may lie on one side of the sphere, so that even different photographs have high cosines. After
/// subtracting the mean of the class prototypes and normalising to L2 length 1, cosines distinguish them.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceSpace {
    /// f32 `[d]`.
    centre: Vec<f32>,
    /// The class prototypes, placed: f32 `[c, d]`.
    classes: Array2<f32>,
    /// Directions of everyday photographs, placed: f32 `[b, d]`; `b` is 0 for a model without them.
    background: Array2<f32>,
}

impl ReferenceSpace {
    /// The space centred at the mean of `prototypes`, f32 `[c, d]`: the mean embedding of each class. `background`
    /// is f32 `[b, d]`: directions around which the embeddings of everyday photographs lie.
    pub fn around(prototypes: &Array2<f32>, background: Option<&Array2<f32>>) -> Self {
        let n_classes = prototypes.nrows().max(1) as f64;
        // In f64: the centre is subtracted from every embedding, so a rounding error would shift all of them.
        let sums = prototypes.map(|&value| f64::from(value)).sum_axis(Axis(0));
        let centre: Vec<f32> = sums.iter().map(|sum| (sum / n_classes) as f32).collect();
        let none = Array2::zeros((0, centre.len()));
        let mut space = Self { centre, classes: none.clone(), background: none };
        space.classes = space.placed(prototypes);
        if let Some(background) = background {
            space.background = space.placed(background);
        }
        space
    }

    /// Rows f32 `[n, d]`, placed; those without a direction are left out.
    fn placed(&self, rows: &Array2<f32>) -> Array2<f32> {
        let placed: Vec<f32> =
            rows.outer_iter().filter_map(|row| self.place(&row.to_vec())).flatten().collect();
        let n_rows = placed.len() / self.centre.len().max(1);
        Array2::from_shape_vec((n_rows, self.centre.len()), placed).expect("BUG: each row has `d` values")
    }

    /// Subtracts the centre from an embedding, f32 `[d]`, and normalises it to L2 length 1. `None` for the centre
    /// itself.
    pub fn place(&self, embedding: &[f32]) -> Option<Vec<f32>> {
        let rest = || embedding.iter().zip(&self.centre).map(|(x, centre)| f64::from(x - centre));
        let length = rest().map(|x| x * x).sum::<f64>().sqrt();
        // Below this, the rest is only rounding error without a direction.
        (length > 1e-6).then(|| rest().map(|x| (x / length) as f32).collect())
    }

    /// Cosine in -1..=1 of a placed embedding, f32 `[d]`, and the nearest class prototype; -1 without classes.
    pub fn class_similarity(&self, placed: &[f32]) -> f32 {
        nearest(&self.classes, placed)
    }

    /// Cosine in -1..=1 of a placed embedding, f32 `[d]`, and the nearest background direction; -1 without one.
    pub fn background_similarity(&self, placed: &[f32]) -> f32 {
        nearest(&self.background, placed)
    }
}

/// The greatest dot product of `placed`, f32 `[d]`, and any of `rows`; -1 without rows.
fn nearest(rows: &Array2<f32>, placed: &[f32]) -> f32 {
    rows.dot(&ArrayView1::from(placed)).into_iter().fold(-1.0, f32::max)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn what_all_have_in_common_is_taken_away() {
        let space =
            ReferenceSpace::around(&array![[0.8, 0.6], [0.8, -0.6]], Some(&array![[0.8, 0.0], [0.0, 0.6]]));
        assert_eq!(space.place(&[0.8, 0.6]), Some(vec![0.0, 1.0]));
        assert_eq!(space.place(&[0.8, 0.0]), None, "the centre has no direction");
        let near = |a: f32, b: f32| (a - b).abs() < 1e-6;
        assert!(near(space.class_similarity(&[0.6, 0.8]), 0.8));
        assert!(near(space.class_similarity(&[0.6, -0.8]), 0.8), "the nearest of the two");
        assert!(near(space.background_similarity(&[-0.8, 0.6]), 1.0), "the one that is not the centre");
        let alone = ReferenceSpace::around(&array![[0.8, 0.6], [0.8, -0.6]], None);
        assert!(near(alone.background_similarity(&[0.0, 1.0]), -1.0), "the lowest, without a background");
    }
}
