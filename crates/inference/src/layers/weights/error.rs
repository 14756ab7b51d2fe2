//! Why weights cannot be used.

use std::path::PathBuf;

/// What is wrong with a file of weights, or with a tensor in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// A file of weights has another length than its header says.
    #[error(
        "`{}` has {found_bytes} bytes instead of {expected_bytes}: fetch or copy the model again",
        path.display()
    )]
    WrongSize {
        /// The file.
        path: PathBuf,
        /// Bytes by the header.
        expected_bytes: u64,
        /// Bytes found.
        found_bytes: u64,
    },
    /// The weights lack a tensor that the configuration asks for.
    #[error("the weights of `{model}` lack the tensor `{name}`: its `config.json` may be for another model")]
    TensorMissing {
        /// Name of the model.
        model: String,
        /// Name of the tensor.
        name: String,
    },
    /// A tensor of the weights has another shape than follows from the configuration.
    #[error(
        "the tensor `{name}` of `{model}` has shape {found:?}, but its `config.json` asks for {expected:?}"
    )]
    WrongShape {
        /// Name of the model.
        model: String,
        /// Name of the tensor.
        name: String,
        /// Shape by the configuration.
        expected: Vec<usize>,
        /// Shape found.
        found: Vec<usize>,
    },
    /// A tensor is stored in a type that is not converted here.
    #[error("the tensor `{name}` of `{model}` is of type {found}: save the model as F32, F16 or BF16")]
    UnsupportedType {
        /// Name of the model.
        model: String,
        /// Name of the tensor.
        name: String,
        /// The type found.
        found: String,
    },
    /// A weight is not a finite number, so that no result could be.
    #[error(
        "the tensor `{name}` of `{model}` holds a value that is not a finite number: the model is damaged"
    )]
    NotFinite {
        /// Name of the model.
        model: String,
        /// Name of the tensor.
        name: String,
    },
}
