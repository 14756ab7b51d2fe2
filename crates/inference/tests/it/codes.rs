//! Codes in drawn pictures. The rows and modules are the corpus of the fuzz target: a byte with the width, then
//! grey levels.

use partsight_inference::{FoundCode, Photo, PhotoFormat, Symbology, find_codes};

/// Grey level around a label.
const GROUND: u8 = 90;

fn label(name: &str) -> (usize, Vec<u8>) {
    let path = format!("{}/../../benches/fuzz/corpus/codes/{name}", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(path).expect("a photograph of the tests");
    (usize::from(bytes[0]), bytes[1..].to_vec())
}

/// A picture of 480 x 480 with the label in its centre, rotated by `degrees` and blurred.
fn picture(name: &str, degrees: f32, blur: usize) -> Photo {
    const SIDE: usize = 480;
    let (width, levels) = label(name);
    let height = levels.len() / width;
    let (sin, cos) = degrees.to_radians().sin_cos();
    let at = |x: f32, y: f32| {
        let (x, y) = (x - SIDE as f32 / 2.0, y - SIDE as f32 / 2.0);
        let (column, row) = (x * cos + y * sin + width as f32 / 2.0, y * cos - x * sin + height as f32 / 2.0);
        let is_inside = column >= 0.0 && row >= 0.0 && column < width as f32 && row < height as f32;
        if is_inside { levels[row as usize * width + column as usize] } else { GROUND }
    };
    // Sixteen samples per pixel, so that rotated bars keep their widths.
    let mut grey: Vec<f32> = (0..SIDE * SIDE)
        .map(|place| {
            let sample = |n: usize| {
                let (x, y) = ((place % SIDE) as f32, (place / SIDE) as f32);
                f32::from(at(x + (n % 4) as f32 / 4.0 + 0.125, y + (n / 4) as f32 / 4.0 + 0.125))
            };
            (0..16).map(sample).sum::<f32>() / 16.0
        })
        .collect();
    for _ in 0..blur {
        grey = (0..SIDE * SIDE)
            .map(|place| {
                let (x, y) = (place % SIDE, place / SIDE);
                let near = |x: usize, y: usize| grey[y.min(SIDE - 1) * SIDE + x.min(SIDE - 1)];
                let across = |y: usize| near(x.saturating_sub(1), y) + 2.0 * near(x, y) + near(x + 1, y);
                (across(y.saturating_sub(1)) + 2.0 * across(y) + across(y + 1)) / 16.0
            })
            .collect();
    }
    let rgb = grey.into_iter().flat_map(|level| [level as u8; 3]).collect();
    Photo::from_rgb(SIDE as u32, SIDE as u32, rgb, PhotoFormat::Png).expect("a photograph of the tests")
}

const LABELS: [(&str, Symbology, &str); 8] = [
    ("ean-13", Symbology::Ean13, "4006381333931"),
    ("upc-a", Symbology::UpcA, "036000291452"),
    ("ean-8", Symbology::Ean8, "96385074"),
    ("code-39", Symbology::Code39, "SP96"),
    ("code-128", Symbology::Code128, "SP96051"),
    ("itf", Symbology::Itf, "10036006"),
    ("qr-code", Symbology::QrCode, "https://a.example/1"),
    ("data-matrix", Symbology::DataMatrix, "SP96051"),
];

fn texts(codes: &[FoundCode]) -> Vec<(Symbology, &str)> {
    codes.iter().map(|code| (code.symbology, code.text.as_str())).collect()
}

#[test]
fn each_symbology_is_read_in_any_direction() {
    let mut wrong = Vec::new();
    for (name, symbology, text) in LABELS {
        for degrees in [0.0, 30.0, 90.0, 200.0] {
            let codes = find_codes(&picture(name, degrees, 0));
            if texts(&codes) != [(symbology, text)] {
                wrong.push(format!("{name} at {degrees}: {:?}", texts(&codes)));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn blur_is_undone_before_bars_are_measured() {
    for (name, symbology, text) in LABELS.into_iter().take(3) {
        // Four passes of 1 2 1 are a Gaussian of sigma 1.4 pixels, where a module has two pixels.
        let codes = find_codes(&picture(name, 20.0, 4));
        assert_eq!(texts(&codes), [(symbology, text)], "{name}");
    }
}

#[test]
fn a_code_lies_where_it_is_seen() {
    for (name, ..) in LABELS {
        let codes = find_codes(&picture(name, 0.0, 0));
        let corners = codes[0].corners;
        let [from, to] = [corners[0], corners[2]];
        assert!(from[0] < 240.0 && to[0] > 240.0 && from[0] > 100.0 && to[0] < 380.0, "{name}: {corners:?}");
    }
}

#[test]
fn where_there_is_no_code_none_is_read() {
    let plain =
        Photo::from_rgb(300, 200, vec![120; 180_000], PhotoFormat::Png).expect("a photograph of the tests");
    assert_eq!(find_codes(&plain), []);
    let stripes: Vec<u8> =
        (0..300 * 200).flat_map(|place| [if place % 8 < 4 { 20 } else { 230 }; 3]).collect();
    let stripes = Photo::from_rgb(300, 200, stripes, PhotoFormat::Png).expect("a photograph of the tests");
    assert_eq!(find_codes(&stripes), []);
    let small = Photo::from_rgb(1, 1, vec![0; 3], PhotoFormat::Png).expect("a photograph of the tests");
    assert_eq!(find_codes(&small), []);
}
