//! Cross-references: part numbers of the same part, and numbers that replace others.

use std::collections::{BTreeSet, HashMap, VecDeque};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::price_list::part_key;
use crate::text::short_text;
use crate::{CrossReferenceListId, InvalidInput, compact_number, folded_number, messages};

/// Maximum of rows in a list, without the header.
pub const CROSS_REFERENCE_MAX_ROWS: u32 = 1_000_000;
/// Maximum of lists of a shop, including deleted ones that can be restored.
pub const CROSS_REFERENCE_LISTS_OF_SHOP: u64 = 50;
/// Maximum of rows in all lists of a shop together.
pub const CROSS_REFERENCE_ROWS_OF_SHOP: u64 = 3_000_000;
/// How long a deleted list can be restored.
pub const CROSS_REFERENCE_RESTORABLE: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Longest name of a list, in characters.
const NAME_MAX_CHARS: usize = 100;
/// Maximum of consecutive rows that are followed. Longer chains are rare: this allows for a number that was replaced
/// three times, under another brand's number.
const MOST_STEPS: usize = 4;
/// Maximum of numbers found from one, because a short number such as `100` is in thousands of rows.
const MOST_NUMBERS: usize = 60;
/// Minimum of letters and digits of a number whose rows are followed further.
const LEADS_ON_FROM: usize = 3;

named! {
    /// Relation of the first number of a row to the other.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum CrossRelation {
        /// Both are numbers of the same part.
        Equals = "equals",
        /// It replaces the other, which is discontinued.
        Replaces = "replaces",
    }
}

named! {
    /// Relation of a found number to the one that was looked up.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum CrossLink {
        /// Both are numbers of the same part.
        Equal = "equal",
        /// It replaces the one that was looked up.
        Newer = "newer",
        /// It is replaced by the one that was looked up.
        Older = "older",
    }
}

/// A saved list of cross-references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrossReferenceList {
    /// Changes when the list is replaced.
    pub id: CrossReferenceListId,
    /// Name of the list; a list of the same name is replaced.
    pub name: String,
    /// Number of its rows.
    pub n_items: u64,
    /// When it was published.
    pub published_at: Timestamp,
    /// When it was deleted or replaced, if it was; it can be restored for 30 days.
    pub deleted_at: Option<Timestamp>,
}

/// The name of a list as typed.
///
/// # Errors
/// Names the field `name` for a blank or too long name.
pub fn cross_reference_list_name(text: Option<&str>) -> Result<String, InvalidInput> {
    let name = short_text("name", "The name", text.unwrap_or_default(), NAME_MAX_CHARS)?;
    if name.is_empty() {
        return Err(InvalidInput::new("name", messages::CROSS_REFERENCE_NAME_MISSING));
    }
    Ok(name)
}

/// One row of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrossReference {
    /// Row number as in a spreadsheet, where the header is row 1.
    pub row: u32,
    /// As the file writes it.
    pub number: String,
    /// Its brand.
    pub brand: Option<String>,
    /// Relation of the number to the other one.
    pub relation: CrossRelation,
    /// As the file writes it.
    pub other_number: String,
    /// Brand of the other number.
    pub other_brand: Option<String>,
}

/// A number found by cross-references.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CrossNumber {
    /// As the list writes it.
    pub number: String,
    /// Who makes it.
    pub brand: Option<String>,
    /// Its relation to the one that was looked up.
    pub link: CrossLink,
    /// The number that was looked up, as the list writes it.
    pub of_number: String,
    /// Brand of the number that was looked up, in the row that it was followed from.
    pub of_brand: Option<String>,
}

/// Follows cross-references from one number, breadth-first: query the rows of `wanted` and pass them to `take`,
/// until `wanted` is empty.
///
/// Equal numbers share their relations. A number newer than a newer one is newer, and one older than an older one is
/// older; a number that is both is in a cycle, and counts as equal. Numbers older than a newer one are not followed,
/// because two parts that are replaced by the same part need not replace each other.
#[derive(Debug)]
pub struct CrossWalk {
    start: Key,
    frontier: VecDeque<Place>,
    seen: BTreeSet<(Key, CrossLink)>,
    found: Vec<(Key, CrossNumber)>,
    at: HashMap<Key, usize>,
    n_steps: usize,
}

/// Number and brand in the form in which they are compared; a blank brand matches any.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Key {
    number: String,
    brand: String,
}

impl Key {
    fn new(number: &str, brand: Option<&str>) -> Self {
        Self { number: compact_number(number), brand: brand.map(part_key).unwrap_or_default() }
    }

    fn is(&self, other: &Self) -> bool {
        self.number == other.number
            && (self.brand.is_empty() || other.brand.is_empty() || self.brand == other.brand)
    }

    /// Whether its rows are followed further. Lists write `N/A`, `none` or `0` for a missing number, which would
    /// connect unrelated parts.
    fn may_lead_on(&self) -> bool {
        self.number.len() >= LEADS_ON_FROM && self.number.chars().any(|c| c.is_ascii_digit() && c != '0')
    }
}

/// One side of a row.
struct Side<'r> {
    number: &'r str,
    brand: Option<&'r str>,
    key: Key,
}

impl<'r> Side<'r> {
    fn new(number: &'r str, brand: Option<&'r str>) -> Self {
        Self { number, brand, key: Key::new(number, brand) }
    }
}

#[derive(Debug)]
struct Place {
    key: Key,
    link: CrossLink,
    /// Number and brand of the start, as in the row that it was followed from; `None` at the start.
    of: Option<(String, Option<String>)>,
}

impl CrossWalk {
    /// Starts from a number of any brand.
    pub fn new(number: &str) -> Self {
        let start = Key::new(number, None);
        let place = Place { key: start.clone(), link: CrossLink::Equal, of: None };
        Self {
            start,
            frontier: VecDeque::from([place]),
            seen: BTreeSet::new(),
            found: Vec::new(),
            at: HashMap::new(),
            n_steps: 0,
        }
    }

    /// The numbers whose rows are needed for the next step, as [`folded_number`] writes them; empty at the end.
    pub fn wanted(&self) -> Vec<String> {
        // An empty list ends the walk, so that the caller needs no limit.
        if self.n_steps == MOST_STEPS || self.found.len() >= MOST_NUMBERS {
            return Vec::new();
        }
        let numbers: BTreeSet<String> =
            self.frontier.iter().map(|place| folded_number(&place.key.number)).collect();
        numbers.into_iter().collect()
    }

    /// Follows rows by one step; rows of other numbers are ignored.
    pub fn take(&mut self, rows: &[CrossReference]) {
        self.n_steps += 1;
        // Computed once per row, because each is compared with up to 60 numbers.
        let sides: Vec<[Side<'_>; 2]> = rows
            .iter()
            .map(|row| {
                [
                    Side::new(&row.number, row.brand.as_deref()),
                    Side::new(&row.other_number, row.other_brand.as_deref()),
                ]
            })
            .collect();
        // Breadth-first, so that numbers found in fewer steps come first within the limit.
        for place in std::mem::take(&mut self.frontier) {
            for (row, [first, second]) in rows.iter().zip(&sides) {
                let (forth, back) = match row.relation {
                    CrossRelation::Equals => (CrossLink::Equal, CrossLink::Equal),
                    CrossRelation::Replaces => (CrossLink::Older, CrossLink::Newer),
                };
                self.follow(&place, first, second, forth);
                self.follow(&place, second, first, back);
            }
        }
    }

    /// Steps from one side of a row to the other, whose relation to it is `link`.
    fn follow(&mut self, place: &Place, from: &Side<'_>, to: &Side<'_>, link: CrossLink) {
        if !from.key.is(&place.key) || self.found.len() >= MOST_NUMBERS {
            return;
        }
        let link = match (place.link, link) {
            (one, CrossLink::Equal) => one,
            (CrossLink::Equal, other) => other,
            // Newer than newer is newer. The relation of a number older than a newer one is unknown, so it ends here.
            (one, other) if one == other => one,
            _ => return,
        };
        // Followed once per relation, which ends every cycle.
        let key = to.key.clone();
        if key.is(&self.start) || !self.seen.insert((key.clone(), link)) {
            return;
        }
        let of = place.of.clone().unwrap_or_else(|| (from.number.to_owned(), from.brand.map(str::to_owned)));
        if let Some(&at) = self.at.get(&key) {
            let known = &mut self.found[at].1.link;
            if *known != link {
                *known = CrossLink::Equal;
            }
        } else {
            self.at.insert(key.clone(), self.found.len());
            let found = CrossNumber {
                number: to.number.to_owned(),
                brand: to.brand.map(str::to_owned),
                link,
                of_number: of.0.clone(),
                of_brand: of.1.clone(),
            };
            self.found.push((key.clone(), found));
        }
        // A placeholder is found, but not followed.
        if key.may_lead_on() {
            self.frontier.push_back(Place { key, link, of: Some(of) });
        }
    }

    /// The found numbers: equal ones first, then newer, then older ones, each in the order of their rows.
    pub fn found(self) -> Vec<CrossNumber> {
        let mut found: Vec<CrossNumber> = self.found.into_iter().map(|(_, found)| found).collect();
        found.sort_by_key(|found| found.link);
        found
    }
}

/// Whether the looked-up number is used by several brands, whose parts may differ.
pub fn means_several_parts(found: &[CrossNumber]) -> bool {
    let brands: BTreeSet<String> =
        found.iter().filter_map(|found| found.of_brand.as_deref().map(part_key)).collect();
    brands.len() > 1
}

#[cfg(test)]
mod tests {
    use super::super::price_list::list_name_key;
    use super::*;

    fn row(
        number: &str,
        brand: &str,
        relation: CrossRelation,
        other: &str,
        other_brand: &str,
    ) -> CrossReference {
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        CrossReference {
            row: 2,
            number: number.to_owned(),
            brand: text(brand),
            relation,
            other_number: other.to_owned(),
            other_brand: text(other_brand),
        }
    }

    use CrossLink::{Equal, Newer, Older};
    use CrossRelation::{Equals, Replaces};

    /// Number and link of each number found through `rows`.
    fn follow(number: &str, rows: &[CrossReference]) -> Vec<(String, CrossLink)> {
        walk(number, rows).into_iter().map(|found| (found.number, found.link)).collect()
    }

    fn walk(number: &str, rows: &[CrossReference]) -> Vec<CrossNumber> {
        let mut walk = CrossWalk::new(number);
        while !walk.wanted().is_empty() {
            walk.take(rows);
        }
        walk.found()
    }

    fn expected(numbers: &[(&str, CrossLink)]) -> Vec<(String, CrossLink)> {
        numbers.iter().map(|(number, link)| ((*number).to_owned(), *link)).collect()
    }

    #[test]
    fn a_chain_is_followed_both_ways_and_spelling_does_not_count() {
        let rows = [
            row("C10", "", Replaces, "b-10", ""),
            row("B 10", "", Replaces, "A10", ""),
            row("X10", "", Equals, "B10", ""),
            // C10 also replaces D10, which need not be related to B10.
            row("C10", "", Replaces, "D10", ""),
        ];
        assert_eq!(follow("B.10", &rows), expected(&[("X10", Equal), ("C10", Newer), ("A10", Older)]));
        assert_eq!(follow("A10", &rows), expected(&[("B 10", Newer), ("C10", Newer), ("X10", Newer)]));
        assert_eq!(follow("E10", &rows), []);
    }

    #[test]
    fn circles_end_and_their_numbers_count_as_equal() {
        let rows = [
            row("A10", "", Replaces, "B10", ""),
            row("B10", "", Replaces, "C10", ""),
            row("C10", "", Replaces, "A10", ""),
            row("A10", "", Equals, "A10", ""),
        ];
        assert_eq!(follow("A10", &rows), expected(&[("B10", Equal), ("C10", Equal)]));
    }

    #[test]
    fn what_stands_for_no_number_joins_nothing() {
        for none in ["N/A", "none", "0", "000", "X1"] {
            let rows = [row("A10", "", Equals, none, ""), row("B10", "", Equals, none, "")];
            assert_eq!(follow("A10", &rows), expected(&[(none, Equal)]), "{none}");
        }
    }

    #[test]
    fn a_number_of_two_makers_is_followed_for_the_maker_that_it_was_met_with() {
        let rows = [
            row("100", "Bosch", Equals, "B-10", "Audi"),
            row("100", "NGK", Equals, "N-10", "Ford"),
            row("B-10", "AUDI", Equals, "B-20", "Audi"),
        ];
        assert_eq!(follow("B-20", &rows), expected(&[("B-10", Equal), ("100", Equal)]));
        let both = walk("100", &rows);
        assert_eq!(both.len(), 3);
        assert!(means_several_parts(&both) && !means_several_parts(&walk("N-10", &rows)));
        assert_eq!(both[2].of_brand.as_deref(), Some("Bosch"), "{both:?}");
    }

    #[test]
    fn a_number_in_thousands_of_rows_has_a_bound() {
        let rows: Vec<_> = (0..5000).map(|n| row("100", "", Equals, &format!("X{n}"), "")).collect();
        assert_eq!(follow("100", &rows).len(), MOST_NUMBERS);
    }

    #[test]
    fn a_list_needs_a_name_of_limited_length() {
        for bad in [None, Some(" "), Some(&*"x".repeat(101)), Some("a\nb")] {
            assert_eq!(cross_reference_list_name(bad).unwrap_err().field, "name");
        }
        assert_eq!(list_name_key(&cross_reference_list_name(Some(" OE  numbers ")).unwrap()), "oe numbers");
    }
}
