//! The decoding process: reads photographs from standard input and replies on standard output.

use std::io::{self, Read, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::confine;
use super::wire::{Reply, Request, read_head, write_head};
use super::{Detail, PhotoError, PhotoHeader, Picture, decode};
use crate::Result;

/// Threads that decode the tiles of one HEIC photograph.
const TILE_THREADS: usize = 4;

/// Exit code of the process when a photograph exceeds its time limit.
pub(super) const TOO_LONG: i32 = 75;

/// Shortest sleep of the watchdog.
const SHORTEST_NAP: Duration = Duration::from_millis(5);

/// Decodes photographs from standard input until end of file; the program's hidden command `decode-photo`.
///
/// The process first drops what decoding does not need: files, other processes, core dumps. CPU time and memory are
/// limited separately for each photograph.
///
/// # Errors
/// Errors of reading, writing or setting a limit.
pub fn serve_decoding() -> io::Result<()> {
    // Threads count as processes, so all are started before the limits are set.
    let n_threads = thread::available_parallelism().map_or(1, usize::from).min(TILE_THREADS);
    rayon::ThreadPoolBuilder::new().num_threads(n_threads).build_global().map_err(io::Error::other)?;
    let (photographs, watched) = mpsc::channel();
    thread::Builder::new().name("watchdog".to_owned()).spawn(move || watch(&watched, n_threads))?;
    let confined = confine::confine()?;
    // Opened by the parent process: the limit on files affects only new ones.
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    while let Some(request) = read_head::<Request>(&mut input)? {
        let limit = Duration::from_millis(request.cpu_ms);
        let until = confine::cpu_time() + limit;
        confined.allow(request.memory_bytes, limit)?;
        // Sending fails only after the watchdog has ended, which ends the process.
        let _ = photographs.send(Some(until));
        answer(&request, &mut input, &mut output)?;
        let _ = photographs.send(None);
    }
    Ok(())
}

fn answer(request: &Request, input: &mut impl Read, output: &mut impl Write) -> io::Result<()> {
    let mut bytes = vec![0; request.n_bytes];
    input.read_exact(&mut bytes)?;
    let outcome = picture(&bytes, request);
    // Freed before the pixels are written, which takes as long as the reader needs.
    drop(bytes);
    write_head(output, &Reply::of(&outcome))?;
    if let Ok(picture) = &outcome {
        output.write_all(&picture.pixels)?;
    }
    output.flush()
}

fn picture(bytes: &[u8], request: &Request) -> Result<Picture, PhotoError> {
    let limits = request.limits();
    // JPEG, the only format with a reduced size, is decoded in the server process.
    decode(bytes, &PhotoHeader::read(bytes, &limits)?, &limits, request.alpha(), Detail::FULL)
}

/// Ends the process as soon as its CPU time reaches the value sent for a photograph.
fn watch(photographs: &Receiver<Option<Duration>>, n_threads: usize) {
    while let Ok(message) = photographs.recv() {
        let Some(until) = message else { continue };
        loop {
            let left = until.saturating_sub(confine::cpu_time());
            if left.is_zero() {
                // There is nothing to clean up, and a decoder cannot be stopped in a gentler way.
                std::process::exit(TOO_LONG);
            }
            // CPU time advances at most as fast as all threads together.
            let nap = (left / (n_threads as u32 + 1)).max(SHORTEST_NAP);
            if !matches!(photographs.recv_timeout(nap), Err(RecvTimeoutError::Timeout)) {
                break;
            }
        }
    }
}
