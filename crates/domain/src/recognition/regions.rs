//! Where the parts of one photograph are, when it shows several.

use serde::{Deserialize, Serialize};

use crate::InvalidInput;

/// Regions that are proposed, at most: a dozen parts fill a photograph, and each takes a look of its own.
pub const MAX_PROPOSED_REGIONS: usize = 12;
/// Regions that a person may mark, at most.
pub const MAX_REGIONS: usize = 20;
/// Shortest side of a region, as a share of the photograph's.
pub const MIN_REGION_SIDE: f32 = 0.02;
/// How far beyond the photograph a region may lie by rounding.
const ROUNDING: f32 = 1e-3;
/// Windows that are looked at along each side, and how long each is as a share of the side.
const PYRAMID: [(usize, f32); 2] = [(3, 0.5), (5, 1.0 / 3.0)];

/// A rectangle on an upright photograph, as shares of its width and height.
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

    /// A rectangle by left, top, width and height; what lies outside by rounding alone is cut off.
    ///
    /// # Errors
    /// For one that is no rectangle, too small, or not on the photograph; `number` is told to people, from 1.
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

    /// Share of the photograph that it covers.
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

    /// How much of the smaller one lies in the other, in 0..=1.
    pub fn containment(self, other: Self) -> f32 {
        self.shared_area(other) / self.area().min(other.area()).max(f32::MIN_POSITIVE)
    }

    /// Whether both are the same but for rounding.
    pub fn is_same(self, other: Self) -> bool {
        self.shares().iter().zip(other.shares()).all(|(one, two)| (one - two).abs() < ROUNDING)
    }
}

/// Where something was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookedAt {
    /// The whole photograph.
    Whole,
    /// What stands out from the background.
    Foreground,
    /// A window of the pyramid, whatever it shows.
    Window,
}

/// What one look at a part of a photograph says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegionLook {
    /// Which part of it.
    pub area: RegionBox,
    /// Why there.
    pub looked_at: LookedAt,
    /// The best guess, by its number.
    pub class: usize,
    /// Calibrated probability of the best guess, in 0..=1.
    pub confidence: f32,
    /// How surely it shows one of the known types, in 0..=1.
    pub known_score: f32,
}

impl RegionLook {
    /// How surely it shows this very type, in 0..=1.
    pub fn strength(&self) -> f32 {
        self.confidence * self.known_score
    }
}

/// Where to look: the whole photograph, then `foreground`, then the windows. At most 47 looks.
pub fn region_looks(foreground: &[RegionBox]) -> Vec<(RegionBox, LookedAt)> {
    let mut looks = vec![(RegionBox::WHOLE, LookedAt::Whole)];
    looks.extend(foreground.iter().take(MAX_PROPOSED_REGIONS).map(|&area| (area, LookedAt::Foreground)));
    // Windows find what does not stand out: parts that touch each other, or lie on a background of many colours.
    for (n, length) in PYRAMID {
        let start = |index: usize| (1.0 - length) * index as f32 / (n - 1) as f32;
        for row in 0..n {
            for column in 0..n {
                let area = RegionBox { left: start(column), top: start(row), width: length, height: length };
                looks.push((area, LookedAt::Window));
            }
        }
    }
    looks
}

/// Where the regions of a photograph part from its background and from each other; chosen on composed pictures
/// (`benches/examples/several_parts.rs`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegionRule {
    /// Foreground with a lower known score is no part.
    pub foreground_known: f32,
    /// A window counts from this strength on.
    pub window_strength: f32,
    /// The whole photograph is one part from this strength on, unless its pieces together are as strong.
    pub whole_strength: f32,
    /// Pieces are several parts where their mean strength is at least this share of the whole photograph's.
    pub pieces_share: f32,
    /// Of two regions of which the smaller one lies in the other by more than this, the stronger is kept.
    pub containment: f32,
    /// One piece that covers more of the photograph than this is split by the windows in it, where it is weak.
    pub split_area: f32,
}

impl Default for RegionRule {
    fn default() -> Self {
        Self {
            foreground_known: 0.15,
            window_strength: 0.92,
            whole_strength: 0.45,
            pieces_share: 0.9,
            containment: 0.4,
            split_area: 0.4,
        }
    }
}

impl RegionRule {
    /// Which of the looks are regions, by their indices, as people read: from the top, and from the left.
    ///
    /// A photograph of one part gives one region, the part itself where it stands out; and one of which nothing stands out,
    /// the whole.
    pub fn choose(&self, looks: &[RegionLook]) -> Vec<usize> {
        let Some(whole) = looks.iter().position(|look| look.looked_at == LookedAt::Whole) else {
            return Vec::new();
        };
        let of = |kind: LookedAt| (0..looks.len()).filter(move |&at| looks[at].looked_at == kind);
        let shown = of(LookedAt::Foreground).filter(|&at| looks[at].known_score >= self.foreground_known);
        let mut kept = self.without_overlaps(looks, shown.collect());
        let strong_windows = of(LookedAt::Window).filter(|&at| looks[at].strength() >= self.window_strength);
        let windows = self.without_overlaps(looks, strong_windows.collect());
        let is_sure = looks[whole].strength() >= self.whole_strength;
        match kept.as_slice() {
            // Rather one part than several: see docs/decisions/0137-regions-without-training.md.
            [] if windows.len() > 1 && !is_sure => kept = windows,
            [] => kept = vec![whole],
            [one] => {
                let one = *one;
                let is_weak = looks[one].strength() < self.window_strength && !is_sure;
                let inside: Vec<usize> = windows
                    .iter()
                    .copied()
                    .filter(|&at| looks[at].area.containment(looks[one].area) > self.containment)
                    .collect();
                let mut outside = windows;
                outside.retain(|at| !inside.contains(at));
                if is_weak && inside.len() > 1 && looks[one].area.area() > self.split_area {
                    kept = inside;
                }
                if !is_sure {
                    kept.extend(outside);
                }
            }
            several => {
                let mean = several.iter().map(|&at| looks[at].strength()).sum::<f32>() / several.len() as f32;
                // Pieces of which the whole is surer than they are belong to one part that fell apart.
                if is_sure && mean < self.pieces_share * looks[whole].strength() {
                    kept = vec![whole];
                } else {
                    let lies_in_one = |at: usize| {
                        several.iter().any(|&piece| {
                            looks[at].area.containment(looks[piece].area) > 1.0 - self.containment
                        })
                    };
                    let further: Vec<usize> = windows.into_iter().filter(|&at| !lies_in_one(at)).collect();
                    kept.extend(further);
                }
            }
        }
        kept.truncate(MAX_PROPOSED_REGIONS);
        in_reading_order(looks, kept)
    }

    /// Non-maximum suppression: the stronger of two that overlap.
    fn without_overlaps(&self, looks: &[RegionLook], mut found: Vec<usize>) -> Vec<usize> {
        found.sort_by(|&one, &other| looks[other].strength().total_cmp(&looks[one].strength()));
        let mut kept: Vec<usize> = Vec::new();
        for at in found {
            // Not by intersection over union, which is small for a piece within a large box, however much it repeats it.
            let overlaps = |&other: &usize| looks[at].area.containment(looks[other].area) > self.containment;
            if !kept.iter().any(overlaps) {
                kept.push(at);
            }
        }
        kept
    }
}

/// From the top and from the left: regions of which the middles are in one row are read from the left.
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

    fn look(looked_at: LookedAt, area: RegionBox, confidence: f32, known_score: f32) -> RegionLook {
        RegionLook { area, looked_at, class: 0, confidence, known_score }
    }

    fn whole(confidence: f32) -> RegionLook {
        look(LookedAt::Whole, RegionBox::WHOLE, confidence, 0.9)
    }

    fn piece(area: RegionBox, confidence: f32, known_score: f32) -> RegionLook {
        look(LookedAt::Foreground, area, confidence, known_score)
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
    fn overlaps_are_shares_of_the_union_and_of_the_smaller_one() {
        let (one, other) = (area(0.0, 0.0, 0.5, 0.5), area(0.25, 0.0, 0.5, 0.5));
        assert!((one.overlap(other) - 1.0 / 3.0).abs() < 1e-6);
        assert!((one.containment(other) - 0.5).abs() < 1e-6);
        assert!(one.overlap(area(0.5, 0.5, 0.5, 0.5)).abs() < 1e-6);
        assert!((area(0.1, 0.1, 0.1, 0.1).containment(one) - 1.0).abs() < 1e-6);
        assert!(one.is_same(area(0.0, 0.0, 0.5, 0.5001)) && !one.is_same(other));
    }

    #[test]
    fn there_are_at_most_47_looks() {
        let many = vec![area(0.1, 0.1, 0.2, 0.2); 30];
        let looks = region_looks(&many);
        assert_eq!(looks.len(), 47);
        for (area, _) in looks {
            RegionBox::new(area.shares(), 1).unwrap();
        }
    }

    #[test]
    fn one_part_is_one_region() {
        let rule = RegionRule::default();
        let on_the_left = area(0.0, 0.1, 0.4, 0.8);
        for (case, looks, expected) in [
            ("nothing stands out", vec![whole(0.9)], vec![0]),
            ("it stands out", vec![whole(0.9), piece(on_the_left, 0.9, 0.9)], vec![1]),
            (
                "in pieces of which none is a part",
                vec![whole(0.95), piece(on_the_left, 0.3, 0.5), piece(area(0.5, 0.1, 0.4, 0.8), 0.4, 0.4)],
                vec![0],
            ),
            (
                "with something that is no part",
                vec![whole(0.5), piece(on_the_left, 0.9, 0.9), piece(area(0.5, 0.1, 0.4, 0.8), 0.9, 0.05)],
                vec![1],
            ),
        ] {
            assert_eq!(rule.choose(&looks), expected, "{case}");
        }
        assert_eq!(rule.choose(&[]), [0_usize; 0]);
    }

    #[test]
    fn several_parts_are_read_from_the_top_and_from_the_left() {
        let looks = [
            whole(0.4),
            piece(area(0.55, 0.6, 0.3, 0.3), 0.9, 0.9),
            piece(area(0.6, 0.05, 0.3, 0.3), 0.9, 0.9),
            piece(area(0.1, 0.1, 0.3, 0.3), 0.8, 0.9),
            // In the first one, and weaker.
            piece(area(0.6, 0.65, 0.1, 0.1), 0.5, 0.9),
        ];
        assert_eq!(RegionRule::default().choose(&looks), [3, 2, 1]);
    }

    #[test]
    fn windows_find_parts_that_do_not_stand_out() {
        let window = |left, confidence| look(LookedAt::Window, area(left, 0.2, 0.4, 0.5), confidence, 0.98);
        let rule = RegionRule::default();
        let looks = [whole(0.4), window(0.0, 0.99), window(0.1, 0.97), window(0.6, 0.97), window(0.3, 0.3)];
        assert_eq!(rule.choose(&looks), [1, 3]);
        // A sure whole is one part, whatever its pieces look like.
        let looks = [whole(0.95), window(0.0, 0.99), window(0.6, 0.97)];
        assert_eq!(rule.choose(&looks), [0]);
    }
}
