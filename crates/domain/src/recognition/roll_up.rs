use serde::{Deserialize, Serialize};

use crate::Category;
use crate::recognition::{Verdict, VerdictThresholds};

/// The category that answers for its part types when they tie.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CategoryGuess {
    /// The category of the best guess.
    pub category: Category,
    /// Calibrated probability in 0..=1 that the part belongs there: the sum over the category's types.
    pub confidence: f32,
}

impl CategoryGuess {
    /// The category to which the scores of one photograph roll up, if they do.
    ///
    /// `probabilities` `[c]` are the calibrated ones of all classes, each in 0..=1 and summing to 1; `categories`
    /// `[c]` has the category of each class, `None` for a type that is in no catalogue. With `best` the probability
    /// of the most probable class and `sum` over the classes of its category, a category is returned if:
    ///
    /// - the verdict is [`Verdict::NotSure`], and the known score is at least `identified_known_score`: a
    ///   photograph unlike all known parts is unlike their category too;
    /// - `sum >= category_confidence > best`: the category is sure enough, but its best type alone would not make
    ///   it so. Otherwise the category would only repeat a single type less precisely.
    ///
    /// Only the category of the best guess can be returned, however high the sums of others are: another one would
    /// contradict the guess. `None` without classes, if the lengths differ, and if a value is NaN.
    pub fn roll_up(
        probabilities: &[f32],
        categories: &[Option<Category>],
        known_score: f32,
        thresholds: &VerdictThresholds,
    ) -> Option<Self> {
        if probabilities.len() != categories.len() || probabilities.iter().any(|p| p.is_nan()) {
            return None;
        }
        // No roll-up if the threshold was not measured.
        let needed = thresholds.category_confidence?;
        // The first of ties, as in the ranking.
        let best_class = (0..probabilities.len())
            .reduce(|best, class| if probabilities[class] > probabilities[best] { class } else { best })?;
        let best = probabilities[best_class];
        // Only the category of the best guess, so that the two never contradict.
        let category = categories[best_class]?;
        let is_open_only_for_its_type = known_score >= thresholds.identified_known_score
            && Verdict::decide(best, known_score, thresholds) == Verdict::NotSure;
        // In f64, so that the order of the classes cannot tip the comparison.
        let sum: f64 = probabilities
            .iter()
            .zip(categories)
            .filter(|(_, other)| **other == Some(category))
            .map(|(probability, _)| f64::from(*probability))
            .sum();
        let confidence = (sum as f32).min(1.0);
        (is_open_only_for_its_type && confidence >= needed && best < needed)
            .then_some(Self { category, confidence })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const THRESHOLDS: VerdictThresholds = VerdictThresholds {
        not_a_part_below: 0.1,
        identified_known_score: 0.5,
        identified_confidence: 0.8,
        category_confidence: Some(0.8),
    };
    const BRAKE: Option<Category> = Some(Category::Brake);
    const ENGINE: Option<Category> = Some(Category::Engine);

    fn at(category_confidence: f32) -> VerdictThresholds {
        VerdictThresholds { category_confidence: Some(category_confidence), ..THRESHOLDS }
    }

    #[test]
    fn a_category_answers_when_its_siblings_tie() {
        let classes = [BRAKE, BRAKE, ENGINE, BRAKE, None];
        let cases = [
            ("two siblings", [0.5, 0.45, 0.05, 0.0, 0.0], Some(0.95)),
            ("three siblings", [0.3, 0.3, 0.1, 0.3, 0.0], Some(0.9)),
            ("exactly at the threshold", [0.5, 0.25, 0.1875, 0.0625, 0.0], Some(0.8125)),
            ("the best stands last", [0.4, 0.0, 0.1, 0.5, 0.0], Some(0.9)),
            ("the category is open too", [0.45, 0.3, 0.25, 0.0, 0.0], None),
            ("one type is sure by itself", [0.85, 0.1, 0.05, 0.0, 0.0], None),
            ("the best guess is of another category", [0.3, 0.3, 0.35, 0.05, 0.0], None),
            ("the best guess is in no catalogue", [0.3, 0.15, 0.05, 0.1, 0.4], None),
        ];
        let sum = |found: Option<CategoryGuess>| found.map_or(0.0, |guess| guess.confidence);
        let wrong: Vec<_> = cases
            .into_iter()
            .map(|(name, probabilities, expected)| {
                (name, CategoryGuess::roll_up(&probabilities, &classes, 0.9, &at(0.8125)), expected)
            })
            .filter(|(_, found, expected)| {
                found.map(|guess| guess.category) != expected.and(BRAKE)
                    || (sum(*found) - expected.unwrap_or(0.0)).abs() > 1e-6
            })
            .collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn one_type_that_is_almost_all_of_its_category_is_no_tie() {
        // The category's threshold may be lower than the type's; then the type reaches it by itself.
        let roll_up = |best: f32| {
            CategoryGuess::roll_up(&[best, 0.7 - best, 0.3], &[BRAKE, BRAKE, ENGINE], 0.9, &at(0.6))
        };
        assert_eq!(roll_up(0.69), None);
        assert!(roll_up(0.36).is_some());
    }

    #[test]
    fn a_photograph_unlike_the_known_parts_is_unlike_their_category() {
        let roll_up = |known_score| {
            CategoryGuess::roll_up(&[0.5, 0.5], &[BRAKE, BRAKE], known_score, &THRESHOLDS).is_some()
        };
        let found = [0.0, 0.09, 0.1, 0.49, 0.5, 1.0, f32::NAN].map(roll_up);
        assert_eq!(found, [false, false, false, false, true, true, false]);
    }

    #[test]
    fn of_equal_classes_the_first_is_the_guess() {
        let first = |classes: &[Option<Category>]| {
            CategoryGuess::roll_up(&[0.4, 0.4, 0.2], classes, 0.9, &at(0.5)).map(|guess| guess.category)
        };
        assert_eq!(first(&[BRAKE, ENGINE, BRAKE]), Some(Category::Brake));
        assert_eq!(first(&[BRAKE, ENGINE, ENGINE]), None);
    }

    #[test]
    fn rounded_probabilities_never_sum_up_to_more_than_certainty() {
        let guess = CategoryGuess::roll_up(&[0.5, 0.500_001], &[BRAKE, BRAKE], 0.9, &THRESHOLDS).unwrap();
        assert!((0.99..=1.0).contains(&guess.confidence), "{}", guess.confidence);
    }

    #[test]
    fn what_makes_no_sense_rolls_up_to_nothing() {
        let roll_up = |probabilities: &[f32], categories: &[Option<Category>]| {
            CategoryGuess::roll_up(probabilities, categories, 0.9, &THRESHOLDS)
        };
        assert_eq!(roll_up(&[], &[]), None);
        assert_eq!(roll_up(&[0.5, 0.5], &[BRAKE]), None);
        assert_eq!(roll_up(&[0.5, f32::NAN, 0.5], &[BRAKE; 3]), None);
        let without = VerdictThresholds { category_confidence: None, ..THRESHOLDS };
        assert_eq!(CategoryGuess::roll_up(&[0.5, 0.5], &[BRAKE; 2], 0.9, &without), None);
    }

    /// Classes with their categories and probabilities that sum to 1.
    fn scores() -> impl Strategy<Value = (Vec<f32>, Vec<Option<Category>>)> {
        let category = prop::option::weighted(0.9, prop::sample::select(&Category::ALL[..3]));
        prop::collection::vec((0.0_f32..1.0, category), 1..12).prop_map(|classes| {
            let (weights, categories): (Vec<f32>, Vec<_>) = classes.into_iter().unzip();
            // To the fourth power, so that a few classes have most of the probability, as with a trained model.
            let weights: Vec<f32> = weights.iter().map(|weight| weight.powi(4) + 1e-6).collect();
            let total: f32 = weights.iter().sum();
            (weights.iter().map(|weight| weight / total).collect(), categories)
        })
    }

    proptest! {
        #[test]
        fn an_answer_keeps_to_its_rule(
            (probabilities, categories) in scores(), known_score in 0.0_f32..=1.0, needed in 0.0_f32..=1.0,
        ) {
            let thresholds = at(needed);
            let Some(guess) = CategoryGuess::roll_up(&probabilities, &categories, known_score, &thresholds)
            else { return Ok(()) };
            let best = (0..probabilities.len())
                .rev()
                .max_by(|&a, &b| probabilities[a].total_cmp(&probabilities[b]))
                .unwrap();
            let members = categories.iter().filter(|category| **category == Some(guess.category)).count();
            prop_assert_eq!(categories[best], Some(guess.category));
            prop_assert!(members >= 2, "one type has no siblings");
            prop_assert!(guess.confidence >= needed && guess.confidence <= 1.0);
            prop_assert!(probabilities[best] < needed && guess.confidence > probabilities[best]);
            let verdict = Verdict::decide(probabilities[best], known_score, &thresholds);
            prop_assert_eq!(verdict, Verdict::NotSure);
            prop_assert!(known_score >= thresholds.identified_known_score);
        }

        #[test]
        fn the_order_of_the_other_classes_does_not_matter(
            (mut probabilities, mut categories) in scores(), needed in 0.0_f32..=1.0,
        ) {
            let before = CategoryGuess::roll_up(&probabilities, &categories, 0.9, &at(needed));
            probabilities.reverse();
            categories.reverse();
            let after = CategoryGuess::roll_up(&probabilities, &categories, 0.9, &at(needed));
            // Two classes with exactly the same probability name another best guess.
            let mut sorted = probabilities.clone();
            sorted.sort_unstable_by(f32::total_cmp);
            prop_assume!(sorted.len() < 2 || sorted[sorted.len() - 2] < sorted[sorted.len() - 1]);
            prop_assert_eq!(before.map(|guess| guess.category), after.map(|guess| guess.category));
        }

        #[test]
        fn a_lower_threshold_never_takes_a_surer_category_away_from_a_tie(
            (probabilities, categories) in scores(), needed in 0.0_f32..=1.0,
        ) {
            let best = probabilities.iter().copied().fold(0.0, f32::max);
            if CategoryGuess::roll_up(&probabilities, &categories, 0.9, &at(needed)).is_some() {
                let lower = f32::midpoint(best, needed);
                prop_assume!(lower > best);
                let guess = CategoryGuess::roll_up(&probabilities, &categories, 0.9, &at(lower));
                prop_assert!(guess.is_some(), "{best} < {lower} <= {needed}");
            }
        }
    }
}
