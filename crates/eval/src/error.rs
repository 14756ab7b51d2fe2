use std::io;
use std::path::PathBuf;

/// The result of every fallible function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an evaluation failed. An unreadable photograph is not an error but a [`Failure`](crate::Failure) in the results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing at the path.
    #[error("there is no folder or CSV file `{}`", path.display())]
    NoSuchDataset {
        /// As it was given.
        path: PathBuf,
    },
    /// The folder or list cannot be read.
    #[error("cannot read `{}`", path.display())]
    ReadDataset {
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folders of labels have no photographs.
    #[error(
        "there are no photographs in `{}`: put them into a folder for each label, such as `{}`",
        path.display(),
        path.join("brake-caliper").join("photo.jpg").display()
    )]
    NoPhotos {
        /// The folder.
        path: PathBuf,
    },
    /// A folder of unlabelled photographs has none.
    #[error("there are no photographs in `{}`", path.display())]
    NoPhotosAtAll {
        /// The folder.
        path: PathBuf,
    },
    /// The list names no photograph.
    #[error("`{}` names no photographs: write one a line below `path,label`", path.display())]
    EmptyList {
        /// The file.
        path: PathBuf,
    },
    /// The label map leaves out all photographs.
    #[error("the label map leaves out every photograph of `{}`", path.display())]
    AllLeftOut {
        /// The folder or file.
        path: PathBuf,
    },
    /// A line of a CSV file is malformed.
    #[error("`{}`, line {line}: {reason}", path.display())]
    CsvLine {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong and what is expected.
        reason: String,
    },
    /// A label map is neither CSV nor TOML.
    #[error("the label map `{}` must end in `.csv` or `.toml`", path.display())]
    LabelMapFormat {
        /// The file.
        path: PathBuf,
    },
    /// A label map cannot be read.
    #[error("cannot read the label map `{}`", path.display())]
    ReadLabelMap {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A TOML label map has the wrong form.
    #[error(
        "the label map `{}` does not have the expected form, lines such as \"Spark Plugs\" = \"spark-plug\"",
        path.display()
    )]
    ParseLabelMap {
        /// The file.
        path: PathBuf,
        /// Line and reason.
        source: Box<toml::de::Error>,
    },
    /// A label map maps to a label that the model does not have.
    #[error(
        "the label map turns `{from}` into `{to}`, which `{model}` does not know: {hint}, or write \
         `not-a-part`, or nothing to leave the photographs out"
    )]
    UnknownLabel {
        /// The foreign label.
        from: String,
        /// What it is turned into.
        to: String,
        /// Name of the model.
        model: String,
        /// The nearest labels that it knows.
        hint: String,
    },
    /// Another process measures the same photographs with the same model.
    #[error("these photographs are being measured by another run, which holds `{}`: let it finish", path.display())]
    JournalBusy {
        /// The journal.
        path: PathBuf,
    },
    /// The journal cannot be read or written.
    #[error("cannot keep the results in `{}`: check that its folder may be written to", path.display())]
    Journal {
        /// The journal.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A report would replace a file that no report wrote.
    #[error(
        "`{}` is not of an earlier report, and a report would replace it: move it away, or name another folder",
        path.display()
    )]
    InTheWay {
        /// The file.
        path: PathBuf,
    },
    /// A report of several models would replace the report of another run.
    #[error(
        "`{}` is the report of another run, and a comparison would replace it: move it away, or name another folder",
        path.display()
    )]
    OtherReport {
        /// The `report.json`.
        path: PathBuf,
    },
    /// The report cannot be written.
    #[error("cannot write the report `{}`: check that its folder may be written to", path.display())]
    WriteReport {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A report to compare with cannot be read.
    #[error("cannot read the report `{}`", path.display())]
    ReadBaseline {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A report to compare with is not a valid `report.json`.
    #[error(
        "`{}` is not the report.json of one model by this version of the program or a later one: write it again with --report",
        path.display()
    )]
    ParseBaseline {
        /// The file.
        path: PathBuf,
        /// Line and reason.
        source: serde_json::Error,
    },
    /// The embeddings beside a report are not a valid `.npy` file of the expected form.
    #[error(
        "`{}` is no file of embeddings that --embeddings writes: write the report again, or remove the file",
        path.display()
    )]
    ParseEmbeddings {
        /// The file.
        path: PathBuf,
    },
    /// Threads cannot be started.
    #[error("cannot start threads")]
    Threads(#[source] rayon::ThreadPoolBuildError),
    /// An error of the application layer.
    #[error(transparent)]
    App(#[from] partsight_app::Error),
}
