//! Decodes vehicle identification numbers offline.
//!
//! A number of 17 characters (ISO 3779): manufacturer (1 to 3), description (4 to 8), check digit (9), model year
//! (10), plant (11), serial number (12 to 17). Decoding is lenient: a number with a wrong check digit is decoded
//! with a warning, because vehicles on the road have such numbers.

mod details;
mod error;
mod manufacturers;
mod misread;
mod models;
mod patterns;
mod regions;

use std::cmp::Ordering;
use std::fmt;

use serde::{Serialize, Serializer};

pub use details::VinDetails;
pub use error::VinError;
pub use misread::{LikelyVin, likely_vins, vins_in_code};
use patterns::Said;
pub use patterns::{VinPatternCounts, VinPatternReport, VinPatterns, VinPatternsImport};

use crate::Reference;

/// Length of a number, in characters.
const LENGTH: usize = 17;
/// Position of the check digit, from 0.
const CHECK_POSITION: usize = 8;
/// Weight of each position in the check sum. Source: 49 CFR 565.15(c), table IV.
const WEIGHTS: [u32; LENGTH] = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
/// Model years by the tenth character, from 1980 and again from 2010. Source: 49 CFR 565.15(d)(1), table VII.
const YEAR_CODES: &[u8; 30] = b"ABCDEFGHJKLMNPRSTVWXY123456789";
/// The year that the first of [`YEAR_CODES`] stands for.
const FIRST_YEAR: u16 = 1980;

/// A problem of a number that was decoded nevertheless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VinWarning {
    /// The ninth character is not the check digit, which is required of vehicles for North America.
    CheckDigit {
        /// The character.
        found: char,
        /// The check digit.
        expected: char,
    },
    /// The tenth character is not a code of a model year.
    YearCode {
        /// The character.
        found: char,
    },
    /// The first three characters are in no table. The number may still be right.
    UnknownManufacturer,
}

impl fmt::Display for VinWarning {
    /// A sentence for users.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CheckDigit { found, expected } => write!(
                f,
                "The check digit (position 9) is {found}, but {expected} would fit: please compare the number with the \
                 vehicle."
            ),
            Self::YearCode { found } => write!(f, "Position 10 is {found}, which stands for no model year."),
            Self::UnknownManufacturer => {
                f.write_str("The manufacturer is not in our table; the number may be right.")
            }
        }
    }
}

impl Serialize for VinWarning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A decoded number. What no table states is `None` or empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DecodedVin {
    /// The number in upper case.
    pub vin: String,
    /// World manufacturer identifier: the first three characters.
    pub wmi: String,
    /// Part of the world, by the first character.
    pub region: &'static str,
    /// Country of the manufacturer's address, by the first two characters (ISO 3780).
    pub country: Option<&'static str>,
    /// Who made it.
    pub manufacturer: Option<String>,
    /// The brand, as the list of makes has it where it is there.
    pub make: Option<String>,
    /// Model year.
    pub model_year: Option<u16>,
    /// The year thirty years apart that the same character stands for, where it is not in the future.
    pub other_model_year: Option<u16>,
    /// Models that this description stands for, where a table states any.
    pub models: Vec<String>,
    /// What the maker reported of the vehicle, where it did.
    pub details: VinDetails,
    /// The description: characters 4 to 8.
    pub description: String,
    /// The plant's code: character 11.
    pub plant: char,
    /// The serial number: characters 12 to 17; 15 to 17 for manufacturers of fewer than 1,000 vehicles a year, whose
    /// characters 12 to 14 name them.
    pub serial: String,
    /// Whether the ninth character is the check digit of the others. Vehicles for other markets than North America
    /// and China need none, so that only those for North America are warned of.
    pub check_digit_fits: bool,
    /// What is remarkable.
    pub warnings: Vec<VinWarning>,
}

/// Decodes `text`, in upper or lower case; surrounding white space is ignored.
///
/// The code of the model year repeats after thirty years. Passenger cars and light trucks for the United States
/// distinguish the two by the seventh character: a digit up to 2009, a letter from 2010 on (49 CFR 565.15(d)(1)).
/// For other vehicles, the year is chosen for which `patterns` know the model, otherwise the one for which their
/// statements have the higher weight. A year after `latest_year` (usually next year) is excluded.
///
/// The seventh character and the check digit are rules for North America, including vehicles made elsewhere for it,
/// which are recognised by a known model. For another market the later year is chosen, and the check digit may be
/// wrong.
///
/// # Errors
/// [`VinError`] with the reason and the position.
pub fn decode_vin(text: &str, latest_year: u16, patterns: &VinPatterns) -> Result<DecodedVin, VinError> {
    let vin = error::checked(text)?;
    let characters = vin.as_bytes();
    let Years { model_year, other_model_year, said, is_reported } = most_said(&vin, latest_year, patterns);
    // Two tables: ours has brands and countries of the world, vPIC's the manufacturers that report in the United
    // States.
    let known = manufacturers::find(&vin, model_year);
    let listed = patterns.manufacturer_of(&vin);
    let (listed_name, listed_make) = listed.unwrap_or_default();
    let make = said
        .make
        .as_deref()
        .map(as_listed)
        .or_else(|| known.and_then(|known| known.make).map(str::to_owned))
        // vPIC may list only one make of a manufacturer that has several.
        .or_else(|| listed_make.filter(|_| known.is_none()).map(as_listed));
    let models = match (said.model, make.as_deref(), model_year) {
        (Some(model), ..) => vec![model],
        // Without a model from the patterns: a table made from decoded numbers.
        (None, Some(make), Some(year)) => {
            models::find(make, year, &vin[3..6]).into_iter().map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    let mut warnings = Vec::new();
    let (found, expected) = (char::from(characters[CHECK_POSITION]), check_digit(characters));
    // Models are known only of vehicles for North America, wherever they were made.
    let needs_check_digit = regions::is_of_north_america(characters) || is_reported || !models.is_empty();
    if found != expected && needs_check_digit {
        warnings.push(VinWarning::CheckDigit { found, expected });
    }
    if model_year.is_none() {
        warnings.push(VinWarning::YearCode { found: char::from(characters[9]) });
    }
    if known.is_none() && listed.is_none() {
        warnings.push(VinWarning::UnknownManufacturer);
    }
    // Small manufacturers share identifiers that end in 9; characters 12 to 14 identify them.
    let is_small = characters[2] == b'9';
    Ok(DecodedVin {
        wmi: vin[..3].to_owned(),
        region: regions::region(characters),
        country: regions::country(&vin),
        manufacturer: known.map(|known| known.manufacturer).or(listed_name).map(str::to_owned),
        make,
        model_year,
        other_model_year,
        models,
        details: said.details,
        description: vin[3..8].to_owned(),
        plant: char::from(characters[10]),
        serial: vin[if is_small { 14 } else { 11 }..].to_owned(),
        check_digit_fits: found == expected,
        warnings,
        vin,
    })
}

/// The model year of a number.
#[derive(Default)]
struct Years {
    model_year: Option<u16>,
    other_model_year: Option<u16>,
    /// What the patterns state for the model year.
    said: Said,
    /// Whether the patterns have a model for either year: the vehicle was then made for the United States.
    is_reported: bool,
}

/// The model year, the other possible one, and what the patterns state for the former.
fn most_said(vin: &str, latest_year: u16, patterns: &VinPatterns) -> Years {
    let Some((earlier, later)) = possible_years(vin.as_bytes(), latest_year) else { return Years::default() };
    let of_earlier = patterns.said_of(vin, earlier);
    let of_later = later.map(|later| (later, patterns.said_of(vin, later)));
    let mut is_reported = of_earlier.model.is_some();
    let (model_year, other_model_year, said) = match of_later {
        None => (earlier, None, of_earlier),
        Some((later, of_later)) => {
            is_reported |= of_later.model.is_some();
            if is_earlier(vin, patterns, &of_earlier, &of_later) {
                (earlier, Some(later), of_earlier)
            } else {
                (later, Some(earlier), of_later)
            }
        }
    };
    Years { model_year: Some(model_year), other_model_year, said, is_reported }
}

/// Whether the earlier of two possible years is chosen.
fn is_earlier(vin: &str, patterns: &VinPatterns, of_earlier: &Said, of_later: &Said) -> bool {
    let characters = vin.as_bytes();
    // Of the numbers for other markets, one in eleven has a valid check digit by chance, but few have a model.
    let is_for_north_america = regions::is_of_north_america(characters)
        || check_digit_fits(characters) && of_earlier.model.is_some();
    if !is_for_north_america {
        return false;
    }
    let seventh_is_digit = characters[6].is_ascii_digit();
    // The seventh character of cars and light trucks determines the year.
    if patterns.is_light(vin) != Some(false) {
        return seventh_is_digit;
    }
    // The model is compared first: plants and engines alone may fit a year in which no such vehicle was built.
    let rank = |said: &Said| (said.model.is_some(), said.weight);
    match rank(of_earlier).cmp(&rank(of_later)) {
        Ordering::Greater => true,
        Ordering::Less => false,
        Ordering::Equal => seventh_is_digit,
    }
}

/// A make in the spelling of the list of makes; unchanged if it is not listed.
fn as_listed(make: &str) -> String {
    let listed = Reference::embedded().ok().and_then(|reference| Some(reference.make(make)?.name.clone()));
    listed.unwrap_or_else(|| make.to_owned())
}

/// The check digit of a number: the weighted sum of its characters' values modulo 11, `X` for 10.
/// Source: 49 CFR 565.15(c).
fn check_digit(vin: &[u8]) -> char {
    let sum: u32 = vin.iter().zip(WEIGHTS).map(|(character, weight)| value(*character) * weight).sum();
    // The standard writes 10 as X.
    char::from_digit(sum % 11, 10).unwrap_or('X')
}

fn check_digit_fits(vin: &[u8]) -> bool {
    char::from(vin[CHECK_POSITION]) == check_digit(vin)
}

/// The value of a character in the check sum. Source: 49 CFR 565.15(c), table III.
fn value(character: u8) -> u32 {
    u32::from(match character {
        b'0'..=b'9' => character - b'0',
        b'A'..=b'H' => character - b'A' + 1,
        b'J'..=b'R' => character - b'J' + 1,
        b'S'..=b'Z' => character - b'S' + 2,
        _ => 0,
    })
}

/// The earlier year of the tenth character, and the later one if it is not after `latest_year`. `None` if the character
/// is not a year code.
fn possible_years(vin: &[u8], latest_year: u16) -> Option<(u16, Option<u16>)> {
    let index = YEAR_CODES.iter().position(|code| *code == vin[9])?;
    // There are thirty codes, so they repeat after thirty years.
    let earlier = FIRST_YEAR + index as u16;
    let later = earlier + YEAR_CODES.len() as u16;
    // A vehicle cannot be newer than that.
    Some((earlier, (later <= latest_year).then_some(later)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_digit_follows_the_standard() {
        // The worked example of the regulation, and the number of ones, which is a common test number.
        for (vin, digit) in
            [("1M8GDM9AXKP042788", 'X'), ("11111111111111111", '1'), ("1HGCM82633A004352", '3')]
        {
            assert_eq!(check_digit(vin.as_bytes()), digit, "{vin}");
        }
    }

    #[test]
    fn the_seventh_character_tells_the_years_apart() {
        let patterns = VinPatterns::embedded().unwrap();
        for (vin, latest, years) in [
            ("1HGCM82633A004352", 2027, (Some(2003), None)),
            ("1HGCM8263AA004352", 2027, (Some(1980), Some(2010))),
            ("1HGCM8A63AA004352", 2027, (Some(2010), Some(1980))),
            ("1HGCM8A63YA004352", 2027, (Some(2000), None)),
            ("1HGCM8A63YA004352", 2030, (Some(2030), Some(2000))),
            ("1HGCM8A63UA004352", 2030, (None, None)),
        ] {
            let found = most_said(vin, latest, &patterns);
            assert_eq!((found.model_year, found.other_model_year), years, "{vin}");
        }
    }
}
