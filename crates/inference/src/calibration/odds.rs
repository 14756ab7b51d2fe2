//! Fits the weight of references against the classes of a model.

/// Maximum number of Newton steps; about ten are needed.
const STEPS: usize = 100;
/// L2 penalty on the factors. It keeps them finite when the photographs are perfectly separated, and changes
/// factors of about 15 by less than 0.1.
const RIDGE: f64 = 1e-5;

/// A query photograph, with some parts taught by references.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Cosine to the mean direction of the references of each taught part, `[t]`, in -1..=1.
    pub similarities: Vec<f64>,
    /// Cosine to the prototype of the nearest class, in -1..=1.
    pub class_similarity: f64,
    /// Index of the taught part that it shows, less than t; `None` for a class of the model.
    pub taught: Option<usize>,
    /// Weight in the loss; 0 or more.
    pub weight: f64,
}

/// Factors of the logit of a taught part, `score_scale * s - class_scale * c + score_bias`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReferenceOdds {
    /// Factor of the similarity; greater than 0.
    pub score_scale: f64,
    /// Factor of the similarity to the nearest class; 0 or more.
    pub class_scale: f64,
    /// Offset.
    pub score_bias: f64,
}

/// The maximum-likelihood factors, where the logits `z` of the taught parts are appended to the log probabilities
/// of the classes, which sum to 1 as probabilities.
///
/// The likelihood of a photograph of taught part t is `exp(z_t) / (1 + sum_j exp(z_j))`, and that of a photograph
/// of a class is, up to a factor without `z`, `1 / (1 + sum_j exp(z_j))`: a conditional logit (`McFadden`, 1974).
/// Its negative logarithm is convex in the factors, so that Newton's method finds the one minimum. If `class_scale`
/// would be negative, so that references would count for more near a class, it is set to 0 and the other factors
/// are fitted again.
///
/// `None` without photographs of positive weight of both kinds, for values that are not finite, or if `score_scale`
/// would not be greater than 0, because photographs of a taught part are no nearer to its references than others.
pub fn fit_reference_odds(photos: &[Asked]) -> Option<ReferenceOdds> {
    let counts = |is_taught: bool| {
        photos.iter().any(|photo| photo.taught.is_some() == is_taught && photo.weight > 0.0)
    };
    let is_sound = photos.iter().all(|photo| {
        photo.taught.is_none_or(|taught| taught < photo.similarities.len())
            && photo.class_similarity.is_finite()
            && photo.similarities.iter().all(|similarity| similarity.is_finite())
    });
    if !(counts(true) && counts(false) && is_sound) {
        return None;
    }
    let mut factors = newton(photos, [true; 3]);
    if factors[1] < 0.0 {
        factors = newton(photos, [true, false, true]);
    }
    let [score_scale, class_scale, score_bias] = factors;
    (score_scale > 0.0 && factors.iter().all(|factor| factor.is_finite())).then_some(ReferenceOdds {
        score_scale,
        class_scale,
        score_bias,
    })
}

/// The factors with the least loss, among those that are `free`; the others are 0.
fn newton(photos: &[Asked], free: [bool; 3]) -> [f64; 3] {
    let mut factors = [0.0; 3];
    let mut best = loss(photos, factors);
    for _ in 0..STEPS {
        let (gradient, hessian) = derivatives(photos, factors, free);
        let step = solve(hessian, gradient);
        // Halved until the loss falls: far from the minimum a full step may overshoot.
        let next = (0..40).find_map(|halving| {
            let share = 0.5_f64.powi(halving);
            let next = std::array::from_fn(|at| factors[at] - share * step[at]);
            let found = loss(photos, next);
            (found < best).then_some((next, found))
        });
        // No step lowers the loss any more: this is the minimum, to the precision of f64.
        let Some((next, found)) = next else { break };
        (factors, best) = (next, found);
    }
    factors
}

/// The features of a taught part: `z = dot(factors, columns)`.
fn columns(photo: &Asked, taught: usize) -> [f64; 3] {
    [photo.similarities[taught], -photo.class_similarity, 1.0]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Weighted negative log-likelihood with the ridge penalty.
fn loss(photos: &[Asked], factors: [f64; 3]) -> f64 {
    let total: f64 = photos.iter().map(|photo| photo.weight).sum();
    let of_photo = |photo: &Asked| {
        let logit = |taught: usize| dot(factors, columns(photo, taught));
        let logits = (0..photo.similarities.len()).map(logit);
        // The classes together have the logit 0, which is the term `exp(-largest)`.
        let largest = logits.clone().fold(0.0, f64::max);
        let sum = (-largest).exp() + logits.map(|z| (z - largest).exp()).sum::<f64>();
        photo.weight * (largest + sum.ln() - photo.taught.map_or(0.0, logit))
    };
    photos.iter().map(of_photo).sum::<f64>() / total + RIDGE * dot(factors, factors)
}

type Vector = [f64; 3];
type Matrix = [Vector; 3];

/// Adds a multiple of a vector.
fn add(sum: &mut Vector, factor: f64, vector: Vector) {
    sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += factor * value);
}

/// Adds a multiple of `vector vector^T`.
fn add_square(sum: &mut Matrix, factor: f64, vector: Vector) {
    sum.iter_mut().zip(vector).for_each(|(row, value)| add(row, factor * value, vector));
}

/// Gradient and Hessian of the loss. For a factor that is not free, the gradient is 0 and the Hessian row is that
/// of the identity.
fn derivatives(photos: &[Asked], factors: Vector, free: [bool; 3]) -> (Vector, Matrix) {
    let total: f64 = photos.iter().map(|photo| photo.weight).sum();
    let mut gradient = factors.map(|factor| 2.0 * RIDGE * factor);
    let mut hessian = [[0.0; 3]; 3];
    for (at, row) in hessian.iter_mut().enumerate() {
        row[at] = 2.0 * RIDGE;
    }
    for photo in photos {
        let n = photo.similarities.len();
        let logits: Vec<f64> = (0..n).map(|taught| dot(factors, columns(photo, taught))).collect();
        let largest = logits.iter().copied().fold(0.0, f64::max);
        let sum = (-largest).exp() + logits.iter().map(|z| (z - largest).exp()).sum::<f64>();
        let weight = photo.weight / total;
        // The gradient is the expected features under the model minus those of the true part, and the Hessian is
        // their covariance; the features of the classes are 0.
        let mut mean = [0.0; 3];
        for (taught, z) in logits.iter().enumerate() {
            let (share, column) = ((z - largest).exp() / sum, columns(photo, taught));
            add(&mut mean, share, column);
            add_square(&mut hessian, weight * share, column);
        }
        add(&mut gradient, weight, mean);
        add_square(&mut hessian, -weight, mean);
        if let Some(taught) = photo.taught {
            add(&mut gradient, -weight, columns(photo, taught));
        }
    }
    for (at, _) in free.iter().enumerate().filter(|(_, is_free)| !**is_free) {
        gradient[at] = 0.0;
        for row in &mut hessian {
            row[at] = 0.0;
        }
        hessian[at] = [0.0; 3];
        hessian[at][at] = 1.0;
    }
    (gradient, hessian)
}

/// Solves a system with a positive definite matrix by Cramer's rule.
fn solve(matrix: Matrix, right: Vector) -> Vector {
    let determinant = |m: Matrix| {
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    };
    let all = determinant(matrix);
    std::array::from_fn(|column| {
        let mut replaced = matrix;
        replaced.iter_mut().zip(right).for_each(|(row, value)| row[column] = value);
        determinant(replaced) / all
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(similarities: &[f64], class_similarity: f64, taught: Option<usize>) -> Asked {
        Asked { similarities: similarities.to_vec(), class_similarity, taught, weight: 1.0 }
    }

    /// Photographs that overlap: some are nearer to the wrong part.
    fn mixed() -> Vec<Asked> {
        let mut photos = Vec::new();
        for step in 0..20 {
            let x = f64::from(step) * 0.02;
            photos.push(asked(&[0.4 + x, 0.1], 0.2 + x / 2.0, Some(0)));
            photos.push(asked(&[0.1, 0.3 + x], 0.3, Some(1)));
            photos.push(asked(&[0.2, 0.1 + x], 0.5 + x / 3.0, None));
            photos.push(asked(&[0.45 - x, 0.3], 0.4, None));
        }
        photos
    }

    #[test]
    fn no_other_factors_are_more_likely() {
        let photos = mixed();
        let fit = fit_reference_odds(&photos).expect("both kinds");
        let found = [fit.score_scale, fit.class_scale, fit.score_bias];
        let least = loss(&photos, found);
        for at in 0..3 {
            for change in [-1.0, -0.1, 0.1, 1.0] {
                let mut other = found;
                other[at] += change;
                assert!(loss(&photos, other) > least, "{found:?} {at} {change}");
            }
        }
        assert!(fit.class_scale > 0.0, "{fit:?}");
    }

    #[test]
    fn weights_count_like_copies() {
        let mut weighed = mixed();
        weighed[0].weight = 3.0;
        let mut copied = mixed();
        copied.extend([copied[0].clone(), copied[0].clone()]);
        let (one, other) = (fit_reference_odds(&weighed), fit_reference_odds(&copied));
        let (one, other) = (one.expect("both kinds"), other.expect("both kinds"));
        assert!((one.score_scale - other.score_scale).abs() < 1e-4, "{one:?} {other:?}");
        assert!((one.score_bias - other.score_bias).abs() < 1e-4, "{one:?} {other:?}");
    }

    #[test]
    fn what_is_told_apart_without_a_mistake_has_finite_factors() {
        let photos: Vec<Asked> =
            (0..10).flat_map(|_| [asked(&[0.9], 0.1, Some(0)), asked(&[0.0], 0.9, None)]).collect();
        let fit = fit_reference_odds(&photos).expect("both kinds");
        assert!(fit.score_scale > 1.0 && fit.score_scale < 100.0, "{fit:?}");
        let logit = |s: f64, c: f64| fit.score_scale * s - fit.class_scale * c + fit.score_bias;
        assert!(logit(0.9, 0.1) > 2.0 && logit(0.0, 0.9) < -2.0, "{fit:?}");
    }

    #[test]
    fn a_factor_of_the_wrong_sign_is_left_out() {
        // Taught parts lie nearer to the classes than the photographs of the classes do.
        let photos: Vec<Asked> = (0..20)
            .flat_map(|step| {
                let x = f64::from(step) * 0.01;
                [asked(&[0.5 + x], 0.6, Some(0)), asked(&[0.4 + x], 0.2, None)]
            })
            .collect();
        let fit = fit_reference_odds(&photos).expect("both kinds");
        assert!(fit.class_scale.abs() < 1e-12 && fit.score_scale > 0.0, "{fit:?}");
    }

    #[test]
    fn what_says_nothing_is_refused() {
        assert_eq!(fit_reference_odds(&[]), None);
        assert_eq!(fit_reference_odds(&[asked(&[0.5], 0.1, Some(0))]), None, "of one kind");
        let backwards = [asked(&[0.1], 0.3, Some(0)), asked(&[0.9], 0.3, None), asked(&[0.2], 0.3, Some(0))];
        assert_eq!(fit_reference_odds(&backwards), None, "nearer to others");
        let unsound = [asked(&[f64::NAN], 0.3, Some(0)), asked(&[0.9], 0.3, None)];
        assert_eq!(fit_reference_odds(&unsound), None);
    }
}
