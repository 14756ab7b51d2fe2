//! Starts the engines of a model on the configured device.

use std::{
    error::Error as _,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

#[cfg(feature = "candle")]
use crate::CandleEngine;
use crate::{
    ComputeDevice, Device, Engine, EngineFactory, Error, FileFormat, Int8Engine, Model, OnnxRuntime,
    OrtEngine, Result,
};

/// Engines of one model on one device; each has run once.
pub struct StartedEngines {
    /// At least one.
    pub engines: Vec<Box<dyn Engine>>,
    /// The device that they run on.
    pub device: ComputeDevice,
    /// Why this device was chosen, for the log.
    pub reason: String,
    /// The runtime of the network, such as `Partsight int8 (AVX2)`, `ONNX Runtime 1.31.1` or `candle`.
    pub runtime: String,
    /// Starts another engine, to replace one that stalled or panicked.
    pub factory: EngineFactory,
    /// Time of the first run of the first engine, with one image.
    pub warm_up: Duration,
}

/// Loads the model onto the device and runs each engine once.
///
/// `auto` takes the first GPU if it works, and otherwise states the reason in [`StartedEngines::reason`]. `threads`
/// returns the number of engines for the chosen device and the bytes of weights that each further engine copies; 0
/// counts as 1. ONNX models need the library of ONNX Runtime (see [`OnnxRuntime::load`]), which is started only for
/// those that our own engine does not support.
///
/// # Errors
/// [`Error::NoGpu`] if the configured GPU cannot be used; the errors of [`OnnxRuntime::load`],
/// [`OnnxRuntime::start`], [`OrtEngine::on_device`] and `CandleEngine::new`; [`Error::MissingFeature`] for
/// safetensors in a program without candle; [`Error::NotFinite`] if the first run shows that weights are NaN.
pub fn start_engines(
    model: &Model,
    device: Device,
    onnxruntime: Option<&Path>,
    threads: impl Fn(ComputeDevice, u64) -> usize,
) -> Result<StartedEngines> {
    match model.manifest().file.format {
        FileFormat::Onnx => start_onnx(model, device, &OnnxRuntime::load(onnxruntime)?, threads),
        #[cfg(feature = "candle")]
        FileFormat::Safetensors => start_candle(model, device, threads),
        #[cfg(not(feature = "candle"))]
        FileFormat::Safetensors => {
            Err(Error::MissingFeature { model: model.manifest().name.clone(), feature: "candle" })
        }
    }
}

fn start_onnx(
    model: &Model,
    device: Device,
    runtime: &OnnxRuntime,
    threads: impl Fn(ComputeDevice, u64) -> usize,
) -> Result<StartedEngines> {
    let ready = |device| {
        let mut engine = OnnxEngine::new(runtime, model, device)?;
        let start = Instant::now();
        engine.warm_up()?;
        Ok((engine, start.elapsed()))
    };
    let ((first, warm_up), device, reason) = place(device, ready)?;
    let name = first.runtime(runtime);
    let factory = first.factory(runtime, model, device);
    let copied_bytes = match first {
        OnnxEngine::Int8(_) => 0,
        OnnxEngine::Ort(_) => model.manifest().file.total_bytes(),
    };
    // Called only now, since the number of engines depends on the device and the runtime.
    let n_engines = threads(device, copied_bytes);
    let mut others = Vec::new();
    while others.len() + 1 < n_engines {
        others.push(factory()?);
    }
    let engines = std::iter::once(first.boxed()).chain(others).collect();
    Ok(StartedEngines { engines, device, reason, runtime: name, factory, warm_up })
}

/// The engine of an ONNX graph.
enum OnnxEngine {
    Int8(Box<Int8Engine>),
    Ort(Box<OrtEngine>),
}

impl OnnxEngine {
    /// Our own engine on a CPU if it supports the graph, otherwise ONNX Runtime.
    fn new(runtime: &OnnxRuntime, model: &Model, device: ComputeDevice) -> Result<Self> {
        if let (ComputeDevice::Cpu, Some(engine)) = (device, Int8Engine::new(model)) {
            return Ok(Self::Int8(Box::new(engine)));
        }
        Ok(Self::Ort(Box::new(OrtEngine::on_device(runtime, model, device, 1)?)))
    }

    /// A factory of further engines like this one.
    fn factory(&self, runtime: &OnnxRuntime, model: &Model, device: ComputeDevice) -> EngineFactory {
        match self {
            Self::Int8(engine) => {
                let first = engine.another();
                Arc::new(move || {
                    let mut engine = first.another();
                    engine.warm_up()?;
                    Ok(Box::new(engine))
                })
            }
            Self::Ort(_) => {
                let (model, runtime) = (model.clone(), runtime.clone());
                Arc::new(move || {
                    let mut engine = OrtEngine::on_device(&runtime, &model, device, 1)?;
                    engine.warm_up()?;
                    Ok(Box::new(engine))
                })
            }
        }
    }

    fn warm_up(&mut self) -> Result<()> {
        match self {
            Self::Int8(engine) => engine.warm_up(),
            Self::Ort(engine) => engine.warm_up(),
        }
    }

    fn runtime(&self, runtime: &OnnxRuntime) -> String {
        match self {
            Self::Int8(engine) => engine.runtime(),
            Self::Ort(_) => format!("ONNX Runtime {}", runtime.version()),
        }
    }

    fn boxed(self) -> Box<dyn Engine> {
        match self {
            Self::Int8(engine) => engine,
            Self::Ort(engine) => engine,
        }
    }
}

#[cfg(feature = "candle")]
fn start_candle(
    model: &Model,
    device: Device,
    threads: impl Fn(ComputeDevice, u64) -> usize,
) -> Result<StartedEngines> {
    let (first, device, reason) = place(device, |device| {
        let mut engine = CandleEngine::new(model, device)?;
        let start = Instant::now();
        engine.warm_up()?;
        Ok((engine, start.elapsed()))
    })?;
    let (first, warm_up) = first;
    let engines =
        (0..threads(device, 0).max(1)).map(|_| Box::new(first.clone()) as Box<dyn Engine>).collect();
    // Clones share the weights, which no run modifies.
    let factory: EngineFactory = Arc::new(move || Ok(Box::new(first.clone())));
    Ok(StartedEngines { engines, device, reason, runtime: "candle".to_owned(), factory, warm_up })
}

/// Opens the configured device; for `auto` the GPU, or the CPU if no GPU works.
fn place<T>(wish: Device, open: impl Fn(ComputeDevice) -> Result<T>) -> Result<(T, ComputeDevice, String)> {
    let (device, reason) = match wish {
        Device::Cpu => (ComputeDevice::Cpu, "the setting `device` is `cpu`".to_owned()),
        Device::Cuda(number) => {
            (ComputeDevice::Cuda(number), format!("the setting `device` is `cuda:{number}`"))
        }
        Device::Auto => match open(ComputeDevice::Cuda(0)) {
            Ok(opened) => return Ok((opened, ComputeDevice::Cuda(0), "a GPU answers".to_owned())),
            Err(error) => (ComputeDevice::Cpu, format!("no GPU: {}", why(&error))),
        },
    };
    Ok((open(device)?, device, reason))
}

/// What was missing and its cause, without the advice for users who configured a GPU.
fn why(error: &Error) -> String {
    let said = match error {
        Error::NoGpu { missing, .. } => missing.clone(),
        other => other.to_string(),
    };
    error.source().map_or_else(|| said.clone(), |source| format!("{said}: {source}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_gpu(number: usize) -> Error {
        Error::NoGpu { number, missing: "the driver".to_owned(), source: None }
    }

    #[test]
    fn auto_takes_the_gpu_that_works() {
        let (opened, device, reason) = place(Device::Auto, Ok).expect("a GPU");
        assert_eq!((opened, device), (ComputeDevice::Cuda(0), ComputeDevice::Cuda(0)));
        assert_eq!(reason, "a GPU answers");
    }

    #[test]
    fn auto_says_why_it_is_the_processor() {
        let open = |device| match device {
            ComputeDevice::Cpu => Ok(device),
            ComputeDevice::Cuda(number) => Err(no_gpu(number)),
        };
        let (_, device, reason) = place(Device::Auto, open).expect("the processor");
        assert_eq!((device, reason.as_str()), (ComputeDevice::Cpu, "no GPU: the driver"));
    }

    #[test]
    fn a_gpu_that_was_asked_for_is_never_replaced() {
        let open = |device| match device {
            ComputeDevice::Cpu => Ok(device),
            ComputeDevice::Cuda(number) => Err(no_gpu(number)),
        };
        let error = place(Device::Cuda(3), open).expect_err("no GPU");
        assert!(matches!(error, Error::NoGpu { number: 3, .. }), "{error:?}");
    }

    #[test]
    fn a_processor_that_was_asked_for_stays_even_with_a_gpu() {
        let (opened, ..) = place(Device::Cpu, Ok).expect("the processor");
        assert_eq!(opened, ComputeDevice::Cpu);
    }
}
