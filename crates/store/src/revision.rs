//! The counter of changes that vector indexes have to be synced with.

use sqlx::AnyConnection;

use crate::Error;

/// The next revision, for a change that indexes have to be synced with. Locks the counter until the transaction ends.
pub(crate) async fn next_revision(tx: &mut AnyConnection) -> Result<i64, Error> {
    let query = "UPDATE part_reference_revision SET revision = revision + 1 RETURNING revision";
    Ok(sqlx::query_scalar(query).fetch_one(tx).await?)
}
