use std::fmt;

use serde::{Deserialize, Serialize};

use crate::InvalidInput;

/// Maximum of characters of an invalid label in a message.
const SHOWN_MAX_CHARS: usize = 80;

/// The kebab-case name of a part type, such as `brake-caliper`, which is also its id in the API.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PartLabel(String);

impl PartLabel {
    /// The label in `text`.
    ///
    /// # Errors
    /// For anything but lower-case words of letters and digits joined by single hyphens, 1 to 64 characters.
    pub fn new(text: &str) -> Result<Self, InvalidInput> {
        // In bytes, which are characters here: only ASCII passes.
        let well_formed = (1..=64).contains(&text.len())
            && text.split('-').all(|word| {
                !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            });
        if well_formed {
            Ok(Self(text.to_owned()))
        } else {
            // Truncated, because the message repeats user input.
            let shown: String = text.chars().take(SHOWN_MAX_CHARS).collect();
            let shown = shown.escape_debug();
            let message = format!("`{shown}` is not a part label; labels look like `brake-caliper`");
            Err(InvalidInput::new("label", message))
        }
    }

    /// The label as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PartLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for PartLabel {
    type Error = InvalidInput;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(&text)
    }
}

impl From<PartLabel> for String {
    fn from(label: PartLabel) -> Self {
        label.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_kebab_case() {
        for good in ["spark-plug", "rim", "ac-compressor-2"] {
            assert!(PartLabel::new(good).is_ok(), "{good}");
        }
        for bad in ["", "Spark-Plug", "spark plug", "-rim", "rim-", "a--b", "../etc", "é"] {
            assert!(PartLabel::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_refusal_repeats_the_beginning_of_what_is_no_label() {
        let sentence = |text: &str| PartLabel::new(text).unwrap_err().message;
        assert!(sentence("Rim").starts_with("`Rim` is not a part label"), "{}", sentence("Rim"));
        assert!(sentence("a\u{1b}b").starts_with("`a\\u{1b}b` is not"), "{}", sentence("a\u{1b}b"));
        let long = sentence(&"é".repeat(200_000));
        assert!(long.starts_with(&format!("`{}` is not", "é".repeat(80))), "{} bytes", long.len());
    }
}
