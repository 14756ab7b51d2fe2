//! Checks of storage: disk, permissions, database, backups.

use std::path::{Path, PathBuf};
use std::{fs, io, iter};

use jiff::{SignedDuration, Timestamp};
use partsight_store::{DatabaseFacts, DatabaseKind, Error, StoreOptions, inspect, sqlite_file_url};

use super::{Finding, size};
use crate::Settings;
use crate::garage::{vehicle_reference, vin_reading};
use crate::operations::backup::last_backup as noted_backup;
use crate::operations::database::{database_file, folder_of, with_ending};
use crate::operations::disk::{free_bytes, is_writable};
use crate::with_causes;

/// Free bytes below which writes are about to fail.
const LEAST_ROOM: u64 = 200_000_000;
/// Free bytes below which the operator should free space.
const ENOUGH_ROOM: u64 = 2_000_000_000;
/// With a backup every night, a failed one is reported before the next one is due.
const BACKUP_AGE: SignedDuration = SignedDuration::from_hours(48);

/// Advice for a damaged database only, because a restore loses everything saved since the backup.
const RESTORE: &str = "stop the server and restore the last backup with `partsight restore --replace`";
const MORE_CONNECTIONS: &str = "raise `max_connections` of PostgreSQL and restart it, or the `CONNECTION LIMIT` of the database or its user, or run \
     fewer servers: the page \"PostgreSQL, Qdrant and several servers\" of the documentation says how many connections each may open";
const MISNAMED: &str = "correct `data_dir` or `database_url`, or move it away";
const OTHER_USER: &str = "run this as the user that the server runs as, and see that the disk works; the database itself may be sound";

pub(super) fn disk(folder: &Path) -> Finding {
    match free_bytes(folder) {
        None => Finding::ok("disk", "this system does not say how much room there is"),
        Some(free) => {
            let found = format!("{} free for `{}`", size(free), folder.display());
            let advice = "make room: a full disk stops every write; the page \"When something is wrong\" of the documentation says what to \
                          delete";
            match free {
                0..LEAST_ROOM => Finding::problem("disk", found, advice),
                LEAST_ROOM..ENOUGH_ROOM => Finding::warning("disk", found, advice),
                _ => Finding::ok("disk", found),
            }
        }
    }
}

/// Whether other users of this machine can read the data folder and the database.
#[cfg(unix)]
pub(super) fn rights(settings: &Settings) -> Vec<Finding> {
    use std::os::unix::fs::MetadataExt;

    use crate::operations::database::other_database_folder;
    let folder = &settings.data.dir;
    let facts = fs::metadata(folder).ok().filter(fs::Metadata::is_dir);
    let mut findings = Vec::new();
    let is_open = |mode: u32| mode & 0o077 != 0;
    if let Some(facts) = facts.as_ref().filter(|facts| is_open(facts.mode())) {
        findings.push(Finding::problem(
            "rights",
            format!("`{}` can be read by other users ({:o})", folder.display(), facts.mode() & 0o777),
            format!("chmod 700 '{}'", folder.display()),
        ));
    }
    if let Some(other) = other_database_folder(settings)
        // It may be used for other things too, so others may look into it. In a folder with the sticky bit nobody
        // replaces the files of others.
        && let Ok(facts) = fs::metadata(&other)
        && facts.mode() & 0o022 != 0
        && facts.mode() & 0o1000 == 0
    {
        findings.push(Finding::problem(
            "rights",
            format!(
                "other users can replace the database in `{}` ({:o})",
                other.display(),
                facts.mode() & 0o777
            ),
            format!("chmod go-w '{}'", other.display()),
        ));
    }
    // The owner of `/proc/self` is the user of this process.
    let me = fs::metadata("/proc/self").map(|found| found.uid()).ok();
    for path in database_files(settings) {
        let Some(found) = fs::metadata(&path).ok().filter(fs::Metadata::is_file) else { continue };
        // Root can open every file, but the server's user cannot open a file that root created.
        let is_of_root = me == Some(0) && found.uid() == 0;
        if is_of_root || is_closed(&path) {
            findings.extend(chown(&path).map(|advice| {
                let what = format!("`{}` belongs to another user than its folder", path.display());
                Finding::problem("rights", what, advice)
            }));
        }
        if is_open(found.mode()) {
            let mode = found.mode() & 0o777;
            let what = format!("`{}` can be read by others ({mode:o})", path.display());
            let advice = format!("chmod 600 '{}'", path.display());
            let is_open_folder = fs::metadata(folder_of(&path)).is_ok_and(|folder| is_open(folder.mode()));
            // If the folder is closed to others, the file cannot be reached: only a warning.
            findings.push(if is_open_folder {
                Finding::problem("rights", what, advice)
            } else {
                Finding::warning("rights", what, advice)
            });
        }
    }
    let owner = facts.as_ref().map(MetadataExt::uid);
    if me.is_some_and(|me| me != 0) && owner.is_some_and(|owner| me != Some(owner)) {
        findings.push(Finding::problem(
            "rights",
            format!("`{}` belongs to another user", folder.display()),
            "run this command, and the server, as the user that the folder belongs to",
        ));
    }
    if findings.is_empty() {
        let folder = folder.display();
        findings.push(Finding::ok(
            "rights",
            match facts {
                Some(_) => format!("`{folder}` is for its owner only"),
                None => format!("there is no folder `{folder}` yet"),
            },
        ));
    }
    findings
}

/// Other systems have other rights.
#[cfg(not(unix))]
pub(super) fn rights(_: &Settings) -> Vec<Finding> {
    Vec::new()
}

/// The command that gives a file to the owner of its folder; `None` if it has that owner already.
#[cfg(unix)]
fn chown(file: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let folder = folder_of(file);
    let (owner, right) = (fs::metadata(file).ok()?.uid(), fs::metadata(folder).ok()?.uid());
    // A folder owned by root does not tell which user the server runs as.
    (owner != right && right != 0)
        .then(|| format!("sudo chown --reference='{}' '{}'", folder.display(), file.display()))
}

/// Other systems have other rights.
#[cfg(not(unix))]
fn chown(_: &Path) -> Option<String> {
    None
}

/// Advice for a database that SQLite cannot write although it is not damaged.
fn let_write(file: &Path) -> String {
    let folder = folder_of(file).display();
    format!(
        "let the user that the server runs as{} write `{folder}` and the files in it, as with `chmod u+rwx '{folder}'` \
         by its owner, and see that the disk is not mounted read-only; the database itself may be sound",
        this_user()
    )
}

/// The user of this process, as an addition to the user that it should be.
#[cfg(unix)]
fn this_user() -> String {
    format!(" (this is the user {})", rustix::process::geteuid().as_raw())
}

/// Other systems have no numbers for users.
#[cfg(not(unix))]
fn this_user() -> String {
    String::new()
}

/// The database, the files that SQLite keeps beside it, and the one that a server locks.
fn database_files(settings: &Settings) -> Vec<PathBuf> {
    let Some(file) = database_file(settings) else { return Vec::new() };
    ["", "-wal", "-shm", ".server"].map(|ending| with_ending(&file, ending)).into()
}

/// Checks the imported vehicle data, because a server does not start if it cannot be read.
pub(super) fn vehicle_facts(data_dir: &Path) -> Finding {
    if data_dir.is_file() {
        return Finding::problem(
            "vehicles",
            format!("`{}` is a file, and not the folder of the facts about vehicles", data_dir.display()),
            "correct `data_dir`, or move it away",
        );
    }
    let read = vehicle_reference::load(data_dir).and(vin_reading::imported_vin_patterns(data_dir));
    match read {
        Ok(_) => Finding::ok("vehicles", "the facts about vehicles can be read"),
        Err(error) => Finding::problem(
            "vehicles",
            with_causes(&error),
            "import them again with `partsight vehicles import`, or delete the file: the program has some of its own",
        ),
    }
}

/// Whether the folder of the setting `batch_dir` can be read.
pub(super) fn batch_folder(folder: &Path) -> Finding {
    let shown = folder.display();
    match fs::read_dir(folder) {
        Ok(_) => Finding::ok("batch-dir", format!("`{shown}` can be read")),
        Err(error) => Finding::problem(
            "batch-dir",
            format!("`{shown}` cannot be read: {error}"),
            "check the setting `batch_dir`, and whether the user that the server runs as may read the folder",
        ),
    }
}

/// Checks the database. Also returns the facts about it, if it can be read.
pub(super) async fn database(settings: &Settings) -> (Vec<Finding>, Option<DatabaseFacts>) {
    let is_server = settings.data.database_url.as_ref().is_some_and(|url| !url.is_sqlite());
    let url = match (&settings.data.database_url, database_file(settings)) {
        (Some(url), _) if is_server => Ok(url.reveal().to_owned()),
        (_, Some(file)) if folder_of(&file).is_file() => {
            let found =
                format!("`{}` is a file, and not the folder of the database", folder_of(&file).display());
            return (vec![Finding::problem("database", found, MISNAMED)], None);
        }
        (_, Some(file)) if file.is_dir() => {
            let found = format!("`{}` is a folder, and not the file of the database", file.display());
            return (vec![Finding::problem("database", found, MISNAMED)], None);
        }
        (_, Some(file)) if file.try_exists().is_err() => {
            let found = format!("cannot look for `{}`: its folder is closed to this user", file.display());
            return (vec![Finding::problem("database", found, OTHER_USER)], None);
        }
        (_, Some(file)) if is_closed(&file) => {
            let found = format!("`{}` may not be opened by this user", file.display());
            let advice = chown(&file).unwrap_or_else(|| OTHER_USER.to_owned());
            return (vec![Finding::problem("database", found, advice)], None);
        }
        (_, Some(file)) if is_on_read_only_disk(&file) => {
            let found = format!("`{}` is on a disk that is mounted read-only", file.display());
            let advice = "see in the log of the system why, and mount the disk for writing again";
            return (vec![Finding::problem("database", found, advice)], None);
        }
        (_, Some(file)) if file.exists() && !is_writable(folder_of(&file)) => {
            let folder = folder_of(&file).display();
            let found = format!(
                "`{folder}`, in which SQLite makes files beside the database, takes no files of this user"
            );
            return (vec![Finding::problem("database", found, let_write(&file))], None);
        }
        (_, Some(file)) if file.exists() => sqlite_file_url(&file),
        (_, Some(file)) if with_ending(&file, ".restoring").exists() => {
            let found = format!("`{}` is missing: a restore did not come to its end", file.display());
            return (vec![Finding::problem("database", found, "run `partsight restore` again")], None);
        }
        (_, file) => return (vec![database_to_be(settings, file.as_deref())], None),
    };
    let facts = match url {
        Ok(url) => inspect(&url).await,
        Err(error) => Err(error),
    };
    match facts {
        Err(error) => {
            let advice = match error {
                Error::Full(_) => {
                    "make room: the page \"When something is wrong\" of the documentation says what to delete"
                }
                Error::TooManyConnections(_) => MORE_CONNECTIONS,
                _ if is_server => "see that PostgreSQL runs, and that `database_url` is right",
                Error::Locked(_) => "another program works with it: look again when that is done",
                Error::NotWritable { ref path, .. } => &let_write(path),
                _ if error.is_damaged() => RESTORE,
                _ => OTHER_USER,
            };
            (vec![Finding::problem("database", with_causes(&error), advice)], None)
        }
        Ok(facts) => {
            let findings =
                iter::once(of_database(&facts)).chain(facts.connections.map(connections)).collect();
            (findings, Some(facts))
        }
    }
}

/// How many servers the connections that PostgreSQL allows are enough for.
fn connections(n_allowed: u32) -> Finding {
    let a_server = StoreOptions::default().postgres_connections();
    let n_servers = n_allowed / a_server;
    let servers = if n_servers == 1 { "server" } else { "servers" };
    let found = format!(
        "PostgreSQL allows {n_allowed}, enough for {n_servers} {servers} with up to {a_server} connections each"
    );
    // One server alone needs no PostgreSQL.
    if n_servers < 2 {
        return Finding::warning("connections", found, MORE_CONNECTIONS);
    }
    Finding::ok("connections", found)
}

/// Whether `partsight serve` can create the missing database. It creates the file, and no folder but the data folder.
fn database_to_be(settings: &Settings, file: Option<&Path>) -> Finding {
    let is_named = settings.data.database_url.is_some();
    let problem = file.and_then(|file| {
        let folder = folder_of(file);
        let is_made = !is_named && fs::symlink_metadata(folder).is_err();
        let place = if is_made { folder.ancestors().find(|folder| folder.is_dir())? } else { folder };
        let reason = match (place.is_dir(), is_writable(place)) {
            (true, true) => return None,
            (true, false) => "this user may not write into it",
            (false, _) => "there is no such folder",
        };
        Some(format!("`{}` cannot be made in `{}`: {reason}", file.display(), place.display()))
    });
    let setting = if is_named { "database_url" } else { "data_dir" };
    match problem {
        None => Finding::ok("database", "there is none yet; `partsight serve` makes it"),
        Some(found) => Finding::problem(
            "database",
            found,
            format!("make the folder for the user that the server runs as, or correct `{setting}`"),
        ),
    }
}

/// Whether this user lacks permission to read and write the file.
fn is_closed(file: &Path) -> bool {
    refuses(file, io::ErrorKind::PermissionDenied)
}

fn is_on_read_only_disk(file: &Path) -> bool {
    refuses(file, io::ErrorKind::ReadOnlyFilesystem)
}

/// Whether opening the file for reading and writing fails with `reason`.
fn refuses(file: &Path, reason: io::ErrorKind) -> bool {
    let opened = fs::OpenOptions::new().read(true).write(true).open(file);
    opened.is_err_and(|error| error.kind() == reason)
}

fn of_database(facts: &DatabaseFacts) -> Finding {
    let engine = match facts.kind {
        DatabaseKind::Sqlite => format!("SQLite {}", facts.engine),
        DatabaseKind::Postgres => format!("PostgreSQL {}", facts.engine),
    };
    let found =
        format!("{engine}, {}, at migration {} of {}", size(facts.size_bytes), facts.version, facts.latest);
    if let Some(damage) = facts.damage.first() {
        return Finding::problem("database", format!("{found}; it is damaged: {damage}"), RESTORE);
    }
    if facts.is_read_only {
        let advice = "it takes no writes, as a server that stands by for another after a failover: let `database_url` \
                      name the one that takes writes, or promote this one";
        return Finding::problem("database", format!("{found}, read-only"), advice);
    }
    if facts.is_from_development {
        let advice = "a development version of partsight, from before its first release, made it: export what you \
                      need with that one, and begin with a new data folder or an empty database";
        return Finding::problem("database", found, advice);
    }
    if facts.is_foreign {
        let advice = "another program made it: let `data_dir` or `database_url` name another place";
        return Finding::problem("database", format!("{found}, with tables of others only"), advice);
    }
    if facts.version > facts.latest {
        return Finding::problem("database", found, "a newer version of partsight made it: run that one");
    }
    if facts.version < facts.latest {
        let advice = "make a backup; then `partsight migrate` brings it to this version";
        return match facts.kind {
            DatabaseKind::Sqlite => Finding::warning("database", found, advice),
            DatabaseKind::Postgres => Finding::problem("database", found, advice),
        };
    }
    Finding::ok(
        "database",
        match facts.kind {
            DatabaseKind::Sqlite => format!("{found}; its quick check finds nothing wrong"),
            DatabaseKind::Postgres => found,
        },
    )
}

pub(super) fn last_backup(settings: &Settings, now: Timestamp) -> Finding {
    let advice =
        "run `partsight backup` every night; the page \"Backups\" of the documentation has a timer for it";
    let Some(last) = noted_backup(settings) else {
        return Finding::warning("backup", "no backup is known", advice);
    };
    let age = now.duration_since(last.created_at);
    let found = format!(
        "the last one is of {} ({}) in `{}`",
        last.created_at.strftime("%Y-%m-%d %H:%M UTC"),
        size(last.size_bytes),
        last.path.display()
    );
    if !last.path.exists() {
        let advice = "see that it was moved to another place, and not lost";
        return Finding::warning("backup", format!("{found}, which is no longer there"), advice);
    }
    if age < -SignedDuration::from_mins(1) {
        return Finding::warning(
            "backup",
            format!("{found}, which is in the future"),
            "make one now, and set the clock",
        );
    }
    if age > BACKUP_AGE {
        return Finding::warning("backup", format!("{found}, {} days ago", age.as_hours() / 24), advice);
    }
    Finding::ok("backup", found)
}

#[cfg(test)]
mod tests {
    use super::super::Health;
    use super::*;

    #[test]
    fn a_database_that_takes_no_writes_is_a_problem() {
        for (is_read_only, health) in [(false, Health::Ok), (true, Health::Problem)] {
            let facts = DatabaseFacts {
                kind: DatabaseKind::Postgres,
                engine: "17.2".to_owned(),
                version: 1,
                latest: 1,
                is_from_development: false,
                is_foreign: false,
                size_bytes: 1,
                is_read_only,
                connections: None,
                now: None,
                session_names: Vec::new(),
                damage: Vec::new(),
                newest_row: None,
            };
            assert_eq!(of_database(&facts).health, health, "{is_read_only}");
        }
    }

    #[test]
    fn servers_that_do_not_fit_into_postgres_are_warned_of() {
        for (n_allowed, health, servers) in [
            (15, Health::Warning, "enough for 0 servers"),
            (31, Health::Warning, "enough for 1 server "),
            (32, Health::Ok, "enough for 2 servers"),
            (97, Health::Ok, "enough for 6 servers"),
        ] {
            let finding = connections(n_allowed);
            assert_eq!(finding.health, health, "{n_allowed}");
            assert!(finding.found.contains(servers), "{}", finding.found);
        }
    }
}
