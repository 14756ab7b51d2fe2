//! A photograph on standard input.

use std::io::{self, IsTerminal as _};

use anyhow::bail;
use partsight_app::{FileError, Settings, read_stream};

use super::arguments::ScanArguments;
use crate::misfit::Misfit;

/// Stands for standard input in place of a path.
pub(super) const NAME: &str = "-";

/// Whether the arguments name standard input.
///
/// # Errors
/// For arguments that cannot be combined with it.
pub(super) fn is_named(arguments: &ScanArguments) -> anyhow::Result<bool> {
    if !arguments.paths.iter().any(|path| path.as_os_str() == NAME) {
        return Ok(false);
    }
    if arguments.paths.len() > 1 {
        bail!(Misfit::new(
            "`-` is one photograph on standard input, without other paths; a file of that name is `./-`"
        ));
    }
    if arguments.resume {
        bail!(Misfit::new("--resume cannot go on with `-`: standard input is another photograph each time"));
    }
    if arguments.shard.is_some() {
        bail!(Misfit::new("--shard is for many photographs, and `-` is one on standard input"));
    }
    if io::stdin().is_terminal() {
        bail!("nothing is piped into standard input; write `partsight scan - < photo.jpg`");
    }
    Ok(true)
}

/// The bytes of standard input, within the limit of a photograph.
pub(super) fn read(settings: &Settings) -> Result<Vec<u8>, FileError> {
    read_stream(io::stdin().lock(), settings.photos.max_bytes)
}
