use std::collections::BTreeMap;

use super::Share;

/// Confusion matrix over the photographs of known labels. Sparse: only pairs that occur are kept, so it stays small
/// with many classes.
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
    /// Number of photographs.
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

    /// The confusions, the most frequent first.
    pub fn mistakes(&self) -> Vec<Confused> {
        let mut mistakes: Vec<_> = self
            .cells()
            .filter(|(truth, guess, _)| truth != guess)
            .map(|(truth, guess, count)| Confused { truth, guess, count })
            .collect();
        // Ties are ordered by class, so that the order is the same in each run.
        mistakes.sort_by_key(|mistake| (std::cmp::Reverse(mistake.count), mistake.truth, mistake.guess));
        mistakes
    }

    /// The figures of each class that occurs, as truth or as guess.
    pub fn classes(&self) -> Vec<ClassFigures> {
        let mut figures: BTreeMap<usize, ClassFigures> = BTreeMap::new();
        let none = Share { count: 0, total: 0 };
        for (truth, guess, count) in self.cells() {
            let right = if truth == guess { count } else { 0 };
            // One cell counts for the recall of its row and for the precision of its column.
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

    /// Macro recall: the mean recall of the classes that have a photograph, in 0..=1; `None` without photographs.
    pub fn macro_recall(&self) -> Option<f64> {
        let recalls: Vec<f64> = self.classes().iter().filter_map(|figures| figures.recall.value()).collect();
        (!recalls.is_empty()).then(|| recalls.iter().sum::<f64>() / recalls.len() as f64)
    }

    /// The 95% interval of [`Confusion::macro_recall`] by the method of variance estimates recovery (Zou, Huang and
    /// Zhang, 2009): the squared distances of the classes' Wilson limits from their estimates are added. `None` without
    /// photographs.
    pub fn macro_recall_interval(&self) -> Option<[f64; 2]> {
        let mean = self.macro_recall()?;
        let classes = self.classes();
        let recalls: Vec<(f64, [f64; 2])> = classes
            .iter()
            .filter_map(|figures| Some((figures.recall.value()?, figures.recall.interval())))
            .collect();
        let distance = |end: usize| {
            let squares = recalls.iter().map(|(recall, ends)| (recall - ends[end]).powi(2));
            squares.sum::<f64>().sqrt() / recalls.len() as f64
        };
        Some([(mean - distance(0)).max(0.0), (mean + distance(1)).min(1.0)])
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
    fn the_interval_of_macro_recall_is_that_of_its_classes_put_together() {
        // One class: Wilson's of 8 of 10.
        let one = Confusion::of((0..10).map(|index| (0, usize::from(index >= 8))));
        let [low, high] = one.macro_recall_interval().unwrap();
        assert_near(low, 0.490_16);
        assert_near(high, 0.943_32);
        // Four such classes: half the distance to each limit.
        let four =
            Confusion::of((0..40).map(|index| (index / 10, if index % 10 >= 8 { 9 } else { index / 10 })));
        let [low, high] = four.macro_recall_interval().unwrap();
        assert_near(low, 0.8 - (0.8 - 0.490_16) / 2.0);
        assert_near(high, 0.8 + (0.943_32 - 0.8) / 2.0);
        assert_eq!(Confusion::default().macro_recall_interval(), None);
    }

    #[test]
    fn mistakes_come_most_frequent_first() {
        let mistakes: Vec<_> =
            confusion().mistakes().iter().map(|one| (one.truth, one.guess, one.count)).collect();
        assert_eq!(mistakes, [(0, 1, 2), (2, 0, 1)]);
        assert_eq!(confusion().count(0, 0), 2);
    }
}
