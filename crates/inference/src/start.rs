//! From a model and a wish for a device to engines that are ready to run.

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

/// Engines of one model on one device, each of which has run once.
pub struct StartedEngines {
    /// At least one.
    pub engines: Vec<Box<dyn Engine>>,
    /// What they compute on.
    pub device: ComputeDevice,
    /// Why it is that one, for the log.
    pub reason: String,
    /// What runs the network, such as `Partsight int8 (AVX2)`, `ONNX Runtime 1.31.1` or `candle`.
    pub runtime: String,
    /// Starts one more like them, in place of one that stalled or panicked.
    pub factory: EngineFactory,
    /// How long the first engine took for one image.
    pub warm_up: Duration,
}

/// Loads the model onto the device and runs each engine once.
///
/// `auto` takes the first GPU where one works, and says in [`StartedEngines::reason`] why it did not.
/// `threads` gives the number of engines for the device that is found; 0 counts as 1. ONNX Runtime must be there
/// (see [`OnnxRuntime::load`]) for every ONNX model, and is started for those that our own engine does not run.
///
/// # Errors
/// [`Error::NoGpu`] when a GPU was asked for and cannot be used; what [`OnnxRuntime::load`],
/// [`OnnxRuntime::start`], [`OrtEngine::on_device`] and `CandleEngine::new` refuse; [`Error::MissingFeature`] for safetensors in a
/// program without candle; [`Error::NotFinite`] when the first run shows weights that are no numbers.
pub fn start_engines(
    model: &Model,
    device: Device,
    onnxruntime: Option<&Path>,
    threads: impl Fn(ComputeDevice) -> usize,
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
    threads: impl Fn(ComputeDevice) -> usize,
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
    let mut others = Vec::new();
    // Asked only now, since the number of engines depends on which device was found.
    while others.len() + 1 < threads(device) {
        others.push(factory()?);
    }
    let engines = std::iter::once(first.boxed()).chain(others).collect();
    Ok(StartedEngines { engines, device, reason, runtime: name, factory, warm_up })
}

/// What runs an ONNX graph.
enum OnnxEngine {
    Int8(Box<Int8Engine>),
    Ort(Box<OrtEngine>),
}

impl OnnxEngine {
    /// Our own engine on a processor where it takes the graph, else ONNX Runtime.
    fn new(runtime: &OnnxRuntime, model: &Model, device: ComputeDevice) -> Result<Self> {
        if let (ComputeDevice::Cpu, Some(engine)) = (device, Int8Engine::new(model)) {
            return Ok(Self::Int8(Box::new(engine)));
        }
        Ok(Self::Ort(Box::new(OrtEngine::on_device(runtime, model, device, 1)?)))
    }

    /// Starts one more like it, at any later time.
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
    threads: impl Fn(ComputeDevice) -> usize,
) -> Result<StartedEngines> {
    let (first, device, reason) = place(device, |device| {
        let mut engine = CandleEngine::new(model, device)?;
        let start = Instant::now();
        engine.warm_up()?;
        Ok((engine, start.elapsed()))
    })?;
    let (first, warm_up) = first;
    let engines = (0..threads(device).max(1)).map(|_| Box::new(first.clone()) as Box<dyn Engine>).collect();
    // Clones share the weights, which no run changes.
    let factory: EngineFactory = Arc::new(move || Ok(Box::new(first.clone())));
    Ok(StartedEngines { engines, device, reason, runtime: "candle".to_owned(), factory, warm_up })
}

/// Opens what the wish says; for `auto` the GPU, and the processor when there is no GPU to be had.
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

/// What was missing, without the advice that only somebody who asked for a GPU needs, and its cause.
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
