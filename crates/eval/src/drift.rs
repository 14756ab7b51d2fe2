//! Drift: whether photographs still resemble those of an earlier report. No labels are needed.

use partsight_domain::Verdict;
use serde::Serialize;

use crate::metrics::{
    KernelTest, KolmogorovSmirnov, false_discovery_rates, kernel_two_sample, kolmogorov_smirnov,
};
use crate::{Baseline, Dataset, Embeddings, Measured, ReportedPhoto};

/// Maximum of photographs listed as least similar to those of the report.
const FARTHEST: usize = 5;
/// A distribution counts as shifted up to this false discovery rate.
const LEVEL: f64 = 0.05;

/// The distributions of one score, in the report and now.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shift {
    /// Name of the score.
    pub name: &'static str,
    /// Mean in the report.
    pub mean_before: f64,
    /// Mean now.
    pub mean_now: f64,
    /// Kolmogorov-Smirnov test of the two distributions.
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

/// The distributions of the embeddings, in the report and now.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EmbeddingShift {
    /// Number of embeddings in the report.
    pub n_before: usize,
    /// Number of embeddings now.
    pub n_now: usize,
    /// Squared maximum mean discrepancy: see [`KernelTest`].
    pub mmd_squared: f64,
    /// p-value over 1,000 permutations.
    pub p_value: f64,
    /// The p-value adjusted for the number of comparisons (Benjamini and Hochberg).
    pub false_discovery_rate: f64,
    /// The photographs that are least similar to those of the report, the least similar first; at most five.
    pub farthest: Vec<Farthest>,
}

/// A photograph unlike those of the report.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Farthest {
    /// Its path as shown: relative to the evaluated folder.
    pub path: String,
    /// Mean of the kernel over the photographs of the report, 0 to 1.
    pub likeness: f64,
}

impl EmbeddingShift {
    /// Compares embeddings with those of a report; `None` if a side has fewer than two.
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

/// Comparison of the answers of this run with those of a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Drift {
    /// Number of photographs in the report.
    pub n_before: usize,
    /// Number of photographs in this run.
    pub n_now: usize,
    /// Number of photographs of this run with the verdict "identified".
    pub n_identified: usize,
    /// Confidence and known score; empty if a side has no photograph.
    pub shifts: Vec<Shift>,
    /// `None` if the report has no embeddings.
    pub embedding: Option<EmbeddingShift>,
}

impl Drift {
    /// Compares answers with those of a report of the same model, ignoring labels. A different share of photographs
    /// without a part shifts all distributions too.
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
