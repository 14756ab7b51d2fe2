//! Groups: photographs of the same item, proposed by the server, joined and split by people, and answered together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use partsight_domain::{
    BatchId, BatchItem, BatchItemId, BatchItemState, Embedding, GroupedBy, GroupingPhoto, InvalidInput,
    MAX_BATCH_PHOTOS, MAX_SCAN_PHOTOS, Scan, ScanGrade, ScanId, User, doubt_of, messages, propose_groups,
};
use partsight_store::{ArrangedItem, GroupDoubt, ItemFilter, Regrouped, ScanFeatures};

use super::item_group::ItemGroup;
use super::results::ItemAnswer;
use crate::batches::Batches;
use crate::limits::person::Person;
use crate::scanning::pooling::Pooling;
use crate::{Entity, Error, Result};

/// Maximum of items named in one call.
const MAX_NAMED: usize = 500;
/// Items read per query.
const PAGE: u32 = 1_000;
/// Groups whose pooled answers are computed at a time: about 10 MB of features.
const GROUPS_AT_A_TIME: u32 = 200;

impl Batches {
    /// Proposes groups among the finished photographs of a batch that are in no group and were not split by a person.
    /// Returns the number of new groups.
    ///
    /// # Errors
    /// [`Error::NotFound`], and [`Error::Busy`] at the limit of whole batches in memory.
    pub async fn propose_groups(&self, user: &User, id: BatchId) -> Result<u64> {
        let _place = self.whole.take(user.into())?;
        self.get(user, id).await?;
        let items = self.free_items(user, id).await?;
        let embeddings = self.embeddings(user, id).await?;
        let work = move |_: &_| {
            let paths: Vec<String> = items.iter().map(path_of).collect();
            let photographs: Vec<GroupingPhoto<'_>> = items
                .iter()
                .zip(&paths)
                .map(|(item, path)| GroupingPhoto {
                    path,
                    captured_at: item.captured_at,
                    embedding: embeddings.get(&item.id),
                })
                .collect();
            // A proposed group holds indices into `photographs`.
            let groups = propose_groups(&photographs);
            Ok(groups
                .into_iter()
                .map(|group| group.into_iter().map(|at| items[at].id).collect())
                .collect::<Vec<Vec<BatchItemId>>>())
        };
        let groups = self.parts.heavy.run(Person::from(user), work).await?;
        let n_groups = self.store.propose_batch_groups(user.tenant_id, id, &groups).await?;
        self.work_out_group_doubts(user, id).await?;
        Ok(n_groups)
    }

    /// Joins photographs of a batch, with all members of their groups, to one group.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`] for fewer than two photographs or more than a scan takes.
    pub async fn join_items(&self, user: &User, id: BatchId, items: &[BatchItemId]) -> Result<()> {
        self.get(user, id).await?;
        // Without duplicates.
        let items: Vec<BatchItemId> = items.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        let too_many = || {
            let message = format!("One item has at most {MAX_SCAN_PHOTOS} photos. Please choose fewer.");
            Error::from(InvalidInput::new("items", message))
        };
        if items.len() > MAX_SCAN_PHOTOS {
            return Err(too_many());
        }
        check_named(&items, 2, MAX_SCAN_PHOTOS)?;
        match self.store.join_batch_items(user.tenant_id, id, &items, MAX_SCAN_PHOTOS).await? {
            Regrouped::Done => Ok(()),
            // Counting the members of their groups.
            Regrouped::TooMany => Err(too_many()),
            Regrouped::Missing => Err(Error::NotFound { entity: Entity::BatchItem }),
        }
    }

    /// Removes photographs of a batch from their groups; each then stands alone.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`] for none or too many.
    pub async fn split_items(&self, user: &User, id: BatchId, items: &[BatchItemId]) -> Result<()> {
        self.get(user, id).await?;
        check_named(items, 1, MAX_NAMED)?;
        let are_there = self.store.split_batch_items(user.tenant_id, id, items).await?;
        are_there.then_some(()).ok_or(Error::NotFound { entity: Entity::BatchItem })
    }

    /// Restores how photographs of a batch were put together before: takes them out of their groups, and makes an item of
    /// the photographs of each entry, as proposed or as a person said.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Invalid`] for none, too many or a photograph that is named twice, for an item of
    /// more photographs than a scan takes, and for one that nobody can have arranged so.
    pub async fn arrange_items(&self, user: &User, id: BatchId, arranged: &[ArrangedItem]) -> Result<()> {
        self.get(user, id).await?;
        let is_possible = |item: &ArrangedItem| match item.photos.len() {
            1 => item.by != Some(GroupedBy::Proposal),
            2..=MAX_SCAN_PHOTOS => item.by.is_some(),
            _ => false,
        };
        let mut named = BTreeSet::new();
        let are_named_once = arranged.iter().flat_map(|item| &item.photos).all(|photo| named.insert(*photo));
        let is_invalid = !are_named_once || !(1..=MAX_NAMED).contains(&named.len());
        if is_invalid || !arranged.iter().all(is_possible) {
            return Err(InvalidInput::new("items", messages::BATCH_ARRANGEMENT).into());
        }
        let are_there = self.store.arrange_batch_items(user.tenant_id, id, arranged).await?;
        are_there.then_some(()).ok_or(Error::NotFound { entity: Entity::BatchItem })
    }

    /// Discards photographs from a batch, or restores them; their scans stay in the history. Returns the number of
    /// changed items.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Invalid`] for none or too many.
    pub async fn discard_items(
        &self,
        user: &User,
        id: BatchId,
        items: &[BatchItemId],
        is_discarded: bool,
    ) -> Result<u64> {
        self.get(user, id).await?;
        check_named(items, 1, MAX_NAMED)?;
        Ok(self.store.discard_batch_items(user.tenant_id, id, items, is_discarded).await?)
    }

    /// Adds its group to each of these items of a batch.
    pub(super) async fn with_groups(
        &self,
        user: &User,
        id: BatchId,
        answers: Vec<ItemAnswer>,
    ) -> Result<Vec<ItemAnswer>> {
        let mut ids: Vec<BatchItemId> = answers.iter().filter_map(|answer| answer.item.group_id).collect();
        ids.sort_unstable();
        ids.dedup();
        let groups = self.groups_of(user, id, &ids).await?;
        let with_group = |answer: ItemAnswer| {
            let group = answer.item.group_id.and_then(|id| groups.get(&id)).cloned();
            ItemAnswer { group, ..answer }
        };
        Ok(answers.into_iter().map(with_group).collect())
    }

    /// Updates the doubt of the pooled answers of groups that changed since it was computed; the list of items can be
    /// sorted by it.
    pub(super) async fn work_out_group_doubts(&self, user: &User, id: BatchId) -> Result<()> {
        // Bounded by the largest batch, and not a loop until none is left, because a running batch keeps changing its
        // groups.
        for _ in 0..=MAX_BATCH_PHOTOS / u64::from(GROUPS_AT_A_TIME) {
            let ids = self.store.list_groups_without_doubt(user.tenant_id, id, GROUPS_AT_A_TIME).await?;
            let groups = self.groups_of(user, id, &ids).await?;
            let doubts: Vec<GroupDoubt> = groups.values().map(group_doubt).collect();
            self.store.set_group_doubts(user.tenant_id, id, &doubts).await?;
            // Groups that changed in the meantime are left for the next call.
            if ids.len() < GROUPS_AT_A_TIME as usize {
                break;
            }
        }
        Ok(())
    }

    /// Groups of a batch by their first items, with their pooled answers.
    async fn groups_of(
        &self,
        user: &User,
        id: BatchId,
        ids: &[BatchItemId],
    ) -> Result<HashMap<BatchItemId, ItemGroup>> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let vehicle_id = self.get(user, id).await?.vehicle_id;
        let pooling = self.scanning.pooling(user, vehicle_id).await?;
        let items = self.store.list_batch_group_items(user.tenant_id, id, ids).await?;
        let scan_ids: Vec<ScanId> = items.iter().filter_map(|item| item.scan_id).collect();
        let seen = self.store.list_scan_features(user.tenant_id, &scan_ids).await?.into_iter().collect();
        let mut members: BTreeMap<BatchItemId, Vec<(BatchItem, Option<Scan>)>> = BTreeMap::new();
        let mut grades: HashMap<BatchItemId, ScanGrade> = HashMap::new();
        // In the order in which they were sent, so that the grade of the first one stays.
        for ItemAnswer { item, scan, grade, .. } in self.with_scans(user, items).await? {
            let group = item.group_id.unwrap_or(item.id);
            if let Some(grade) = grade {
                grades.entry(group).or_insert(grade);
            }
            members.entry(group).or_default().push((item, scan));
        }
        let group = |(id, members)| {
            (id, ItemGroup { grade: grades.remove(&id), ..group_of(id, members, &pooling, &seen) })
        };
        Ok(members.into_iter().map(group).collect())
    }

    /// The finished photographs of a batch that may be proposed for a group.
    async fn free_items(&self, user: &User, id: BatchId) -> Result<Vec<BatchItem>> {
        let mut free = Vec::new();
        let mut filter = ItemFilter { is_discarded: Some(false), ..ItemFilter::default() };
        // Keyset pagination: an offset would skip items if an earlier one is discarded in between.
        loop {
            let page = self.store.list_batch_items(user.tenant_id, id, &filter, PAGE).await?;
            filter.after = page.last().map(BatchItem::position);
            if page.is_empty() {
                return Ok(free);
            }
            // An item split by a person has no group either, but its `grouped_by` excludes it from proposals.
            let is_free = |item: &BatchItem| {
                item.group_id.is_none()
                    && item.grouped_by.is_none()
                    && matches!(item.state, BatchItemState::Answered | BatchItemState::NotAPart)
            };
            free.extend(page.into_iter().filter(is_free));
        }
    }

    /// Embeddings of the answered photographs of a batch, in the space of references. For a batch of 50,000 they take
    /// about 100 MB.
    async fn embeddings(&self, user: &User, id: BatchId) -> Result<HashMap<BatchItemId, Embedding>> {
        // Embeddings of different models cannot be compared.
        let sha256 = self.identifier.model_sha256();
        let embeddings = self.store.list_batch_embeddings(user.tenant_id, id, sha256).await?;
        let place = |embedding: Vec<f32>| {
            Embedding::new(self.identifier.reference_embedding(&embedding).unwrap_or(embedding))
        };
        Ok(embeddings.into_iter().filter_map(|(id, embedding)| Some((id, place(embedding)?))).collect())
    }
}

/// The path of a photograph at its sender: its file name, in the folder of its key.
fn path_of(item: &BatchItem) -> String {
    match item.key.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{}", item.name.rsplit('/').next().unwrap_or_default()),
        None => item.name.clone(),
    }
}

/// A group without its grade.
fn group_of(
    id: BatchItemId,
    members: Vec<(BatchItem, Option<Scan>)>,
    pooling: &Pooling,
    seen: &HashMap<ScanId, ScanFeatures>,
) -> ItemGroup {
    let scans = || members.iter().filter_map(|(_, scan)| scan.as_ref());
    let answer = pooling.answer(scans().filter_map(|scan| Some((scan, seen.get(&scan.id)?))));
    let mut said = scans().filter_map(|scan| scan.feedback.as_ref()?.label.as_ref());
    // Contradictory feedback counts as none.
    let first = said.next();
    let said = first.filter(|first| said.all(|label| label == *first)).cloned();
    let is_proposed = members.iter().all(|(item, _)| item.grouped_by == Some(GroupedBy::Proposal));
    ItemGroup { id, is_proposed, members, answer, said, grade: None }
}

/// The doubt of a group: that of its pooled answer, or, if it has none, that of its first photograph.
fn group_doubt(group: &ItemGroup) -> GroupDoubt {
    let pooled = group.answer.as_ref().map(|answer| doubt_of(answer.verdict, answer.best.confidence));
    let first = group.members.first().map_or(0, |(item, _)| item.doubt);
    let n_answers = group.members.iter().filter(|(item, _)| item.scan_id.is_some()).count();
    GroupDoubt {
        group: group.id,
        doubt: pooled.unwrap_or(first),
        n_answers: u32::try_from(n_answers).unwrap_or(u32::MAX),
    }
}

fn check_named(items: &[BatchItemId], least: usize, most: usize) -> Result<()> {
    if !(least..=most).contains(&items.len()) {
        let message = format!("Please name {least} to {most} photos at a time.");
        return Err(InvalidInput::new("items", message).into());
    }
    Ok(())
}
