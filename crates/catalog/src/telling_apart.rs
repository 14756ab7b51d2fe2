//! Hints for distinguishing two part types that look alike.

use partsight_domain::{Candidate, TellingApart};
use serde::Deserialize;

use crate::Error;

const FILE: &str = "telling-apart.toml";
const EMBEDDED: &str = include_str!("../data/telling-apart.toml");

/// Least confidence for which another photograph is worthwhile; the screen lists candidates from the same value.
const WORTH_ASKING: f32 = 0.05;
/// Maximum number of hints; more would be a lesson.
const MOST_HINTS: usize = 2;

/// The table of `data/telling-apart.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LookAlikes {
    pair: Vec<TellingApart>,
}

impl LookAlikes {
    pub(crate) fn embedded() -> Result<Self, Error> {
        toml::from_str(EMBEDDED).map_err(|source| Error::Parse { file: FILE, source: Box::new(source) })
    }

    /// The hints for distinguishing `best` from those of `others` that are nearly as probable, in their order.
    pub(crate) fn among(&self, best: &Candidate, others: &[Candidate]) -> Vec<&TellingApart> {
        let close = others.iter().filter(|other| other.confidence >= WORTH_ASKING);
        let known = close
            .filter_map(|other| self.pair.iter().find(|pair| pair.is_between(&best.label, &other.label)));
        known.take(MOST_HINTS).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use partsight_domain::PartLabel;

    use super::*;
    use crate::Catalog;

    /// About two lines on a phone.
    const SENTENCE_CHARS: std::ops::RangeInclusive<usize> = 60..=240;

    fn candidate(label: &str, confidence: f32) -> Candidate {
        Candidate { label: PartLabel::new(label).unwrap(), confidence }
    }

    fn hints(best: &str, others: &[(&str, f32)]) -> Vec<[String; 2]> {
        let others: Vec<_> = others.iter().map(|&(label, confidence)| candidate(label, confidence)).collect();
        let look_alikes = LookAlikes::embedded().unwrap();
        let hints = look_alikes.among(&candidate(best, 0.4), &others).into_iter();
        hints.map(|hint| hint.between.clone().map(|label| label.to_string())).collect()
    }

    #[test]
    fn every_pair_is_of_two_known_types_and_says_something_of_its_own() {
        let catalog = Catalog::embedded().unwrap();
        let mut faults = Vec::new();
        let (mut pairs, mut sentences) = (HashSet::new(), HashSet::new());
        let table = LookAlikes::embedded().unwrap().pair;
        assert!(table.len() >= 40, "{} pairs", table.len());
        for TellingApart { between, sentence, .. } in &table {
            let [one, other] = between;
            let rules = [
                (
                    "names a type that does not exist",
                    between.iter().all(|label| catalog.get(label).is_some()),
                ),
                ("is of one type", one != other),
                ("is there twice", pairs.insert(if one < other { [one, other] } else { [other, one] })),
                ("is too short or too long", SENTENCE_CHARS.contains(&sentence.chars().count())),
                ("is no sentence", sentence.ends_with('.') && sentence.starts_with(char::is_uppercase)),
                ("says what another pair says", {
                    let mut parts = sentence.split_inclusive(['.', ';']);
                    parts.all(|part| sentences.insert(part.trim().to_lowercase()))
                }),
            ];
            let broken = rules.iter().filter(|(_, holds)| !holds);
            faults.extend(broken.map(|(fault, _)| format!("{one} and {other}: {fault}")));
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }

    #[test]
    fn the_hint_is_for_the_candidates_that_are_close_the_closest_first() {
        assert_eq!(
            hints("cylinder-head", &[("camshaft", 0.3), ("radio", 0.2), ("engine-block", 0.1)]),
            [["camshaft", "cylinder-head"], ["cylinder-head", "engine-block"]]
        );
        assert_eq!(hints("engine-block", &[("cylinder-head", 0.05)]), [["cylinder-head", "engine-block"]]);
        assert!(hints("engine-block", &[("cylinder-head", 0.049)]).is_empty(), "not worth a photograph");
        assert!(hints("engine-block", &[("radio", 0.4)]).is_empty(), "no such pair");
        let three = [("engine-block", 0.2), ("camshaft", 0.2), ("fuse-box", 0.1)];
        assert_eq!(hints("cylinder-head", &three).len(), MOST_HINTS);
    }
}
