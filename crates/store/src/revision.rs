//! The counter of changes that a vector index has to be told of.

use sqlx::AnyConnection;

use crate::Error;

/// The number of a change that an index has to be told of. Locks the counter until the transaction ends.
pub(crate) async fn next_revision(tx: &mut AnyConnection) -> Result<i64, Error> {
    let query = "UPDATE part_reference_revision SET revision = revision + 1 RETURNING revision";
    Ok(sqlx::query_scalar(query).fetch_one(tx).await?)
}
