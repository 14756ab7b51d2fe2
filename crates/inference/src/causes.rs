//! Formats an error with its causes as one line.

use std::error::Error;

/// The message and its causes on one line. A message that already ends with its cause, as in some libraries, is not
/// extended.
///
/// It is in this crate because this is the lowest one that needs it; `partsight-app` re-exports it to the others.
pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    for cause in std::iter::successors(error.source(), |&cause| cause.source()).map(ToString::to_string) {
        if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Told {
        text: &'static str,
        source: io::Error,
    }

    #[test]
    fn a_cause_is_told_once() {
        for (text, cause, expected) in [
            ("write", "no room", "write: no room"),
            ("talk: Connection refused", "Connection refused", "talk: Connection refused"),
        ] {
            let error = Told { text, source: io::Error::other(cause) };
            assert_eq!(with_causes(&error), expected);
        }
        assert_eq!(with_causes(&io::Error::other("no room")), "no room");
    }
}
