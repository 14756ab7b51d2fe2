//! What a vehicle identification number says, without asking anybody.
//!
//! A number of 17 characters (ISO 3779): manufacturer (1 to 3), description (4 to 8), check digit (9), model year
//! (10), plant (11), serial number (12 to 17). Decoding goes on where it can: a number whose check digit is wrong is
//! still decoded, with a warning, because vehicles on the road bear such numbers.

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

/// Characters of a number.
const LENGTH: usize = 17;
/// Position of the check digit, from 0.
const CHECK_POSITION: usize = 8;
/// Weight of each position in the check sum. Source: 49 CFR 565.15(c), table IV.
const WEIGHTS: [u32; LENGTH] = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
/// Model years by the tenth character, from 1980 and again from 2010. Source: 49 CFR 565.15(d)(1), table VII.
const YEAR_CODES: &[u8; 30] = b"ABCDEFGHJKLMNPRSTVWXY123456789";
/// The year that the first of [`YEAR_CODES`] stands for.
const FIRST_YEAR: u16 = 1980;

/// What is remarkable about a number that was decoded all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VinWarning {
    /// The ninth character is not the check digit of the others, as that of a vehicle for North America must be.
    CheckDigit {
        /// What it is.
        found: char,
        /// What it should be.
        expected: char,
    },
    /// The tenth character stands for no model year.
    YearCode {
        /// What it is.
        found: char,
    },
    /// The first three characters are in no table here. The number may be right all the same.
    UnknownManufacturer,
}

impl fmt::Display for VinWarning {
    /// A sentence for people.
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

/// Decodes `text`, in upper or lower case, with blanks around it.
///
/// The tenth character repeats after thirty years. Passenger cars and light trucks for the United States tell the two
/// apart by their seventh: a digit up to 2009, a letter from 2010 on (49 CFR 565.15(d)(1)). For other vehicles, that
/// year is taken of which `patterns` say the model, else of which they say more. A year after `latest_year`, next
/// year for most callers, is taken to be the earlier one.
///
/// Rule and check digit are for vehicles for North America, some of which are made elsewhere: those whose model is known
/// here. A vehicle of another market is of the later of two years, and its check digit need not fit.
///
/// # Errors
/// [`VinError`] names what cannot be part of such a number, and where.
pub fn decode_vin(text: &str, latest_year: u16, patterns: &VinPatterns) -> Result<DecodedVin, VinError> {
    let vin = error::checked(text)?;
    let characters = vin.as_bytes();
    let Years { model_year, other_model_year, said, is_reported } = most_said(&vin, latest_year, patterns);
    // Two tables: ours knows brands and countries of the world, vPIC's who reported to it in the United States.
    let known = manufacturers::find(&vin, model_year);
    let listed = patterns.manufacturer_of(&vin);
    let (listed_name, listed_make) = listed.unwrap_or_default();
    let make = said
        .make
        .as_deref()
        .map(as_listed)
        .or_else(|| known.and_then(|known| known.make).map(str::to_owned))
        // A manufacturer of several brands may be listed with one only.
        .or_else(|| listed_make.filter(|_| known.is_none()).map(as_listed));
    let models = match (said.model, make.as_deref(), model_year) {
        (Some(model), ..) => vec![model],
        // Where the patterns are silent: a table made of decoded numbers.
        (None, Some(make), Some(year)) => {
            models::find(make, year, &vin[3..6]).into_iter().map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    let mut warnings = Vec::new();
    let (found, expected) = (char::from(characters[CHECK_POSITION]), check_digit(characters));
    // A model is known of vehicles for North America only, wherever they were made.
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
    // Small makers share identifiers that end in 9, and have three further characters of their own.
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

/// Which year the number stands for.
#[derive(Default)]
struct Years {
    model_year: Option<u16>,
    other_model_year: Option<u16>,
    /// What the patterns say of the model year.
    said: Said,
    /// Whether the patterns name a model in one of the years: its maker sold such vehicles in the United States.
    is_reported: bool,
}

/// The model year, the other one that the number may stand for, and what the patterns say of the first.
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

/// Whether a number that may stand for two years is of the earlier one.
fn is_earlier(vin: &str, patterns: &VinPatterns, of_earlier: &Said, of_later: &Said) -> bool {
    let characters = vin.as_bytes();
    // Of the numbers for other markets, one of eleven has a fitting check digit by chance, and few have a model.
    let is_for_north_america = regions::is_of_north_america(characters)
        || check_digit_fits(characters) && of_earlier.model.is_some();
    if !is_for_north_america {
        return false;
    }
    let seventh_is_digit = characters[6].is_ascii_digit();
    // Cars and light trucks say themselves which of the two years it is.
    if patterns.is_light(vin) != Some(false) {
        return seventh_is_digit;
    }
    // A model outweighs the rest: plants and engines alone may fit a year in which nothing like it was built.
    let rank = |said: &Said| (said.model.is_some(), said.weight);
    match rank(of_earlier).cmp(&rank(of_later)) {
        Ordering::Greater => true,
        Ordering::Less => false,
        Ordering::Equal => seventh_is_digit,
    }
}

/// A make as the list of makes writes it, else as it is.
fn as_listed(make: &str) -> String {
    let listed = Reference::embedded().ok().and_then(|reference| Some(reference.make(make)?.name.clone()));
    listed.unwrap_or_else(|| make.to_owned())
}

/// The check digit of a number: the weighted sum of its characters' values modulo 11, `X` for 10.
/// Source: 49 CFR 565.15(c).
fn check_digit(vin: &[u8]) -> char {
    let sum: u32 = vin.iter().zip(WEIGHTS).map(|(character, weight)| value(*character) * weight).sum();
    // 10 is no digit, and the rule writes X for it.
    char::from_digit(sum % 11, 10).unwrap_or('X')
}

fn check_digit_fits(vin: &[u8]) -> bool {
    char::from(vin[CHECK_POSITION]) == check_digit(vin)
}

/// What a character counts in the check sum. Source: 49 CFR 565.15(c), table III.
fn value(character: u8) -> u32 {
    u32::from(match character {
        b'0'..=b'9' => character - b'0',
        b'A'..=b'H' => character - b'A' + 1,
        b'J'..=b'R' => character - b'J' + 1,
        b'S'..=b'Z' => character - b'S' + 2,
        _ => 0,
    })
}

/// The year that the tenth character stands for, and the later one if it is not in the future.
fn possible_years(vin: &[u8], latest_year: u16) -> Option<(u16, Option<u16>)> {
    let index = YEAR_CODES.iter().position(|code| *code == vin[9])?;
    // Thirty codes and no more, so that a year comes back after thirty years.
    let earlier = FIRST_YEAR + index as u16;
    let later = earlier + YEAR_CODES.len() as u16;
    // A vehicle of the future does not exist.
    Some((earlier, (later <= latest_year).then_some(later)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_digit_follows_the_standard() {
        // The worked example of the regulation, and the number of ones that many tests use.
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
