//! Parses the judge's answers. The judge is an external program that has seen an untrusted photograph, so its
//! answer is validated completely.

use partsight_domain::{Judgement, NotJudged, PartLabel};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::JudgeUsage;
use super::question::{JudgeQuestion, NONE_OF_THESE};

/// An answer in either protocol.
pub(super) struct Outcome {
    /// The requested object, as text or as a value.
    pub(super) content: Result<Content, NotJudged>,
    pub(super) usage: Option<JudgeUsage>,
}

/// The judge's object before it is checked.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content {
    Text(String),
    Object(Value),
}

impl Content {
    /// Parses the object.
    ///
    /// # Errors
    /// [`NotJudged::AnswerUnreadable`] for anything else. The parser's error is dropped: it would repeat the
    /// answer, which may contain any text.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, NotJudged> {
        let read = match self {
            Self::Text(text) => serde_json::from_str(without_fence(text)),
            Self::Object(value) => T::deserialize(value),
        };
        read.map_err(|_| NotJudged::AnswerUnreadable)
    }
}

/// The object of an answer. An unknown or missing field is an error.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Answer {
    label: String,
    confidence: f32,
    visible_evidence: String,
    part_numbers: Vec<String>,
    // Required, and may be null.
    #[serde(deserialize_with = "Option::deserialize")]
    better_photo: Option<String>,
}

/// The judgement in `content`.
///
/// # Errors
/// [`NotJudged::AnswerUnreadable`] for anything but the requested object, or a label that was not offered.
pub(super) fn parse(content: &Content, question: &JudgeQuestion) -> Result<Judgement, NotJudged> {
    let answer: Answer = content.read()?;
    let label = match answer.label.as_str() {
        NONE_OF_THESE => None,
        // A label that exists but was not offered may come from text in the photograph.
        label => Some(offered(label, question).ok_or(NotJudged::AnswerUnreadable)?),
    };
    let judgement = Judgement {
        label,
        stated_confidence: answer.confidence,
        evidence: answer.visible_evidence,
        part_numbers: answer.part_numbers,
        better_photo: answer.better_photo,
    };
    // The schema cannot limit confidence and text lengths; the domain does.
    Ok(judgement.bounded())
}

fn offered(label: &str, question: &JudgeQuestion) -> Option<PartLabel> {
    let candidates = question.candidates.iter();
    candidates.map(|candidate| &candidate.label).find(|offered| offered.as_str() == label).cloned()
}

/// `text` without an enclosing Markdown code fence, which models often add without a schema.
fn without_fence(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix("```json").or_else(|| text.strip_prefix("```"));
    inside.and_then(|inside| inside.strip_suffix("```")).map_or(text, str::trim)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::question::JudgeCandidate;
    use super::*;

    fn question() -> JudgeQuestion {
        let candidate = |label: &str| JudgeCandidate {
            label: PartLabel::new(label).unwrap(),
            name: label.to_owned(),
            description: String::new(),
        };
        JudgeQuestion {
            jpeg: Vec::new(),
            vehicle: None,
            read_text: Vec::new(),
            candidates: vec![candidate("rim"), candidate("radiator")],
        }
    }

    fn good() -> Value {
        json!({ "label": "rim", "confidence": 0.5, "visibleEvidence": "spokes", "partNumbers": [], "betterPhoto": null })
    }

    fn with(field: &str, value: Value) -> Value {
        let mut answer = good();
        answer[field] = value;
        answer
    }

    #[test]
    fn only_the_object_that_was_asked_for_is_an_answer() {
        let question = question();
        let cases = [
            (good().to_string(), true),
            (format!("```json\n{}\n```", good()), true),
            (with("label", json!("none_of_these")).to_string(), true),
            (with("confidence", json!(7)).to_string(), true),
            (with("betterPhoto", json!("From the front.")).to_string(), true),
            (format!("It is a rim. {}", good()), false),
            (format!("{} Ignore the rest.", good()), false),
            ("The photograph shows a rim.".to_owned(), false),
            (good().to_string()[..40].to_owned(), false),
            (String::new(), false),
            (json!([good()]).to_string(), false),
            (with("label", json!("spark-plug")).to_string(), false),
            (with("label", json!("RIM")).to_string(), false),
            (with("label", json!("")).to_string(), false),
            (with("confidence", json!("high")).to_string(), false),
            (with("confidence", json!(null)).to_string(), false),
            (with("partNumbers", json!("A-1")).to_string(), false),
            (with("makeMeAdmin", json!(true)).to_string(), false),
            (json!({ "label": "rim", "confidence": 0.5 }).to_string(), false),
        ];
        for (text, is_answer) in cases {
            let parsed = parse(&Content::Text(text.clone()), &question);
            assert_eq!(parsed.is_ok(), is_answer, "{text}");
        }
        assert!(parse(&Content::Object(good()), &question).is_ok());
        let none = parse(&Content::Object(with("label", json!("none_of_these"))), &question).unwrap();
        assert_eq!(none.label, None);
    }

    #[test]
    fn a_missing_better_photo_is_no_answer() {
        let mut answer = good();
        answer.as_object_mut().unwrap().remove("betterPhoto");
        assert_eq!(parse(&Content::Object(answer), &question()), Err(NotJudged::AnswerUnreadable));
    }

    proptest! {
        #[test]
        fn any_text_is_an_answer_or_none(text in ".{0,200}", evidence in "\\PC{0,700}|.{0,700}") {
            let question = question();
            let _ = parse(&Content::Text(text), &question);
            let judgement = parse(&Content::Object(with("visibleEvidence", json!(evidence))), &question).unwrap();
            prop_assert!(judgement.evidence.chars().count() <= Judgement::MAX_TEXT_CHARS);
            prop_assert!(!judgement.evidence.chars().any(char::is_control));
        }
    }
}
