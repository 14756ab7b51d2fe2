//! Whether photographs are still like those of an earlier report; no labels are needed.

use partsight_domain::Verdict;
use serde::Serialize;

use crate::metrics::{KolmogorovSmirnov, false_discovery_rates, kolmogorov_smirnov};
use crate::{Baseline, Measured, ReportedPhoto};

/// How one number is distributed in the report and now.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shift {
    /// What is compared.
    pub name: &'static str,
    /// Mean in the report.
    pub mean_before: f64,
    /// Mean now.
    pub mean_now: f64,
    /// Of the two distributions.
    pub test: KolmogorovSmirnov,
    /// The p-value adjusted for the number of comparisons (Benjamini and Hochberg).
    pub false_discovery_rate: f64,
}

impl Shift {
    /// Whether the distributions differ by more than chance, at a false discovery rate of 5%.
    pub fn is_shifted(&self) -> bool {
        self.false_discovery_rate <= 0.05
    }
}

/// Today's answers against those of a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Drift {
    /// Photographs in the report.
    pub n_before: usize,
    /// Photographs now.
    pub n_now: usize,
    /// Photographs now that are called identified.
    pub n_identified: usize,
    /// Confidence and known score; empty where a side has no photograph.
    pub shifts: Vec<Shift>,
}

impl Drift {
    /// Compares answers, whose labels do not matter, with those of a report of the same model. Both distributions
    /// change as well where the share of photographs without a part does.
    pub fn new(baseline: &Baseline, photos: &[Measured]) -> Self {
        let shift = |name, before: fn(&ReportedPhoto) -> f32, now: fn(&Measured) -> f32| {
            let before: Vec<f64> = baseline.photos.iter().map(|photo| before(photo).into()).collect();
            let now: Vec<f64> = photos.iter().map(|photo| now(photo).into()).collect();
            Some(Shift {
                name,
                mean_before: mean(&before),
                mean_now: mean(&now),
                test: kolmogorov_smirnov(&before, &now)?,
                false_discovery_rate: 1.0,
            })
        };
        let mut shifts: Vec<Shift> = [
            shift("confidence", |photo| photo.confidence, |photo| photo.answer.best().confidence),
            shift("known score", |photo| photo.known_score, |photo| photo.answer.known_score),
        ]
        .into_iter()
        .flatten()
        .collect();
        let p_values: Vec<f64> = shifts.iter().map(|shift| shift.test.p_value).collect();
        for (shift, rate) in shifts.iter_mut().zip(false_discovery_rates(&p_values)) {
            shift.false_discovery_rate = rate;
        }
        Self {
            n_before: baseline.photos.len(),
            n_now: photos.len(),
            n_identified: photos.iter().filter(|photo| photo.answer.verdict == Verdict::Identified).count(),
            shifts,
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
