//! Text search of parts that tolerates typing errors.

mod word;

use word::{Word, words};

use crate::InvalidInput;
use crate::compact_number;
use crate::text::short_text;

/// Longest search text, in characters.
const QUERY_MAX_CHARS: usize = 100;
/// Maximum of words of a search text that are used.
const MAX_WORDS: usize = 8;
/// Penalty for missing words, relative to the number of words.
const MISSING_WORD: f32 = 0.35;
/// Penalty for each word of a place that the part lacks.
const MISSING_PLACE: f32 = 0.1;
/// Lowest score of a word of a place that the part's names have; a description mentions places of other parts.
const PLACE_FOUND: f32 = 0.8;
/// Score of a name that equals the search text.
const WHOLE_NAME: f32 = 1.15;
/// Score of a name that equals the search text without words of a place, before the penalty for these: a name with
/// the place ranks above it.
const WHOLE_BUT_PLACES: f32 = 1.1;
/// Penalty for a name that equals the search text but for the plural.
const PLURAL: f32 = 0.1;
/// How much of the score depends on how much of a name the search text covers.
const COVERAGE: f32 = 0.05;
/// Shortest compact part number that may be mistyped: shorter ones have too many neighbours.
const MISTYPED_NUMBER_CHARS: usize = 6;

/// Kind of field, which determines weight and comparison of a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchField {
    /// The name of a part: highest weight.
    Name,
    /// Another name or a brand.
    OtherName,
    /// A part number: compared as a whole, without separators.
    Number,
    /// A description or notes: exact words only, lowest weight.
    Description,
}

/// A search query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartQuery {
    /// The search text, trimmed.
    text: String,
    words: Vec<Word>,
    /// The whole text as a part number.
    number: Word,
}

impl PartQuery {
    /// Reads a search text.
    ///
    /// # Errors
    /// Names the field `q` for a text without a letter or digit, or with more than 100 characters.
    pub fn new(text: &str) -> Result<Self, InvalidInput> {
        let text = short_text("q", "The search text", text, QUERY_MAX_CHARS)?;
        // `driver's` is the word `drivers`.
        let plain = text.replace("'s", "s").replace("’s", "s");
        let mut words: Vec<Word> = words(&plain).take(MAX_WORDS).map(Word::new).collect();
        if words.is_empty() {
            return Err(InvalidInput::new("q", "Please type what to look for: a name, a number or a brand."));
        }
        if words.iter().all(|word| word.is_place) {
            // They are all that can be searched for.
            for word in &mut words {
                word.is_place = false;
            }
        }
        Ok(Self { words, number: Word::new(compact_number(&text)), text })
    }

    /// The search text, trimmed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Relevance of a part with these texts: 0 for no match, higher is better, at most about 1.5.
    ///
    /// Each word counts with its best hit; a word may have one mistyped letter from four letters on and two from
    /// eight on (insertion, deletion, replacement, or two neighbours swapped). A text of two words or more may miss
    /// one word in three, and words of a place, such as `left`. Words may be written together or apart.
    pub fn score<'t>(&self, texts: impl IntoIterator<Item = (SearchField, &'t str)>) -> f32 {
        let mut best = vec![0.0_f32; self.words.len()];
        let (mut number, mut whole, mut coverage) = (0.0_f32, 0.0_f32, 0.0_f32);
        for (field, text) in texts {
            let weight = match field {
                SearchField::Name => 1.0,
                SearchField::OtherName => 0.9,
                // Both as a whole and by words, because numbers are typed with and without separators.
                SearchField::Number => {
                    number = number.max(self.number_likeness(text));
                    0.9
                }
                SearchField::Description => 0.4,
            };
            if matches!(field, SearchField::Name | SearchField::OtherName) {
                let (of_whole, of_name) = self.compare_name(text, weight, &mut best);
                whole = whole.max(weight * of_whole);
                coverage = coverage.max(of_name);
            } else {
                for found in words(text) {
                    for (best, word) in best.iter_mut().zip(&self.words) {
                        *best = best.max(weight * word.likeness(&found, false));
                    }
                }
            }
        }
        let words = self.score_of_words(&best) * (1.0 - COVERAGE + COVERAGE * coverage);
        words.max(number).max(whole)
    }

    /// Raises `best`, the score of each word, to what the words of a name give; returns the score of the name as a
    /// whole, 0 if it is not what was typed, and how much of it the search text covers, 0 to 1.
    fn compare_name(&self, name: &str, weight: f32, best: &mut [f32]) -> (f32, f32) {
        let (mut n_found, mut n_covered) = (0, 0.0);
        let mut whole = Some(Equal::default());
        let mut before: Option<String> = None;
        for found in words(name) {
            let mut of_found = 0.0_f32;
            for (at, word) in self.words.iter().enumerate() {
                let together = before.as_deref().map_or(0.0, |before| word.likeness_of_two(before, &found));
                let alone = word.likeness(&found, true).max(together);
                let next = self.words.get(at + 1);
                let with_next = next.map_or(0.0, |next| word.likeness_with(next, &found));
                best[at] = best[at].max(weight * alone.max(with_next));
                if with_next > 0.0 {
                    best[at + 1] = best[at + 1].max(weight * with_next);
                }
                of_found = of_found.max(alone).max(with_next);
            }
            n_found += 1;
            n_covered += of_found;
            whole = whole.and_then(|equal| equal.then(&found, &self.words));
            before = Some(found);
        }
        if n_found == 0 {
            return (0.0, 0.0);
        }
        // An equal name ranks above one that only contains all words.
        let whole = whole.map_or(0.0, |equal| equal.score_at_end(&self.words));
        // A short word may begin several words of one name.
        let n_covered = n_covered.min(self.words.len() as f32);
        (whole, n_covered / n_found as f32)
    }

    /// Score of the words together, from the best score of each.
    fn score_of_words(&self, best: &[f32]) -> f32 {
        let (mut sum, mut n_words) = (0.0, 0);
        let (mut n_missing, mut n_places, mut n_places_missing) = (0, 0, 0);
        for (word, &score) in self.words.iter().zip(best) {
            if word.is_place {
                n_places += 1;
                n_places_missing += usize::from(score < PLACE_FOUND);
            } else {
                sum += score;
                n_words += 1;
                n_missing += usize::from(score == 0.0);
            }
        }
        // Every third word may be missing. Of two words both are required, or nearly everything would match.
        let n_wanted = n_words + n_places - n_places_missing;
        let n_allowed = if n_wanted >= 3 { n_wanted / 3 } else { 0 };
        if n_missing > n_allowed {
            return 0.0;
        }
        // A missing word has a greater effect than a poor match.
        let missing = 1.0 - MISSING_WORD * n_missing as f32 / n_wanted as f32;
        missing * sum / n_words as f32 * (1.0 - MISSING_PLACE * n_places_missing as f32)
    }

    fn number_likeness(&self, number: &str) -> f32 {
        let number = compact_number(number);
        let typed = self.number.text.as_str();
        let n_typed = typed.chars().count();
        if number == typed {
            1.5
        } else if n_typed >= 3 && number.starts_with(typed) {
            1.2
        // Any section of a number may be typed; three characters match too many.
        } else if n_typed >= 4 && number.contains(typed) {
            0.8
        } else if n_typed >= MISTYPED_NUMBER_CHARS {
            self.number.likeness(&number, true)
        } else {
            0.0
        }
    }
}

/// How far a search text equals a name, wherever the spaces are.
#[derive(Debug, Clone, Copy, Default)]
struct Equal {
    /// The word of the search text that is next.
    word: usize,
    /// Bytes of it that the name has.
    bytes: usize,
    /// Words of a place that the name lacks.
    n_skipped: usize,
}

impl Equal {
    /// The same behind the next word of the name, if that word is next in the search text.
    fn then(mut self, mut found: &str, words: &[Word]) -> Option<Self> {
        while !found.is_empty() {
            let word = words.get(self.word)?;
            let typed = &word.text[self.bytes..];
            if let Some(rest) = found.strip_prefix(typed) {
                found = rest;
                self = Self { word: self.word + 1, bytes: 0, ..self };
            } else if typed.starts_with(found) {
                self.bytes += found.len();
                found = "";
            } else if word.is_place && self.bytes == 0 {
                self = Self { word: self.word + 1, n_skipped: self.n_skipped + 1, ..self };
            } else {
                return None;
            }
        }
        Some(self)
    }

    /// Score of a name that ends here: 0 if the search text goes on.
    fn score_at_end(self, words: &[Word]) -> f32 {
        let rest = words.get(self.word..).unwrap_or_default();
        let is_plural = self.bytes > 0 && rest.first().is_some_and(|word| word.text[self.bytes..] == *"s");
        let rest = &rest[usize::from(is_plural)..];
        if !rest.iter().all(|word| word.is_place) {
            return 0.0;
        }
        let n_skipped = self.n_skipped + rest.len();
        let whole = if n_skipped == 0 { WHOLE_NAME } else { WHOLE_BUT_PLACES };
        let whole = if is_plural { whole - PLURAL } else { whole };
        whole * (1.0 - MISSING_PLACE * n_skipped as f32)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn score(query: &str, texts: &[(SearchField, &str)]) -> f32 {
        PartQuery::new(query).unwrap().score(texts.iter().copied())
    }

    const PLUG: [(SearchField, &str); 5] = [
        (SearchField::Name, "Spark Plug"),
        (SearchField::OtherName, "sparkplug"),
        (SearchField::OtherName, "NGK"),
        (SearchField::Number, "ILZKR7B-11S"),
        (SearchField::Description, "A threaded ceramic and steel igniter."),
    ];

    #[test]
    fn a_part_is_found_by_name_number_and_brand_and_with_typing_errors() {
        for query in [
            "spark plug",
            "SPARK PLUGS",
            "sparc plug",
            "sprak plug",
            "plug spark",
            "spa",
            "ngk",
            "ngk plug",
            "ILZKR7B11S",
            "ilzkr7b-11",
            "ilzkr7b12s",
            "ceramic",
            "spark plug for ngk",
            "spárk",
        ] {
            assert!(score(query, &PLUG) > 0.2, "{query}: {}", score(query, &PLUG));
        }
        for query in ["brake", "spark brake", "plg", "cermic", "zkr", "1", "xylophone plug"] {
            assert!(score(query, &PLUG) < 0.01, "{query}: {}", score(query, &PLUG));
        }
    }

    #[test]
    fn better_hits_come_first() {
        let order = ["ILZKR7B-11S", "ILZKR", "spark plug", "sprak plug", "ceramic"];
        let scores: Vec<f32> = order.iter().map(|query| score(query, &PLUG)).collect();
        assert!(scores.is_sorted_by(|a, b| a > b), "{scores:?}");
        let rotor = [(SearchField::Name, "Brake Rotor"), (SearchField::OtherName, "brake disc")];
        let caliper = [(SearchField::Name, "Brake Caliper"), (SearchField::OtherName, "disc brake caliper")];
        assert!(score("Brake disc", &rotor) > score("Brake disc", &caliper));
        let wire = [(SearchField::Name, "Spark Plug Wire"), (SearchField::Description, "spark plug")];
        assert!(score("spark plug wire", &wire) > score("spark plug wire", &PLUG));
    }

    const PAD: [(SearchField, &str); 3] = [
        (SearchField::OtherName, "Disc Pad Set"),
        (SearchField::Name, "Brake Pad"),
        (SearchField::Description, "Rear pads are often smaller."),
    ];

    #[test]
    fn a_place_that_a_part_does_not_name_hardly_matters() {
        for query in [
            "front brake pads",
            "brake pad left",
            "right hand rear brake pad",
            "driver's brake pad",
            "passenger’s side brake pad",
        ] {
            let score = score(query, &PAD);
            assert!((0.6..1.1).contains(&score), "{query}: {score}");
        }
        // A part that names the place comes first.
        let rear = [(SearchField::Name, "Brake Pad, Rear")];
        assert!(score("rear brake pad", &rear) > score("front brake pad", &rear));
        assert!(score("rear brake pad", &rear) > score("rear left brake pad", &rear));
        let windows = [[(SearchField::Name, "Rear Windshield")], [(SearchField::Name, "Windshield")]];
        for query in ["rear windshield", "rear left windshield", "rear windshields"] {
            assert!(score(query, &windows[0]) > score(query, &windows[1]), "{query}");
        }
        // It is searched for if it is all that was typed, and is not taken for a typing error of another word.
        assert!(score("rear", &rear) > 0.9 && score("left", &rear) < 0.01);
        assert!(score("rear pad", &[(SearchField::Name, "Wear Pad")]) <= score("left pad", &PAD));
        assert!(score("front left", &PLUG) < 0.01 && score("left xylophone", &PAD) < 0.01);
    }

    #[test]
    fn words_are_written_together_or_apart() {
        for (query, name) in [
            ("brakepad", "Brake Pad"),
            ("head light", "Headlight"),
            ("left head-light", "Headlight"),
            ("oring", "O-Ring"),
            ("ac compressor", "A/C Compressor"),
            ("rear view mirror", "Rearview Mirror"),
            ("brakepad set", "Brake Pad Set"),
            ("brakep", "Brake Pad Set"),
            ("brakepads", "Brake Pad Set"),
            ("head li", "Headlight Bulb"),
            ("head lights", "Headlight Bulb"),
        ] {
            let found = score(query, &[(SearchField::Name, name)]);
            assert!(found > 0.8, "{query}: {found}");
        }
        assert!(score("brakepad", &PAD) > score("brakepads", &PAD));
        for (query, name) in [("brake pad", "Brake"), ("brakepad", "Brake"), ("brakepad", "Pad")] {
            assert!(score(query, &[(SearchField::Name, name)]) < 0.9, "{query}: {name}");
        }
    }

    #[test]
    fn british_words_are_found_within_names() {
        for (query, name) in [
            ("windscreen washer", "Windshield Washer"),
            ("petrol hose", "Fuel Hose"),
            ("gearbox mounting", "Transmission Mount"),
            ("break pads", "Brake Pad"),
            ("suspension bushes", "Suspension Bushing"),
        ] {
            let found = score(query, &[(SearchField::Name, name)]);
            assert!(found > 0.85, "{query}: {found}");
            assert!(score(name, &[(SearchField::Name, name)]) > found, "{query}");
            // A name with the typed word comes first.
            assert!(score(query, &[(SearchField::OtherName, query)]) > found, "{query}");
        }
    }

    #[test]
    fn of_two_names_with_all_words_the_shorter_comes_first() {
        let long = [(SearchField::Name, "Brake Pad Wear Sensor")];
        for query in ["brake", "brakes", "pad brake", "left brake pad", "brak pads"] {
            assert!(score(query, &PAD) > score(query, &long), "{query}");
        }
        // A short word that begins several words of a name covers it no better.
        let accumulator = [(SearchField::Name, "AC Accumulator")];
        assert!(score("ac", &[(SearchField::Name, "AC Compressor")]) >= score("ac", &accumulator));
    }

    #[test]
    fn a_search_text_needs_a_letter_or_digit_and_has_a_limit() {
        for bad in ["", " ", "-/-", &"x".repeat(101), "a\nb"] {
            assert_eq!(PartQuery::new(bad).unwrap_err().field, "q", "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_finite_score(query in "\\PC{1,40}", text in "\\PC{0,80}") {
            if let Ok(query) = PartQuery::new(&query) {
                for field in [SearchField::Name, SearchField::Number, SearchField::Description] {
                    let score = query.score([(field, text.as_str())]);
                    prop_assert!((0.0..=1.5).contains(&score));
                }
            }
        }
    }
}
