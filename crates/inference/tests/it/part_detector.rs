//! Parts in a picture of several: the same boxes as in training, and none without a part.

use std::{fs, path::PathBuf, thread};

use partsight_inference::{FoundPart, PartDetector, Photo, PhotoFormat};
use serde::Deserialize;

use crate::common::{decode, onnx_runtime};

/// The result of training's code for a golden picture.
#[derive(Deserialize)]
struct Expected {
    area: [f32; 4],
    score: f32,
}

fn golden_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models/detector/golden")
}

fn detector() -> PartDetector {
    PartDetector::embedded(&onnx_runtime()).expect("the embedded part detector runs")
}

/// The golden picture, and the parts that training's code finds in it.
fn table() -> (Photo, Vec<Expected>) {
    let picture = fs::read(golden_folder().join("table.png")).expect("the picture");
    let expected = fs::read_to_string(golden_folder().join("table.json")).expect("the expectations");
    (decode(&picture).expect("a picture"), serde_json::from_str(&expected).expect("JSON"))
}

#[test]
fn it_finds_what_training_finds() {
    let (photo, expected) = table();
    let found = detector().find(&photo, 12).expect("boxes");
    assert_eq!((found.len(), expected.len()), (3, 3), "{found:?}");
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found.score - expected.score).abs() < 0.03, "{found:?}");
        for (side, expected) in found.area.into_iter().zip(expected.area) {
            assert!((side - expected).abs() < 0.01, "{found:?} instead of {expected}");
        }
    }
    let surest = detector().find(&photo, 1).expect("a box");
    assert_eq!(surest.len(), 1);
    assert!((surest[0].score - expected[0].score).abs() < 0.03);
}

#[test]
fn nothing_is_found_on_a_plain_ground_of_any_shape() {
    let detector = detector();
    for (width, height) in [(400, 300), (1, 1), (3000, 8), (8, 3000)] {
        let rgb = vec![128; 3 * (width * height) as usize];
        let photo = Photo::from_rgb(width, height, rgb, PhotoFormat::Png).expect("a photograph");
        let found = detector.find(&photo, 12).expect("boxes");
        assert!(found.is_empty(), "{width} x {height}: {found:?}");
    }
}

#[test]
fn threads_that_look_at_once_see_the_same() {
    let (detector, (photo, _)) = (detector(), table());
    let alone = detector.find(&photo, 12).expect("boxes");
    thread::scope(|scope| {
        let looks: Vec<_> = (0..3).map(|_| scope.spawn(|| detector.find(&photo, 12))).collect();
        for look in looks {
            let found: Vec<FoundPart> = look.join().expect("no panic").expect("boxes");
            assert_eq!(found, alone);
        }
    });
}
