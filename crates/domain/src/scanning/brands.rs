//! Recognition of brand names in text on parts.

use std::cmp::Reverse;
use std::ops::RangeInclusive;

use super::brand_names::{BRANDS, NO_NAMES};
use crate::compact_number;

/// Maximum of words of a line that are checked.
const MOST_WORDS: usize = 16;
/// Minimum of letters of a misread name, for one edit and for two: shorter names are similar to too many words.
const LETTERS_FOR_EDITS: [usize; 2] = [5, 8];
/// Minimum of letters of a name that is joined to other text: part numbers begin with shorter ones.
const LETTERS_OF_JOINED: usize = 4;
/// Minimum of letters of a name of one word that is joined from several: shorter ones arise from neighbouring words, such
/// as `INA` from `IN A`.
const LETTERS_OF_SPLIT: usize = 5;
/// Letters of names that are followed by no other letter and lack none at the end: `Gates` and `GATE`, `Sidem` and `SIDE`.
const LETTERS_OF_KEPT_END: RangeInclusive<usize> = 5..=6;
/// Minimum of letters of a name that confirms its line.
const LETTERS_OF_TELLING: usize = 5;

/// The brand in a line of text, in its own spelling: the longest exact match, else one with a letter misread, dropped
/// or doubled (two letters for names of eight or more).
pub fn brand_in(line: &str) -> Option<&'static str> {
    let words: Vec<&str> = line
        .split(|c: char| !(c.is_alphanumeric() || c == '&'))
        .filter(|word| !word.is_empty())
        .take(MOST_WORDS)
        .collect();
    // Up to three neighbouring words: some names have two or three, such as `General Motors`, and OCR splits others.
    let texts: Vec<(usize, String)> = (1..=3)
        .flat_map(|n| words.windows(n).map(move |words| (n, compact_number(&words.concat()))))
        .filter(|(_, text)| text.chars().any(char::is_alphabetic))
        .collect();
    let joined: Vec<String> = words
        .iter()
        .flat_map(|word| pieces(word))
        .map(compact_number)
        .filter(|piece| piece.chars().count() >= LETTERS_OF_JOINED)
        .collect();
    let spaced = spaced_words(&words);
    let exact = BRANDS
        .iter()
        .filter(|brand| {
            let key = compact_number(brand);
            let may_be_split = brand.contains(' ') || key.chars().count() >= LETTERS_OF_SPLIT;
            texts.iter().any(|(n_words, text)| (*n_words == 1 || may_be_split) && *text == key)
                || joined.contains(&key)
                || spaced.contains(&key)
        })
        // The longest, because some names begin with another: `Delphi Technologies`.
        .min_by_key(|brand| Reverse(brand.len()));
    // Only single words may be misread: several that resemble a name are other words, such as `N parts` for Nipparts.
    let is_near = |brand: &str, n_words: usize, text: &str| {
        (n_words == 1 || brand.contains(' ')) && is_misread(text, brand)
    };
    // Exact matches in the whole line first, so that they precede misread ones.
    exact
        .or_else(|| BRANDS.iter().find(|brand| texts.iter().any(|(n, text)| is_near(brand, *n, text))))
        .copied()
}

/// Whether a brand in a line is long enough to confirm a line with low confidence: short names also appear by chance,
/// in texture.
pub fn has_telling_brand(line: &str) -> bool {
    brand_in(line).is_some_and(|brand| compact_number(brand).chars().count() >= LETTERS_OF_TELLING)
}

/// Whether two stacked lines together are a brand name that neither contains alone: `LAND` over `ROVER`.
pub fn is_stacked_brand(upper: &str, lower: &str) -> bool {
    let together = compact_number(&format!("{upper} {lower}"));
    let is_named = |brand: &str| compact_number(brand) == together || is_misread(&together, brand);
    BRANDS
        .iter()
        .copied()
        .filter(|brand| brand.contains(' ') && is_named(brand))
        .any(|brand| [upper, lower].into_iter().all(|line| brand_in(line) != Some(brand)))
}

/// The words of a line that are printed with a space after each letter: `B O S C H`.
fn spaced_words(words: &[&str]) -> Vec<String> {
    let is_letter = |word: &&str| word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    let runs = words.chunk_by(|one, other| is_letter(one) && is_letter(other));
    runs.filter(|run| run.len() > 1).map(|run| compact_number(&run.concat())).collect()
}

/// The pieces of a word that is joined without a space, split by case and digits: `ValeoDEM`, `BOSCH0258`.
fn pieces(word: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut before: Option<char> = None;
    for (at, c) in word.char_indices() {
        let is_edge = before.is_some_and(|before| {
            (before.is_alphabetic() && c.is_ascii_digit()) || (before.is_lowercase() && c.is_uppercase())
        });
        if is_edge {
            pieces.push(&word[start..at]);
            start = at;
        }
        before = Some(c);
    }
    pieces.push(&word[start..]);
    pieces
}

/// Whether `text`, in lower case without punctuation, is `brand` with few letters misread.
fn is_misread(text: &str, brand: &str) -> bool {
    let brand = compact_number(brand);
    let n_letters = brand.chars().count();
    // One edit is allowed for each of the two lengths that the name reaches.
    let most = LETTERS_FOR_EDITS.iter().filter(|least| n_letters >= **least).count();
    let keeps_end = LETTERS_OF_KEPT_END.contains(&n_letters);
    most > 0
        && !(keeps_end && (text.starts_with(&brand) || brand.starts_with(text)))
        // OCR drops or doubles one letter; a word that lacks two is another word.
        && text.len().abs_diff(brand.len()) <= 1
        && !NO_NAMES.contains(&text)
        // The first letter is usually read correctly, and words that differ in it are usually other words.
        && (text.as_bytes().first() == brand.as_bytes().first() || most == 2)
        && strsim::osa_distance(text, &brand) <= most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_among_other_words_and_with_a_misread_letter() {
        for (line, expected) in [
            ("BOSCH 0258006537000 LS6537", Some("Bosch")),
            ("Magneti-Marelli", Some("Magneti Marelli")),
            ("AC Delco", Some("AC Delco")),
            ("ACDELCO", Some("AC Delco")),
            ("MANN-FILTER", Some("Mann Filter")),
            ("brcmbo", Some("Brembo")),
            ("Mitsubishj", Some("Mitsubishi")),
            ("NGK", Some("NGK")),
            // A short name with another letter is another name.
            ("NCK", None),
            ("BSCH", Some("Bosch")),
            ("BOSCCH", Some("Bosch")),
            ("B O S C H", Some("Bosch")),
            ("MADE BY: N G K 12", Some("NGK")),
            ("GOOD YEAR", Some("Goodyear")),
            ("BOSCH0258006537", Some("Bosch")),
            ("ValeoDEM.D6RA293", Some("Valeo")),
            ("Delphi Technologies", Some("Delphi Technologies")),
            ("RAVS ENG.", Some("Rays Eng")),
            // A part number may begin with the letters of a short name.
            ("ATE500", None),
            ("BOSCHETTO", None),
            ("RUBBER BANDS", None),
            ("N parts group", None),
            ("Nparts group", None),
            ("GENERAL PURPOSE", None),
            ("STANDARD", None),
            ("MADE IN JAPAN", None),
            ("BRAKE PADS", None),
            ("SPACER 12MM", None),
            ("AS SHOWN", None),
            ("NON-ASBESTOS", None),
            ("12345", None),
            ("", None),
        ] {
            assert_eq!(brand_in(line), expected, "{line}");
        }
    }

    #[test]
    fn the_words_of_labels_name_no_maker() {
        for line in LABELS.lines().map(str::trim) {
            assert_eq!(brand_in(line), None, "{line}");
            for word in line.split(' ') {
                assert_eq!(brand_in(word), None, "{word} of {line}");
            }
        }
    }

    /// What boxes, labels and parts say in English.
    const LABELS: &str = "\
        FLYWHEEL SIDE
        THIS SIDE UP
        ENGINE SIDE LEFT SIDE RIGHT SIDE OUTSIDE INSIDE
        TOP SIDES BOTTOM SIDED
        EXPLOSIVE GASES CAN CAUSE BLINDNESS OR INJURY
        BATTERY POST TERMINALS AND RELATED ACCESSORIES CONTAIN LEAD
        DANGER POISON CAUSES SEVERE BURNS
        SHIELD EYES NO SPARKS FLAMES SMOKING
        STORE IN A COOL PLACE
        KEEP IN A SAFE DRY PLACE OUT OF REACH OF CHILDREN
        SHALL NOT BE USED
        DO NOT SELL SEPARATELY
        SOLD AS A SET REPLACE IN PAIRS
        RIDE CONTROL HEIGHT RIDES RIDER RIDERS
        RESTORE THE SEAL AND TORQUE TO SPECIFICATION
        POSTAGE PAID
        FOR DIESEL AND PETROL ENGINES
        FOR DISC BRAKES ONLY
        AT END OF LIFE RECYCLE
        NO KEY NEEDED
        NOT FOR HIGHWAY USE
        MADE IN GERMANY FRANCE ITALY SPAIN POLAND MEXICO CHINA TAIWAN KOREA INDIA BRAZIL CANADA
        ASSEMBLED IN AUSTRIA HUNGARY ROMANIA TURKEY
        WARNING HOT SURFACE DO NOT TOUCH
        CAUTION READ INSTRUCTIONS BEFORE USE
        DO NOT OPEN WHEN HOT RELEASE PRESSURE SLOWLY
        GAS CHARGED SHOCK ABSORBER STRUT FRONT REAR UPPER LOWER
        WATER PUMP FUEL PUMP OIL FILTER AIR FILTER CABIN FILTER MAIN FILTER
        SPARK PLUG GLOW PLUG IGNITION COIL OXYGEN SENSOR
        GENUINE PARTS ORIGINAL EQUIPMENT QUALITY TESTED
        NEW REMANUFACTURED CORE RETURN DEPOSIT
        MAXIMUM MINIMUM LEVEL FULL EMPTY FILL DRAIN
        SERIAL NUMBER MODEL TYPE BATCH DATE CODE COUNTRY OF ORIGIN
        BROKE BANNED INFINITE PARSER TRICK SPELL SMELL SHELLS FACT FACES GATED GATE
        SHELF MOTOR MOBILE COPPER CORNER COOLER GASKET SPACER WAGON POWER
        LEFT HAND RIGHT HAND DRIVE DRIVER PASSENGER
        HARD SOFT DRY WET COLD WARM FAST SLOW
        HEAVY DUTY LONG LIFE LOW NOISE HIGH TEMPERATURE
        INSTALL REMOVE TIGHTEN LOOSEN TURN PUSH PULL PRESS LIFT HOLD LOCK";

    #[test]
    fn every_name_is_found_as_it_is_written() {
        for brand in BRANDS {
            assert_eq!(brand_in(brand).map(compact_number), Some(compact_number(brand)), "{brand}");
        }
    }

    #[test]
    fn a_name_that_stands_on_two_lines_is_one() {
        for (upper, lower, expected) in [
            ("LAND-", "ROVER", true),
            ("LAND", "ROVFR", true),
            ("Delphi", "Technologies", true),
            ("ROVER", "LAND", false),
            ("LAND ROVER", "A1", false),
            ("BOSCH", "DOUBLE", false),
            ("NGK", "R", false),
            ("BRAKE", "PADS", false),
        ] {
            assert_eq!(is_stacked_brand(upper, lower), expected, "{upper} over {lower}");
        }
    }

    #[test]
    fn only_a_long_name_vouches_for_a_line() {
        for (line, expected) in
            [("akeSono", true), ("BOSCH 0258", true), ("NGK", false), ("FORD", false), ("BRAKE", false)]
        {
            assert_eq!(has_telling_brand(line), expected, "{line}");
        }
    }

    #[test]
    fn long_lines_stay_cheap() {
        assert_eq!(brand_in(&"x".repeat(200)), None);
        assert_eq!(brand_in(&"word ".repeat(5000)), None);
    }
}
