//! Destination of rows: standard output, or a file that a later run can continue.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::arguments::Format;
use super::earlier::{Earlier, EarlierPaths};
use super::report::Report;
use super::row::{Columns, Row};
use super::run_options::RunOptions;
use crate::misfit::Misfit;
use crate::{reader, tell};

/// The file of an output, checked and without rows of this run.
pub(crate) struct OutputFile {
    opened: File,
    name: PathBuf,
    format: Format,
    columns: Columns,
    earlier: Earlier,
}

/// An output of rows.
pub(crate) struct Output {
    report: Report<Box<dyn Write>>,
    format: Format,
    columns: Columns,
    /// Path of the file; `None` for standard output.
    file: Option<PathBuf>,
    earlier: Earlier,
    n_rows: usize,
    n_failed: usize,
}

/// The format by the extension of `output`, ignoring case; a table without a file or an extension.
///
/// # Errors
/// For an unknown extension.
pub(crate) fn format_of(output: Option<&Path>) -> Result<Format, Misfit> {
    let Some(extension) = output.and_then(Path::extension) else { return Ok(Format::Table) };
    match extension.to_ascii_lowercase().to_str() {
        Some("jsonl" | "ndjson") => Ok(Format::Jsonl),
        Some("json") => Ok(Format::Json),
        Some("csv") => Ok(Format::Csv),
        Some("parquet") => Ok(Format::Parquet),
        _ => Err(Misfit::new(
            "the extension of --output is none of .jsonl, .ndjson, .json, .csv and .parquet, which say the format: take \
             one of them, or add --format",
        )),
    }
}

impl OutputFile {
    /// Opens a new file, or with `resume` an existing one, of which it reads the rows.
    ///
    /// Nothing is written yet: a run that fails before its first row must not leave a file that the next run refuses.
    pub(crate) fn open(file: &Path, format: Format, columns: Columns, resume: bool) -> anyhow::Result<Self> {
        let (mut opened, mut earlier) = (open(file, format, resume)?, Earlier::default());
        if resume {
            earlier = Earlier::read(&mut opened, file, format, columns)?;
        }
        Ok(Self { opened, name: file.to_owned(), format, columns, earlier })
    }

    /// Records the options for a new file; compares them with the recorded ones for a resumed file.
    ///
    /// # Errors
    /// [`Misfit`] for different options, because the file would mix answers that cannot be told apart.
    pub(crate) fn settle_options(&self, options: &RunOptions) -> anyhow::Result<()> {
        // Nothing is put beside `/dev/stdout`, which may be a file.
        if !goes_on(self.format) || !self.name.is_file() || self.name.starts_with("/dev") {
            return Ok(());
        }
        if self.earlier.len() == 0 { options.note(&self.name) } else { options.check(&self.name) }
    }

    /// The set of photographs with a row of an earlier run.
    pub(crate) fn earlier(&self) -> EarlierPaths {
        self.earlier.paths()
    }
}

impl Output {
    pub(crate) fn to_stdout(format: Format, columns: Columns) -> anyhow::Result<Self> {
        let report = Report::start(Box::new(reader::rows()) as Box<dyn Write>, format, columns)?;
        let earlier = Earlier::default();
        Ok(Self { report, format, columns, file: None, earlier, n_rows: 0, n_failed: 0 })
    }

    /// Writes to a file: what precedes the rows, unless it has rows already.
    pub(crate) fn to_file(file: OutputFile) -> anyhow::Result<Self> {
        let OutputFile { opened, name, format, columns, earlier } = file;
        let is_empty = opened.metadata()?.len() == 0;
        let out: Box<dyn Write> = Box::new(BufWriter::new(opened));
        let report = if is_empty {
            Report::start(out, format, columns)?
        } else {
            Report::go_on(out, format, columns).context("BUG: rows of such a format were refused")?
        };
        Ok(Self { report, format, columns, file: Some(name), earlier, n_rows: 0, n_failed: 0 })
    }

    /// The first path of each file by its SHA-256.
    pub(crate) fn files(&mut self) -> &mut HashMap<String, String> {
        &mut self.earlier.files
    }

    pub(crate) fn add(&mut self, row: Row) -> anyhow::Result<()> {
        self.n_rows += 1;
        self.n_failed += usize::from(row.is_error());
        self.report.add(&row.with(self.columns)).with_context(|| self.unwritten())
    }

    /// Finishes the output; returns whether any photograph in the whole output could not be scanned.
    pub(crate) fn finish(self) -> anyhow::Result<bool> {
        let unwritten = self.unwritten();
        self.report.finish().context(unwritten)?;
        let n = self.n_rows;
        // Failures of the earlier run count as well.
        let failed = self.n_failed + self.earlier.n_failed;
        let photographs = if n == 1 { "photograph" } else { "photographs" };
        if let Some(file) = &self.file {
            let before = match self.earlier.len() {
                0 => String::new(),
                1 => ", 1 was in it before".to_owned(),
                n => format!(", {n} were in it before"),
            };
            let failed_before = match self.earlier.n_failed {
                0 => String::new(),
                n => format!(" ({n} of them before; delete their rows to scan them again)"),
            };
            let file = file.display();
            // A closed standard error is ignored.
            let _ = writeln!(
                io::stderr(),
                "{file}: {n} {photographs} written{before}, {failed} could not be scanned{failed_before}"
            );
        } else if failed > 0 && n > 1 {
            // Without this message, rows in a pipe or scrolled off the screen would leave only an exit code.
            let sentence = "could not be scanned; their rows say why";
            tell(&format!("{failed} of {n} {photographs} {sentence}"))?;
        }
        Ok(failed > 0)
    }

    fn unwritten(&self) -> String {
        match &self.file {
            Some(file) if goes_on(self.format) => {
                format!("cannot write `{}`; once there is room, go on with --resume", file.display())
            }
            Some(file) => {
                format!("cannot write `{}`, which is not whole; delete it and begin again", file.display())
            }
            None => "cannot write to standard output".to_owned(),
        }
    }
}

/// Whether `--resume` supports a format.
pub(crate) fn goes_on(format: Format) -> bool {
    matches!(format, Format::Jsonl | Format::Csv)
}

/// Opens a new or empty file, or with `resume` any file.
fn open(file: &Path, format: Format, resume: bool) -> anyhow::Result<File> {
    let name = file.display();
    let opened = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        // Never truncated: a file with content is refused below.
        .truncate(false)
        .open(file)
        .with_context(|| Misfit::new(format!("cannot open `{name}`")))?;
    let facts = opened.metadata()?;
    // Locked, because rows of two runs would interleave. A file system without locks is accepted, and devices such as
    // /dev/null need none.
    if facts.is_file() && matches!(opened.try_lock(), Err(TryLockError::WouldBlock)) {
        let busy = format!("{name} is being written by another run: wait for it, or name another file");
        bail!(Misfit::new(busy));
    }
    if !resume && facts.len() > 0 {
        let resume = if goes_on(format) { ", or go on with it with --resume" } else { " or delete it" };
        bail!(Misfit::new(format!("{name} is there already: name another file{resume}")));
    }
    Ok(opened)
}
