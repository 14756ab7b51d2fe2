//! The words of a search, and how alike they are to those of a part.

use crate::text::lower_case;

/// Words that say where on the car the part is, which most names of parts leave out.
const PLACES: [&str; 16] = [
    "left",
    "right",
    "front",
    "rear",
    "side",
    "hand",
    "driver",
    "drivers",
    "passenger",
    "passengers",
    "lh",
    "rh",
    "lhs",
    "rhs",
    "nearside",
    "offside",
];

/// What some people type, mostly British, and the word of the catalogue for it.
const OTHER_WORDS: [(&str, &str); 15] = [
    ("bonnet", "hood"),
    ("break", "brake"),
    ("breaks", "brake"),
    ("bush", "bushing"),
    ("bushes", "bushing"),
    ("earth", "ground"),
    ("gearbox", "transmission"),
    ("mounting", "mount"),
    ("petrol", "fuel"),
    ("reversing", "backup"),
    ("servo", "booster"),
    ("silencer", "muffler"),
    ("tyre", "tire"),
    ("tyres", "tire"),
    ("windscreen", "windshield"),
];

/// Likeness of the catalogue's word for what was typed: below that of a beginning, so that a name with the typed word
/// itself comes first.
const OTHER_WORD: f32 = 0.89;

/// Likeness of words that one of the two writes together, relative to words that both write alike.
const JOINED: f32 = 0.95;

/// A word of a search text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// In lower case, without diacritics.
    pub(super) text: String,
    /// Whether it says where on the car the part is.
    pub(super) is_place: bool,
    /// The catalogue's word for it.
    other: Option<&'static str>,
    /// A bit for each letter and digit in it.
    letters: u64,
}

impl Word {
    pub(super) fn new(text: String) -> Self {
        let letters = letters(&text);
        let other = OTHER_WORDS.iter().find(|(typed, _)| *typed == text).map(|(_, other)| *other);
        Self { is_place: PLACES.contains(&text.as_str()), other, text, letters }
    }

    /// Maximum edit distance.
    fn tolerance(&self) -> usize {
        match self.text.chars().count() {
            0..=3 => 0,
            4..=7 => 1,
            _ => 2,
        }
    }

    /// Likeness of `found`, in lower case, to this word: 0 to 1.
    pub(super) fn likeness(&self, found: &str, may_be_mistyped: bool) -> f32 {
        let other = self.other.map_or(0.0, |other| OTHER_WORD * likeness_as_typed(other, found));
        let likeness = likeness_as_typed(&self.text, found).max(other);
        let tolerance = self.tolerance();
        if likeness > 0.0
            || !may_be_mistyped
            || tolerance == 0
            // `rear` is no `wear`.
            || self.is_place
            || found.len().abs_diff(self.text.len()) > 2 * tolerance
        {
            return likeness;
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

    /// Likeness of `before` and `found`, two neighbours of a name, to this word: `brakepad` for `brake pad`.
    pub(super) fn likeness_of_two(&self, before: &str, found: &str) -> f32 {
        self.text.strip_prefix(before).map_or(0.0, |rest| JOINED * likeness_as_typed(rest, found))
    }

    /// Likeness of `found` to this word and the `next` one of the search text: `head light` for `headlight`.
    pub(super) fn likeness_with(&self, next: &Self, found: &str) -> f32 {
        found.strip_prefix(&self.text).map_or(0.0, |rest| JOINED * likeness_as_typed(&next.text, rest))
    }
}

/// Likeness of a word that may be longer than the typed one, or lack its ending, without typing errors: 0 to 1.
fn likeness_as_typed(typed: &str, found: &str) -> f32 {
    if found == typed {
        return 1.0;
    }
    if typed.chars().count() >= 2 && found.starts_with(typed) {
        return 0.9;
    }
    // The typed word has an additional ending, such as that of the plural.
    let has_ending = typed.strip_prefix(found).is_some_and(|ending| match found.chars().count() {
        0..=2 => false,
        3 => ending == "s",
        _ => ending.len() <= 2,
    });
    if has_ending { 0.9 } else { 0.0 }
}

/// The words of a text in lower case, without punctuation and without diacritics of Latin letters.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).map(|word| {
        // Most words, and several times as fast.
        if word.is_ascii() {
            return word.to_ascii_lowercase();
        }
        lower_case(word).chars().map(plain_letter).collect()
    })
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
