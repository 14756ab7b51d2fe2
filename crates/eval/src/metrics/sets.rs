use std::collections::BTreeMap;

use serde::Serialize;

use super::Share;

/// Coverage and size of candidate sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SetFigures {
    /// Sets that contain the right class.
    pub held: Share,
    /// Total number of classes in all sets.
    pub total_size: usize,
}

impl SetFigures {
    /// Counts over sets. Each item is whether the set contains the right class, and its size.
    fn of(sets: &[(bool, usize)]) -> Self {
        Self {
            held: Share::of(sets.iter().map(|(holds, _)| *holds)),
            total_size: sets.iter().map(|(_, size)| size).sum(),
        }
    }

    /// Mean number of classes in a set; `None` without sets.
    pub fn mean_size(&self) -> Option<f64> {
        (self.held.total > 0).then(|| self.total_size as f64 / self.held.total as f64)
    }
}

/// Coverage of candidate sets, overall and by class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetCoverage {
    /// Over all sets.
    pub overall: SetFigures,
    /// By right class: the lowest coverage first; of equal ones, the class with more sets first.
    pub classes: Vec<(usize, SetFigures)>,
    /// Number of photographs without a set, because it would be too large.
    pub without: usize,
}

impl SetCoverage {
    /// Counts over photographs. Each item is the right class, and the classes in its set; `None` for a photograph
    /// without a set.
    pub fn of<'a>(photos: impl IntoIterator<Item = (usize, Option<&'a [usize]>)>) -> Self {
        let mut all = Vec::new();
        let mut by_class: BTreeMap<usize, Vec<(bool, usize)>> = BTreeMap::new();
        let mut without = 0;
        for (class, set) in photos {
            let Some(set) = set else {
                without += 1;
                continue;
            };
            let counted = (set.contains(&class), set.len());
            all.push(counted);
            by_class.entry(class).or_default().push(counted);
        }
        let mut classes: Vec<(usize, SetFigures)> =
            by_class.into_iter().map(|(class, sets)| (class, SetFigures::of(&sets))).collect();
        // The sort is stable: classes with the same figures stay in class order.
        classes.sort_by(|(_, one), (_, other)| {
            let coverage = |figures: &SetFigures| figures.held.value().unwrap_or(0.0);
            coverage(one).total_cmp(&coverage(other)).then(other.held.total.cmp(&one.held.total))
        });
        Self { overall: SetFigures::of(&all), classes, without }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_near;

    #[test]
    fn coverage_and_size_are_counted_overall_and_by_class() {
        let coverage = SetCoverage::of([
            (0, Some([0, 1].as_slice())),
            (1, Some([2, 1, 0].as_slice())),
            (2, Some([1].as_slice())),
            (2, Some([2].as_slice())),
            (2, None),
        ]);
        assert_eq!(coverage.overall.held, Share { count: 3, total: 4 });
        assert_near(coverage.overall.mean_size().unwrap(), 7.0 / 4.0);
        let classes: Vec<_> =
            coverage.classes.iter().map(|(class, figures)| (*class, figures.held.count)).collect();
        assert_eq!(classes, [(2, 1), (0, 1), (1, 1)], "half of the sets of 2 hold it");
        assert_eq!(coverage.classes[0].1.held.total, 2);
        assert_eq!(coverage.without, 1);
    }

    #[test]
    fn of_equal_classes_the_more_frequent_comes_first() {
        let coverage = SetCoverage::of([
            (0, Some([1].as_slice())),
            (1, Some([0].as_slice())),
            (1, Some([0].as_slice())),
        ]);
        assert_eq!(coverage.classes.iter().map(|(class, _)| *class).collect::<Vec<_>>(), [1, 0]);
    }

    #[test]
    fn nothing_has_no_mean_size() {
        let coverage = SetCoverage::of([(0, None)]);
        assert_eq!((coverage.overall.mean_size(), coverage.overall.held.value()), (None, None));
        assert_eq!((coverage.classes.len(), coverage.without), (0, 1));
    }
}
