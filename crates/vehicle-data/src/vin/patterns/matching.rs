//! Matches the characters of a number with a pattern.

/// Separates the pattern of characters 4 to 8 from that of 10 to 17.
const SEPARATOR: u8 = b'|';

/// Whether `key` matches `description` (characters 4 to 8) and `rest` (characters 10 to 17).
///
/// A pattern consists of characters, `*` or `_` for any character, and sets such as `[A-CF]`; `|` separates the two
/// parts. Characters after the end of a pattern are ignored.
pub(super) fn matches(key: &str, description: &str, rest: &str) -> bool {
    let mut found = description.bytes().chain([SEPARATOR]).chain(rest.bytes());
    let mut wanted = key.bytes();
    while let Some(one) = wanted.next() {
        // A pattern longer than a number matches none.
        let Some(character) = found.next() else { return false };
        let fits = match one {
            // No wildcard or set matches the separator.
            SEPARATOR => character == SEPARATOR,
            b'*' | b'_' => character != SEPARATOR,
            b'[' => is_in_set(&mut wanted, character),
            _ => one == character,
        };
        if !fits {
            return false;
        }
    }
    true
}

/// Whether `character` is in the set whose opening bracket was just consumed; consumes it up to its closing
/// bracket.
fn is_in_set(set: &mut impl Iterator<Item = u8>, character: u8) -> bool {
    let mut is_in = false;
    let mut first: Option<u8> = None;
    let mut is_range = false;
    for one in set.by_ref() {
        match (one, first) {
            (b']', _) => break,
            (b'-', Some(_)) => is_range = true,
            // After a range the next character begins anew, so that `A-C-F` has no range to F.
            (last, Some(start)) if is_range => {
                is_in |= (start..=last).contains(&character);
                (first, is_range) = (None, false);
            }
            _ => {
                is_in |= one == character;
                first = Some(one);
            }
        }
    }
    is_in
}

/// The number of characters that a pattern fixes; a set counts as one.
pub(super) fn specificity(key: &str) -> usize {
    let mut n = 0;
    let mut is_inside = false;
    for one in key.bytes() {
        match one {
            b'[' => is_inside = true,
            b']' => {
                is_inside = false;
                n += 1;
            }
            b'*' | b'_' | SEPARATOR => {}
            _ if is_inside => {}
            _ => n += 1,
        }
    }
    n
}

/// Whether a pattern is valid: brackets are closed, and all characters can occur in a number.
pub(super) fn is_readable(key: &str) -> bool {
    let mut is_inside = false;
    let mut n_separators = 0;
    for one in key.bytes() {
        match one {
            b'[' if !is_inside => is_inside = true,
            b']' if is_inside => is_inside = false,
            b'-' if is_inside => {}
            b'*' | b'_' if !is_inside => {}
            SEPARATOR if !is_inside => n_separators += 1,
            b'A'..=b'Z' | b'0'..=b'9' => {}
            _ => return false,
        }
    }
    !key.is_empty() && !is_inside && n_separators <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_asks_for_characters_sets_and_ranges() {
        for (key, fits) in [
            ("CM826", true),
            ("CM82[67]", true),
            ("CM82[789]", false),
            ("C*82", true),
            ("C_82", true),
            ("[A-C]M", true),
            ("[AD-F]M", false),
            ("[A-CX-Z]M", true),
            ("CM8261", false),
            ("*****|3A", true),
            ("*****|*A", true),
            ("*****|[1-4]A", true),
            ("*****|4", false),
            ("CM82|3", false),
            ("CM8263", false),
            ("*****|3A004352", true),
            ("*****|3A0043521", false),
        ] {
            assert_eq!(matches(key, "CM826", "3A004352"), fits, "{key}");
        }
    }

    #[test]
    fn a_set_counts_as_one_character() {
        for (key, n) in [("CM82[67]", 5), ("**[A-Z]", 1), ("*****|*A", 1), ("*", 0)] {
            assert_eq!(specificity(key), n, "{key}");
        }
    }

    #[test]
    fn what_is_no_pattern_is_told() {
        for key in ["", "A[BC", "A]B", "A|B|C", "**#", "a", "[[A]]", "A-B"] {
            assert!(!is_readable(key), "{key}");
        }
        for key in ["A", "[A-C]", "*****|*[A-C]1", "_A"] {
            assert!(is_readable(key), "{key}");
        }
    }
}
