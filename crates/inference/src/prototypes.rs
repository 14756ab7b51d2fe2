//! Class scores from prototype vectors, for a network that returns only an embedding.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use crate::log_sum_exp::log_sum_exp;
use crate::{Error, Manifest, Result};

/// Tolerance of a row's L2 length around 1: f32 rounding, with a margin.
const LENGTH_TOLERANCE: f32 = 1e-3;
const CLASSES_TENSOR: &str = "prototypes";
const BACKGROUND_TENSOR: &str = "background";

/// Compares embeddings with one unit vector per class.
///
/// `logits = scale * embedding . prototype`, the zero-shot classifier of CLIP (Radford et al., "Learning
/// Transferable Visual Models From Natural Language Supervision", 2021). The raw known score is
///
/// - with a background, `logsumexp(logits) - logsumexp(scale * embedding . background)`: the logit of the total
///   probability of the classes under a softmax over classes and background;
/// - without one, `logsumexp(logits)`: the negative energy of Liu et al., "Energy-based Out-of-distribution
///   Detection", 2020, at temperature 1.
#[derive(Clone, Debug, PartialEq)]
pub struct PrototypeHead {
    classes: Array2<f32>,
    background: Option<Array2<f32>>,
    scale: f64,
}

impl PrototypeHead {
    /// From unit rows `[c, d]`, optionally `[b, d]`, and the factor of the similarities; `model` is for messages.
    ///
    /// # Errors
    /// [`Error::InvalidPrototypes`] without rows, for rows of two widths, a row whose L2 length is not 1, or a
    /// factor that is not above 0.
    pub fn new(
        model: &str,
        classes: Array2<f32>,
        background: Option<Array2<f32>>,
        scale: f64,
    ) -> Result<Self> {
        let invalid = |reason| Error::InvalidPrototypes { model: model.to_owned(), reason };
        for (name, rows) in [(CLASSES_TENSOR, Some(&classes)), (BACKGROUND_TENSOR, background.as_ref())] {
            let Some(rows) = rows else { continue };
            if rows.is_empty() {
                return Err(invalid(format!("`{name}` has no rows")));
            }
            if rows.ncols() != classes.ncols() {
                let (found, expected) = (rows.ncols(), classes.ncols());
                return Err(invalid(format!("`{name}` has rows of {found} values instead of {expected}")));
            }
            for (index, row) in rows.outer_iter().enumerate() {
                let length = row.dot(&row).sqrt();
                // Written so that NaN is refused too.
                let is_unit = (length - 1.0).abs() <= LENGTH_TOLERANCE;
                if !is_unit {
                    return Err(invalid(format!("row {index} of `{name}` has length {length} instead of 1")));
                }
            }
        }
        if !(scale.is_finite() && scale > 0.0) {
            return Err(invalid(format!("the scale {scale} is not a number above 0")));
        }
        Ok(Self { classes, background, scale })
    }

    /// Reads the safetensors file with the shapes of the manifest.
    ///
    /// # Errors
    /// [`Error::ReadPrototypes`] if the bytes are no safetensors file, [`Error::InvalidPrototypes`] for a missing
    /// tensor, or another type or shape than in the manifest, and the errors of [`PrototypeHead::new`].
    pub fn from_safetensors(manifest: &Manifest, scale: f64, bytes: &[u8]) -> Result<Self> {
        let model = &manifest.name;
        let file = SafeTensors::deserialize(bytes)
            .map_err(|source| Error::ReadPrototypes { model: model.clone(), source })?;
        let invalid = |reason| Error::InvalidPrototypes { model: model.clone(), reason };
        let classes = file
            .tensor(CLASSES_TENSOR)
            .map_err(|_| invalid(format!("the file has no tensor `{CLASSES_TENSOR}`")))?;
        let classes = array(&classes).map_err(|reason| invalid(format!("`{CLASSES_TENSOR}` {reason}")))?;
        let expected = (manifest.classes.count, manifest.embedding.dimension);
        if classes.dim() != expected {
            let (found_rows, found_width) = classes.dim();
            return Err(invalid(format!(
                "`{CLASSES_TENSOR}` has shape [{found_rows}, {found_width}] instead of [{}, {}]",
                expected.0, expected.1
            )));
        }
        let background = file
            .tensor(BACKGROUND_TENSOR)
            .ok()
            .map(|tensor| array(&tensor).map_err(|reason| invalid(format!("`{BACKGROUND_TENSOR}` {reason}"))))
            .transpose()?;
        Self::new(model, classes, background, scale)
    }

    /// The bytes of a safetensors file that [`PrototypeHead::from_safetensors`] reads.
    ///
    /// # Errors
    /// [`Error::InvalidPrototypes`] if the format cannot hold them, which no real size reaches.
    pub fn to_safetensors(&self, model: &str) -> Result<Vec<u8>> {
        let bytes =
            |rows: &Array2<f32>| rows.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
        let tensors = [(CLASSES_TENSOR, Some(&self.classes)), (BACKGROUND_TENSOR, self.background.as_ref())];
        let tensors: Vec<(&str, Vec<usize>, Vec<u8>)> = tensors
            .into_iter()
            .filter_map(|(name, rows)| rows.map(|rows| (name, rows.shape().to_vec(), bytes(rows))))
            .collect();
        tensors
            .iter()
            .map(|(name, shape, data)| Ok((*name, TensorView::new(Dtype::F32, shape.clone(), data)?)))
            .collect::<Result<Vec<_>, _>>()
            .and_then(|views| safetensors::serialize(views, None))
            .map_err(|source| Error::InvalidPrototypes {
                model: model.to_owned(),
                reason: source.to_string(),
            })
    }

    /// The vectors of the classes, f32 `[c, d]` of L2 length 1.
    pub fn classes(&self) -> &Array2<f32> {
        &self.classes
    }

    /// The vectors of the background, f32 `[b, d]` of L2 length 1.
    pub fn background(&self) -> Option<&Array2<f32>> {
        self.background.as_ref()
    }

    /// Number of classes, c.
    pub fn n_classes(&self) -> usize {
        self.classes.nrows()
    }

    /// Length of each vector, d.
    pub fn dimension(&self) -> usize {
        self.classes.ncols()
    }

    /// Logits `[n, c]` and raw known scores `[n]` of unit embeddings `[n, d]`.
    pub fn score(&self, embeddings: &ArrayView2<'_, f32>) -> (Array2<f32>, Array1<f32>) {
        let logits = self.scaled(&self.classes, embeddings);
        let background = self.background_energies(embeddings);
        let known = logits.outer_iter().zip(background);
        let known = known.map(|(row, energy)| Self::known(row.iter().copied(), energy)).collect();
        (logits, known)
    }

    /// The logit of a class prototype of L2 length 1, f32 `[d]`, for a unit embedding, f32 `[d]`.
    pub fn logit(&self, prototype: &ArrayView1<'_, f32>, embedding: &ArrayView1<'_, f32>) -> f32 {
        self.scale as f32 * prototype.dot(embedding)
    }

    /// The background term of raw known scores: `logsumexp(scale * embedding . background)` of unit embeddings
    /// `[n, d]`, as `[n]`; 0 without a background.
    pub fn background_energies(&self, embeddings: &ArrayView2<'_, f32>) -> Vec<f64> {
        let Some(background) = &self.background else { return vec![0.0; embeddings.nrows()] };
        let logits = self.scaled(background, embeddings);
        logits.outer_iter().map(|row| log_sum_exp(row.iter().copied().map(f64::from))).collect()
    }

    /// The raw known score of a photograph from its class logits, at least one, and its background energy.
    pub fn known(logits: impl Iterator<Item = f32> + Clone, background_energy: f64) -> f32 {
        (log_sum_exp(logits.map(f64::from)) - background_energy) as f32
    }

    fn scaled(&self, rows: &Array2<f32>, embeddings: &ArrayView2<'_, f32>) -> Array2<f32> {
        embeddings.dot(&rows.t()) * self.scale as f32
    }
}

/// Divides each row by its L2 length; a row of length 0 becomes NaN, which the caller must refuse.
pub(crate) fn unit_rows(mut rows: Array2<f32>) -> Array2<f32> {
    for mut row in rows.axis_iter_mut(Axis(0)) {
        let length = row.dot(&row).sqrt();
        row /= length;
    }
    rows
}

/// The mean of unit rows `[n, d]`, normalised to length 1: a prompt ensemble, or the mean of a class's photographs.
/// `None` without rows, or if they cancel each other out.
pub fn unit_mean(rows: &ArrayView2<'_, f32>) -> Option<Array1<f32>> {
    let mean = rows.mean_axis(Axis(0))?;
    let length = mean.dot(&mean).sqrt();
    // Below this, the mean is only rounding error without a meaningful direction.
    (length > 1e-6).then(|| mean / length)
}

fn array(tensor: &TensorView<'_>) -> Result<Array2<f32>, String> {
    let (dtype, shape) = (tensor.dtype(), tensor.shape());
    let (Dtype::F32, &[rows, width]) = (dtype, shape) else {
        return Err(format!("is {dtype:?} {shape:?} instead of F32 with two axes"));
    };
    let (values, _) = tensor.data().as_chunks::<4>();
    let values = values.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    Array2::from_shape_vec((rows, width), values).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;

    fn head(background: Option<Array2<f32>>) -> PrototypeHead {
        PrototypeHead::new("test", array![[1.0, 0.0], [0.0, 1.0]], background, 10.0).expect("unit rows")
    }

    #[test]
    fn logits_are_scaled_cosines() {
        let (logits, _) = head(None).score(&array![[0.6, 0.8], [-1.0, 0.0]].view());
        let expected = array![[6.0, 8.0], [-10.0, 0.0]];
        assert!(logits.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-5));
    }

    #[test]
    fn without_background_the_known_score_is_the_negative_energy() {
        let (_, known) = head(None).score(&array![[0.6, 0.8]].view());
        let expected = (6.0_f64.exp() + 8.0_f64.exp()).ln();
        assert!((f64::from(known[0]) - expected).abs() < 1e-5, "{known}");
    }

    #[test]
    fn with_background_the_known_score_is_the_log_odds_of_the_classes() {
        let head = head(Some(array![[-1.0, 0.0], [0.0, -1.0], [0.6, 0.8]]));
        let (_, known) = head.score(&array![[0.6, 0.8]].view());
        let classes = 6.0_f64.exp() + 8.0_f64.exp();
        let background = (-6.0_f64).exp() + (-8.0_f64).exp() + 10.0_f64.exp();
        let probability = classes / (classes + background);
        let sigmoid = 1.0 / (1.0 + (-f64::from(known[0])).exp());
        assert!((sigmoid - probability).abs() < 1e-5, "{sigmoid} {probability}");
    }

    #[test]
    fn large_scales_do_not_overflow() {
        let head = PrototypeHead::new("test", array![[1.0, 0.0]], None, 1e6).expect("unit rows");
        let (_, known) = head.score(&array![[1.0, 0.0]].view());
        assert!((known[0] - 1e6).abs() < 1.0, "{known}");
    }

    #[test]
    fn rows_that_are_not_of_length_1_are_refused() {
        for (classes, background, scale) in [
            (array![[0.5, 0.5]], None, 1.0),
            (array![[f32::NAN, 0.0]], None, 1.0),
            (array![[0.0, 0.0]], None, 1.0),
            (Array2::zeros((0, 2)), None, 1.0),
            (array![[1.0, 0.0]], Some(array![[1.0, 0.0, 0.0]]), 1.0),
            (array![[1.0, 0.0]], Some(array![[2.0, 0.0]]), 1.0),
            (array![[1.0, 0.0]], Some(Array2::zeros((0, 2))), 1.0),
            (array![[1.0, 0.0]], None, 0.0),
            (array![[1.0, 0.0]], None, f64::NAN),
        ] {
            let result = PrototypeHead::new("test", classes, background, scale);
            assert!(matches!(result, Err(Error::InvalidPrototypes { .. })), "{result:?}");
        }
    }

    #[test]
    fn the_mean_of_unit_rows_has_length_1() {
        let mean = unit_mean(&array![[1.0, 0.0], [0.0, 1.0]].view()).expect("rows that do not cancel out");
        assert!((mean[0] - 0.5_f32.sqrt()).abs() < 1e-6 && (mean[1] - 0.5_f32.sqrt()).abs() < 1e-6);
        assert_eq!(unit_mean(&array![[1.0, 0.0], [-1.0, 0.0]].view()), None);
        assert_eq!(unit_mean(&Array2::zeros((0, 2)).view()), None);
    }
}
