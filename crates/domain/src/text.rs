//! Rules of free text.

mod notes;

use crate::InvalidInput;

pub(crate) use notes::notes;

/// `text` in lower case, with the same number of characters. Only `İ` would become two, an `i` and a combining mark,
/// which would split the word and shift positions.
pub(crate) fn lower_case(text: &str) -> String {
    text.replace('İ', "i").to_lowercase()
}

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
    let text = visible(text);
    // In characters, as in the message and as people count.
    let length = text.chars().count();
    if length > max_chars {
        return Err(InvalidInput::new(
            field,
            format!("{name} has {length} characters; please use at most {max_chars}."),
        ));
    }
    if text.chars().any(is_unwanted_in_a_line) {
        return Err(InvalidInput::new(
            field,
            format!(
                "{name} contains a line break, control character or invisible character; please remove it."
            ),
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

/// Like [`short_text`], with `missing` as the sentence for an empty text.
pub(crate) fn required_text(
    field: &'static str,
    name: &str,
    text: &str,
    max_chars: usize,
    missing: &str,
) -> Result<String, InvalidInput> {
    let text = short_text(field, name, text, max_chars)?;
    if text.is_empty() { Err(InvalidInput::new(field, missing)) } else { Ok(text) }
}

/// `text` trimmed, with plain line feeds, if it has at most `max_chars` characters and beside line breaks and tabs
/// none that controls a terminal; `None` when nothing is left.
///
/// # Errors
/// Names `field` and the limit.
pub(crate) fn long_text(
    field: &'static str,
    name: &str,
    text: Option<&str>,
    max_chars: usize,
) -> Result<Option<String>, InvalidInput> {
    let text = text.unwrap_or_default().replace("\r\n", "\n").replace('\r', "\n");
    let text = visible(&text);
    let length = text.chars().count();
    if length > max_chars {
        let message = format!("{name} has {length} characters; please use at most {max_chars}.");
        return Err(InvalidInput::new(field, message));
    }
    if text.chars().any(|c| (c.is_control() && c != '\n' && c != '\t') || is_direction_override(c)) {
        let message = format!("{name} contains a control character; please remove it.");
        return Err(InvalidInput::new(field, message));
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// Whether it is a visible line of at most `max_chars` characters. Control characters are refused as well: PostgreSQL
/// cannot store a null character, while SQLite can.
pub(crate) fn is_line(text: &str, max_chars: usize) -> bool {
    !visible(text).is_empty() && text.chars().count() <= max_chars && !text.chars().any(is_unwanted_in_a_line)
}

/// `text` trimmed; empty if it has only invisible characters.
pub(crate) fn visible(text: &str) -> &str {
    let text = text.trim();
    if text.chars().all(|c| is_unseen(c) || c.is_whitespace()) { "" } else { text }
}

/// Bidirectional controls, zero-width joiners, and the byte order mark.
fn is_unseen(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Characters that are not allowed in a name or another text on one line: line breaks, and what can make it look like
/// another one. Bidirectional isolates are only useful in running text. Of the invisible characters the joiners U+200C
/// and U+200D stay, which scripts and emoji need.
fn is_unwanted_in_a_line(character: char) -> bool {
    character.is_control()
        || is_direction_override(character)
        || matches!(
            character,
            '\u{2066}'..='\u{2069}'
                | '\u{2028}'..='\u{2029}'
                | '\u{ad}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{2060}'
                | '\u{feff}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// `text` without characters that are not allowed on one line, for file names and keys of photographs, which are
/// cleaned instead of refused.
pub(crate) fn without_unwanted(text: &str) -> String {
    text.chars().filter(|character| !is_unwanted_in_a_line(*character)).collect()
}

/// Whether a character is invisible: `Default_Ignorable_Code_Point` of Unicode, annotation marks, and the blank Braille
/// pattern. Stricter than [`is_unseen`], for texts that must be visually distinct, where joiners that some scripts and
/// emoji need are not allowed either.
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Characters with which a formula of a spreadsheet can begin; some programs take the fullwidth ones for their ASCII
/// equals.
pub const FORMULA_STARTS: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];

/// Whether a spreadsheet could run `text` as a formula, also behind apostrophes and invisible characters, which some
/// programs drop. A lone `-`, such as the name of standard input, computes nothing.
pub fn is_formula(text: &str) -> bool {
    let begin = text.trim_start_matches(|c| c == '\'' || is_invisible(c));
    begin.starts_with(FORMULA_STARTS) && begin != "-"
}

/// Whether a character overrides the direction of text, which can make it look like another text.
fn is_direction_override(character: char) -> bool {
    matches!(character, '\u{202d}' | '\u{202e}')
}

/// Untrusted `text` on one line, of at most `max_chars` characters, without control characters, invisible characters
/// and bidirectional controls.
pub fn clean_line(text: &str, max_chars: usize) -> String {
    let kept = text.chars().filter_map(|character| match character {
        '\n' | '\r' | '\t' => Some(' '),
        // Removed, because they can make a text look like another one, or hide a part of it.
        unseen if is_unseen(unseen) => None,
        control if control.is_control() => None,
        other => Some(other),
    });
    let line: String = kept.collect();
    // Trimmed again, because truncation may leave a space at the end.
    line.trim().chars().take(max_chars).collect::<String>().trim_end().to_owned()
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
            ("\u{200b}\u{feff} \u{2066}", Ok("")),
            ("an\u{202e}b", Err("control character")),
            ("an\u{2067}b\u{2069}", Err("control character")),
            ("👩\u{200d}🔧", Ok("👩\u{200d}🔧")),
            ("می\u{200c}خواهم", Ok("می\u{200c}خواهم")),
            ("an\u{2028}b", Err("line break")),
            ("an\u{2029}b", Err("line break")),
            ("an\u{ad}b", Err("control character")),
            ("an\u{180e}b", Err("control character")),
            ("an\u{200b}b", Err("control character")),
            ("an\u{2060}b", Err("control character")),
            ("an\u{feff}b", Err("control character")),
            ("an\u{e0041}b", Err("control character")),
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
    fn a_key_is_kept_without_what_no_line_holds() {
        assert_eq!(without_unwanted("a/\u{1b}[31m\r\nb\u{202e}\u{0}\u{2066}.jpg"), "a/[31mb.jpg");
        assert_eq!(without_unwanted(" é 👩\u{200d}🔧 "), " é 👩\u{200d}🔧 ");
    }

    #[test]
    fn long_text_keeps_its_lines() {
        let long = |text: &str| long_text("message", "The message", Some(text), 20);
        assert_eq!(long(" one\r\ntwo\rthree\t "), Ok(Some("one\ntwo\nthree".to_owned())));
        assert_eq!(long(" \r\n "), Ok(None));
        assert!(long(&"é".repeat(21)).unwrap_err().message.contains("21 characters"));
        assert!(long("a\u{1b}[31m").unwrap_err().message.contains("control character"));
    }

    #[test]
    fn blank_optional_text_is_none() {
        assert_eq!(optional_text("engine", "Engine", Some("  "), 10), Ok(None));
        assert_eq!(optional_text("engine", "Engine", None, 10), Ok(None));
        assert_eq!(optional_text("engine", "Engine", Some(" 1.8 "), 10), Ok(Some("1.8".to_owned())));
    }
}
