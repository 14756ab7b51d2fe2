//! Rectangles around sets of points.

use std::ops::RangeInclusive;

/// A rectangle at any angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rectangle {
    /// In reading direction: top left, top right, bottom right, bottom left.
    pub(super) corners: [[f32; 2]; 4],
}

/// Ratio of height to width from which text runs along the height.
const UPRIGHT_FROM: f32 = 1.5;
/// Conditions for lines of one block: least cosine between them, largest ratio of their heights, distance of their
/// centres in heights, and largest sideways offset in widths of the longer line.
const SAME_DIRECTION: f32 = 0.95;
const LIKE_HEIGHT: f32 = 1.6;
const LINE_SPACING: RangeInclusive<f32> = 0.5..=2.0;
const SIDEWAYS: f32 = 0.5;

impl Rectangle {
    /// The smallest rectangle around points; `None` for fewer than two distinct points.
    ///
    /// One of its sides contains an edge of the convex hull (Freeman and Shapira, 1975).
    pub(super) fn around(points: &[[f32; 2]]) -> Option<Self> {
        let hull = convex_hull(points);
        if hull.len() < 2 {
            return None;
        }
        let next = |at: usize| hull[(at + 1) % hull.len()];
        let mut smallest: Option<(f32, [[f32; 2]; 4])> = None;
        for (at, &from) in hull.iter().enumerate() {
            // Tries each edge as the base: the smallest rectangle shares a side with one of them.
            let edge = minus(next(at), from);
            let length = dot(edge, edge).sqrt();
            let along = [edge[0] / length, edge[1] / length];
            let across = [-along[1], along[0]];
            let (mut low, mut high) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
            for &point in &hull {
                for (axis, direction) in [along, across].into_iter().enumerate() {
                    let place = dot(point, direction);
                    low[axis] = low[axis].min(place);
                    high[axis] = high[axis].max(place);
                }
            }
            let area = (high[0] - low[0]) * (high[1] - low[1]);
            if smallest.is_none_or(|(least, _)| area < least) {
                let corner = |u: f32, v: f32| [u * along[0] + v * across[0], u * along[1] + v * across[1]];
                let corners = [
                    corner(low[0], low[1]),
                    corner(high[0], low[1]),
                    corner(high[0], high[1]),
                    corner(low[0], high[1]),
                ];
                smallest = Some((area, corners));
            }
        }
        smallest.map(|(_, corners)| Self { corners: ordered(corners) })
    }

    /// Length along the text.
    pub(super) fn width(&self) -> f32 {
        length(minus(self.corners[1], self.corners[0]))
    }

    /// Length across the text.
    pub(super) fn height(&self) -> f32 {
        length(minus(self.corners[3], self.corners[0]))
    }

    /// The shorter side.
    pub(super) fn shorter_side(&self) -> f32 {
        self.width().min(self.height())
    }

    /// Grows by `distance` on each side.
    pub(super) fn grown(&self, distance: f32) -> Self {
        let [first, second, third, fourth] = self.corners;
        let along = scaled_to(minus(second, first), distance);
        let down = scaled_to(minus(fourth, first), distance);
        let shifted = |corner: [f32; 2], right: f32, low: f32| {
            [corner[0] + right * along[0] + low * down[0], corner[1] + right * along[1] + low * down[1]]
        };
        Self {
            corners: [
                shifted(first, -1.0, -1.0),
                shifted(second, 1.0, -1.0),
                shifted(third, 1.0, 1.0),
                shifted(fourth, -1.0, 1.0),
            ],
        }
    }

    /// Area divided by perimeter.
    pub(super) fn thickness(&self) -> f32 {
        let (width, height) = (self.width(), self.height());
        width * height / (2.0 * (width + height)).max(f32::MIN_POSITIVE)
    }

    /// The least distance of a corner from the top.
    pub(super) fn top(&self) -> f32 {
        self.corners.iter().map(|corner| corner[1]).fold(f32::INFINITY, f32::min)
    }

    /// The same rectangle, read from the top down if its height is much longer than its width.
    pub(super) fn along_its_line(self) -> Self {
        if self.height() < UPRIGHT_FROM * self.width() {
            return self;
        }
        let [first, second, third, fourth] = self.corners;
        Self { corners: [second, third, fourth, first] }
    }

    /// The same rectangle, read in the opposite direction.
    pub(super) fn turned(&self) -> Self {
        let [first, second, third, fourth] = self.corners;
        Self { corners: [third, fourth, first, second] }
    }

    /// Whether it is the next line of a text block, below `upper`.
    pub(super) fn stands_under(&self, upper: &Self) -> bool {
        let (along, down) = upper.directions();
        let offset = minus(self.at(0.5, 0.5), upper.at(0.5, 0.5));
        let (height, upper_height) = (self.height(), upper.height());
        let spacing = 2.0 * dot(offset, down) / (height + upper_height);
        dot(along, self.directions().0) >= SAME_DIRECTION
            && height.max(upper_height) <= LIKE_HEIGHT * height.min(upper_height)
            && LINE_SPACING.contains(&spacing)
            && dot(offset, along).abs() <= SIDEWAYS * self.width().max(upper.width())
    }

    /// The smallest rectangle in this direction that contains both.
    pub(super) fn and(&self, other: &Self) -> Self {
        let (along, down) = self.directions();
        let origin = self.corners[0];
        let (mut low, mut high) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
        for &corner in self.corners.iter().chain(&other.corners) {
            for (axis, direction) in [along, down].into_iter().enumerate() {
                let place = dot(minus(corner, origin), direction);
                low[axis] = low[axis].min(place);
                high[axis] = high[axis].max(place);
            }
        }
        let corner = |right: f32, below: f32| {
            [0, 1].map(|axis| origin[axis] + right * along[axis] + below * down[axis])
        };
        let corners = [
            corner(low[0], low[1]),
            corner(high[0], low[1]),
            corner(high[0], high[1]),
            corner(low[0], high[1]),
        ];
        Self { corners }
    }

    /// Unit vectors along the line and down from it.
    fn directions(&self) -> ([f32; 2], [f32; 2]) {
        let [first, second, _, fourth] = self.corners;
        (scaled_to(minus(second, first), 1.0), scaled_to(minus(fourth, first), 1.0))
    }

    /// The point at the fraction `right` of its width and `low` of its height, both in 0..=1.
    pub(super) fn at(&self, right: f32, low: f32) -> [f32; 2] {
        let [first, second, _, fourth] = self.corners;
        let (along, down) = (minus(second, first), minus(fourth, first));
        [first[0] + right * along[0] + low * down[0], first[1] + right * along[1] + low * down[1]]
    }
}

/// Sorts corners clockwise on the screen, starting with the upper of the two left ones.
fn ordered(mut corners: [[f32; 2]; 4]) -> [[f32; 2]; 4] {
    corners.sort_by(|one, other| one[0].total_cmp(&other[0]));
    let [left, also_left, right, also_right] = corners;
    let by_height =
        |one: [f32; 2], other: [f32; 2]| if one[1] <= other[1] { (one, other) } else { (other, one) };
    let ((top_left, bottom_left), (top_right, bottom_right)) =
        (by_height(left, also_left), by_height(right, also_right));
    [top_left, top_right, bottom_right, bottom_left]
}

/// The corners of the convex hull, in order (Andrew's monotone chain, 1979).
fn convex_hull(points: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|one, other| one[0].total_cmp(&other[0]).then(one[1].total_cmp(&other[1])));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let mut hull: Vec<[f32; 2]> = Vec::new();
    let chain = |hull: &mut Vec<[f32; 2]>, points: &mut dyn Iterator<Item = [f32; 2]>| {
        let start = hull.len();
        for point in points {
            while let [.., before, last] = hull[start..] {
                if cross(minus(last, before), minus(point, before)) > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(point);
        }
        // The next chain starts with this point.
        hull.pop();
    };
    chain(&mut hull, &mut sorted.iter().copied());
    chain(&mut hull, &mut sorted.iter().rev().copied());
    hull
}

fn minus(one: [f32; 2], other: [f32; 2]) -> [f32; 2] {
    [one[0] - other[0], one[1] - other[1]]
}

fn dot(one: [f32; 2], other: [f32; 2]) -> f32 {
    one[0] * other[0] + one[1] * other[1]
}

fn cross(one: [f32; 2], other: [f32; 2]) -> f32 {
    one[0] * other[1] - one[1] * other[0]
}

fn length(vector: [f32; 2]) -> f32 {
    dot(vector, vector).sqrt()
}

fn scaled_to(vector: [f32; 2], wanted: f32) -> [f32; 2] {
    let factor = wanted / length(vector).max(f32::MIN_POSITIVE);
    [vector[0] * factor, vector[1] * factor]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_corners(found: Rectangle, expected: [[f32; 2]; 4]) {
        for (found, expected) in found.corners.into_iter().zip(expected) {
            assert!(length(minus(found, expected)) < 1e-3, "{found:?} is not {expected:?}");
        }
    }

    #[test]
    fn the_rectangle_around_points_is_the_smallest_at_any_angle() {
        let upright = [[1.0, 1.0], [9.0, 1.0], [9.0, 4.0], [1.0, 4.0], [5.0, 2.0]];
        assert_corners(
            Rectangle::around(&upright).unwrap(),
            [[1.0, 1.0], [9.0, 1.0], [9.0, 4.0], [1.0, 4.0]],
        );
        let tilted = [[0.0, 2.0], [6.0, 8.0], [8.0, 6.0], [2.0, 0.0], [4.0, 4.0]];
        let found = Rectangle::around(&tilted).unwrap();
        assert!((found.width() * found.height() - 24.0).abs() < 1e-3, "{found:?}");
    }

    #[test]
    fn points_without_a_length_have_no_rectangle() {
        for points in [&[][..], &[[3.0, 3.0]], &[[3.0, 3.0], [3.0, 3.0]]] {
            assert_eq!(Rectangle::around(points), None, "{points:?}");
        }
        assert_eq!(Rectangle::around(&[[0.0, 0.0], [4.0, 0.0]]).unwrap().shorter_side().to_bits(), 0);
    }

    #[test]
    fn a_rectangle_grows_by_the_distance_on_every_side() {
        let rectangle = Rectangle { corners: [[2.0, 2.0], [8.0, 2.0], [8.0, 5.0], [2.0, 5.0]] };
        assert_corners(rectangle.grown(1.0), [[1.0, 1.0], [9.0, 1.0], [9.0, 6.0], [1.0, 6.0]]);
    }

    #[test]
    fn a_line_under_another_is_of_its_block() {
        let line = |left: f32, top: f32, width: f32, height: f32| {
            let (right, bottom) = (left + width, top + height);
            Rectangle { corners: [[left, top], [right, top], [right, bottom], [left, bottom]] }
        };
        let upper = line(10.0, 10.0, 40.0, 10.0);
        let under = line(10.0, 22.0, 60.0, 9.0);
        assert!(under.stands_under(&upper));
        assert_corners(upper.and(&under), [[10.0, 10.0], [70.0, 10.0], [70.0, 31.0], [10.0, 31.0]]);
        // In an upside-down block the order of the lines is reversed.
        assert!(upper.turned().stands_under(&under.turned()));
        for (other, why) in [
            (upper, "the same"),
            (line(10.0, 22.0, 60.0, 20.0), "larger letters"),
            (line(10.0, 40.0, 60.0, 10.0), "far below"),
            (line(60.0, 22.0, 40.0, 10.0), "beside"),
            (under.turned(), "upside down"),
        ] {
            assert!(!other.stands_under(&upper), "{why}");
        }
        assert!(!upper.stands_under(&under));
    }

    #[test]
    fn what_is_much_higher_than_wide_is_read_from_the_top_down() {
        let upright = Rectangle { corners: [[0.0, 0.0], [10.0, 0.0], [10.0, 40.0], [0.0, 40.0]] };
        let along = upright.along_its_line();
        assert_corners(along, [[10.0, 0.0], [10.0, 40.0], [0.0, 40.0], [0.0, 0.0]]);
        assert_corners(along.turned(), [[0.0, 40.0], [0.0, 0.0], [10.0, 0.0], [10.0, 40.0]]);
        let wide = Rectangle { corners: [[0.0, 0.0], [10.0, 0.0], [10.0, 12.0], [0.0, 12.0]] };
        assert_eq!(wide.along_its_line(), wide);
    }
}
