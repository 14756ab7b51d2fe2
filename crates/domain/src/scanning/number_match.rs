//! Matches numbers read on a part with known parts, and updates the answer of the model.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::read_line::ReadNumber;
use crate::recognition::{Candidate, CandidateSet, CategoryGuess, Verdict};
use crate::text::lower_case;
use crate::{CrossNumber, PartLabel, ShopPartId, compact_number, misreading_cost};

/// Maximum of matched parts per reading.
const MAX_MATCHES: usize = 5;
/// Minimum confidence of a type that agrees with a number, which is much stronger evidence than the ranking of two such
/// candidates.
const FITTING_CONFIDENCE: f32 = 0.05;

named! {
    /// Where a number is known from.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum NumberSource {
        /// The parts of the shop.
        Shop = "shop",
        /// A part that was taught under it.
        Taught = "taught",
        /// A price list of the shop.
        PriceList = "price-list",
        /// Cross-references of the shop alone.
        CrossReference = "cross-reference",
    }
}

named! {
    /// What a number on the part says of the picture's answer.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum NumberSays {
        /// It is this part: the number was read exactly, matches only one part, and the photograph agrees.
        Named = "named",
        /// It is a part of another type than in the photograph.
        Contradicts = "contradicts",
        /// It may be this part.
        Likely = "likely",
    }
}

/// A known part whose folded number equals one that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownNumber {
    /// Where it is known from.
    pub source: NumberSource,
    /// The id of the shop's part, if it is one.
    pub shop_part_id: Option<ShopPartId>,
    /// Its type, if known.
    pub label: Option<PartLabel>,
    /// The number, in the shop's spelling.
    pub number: String,
    /// Its brand.
    pub brand: Option<String>,
    /// The shop's name for it.
    pub name: Option<String>,
    /// The cross-reference from a number on the part to it; `None` if the number is its own.
    pub via: Option<CrossNumber>,
}

impl KnownNumber {
    /// The number that must stand on the part: with a cross-reference, the one that was looked up.
    fn number_on_the_part(&self) -> &str {
        self.via.as_ref().map_or(&self.number, |via| &via.of_number)
    }
}

/// A part matched by a number on the photograph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchedPart {
    /// What it says of the picture's answer.
    pub says: NumberSays,
    /// As it was read.
    pub read: String,
    /// Whether it was read exactly, except for case and separators; else with confusable characters.
    pub is_exact: bool,
    /// Where the number is known from.
    pub source: NumberSource,
    /// The part of the shop, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shop_part_id: Option<ShopPartId>,
    /// Its type, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<PartLabel>,
    /// As the shop writes it.
    pub number: String,
    /// Who makes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brand: Option<String>,
    /// As the shop calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The cross-reference from the number that was read to it; `None` if the number is its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<CrossNumber>,
}

/// The model's answer, as needed for matching numbers.
pub struct PictureSays<'p> {
    /// The best guess and its alternatives.
    pub candidates: Vec<Candidate>,
    /// Whether the model could recognise a type: one that was learnt or taught.
    pub can_see: &'p dyn Fn(&PartLabel) -> bool,
}

impl PictureSays<'_> {
    fn fits(&self, label: &PartLabel) -> bool {
        // By rank: the best guess is first.
        let found = self.candidates.iter().position(|candidate| candidate.label == *label);
        // The best guess always agrees, whatever its confidence.
        found.is_some_and(|place| place == 0 || self.candidates[place].confidence >= FITTING_CONFIDENCE)
    }
}

impl fmt::Debug for PictureSays<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PictureSays").field("candidates", &self.candidates).finish_non_exhaustive()
    }
}

/// The parts matched by numbers on a photograph, best first: at most five.
///
/// `known` are the parts whose folded number equals one of `read`. A number that was read exactly names its part if the
/// photograph agrees and no other part has the number. A match by confusable characters, by groups that may be part of
/// a longer number, or by cross-references is likely at most, and never contradicts the photograph. Groups within a
/// number that was read exactly do not count.
pub fn match_numbers(
    read: &[ReadNumber],
    known: &[KnownNumber],
    picture: &PictureSays<'_>,
) -> Vec<MatchedPart> {
    let is_exactly = |read: &ReadNumber, part: &KnownNumber| {
        misreading_cost(&read.text, part.number_on_the_part()) == Some(0.0)
    };
    let exact: Vec<&ReadNumber> =
        read.iter().filter(|read| known.iter().any(|part| is_exactly(read, part))).collect();
    let mut found: Vec<(f32, MatchedPart)> = Vec::new();
    for part in known {
        let costs = read
            .iter()
            .filter(|read| !read.is_within(&exact))
            .filter_map(|read| Some((misreading_cost(&read.text, part.number_on_the_part())?, read)));
        let Some((cost, read)) = costs.min_by(|one, other| one.0.total_cmp(&other.0)) else { continue };
        let is_exact = cost == 0.0;
        let fits = part.label.as_ref().map(|label| (picture.fits(label), (picture.can_see)(label)));
        let says = match (is_exact && !read.is_fragment(), fits) {
            // A part of another brand, or an earlier one, is not the part itself.
            (true, _) if part.via.is_some() => NumberSays::Likely,
            (true, Some((true, _))) => NumberSays::Named,
            (true, Some((false, true))) => NumberSays::Contradicts,
            // An inexact match that the photograph contradicts is probably another part.
            (false, Some((false, true))) => continue,
            _ => NumberSays::Likely,
        };
        let matched = MatchedPart {
            says,
            read: read.text.clone(),
            is_exact,
            source: part.source,
            shop_part_id: part.shop_part_id,
            label: part.label.clone(),
            number: part.number.clone(),
            brand: part.brand.clone(),
            name: part.name.clone(),
            via: part.via.clone(),
        };
        found.push((cost, matched));
    }
    // Named before contradicting before likely, then by lowest cost, closest relation, and the shop's own parts first.
    found.sort_by(|(one_cost, one), (other_cost, other)| {
        let link = |part: &MatchedPart| part.via.as_ref().map(|via| via.link);
        let by_cost = one_cost.total_cmp(other_cost);
        one.says
            .cmp(&other.says)
            .then(by_cost)
            .then(link(one).cmp(&link(other)))
            .then(one.source.cmp(&other.source))
    });
    let mut parts: Vec<MatchedPart> = Vec::new();
    for (_, part) in found {
        if !parts.iter().any(|known| is_same(known, &part)) {
            parts.push(part);
        }
    }
    // A part that the photograph contradicts is dropped if another part with the same number agrees.
    let named: Vec<String> = parts
        .iter()
        .filter(|part| part.says == NumberSays::Named)
        .map(|part| compact_number(&part.number))
        .collect();
    parts.retain(|part| {
        part.says != NumberSays::Contradicts || !named.contains(&compact_number(&part.number))
    });
    let n_named = parts.iter().filter(|part| part.says == NumberSays::Named).count();
    // Two parts with the same number cannot be told apart by it.
    if n_named > 1 {
        for part in parts.iter_mut().filter(|part| part.says == NumberSays::Named) {
            part.says = NumberSays::Likely;
        }
    }
    parts.truncate(MAX_MATCHES);
    parts
}

/// Whether two matches are the same part from different sources.
fn is_same(one: &MatchedPart, other: &MatchedPart) -> bool {
    let key = |text: &Option<String>| text.as_deref().map(lower_case);
    let is_open = |text: &Option<String>| text.is_none();
    compact_number(&one.number) == compact_number(&other.number)
        && (one.label == other.label || other.label.is_none())
        && (key(&one.brand) == key(&other.brand) || is_open(&one.brand) || is_open(&other.brand))
}

/// The part of an answer that numbers can change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// How sure it is.
    pub verdict: Verdict,
    /// The best guess.
    pub best: Candidate,
    /// The next best, most probable first.
    pub alternatives: Vec<Candidate>,
    /// The category that answers where the best guess ties with its siblings.
    pub category: Option<CategoryGuess>,
    /// The few types that an answer which is not sure is one of.
    pub candidate_set: Option<CandidateSet>,
}

impl Answer {
    /// The best guess and its alternatives.
    pub fn candidates(&self) -> Vec<Candidate> {
        let set = self.candidate_set.iter().flat_map(|set| &set.candidates);
        std::iter::once(&self.best).chain(&self.alternatives).chain(set).cloned().collect()
    }

    /// The answer updated by the numbers on the part; `None` if it does not change.
    ///
    /// A single named part becomes a sure answer. A number that contradicts the photograph makes the answer not sure.
    /// Confidences stay those of the photograph.
    pub fn settled_by(&self, parts: &[MatchedPart]) -> Option<Self> {
        let contradicts = parts.iter().any(|part| part.says == NumberSays::Contradicts);
        let named = parts.iter().find(|part| part.says == NumberSays::Named);
        let label = match named.and_then(|part| part.label.as_ref()) {
            Some(label) if !contradicts => label,
            _ if contradicts && self.verdict == Verdict::Identified => {
                return Some(Self { verdict: Verdict::NotSure, ..self.clone() });
            }
            _ => return None,
        };
        // It is already the sure answer.
        if self.verdict == Verdict::Identified && self.best.label == *label {
            return None;
        }
        let best = self.candidates().into_iter().find(|candidate| candidate.label == *label)?;
        let mut alternatives = self.alternatives.clone();
        if self.best.label != *label {
            alternatives.retain(|other| other.label != *label);
            alternatives.insert(0, self.best.clone());
        }
        Some(Self { verdict: Verdict::Identified, best, alternatives, category: None, candidate_set: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CrossLink, ReadLine, numbers_in};

    fn label(text: &str) -> PartLabel {
        PartLabel::new(text).unwrap()
    }

    fn candidate(text: &str, confidence: f32) -> Candidate {
        Candidate { label: label(text), confidence }
    }

    fn known(source: NumberSource, number: &str, of: &str, brand: &str) -> KnownNumber {
        KnownNumber {
            source,
            shop_part_id: None,
            label: (!of.is_empty()).then(|| label(of)),
            number: number.to_owned(),
            brand: (!brand.is_empty()).then(|| brand.to_owned()),
            name: None,
            via: None,
        }
    }

    /// A part of the shop that is equivalent to the number `of_number`.
    fn crossed(number: &str, of: &str, of_number: &str) -> KnownNumber {
        let via = CrossNumber {
            number: number.to_owned(),
            brand: None,
            link: CrossLink::Equal,
            of_number: of_number.to_owned(),
            of_brand: None,
        };
        KnownNumber { via: Some(via), ..known(NumberSource::Shop, number, of, "") }
    }

    fn read(texts: &[&str]) -> Vec<ReadNumber> {
        texts.iter().map(|text| ReadNumber::new((*text).to_owned())).collect()
    }

    #[test]
    fn groups_of_a_longer_number_name_no_part() {
        use NumberSays::{Likely, Named};
        let picture = PictureSays {
            candidates: vec![candidate("rotor", 0.6), candidate("drum", 0.3)],
            can_see: &|_: &PartLabel| true,
        };
        let list = |number: &str, of: &str| known(NumberSource::PriceList, number, of, "");
        for (name, lines, parts, expected) in [
            (
                "beside the whole number",
                vec!["06A 905 115 D"],
                vec![list("905115", "rotor"), list("115 D", "piston"), list("06A905115D", "rotor")],
                vec![("06A905115D", Named)],
            ),
            (
                "without the whole number",
                vec!["06A 905 115 D"],
                vec![list("905115", "rotor")],
                vec![("905115", Likely)],
            ),
            ("unlike the picture", vec!["06A 905 115 D"], vec![list("905115", "piston")], vec![]),
            (
                "also by itself on another line",
                vec!["06A 905 115 D", "905115"],
                vec![list("905115", "rotor"), list("06A905115D", "piston")],
                vec![("905115", Named), ("06A905115D", NumberSays::Contradicts)],
            ),
            (
                "two numbers on a line",
                vec!["0258006537000 LS6537"],
                vec![list("LS6537", "rotor")],
                vec![("LS6537", Named)],
            ),
        ] {
            let lines: Vec<ReadLine> =
                lines.iter().map(|text| ReadLine::new((*text).to_owned(), 0.9, 0, [[0.0; 2]; 4])).collect();
            let found = match_numbers(&numbers_in(&lines), &parts, &picture);
            let found: Vec<_> = found.iter().map(|part| (part.number.as_str(), part.says)).collect();
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn a_number_names_its_part_only_where_it_is_exact_fits_and_means_no_other() {
        use NumberSource::{PriceList, Shop};
        let shop = |number: &str, of: &str| known(Shop, number, of, "");
        for (name, texts, parts, expected) in [
            ("exact and fitting", vec!["sp-96051"], vec![shop("SP96051", "rotor")], vec![NumberSays::Named]),
            (
                "a guess below the best",
                vec!["SP96051"],
                vec![shop("SP96051", "drum")],
                vec![NumberSays::Named],
            ),
            ("misread", vec!["5P96O51"], vec![shop("SP96051", "rotor")], vec![NumberSays::Likely]),
            ("misread and unlike", vec!["5P96O51"], vec![shop("SP96051", "piston")], vec![]),
            (
                "unlike the picture",
                vec!["SP96051"],
                vec![shop("SP96051", "piston")],
                vec![NumberSays::Contradicts],
            ),
            ("never learnt", vec!["SP96051"], vec![shop("SP96051", "unseen")], vec![NumberSays::Likely]),
            (
                "without a type",
                vec!["SP96051"],
                vec![known(PriceList, "SP96051", "", "")],
                vec![NumberSays::Likely],
            ),
            ("another number", vec!["SP96052"], vec![shop("SP96051", "rotor")], vec![]),
            (
                "of two brands",
                vec!["SP96051"],
                vec![known(Shop, "SP96051", "rotor", "ATE"), known(Shop, "SP96051", "rotor", "TRW")],
                vec![NumberSays::Likely, NumberSays::Likely],
            ),
            (
                "by a cross-reference",
                vec!["K-12345"],
                vec![crossed("SP96051", "rotor", "K12345")],
                vec![NumberSays::Likely],
            ),
            (
                "by a cross-reference and unlike the picture",
                vec!["K-12345"],
                vec![crossed("SP96051", "piston", "K12345")],
                vec![NumberSays::Likely],
            ),
            (
                "of its own and by a cross-reference",
                vec!["K-12345", "SP96051"],
                vec![crossed("SP96051", "rotor", "K12345"), shop("SP96051", "rotor")],
                vec![NumberSays::Named],
            ),
            (
                "in two sources",
                vec!["SP96051"],
                vec![known(Shop, "SP96051", "rotor", "ATE"), known(PriceList, "sp 96051", "", "")],
                vec![NumberSays::Named],
            ),
            (
                "of two types, one of which fits",
                vec!["SP96051"],
                vec![known(Shop, "SP96051", "rotor", "ATE"), known(Shop, "SP96051", "piston", "TRW")],
                vec![NumberSays::Named],
            ),
        ] {
            let picture = PictureSays {
                candidates: vec![candidate("rotor", 0.6), candidate("drum", 0.3), candidate("piston", 0.01)],
                can_see: &|label: &PartLabel| label.as_str() != "unseen",
            };
            let found: Vec<NumberSays> =
                match_numbers(&read(&texts), &parts, &picture).into_iter().map(|part| part.says).collect();
            assert_eq!(found, expected, "{name}");
        }
    }

    fn matched(says: NumberSays, of: &str) -> MatchedPart {
        MatchedPart {
            says,
            read: "SP96051".to_owned(),
            is_exact: true,
            source: NumberSource::Shop,
            shop_part_id: None,
            label: Some(label(of)),
            number: "SP96051".to_owned(),
            brand: None,
            name: None,
            via: None,
        }
    }

    #[test]
    fn an_answer_is_settled_by_a_named_part_and_opened_by_a_contradiction() {
        use NumberSays::{Contradicts, Likely, Named};
        use Verdict::{Identified, NotSure};
        for (name, before, parts, expected) in [
            ("named, not sure", NotSure, vec![(Named, "rotor")], (true, Identified, "rotor")),
            ("named, sure", Identified, vec![(Named, "rotor")], (false, Identified, "rotor")),
            ("an alternative is named", NotSure, vec![(Named, "drum")], (true, Identified, "drum")),
            ("named, but no candidate", NotSure, vec![(Named, "piston")], (false, NotSure, "rotor")),
            ("contradicted", Identified, vec![(Contradicts, "piston")], (true, NotSure, "rotor")),
            ("contradicted, not sure", NotSure, vec![(Contradicts, "piston")], (false, NotSure, "rotor")),
            ("both", Identified, vec![(Named, "rotor"), (Contradicts, "piston")], (true, NotSure, "rotor")),
            ("likely", NotSure, vec![(Likely, "rotor")], (false, NotSure, "rotor")),
            ("nothing", Identified, vec![], (false, Identified, "rotor")),
        ] {
            let answer = Answer {
                verdict: before,
                best: candidate("rotor", 0.6),
                alternatives: vec![candidate("drum", 0.3), candidate("hub", 0.1)],
                category: None,
                candidate_set: None,
            };
            let parts: Vec<MatchedPart> = parts.into_iter().map(|(says, of)| matched(says, of)).collect();
            let settled = answer.settled_by(&parts);
            let found = settled.clone().unwrap_or(answer);
            assert_eq!((settled.is_some(), found.verdict, found.best.label.as_str()), expected, "{name}");
            assert_eq!(found.alternatives.len(), 2, "{name}");
        }
    }
}
