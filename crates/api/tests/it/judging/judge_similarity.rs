//! What the threshold of reuse means with the shipped model: a photograph taken again lies above it, and another
//! part below.

use image::{DynamicImage, ImageFormat, imageops::FilterType};
use partsight_domain::Embedding;

use crate::{TestApp, pictures};

const GOLDEN: [&str; 4] = ["brake-rotor", "coil-spring", "rim", "meadow"];

/// What becomes of a photograph between two uploads of it, or between two presses of the button.
fn again(picture: &DynamicImage) -> Vec<(&'static str, DynamicImage)> {
    let (width, height) = (picture.width(), picture.height());
    let crop = |share: f32| {
        let (x, y) = ((width as f32 * share) as u32, (height as f32 * share) as u32);
        picture.crop_imm(x, y, width - 2 * x, height - 2 * y)
    };
    vec![
        ("half the size", picture.resize(width / 2, height / 2, FilterType::Triangle)),
        ("three quarters of the size", picture.resize(width * 3 / 4, height * 3 / 4, FilterType::CatmullRom)),
        ("lighter by 10", picture.brighten(10)),
        ("darker by 10", picture.brighten(-10)),
        ("cut by 1% a side", crop(0.01)),
        ("cut by 2% a side", crop(0.02)),
        ("blurred by a pixel", picture.blur(1.0)),
    ]
}

async fn embedding(app: &TestApp, picture: &DynamicImage, format: ImageFormat) -> Embedding {
    let bytes = pictures::encode(picture, format);
    app.use_cases.recognition.identify(bytes, 1).await.unwrap().embedding.unwrap()
}

#[tokio::test]
async fn a_photograph_taken_again_is_the_same_and_another_is_not() {
    let app = TestApp::start().await;
    let threshold = app.use_cases.recognition.manifest().judging().reuse_similarity;
    let mut originals = Vec::new();
    let mut wrong = Vec::new();
    for name in GOLDEN {
        let picture = image::load_from_memory(&pictures::golden(name)).unwrap().into_rgb8().into();
        let original = embedding(&app, &picture, ImageFormat::Png).await;
        for (change, changed) in again(&picture) {
            let similarity =
                embedding(&app, &changed, ImageFormat::Jpeg).await.similarity(&original, -1.0).unwrap();
            println!("{name}, {change}: {similarity:.4}");
            if similarity < threshold {
                wrong.push(format!("{name}, {change}: {similarity:.4}"));
            }
        }
        originals.push((name, original));
    }
    for (index, (name, original)) in originals.iter().enumerate() {
        for (other, embedding) in &originals[index + 1..] {
            let similarity = original.similarity(embedding, -1.0).unwrap();
            println!("{name} and {other}: {similarity:.4}");
            if similarity >= threshold {
                wrong.push(format!("{name} and {other}: {similarity:.4}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
