//! Fills: texts by a language model for missing catalogue data, namely installation guides, oil specifications and
//! notes on whether a part fits a vehicle.
//!
//! Answers are untrusted: each kind has rules, and values that violate them are dropped or refused. The rest is
//! shown with [`AI_LABEL`] and affects nothing else.

mod fitment;
mod guide;
mod oil;

use serde::{Deserialize, Serialize};

use crate::Category;
use crate::accounts::FillKind;
use crate::garage::VehicleName;
use crate::parts::InstallationGuide;
use crate::text::clean_line;

pub use fitment::FitmentNotes;
pub use guide::filled_guide;
pub use oil::{FilledOil, OilAnswer};

/// Label shown with every text by a language model.
pub const AI_LABEL: &str = "AI, verify";

/// A question to a language model. The only user input in it are names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FillQuestion {
    /// How a part of this type is installed.
    Guide {
        /// The type's name.
        part: String,
        /// Its category.
        category: Category,
    },
    /// Which oil a vehicle takes.
    Oil {
        /// The vehicle.
        vehicle: VehicleName,
        /// Its engine, as the owner typed it.
        engine: Option<String>,
    },
    /// What to compare before a part of this type is bought for a vehicle.
    Fitment {
        /// The type's name.
        part: String,
        /// Its category.
        category: Category,
        /// The vehicle.
        vehicle: VehicleName,
        /// Its engine, as the owner typed it.
        engine: Option<String>,
    },
}

impl FillQuestion {
    /// The kind of text.
    pub fn kind(&self) -> FillKind {
        match self {
            Self::Guide { .. } => FillKind::Guide,
            Self::Oil { .. } => FillKind::Oil,
            Self::Fitment { .. } => FillKind::Fitment,
        }
    }

    /// The key of a question: all its fields, ignoring case and surrounding spaces. Questions with equal keys share one
    /// answer.
    pub fn subject(&self) -> String {
        // Answers about vehicles are shared by all accounts, so the key must not depend on the account.
        let (part, category, vehicle, engine) = match self {
            Self::Guide { part, category } => (Some(part), Some(category), None, None),
            Self::Oil { vehicle, engine } => (None, None, Some(vehicle), engine.as_ref()),
            Self::Fitment { part, category, vehicle, engine } => {
                (Some(part), Some(category), Some(vehicle), engine.as_ref())
            }
        };
        let year = vehicle.map(|vehicle| vehicle.year.get().to_string());
        let fields = [
            Some(self.kind().as_str()),
            // All text that is sent to the model is in the key, so that a prompt injection in a name affects only
            // its own answer. See docs/decisions/0064-fills-on-request.md.
            part.map(String::as_str),
            category.map(|category| category.as_str()),
            year.as_deref(),
            vehicle.map(|vehicle| vehicle.make.as_str()),
            vehicle.map(|vehicle| vehicle.model.as_str()),
            engine.map(String::as_str),
        ];
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        // No field contains a line break, so that lines separate the fields.
        fields.map(|field| plain(field.unwrap_or_default())).join("\n")
    }
}

/// A text by a language model, validated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filled {
    /// How to fit a part.
    Guide(InstallationGuide),
    /// Which oil a vehicle takes.
    Oil(FilledOil),
    /// What to compare.
    Fitment(FitmentNotes),
}

/// `text` on one line, if it has at most `max_chars` characters and no URL: URLs are not needed to install a part,
/// and are untrusted.
fn plain_line(text: &str, max_chars: usize) -> Option<String> {
    // One character more than the limit, so that a longer text is refused instead of truncated: half a sentence may
    // mean the opposite.
    let line = clean_line(text, max_chars + 1);
    let lower = line.to_lowercase();
    let leads_away = lower.contains("://") || lower.contains("www.");
    (!line.is_empty() && line.chars().count() <= max_chars && !leads_away).then_some(line)
}

/// The lines of `texts` that [`plain_line`] accepts, at most `most` of them.
fn plain_lines(texts: &[String], max_chars: usize, most: usize) -> Vec<String> {
    texts.iter().filter_map(|text| plain_line(text, max_chars)).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_subject_is_one_whatever_its_case_and_spaces() {
        let oil = |make: &str, model: &str, engine: Option<&str>| {
            let vehicle = VehicleName::new(2015, make, model).unwrap();
            FillQuestion::Oil { vehicle, engine: engine.map(str::to_owned) }.subject()
        };
        assert_eq!(oil("HONDA", "civic  Type R", None), oil("Honda", " Civic Type R ", Some("")));
        assert_ne!(oil("Honda", "Civic", None), oil("Honda", "Civic", Some("1.8")));
        assert_ne!(oil("Honda Civic", "Type R", None), oil("Honda", "Civic Type R", None));
        let guide = FillQuestion::Guide { part: "x".to_owned(), category: Category::Engine };
        let fitment = FillQuestion::Fitment {
            part: "x".to_owned(),
            category: Category::Engine,
            vehicle: VehicleName::new(2015, "Honda", "Civic").unwrap(),
            engine: None,
        };
        assert_ne!(guide.subject(), fitment.subject());
    }

    #[test]
    fn kinds_are_read_by_their_names() {
        for (index, kind) in FillKind::ALL.into_iter().enumerate() {
            assert_eq!((FillKind::from_name(kind.as_str()), kind as usize), (Some(kind), index));
        }
        assert_eq!(FillKind::from_name("price"), None);
    }

    #[test]
    fn lines_are_cleaned_and_those_that_lead_away_are_left_out() {
        let cases = [
            (" Loosen\nthe bolt. ", Some("Loosen the bolt.")),
            ("a\u{202e}b\u{1b}[31m", Some("ab[31m")),
            ("<b>bold</b>", Some("<b>bold</b>")),
            ("", None),
            (" \u{200b} ", None),
            ("See HTTPS://example.com", None),
            ("see www.example.com", None),
            ("12345678901234567890x", None),
        ];
        for (text, expected) in cases {
            assert_eq!(plain_line(text, 20).as_deref(), expected, "{text:?}");
        }
    }
}
