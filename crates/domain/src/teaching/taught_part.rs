use jiff::Timestamp;

use crate::text::short_text;
use crate::{Category, InvalidInput, PartLabel, TenantId};

/// Longest name of a taught part type, in characters; its label takes at most 64.
const NAME_MAX_CHARS: usize = 60;

named! {
    /// Origin of a reference.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum ReferenceKind {
        /// A photograph was given to teach the part.
        Enrolled = "enrolled",
        /// A scan was confirmed by feedback.
        ConfirmedScan = "confirmed-scan",
    }
}

/// A part type that people taught with photographs of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaughtPartType {
    /// The owner; `None` for all tenants of this server.
    pub tenant_id: Option<TenantId>,
    /// The id, derived from the name.
    pub label: PartLabel,
    /// The owner's name for it: `EGR valve, 2.0 TDI`.
    pub name: String,
    /// Its category.
    pub category: Category,
    /// When it was taught.
    pub created_at: Timestamp,
    /// When it was deleted, if it was. Earlier scans and repairs still show its name.
    pub deleted_at: Option<Timestamp>,
}

impl TaughtPartType {
    /// Validates a name, trimmed, and derives a label from it.
    ///
    /// # Errors
    /// [`InvalidInput`] of `name` if it is empty, longer than 60 characters, has a line break or control character,
    /// or has no letter or digit that is valid in a label.
    pub fn name_and_label(name: &str) -> Result<(String, PartLabel), InvalidInput> {
        let name = short_text("name", "The name", name, NAME_MAX_CHARS)?;
        let words = name
            // Non-ASCII letters separate words in the label; the name keeps them.
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_ascii_lowercase);
        let label = PartLabel::new(&words.collect::<Vec<_>>().join("-")).map_err(|_| {
            InvalidInput::new("name", "Please name the part with letters from A to Z or digits.")
        })?;
        Ok((name, label))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_made_of_the_words_of_a_name() {
        let label = |name| TaughtPartType::name_and_label(name).map(|(_, label)| label.to_string());
        for (name, expected) in
            [(" EGR valve, 2.0 TDI ", "egr-valve-2-0-tdi"), ("Öl-Filter", "l-filter"), ("x", "x")]
        {
            assert_eq!(label(name).unwrap(), expected);
        }
        let too_long = "a".repeat(61);
        // PostgreSQL cannot store a null character, unlike SQLite.
        for name in ["", "  ", "--", "歯車", "pump\0", "oil\npump", &too_long] {
            assert_eq!(label(name).unwrap_err().field, "name", "{name}");
        }
    }
}
