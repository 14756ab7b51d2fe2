//! Two models on the same photographs.

use std::collections::HashMap;

use crate::metrics::{PairedOutcomes, difference_interval, mcnemar_exact};
use crate::{Evaluation, Measured, Truth};

/// Two evaluations of one data set side by side.
#[derive(Debug)]
pub struct Comparison<'a> {
    /// The first model.
    pub first: &'a Evaluation<'a>,
    /// The second model.
    pub second: &'a Evaluation<'a>,
    /// Rightness of the best guesses, over the photographs that both answered and whose label both know.
    pub outcomes: PairedOutcomes,
    /// [`mcnemar_exact`] of [`Comparison::outcomes`].
    pub p_value: f64,
    /// The 95% interval of the difference, second less first.
    pub interval: Option<[f64; 2]>,
    /// Photographs that one model got right and the other did not.
    pub differences: Vec<Difference<'a>>,
}

/// A photograph that only one of the models got right.
#[derive(Debug, Clone, Copy)]
pub struct Difference<'a> {
    /// What the first model said.
    pub first: &'a Measured,
    /// What the second model said.
    pub second: &'a Measured,
}

impl<'a> Comparison<'a> {
    /// Pairs the answers of two models by photograph.
    pub fn new(first: &'a Evaluation<'a>, second: &'a Evaluation<'a>) -> Self {
        let by_sample: HashMap<usize, &Measured> =
            second.photos.iter().map(|photo| (photo.sample, photo)).collect();
        let mut outcomes = PairedOutcomes::default();
        let mut differences = Vec::new();
        for one in first.photos {
            let Some(&two) = by_sample.get(&one.sample) else { continue };
            if one.truth == Truth::NotKnown || two.truth == Truth::NotKnown {
                continue;
            }
            outcomes.add(one.is_right(), two.is_right());
            if one.is_right() != two.is_right() {
                differences.push(Difference { first: one, second: two });
            }
        }
        Self {
            first,
            second,
            p_value: mcnemar_exact(&outcomes),
            interval: difference_interval(&outcomes),
            outcomes,
            differences,
        }
    }

    /// What the test says, in a sentence.
    pub fn verdict(&self) -> String {
        let (first, second) = (self.name(self.first), self.name(self.second));
        let Some(difference) = self.outcomes.difference() else {
            return "There is no photograph whose label both models know.".to_owned();
        };
        if self.p_value >= 0.05 {
            return format!(
                "These {} photographs do not tell {first} and {second} apart (p = {}).",
                self.outcomes.total(),
                p_value(self.p_value)
            );
        }
        let (better, worse) = if difference > 0.0 { (second, first) } else { (first, second) };
        format!("{better} is right more often than {worse} (p = {}).", p_value(self.p_value))
    }

    /// The name and version of a model; where both have the same, its hash as well, and where even that is
    /// the same, A or B.
    pub fn name(&self, evaluation: &Evaluation<'_>) -> String {
        let model = evaluation.model;
        let named = format!("{} {}", model.name, model.version);
        let (one, two) = (self.first.model, self.second.model);
        if (&one.name, &one.version) != (&two.name, &two.version) {
            named
        } else if one.sha256 != two.sha256 {
            format!("{named} ({})", &model.sha256[..model.sha256.len().min(8)])
        } else if std::ptr::eq(model, one) {
            format!("{named} (A)")
        } else {
            format!("{named} (B)")
        }
    }
}

/// A p-value as people write it.
pub fn p_value(p: f64) -> String {
    if p < 0.0001 { "below 0.0001".to_owned() } else { format!("{p:.4}") }
}
