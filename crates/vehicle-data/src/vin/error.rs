use super::LENGTH;

/// Why a text cannot be a vehicle identification number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VinError {
    /// Too short or too long.
    #[error(
        "a VIN has 17 characters, and this has {found}; vehicles made before 1981 have others and cannot be decoded"
    )]
    Length {
        /// The number of characters.
        found: usize,
    },
    /// I, O or Q, which are not used in VINs because they look like 1 and 0.
    #[error("a VIN has no letter {found} (position {position}): it is the digit {instead}")]
    Lookalike {
        /// The letter.
        found: char,
        /// Where, from 1.
        position: usize,
        /// The digit that it looks like.
        instead: char,
    },
    /// Neither a letter from A to Z nor a digit.
    #[error("a VIN has only letters from A to Z and digits, and position {position} is {found:?}")]
    Character {
        /// The character.
        found: char,
        /// Where, from 1.
        position: usize,
    },
}

impl VinError {
    /// The message as a sentence: with a capital and a full stop.
    pub fn sentence(&self) -> String {
        let text = self.to_string();
        let mut characters = text.chars();
        let first = characters.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(characters).chain(['.']).collect()
    }
}

/// The trimmed text in upper case, if it can be a number.
pub(super) fn checked(text: &str) -> Result<String, VinError> {
    let text = text.trim();
    let found = text.chars().count();
    if found != LENGTH {
        return Err(VinError::Length { found });
    }
    let mut vin = String::with_capacity(LENGTH);
    for (index, character) in text.chars().enumerate() {
        let position = index + 1;
        // Only ASCII: Unicode upper case would turn `ı` and `ſ` into letters of the alphabet.
        match character.to_ascii_uppercase() {
            found @ 'I' => return Err(VinError::Lookalike { found, position, instead: '1' }),
            found @ ('O' | 'Q') => return Err(VinError::Lookalike { found, position, instead: '0' }),
            letter @ ('A'..='Z' | '0'..='9') => vin.push(letter),
            _ => return Err(VinError::Character { found: character, position }),
        }
    }
    Ok(vin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_a_number_is_named() {
        let cases = [
            ("", VinError::Length { found: 0 }),
            ("1HGCM82633A00435", VinError::Length { found: 16 }),
            ("1HGCM82633A0043520", VinError::Length { found: 18 }),
            ("1HGCM82633AO04352", VinError::Lookalike { found: 'O', position: 12, instead: '0' }),
            ("ihgcm82633a004352", VinError::Lookalike { found: 'I', position: 1, instead: '1' }),
            ("1HGCM82633A00435q", VinError::Lookalike { found: 'Q', position: 17, instead: '0' }),
            ("1HGCM82633A00435é", VinError::Character { found: 'é', position: 17 }),
            ("1HGCM82633A00435ſ", VinError::Character { found: 'ſ', position: 17 }),
            ("1HGCM-82633A00435", VinError::Character { found: '-', position: 6 }),
            ("1HGCM\u{202e}2633A004352", VinError::Character { found: '\u{202e}', position: 6 }),
            ("🚗HGCM82633A004352", VinError::Character { found: '🚗', position: 1 }),
        ];
        for (text, error) in cases {
            assert_eq!(checked(text), Err(error), "{text}");
        }
        assert_eq!(checked(" 1hgcm82633a004352\n").unwrap(), "1HGCM82633A004352");
    }

    #[test]
    fn a_control_character_is_written_out() {
        let error = checked("1HGCM\u{0}2633A004352").unwrap_err();
        assert!(error.to_string().contains("'\\0'"), "{error}");
    }
}
