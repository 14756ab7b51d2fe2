use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use partsight_inference::{Fingerprint, Photo, PhotoDecoder, PhotoError, PhotoLimits};
use rayon::iter::{ParallelBridge, ParallelIterator};
use sha2::{Digest, Sha256};

use crate::recognition::bulk_options::BulkOptions;
use crate::with_causes;
use crate::{Error, Identification, Identifier, OcclusionMap, Result};

/// Results that may be queued before the readers pause. Results that wait for an earlier one are not bounded: they
/// have a few hundred bytes each.
const RESULTS_IN_FLIGHT: usize = 1024;

/// The result of one file.
#[derive(Debug)]
pub struct FileScan<T = Identification> {
    /// As it was given.
    pub path: PathBuf,
    /// SHA-256 of its bytes, if requested and the file can be read.
    pub sha256: Option<[u8; 32]>,
    /// The answer, or why there is none.
    pub outcome: Result<T, FileError>,
}

/// Why a file has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file cannot be read.
    #[error("cannot read the file")]
    Read(#[source] io::Error),
    /// The file is a folder, a device or the like.
    #[error("this is not a file")]
    NotAFile,
    /// A stream without a known length has more bytes than a photograph may have.
    #[error(
        "the photo has more than {limit_bytes} bytes, which is the limit: send a smaller or more compressed \
         one"
    )]
    MoreBytes {
        /// The limit.
        limit_bytes: usize,
    },
    /// It cannot be identified.
    #[error(transparent)]
    Identify(Error),
    /// It triggered a bug in this program, which was reported on standard error.
    #[error("this photo made the recognition fail, which is a fault of this program: please report it")]
    Fault,
}

impl FileError {
    /// The failure with all its causes on one line, for a row beside the file's path.
    pub fn reason(&self) -> String {
        match self {
            // The row already says that the photograph cannot be read; the cause says why.
            Self::Identify(Error::Photo { source }) => with_causes(source),
            other => with_causes(other),
        }
    }
}

impl Identifier {
    /// Identifies many files, and hands each result to `each`, in the order of `paths`.
    ///
    /// A failed file is a result like any other. `each` returns whether to continue; after `false` no further file is
    /// started. At most `jobs` photographs are in memory, and `paths` is consumed lazily.
    ///
    /// # Errors
    /// [`Error::Internal`] when the threads cannot be started.
    pub fn identify_files(
        &self,
        paths: impl IntoIterator<Item: Into<PathBuf>, IntoIter: Send>,
        options: BulkOptions<'_>,
        each: impl FnMut(FileScan) -> bool,
    ) -> Result<()> {
        for_each_file(paths.into_iter(), options.jobs, |path| self.identify_file(path, options), each)
    }

    /// Computes the fingerprints of many files without running the model; otherwise as
    /// [`Identifier::identify_files`].
    ///
    /// # Errors
    /// [`Error::Internal`] when the threads cannot be started.
    pub fn fingerprint_files(
        &self,
        paths: &[PathBuf],
        jobs: usize,
        each: impl FnMut(FileScan<Fingerprint>) -> bool,
    ) -> Result<()> {
        let fingerprint = |path: &Path| {
            (None, open_photo(path, self.decoder()).map(|photo| self.fingerprint_blocking(&photo)))
        };
        for_each_file(paths.iter(), jobs, fingerprint, each)
    }

    /// Computes the embeddings of many files, f32 `[d]` each, with a second look as for a scan; otherwise as
    /// [`Identifier::identify_files`].
    ///
    /// # Errors
    /// [`Error::Internal`] when the threads cannot be started.
    pub fn embed_files(
        &self,
        paths: &[PathBuf],
        jobs: usize,
        each: impl FnMut(FileScan<Vec<f32>>) -> bool,
    ) -> Result<()> {
        let embed = |path: &Path| {
            let bytes = read_photo(path, &self.limits());
            (None, bytes.and_then(|bytes| self.embed_blocking(&bytes).map_err(FileError::Identify)))
        };
        for_each_file(paths.iter(), jobs, embed, each)
    }

    /// The occlusion map of a photograph file for the answer `class`, an index into [`Identifier::labels`], on the
    /// calling thread.
    ///
    /// # Errors
    /// As a row of [`Identifier::identify_files`].
    pub fn occlusion_map_of_file(&self, path: &Path, class: usize) -> Result<OcclusionMap, FileError> {
        let photo = open_photo(path, self.decoder())?;
        self.occlusion_map_blocking(&photo, class).map_err(FileError::Identify)
    }

    /// As [`Identifier::identify_files`] for one photograph from [`read_stream`]; `name` replaces the path.
    pub fn identify_stream(
        &self,
        name: PathBuf,
        bytes: Result<Vec<u8>, FileError>,
        options: BulkOptions<'_>,
    ) -> FileScan {
        let (sha256, outcome) = self.identify_bytes(bytes, options);
        FileScan { path: name, sha256, outcome }
    }

    fn identify_file(
        &self,
        path: &Path,
        options: BulkOptions<'_>,
    ) -> (Option<[u8; 32]>, Result<Identification, FileError>) {
        self.identify_bytes(read_photo(path, &self.limits()), options)
    }

    fn identify_bytes(
        &self,
        bytes: Result<Vec<u8>, FileError>,
        options: BulkOptions<'_>,
    ) -> (Option<[u8; 32]>, Result<Identification, FileError>) {
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(error) => return (None, Err(error)),
        };
        let sha256 = options.with_sha256.then(|| Sha256::digest(&bytes).into());
        let outcome = self.identify_blocking(&bytes, options).and_then(|identification| {
            let regions = options.with_regions.then(|| self.identify_regions_blocking(&bytes, options));
            Ok(Identification { regions: regions.transpose()?, ..identification })
        });
        (sha256, outcome.map_err(FileError::Identify))
    }
}

/// Reads and decodes one photograph.
///
/// # Errors
/// As a row of [`Identifier::identify_files`].
pub fn open_photo(path: &Path, decoder: &PhotoDecoder) -> Result<Photo, FileError> {
    let bytes = read_photo(path, decoder.limits())?;
    decoder.decode(&bytes).map_err(|source| FileError::Identify(source.into()))
}

fn for_each_file<T: Send>(
    paths: impl Iterator<Item: Into<PathBuf>> + Send,
    jobs: usize,
    work: impl Fn(&Path) -> (Option<[u8; 32]>, Result<T, FileError>) + Sync,
    mut each: impl FnMut(FileScan<T>) -> bool,
) -> Result<()> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.max(1))
        .thread_name(|index| format!("scan-{index}"))
        .build()
        .map_err(Error::internal)?;
    let (sender, receiver) = mpsc::sync_channel(RESULTS_IN_FLIGHT);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Moved in here, so that the receiver sees the end when the work ends.
            let sender = sender;
            pool.install(|| {
                // `par_bridge` hands out the paths in order, so that results come nearly in order too; splitting the
                // slice would start in the middle.
                let paths = paths.map(Into::<PathBuf>::into);
                let _ = paths.enumerate().par_bridge().try_for_each(|(index, path)| {
                    // A bug that one photograph of a million triggers must not end the run.
                    let worked = panic::catch_unwind(AssertUnwindSafe(|| work(&path)));
                    let (sha256, outcome) = worked.unwrap_or((None, Err(FileError::Fault)));
                    // Fails once the receiver is dropped: that is how `each` stops the work.
                    sender.send((index, FileScan { path, sha256, outcome })).ok()
                });
            });
        });
        // Early results wait here for those before them.
        let mut early = BTreeMap::new();
        let mut next = 0;
        for (index, scan) in &receiver {
            early.insert(index, scan);
            while let Some(scan) = early.remove(&next) {
                next += 1;
                if !each(scan) {
                    // The next sender fails, which stops the work.
                    drop(receiver);
                    return;
                }
            }
        }
    });
    Ok(())
}

/// Reads a photograph of at most `limit_bytes` from a stream without a known length, such as standard input.
///
/// # Errors
/// [`FileError::Read`], [`FileError::MoreBytes`].
pub fn read_stream(stream: impl Read, limit_bytes: usize) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    // One byte above the limit is enough to refuse it, however much is sent.
    let read = stream.take(limit_bytes as u64 + 1).read_to_end(&mut bytes);
    read.map_err(FileError::Read)?;
    if bytes.len() > limit_bytes { Err(FileError::MoreBytes { limit_bytes }) } else { Ok(bytes) }
}

pub(crate) fn read_photo(path: &Path, limits: &PhotoLimits) -> Result<Vec<u8>, FileError> {
    let read = FileError::Read;
    // Asked before opening: opening a named pipe waits for somebody to write to it.
    let metadata = fs::metadata(path).map_err(read)?;
    if !metadata.is_file() {
        return Err(FileError::NotAFile);
    }
    let file = File::open(path).map_err(read)?;
    // One byte above the limit is enough to refuse it with the reason, however large the file is.
    let limit = limits.max_bytes as u64 + 1;
    // No more capacity than a photograph may take, whatever length the file states.
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len().min(limit)).unwrap_or_default());
    file.take(limit).read_to_end(&mut bytes).map_err(read)?;
    if bytes.len() as u64 == limit {
        let size_bytes = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
        let source = PhotoError::TooManyBytes { size_bytes, limit_bytes: limits.max_bytes };
        return Err(FileError::Identify(source.into()));
    }
    Ok(bytes)
}
