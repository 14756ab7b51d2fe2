//! Finds the recalls that name a part.

use std::ops::Range;

use crate::garage::Recall;

/// Words that are ignored in names.
const PLAIN_WORDS: [&str; 6] = ["and", "or", "the", "of", "for", "assembly"];

/// A part with its names, as recalls may mention it.
///
/// The words of a name must be in one path of the component (`SERVICE BRAKES, HYDRAULIC:FOUNDATION
/// COMPONENTS:DISC:CALIPER` for `Brake Caliper`), or, for a name of several words, consecutive in the summary. A name
/// of one word is not searched in the summary: a recall of wiring mentions the battery that it may drain.
#[derive(Debug)]
pub struct RecalledPart {
    /// The words of each name.
    names: Vec<Vec<String>>,
    /// Names of other parts that contain one of these names, as `Seat Belt` contains `Seat`: they mean the other
    /// part.
    longer: Vec<Vec<String>>,
}

impl RecalledPart {
    /// The part with these names, among all names of parts.
    pub fn new<'n>(names: &[&str], all: impl IntoIterator<Item = &'n str>) -> Self {
        let mut names: Vec<Vec<String>> = names.iter().map(|name| words(name)).collect();
        // A name of only ignored words would match every recall.
        names.retain(|name| !name.is_empty());
        let has_all_of =
            |other: &Vec<String>, name: &Vec<String>| name.iter().all(|word| other.contains(word));
        let mut longer: Vec<Vec<String>> = all.into_iter().map(words).collect();
        // Only names that contain one of ours matter.
        longer.retain(|other| {
            !names.iter().any(|name| has_all_of(name, other))
                && names.iter().any(|name| has_all_of(other, name))
        });
        Self { names, longer }
    }

    /// Whether a recall names this part.
    pub fn is_named_in(&self, recall: &Recall) -> bool {
        let summary = words(recall.summary.as_deref().unwrap_or_default());
        let mut paths = recall.component.split(Recall::BETWEEN_COMPONENTS).map(words);
        paths.any(|path| self.is_in_path(&path)) || self.is_in_text(&summary)
    }

    /// Whether a path of a component has all words of a name, and not those of a longer one.
    fn is_in_path(&self, path: &[String]) -> bool {
        let has = |name: &Vec<String>| name.iter().all(|word| path.contains(word));
        self.names.iter().any(has) && !self.longer.iter().any(has)
    }

    /// Whether a name of several words occurs in a text, other than as part of a longer one.
    fn is_in_text(&self, text: &[String]) -> bool {
        let longer: Vec<Range<usize>> = self.longer.iter().flat_map(|name| places(name, text)).collect();
        // `Seat` inside `Seat Belt` is the belt.
        let is_piece = |place: &Range<usize>| {
            longer.iter().any(|other| other.start <= place.start && place.end <= other.end)
        };
        let names = self.names.iter().filter(|name| name.len() > 1);
        names.flat_map(|name| places(name, text)).any(|place| !is_piece(&place))
    }
}

/// Ranges of a text in which the words of a name are consecutive.
fn places(name: &[String], text: &[String]) -> impl Iterator<Item = Range<usize>> {
    let runs = text.windows(name.len()).enumerate();
    runs.filter(move |(_, run)| *run == name).map(move |(at, run)| at..at + run.len())
}

/// The words of a text in lower case and in the singular, without [`PLAIN_WORDS`].
fn words(text: &str) -> Vec<String> {
    text.split(|character: char| !character.is_alphanumeric())
        .map(|word| singular(&word.to_lowercase()))
        .filter(|word| !word.is_empty() && !PLAIN_WORDS.contains(&word.as_str()))
        .collect()
}

/// The singular of plurals that occur in names of parts; a wrong singular is harmless, because both sides get it.
fn singular(word: &str) -> String {
    let is_plural = word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
    word[..word.len() - usize::from(is_plural)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recall(component: &str, summary: &str) -> Recall {
        Recall {
            campaign: "19V182000".to_owned(),
            reported_on: None,
            component: component.to_owned(),
            summary: Some(summary.to_owned()),
            consequence: None,
            remedy: None,
            is_do_not_drive: false,
            is_park_outside: false,
        }
    }

    #[test]
    fn a_recall_names_the_part_of_its_component_or_of_a_phrase_of_its_summary() {
        let caliper = "SERVICE BRAKES, HYDRAULIC:FOUNDATION COMPONENTS:DISC:CALIPER";
        let arm = "SUSPENSION:FRONT:CONTROL ARM:LOWER ARM";
        let pump = "The low-pressure fuel pumps inside the fuel tank may fail; the battery may drain.";
        for (component, summary, names, longer, expected) in [
            (caliper, "", &["Brake Caliper"][..], &[][..], true),
            (caliper, "", &["Brake Rotor", "Disc"], &[], true),
            (caliper, "", &["Brake Pad"], &[], false),
            (arm, "", &["Lower Control Arm"], &[], true),
            (arm, "", &["Upper Control Arm"], &[], false),
            ("FUEL SYSTEM, GASOLINE:DELIVERY", pump, &["Fuel Pump"], &[], true),
            ("FUEL SYSTEM, GASOLINE:DELIVERY", pump, &["Battery"], &[], false),
            ("SEAT BELTS:FRONT", "", &["Seat"], &["Seat Belt"], false),
            ("SEATS", "", &["Seat"], &["Seat Belt"], true),
            // A recall of both parts matches each of them.
            ("SEATS:FRONT; SEAT BELTS:FRONT", "", &["Seat"], &["Seat Belt"], true),
            ("", "The fuel pump relay may stop the fuel pump.", &["Fuel Pump"], &["Fuel Pump Relay"], true),
            ("", "The fuel pump relay may fail.", &["Fuel Pump"], &["Fuel Pump Relay"], false),
            ("ENGINE:FUEL PUMP", "The fuel pump relay may fail.", &["Fuel Pump"], &["Fuel Pump Relay"], true),
            ("AIR BAGS; EXTERIOR LIGHTING:HEADLIGHTS", "", &["Headlights"], &[], true),
            // The words of one name must be in one path.
            ("FUEL SYSTEM; ENGINE:OIL PUMP", "", &["Fuel Pump"], &[], false),
            ("", "", &["Assembly"], &[], false),
        ] {
            let all = names.iter().chain(longer).copied();
            let found = RecalledPart::new(names, all).is_named_in(&recall(component, summary));
            assert_eq!(found, expected, "{component} {names:?}");
        }
    }
}
