//! The VINs in the text and codes on a photograph, also those that stand in several boxes of one row.

use std::collections::BTreeSet;

use partsight_domain::{ReadLine, TextKind};
use partsight_vehicle_data::{LikelyVin, likely_vins, vins_in_code};

/// Most boxes of one number, as many as words in one box.
const MOST_BOXES: usize = 4;
/// Widest gap between two boxes of one number, and their largest overlap, in characters of the left one.
const WIDEST_GAP: f32 = 4.0;
const LARGEST_OVERLAP: f32 = 1.0;
/// Where the left and the right end of the next box may be, in heights of the left box from its top, and how its height
/// may differ.
const NEXT_LEFT: std::ops::RangeInclusive<f32> = 0.2..=0.8;
const NEXT_RIGHT: std::ops::RangeInclusive<f32> = -0.5..=1.5;
const NEXT_HEIGHT: std::ops::RangeInclusive<f32> = 0.5..=2.0;

/// A VIN that lines may contain, and the indices of these lines in reading direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineVin {
    pub(crate) vin: LikelyVin,
    pub(crate) lines: Vec<usize>,
}

/// The VINs in these lines: those in one line first. Nothing but I, O and Q is replaced in a code, and numbers in several
/// boxes are pieces as [`likely_vins`] takes them.
pub(crate) fn line_vins(lines: &[ReadLine]) -> Vec<LineVin> {
    let mut found: Vec<LineVin> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let vins = if is_code(line) { vins_in_code(line.says()) } else { likely_vins(line.says()) };
        found.extend(vins.into_iter().map(|vin| LineVin { vin, lines: vec![at] }));
    }
    let rows: Vec<Vec<usize>> = (0..lines.len()).map(|first| row_from(lines, first)).collect();
    // From few boxes to many, so that no box counts as part of a number without need.
    for n_boxes in 2..=MOST_BOXES {
        for boxes in rows.iter().filter_map(|row| row.get(..n_boxes)) {
            for vin in likely_vins(&joined(lines, boxes)) {
                let is_known = |known: &LineVin| {
                    known.vin.vin == vin.vin && known.lines.iter().all(|at| boxes.contains(at))
                };
                if !found.iter().any(is_known) {
                    found.push(LineVin { vin, lines: boxes.to_vec() });
                }
            }
        }
    }
    found
}

/// The indices of the lines that may hold a VIN or a piece of one.
pub(crate) fn lines_with_vins(lines: &[ReadLine]) -> BTreeSet<usize> {
    let may_hold = |line: &ReadLine| line.kind == TextKind::Vin || !likely_vins(line.says()).is_empty();
    let alone = (0..lines.len()).filter(|at| may_hold(&lines[*at]));
    alone.chain(line_vins(lines).into_iter().flat_map(|found| found.lines)).collect()
}

/// The texts of these lines with spaces between them.
pub(crate) fn joined(lines: &[ReadLine], indices: &[usize]) -> String {
    indices.iter().map(|at| lines[*at].says()).collect::<Vec<_>>().join(" ")
}

/// Whether a line is what a code holds, and not what a person wrote instead.
fn is_code(line: &ReadLine) -> bool {
    line.code.is_some() && line.corrected.is_none()
}

/// The lines of text that stand in one row from `first` on, at most [`MOST_BOXES`].
fn row_from(lines: &[ReadLine], first: usize) -> Vec<usize> {
    let mut row = vec![first];
    while row.len() < MOST_BOXES
        && let Some(next) = row.last().and_then(|last| next_in_row(lines, *last))
        && !row.contains(&next)
    {
        row.push(next);
    }
    row
}

/// The next line of text to the right of another.
fn next_in_row(lines: &[ReadLine], left: usize) -> Option<usize> {
    let is_text = |line: &ReadLine| line.photo == lines[left].photo && line.code.is_none();
    if !is_text(&lines[left]) {
        return None;
    }
    let distances = lines.iter().enumerate().filter(|(at, line)| *at != left && is_text(line));
    let distances = distances.filter_map(|(at, line)| Some((gap(&lines[left], line)?, at)));
    distances.min_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, at)| at)
}

/// The gap between two boxes of one row, in characters of the left one; `None` where the second box is elsewhere.
///
/// In the coordinates of the left box, which do not depend on the shape of the photograph.
fn gap(left: &ReadLine, right: &ReadLine) -> Option<f32> {
    let [origin, along, _, down] = left.corners;
    let minus = |one: [f32; 2], other: [f32; 2]| [one[0] - other[0], one[1] - other[1]];
    let (along, down) = (minus(along, origin), minus(down, origin));
    let cross = |one: [f32; 2], other: [f32; 2]| one[0] * other[1] - one[1] * other[0];
    let area = cross(along, down);
    if area == 0.0 {
        return None;
    }
    let place = |point: [f32; 2]| {
        let from_origin = minus(point, origin);
        [cross(from_origin, down) / area, cross(along, from_origin) / area]
    };
    let [top_left, top_right, bottom_right, bottom_left] = right.corners.map(place);
    let middle =
        |one: [f32; 2], other: [f32; 2]| [f32::midpoint(one[0], other[0]), f32::midpoint(one[1], other[1])];
    let (start, end) = (middle(top_left, bottom_left), middle(top_right, bottom_right));
    let gap = (start[0] - 1.0) * left.says().chars().count() as f32;
    let is_next = end[0] > start[0]
        && NEXT_LEFT.contains(&start[1])
        && NEXT_RIGHT.contains(&end[1])
        && NEXT_HEIGHT.contains(&(bottom_left[1] - top_left[1]))
        && (-LARGEST_OVERLAP..=WIDEST_GAP).contains(&gap);
    is_next.then_some(gap)
}

#[cfg(test)]
mod tests {
    use partsight_domain::{CodeSymbology, PartCode};

    use super::*;

    /// A line with this left edge and top; each character is 0.02 wide, and the line 0.04 high.
    fn line(text: &str, left: f32, top: f32) -> ReadLine {
        let (right, bottom) = (left + 0.02 * text.chars().count() as f32, top + 0.04);
        ReadLine::new(text.to_owned(), 0.9, 0, [[left, top], [right, top], [right, bottom], [left, bottom]])
    }

    /// The same line on a photograph that was turned by a quarter.
    fn turned(line: &ReadLine) -> ReadLine {
        ReadLine { corners: line.corners.map(|[x, y]| [1.0 - y, x]), ..line.clone() }
    }

    fn found(lines: &[ReadLine]) -> Vec<(String, Vec<usize>)> {
        line_vins(lines).into_iter().map(|found| (found.vin.vin, found.lines)).collect()
    }

    #[test]
    fn a_number_in_boxes_of_one_row_is_found() {
        let number = "1HGCM82633A004352".to_owned();
        let two = [line("A004352", 0.33, 0.51), line("1HGCM82633", 0.1, 0.5), line("MADE IN USA", 0.1, 0.6)];
        assert_eq!(found(&two), [(number.clone(), vec![1, 0])]);
        assert_eq!(found(&two.each_ref().map(turned)), [(number.clone(), vec![1, 0])]);
        let three = [line("1HG", 0.1, 0.5), line("CM82633", 0.18, 0.5), line("A004352", 0.34, 0.5)];
        assert_eq!(found(&three), [(number, vec![0, 1, 2])]);
        let (left, right) = (line("1HGCM82633", 0.1, 0.5), line("A004352", 0.33, 0.5));
        for (name, other) in [
            ("below", line("A004352", 0.33, 0.55)),
            ("far to the right", line("A004352", 0.42, 0.5)),
            ("over it", line("A004352", 0.2, 0.5)),
            ("upside down", turned(&turned(&line("A004352", 0.53, 0.46)))),
            ("on another photograph", ReadLine { photo: 1, ..right.clone() }),
            ("of another number", line("A004353", 0.33, 0.5)),
        ] {
            assert_eq!(found(&[left.clone(), other]), [], "{name}");
        }
        let unknown_maker = [line("1YGCM82", 0.1, 0.5), line("633A004352", 0.26, 0.5)];
        assert_eq!(found(&unknown_maker), []);
    }

    #[test]
    fn lines_that_may_hold_a_vin_are_known() {
        let code = |content: &str| {
            let (code, text) = PartCode::new(CodeSymbology::QrCode, false, content).unwrap();
            ReadLine::of_code(code, text, 0, [[0.0; 2]; 4])
        };
        let lines = [
            line("1HGCM82633A004352", 0.1, 0.1),
            line("VIN 1HGCM82633A004352", 0.1, 0.2),
            line("IHGCM82633AOO4352", 0.1, 0.3),
            line("1HGCM 82633 A004352", 0.1, 0.4),
            line("1HGCM82633", 0.1, 0.5),
            line("A004352", 0.33, 0.5),
            code("VIN:1HGCM82633A004352;YEAR:2003"),
            code("VIN 1HGCM8 2633A004352"),
            line("BOSCH 0258006537000", 0.1, 0.7),
            code("P12345-AB"),
        ];
        assert_eq!(lines_with_vins(&lines).into_iter().collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
    }
}
