//! The migrations of this version of the program, and which of them a database has.
//!
//! They are append-only. sqlx records number and checksum of each one that it applies; a database with other
//! migrations of the same numbers is refused before anything is written to it.

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::{AnyConnection, Row};

use crate::Error;
use crate::url::shown;

/// The folder `migrations`, embedded at compile time.
pub(crate) static MIGRATIONS: Migrator = sqlx_macros::migrate!("../../migrations");

/// The number of the last migration of this version.
pub(crate) fn latest() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0)
}

/// Whether this version of the program has the migration `version`.
pub fn knows_migration(version: i64) -> bool {
    MIGRATIONS.version_exists(version)
}

/// Whether migrations with these ascending numbers are those of a development version from before the first release.
/// Their numbers had gaps; those of releases have none.
pub fn is_from_development(versions: &[i64]) -> bool {
    versions.iter().zip(1..).any(|(version, expected)| *version != expected)
}

/// The ascending numbers of the migrations that the database at `url` has; none for an empty one.
///
/// # Errors
/// [`Error::DevelopmentDatabase`], [`Error::NewerDatabase`] and [`Error::ForeignDatabase`] for a database that this
/// version cannot use.
pub(crate) async fn applied(url: &str, connection: &mut AnyConnection) -> Result<Vec<i64>, Error> {
    let query = sqlx::query("SELECT version, checksum FROM _sqlx_migrations ORDER BY version");
    let rows = match query.fetch_all(&mut *connection).await {
        Ok(rows) => rows,
        // The first migration creates the table.
        Err(sqlx::Error::Database(error)) if is_missing_table(&*error) => {
            // A PostgreSQL database may be shared with other programs, a file is not.
            if connection.backend_name() == "SQLite" && has_tables_of_others(connection).await? {
                return Err(Error::ForeignDatabase(shown(url)));
            }
            return Ok(Vec::new());
        }
        Err(error) => return Err(error.into()),
    };
    let mut versions = Vec::with_capacity(rows.len());
    for row in &rows {
        let version: i64 = row.try_get("version")?;
        let checksum: Vec<u8> = row.try_get("checksum")?;
        // Development versions had migrations with the same numbers and other contents.
        if MIGRATIONS.iter().any(|known| known.version == version && *known.checksum != *checksum) {
            return Err(Error::DevelopmentDatabase(shown(url)));
        }
        versions.push(version);
    }
    // Checked last, because a database of a development version also has numbers that are unknown here.
    match versions.iter().find(|version| !knows_migration(**version)) {
        Some(&version) => Err(Error::NewerDatabase { url: shown(url), version }),
        None => Ok(versions),
    }
}

/// Applies the migrations that the database at `url` lacks.
///
/// # Errors
/// As [`applied`], and what the database says.
pub(crate) async fn migrate(url: &str, connection: &mut AnyConnection) -> Result<(), Error> {
    // Checked first, so that a database with other migrations is refused before anything is written to it.
    applied(url, connection).await?;
    run(&MIGRATIONS, url, connection).await
}

/// Applies these migrations to an empty database, so that it has the schema of an earlier version.
pub(crate) async fn migrate_to(
    versions: &[i64],
    url: &str,
    connection: &mut AnyConnection,
) -> Result<(), Error> {
    let wanted = MIGRATIONS.iter().filter(|migration| versions.contains(&migration.version));
    run(&Migrator::with_migrations(wanted.cloned().collect()), url, connection).await
}

async fn run(migrator: &Migrator, url: &str, connection: &mut AnyConnection) -> Result<(), Error> {
    migrator.run(connection).await.map_err(|error| match error {
        MigrateError::VersionMissing(version) => Error::NewerDatabase { url: shown(url), version },
        MigrateError::VersionMismatch(_) => Error::DevelopmentDatabase(shown(url)),
        // Converted, so that a full disk or a lock is not reported as a fault of the migration.
        MigrateError::Execute(source) => match Error::from(source) {
            Error::Query(source) => Error::Open { url: shown(url), source },
            known => known,
        },
        other => Error::Migrate { url: shown(url), source: Box::new(other) },
    })
}

/// Whether a migration creates a table with this name: a database may also hold tables of other programs.
pub(crate) fn makes_table(name: &str) -> bool {
    let made = format!("CREATE TABLE {name} (");
    MIGRATIONS.iter().any(|migration| migration.sql.as_str().contains(&made))
}

/// Whether an SQLite file has tables and was never migrated.
async fn has_tables_of_others(connection: &mut AnyConnection) -> Result<bool, Error> {
    // One statement, because another server may migrate the file meanwhile.
    let n_tables: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' \
         AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = '_sqlx_migrations')",
    )
    .fetch_one(connection)
    .await?;
    Ok(n_tables > 0)
}

/// Whether a query failed because its table does not exist.
fn is_missing_table(error: &dyn sqlx::error::DatabaseError) -> bool {
    // PostgreSQL has a code for it; SQLite says only that the statement is wrong.
    error.code().as_deref() == Some("42P01") || error.message().starts_with("no such table")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The beginning of the checksum of each migration, in hexadecimal. Only ever appended to: a migration that changes
    /// locks people out of their databases.
    const CHECKSUMS: [&str; 36] = [
        "40d84551", "b1417dfa", "b4e223a6", "359894e0", "d5262ae1", "33081101", "dbf48f14", "cc609b75",
        "5718ba84", "4267799e", "5ae9092c", "d260f047", "a6f9c3f6", "2628dd71", "7701803f", "b3fcf90b",
        "3b8c84d3", "9dc24cf6", "2d3da9b6", "6932532d", "67f20f6a", "0a06acb9", "9e51c34a", "ae233660",
        "ad1d761e", "41f6b142", "e6779250", "adf4b276", "74f61a20", "3ed17391", "34d587ff", "55de50dd",
        "1c36d325", "0cfc0db8", "bbb7fc12", "79e52102",
    ];

    #[test]
    fn the_program_has_every_migration_of_the_folder() {
        let mut files: Vec<String> = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort_unstable();
        let compiled: Vec<String> = MIGRATIONS
            .iter()
            .map(|migration| {
                format!("{:04}_{}.sql", migration.version, migration.description.replace(' ', "_"))
            })
            .collect();
        assert_eq!(compiled, files);
    }

    #[test]
    fn migrations_are_numbered_without_a_gap() {
        let versions: Vec<i64> = MIGRATIONS.iter().map(|migration| migration.version).collect();
        assert_eq!(versions, (1..=latest()).collect::<Vec<i64>>());
        assert!(!is_from_development(&versions));
    }

    #[test]
    fn migrations_are_append_only() {
        let checksums: Vec<String> =
            MIGRATIONS.iter().map(|migration| hex::encode(&migration.checksum[..4])).collect();
        assert_eq!(checksums, CHECKSUMS, "add a migration instead of changing one");
    }
}
