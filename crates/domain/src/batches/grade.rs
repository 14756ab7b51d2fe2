//! Condition grades of parts, on a shop's own scale.

use std::collections::HashSet;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::text::{is_line, long_text};
use crate::{InvalidInput, PartLabel, UserId, messages};

/// Maximum of grades in a scale, and of characters in the name of one.
const MAX_GRADES: usize = 12;
const GRADE_MAX_CHARS: usize = 30;
/// Maximum of damages of a part, and of characters in one.
const MAX_DAMAGES: usize = 10;
const DAMAGE_MAX_CHARS: usize = 200;
/// Longest note, in characters.
const NOTE_MAX_CHARS: usize = 1_000;

/// The default scale, best first.
pub const DEFAULT_GRADES: [&str; 5] = ["A", "B", "C", "Core", "Scrap"];

/// The condition of a scanned part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanGrade {
    /// Name of the grade when it was given.
    pub grade: String,
    /// Damages of the part.
    pub damage: Vec<String>,
    /// Free text; may be empty.
    pub note: String,
    /// When it was given.
    pub graded_at: Timestamp,
}

/// Number of parts of a type to which a person gave a grade on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GradeTotal {
    /// The day in the shop's time zone.
    pub day: Date,
    /// The person; `None` if their account was deleted.
    pub user_id: Option<UserId>,
    /// Their name, or their e-mail address if they have none.
    pub person: Option<String>,
    /// The part type, by feedback if there is any, otherwise by the answer.
    pub label: PartLabel,
    /// The grade.
    pub grade: String,
    /// Number of parts.
    pub n: u64,
}

/// Validates the names of a scale, best first.
///
/// # Errors
/// For no names, too many names, and an empty, long or duplicate name.
pub fn grade_scale(names: &[String]) -> Result<Vec<String>, InvalidInput> {
    let names: Vec<String> = names.iter().map(|name| name.trim().to_owned()).collect();
    // Duplicate names would count two grades as one.
    let is_whole = (1..=MAX_GRADES).contains(&names.len())
        && names.iter().all(|name| is_line(name, GRADE_MAX_CHARS))
        && names.iter().collect::<HashSet<_>>().len() == names.len();
    if is_whole { Ok(names) } else { Err(InvalidInput::new("grades", messages::GRADE_SCALE)) }
}

impl ScanGrade {
    /// Validates a grade of `scale`, with damages and a note. A grade that the part has, or had before, is among
    /// `given`: it stays possible after it left the scale, so that its note can change, and a change can be undone.
    ///
    /// # Errors
    /// For a grade that is in neither, or texts that are too many or too long.
    pub fn new(
        scale: &[String],
        given: &[String],
        grade: &str,
        damage: Vec<String>,
        note: &str,
        graded_at: Timestamp,
    ) -> Result<Self, InvalidInput> {
        if !scale.iter().chain(given).any(|name| name == grade) {
            let message = format!("Please choose one of the grades {}.", scale.join(", "));
            return Err(InvalidInput::new("grade", message));
        }
        if damage.len() > MAX_DAMAGES || !damage.iter().all(|text| is_line(text, DAMAGE_MAX_CHARS)) {
            return Err(InvalidInput::new("damage", messages::GRADE_DAMAGE));
        }
        let note = long_text("note", "The note", Some(note), NOTE_MAX_CHARS)?.unwrap_or_default();
        Ok(Self { grade: grade.to_owned(), damage, note, graded_at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn a_scale_has_one_to_twelve_different_names() {
        assert_eq!(grade_scale(&texts(&[" A ", "Core"])), Ok(texts(&["A", "Core"])));
        assert!(grade_scale(&texts(&DEFAULT_GRADES)).is_ok());
        for wrong in [&[][..], &["A", "A "], &[""], &["x"; 13], &[&"x".repeat(31)]] {
            assert_eq!(grade_scale(&texts(wrong)).unwrap_err().field, "grades", "{wrong:?}");
        }
    }

    #[test]
    fn a_grade_is_one_of_the_scale_with_short_texts() {
        let (scale, given) = (texts(&["A", "B"]), texts(&["Core"]));
        let new = |grade: &str, damage: &[&str], note: &str| {
            ScanGrade::new(&scale, &given, grade, texts(damage), note, Timestamp::UNIX_EPOCH)
        };
        let grade = new("B", &["Bent"], " one ear is off ").unwrap();
        assert_eq!((grade.grade.as_str(), grade.note.as_str()), ("B", "one ear is off"));
        assert_eq!(new("Core", &[], "").unwrap().grade, "Core", "it has left the scale");
        let long = "x".repeat(1_001);
        for (grade, damage, note, field) in [
            ("C", &[][..], "", "grade"),
            ("A", &[""], "", "damage"),
            ("A", &["x"; 11], "", "damage"),
            ("A", &["a\nb"], "", "damage"),
            ("A", &[], long.as_str(), "note"),
            ("A", &[], "a\u{0}b", "note"),
        ] {
            assert_eq!(new(grade, damage, note).unwrap_err().field, field);
        }
    }
}
