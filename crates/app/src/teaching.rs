//! Teaching parts: a few photographs and a name make a part that the next scan can find.

mod check;
mod doctor;
mod enrol;
mod exchange;
mod plan;

use std::collections::BTreeMap;

use jiff::SignedDuration;
use partsight_domain::{
    Category, InvalidInput, PartLabel, PhotoSize, ReferenceId, ReferenceKind, ScanPhoto, TenantId, User,
    UserId,
};
use partsight_store::StoredReference;
use uuid::Uuid;

use crate::error::with_causes;
use crate::{App, Entity, Error, Result};

pub use doctor::{Confusion, Copy, Diagnosis, LonelyPart, Outlier};
pub use enrol::{Enrolment, PartSummary};
pub use exchange::{CatalogFileError, Exported, ImportedPart};

pub(crate) use check::{Problem, is_blank};
pub(crate) use plan::Draft;

/// Photographs that one call may bring.
pub const MAX_TEACHING_PHOTOS: usize = 5;
/// References that a tenant may have of one part type.
const MAX_REFERENCES_OF_TYPE: usize = 100;
/// How long a deleted reference can be brought back.
const RESTORABLE: SignedDuration = SignedDuration::from_hours(30 * 24);

/// What photographs teach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lesson {
    /// A part type that is new to the tenant.
    NewType {
        /// As they call it.
        name: String,
        /// Where it belongs.
        category: Category,
    },
    /// One that is there: taught before, or shipped.
    Known(PartLabel),
}

/// A photograph that shows what a part looks like.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// What is stored of it.
    pub stored: StoredReference,
    /// Whether it may be deleted and brought back by the one who asked.
    pub is_own: bool,
}

/// A taught part type, or a shipped one with references, and what shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct TaughtType {
    /// The id.
    pub label: PartLabel,
    /// For people.
    pub name: String,
    /// Where it belongs.
    pub category: Category,
    /// Whether all tenants share it, as they do the shipped ones.
    pub is_shared: bool,
    /// Those that were not deleted, the oldest first.
    pub references: Vec<Reference>,
}

/// Who teaches: a tenant, or whoever runs the server, for all tenants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// Whose references they are; `None` for all tenants.
    pub tenant_id: Option<TenantId>,
    /// Who made them, where that is one of its users.
    pub user_id: Option<UserId>,
}

impl Owner {
    /// All tenants of the server.
    pub const ALL_TENANTS: Self = Self { tenant_id: None, user_id: None };

    /// The tenant of a user.
    pub fn of(user: &User) -> Self {
        Self { tenant_id: Some(user.tenant_id), user_id: Some(user.id) }
    }

    /// The tenant whose eyes it sees with. No tenant has the nil id, so that one sees only what all share.
    pub(crate) fn eyes(&self) -> TenantId {
        self.tenant_id.unwrap_or(TenantId(Uuid::nil()))
    }
}

impl App {
    /// Teaches one to five photographs to a user's tenant, all or none. They are found from the next scan on.
    ///
    /// Each is checked: it shows something, is no copy of another reference of its part, and does not look more
    /// like another part than like its own, which `accept_collision` lets pass.
    ///
    /// # Errors
    /// [`Error::Invalid`] with what is wrong with which photograph, [`Error::NotFound`] for an unknown part,
    /// [`Error::Conflict`] for a name that is taken, [`Error::Photo`], [`Error::Busy`].
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
        let owner = Owner::of(user);
        let plan = self.plan(&owner, lesson).await?;
        plan.check_room(photos.len())?;
        let mut drafts = Vec::with_capacity(photos.len());
        for (index, photo) in photos.into_iter().enumerate() {
            let draft = self.draft(photo).await?;
            drafts.push(draft.map_err(|problem| problem.of_photo(index))?);
        }
        for index in 0..drafts.len() {
            if let Some(problem) = plan.problem(&self.identifier, index, &drafts, accept_collision) {
                return Err(problem.of_photo(index).into());
            }
        }
        self.save_drafts(&owner, &plan, drafts, ReferenceKind::Enrolled).await?;
        self.taught_type(user, &plan.label).await
    }

    /// The part types that a user's tenant taught, those that all share, and the shipped ones with references.
    pub async fn list_taught_types(&self, user: &User) -> Result<Vec<TaughtType>> {
        let types = self.part_types(user.tenant_id).await?;
        let mut references: BTreeMap<PartLabel, Vec<Reference>> = BTreeMap::new();
        for part_type in types.taught() {
            references.entry(part_type.label.clone()).or_default();
        }
        for stored in self.store.list_references(user.tenant_id, None).await? {
            if stored.deleted_at.is_none() {
                let is_own = stored.tenant_id == Some(user.tenant_id);
                references.entry(stored.label.clone()).or_default().push(Reference { stored, is_own });
            }
        }
        let types = references.into_iter().filter_map(|(label, references)| {
            Some(TaughtType {
                name: types.name(&label),
                category: types.category(&label)?,
                is_shared: types.is_shared(&label),
                label,
                references,
            })
        });
        Ok(types.collect())
    }

    /// One part type with its references; none for one that nobody taught.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a part that the user's tenant does not know.
    pub async fn taught_type(&self, user: &User, label: &PartLabel) -> Result<TaughtType> {
        self.taught_type_of(&Owner::of(user), label).await
    }

    /// As [`App::taught_type`], for any owner.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a part that the owner does not know.
    pub async fn taught_type_of(&self, owner: &Owner, label: &PartLabel) -> Result<TaughtType> {
        let types = self.part_types(owner.eyes()).await?;
        let category = types.category(label).ok_or(Error::NotFound { entity: Entity::Part })?;
        let stored = self.store.list_references(owner.eyes(), Some(label)).await?;
        let kept = stored.into_iter().filter(|reference| reference.deleted_at.is_none());
        let own = owner.tenant_id;
        Ok(TaughtType {
            label: label.clone(),
            name: types.name(label),
            category,
            is_shared: types.is_shared(label),
            references: kept.map(|stored| Reference { is_own: stored.tenant_id == own, stored }).collect(),
        })
    }

    /// Deletes a reference of a user's tenant; it can be brought back for 30 days.
    ///
    /// # Errors
    /// [`Error::NotFound`] for one that is not there, is not theirs, or is deleted already.
    pub async fn delete_reference(&self, user: &User, id: ReferenceId) -> Result<()> {
        self.set_reference_deleted(user.tenant_id, id, true).await
    }

    /// Brings a deleted reference of a user's tenant back.
    ///
    /// # Errors
    /// [`Error::NotFound`] for one that is not there any more, is not theirs, or is not deleted.
    pub async fn restore_reference(&self, user: &User, id: ReferenceId) -> Result<()> {
        self.set_reference_deleted(user.tenant_id, id, false).await
    }

    async fn set_reference_deleted(
        &self,
        tenant_id: TenantId,
        id: ReferenceId,
        is_deleted: bool,
    ) -> Result<()> {
        let moment = is_deleted.then(|| self.now());
        if !self.store.set_reference_deleted(Some(tenant_id), id, moment).await? {
            return Err(Error::NotFound { entity: Entity::Reference });
        }
        self.tell_index().await;
        Ok(())
    }

    /// The small picture of a reference that a user may see.
    ///
    /// # Errors
    /// [`Error::NotFound`] when none is kept, or the reference is not theirs.
    pub async fn reference_thumbnail(&self, user: &User, id: ReferenceId) -> Result<ScanPhoto> {
        let photo = self.store.find_reference_photo(user.tenant_id, id, PhotoSize::Thumbnail).await?;
        photo.ok_or(Error::NotFound { entity: Entity::Reference })
    }

    /// Deletes for good the references that were deleted more than 30 days ago, and returns how many.
    pub async fn purge_references(&self) -> Result<u64> {
        Ok(self.store.purge_references(self.now() - RESTORABLE).await?)
    }

    /// What is saved is found later in any case: the index is told at the next scan, or at the next start.
    pub(crate) async fn tell_index(&self) {
        if let Err(error) = self.prepare_references().await {
            tracing::warn!(
                reason = with_causes(&error),
                "the vector index was not told of a taught part yet"
            );
        }
    }
}
