//! Notes: free text that may have several lines.

use super::{is_direction_override, visible};
use crate::InvalidInput;

/// Longest notes that are stored, in characters.
const NOTES_MAX_CHARS: usize = 2000;

/// Notes trimmed, with plain line feeds; `None` when nothing is left.
///
/// # Errors
/// Names the field `notes` and the limit; control characters other than line breaks and tabs, and bidirectional
/// overrides are refused.
pub(crate) fn notes(text: Option<&str>) -> Result<Option<String>, InvalidInput> {
    let text = text.unwrap_or_default().replace("\r\n", "\n").replace('\r', "\n");
    let text = visible(&text);
    let length = text.chars().count();
    if length > NOTES_MAX_CHARS {
        return Err(InvalidInput::new(
            "notes",
            format!("The notes have {length} characters; please use at most {NOTES_MAX_CHARS}."),
        ));
    }
    if text.chars().any(|c| (c.is_control() && c != '\n' && c != '\t') || is_direction_override(c)) {
        return Err(InvalidInput::new("notes", "The notes contain a control character; please remove it."));
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_keep_their_lines() {
        assert_eq!(notes(Some(" one\r\ntwo\rthree ")), Ok(Some("one\ntwo\nthree".to_owned())));
        assert_eq!(notes(Some("ملاحظة 🛢️\tok")), Ok(Some("ملاحظة 🛢️\tok".to_owned())));
        assert_eq!(notes(Some(" \r\n ")), Ok(None));
        assert_eq!(notes(Some(" \u{200b}\n\u{feff}")), Ok(None));
        assert_eq!(notes(None), Ok(None));
    }

    #[test]
    fn notes_are_bounded_and_carry_no_control_characters() {
        assert!(notes(Some(&"é".repeat(2000))).is_ok());
        assert!(notes(Some(&"é".repeat(2001))).unwrap_err().message.contains("2001 characters"));
        for bad in ["a\u{0}b", "a\u{1b}[31mb", "a\u{7f}b", "a\u{202e}b"] {
            assert!(notes(Some(bad)).unwrap_err().message.contains("control character"), "{bad:?}");
        }
    }
}
