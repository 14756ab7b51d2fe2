use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use partsight_app::BackupStep;

/// Minimum of photographs for which a bar is shown.
const MIN_PHOTOS: usize = 6;

/// A progress bar on standard error, if that is a terminal.
#[derive(Debug)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// `silent_rows`: rows are printed only at the end, so that they do not interfere with the bar.
    pub(crate) fn start(n_photos: usize, silent_rows: bool) -> Self {
        // Rows printed to the same terminal already show progress.
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

    /// Advances by one photograph; `print` writes its row.
    pub(crate) fn advance(&self, print: impl FnOnce()) {
        print();
        self.0.inc(1);
    }

    /// Advances by `n` photographs.
    pub(crate) fn advance_by(&self, n: usize) {
        self.0.inc(n as u64);
    }

    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// A progress bar for each step of a long command, on standard error if that is a terminal.
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
