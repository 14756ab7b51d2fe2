//! Handles readers of standard output that close the pipe early, such as `head`.

use std::fmt;
use std::io::{self, Write};

/// The pipe of standard output is closed. A separate type, because a broken connection to a database or service is also
/// a `BrokenPipe`.
#[derive(Debug)]
struct Gone;

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the reader of standard output has gone")
    }
}

impl std::error::Error for Gone {}

/// Standard output for rows; a closed pipe becomes the error of this module.
pub(crate) struct Rows(io::StdoutLock<'static>);

/// Locks standard output until it is dropped.
pub(crate) fn rows() -> Rows {
    Rows(io::stdout().lock())
}

impl Write for Rows {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(told)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(told)
    }
}

fn told(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return io::Error::new(io::ErrorKind::BrokenPipe, Gone);
    }
    error
}

/// Whether a command ended because the pipe of standard output was closed.
pub(crate) fn has_gone(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let inner = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        cause.is::<Gone>() || inner.is_some_and(<dyn std::error::Error + Send + Sync>::is::<Gone>)
    })
}
