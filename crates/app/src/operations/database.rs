use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use partsight_store::{Error, Store, StoreOptions, sqlite_file, sqlite_url};

use crate::operations::Operations;
use crate::operations::replicas::server_mark;
use crate::settings::DatabaseUrl;
use crate::{Settings, logged};

/// Opens the database that the settings name, for a command, with one connection for reading and one for writing.
///
/// An SQLite file is created and migrated. A PostgreSQL database, which other programs may use as well, is refused
/// until [`migrate_database`] has migrated it.
///
/// # Errors
/// Those of the store: a folder that cannot be created, or a database that cannot be reached, is of a newer version,
/// or is not migrated.
pub async fn open_store(settings: &Settings) -> Result<Store, Error> {
    open(settings, StoreOptions { max_connections: 1, ..options(settings) }).await
}

/// As [`open_store`] for a command whose threads read at the same time, with as many connections as a server.
///
/// # Errors
/// As [`open_store`].
pub async fn open_store_for_threads(settings: &Settings) -> Result<Store, Error> {
    open(settings, options(settings)).await
}

/// As [`open_store`] for a server, which has more connections, and whose sessions tell other servers what its settings
/// and its model are.
///
/// # Errors
/// As [`open_store`].
pub async fn open_server_store(settings: &Settings) -> Result<Store, Error> {
    open(settings, StoreOptions { session_name: Some(server_mark(settings)), ..options(settings) }).await
}

fn options(settings: &Settings) -> StoreOptions {
    let migrate = settings.data.database_url.as_ref().is_none_or(DatabaseUrl::is_sqlite);
    StoreOptions { migrate, ..StoreOptions::default() }
}

/// Refuses a missing SQLite file, for commands that need its content: an empty database in a mistyped folder would
/// look as if everything were lost.
///
/// # Errors
/// [`Error::Missing`], [`Error::Hidden`], or [`Error::UnfinishedRestore`].
pub fn require_database(settings: &Settings) -> Result<(), Error> {
    refuse_unfinished_restore(settings)?;
    match database_file(settings) {
        Some(path) if !is_there(&path)? => Err(Error::Missing(path)),
        _ => Ok(()),
    }
}

/// Keeps other servers from using an SQLite file until it is dropped or the process ends.
#[derive(Debug)]
#[must_use]
pub struct DatabaseClaim {
    lock: Option<File>,
}

impl DatabaseClaim {
    /// Whether no other server can be working with the database.
    pub fn is_exclusive(&self) -> bool {
        self.lock.is_some()
    }
}

/// Claims the database for a server. PostgreSQL can be shared by servers; commands beside a server claim nothing.
///
/// # Errors
/// [`Error::Served`] when another server has claimed it, [`Error::ClosedLock`] when this user may not see whether one
/// has, or [`Error::CreateFolder`].
pub fn claim_database(settings: &Settings) -> Result<DatabaseClaim, Error> {
    let Some(database) = database_file(settings) else { return Ok(DatabaseClaim { lock: None }) };
    if settings.data.database_url.is_none() {
        // Creates the data folder.
        sqlite_url(&settings.data.dir)?;
    }
    // Not the database itself: closing it would drop the locks that SQLite holds in this process.
    let path = with_ending(&database, ".server");
    let mut options = OpenOptions::new();
    options.create(true).write(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let locked = options.open(&path).map_err(TryLockError::Error).and_then(|file| {
        file.try_lock()?;
        Ok(file)
    });
    match locked {
        Ok(file) => Ok(DatabaseClaim { lock: Some(file) }),
        Err(TryLockError::WouldBlock) => Err(Error::Served(database)),
        Err(TryLockError::Error(source)) if source.kind() == ErrorKind::PermissionDenied && path.exists() => {
            Err(Error::ClosedLock { path, source })
        }
        Err(TryLockError::Error(error)) => {
            // Some network file systems have no locks; a folder that is not writable is reported by the database.
            tracing::warn!(file = %path.display(), %error, "whether another server works with the database cannot be told");
            Ok(DatabaseClaim { lock: None })
        }
    }
}

impl Operations {
    /// Ends the claims of a server that crashed, so that its mails, photographs of batches and idempotent calls need not
    /// wait for them. Only for a server whose claim on the database [is exclusive](DatabaseClaim::is_exclusive).
    pub async fn end_claims(&self) {
        // Claims also expire by themselves, so a full disk keeps no server from starting.
        if let Err(error) = self.store.end_claims(self.accounts.clock.now()).await {
            tracing::warn!(
                error = logged(&error),
                "the claims of the last server could not be ended; they expire by themselves"
            );
        }
    }
}

/// Whether there is such a file. If that cannot be determined, or a folder is in its place, it is an error, so that none
/// is created.
fn is_there(path: &Path) -> Result<bool, Error> {
    let found = if path.is_dir() { Err(ErrorKind::IsADirectory.into()) } else { path.try_exists() };
    found.map_err(|source| Error::Hidden { path: path.to_owned(), source })
}

/// Migrates the database that the settings name to this version, and returns the number of its last migration.
///
/// # Errors
/// As [`open_store`].
pub async fn migrate_database(settings: &Settings) -> Result<i64, Error> {
    let store =
        open(settings, StoreOptions { migrate: true, max_connections: 1, ..StoreOptions::default() }).await?;
    let version = store.version().await?;
    store.close().await;
    Ok(version)
}

async fn open(settings: &Settings, options: StoreOptions) -> Result<Store, Error> {
    refuse_unfinished_restore(settings)?;
    if let Some(path) = database_file(settings)
        && path.parent().is_some_and(Path::is_dir)
    {
        // Checked here because SQLite's error would not tell the reason.
        is_there(&path)?;
    }
    let store = match &settings.data.database_url {
        Some(url) => Store::open_with(&url.reveal_to_create(), &options).await?,
        None => Store::open_with(&sqlite_url(&settings.data.dir)?, &options).await?,
    };
    Ok(store)
}

/// After a killed restore the old database lies aside, or there was none: a new, empty one in its place would look
/// like lost data.
fn refuse_unfinished_restore(settings: &Settings) -> Result<(), Error> {
    match database_file(settings) {
        Some(path) if !path.exists() && with_ending(&path, ".restoring").exists() => {
            Err(Error::UnfinishedRestore(path))
        }
        _ => Ok(()),
    }
}

/// The file of the database in the settings, if it is SQLite.
pub(crate) fn database_file(settings: &Settings) -> Option<PathBuf> {
    let file = match &settings.data.database_url {
        Some(url) => sqlite_file(url.reveal()),
        None => Some(settings.data.dir.join("partsight.db")),
    };
    // Its own name, so that two servers cannot claim one file by two names, and a restore replaces it where it is.
    file.map(|file| if file.is_symlink() { file.canonicalize().unwrap_or(file) } else { file })
}

/// The folder of an SQLite database that does not lie in the data folder.
pub(crate) fn other_database_folder(settings: &Settings) -> Option<PathBuf> {
    let file = database_file(settings)?;
    let (folder, data) = (folder_of(&file), settings.data.dir.as_path());
    let is_same = folder == data
        || folder.canonicalize().is_ok_and(|folder| data.canonicalize().is_ok_and(|data| data == folder));
    (!is_same).then(|| folder.to_owned())
}

/// The folder of a file; `.` for a bare name.
pub(crate) fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The path with `ending` appended to its name.
pub(crate) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
