//! From the rows of references to what an index holds.

use std::collections::HashMap;

use partsight_catalog::{IndexEntry, VectorIndex};
use partsight_domain::{PartFitments, ReferenceId};
use partsight_store::{Store, StoredReference};

use crate::{Identifier, Result};

/// References that are read from the database at a time: 2 MB of embeddings at 512 numbers.
const PAGE: u32 = 1000;

/// A page of changes that was synced to an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Told {
    /// The number of the last of them.
    pub(super) revision: i64,
    /// How many they were.
    pub(super) n: usize,
}

/// Tells an index the next page of what has changed after `seen`; `None` when there is nothing more.
pub(super) async fn tell_page(
    index: &dyn VectorIndex,
    store: &Store,
    identifier: &Identifier,
    seen: i64,
) -> Result<Option<Told>> {
    let model_sha256 = &index.space().model_sha256;
    let page = store.list_changed_references(model_sha256, seen, PAGE).await?;
    // Read after the page, so that whatever went before the last change of the page is among it.
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

/// Puts references in, and takes those out that are deleted.
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

/// A reference as the index holds it: without the centre that all embeddings have in common.
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
        // What all photographs have in common hides what tells them apart. See
        // docs/decisions/0035-centre-embeddings.md.
        embedding: identifier.reference_embedding(&reference.embedding)?,
    })
}
