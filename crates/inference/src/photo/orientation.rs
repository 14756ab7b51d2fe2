//! Rotates and mirrors RGB pixels by the EXIF orientation.

use image::metadata::Orientation;

/// Side of the blocks of a transposition: source and target of a block, 3 KiB each, stay in the L1 cache.
const BLOCK: usize = 32;

/// Width and height after rotation to upright.
pub(super) fn upright(orientation: Orientation, width: u32, height: u32) -> (u32, u32) {
    match orientation {
        Orientation::Rotate90
        | Orientation::Rotate270
        | Orientation::Rotate90FlipH
        | Orientation::Rotate270FlipH => (height, width),
        Orientation::NoTransforms
        | Orientation::FlipHorizontal
        | Orientation::FlipVertical
        | Orientation::Rotate180 => (width, height),
    }
}

/// Rotates `rgb` `[height, width, 3]` upright; returns the new width, height and pixels.
pub(super) fn apply(
    orientation: Orientation,
    width: u32,
    height: u32,
    mut rgb: Vec<u8>,
) -> (u32, u32, Vec<u8>) {
    let row_bytes = 3 * width as usize;
    match orientation {
        Orientation::NoTransforms => (width, height, rgb),
        Orientation::FlipHorizontal => {
            rgb.chunks_exact_mut(row_bytes).for_each(mirror_row);
            (width, height, rgb)
        }
        Orientation::FlipVertical => {
            flip_rows(&mut rgb, row_bytes);
            (width, height, rgb)
        }
        Orientation::Rotate180 => {
            mirror_row(&mut rgb);
            (width, height, rgb)
        }
        Orientation::Rotate90FlipH => turn(&rgb, width, height, false, false),
        Orientation::Rotate90 => turn(&rgb, width, height, false, true),
        Orientation::Rotate270 => turn(&rgb, width, height, true, false),
        Orientation::Rotate270FlipH => turn(&rgb, width, height, true, true),
    }
}

/// Reverses the order of the pixels, keeping each pixel's channels in order.
fn mirror_row(row: &mut [u8]) {
    let (pixels, _) = row.as_chunks_mut::<3>();
    pixels.reverse();
}

fn flip_rows(rgb: &mut [u8], row_bytes: usize) {
    let n_rows = rgb.len() / row_bytes;
    let (top, bottom) = rgb.split_at_mut(n_rows / 2 * row_bytes);
    for (upper, lower) in top.chunks_exact_mut(row_bytes).zip(bottom.chunks_exact_mut(row_bytes).rev()) {
        upper.swap_with_slice(lower);
    }
}

/// Transposes the pixels, starting from the right column or the bottom row if requested.
fn turn(rgb: &[u8], width: u32, height: u32, from_right: bool, from_bottom: bool) -> (u32, u32, Vec<u8>) {
    let (n_columns, n_rows) = (width as usize, height as usize);
    let mut turned = vec![0; rgb.len()];
    let (source, _) = rgb.as_chunks::<3>();
    let (target, _) = turned.as_chunks_mut::<3>();
    // In blocks: along whole rows, consecutive writes would be a picture's height apart.
    for y0 in (0..n_rows).step_by(BLOCK) {
        for x0 in (0..n_columns).step_by(BLOCK) {
            for x in x0..(x0 + BLOCK).min(n_columns) {
                let column = if from_right { n_columns - 1 - x } else { x };
                let end = (y0 + BLOCK).min(n_rows);
                for (pixel, y) in target[x * n_rows + y0..x * n_rows + end].iter_mut().zip(y0..end) {
                    let row = if from_bottom { n_rows - 1 - y } else { y };
                    *pixel = source[row * n_columns + column];
                }
            }
        }
    }
    (height, width, turned)
}
