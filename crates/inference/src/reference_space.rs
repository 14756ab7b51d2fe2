//! Where embeddings are compared with those of references.

use ndarray::{Array2, Axis};

/// The embeddings of a model without what all of them have in common.
///
/// All embeddings may lie on one side of the sphere, where the cosines of unlike photographs are high as well. With the
/// mean of the classes' prototypes taken away, and the rest brought to L2 length 1, cosines tell them apart.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceSpace {
    /// f32 `[d]`.
    centre: Vec<f32>,
    /// The prototypes, placed: f32 rows `[c, d]`.
    classes: Vec<Vec<f32>>,
    /// What everyday things look like, placed: f32 rows `[b, d]`; none for a model that says nothing of them.
    background: Vec<Vec<f32>>,
}

impl ReferenceSpace {
    /// The space around `prototypes`, f32 `[c, d]`: the mean embedding of each class. `background` is f32 `[b, d]`:
    /// directions around which the embeddings of everyday photographs lie.
    pub fn around(prototypes: &Array2<f32>, background: Option<&Array2<f32>>) -> Self {
        let n_classes = prototypes.nrows().max(1) as f64;
        // In f64: the centre is taken off every embedding, and rounding in it would shift all of them alike.
        let sums = prototypes.map(|&value| f64::from(value)).sum_axis(Axis(0));
        let centre = sums.iter().map(|sum| (sum / n_classes) as f32).collect();
        let mut space = Self { centre, classes: Vec::new(), background: Vec::new() };
        let placed =
            |rows: &Array2<f32>| rows.outer_iter().filter_map(|row| space.place(&row.to_vec())).collect();
        let (classes, background) = (placed(prototypes), background.map(placed).unwrap_or_default());
        (space.classes, space.background) = (classes, background);
        space
    }

    /// An embedding, f32 `[d]`, as it is compared: f32 `[d]` of L2 length 1. `None` for one that is the centre itself.
    pub fn place(&self, embedding: &[f32]) -> Option<Vec<f32>> {
        let rest = || embedding.iter().zip(&self.centre).map(|(x, centre)| f64::from(x - centre));
        let length = rest().map(|x| x * x).sum::<f64>().sqrt();
        // Shorter, what is left is rounding without a direction.
        (length > 1e-6).then(|| rest().map(|x| (x / length) as f32).collect())
    }

    /// Cosine in -1..=1 of a placed embedding, f32 `[d]`, with the nearest prototype of a class; -1 without classes.
    pub fn class_similarity(&self, placed: &[f32]) -> f32 {
        nearest(&self.classes, placed)
    }

    /// Cosine in -1..=1 of a placed embedding, f32 `[d]`, with the nearest of the background; -1 without one.
    pub fn background_similarity(&self, placed: &[f32]) -> f32 {
        nearest(&self.background, placed)
    }
}

/// The greatest dot product of `placed`, f32 `[d]`, with one of `rows`; -1 without rows.
fn nearest(rows: &[Vec<f32>], placed: &[f32]) -> f32 {
    let cosine = |row: &Vec<f32>| row.iter().zip(placed).map(|(x, y)| x * y).sum::<f32>();
    rows.iter().map(cosine).fold(-1.0, f32::max)
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
