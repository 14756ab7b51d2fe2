use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::garage::VehicleName;
use crate::judging::{Judgement, NotJudged, VerdictPath};
use crate::recognition::{Candidate, CandidateSet, CategoryGuess, Verdict, VerdictThresholds};
use crate::scanning::{Answer, ScanFeedback};
use crate::{InvalidInput, PartLabel, ScanId, VehicleId};

/// How long each stage of a scan took, in milliseconds of wall time.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StageTimings {
    /// Reading the photograph and turning it upright.
    pub decode: f32,
    /// Resizing and normalising.
    pub preprocess: f32,
    /// Waiting for the engine.
    pub queue: f32,
    /// The network itself.
    pub inference: f32,
    /// Asking the judge, or finding a reusable verdict; 0, and not serialised, if it was not considered.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub judge: f32,
    /// Everything from the received photograph to the answer.
    pub total: f32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference over")]
fn is_zero(millis: &f32) -> bool {
    *millis == 0.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference over")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Receipt of an answer: how it was reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// The model's name.
    pub model: String,
    /// The model's version.
    pub model_version: String,
    /// SHA-256 of the model file, lower-case hex.
    pub model_sha256: String,
    /// The execution provider, such as `CPU`.
    pub provider: String,
    /// The thresholds in force.
    pub thresholds: VerdictThresholds,
    /// The temperature fitted to the tenant's feedback; `None` for the model's own calibration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback_temperature: Option<f64>,
    /// Duration of each stage, in milliseconds.
    pub timings_ms: StageTimings,
    /// Whether the photograph was sent to another machine.
    pub photo_left_machine: bool,
    /// Types that cannot be on the vehicle, the most probable first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vehicle_doubts: Vec<VehicleDoubt>,
    /// The candidate set of an answer that is not sure; `None` without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate_set: Option<CandidateSet>,
    /// The result of each of several photographs, in the order of upload; empty for a single photograph.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub photos: Vec<PhotoFinding>,
    /// Whether some or all taught parts were left out, because their index was not available.
    #[serde(default, skip_serializing_if = "is_false")]
    pub lacks_taught_parts: bool,
    /// Whether the text on its photographs is not read, neither before its answer nor later.
    #[serde(default, skip_serializing_if = "is_false")]
    pub leaves_text_unread: bool,
    /// Receipt of the judge.
    #[serde(flatten)]
    pub judging: JudgingReceipt,
}

/// A part type that cannot be on the vehicle of a scan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VehicleDoubt {
    /// Which type.
    pub label: PartLabel,
    /// Its probability in 0..=1 by the photograph alone.
    pub confidence_without_vehicle: f32,
    /// A sentence for people: what the vehicle lacks.
    pub reason: String,
}

/// The result of one of several photographs by itself: without vehicle prior, judge and temperature of feedback.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhotoFinding {
    /// Its best guess.
    pub best: Candidate,
    /// How surely it shows one of the known types, in 0..=1.
    pub known_score: f32,
    /// Its weight in the answer, in 0..=1; the weights of a scan sum to 1.
    pub weight: f32,
    /// Whether it stands for the scan: its picture is kept, the judge sees it, and feedback teaches it.
    pub is_lead: bool,
}

/// How the judge was involved in an answer, and its cost. The default applies to scans saved before there was a judge.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JudgingReceipt {
    /// Which catalogue was in force: the beginning of the SHA-256 of its content, lower-case hex.
    pub catalog_version: Option<String>,
    /// How the verdict was reached.
    pub verdict_path: VerdictPath,
    /// Why there is no judgement; `None` if there is one.
    pub not_judged: Option<NotJudged>,
    /// The judgement.
    pub judgement: Option<Judgement>,
    /// The judge's model.
    pub judge_model: Option<String>,
    /// Where the photograph was sent, as host or host and port; `None` if it was not sent.
    pub photo_sent_to: Option<String>,
    /// Cosine similarity to the photograph whose judgement was reused, in -1..=1.
    pub reused_similarity: Option<f32>,
    /// Cost of the judge for this scan, in millionths of a dollar; 0 for a reused judgement.
    pub cost_micro_dollars: u64,
    /// Tokens of the question, including the photograph.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
}

/// Maximum of photographs of one part in a scan.
pub const MAX_SCAN_PHOTOS: usize = 5;

/// A saved scan.
#[derive(Debug, Clone, PartialEq)]
pub struct Scan {
    /// Sorts by the time of the scan.
    pub id: ScanId,
    /// The vehicle it was made for; `None` once that vehicle is gone or when there was none.
    pub vehicle_id: Option<VehicleId>,
    /// The vehicle's name at that time.
    pub vehicle: Option<VehicleName>,
    /// How sure the answer is. Never [`Verdict::NotAPart`]: such a photograph is refused, not kept.
    pub verdict: Verdict,
    /// The best guess.
    pub best: Candidate,
    /// How surely the photograph shows one of the known types, in 0..=1.
    pub known_score: f32,
    /// The next best, most probable first.
    pub alternatives: Vec<Candidate>,
    /// The category that it is rolled up to, if the best guess ties with types of the same category.
    pub category: Option<CategoryGuess>,
    /// Receipt of the answer.
    pub receipt: Receipt,
    /// When the scan was made.
    pub scanned_at: Timestamp,
    /// Whether a thumbnail of the lead photograph is kept.
    pub has_thumbnail: bool,
    /// Whether the lead photograph is kept as it was sent.
    pub has_whole_photo: bool,
    /// Feedback on the answer.
    pub feedback: Option<ScanFeedback>,
}

/// Answers that are not sure, with a confidence below this, do not count against the allowance.
const MIN_COUNTED_CONFIDENCE: f32 = 1.0 / 3.0;

impl Scan {
    /// Number of its photographs.
    pub fn n_photos(&self) -> usize {
        // The receipt lists photographs only if there are several.
        self.receipt.photos.len().max(1)
    }

    /// Whether the answer counts against the allowance: one that is not sure and wrong with odds above two to one is
    /// free.
    pub fn uses_allowance(&self) -> bool {
        // A Basic account has two scans in all, which a mere guess must not use up.
        self.verdict != Verdict::NotSure || self.best.confidence >= MIN_COUNTED_CONFIDENCE
    }

    /// The part of the answer that numbers can change.
    pub fn answer(&self) -> Answer {
        Answer {
            verdict: self.verdict,
            best: self.best.clone(),
            alternatives: self.alternatives.clone(),
            category: self.category,
            candidate_set: self.receipt.candidate_set.clone(),
        }
    }

    /// The same scan with another answer.
    #[must_use]
    pub fn with_answer(self, answer: Answer) -> Self {
        let Answer { verdict, best, alternatives, category, candidate_set } = answer;
        // The set is stored in the receipt, which is JSON, and has no column of its own.
        let receipt = Receipt { candidate_set, ..self.receipt };
        Self { verdict, best, alternatives, category, receipt, ..self }
    }

    /// Its position in the history.
    pub fn position(&self) -> ScanPosition {
        ScanPosition { scanned_at: self.scanned_at, id: self.id }
    }
}

/// A position in the history, ordered by time and then by id.
///
/// As text, for the URL of the next page, it is the milliseconds since 1970 and the id, separated by a point. It stays
/// valid when its scan is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScanPosition {
    /// Time of the scan.
    pub scanned_at: Timestamp,
    /// The id.
    pub id: ScanId,
}

impl fmt::Display for ScanPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.scanned_at.as_millisecond(), self.id)
    }
}

impl FromStr for ScanPosition {
    type Err = InvalidInput;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let (millis, id) = text.split_once('.')?;
            // In milliseconds, the resolution of the database.
            let scanned_at = Timestamp::from_millisecond(millis.parse().ok()?).ok()?;
            Some(Self { scanned_at, id: id.parse().ok()? })
        };
        parse().ok_or_else(|| {
            InvalidInput::new("before", "This cursor is not valid; please take `next` of the page before.")
        })
    }
}

/// Which pictures of photographs are kept with their scans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhotoKeeping {
    /// None: a photograph is gone once it is answered.
    None,
    /// A thumbnail without metadata.
    #[default]
    Thumbnail,
    /// The thumbnail, and the original photograph with its metadata.
    Full,
}

named! {
    /// The size of a kept picture.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum PhotoSize {
        /// The small one.
        Thumbnail = "thumbnail",
        /// The photograph as it was sent.
        Full = "full",
    }
}

/// A kept picture.
#[derive(Clone, PartialEq, Eq)]
pub struct ScanPhoto {
    /// Size in which it is kept.
    pub size: PhotoSize,
    /// Such as `image/jpeg`.
    pub media_type: String,
    /// The file.
    pub bytes: Vec<u8>,
}

impl fmt::Debug for ScanPhoto {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScanPhoto({:?}, {}, {} bytes)", self.size, self.media_type, self.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_the_history_reads_as_it_is_written() {
        let text = "1800000000123.0190a0a0-0000-7000-8000-000000000000";
        let position: ScanPosition = text.parse().unwrap();
        assert_eq!(position.to_string(), text);
        for bad in ["", ".", "1800000000123", "x.0190a0a0-0000-7000-8000-000000000000", "1.2", "\u{0}"] {
            assert_eq!(bad.parse::<ScanPosition>().unwrap_err().field, "before", "{bad}");
        }
        let later: ScanPosition = "1800000000124.0190a0a0-0000-7000-8000-000000000000".parse().unwrap();
        assert!(later > position);
    }

    #[test]
    fn receipts_kept_before_there_was_a_judge_are_read() {
        let old = r#"{"model":"m","modelVersion":"1","modelSha256":"00","provider":"CPU",
            "thresholds":{"not_a_part_below":0.1,"identified_known_score":0.5,"identified_confidence":0.8},
            "timingsMs":{"decode":1,"preprocess":1,"queue":0,"inference":4,"total":6},
            "photoLeftMachine":false}"#;
        let mut receipt: Receipt = serde_json::from_str(old).unwrap();
        assert_eq!(receipt.judging, JudgingReceipt::default());
        assert_eq!(receipt.photos, []);
        receipt.judging.not_judged = Some(NotJudged::Sure);
        receipt.judging.cost_micro_dollars = 7;
        let best = Candidate { label: PartLabel::new("rim").unwrap(), confidence: 0.5 };
        assert_eq!(receipt.candidate_set, None);
        receipt.candidate_set =
            Some(CandidateSet { coverage: Some(0.95), is_unmeasured: false, candidates: vec![best.clone()] });
        receipt.photos = vec![PhotoFinding { best, known_score: 0.5, weight: 1.0, is_lead: true }];
        let text = serde_json::to_string(&receipt).unwrap();
        assert_eq!(serde_json::from_str::<Receipt>(&text).unwrap(), receipt);
    }

    #[test]
    fn the_limit_of_photographs_is_the_one_that_people_are_told() {
        assert!(crate::messages::TOO_MANY_SCAN_PHOTOS.contains(&format!("at most {MAX_SCAN_PHOTOS} photos")));
    }
}
