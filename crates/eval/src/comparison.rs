//! Several models on the same photographs.

use std::collections::{BTreeMap, HashMap};

use crate::evaluation::confidences;
use crate::metrics::{
    PairedOutcomes, calibration_error_interval, difference_interval, false_discovery_rates, mcnemar_exact,
};
use crate::{Evaluation, Measured, Truth, counted};

/// Models that are compared at a time: each is loaded, and has a column of the tables.
pub const MAX_MODELS: usize = 8;
/// The share of wrong answers for which the coverage is stated.
const RISK: f64 = 0.02;

/// Evaluations of one data set side by side, each compared with the first.
#[derive(Debug)]
pub struct Comparison<'a> {
    /// The models, at least one; the others are compared with the first.
    pub evaluations: &'a [Evaluation<'a>],
    /// What each is called: name and version; where another has the same, its hash as well, and where even that is the
    /// same, a letter.
    pub names: Vec<String>,
    /// Each model but the first against it, in their order.
    pub pairs: Vec<Pair>,
    /// Photographs that a model got right and the first did not, or the other way round, in the order of the data set.
    pub differences: Vec<Difference<'a>>,
    /// The 95% interval of each model's calibration error.
    pub ece_intervals: Vec<Option<[f64; 2]>>,
    /// Each model's coverage at 2% selective risk, over the photographs of labels that it knows, and its 95% interval.
    pub coverages: Vec<(f64, Option<[f64; 2]>)>,
}

/// A model against the first.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Rightness of the best guesses, over the photographs that both answered and whose label both know.
    pub outcomes: PairedOutcomes,
    /// [`mcnemar_exact`] of the outcomes.
    pub p_value: f64,
    /// The p-value adjusted for the number of models (Benjamini and Hochberg); the same where there are two.
    pub false_discovery_rate: f64,
    /// The 95% interval of the difference in top-1, this model less the first.
    pub interval: Option<[f64; 2]>,
}

/// A photograph on which models differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference<'a> {
    /// What the first model said.
    pub first: &'a Measured,
    /// What each of the others said; `None` for one that did not answer.
    pub others: Vec<Option<&'a Measured>>,
}

impl<'a> Comparison<'a> {
    /// Pairs the answers of the models by photograph.
    ///
    /// # Panics
    /// Without a model.
    pub fn new(evaluations: &'a [Evaluation<'a>]) -> Self {
        let (first, others) = evaluations.split_first().expect("BUG: nothing is compared");
        let answers: Vec<HashMap<usize, &Measured>> = others
            .iter()
            .map(|other| other.photos.iter().map(|photo| (photo.sample, photo)).collect())
            .collect();
        let mut outcomes = vec![PairedOutcomes::default(); others.len()];
        let mut differences = Vec::new();
        for one in first.photos {
            // By sample and not by place: a photograph that one model could not read is missing from its list.
            let others: Vec<Option<&Measured>> =
                answers.iter().map(|answers| answers.get(&one.sample).copied()).collect();
            let mut is_difference = false;
            for (outcomes, other) in outcomes.iter_mut().zip(&others) {
                // A label that only one of the two knows would be counted as the other's mistake.
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
        // With several models, the best of them looks better than it is.
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

    /// What the tests say, a sentence for each model but the first.
    pub fn verdicts(&self) -> Vec<String> {
        self.others().map(|(_, name, pair)| pair.verdict(&self.names[0], name, self.pairs.len())).collect()
    }

    /// How the columns compare where the models do not know the same labels.
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
    /// What the test says, in a sentence.
    fn verdict(&self, first: &str, second: &str, n_pairs: usize) -> String {
        let Some(difference) = self.outcomes.difference() else {
            return format!("There is no photograph whose label both {first} and {second} know.");
        };
        let p = match n_pairs {
            1 => stated_p(self.p_value),
            _ => format!("{}, adjusted {}", stated_p(self.p_value), p_value(self.false_discovery_rate)),
        };
        // No winner is named where chance would do as well.
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

fn coverage(evaluation: &Evaluation<'_>) -> (f64, Option<[f64; 2]>) {
    let curve = &evaluation.local.curve;
    let coverage = curve.at_most(RISK).map_or(0.0, |point| curve.coverage(&point));
    (coverage, curve.coverage_interval(RISK))
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
            // The hash tells files apart, also where somebody forgot to change the version.
            (_, 1) => format!("{named} ({})", &model.sha256[..model.sha256.len().min(8)]),
            _ => format!("{named} ({})", letter(index).to_ascii_uppercase()),
        }
    };
    evaluations.iter().enumerate().map(name).collect()
}

/// What a model is called in file names and JSON: `a`, `b` and so on.
pub(crate) fn letter(index: usize) -> char {
    char::from(b'a' + u8::try_from(index).unwrap_or(25).min(25))
}

/// A p-value in a sentence: `p = 0.0123`, `p < 0.0001`.
pub fn stated_p(p: f64) -> String {
    if p < 0.0001 { "p < 0.0001".to_owned() } else { format!("p = {p:.4}") }
}

/// A p-value in a cell of a table.
pub(crate) fn p_value(p: f64) -> String {
    if p < 0.0001 { "below 0.0001".to_owned() } else { format!("{p:.4}") }
}
