//! The promises in a model's manifest, and whether these photographs refute them.

use partsight_app::binomial_at_most;
use partsight_app::models::{ModelManifest, UnknownKind};
use partsight_domain::Verdict;
use serde::Serialize;

use crate::metrics::Share;
use crate::{Dataset, Duplicates, Measured, NOT_A_PART, Truth};

/// Significance level of the test, and one minus the level of the upper bound.
const LEVEL: f64 = 0.05;

/// A share that the manifest bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Promised {
    /// Wrong answers among those identified, on photographs of known types.
    IdentifiedWrong,
    /// Photographs labelled [`NOT_A_PART`] that are identified.
    NotAPartIdentified,
    /// Photographs of other unknown labels that are identified.
    OtherPartsIdentified,
}

/// A promise of the manifest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Promise {
    /// What is bounded.
    pub of: Promised,
    /// The largest share, in 0..=1.
    pub at_most: f64,
}

impl Promise {
    /// The promises of a manifest, at its own thresholds.
    pub fn of_manifest(manifest: &ModelManifest) -> Vec<Self> {
        let thresholds = &manifest.thresholds;
        let is_own = |confidence: f64| (confidence - thresholds.identified_confidence).abs() < 1e-9;
        // The marks are in ascending order of the error, so the first one is the strictest that is met.
        let mark = thresholds.risk.iter().find(|mark| mark.is_met() && is_own(mark.identified_confidence));
        let identified = mark.map(|mark| Self { of: Promised::IdentifiedWrong, at_most: mark.wanted_error });
        let rejected = thresholds.rejection.iter().map(|bound| Self {
            of: match bound.of {
                UnknownKind::NotAPart => Promised::NotAPartIdentified,
                UnknownKind::OtherParts => Promised::OtherPartsIdentified,
            },
            at_most: bound.identified_upper_bound,
        });
        identified.into_iter().chain(rejected).collect()
    }
}

/// Whether a promise agrees with a measured share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum PromiseVerdict {
    /// The one-sided 95% upper bound of the share is at most the promised one.
    Held,
    /// Neither held nor refuted.
    Compatible,
    /// So large a share has a probability of at most 5% if the promise holds.
    Refuted,
}

/// A promise beside what was measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PromiseCheck {
    /// What is bounded.
    pub of: Promised,
    /// The promised largest share, in 0..=1.
    pub at_most: f64,
    /// The measured share; at least one photograph.
    pub found: Share,
    /// Its 95% Wilson interval.
    pub interval: [f64; 2],
    /// One-sided p-value of the exact binomial test: the probability of at least so many if the share is the promised
    /// largest one.
    pub p_value: f64,
    /// Verdict by the exact binomial test and the Clopper-Pearson bound.
    pub verdict: PromiseVerdict,
}

impl PromiseCheck {
    pub(crate) fn new(Promise { of, at_most }: Promise, found: Share) -> Self {
        let fewer = found.count.checked_sub(1);
        let p_value =
            fewer.map_or(1.0, |fewer| 1.0 - binomial_at_most(fewer as u64, found.total as u64, at_most));
        let verdict = if p_value <= LEVEL {
            PromiseVerdict::Refuted
        } else if found.upper_bound() <= at_most {
            PromiseVerdict::Held
        } else {
            PromiseVerdict::Compatible
        };
        Self { of, at_most, found, interval: found.interval(), p_value, verdict }
    }
}

/// Checks `promises` on `photos`, those that look like training photographs left out, which say nothing about new
/// ones. Promises about photographs that do not occur are left out.
pub(crate) fn check_promises(
    promises: &[Promise],
    dataset: &Dataset,
    photos: &[Measured],
    duplicates: &Duplicates,
) -> Vec<PromiseCheck> {
    let unseen: Vec<&Measured> = photos
        .iter()
        .zip(&duplicates.photos)
        .filter(|(_, lookalike)| lookalike.training.is_none())
        .map(|(photo, _)| photo)
        .collect();
    let is_identified = |photo: &Measured| photo.answer.verdict == Verdict::Identified;
    let unknown = |is_not_a_part: bool| {
        let of_kind = unseen.iter().filter(move |photo| {
            let label = &dataset.labels[dataset.samples[photo.sample].label];
            photo.truth == Truth::NotKnown && (label == NOT_A_PART) == is_not_a_part
        });
        Share::of(of_kind.map(|photo| is_identified(photo)))
    };
    let found = |of: Promised| match of {
        Promised::IdentifiedWrong => {
            let known = unseen.iter().filter(|photo| photo.truth != Truth::NotKnown && is_identified(photo));
            Share::of(known.map(|photo| !photo.is_right()))
        }
        Promised::NotAPartIdentified => unknown(true),
        Promised::OtherPartsIdentified => unknown(false),
    };
    let checks = promises.iter().map(|&promise| (promise, found(promise.of)));
    checks
        .filter(|(_, found)| found.total > 0)
        .map(|(promise, found)| PromiseCheck::new(promise, found))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_near;

    fn check(at_most: f64, count: usize, total: usize) -> PromiseCheck {
        PromiseCheck::new(Promise { of: Promised::OtherPartsIdentified, at_most }, Share { count, total })
    }

    #[test]
    fn the_test_is_exact_and_one_sided() {
        // P(X >= 2 of 3) at 0.1 is 3 * 0.01 * 0.9 + 0.001; P(X >= 1 of 10) at 0.02 is 1 - 0.98^10.
        assert_near(check(0.1, 2, 3).p_value, 0.028);
        assert_near(check(0.02, 1, 10).p_value, 1.0 - 0.98_f64.powi(10));
        assert_near(check(0.1, 0, 3).p_value, 1.0);
        // All of 2 at 0.1: 0.01.
        assert_near(check(0.1, 2, 2).p_value, 0.01);
    }

    #[test]
    fn a_promise_is_held_refuted_or_compatible() {
        use PromiseVerdict::{Compatible, Held, Refuted};
        // None of 28 has the upper bound 1 - 0.05^(1/28) = 0.1015, none of 29 has 0.0981.
        let cases = [
            (0, 29, Held),
            (0, 28, Compatible),
            (2, 3, Refuted),
            // P(X >= 1 of 1) is 0.1.
            (1, 1, Compatible),
            // P(X >= 6 of 30) is 0.0732, P(X >= 7 of 30) is 0.0258, by scipy.stats.binom.
            (6, 30, Compatible),
            (7, 30, Refuted),
        ];
        for (count, total, expected) in cases {
            assert_eq!(check(0.1, count, total).verdict, expected, "{count} of {total}");
        }
    }

    #[test]
    fn the_shipped_manifest_promises_what_its_training_measured() {
        let manifest = partsight_inference::Model::embedded().unwrap().manifest().clone();
        let promises = Promise::of_manifest(&manifest);
        let of: Vec<Promised> = promises.iter().map(|promise| promise.of).collect();
        assert_eq!(
            of,
            [Promised::IdentifiedWrong, Promised::NotAPartIdentified, Promised::OtherPartsIdentified]
        );
        assert_near(promises[0].at_most, 0.02);
        // The bound of a rejection is that of its own counts, rounded up.
        for bound in &manifest.thresholds.rejection {
            let counts = Share { count: bound.identified as usize, total: bound.n as usize };
            let upper = counts.upper_bound();
            assert!((upper..upper + 1e-4).contains(&bound.identified_upper_bound), "{bound:?}: {upper}");
        }

        let mut without = manifest;
        without.thresholds.risk.retain(|mark| !mark.is_met());
        without.thresholds.rejection.clear();
        assert_eq!(Promise::of_manifest(&without), [], "a mark that is not met promises nothing");
    }
}
