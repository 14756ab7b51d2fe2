use std::collections::HashMap;

/// The label of one photograph and its probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledProbabilities {
    /// The class of its label.
    pub label: usize,
    /// Classes with their probabilities in 0..=1, each class once, the most probable first; a class that is missing
    /// counts as 0.
    pub probabilities: Vec<(usize, f32)>,
}

impl LabelledProbabilities {
    fn of(&self, class: usize) -> f64 {
        self.probabilities
            .iter()
            .find(|(other, _)| *other == class)
            .map_or(0.0, |(_, probability)| f64::from(*probability))
    }
}

/// A label that is not the most probable class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelIssue {
    /// Index of the photograph in the input.
    pub index: usize,
    /// The most probable class, which is not the label.
    pub likely: usize,
    /// Probability of the label.
    pub label_probability: f64,
    /// Probability of [`LabelIssue::likely`].
    pub likely_probability: f64,
    /// Whether confident learning assigns the photograph to another class: some class reaches its threshold, and the
    /// most probable of those classes is not the label.
    pub is_confident: bool,
}

impl LabelIssue {
    /// Margin: probability of the likely class minus that of the label, in 0..=1.
    pub fn margin(&self) -> f64 {
        self.likely_probability - self.label_probability
    }
}

/// The photographs whose most probable class is not their label, the likeliest label errors first: first those that
/// confident learning assigns to another class, then the others, each group by descending margin.
///
/// Northcutt, Jiang and Chuang, "Confident Learning: Estimating Uncertainty in Dataset Labels" (2021): the threshold
/// of a class is the mean probability that photographs with this label are given for it. The probabilities must
/// come from a model that was not fitted on these photographs.
pub fn label_issues(photos: &[LabelledProbabilities]) -> Vec<LabelIssue> {
    let thresholds = class_thresholds(photos);
    let reaches = |(class, probability): &&(usize, f32)| {
        // A class that is the label of no photograph has no threshold, so no photograph can be assigned to it.
        thresholds.get(class).is_some_and(|threshold| f64::from(*probability) >= *threshold)
    };
    let issue = |(index, photo): (usize, &LabelledProbabilities)| {
        let &(likely, probability) =
            photo.probabilities.first().filter(|(class, _)| *class != photo.label)?;
        Some(LabelIssue {
            index,
            likely,
            label_probability: photo.of(photo.label),
            likely_probability: probability.into(),
            is_confident: photo
                .probabilities
                .iter()
                .find(reaches)
                .is_some_and(|(class, _)| *class != photo.label),
        })
    };
    let mut issues: Vec<LabelIssue> = photos.iter().enumerate().filter_map(issue).collect();
    issues.sort_by(|one, other| {
        other.is_confident.cmp(&one.is_confident).then(other.margin().total_cmp(&one.margin()))
    });
    issues
}

/// The threshold of each class that is a label: its mean self-confidence.
fn class_thresholds(photos: &[LabelledProbabilities]) -> HashMap<usize, f64> {
    let mut sums: HashMap<usize, (f64, usize)> = HashMap::new();
    for photo in photos {
        let (sum, n) = sums.entry(photo.label).or_default();
        *sum += photo.of(photo.label);
        *n += 1;
    }
    sums.into_iter().map(|(class, (sum, n))| (class, sum / n as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_near;
    use partsight_domain::SeededRng;

    fn photo(label: usize, probabilities: &[f32]) -> LabelledProbabilities {
        let mut probabilities: Vec<(usize, f32)> = probabilities.iter().copied().enumerate().collect();
        probabilities.sort_by(|one, other| other.1.total_cmp(&one.1));
        LabelledProbabilities { label, probabilities }
    }

    #[test]
    fn issues_are_those_of_cleanlab() {
        // Computed with cleanlab 2.9.0: get_confident_thresholds gives these thresholds,
        // find_label_issues(filter_by="confident_learning", return_indices_ranked_by="normalized_margin") the
        // first three, and with filter_by="predicted_neq_given" all five.
        let photos = [
            photo(0, &[0.9, 0.05, 0.05]),
            photo(0, &[0.8, 0.1, 0.1]),
            photo(0, &[0.7, 0.2, 0.1]),
            photo(0, &[0.1, 0.85, 0.05]),
            photo(0, &[0.45, 0.5, 0.05]),
            photo(1, &[0.1, 0.8, 0.1]),
            photo(1, &[0.05, 0.9, 0.05]),
            photo(1, &[0.2, 0.7, 0.1]),
            photo(1, &[0.1, 0.1, 0.8]),
            photo(1, &[0.3, 0.6, 0.1]),
            photo(2, &[0.1, 0.1, 0.8]),
            photo(2, &[0.2, 0.1, 0.7]),
            photo(2, &[0.05, 0.05, 0.9]),
            photo(2, &[0.75, 0.15, 0.1]),
            photo(2, &[0.4, 0.25, 0.35]),
        ];
        let thresholds = class_thresholds(&photos);
        for (class, expected) in [(0, 0.59), (1, 0.62), (2, 0.57)] {
            assert_near(thresholds[&class], expected);
        }
        let issues = label_issues(&photos);
        let confident: Vec<usize> =
            issues.iter().filter(|issue| issue.is_confident).map(|issue| issue.index).collect();
        assert_eq!(confident, [3, 8, 13]);
        assert_eq!(issues.iter().map(|issue| issue.index).collect::<Vec<_>>(), [3, 8, 13, 4, 14]);
        assert_eq!(issues[0].likely, 1);
        assert_near(issues[0].margin(), 0.75);
    }

    #[test]
    fn most_flipped_labels_stand_in_the_first_tenth() {
        const N: usize = 2000;
        const N_CLASSES: usize = 20;
        let mut rng = SeededRng::new(7);
        let (mut photos, mut flipped) = (Vec::new(), Vec::new());
        for index in 0..N {
            let class = index % N_CLASSES;
            // A model with an accuracy of about 90%: the true class exceeds the noise of the others by a varying
            // margin.
            let mut scores: Vec<f64> = (0..N_CLASSES).map(|_| rng.normal()).collect();
            scores[class] += 4.3 + 1.5 * rng.normal();
            let sum: f64 = scores.iter().map(|score| (1.6 * score).exp()).sum();
            let probabilities: Vec<f32> =
                scores.iter().map(|score| ((1.6 * score).exp() / sum) as f32).collect();
            let is_flipped = rng.uniform() < 0.03;
            let label = if is_flipped { (class + 1 + index % (N_CLASSES - 1)) % N_CLASSES } else { class };
            if is_flipped {
                flipped.push(index);
            }
            photos.push(photo(label, &probabilities));
        }
        let first: Vec<usize> = label_issues(&photos).iter().take(N / 10).map(|issue| issue.index).collect();
        let n_found = flipped.iter().filter(|index| first.contains(index)).count();
        assert!((40..80).contains(&flipped.len()), "{}", flipped.len());
        assert!(n_found * 10 >= flipped.len() * 8, "{n_found} of {}", flipped.len());
    }

    #[test]
    fn right_answers_are_no_issues_and_missing_classes_count_as_0() {
        assert!(label_issues(&[photo(0, &[0.9, 0.1]), photo(1, &[0.2, 0.8])]).is_empty());
        assert!(label_issues(&[]).is_empty());
        let sparse = LabelledProbabilities { label: 7, probabilities: vec![(2, 0.6)] };
        let [issue] = label_issues(&[sparse])[..] else { unreachable!() };
        assert_eq!((issue.likely, issue.is_confident), (2, false), "nothing is known of class 2");
        assert_near(issue.label_probability, 0.0);
    }
}
