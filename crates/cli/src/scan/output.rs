//! Where rows go: standard output, or a file that a later run goes on with.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::earlier::{Earlier, EarlierPaths};
use super::report::Report;
use super::row::{Columns, Row};
use super::run_options::RunOptions;
use crate::arguments::Format;
use crate::misfit::Misfit;
use crate::{reader, tell};

/// Rows on their way out.
pub(crate) struct Output {
    report: Report<Box<dyn Write>>,
    format: Format,
    columns: Columns,
    /// Of a file: its path.
    file: Option<PathBuf>,
    earlier: Earlier,
    n_rows: usize,
    n_failed: usize,
}

/// The format that a file's extension says, in upper or lower case; without one, a table.
///
/// # Errors
/// A sentence for an extension that says none.
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

impl Output {
    pub(crate) fn to_stdout(format: Format, columns: Columns) -> anyhow::Result<Self> {
        let report = Report::start(Box::new(reader::rows()) as Box<dyn Write>, format, columns)?;
        let earlier = Earlier::default();
        Ok(Self { report, format, columns, file: None, earlier, n_rows: 0, n_failed: 0 })
    }

    /// Into a new file, or with `resume` below the rows that are there.
    pub(crate) fn to_file(
        file: &Path,
        format: Format,
        columns: Columns,
        resume: bool,
    ) -> anyhow::Result<Self> {
        let (mut opened, mut earlier) = (open(file, format, resume)?, Earlier::default());
        if resume {
            earlier = Earlier::read(&mut opened, file, format, columns)?;
        }
        // Asked only now, after a row that an earlier run left unfinished was cut off.
        let is_empty = opened.metadata()?.len() == 0;
        let out: Box<dyn Write> = Box::new(BufWriter::new(opened));
        let report = if is_empty {
            Report::start(out, format, columns)?
        } else {
            Report::go_on(out, format, columns).context("BUG: rows of such a format were refused")?
        };
        Ok(Self { report, format, columns, file: Some(file.to_owned()), earlier, n_rows: 0, n_failed: 0 })
    }

    /// Notes the options of a run that begins a file, and compares them with those that it was begun with.
    ///
    /// # Errors
    /// [`Misfit`] for others than those: answers of both would stand in one file, and nothing would tell which are which.
    pub(crate) fn settle_options(&self, options: &RunOptions) -> anyhow::Result<()> {
        match &self.file {
            Some(file) if goes_on(self.format) && file.is_file() => {
                if self.earlier.len() == 0 {
                    options.note(file)
                } else {
                    options.check(file)
                }
            }
            _ => Ok(()),
        }
    }

    /// Which photographs an earlier run has answered for.
    pub(crate) fn earlier(&self) -> EarlierPaths {
        self.earlier.paths()
    }

    /// Where each file was seen first, by its SHA-256.
    pub(crate) fn files(&mut self) -> &mut HashMap<String, String> {
        &mut self.earlier.files
    }

    pub(crate) fn add(&mut self, row: Row) -> anyhow::Result<()> {
        self.n_rows += 1;
        self.n_failed += usize::from(row.is_error());
        self.report.add(&row.with(self.columns)).with_context(|| self.unwritten())
    }

    /// Writes what is left, and says whether any photograph of the whole output could not be scanned.
    pub(crate) fn finish(self) -> anyhow::Result<bool> {
        let unwritten = self.unwritten();
        self.report.finish().context(unwritten)?;
        let n = self.n_rows;
        // An earlier run has not failed less because this one goes on with it.
        let failed = self.n_failed + self.earlier.n_failed;
        let photographs = if n == 1 { "photograph" } else { "photographs" };
        if let Some(file) = &self.file {
            let before = match self.earlier.len() {
                0 => String::new(),
                n => format!(", {n} stood there before"),
            };
            let failed_before = match self.earlier.n_failed {
                0 => String::new(),
                n => format!(" ({n} of them before; delete their rows to scan them again)"),
            };
            let file = file.display();
            // That nobody listens is no failure.
            let _ = writeln!(
                io::stderr(),
                "{file}: {n} {photographs} written{before}, {failed} could not be scanned{failed_before}"
            );
        } else if failed > 0 && n > 1 {
            // Rows that scrolled by, or went into a pipe, would leave nothing but an exit code.
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

/// Whether `--resume` can go on with rows of a format.
pub(crate) fn goes_on(format: Format) -> bool {
    matches!(format, Format::Jsonl | Format::Csv)
}

/// Opens a file that is new or empty, or with `resume` any.
fn open(file: &Path, format: Format, resume: bool) -> anyhow::Result<File> {
    let name = file.display();
    let opened = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        // What is there is refused below, never overwritten.
        .truncate(false)
        .open(file)
        .with_context(|| format!("cannot open `{name}`"))?;
    let facts = opened.metadata()?;
    // Rows of two runs would end up within each other. A file system without locks is no reason not to scan, and what
    // is no file, such as /dev/null, is anybody's.
    if facts.is_file() && matches!(opened.try_lock(), Err(TryLockError::WouldBlock)) {
        bail!("{name} is being written by another run: wait for it, or name another file");
    }
    if !resume && facts.len() > 0 {
        let resume = if goes_on(format) { ", or go on with it with --resume" } else { " or delete it" };
        bail!("{name} is there already: name another file{resume}");
    }
    Ok(opened)
}
