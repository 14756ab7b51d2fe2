//! Rejection of each label that the model does not know.

use std::collections::BTreeMap;

use partsight_domain::Verdict;

use crate::metrics::Share;
use crate::{Dataset, Measured, Truth};

/// The verdicts on the photographs of one label that the model does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownLabel {
    /// The label by the data set.
    pub label: String,
    /// False identifications: photographs with the verdict "identified".
    pub identified: Share,
    /// Number of photographs with the verdict "not sure".
    pub n_not_sure: usize,
    /// Number of photographs with the verdict "not a part".
    pub n_not_a_part: usize,
    /// The most frequent best guess among the photographs that are identified, or, if none is, among those that are not
    /// sure, and its number of photographs; `None` if all are "not a part".
    pub taken_for: Option<(usize, usize)>,
}

/// The unknown labels, the worst first: by the lower end of the 95% Wilson interval of the share identified, so that a
/// label with few photographs comes first only if it is certainly bad, then by the share that is not rejected.
pub(crate) fn unknown_labels(dataset: &Dataset, photos: &[Measured]) -> Vec<UnknownLabel> {
    let mut by_label: BTreeMap<usize, Vec<&Measured>> = BTreeMap::new();
    for photo in photos.iter().filter(|photo| photo.truth == Truth::NotKnown) {
        by_label.entry(dataset.samples[photo.sample].label).or_default().push(photo);
    }
    let mut labels: Vec<UnknownLabel> = by_label
        .iter()
        .map(|(&label, photos)| unknown_label(dataset.labels[label].clone(), photos))
        .collect();
    let identified = |label: &UnknownLabel| label.identified.interval()[0];
    let not_rejected = |label: &UnknownLabel| 1.0 - label.n_not_a_part as f64 / label.identified.total as f64;
    labels.sort_by(|one, other| {
        identified(other)
            .total_cmp(&identified(one))
            .then(not_rejected(other).total_cmp(&not_rejected(one)))
            .then_with(|| one.label.cmp(&other.label))
    });
    labels
}

fn unknown_label(label: String, photos: &[&Measured]) -> UnknownLabel {
    let with = |verdict: Verdict| photos.iter().filter(move |photo| photo.answer.verdict == verdict);
    let most_frequent = |verdict: Verdict| {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for photo in with(verdict) {
            *counts.entry(photo.answer.best().class).or_default() += 1;
        }
        // Of equally frequent guesses the first by class, so that the report is the same in each run.
        counts.into_iter().max_by_key(|&(class, count)| (count, std::cmp::Reverse(class)))
    };
    UnknownLabel {
        label,
        identified: Share { count: with(Verdict::Identified).count(), total: photos.len() },
        n_not_sure: with(Verdict::NotSure).count(),
        n_not_a_part: with(Verdict::NotAPart).count(),
        taken_for: most_frequent(Verdict::Identified).or_else(|| most_frequent(Verdict::NotSure)),
    }
}

#[cfg(test)]
mod tests {
    use partsight_app::Fingerprint;
    use partsight_domain::StageTimings;

    use super::*;
    use crate::{Answer, Guess, Sample};

    /// Photographs of unknown labels; each is its label, the class of its best guess, and its verdict.
    fn example(photos: &[(&str, usize, Verdict)]) -> (Dataset, Vec<Measured>) {
        let mut labels: Vec<String> = photos.iter().map(|(label, ..)| (*label).to_owned()).collect();
        labels.sort();
        labels.dedup();
        let sample = |(label, ..): &(&str, usize, Verdict)| Sample {
            path: "a.jpg".into(),
            label: labels.iter().position(|other| other == label).unwrap(),
            line: None,
            columns: Vec::new(),
        };
        let measured = |(index, &(_, class, verdict)): (usize, &(&str, usize, Verdict))| Measured {
            sample: index,
            truth: Truth::NotKnown,
            answer: Answer {
                guesses: vec![Guess { class, confidence: 0.9 }],
                known_score: 0.9,
                verdict,
                timings_ms: StageTimings::default(),
                fingerprint: Fingerprint::from_bytes(&[0; 30]),
            },
        };
        let measured = photos.iter().enumerate().map(measured).collect();
        let dataset = Dataset {
            source: "list.csv".into(),
            root: "".into(),
            samples: photos.iter().map(sample).collect(),
            labels,
            column_names: Vec::new(),
            facts: Vec::new(),
            failures: Vec::new(),
            notices: Vec::new(),
        };
        (dataset, measured)
    }

    fn times<T: Copy>(n: usize, item: T) -> Vec<T> {
        vec![item; n]
    }

    #[test]
    fn the_verdicts_of_a_label_are_counted_with_what_it_is_taken_for() {
        use Verdict::{Identified, NotAPart, NotSure};
        let (dataset, photos) = example(&[
            ("gear", 4, NotSure),
            ("gear", 4, NotSure),
            ("gear", 7, Identified),
            ("gear", 5, NotAPart),
            ("filter", 3, NotSure),
            ("filter", 2, NotSure),
            ("filter", 9, NotAPart),
            ("filter", 9, NotAPart),
            ("sky", 1, NotAPart),
        ]);
        let found = unknown_labels(&dataset, &photos);
        let [gear, filter, sky] = &found[..] else { panic!("{found:?}") };
        assert_eq!((gear.label.as_str(), gear.identified), ("gear", Share { count: 1, total: 4 }));
        assert_eq!((gear.n_not_sure, gear.n_not_a_part), (2, 1));
        assert_eq!(gear.taken_for, Some((7, 1)), "a false identification goes before what is not sure");
        assert_eq!(filter.taken_for, Some((2, 1)), "what is not a part is taken for nothing");
        assert_eq!((sky.label.as_str(), sky.taken_for), ("sky", None));
    }

    #[test]
    fn the_worst_label_comes_first_unless_it_has_few_photographs() {
        use Verdict::{Identified, NotAPart, NotSure};
        let photos: Vec<_> = [
            times(9, ("many", 0, Identified)),
            times(1, ("many", 0, NotAPart)),
            times(1, ("single", 0, Identified)),
            times(1, ("half", 0, NotSure)),
            times(1, ("half", 0, NotAPart)),
            times(3, ("all-rejected", 0, NotAPart)),
            times(3, ("open", 0, NotSure)),
        ]
        .concat();
        let (dataset, mut photos) = example(&photos);
        let order = |photos: &[Measured]| -> Vec<String> {
            unknown_labels(&dataset, photos).into_iter().map(|label| label.label).collect()
        };
        assert_eq!(order(&photos), ["many", "single", "open", "half", "all-rejected"]);
        for photo in &mut photos[..10] {
            photo.truth = Truth::Class(0);
        }
        assert_eq!(order(&photos), ["single", "open", "half", "all-rejected"], "known labels are left out");
    }
}
