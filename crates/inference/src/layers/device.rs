//! Opens a device for candle.

use candle_core::Device;

use crate::{ComputeDevice, Error, Result};

/// Opens the device; never falls back to another one.
///
/// # Errors
/// [`Error::NoGpu`] if the program lacks the cargo feature `cuda`, or CUDA cannot open the GPU.
pub(crate) fn open(device: ComputeDevice) -> Result<Device> {
    match device {
        ComputeDevice::Cpu => Ok(Device::Cpu),
        ComputeDevice::Cuda(number) if !cfg!(feature = "cuda") => Err(Error::NoGpu {
            number,
            missing:
                "this program was built without CUDA for models in safetensors, so use one built with the \
                      cargo feature `cuda`"
                    .to_owned(),
            source: None,
        }),
        ComputeDevice::Cuda(number) => Device::new_cuda(number).map_err(|source| Error::NoGpu {
            number,
            missing: "CUDA did not open it, so check its number and the driver".to_owned(),
            source: Some(Box::new(source)),
        }),
    }
}
