//! Which photographs of a batch show the same item. The id of a group is that of its first photograph.

use std::collections::{BTreeMap, BTreeSet};

use partsight_domain::{BatchId, BatchItem, BatchItemId, GroupedBy, ScanId, TenantId};
use sqlx::{AnyConnection, AssertSqlSafe};

use super::items::item_from_row;
use super::jobs::lock;
use crate::filter::Filter;
use crate::scanning::{ScanFeatures, features_from_row};
use crate::{Error, Store, rows};

/// The result of joining photographs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Regrouped {
    /// They form one group now.
    Done,
    /// The group would have more photographs than allowed.
    TooMany,
    /// One of them does not exist.
    Missing,
}

/// An item as its photographs are to be arranged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrangedItem {
    /// Its photographs, at least one.
    pub photos: Vec<BatchItemId>,
    /// Who put them together, or set the only one apart; `None` for a single one that nobody set apart.
    pub by: Option<GroupedBy>,
}

/// The doubt of the pooled answer of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupDoubt {
    /// The group, by the id of its first item.
    pub group: BatchItemId,
    /// As computed by [`partsight_domain::doubt_of`].
    pub doubt: i64,
    /// Number of pooled answers.
    pub n_answers: u32,
}

/// Ids in one query: both databases accept thousands of values.
const IDS_AT_A_TIME: usize = 500;
/// Groups that are saved in one transaction.
const GROUPS_AT_A_TIME: usize = 50;

impl Store {
    /// Joins items of a batch and all items of their groups into one group, as a person asked, if that are at most
    /// `most`.
    pub async fn join_batch_items(
        &self,
        tenant_id: TenantId,
        batch_id: BatchId,
        ids: &[BatchItemId],
        most: usize,
    ) -> Result<Regrouped, Error> {
        let mut tx = self.begin().await?;
        let members = lock_with_groups(tenant_id, batch_id, ids, &mut tx).await?;
        let found: BTreeSet<BatchItemId> = members.iter().map(|item| item.id).collect();
        let wish = if ids.iter().any(|id| !found.contains(id)) {
            Regrouped::Missing
        } else if found.len() > most {
            Regrouped::TooMany
        } else {
            Regrouped::Done
        };
        // A set is sorted and ids begin with their time, so the first one is the photograph that was sent first.
        let Some(first) = found.first().copied().filter(|_| wish == Regrouped::Done) else {
            tx.rollback().await?;
            return Ok(wish);
        };
        for id in found {
            set_group(tenant_id, id, Some(first), Some(GroupedBy::Person), &mut tx).await?;
        }
        tx.commit().await?;
        Ok(wish)
    }

    /// Takes items of a batch out of their groups, as a person asked; false, with no change, if one of them does not
    /// exist. The rest of a group stays a group, unless only one item is left.
    pub async fn split_batch_items(
        &self,
        tenant_id: TenantId,
        batch_id: BatchId,
        ids: &[BatchItemId],
    ) -> Result<bool, Error> {
        let mut tx = self.begin().await?;
        let members = lock_with_groups(tenant_id, batch_id, ids, &mut tx).await?;
        if !ids.iter().all(|id| members.iter().any(|item| item.id == *id)) {
            tx.rollback().await?;
            return Ok(false);
        }
        for &id in ids {
            set_group(tenant_id, id, None, Some(GroupedBy::Person), &mut tx).await?;
        }
        regroup_rest(tenant_id, &members, ids, &mut tx).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Takes items of a batch out of their groups and arranges them like this, as a person asked who restores what was
    /// there before; false, with no change, if one of them does not exist. What else was in those groups stays a group,
    /// unless only one item is left.
    pub async fn arrange_batch_items(
        &self,
        tenant_id: TenantId,
        batch_id: BatchId,
        arranged: &[ArrangedItem],
    ) -> Result<bool, Error> {
        let ids: Vec<BatchItemId> = arranged.iter().flat_map(|item| &item.photos).copied().collect();
        let mut tx = self.begin().await?;
        let members = lock_with_groups(tenant_id, batch_id, &ids, &mut tx).await?;
        if !ids.iter().all(|id| members.iter().any(|item| item.id == *id)) {
            tx.rollback().await?;
            return Ok(false);
        }
        for ArrangedItem { photos, by } in arranged {
            // A single photograph is no group.
            let first = photos.iter().min().copied().filter(|_| photos.len() > 1);
            for &id in photos {
                set_group(tenant_id, id, first, *by, &mut tx).await?;
            }
        }
        regroup_rest(tenant_id, &members, &ids, &mut tx).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Saves proposed groups, and returns how many. A proposal is left out if one of its photographs is in a group by
    /// now, or was set apart by a person.
    pub async fn propose_batch_groups(
        &self,
        tenant_id: TenantId,
        batch_id: BatchId,
        groups: &[Vec<BatchItemId>],
    ) -> Result<u64, Error> {
        let mut n_groups = 0;
        // So that others can write in between.
        for groups in groups.chunks(GROUPS_AT_A_TIME) {
            let mut tx = self.begin().await?;
            // Which items are free is queried again under the lock: a person may have joined some of them since the
            // proposal.
            lock(tenant_id, batch_id, &mut tx).await?;
            let mut free = free_items(tenant_id, batch_id, &groups.concat(), &mut tx).await?;
            for group in groups {
                let is_free = group.iter().all(|id| free.contains(id));
                let Some(first) = group.iter().min().copied().filter(|_| is_free) else { continue };
                for id in group {
                    set_group(tenant_id, *id, Some(first), Some(GroupedBy::Proposal), &mut tx).await?;
                    // A photograph in two proposals goes to the first.
                    free.remove(id);
                }
                n_groups += 1;
            }
            tx.commit().await?;
        }
        Ok(n_groups)
    }

    /// The items of some groups of a batch, in the order in which they were sent.
    pub async fn list_batch_group_items(
        &self,
        tenant_id: TenantId,
        batch_id: BatchId,
        groups: &[BatchItemId],
    ) -> Result<Vec<BatchItem>, Error> {
        let mut items = Vec::new();
        for groups in groups.chunks(IDS_AT_A_TIME) {
            let mut filter = Filter::new("tenant_id", tenant_id);
            filter.and(|f| format!("batch_id = {}", f.text(batch_id)));
            filter.and(|f| f.one_of("group_id", groups));
            let sql = format!("SELECT * FROM batch_item WHERE {}", filter.condition());
            items.extend(self.list(filter.bind(sqlx::query(AssertSqlSafe(sql))), item_from_row).await?);
        }
        // Sorted here, since each query sorts only its own chunk.
        items.sort_unstable_by_key(|item: &BatchItem| item.id);
        Ok(items)
    }

    /// At most `limit` groups of a batch whose pooled doubt is not computed.
    pub async fn list_groups_without_doubt(
        &self,
        tenant_id: TenantId,
        batch_id: BatchId,
        limit: u32,
    ) -> Result<Vec<BatchItemId>, Error> {
        let query = sql!(
            "SELECT batch_item_id FROM batch_item WHERE tenant_id = $1 AND batch_id = $2 \
                 AND group_id = batch_item_id AND group_doubt IS NULL \
             ORDER BY batch_item_id LIMIT $3",
            [tenant_id, batch_id, limit]
        );
        self.list(query, |row| rows::parsed(row, "batch_item_id")).await
    }

    /// Saves the doubts of groups, each computed from so many answers. A group with another number of answers by now
    /// is skipped, to be computed again.
    pub async fn set_group_doubts(
        &self,
        tenant_id: TenantId,
        batch_id: BatchId,
        doubts: &[GroupDoubt],
    ) -> Result<(), Error> {
        let mut tx = self.begin().await?;
        lock(tenant_id, batch_id, &mut tx).await?;
        for GroupDoubt { group, doubt, n_answers } in doubts {
            let query = sql!(
                // The number of answers serves as a version: a doubt is stale if an answer came since, and is then not
                // saved. It is saved at all photographs of the group, since any of them may represent it in a list. See
                // docs/decisions/0135-doubt-of-groups.md.
                "UPDATE batch_item SET group_doubt = $4 \
                 WHERE tenant_id = $1 AND batch_id = $2 AND group_id = $3 \
                   AND (SELECT COUNT(*) FROM batch_item AS member WHERE member.batch_id = $2 \
                          AND member.group_id = $3 AND member.scan_id IS NOT NULL) = $5",
                [tenant_id, batch_id, *group, *doubt, *n_answers]
            );
            query.execute(&mut *tx).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// The stored model outputs of some scans of a tenant.
    pub async fn list_scan_features(
        &self,
        tenant_id: TenantId,
        ids: &[ScanId],
    ) -> Result<Vec<(ScanId, ScanFeatures)>, Error> {
        let mut features = Vec::new();
        for ids in ids.chunks(IDS_AT_A_TIME) {
            let mut filter = Filter::new("tenant_id", tenant_id);
            filter.and(|f| f.one_of("scan_id", ids));
            let sql = format!("SELECT * FROM scan_features WHERE {}", filter.condition());
            let query = filter.bind(sqlx::query(AssertSqlSafe(sql)));
            let some = self.list(query, |row| Ok((rows::parsed(row, "scan_id")?, features_from_row(row)?)));
            features.extend(some.await?);
        }
        Ok(features)
    }

    /// The embeddings f32 `[d]` of a batch's answers that this model gave.
    pub async fn list_batch_embeddings(
        &self,
        tenant_id: TenantId,
        batch_id: BatchId,
        model_sha256: &str,
    ) -> Result<Vec<(BatchItemId, Vec<f32>)>, Error> {
        let query = sql!(
            "SELECT batch_item_id, embedding FROM batch_item \
             JOIN scan_features ON scan_features.scan_id = batch_item.scan_id \
             WHERE batch_item.tenant_id = $1 AND batch_id = $2 AND model_sha256 = $3",
            [tenant_id, batch_id, model_sha256]
        );
        self.list(query, |row| Ok((rows::parsed(row, "batch_item_id")?, rows::floats(row, "embedding")?)))
            .await
    }
}

/// These items of a batch, except those that are in a group or were set apart by a person.
async fn free_items(
    tenant_id: TenantId,
    batch_id: BatchId,
    ids: &[BatchItemId],
    tx: &mut AnyConnection,
) -> Result<BTreeSet<BatchItemId>, Error> {
    let mut filter = Filter::new("tenant_id", tenant_id);
    filter.and(|f| format!("batch_id = {}", f.text(batch_id)));
    filter.and(|f| f.one_of("batch_item_id", ids));
    filter.and(|_| "group_id IS NULL AND grouped_by IS NULL".to_owned());
    let sql = format!("SELECT batch_item_id FROM batch_item WHERE {}", filter.condition());
    let found = filter.bind(sqlx::query(AssertSqlSafe(sql))).fetch_all(tx).await?;
    found.iter().map(|row| rows::parsed(row, "batch_item_id")).collect()
}

/// These items of a batch and all items of their groups; to be called while the [`lock`] is held.
async fn lock_with_groups(
    tenant_id: TenantId,
    batch_id: BatchId,
    ids: &[BatchItemId],
    tx: &mut AnyConnection,
) -> Result<Vec<BatchItem>, Error> {
    lock(tenant_id, batch_id, tx).await?;
    let mut filter = Filter::new("tenant_id", tenant_id);
    filter.and(|f| format!("batch_id = {}", f.text(batch_id)));
    let (batch, tenant) = (filter.text(batch_id), filter.text(tenant_id));
    filter.and(|f| {
        // The ids are bound twice, because each placeholder has its own number.
        let (own, others) = (f.one_of("batch_item_id", ids), f.one_of("batch_item_id", ids));
        format!(
            "({own} OR group_id IN (SELECT group_id FROM batch_item \
                                    WHERE tenant_id = {tenant} AND batch_id = {batch} AND {others}))"
        )
    });
    let sql = format!("SELECT * FROM batch_item WHERE {}", filter.condition());
    let found = filter.bind(sqlx::query(AssertSqlSafe(sql))).fetch_all(tx).await?;
    found.iter().map(item_from_row).collect()
}

/// Names the groups anew that lost the items `taken`; `members` are all that were in them.
async fn regroup_rest(
    tenant_id: TenantId,
    members: &[BatchItem],
    taken: &[BatchItemId],
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let mut left: BTreeMap<BatchItemId, Vec<BatchItemId>> = BTreeMap::new();
    for item in members.iter().filter(|item| !taken.contains(&item.id)) {
        if let Some(group) = item.group_id {
            left.entry(group).or_default().push(item.id);
        }
    }
    for mut rest in left.into_values() {
        rest.sort_unstable();
        // A single item is no group.
        let first = rest.first().copied().filter(|_| rest.len() > 1);
        for id in rest {
            set_group(tenant_id, id, first, Some(GroupedBy::Person), tx).await?;
        }
    }
    Ok(())
}

/// Marks the pooled doubt of a group of a batch as not computed.
pub(super) async fn forget_group_doubt(
    batch_id: BatchId,
    group: BatchItemId,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let query = sql!(
        "UPDATE batch_item SET group_doubt = NULL WHERE batch_id = $1 AND group_id = $2",
        [batch_id, group]
    );
    query.execute(tx).await?;
    Ok(())
}

async fn set_group(
    tenant_id: TenantId,
    id: BatchItemId,
    group: Option<BatchItemId>,
    by: Option<GroupedBy>,
    tx: &mut AnyConnection,
) -> Result<(), Error> {
    let query = sql!(
        "UPDATE batch_item SET group_id = $3, grouped_by = $4, group_doubt = NULL \
         WHERE tenant_id = $1 AND batch_item_id = $2",
        [tenant_id, id, group, by]
    );
    query.execute(tx).await?;
    Ok(())
}
