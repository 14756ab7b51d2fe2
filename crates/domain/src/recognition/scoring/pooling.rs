//! Pooling: one answer from several photographs of one part.

use crate::recognition::Candidate;
use crate::recognition::scoring::{FusedScores, softmax};
use crate::{Category, PartLabel};

/// Minimum weight of a photograph, so that weights are defined even if no photograph shows a part.
const LEAST_WEIGHT: f64 = 1e-6;

/// The pooled scores of several photographs of one part.
#[derive(Debug, Clone, PartialEq)]
pub struct OpinionPool {
    /// The pooled scores, of the same type as those of a single photograph.
    pub scores: FusedScores,
    /// Weight of each photograph, `[n]` in the order of the photographs: in 0..=1, summing to 1.
    pub weights: Vec<f32>,
    /// Index of the photograph that shows the answer best: the one with the greatest product of known score and
    /// probability of the most probable label; the first of ties.
    pub lead: usize,
}

impl OpinionPool {
    /// The scores of a single photograph, bit for bit.
    pub fn of_one(photograph: FusedScores) -> Self {
        Self { scores: photograph, weights: vec![1.0], lead: 0 }
    }

    /// Pools the scores of `[n]` photographs of one part; `None` for none. The scores of a single photograph stay the
    /// same, bit for bit.
    ///
    /// A photograph is weighted by its known score `k_i` in 0..=1, `w_i = k_i / sum_j k_j`, so that one that misses the
    /// part has little influence. The probabilities are the weighted geometric mean, `p(l) = prod_i p_i(l)^(w_i) / Z`,
    /// which is the logarithmic opinion pool (Genest and Zidek, "Combining Probability Distributions", 1986), and the
    /// known score is `sum_i w_i k_i`.
    ///
    /// The weights sum to 1, and not to `n` as in a product of independent evidence, because the errors of photographs
    /// of one part are correlated, and `n` copies of a photograph have no more evidence than one.
    ///
    /// A taught label that is not among the nearest references of a photograph gets the lowest probability that this
    /// photograph gives to any label.
    pub fn new(mut photographs: Vec<FusedScores>) -> Option<Self> {
        if photographs.len() <= 1 {
            return photographs.pop().map(Self::of_one);
        }
        let weights = weights(&photographs);
        let (labels, categories) = all_labels(&photographs);
        let mut logarithms = vec![0.0; labels.len()];
        for (photograph, weight) in photographs.iter().zip(&weights) {
            for (sum, logarithm) in logarithms.iter_mut().zip(log_probabilities_of(photograph, &labels)) {
                // A weighted geometric mean is a weighted sum of logarithms.
                *sum += weight * logarithm;
            }
        }
        let known_score: f64 = photographs
            .iter()
            .zip(&weights)
            .map(|(photograph, weight)| weight * f64::from(photograph.known_score))
            .sum();
        let scores = FusedScores {
            labels,
            categories,
            probabilities: softmax(&logarithms).into_iter().map(|probability| probability as f32).collect(),
            known_score: known_score as f32,
        };
        Some(Self {
            lead: lead(&photographs, &scores),
            weights: weights.into_iter().map(|weight| weight as f32).collect(),
            scores,
        })
    }
}

/// In 0..=1, summing to 1.
fn weights(photographs: &[FusedScores]) -> Vec<f64> {
    let known: Vec<f64> =
        // Otherwise known scores of 0 for all photographs would give 0 / 0.
        photographs.iter().map(|scores| f64::from(scores.known_score).max(LEAST_WEIGHT)).collect();
    let total: f64 = known.iter().sum();
    known.iter().map(|known| known / total).collect()
}

/// The classes, which all photographs share, then each taught label once.
fn all_labels(photographs: &[FusedScores]) -> (Vec<PartLabel>, Vec<Option<Category>>) {
    let mut labels: Vec<PartLabel> = Vec::new();
    let mut categories = Vec::new();
    for photograph in photographs {
        for (label, category) in photograph.labels.iter().zip(&photograph.categories) {
            if !labels.contains(label) {
                labels.push(label.clone());
                categories.push(*category);
            }
        }
    }
    (labels, categories)
}

/// `ln p` of each of `labels` by one photograph.
fn log_probabilities_of(photograph: &FusedScores, labels: &[PartLabel]) -> Vec<f64> {
    let own = photograph.log_probabilities();
    // Not 0, which would rule the label out by one photograph whose references happen to lack it.
    let least = own.iter().copied().fold(0.0, f64::min);
    let logarithm =
        |label| photograph.labels.iter().position(|own_label| own_label == label).map_or(least, |at| own[at]);
    labels.iter().map(logarithm).collect()
}

fn lead(photographs: &[FusedScores], pooled: &FusedScores) -> usize {
    let best = pooled.ranking(1).into_iter().next().map(|Candidate { label, .. }| label);
    let shown = |photograph: &FusedScores| {
        let at = photograph.labels.iter().position(|label| Some(label) == best.as_ref());
        at.map_or(0.0, |at| photograph.probabilities[at] * photograph.known_score)
    };
    (0..photographs.len())
        .max_by(|&a, &b| shown(&photographs[a]).total_cmp(&shown(&photographs[b])).then(b.cmp(&a)))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CLASSES: [&str; 4] = ["rim", "piston", "muffler", "battery"];

    fn label(text: &str) -> PartLabel {
        PartLabel::new(text).unwrap()
    }

    /// The scores of a photograph; `taught` are labels besides the classes.
    fn photograph(shares: &[f32], taught: &[&str], known_score: f32) -> FusedScores {
        let labels: Vec<PartLabel> = CLASSES.iter().chain(taught).map(|text| label(text)).collect();
        assert_eq!(labels.len(), shares.len());
        let total: f32 = shares.iter().sum();
        FusedScores {
            categories: vec![Some(Category::Engine); labels.len()],
            labels,
            probabilities: shares.iter().map(|share| share / total).collect(),
            known_score,
        }
    }

    fn pool(photographs: &[FusedScores]) -> OpinionPool {
        OpinionPool::new(photographs.to_vec()).unwrap()
    }

    fn probability(pool: &OpinionPool, text: &str) -> f32 {
        let at = pool.scores.labels.iter().position(|found| *found == label(text)).unwrap();
        pool.scores.probabilities[at]
    }

    #[test]
    fn no_photograph_says_nothing_and_one_what_it_says() {
        assert_eq!(OpinionPool::new(Vec::new()), None);
        let one = photograph(&[0.7, 0.2, 0.05, 0.05], &[], 0.9);
        let pool = pool(std::slice::from_ref(&one));
        assert_eq!((pool.scores, pool.weights, pool.lead), (one, vec![1.0], 0));
    }

    #[test]
    fn photographs_that_agree_are_as_sure_as_each_and_not_surer_than_all() {
        let one = photograph(&[0.8, 0.1, 0.05, 0.05], &[], 0.9);
        let other = photograph(&[0.9, 0.02, 0.04, 0.04], &[], 0.9);
        let pool = pool(&[one, other]);
        // sqrt(0.72) beside sqrt(0.002), and twice sqrt(0.002).
        let expected = 0.72_f32.sqrt() / (0.72_f32.sqrt() + 3.0 * 0.002_f32.sqrt());
        assert!((probability(&pool, "rim") - expected).abs() < 1e-6);
        assert_eq!(pool.lead, 1);
    }

    #[test]
    fn a_photograph_that_shows_no_part_hardly_counts() {
        let good = photograph(&[0.9, 0.04, 0.03, 0.03], &[], 0.98);
        let miss = photograph(&[0.05, 0.05, 0.1, 0.8], &[], 0.01);
        for photographs in [[good.clone(), miss.clone()], [miss, good.clone()]] {
            let pool = pool(&photographs);
            assert!((probability(&pool, "rim") - 0.9).abs() < 0.02, "{:?}", pool.scores);
            assert!(pool.scores.known_score > 0.96);
            assert_eq!(photographs[pool.lead], good);
            assert!(pool.weights[pool.lead] > 0.98);
        }
    }

    #[test]
    fn photographs_that_show_nothing_at_all_have_equal_weights() {
        let pool =
            pool(&[photograph(&[1.0, 1.0, 1.0, 1.0], &[], 0.0), photograph(&[1.0, 1.0, 1.0, 1.0], &[], 0.0)]);
        assert_eq!((pool.weights, pool.scores.known_score.to_bits()), (vec![0.5, 0.5], 0));
    }

    #[test]
    fn a_taught_part_that_only_one_photograph_shows_keeps_a_chance() {
        let front = photograph(&[0.01, 0.01, 0.01, 0.01, 0.96], &["egr-valve"], 0.95);
        let back = photograph(&[0.4, 0.3, 0.2, 0.1], &[], 0.2);
        let pool = pool(&[back, front]);
        assert_eq!(pool.scores.ranking(1)[0].label, label("egr-valve"));
        assert_eq!((pool.scores.labels.len(), pool.scores.categories.len(), pool.lead), (5, 5, 1));
    }

    prop_compose! {
        fn any_photograph()(
            shares in prop::collection::vec(0.0_f32..1.0, CLASSES.len()),
            taught in prop::option::of((0.0_f32..1.0, prop::bool::ANY)),
            known_score in 0.0_f32..=1.0,
        ) -> FusedScores {
            let mut shares: Vec<f32> = shares.into_iter().map(|share| share + 1e-9).collect();
            let names = match taught {
                Some((share, is_one)) => {
                    shares.push(share + 1e-9);
                    vec![if is_one { "egr-valve" } else { "door" }]
                }
                None => Vec::new(),
            };
            photograph(&shares, &names, known_score)
        }
    }

    proptest! {
        #[test]
        fn probabilities_and_weights_sum_to_one(
            photographs in prop::collection::vec(any_photograph(), 1..=5)
        ) {
            let pool = pool(&photographs);
            prop_assert!((pool.scores.probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-4);
            prop_assert!((pool.weights.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            prop_assert!(pool.lead < photographs.len());
            let known = photographs.iter().map(|scores| scores.known_score);
            let (least, most) = known.fold((1.0_f32, 0.0_f32), |(l, m), k| (l.min(k), m.max(k)));
            prop_assert!((least - 1e-5..=most + 1e-5).contains(&pool.scores.known_score));
        }

        #[test]
        fn the_order_of_the_photographs_does_not_matter(
            photographs in prop::collection::vec(any_photograph(), 2..=5), turn in 1_usize..5
        ) {
            let mut turned = photographs.clone();
            turned.rotate_left(turn % photographs.len());
            let (one, other) = (pool(&photographs), pool(&turned));
            for (label, p) in one.scores.labels.iter().zip(&one.scores.probabilities) {
                prop_assert!((probability(&other, label.as_str()) - p).abs() < 1e-5);
            }
            prop_assert!((one.scores.known_score - other.scores.known_score).abs() < 1e-5);
        }

        #[test]
        fn copies_of_a_photograph_say_what_it_says(one in any_photograph(), n in 1_usize..=5) {
            let pool = pool(&vec![one.clone(); n]);
            prop_assert_eq!(&pool.scores.labels, &one.labels);
            prop_assert!((pool.scores.known_score - one.known_score).abs() < 1e-6);
            prop_assert_eq!(pool.lead, 0);
            for (pooled, own) in pool.scores.probabilities.iter().zip(&one.probabilities) {
                prop_assert!((pooled - own).abs() < 1e-5);
            }
        }
    }
}
