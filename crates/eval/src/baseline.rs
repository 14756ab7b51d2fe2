//! The report of an earlier run (the baseline), and the change since then.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::metrics::{
    PairedOutcomes, difference_interval, false_discovery_rates, mcnemar_exact, smallest_difference,
};
use crate::{Error, Evaluation, Measured, Result, Truth, counted};

/// A photograph in `report.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportedPhoto {
    /// As shown: relative to the evaluated folder.
    pub path: String,
    /// SHA-256 of the file, lower-case hex; `None` if it could not be read again.
    pub sha256: Option<String>,
    /// Its label in the data set.
    pub label: String,
    /// The best guess.
    pub guess: String,
    /// Calibrated probability of the best guess, in 0..=1.
    pub confidence: f32,
    /// Known score, in 0..=1.
    pub known_score: f32,
}

impl ReportedPhoto {
    pub(crate) fn of(evaluation: &Evaluation<'_>, photo: &Measured) -> Self {
        let best = photo.answer.best();
        Self {
            path: evaluation.path(photo),
            sha256: evaluation.dataset.facts(photo.sample).map(|facts| facts.sha256.clone()),
            label: evaluation.label(photo).to_owned(),
            guess: evaluation.model.label(best.class).to_owned(),
            confidence: best.confidence,
            known_score: photo.answer.known_score,
        }
    }
}

/// The model of a report.
#[derive(Debug, Clone, Deserialize)]
pub struct ReportedModel {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of its file.
    pub sha256: String,
    /// Its labels in class order.
    pub labels: Vec<String>,
}

/// How a report was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    /// Program and version.
    pub program: String,
    /// Command line arguments as typed; empty for a report of the app.
    pub arguments: Vec<String>,
    /// SHA-256 over hashes and labels of all photographs, in an order that does not depend on their paths.
    pub data_sha256: Option<String>,
}

/// `report.json` of an earlier run.
#[derive(Debug, Clone, Deserialize)]
pub struct Baseline {
    /// The model that was measured.
    pub model: ReportedModel,
    /// How the report was made.
    pub provenance: Provenance,
    /// All photographs that were answered.
    pub photos: Vec<ReportedPhoto>,
    /// The other fields.
    #[serde(flatten)]
    pub(crate) rest: serde_json::Map<String, serde_json::Value>,
}

impl Baseline {
    /// Reads a `report.json` of one model.
    ///
    /// # Errors
    /// [`Error::ReadBaseline`], [`Error::ParseBaseline`].
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read(path).map_err(|source| Error::ReadBaseline { path: path.to_owned(), source })?;
        serde_json::from_slice(&text).map_err(|source| Error::ParseBaseline { path: path.to_owned(), source })
    }
}

/// The photographs of a report, indexed by path and by hash.
pub(crate) struct Places<'a> {
    by_path: HashMap<&'a str, &'a ReportedPhoto>,
    by_hash: HashMap<&'a str, &'a ReportedPhoto>,
}

impl<'a> Places<'a> {
    pub(crate) fn of(photos: &'a [ReportedPhoto]) -> Self {
        let by_hash = photos.iter().filter_map(|photo| Some((photo.sha256.as_deref()?, photo)));
        Self {
            by_path: photos.iter().map(|photo| (photo.path.as_str(), photo)).collect(),
            by_hash: by_hash.collect(),
        }
    }

    /// Finds a photograph in the report: with the same content and path, else with the same content, else, if a hash is
    /// missing, with the same path.
    pub(crate) fn find(&self, photo: &ReportedPhoto) -> Option<&'a ReportedPhoto> {
        let by_path = self.by_path.get(photo.path.as_str()).copied();
        match (&photo.sha256, by_path) {
            // Path and content first, because copies of one photograph may have different labels.
            (Some(hash), Some(found)) if found.sha256.as_ref() == Some(hash) || found.sha256.is_none() => {
                Some(found)
            }
            // A moved file is found by its content; other content at the same path is another photograph.
            (Some(hash), _) => self.by_hash.get(hash.as_str()).copied(),
            (None, found) => found,
        }
    }
}

/// Result of comparing a drop in accuracy with the allowed drop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum GateVerdict {
    /// The whole 95% interval of the drop is within the allowed drop.
    Held,
    /// The interval contains both an allowed drop and a larger one, or does not exist.
    CannotTell,
    /// The whole interval lies above the allowed drop.
    Failed,
}

/// The change between the best guesses of a report and those of this run, over some photographs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The report first, this run second.
    pub outcomes: PairedOutcomes,
    /// Top-1 accuracy of this run minus that of the report; `None` without photographs.
    pub difference: Option<f64>,
    /// Its 95% interval (Newcombe's paired method).
    pub interval: Option<[f64; 2]>,
    /// By [`mcnemar_exact`].
    pub p_value: f64,
    /// The minimum detectable drop with 80% power, given the share of discordant photographs; `None` if no drop can be
    /// detected.
    pub smallest_difference: Option<f64>,
    /// Verdict by the interval.
    pub verdict: GateVerdict,
}

impl Change {
    /// `max_drop` is a share in 0..=1.
    pub fn new(outcomes: PairedOutcomes, max_drop: f64) -> Self {
        let interval = difference_interval(&outcomes);
        // Tolerates rounding for an interval that touches the limit.
        let slack = 1e-12;
        let verdict = match interval {
            Some([low, _]) if -low <= max_drop + slack => GateVerdict::Held,
            Some([_, high]) if -high > max_drop + slack => GateVerdict::Failed,
            // Not a failure: there are too few photographs to tell.
            _ => GateVerdict::CannotTell,
        };
        let n_discordant = outcomes.only_first + outcomes.only_second;
        let discordant = n_discordant as f64 / outcomes.total().max(1) as f64;
        Self {
            difference: outcomes.difference(),
            interval,
            p_value: mcnemar_exact(&outcomes),
            // Uses the measured share of discordant photographs, which is more accurate than assuming independent
            // errors.
            smallest_difference: smallest_difference(outcomes.total(), discordant),
            verdict,
            outcomes,
        }
    }
}

/// The change within one slice.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SliceChange {
    /// The dimension of the slice.
    pub dimension: String,
    /// The value that its photographs have in common.
    pub value: String,
    /// The change over its photographs. Its verdict is `Failed` only if the false discovery rate is at most 5% too.
    pub change: Change,
    /// The p-value adjusted for the number of slices (Benjamini and Hochberg).
    pub false_discovery_rate: f64,
}

/// Comparison of this run with a baseline report.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Gate {
    /// The allowed drop of top-1 accuracy, in 0..=1.
    pub max_drop: f64,
    /// Over all photographs that are in both.
    pub overall: Change,
    /// Within each slice, the largest drop first.
    pub slices: Vec<SliceChange>,
    /// Number of photographs of known labels that are not in the report, or whose label its model did not know.
    pub n_unpaired: usize,
}

impl Gate {
    /// Pairs photographs by content and path. Both sides use the labels of this run, so that a corrected label favours
    /// neither.
    pub fn new(evaluation: &Evaluation<'_>, baseline: &Baseline, max_drop: f64) -> Self {
        let places = Places::of(&baseline.photos);
        let mut pairs: HashMap<usize, (bool, bool)> = HashMap::new();
        let mut n_unpaired = 0;
        for (index, photo) in evaluation.photos.iter().enumerate() {
            // A photograph of an unknown label has no right guess, so it does not count for accuracy.
            if photo.truth == Truth::NotKnown {
                continue;
            }
            let label = evaluation.label(photo);
            match places.find(&ReportedPhoto::of(evaluation, photo)) {
                // A label that the earlier model did not know would count as its error and make the drop too small.
                Some(earlier) if baseline.model.labels.iter().any(|known| known == label) => {
                    pairs.insert(index, (earlier.guess == label, photo.is_right()));
                }
                _ => n_unpaired += 1,
            }
        }
        let change = |members: &mut dyn Iterator<Item = &(bool, bool)>| {
            let mut outcomes = PairedOutcomes::default();
            members.for_each(|&(earlier, today)| outcomes.add(earlier, today));
            Change::new(outcomes, max_drop)
        };
        let mut slices: Vec<SliceChange> = evaluation
            .slices
            .iter()
            .map(|slice| SliceChange {
                dimension: slice.dimension.clone(),
                value: slice.value.clone(),
                change: change(&mut slice.members.iter().filter_map(|index| pairs.get(index))),
                false_discovery_rate: 1.0,
            })
            .collect();
        let p_values: Vec<f64> = slices.iter().map(|slice| slice.change.p_value).collect();
        for (slice, rate) in slices.iter_mut().zip(false_discovery_rates(&p_values)) {
            slice.false_discovery_rate = rate;
            // Among dozens of slices a few drop by chance. The overall verdict is a single test and needs no
            // correction.
            if slice.change.verdict == GateVerdict::Failed && rate > 0.05 {
                slice.change.verdict = GateVerdict::CannotTell;
            }
        }
        let difference = |slice: &SliceChange| slice.change.difference.unwrap_or(0.0);
        slices.sort_by(|one, other| difference(one).total_cmp(&difference(other)));
        Self { max_drop, overall: change(&mut pairs.values()), slices, n_unpaired }
    }

    /// The slices with a drop larger than allowed.
    pub fn failed_slices(&self) -> impl Iterator<Item = &SliceChange> {
        self.slices.iter().filter(|slice| slice.change.verdict == GateVerdict::Failed)
    }

    /// Whether accuracy dropped by more than is allowed, over all photographs or within a slice.
    pub fn has_failed(&self) -> bool {
        self.overall.verdict == GateVerdict::Failed || self.failed_slices().next().is_some()
    }

    /// Whether no photograph could be paired with the report, for example because it is of other photographs.
    pub fn compares_nothing(&self) -> bool {
        self.overall.outcomes.total() == 0
    }

    /// The result, one sentence per item, without a full stop.
    pub fn sentences(&self) -> Vec<String> {
        let points = |share: f64| format!("{:.1}", share * 100.0);
        let change = &self.overall;
        let allowed = points(self.max_drop);
        let mut sentences = Vec::new();
        if let (Some(difference), Some([low, high])) = (change.difference, change.interval) {
            sentences.push(format!(
                "top-1 accuracy changed by {:+.1} points on {} (95% interval {:+.1} to {:+.1}, McNemar's exact test {}); \
                 right before and wrong now: {}, wrong before and right now: {}",
                difference * 100.0,
                counted(change.outcomes.total(), "photograph"),
                low * 100.0,
                high * 100.0,
                crate::comparison::stated_p(change.p_value),
                change.outcomes.only_first,
                change.outcomes.only_second
            ));
        }
        sentences.push(match change.verdict {
            _ if self.compares_nothing() => {
                "the report has none of these photographs, so nothing can be compared".to_owned()
            }
            GateVerdict::Held => format!("held: a drop of more than {allowed} points is ruled out"),
            GateVerdict::Failed => format!("failed: the drop is larger than the allowed {allowed} points"),
            GateVerdict::CannotTell => format!(
                "cannot tell: {}",
                change.smallest_difference.map_or_else(
                    || format!(
                        "no drop can be detected with {}",
                        counted(change.outcomes.total(), "photograph")
                    ),
                    |smallest| format!(
                        "the minimum detectable drop with {} is {} points",
                        counted(change.outcomes.total(), "photograph"),
                        points(smallest)
                    )
                )
            ),
        });
        for slice in self.failed_slices() {
            sentences.push(format!(
                "failed for the slice {} = {}: {:+.1} points on {}",
                slice.dimension,
                slice.value,
                slice.change.difference.unwrap_or(0.0) * 100.0,
                counted(slice.change.outcomes.total(), "photograph")
            ));
        }
        if self.n_unpaired > 0 {
            sentences.push(format!(
                "{} left out: not in the report, or its model does not know the label",
                counted(self.n_unpaired, "photograph")
            ));
        }
        sentences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(counts: [usize; 4], max_drop: f64) -> Change {
        let [both_right, only_first, only_second, both_wrong] = counts;
        Change::new(PairedOutcomes { both_right, only_first, only_second, both_wrong }, max_drop)
    }

    #[test]
    fn the_verdict_rests_on_the_whole_interval() {
        use GateVerdict::{CannotTell, Failed, Held};
        let cases = [
            ("no change on many", [9000, 5, 5, 990], 0.005, Held),
            ("no change on few", [9, 0, 0, 1], 0.005, CannotTell),
            ("a drop of 5 points on 1,000", [850, 60, 10, 80], 0.005, Failed),
            ("the same where 10 are allowed", [850, 60, 10, 80], 0.1, Held),
            ("the same where 5 are allowed", [850, 60, 10, 80], 0.05, CannotTell),
            ("a drop of 10 points on 20", [16, 2, 0, 2], 0.005, CannotTell),
            ("a rise", [850, 10, 60, 80], 0.0, Held),
            ("nothing", [0; 4], 0.005, CannotTell),
        ];
        for (name, counts, max_drop, expected) in cases {
            assert_eq!(change(counts, max_drop).verdict, expected, "{name}");
        }
    }

    #[test]
    fn few_photographs_are_said_to_be_few() {
        let gate = |counts| Gate {
            max_drop: 0.005,
            overall: change(counts, 0.005),
            slices: Vec::new(),
            n_unpaired: 0,
        };
        let text = gate([90, 3, 3, 4]).sentences().join("\n");
        assert!(text.contains("cannot tell: the minimum detectable drop with 100 photographs is"), "{text}");
        let text = gate([3, 0, 0, 0]).sentences().join("\n");
        assert!(text.contains("no drop can be detected with 3 photographs"), "{text}");
        assert!(gate([0; 4]).sentences()[0].contains("none of these photographs"));
    }

    #[test]
    fn photographs_are_found_by_content_before_path() {
        let photo = |path: &str, sha256: Option<&str>, guess: &str| ReportedPhoto {
            path: path.to_owned(),
            sha256: sha256.map(str::to_owned),
            label: "rim".to_owned(),
            guess: guess.to_owned(),
            confidence: 0.9,
            known_score: 0.9,
        };
        let photos = [
            photo("a.jpg", Some("1"), "of a"),
            photo("b.jpg", Some("2"), "of b"),
            photo("c.jpg", None, "of c"),
        ];
        let places = Places::of(&photos);
        let find = |path, sha256| places.find(&photo(path, sha256, "")).map(|found| found.guess.as_str());
        assert_eq!(find("a.jpg", Some("1")), Some("of a"));
        assert_eq!(find("moved/b.jpg", Some("2")), Some("of b"));
        assert_eq!(find("a.jpg", Some("changed")), None);
        assert_eq!(find("c.jpg", Some("3")), Some("of c"), "the report does not know its hash");
        assert_eq!(find("b.jpg", None), Some("of b"));
    }
}
