//! From the bytes of a photograph to calibrated scores, step by step and whole, on one thread.
//!
//! Needs ONNX Runtime (`.make/onnxruntime`); `PARTSIGHT_ONNXRUNTIME` names another library.

use std::{env, hint::black_box, io::Cursor, path::PathBuf, time::Duration};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use image::{RgbImage, codecs::jpeg::JpegEncoder};
use partsight_domain::{CalibratedScores, ModelCalibration, RawScores};
use partsight_inference::{
    Detail, Device, Engine, ImageBatch, Model, Photo, PhotoLimits, Preprocessor, start_engines,
};

/// What a phone sends after scaling down, and what it takes: 0.9 and 12.2 megapixels.
const SIZES: [(u32, u32); 2] = [(1280, 720), (4032, 3024)];

/// A scene with smooth shading, edges and fine grain, so that it compresses about as a photograph does.
fn drawn_jpeg(width: u32, height: u32) -> Vec<u8> {
    let picture = RgbImage::from_fn(width, height, |x, y| {
        let grain =
            (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(2_246_822_519)).wrapping_mul(3_266_489_917) >> 28;
        let disc = (x / 97 + y / 61) % 3 * 40;
        let shade = 60 + x * 90 / width + y * 40 / height;
        image::Rgb(
            [shade + disc + grain, shade + grain, 230 - shade + grain].map(|value| value.min(255) as u8),
        )
    });
    let mut bytes = Cursor::new(Vec::new());
    JpegEncoder::new_with_quality(&mut bytes, 88).encode_image(&picture).expect("a picture of usual size");
    bytes.into_inner()
}

fn decode(jpeg: &[u8], detail: Detail) -> Photo {
    Photo::decode_at_least(jpeg, &PhotoLimits::default(), detail).expect("a whole JPEG")
}

fn engine(model: &Model) -> Box<dyn Engine> {
    let path = env::var_os("PARTSIGHT_ONNXRUNTIME").map(PathBuf::from);
    let started = start_engines(model, Device::Cpu, path.as_deref(), |_| 1);
    let started = started.expect("the embedded model runs; ONNX Runtime is installed by `.make/onnxruntime`");
    started.engines.into_iter().next().expect("an engine")
}

fn photo_path(criterion: &mut Criterion) {
    let model = Model::embedded().expect("the embedded model is whole");
    let preprocessor = Preprocessor::new(model.manifest()).expect("a valid manifest");
    let mut engine = engine(&model);
    let stated = &model.manifest().calibration;
    let calibration = ModelCalibration {
        temperature: stated.temperature,
        known_scale: stated.known_scale,
        known_bias: stated.known_bias,
    };

    for (width, height) in SIZES {
        let jpeg = drawn_jpeg(width, height);
        let detail = preprocessor.detail();
        let photo = decode(&jpeg, detail);
        let size = format!("{width}x{height}");
        let mut group = criterion.benchmark_group("photo");
        group.sample_size(20).measurement_time(Duration::from_secs(4));
        for (name, detail) in [("decode whole", Detail::FULL), ("decode", detail)] {
            group.bench_with_input(BenchmarkId::new(name, &size), &jpeg, |bencher, jpeg| {
                bencher.iter(|| decode(black_box(jpeg), detail));
            });
        }
        group.bench_with_input(BenchmarkId::new("preprocess", &size), &photo, |bencher, photo| {
            bencher.iter(|| preprocessor.tensor(black_box(photo)));
        });
        group.bench_with_input(BenchmarkId::new("whole", &size), &jpeg, |bencher, jpeg| {
            bencher.iter(|| {
                let tensor = preprocessor.tensor(&decode(black_box(jpeg), detail));
                let outputs = engine.run(&ImageBatch::stack(&[tensor]).expect("one image")).expect("a run");
                let logits = outputs.logits.row(0).to_vec();
                let raw = RawScores { logits: &logits, known: outputs.known[0] };
                CalibratedScores::new(&calibration, raw).confidence()
            });
        });
        group.finish();
    }
}

fn inference(criterion: &mut Criterion) {
    let model = Model::embedded().expect("the embedded model is whole");
    let preprocessor = Preprocessor::new(model.manifest()).expect("a valid manifest");
    let mut engine = engine(&model);
    let tensor = preprocessor.tensor(&decode(&drawn_jpeg(640, 480), Detail::FULL));
    let mut group = criterion.benchmark_group("inference");
    for n_images in [1, 8] {
        let batch = ImageBatch::stack(&vec![tensor.clone(); n_images]).expect("tensors of one shape");
        group.bench_with_input(BenchmarkId::new("batch", n_images), &batch, |bencher, batch| {
            bencher.iter(|| engine.run(black_box(batch)).expect("a run"));
        });
    }
    group.finish();
}

criterion_group!(benches, photo_path, inference);
criterion_main!(benches);
