use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use partsight_app::BackupStep;

/// From this many photographs on, a bar is worth its line.
const MIN_PHOTOS: usize = 6;

/// A bar on standard error while a terminal watches.
#[derive(Debug)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// `silent_rows` says that rows are printed only at the end, so that the bar may stay where it is.
    pub(crate) fn start(n_photos: usize, silent_rows: bool) -> Self {
        // Rows that scroll by on the same terminal are progress enough.
        let rows_scroll = !silent_rows && std::io::stdout().is_terminal();
        if n_photos < MIN_PHOTOS || rows_scroll {
            return Self(ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()));
        }
        // Draws nothing when standard error is no terminal.
        let bar = ProgressBar::new(n_photos as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:32} {pos}/{len} photos, {eta} left") {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// One photograph more is done; `print` writes its row.
    pub(crate) fn advance(&self, print: impl FnOnce()) {
        print();
        self.0.inc(1);
    }

    /// So many more are done.
    pub(crate) fn advance_by(&self, n: usize) {
        self.0.inc(n as u64);
    }

    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// A bar for each step of a long command, on standard error while a terminal watches.
#[derive(Debug, Default)]
pub(crate) struct StepBar(Option<(&'static str, ProgressBar)>);

impl StepBar {
    pub(crate) fn show(&mut self, step: BackupStep) {
        if self.0.as_ref().is_none_or(|(what, _)| *what != step.what) {
            self.finish();
            let bar = ProgressBar::new(step.total);
            if let Ok(style) = ProgressStyle::with_template("{msg} {bar:32} {percent}%, {eta} left") {
                bar.set_style(style);
            }
            bar.set_message(step.what);
            self.0 = Some((step.what, bar));
        }
        if let Some((_, bar)) = &self.0 {
            bar.set_position(step.done);
        }
    }

    pub(crate) fn finish(&mut self) {
        if let Some((_, bar)) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}
