use std::io;
use std::path::PathBuf;

use crate::with_causes;

/// Why an import failed. Nothing is left on disk.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The name is not in kebab case.
    #[error("`{0}` cannot be the name of a model: use lower-case words, digits and single hyphens")]
    InvalidName(String),
    /// The name belongs to the model that is part of the program.
    #[error("`{0}` is the model that is part of the program: choose another name")]
    ReservedName(String),
    /// A model of this name exists.
    #[error("there is a model `{name}` already, in `{}`: choose another name, or replace it with `--force`", folder.display())]
    Exists {
        /// The name.
        name: String,
        /// Its folder.
        folder: PathBuf,
    },
    /// The folder to import does not exist.
    #[error("there is no folder `{}`, and no ONNX file of that name", .0.display())]
    NoFolder(PathBuf),
    /// A graph for images alone cannot embed texts.
    #[error(
        "`{}` has no `text_model.onnx`: export the text tower as well, or give labelled photographs with \
         `--photos`",
        .0.display()
    )]
    NoTextGraph(PathBuf),
    /// The network has no text tower.
    #[error(
        "`{}` holds {network}, which embeds photographs and no texts: give photographs of every class with \
         `--photos DIR`, in a folder for each",
        folder.display()
    )]
    NoTexts {
        /// The folder.
        folder: PathBuf,
        /// What is in it.
        network: String,
    },
    /// The preprocessing of photographs is not specified.
    #[error(
        "`{}` has no `preprocessor_config.json` that says how photographs are prepared: give {}",
        folder.display(), list(missing)
    )]
    NoPreparation {
        /// The folder.
        folder: PathBuf,
        /// The options that would specify it.
        missing: Vec<String>,
    },
    /// Preprocessing and network have different input sizes.
    #[error(
        "`{}` prepares pictures of {} x {} pixels, but its network takes {} x {}",
        folder.display(), prepared[0], prepared[1], network[0], network[1]
    )]
    OtherInputSize {
        /// The folder.
        folder: PathBuf,
        /// Width and height by `preprocessor_config.json` or the options.
        prepared: [u32; 2],
        /// Width and height by `config.json` or the graph.
        network: [usize; 2],
    },
    /// The network, its files or its values are invalid.
    #[error(transparent)]
    Network(#[from] partsight_inference::Error),
    /// A file cannot be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write `{}`: check that the folder may be written and the disk has room", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file of prompts cannot be parsed.
    #[error("the file of prompts `{}` does not have the expected form", path.display())]
    ParsePrompts {
        /// The file.
        path: PathBuf,
        /// Line and reason.
        source: Box<toml::de::Error>,
    },
    /// A prompt is invalid.
    #[error("the file of prompts `{}` has {found}, but it must have {expected}", path.display())]
    InvalidPrompts {
        /// The file.
        path: PathBuf,
        /// What it has.
        found: String,
        /// The rule.
        expected: &'static str,
    },
    /// A folder of photographs has no subfolder named by a label.
    #[error("`{}` has no photographs in folders named by their label, such as `brake-pad/1.jpg`", .0.display())]
    NoLabelledPhotos(PathBuf),
    /// There is only one class.
    #[error("there is only the class `{0}`: a model needs two or more to choose from")]
    OneClass(String),
    /// There are no classes.
    #[error("there are no labels: a model needs two or more to choose from")]
    NoClasses,
    /// Folders are not named by a label of the catalogue.
    #[error(
        "the folders {} of `{}` name no type of the catalogue: rename them, move them into `not-a-part`, or \
         give all labels in a file with `--labels`",
        list(labels), folder.display()
    )]
    UnknownLabels {
        /// The folder of photographs.
        folder: PathBuf,
        /// Names of its folders.
        labels: Vec<String>,
    },
    /// Classes have no readable photograph.
    #[error("these labels have no photograph that can be read in `{}`: {}", folder.display(), list(labels))]
    EmptyClasses {
        /// The folder of photographs.
        folder: PathBuf,
        /// The labels.
        labels: Vec<String>,
    },
    /// None of the folders for calibration is named by a label of the model.
    #[error("none of the folders of `{}` is a label of the model, so that there is nothing to calibrate on", .0.display())]
    NothingToCalibrateOn(PathBuf),
    /// The embeddings of a class have a mean of zero, which cannot be normalised to a prototype.
    #[error("the embeddings of `{0}` cancel each other out, so that none can stand for it")]
    NoDirection(String),
    /// The model to fit teaching for is missing or broken.
    #[error("the model cannot be used")]
    Model(#[source] Box<crate::Error>),
    /// The model has no prototypes, so that no class can be held out.
    #[error(
        "`{0}` was not imported: its network has scores of its own, from which no type can be left out. What \
         teaching is worth with it is fitted where it is trained, by `python -m partsight_training.references`"
    )]
    OwnScores(String),
    /// The new model does not pass verification.
    #[error("the model was made, but does not pass its verification: {}", .0.join("; "))]
    NotSound(Vec<String>),
}

impl ImportError {
    /// For a verification that could not start.
    pub(super) fn verify(error: &crate::Error) -> Self {
        Self::NotSound(vec![with_causes(error)])
    }
}

fn list(labels: &[String]) -> String {
    labels.iter().map(|label| format!("`{label}`")).collect::<Vec<_>>().join(", ")
}
