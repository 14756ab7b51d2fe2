//! Fits the values of a manifest's `[calibration]` to predictions with known labels.

use crate::log_sum_exp::log_sum_exp;
use crate::{Error, Result};

/// Bounds of the search for a temperature: outside them a model is broken, not miscalibrated.
const TEMPERATURES: [f64; 2] = [1e-3, 1e3];
/// Relative distance to a bound within which a temperature counts as the bound itself.
const AT_BOUND: f64 = 0.01;
/// Golden-section steps: each keeps 0.618 of the interval, so that 80 leave 1e-15 of it.
const GOLDEN_STEPS: usize = 80;
const NEWTON_STEPS: usize = 100;

/// One prediction for a photograph whose class is known.
#[derive(Clone, Copy, Debug)]
pub struct Labelled<'a> {
    /// Raw logits `[c]`.
    pub logits: &'a [f32],
    /// The true class, less than c.
    pub class: usize,
    /// Weight in the loss; 0 or more.
    pub weight: f64,
}

/// Fits the temperature T of `softmax(logits / T)`: the one with the least weighted negative log-likelihood
/// `-sum(weight * ln softmax(logits / T)[class]) / sum(weight)` (Guo et al., "On Calibration of Modern Neural
/// Networks", 2017).
///
/// The likelihood has one optimum in T, since the loss is convex in `1 / T`; golden-section search over `ln T` for
/// T in 0.001..=1000 finds it to the precision of f64. A model without errors has no finite optimum: its
/// temperature ends at the lower bound of the search, where confidences are nearly 1. [`fit_smoothed_temperature`]
/// has one.
///
/// # Errors
/// [`Error::CannotCalibrate`] without a photograph of positive weight, or with a class outside the logits.
pub fn fit_temperature(photos: &[Labelled<'_>]) -> Result<f64> {
    let weight: f64 = photos.iter().map(|photo| photo.weight).sum();
    // Written so that NaN is refused too.
    let has_weight = weight > 0.0;
    if !has_weight || photos.iter().any(|photo| photo.class >= photo.logits.len()) {
        return Err(Error::CannotCalibrate {
            what: "the temperature",
            missing: "photographs of known classes",
        });
    }
    Ok(temperature_of_least(|temperature| negative_log_likelihood(photos, temperature)))
}

/// The temperature in 0.001..=1000 with the least `loss`, by golden-section search over its logarithm: the least of all
/// if the loss has one optimum, else one of them.
pub fn temperature_of_least(loss: impl Fn(f64) -> f64) -> f64 {
    // Golden section: one of the two inner points is reused after each step, so a step costs one evaluation.
    let [mut low, mut high] = TEMPERATURES.map(f64::ln);
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let loss = |log_temperature: f64| loss(log_temperature.exp());
    let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
    let (mut left_loss, mut right_loss) = (loss(left), loss(right));
    for _ in 0..GOLDEN_STEPS {
        if left_loss <= right_loss {
            (high, right, right_loss) = (right, left, left_loss);
            left = high - golden * (high - low);
            left_loss = loss(left);
        } else {
            (low, left, left_loss) = (left, right, right_loss);
            right = low + golden * (high - low);
            right_loss = loss(right);
        }
    }
    f64::midpoint(low, high).exp()
}

/// Fits a temperature as [`fit_temperature`] does, with smoothed targets: of n photographs the right class of each has
/// the target `(n + 1) / (n + 2)`, as in Platt, "Probabilistic Outputs for Support Vector Machines", 1999, and the
/// rest is that of the most probable other class, which a wrong answer would name.
///
/// So n right guesses give about the confidences of n with a single wrong one, where the unsmoothed fit has no finite
/// optimum and makes every confidence 1; the more photographs, the less the targets differ from 1.
///
/// # Errors
/// As [`fit_temperature`].
pub fn fit_smoothed_temperature(photos: &[Labelled<'_>]) -> Result<f64> {
    let rest = 1.0 / (photos.len() as f64 + 2.0);
    let smoothed = photos.iter().flat_map(|photo| {
        let others = (0..photo.logits.len()).filter(|class| *class != photo.class);
        let likeliest = others.max_by(|&one, &other| photo.logits[one].total_cmp(&photo.logits[other]));
        let right = Labelled { weight: photo.weight * (1.0 - rest), ..*photo };
        let wrong = likeliest.map(|class| Labelled { class, weight: photo.weight * rest, ..*photo });
        [Some(right), wrong]
    });
    fit_temperature(&smoothed.flatten().collect::<Vec<_>>())
}

/// Whether a fitted temperature is a bound of the search, so that the best one may lie beyond it.
pub fn is_bound_of_search(temperature: f64) -> bool {
    TEMPERATURES.iter().any(|bound| (temperature / bound - 1.0).abs() < AT_BOUND)
}

/// Weighted mean of `-ln softmax(logits / temperature)[class]`, in nats.
pub fn negative_log_likelihood(photos: &[Labelled<'_>], temperature: f64) -> f64 {
    let total: f64 = photos.iter().map(|photo| photo.weight).sum();
    let loss = photos.iter().map(|photo| {
        let scaled = |&logit: &f32| f64::from(logit) / temperature;
        photo.weight * (log_sum_exp(photo.logits.iter().map(scaled)) - scaled(&photo.logits[photo.class]))
    });
    loss.sum::<f64>() / total
}

/// `-ln P` in nats of the best guess being wrong: P is the sum of all probabilities of `softmax(logits / temperature)`
/// but the largest. Infinite for fewer than two logits.
///
/// It is the loss of a photograph of which nothing more is known, such as one of a class that has no logit.
pub fn negative_log_likelihood_of_a_mistake(logits: &[f32], temperature: f64) -> f64 {
    let scaled = |&logit: &f32| f64::from(logit) / temperature;
    let best = (0..logits.len()).max_by(|&one, &other| logits[one].total_cmp(&logits[other]));
    let others = (0..logits.len()).filter(|class| Some(*class) != best);
    log_sum_exp(logits.iter().map(scaled)) - log_sum_exp(others.map(|class| scaled(&logits[class])))
}

/// Scale and bias of `known score = sigmoid(scale * known + bias)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlattScaling {
    /// Factor; greater than 0.
    pub scale: f64,
    /// Offset.
    pub bias: f64,
}

/// Fits scale and bias to the raw known scores of photographs that show a known type and of others.
///
/// Logistic regression by Newton's method with the smoothed targets of Platt, "Probabilistic Outputs for Support
/// Vector Machines", 1999: `(p + 1) / (p + 2)` for the p photographs of known types and `1 / (n + 2)` for the n
/// others, so that perfectly separated scores still have a finite fit. Both classes have equal total weight,
/// whatever their counts: the score is calibrated for an even mixture.
///
/// # Errors
/// [`Error::CannotCalibrate`] if one side is empty, if a score is not finite, or if photographs of known types do
/// not score higher than the others, so that the fitted scale is not above 0.
pub fn fit_platt(known: &[f32], others: &[f32]) -> Result<PlattScaling> {
    let cannot = |missing| Error::CannotCalibrate { what: "the known score", missing };
    if known.is_empty() || others.is_empty() {
        return Err(cannot("photographs both of known types and of anything else"));
    }
    if known.iter().chain(others).any(|score| !score.is_finite()) {
        return Err(cannot("scores that are finite numbers"));
    }
    let (n_known, n_others) = (known.len() as f64, others.len() as f64);
    let side = |scores: &[f32], target: f64, weight: f64| {
        scores.iter().map(|&score| (f64::from(score), target, weight)).collect::<Vec<_>>()
    };
    let mut points = side(known, (n_known + 1.0) / (n_known + 2.0), 0.5 / n_known);
    // 0.5 / count on either side: each side weighs one half, and all weights sum to 1.
    points.extend(side(others, 1.0 / (n_others + 2.0), 0.5 / n_others));

    // Newton's method works on standardised scores, so the range of the network's scores does not matter.
    let mean: f64 = points.iter().map(|(score, _, weight)| score * weight).sum();
    let variance: f64 = points.iter().map(|(score, _, weight)| weight * (score - mean).powi(2)).sum();
    // Relative to the mean: smaller differences are rounding errors, to which no scale can be fitted.
    let deviation = variance.sqrt();
    if deviation <= f64::EPSILON * mean.abs().max(1.0) {
        return Err(cannot("scores that differ"));
    }
    for point in &mut points {
        point.0 = (point.0 - mean) / deviation;
    }
    let [scale, bias] = newton(&points);
    if scale <= 0.0 {
        return Err(cannot("a network that scores known types higher than the rest"));
    }
    // Back to the network's own range: scale * (x - mean) / deviation + bias.
    Ok(PlattScaling { scale: scale / deviation, bias: bias - scale * mean / deviation })
}

/// Scale and bias with the least weighted cross-entropy; each point is (score, target, weight).
fn newton(points: &[(f64, f64, f64)]) -> [f64; 2] {
    let loss = |[scale, bias]: [f64; 2]| -> f64 {
        let point = |&(score, target, weight): &(f64, f64, f64)| {
            let logit = scale * score + bias;
            // ln(1 + exp(logit)) - target * logit, without overflow.
            weight * (logit.max(0.0) + (-logit.abs()).exp().ln_1p() - target * logit)
        };
        points.iter().map(point).sum()
    };
    let mut fit = [0.0, 0.0];
    let mut best = loss(fit);
    for _ in 0..NEWTON_STEPS {
        // The small ridge keeps the matrix invertible when all probabilities have reached 0 or 1.
        let (mut gradient, mut hessian) = ([0.0; 2], [1e-12, 0.0, 1e-12]);
        for &(score, target, weight) in points {
            let probability = 1.0 / (1.0 + (-(fit[0] * score + fit[1])).exp());
            let (error, curvature) =
                (weight * (probability - target), weight * probability * (1.0 - probability));
            gradient = [gradient[0] + error * score, gradient[1] + error];
            hessian = [
                hessian[0] + curvature * score * score,
                hessian[1] + curvature * score,
                hessian[2] + curvature,
            ];
        }
        // The 2 x 2 system, solved by Cramer's rule; `hessian` holds scale-scale, scale-bias, bias-bias.
        let determinant = hessian[0] * hessian[2] - hessian[1] * hessian[1];
        let step = [
            (hessian[2] * gradient[0] - hessian[1] * gradient[1]) / determinant,
            (hessian[0] * gradient[1] - hessian[1] * gradient[0]) / determinant,
        ];
        // Halved until the loss falls: far from the minimum a full step may overshoot.
        let mut share = 1.0;
        let next = loop {
            let next = [fit[0] - share * step[0], fit[1] - share * step[1]];
            if loss(next) < best {
                break Some(next);
            }
            share /= 2.0;
            if share < 1e-9 {
                break None;
            }
        };
        // No step lowers the loss any more: this is the minimum, to the precision of f64.
        let Some(next) = next else { break };
        (fit, best) = (next, loss(next));
    }
    fit
}

/// Expected calibration error with `n_bins` bins of equal width (Guo et al., 2017): the mean over photographs of
/// the distance between accuracy and mean confidence in their bin, 0..=1.
///
/// Each of `answers` is a confidence in 0..=1 and whether the answer was correct.
pub fn expected_calibration_error(answers: &[(f64, bool)], n_bins: usize) -> f64 {
    let mut bins = vec![(0.0, 0.0); n_bins.max(1)];
    for &(confidence, is_right) in answers {
        let last = bins.len() - 1;
        // A confidence of exactly 1 belongs to the last bin.
        let bin = &mut bins[((confidence * n_bins as f64) as usize).min(last)];
        // Sums are enough: |mean confidence - accuracy| * count / n is |sum of confidences - number correct| / n.
        *bin = (bin.0 + confidence, bin.1 + f64::from(u8::from(is_right)));
    }
    bins.iter().map(|(confidence, right)| (confidence - right).abs()).sum::<f64>()
        / answers.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One photograph for each pair of logits and class.
    fn labelled<'a>(logits: &'a [[f32; 2]], classes: &[usize]) -> Vec<Labelled<'a>> {
        let photo = |(logits, &class): (&'a [f32; 2], &usize)| Labelled { logits, class, weight: 1.0 };
        logits.iter().zip(classes).map(photo).collect()
    }

    #[test]
    fn the_temperature_makes_the_confidence_the_share_of_right_answers() {
        // All four have the logit gap 4, and three are right: sigmoid(4 / T) = 3 / 4, so T = 4 / ln 3.
        let logits = [[4.0, 0.0]; 4];
        let photos = labelled(&logits, &[0, 0, 0, 1]);
        let temperature = fit_temperature(&photos).expect("photographs");
        assert!((temperature - 4.0 / 3.0_f64.ln()).abs() < 1e-6, "{temperature}");
    }

    #[test]
    fn weights_count_like_copies() {
        let logits = [[4.0, 0.0]; 2];
        let mut photos = labelled(&logits, &[0, 1]);
        photos[0].weight = 3.0;
        let temperature = fit_temperature(&photos).expect("photographs");
        assert!((temperature - 4.0 / 3.0_f64.ln()).abs() < 1e-6, "{temperature}");
    }

    #[test]
    fn no_other_temperature_has_a_lower_loss() {
        let logits = [[2.0, 0.5], [0.3, 1.0], [5.0, -1.0], [0.1, 0.2], [3.0, 4.0]];
        let photos = labelled(&logits, &[0, 0, 0, 1, 1]);
        let best = fit_temperature(&photos).expect("photographs");
        let least = negative_log_likelihood(&photos, best);
        for step in 1..2000 {
            assert!(negative_log_likelihood(&photos, f64::from(step) * 0.01) >= least - 1e-12, "{step}");
        }
    }

    #[test]
    fn a_model_that_is_always_right_stops_at_the_lower_end() {
        let logits = [[4.0, 0.0]; 3];
        let temperature = fit_temperature(&labelled(&logits, &[0, 0, 0])).expect("photographs");
        assert!((1e-3..0.2).contains(&temperature), "{temperature}");
    }

    #[test]
    fn smoothed_targets_make_a_model_that_is_always_right_as_sure_as_one_with_a_mistake() {
        // All have the logit gap 4: with n right, sigmoid(4 / T) = (n + 1) / (n + 2).
        let logits = [[4.0, 0.0]; 40];
        let right = fit_smoothed_temperature(&labelled(&logits, &[0; 40])).expect("photographs");
        assert!((right - 4.0 / 41.0_f64.ln()).abs() < 1e-6, "{right}");
        let mut classes = [0; 40];
        classes[0] = 1;
        let one_wrong = fit_smoothed_temperature(&labelled(&logits, &classes)).expect("photographs");
        assert!(one_wrong > right && one_wrong < 1.5 * right, "{one_wrong} {right}");
        assert!(!is_bound_of_search(right) && !is_bound_of_search(one_wrong));
        // Many photographs need no smoothing.
        let (logits, classes) = (vec![[4.0, 0.0]; 4000], (0..4000).map(|at| usize::from(at % 4 == 0)));
        let many =
            fit_smoothed_temperature(&labelled(&logits, &classes.collect::<Vec<_>>())).expect("photographs");
        assert!((many - 4.0 / 3.0_f64.ln()).abs() < 0.01, "{many}");
    }

    #[test]
    fn a_mistake_has_the_probability_that_the_best_guess_leaves() {
        let logits = [0.5_f32, 0.3, 0.2].map(f32::ln);
        assert!((negative_log_likelihood_of_a_mistake(&logits, 1.0) + 0.5_f64.ln()).abs() < 1e-6);
        // Of two tied classes one is the best guess.
        assert!((negative_log_likelihood_of_a_mistake(&[2.0, 2.0], 3.0) + 0.5_f64.ln()).abs() < 1e-9);
        assert!(negative_log_likelihood_of_a_mistake(&[800.0, 0.0], 1.0) > 799.0, "without overflow");
    }

    #[test]
    fn guesses_that_are_worse_than_chance_end_at_the_upper_bound() {
        let logits = [[4.0, 0.0]; 3];
        let temperature = fit_smoothed_temperature(&labelled(&logits, &[1, 1, 1])).expect("photographs");
        assert!(is_bound_of_search(temperature) && temperature > 900.0, "{temperature}");
    }

    #[test]
    fn no_photographs_are_refused() {
        assert!(matches!(fit_temperature(&[]), Err(Error::CannotCalibrate { .. })));
        let photos = [Labelled { logits: &[1.0], class: 1, weight: 1.0 }];
        assert!(matches!(fit_temperature(&photos), Err(Error::CannotCalibrate { .. })));
    }

    #[test]
    fn platt_scaling_meets_its_own_smoothed_shares() {
        // Two scores: at 1 both known photographs and one of the three others, at -1 the other two. The fit is
        // exact at each score: it is the weighted mean target there.
        let fit = fit_platt(&[1.0, 1.0], &[1.0, -1.0, -1.0]).expect("both sides");
        let sigmoid = |known: f64| 1.0 / (1.0 + (-(fit.scale * known + fit.bias)).exp());
        let (of_known, of_others) = (3.0 / 4.0, 1.0 / 5.0);
        let at_1 = (0.5 * of_known + 0.5 / 3.0 * of_others) / (0.5 + 0.5 / 3.0);
        assert!((sigmoid(1.0) - at_1).abs() < 1e-6, "{} {at_1}", sigmoid(1.0));
        assert!((sigmoid(-1.0) - of_others).abs() < 1e-6, "{}", sigmoid(-1.0));
    }

    #[test]
    fn platt_scaling_does_not_care_for_the_range_of_the_scores() {
        let (known, others) = ([3.0_f32, 2.0, 5.0, 1.0], [0.5_f32, 1.5, -2.0]);
        let fit = fit_platt(&known, &others).expect("both sides");
        let shift = |scores: &[f32]| scores.iter().map(|score| score * 1000.0 + 20_000.0).collect::<Vec<_>>();
        let shifted = fit_platt(&shift(&known), &shift(&others)).expect("both sides");
        assert!((shifted.scale * 1000.0 - fit.scale).abs() < 1e-3, "{shifted:?} {fit:?}");
        assert!((shifted.scale * 20_000.0 + shifted.bias - fit.bias).abs() < 1e-2, "{shifted:?} {fit:?}");
    }

    #[test]
    fn perfectly_parted_scores_have_a_finite_fit() {
        let fit = fit_platt(&[5.0, 6.0], &[-5.0, -6.0]).expect("both sides");
        assert!(fit.scale.is_finite() && fit.scale > 0.0 && fit.bias.abs() < 1e-6, "{fit:?}");
    }

    #[test]
    fn scores_that_say_nothing_are_refused() {
        for (known, others) in [
            (&[1.0_f32][..], &[][..]),
            (&[], &[1.0]),
            (&[1.0, 1.0], &[1.0]),
            (&[0.0, 1.0], &[2.0, 3.0]),
            (&[f32::NAN], &[1.0]),
        ] {
            assert!(matches!(fit_platt(known, others), Err(Error::CannotCalibrate { .. })), "{known:?}");
        }
    }

    #[test]
    fn calibration_error_is_the_distance_of_confidence_and_accuracy() {
        // A bin at 0.9 with accuracy 1/2, and a bin at 0.3 with accuracy 1/3.
        let answers = [(0.9, true), (0.9, false), (0.3, false), (0.3, true), (0.3, false)];
        let expected = (2.0 * 0.4 + 3.0 * (1.0_f64 / 3.0 - 0.3)) / 5.0;
        assert!((expected_calibration_error(&answers, 10) - expected).abs() < 1e-9);
        assert!(expected_calibration_error(&[(1.0, true)], 15).abs() < 1e-9);
        assert!(expected_calibration_error(&[], 15).abs() < 1e-9);
    }
}
