use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use partsight_domain::{EmailAddress, Plan};
use partsight_inference::{ComputeDevice, Device, is_kebab_case};
use serde::{Deserialize, Serialize};

/// Name of the model that is part of the program.
pub const EMBEDDED_MODEL: &str = "partsight-50";

/// Most photographs in one run on a GPU, where nothing is set.
const GPU_BATCH: usize = 32;

/// Everything that can be set, with what holds when nothing is.
///
/// Read from `partsight.toml`, then `PARTSIGHT_<NAME>` in the environment, then flags; the later wins.
/// An unknown key in the file is an error, so that a misspelt one is found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Address and port that `serve` listens on. Use `0.0.0.0:8080` to let other machines in.
    pub listen: SocketAddr,
    /// Folder of the database. Made when missing.
    pub data_dir: PathBuf,
    /// Address that people type, such as `https://parts.example.com`. With `https` the session cookie is
    /// marked Secure, and writes are accepted from this origin.
    pub public_url: Option<String>,
    /// Where people who need help write to; shown in the app and named in its legal texts.
    pub support_email: String,
    /// The company that the legal texts name.
    pub legal_entity: String,
    /// One plan for all users of this server: `basic`, `pro` or `business`. Unset, each has their own.
    pub plan: Option<Plan>,
    /// Largest photograph, in bytes.
    pub max_photo_bytes: usize,
    /// Largest photograph, in pixels (width times height).
    pub max_photo_pixels: u64,
    /// Name of the model: `partsight-50` is the embedded one, any other lies in `models/<name>` of
    /// `data_dir`, where `partsight models import` puts it.
    pub model: String,
    /// Folder of a model, wherever it lies; it stands in for `model`.
    pub model_dir: Option<PathBuf>,
    /// What the model computes on: `auto` for a GPU where one works and the processor otherwise, `cpu`, or
    /// `cuda:N` for the GPU of that number, whose absence is then an error. `cuda` is `cuda:0`.
    pub device: Device,
    /// ONNX Runtime's shared library. Unset, it is looked for beside the program, in the user's cache and
    /// among the system's libraries.
    pub onnxruntime: Option<PathBuf>,
    /// Inference threads, each with its own copy of the model; 0 for what suits the device: one a processor
    /// core up to 8, or a single one on a GPU, which one thread keeps busy.
    pub engine_threads: usize,
    /// Most photographs in one run of the model; 0 for what suits the device: 32 on a GPU, and 1 on a
    /// processor, where a batch of 8 took longer than 8 photographs one by one, and 8 times the memory.
    pub max_batch: usize,
    /// Photographs that may wait or be worked on at a time; one more is answered "busy".
    pub queue_capacity: usize,
    /// Days after which a signed-in browser must sign in again, 1 or more.
    pub session_days: u32,
    /// Log filter, such as `info` or `partsight=debug,warn`.
    pub log: String,
    /// Log lines for people (`text`) or for machines (`json`).
    pub log_format: LogFormat,
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

impl TryFrom<String> for LogFormat {
    type Error = InvalidSetting;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        match name.as_str() {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(InvalidSetting { name: "log_format", found: name, expected: "`text` or `json`" }),
        }
    }
}

impl From<LogFormat> for &'static str {
    fn from(format: LogFormat) -> Self {
        match format {
            LogFormat::Text => "text",
            LogFormat::Json => "json",
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            data_dir: PathBuf::from("data"),
            public_url: None,
            support_email: "support@partsight.example".to_owned(),
            legal_entity: "Partsight LLC".to_owned(),
            plan: None,
            max_photo_bytes: 25 * 1024 * 1024,
            max_photo_pixels: 64_000_000,
            model: EMBEDDED_MODEL.to_owned(),
            model_dir: None,
            device: Device::Auto,
            onnxruntime: None,
            engine_threads: 0,
            max_batch: 0,
            queue_capacity: 64,
            session_days: 30,
            log: "info".to_owned(),
            log_format: LogFormat::Text,
        }
    }
}

/// A setting that is out of its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the setting `{name}` is {found}, but it must be {expected}")]
pub struct InvalidSetting {
    /// The key.
    pub name: &'static str,
    /// The value found.
    pub found: String,
    /// The rule it breaks.
    pub expected: &'static str,
}

impl Settings {
    /// Checks the ranges.
    pub fn check(&self) -> Result<(), InvalidSetting> {
        let url_fits = self.public_url.as_deref().is_none_or(|url| {
            let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
            host.is_some_and(|host| !host.is_empty() && !host.trim_end_matches('/').contains('/'))
        });
        let rules = [
            (
                "model",
                self.model.clone(),
                is_kebab_case(&self.model),
                "a name such as `clip-vit-base-patch32`; a folder goes into `model_dir`",
            ),
            (
                "max_photo_bytes",
                self.max_photo_bytes.to_string(),
                self.max_photo_bytes >= 1024,
                "1024 or more",
            ),
            ("max_photo_pixels", self.max_photo_pixels.to_string(), self.max_photo_pixels >= 1, "1 or more"),
            ("engine_threads", self.engine_threads.to_string(), self.engine_threads <= 256, "0 to 256"),
            ("max_batch", self.max_batch.to_string(), self.max_batch <= 1024, "0 to 1024"),
            (
                "queue_capacity",
                self.queue_capacity.to_string(),
                (1..=100_000).contains(&self.queue_capacity),
                "1 to 100000",
            ),
            (
                "session_days",
                self.session_days.to_string(),
                (1..=3650).contains(&self.session_days),
                "1 to 3650",
            ),
            (
                "support_email",
                self.support_email.clone(),
                EmailAddress::new(&self.support_email).is_ok(),
                "an e-mail address",
            ),
            (
                "legal_entity",
                self.legal_entity.clone(),
                (1..=200).contains(&self.legal_entity.trim().chars().count()),
                "1 to 200 characters",
            ),
            (
                "public_url",
                self.public_url.clone().unwrap_or_default(),
                url_fits,
                "an address without a path, such as `https://parts.example.com`",
            ),
        ];
        match rules.into_iter().find(|(_, _, fits, _)| !fits) {
            Some((name, found, _, expected)) => Err(InvalidSetting { name, found, expected }),
            None => Ok(()),
        }
    }

    /// The number of inference threads for a device: the setting, or one on a GPU, or one a core up to 8.
    pub fn effective_engine_threads(&self, device: ComputeDevice) -> usize {
        match self.engine_threads {
            0 if device.is_gpu() => 1,
            0 => std::thread::available_parallelism().map_or(1, usize::from).min(8),
            threads => threads,
        }
    }

    /// The largest batch for what an engine says it runs on, such as `CPU` or `CUDA:0`: the setting, or 1 on
    /// a processor and 32 elsewhere.
    pub fn effective_max_batch(&self, provider: &str) -> usize {
        match self.max_batch {
            0 if provider == "CPU" => 1,
            0 => GPU_BATCH,
            max_batch => max_batch,
        }
    }

    /// Where models lie that are not part of the program, one folder each.
    pub fn models_dir(&self) -> PathBuf {
        self.data_dir.join("models")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_in_range() {
        assert_eq!(Settings::default().check(), Ok(()));
    }

    #[test]
    fn values_out_of_range_are_named_with_their_rule() {
        type Change = fn(&mut Settings);
        let cases: [(Change, &str); 6] = [
            (|s| s.model = "../other".to_owned(), "`model` is ../other, but it must be a name"),
            (|s| s.max_batch = 5000, "`max_batch` is 5000, but it must be 0 to 1024"),
            (|s| s.queue_capacity = 0, "`queue_capacity` is 0"),
            (|s| s.session_days = 0, "`session_days` is 0"),
            (|s| s.max_photo_bytes = 10, "`max_photo_bytes` is 10"),
            (|s| s.public_url = Some("parts.example.com".to_owned()), "`public_url` is parts.example.com"),
        ];
        for (change, expected) in cases {
            let mut settings = Settings::default();
            change(&mut settings);
            let message = settings.check().unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn what_is_not_set_follows_the_device() {
        let unset = Settings::default();
        let gpu = ComputeDevice::Cuda(1);
        assert_eq!(unset.effective_engine_threads(gpu), 1);
        assert!((1..=8).contains(&unset.effective_engine_threads(ComputeDevice::Cpu)));
        assert_eq!(unset.effective_max_batch("CPU"), 1);
        assert_eq!(unset.effective_max_batch(&gpu.to_string()), 32);
        let set = Settings { engine_threads: 3, max_batch: 7, ..Settings::default() };
        for device in [gpu, ComputeDevice::Cpu] {
            assert_eq!(set.effective_engine_threads(device), 3);
            assert_eq!(set.effective_max_batch(&device.to_string()), 7);
        }
    }
}
