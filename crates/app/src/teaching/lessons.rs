//! Lessons: a few photographs and a name make a part that the next scan can find.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use jiff::SignedDuration;
use partsight_domain::{
    Category, InvalidInput, PartLabel, PartPosition, Quota, ReferenceId, ReferenceKind, ScanPhoto,
    ShopPartId, TenantId, User, messages,
};
use partsight_store::StoredReference;

use super::look_alikes::MarkedPart;
use crate::accounts::owner::{Owner, shop_to_change};
use crate::parts::part_types::PartTypes;
use crate::teaching::Teaching;
use crate::{Entity, Error, Result};

/// Most photographs of one call.
pub const MAX_TEACHING_PHOTOS: usize = 5;
/// Most references of one part type of a tenant.
pub(super) const MAX_REFERENCES_OF_TYPE: usize = 100;
/// How long a deleted reference or part type can be restored.
pub(super) const RESTORABLE: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The part type or part that photographs teach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lesson {
    /// A part type that is new to the tenant.
    NewType {
        /// As they call it.
        name: String,
        /// Where it belongs.
        category: Category,
    },
    /// One that is new to the tenant and comes with a label from elsewhere.
    Imported {
        /// As it was there.
        label: PartLabel,
        /// As it was called there.
        name: String,
        /// Where it belongs.
        category: Category,
    },
    /// An existing type: taught before, or shipped.
    Known(PartLabel),
    /// A part of the shop, of an existing type; the photographs are attached to it as well.
    Part {
        /// The part type.
        label: PartLabel,
        /// The part.
        id: ShopPartId,
    },
}

/// A reference, as shown to a user.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// What is stored of it.
    pub stored: StoredReference,
    /// Whether the user may delete and restore it.
    pub is_own: bool,
}

/// A taught part type, or a shipped one with references.
#[derive(Debug, Clone, PartialEq)]
pub struct TaughtType {
    /// The id.
    pub label: PartLabel,
    /// Display name.
    pub name: String,
    /// Where it belongs.
    pub category: Category,
    /// Where on a car it sits.
    pub position: PartPosition,
    /// Whether all tenants share it, as they do the shipped ones.
    pub is_shared: bool,
    /// Whether the user may change and delete it.
    pub is_own: bool,
    /// Whether the model in use has learnt it, so that it is found without references.
    pub model_knows: bool,
    /// References that are not deleted, the oldest first.
    pub references: Vec<Reference>,
    /// The parts that are marked as its look-alikes, by label.
    pub look_alikes: Vec<MarkedPart>,
}

impl Teaching {
    /// Teaches one to five photographs to a user's shop, all or none. The next scan finds them.
    ///
    /// Each is checked: it must not be blank, nor a copy of another reference of its part. If one resembles another
    /// part more than its own, the call fails with a question; with `accept_collision` it is kept, and the two parts
    /// are marked as look-alikes.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the problem of a photograph or of the shop part, [`Error::LooksAlike`] with the part
    /// that a photograph resembles, [`Error::NotFound`] for an unknown part type, [`Error::Conflict`] for a name that
    /// is taken or a part that was changed meanwhile, [`Error::Forbidden`] for a member of a company who is no manager,
    /// [`Error::NamingsUsedUp`] after too many questions, [`Error::Photo`], [`Error::Busy`].
    pub async fn teach(
        &self,
        user: &User,
        lesson: Lesson,
        photos: Vec<Vec<u8>>,
        accept_collision: bool,
    ) -> Result<TaughtType> {
        if photos.is_empty() || photos.len() > MAX_TEACHING_PHOTOS {
            let text = format!("Please send 1 to {MAX_TEACHING_PHOTOS} photos; these are {}.", photos.len());
            return Err(InvalidInput::new("image", text).into());
        }
        let owner = match &lesson {
            Lesson::Part { id, .. } => self.owner_of_part(user, *id).await?,
            Lesson::NewType { .. } | Lesson::Imported { .. } | Lesson::Known(_) => {
                shop_to_change(user)?;
                Owner::of(user)
            }
        };
        let user_plan = self.accounts.effective_plan(user);
        if let Some(tenant_id) = owner.tenant_id {
            let n_photos = photos.len() as u64;
            self.accounts.check_quota(tenant_id, user_plan, Quota::TaughtPhotos, n_photos).await?;
            // Checks only that there is room for any picture; the sizes are known once the pictures are made.
            self.accounts.check_quota(tenant_id, user_plan, Quota::PictureBytes, 1).await?;
        }
        let plan = self.plan(&owner, lesson).await?;
        plan.check_room(photos.len())?;
        let n_photos = photos.len();
        let mut drafts = Vec::with_capacity(n_photos);
        let asker = self.identifier.asker(user.into(), self.accounts.has_unlimited_scans(user));
        for (index, photo) in photos.into_iter().enumerate() {
            let draft = self.draft(&asker, photo).await.map_err(|error| error.of_photo(index, n_photos))?;
            drafts.push(draft.map_err(|problem| problem.of_photo(index))?);
        }
        for index in 0..drafts.len() {
            if let Some(problem) = plan.problem(&self.identifier, index, &drafts) {
                return Err(problem.of_photo(index).into());
            }
        }
        let resembled = if accept_collision {
            let resembled = plan.all_resembled(&self.identifier, &drafts);
            // The marks name the resembled parts as well.
            self.count_namings(user, resembled.len())?;
            resembled
        } else {
            // Asked only after all checks have passed, so that answering it is the last step.
            for index in 0..drafts.len() {
                if let Some(resembled) = plan.resembled(&self.identifier, index, &drafts) {
                    self.count_namings(user, 1)?;
                    return Err(self.looks_alike(&owner, index, resembled).await);
                }
            }
            BTreeSet::new()
        };
        self.save_drafts(&owner, &plan, drafts, resembled, ReferenceKind::Enrolled, Some(user_plan)).await?;
        asker.give_back();
        self.taught_type(user, &plan.label).await
    }

    /// The owner of a part's photographs, which is the owner of the part.
    async fn owner_of_part(&self, user: &User, id: ShopPartId) -> Result<Owner> {
        let part = self.parts.shop_part_to_change(user, id).await.map_err(|error| match error {
            Error::NotFound { .. } => InvalidInput::new("partId", messages::TAUGHT_PART_MISSING).into(),
            other => other,
        })?;
        Ok(Owner::of(user).in_tenant(part.tenant_id))
    }

    /// The part types that a user and their company taught, those that all share, and the shipped ones with
    /// references.
    pub async fn list_taught_types(&self, user: &User) -> Result<Vec<TaughtType>> {
        let owner = Owner::of(user);
        let types = self.parts.part_types(user).await?;
        let mut references: BTreeMap<PartLabel, Vec<Reference>> = BTreeMap::new();
        for part_type in types.taught() {
            references.entry(part_type.label.clone()).or_default();
        }
        for stored in self.visible_references(user.visible_tenants(), None).await? {
            if stored.deleted_at.is_none() {
                let is_own = owner.may_change(stored.tenant_id);
                references.entry(stored.label.clone()).or_default().push(Reference { stored, is_own });
            }
        }
        let mut marked = self.marked_parts(&owner, &types).await?;
        let known = references.into_iter().filter(|(label, _)| types.has(label));
        let types = known.filter_map(|(label, references)| {
            Some(TaughtType {
                name: types.name(&label),
                category: types.category(&label)?,
                position: types.position(types.get(&label)?),
                is_shared: types.is_shared(&label),
                is_own: is_own_type(&types, &owner, &label),
                model_knows: self.parts.model_knows(&label),
                look_alikes: marked.remove(&label).unwrap_or_default(),
                label,
                references,
            })
        });
        Ok(types.collect())
    }

    /// One part type with its references; `None` if nobody has taught it.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a part that the user's tenant does not know.
    pub async fn taught_type(&self, user: &User, label: &PartLabel) -> Result<TaughtType> {
        self.taught_type_of(&Owner::of(user), label).await
    }

    /// As [`Teaching::taught_type`], for any owner.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a part that the owner does not know.
    pub async fn taught_type_of(&self, owner: &Owner, label: &PartLabel) -> Result<TaughtType> {
        let types = self.parts.part_types_of(owner.visible_tenants()).await?;
        let not_found = || Error::NotFound { entity: Entity::Part };
        let category = types.category_in_use(label).ok_or_else(not_found)?;
        let position = types.get(label).map(|facts| types.position(facts)).ok_or_else(not_found)?;
        let stored = self.visible_references(owner.visible_tenants(), Some(label)).await?;
        let kept = stored.into_iter().filter(|reference| reference.deleted_at.is_none());
        let mut marked = self.marked_parts(owner, &types).await?;
        Ok(TaughtType {
            look_alikes: marked.remove(label).unwrap_or_default(),
            label: label.clone(),
            name: types.name(label),
            category,
            position,
            is_shared: types.is_shared(label),
            is_own: is_own_type(&types, owner, label),
            model_knows: self.parts.model_knows(label),
            references: kept
                .map(|stored| Reference { is_own: owner.may_change(stored.tenant_id), stored })
                .collect(),
        })
    }

    /// Deletes a reference of a user or their company; it can be restored for 30 days.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a reference that does not exist, is not theirs, or is already deleted;
    /// [`Error::Forbidden`] for a reference of a company in which the user is no manager.
    pub async fn delete_reference(&self, user: &User, id: ReferenceId) -> Result<()> {
        self.set_reference_deleted(user, id, true).await
    }

    /// Restores a deleted reference of a user or their company.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a reference that no longer exists, is not theirs, or is not deleted;
    /// [`Error::Forbidden`] for a reference of a company in which the user is no manager.
    pub async fn restore_reference(&self, user: &User, id: ReferenceId) -> Result<()> {
        self.set_reference_deleted(user, id, false).await
    }

    async fn set_reference_deleted(&self, user: &User, id: ReferenceId, is_deleted: bool) -> Result<()> {
        let moment = is_deleted.then(|| self.clock.now());
        for tenant_id in user.visible_tenants() {
            let found = self.store.find_reference(tenant_id, id).await?;
            // Shared references belong to the server's operator, and cannot be deleted here.
            if found.as_ref().is_none_or(|found| found.tenant_id != Some(tenant_id)) {
                continue;
            }
            if !Owner::of(user).may_change(Some(tenant_id)) {
                return Err(Error::Forbidden { message: messages::COMPANY_MANAGERS_ONLY });
            }
            // A reference that was deleted with its part type is restored with it.
            if !is_deleted
                && let Some(found) = found
                && !self.parts.part_types(user).await?.has(&found.label)
            {
                continue;
            }
            if self.store.set_reference_deleted(Some(tenant_id), id, moment).await? {
                self.update_index().await;
                return Ok(());
            }
        }
        Err(Error::NotFound { entity: Entity::Reference })
    }

    /// The references that these tenants may see, deleted ones included; of one label if given.
    pub(crate) async fn visible_references(
        &self,
        tenants: impl Iterator<Item = TenantId>,
        label: Option<&PartLabel>,
    ) -> Result<Vec<StoredReference>> {
        let mut visible: Vec<StoredReference> = Vec::new();
        let mut seen = HashSet::new();
        for tenant_id in tenants {
            let references = self.store.list_references(tenant_id, label).await?;
            // Shared references are returned for each tenant.
            visible.extend(references.into_iter().filter(|reference| seen.insert(reference.id)));
        }
        visible.sort_by_key(|reference| (reference.created_at, reference.id));
        Ok(visible)
    }

    /// The small picture of a reference that a user may see.
    ///
    /// # Errors
    /// [`Error::NotFound`] if none is stored, or the reference is not theirs.
    pub async fn reference_thumbnail(&self, user: &User, id: ReferenceId) -> Result<ScanPhoto> {
        for tenant_id in user.visible_tenants() {
            let photo = self.store.find_reference_thumbnail(tenant_id, id).await?;
            if let Some(photo) = photo {
                return Ok(photo);
            }
        }
        Err(Error::NotFound { entity: Entity::Reference })
    }

    /// Permanently deletes the references that were deleted more than 30 days ago; returns how many. The index is
    /// synced first.
    pub async fn purge_references(&self) -> Result<u64> {
        self.update_index().await;
        Ok(self.store.purge_references(self.clock.now() - RESTORABLE).await?)
    }
}

/// Whether an owner may change and delete the part type with this label.
fn is_own_type(types: &PartTypes, owner: &Owner, label: &PartLabel) -> bool {
    types.taught_by(label, false).next().is_some_and(|tenant_id| owner.may_change(tenant_id))
}
