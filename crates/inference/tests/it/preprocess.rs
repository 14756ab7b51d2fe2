//! The resize compared with Pillow's, and the normalisation.

use std::path::Path;

use partsight_inference::{Error, Filter, Manifest, Photo, Preprocessor, Resize};

use crate::common::{decode, drawn, fixture, model};

fn manifest(width: u32, height: u32, resize: Resize) -> Manifest {
    let mut manifest = model().manifest().clone();
    manifest.input.width = width;
    manifest.input.height = height;
    manifest.resize = resize;
    manifest
}

#[test]
fn resizing_equals_pillow_in_every_bit() {
    let filters =
        [("bilinear", Filter::Bilinear), ("bicubic", Filter::Bicubic), ("lanczos3", Filter::Lanczos3)];
    for source in ["wide", "tall", "tiny"] {
        let photo = decode(&fixture(&format!("resize/{source}.png"))).expect("a PNG");
        for (name, filter) in filters {
            let expected = decode(&fixture(&format!("resize/{source}-{name}.png"))).expect("a PNG");
            let preprocessor = Preprocessor::new(&manifest(24, 20, Resize::Squash { filter, through: None }))
                .expect("valid");
            assert_eq!(preprocessor.resize_rgb(&photo).rgb, expected.rgb(), "{source} {name}");
        }
    }
}

#[test]
fn by_way_of_a_square_is_two_squashes() {
    let photo = drawn(50, 31);
    let filter = Filter::Bilinear;
    let once = |photo: &Photo, width, height| {
        let manifest = manifest(width, height, Resize::Squash { filter, through: None });
        Preprocessor::new(&manifest).expect("valid").resize_rgb(photo).rgb
    };
    let square = Photo::from_rgb(30, 30, once(&photo, 30, 30), partsight_inference::PhotoFormat::Png);
    let expected = once(&square.expect("900 pixels"), 24, 20);
    let by_way = manifest(24, 20, Resize::Squash { filter, through: Some(30) });
    assert_eq!(Preprocessor::new(&by_way).expect("valid").resize_rgb(&photo).rgb, expected);
}

#[test]
fn letterbox_keeps_the_aspect_and_pads() {
    let resize = Resize::Letterbox { filter: Filter::Bilinear, pad: 124 };
    let image = Preprocessor::new(&manifest(20, 20, resize)).expect("valid").resize_rgb(&drawn(40, 20));
    let row = |y: usize| &image.rgb[60 * y..60 * (y + 1)];
    for y in (0..5).chain(15..20) {
        assert!(row(y).iter().all(|&value| value == 124), "row {y} is padding");
    }
    assert!(row(5).iter().any(|&value| value != 124) && row(14).iter().any(|&value| value != 124));
}

#[test]
fn center_crop_takes_the_middle_of_the_shorter_side() {
    let resize = Resize::CenterCrop { filter: Filter::Bilinear, shortest_side: 20 };
    let preprocessor = Preprocessor::new(&manifest(20, 20, resize)).expect("valid");
    let photo = drawn(40, 20);
    let image = preprocessor.resize_rgb(&photo);
    let middle: Vec<u8> = photo.rgb().chunks(120).flat_map(|row| row[30..90].to_vec()).collect();
    assert_eq!(image.rgb, middle);
}

#[test]
fn extreme_shapes_are_cheap_in_every_mode() {
    let filter = Filter::Lanczos3;
    let modes = [
        Resize::Squash { filter, through: None },
        Resize::Squash { filter, through: Some(240) },
        Resize::CenterCrop { filter, shortest_side: 256 },
        Resize::Letterbox { filter, pad: 0 },
    ];
    for (width, height) in [(1, 1), (60_000, 1), (1, 60_000), (2, 3)] {
        for resize in modes {
            let preprocessor = Preprocessor::new(&manifest(224, 200, resize)).expect("valid");
            assert_eq!(
                preprocessor.tensor(&drawn(width, height)).shape(),
                [3, 200, 224],
                "{width} {resize:?}"
            );
        }
    }
}

#[test]
fn a_small_picture_of_the_input_is_nearly_that_of_the_photograph() {
    let resize = Resize::Squash { filter: Filter::Bilinear, through: None };
    let squashing = Preprocessor::new(&manifest(64, 64, resize)).expect("valid");
    let padding = Resize::Letterbox { filter: Filter::Bilinear, pad: 0 };
    let padding = Preprocessor::new(&manifest(64, 64, padding)).expect("valid");
    // The input of a square photograph is its small picture. The last two have too few pixels, in the photograph and in
    // the input.
    for (width, height, side) in [(160, 90, 64), (90, 160, 64), (100, 100, 64), (40, 30, 64), (160, 90, 65)] {
        let photo = drawn(width, height);
        let expected = photo.fitted(side);
        let of_padded = padding.fitted(&photo, &padding.resize_rgb(&photo), side);
        assert_eq!(of_padded, expected, "an input with borders shows another picture");
        let found = squashing.fitted(&photo, &squashing.resize_rgb(&photo), side);
        assert_eq!((found.width, found.height), (expected.width, expected.height));
        let differences = found.rgb.iter().zip(&expected.rgb).map(|(a, b)| f64::from(a.abs_diff(*b)));
        let mean = differences.sum::<f64>() / found.rgb.len() as f64;
        let is_the_same = width == height || width == 40 || side == 65;
        // Made from the input, it differs a little.
        assert!(if is_the_same { mean == 0.0 } else { mean > 0.0 && mean < 4.0 }, "{width}x{height}: {mean}");
    }
}

#[test]
fn the_tensor_is_normalised_by_channel() {
    let manifest = manifest(2, 1, Resize::Squash { filter: Filter::Bilinear, through: None });
    let photo = Photo::from_rgb(2, 1, vec![0, 128, 255, 255, 0, 128], partsight_inference::PhotoFormat::Png);
    let tensor = Preprocessor::new(&manifest).expect("valid").tensor(&photo.expect("two pixels"));
    for (index, value) in [0.0, 255.0, 128.0, 0.0, 255.0, 128.0_f32].into_iter().enumerate() {
        let channel = index / 2;
        let expected = (value / 255.0 - manifest.input.mean[channel]) / manifest.input.std[channel];
        assert!((tensor.as_slice()[index] - expected).abs() < 1e-6, "value {index}");
    }
}

#[test]
fn wrong_sizes_are_refused() {
    let no_width = manifest(0, 20, Resize::Squash { filter: Filter::Bilinear, through: None });
    assert!(matches!(Preprocessor::new(&no_width), Err(Error::InvalidManifest { field: "input.width", .. })));
    let through = Resize::Squash { filter: Filter::Bilinear, through: Some(0) };
    let found = Preprocessor::new(&manifest(20, 20, through));
    assert!(matches!(found, Err(Error::InvalidManifest { field: "resize.through", .. })));
    let too_few = Photo::from_rgb(2, 2, vec![0; 11], partsight_inference::PhotoFormat::Png);
    assert!(matches!(too_few, Err(Error::WrongPixelCount { expected: 12, found: 11, .. })));
}

#[test]
fn golden_pictures_resize_as_in_training() {
    let folder = crate::common::model_folder().join("golden");
    let mut compared = 0;
    for entry in std::fs::read_dir(&folder).expect("golden files") {
        let path = entry.expect("an entry").path();
        let Some(name) = path
            .file_name()
            .and_then(|name| name.to_str())
            .and_then(|name| name.strip_suffix(".resized.png"))
        else {
            continue;
        };
        let read = |path: &Path| decode(&std::fs::read(path).expect("a file")).expect("a PNG");
        let photo = read(&folder.join(format!("{name}.png")));
        let image = Preprocessor::new(model().manifest()).expect("valid").resize_rgb(&photo);
        assert_eq!(image.rgb, read(&path).rgb(), "{name}");
        compared += 1;
    }
    assert!(compared > 0, "no golden picture in `{}`", folder.display());
}
