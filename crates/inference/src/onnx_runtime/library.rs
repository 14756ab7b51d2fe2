//! Searches the shared library, and checks the file before it is loaded.

use std::{
    env,
    ffi::OsString,
    fmt,
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use super::{ONNX_RUNTIME_VERSION, OnnxRuntimeError};
use crate::Result;

/// Library folders of common Linux distributions, searched after `LD_LIBRARY_PATH`.
const SYSTEM_FOLDERS: [&str; 6] = [
    "/usr/local/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/opt/onnxruntime/lib",
];

/// Bytes searched for symbol versions, which are near the beginning of the file: at 24 KiB in release 1.31.1.
const HEAD_BYTES: u64 = 4 * 1024 * 1024;

/// Length of the ELF header of a 64-bit file.
const ELF_HEADER_BYTES: usize = 64;

/// A released version of ONNX Runtime.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version {
    major: u32,
    minor: u32,
    patch: u32,
}

impl Version {
    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('.').map(|number| number.parse().ok());
        let (major, minor) = (numbers.next()??, numbers.next()??);
        Some(Self { major, minor, patch: numbers.next().flatten().unwrap_or(0) })
    }

    /// The oldest version whose API has every function that is called here.
    fn minimum() -> Self {
        Self { major: 1, minor: ort::MINOR_VERSION, patch: 0 }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// The first existing file of the search order.
pub(super) fn find() -> Result<PathBuf, OnnxRuntimeError> {
    let candidates = candidates();
    if let Some(found) = candidates.iter().find(|path| path.is_file()) {
        return Ok(found.clone());
    }
    Err(OnnxRuntimeError::Missing { searched: candidates })
}

fn candidates() -> Vec<PathBuf> {
    let name = format!("{}onnxruntime{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let beside = env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_owned));
    let cache = cache_folder().map(|cache| cache.join("partsight/onnxruntime").join(ONNX_RUNTIME_VERSION));
    let listed: Vec<PathBuf> = variable("LD_LIBRARY_PATH")
        // A relative folder would depend on the working directory, where anybody could put a library.
        .map(|folders| env::split_paths(&folders).filter(|folder| folder.is_absolute()).collect())
        .unwrap_or_default();
    let system = SYSTEM_FOLDERS.iter().map(PathBuf::from);
    beside.into_iter().chain(cache).chain(listed).chain(system).map(|folder| folder.join(&name)).collect()
}

fn cache_folder() -> Option<PathBuf> {
    // The XDG base directory specification says to ignore relative values.
    let stated = variable("XDG_CACHE_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    stated.or_else(|| variable("HOME").map(|home| PathBuf::from(home).join(".cache")))
}

fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// Reads the version out of the file, without loading it.
///
/// Loading runs the library's own code, whose errors cannot be caught: a truncated file crashes the process with a
/// bus error. Only ELF files can be examined; on other systems only the loader checks the file, and the version is
/// assumed to be the pinned one.
pub(super) fn check(path: &Path) -> Result<Version, OnnxRuntimeError> {
    if !cfg!(target_os = "linux") {
        return Version::parse(ONNX_RUNTIME_VERSION).ok_or_else(|| not(path, "its version is unknown"));
    }
    let version = examine(path)?;
    if version < Version::minimum() {
        return Err(OnnxRuntimeError::TooOld {
            path: path.to_owned(),
            found: version.to_string(),
            minimum: Version::minimum().to_string(),
        });
    }
    Ok(version)
}

fn examine(path: &Path) -> Result<Version, OnnxRuntimeError> {
    let unreadable = |source| match source {
        source if std::io::Error::kind(&source) == std::io::ErrorKind::NotFound => {
            OnnxRuntimeError::NoFile { path: path.to_owned() }
        }
        source => OnnxRuntimeError::Start { path: path.to_owned(), source: Box::new(source) },
    };
    let mut file = File::open(path).map_err(unreadable)?;
    let size_bytes = file.seek(SeekFrom::End(0)).map_err(unreadable)?;
    file.rewind().map_err(unreadable)?;
    let mut head = Vec::new();
    file.take(HEAD_BYTES).read_to_end(&mut head).map_err(unreadable)?;

    let Some(header) = head.first_chunk::<ELF_HEADER_BYTES>().filter(|header| header.starts_with(b"\x7FELF"))
    else {
        return Err(not(path, "it is not a shared library"));
    };
    // The loader would refuse it too, but this message states the reason.
    if !is_for_this_machine(header) {
        return Err(not(path, "it is built for another processor"));
    }
    // A partial download: mapping it succeeds, but accessing a page beyond its end crashes the process.
    if end_of_sections(header) > size_bytes {
        return Err(not(path, "the file is cut short"));
    }
    symbol_version(&head).ok_or_else(|| not(path, "it exports nothing of ONNX Runtime"))
}

fn not(path: &Path, reason: &'static str) -> OnnxRuntimeError {
    OnnxRuntimeError::NotOnnxRuntime { path: path.to_owned(), reason }
}

/// Class (64 bits), byte order (little) and machine, at offsets 4, 5 and 18 of the ELF header.
fn is_for_this_machine(header: &[u8; ELF_HEADER_BYTES]) -> bool {
    let machine = u16::from_le_bytes([header[18], header[19]]);
    let expected = match env::consts::ARCH {
        "x86_64" => 62,
        "aarch64" => 183,
        // For other architectures the check is left to the loader.
        _ => machine,
    };
    header[4] == 2 && header[5] == 1 && machine == expected
}

/// The section header table is at the end of the file: offset at 40, entry size at 58, entry count at 60.
fn end_of_sections(header: &[u8; ELF_HEADER_BYTES]) -> u64 {
    let mut offset = [0; 8];
    offset.copy_from_slice(&header[40..48]);
    let entry_bytes = u64::from(u16::from_le_bytes([header[58], header[59]]));
    let entries = u64::from(u16::from_le_bytes([header[60], header[61]]));
    u64::from_le_bytes(offset).saturating_add(entry_bytes * entries)
}

/// Every build has its exported symbols versioned as `VERS_<version>`.
fn symbol_version(head: &[u8]) -> Option<Version> {
    const MARK: &[u8] = b"VERS_";
    let at = head.windows(MARK.len()).position(|window| window == MARK)? + MARK.len();
    // 16 characters are enough for every version, and bound the text if no zero follows.
    let text: String =
        head[at..].iter().take(16).map_while(|&byte| (byte != 0).then_some(char::from(byte))).collect();
    Version::parse(&text)
}
