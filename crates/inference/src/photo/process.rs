//! Decoding processes, as the process sees them that asks: started when first needed, kept warm, and replaced
//! when one dies.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use super::wire::{Reply, Request, read_head, write_head};
use super::worker::TOO_LONG;
use super::{Alpha, PhotoError, PhotoHeader, PhotoLimits, Picture};
use crate::{Error, Result};

/// The command that runs [`serve_decoding`](crate::serve_decoding).
#[derive(Clone, Debug)]
pub struct DecoderCommand {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// Processes of one command that wait for a photograph. There are never more than threads that decode.
#[derive(Debug)]
pub(super) struct Processes {
    command: DecoderCommand,
    idle: Mutex<Vec<Process>>,
}

/// What one photograph may cost in a decoding process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    /// Processor time.
    pub(super) cpu: Duration,
    /// Time by the clock, after which a process counts as stuck.
    pub(super) wall: Duration,
}

impl Processes {
    pub(super) fn new(command: DecoderCommand) -> Self {
        Self { command, idle: Mutex::default() }
    }

    /// Decodes one photograph. A process that dies of it costs this photograph and nothing else.
    pub(super) fn decode(
        &self,
        bytes: &[u8],
        header: &PhotoHeader,
        limits: &PhotoLimits,
        alpha: Alpha,
        allowance: Allowance,
    ) -> Result<Picture> {
        let request = Request {
            n_bytes: bytes.len(),
            max_bytes: limits.max_bytes,
            max_pixels: limits.max_pixels,
            keeps_alpha: alpha == Alpha::Kept,
            cpu_ms: allowance.cpu.as_millis() as u64,
            memory_bytes: header.decoder_bytes(),
        };
        // Taken out while it works, so that the lock is not held while decoding; the last one used is the warmest.
        let mut process = match self.living() {
            Some(process) => process,
            None => Process::start(&self.command).map_err(|source| Error::DecoderUnavailable { source })?,
        };
        match process.decode(bytes, header, limits, &request, allowance.wall) {
            Some(outcome) => {
                self.idle().push(process);
                Ok(outcome?)
            }
            // It is not put back: after nonsense or death, nothing that it says can be relied on.
            None => Err(process.cause_of_death(header, allowance).into()),
        }
    }

    /// A process that waits for work. One that died while it waited, as the system ends them when memory is short, is
    /// passed over: the next photograph is not to blame.
    fn living(&self) -> Option<Process> {
        loop {
            let mut process = self.idle().pop()?;
            if matches!(process.child.try_wait(), Ok(None)) {
                return Some(process);
            }
        }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Process>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug)]
struct Process {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    was_stuck: bool,
}

impl Process {
    fn start(command: &DecoderCommand) -> io::Result<Self> {
        let mut start = Command::new(&command.program);
        start
            .args(&command.arguments)
            // Keys and passwords may stand in the environment, and decoding needs nothing of it. One arena for
            // all threads, since each reserves address space of its own, which is limited.
            .env_clear()
            .env("MALLOC_ARENA_MAX", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // What a decoder says of a hostile file is for nobody's log; how the process ended is.
            .stderr(Stdio::null());
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt as _;
            // The keys that end this process in a terminal are for this one alone: it still answers what waits.
            start.process_group(0).current_dir("/");
        }
        let mut child = start.spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| io::Error::other("a decoding process has no pipes"))?;
        Ok(Self { child, input, output, was_stuck: false })
    }

    /// `None` once the process is dead or speaks nonsense, and is not to be asked again.
    fn decode(
        &mut self,
        bytes: &[u8],
        header: &PhotoHeader,
        limits: &PhotoLimits,
        request: &Request,
        deadline: Duration,
    ) -> Option<Result<Picture, PhotoError>> {
        let Self { child, input, output, was_stuck } = self;
        thread::scope(|scope| {
            let (done, is_done) = mpsc::channel::<()>();
            // Reading and writing wait for the process; its death ends both.
            scope.spawn(move || {
                // A hang-up of the channel means that the exchange has ended; only a real timeout kills.
                if is_done.recv_timeout(deadline) == Err(mpsc::RecvTimeoutError::Timeout) {
                    *was_stuck = true;
                    let _ = child.kill();
                }
            });
            let outcome = exchange(bytes, header, limits, request, input, output);
            // Wakes the watching thread at once, for which the scope waits.
            drop(done);
            outcome.ok().flatten()
        })
    }

    /// Ends the process, should it live, and says why it gave no picture.
    fn cause_of_death(mut self, header: &PhotoHeader, allowance: Allowance) -> PhotoError {
        let _ = self.child.kill();
        // Killed first, so that this cannot wait for a process that still computes.
        let status = self.child.wait();
        let took_too_long = self.was_stuck
            || status.as_ref().is_ok_and(|status| status.code() == Some(TOO_LONG) || is_cpu_limit(*status));
        tracing::warn!(
            format = %header.format(),
            width = header.width(),
            height = header.height(),
            took_too_long,
            ended = status.map_or_else(|error| error.to_string(), |status| status.to_string()),
            "a decoding process was lost to a photograph"
        );
        if took_too_long {
            PhotoError::TookTooLong { format: header.format(), limit_ms: allowance.cpu.as_millis() as u64 }
        } else {
            PhotoError::DecoderDied { format: header.format() }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Reaps it, so that no dead process stays in the table.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn exchange(
    bytes: &[u8],
    header: &PhotoHeader,
    limits: &PhotoLimits,
    request: &Request,
    input: &mut impl Write,
    output: &mut impl Read,
) -> io::Result<Option<Result<Picture, PhotoError>>> {
    // The whole file is sent before anything is read; the process answers only after it has read it all.
    write_head(input, request)?;
    input.write_all(bytes)?;
    input.flush()?;
    match read_head::<Reply>(output)? {
        Some(reply) => reply.read_picture(output, header.format(), limits),
        None => Ok(None),
    }
}

/// Whether the system ended the process for the processor time it took.
#[cfg(target_os = "linux")]
fn is_cpu_limit(status: std::process::ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    status.signal() == Some(rustix::process::Signal::XCPU.as_raw())
}

#[cfg(not(target_os = "linux"))]
fn is_cpu_limit(_status: std::process::ExitStatus) -> bool {
    false
}
