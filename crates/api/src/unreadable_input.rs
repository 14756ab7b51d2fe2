//! Explains in plain words why a body or a query cannot be read.
//!
//! The messages of `serde` are written for programmers. Those that are recognised are reworded here; no part of any
//! other message is shown.

use std::error::Error;

use axum::extract::rejection::{JsonRejection, QueryRejection};
use partsight_domain::messages;
use serde_path_to_error::Path;

/// The field and the sentence of a response to unreadable input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnreadableInput {
    /// The field as it is named in JSON, such as `fitments[0].yearFrom`.
    pub(crate) field: String,
    pub(crate) sentence: String,
}

/// The part of the request that the error is about, with the sentence to use if no field can be named.
#[derive(Clone, Copy)]
struct Whole {
    name: &'static str,
    sentence: &'static str,
    /// Prefix for the names of its fields.
    prefix: &'static str,
}

const BODY: Whole = Whole { name: "body", sentence: messages::BODY_UNREADABLE, prefix: "" };
const QUERY: Whole = Whole { name: "query", sentence: messages::QUERY_UNREADABLE, prefix: "" };

/// Longest field name that is repeated in a response, in characters.
const MAX_NAME_CHARS: usize = 100;

/// Jaro-Winkler similarity from which on a name counts as a misspelling of another.
const MUCH_ALIKE: f64 = 0.85;

impl UnreadableInput {
    pub(crate) fn of_body(rejection: &JsonRejection) -> Self {
        // axum wraps the error with its path in errors of its own, to an unspecified depth.
        let located = cause::<serde_path_to_error::Error<serde_json::Error>>(rejection);
        let error =
            located.map(serde_path_to_error::Error::inner).or_else(|| cause::<serde_json::Error>(rejection));
        match (located, error) {
            // Well-formed JSON of the wrong shape.
            (Some(located), Some(error)) if error.is_data() => of_data(BODY, located),
            (_, Some(error)) if error.is_eof() && error.column() == 0 => BODY.says(messages::BODY_EMPTY),
            (_, Some(error)) => BODY.says(
                &messages::BODY_NOT_JSON
                    .replace("{line}", &error.line().to_string())
                    .replace("{column}", &error.column().to_string()),
            ),
            _ => BODY.says(BODY.sentence),
        }
    }

    /// For the form field `name`, which holds JSON; `sentence` is used if no field in it can be named.
    pub(crate) fn of_json(
        name: &'static str,
        sentence: &'static str,
        error: &serde_path_to_error::Error<serde_json::Error>,
    ) -> Self {
        let whole = Whole { name, sentence, prefix: name };
        if error.inner().is_data() { of_data(whole, error) } else { whole.says(sentence) }
    }

    pub(crate) fn of_query(rejection: &QueryRejection) -> Self {
        match cause::<serde_path_to_error::Error<serde::de::value::Error>>(rejection) {
            Some(error) => understood(QUERY, error.path(), &error.inner().to_string()),
            None => QUERY.says(QUERY.sentence),
        }
    }
}

impl Whole {
    fn says(self, sentence: &str) -> UnreadableInput {
        UnreadableInput { field: self.name.to_owned(), sentence: sentence.to_owned() }
    }

    /// An error about a field, with its name shortened to [`MAX_NAME_CHARS`].
    fn about(self, field: &str, sentence: &str) -> UnreadableInput {
        let field: String = self.prefix.chars().chain(field.chars()).take(MAX_NAME_CHARS).collect();
        let sentence = sentence.replace("{field}", &field);
        UnreadableInput { field, sentence }
    }
}

/// The first error of this type among the sources of `error`.
fn cause<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = error.source();
    }
    None
}

/// Well-formed JSON of the wrong shape. serde appends line and column to its message, which mean nothing to people
/// who fill in a form.
fn of_data(whole: Whole, located: &serde_path_to_error::Error<serde_json::Error>) -> UnreadableInput {
    let error = located.inner();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    understood(whole, located.path(), text.strip_suffix(&place).unwrap_or(&text))
}

/// Rewords a `serde` message about the value at `path`.
fn understood(whole: Whole, path: &Path, text: &str) -> UnreadableInput {
    let is_whole = path.iter().next().is_none();
    // These messages are about the object that has the field, or should have it.
    for (begin, sentence) in [
        ("missing field `", messages::FIELD_MISSING),
        ("duplicate field `", messages::FIELD_TWICE),
        ("unknown field `", messages::FIELD_UNKNOWN),
    ] {
        if let Some(rest) = text.strip_prefix(begin) {
            let name = rest.split("`, ").next().unwrap_or(rest).trim_end_matches('`');
            // The path of an unknown field ends with its name; the path of a missing field ends before it.
            let near = if sentence == messages::FIELD_UNKNOWN { near(name, text) } else { None };
            let sentence = near.map_or_else(
                || sentence.to_owned(),
                |near| messages::FIELD_UNKNOWN_NEAR.replace("{near}", near),
            );
            let path = path.to_string();
            let is_named = path == name || path.ends_with(&format!(".{name}"));
            return match (is_whole, is_named) {
                (true, _) => whole.about(name, &sentence),
                (false, true) => whole.about(&path, &sentence),
                (false, false) => whole.about(&format!("{path}.{name}"), &sentence),
            };
        }
    }
    match expected(text) {
        _ if is_whole => whole.says(whole.sentence),
        Some(expected) => {
            whole.about(&path.to_string(), &messages::FIELD_WRONG.replace("{expected}", &expected))
        }
        None => whole.about(&path.to_string(), messages::FIELD_UNREADABLE),
    }
}

/// The known field that `name` probably means: one that contains it or is contained in it, such as `vin` and
/// `vinNumber`, or one with a similar name.
fn near<'t>(name: &str, text: &'t str) -> Option<&'t str> {
    // No field is that long, and comparing would take long.
    if name.len() > MAX_NAME_CHARS {
        return None;
    }
    // The last occurrence, because the name may contain the same words.
    let (_, known) = text.rsplit_once("`, expected ")?;
    let name = name.to_lowercase();
    let likeness = |known: &str| {
        let known = known.to_lowercase();
        let is_part = |part: &str, whole: &str| part.len() >= 3 && whole.contains(part);
        let is_part = is_part(&name, &known) || is_part(&known, &name);
        strsim::jaro_winkler(&name, &known) + if is_part { 1.0 } else { 0.0 }
    };
    let known = known.split('`').skip(1).step_by(2).map(|known| (likeness(known), known));
    let nearest = known.max_by(|(one, _), (other, _)| one.total_cmp(other));
    nearest.filter(|(likeness, _)| *likeness >= MUCH_ALIKE).map(|(_, known)| known)
}

/// What the value should be, in words for people.
fn expected(text: &str) -> Option<String> {
    // A query is text, so these are the standard library's parse errors.
    let of_query = match text {
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            Some("a whole number, written with digits alone")
        }
        "number too large to fit in target type" => Some("a smaller whole number"),
        "number too small to fit in target type" => Some("a larger whole number"),
        "invalid float literal" | "cannot parse float from empty string" => Some("a number"),
        "provided string was not `true` or `false`" => Some("`true` or `false`"),
        _ => None,
    };
    if let Some(of_query) = of_query {
        return Some(of_query.to_owned());
    }
    // The last occurrence, because the value that was sent stands before it and may contain the same words.
    let (found, expected) = text.rsplit_once(", expected ")?;
    if found.starts_with("unknown variant `") {
        return Some(expected.to_owned());
    }
    let is_out_of_range = found.starts_with("invalid value: ");
    let kind = match expected {
        "a string" => "text",
        "a boolean" => "`true` or `false`",
        "f32" | "f64" => "a number",
        "a sequence" => "a list",
        "i64" if is_out_of_range => "a smaller whole number",
        "u8" if is_out_of_range => "a whole number from 0 to 255",
        "u16" if is_out_of_range => "a whole number from 0 to 65535",
        "u32" if is_out_of_range => "a whole number from 0 to 4294967295",
        "u64" | "usize" if is_out_of_range => "a whole number that is not negative",
        "i64" | "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number",
        expected if expected.starts_with("one of `") => expected,
        expected if expected.starts_with("struct ") || expected == "a map" => "a JSON object",
        _ => return None,
    };
    Some(kind.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_near_a_known_one_is_told_which() {
        let known = "expected one of `make`, `year`, `vinNumber`, `licensePlate`";
        for (name, expected) in [
            ("vin", Some("vinNumber")),
            ("plate", Some("licensePlate")),
            ("vin_number", Some("vinNumber")),
            ("licencePlate", Some("licensePlate")),
            ("yaear", Some("year")),
            ("Make", Some("make")),
            ("colour", None),
            ("id", None),
            ("x`, expected one of `colours", None),
        ] {
            assert_eq!(near(name, &format!("unknown field `{name}`, {known}")), expected, "{name}");
        }
        assert_eq!(near("vin", "unknown field `vin`, expected `vinNumber` or `make`"), Some("vinNumber"));
        assert_eq!(near("vin", "unknown field `vin`, there are no fields"), None);
    }

    #[test]
    fn only_what_is_understood_is_said() {
        for (text, said) in [
            ("invalid type: string \"x, expected i64\", expected a boolean", Some("`true` or `false`")),
            ("invalid type: null, expected f64", Some("a number")),
            ("invalid value: integer `-1`, expected u32", Some("a whole number from 0 to 4294967295")),
            ("invalid value: integer `-1`, expected u64", Some("a whole number that is not negative")),
            ("invalid type: integer `1`, expected struct Names", Some("a JSON object")),
            ("unknown variant `x`, expected one of `a`, `b`", Some("one of `a`, `b`")),
            ("invalid type: null, expected one of `a`, `b`", Some("one of `a`, `b`")),
            ("invalid length 3, expected a tuple of size 2", None),
            ("data did not match any variant of untagged enum Body", None),
        ] {
            assert_eq!(expected(text).as_deref(), said, "{text}");
        }
    }
}
