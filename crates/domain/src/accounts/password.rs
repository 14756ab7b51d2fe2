use std::collections::HashSet;
use std::sync::LazyLock;

use crate::{InvalidInput, messages};

const PASSWORD_MIN_CHARS: usize = 6;
/// Longest password, in bytes: bounds the hashing work of one request.
const PASSWORD_MAX_BYTES: usize = 1024;

/// Common words in passwords; the file states its source. With the digits and signs that [`word_of`] removes and the
/// spellings that it reverses, its 1,400 words cover several million passwords.
const COMMON: &str = include_str!("../../data/common-passwords.txt");
/// Maximum of trailing digits and signs that do not make a word harder to guess: a year and an exclamation mark.
const TAIL_MAX_CHARS: usize = 5;
/// Neighbouring keys: the rows of three keyboard layouts, and diagonal and zigzag paths through them.
const KEYBOARD: [&str; 13] = [
    "1234567890",
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "qwertzuiop",
    "yxcvbnm",
    "azertyuiop",
    "qsdfghjklm",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik",
    "1q2w3e4r5t6y7u8i9o0p",
    "qazwsxedcrfvtgbyhnujmik",
    "qweasdzxc",
    "!@#$%^&*()",
];
/// Shortest sequence that counts as a stretch.
const STRETCH_MIN_CHARS: usize = 3;

/// A password that fits the specification's rules. Its `Debug` output does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

/// A password that may be set for an account: not one that is easily guessed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenPassword(Password);

impl Password {
    /// Checks the length: at least 6 characters (specification 2, section 5) and at most 1,024 bytes.
    pub fn new(text: String) -> Result<Self, InvalidInput> {
        // The minimum is in characters, as people count; the maximum in bytes, which determine the hashing work.
        if text.chars().count() < PASSWORD_MIN_CHARS {
            return Err(InvalidInput::new("password", messages::PASSWORD_TOO_SHORT));
        }
        if text.len() > PASSWORD_MAX_BYTES {
            return Err(InvalidInput::new(
                "password",
                format!("Password must be at most {PASSWORD_MAX_BYTES} bytes"),
            ));
        }
        Ok(Self(text))
    }

    /// The secret itself, for hashing.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Checks a new password for the account with this address. Existing passwords are not checked.
    ///
    /// # Errors
    /// [`messages::PASSWORD_COMMON`] for a password that is easily guessed: a common word with or without a few digits,
    /// a repeated sequence of one to four characters, sequences of digits, letters or keys, the address or its part
    /// before the `@`.
    pub fn chosen_for(self, email: &str) -> Result<ChosenPassword, InvalidInput> {
        // Capitals do not make a common word safer, because guessing programs try them as well.
        let text = self.0.to_lowercase();
        let local = email.split('@').next().unwrap_or_default();
        let is_guessed = is_common(&text)
            || is_repeated(&text)
            || is_stretches(&text)
            || text == email.to_lowercase()
            // An attacker knows the address of the account.
            || is_name(&text, local);
        if is_guessed {
            return Err(InvalidInput::new("password", messages::PASSWORD_COMMON));
        }
        Ok(ChosenPassword(self))
    }
}

impl ChosenPassword {
    /// The secret itself, for hashing.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

debug_fields!(Password {});

/// Whether a text in lower case is a common word, once or twice, with or without a tail.
fn is_common(text: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> =
        LazyLock::new(|| COMMON.lines().filter(|line| !line.starts_with('#')).collect());
    let word = word_of(text);
    let half = word.len() / 2;
    // `passwordpassword` is as easily guessed as the single word.
    let is_twice = word.is_char_boundary(half) && word[..half] == word[half..];
    WORDS.contains(word.as_str()) || (is_twice && WORDS.contains(&word[..half]))
}

/// A text in lower case without its tail, and with letters in place of the signs that are used for them: `p@ssw0rd!`
/// is `password`.
fn word_of(text: &str) -> String {
    let is_tail = |character: char| !character.is_alphabetic();
    let n_tail = text.chars().rev().take_while(|character| is_tail(*character)).count();
    let n_chars = text.chars().count();
    // A longer tail is a substantial part of the password, and is kept.
    // The tail is removed before letters are substituted: `1` is a digit at the end, and an `i` in the middle.
    let n_kept = if n_tail > TAIL_MAX_CHARS { n_chars } else { n_chars - n_tail };
    let letter = |character| match character {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        '8' => 'b',
        other => other,
    };
    text.chars().take(n_kept).map(letter).filter(|character| character.is_alphabetic()).collect()
}

/// Whether a text is a repetition of one to four characters.
fn is_repeated(text: &str) -> bool {
    let characters: Vec<char> = text.chars().collect();
    (1..=4.min(characters.len() / 2))
        // The last repetition may be incomplete, as in `abcabcab`.
        .any(|length| characters.chunks(length).all(|chunk| characters.starts_with(chunk)))
}

/// Whether a text consists of stretches of at least three characters: `123456`, `qwe123`, `aaabbb`, `fedcba`.
fn is_stretches(text: &str) -> bool {
    let characters: Vec<char> = text.chars().collect();
    // Dynamic programming: whether the first n characters are covered. All lengths of a stretch are tried, because
    // the longest may leave too few characters: `1234555` is `1234` and `555`.
    let mut is_covered = vec![false; characters.len() + 1];
    is_covered[0] = true;
    for start in 0..characters.len() {
        if is_covered[start] {
            for n in STRETCH_MIN_CHARS..=longest_stretch(&characters[start..]) {
                is_covered[start + n] = true;
            }
        }
    }
    is_covered[characters.len()]
}

/// Length of the longest stretch at the start: characters at a constant step of -1, 0 or 1, or neighbouring keys.
fn longest_stretch(characters: &[char]) -> usize {
    let step = |pair: &[char]| i64::from(u32::from(pair[1])) - i64::from(u32::from(pair[0]));
    let run = match characters.windows(2).next().map(step) {
        Some(first) if first.abs() <= 1 => {
            1 + characters.windows(2).take_while(|pair| step(pair) == first).count()
        }
        _ => 1,
    };
    let on_keyboard = |n: &usize| {
        let forward: String = characters[..*n].iter().collect();
        let backward: String = characters[..*n].iter().rev().collect();
        // Both directions, because `ytrewq` is as easily typed.
        KEYBOARD.iter().any(|row| row.contains(&forward) || row.contains(&backward))
    };
    (run..=characters.len()).take_while(on_keyboard).last().unwrap_or(run).max(run)
}

/// Whether a text is the part of an address before the `@`, ignoring separators and a tail.
fn is_name(text: &str, local: &str) -> bool {
    let letters = |text: &str| -> String { text.chars().filter(|c| c.is_alphabetic()).collect() };
    let name = letters(&local.to_lowercase());
    let n_added = text.chars().count().saturating_sub(name.chars().count());
    name.chars().count() >= STRETCH_MIN_CHARS && n_added <= TAIL_MAX_CHARS && letters(text) == name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_chosen(text: &str) -> bool {
        let password = Password::new(text.to_owned()).unwrap();
        password.chosen_for("bob.lee@example.com").is_ok()
    }

    #[test]
    fn passwords_need_six_characters_and_never_show_in_debug_output() {
        assert_eq!(
            Password::new("12345".to_owned()).unwrap_err().message,
            "Password must be at least 6 characters"
        );
        assert!(Password::new("ünïcöd".to_owned()).is_ok());
        assert!(Password::new("x".repeat(1025)).is_err());
        assert_eq!(format!("{:?}", Password::new("secret1".to_owned())), "Ok(Password { .. })");
        let chosen = Password::new("correct horse".to_owned()).unwrap().chosen_for("bob@example.com");
        assert_eq!(format!("{chosen:?}"), "Ok(ChosenPassword(Password { .. }))");
    }

    #[test]
    fn what_is_tried_first_is_refused() {
        let refused = [
            "123456",
            "12345678",
            "1234567890",
            "654321",
            "111111",
            "000000",
            "121212",
            "abcabc",
            "123123",
            "123321",
            "abc123",
            "abcdef",
            "aaabbb",
            "1234555",
            "qwerty",
            "QWERTY",
            "qwertz",
            "azerty",
            "asdfgh",
            "qwe123",
            "1q2w3e4r",
            "1qaz2wsx",
            "qazwsx",
            "zxcvbnm",
            "poiuyt",
            "!@#$%^",
            "password",
            "Password1",
            "P@ssw0rd",
            "Passw0rd!",
            "password123",
            "passwordpassword",
            "iloveyou",
            "iloveyou2",
            "dragon",
            "Monkey99",
            "Summer2026!",
            "letmein",
            "trustno1",
            "Partsight",
            "partsight2026",
            "pa55word",
            "secret-1",
            "lovelove",
            "bob.lee",
            "boblee",
            "BobLee1987",
            "bob_lee!",
            "bob.lee@example.com",
        ];
        let kept: Vec<_> = refused.into_iter().filter(|text| is_chosen(text)).collect();
        assert_eq!(kept, Vec::<&str>::new(), "too easy, and not refused");
    }

    #[test]
    fn what_takes_guessing_is_taken() {
        let taken = [
            "correct horse",
            "battery staple",
            "wrong horse",
            "xk7#qa",
            "monkey wrench rust",
            "drägon-haus",
            "123456 bolts",
            "garage door 7",
            "tr0ub4dor&3",
            "848213",
            "boblee and his dog",
            "ünïcöd",
            "😀😁🚗🔧🔩🛞",
        ];
        let refused: Vec<_> = taken.into_iter().filter(|text| !is_chosen(text)).collect();
        assert_eq!(refused, Vec::<&str>::new(), "refused for nothing");
    }

    #[test]
    fn the_list_is_in_order_and_has_nothing_that_could_not_be_found() {
        let words: Vec<_> = COMMON.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(words.is_sorted() && words.len() > 1000, "{}", words.len());
        for word in words {
            assert_eq!(word_of(word), word);
        }
    }
}
