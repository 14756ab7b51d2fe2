//! From a text that a camera read to the number that stands there.

use super::{CHECK_POSITION, LENGTH, check_digit};

/// What a program or a person reads for what a number has. No number has I, O or Q (ISO 3779), so these are always wrong;
/// the others are tried only where the check digit does not fit.
const NEVER: [(u8, u8); 3] = [(b'I', b'1'), (b'O', b'0'), (b'Q', b'0')];
const CONFUSABLE: [(u8, u8); 6] =
    [(b'S', b'5'), (b'B', b'8'), (b'Z', b'2'), (b'G', b'6'), (b'D', b'0'), (b'L', b'1')];
/// Characters that are exchanged at most: more, and some text or other fits by chance.
const MOST_CHANGES: usize = 2;
/// The last characters, which are digits in the numbers of all but a few makers; in those of cars and light trucks the one
/// before them is a digit, too, so that a digit there is not exchanged. Source: 49 CFR 565.15(d)(3).
const SERIAL_DIGITS: usize = 4;
/// Fewest digits of a number: a word of seventeen letters is none.
const FEWEST_DIGITS: usize = 5;
/// First characters of the numbers for North America and China, which require a check digit: 49 CFR 565, GB 16735.
const WITH_CHECK_DIGIT: &[u8] = b"12345L";
/// Numbers that one text may mean, at most.
const MOST: usize = 4;
/// What stands in front of a number on plates and labels, with what else it is read as.
const PREFIXES: [&str; 6] = ["VINNO", "VINN0", "VIN", "V1N", "VEHICLEIDENTIFICATIONNUMBER", "FRAMENO"];
/// Words of a text that are looked at.
const MOST_WORDS: usize = 24;

/// A number that a text may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LikelyVin {
    /// In upper case; can be a number.
    pub vin: String,
    /// Characters that were exchanged for one that looks like them, other than I, O and Q.
    pub n_changes: usize,
    /// Whether the ninth character is the check digit of the others.
    pub check_digit_fits: bool,
}

impl LikelyVin {
    /// How sure the number is; 0 is the surest.
    ///
    /// Where no check digit is required, one that fits only after an exchange may fit by chance: what was read comes before
    /// it.
    pub fn doubt(&self) -> u8 {
        match (self.check_digit_fits, self.n_changes, requires_check_digit(self.vin.as_bytes())) {
            (true, 0, _) => 0,
            (true, _, true) => 1,
            (false, ..) => 2,
            (true, _, false) => 3,
        }
    }
}

/// The numbers that a text which was read from a plate or a label may mean, the surest first; at most four.
///
/// A word of 17 letters and digits counts, neighbours that have 17 together, and either behind `VIN` or between stars. I is
/// taken for 1, O and Q for 0. Where the check digit does not fit, up to two characters are exchanged for those that look
/// like them; of the results the ones with the fewest exchanges are kept. Only North America and China require a check
/// digit: a number for another market may mean itself as well, and a number that fits in no way means itself alone.
pub fn likely_vins(text: &str) -> Vec<LikelyVin> {
    vins_in(text, MOST_CHANGES)
}

/// The numbers in the content of a code, as [`likely_vins`], with nothing exchanged but I, O and Q: a code is read or not
/// read.
pub fn vins_in_code(content: &str) -> Vec<LikelyVin> {
    vins_in(content, 0)
}

fn vins_in(text: &str, most_changes: usize) -> Vec<LikelyVin> {
    let words: Vec<String> = text.split_whitespace().take(MOST_WORDS).map(compact).collect();
    let mut found: Vec<LikelyVin> = Vec::new();
    // Readers break numbers at gaps of the print, so that every run of neighbouring words is tried.
    for first in 0..words.len() {
        let mut joined = String::new();
        for word in &words[first..] {
            joined.push_str(word);
            let bare = PREFIXES.iter().find_map(|prefix| joined.strip_prefix(prefix)).unwrap_or(&joined);
            for candidate in [joined.as_str(), bare] {
                if let Ok(characters) = <[u8; LENGTH]>::try_from(candidate.as_bytes()) {
                    found.extend(meant(characters, most_changes));
                }
            }
            // Longer than the longest prefix and a number: more words only make it longer.
            if joined.len() > LENGTH + PREFIXES[4].len() {
                break;
            }
        }
    }
    found.sort_by_key(|likely| (likely.doubt(), likely.n_changes));
    let mut known: Vec<LikelyVin> = Vec::new();
    for likely in found {
        if !known.iter().any(|other| other.vin == likely.vin) {
            known.push(likely);
        }
    }
    known.truncate(MOST);
    known
}

/// In upper case, letters and digits alone.
fn compact(word: &str) -> String {
    word.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect()
}

/// The numbers that these characters may mean.
fn meant(read: [u8; LENGTH], most_changes: usize) -> Vec<LikelyVin> {
    let mut base = read;
    for (place, character) in base.iter_mut().enumerate() {
        if let Some(&(_, instead)) = NEVER.iter().find(|(never, _)| never == character) {
            *character = instead;
        }
        if most_changes > 0
            // Letters there are misread digits; this is no exchange that could also be wrong.
            && place >= LENGTH - SERIAL_DIGITS
            && let Some(&(_, digit)) = CONFUSABLE.iter().find(|(letter, _)| letter == character)
        {
            *character = digit;
        }
    }
    let n_digits = base.iter().filter(|character| character.is_ascii_digit()).count();
    let is_serial = base[LENGTH - SERIAL_DIGITS..].iter().all(u8::is_ascii_digit);
    // Seventeen digits are a serial number of something else.
    if n_digits < FEWEST_DIGITS || n_digits == LENGTH || !is_serial {
        return Vec::new();
    }
    let changeable: Vec<(usize, u8)> = (0..LENGTH - SERIAL_DIGITS)
        .filter(|&place| place != LENGTH - SERIAL_DIGITS - 1 || !base[place].is_ascii_digit())
        .filter_map(|place| Some((place, other_of(base[place])?)))
        .collect();
    // The fewest exchanges that fit: what is closest to the print is the likeliest.
    for n_changes in 0..=most_changes {
        let mut fitting: Vec<LikelyVin> = changed(base, &changeable, n_changes)
            .into_iter()
            .filter(|vin| char::from(vin[CHECK_POSITION]) == check_digit(vin))
            .map(|vin| likely(vin, n_changes, true))
            .collect();
        if !fitting.is_empty() {
            if n_changes > 0 && !requires_check_digit(&base) {
                fitting.push(likely(base, 0, false));
            }
            return fitting;
        }
    }
    vec![likely(base, 0, false)]
}

fn requires_check_digit(vin: &[u8]) -> bool {
    vin.first().is_some_and(|first| WITH_CHECK_DIGIT.contains(first))
}

fn likely(vin: [u8; LENGTH], n_changes: usize, check_digit_fits: bool) -> LikelyVin {
    LikelyVin { vin: vin.iter().copied().map(char::from).collect(), n_changes, check_digit_fits }
}

fn other_of(character: u8) -> Option<u8> {
    CONFUSABLE.iter().find_map(|&(letter, digit)| match character {
        _ if character == letter => Some(digit),
        _ if character == digit => Some(letter),
        _ => None,
    })
}

/// The characters with exactly so many of `changeable` exchanged.
fn changed(base: [u8; LENGTH], changeable: &[(usize, u8)], n_changes: usize) -> Vec<[u8; LENGTH]> {
    if n_changes == 0 {
        return vec![base];
    }
    let mut all = Vec::new();
    for (index, &(place, other)) in changeable.iter().enumerate() {
        let mut one = base;
        one[place] = other;
        all.extend(changed(one, &changeable[index + 1..], n_changes - 1));
    }
    all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const VIN: &str = "1HGCM82633A004352";

    fn best(text: &str) -> Option<(String, usize, bool)> {
        let first = likely_vins(text).into_iter().next()?;
        Some((first.vin, first.n_changes, first.check_digit_fits))
    }

    #[test]
    fn the_check_digit_settles_what_looks_alike() {
        for (name, text, expected) in [
            ("as it is", "1HGCM82633A004352", Some((VIN, 0, true))),
            ("letters that no number has", "IHGCM82633AOQ4352", Some((VIN, 0, true))),
            ("lower case, in groups", "1hgcm 82633 a004352", Some((VIN, 0, true))),
            ("behind its name", "VIN: 1HGCM82633A004352", Some((VIN, 0, true))),
            ("behind its name, at once", "VIN1HGCM82633A004352", Some((VIN, 0, true))),
            ("between stars", "*1HGCM82633A004352*", Some((VIN, 0, true))),
            ("among words", "MFD BY HONDA 1HGCM82633A004352 PASSENGER CAR", Some((VIN, 0, true))),
            ("one exchanged", "1HGCMB2633A004352", Some((VIN, 1, true))),
            ("two exchanged", "1H6CMB2633A004352", Some((VIN, 2, true))),
            ("in the serial number", "1HGCM82633A0043S2", Some((VIN, 0, true))),
            ("of Europe, without a check digit", "WVWZZZ1JZ3W386752", Some(("WVWZZZ1JZ3W386752", 0, false))),
            ("too short", "1HGCM82633A00435", None),
            ("too long", "1HGCM82633A0043521", None),
            ("digits alone", "12345678901234567", None),
            ("words", "PASSENGERCARSONLY", None),
            ("other letters", "ВИН 1234567890", None),
            ("nothing", "", None),
        ] {
            let expected = expected.map(|(vin, n_changes, fits)| (vin.to_owned(), n_changes, fits));
            assert_eq!(best(text), expected, "{name}");
        }
    }

    #[test]
    fn a_number_of_europe_is_not_replaced_by_one_that_fits_by_chance() {
        let found = likely_vins("WVWZZZ1JZ3W386752");
        assert_eq!(found[0], likely(*b"WVWZZZ1JZ3W386752", 0, false));
        assert!(found.len() > 1, "exchanges that fit by chance: {found:?}");
        assert!(found[1..].iter().all(|other| other.check_digit_fits && other.doubt() == 3));
    }

    #[test]
    fn nothing_is_exchanged_in_a_code() {
        assert_eq!(vins_in_code("1HGCMB2633A004352"), [likely(*b"1HGCMB2633A004352", 0, false)]);
        assert_eq!(vins_in_code(VIN), [likely(*b"1HGCM82633A004352", 0, true)]);
    }

    #[test]
    fn one_text_means_few_numbers() {
        let text = "1HGCM82633A004352 WVWZZZ1JZ3W386752 WDB2030461A123456 ";
        assert_eq!(likely_vins(&text.repeat(20)).len(), MOST);
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_what_comes_out_can_be_a_number(text in "\\PC{0,80}") {
            for likely in likely_vins(&text) {
                prop_assert!(super::super::error::checked(&likely.vin).is_ok());
            }
        }

        #[test]
        fn a_true_number_is_itself(text in "[A-HJ-NPR-Z0-9]{13}[0-9]{4}") {
            let mut vin: [u8; LENGTH] = text.as_bytes().try_into().unwrap();
            vin[CHECK_POSITION] = check_digit(&vin) as u8;
            let text = String::from_utf8(vin.to_vec()).unwrap();
            let n_digits = text.bytes().filter(u8::is_ascii_digit).count();
            if (FEWEST_DIGITS..LENGTH).contains(&n_digits) {
                prop_assert_eq!(&likely_vins(&text)[0], &likely(vin, 0, true));
            }
        }
    }
}
