//! Rows as a table that fits the terminal.

use partsight_domain::Verdict;

use super::row::{RolledUp, Row};
use crate::text_table::TextTable;

/// An empty table with its header.
pub(super) fn table() -> TextTable {
    TextTable::new(&["Photograph", "Verdict", "Part", "Sure", "It could also be"]).right([3]).wrapped()
}

/// The cells of a row.
pub(super) fn table_cells(row: &Row) -> [String; 5] {
    if let Some(error) = &row.error {
        return [printable(&row.path), "error".to_owned(), error.clone(), String::new(), String::new()];
    }
    let verdict = match (row.verdict, &row.rolled_up) {
        (Some(Verdict::Identified), _) => "identified".to_owned(),
        (Some(Verdict::NotSure), None) => "not sure".to_owned(),
        (Some(Verdict::NotSure), Some(RolledUp { name, confidence, .. })) => {
            format!("not sure ({name} {})", percent(*confidence))
        }
        (Some(Verdict::NotAPart), _) => "not a part".to_owned(),
        (None, _) => String::new(),
    };
    let alternatives: Vec<String> = row
        .alternatives
        .iter()
        // Alternatives below 1% are left out.
        .filter(|alternative| alternative.confidence >= 0.01)
        .map(|alternative| format!("{} {}", alternative.name, percent(alternative.confidence)))
        .collect();
    [
        printable(&row.path),
        verdict,
        row.name.clone().unwrap_or_default(),
        row.confidence.map(percent).unwrap_or_default(),
        below_each_other([alternatives.join(", "), row.reasons(), text_line(row), copy_line(row)]),
    ]
}

fn below_each_other(lines: [String; 4]) -> String {
    lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// A line with the text on the photograph; empty if there is none.
fn text_line(row: &Row) -> String {
    let text = row.text();
    if text.is_empty() { text } else { format!("Text: {}", printable(&text)) }
}

/// A line with the file that this is a copy of; empty if it is none.
fn copy_line(row: &Row) -> String {
    let duplicate_of = row.file.as_ref().and_then(|file| file.duplicate_of.as_ref());
    duplicate_of.map(|path| format!("The same file as {}", printable(path))).unwrap_or_default()
}

/// Escapes control characters, such as line breaks, and those that change the direction of writing, with which a name
/// can look like another one.
fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    let turns = |character| matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    for character in text.chars() {
        if character.is_control() || turns(character) {
            printable.extend(character.escape_default());
        } else {
            printable.push(character);
        }
    }
    printable
}

fn percent(confidence: f32) -> String {
    format!("{:.0}%", confidence * 100.0)
}
