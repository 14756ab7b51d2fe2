//! The rule that all short free text obeys.

use crate::InvalidInput;

/// `text` trimmed, if it has at most `max_chars` characters and none that controls a terminal or a page.
///
/// # Errors
/// Names `field` and the limit. An empty text is not an error here: the caller knows whether it may be.
pub(crate) fn short_text(
    field: &'static str,
    name: &str,
    text: &str,
    max_chars: usize,
) -> Result<String, InvalidInput> {
    let text = text.trim();
    let length = text.chars().count();
    if length > max_chars {
        return Err(InvalidInput::new(
            field,
            format!("{name} has {length} characters; please use at most {max_chars}."),
        ));
    }
    if text.chars().any(char::is_control) {
        return Err(InvalidInput::new(
            field,
            format!("{name} contains a line break or control character; please remove it."),
        ));
    }
    Ok(text.to_owned())
}

/// Like [`short_text`], with an empty text as `None`.
pub(crate) fn optional_text(
    field: &'static str,
    name: &str,
    text: Option<&str>,
    max_chars: usize,
) -> Result<Option<String>, InvalidInput> {
    let text = short_text(field, name, text.unwrap_or_default(), max_chars)?;
    Ok((!text.is_empty()).then_some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_trimmed_and_bounded() {
        let cases = [
            ("  Honda ", Ok("Honda")),
            ("", Ok("")),
            ("Škoda 🚗", Ok("Škoda 🚗")),
            ("123456", Err("at most 5")),
            ("a\u{0}b", Err("control character")),
            ("a\nb", Err("line break")),
        ];
        for (text, expected) in cases {
            let limit = if text == "123456" { 5 } else { 20 };
            match (short_text("make", "Make", text, limit), expected) {
                (Ok(got), Ok(want)) => assert_eq!(got, want),
                (Err(got), Err(want)) => assert!(got.message.contains(want), "{text:?}: {}", got.message),
                (got, want) => panic!("{text:?}: got {got:?}, wanted {want:?}"),
            }
        }
    }

    #[test]
    fn blank_optional_text_is_none() {
        assert_eq!(optional_text("engine", "Engine", Some("  "), 10), Ok(None));
        assert_eq!(optional_text("engine", "Engine", None, 10), Ok(None));
        assert_eq!(optional_text("engine", "Engine", Some(" 1.8 "), 10), Ok(Some("1.8".to_owned())));
    }
}
