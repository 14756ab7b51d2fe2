use std::path::{Path, PathBuf};

use partsight_domain::{Plan, Quota};

use crate::url::{shown, sqlite_file, unused_parameters, wrong_parameter};

/// What can go wrong between us and the database.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The folder for the database cannot be made.
    #[error("cannot create the data folder `{path}`")]
    CreateFolder {
        /// The folder.
        path: PathBuf,
        /// Cause.
        source: std::io::Error,
    },
    /// The database cannot be opened or is not a database.
    #[error("cannot open the database `{url}`")]
    Open {
        /// Its address, without the password.
        url: String,
        /// Cause.
        source: sqlx::Error,
    },
    /// SQLite may not write the file of the database, or the files that it makes beside it.
    #[error(
        "cannot write the database `{}`: its folder `{}` must exist, the user that partsight runs as must be allowed \
         to write both, and their disk must not be read-only (a service of systemd needs `ReadWritePaths=` for the folder)",
        path.display(), folder_of(path).display()
    )]
    NotWritable {
        /// The file of the database.
        path: PathBuf,
        /// Cause.
        source: sqlx::Error,
    },
    /// The address of the database cannot be parsed.
    #[error(
        "read the address of the database `{url}`; characters of its password other than letters and digits are \
         written as `%` and their hexadecimal value, such as `%2F` for `/` and `%23` for `#`"
    )]
    UnreadableAddress {
        /// The address without its password.
        url: String,
        /// Cause.
        source: sqlx::Error,
    },
    /// The address of the database has a parameter that is unknown, or has a value that it cannot have.
    #[error("the parameter `{name}` in the address of the database `{url}` {reason}")]
    WrongParameter {
        /// The address without its password.
        url: String,
        /// The parameter.
        name: String,
        /// What is wrong with it, and what is allowed.
        reason: String,
    },
    /// A file is no database of VIN patterns.
    #[error("cannot read `{}` as a database of VIN patterns", path.display())]
    ReadVpic {
        /// The file.
        path: PathBuf,
        /// Cause.
        source: sqlx::Error,
    },
    /// The database was made by a later version of this program.
    #[error(
        "the database `{url}` has migration {version}, which this version of partsight does not know; \
         it was last used by a newer one. Please start that version, or restore an older copy of the database"
    )]
    NewerDatabase {
        /// Where.
        url: String,
        /// The first migration that is unknown here.
        version: i64,
    },
    /// The database was made by a version from before the first release.
    #[error(
        "the database `{0}` was made by a development version of partsight, from before its first release, which \
         this version cannot use; nothing in it was changed. Please export what you need with that version, and begin \
         with a new data folder or an empty database"
    )]
    DevelopmentDatabase(String),
    /// A file of SQLite that another program made.
    #[error(
        "the database `{0}` has tables and none of partsight's: another program made it; please name another data \
         folder or `database_url`"
    )]
    ForeignDatabase(String),
    /// The database lacks migrations, and may not be migrated.
    #[error(
        "the database `{url}` is not prepared for this version of partsight: it is at migration {version} \
         of {latest}. Please make a copy of it and run `partsight migrate`"
    )]
    NotMigrated {
        /// Where, without its password.
        url: String,
        /// The last migration that was applied; 0 for an empty database.
        version: i64,
        /// The last one that this version of the program has.
        latest: i64,
    },
    /// Rows are to be restored into a database that is not empty.
    #[error("the database `{url}` holds {} already", counted_rows(*n_rows))]
    NotEmpty {
        /// Where, without its password.
        url: String,
        /// Number of its rows.
        n_rows: u64,
    },
    /// A PostgreSQL database that is to be replaced holds what a restore would not replace with it.
    #[error("`{url}` cannot be replaced: {reason}. Nothing was changed; restore into a new, empty database")]
    NotReplaceable {
        /// Where, without its password.
        url: String,
        /// Why.
        reason: String,
    },
    /// A database that is to be replaced has other connections.
    #[error(
        "the database `{url}` is in use: {n_connections} other connections are open; please stop the servers \
         that use it"
    )]
    InUse {
        /// Where, without its password.
        url: String,
        /// Number of the connections.
        n_connections: u64,
    },
    /// A restore of this database was interrupted.
    #[error(
        "the database `{path}` is missing because `partsight restore` did not come to its end; please run it \
         again, or delete `{path}.restoring` to start with an empty database", path = .0.display()
    )]
    UnfinishedRestore(PathBuf),
    /// The file of the database does not exist.
    #[error("there is no database `{}`; name the folder of the server's with --data-dir", .0.display())]
    Missing(PathBuf),
    /// Another server uses this SQLite file: each would assume that it alone runs batches and sends reminders.
    #[error(
        "another server works with the database `{}`; please stop it, or name another folder with --data-dir \
         (several servers can share a database of PostgreSQL)", .0.display()
    )]
    Served(PathBuf),
    /// The file that a server locks is closed to this user, so whether another server uses the database is unknown.
    #[error(
        "cannot open `{path}`, by which a server sees whether another one works with the database; please give it to \
         the user that the server runs as (`sudo chown --reference='{folder}' '{path}'`)",
        path = path.display(), folder = folder_of(path).display()
    )]
    ClosedLock {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// Whether the file of the database exists is unknown: its folder is not accessible to this user, or is not a
    /// folder, or a folder has the name of the file.
    #[error("cannot look for the database `{}`", path.display())]
    Hidden {
        /// The file of the database.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A migration failed; the database is as it was before that migration.
    #[error("cannot migrate the database `{url}`")]
    Migrate {
        /// Where.
        url: String,
        /// Why.
        source: Box<sqlx::migrate::MigrateError>,
    },
    /// Other transactions hold a lock for longer than a write waits.
    #[error("the database is locked by another writer; try again later")]
    Locked(#[source] sqlx::Error),
    /// PostgreSQL has reached a limit of connections: of the server, of this database or of its user.
    #[error(
        "the database has no free connections; raise its limits (`max_connections`, `CONNECTION LIMIT`), or run fewer servers"
    )]
    TooManyConnections(#[source] sqlx::Error),
    /// All connections are in use for longer than a call waits, or the database does not accept new ones.
    #[error(
        "no connection to the database came free in time: it does not answer, or is busy; try again later"
    )]
    NoConnection(#[source] sqlx::Error),
    /// The database cannot be reached, is starting or stopping, or its disk fails. Whether a running commit succeeded
    /// is unknown.
    #[error("the database cannot be reached")]
    Unreachable(#[source] sqlx::Error),
    /// The database accepts no writes: a standby server of PostgreSQL, as after a failover, or a read-only file of
    /// SQLite. Nothing was written.
    #[error("the database takes no writes: it is read-only")]
    ReadOnly(#[source] sqlx::Error),
    /// The file of an open SQLite database was deleted, moved or replaced. Nothing was written.
    #[error(
        "the file of the database, `{}`, was deleted, moved or replaced while it was open; please put it back and \
         restart the server", .0.display()
    )]
    FileGone(PathBuf),
    /// The disk is full, or the database has reached its maximum size. Nothing was written.
    #[error("the disk of the database is full")]
    Full(#[source] sqlx::Error),
    /// A constraint with this name in the migrations, or on these columns for SQLite, would be violated.
    #[error("the constraint `{0}` forbids this")]
    Constraint(String),
    /// A row of a backup from SQLite is too large for an index of PostgreSQL.
    #[error(
        "a row of the table `{table}` does not fit into an index of PostgreSQL; it has the text `{text}`"
    )]
    RowTooLarge {
        /// The table.
        table: String,
        /// The beginning of the longest text among the rows that were inserted together.
        text: String,
        /// The error of the database.
        source: sqlx::Error,
    },
    /// A row that this one refers to does not exist, or was deleted meanwhile; with the name of the constraint, or for
    /// SQLite the message of the database.
    #[error("what the constraint `{0}` refers to does not exist")]
    ReferenceMissing(String),
    /// The scan allowance of the user is used up; nothing was saved.
    #[error("the scan limit of {limit} is reached")]
    LimitReached {
        /// Scans that the plan allows.
        limit: u32,
    },
    /// The tenant stores as much of this as its plan allows; nothing was saved.
    #[error("the quota of {quota:?} is reached")]
    QuotaReached {
        /// What is full.
        quota: Quota,
        /// The plan whose limit applies.
        plan: Plan,
    },
    /// The idempotent call that was to save something has been answered meanwhile; nothing was saved.
    #[error("the call has been answered already")]
    CallAnswered,
    /// Another worker has the photograph of a batch by now, or it was cancelled; nothing was saved.
    #[error("the photograph of the batch is no longer this worker's")]
    LeaseLost,
    /// The user owns a company with other members; nothing was deleted.
    #[error("the user owns a company that has other members")]
    OwnsCompany,
    /// The owner of a company is being deleted, so nobody can join it.
    #[error("the account is being deleted")]
    AccountClosing,
    /// The session of a call has ended since the call began; nothing was saved.
    #[error("the session has ended")]
    SessionEnded,
    /// The user may not decide for the company, or may no longer since the call began; nothing was saved.
    #[error("the user does not manage the company")]
    NotManager,
    /// A stored value does not have the form that this version writes.
    #[error("the column `{column}` holds a value that cannot be read: {reason}")]
    Corrupt {
        /// Which column.
        column: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// Any other error of the database.
    #[error("cannot query the database")]
    Query(#[source] sqlx::Error),
}

// SQLite's primary result codes (https://www.sqlite.org/rescode.html); extended codes carry them in the low byte.
const SQLITE_BUSY: u32 = 5;
const SQLITE_LOCKED: u32 = 6;
const SQLITE_NOMEM: u32 = 7;
/// The file, its folder or its disk is read-only.
const SQLITE_READONLY: u32 = 8;
const SQLITE_IOERR: u32 = 10;
const SQLITE_CORRUPT: u32 = 11;
const SQLITE_FULL: u32 = 13;
/// Also if the process has no file descriptor left.
const SQLITE_CANTOPEN: u32 = 14;
/// Another process recovers the write-ahead log.
const SQLITE_PROTOCOL: u32 = 15;
const SQLITE_NOTADB: u32 = 26;
/// No room for the index of the write-ahead log: the one full disk that has a code of its own.
const SQLITE_IOERR_SHMSIZE: u32 = SQLITE_IOERR | (19 << 8);

// PostgreSQL's codes (https://www.postgresql.org/docs/current/errcodes-appendix.html) have five characters; those
// of SQLite are numbers of at most four.
const POSTGRES_CODE_CHARS: usize = 5;
/// Serialization failure, deadlock.
const POSTGRES_UNDONE: [&str; 2] = ["40001", "40P01"];
/// Lock not available.
const POSTGRES_LOCKED: &str = "55P03";
const POSTGRES_TOO_MANY_CONNECTIONS: &str = "53300";
/// A standby server, or a database that was set to read-only.
pub(crate) const POSTGRES_TOO_LARGE: &str = "54000";
const POSTGRES_READ_ONLY: &str = "25006";
/// Disk full, out of memory, configuration limit exceeded.
const POSTGRES_FULL: [&str; 3] = ["53100", "53200", "53400"];
/// Shut down by its administrator, crashed, not yet or no longer accepting connections, its disk fails.
const POSTGRES_UNREACHABLE: [&str; 5] = ["57P01", "57P02", "57P03", "57P05", "58030"];
/// The class of errors of the connection itself.
const POSTGRES_CONNECTION: &str = "08";

impl Error {
    /// The error of opening the database at `url`: a failed query means that this is no database, and a failed
    /// connection that there is none. A full disk or a lock keeps its own error.
    pub(crate) fn of_opening(url: &str, source: sqlx::Error) -> Self {
        // For SQLite it is the path of a file, which may hold any characters.
        let has_password = url.contains('@') && !url.starts_with("sqlite:");
        let file = |source| unwritable_file(url, source);
        let url = shown(url);
        match Self::from(source) {
            Self::Query(source @ sqlx::Error::Configuration(_)) if has_password => {
                Self::UnreadableAddress { url, source }
            }
            Self::Query(source) | Self::Unreachable(source) | Self::ReadOnly(source) => match file(&source) {
                Some(path) => Self::NotWritable { path, source },
                None => Self::Open { url, source },
            },
            known => known,
        }
    }

    /// Refuses an address with a parameter that the driver cannot read, and logs those that have no effect.
    pub(crate) fn check_address(url: &str) -> Result<(), Self> {
        let Some((name, reason)) = wrong_parameter(url) else {
            for name in unused_parameters(url) {
                tracing::info!(parameter = name, "a parameter in the address of the database has no effect");
            }
            return Ok(());
        };
        Err(Self::WrongParameter { url: shown(url), name: name.to_owned(), reason })
    }

    /// The database did not answer in the time that a caller allows.
    pub fn out_of_time() -> Self {
        Self::NoConnection(sqlx::Error::PoolTimedOut)
    }

    /// Whether the store was closed, as at the end of the program.
    pub fn is_closed(&self) -> bool {
        matches!(self, Self::Unreachable(sqlx::Error::PoolClosed))
    }

    /// Whether the content of an SQLite file is damaged, or is no database. Other errors say nothing about the content.
    pub fn is_damaged(&self) -> bool {
        let (Self::Open { source, .. } | Self::Query(source)) = self else { return false };
        sqlite_code(source).is_some_and(|code| [SQLITE_CORRUPT, SQLITE_NOTADB].contains(&code))
    }

    /// Whether the database aborted a transaction in favour of another one: a retry may succeed.
    pub(crate) fn is_undone_for_another(&self) -> bool {
        let Self::Locked(source) = self else { return false };
        let code = source.as_database_error().and_then(sqlx::error::DatabaseError::code);
        // SQLite has no such code: its transactions take the only write lock when they begin.
        code.is_some_and(|code| POSTGRES_UNDONE.contains(&&*code))
    }
}

/// A number of rows in words.
pub fn counted_rows(n_rows: u64) -> String {
    format!("{n_rows} row{}", if n_rows == 1 { "" } else { "s" })
}

/// The folder of a file; `.` for a bare name.
fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The primary result code of SQLite.
fn sqlite_code(source: &sqlx::Error) -> Option<u32> {
    let code = source.as_database_error()?.code()?;
    let is_of_sqlite = code.len() < POSTGRES_CODE_CHARS;
    code.parse::<u32>().ok().filter(|_| is_of_sqlite).map(|code| code & 0xff)
}

/// The file of the SQLite database at `url`, if opening it failed because the file, or one beside it, cannot be
/// written.
fn unwritable_file(url: &str, source: &sqlx::Error) -> Option<PathBuf> {
    let path = sqlite_file(url)?;
    let may_be = match sqlite_code(source)? {
        SQLITE_READONLY => true,
        // The code also stands for a missing file that is not to be created, and for a folder with its name.
        SQLITE_CANTOPEN => path.is_file() || (url.contains("mode=rwc") && !path.is_dir()),
        _ => false,
    };
    may_be.then_some(path)
}

impl From<sqlx::Error> for Error {
    fn from(source: sqlx::Error) -> Self {
        let Some(database) = source.as_database_error() else {
            return match source {
                sqlx::Error::PoolTimedOut => Self::NoConnection(source),
                // The connection ended, in whatever way the driver noticed.
                sqlx::Error::Io(_)
                | sqlx::Error::Tls(_)
                | sqlx::Error::Protocol(_)
                | sqlx::Error::BeginFailed
                | sqlx::Error::PoolClosed
                | sqlx::Error::WorkerCrashed => Self::Unreachable(source),
                _ => Self::Query(source),
            };
        };
        // SQLite names no constraint, only the columns, in its message.
        let constraint = || database.constraint().unwrap_or_else(|| database.message()).to_owned();
        // Before the codes: these two are results that callers handle, not faults.
        if database.is_unique_violation() {
            return Self::Constraint(constraint());
        }
        if database.is_foreign_key_violation() {
            return Self::ReferenceMissing(constraint());
        }
        let code = database.code().unwrap_or_default().into_owned();
        // The error does not tell which database it is from; the length of its code does.
        if code.len() == POSTGRES_CODE_CHARS {
            return match code.as_str() {
                code if POSTGRES_UNDONE.contains(&code) || code == POSTGRES_LOCKED => Self::Locked(source),
                POSTGRES_TOO_MANY_CONNECTIONS => Self::TooManyConnections(source),
                POSTGRES_READ_ONLY => Self::ReadOnly(source),
                code if POSTGRES_FULL.contains(&code) => Self::Full(source),
                code if POSTGRES_UNREACHABLE.contains(&code) || code.starts_with(POSTGRES_CONNECTION) => {
                    Self::Unreachable(source)
                }
                _ => Self::Query(source),
            };
        }
        let Ok(code) = code.parse::<u32>() else { return Self::Query(source) };
        match code & 0xff {
            // Before its primary code, which means a disk that fails.
            _ if code == SQLITE_IOERR_SHMSIZE => Self::Full(source),
            SQLITE_BUSY | SQLITE_LOCKED | SQLITE_PROTOCOL => Self::Locked(source),
            SQLITE_READONLY => Self::ReadOnly(source),
            SQLITE_FULL => Self::Full(source),
            SQLITE_IOERR | SQLITE_CANTOPEN | SQLITE_NOMEM => Self::Unreachable(source),
            _ => Self::Query(source),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_row_is_not_called_rows() {
        let full = |n_rows| Error::NotEmpty { url: "parts.db".to_owned(), n_rows }.to_string();
        assert_eq!(full(1), "the database `parts.db` holds 1 row already");
        assert_eq!(full(2), "the database `parts.db` holds 2 rows already");
    }
}
