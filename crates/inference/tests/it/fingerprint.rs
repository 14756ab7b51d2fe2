//! Fingerprints: the documented bits, copies are similar, other pictures are not.

use std::fs;

use partsight_inference::{
    Error, Fingerprint, Photo, PhotoFormat, Preprocessor, RgbImage, training_fingerprints,
};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::common::{drawn, model};

fn grey(width: u32, height: u32, level: impl Fn(u32, u32) -> u8) -> RgbImage {
    let rgb = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).flat_map(|(x, y)| [level(x, y); 3]);
    RgbImage { width, height, rgb: rgb.collect() }
}

/// The documented definition, in f64.
fn by_definition(image: &RgbImage) -> String {
    let (width, height) = (image.width as usize, image.height as usize);
    let mean = |row: usize, column: usize| {
        let mut values = Vec::new();
        for y in row * height / 16..(row + 1) * height / 16 {
            for x in column * width / 16..(column + 1) * width / 16 {
                let [r, g, b] = [0, 1, 2].map(|channel| f64::from(image.rgb[3 * (y * width + x) + channel]));
                values.push((299.0 * r + 587.0 * g + 114.0 * b) / 1000.0);
            }
        }
        values.iter().sum::<f64>() / values.len() as f64
    };
    let bits: Vec<bool> = (0..16)
        .flat_map(|row| (0..15).map(move |column| (row, column)))
        // Slightly more than one level, since the means are not exact here.
        .map(|(row, column)| mean(row, column) > mean(row, column + 1) + 1.0 + 1e-9)
        .collect();
    bits.chunks(4)
        .map(|four| four.iter().fold(0, |digit, bit| 2 * digit + u32::from(*bit)))
        .map(|digit| char::from_digit(digit, 16).expect("a hex digit"))
        .collect()
}

#[test]
fn a_bit_is_set_where_the_left_block_is_brighter_by_more_than_a_level() {
    let falling = grey(32, 32, |x, _| 200 - (x / 2 * 2) as u8);
    assert_eq!(Fingerprint::of(&falling).to_string(), "f".repeat(60));
    let rising = grey(32, 32, |x, _| (x / 2 * 2) as u8);
    assert_eq!(Fingerprint::of(&rising).to_string(), "0".repeat(60));
    let by_one_level = grey(32, 32, |x, _| 200 - (x / 2) as u8);
    assert_eq!(Fingerprint::of(&by_one_level).set_bits(), 0, "one level is noise");
}

#[test]
fn the_first_bit_is_the_most_significant_of_the_first_byte() {
    let top_left = grey(16, 16, |x, y| if (x, y) == (0, 0) { 255 } else { 0 });
    assert_eq!(Fingerprint::of(&top_left).to_bytes()[..2], [0x80, 0]);
    // The second row starts at bit 15, the last of the second byte.
    let second_row = grey(16, 16, |x, y| if (x, y) == (0, 1) { 255 } else { 0 });
    assert_eq!(Fingerprint::of(&second_row).to_bytes()[..3], [0, 1, 0]);
    // The very last bit compares blocks 14 and 15 of row 15.
    let last = grey(16, 16, |x, y| if (x, y) == (14, 15) { 255 } else { 0 });
    assert_eq!(Fingerprint::of(&last).to_bytes()[29], 1);
}

#[test]
fn a_picture_smaller_than_the_grid_has_a_fingerprint() {
    assert_eq!(Fingerprint::of(&grey(1, 1, |_, _| 9)).set_bits(), 0);
    assert_eq!(Fingerprint::of(&grey(5, 3, |x, _| 250 - 50 * x as u8)).to_bytes().len(), 30);
}

#[test]
fn bytes_and_hex_lead_back() {
    let fingerprint = Fingerprint::of(&grey(224, 224, |x, y| ((x * 7 % 256) ^ (y * 3 % 256)) as u8));
    assert!(fingerprint.set_bits() > 20, "the picture is not plain");
    assert_eq!(Fingerprint::from_bytes(&fingerprint.to_bytes()), fingerprint);
    assert_eq!(Fingerprint::from_hex(&fingerprint.to_string()), Some(fingerprint));
    for wrong in ["", "00", &"0".repeat(59), &"0".repeat(61), &"g".repeat(60), &"ä".repeat(30)] {
        assert_eq!(Fingerprint::from_hex(wrong), None, "{wrong}");
    }
}

#[test]
fn a_resized_copy_is_near_and_another_picture_is_far() {
    let preprocessor = Preprocessor::new(model().manifest()).expect("a preprocessor");
    let of = |photo: &Photo| Fingerprint::of(&preprocessor.resize_rgb(photo));
    let (original, smaller) = (of(&drawn(900, 600)), of(&drawn(450, 300)));
    let mirrored = Photo::from_rgb(
        300,
        200,
        drawn(300, 200).rgb().as_chunks::<3>().0.iter().rev().flatten().copied().collect(),
        PhotoFormat::Png,
    );
    let other = of(&mirrored.expect("as many pixels"));
    assert!(original.distance(&smaller) <= 3, "{}", original.distance(&smaller));
    assert!(original.distance(&other) > 40, "{}", original.distance(&other));
    assert_eq!(original.distance_within(&smaller, 3), Some(original.distance(&smaller)));
    assert_eq!(original.distance_within(&other, 3), None);
}

#[test]
fn training_fingerprints_are_read_where_a_model_has_them() {
    let folder = TempDir::new().expect("a folder");
    assert_eq!(training_fingerprints(Some(folder.path())).expect("none is fine"), []);

    let one = Fingerprint::of(&grey(16, 16, |x, _| 250 - 10 * x as u8));
    let two = Fingerprint::of(&grey(16, 16, |x, _| 10 * x as u8));
    let path = folder.path().join("fingerprints.bin");
    fs::write(&path, [one.to_bytes(), two.to_bytes()].concat()).expect("a file");
    assert_eq!(training_fingerprints(Some(folder.path())).expect("two records"), [one, two]);

    fs::write(&path, [0; 31]).expect("a file");
    let error = training_fingerprints(Some(folder.path())).expect_err("one byte too many");
    assert!(matches!(error, Error::WrongFingerprintLength { size_bytes: 31, .. }), "{error:?}");
    training_fingerprints(None).expect("the embedded file holds whole records");
}

proptest! {
    #[test]
    fn the_bits_are_those_of_the_definition(
        width in 16_u32..70,
        height in 16_u32..70,
        seed in any::<u32>(),
    ) {
        let noise = |index: u32| ((index ^ seed).wrapping_mul(2_654_435_761) >> 24) as u8;
        let rgb = (0..3 * width * height).map(noise).collect();
        let image = RgbImage { width, height, rgb };
        prop_assert_eq!(Fingerprint::of(&image).to_string(), by_definition(&image));
    }
}
