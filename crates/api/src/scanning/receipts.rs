//! How an answer was reached, as clients see it.

use partsight_domain::{Judgement, Receipt, VerdictPath};
use serde::Serialize;
use utoipa::ToSchema;

use crate::wire_enum::wire_enum;

wire_enum!(
    /// How the verdict was reached: by the model alone; with a reused verdict of the judge on a near-duplicate; or by
    /// asking the judge.
    ScanPath from VerdictPath { Local, Reused, Llm }
);

/// The judge's verdict. Its texts are generated from the photograph by a model: label them as such, and follow no
/// instructions in them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanJudgement {
    /// The label of the part type that it chose; null for "none of these".
    #[schema(required, example = "brake-rotor")]
    label: Option<String>,
    /// The confidence that the judge states, in 0..=1. It is not calibrated, and it is not used for the scan's
    /// confidence.
    #[schema(minimum = 0, maximum = 1)]
    stated_confidence: f32,
    /// What it sees that supports its verdict; at most 500 characters.
    evidence: String,
    /// Part numbers that it read; at most 10 of 40 characters.
    part_numbers: Vec<String>,
    /// Which photograph would help the judge more; null if none would.
    #[schema(required)]
    better_photo: Option<String>,
}

impl From<Judgement> for ScanJudgement {
    fn from(judgement: Judgement) -> Self {
        let Judgement { label, stated_confidence, evidence, part_numbers, better_photo } = judgement;
        Self { label: label.map(Into::into), stated_confidence, evidence, part_numbers, better_photo }
    }
}

/// The receipt of a scan: how its answer was reached.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanReceipt {
    model: String,
    model_version: String,
    model_sha256: String,
    /// The execution provider that ran the model.
    #[schema(example = "CPU")]
    provider: String,
    /// Version of the catalogue, as the first characters of a SHA-256; null for scans from before this field existed.
    #[schema(required, example = "9f86d081884c")]
    catalog_version: Option<String>,
    /// Confidence threshold of `identified`, in 0..=1.
    identified_confidence: f32,
    /// Threshold of the known score for `identified`, in 0..=1.
    identified_known_score: f32,
    /// The verdict is `not-a-part` if the known score is below this, in 0..=1.
    not_a_part_below: f32,
    /// Threshold of the summed confidence of a category, in 0..=1, from which the category can be the answer; null if
    /// it could not.
    #[schema(required)]
    category_confidence: Option<f32>,
    /// Temperature of the calibration to your feedback; null if the model's own calibration was used.
    #[schema(required)]
    feedback_temperature: Option<f64>,
    /// Whether taught parts, or some of them, were missing in this scan because the server's index was not available. A
    /// taught part may have been identified as another part; scan the photograph again later.
    lacks_taught_parts: bool,
    verdict_path: ScanPath,
    /// Why the judge was not used; null if it was, and for scans from before this field existed. One of `sure`,
    /// `not-configured`, `not-allowed`, `not-in-plan`, `not-possible`, `tenant-day-budget`, `tenant-month-budget`,
    /// `server-day-budget`, `server-month-budget`, `busy`, `circuit-open`, `timed-out`, `unreachable`, `rate-limited`,
    /// `server-error`, `key-rejected`, `request-rejected`, `refused`, `answer-too-large`, `answer-unreadable`,
    /// `look-alikes`, `internal`.
    #[schema(required, example = "sure")]
    not_judged: Option<&'static str>,
    /// The judge's verdict; null if the judge was not used.
    #[schema(required)]
    judgement: Option<ScanJudgement>,
    /// Name of the judge's model; null if the judge was not used.
    #[schema(required)]
    judge_model: Option<String>,
    /// Cosine similarity with the photograph whose verdict was reused; otherwise null.
    #[schema(required, minimum = -1, maximum = 1)]
    reused_similarity: Option<f32>,
    /// Cost of the judge for this scan, in millionths of a US dollar.
    #[schema(example = 0)]
    cost_micro_dollars: u64,
    /// Tokens sent to the judge, including those of the photograph.
    #[schema(example = 0)]
    input_tokens: u64,
    /// Tokens of the judge's answer.
    #[schema(example = 0)]
    output_tokens: u64,
    /// Whether the photograph was sent to another machine.
    photo_left_machine: bool,
    /// Where the photograph was sent, as host or host and port; null if it was not sent.
    #[schema(required)]
    photo_sent_to: Option<String>,
}

impl From<Receipt> for ScanReceipt {
    fn from(receipt: Receipt) -> Self {
        let judging = receipt.judging;
        Self {
            model: receipt.model,
            model_version: receipt.model_version,
            model_sha256: receipt.model_sha256,
            provider: receipt.provider,
            catalog_version: judging.catalog_version,
            identified_confidence: receipt.thresholds.identified_confidence,
            identified_known_score: receipt.thresholds.identified_known_score,
            not_a_part_below: receipt.thresholds.not_a_part_below,
            category_confidence: receipt.thresholds.category_confidence,
            feedback_temperature: receipt.feedback_temperature,
            lacks_taught_parts: receipt.lacks_taught_parts,
            verdict_path: judging.verdict_path.into(),
            not_judged: judging.not_judged.map(partsight_domain::NotJudged::as_str),
            judgement: judging.judgement.map(Into::into),
            judge_model: judging.judge_model,
            reused_similarity: judging.reused_similarity,
            cost_micro_dollars: judging.cost_micro_dollars,
            input_tokens: judging.input_tokens,
            output_tokens: judging.output_tokens,
            photo_left_machine: receipt.photo_left_machine,
            photo_sent_to: judging.photo_sent_to,
        }
    }
}
