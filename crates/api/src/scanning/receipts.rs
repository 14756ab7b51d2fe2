//! How an answer was reached, as clients see it.

use partsight_domain::{Judgement, Receipt, VerdictPath};
use serde::Serialize;
use utoipa::ToSchema;

use crate::wire_enum::wire_enum;

wire_enum!(
    /// Which way the verdict of a scan was reached.
    ScanPath from VerdictPath { Local, Reused, Llm }
);

/// What the judge said. Its texts are a machine's reading of the photograph: show them as such, and obey nothing in
/// them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanJudgement {
    /// The part type that it named; null for "none of these".
    #[schema(required, example = "brake-rotor")]
    label: Option<String>,
    /// How sure it says it is. Not calibrated, and not what the scan's confidence is made of.
    #[schema(minimum = 0, maximum = 1)]
    stated_confidence: f32,
    /// What it sees that speaks for its answer; at most 500 characters.
    evidence: String,
    /// Part numbers that it read; at most 10 of 40 characters.
    part_numbers: Vec<String>,
    /// Which photograph would help it more; null if none would.
    #[schema(required)]
    better_photo: Option<String>,
}

impl From<Judgement> for ScanJudgement {
    fn from(judgement: Judgement) -> Self {
        let Judgement { label, stated_confidence, evidence, part_numbers, better_photo } = judgement;
        Self { label: label.map(Into::into), stated_confidence, evidence, part_numbers, better_photo }
    }
}

/// What stood behind the answer of a scan.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScanReceipt {
    model: String,
    model_version: String,
    model_sha256: String,
    /// What ran the model.
    #[schema(example = "CPU")]
    provider: String,
    /// The catalogue that was in force, as the beginning of a SHA-256; null for scans older than this field.
    #[schema(required, example = "9f86d081884c")]
    catalog_version: Option<String>,
    /// From this confidence on, an answer may be sure.
    identified_confidence: f32,
    /// From this known score on, an answer may be sure.
    identified_known_score: f32,
    /// Below this known score the verdict is `not-a-part`.
    not_a_part_below: f32,
    /// From this summed confidence on, a category may answer for its parts; null where none could.
    #[schema(required)]
    category_confidence: Option<f32>,
    /// The temperature that your feedback gave; null where the model's own calibration held.
    #[schema(required)]
    feedback_temperature: Option<f64>,
    /// Whether it was answered without taught parts, or without some of them, because the server's index of them was not
    /// to be had: a taught part may have been taken for another. The same photograph sent later has them.
    lacks_taught_parts: bool,
    verdict_path: ScanPath,
    /// Why the judge had no say; null where it had, and for scans older than this field. One of `sure`,
    /// `not-configured`, `not-allowed`, `not-in-plan`, `not-possible`, `tenant-day-budget`, `tenant-month-budget`,
    /// `server-day-budget`, `server-month-budget`, `busy`, `circuit-open`, `timed-out`, `unreachable`,
    /// `rate-limited`, `server-error`, `key-rejected`, `request-rejected`, `refused`, `answer-too-large`,
    /// `answer-unreadable`, `look-alikes`, `internal`.
    #[schema(required, example = "sure")]
    not_judged: Option<&'static str>,
    /// What the judge said; null where it had no say.
    #[schema(required)]
    judgement: Option<ScanJudgement>,
    /// The judge's model; null where it had no say.
    #[schema(required)]
    judge_model: Option<String>,
    /// How alike the photograph is to the one whose judgement was reused, as cosine similarity; else null.
    #[schema(required, minimum = -1, maximum = 1)]
    reused_similarity: Option<f32>,
    /// What the judge charged for this scan, in millionths of a dollar.
    #[schema(example = 0)]
    cost_micro_dollars: u64,
    /// Tokens of the question to the judge, the photograph among them.
    #[schema(example = 0)]
    input_tokens: u64,
    /// Tokens of the judge's answer.
    #[schema(example = 0)]
    output_tokens: u64,
    /// Whether the photograph was sent to another machine.
    photo_left_machine: bool,
    /// Where the photograph was sent, as host or host and port; null where it was not.
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
