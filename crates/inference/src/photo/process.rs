//! Client side of the decoding processes: they are started on demand, reused, and replaced when one dies.

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

/// Idle processes of one command. There are at most as many as threads that decode at the same time.
#[derive(Debug)]
pub(super) struct Processes {
    command: DecoderCommand,
    idle: Mutex<Vec<Process>>,
}

/// Limits of one photograph in a decoding process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    /// CPU time.
    pub(super) cpu: Duration,
    /// Wall-clock time after which a process counts as stuck.
    pub(super) wall: Duration,
}

impl Processes {
    pub(super) fn new(command: DecoderCommand) -> Self {
        Self { command, idle: Mutex::default() }
    }

    /// Decodes one photograph. If the process dies, only this photograph fails.
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
        // Removed from the list, so that the lock is not held while decoding; the most recently used process is
        // preferred.
        let mut process = match self.living() {
            Some(process) => process,
            None => Process::start(&self.command).map_err(|source| Error::DecoderUnavailable { source })?,
        };
        match process.decode(bytes, header, limits, &request, allowance.wall) {
            Some(outcome) => {
                self.idle().push(process);
                Ok(outcome?)
            }
            // Not returned to the list: after a crash or an invalid answer the process cannot be trusted.
            None => Err(process.cause_of_death(header, allowance).into()),
        }
    }

    /// An idle process. A process that died while idle, such as one killed when memory was short, is dropped, so
    /// that the next photograph does not fail.
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
            // The environment may contain keys and passwords, and decoding needs none of it. One malloc arena for
            // all threads, since each reserves address space, which is limited.
            .env_clear()
            .env("MALLOC_ARENA_MAX", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Messages of a decoder about a hostile file are not logged; the exit status of the process is.
            .stderr(Stdio::null());
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt as _;
            // Signals of the terminal stop only the server: it still answers waiting requests.
            start.process_group(0).current_dir("/");
        }
        let mut child = start.spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| io::Error::other("a decoding process has no pipes"))?;
        Ok(Self { child, input, output, was_stuck: false })
    }

    /// `None` if the process died or answered with invalid data; it must not be used again.
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
            // Reading and writing block on the process; its death ends both.
            scope.spawn(move || {
                // A disconnected channel means that the exchange has ended; only a timeout kills the process.
                if is_done.recv_timeout(deadline) == Err(mpsc::RecvTimeoutError::Timeout) {
                    *was_stuck = true;
                    let _ = child.kill();
                }
            });
            let outcome = exchange(bytes, header, limits, request, input, output);
            // Wakes the watching thread at once; the scope waits for it.
            drop(done);
            outcome.ok().flatten()
        })
    }

    /// Kills the process if it is still alive, and returns the reason of the failure.
    fn cause_of_death(mut self, header: &PhotoHeader, allowance: Allowance) -> PhotoError {
        let _ = self.child.kill();
        // Killed first, so that this does not wait for a process that still computes.
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
        // Reaps the process, so that no zombie stays.
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
    // The whole file is sent before anything is read; the process answers only after reading it all.
    write_head(input, request)?;
    input.write_all(bytes)?;
    input.flush()?;
    match read_head::<Reply>(output)? {
        Some(reply) => reply.read_picture(output, header.format(), limits),
        None => Ok(None),
    }
}

/// Whether the system killed the process for its CPU time.
#[cfg(target_os = "linux")]
fn is_cpu_limit(status: std::process::ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    status.signal() == Some(rustix::process::Signal::XCPU.as_raw())
}

#[cfg(not(target_os = "linux"))]
fn is_cpu_limit(_status: std::process::ExitStatus) -> bool {
    false
}
