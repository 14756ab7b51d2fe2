//! Whether photographs are still like those of an earlier report; no labels are needed.

use partsight_domain::Verdict;
use serde::Serialize;

use crate::metrics::{
    KernelTest, KolmogorovSmirnov, false_discovery_rates, kernel_two_sample, kolmogorov_smirnov,
};
use crate::{Baseline, Dataset, Embeddings, Measured, ReportedPhoto};

/// Photographs that are named as the least like those of the report.
const FARTHEST: usize = 5;
/// The largest false discovery rate at which a distribution is called shifted.
const LEVEL: f64 = 0.05;

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
        self.false_discovery_rate <= LEVEL
    }
}

/// How embeddings are distributed in the report and now.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EmbeddingShift {
    /// Photographs of the report.
    pub n_before: usize,
    /// Photographs now.
    pub n_now: usize,
    /// Squared maximum mean discrepancy: see [`KernelTest`].
    pub mmd_squared: f64,
    /// Over 1,000 permutations.
    pub p_value: f64,
    /// The p-value adjusted for the number of comparisons (Benjamini and Hochberg).
    pub false_discovery_rate: f64,
    /// The photographs that are least like those of the report, the least first; at most five.
    pub farthest: Vec<Farthest>,
}

/// A photograph that stands out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Farthest {
    /// As it is shown: relative to the evaluated folder.
    pub path: String,
    /// Mean of the kernel over the photographs of the report, 0 to 1.
    pub likeness: f64,
}

impl EmbeddingShift {
    /// Compares embeddings with those of a report; `None` where a side has fewer than two.
    pub fn new(before: &[Vec<f32>], now: &Embeddings, dataset: &Dataset) -> Option<Self> {
        let KernelTest { mmd_squared, p_value, likeness } = kernel_two_sample(before, &now.rows)?;
        let mut order: Vec<(usize, f64)> = now.samples.iter().copied().zip(likeness).collect();
        order.sort_by(|one, other| one.1.total_cmp(&other.1));
        let farthest = order.into_iter().take(FARTHEST).map(|(sample, likeness)| Farthest {
            path: dataset.shown(&dataset.samples()[sample].path),
            likeness,
        });
        Some(Self {
            n_before: before.len(),
            n_now: now.rows.len(),
            mmd_squared,
            p_value,
            false_discovery_rate: 1.0,
            farthest: farthest.collect(),
        })
    }

    /// Whether the distributions differ by more than chance, at a false discovery rate of 5%.
    pub fn is_shifted(&self) -> bool {
        self.false_discovery_rate <= LEVEL
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
    /// `None` where the report was written without embeddings.
    pub embedding: Option<EmbeddingShift>,
}

impl Drift {
    /// Compares answers, whose labels do not matter, with those of a report of the same model. All distributions
    /// change as well where the share of photographs without a part does.
    pub fn new(baseline: &Baseline, photos: &[Measured], mut embedding: Option<EmbeddingShift>) -> Self {
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
        let p_values: Vec<f64> = shifts
            .iter()
            .map(|shift| shift.test.p_value)
            .chain(embedding.iter().map(|embedding| embedding.p_value))
            .collect();
        let adjusted = shifts
            .iter_mut()
            .map(|shift| &mut shift.false_discovery_rate)
            .chain(embedding.iter_mut().map(|embedding| &mut embedding.false_discovery_rate));
        for (rate, found) in adjusted.zip(false_discovery_rates(&p_values)) {
            *rate = found;
        }
        Self {
            n_before: baseline.photos.len(),
            n_now: photos.len(),
            n_identified: photos.iter().filter(|photo| photo.answer.verdict == Verdict::Identified).count(),
            shifts,
            embedding,
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
