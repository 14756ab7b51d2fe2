//! Decodes photographs in separate processes of this program, by its hidden command `decode-photo`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use partsight_app::{DecoderCommand, PhotoDecoder, Settings, serve_decoding};

/// Name of the hidden command. `Arguments` does not have it, because clap would list it where a command is missing.
const COMMAND: &str = "decode-photo";

/// A decoder with the limits of `settings`; formats other than JPEG are decoded in separate processes.
pub(crate) fn decoder(settings: &Settings) -> PhotoDecoder {
    let limits = settings.photos.limits();
    let decoder = match this_program() {
        Ok(program) => {
            PhotoDecoder::isolated(limits, DecoderCommand { program, arguments: vec![COMMAND.to_owned()] })
        }
        Err(error) => {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "where this program lies is not known, so photographs are decoded without a process of their own"
            );
            PhotoDecoder::in_process(limits)
        }
    };
    decoder.with_memory(settings.photos.max_decoding_bytes)
}

/// Whether this process was started to run the command.
pub(crate) fn is_asked() -> bool {
    std::env::args_os().skip(1).eq([COMMAND])
}

/// Runs the command.
pub(crate) fn serve() -> anyhow::Result<ExitCode> {
    serve_decoding().context("cannot decode photographs for another process")?;
    Ok(ExitCode::SUCCESS)
}

fn this_program() -> std::io::Result<PathBuf> {
    // On Linux this path is the running program even after a new version replaced its file.
    if cfg!(target_os = "linux") { Ok(PathBuf::from("/proc/self/exe")) } else { std::env::current_exe() }
}
