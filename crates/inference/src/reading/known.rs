//! Texts that the caller knows, such as the names of makers.

use super::{TextLine, geometry::Rectangle};

/// Callbacks about known texts.
pub struct KnownTexts<'a> {
    /// Whether a text is known, so that its line is kept even with a low confidence.
    pub is_known: &'a dyn Fn(&str) -> bool,
    /// Whether two texts, the second below the first, are one text.
    pub is_one: &'a dyn Fn(&str, &str) -> bool,
}

impl KnownTexts<'_> {
    /// No known texts.
    pub(super) const NONE: KnownTexts<'static> = KnownTexts { is_known: &|_| false, is_one: &|_, _| false };
}

/// Joins two lines if the second is below the first and both are one known text.
pub(super) fn join(lines: &mut Vec<TextLine>, known: &KnownTexts<'_>) {
    let mut upper = 0;
    while upper < lines.len() {
        let first = &lines[upper];
        let is_next = |lower: &TextLine| {
            rectangle(lower).stands_under(&rectangle(first)) && (known.is_one)(&first.text, &lower.text)
        };
        if let Some(lower) = lines.iter().position(is_next) {
            let second = lines.remove(lower);
            // The lines after the removed one have moved up.
            upper -= usize::from(lower < upper);
            let first = &mut lines[upper];
            first.corners = rectangle(first).and(&rectangle(&second)).corners;
            first.text = format!("{} {}", first.text, second.text);
            // The space between them was not recognised, so its probability is 1.
            first.characters.push(1.0);
            first.characters.extend(second.characters);
            first.confidence = first.characters.iter().sum::<f32>() / first.characters.len() as f32;
        }
        upper += 1;
    }
}

fn rectangle(line: &TextLine) -> Rectangle {
    Rectangle { corners: line.corners }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, left: f32, top: f32) -> TextLine {
        let (right, bottom) = (left + 50.0, top + 20.0);
        TextLine {
            text: text.to_owned(),
            confidence: 0.8,
            characters: vec![0.8; text.chars().count()],
            corners: [[left, top], [right, top], [right, bottom], [left, bottom]],
        }
    }

    fn texts(mut lines: Vec<TextLine>) -> Vec<String> {
        let is_one = |upper: &str, lower: &str| (upper, lower) == ("LAND", "ROVER");
        join(&mut lines, &KnownTexts { is_one: &is_one, ..KnownTexts::NONE });
        lines.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn a_text_on_two_lines_becomes_one_line() {
        let mut lines = vec![line("W7E", 0.0, 0.0), line("LAND", 0.0, 100.0), line("ROVER", 5.0, 122.0)];
        assert_eq!(texts(lines.clone()), ["W7E", "LAND ROVER"]);
        lines.reverse();
        assert_eq!(texts(lines.clone()), ["LAND ROVER", "W7E"]);
        join(&mut lines, &KnownTexts { is_one: &|upper, _| upper == "LAND", ..KnownTexts::NONE });
        let corners = [[0.0, 100.0], [55.0, 100.0], [55.0, 142.0], [0.0, 142.0]];
        assert_eq!(rectangle(&lines[0]), Rectangle { corners });
        assert_eq!(lines[0].characters.len(), "LAND ROVER".len());
        assert!((lines[0].confidence - 0.82).abs() < 1e-6, "{}", lines[0].confidence);
    }

    #[test]
    fn lines_that_stand_apart_or_are_not_known_stay_two() {
        assert_eq!(texts(vec![line("LAND", 0.0, 0.0), line("ROVER", 0.0, 200.0)]), ["LAND", "ROVER"]);
        assert_eq!(texts(vec![line("ROVER", 0.0, 0.0), line("LAND", 0.0, 22.0)]), ["ROVER", "LAND"]);
        assert_eq!(texts(vec![line("BRAKE", 0.0, 0.0), line("PADS", 0.0, 22.0)]), ["BRAKE", "PADS"]);
    }
}
