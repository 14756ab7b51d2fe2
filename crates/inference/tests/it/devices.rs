//! The results of each device setting on a machine without a GPU. With a GPU, the tests are skipped.

use std::path::Path;

use partsight_inference::{CandleEngine, ComputeDevice, Device, Error, Model, OrtEngine, start_engines};

use crate::common::{model, onnx_runtime};

/// The driver's device file exists exactly if a GPU may work.
fn has_gpu() -> bool {
    Path::new("/dev/nvidiactl").exists() || Path::new("/proc/driver/nvidia").exists()
}

fn start(model: &Model, device: Device) -> partsight_inference::Result<partsight_inference::StartedEngines> {
    start_engines(model, device, Some(onnx_runtime().path()), |_, _| 2)
}

#[test]
fn a_gpu_that_is_not_there_is_an_error_that_names_what_is_missing() {
    if has_gpu() {
        println!("left out: this machine has a GPU");
        return;
    }
    let error = start(&model(), Device::Cuda(1)).err().expect("no GPU");
    let text = error.to_string();
    assert!(matches!(error, Error::NoGpu { number: 1, .. }), "{error:?}");
    for part in ["`cuda:1`", "is the build for processors", "`onnxruntime-gpu`", "set `device` to `cpu`"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn auto_is_the_processor_and_says_why() {
    if has_gpu() {
        println!("left out: this machine has a GPU");
        return;
    }
    let started = start(&model(), Device::Auto).expect("the processor");
    assert_eq!((started.device, started.engines.len()), (ComputeDevice::Cpu, 2));
    assert!(started.reason.contains("is the build for processors"), "{}", started.reason);
    let ours = cfg!(target_arch = "x86_64");
    let runtime = if ours { "Partsight int8 (AVX" } else { "ONNX Runtime 1." };
    assert!(started.runtime.starts_with(runtime), "{}", started.runtime);
    assert!(started.engines.iter().all(|engine| engine.provider() == "CPU"));
}

#[test]
fn the_processor_can_be_asked_for() {
    let started = start(&model(), Device::Cpu).expect("the processor");
    assert_eq!(started.device, ComputeDevice::Cpu);
    let engine = OrtEngine::new(&onnx_runtime(), &model(), 1).expect("an engine");
    assert_eq!(partsight_inference::Engine::provider(&engine), "CPU");
}

#[test]
fn candle_says_the_same() {
    if has_gpu() {
        println!("left out: this machine has a GPU");
        return;
    }
    let folder = crate::prototype_models::candle_folder();
    let model = Model::load(folder.path()).expect("a whole folder");
    let error = CandleEngine::new(&model, ComputeDevice::Cuda(2)).err().expect("no GPU");
    assert!(matches!(error, Error::NoGpu { number: 2, .. }), "{error:?}");
    assert!(error.to_string().contains("`cuda:2`"), "{error}");
    let error = start(&model, Device::Cuda(0)).err().expect("no GPU");
    assert!(matches!(error, Error::NoGpu { number: 0, .. }), "{error:?}");
    let started = start(&model, Device::Auto).expect("the processor");
    assert_eq!((started.device, started.runtime.as_str()), (ComputeDevice::Cpu, "candle"));
    assert_eq!(started.engines.len(), 2);
}
