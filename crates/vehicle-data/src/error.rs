use std::fmt;

/// Why a file of vehicle facts cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The file does not begin with our magic bytes.
    #[error("this is no file of vehicle facts")]
    NotOurs,
    /// The file has another version of the encoding.
    #[error(
        "the file has version {found} of the form, but this program reads version {expected}: import it again"
    )]
    Version {
        /// The version in the file.
        found: u8,
        /// The version that this program reads.
        expected: u8,
    },
    /// Bytes were changed or cut off.
    #[error("the file is damaged: its checksum does not fit; import it again")]
    Checksum,
    /// The checksum is right, but a value is out of range.
    #[error("the file is damaged at byte {offset}: import it again")]
    Damaged {
        /// Offset in bytes at which reading stopped, from the end of the header.
        offset: usize,
    },
}

/// The source file in which an import failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceFile {
    /// EPA's list of vehicles.
    Vehicles,
    /// EPA's list of emission test groups.
    Emissions,
    /// EPA's rated horsepower of test cars.
    Horsepower,
    /// The list of body styles.
    BodyStyles,
}

impl fmt::Display for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Vehicles => "list of vehicles",
            Self::Emissions => "list of emission test groups",
            Self::Horsepower => "list of rated horsepower",
            Self::BodyStyles => "list of body styles",
        })
    }
}

/// Why vehicle facts could not be imported; nothing is written in this case.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The file cannot be read as CSV in UTF-8.
    #[error("cannot read the {file} as CSV")]
    Csv {
        /// Which file.
        file: SourceFile,
        /// The position and the reason.
        source: csv::Error,
    },
    /// A required column is missing from the header.
    #[error("the {file} has no column `{column}`")]
    MissingColumn {
        /// Which file.
        file: SourceFile,
        /// The column, as in EPA's header.
        column: &'static str,
    },
    /// A value is invalid for its column.
    #[error("the {file} has `{found}` in line {line}, column `{column}`, where {expected} should be")]
    Value {
        /// Which file.
        file: SourceFile,
        /// Line of the file, from 1.
        line: u64,
        /// The column, as in EPA's header.
        column: &'static str,
        /// The value, shortened.
        found: String,
        /// What is valid there.
        expected: &'static str,
    },
    /// The list contains no vehicles.
    #[error("the list of vehicles is empty")]
    Empty,
    /// There are more different values than the encoding can index.
    #[error("the list of vehicles has more than {limit} different {what}")]
    TooMany {
        /// The kind of value.
        what: &'static str,
        /// The largest possible number.
        limit: usize,
    },
    /// No VIN pattern in the database belongs to a manufacturer.
    #[error("the database holds no VIN patterns")]
    NoPatterns,
    /// The embedded table of makes is wrong: a mistake in a data file of this program.
    #[error("cannot read `data/makes.toml`")]
    Makes {
        /// The position and the reason.
        source: Box<toml::de::Error>,
    },
}
