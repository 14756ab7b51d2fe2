/// Whether `model`, as typed by an owner, begins with the name `pattern`.
///
/// Case, spaces, hyphens and points are ignored: the pattern `F150` matches `F-150 Raptor` and `F150 Pickup 2WD`.
/// The pattern must end at the end of a word or where letters change to digits: `CX-5` does not match `CX-50`.
pub(super) fn is_of(pattern: &str, model: &str) -> bool {
    let mut wanted = pattern.chars().filter(|c| c.is_alphanumeric()).map(lower).peekable();
    let mut last: Option<char> = None;
    for c in model.chars() {
        let Some(&next) = wanted.peek() else {
            // The first character after the pattern.
            return last.is_some_and(|last| !is_one_run(last, c));
        };
        if !c.is_alphanumeric() {
            continue;
        }
        if lower(c) != next {
            return false;
        }
        last = Some(c);
        wanted.next();
    }
    last.is_some() && wanted.peek().is_none()
}

fn is_one_run(left: char, right: char) -> bool {
    (left.is_alphabetic() && right.is_alphabetic()) || (left.is_numeric() && right.is_numeric())
}

/// Only ASCII letters are folded: patterns and the models that they match are ASCII.
fn lower(c: char) -> char {
    c.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_of_a_pattern_up_to_the_end_of_a_word() {
        let cases = [
            ("F150", "F-150 Raptor", true),
            ("F-150", "F150 Pickup 2WD", true),
            ("F150", "f 150", true),
            ("F150", "F1500", false),
            ("CX-5", "CX-5 2WD", true),
            ("CX-5", "cx5", true),
            ("CX-5", "CX-50", false),
            ("328", "328i xDrive", true),
            ("3", "3 4-Door 2WD", true),
            ("3", "323i", false),
            ("Accord", "accord hybrid", true),
            ("Accord", "Accordion", false),
            ("Cherokee", "Grand Cherokee 4WD", false),
            ("Grand Cherokee", "GRAND  CHEROKEE", true),
            ("Civic", "", false),
            ("Civic", "Civi", false),
            ("Civic", "🚗 Civic", true),
            ("Civic", "سيفيك", false),
            ("", "Civic", false),
        ];
        for (pattern, model, expected) in cases {
            assert_eq!(is_of(pattern, model), expected, "`{pattern}` and `{model}`");
        }
    }
}
