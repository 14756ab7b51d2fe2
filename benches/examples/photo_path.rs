//! Takes photographs from file to raw scores when it is told to, and says how much processor time each step took.
//!
//! usage: `photo_path`. Each line on standard input is the path of a photograph; each line of the answer is JSON, with
//! milliseconds a photograph. Needs ONNX Runtime (`.make/onnxruntime`); `PARTSIGHT_ONNXRUNTIME` names another library.

use std::hint::black_box;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::{env, fs, io};

use partsight_inference::{
    Device, Fingerprint, ImageBatch, Model, Photo, PhotoHeader, PhotoLimits, Preprocessor, start_engines,
};
use serde_json::json;

/// A step is repeated until it took this long: the scheduler's books are a few milliseconds behind.
const LEAST_NS: u64 = 200_000_000;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let runtime = env::var_os("PARTSIGHT_ONNXRUNTIME").map(PathBuf::from);
    let model = Model::embedded()?;
    let preprocessor = Preprocessor::new(model.manifest())?;
    let mut engines = start_engines(&model, Device::Cpu, runtime.as_deref(), |_, _| 1)?.engines;
    let engine = engines.first_mut().ok_or("no engine")?;
    let limits = PhotoLimits::default();
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let bytes = fs::read(line?)?;
        let decode = || Photo::decode_at_least(black_box(&bytes), &limits, preprocessor.detail());
        let photo = decode()?;
        let batch = ImageBatch::stack(&[preprocessor.tensor(&photo)])?;
        let decode_ms = milliseconds(|| Ok(decode()?))?;
        let whole_size_ms = milliseconds(|| Ok(Photo::decode(black_box(&bytes), &limits)?))?;
        let preprocess_ms = milliseconds(|| Ok(preprocessor.tensor(black_box(&photo))))?;
        let network_ms = milliseconds(|| Ok(engine.run(black_box(&batch))?))?;
        // What a scan does besides is in it: the header is read before, and copies are found by a fingerprint.
        let whole_ms = milliseconds(|| {
            PhotoHeader::read(black_box(&bytes), &limits)?;
            let image = preprocessor.resize_rgb(&decode()?);
            black_box(Fingerprint::of(&image));
            Ok(engine.run(&ImageBatch::stack(&[preprocessor.normalise(&image)])?)?)
        })?;
        let row = json!({
            "width": photo.width(),
            "height": photo.height(),
            "decode": decode_ms,
            "decodeWholeSize": whole_size_ms,
            "preprocess": preprocess_ms,
            "network": network_ms,
            "whole": whole_ms,
        });
        writeln!(out, "{row}")?;
        out.flush()?;
    }
    Ok(())
}

/// Processor time of one run.
fn milliseconds<T>(mut run: impl FnMut() -> Result<T, Failure>) -> Result<f64, Failure> {
    let before = cpu_ns();
    let (mut n_runs, mut ns) = (0, 0);
    while ns < LEAST_NS {
        drop(black_box(run()?));
        n_runs += 1;
        ns = cpu_ns() - before;
    }
    Ok(ns as f64 / 1e6 / f64::from(n_runs))
}

/// Processor time of all threads of this process.
fn cpu_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
