//! Converts the cells of the network's output to the boxes of parts.

use super::FoundPart;
use super::manifest::Choice;

/// The network's output for one photograph: `columns * rows` cells, row-major.
pub(super) struct Cells<'a> {
    pub(super) columns: usize,
    pub(super) rows: usize,
    /// Side of a cell, in pixels of the input.
    pub(super) stride: f32,
    /// Score that the centre of a part is in the cell, in 0..=1; `[rows, columns]`.
    pub(super) scores: &'a [f32],
    /// Distances from the cell's centre to the part's left, top, right and bottom edge, in pixels;
    /// `[4, rows, columns]`.
    pub(super) sides: &'a [f32],
}

impl Cells<'_> {
    /// The parts by descending score, at most `limit`.
    ///
    /// A part is a cell with a greater score than its eight neighbours ("Objects as Points", Zhou et al., 2019). If
    /// two cells still detect the same part, the one with the higher score is kept.
    pub(super) fn parts(&self, choice: Choice, limit: usize) -> Vec<FoundPart> {
        let mut peaks: Vec<usize> = (0..self.scores.len())
            .filter(|&cell| self.scores[cell] >= choice.least_score && self.is_peak(cell))
            .collect();
        peaks.sort_by(|&one, &other| self.scores[other].total_cmp(&self.scores[one]));
        let mut kept: Vec<FoundPart> = Vec::new();
        for cell in peaks {
            if kept.len() == limit {
                break;
            }
            let part = FoundPart { area: self.area(cell), score: self.scores[cell] };
            let is_same = |other: &FoundPart| {
                let (overlap, containment) = shared(part.area, other.area);
                overlap > choice.most_overlap || containment > choice.most_containment
            };
            if part.area[2] > 0.0 && part.area[3] > 0.0 && !kept.iter().any(is_same) {
                kept.push(part);
            }
        }
        kept
    }

    fn is_peak(&self, cell: usize) -> bool {
        let (x, y) = (cell % self.columns, cell / self.columns);
        let score = self.scores[cell];
        (y.saturating_sub(1)..(y + 2).min(self.rows)).all(|near_y| {
            (x.saturating_sub(1)..(x + 2).min(self.columns)).all(|near_x| {
                let near = near_y * self.columns + near_x;
                // Of neighbours with equal scores the first is the peak: a plateau is one part.
                self.scores[near] < score || self.scores[near] <= score && near >= cell
            })
        })
    }

    /// Left, top, width and height of the cell's part, as fractions of the photograph's sides, clamped to it.
    fn area(&self, cell: usize) -> [f32; 4] {
        let side = |which: usize| self.sides[which * self.scores.len() + cell];
        let along = |place: usize, before: f32, behind: f32, count: usize| {
            let (middle, length) = ((place as f32 + 0.5) * self.stride, count as f32 * self.stride);
            let start = ((middle - before) / length).clamp(0.0, 1.0);
            let end = ((middle + behind) / length).clamp(0.0, 1.0);
            (start, end - start)
        };
        let (left, width) = along(cell % self.columns, side(0), side(2), self.columns);
        let (top, height) = along(cell / self.columns, side(1), side(3), self.rows);
        [left, top, width, height]
    }
}

/// Overlap of two boxes: intersection over union, and intersection over the smaller area.
fn shared(one: [f32; 4], other: [f32; 4]) -> (f32, f32) {
    let along = |axis: usize| {
        ((one[axis] + one[axis + 2]).min(other[axis] + other[axis + 2]) - one[axis].max(other[axis])).max(0.0)
    };
    let both = along(0) * along(1);
    let [one, other] = [one, other].map(|area| area[2] * area[3]);
    let share_of = |area: f32| both / area.max(f32::MIN_POSITIVE);
    (share_of(one + other - both), share_of(one.min(other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHOICE: Choice = Choice { least_score: 0.4, most_overlap: 0.5, most_containment: 0.7 };

    /// Parts from cells of 16 pixels on a picture of 160 x 96, given as position, score and distances.
    fn parts(cells: &[((usize, usize), f32, [f32; 4])], limit: usize) -> Vec<FoundPart> {
        let (columns, rows) = (10, 6);
        let mut scores = vec![0.01; columns * rows];
        let mut sides = vec![1.0; 4 * columns * rows];
        for &((x, y), score, its_sides) in cells {
            scores[y * columns + x] = score;
            for (which, side) in its_sides.into_iter().enumerate() {
                sides[which * columns * rows + y * columns + x] = side;
            }
        }
        Cells { columns, rows, stride: 16.0, scores: &scores, sides: &sides }.parts(CHOICE, limit)
    }

    #[test]
    fn a_peak_is_a_part_with_the_box_of_its_cell() {
        let found = parts(&[((2, 3), 0.9, [24.0, 8.0, 40.0, 16.0]), ((8, 1), 0.3, [8.0; 4])], 12);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].score - 0.9).abs() < 1e-6);
        // The cell's centre is at x = 40 and y = 56 pixels.
        let expected = [16.0 / 160.0, 48.0 / 96.0, 64.0 / 160.0, 24.0 / 96.0];
        for (found, expected) in found[0].area.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} instead of {expected}");
        }
    }

    #[test]
    fn a_part_is_told_once() {
        let wide = [30.0, 30.0, 40.0, 30.0];
        for (case, cells) in [
            ("neighbours", vec![((3, 3), 0.9, [8.0; 4]), ((4, 3), 0.8, [8.0; 4])]),
            ("neighbours that are alike", vec![((3, 3), 0.9, [8.0; 4]), ((4, 3), 0.9, [8.0; 4])]),
            ("boxes that overlap", vec![((3, 3), 0.9, wide), ((5, 3), 0.8, [60.0, 30.0, 2.0, 30.0])]),
            ("a box in another", vec![((3, 3), 0.9, wide), ((5, 3), 0.8, [8.0, 4.0, 4.0, 4.0])]),
        ] {
            let found = parts(&cells, 12);
            assert_eq!(found.len(), 1, "{case}: {found:?}");
            assert!((found[0].score - 0.9).abs() < 1e-6, "{case}");
        }
        assert_eq!(parts(&[((3, 3), 0.9, [8.0; 4]), ((7, 3), 0.8, [8.0; 4])], 12).len(), 2);
    }

    #[test]
    fn boxes_end_at_the_photographs_edge_and_at_most_so_many_are_told() {
        let cells = [((0, 0), 0.5, [99.0; 4]), ((9, 5), 0.7, [4.0, 4.0, 90.0, 90.0])];
        let found = parts(&cells, 12);
        assert_eq!(found.len(), 2);
        assert!(found[1].area[0].abs() < 1e-6 && found[1].area[1].abs() < 1e-6, "{found:?}");
        for FoundPart { area: [left, top, width, height], .. } in &found {
            assert!(left + width <= 1.0 + 1e-6 && top + height <= 1.0 + 1e-6);
        }
        let surest = parts(&cells, 1);
        assert_eq!(surest.len(), 1);
        assert!((surest[0].score - 0.7).abs() < 1e-6);
    }
}
