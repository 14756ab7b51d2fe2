//! Syncs rows of references to an index.

use std::collections::HashMap;

use partsight_catalog::{IndexEntry, VectorIndex};
use partsight_domain::{PartFitments, ReferenceId};
use partsight_store::{Store, StoredReference};

use crate::{Identifier, Result};

/// References that are read from the database at a time: 2 MB of embeddings at 512 numbers.
const PAGE: u32 = 1000;

/// A synced page of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Told {
    /// Revision of the last of them.
    pub(super) revision: i64,
    /// Their number.
    pub(super) n: usize,
}

/// Syncs the next page of changes after the revision `seen`; `None` if there are none.
pub(super) async fn tell_page(
    index: &dyn VectorIndex,
    store: &Store,
    identifier: &Identifier,
    seen: i64,
) -> Result<Option<Told>> {
    let model_sha256 = &index.space().model_sha256;
    let page = store.list_changed_references(model_sha256, seen, PAGE).await?;
    // Read after the page, so that it includes all tombstones before the last change of the page.
    let forgotten = store.list_forgotten_references(seen).await?;
    if !forgotten.is_empty() {
        index.delete(forgotten).await?;
    }
    let (Some(first), Some(last)) = (page.first(), page.last()) else { return Ok(None) };
    let (first, last) = (first.revision, last.revision);
    let parts = store.list_fitments_of_references(model_sha256, first, last).await?;
    let n = page.len();
    tell(index, identifier, page, parts).await?;
    Ok(Some(Told { revision: last, n }))
}

/// Upserts references, and removes deleted ones.
pub(super) async fn tell(
    index: &dyn VectorIndex,
    identifier: &Identifier,
    references: Vec<StoredReference>,
    mut parts: HashMap<ReferenceId, Vec<PartFitments>>,
) -> Result<()> {
    let (deleted, kept): (Vec<_>, Vec<_>) =
        references.into_iter().partition(|reference| reference.deleted_at.is_some());
    if !deleted.is_empty() {
        index.delete(deleted.iter().map(|reference| reference.id).collect()).await?;
    }
    let entries: Vec<IndexEntry> = kept
        .into_iter()
        .filter_map(|reference| {
            let parts = parts.remove(&reference.id).unwrap_or_default();
            entry(reference, parts, identifier)
        })
        .collect();
    if !entries.is_empty() {
        index.upsert(entries).await?;
    }
    Ok(())
}

/// The entry of a reference in the index, with its centred embedding.
fn entry(
    reference: StoredReference,
    parts: Vec<PartFitments>,
    identifier: &Identifier,
) -> Option<IndexEntry> {
    Some(IndexEntry {
        id: reference.id,
        tenant_id: reference.tenant_id,
        label: reference.label,
        category: reference.category,
        kind: reference.kind,
        parts,
        revision: reference.revision,
        // The component that all photographs share hides the differences. See
        // docs/decisions/0035-centre-embeddings.md.
        embedding: identifier.reference_embedding(&reference.embedding)?,
    })
}
