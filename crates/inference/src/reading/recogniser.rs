//! Recognises the text of one line.

use ort::session::Session;

use super::{crop::LineTensor, detector::output, manifest::ReadingManifest};
use crate::Result;

/// Class of the blank, which separates repeated characters.
const BLANK: usize = 0;

/// The recognised text of a line.
#[derive(Debug, PartialEq)]
pub(super) struct Reading {
    characters: String,
    /// Probability of each character.
    pub(super) confidences: Vec<f32>,
}

impl Reading {
    /// The mean probability of the characters; 0 without characters.
    pub(super) fn confidence(&self) -> f32 {
        if self.confidences.is_empty() {
            return 0.0;
        }
        self.confidences.iter().sum::<f32>() / self.confidences.len() as f32
    }

    /// The text; `None` if it is empty.
    pub(super) fn text(&self) -> Option<String> {
        (!self.characters.is_empty()).then(|| self.characters.clone())
    }
}

/// Reads one line. Lines are not batched: on a CPU a batch takes as long as its lines one by one, and all of them
/// would be padded to the widest.
pub(super) fn read(session: &mut Session, manifest: &ReadingManifest, line: &LineTensor) -> Result<Reading> {
    let n_classes = manifest.n_classes();
    let size = [line.height, line.width];
    let (_, values) = output(
        session,
        &manifest.name,
        &manifest.recogniser.graph,
        size,
        &line.values,
        |shape| matches!(shape, [1, _, classes] if *classes == n_classes),
    )?;
    Ok(decode(&values, n_classes, &manifest.recogniser.characters))
}

/// Runs a blank line, to compare the graph with the manifest.
pub(super) fn check(session: &mut Session, manifest: &ReadingManifest) -> Result<()> {
    let height = manifest.recogniser.height as usize;
    let blank = LineTensor { width: height, height, values: vec![0.0; 3 * height * height] };
    read(session, manifest, &blank).map(drop)
}

/// Takes the best class of each column, `[t, c]`; the same class in adjacent columns is one character. Spaces at
/// the ends are removed.
fn decode(columns: &[f32], n_classes: usize, characters: &str) -> Reading {
    let names: Vec<char> = characters.chars().collect();
    let mut reading = Reading { characters: String::new(), confidences: Vec::new() };
    let mut before = BLANK;
    for column in columns.chunks_exact(n_classes) {
        let best = column.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1));
        let Some((class, &probability)) = best else { continue };
        // A blank between two equal characters distinguishes "11" from "1".
        if class != BLANK && class != before {
            reading.characters.push(names[class - 1]);
            reading.confidences.push(probability);
        }
        before = class;
    }
    while reading.characters.ends_with(' ') {
        reading.characters.pop();
        reading.confidences.pop();
    }
    while reading.characters.starts_with(' ') {
        reading.characters.remove(0);
        reading.confidences.remove(0);
    }
    reading
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Reading {
        /// One character with this probability.
        pub(in crate::reading) fn with_confidence(confidence: f32) -> Self {
            Self { characters: "A".to_owned(), confidences: vec![confidence] }
        }
    }

    fn columns(classes: &[usize]) -> Vec<f32> {
        let column = |class: usize| (0..4).map(move |at| if at == class { 0.7 } else { 0.1 });
        classes.iter().flat_map(|&class| column(class)).collect()
    }

    #[test]
    fn equal_neighbours_are_one_character_and_a_blank_separates() {
        for (classes, expected) in [
            (&[][..], ""),
            (&[0, 0, 0], ""),
            (&[1, 1, 3, 2, 2, 2], "A B"),
            (&[3, 1, 3, 0, 3], "A"),
            (&[1, 0, 1], "AA"),
            (&[0, 2, 2, 0, 0, 2, 0], "BB"),
        ] {
            let reading = decode(&columns(classes), 4, "AB ");
            assert_eq!(reading.characters, expected, "{classes:?}");
            assert_eq!(reading.confidences.len(), expected.len(), "{classes:?}");
        }
    }

    #[test]
    fn confidence_is_the_mean_over_characters_and_0_without_one() {
        assert_eq!(decode(&columns(&[0]), 4, "AB ").confidence().to_bits(), 0);
        let mut values = columns(&[1, 2]);
        values[1] = 0.9;
        assert!((decode(&values, 4, "AB ").confidence() - 0.8).abs() < 1e-6);
    }

    #[test]
    fn spaces_alone_are_no_text() {
        assert_eq!(decode(&columns(&[3, 0, 3]), 4, "AB ").text(), None);
        assert_eq!(decode(&columns(&[3, 1]), 4, "AB ").text().as_deref(), Some("A"));
    }
}
