//! Decodes numbers with the patterns of NHTSA's vPIC.
//!
//! Manufacturers report patterns. A schema applies to some manufacturer identifiers and model years, and contains
//! patterns of characters 4 to 8 and 10 to 17, each with a value of one element (model, body, displacement). Of
//! several matching patterns for an element, the most recently changed is used, as in vPIC.

mod element;
mod format;
mod import;
mod matching;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use super::details::VinDetails;
use crate::FormatError;
pub(crate) use element::Element;
pub use import::{VinPatternReport, VinPatternsImport};
use matching::{matches, specificity};

/// The patterns that are embedded in the program.
static EMBEDDED: &[u8] = include_bytes!("../../data/vin-patterns.bin");

/// The same, decoded at their first use.
static EMBEDDED_PATTERNS: LazyLock<Result<Arc<VinPatterns>, FormatError>> =
    LazyLock::new(|| VinPatterns::from_bytes(EMBEDDED).map(Arc::new));

/// Patterns of vehicle identification numbers by manufacturer and model year.
#[derive(Clone, PartialEq, Eq)]
pub struct VinPatterns {
    source: String,
    /// Names and values, sorted.
    texts: Vec<String>,
    /// Patterns of characters, sorted.
    keys: Vec<String>,
    values: Vec<Value>,
    /// The values of one pattern: indices into `values`, one for each element.
    statements: Vec<Vec<u32>>,
    schemas: Vec<Vec<Group>>,
    /// Sorted by code.
    manufacturers: Vec<Manufacturer>,
    /// Values by engine code, in upper case: an index into `statements`.
    engines: BTreeMap<String, u32>,
}

/// A value of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Value {
    element: Element,
    text: u32,
    /// For a model: its make.
    make: Option<u32>,
}

/// Patterns of one schema that were last changed in the same minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Group {
    /// Minutes since 2000; within a schema in descending order.
    minute: u32,
    key: u32,
    statement: u32,
}

/// A world manufacturer identifier: three characters, or six for manufacturers of fewer than 1,000 vehicles a year.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Manufacturer {
    code: String,
    name: Option<u32>,
    /// `None` if it has several makes.
    make: Option<u32>,
    /// Whether it makes only cars and light trucks, whose seventh character determines the decade: 49 CFR
    /// 565.15(d)(1).
    is_light: bool,
    /// Schema, first and last model year.
    schemas: Vec<(u32, u16, u16)>,
}

/// The sizes of [`VinPatterns`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VinPatternCounts {
    /// World manufacturer identifiers.
    pub manufacturers: usize,
    /// Schemas with different contents.
    pub schemas: usize,
    /// Pairs of pattern and element.
    pub patterns: usize,
}

/// What the patterns state about a number for one model year.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) make: Option<String>,
    pub(super) model: Option<String>,
    pub(super) details: VinDetails,
    /// The sum of the weights of the elements, by which vPIC chooses between two possible model years.
    pub(super) weight: u32,
}

/// The best match of an element so far.
#[derive(Clone, Copy)]
struct Best {
    minute: u32,
    specificity: usize,
    schema: u32,
    value: u32,
}

impl VinPatterns {
    /// The embedded patterns, decoded once.
    ///
    /// # Errors
    /// [`FormatError`] only if the program was built with a broken file.
    pub fn embedded() -> Result<Arc<Self>, FormatError> {
        EMBEDDED_PATTERNS.clone()
    }

    /// Decodes the output of [`VinPatterns::to_bytes`].
    ///
    /// # Errors
    /// [`FormatError`] for any other bytes: another file, another version, damage.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        format::decode(bytes)
    }

    /// The compact encoding of the patterns, with version and checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        format::encode(self)
    }

    /// Where the patterns come from, with the day of the last change.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The numbers of manufacturers, schemas and patterns.
    pub fn counts(&self) -> VinPatternCounts {
        let of_schema = |groups: &Vec<Group>| -> usize {
            groups.iter().map(|group| self.statements[group.statement as usize].len()).sum()
        };
        VinPatternCounts {
            manufacturers: self.manufacturers.len(),
            schemas: self.schemas.len(),
            patterns: self.schemas.iter().map(of_schema).sum(),
        }
    }

    /// The manufacturer of a number.
    fn manufacturer(&self, vin: &str) -> Option<&Manufacturer> {
        let short = vin.get(..3)?;
        // Small manufacturers share identifiers that end in 9; characters 12 to 14 distinguish them.
        let code =
            if short.ends_with('9') { format!("{short}{}", vin.get(11..14)?) } else { short.to_owned() };
        let found = self.manufacturers.binary_search_by(|one| one.code.as_str().cmp(&code)).ok()?;
        self.manufacturers.get(found)
    }

    /// Name and make of the manufacturer of a number.
    pub(super) fn manufacturer_of(&self, vin: &str) -> Option<(Option<&str>, Option<&str>)> {
        let text = |text: Option<u32>| text.map(|index| self.texts[index as usize].as_str());
        self.manufacturer(vin).map(|known| (text(known.name), text(known.make)))
    }

    /// Whether the seventh character determines the decade of the model year; `None` for an unknown manufacturer.
    pub(super) fn is_light(&self, vin: &str) -> Option<bool> {
        self.manufacturer(vin).map(|known| known.is_light)
    }

    /// What the patterns state about `vin` (17 upper-case letters and digits) as a vehicle of `model_year`.
    pub(super) fn said_of(&self, vin: &str, model_year: u16) -> Said {
        let Some(manufacturer) = self.manufacturer(vin) else { return Said::default() };
        let (Some(description), Some(rest)) = (vin.get(3..8), vin.get(9..17)) else { return Said::default() };
        let mut best: BTreeMap<Element, Best> = BTreeMap::new();
        for (schema, first, last) in &manufacturer.schemas {
            if !(*first..=*last).contains(&model_year) {
                continue;
            }
            for group in &self.schemas[*schema as usize] {
                let key = self.keys[group.key as usize].as_str();
                if !matches(key, description, rest) {
                    continue;
                }
                let specificity = specificity(key);
                for value in &self.statements[group.statement as usize] {
                    let element = self.values[*value as usize].element;
                    // The most recent change is used. If two schemas changed in the same minute, the one with more
                    // fixed characters; within one schema the first.
                    let wins = best.get(&element).is_none_or(|other| {
                        group.minute > other.minute
                            || group.minute == other.minute
                                && *schema != other.schema
                                && specificity > other.specificity
                    });
                    if wins {
                        let minute = group.minute;
                        best.insert(element, Best { minute, specificity, schema: *schema, value: *value });
                    }
                }
            }
        }
        self.said(best.into_values().map(|best| best.value).collect())
    }

    /// Collects the values, with those of the engine code.
    fn said(&self, mut values: Vec<u32>) -> Said {
        let value_of = |index: u32| self.values[index as usize];
        let engine =
            values.iter().find(|value| value_of(**value).element == Element::EngineCode).and_then(|value| {
                let code = self.texts[value_of(*value).text as usize].to_uppercase();
                self.engines.get(&code)
            });
        if let Some(statement) = engine {
            for added in &self.statements[*statement as usize] {
                let element = value_of(*added).element;
                // The number itself is more reliable than its engine code, whose values are for all vehicles with
                // that engine.
                if !values.iter().any(|value| value_of(*value).element == element) {
                    values.push(*added);
                }
            }
        }
        let mut said = Said::default();
        let mut power_to = None;
        let mut displacement_cc = None;
        for value in values {
            let Value { element, text, make } = value_of(value);
            let text = self.texts[text as usize].as_str();
            said.weight += element.weight();
            match element {
                Element::Model => {
                    said.model = Some(text.to_owned());
                    said.make = make.map(|make| self.texts[make as usize].clone());
                }
                Element::PowerTo => power_to = text.parse::<u16>().ok(),
                Element::DisplacementCc => displacement_cc = text.parse().ok(),
                other => other.set(&mut said.details, text),
            }
        }
        let details = &mut said.details;
        // Litres are preferred, since manufacturers report them; cubic centimetres are used only without them.
        details.displacement_cc = details.displacement_cc.or(displacement_cc);
        // A range does not state this vehicle's power.
        if power_to.is_some_and(|to| details.power_hp != Some(to)) {
            details.power_hp = None;
        }
        said
    }
}

impl fmt::Debug for VinPatterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VinPatterns")
            .field("source", &self.source)
            .field("counts", &self.counts())
            .finish_non_exhaustive()
    }
}
