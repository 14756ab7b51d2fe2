/// Why the embedded catalogue cannot be used. Each of these is a mistake in a data file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file is not the TOML that it should be.
    #[error("cannot read the catalogue file `{file}`")]
    Parse {
        /// The name of the file.
        file: &'static str,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// A part type lies in a file of another name.
    #[error("the catalogue file `{file}` holds the label `{label}`")]
    MisplacedLabel {
        /// The name of the file.
        file: &'static str,
        /// The label inside.
        label: String,
    },
    /// A part type names a retailer that has no entry.
    #[error("the part type `{label}` names the retailer `{retailer}`, which `retailers.toml` does not list")]
    UnknownRetailer {
        /// The part type.
        label: String,
        /// The retailer as spelt there.
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
