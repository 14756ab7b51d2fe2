//! The second look at unsure photographs: more views of the same pixels, pooled into one output.
//!
//! The pooled output is an ordinary model output: the manifest's calibration, thresholds and references apply to it
//! as to a single look.

use ndarray::{Array1, ArrayView1, Axis};

use crate::resize::Crop;
use crate::{
    Detail, Engine, ImageBatch, Outputs, Photo, Prediction, Preprocessor, Result, RgbImage, SecondLook,
    Tensor, View,
};

/// Keeps the embedding finite if the views cancel each other out, as in training.
const EPSILON: f64 = 1e-12;

impl SecondLook {
    /// Whether a photograph with this calibrated confidence and known score, both in 0..=1, needs a second look.
    pub fn is_needed(&self, confidence: f32, known_score: f32) -> bool {
        f64::from(confidence) < self.confidence_below || f64::from(known_score) < self.known_score_below
    }

    /// The pixels of a photograph that its views need.
    pub fn detail(&self, preprocessor: &Preprocessor) -> Detail {
        let details = self.views.iter().map(|view| preprocessor.detail().of_centre(view.centre));
        details.fold(Detail::default(), Detail::and)
    }

    /// The model's inputs for the views of a photograph, in the manifest's order: f32 `[3, h, w]` each.
    pub fn tensors(&self, preprocessor: &Preprocessor, photo: &Photo) -> Vec<Tensor> {
        self.views.iter().map(|view| preprocessor.normalise(&view.resize_rgb(preprocessor, photo))).collect()
    }

    /// Whether all of its views show the whole photograph.
    pub fn shows_whole(&self) -> bool {
        self.views.iter().all(|view| view.centre >= 1.0)
    }

    /// Like [`SecondLook::tensors`], but computed from the input of the first look; `None` if a view does not show
    /// the whole photograph.
    pub fn tensors_of_whole(&self, first: &Tensor) -> Option<Vec<Tensor>> {
        let view = |view: &View| if view.mirrored { first.mirrored() } else { first.clone() };
        self.shows_whole().then(|| self.views.iter().map(view).collect())
    }

    /// Pools the raw outputs of all looks at a photograph, one per row, with equal weights.
    ///
    /// ```text
    /// embedding = unit(mean(unit(embeddings)))       f32 [1, d]
    /// logits    = logit_scale * mean(logits)         f32 [1, c]
    /// known     = known_scale * mean(known) + known_bias   f32 [1]
    /// ```
    ///
    /// in f64, rounded to f32 once.
    ///
    /// # Panics
    /// If `looks` has no row.
    pub fn pool(&self, looks: &Outputs) -> Outputs {
        let n_looks = looks.known.len();
        assert!(n_looks > 0, "BUG: a photograph was looked at");
        let wide = |value: &f32| f64::from(*value);
        let mut embedding = Array1::zeros(looks.embeddings.ncols());
        for row in looks.embeddings.outer_iter() {
            // Normalised first, so that each look has the same weight in the mean.
            embedding += &unit(&row.map(wide).view());
        }
        let n_looks = n_looks as f64;
        let embedding = unit(&(embedding / n_looks).view()).map(|value| *value as f32);
        let logits = looks.logits.map(wide).sum_axis(Axis(0)) / n_looks * self.logit_scale;
        let known = looks.known.iter().map(wide).sum::<f64>() / n_looks;
        Outputs {
            embeddings: embedding.insert_axis(Axis(0)),
            logits: logits.map(|value| *value as f32).insert_axis(Axis(0)),
            known: Array1::from_elem(1, self.known_scale.mul_add(known, self.known_bias) as f32),
        }
    }

    /// Runs the whole photograph and all views, one image at a time, and pools the outputs, whether or not the
    /// photograph needs a second look.
    ///
    /// # Errors
    /// Those of [`Engine::run`].
    pub fn look(
        &self,
        preprocessor: &Preprocessor,
        photo: &Photo,
        engine: &mut dyn Engine,
    ) -> Result<Outputs> {
        let mut tensors = vec![preprocessor.tensor(photo)];
        tensors.extend(self.tensors(preprocessor, photo));
        let looks: Vec<Outputs> = tensors
            .into_iter()
            .map(|tensor| engine.run(&ImageBatch::stack(&[tensor])?))
            .collect::<Result<_>>()?;
        Ok(self.pool(&Outputs::stack(&looks)?))
    }

    /// Like [`SecondLook::pool`], for the first look and the views that were run after it. The times are the sums
    /// of both steps; views may run concurrently, so their time is from the start of the first to the end of the
    /// last.
    ///
    /// # Errors
    /// [`Error::WrongTensorShape`](crate::Error::WrongTensorShape) for outputs of two models.
    pub fn pool_predictions(&self, first: &Prediction, views: &[Prediction]) -> Result<Prediction> {
        let looks: Vec<Outputs> = std::iter::once(first).chain(views).map(Prediction::as_outputs).collect();
        let Outputs { embeddings, logits, known } = self.pool(&Outputs::stack(&looks)?);
        let waited = views.iter().map(|view| view.waited).min().unwrap_or_default();
        let ended = views.iter().map(|view| view.waited + view.ran).max().unwrap_or_default();
        Ok(Prediction {
            embedding: embeddings.row(0).to_vec(),
            logits: logits.row(0).to_vec(),
            known: known[0],
            batch_size: first.batch_size,
            waited: first.waited + waited,
            ran: first.ran + ended.saturating_sub(waited),
        })
    }
}

impl View {
    /// The view of a photograph at the model's input size, before normalisation: a centre crop, resized like a
    /// whole photograph, and mirrored if the view is.
    pub fn resize_rgb(&self, preprocessor: &Preprocessor, photo: &Photo) -> RgbImage {
        let mut image = preprocessor.resize_crop(photo, self.crop(photo.width(), photo.height()));
        // After the resize, because fewer pixels are mirrored then, and as in training.
        if self.mirrored {
            for row in image.rgb.chunks_exact_mut(3 * image.width as usize) {
                let (pixels, _) = row.as_chunks_mut::<3>();
                pixels.reverse();
            }
        }
        image
    }

    /// The pixels that are kept: `max(1, floor(side * centre + 0.5))` of each side; the offset is half of the rest,
    /// rounded down.
    fn crop(&self, width: u32, height: u32) -> Crop {
        let kept = |side: u32| ((f64::from(side) * self.centre + 0.5).floor() as u32).clamp(1, side);
        let (kept_width, kept_height) = (kept(width), kept(height));
        Crop {
            left: (width - kept_width) / 2,
            top: (height - kept_height) / 2,
            width: kept_width,
            height: kept_height,
        }
    }
}

fn unit(values: &ArrayView1<'_, f64>) -> Array1<f64> {
    values / values.dot(values).sqrt().max(EPSILON)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ndarray::array;

    use super::*;
    use crate::{Model, PhotoFormat};

    fn second_look() -> SecondLook {
        SecondLook {
            confidence_below: 0.9,
            known_score_below: 0.5,
            logit_scale: 2.0,
            known_scale: 3.0,
            known_bias: -1.0,
            views: vec![View { centre: 1.0, mirrored: true }, View { centre: 0.7, mirrored: false }],
        }
    }

    #[test]
    fn a_photograph_is_looked_at_again_below_either_mark() {
        for (confidence, known_score, expected) in
            [(0.95, 0.8, false), (0.85, 0.8, true), (0.95, 0.45, true), (0.1, 0.1, true), (1.0, 0.5, false)]
        {
            let found = second_look().is_needed(confidence, known_score);
            assert_eq!(found, expected, "{confidence} {known_score}");
        }
    }

    #[test]
    fn views_of_the_whole_are_made_of_its_first_input() {
        let preprocessor = Preprocessor::new(Model::embedded().unwrap().manifest()).unwrap();
        let (width, height) = (97, 61);
        let rgb = (0..width * height * 3).map(|value| (value * 7 % 251) as u8).collect();
        let photo = Photo::from_rgb(width, height, rgb, PhotoFormat::Png).unwrap();
        let first = preprocessor.tensor(&photo);
        assert_eq!(second_look().tensors_of_whole(&first), None, "one view shows the middle");
        let views = [true, false].map(|mirrored| View { centre: 1.0, mirrored }).to_vec();
        let look = SecondLook { views, ..second_look() };
        assert_eq!(look.tensors_of_whole(&first), Some(look.tensors(&preprocessor, &photo)));
        assert_ne!(look.tensors(&preprocessor, &photo)[0], first);
    }

    #[test]
    fn crops_lie_around_the_middle_and_hold_a_pixel() {
        for (centre, size, expected) in [
            (0.7, (10, 20), (1, 3, 7, 14)),
            (0.7, (5, 3), (0, 0, 4, 2)),
            (0.5, (5, 1), (1, 0, 3, 1)),
            (0.01, (1, 49), (0, 24, 1, 1)),
            (1.0, (31, 17), (0, 0, 31, 17)),
        ] {
            let Crop { left, top, width, height } = View { centre, mirrored: false }.crop(size.0, size.1);
            assert_eq!((left, top, width, height), expected, "{centre} of {size:?}");
        }
    }

    #[test]
    fn every_look_weighs_the_same() {
        let looks = Outputs {
            // Of different lengths: only the direction counts.
            embeddings: array![[3.0, 0.0], [0.0, 1.0]],
            logits: array![[1.0, 4.0], [3.0, 0.0]],
            known: array![0.5, 1.5],
        };
        let pooled = second_look().pool(&looks);
        let half = 0.5_f32.sqrt();
        assert_eq!(pooled.embeddings, array![[half, half]]);
        assert_eq!(pooled.logits, array![[4.0, 4.0]]);
        assert_eq!(pooled.known, array![2.0]);
    }

    #[test]
    fn views_that_cancel_each_other_out_leave_finite_numbers() {
        let looks = Outputs {
            embeddings: array![[1.0, 0.0], [-1.0, 0.0]],
            logits: array![[0.0], [0.0]],
            known: array![0.0, 0.0],
        };
        assert_eq!(second_look().pool(&looks).embeddings, array![[0.0, 0.0]]);
    }

    #[test]
    fn times_are_those_of_the_first_look_and_of_the_slowest_view() {
        let look = |known: f32, waited: u64, ran: u64| Prediction {
            embedding: vec![1.0],
            logits: vec![known],
            known,
            batch_size: 1,
            waited: Duration::from_millis(waited),
            ran: Duration::from_millis(ran),
        };
        let pooled =
            second_look().pool_predictions(&look(1.0, 2, 10), &[look(2.0, 1, 8), look(3.0, 9, 7)]).unwrap();
        assert_eq!((pooled.waited.as_millis(), pooled.ran.as_millis()), (3, 25));
        assert_eq!((pooled.known, pooled.logits), (5.0, vec![4.0]));
    }
}
