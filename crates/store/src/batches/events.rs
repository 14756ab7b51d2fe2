//! The events about batches. To be queried before the first event of a transaction is written.

use std::collections::BTreeMap;

use partsight_domain::{BatchId, BatchItemId, BatchItemState, EventKind, NewEvent};
use serde_json::{Value, json};
use sqlx::{AnyConnection, Row};

use crate::{Error, rows};

/// Every photograph of a batch has an answer, or a reason why not.
pub(super) async fn batch_finished(id: BatchId, tx: &mut AnyConnection) -> Result<NewEvent, Error> {
    let query = sql!("SELECT state, COUNT(*) AS n FROM batch_item WHERE batch_id = $1 GROUP BY state", [id]);
    let mut by_state = BTreeMap::new();
    for row in &query.fetch_all(&mut *tx).await? {
        by_state.insert(rows::parsed::<BatchItemState>(row, "state")?, rows::count(row, "n")?);
    }
    let of = |state| by_state.get(&state).copied().unwrap_or(0);
    // The names of `GET /api/batches/{id}`.
    let counts = json!({
        "total": by_state.values().sum::<u64>(),
        "waiting": of(BatchItemState::Waiting),
        "running": of(BatchItemState::Running),
        "answered": of(BatchItemState::Answered),
        "notAPart": of(BatchItemState::NotAPart),
        "failed": of(BatchItemState::Failed),
        "duplicate": of(BatchItemState::Duplicate),
        "cancelled": of(BatchItemState::Cancelled),
    });
    let more = json!({ "counts": counts });
    about_batch(id, EventKind::BatchFinished, more, tx).await
}

/// A batch cannot go on.
pub(super) async fn batch_stopped(id: BatchId, tx: &mut AnyConnection) -> Result<NewEvent, Error> {
    about_batch(id, EventKind::BatchStopped, json!({}), tx).await
}

/// A photograph of a batch has no answer.
pub(super) async fn item_failed(id: BatchItemId, tx: &mut AnyConnection) -> Result<NewEvent, Error> {
    let query =
        sql!("SELECT batch_id, client_key, name, problem FROM batch_item WHERE batch_item_id = $1", [id]);
    let row = query.fetch_one(&mut *tx).await?;
    let batch_id: BatchId = rows::parsed(&row, "batch_id")?;
    let data = json!({
        "batchId": batch_id,
        "batchItemId": id,
        "key": row.try_get::<String, _>("client_key")?,
        "file": row.try_get::<String, _>("name")?,
        "problem": row.try_get::<Option<String>, _>("problem")?,
    });
    Ok(NewEvent::about(EventKind::BatchItemFailed, &batch_id, data))
}

async fn about_batch(
    id: BatchId,
    kind: EventKind,
    more: Value,
    tx: &mut AnyConnection,
) -> Result<NewEvent, Error> {
    let query = sql!("SELECT name, state, reason FROM batch WHERE batch_id = $1", [id]);
    let row = query.fetch_one(&mut *tx).await?;
    let mut data = json!({
        "batchId": id,
        "name": row.try_get::<String, _>("name")?,
        "state": row.try_get::<String, _>("state")?,
        "reason": row.try_get::<Option<String>, _>("reason")?,
    });
    // Both are objects, made above and by the callers.
    if let (Value::Object(data), Value::Object(more)) = (&mut data, more) {
        data.extend(more);
    }
    Ok(NewEvent::about(kind, &id, data))
}
