//! Text search of parts that tolerates typing errors.

use crate::InvalidInput;
use crate::compact_number;
use crate::text::{lower_case, short_text};

/// Longest search text, in characters.
const QUERY_MAX_CHARS: usize = 100;
/// Maximum of words of a search text that are used.
const MAX_WORDS: usize = 8;
/// Penalty for missing words, relative to the number of words.
const MISSING_WORD: f32 = 0.35;
/// Score of a name that equals the search text.
const WHOLE_NAME: f32 = 1.15;
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

#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    text: String,
    /// A bit for each letter and digit in it.
    letters: u64,
}

impl Word {
    fn new(text: String) -> Self {
        let letters = letters(&text);
        Self { text, letters }
    }

    /// Maximum edit distance.
    fn tolerance(&self) -> usize {
        match self.text.chars().count() {
            0..=3 => 0,
            4..=7 => 1,
            _ => 2,
        }
    }

    /// Similarity of `found`, in lower case, to this word: 0 to 1.
    fn likeness(&self, found: &str, may_be_mistyped: bool) -> f32 {
        if found == self.text {
            return 1.0;
        }
        if self.text.chars().count() >= 2 && found.starts_with(self.text.as_str()) {
            return 0.9;
        }
        // The typed word has an additional ending, such as that of the plural.
        if found.chars().count() >= 4 && self.text.starts_with(found) && self.text.len() - found.len() <= 2 {
            return 0.9;
        }
        let tolerance = self.tolerance();
        if !may_be_mistyped || tolerance == 0 || found.len().abs_diff(self.text.len()) > 2 * tolerance {
            return 0.0;
        }
        // An edit changes at most two letters of the set, so that this skips most comparisons.
        if (letters(found) ^ self.letters).count_ones() as usize > 2 * tolerance {
            return 0.0;
        }
        match strsim::osa_distance(&self.text, found) {
            edits if edits > tolerance => 0.0,
            1 => 0.75,
            _ => 0.6,
        }
    }
}

impl PartQuery {
    /// Reads a search text.
    ///
    /// # Errors
    /// Names the field `q` for a text without a letter or digit, or with more than 100 characters.
    pub fn new(text: &str) -> Result<Self, InvalidInput> {
        let text = short_text("q", "The search text", text, QUERY_MAX_CHARS)?;
        let words: Vec<Word> = words(&text).take(MAX_WORDS).map(Word::new).collect();
        if words.is_empty() {
            return Err(InvalidInput::new("q", "Please type what to look for: a name, a number or a brand."));
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
    /// one word in three.
    pub fn score<'t>(&self, texts: impl IntoIterator<Item = (SearchField, &'t str)>) -> f32 {
        let mut best = vec![0.0_f32; self.words.len()];
        let (mut number, mut phrase) = (0.0_f32, 0.0_f32);
        for (field, text) in texts {
            let (weight, may_be_mistyped) = match field {
                SearchField::Name => (1.0, true),
                SearchField::OtherName => (0.9, true),
                // Both as a whole and by words, because numbers are typed with and without separators.
                SearchField::Number => {
                    number = number.max(self.number_likeness(text));
                    (0.9, false)
                }
                SearchField::Description => (0.4, false),
            };
            let mut n_found = 0;
            let mut is_all = true;
            for found in words(text) {
                is_all &= self.words.get(n_found).is_some_and(|word| word.text == found);
                n_found += 1;
                for (best, word) in best.iter_mut().zip(&self.words) {
                    *best = best.max(weight * word.likeness(&found, may_be_mistyped));
                }
            }
            // An equal name ranks above one that only contains all words.
            if may_be_mistyped && is_all && n_found == self.words.len() {
                phrase = phrase.max(WHOLE_NAME * weight);
            }
        }
        // A missing word has a greater effect than a poor match.
        let n_missing = best.iter().filter(|score| **score == 0.0).count();
        // Every third word may be missing. Of two words both are required, or nearly everything would match.
        let n_allowed = if best.len() >= 3 { best.len() / 3 } else { 0 };
        let words = if n_missing > n_allowed {
            0.0
        } else {
            let missing = 1.0 - MISSING_WORD * n_missing as f32 / best.len() as f32;
            missing * best.iter().sum::<f32>() / best.len() as f32
        };
        words.max(number).max(phrase)
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

/// The words of a text in lower case, without punctuation and without diacritics of Latin letters.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| lower_case(word).chars().map(plain_letter).collect())
}

/// The letter without its diacritic.
const fn plain_letter(letter: char) -> char {
    match letter {
        'à'..='å' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' | 'ø' => 'o',
        'ù'..='ü' => 'u',
        'ý' | 'ÿ' => 'y',
        _ => letter,
    }
}

fn letters(text: &str) -> u64 {
    text.chars().fold(0, |letters, letter| {
        letters
            | match letter {
                'a'..='z' => 1 << (letter as u32 - 'a' as u32),
                '0'..='9' => 1 << (26 + letter as u32 - '0' as u32),
                // One common bit for all other letters.
                _ => 1 << 40,
            }
    })
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
