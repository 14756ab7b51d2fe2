use std::path::PathBuf;

use partsight_domain::{PhotoKeeping, ServiceUrl, settings};
use partsight_inference::{ComputeDevice, Device, Engine, PhotoLimits, control_group_memory, is_kebab_case};
use partsight_providers::is_encrypted_or_local;

use super::DatabaseUrl;

/// Name of the model that is part of the program.
pub const EMBEDDED_MODEL: &str = "partsight-50";

settings! {
    /// What is kept, and where; [several servers](scaling.md) share one PostgreSQL database.
    pub struct DataSettings {
        /// Folder for the database, imported models and vehicle facts; created if it is missing.
        "data_dir" dir: PathBuf = PathBuf::from("data"), without "`~/.local/share/partsight`";
        /// The database. Several servers share one PostgreSQL database, which `partsight migrate` prepares.
        "database_url" database_url: Option<DatabaseUrl> = None, without "the file `partsight.db` in `data_dir`",
            must be "an address such as `postgres://user:password@host/name`, or `sqlite:` and the path of a file, which is created \
                     if it is missing"
            if |url| url.as_ref().is_none_or(DatabaseUrl::is_known);
        /// What the history keeps of a photograph: `none`, `thumbnail` (a small picture without metadata), or `full` (also
        /// the photograph as it was sent). Pictures that are no longer kept after a change are deleted a day later,
        /// unless another server on the database keeps them.
        "keep_photos" keep_photos: PhotoKeeping = PhotoKeeping::default();
        /// Days after which kept pictures are deleted, when the server starts and then every hour; with 0 they are kept as
        /// long as their scans.
        "keep_photos_days" keep_photos_days: u32 = 0, in 0..=36_500;
    }
}

settings! {
    /// Limits on photographs, and on the memory for uploading and decoding them.
    pub struct PhotoSettings {
        /// Largest photograph, in bytes.
        "max_photo_bytes" max_bytes: usize = 25 * 1024 * 1024, in 1024..;
        /// Largest photograph, in pixels (width times height).
        "max_photo_pixels" max_pixels: u64 = 64_000_000, in 1..;
        /// Memory, in bytes, for all photographs that are being uploaded or wait for the model. A photograph that does not
        /// fit is answered "busy". Five of the largest photographs always fit. Batches and evaluations use at most half of
        /// this memory, and wait until it is free.
        "max_upload_bytes" max_upload_bytes: usize = 512 * 1024 * 1024, in 1024..;
        /// Memory, in bytes, for decoding: the total for all photographs that are decoded at the same time. A HEIC of 12
        /// megapixels needs about 200 MB, a rotated one 260 MB. Further photographs wait; one that needs more than the
        /// total is refused. Photographs that need at most an eighth of the total may exceed it by an eighth, so that a
        /// few huge ones cannot delay them. If the memory of the process is limited (`ulimit -v`, a container), at most a
        /// third of what is left is used.
        // Less would refuse photographs of 12 megapixels.
        "max_decoding_bytes" max_decoding_bytes: u64 = 1 << 30,
            must be "268435456 (256 MiB) or more" if |bytes| *bytes >= 256 << 20;
    }
}

settings! {
    /// The model, and the hardware that it runs on: [models and GPU](models.md).
    pub struct ModelSettings {
        /// Name of the model: `partsight-50` for the embedded one, else the name of a folder in `models` of `data_dir`,
        /// where `partsight models import` puts models.
        "model" name: String = EMBEDDED_MODEL.to_owned(),
            must be "a name such as `clip-vit-base-patch32`; for a folder set `model_dir`"
            if |name| is_kebab_case(name);
        /// Folder of a model that is used instead of `model`.
        "model_dir" dir: Option<PathBuf> = None;
        /// Whether text, barcodes and matrix codes on photographs are read. This is done after a scan is answered, while
        /// nobody waits.
        "read_text" read_text: bool = true;
        /// Folder of networks that read text, which are used instead of the embedded ones.
        "reading_dir" reading_dir: Option<PathBuf> = None;
        /// `auto` uses a GPU if one works, and otherwise the processor. `cpu` uses the processor. `cuda:N` uses the GPU with
        /// that number, and it is an error if there is none; `cuda` means `cuda:0`.
        "device" device: Device = Device::Auto;
        /// Path of ONNX Runtime's shared library.
        "onnxruntime" onnxruntime: Option<PathBuf> = None,
            without "searched for beside the program, in the user's cache and in the system";
        /// Inference threads. On ONNX Runtime each has its own copy of the model, otherwise they share one.
        "engine_threads" engine_threads: usize = 0, in 0..=256,
            without "0: one per core, at most 8; one on a GPU; fewer where the copies would take more than half of the \
                     memory that a service or container may use";
        /// Largest number of photographs in one run of the model. On a processor whose caches hold the model, as they do
        /// the shipped one, photographs one by one are as fast and need less memory.
        "max_batch" max_batch: usize = 0, in 0..=1024,
            without "0: 32 on a GPU; on a processor 1, or 8 for a model that is in safetensors or larger than 64 MB";
        /// Photographs that may wait or be processed at the same time; one more is answered "busy".
        "queue_capacity" queue_capacity: usize = 128, in 1..=100_000;
        /// Milliseconds that may pass from the end of an upload to its answer. A photograph that would take longer at the
        /// current pace is refused at once, with 503 and `Retry-After`. If this machine needs more than half of this time
        /// for one photograph, the limit is twice the time for one.
        "answer_within_ms" answer_within_ms: u32 = 2000, in 100..=600_000;
        /// Photographs of batches that this server answers at the same time. While a person's scan is being answered,
        /// batches run one photograph at a time, at most 20 a second; while such a scan waits, they start none.
        "batch_workers" batch_workers: usize = 0, in 0..=256,
            without "0: two per core, and more if the model runs several photographs together";
        /// A folder on this machine, such as the one in which a camera or a scanner of the shop saves photographs. Everybody
        /// with an account may add photographs from it to a batch, by the name of a folder in it.
        "batch_dir" batch_dir: Option<PathBuf> = None, without "photographs of batches can only be uploaded";
    }
}

settings! {
    /// How long people stay signed in, and limits on failed sign-ins and on API keys.
    pub struct AccountSettings {
        /// Days after which a signed-in browser must sign in again.
        "session_days" session_days: u32 = 30, in 1..=3650;
        /// Days without use after which a browser must sign in again.
        "session_idle_days" session_idle_days: u32 = 14, in 1..=3650;
        /// Failed sign-ins to one account from one address before people must wait; one is forgiven every 90 seconds. Over
        /// all accounts, an address may fail five times as often. 0 means no limit.
        "sign_in_attempts" sign_in_attempts: u32 = 10, in 0..=100_000;
        /// Requests per minute with one API key; 0 means no limit.
        "api_key_requests" api_key_requests: u32 = 600, in 0..=1_000_000;
    }
}

settings! {
    /// Services that add facts about vehicles to those of the embedded tables.
    pub struct VehicleSettings {
        /// A VIN decoder that signed-in people may ask; the VIN then leaves your machine.
        "vin_decoder_url" vin_decoder_url: Option<ServiceUrl> = None, without "VINs are decoded locally only",
            must be "an address with `https`, such as `https://vpic.nhtsa.dot.gov/api`"
            if |url| url.as_deref().is_none_or(is_encrypted_or_local);
        /// A service that lists recalls and complaints by make, model and model year, as that of the US traffic safety
        /// administration does. These three then leave your machine; a VIN does not.
        "recalls_url" recalls_url: Option<ServiceUrl> = None, without "no service is asked for recalls",
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
    /// The number of inference threads for a device: the setting, or one on a GPU, or one a core up to 8 and to what the
    /// memory of the service or container allows. `copied_bytes` is the size of the weights that each copies, 0 for none.
    pub fn effective_engine_threads(&self, device: ComputeDevice, copied_bytes: u64) -> usize {
        match self.engine_threads {
            0 if device.is_gpu() => 1,
            0 => {
                let cores = std::thread::available_parallelism().map_or(1, usize::from);
                cores.min(8).min(engines_within(control_group_memory(), copied_bytes))
            }
            threads => threads,
        }
    }

    /// Most photographs in one run: the setting, or what the engine gains by.
    pub fn effective_max_batch(&self, engine: &dyn Engine) -> usize {
        if self.max_batch == 0 { engine.usual_batch() } else { self.max_batch }
    }
}

/// How many engines that copy `copied_bytes` of weights fit into half of this memory, at least one; the other half is for
/// decoding photographs and the rest. An engine takes twice its weights: ONNX Runtime repacks them (measured with 1.31.1:
/// 1.4 times for products of matrices, 2.3 times for convolutions of 3x3).
fn engines_within(memory: Option<u64>, copied_bytes: u64) -> usize {
    let most = memory.and_then(|bytes| (bytes / 4).checked_div(copied_bytes));
    most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_a_model_leave_half_of_the_memory_of_a_service() {
        let clip = 350 << 20;
        for (memory, copied_bytes, most) in [
            (Some(8 << 30), clip, 5),
            (Some(2 << 30), clip, 1),
            (Some(1 << 20), clip, 1),
            (Some(2 << 30), 0, usize::MAX),
            (None, clip, usize::MAX),
        ] {
            assert_eq!(engines_within(memory, copied_bytes), most, "{memory:?} {copied_bytes}");
        }
    }

    #[test]
    fn what_is_not_set_follows_the_device() {
        let unset = ModelSettings::default();
        let gpu = ComputeDevice::Cuda(1);
        assert_eq!(unset.effective_engine_threads(gpu, 1), 1);
        assert!((1..=8).contains(&unset.effective_engine_threads(ComputeDevice::Cpu, 1)));
        let set = ModelSettings { engine_threads: 3, max_batch: 7, ..ModelSettings::default() };
        for device in [gpu, ComputeDevice::Cpu] {
            assert_eq!(set.effective_engine_threads(device, u64::MAX), 3);
        }
    }
}
