//! The views of a second look compared with Pillow's and with cropped photographs, and their results with the
//! shipped network.

use partsight_inference::{
    Engine, Filter, ImageBatch, Manifest, Photo, PhotoFormat, Preprocessor, Resize, SecondLook, View,
};

use crate::common::{decode, drawn, engine, fixture, largest_difference, model};

const VIEWS: [View; 3] = [
    View { centre: 1.0, mirrored: true },
    View { centre: 0.7, mirrored: false },
    View { centre: 0.7, mirrored: true },
];

fn second_look(views: &[View]) -> SecondLook {
    SecondLook {
        confidence_below: 0.9,
        known_score_below: 0.5,
        logit_scale: 1.0,
        known_scale: 1.0,
        known_bias: 0.0,
        views: views.to_vec(),
    }
}

fn preprocessor(resize: Resize) -> Preprocessor {
    let mut manifest: Manifest = model().manifest().clone();
    (manifest.input.width, manifest.input.height) = (24, 20);
    manifest.resize = resize;
    Preprocessor::new(&manifest).expect("valid")
}

#[test]
fn views_equal_pillows_in_every_bit() {
    let preprocessor = preprocessor(Resize::Squash { filter: Filter::Bilinear, through: None });
    for source in ["wide", "tall", "tiny", "pixel"] {
        let photo = decode(&fixture(&format!("resize/{source}.png"))).expect("a PNG");
        let expected = decode(&fixture(&format!("resize/{source}-views.png"))).expect("a PNG");
        for (view, expected) in VIEWS.iter().zip(expected.rgb().chunks_exact(3 * 24 * 20)) {
            assert_eq!(view.resize_rgb(&preprocessor, &photo).rgb, expected, "{source} {view:?}");
        }
    }
}

/// The centre as a separate photograph.
fn cropped(photo: &Photo, centre: f64) -> Photo {
    let kept = |side: u32| ((f64::from(side) * centre + 0.5) as u32).max(1);
    let (width, height) = (kept(photo.width()), kept(photo.height()));
    let (left, top) = ((photo.width() - width) / 2, (photo.height() - height) / 2);
    let rows = photo.rgb().chunks_exact(3 * photo.width() as usize).skip(top as usize).take(height as usize);
    let rgb = rows.flat_map(|row| row[3 * left as usize..][..3 * width as usize].to_vec()).collect();
    Photo::from_rgb(width, height, rgb, PhotoFormat::Png).expect("as many bytes as pixels need")
}

#[test]
fn a_view_is_the_cropped_photograph_in_every_resize_mode() {
    let filter = Filter::Lanczos3;
    for resize in [
        Resize::Squash { filter, through: None },
        Resize::Squash { filter, through: Some(30) },
        Resize::CenterCrop { filter, shortest_side: 24 },
        Resize::Letterbox { filter, pad: 9 },
    ] {
        let preprocessor = preprocessor(resize);
        for (width, height) in [(1, 1), (2, 3), (31, 17), (90, 400), (400, 90), (3000, 1), (1, 3000)] {
            let photo = drawn(width, height);
            for centre in [0.01, 0.55, 0.7, 1.0] {
                let view = View { centre, mirrored: false };
                let expected = preprocessor.resize_rgb(&cropped(&photo, centre));
                let found = view.resize_rgb(&preprocessor, &photo);
                assert_eq!(found, expected, "{resize}: {centre} of {width} x {height}");
            }
        }
    }
}

#[test]
fn a_view_like_the_first_look_changes_nothing() {
    let mut engine = engine();
    let preprocessor = Preprocessor::new(engine.manifest()).expect("valid");
    let photo = decode(&fixture("scene-150x100.png")).expect("a PNG");
    let second_look = second_look(&[View { centre: 1.0, mirrored: false }]);
    let first = engine.run(&ImageBatch::stack(&[preprocessor.tensor(&photo)]).expect("one")).expect("a run");
    let pooled = second_look.look(&preprocessor, &photo, &mut engine).expect("two runs");
    let row = |values: &ndarray::Array2<f32>| values.row(0).to_vec();
    assert!(largest_difference(&row(&pooled.embeddings), &row(&first.embeddings)) < 1e-5);
    assert!(largest_difference(&row(&pooled.logits), &row(&first.logits)) < 1e-4);
    assert!((pooled.known[0] - first.known[0]).abs() < 1e-4);
}
