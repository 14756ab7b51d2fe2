//! Operations on the rows of every room: backups, inspecting a database, and creating and deleting tenants. Begin
//! with `backup.rs` or `tenants.rs`.

mod backup;
mod crash;
mod erasure;
mod inspection;
mod quotas;
mod tenants;

pub use backup::{
    Cell, CellKind, DatabaseKind, Restoration, SEEDED_TABLE, Snapshot, Table, TableRows, count_rows_at,
    release_sqlite_file, sqlite_file_url,
};
pub use inspection::{DatabaseFacts, inspect};
pub use tenants::DeletedCompany;
