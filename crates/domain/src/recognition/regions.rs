//! Regions of a photograph that shows several parts.

use serde::{Deserialize, Serialize};

use crate::InvalidInput;

/// Maximum of proposed regions: a dozen parts fill a photograph, and each region needs its own inference.
pub const MAX_PROPOSED_REGIONS: usize = 12;
/// Maximum of regions that a person may mark.
pub const MAX_REGIONS: usize = 20;
/// Minimum side of a region, as a fraction of the photograph's side.
pub const MIN_REGION_SIDE: f32 = 0.02;
/// Tolerance for regions that exceed the photograph by rounding.
const ROUNDING: f32 = 1e-3;

/// A rectangle on an upright photograph, as fractions of its width and height.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RegionBox {
    /// Left edge, in 0..1.
    pub left: f32,
    /// Upper edge, in 0..1.
    pub top: f32,
    /// In [`MIN_REGION_SIDE`]..=1; `left + width` is at most 1.
    pub width: f32,
    /// In [`MIN_REGION_SIDE`]..=1; `top + height` is at most 1.
    pub height: f32,
}

impl RegionBox {
    /// The whole photograph.
    pub const WHOLE: Self = Self { left: 0.0, top: 0.0, width: 1.0, height: 1.0 };

    /// A rectangle by left, top, width and height; clipped if it exceeds the photograph by rounding.
    ///
    /// # Errors
    /// For one that is not a rectangle, too small, or not on the photograph; `number`, from 1, is used in the
    /// message.
    pub fn new([left, top, width, height]: [f32; 4], number: usize) -> Result<Self, InvalidInput> {
        let invalid = |message: String| Err(InvalidInput::new("regions", message));
        if ![left, top, width, height].iter().all(|share| share.is_finite()) {
            return invalid(format!("Box {number} has a side that is no number."));
        }
        if width < MIN_REGION_SIDE || height < MIN_REGION_SIDE {
            return invalid(format!(
                "Box {number} is too small: each side has to be at least {MIN_REGION_SIDE} of the photo's. Please make it larger."
            ));
        }
        let reaches_out = |start: f32, length: f32| start < -ROUNDING || start + length > 1.0 + ROUNDING;
        if reaches_out(left, width) || reaches_out(top, height) {
            return invalid(format!(
                "Box {number} reaches beyond the photo: left, top, left + width and top + height are shares from 0 to 1. Please move it."
            ));
        }
        let (left, top) = (left.max(0.0), top.max(0.0));
        Ok(Self { left, top, width: width.min(1.0 - left), height: height.min(1.0 - top) })
    }

    /// Left, top, width and height.
    pub fn shares(self) -> [f32; 4] {
        [self.left, self.top, self.width, self.height]
    }

    /// Area as a fraction of the photograph's.
    pub fn area(self) -> f32 {
        self.width * self.height
    }

    fn shared_area(self, other: Self) -> f32 {
        let along = |start: f32, length: f32, other_start: f32, other_length: f32| {
            ((start + length).min(other_start + other_length) - start.max(other_start)).max(0.0)
        };
        along(self.left, self.width, other.left, other.width)
            * along(self.top, self.height, other.top, other.height)
    }

    /// Intersection over union, in 0..=1.
    pub fn overlap(self, other: Self) -> f32 {
        let shared = self.shared_area(other);
        shared / (self.area() + other.area() - shared).max(f32::MIN_POSITIVE)
    }

    /// Whether both are equal except for rounding.
    pub fn is_same(self, other: Self) -> bool {
        self.shares().iter().zip(other.shares()).all(|(one, two)| (one - two).abs() < ROUNDING)
    }
}

/// Result of the model for a region of a photograph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegionLook {
    /// The region.
    pub area: RegionBox,
    /// Calibrated probability of the best guess, in 0..=1.
    pub confidence: f32,
    /// Known score: probability that it shows one of the known types, in 0..=1.
    pub known_score: f32,
    /// The best guess, as an index of the model's classes.
    pub class: Option<usize>,
}

impl RegionLook {
    /// Probability that it shows this type, in 0..=1.
    pub fn strength(&self) -> f32 {
        self.confidence * self.known_score
    }
}

/// Decides whether detections are several parts, or pieces of one. The thresholds were chosen on composed pictures and
/// on photographs (`benches/examples/several_parts.rs`). Pieces are close together, while parts have gaps between them;
/// and a detection with another type than the whole photograph is no piece of it, however close it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegionRule {
    /// Pieces cover at least this fraction of their bounding box; overlaps count twice.
    pub pieces_fill: f32,
    /// Minimum strength of a detection that shows another type than the whole.
    pub other_strength: f32,
}

impl Default for RegionRule {
    fn default() -> Self {
        Self { pieces_fill: 1.0, other_strength: 0.3 }
    }
}

impl RegionRule {
    /// Indices of the detections that are regions, in reading order: by rows from the top, then from the left. Empty if
    /// the whole photograph is one region: without detections, or if they are pieces of one part.
    pub fn choose(&self, whole: &RegionLook, places: &[RegionLook]) -> Vec<usize> {
        if places.len() > 1 && self.are_pieces(whole, places) {
            return Vec::new();
        }
        in_reading_order(places, (0..places.len()).take(MAX_PROPOSED_REGIONS).collect())
    }

    fn are_pieces(self, whole: &RegionLook, places: &[RegionLook]) -> bool {
        let shows_another =
            |place: &RegionLook| place.class != whole.class && place.strength() >= self.other_strength;
        !places.iter().any(shows_another) && fill(places) >= self.pieces_fill
    }
}

/// Fraction of the bounding box that the detections cover; overlaps count twice.
fn fill(places: &[RegionLook]) -> f32 {
    let areas = || places.iter().map(|place| place.area);
    let least = |side: fn(RegionBox) -> f32| areas().map(side).fold(f32::INFINITY, f32::min);
    let most = |side: fn(RegionBox) -> f32| areas().map(side).fold(0.0, f32::max);
    let width = most(|area| area.left + area.width) - least(|area| area.left);
    let height = most(|area| area.top + area.height) - least(|area| area.top);
    areas().map(RegionBox::area).sum::<f32>() / (width * height)
}

/// Sorts in reading order: regions with their centres in one row are sorted from the left.
fn in_reading_order(looks: &[RegionLook], mut found: Vec<usize>) -> Vec<usize> {
    let middle = |at: usize| looks[at].area.top + looks[at].area.height / 2.0;
    found.sort_by(|&one, &other| middle(one).total_cmp(&middle(other)));
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for at in found {
        match rows.last_mut() {
            Some(row) if middle(at) < looks[row[0]].area.top + looks[row[0]].area.height => row.push(at),
            _ => rows.push(vec![at]),
        }
    }
    for row in &mut rows {
        row.sort_by(|&one, &other| looks[one].area.left.total_cmp(&looks[other].area.left));
    }
    rows.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(left: f32, top: f32, width: f32, height: f32) -> RegionBox {
        RegionBox::new([left, top, width, height], 1).unwrap()
    }

    fn look(area: RegionBox, confidence: f32) -> RegionLook {
        RegionLook { area, confidence, known_score: 0.9, class: Some(0) }
    }

    fn other(area: RegionBox, confidence: f32) -> RegionLook {
        RegionLook { class: Some(1), ..look(area, confidence) }
    }

    #[test]
    fn boxes_lie_on_the_photograph_and_say_what_is_wrong() {
        for (shares, expected) in [
            ([0.2, 0.2, f32::NAN, 0.2], "no number"),
            ([0.2, 0.2, 0.01, 0.5], "too small"),
            ([0.2, 0.2, -0.5, 0.5], "too small"),
            ([-0.1, 0.0, 0.5, 0.5], "reaches beyond"),
            ([0.6, 0.0, 0.5, 0.5], "reaches beyond"),
        ] {
            let error = RegionBox::new(shares, 3).unwrap_err();
            assert_eq!(error.field, "regions");
            assert!(error.message.starts_with("Box 3") && error.message.contains(expected), "{error:?}");
        }
        let rounded = RegionBox::new([-0.0005, 0.5, 1.0, 0.5005], 1).unwrap();
        assert_eq!(rounded, RegionBox { left: 0.0, top: 0.5, width: 1.0, height: 0.5 });
    }

    #[test]
    fn overlaps_are_shares_of_the_union() {
        let (one, other) = (area(0.0, 0.0, 0.5, 0.5), area(0.25, 0.0, 0.5, 0.5));
        assert!((one.overlap(other) - 1.0 / 3.0).abs() < 1e-6);
        assert!(one.overlap(area(0.5, 0.5, 0.5, 0.5)).abs() < 1e-6);
        assert!(one.is_same(area(0.0, 0.0, 0.5, 0.5001)) && !one.is_same(other));
    }

    #[test]
    fn pieces_of_one_part_are_no_regions() {
        let rule = RegionRule { pieces_fill: 0.8, other_strength: 0.3 };
        let (left, right) = (area(0.0, 0.1, 0.4, 0.8), area(0.45, 0.1, 0.4, 0.8));
        let far = area(0.7, 0.1, 0.3, 0.8);
        for (case, places, expected) in [
            ("nothing is seen", vec![], vec![]),
            ("one place", vec![look(left, 0.1)], vec![0]),
            ("pieces of a part", vec![look(left, 0.9), look(right, 0.3)], vec![]),
            ("pieces that alone look like something else", vec![look(left, 0.9), other(right, 0.3)], vec![]),
            (
                "parts of one type, with something between them",
                vec![look(left, 0.9), look(far, 0.8)],
                vec![0, 1],
            ),
            ("parts of two types, close together", vec![look(left, 0.9), other(right, 0.5)], vec![0, 1]),
        ] {
            let expected: Vec<usize> = expected;
            assert_eq!(rule.choose(&look(RegionBox::WHOLE, 0.9), &places), expected, "{case}");
        }
    }

    #[test]
    fn regions_are_read_from_the_top_and_from_the_left() {
        let places = [
            look(area(0.55, 0.6, 0.3, 0.3), 0.9),
            look(area(0.6, 0.05, 0.3, 0.3), 0.8),
            look(area(0.1, 0.1, 0.3, 0.3), 0.9),
        ];
        assert_eq!(RegionRule::default().choose(&look(RegionBox::WHOLE, 0.2), &places), [2, 1, 0]);
    }

    #[test]
    fn the_first_dozen_are_kept() {
        let places: Vec<RegionLook> =
            (0..15_u8).map(|at| look(area(f32::from(at) / 16.0, 0.1, 0.04, 0.2), 0.9)).collect();
        let chosen = RegionRule::default().choose(&look(RegionBox::WHOLE, 0.2), &places);
        assert_eq!(chosen, (0..MAX_PROPOSED_REGIONS).collect::<Vec<_>>());
    }
}
