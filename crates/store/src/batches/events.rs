//! What programs are told of batches.

use jiff::Timestamp;
use partsight_domain::{BatchId, BatchItemId, BatchItemState, EventKind, NewEvent, TenantId};
use serde_json::{Map, Value, json};
use sqlx::{AnyConnection, Row};

use crate::events::append_event;
use crate::{Error, rows};

/// Every photograph of a batch has its answer, or the reason why it has none.
pub(super) async fn batch_finished(id: BatchId, now: Timestamp, tx: &mut AnyConnection) -> Result<(), Error> {
    let query = sql!("SELECT state, COUNT(*) AS n FROM batch_item WHERE batch_id = $1 GROUP BY state", [id]);
    let mut counts = Map::new();
    for row in &query.fetch_all(&mut *tx).await? {
        let state: BatchItemState = rows::parsed(row, "state")?;
        counts.insert(state.to_string(), rows::count(row, "n")?.into());
    }
    let more = json!({ "counts": counts });
    tell(id, EventKind::BatchFinished, more, now, tx).await
}

/// A batch cannot go on.
pub(super) async fn batch_stopped(id: BatchId, now: Timestamp, tx: &mut AnyConnection) -> Result<(), Error> {
    tell(id, EventKind::BatchStopped, json!({}), now, tx).await
}

/// A photograph of a batch has no answer.
pub(super) async fn item_failed(
    id: BatchItemId,
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let query = sql!(
        "SELECT tenant_id, batch_id, client_key, name, problem FROM batch_item WHERE batch_item_id = $1",
        [id]
    );
    let row = query.fetch_one(&mut *tx).await?;
    let batch_id: BatchId = rows::parsed(&row, "batch_id")?;
    let data = json!({
        "batchId": batch_id,
        "batchItemId": id,
        "key": row.try_get::<String, _>("client_key")?,
        "file": row.try_get::<String, _>("name")?,
        "problem": row.try_get::<Option<String>, _>("problem")?,
    });
    let tenant_id: TenantId = rows::parsed(&row, "tenant_id")?;
    append_event(tenant_id, &NewEvent::about(EventKind::BatchItemFailed, &batch_id, data), now, tx).await
}

async fn tell(
    id: BatchId,
    kind: EventKind,
    more: Value,
    now: Timestamp,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let query = sql!("SELECT tenant_id, name, state, reason FROM batch WHERE batch_id = $1", [id]);
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
    let tenant_id: TenantId = rows::parsed(&row, "tenant_id")?;
    append_event(tenant_id, &NewEvent::about(kind, &id, data), now, tx).await
}
