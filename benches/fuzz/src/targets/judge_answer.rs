use partsight_domain::{Category, FillQuestion, Judgement, PartLabel};
use partsight_providers::{JudgeCandidate, JudgeProvider, JudgeQuestion};
use serde_json::{Value, json};

const LABELS: [&str; 3] = ["rim", "radiator", "brake-pad"];

/// What a vision-LLM sent back: by the first byte as it came, or as the text or the tool's input of a whole answer, so
/// that not every input has to find the envelope again.
pub(crate) fn judge_answer(data: &[u8]) {
    let Some((&choice, rest)) = data.split_first() else { return };
    let protocol = if choice & 1 == 0 { JudgeProvider::Openai } else { JudgeProvider::Anthropic };
    let body = match choice >> 1 & 3 {
        0 => rest.to_vec(),
        1 => envelope(protocol, &Value::from(String::from_utf8_lossy(rest)), "judgement"),
        _ => match serde_json::from_slice::<Value>(rest) {
            Ok(object) => {
                envelope(protocol, &object, if choice >> 3 & 1 == 0 { "judgement" } else { "guide" })
            }
            Err(_) => return,
        },
    };
    let question = JudgeQuestion {
        jpeg: Vec::new(),
        vehicle: None,
        read_text: Vec::new(),
        candidates: LABELS.map(candidate).to_vec(),
    };
    let (judgement, _) = protocol.read_judgement(&body, &question);
    if let Ok(judgement) = judgement {
        check(&judgement);
    }
    let guide = FillQuestion::Guide { part: "Rim".to_owned(), category: Category::Brake };
    let _ = protocol.read_fill(&body, &guide);
}

fn candidate(label: &str) -> JudgeCandidate {
    JudgeCandidate {
        label: PartLabel::new(label).expect("the label is one"),
        name: label.to_owned(),
        description: String::new(),
    }
}

/// Nothing but what was offered, and nothing longer than a screen has room for.
fn check(judgement: &Judgement) {
    let label = judgement.label.as_ref().map(PartLabel::as_str);
    assert!(label.is_none_or(|label| LABELS.contains(&label)), "{label:?} was not offered");
    assert!((0.0..=1.0).contains(&judgement.stated_confidence), "{}", judgement.stated_confidence);
    assert!(judgement.part_numbers.len() <= Judgement::MAX_PART_NUMBERS);
    let numbers = judgement.part_numbers.iter().map(|text| (text, Judgement::MAX_PART_NUMBER_CHARS));
    let texts = [Some(&judgement.evidence), judgement.better_photo.as_ref()];
    let texts = texts.into_iter().flatten().map(|text| (text, Judgement::MAX_TEXT_CHARS));
    for (text, most) in texts.chain(numbers) {
        assert!(text.chars().count() <= most, "{text:?} is too long");
        assert!(!text.chars().any(char::is_control), "{text:?} has control characters");
    }
}

fn envelope(protocol: JudgeProvider, content: &Value, tool: &str) -> Vec<u8> {
    let body = if protocol == JudgeProvider::Anthropic {
        json!({ "content": [{ "type": "tool_use", "name": tool, "input": content }] })
    } else {
        let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
        json!({ "choices": [{ "message": { "content": text }, "finish_reason": "stop" }] })
    };
    body.to_string().into_bytes()
}
