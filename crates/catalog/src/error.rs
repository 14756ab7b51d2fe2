/// Why the embedded catalogue is invalid. Each of these is a mistake in a data file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file is not valid TOML of the expected form.
    #[error("cannot read the catalogue file `{file}`")]
    Parse {
        /// The name of the file.
        file: &'static str,
        /// The parse error.
        source: Box<toml::de::Error>,
    },
    /// The name of a part type's file differs from its label.
    #[error("the catalogue file `{file}` holds the label `{label}`")]
    MisplacedLabel {
        /// The name of the file.
        file: &'static str,
        /// The label in the file.
        label: String,
    },
    /// A part type names a retailer that has no entry.
    #[error("the part type `{label}` names the retailer `{retailer}`, which `retailers.toml` does not list")]
    UnknownRetailer {
        /// The part type.
        label: String,
        /// The name of the retailer in the part type.
        retailer: String,
    },
    /// A table names a part type more than once.
    #[error("the catalogue file `{file}` names the label `{label}` twice")]
    RepeatedLabel {
        /// The name of the file.
        file: &'static str,
        /// The label.
        label: String,
    },
}
