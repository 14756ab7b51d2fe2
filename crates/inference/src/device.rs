//! The configured device of a model, and the device that it runs on.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The configured device: `auto`, `cpu`, `cuda:N`, or `cuda` for `cuda:0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Device {
    /// The first GPU if it works, otherwise the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The GPU of this number, from 0; it is an error if it is missing.
    Cuda(usize),
}

/// A text that is not a valid device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the setting `device` is {found}, but it must be `auto`, `cpu` or `cuda:N` with the GPU's number N")]
pub struct InvalidDevice {
    /// The text found.
    pub found: String,
}

impl std::str::FromStr for Device {
    type Err = InvalidDevice;

    fn from_str(text: &str) -> Result<Self, InvalidDevice> {
        let number = |digits: &str| {
            // `parse` alone would accept `+1` as well.
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            // The runtimes number devices with an i32; no machine has a thousand.
            digits.parse().ok().filter(|number| is_number && *number < 1000)
        };
        match text {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda(0)),
            _ => text
                .strip_prefix("cuda:")
                .and_then(number)
                .map(Self::Cuda)
                .ok_or_else(|| InvalidDevice { found: text.to_owned() }),
        }
    }
}

impl TryFrom<String> for Device {
    type Error = InvalidDevice;

    fn try_from(text: String) -> Result<Self, InvalidDevice> {
        text.parse()
    }
}

impl From<Device> for String {
    fn from(device: Device) -> Self {
        device.to_string()
    }
}

impl fmt::Display for Device {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => formatter.write_str("auto"),
            Self::Cpu => formatter.write_str("cpu"),
            Self::Cuda(number) => write!(formatter, "cuda:{number}"),
        }
    }
}

/// The device that an engine runs on. Displayed as `CPU` or `CUDA:N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComputeDevice {
    /// The CPU.
    Cpu,
    /// The GPU of this number, from 0.
    Cuda(usize),
}

impl ComputeDevice {
    /// Whether it is a GPU.
    pub fn is_gpu(self) -> bool {
        matches!(self, Self::Cuda(_))
    }
}

impl fmt::Display for ComputeDevice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => formatter.write_str("CPU"),
            Self::Cuda(number) => write!(formatter, "CUDA:{number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_parses_and_is_written_back() {
        for (text, device, written) in [
            ("auto", Device::Auto, "auto"),
            ("cpu", Device::Cpu, "cpu"),
            ("cuda", Device::Cuda(0), "cuda:0"),
            ("cuda:0", Device::Cuda(0), "cuda:0"),
            ("cuda:12", Device::Cuda(12), "cuda:12"),
        ] {
            assert_eq!(text.parse(), Ok(device), "{text}");
            assert_eq!(device.to_string(), written);
        }
    }

    #[test]
    fn other_texts_are_refused_with_the_text() {
        for text in ["", "gpu", "CUDA", "cuda:", "cuda:-1", "cuda:+1", "cuda:x", "cuda:1000", "cpu:0", " cpu"]
        {
            let error = text.parse::<Device>().expect_err(text);
            assert_eq!(error, InvalidDevice { found: text.to_owned() });
        }
    }

    #[test]
    fn providers_name_the_device_number() {
        assert_eq!(ComputeDevice::Cpu.to_string(), "CPU");
        assert_eq!(ComputeDevice::Cuda(1).to_string(), "CUDA:1");
        assert!(ComputeDevice::Cuda(1).is_gpu() && !ComputeDevice::Cpu.is_gpu());
    }
}
