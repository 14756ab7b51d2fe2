use std::collections::BTreeMap;

use super::Share;

/// How often each class was taken for which, over the photographs of known labels. Only pairs that occur are
/// kept, so that it stays small however many classes there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Confusion {
    counts: BTreeMap<(usize, usize), usize>,
}

/// Photographs of one class that were taken for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confused {
    /// The right class.
    pub truth: usize,
    /// The best guess, another class.
    pub guess: usize,
    /// How many.
    pub count: usize,
}

/// The figures of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassFigures {
    /// The class.
    pub class: usize,
    /// Recall: photographs of this class with the right best guess.
    pub recall: Share,
    /// Precision: right ones among the photographs of known labels with this best guess.
    pub precision: Share,
}

impl Confusion {
    /// Counts pairs of right class and best guess.
    pub fn of(pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut counts = BTreeMap::new();
        for pair in pairs {
            *counts.entry(pair).or_insert(0) += 1;
        }
        Self { counts }
    }

    /// How many photographs of `truth` had the best guess `guess`.
    pub fn count(&self, truth: usize, guess: usize) -> usize {
        self.counts.get(&(truth, guess)).copied().unwrap_or(0)
    }

    /// Right class, best guess and count of each pair that occurs, in order.
    pub fn cells(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        self.counts.iter().map(|(&(truth, guess), &count)| (truth, guess, count))
    }

    /// The mistakes, most frequent first.
    pub fn mistakes(&self) -> Vec<Confused> {
        let mut mistakes: Vec<_> = self
            .cells()
            .filter(|(truth, guess, _)| truth != guess)
            .map(|(truth, guess, count)| Confused { truth, guess, count })
            .collect();
        mistakes.sort_by_key(|mistake| (std::cmp::Reverse(mistake.count), mistake.truth, mistake.guess));
        mistakes
    }

    /// The figures of each class that occurs, as truth or as guess.
    pub fn classes(&self) -> Vec<ClassFigures> {
        let mut figures: BTreeMap<usize, ClassFigures> = BTreeMap::new();
        let none = Share { count: 0, total: 0 };
        for (truth, guess, count) in self.cells() {
            let right = if truth == guess { count } else { 0 };
            for (class, is_truth) in [(truth, true), (guess, false)] {
                let entry =
                    figures.entry(class).or_insert(ClassFigures { class, recall: none, precision: none });
                let share = if is_truth { &mut entry.recall } else { &mut entry.precision };
                share.count += right;
                share.total += count;
            }
        }
        figures.into_values().collect()
    }

    /// Recall averaged over the classes that have a photograph, so that each counts the same; `None` of
    /// nothing.
    pub fn macro_recall(&self) -> Option<f64> {
        let recalls: Vec<f64> = self.classes().iter().filter_map(|figures| figures.recall.value()).collect();
        (!recalls.is_empty()).then(|| recalls.iter().sum::<f64>() / recalls.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_near;

    fn confusion() -> Confusion {
        Confusion::of([(0, 0), (0, 0), (0, 1), (0, 1), (1, 1), (2, 0)])
    }

    #[test]
    fn recall_and_precision_are_counted_by_class() {
        let share = |count, total| Share { count, total };
        assert_eq!(
            confusion().classes(),
            [
                ClassFigures { class: 0, recall: share(2, 4), precision: share(2, 3) },
                ClassFigures { class: 1, recall: share(1, 1), precision: share(1, 3) },
                ClassFigures { class: 2, recall: share(0, 1), precision: share(0, 0) },
            ]
        );
    }

    #[test]
    fn each_class_that_occurs_counts_the_same() {
        assert_near(confusion().macro_recall().unwrap(), (0.5 + 1.0 + 0.0) / 3.0);
        assert_eq!(Confusion::default().macro_recall(), None);
        // A class that is only ever guessed has no recall and does not count.
        assert_near(Confusion::of([(0, 0), (0, 1)]).macro_recall().unwrap(), 0.5);
    }

    #[test]
    fn mistakes_come_most_frequent_first() {
        let mistakes: Vec<_> =
            confusion().mistakes().iter().map(|one| (one.truth, one.guess, one.count)).collect();
        assert_eq!(mistakes, [(0, 1, 2), (2, 0, 1)]);
        assert_eq!(confusion().count(0, 0), 2);
    }
}
