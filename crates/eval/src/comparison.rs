//! Several models on the same photographs.

use std::collections::{BTreeMap, HashMap};

use crate::evaluation::confidences;
use crate::metrics::{
    PairedOutcomes, calibration_error_interval, difference_interval, false_discovery_rates, mcnemar_exact,
};
use crate::{Evaluation, Measured, Truth, counted};

/// Maximum of compared models: all are loaded at the same time, and each has a table column.
pub const MAX_MODELS: usize = 8;
/// The selective risk at which the coverage is stated.
const RISK: f64 = 0.02;

/// Evaluations of one data set side by side, each compared with the first.
#[derive(Debug)]
pub struct Comparison<'a> {
    /// The models, at least one; the others are compared with the first.
    pub evaluations: &'a [Evaluation<'a>],
    /// Display names: name and version; if two models share both, also the start of the file hash, or a letter if the
    /// hash is the same too.
    pub names: Vec<String>,
    /// Each other model against the first, in order.
    pub pairs: Vec<Pair>,
    /// Discordant photographs: the first model is right and another is wrong, or the reverse. In the order of the data
    /// set.
    pub differences: Vec<Difference<'a>>,
    /// The 95% interval of each model's calibration error.
    pub ece_intervals: Vec<Option<[f64; 2]>>,
    /// Each model's coverage at 2% selective risk, over the photographs of labels that it knows, and its 95% interval;
    /// `None` without such photographs, and without an interval where there are too few of them or of their mistakes.
    pub coverages: Vec<(Option<f64>, Option<[f64; 2]>)>,
}

/// The comparison of a model with the first.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Outcomes of the best guesses, over the photographs that both answered and whose label both know.
    pub outcomes: PairedOutcomes,
    /// [`mcnemar_exact`] of the outcomes.
    pub p_value: f64,
    /// The p-value adjusted for the number of comparisons (Benjamini and Hochberg); equal to `p_value` for two models.
    pub false_discovery_rate: f64,
    /// The 95% interval of the difference in top-1, this model less the first.
    pub interval: Option<[f64; 2]>,
}

/// A discordant photograph.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference<'a> {
    /// The first model's answer.
    pub first: &'a Measured,
    /// The other models' answers; `None` for a model that could not read the photograph.
    pub others: Vec<Option<&'a Measured>>,
}

impl<'a> Comparison<'a> {
    /// Pairs the answers of the models by photograph.
    ///
    /// # Panics
    /// Without any evaluation.
    pub fn new(evaluations: &'a [Evaluation<'a>]) -> Self {
        let (first, others) = evaluations.split_first().expect("BUG: nothing is compared");
        let answers: Vec<HashMap<usize, &Measured>> = others
            .iter()
            .map(|other| other.photos.iter().map(|photo| (photo.sample, photo)).collect())
            .collect();
        let mut outcomes = vec![PairedOutcomes::default(); others.len()];
        let mut differences = Vec::new();
        for one in first.photos {
            // Looked up by sample, not by position: a photograph that a model could not read is missing from its list.
            let others: Vec<Option<&Measured>> =
                answers.iter().map(|answers| answers.get(&one.sample).copied()).collect();
            let mut is_difference = false;
            for (outcomes, other) in outcomes.iter_mut().zip(&others) {
                // A label that only one of the two knows would count as an error of the other.
                let Some(other) = other.filter(|other| other.truth != Truth::NotKnown) else { continue };
                if one.truth != Truth::NotKnown {
                    outcomes.add(one.is_right(), other.is_right());
                    is_difference |= one.is_right() != other.is_right();
                }
            }
            if is_difference {
                differences.push(Difference { first: one, others });
            }
        }
        let p_values: Vec<f64> = outcomes.iter().map(mcnemar_exact).collect();
        // With several comparisons, some look significant by chance.
        let rates = false_discovery_rates(&p_values);
        let pairs = outcomes.into_iter().zip(p_values).zip(rates);
        let known = |evaluation: &Evaluation<'_>| confidences(&evaluation.photos.iter().collect::<Vec<_>>());
        Self {
            evaluations,
            names: names(evaluations),
            pairs: pairs
                .map(|((outcomes, p_value), false_discovery_rate)| Pair {
                    interval: difference_interval(&outcomes),
                    outcomes,
                    p_value,
                    false_discovery_rate,
                })
                .collect(),
            differences,
            ece_intervals: evaluations.iter().map(|one| calibration_error_interval(&known(one))).collect(),
            coverages: evaluations.iter().map(coverage).collect(),
        }
    }

    /// The first model.
    pub fn first(&self) -> &'a Evaluation<'a> {
        &self.evaluations[0]
    }

    /// Each model but the first with its name and its comparison.
    pub fn others(&self) -> impl Iterator<Item = (&'a Evaluation<'a>, &str, &Pair)> {
        let others = self.evaluations.iter().zip(&self.names).skip(1);
        others.zip(&self.pairs).map(|((evaluation, name), pair)| (evaluation, name.as_str(), pair))
    }

    /// The result of the test for each model but the first, one sentence each.
    pub fn verdicts(&self) -> Vec<String> {
        self.others().map(|(_, name, pair)| pair.verdict(&self.names[0], name, self.pairs.len())).collect()
    }

    /// How to read the columns if the models know different labels.
    pub fn remark(&self) -> String {
        let mut remark = "A photograph whose label a model does not know counts for that model's rejection, as in an \
                          evaluation of that model alone; the differences are over the photographs whose label both \
                          models know."
            .to_owned();
        if self.pairs.len() > 1 {
            remark += " The adjusted p-value is the false discovery rate over all comparisons (Benjamini-Hochberg).";
        }
        remark
    }
}

impl Pair {
    /// The result of the test, in one sentence.
    fn verdict(&self, first: &str, second: &str, n_pairs: usize) -> String {
        let Some(difference) = self.outcomes.difference() else {
            return format!("There is no photograph whose label both {first} and {second} know.");
        };
        let p = match n_pairs {
            1 => stated_p(self.p_value),
            _ => format!("{}, adjusted {}", stated_p(self.p_value), p_value(self.false_discovery_rate)),
        };
        // No better model is named unless the difference is significant.
        if self.false_discovery_rate >= 0.05 {
            return format!(
                "No significant difference in top-1 accuracy between {first} and {second} on {} ({p}).",
                counted(self.outcomes.total(), "photograph")
            );
        }
        let (better, worse) = if difference > 0.0 { (second, first) } else { (first, second) };
        format!("The top-1 accuracy of {better} is significantly higher than that of {worse} ({p}).")
    }
}

fn coverage(evaluation: &Evaluation<'_>) -> (Option<f64>, Option<[f64; 2]>) {
    let curve = &evaluation.local.curve;
    let coverage = || curve.at_most(RISK).map_or(0.0, |point| curve.coverage(&point));
    ((curve.total > 0).then(coverage), curve.coverage_interval(RISK))
}

fn names(evaluations: &[Evaluation<'_>]) -> Vec<String> {
    let mut by_name: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for one in evaluations {
        by_name.entry((&one.model.name, &one.model.version)).or_default().push(&one.model.sha256);
    }
    let name = |(index, evaluation): (usize, &Evaluation<'_>)| {
        let model = evaluation.model;
        let named = format!("{} {}", model.name, model.version);
        let hashes = &by_name[&(model.name.as_str(), model.version.as_str())];
        let n_same = hashes.iter().filter(|hash| **hash == model.sha256).count();
        match (hashes.len(), n_same) {
            (1, _) => named,
            // The hash distinguishes files whose version is the same.
            (_, 1) => format!("{named} ({})", &model.sha256[..model.sha256.len().min(8)]),
            _ => format!("{named} ({})", letter(index).to_ascii_uppercase()),
        }
    };
    evaluations.iter().enumerate().map(name).collect()
}

/// The key of a model in file names and JSON: `a`, `b` and so on.
pub(crate) fn letter(index: usize) -> char {
    char::from(b'a' + u8::try_from(index).unwrap_or(25).min(25))
}

/// A p-value in a sentence: `p = 0.0123`, `p < 0.0001`.
pub fn stated_p(p: f64) -> String {
    if p < 0.0001 { "p < 0.0001".to_owned() } else { format!("p = {p:.4}") }
}

/// A p-value for a table cell.
pub(crate) fn p_value(p: f64) -> String {
    if p < 0.0001 { "below 0.0001".to_owned() } else { format!("{p:.4}") }
}
