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
}

impl ReferenceSpace {
    /// The space around `prototypes`, f32 `[c, d]`: the mean embedding of each class.
    pub fn around(prototypes: &Array2<f32>) -> Self {
        let n_classes = prototypes.nrows().max(1) as f64;
        // In f64: the centre is taken off every embedding, and rounding in it would shift all of them alike.
        let sums = prototypes.map(|&value| f64::from(value)).sum_axis(Axis(0));
        let centre = sums.iter().map(|sum| (sum / n_classes) as f32).collect();
        let mut space = Self { centre, classes: Vec::new() };
        let placed = prototypes.outer_iter().filter_map(|row| space.place(&row.to_vec()));
        space.classes = placed.collect();
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
        let cosine = |class: &Vec<f32>| class.iter().zip(placed).map(|(x, y)| x * y).sum::<f32>();
        self.classes.iter().map(cosine).fold(-1.0, f32::max)
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn what_all_have_in_common_is_taken_away() {
        let space = ReferenceSpace::around(&array![[0.8, 0.6], [0.8, -0.6]]);
        assert_eq!(space.place(&[0.8, 0.6]), Some(vec![0.0, 1.0]));
        assert_eq!(space.place(&[0.8, 0.0]), None, "the centre has no direction");
        let near = |a: f32, b: f32| (a - b).abs() < 1e-6;
        assert!(near(space.class_similarity(&[0.6, 0.8]), 0.8));
        assert!(near(space.class_similarity(&[0.6, -0.8]), 0.8), "the nearest of the two");
    }
}
