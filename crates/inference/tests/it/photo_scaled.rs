//! JPEGs decoded at reduced size, compared with the full decoder.

use std::{env, f64::consts::PI, fs, path::Path};

use partsight_inference::{Detail, Photo, PhotoError, PhotoLimits};
use proptest::prelude::*;

use crate::common::{decode, fixture, mean_difference};

/// The files in `fixtures/scaled` that can be decoded at reduced size: every subsampling, three qualities, restart
/// markers.
const SAMPLED: [&str; 15] = [
    "444-q95",
    "444-q60",
    "444-q85-restarts",
    "422-q95",
    "422-q60",
    "422-q85-restarts",
    "420-q95",
    "420-q60",
    "420-q85-restarts",
    "440-q95",
    "440-q60",
    "440-q85-restarts",
    "411-q95",
    "411-q60",
    "411-q85-restarts",
];
const OTHERS: [&str; 4] = ["grey", "rgb", "optimised", "small"];

fn sampled() -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    SAMPLED.into_iter().chain(OTHERS).map(|name| (name, fixture(&format!("scaled/{name}.jpg"))))
}

fn scaled(side: u32, eighths: u32) -> u32 {
    (side * eighths).div_ceil(8)
}

/// Decodes at this number of eighths of a file's sides.
fn decode_at(bytes: &[u8], (width, height): (u32, u32), eighths: u32) -> Result<Photo, PhotoError> {
    let detail = Detail::covering(scaled(width, eighths), scaled(height, eighths));
    Photo::decode_at_least(bytes, &PhotoLimits::default(), detail)
}

/// Luma, which does not depend on how chroma was resized.
fn luma(pixel: [u8; 3]) -> f64 {
    0.299 * f64::from(pixel[0]) + 0.587 * f64::from(pixel[1]) + 0.114 * f64::from(pixel[2])
}

fn pixel(photo: &Photo, x: usize, y: usize) -> [u8; 3] {
    photo.rgb().as_chunks::<3>().0[y * photo.width() as usize + x]
}

/// Basis function `k` of the cosine transform of `n` samples, at sample `at` (ITU-T T.81, A.3.3).
fn wave(n: usize, k: usize, at: usize) -> f64 {
    if k == 0 { 0.125_f64.sqrt() } else { ((2 * at + 1) as f64 * k as f64 * PI / (2 * n) as f64).cos() / 2.0 }
}

/// A block of 8 x 8 reduced to `n` x `n` samples: its transform, and the inverse of the lowest part of it.
fn reduced(block: &[[f64; 8]; 8], n: usize) -> Vec<f64> {
    let coefficient = |v: usize, u: usize| -> f64 {
        let row =
            |y: usize| (0..8).map(move |x| (x, wave(8, u, x))).map(|(x, w)| w * block[y][x]).sum::<f64>();
        (0..8).map(|y| wave(8, v, y) * row(y)).sum()
    };
    let low: Vec<f64> = (0..n * n).map(|at| coefficient(at / n, at % n)).collect();
    let sample = |y: usize, x: usize| {
        (0..n * n).map(|at| wave(n, at / n, y) * wave(n, at % n, x) * low[at]).sum::<f64>()
    };
    (0..n * n).map(|at| sample(at / n, at % n)).collect()
}

/// Mean and largest difference in luma between a scaled picture and the low frequencies of the full one, over all
/// blocks that the picture fills.
fn difference_of_luma(full: &Photo, scaled: &Photo, n: usize) -> (f64, f64) {
    let (mut total, mut largest, mut count) = (0.0, 0.0_f64, 0.0);
    for top in 0..full.height() as usize / 8 {
        for left in 0..full.width() as usize / 8 {
            let block = std::array::from_fn(|y| {
                std::array::from_fn(|x| luma(pixel(full, 8 * left + x, 8 * top + y)))
            });
            for (at, expected) in reduced(&block, n).into_iter().enumerate() {
                let found = luma(pixel(scaled, n * left + at % n, n * top + at / n));
                let difference = (found - expected.clamp(0.0, 255.0)).abs();
                (total, largest, count) = (total + difference, largest.max(difference), count + 1.0);
            }
        }
    }
    (total / f64::max(count, 1.0), largest)
}

#[test]
fn brightness_is_the_low_frequencies_of_the_full_picture() {
    for (name, bytes) in sampled() {
        let full = decode(&bytes).expect(name);
        let (width, height) = (full.width(), full.height());
        for eighths in [1, 2, 4] {
            let photo = decode_at(&bytes, (width, height), eighths).expect(name);
            // Chroma with a quarter of the width would have to be enlarged; such files are decoded at full size.
            if name.starts_with("411") && eighths == 4 {
                assert!(photo == full, "{name}");
                continue;
            }
            let size = (scaled(width, eighths), scaled(height, eighths));
            assert_eq!((photo.width(), photo.height()), size, "{name} at {eighths}/8");
            let (mean, largest) = difference_of_luma(&full, &photo, eighths as usize);
            assert!(
                mean < 0.7 && largest < 2.0,
                "{name} at {eighths}/8 differs by {mean}, at most {largest}"
            );
        }
    }
}

/// Each pixel is the mean of those that it replaces.
fn averaged(full: &Photo, eighths: u32) -> Photo {
    let step = 8 / eighths;
    let (width, height) = (scaled(full.width(), eighths), scaled(full.height(), eighths));
    let mean = |x: u32, y: u32, channel: usize| {
        let columns = step * x..(step * (x + 1)).min(full.width());
        let rows = step * y..(step * (y + 1)).min(full.height());
        let values = || rows.clone().flat_map(|y| columns.clone().map(move |x| (x, y)));
        let sum: u32 = values().map(|(x, y)| u32::from(pixel(full, x as usize, y as usize)[channel])).sum();
        (f64::from(sum) / values().count() as f64).round() as u8
    };
    let rgb = (0..height)
        .flat_map(|y| (0..width).flat_map(move |x| [0, 1, 2].map(|channel| (x, y, channel))))
        .map(|(x, y, channel)| mean(x, y, channel))
        .collect();
    Photo::from_rgb(width, height, rgb, full.format()).expect("as many bytes as pixels need")
}

#[test]
fn colours_are_those_of_the_full_picture() {
    for (name, bytes) in sampled() {
        let full = decode(&bytes).expect(name);
        for eighths in [1, 2, 4] {
            let photo = decode_at(&bytes, (full.width(), full.height()), eighths).expect(name);
            if photo.width() < full.width() {
                let difference = mean_difference(&photo, &averaged(&full, eighths));
                assert!(difference < 2.0, "{name} at {eighths}/8 differs by {difference}");
            }
        }
    }
}

#[test]
fn what_is_not_decoded_at_less_comes_whole() {
    for name in
        ["progressive.jpg", "cmyk.jpg", "ycck.jpg", "scaled/progressive.jpg", "scene.png", "single.heic"]
    {
        let bytes = fixture(name);
        let photo = Photo::decode_at_least(&bytes, &PhotoLimits::default(), Detail::default()).expect(name);
        assert!(photo == decode(&bytes).expect(name), "{name}");
    }
}

#[test]
fn every_orientation_is_turned_upright_at_less_as_well() {
    let expected = averaged(&decode(&fixture("scene.png")).expect("a PNG"), 4);
    for orientation in 1..=8 {
        let bytes = fixture(&format!("orientation-{orientation}.jpg"));
        let photo = decode_at(&bytes, (96, 64), 4).expect("a JPEG");
        let difference = mean_difference(&photo, &expected);
        assert!(difference < 3.0, "orientation {orientation} differs by {difference}");
        // `Detail` refers to the upright picture: for a picture of 96 x 64, a column of 64 pixels needs the full
        // size.
        let column = Detail::covering(1, 64);
        let whole = Photo::decode_at_least(&bytes, &PhotoLimits::default(), column).expect("a JPEG");
        assert_eq!((whole.width(), whole.height()), (96, 64), "orientation {orientation}");
    }
}

#[test]
fn a_picture_cut_anywhere_is_an_error_even_if_it_is_closed_again() {
    for (name, whole) in sampled() {
        let size = decode(&whole).map(|photo| (photo.width(), photo.height())).expect(name);
        for length in (3..whole.len() - 2).step_by(97) {
            for eighths in [1, 2, 4] {
                let cut = decode_at(&whole[..length], size, eighths);
                let is_error = matches!(cut, Err(PhotoError::Truncated { .. } | PhotoError::Damaged { .. }));
                assert!(is_error, "{name} cut to {length} of {} gave {cut:?}", whole.len());
                if name.starts_with("411") && eighths == 4 {
                    continue;
                }
                let closed = decode_at(&[&whole[..length], &[0xFF, 0xD9]].concat(), size, eighths);
                let is_error =
                    matches!(closed, Err(PhotoError::Truncated { .. } | PhotoError::Damaged { .. }));
                assert!(is_error, "{name} closed at {length} of {} gave {closed:?}", whole.len());
            }
        }
    }
}

#[test]
fn photographs_of_the_collection_are_those_of_the_other_decoder() {
    let Some(photos) = env::var_os("PARTSIGHT_PHOTOS") else { return };
    let mut means = Vec::new();
    for path in files_below(&Path::new(&photos).join("field-valid")) {
        let bytes = fs::read(&path).expect("a file of the collection");
        let full = decode(&bytes).expect("a photograph");
        for eighths in [1, 2, 4] {
            let photo = decode_at(&bytes, (full.width(), full.height()), eighths).expect("a photograph");
            if photo.width() < full.width() {
                let (mean, _) = difference_of_luma(&full, &photo, eighths as usize);
                // At full size highlights and shadows are clipped where a sharp edge overshoots.
                assert!(mean < 3.0, "{} at {eighths}/8 differs by {mean}", path.display());
                means.push(mean);
            }
        }
    }
    let mean = means.iter().sum::<f64>() / means.len() as f64;
    assert!(means.len() > 250 && mean < 0.7, "{} differ by {mean}", means.len());
}

fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of the collection");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn changed_bytes_never_panic_and_give_as_many_pixels_as_were_asked_for(
        which in 0..SAMPLED.len(),
        eighths in prop::sample::select(vec![1_u32, 2, 4]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = fixture(&format!("scaled/{}.jpg", SAMPLED[which]));
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(photo) = decode_at(&bytes, (203, 149), eighths) {
            prop_assert_eq!(photo.rgb().len() as u64, 3 * u64::from(photo.width()) * u64::from(photo.height()));
        }
    }
}
