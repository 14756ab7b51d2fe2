use std::path::PathBuf;

use partsight_domain::{PhotoKeeping, ServiceUrl, settings};
use partsight_inference::{ComputeDevice, Device, Engine, PhotoLimits, is_kebab_case};
use partsight_providers::is_encrypted_or_local;

use super::DatabaseUrl;

/// Name of the model that is part of the program.
pub const EMBEDDED_MODEL: &str = "partsight-50";

settings! {
    /// What is kept, and where; [several servers](scaling.md) share a database of PostgreSQL.
    pub struct DataSettings {
        /// Folder of the database, imported models and vehicle facts; created when missing.
        "data_dir" dir: PathBuf = PathBuf::from("data"), without "`~/.local/share/partsight`";
        /// The database; several servers share one of PostgreSQL, which is prepared with `partsight migrate`.
        "database_url" database_url: Option<DatabaseUrl> = None, without "the file `partsight.db` in `data_dir`",
            must be "an address such as `postgres://user:password@host/name`, or `sqlite:` and the path of a file, which is made when \
                     it is missing"
            if |url| url.as_ref().is_none_or(DatabaseUrl::is_known);
        /// What the history keeps of a photograph: `none`, `thumbnail` for a small picture of the pixels alone, or `full`
        /// for the photograph as it was sent, too.
        "keep_photos" keep_photos: PhotoKeeping = PhotoKeeping::default();
        /// Days after which kept pictures are deleted; 0 keeps them as long as their scans.
        "keep_photos_days" keep_photos_days: u32 = 0, in 0..=36_500;
    }
}

settings! {
    /// What photographs may be, and what reading them may take.
    pub struct PhotoSettings {
        /// Largest photograph, in bytes.
        "max_photo_bytes" max_bytes: usize = 25 * 1024 * 1024, in 1024..;
        /// Largest photograph, in pixels (width times height).
        "max_photo_pixels" max_pixels: u64 = 64_000_000, in 1..;
        /// Bytes of memory for all photographs that are being uploaded or wait for the model; a further one is answered
        /// "busy". Five of the largest photographs always fit. Batches and evaluations use at most half, and wait for it.
        "max_upload_bytes" max_upload_bytes: usize = 512 * 1024 * 1024, in 1024..;
        /// Memory for decoding, in bytes, for all photographs at a time together. A HEIC of 12 megapixels needs about
        /// 200 MB, one that is turned 260 MB; more photographs wait, and one that needs more than all is refused. Where
        /// the process is limited (`ulimit -v`, a container), at most a third of what is left is taken.
        // Less would refuse photographs of 12 megapixels.
        "max_decoding_bytes" max_decoding_bytes: u64 = 1 << 30,
            must be "268435456 (256 MiB) or more" if |bytes| *bytes >= 256 << 20;
    }
}

settings! {
    /// The model and what it computes on: [models and GPU](models.md).
    pub struct ModelSettings {
        /// Name of the model: `partsight-50` is the embedded one, any other a folder in `models` of `data_dir`, where
        /// `partsight models import` puts it.
        "model" name: String = EMBEDDED_MODEL.to_owned(),
            must be "a name such as `clip-vit-base-patch32`; a folder goes into `model_dir`"
            if |name| is_kebab_case(name);
        /// Folder of a model, used in place of `model`.
        "model_dir" dir: Option<PathBuf> = None;
        /// Whether text, barcodes and matrix codes on photographs are read: after the answer to a scan, when nobody waits.
        "read_text" read_text: bool = true;
        /// Folder of the networks that read text, used in place of the embedded ones.
        "reading_dir" reading_dir: Option<PathBuf> = None;
        /// `auto` for a GPU where one works and the processor otherwise, `cpu`, or `cuda:N` for the GPU of that number,
        /// whose absence is then an error. `cuda` is `cuda:0`.
        "device" device: Device = Device::Auto;
        /// ONNX Runtime's shared library.
        "onnxruntime" onnxruntime: Option<PathBuf> = None,
            without "looked for beside the program, in the user's cache and in the system";
        /// Inference threads, each with its own copy of the model.
        "engine_threads" engine_threads: usize = 0, in 0..=256, without "0: one a core up to 8; one on a GPU";
        /// Most photographs in one run of the model. On a processor, photographs one by one are as quick and need less memory
        /// where its caches hold the model, as they do the shipped one.
        "max_batch" max_batch: usize = 0, in 0..=1024,
            without "0: 32 on a GPU; on a processor 1, or 8 for a model in safetensors or of more than 64 MB";
        /// Photographs that may wait or be worked on at a time; one more is answered "busy".
        "queue_capacity" queue_capacity: usize = 128, in 1..=100_000;
        /// Milliseconds from the end of an upload to its answer. A photograph that would take longer at the current pace is
        /// refused at once, with 503 and `Retry-After`. On a machine that needs more than half of this time for one
        /// photograph, the limit is twice what one needs.
        "answer_within_ms" answer_within_ms: u32 = 2000, in 100..=600_000;
        /// Photographs of batches that this server works on at a time. While somebody is at a screen it is one, and while
        /// somebody waits for a scan none.
        "batch_workers" batch_workers: usize = 0, in 0..=256,
            without "0: two a core, and more where photographs are run together";
        /// A folder of this machine whose photographs everybody with an account may add to a batch, by the name of a folder
        /// in it: where a camera or a scanner of the shop saves them.
        "batch_dir" batch_dir: Option<PathBuf> = None, without "photographs of batches are uploaded";
    }
}

settings! {
    /// How long people stay signed in, and how often they may try.
    pub struct AccountSettings {
        /// Days after which a signed-in browser must sign in again.
        "session_days" session_days: u32 = 30, in 1..=3650;
        /// Days without use after which a browser must sign in again.
        "session_idle_days" session_idle_days: u32 = 14, in 1..=3650;
        /// Failed sign-ins to one account from one address before a wait; one is forgiven every 90 seconds. An address
        /// may fail five times as often over all accounts. 0 for no limit.
        "sign_in_attempts" sign_in_attempts: u32 = 10, in 0..=100_000;
        /// Requests a minute with one API key; 0 for no limit.
        "api_key_requests" api_key_requests: u32 = 600, in 0..=1_000_000;
    }
}

settings! {
    /// Where facts about vehicles come from beside the embedded tables.
    pub struct VehicleSettings {
        /// A VIN decoder that signed-in people may ask; the number then leaves your machine.
        "vin_decoder_url" vin_decoder_url: Option<ServiceUrl> = None, without "VINs are decoded locally only",
            must be "an address with `https`, such as `https://vpic.nhtsa.dot.gov/api`"
            if |url| url.as_deref().is_none_or(is_encrypted_or_local);
        /// A service that lists recalls and complaints by make, model and model year, as the US traffic safety
        /// administration's does; these three then leave your machine, and no VIN.
        "recalls_url" recalls_url: Option<ServiceUrl> = None, without "nobody is asked for recalls",
            must be "an address with `https`, such as `https://api.nhtsa.gov`"
            if |url| url.as_deref().is_none_or(is_encrypted_or_local);
    }
}

impl DataSettings {
    /// Where models lie that are not part of the program, one folder each.
    pub fn models_dir(&self) -> PathBuf {
        self.dir.join("models")
    }
}

impl PhotoSettings {
    /// What photographs may be.
    pub fn limits(&self) -> PhotoLimits {
        PhotoLimits { max_bytes: self.max_bytes, max_pixels: self.max_pixels }
    }
}

impl ModelSettings {
    /// The number of inference threads for a device: the setting, or one on a GPU, or one a core up to 8.
    pub fn effective_engine_threads(&self, device: ComputeDevice) -> usize {
        match self.engine_threads {
            0 if device.is_gpu() => 1,
            0 => std::thread::available_parallelism().map_or(1, usize::from).min(8),
            threads => threads,
        }
    }

    /// Most photographs in one run: the setting, or what the engine gains by.
    pub fn effective_max_batch(&self, engine: &dyn Engine) -> usize {
        if self.max_batch == 0 { engine.usual_batch() } else { self.max_batch }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_set_follows_the_device() {
        let unset = ModelSettings::default();
        let gpu = ComputeDevice::Cuda(1);
        assert_eq!(unset.effective_engine_threads(gpu), 1);
        assert!((1..=8).contains(&unset.effective_engine_threads(ComputeDevice::Cpu)));
        let set = ModelSettings { engine_threads: 3, max_batch: 7, ..ModelSettings::default() };
        for device in [gpu, ComputeDevice::Cpu] {
            assert_eq!(set.effective_engine_threads(device), 3);
        }
    }
}
