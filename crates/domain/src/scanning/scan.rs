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
    /// Asking the judge, or looking for what it said before; 0 where it was out of the question, and then not written.
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

/// What stood behind an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// The model's name.
    pub model: String,
    /// The model's version.
    pub model_version: String,
    /// SHA-256 of the model file, lower-case hex.
    pub model_sha256: String,
    /// What ran the model: `CPU`.
    pub provider: String,
    /// The thresholds in force.
    pub thresholds: VerdictThresholds,
    /// The temperature that the tenant's feedback gave; `None` where the model's own calibration held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback_temperature: Option<f64>,
    /// Milliseconds a stage.
    pub timings_ms: StageTimings,
    /// Whether the photograph was sent to another machine.
    pub photo_left_machine: bool,
    /// The types that the vehicle spoke against, the most probable first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vehicle_doubts: Vec<VehicleDoubt>,
    /// The few types that an answer which is not sure is one of; `None` where nothing is promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate_set: Option<CandidateSet>,
    /// What each of several photographs says, in the order in which they were sent; empty for one photograph.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub photos: Vec<PhotoFinding>,
    /// Whether it was answered without taught parts, or without some of them, because their index was not to be had.
    #[serde(default, skip_serializing_if = "is_false")]
    pub lacks_taught_parts: bool,
    /// Whether the text on its photographs is not read, neither before its answer nor later.
    #[serde(default, skip_serializing_if = "is_false")]
    pub leaves_text_unread: bool,
    /// What the judge had to do with it.
    #[serde(flatten)]
    pub judging: JudgingReceipt,
}

/// A part type that the vehicle of a scan speaks against.
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

/// What one of several photographs of a part says by itself: without the vehicle, the judge and the temperature of
/// feedback.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PhotoFinding {
    /// Its best guess.
    pub best: Candidate,
    /// How surely it shows one of the known types, in 0..=1.
    pub known_score: f32,
    /// How much it counts in the answer, in 0..=1; those of a scan sum to 1.
    pub weight: f32,
    /// Whether it stands for the scan: its picture is kept, the judge sees it, and feedback teaches it.
    pub is_lead: bool,
}

/// What the judge had to do with an answer, and what it cost. The default is that of a scan which was kept before
/// there was a judge.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JudgingReceipt {
    /// Which catalogue was in force: the beginning of the SHA-256 of its content, lower-case hex.
    pub catalog_version: Option<String>,
    /// Which way the verdict was reached.
    pub verdict_path: VerdictPath,
    /// Why the judge had no say; `None` where it had.
    pub not_judged: Option<NotJudged>,
    /// What the judge said.
    pub judgement: Option<Judgement>,
    /// The judge's model.
    pub judge_model: Option<String>,
    /// Where the photograph was sent, as host or host and port; `None` where it was not.
    pub photo_sent_to: Option<String>,
    /// How alike the photograph is to the one whose judgement was reused: cosine similarity in -1..=1.
    pub reused_similarity: Option<f32>,
    /// What the judge charged for this scan, in millionths of a dollar; 0 where a judgement was reused.
    pub cost_micro_dollars: u64,
    /// Tokens of the question, the photograph among them.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
}

/// Most photographs of one part in one scan.
pub const MAX_SCAN_PHOTOS: usize = 5;

/// One answered scan, as it is kept.
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
    /// What it is rolled up to, where the best guess ties with its siblings.
    pub category: Option<CategoryGuess>,
    /// What stood behind the answer.
    pub receipt: Receipt,
    /// When the scan was made.
    pub scanned_at: Timestamp,
    /// Whether a small picture is kept: of the photograph that stands for the scan.
    pub has_thumbnail: bool,
    /// What somebody said of the answer.
    pub feedback: Option<ScanFeedback>,
}

/// What is less sure than this and not sure does not count against the allowance.
const MIN_COUNTED_CONFIDENCE: f32 = 1.0 / 3.0;

impl Scan {
    /// How many photographs it was made of.
    pub fn n_photos(&self) -> usize {
        // The receipt lists photographs only where there are several.
        self.receipt.photos.len().max(1)
    }

    /// Whether the answer is one of those that the allowance is for: a guess that is more likely wrong than right by
    /// two to one is given for nothing.
    pub fn uses_allowance(&self) -> bool {
        // Two scans are all that a Basic account has in its life: a mere guess must not use one up.
        self.verdict != Verdict::NotSure || self.best.confidence >= MIN_COUNTED_CONFIDENCE
    }

    /// What numbers on the part can change of the answer.
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
        // The set lies in the receipt, which is JSON, and so needed no column of its own.
        let receipt = Receipt { candidate_set, ..self.receipt };
        Self { verdict, best, alternatives, category, receipt, ..self }
    }

    /// Where the scan stands in the history.
    pub fn position(&self) -> ScanPosition {
        ScanPosition { scanned_at: self.scanned_at, id: self.id }
    }
}

/// A place in the history, whose order is that of the moments, and of the ids where those are equal.
///
/// As text it is the milliseconds since 1970 and the id with a point between them, for the address of the next
/// page. It stays a place when its scan is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScanPosition {
    /// The moment.
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
            // Milliseconds, which is what the database keeps: a finer moment would not be found again.
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
    /// A small picture, made of the pixels alone.
    #[default]
    Thumbnail,
    /// The small picture, and the photograph as it was sent, with all that the camera wrote into it.
    Full,
}

named! {
    /// Which of the kept pictures.
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
        receipt.candidate_set = Some(CandidateSet { coverage: Some(0.95), candidates: vec![best.clone()] });
        receipt.photos = vec![PhotoFinding { best, known_score: 0.5, weight: 1.0, is_lead: true }];
        let text = serde_json::to_string(&receipt).unwrap();
        assert_eq!(serde_json::from_str::<Receipt>(&text).unwrap(), receipt);
    }

    #[test]
    fn the_limit_of_photographs_is_the_one_that_people_are_told() {
        assert!(crate::messages::TOO_MANY_SCAN_PHOTOS.contains(&format!("at most {MAX_SCAN_PHOTOS} photos")));
    }
}
