//! Finds regions of parallel stripes, as linear codes have.
//!
//! Source of the structure tensor and its coherence: Jähne, Digital Image Processing, 2005, chapter 13.

use super::grey::Grey;

/// Maximum length of the longer side, in pixels; larger pictures are shrunk.
const LONGEST: usize = 1600;
/// Side of a block, in pixels.
const BLOCK: usize = 8;
/// Least mean squared gradient in a block, in (levels per pixel)^2.
const LEAST_ENERGY: f32 = 30.0;
/// Least coherence of the gradients around a block: 1 if all are parallel, 0 if no direction dominates.
const LEAST_COHERENCE: f32 = 0.55;
/// Neighbouring blocks belong together if their directions differ by less than 20 degrees; cosine of twice that
/// angle.
const LEAST_COSINE: f32 = 0.766;
/// Fewest blocks of a region.
const FEWEST_BLOCKS: usize = 6;
/// Maximum number of regions that are read, the strongest first.
const MOST_REGIONS: usize = 12;

/// A region of parallel stripes, in pixels of the whole picture.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// Unit vector across the stripes.
    pub(super) across: [f32; 2],
    /// Extent of its block centres along `across`, from the origin of the picture, in pixels.
    pub(super) range: [f32; 2],
    /// Positions of its block centres along the stripes, sorted, in pixels.
    pub(super) along: Vec<f32>,
    /// Factor by which the picture was shrunk before the search.
    pub(super) scale: f32,
}

/// Sums of products of the gradient: xx, yy, xy.
type Tensor = [f32; 3];

/// The regions of parallel stripes, the strongest first.
pub(super) fn find(grey: &Grey) -> Vec<Region> {
    let factor = grey.factor_to(LONGEST);
    let small = grey.shrunk(factor);
    let (columns, rows) = (small.width / BLOCK, small.height / BLOCK);
    if columns == 0 || rows == 0 {
        return Vec::new();
    }
    // The two edges of a stripe have opposite gradients, which would cancel in a sum. The products of their
    // components have equal signs, so they can be summed over a block.
    let tensors = smoothed(&tensors(&small, columns, rows), columns, rows);
    let mut is_free: Vec<bool> = tensors.iter().map(is_striped).collect();
    let mut regions = Vec::new();
    for first in 0..tensors.len() {
        if !is_free[first] {
            continue;
        }
        is_free[first] = false;
        // Grows a region over neighbours of similar direction. Each block is compared with its neighbour and not
        // with the first block, so that a region may follow a bent label.
        let mut members = vec![first];
        let mut next = 0;
        while let Some(&at) = members.get(next) {
            next += 1;
            let (x, y) = (at % columns, at / columns);
            for other_y in y.saturating_sub(1)..=(y + 1).min(rows - 1) {
                for other_x in x.saturating_sub(1)..=(x + 1).min(columns - 1) {
                    let other = other_y * columns + other_x;
                    if is_free[other] && is_parallel(&tensors[at], &tensors[other]) {
                        is_free[other] = false;
                        members.push(other);
                    }
                }
            }
        }
        // Sorted by the strength of the gradients, because only a limited number of regions is read.
        if members.len() >= FEWEST_BLOCKS {
            let strength: f32 = members.iter().map(|&at| tensors[at][0] + tensors[at][1]).sum();
            regions.push((strength, region(&tensors, &members, columns, factor as f32)));
        }
    }
    regions.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    regions.into_iter().take(MOST_REGIONS).map(|(_, region)| region).collect()
}

fn tensors(grey: &Grey, columns: usize, rows: usize) -> Vec<Tensor> {
    let mut tensors = vec![[0.0; 3]; columns * rows];
    let last_x = (columns * BLOCK).min(grey.width - 1);
    let last_y = (rows * BLOCK).min(grey.height - 1);
    for y in 1..last_y {
        let line = |y: usize| &grey.levels[y * grey.width..(y + 1) * grey.width];
        let (above, here, below) = (line(y - 1), line(y), line(y + 1));
        for x in 1..last_x {
            let dx = (i32::from(here[x + 1]) - i32::from(here[x - 1])) as f32;
            let dy = (i32::from(below[x]) - i32::from(above[x])) as f32;
            let tensor = &mut tensors[y / BLOCK * columns + x / BLOCK];
            tensor[0] += dx * dx;
            tensor[1] += dy * dy;
            tensor[2] += dx * dy;
        }
    }
    // Squared levels per pixel: each difference spans two pixels, hence the 4.
    let area = 4.0 * (BLOCK * BLOCK) as f32;
    tensors.into_iter().map(|tensor| tensor.map(|sum| sum / area)).collect()
}

/// Averages each block with its neighbours, weighted 1, 2, 1 in each direction: inside a wide bar there is no
/// gradient.
fn smoothed(tensors: &[Tensor], columns: usize, rows: usize) -> Vec<Tensor> {
    let mut out = vec![[0.0; 3]; tensors.len()];
    for y in 0..rows {
        for x in 0..columns {
            let mut total = 0.0;
            let mut sum = [0.0; 3];
            for other_y in y.saturating_sub(1)..=(y + 1).min(rows - 1) {
                for other_x in x.saturating_sub(1)..=(x + 1).min(columns - 1) {
                    let weight = if other_x == x { 2.0 } else { 1.0 } * if other_y == y { 2.0 } else { 1.0 };
                    total += weight;
                    for (sum, part) in sum.iter_mut().zip(tensors[other_y * columns + other_x]) {
                        *sum += weight * part;
                    }
                }
            }
            out[y * columns + x] = sum.map(|part| part / total);
        }
    }
    out
}

/// The gradient direction with its angle doubled, as a vector; its length divided by the energy is the coherence.
fn doubled(&[xx, yy, xy]: &Tensor) -> [f32; 2] {
    [xx - yy, 2.0 * xy]
}

fn is_striped(tensor: &Tensor) -> bool {
    let energy = tensor[0] + tensor[1];
    let [x, y] = doubled(tensor);
    energy >= LEAST_ENERGY && x.hypot(y) >= LEAST_COHERENCE * energy
}

fn is_parallel(one: &Tensor, other: &Tensor) -> bool {
    let ([a, b], [c, d]) = (doubled(one), doubled(other));
    a * c + b * d >= LEAST_COSINE * a.hypot(b) * c.hypot(d)
}

fn region(tensors: &[Tensor], members: &[usize], columns: usize, scale: f32) -> Region {
    let mut sum = [0.0, 0.0];
    for &at in members {
        let [x, y] = doubled(&tensors[at]);
        sum = [sum[0] + x, sum[1] + y];
    }
    // The mean of doubled angles, halved: directions of 1 and 179 degrees are neighbours.
    let angle = sum[1].atan2(sum[0]) / 2.0;
    let across = [angle.cos(), angle.sin()];
    let mut range = [f32::INFINITY, f32::NEG_INFINITY];
    let mut along = Vec::with_capacity(members.len());
    for &at in members {
        let place = |block: usize| (block as f32 + 0.5) * BLOCK as f32 * scale;
        let (x, y) = (place(at % columns), place(at / columns));
        let position = x * across[0] + y * across[1];
        range = [range[0].min(position), range[1].max(position)];
        along.push(y * across[0] - x * across[1]);
    }
    along.sort_by(f32::total_cmp);
    Region { across, range, along, scale }
}
