//! Finds vehicle identification numbers in text that was read from an image.

use super::{CHECK_POSITION, LENGTH, check_digit, manufacturers, regions};

/// Common misreadings, as (read, meant). VINs have no I, O or Q (ISO 3779), so these are always replaced; the
/// others only if the check digit does not fit.
const NEVER: [(u8, u8); 3] = [(b'I', b'1'), (b'O', b'0'), (b'Q', b'0')];
const CONFUSABLE: [(u8, u8); 6] =
    [(b'S', b'5'), (b'B', b'8'), (b'Z', b'2'), (b'G', b'6'), (b'D', b'0'), (b'L', b'1')];
/// Largest number of replaced characters: with more, unrelated text fits by chance.
const MOST_CHANGES: usize = 2;
/// The same for a number in pieces, stricter because any few words could be pieces.
const MOST_CHANGES_OF_PIECES: usize = 1;
/// Largest number of words into which a number is broken.
const MOST_PIECES: usize = 4;
/// From this length, a word of letters with a vowel is prose: numbers have `GCM` and `KNDJ`, documents `POLICY` and
/// `PHONE`.
const FEWEST_LETTERS_OF_PROSE: usize = 4;
/// Number of last characters, which are digits for all but a few makers. For cars and light trucks the character
/// before them is a digit too, so a digit there is not replaced. Source: 49 CFR 565.15(d)(3).
const SERIAL_DIGITS: usize = 4;
/// Smallest number of digits: a word of seventeen letters is not a VIN.
const FEWEST_DIGITS: usize = 5;
/// Largest number of results for one text.
const MOST: usize = 4;
/// Prefixes of a number on plates and labels, with common misreadings.
const PREFIXES: [&str; 6] = ["VINNO", "VINN0", "VIN", "V1N", "VEHICLEIDENTIFICATIONNUMBER", "FRAMENO"];
/// Number of words that are searched.
const MOST_WORDS: usize = 64;

/// A number that a text may contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LikelyVin {
    /// In upper case; a valid number except perhaps for its check digit.
    pub vin: String,
    /// Number of replaced characters, without those for I, O and Q and the letters in the last four.
    pub n_changes: usize,
    /// Whether the ninth character is the check digit of the others.
    pub check_digit_fits: bool,
}

impl LikelyVin {
    /// Doubt in the number; 0 is the most certain.
    ///
    /// If no check digit is required, one that fits only after a replacement may fit by chance, so the text as read
    /// ranks before it.
    pub fn doubt(&self) -> u8 {
        match (self.check_digit_fits, self.n_changes, requires_check_digit(self.vin.as_bytes())) {
            (true, 0, _) => 0,
            (true, _, true) => 1,
            (false, ..) => 2,
            (true, _, false) => 3,
        }
    }
}

/// The numbers that a text read from a plate or a label may contain, most certain first; at most four.
///
/// A word of 17 letters and digits is a candidate, also after `VIN` or between asterisks. I is read as 1, O and Q
/// as 0. If the check digit does not fit, up to two characters are replaced by similar ones; the results with the
/// fewest replacements are kept. Only North America and China require a check digit: for another market the number
/// as read is also a result. A number that cannot be made to fit is returned as read.
///
/// Text recognition splits numbers at gaps in the print. Up to four neighbouring words with 17 characters together
/// are also a candidate, if none is prose, the manufacturer is known, and the check digit fits with at most one
/// replacement. If none is required, nothing is replaced, except I, O and Q if the check digit then fits.
pub fn likely_vins(text: &str) -> Vec<LikelyVin> {
    vins_in(text, MOST_CHANGES, MOST_PIECES)
}

/// Like [`likely_vins`] for the content of a barcode, but only in one piece and without replacements except I, O
/// and Q: a barcode is decoded exactly or not at all.
pub fn vins_in_code(content: &str) -> Vec<LikelyVin> {
    vins_in(content, 0, 1)
}

fn vins_in(text: &str, most_changes: usize, most_pieces: usize) -> Vec<LikelyVin> {
    let mut found: Vec<LikelyVin> = Vec::new();
    for run in words(text).split(String::is_empty) {
        for first in 0..run.len() {
            let mut joined = String::new();
            for (n_before, word) in run[first..].iter().take(most_pieces).enumerate() {
                joined.push_str(if n_before == 0 { without_prefix(word) } else { word });
                let Ok(characters) = <[u8; LENGTH]>::try_from(joined.as_bytes()) else { continue };
                if n_before == 0 {
                    found.extend(meant(characters, most_changes));
                } else {
                    let vins = meant(characters, MOST_CHANGES_OF_PIECES);
                    found.extend(vins.into_iter().filter(|likely| is_of_pieces(likely, &joined)));
                }
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

/// The words of a text in upper case, an empty one for prose. Successive single characters are joined to one word.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_apart = false;
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        let was_apart = is_apart;
        is_apart = word.len() == 1 && !is_prose(word);
        match words.last_mut() {
            Some(last) if was_apart && is_apart => last.push_str(&word.to_ascii_uppercase()),
            _ if is_prose(word) => words.push(String::new()),
            _ => words.push(word.to_ascii_uppercase()),
        }
    }
    words.truncate(MOST_WORDS);
    words
}

/// Whether a word cannot be a piece of a number: only letters, and either one in lower case or at least
/// [`FEWEST_LETTERS_OF_PROSE`] with a vowel.
fn is_prose(word: &str) -> bool {
    let is_long = word.len() >= FEWEST_LETTERS_OF_PROSE && word.contains(['A', 'E', 'I', 'O', 'U', 'Y']);
    let is_small = word.contains(|c: char| c.is_ascii_lowercase());
    word.bytes().all(|c| c.is_ascii_alphabetic()) && (is_long || is_small)
}

fn without_prefix(word: &str) -> &str {
    let mut rests = PREFIXES.iter().filter_map(|prefix| word.strip_prefix(prefix));
    rests.find(|rest| !rest.is_empty()).unwrap_or(word)
}

/// Whether words that were joined to a number are likely its pieces, and not a coincidence.
fn is_of_pieces(likely: &LikelyVin, joined: &str) -> bool {
    // Includes the letters replaced in the last four characters, which `n_changes` excludes: `53 LB` on a label is
    // not `5318`.
    let pairs = joined.bytes().zip(likely.vin.bytes());
    let n_exchanged = pairs.filter(|pair| pair.0 != pair.1 && !NEVER.contains(pair)).count();
    let is_proven = if requires_check_digit(likely.vin.as_bytes()) {
        likely.check_digit_fits && n_exchanged <= MOST_CHANGES_OF_PIECES
    } else {
        (likely.check_digit_fits && n_exchanged == 0) || likely.vin == joined
    };
    is_proven && manufacturers::is_known(&likely.vin)
}

/// The numbers that these characters may stand for.
fn meant(read: [u8; LENGTH], most_changes: usize) -> Vec<LikelyVin> {
    let mut base = read;
    for (place, character) in base.iter_mut().enumerate() {
        if let Some(&(_, instead)) = NEVER.iter().find(|(never, _)| never == character) {
            *character = instead;
        }
        if most_changes > 0
            // Letters there are certainly misread digits, so they do not count as replacements.
            && place >= LENGTH - SERIAL_DIGITS
            && let Some(&(_, digit)) = CONFUSABLE.iter().find(|(letter, _)| letter == character)
        {
            *character = digit;
        }
    }
    let n_digits = base.iter().filter(|character| character.is_ascii_digit()).count();
    let is_serial = base[LENGTH - SERIAL_DIGITS..].iter().all(u8::is_ascii_digit);
    // Seventeen digits are a serial number of another kind.
    if n_digits < FEWEST_DIGITS || n_digits == LENGTH || !is_serial {
        return Vec::new();
    }
    let changeable: Vec<(usize, u8)> = (0..LENGTH - SERIAL_DIGITS)
        .filter(|&place| place != LENGTH - SERIAL_DIGITS - 1 || !base[place].is_ascii_digit())
        .filter_map(|place| Some((place, other_of(base[place])?)))
        .collect();
    // Results with the fewest replacements: the closest to the text is the likeliest.
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
    regions::is_of_north_america(vin) || vin.first() == Some(&b'L')
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

/// All variants with exactly `n_changes` of `changeable` replaced.
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
            ("broken at a gap", "VIN 1 HGCM8 2633A004352", Some((VIN, 0, true))),
            ("broken into letters alone", "1 HGCM 82633A004352", Some((VIN, 0, true))),
            ("with dashes", "1HG-CM826-33A-004352", Some((VIN, 0, true))),
            ("with gaps between all", "1 H G C M 8 2 6 3 3 A 0 0 4 3 5 2", Some((VIN, 0, true))),
            ("in pieces behind its name", "VIN1HGCM 82633A004352", Some((VIN, 0, true))),
            ("one exchanged in pieces", "IHGCMB2 633AO04352 TYPE", Some((VIN, 1, true))),
            ("two exchanged in pieces", "1H6CMB2 633A004352", None),
            ("of an unknown maker in pieces", "1YGCM82 633A004352", None),
            ("of Europe, in pieces", "WVW ZZZ1JZ 3W386752", Some(("WVWZZZ1JZ3W386752", 0, false))),
            ("one exchanged", "1HGCMB2633A004352", Some((VIN, 1, true))),
            ("two exchanged", "1H6CMB2633A004352", Some((VIN, 2, true))),
            ("in the serial number", "1HGCM82633A0043S2", Some((VIN, 0, true))),
            ("of Europe, without a check digit", "WVWZZZ1JZ3W386752", Some(("WVWZZZ1JZ3W386752", 0, false))),
            ("too short", "1HGCM82633A00435", None),
            ("too long", "1HGCM82633A0043521", None),
            ("digits alone", "12345678901234567", None),
            ("words", "PASSENGERCARSONLY", None),
            ("of an insurance slip", "Phone 503 555 0199 Policy 7745 2219", None),
            ("of an insurance slip, in capitals", "PHONE 503 555 0199 POLICY 7745 2219", None),
            ("of a label", "SEATS 5 GVWR 2020KG (4453LB)", None),
            ("of an invoice", "INVOICE INV-2024-25303 TEL. (974) 799-7569", None),
            ("of an address", "TERMINAL FS44804 AUTH 44928Q 1420 NW 23RD AVE APT 4B", None),
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
        assert_eq!(vins_in_code("VIN:1HGCM82633A004352;YEAR:2003"), vins_in_code(VIN));
        assert_eq!(vins_in_code("1HGCM8 2633A004352"), []);
    }

    #[test]
    fn north_america_and_china_require_a_check_digit() {
        for (vin, requires) in [
            (VIN, true),
            ("7SAYGDEE4NF300001", true),
            ("LSVAM4187C2184847", true),
            ("7AT0DH68X12345678", false),
        ] {
            assert_eq!(requires_check_digit(vin.as_bytes()), requires, "{vin}");
        }
    }

    #[test]
    fn one_text_means_few_numbers() {
        let text = "1HGCM82633A004352 WVWZZZ1JZ3W386752 WDB2030461A123456 ";
        assert_eq!(likely_vins(&text.repeat(20)).len(), MOST);
    }

    /// Made-up lines of documents without a VIN, the same for the same seed.
    struct Papers(u64);

    impl Papers {
        fn below(&mut self, n: u64) -> u64 {
            // Steele and Vigna's SplitMix64.
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = self.0;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (mixed ^ (mixed >> 31)) % n
        }

        fn one_of<'a>(&mut self, texts: &[&'a str]) -> &'a str {
            texts[self.below(texts.len() as u64) as usize]
        }

        /// A text in which `9` stands for any digit and `#` for any capital.
        fn filled(&mut self, pattern: &str) -> String {
            let mut fill = |c| match c {
                '9' => char::from(b'0' + self.below(10) as u8),
                '#' => char::from(b'A' + self.below(26) as u8),
                other => other,
            };
            pattern.chars().map(&mut fill).collect()
        }

        /// Items that stand side by side in documents, as one recognised line.
        fn line(&mut self) -> String {
            let n_parts = 1 + self.below(3);
            let parts: Vec<String> = (0..n_parts)
                .map(|_| {
                    let pattern = self.one_of(PAPERS);
                    self.filled(pattern)
                })
                .collect();
            let line = parts.join(" ");
            if self.below(2) == 0 { line.to_uppercase() } else { line }
        }
    }

    const PAPERS: &[&str] = &[
        "Phone 999 999 9999",
        "Tel. (999) 999-9999",
        "Fax 999-999-9999",
        "Call 1-800-999-9999",
        "+49 99 9999 9999",
        "Policy 9999 9999",
        "Policy No. ### 9999999 99",
        "Policy ##-9999-9999",
        "Claim # 99-9999 # 9999",
        "Invoice INV-2024-99999",
        "Order #9999 999-9999999",
        "Acct. 9999 9999 9999",
        "Cust. ID ##99 9999",
        "Agent ###9 999-9999",
        "NAIC 99999 Eff. 99/99/2024",
        "Exp. 2024-11-99 12:01 AM",
        "9999 NW 99th Ave Apt 9#",
        "999 Main St. Ste 999",
        "Portland OR 99999-9999",
        "P.O. Box 9999 ## 99999",
        "Total $9,999.99 Tax 99.99",
        "Paid 99.99 Visa 9999",
        "9 EA 99999-9#999 Brake pad 99.99",
        "SKU ###9999 Qty 9",
        "Part ##9-9999-99 Lot 99999#",
        "20 99 Honda Accord EX V6",
        "Lic. 9###999 OR",
        "P205/60R16 91V 999KPA 99PSI",
        "GVWR 9999KG (9999LB) GAWR FRT 9999KG",
        "DOT ##9# ###9 9999",
        "Odometer 99,999 mi RO 999999",
        "DE99 9999 9999 9999 9999 99",
        "Terminal ##99999 Auth 99999#",
        "TYPE ### MFD 99/99 PAINT ##9 TRIM #9",
        "https://example.com/q/9##99#",
        "Ref ##9999999#",
    ];

    #[test]
    fn papers_without_a_vin_give_one_by_a_rare_chance() {
        let mut papers = Papers(20_261_127);
        let lines: Vec<String> = (0..50_000).map(|_| papers.line()).collect();
        let found: Vec<_> = lines.iter().filter(|line| !likely_vins(line).is_empty()).collect();
        // 6 with this seed: they begin with the identifier of a manufacturer and have a valid check digit or need
        // none.
        assert!(found.len() <= 10, "{} of {}: {found:#?}", found.len(), lines.len());
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
