//! Texts and codes read on the photographs of a scan.

use jiff::Timestamp;

use super::number_match::{Answer, MatchedPart};
use super::read_line::ReadLine;
use crate::text::short_text;
use crate::{InvalidInput, messages};

/// Maximum of lines stored per scan: a page of small print has hundreds, and none of them is a part number.
pub const MAX_READ_LINES: usize = 60;
/// Longest corrected line, in characters.
const CORRECTION_MAX_CHARS: usize = 200;

/// The reading of a scan, and the parts matched by its numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// At most [`MAX_READ_LINES`], those of each photograph from the top; empty without text.
    pub lines: Vec<ReadLine>,
    /// The parts matched by numbers, best first.
    pub parts: Vec<MatchedPart>,
    /// The answer before the numbers changed it, which a correction of the text can restore.
    pub picture: Option<Answer>,
    /// When the photograph was read.
    pub read_at: Timestamp,
}

impl Reading {
    /// Sets a person's correction of a line; a blank text removes it.
    ///
    /// # Errors
    /// Names `text` and the limit, or `line` for an unknown line.
    pub fn correct(&mut self, line: usize, text: &str) -> Result<(), InvalidInput> {
        let text = short_text("text", "The text", text, CORRECTION_MAX_CHARS)?;
        let line =
            self.lines.get_mut(line).ok_or_else(|| InvalidInput::new("line", messages::READ_LINE_MISSING))?;
        // A correction that equals the reading removes the correction.
        line.corrected = (!text.is_empty() && text != line.text).then_some(text);
        line.update_kind();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TextKind;

    const CORNERS: [[f32; 2]; 4] = [[0.1, 0.1], [0.4, 0.1], [0.4, 0.2], [0.1, 0.2]];

    fn line(text: &str) -> ReadLine {
        ReadLine::new(text.to_owned(), 0.9, 0, CORNERS)
    }

    #[test]
    fn a_correction_replaces_what_was_read_and_a_blank_one_takes_it_back() {
        let mut reading = Reading {
            lines: vec![line("WORN PAD")],
            parts: Vec::new(),
            picture: None,
            read_at: Timestamp::UNIX_EPOCH,
        };
        reading.correct(0, " SP96051 ").unwrap();
        assert_eq!((reading.lines[0].says(), reading.lines[0].kind), ("SP96051", TextKind::PartNumber));
        reading.correct(0, " ").unwrap();
        assert_eq!(reading.lines, [line("WORN PAD")]);
        for (index, text, field) in [(1, "x", "line"), (0, "a\nb", "text"), (0, &*"x".repeat(201), "text")] {
            assert_eq!(reading.correct(index, text).unwrap_err().field, field);
        }
    }
}
