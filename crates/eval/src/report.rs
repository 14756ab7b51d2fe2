//! The report: pages for readers, JSON and CSV for programs.
//!
//! `index.html` is one page that loads nothing else. `report.json` has every figure, `photos.csv` a row for each
//! photograph, `classes.csv` a row for each label, `confusion.csv` the confusion matrix, `rejection.csv` a row for each
//! label that the model does not know, `curves.csv` the points of the curves, and `wrong-labels.csv` the labels to
//! check. `cascade.svg` is the plot of the cascade, if it was measured; `embeddings.npy` is written on request. The size
//! of `photos.csv`, of `wrong-labels.csv` and of the photographs in `report.json` (used to compare a later run) grows
//! with the number of photographs; other lists are limited.

mod comparison_page;
mod comparison_rows;
mod csv_files;
mod diagnosis;
mod figures;
mod html;
mod json;
mod label_noise;
mod page;
mod plot;
mod promise_sentence;
mod thumbnails;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use partsight_app::PhotoDecoder;

pub use comparison_rows::comparison_rows;
pub use csv_files::wrong_labels_csv;
pub use diagnosis::{ReferencePictures, diagnosis_json, write_diagnosis};
pub use figures::load_picture;
pub use html::{bound_percent, counted};
pub use json::{comparison_json, summary_json};
pub use label_noise::label_noise;
pub use promise_sentence::promise_sentence;
pub(crate) use thumbnails::small_jpeg;

use crate::comparison::{MAX_MODELS, letter};
use crate::embeddings;
use crate::{Comparison, Embeddings, Error, Evaluation, Result};

/// Files are written into this subfolder first, and moved when all are complete.
const PARTIAL: &str = ".partsight-report.partial";
const PAGE: &str = "index.html";
/// Files that a report may have beside its page, depending on what was measured.
const FILES: [&str; 10] = [
    "photos.csv",
    "classes.csv",
    "confusion.csv",
    "rejection.csv",
    "curves.csv",
    "wrong-labels.csv",
    REPORT,
    "cascade.svg",
    DIFFERENCES,
    embeddings::FILE,
];
const REPORT: &str = "report.json";
/// The file of a diagnosis of taught parts beside its page.
const DIAGNOSIS: &str = "diagnosis.json";
/// Exists only in a report of several models.
const DIFFERENCES: &str = "differences.csv";

/// The folder of a report.
#[derive(Debug, Clone)]
pub struct ReportFolder {
    folder: PathBuf,
}

impl ReportFolder {
    /// Creates the folder if it is missing, and checks that it is writable, before hours of measuring. Other files in
    /// it stay; files of an earlier report will be replaced.
    ///
    /// # Errors
    /// [`Error::WriteReport`]; [`Error::InTheWay`] if the folder has no report, but a file with the name of a report's
    /// file.
    pub fn prepare(folder: &Path) -> Result<Self> {
        let folder = Self { folder: folder.to_owned() };
        folder.check_own_files()?;
        folder.try_writing()?;
        Ok(folder)
    }

    /// As [`prepare`](Self::prepare) for a report of `n_models` models, which has the folders `a`, `b` and so on.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare); [`Error::InTheWay`] for one of these folders as well, and [`Error::OtherReport`]
    /// if one has a report, and the folder has no report of several models.
    pub fn prepare_comparison(folder: &Path, n_models: usize) -> Result<Self> {
        let folder = Self { folder: folder.to_owned() };
        folder.check_own_files()?;
        // `write_comparison` leaves `PARTIAL` if it is interrupted.
        let is_comparison = [DIFFERENCES, PARTIAL].into_iter().any(|name| folder.folder.join(name).exists());
        for (index, model) in folder.of_models().enumerate() {
            let report = model.folder.join(REPORT);
            // Those of further models too, because the next report here would delete them.
            if !is_comparison && report.exists() {
                return Err(Error::OtherReport { path: report });
            }
            if index < n_models {
                model.check_own_files()?;
            }
        }
        folder.try_writing()?;
        Ok(folder)
    }

    /// Creates and removes a folder, because only writing shows whether the folder is writable.
    fn try_writing(&self) -> Result<()> {
        self.clear_partial()?;
        self.remove_partial()
    }

    /// The folders of the reports of single models in a report of several.
    fn of_models(&self) -> impl Iterator<Item = Self> {
        (0..MAX_MODELS).map(|index| self.sub(&letter(index).to_string()))
    }

    /// Refuses a folder with a file of the user's that has the name of a report's file.
    fn check_own_files(&self) -> Result<()> {
        let has = |name: &str| self.folder.join(name).exists();
        // An interrupted run leaves `PARTIAL`.
        if [REPORT, DIAGNOSIS, PARTIAL].into_iter().any(has) {
            return Ok(());
        }
        match FILES.into_iter().chain([PAGE]).find(|name| has(name)) {
            Some(name) => Err(Error::InTheWay { path: self.folder.join(name) }),
            None => Ok(()),
        }
    }

    /// Whether a report written here replaces or deletes `file`, which may be the `report.json` of this folder, or of a
    /// model of the comparison in it.
    pub fn replaces(&self, file: &Path) -> bool {
        let was_comparison = self.folder.join(DIFFERENCES).is_file();
        let mut folders = std::iter::once(self.clone()).chain(self.of_models().filter(|_| was_comparison));
        let Ok(file) = file.canonicalize() else { return false };
        folders.any(|folder| folder.folder.join(REPORT).canonicalize().is_ok_and(|own| own == file))
    }

    /// The page to open in a browser.
    pub fn page(&self) -> PathBuf {
        self.folder.join(PAGE)
    }

    fn sub(&self, name: &str) -> Self {
        Self { folder: self.folder.join(name) }
    }

    fn partial(&self) -> PathBuf {
        self.folder.join(PARTIAL)
    }

    /// Creates a folder for unfinished files; leftovers of an interrupted run are deleted.
    fn clear_partial(&self) -> Result<()> {
        let partial = self.partial();
        for name in FILES.into_iter().chain([DIAGNOSIS, PAGE]) {
            self.remove(Path::new(PARTIAL).join(name))?;
        }
        fs::create_dir_all(&partial).map_err(|source| self.failed(partial, source))
    }

    /// Removes the folder for unfinished files, unless somebody has put files of their own there.
    fn remove_partial(&self) -> Result<()> {
        match fs::remove_dir(self.partial()) {
            Err(source) if source.kind() != ErrorKind::DirectoryNotEmpty => {
                Err(self.failed(self.partial(), source))
            }
            _ => Ok(()),
        }
    }

    /// Writes all files into the partial folder, then moves them into place, the page last, so that an interruption
    /// leaves every file complete.
    fn write(&self, files: &[(&str, Vec<u8>)]) -> Result<()> {
        self.write_aside(files)?;
        self.move_into_place(files)
    }

    fn write_aside(&self, files: &[(&str, Vec<u8>)]) -> Result<()> {
        self.clear_partial()?;
        for (name, content) in files {
            let path = self.partial().join(name);
            fs::write(&path, content).map_err(|source| self.failed(path, source))?;
        }
        Ok(())
    }

    fn move_into_place(&self, files: &[(&str, Vec<u8>)]) -> Result<()> {
        // The page comes last, so that it never shows an incomplete report.
        for (name, _) in files {
            let path = self.folder.join(name);
            fs::rename(self.partial().join(name), &path).map_err(|source| self.failed(path, source))?;
        }
        self.remove_partial()
    }

    /// Replaces an earlier report by one of `n_models` models. Files that only the earlier report had are deleted,
    /// because they would look like part of the new one.
    fn replace(&self, files: &[(&str, Vec<u8>)], n_models: usize) -> Result<()> {
        // Before deleting anything, so that a full disk leaves the earlier report.
        self.write_aside(files)?;
        let was_comparison = self.folder.join(DIFFERENCES).is_file();
        for name in FILES.iter().filter(|name| !files.iter().any(|(kept, _)| kept == *name)) {
            self.remove(name)?;
        }
        let further = self.of_models().skip(n_models);
        // Only folders that belong to a comparison, not a folder of the user's with the same name.
        let of_models = further.filter(|model| was_comparison && model.folder.join(REPORT).is_file());
        for model in of_models {
            for name in FILES.into_iter().chain([PAGE]) {
                model.remove(name)?;
            }
            // Fails, and the folder stays, if it has other files.
            let _ = fs::remove_dir(&model.folder);
        }
        self.move_into_place(files)
    }

    fn remove(&self, name: impl AsRef<Path>) -> Result<()> {
        let path = self.folder.join(name);
        match fs::remove_file(&path) {
            // What should be a folder may be a file; then creating the folder says so.
            Err(source) if ![ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&source.kind()) => {
                Err(self.failed(path, source))
            }
            _ => Ok(()),
        }
    }

    #[expect(clippy::unused_self, reason = "reads as the folder's own failure at each call")]
    fn failed(&self, path: PathBuf, source: std::io::Error) -> Error {
        Error::WriteReport { path, source }
    }
}

/// Writes the report of one model. `decoder` reads the photographs for the thumbnails, `written_at` is shown on the
/// page.
///
/// # Errors
/// [`Error::WriteReport`].
pub fn write_report(
    folder: &ReportFolder,
    evaluation: &Evaluation<'_>,
    decoder: &PhotoDecoder,
    written_at: &str,
) -> Result<()> {
    folder.replace(&report_files(evaluation, decoder, written_at), 0)
}

/// Writes `embeddings.npy` beside a written report, to compare later photographs with; writes nothing without
/// embeddings.
///
/// # Errors
/// [`Error::WriteReport`].
pub fn write_embeddings(folder: &ReportFolder, embeddings: &Embeddings) -> Result<()> {
    if embeddings.rows.is_empty() {
        return Ok(());
    }
    folder.write(&[(embeddings::FILE, embeddings.file())])
}

/// The files of the report of one model, as name and content, the page last.
pub(crate) fn report_files(
    evaluation: &Evaluation<'_>,
    decoder: &PhotoDecoder,
    written_at: &str,
) -> Vec<(&'static str, Vec<u8>)> {
    let mut files = vec![
        ("photos.csv", csv_files::photos(evaluation)),
        ("classes.csv", csv_files::classes(evaluation)),
        ("confusion.csv", csv_files::confusion(evaluation)),
        ("rejection.csv", csv_files::rejection(evaluation)),
        ("curves.csv", csv_files::curves(evaluation)),
        ("wrong-labels.csv", csv_files::wrong_labels_csv(evaluation)),
        (REPORT, json::report(evaluation, written_at)),
    ];
    if let Some(cascade) = &evaluation.cascade {
        files.push(("cascade.svg", figures::cascade_picture(cascade).into_bytes()));
    }
    // Last, see `ReportFolder::write`.
    files.push((PAGE, page::page(evaluation, decoder, written_at).into_bytes()));
    files
}

/// Writes the report of several models: a page that compares them, `differences.csv`, `report.json`, and the report of
/// each model in the folders `a`, `b` and so on.
///
/// # Errors
/// [`Error::WriteReport`].
pub fn write_comparison(
    folder: &ReportFolder,
    comparison: &Comparison<'_>,
    decoder: &PhotoDecoder,
    written_at: &str,
) -> Result<()> {
    // Marks the folder as ours until `differences.csv` is there.
    folder.clear_partial()?;
    for (index, evaluation) in comparison.evaluations.iter().enumerate() {
        // The models' own reports first, because the page links to them.
        write_report(&folder.sub(&letter(index).to_string()), evaluation, decoder, written_at)?;
    }
    let files = [
        (DIFFERENCES, csv_files::differences(comparison)),
        (REPORT, json::comparison_report(comparison, written_at)),
        (PAGE, comparison_page::page(comparison, decoder, written_at).into_bytes()),
    ];
    folder.replace(&files, comparison.evaluations.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_whole_and_others_stay() {
        let outside = tempfile::tempdir().unwrap();
        let path = outside.path().join("new/report");
        let folder = ReportFolder::prepare(&path).unwrap();
        fs::create_dir(path.join(PARTIAL)).unwrap();
        fs::write(path.join(PARTIAL).join("photos.csv"), "left by an interrupted run").unwrap();
        fs::write(path.join("notes.txt"), "mine").unwrap();
        fs::write(folder.page(), "old").unwrap();
        folder.write(&[("a.csv", b"1".to_vec()), (PAGE, b"new".to_vec())]).unwrap();
        let mut names: Vec<_> = fs::read_dir(&path)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["a.csv", "index.html", "notes.txt"]);
        assert_eq!(fs::read_to_string(folder.page()).unwrap(), "new");
    }

    #[test]
    fn nothing_of_an_earlier_report_stays_beside_the_new_one() {
        let outside = tempfile::tempdir().unwrap();
        let folder = ReportFolder::prepare(outside.path()).unwrap();
        let of_model = |letter: &str| outside.path().join(letter);
        let put = |path: &Path, names: &[&str]| {
            fs::create_dir_all(path).unwrap();
            for name in names {
                fs::write(path.join(name), "old").unwrap();
            }
        };
        put(outside.path(), &FILES);
        put(outside.path(), &["mine.csv"]);
        put(&of_model("a"), &[REPORT, PAGE]);
        put(&of_model("b"), &[REPORT, PAGE, "photos.csv"]);
        put(&of_model("c"), &[REPORT, "mine.csv"]);
        put(&of_model("d"), &["photos.csv"]);
        folder.replace(&[(REPORT, b"new".to_vec()), (PAGE, b"new".to_vec())], 1).unwrap();
        let names = |path: &Path| {
            let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name());
            let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
            names.sort();
            names
        };
        assert_eq!(names(outside.path()), ["a", "c", "d", PAGE, "mine.csv", REPORT]);
        assert_eq!(names(&of_model("a")), [PAGE, REPORT]);
        assert_eq!(
            (names(&of_model("c")), names(&of_model("d"))),
            (vec!["mine.csv".to_owned()], vec!["photos.csv".to_owned()])
        );
    }

    #[test]
    fn reports_in_folders_of_a_report_of_one_model_stay() {
        let outside = tempfile::tempdir().unwrap();
        let folder = ReportFolder::prepare(outside.path()).unwrap();
        fs::write(outside.path().join(REPORT), "old").unwrap();
        let other = outside.path().join("a");
        fs::create_dir(&other).unwrap();
        fs::write(other.join(REPORT), "of another run").unwrap();
        folder.replace(&[(REPORT, b"new".to_vec()), (PAGE, b"new".to_vec())], 0).unwrap();
        assert_eq!(fs::read_to_string(other.join(REPORT)).unwrap(), "of another run");
    }

    #[test]
    fn a_file_of_ones_own_is_not_replaced() {
        let outside = tempfile::tempdir().unwrap();
        let own = outside.path().join("classes.csv");
        fs::write(&own, "mine").unwrap();
        let error = ReportFolder::prepare(outside.path()).unwrap_err();
        assert!(matches!(&error, Error::InTheWay { path } if *path == own), "{error}");
        assert_eq!(fs::read_to_string(&own).unwrap(), "mine");
        // A file of a report is replaced.
        for of_a_report in [REPORT, DIAGNOSIS] {
            fs::write(outside.path().join(of_a_report), "{}").unwrap();
            ReportFolder::prepare(outside.path()).unwrap();
            fs::remove_file(outside.path().join(of_a_report)).unwrap();
        }
    }

    #[test]
    fn a_folder_that_is_called_partial_says_nothing_and_stays() {
        let outside = tempfile::tempdir().unwrap();
        for (name, file) in [(".partial", "notes.txt"), (PARTIAL, "mine.txt")] {
            fs::create_dir(outside.path().join(name)).unwrap();
            fs::write(outside.path().join(name).join(file), "mine").unwrap();
        }
        let folder = ReportFolder::prepare(outside.path()).unwrap();
        folder.write(&[(REPORT, b"new".to_vec()), (PAGE, b"new".to_vec())]).unwrap();
        assert!(outside.path().join(".partial/notes.txt").exists());
        assert!(outside.path().join(PARTIAL).join("mine.txt").exists());

        let outside = tempfile::tempdir().unwrap();
        fs::create_dir(outside.path().join(".partial")).unwrap();
        fs::write(outside.path().join("classes.csv"), "mine").unwrap();
        assert!(matches!(ReportFolder::prepare(outside.path()), Err(Error::InTheWay { .. })));
    }

    #[test]
    fn a_comparison_replaces_no_report_of_another_run() {
        let outside = tempfile::tempdir().unwrap();
        let put = |name: &str| {
            let path = outside.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "mine").unwrap();
            path
        };
        // The third too, which the next report would delete.
        let own = put("c/report.json");
        let error = ReportFolder::prepare_comparison(outside.path(), 2).unwrap_err();
        assert!(matches!(&error, Error::OtherReport { path } if *path == own), "{error}");
        put("differences.csv");
        put("report.json");
        ReportFolder::prepare_comparison(outside.path(), 2).unwrap();
        let own = put("a/photos.csv");
        let error = ReportFolder::prepare_comparison(outside.path(), 2).unwrap_err();
        assert!(matches!(&error, Error::InTheWay { path } if *path == own), "{error}");
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_refused_at_once() {
        let outside = tempfile::tempdir().unwrap();
        let file = outside.path().join("file");
        fs::write(&file, "x").unwrap();
        let error = ReportFolder::prepare(&file.join("report")).unwrap_err();
        assert!(matches!(error, Error::WriteReport { .. }), "{error:?}");
        assert!(matches!(ReportFolder::prepare(&file), Err(Error::WriteReport { .. })));
    }
}
