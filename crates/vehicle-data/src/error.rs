use std::fmt;

/// Why a file of vehicle facts cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The file does not begin as ours do.
    #[error("this is no file of vehicle facts")]
    NotOurs,
    /// The file was written in another version of the form.
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
    /// The checksum fits, but the contents do not make sense.
    #[error("the file is damaged at byte {offset}: import it again")]
    Damaged {
        /// Where reading stopped, from the end of the header.
        offset: usize,
    },
}

/// Which of the files an import failed on.
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

/// Why vehicle facts could not be imported. Nothing is written then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The file cannot be read as CSV in UTF-8.
    #[error("cannot read the {file} as CSV")]
    Csv {
        /// Which file.
        file: SourceFile,
        /// Where and why.
        source: csv::Error,
    },
    /// A needed column is not in the header.
    #[error("the {file} has no column `{column}`")]
    MissingColumn {
        /// Which file.
        file: SourceFile,
        /// The column as EPA names it.
        column: &'static str,
    },
    /// A value does not fit its column.
    #[error("the {file} has `{found}` in line {line}, column `{column}`, where {expected} should be")]
    Value {
        /// Which file.
        file: SourceFile,
        /// Line of the file, from 1.
        line: u64,
        /// The column as EPA names it.
        column: &'static str,
        /// What stands there, shortened.
        found: String,
        /// What should.
        expected: &'static str,
    },
    /// The list holds no vehicle.
    #[error("the list of vehicles is empty")]
    Empty,
    /// More of something than the form has room for.
    #[error("the list of vehicles has more than {limit} different {what}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there may be.
        limit: usize,
    },
    /// A database of VIN patterns holds none that belongs to a manufacturer.
    #[error("the database holds no VIN patterns")]
    NoPatterns,
    /// The embedded table of makes is wrong: a mistake in a data file of this program.
    #[error("cannot read `data/makes.toml`")]
    Makes {
        /// Where and why.
        source: Box<toml::de::Error>,
    },
}
