//! The decoding process: takes photographs on standard input and answers on standard output.

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

/// How the process ends when a photograph takes longer than it may.
pub(super) const TOO_LONG: i32 = 75;

/// Shortest nap of the watchdog.
const SHORTEST_NAP: Duration = Duration::from_millis(5);

/// Decodes photographs from standard input until it ends; the program's hidden command `decode-photo`.
///
/// First the process gives up what decoding does not need: files, other processes, core dumps. What it may
/// compute and take is limited anew for each photograph.
///
/// # Errors
/// What reading, writing or setting a limit failed with.
pub fn serve_decoding() -> io::Result<()> {
    // Threads count as processes, so all start before the limits.
    let n_threads = thread::available_parallelism().map_or(1, usize::from).min(TILE_THREADS);
    rayon::ThreadPoolBuilder::new().num_threads(n_threads).build_global().map_err(io::Error::other)?;
    let (photographs, watched) = mpsc::channel();
    thread::Builder::new().name("watchdog".to_owned()).spawn(move || watch(&watched, n_threads))?;
    let confined = confine::confine()?;
    // Opened by whoever started the process: the limit on files forbids new ones only.
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    while let Some(request) = read_head::<Request>(&mut input)? {
        let limit = Duration::from_millis(request.cpu_ms);
        let until = confine::cpu_time() + limit;
        confined.allow(request.memory_bytes, limit)?;
        // Nobody listens only after the watchdog's end, and that ends the process.
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
    // Freed before the pixels are written, which takes as long as the reader lets it.
    drop(bytes);
    write_head(output, &Reply::of(&outcome))?;
    if let Ok(picture) = &outcome {
        output.write_all(&picture.pixels)?;
    }
    output.flush()
}

fn picture(bytes: &[u8], request: &Request) -> Result<Picture, PhotoError> {
    let limits = request.limits();
    // JPEG, which alone can have less, is decoded by whoever asks.
    decode(bytes, &PhotoHeader::read(bytes, &limits)?, &limits, request.alpha(), Detail::FULL)
}

/// Ends the process as soon as a photograph has computed until the moment that was sent with it.
fn watch(photographs: &Receiver<Option<Duration>>, n_threads: usize) {
    while let Ok(message) = photographs.recv() {
        let Some(until) = message else { continue };
        loop {
            let left = until.saturating_sub(confine::cpu_time());
            if left.is_zero() {
                // Nothing needs to be put in order, and a decoder cannot be stopped in any gentler way.
                std::process::exit(TOO_LONG);
            }
            // Processor time passes at most once on each thread.
            let nap = (left / (n_threads as u32 + 1)).max(SHORTEST_NAP);
            if !matches!(photographs.recv_timeout(nap), Err(RecvTimeoutError::Timeout)) {
                break;
            }
        }
    }
}
