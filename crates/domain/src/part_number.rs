//! How numbers and brands of parts are typed and compared.

use crate::InvalidInput;
use crate::text::optional_text;

/// Longest part number, in characters.
pub const PART_NUMBER_MAX_CHARS: usize = 60;
/// Longest brand, in characters.
pub const PART_BRAND_MAX_CHARS: usize = 60;

/// A part number as typed; a blank one is none.
///
/// # Errors
/// Names `number` and the limit.
pub fn part_number(text: Option<&str>) -> Result<Option<String>, InvalidInput> {
    optional_text("number", "The part number", text, PART_NUMBER_MAX_CHARS)
}

/// A brand as typed; a blank one is none.
///
/// # Errors
/// Names `brand` and the limit.
pub fn part_brand(text: Option<&str>) -> Result<Option<String>, InvalidInput> {
    optional_text("brand", "The brand", text, PART_BRAND_MAX_CHARS)
}

/// A part number in lower case without what parts its groups: `04E-905 601.B` is `04e905601b`. One of signs alone
/// stays as it is.
pub fn compact_number(number: &str) -> String {
    let compact: String =
        number.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    if compact.is_empty() { number.to_lowercase() } else { compact }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_signs_alone_stays_as_it_is() {
        assert_eq!(compact_number("--"), "--");
        assert_eq!(compact_number("04E-905 601.B"), "04e905601b");
    }
}
