//! Teaching parts: a few photographs and a name make a part that the next scan can find.

mod check;

use std::collections::{BTreeMap, HashSet};

use jiff::SignedDuration;
use partsight_domain::{
    Category, InvalidInput, PartLabel, PhotoKeeping, PhotoSize, ReferenceId, ReferenceKind, ScanPhoto,
    TaughtPartType, TenantId, User, messages,
};
use partsight_inference::{Fingerprint, Photo};
use partsight_store::StoredReference;
use uuid::Uuid;

use crate::error::with_causes;
use crate::identify::Predicted;
use crate::scans::media_type;
use crate::thumbnails::thumbnail;
use crate::{App, Entity, Error, Result};

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
    /// Whether the model in use has learnt it, so that it is found without any reference.
    pub model_knows: bool,
    /// Those that were not deleted, the oldest first.
    pub references: Vec<Reference>,
}

/// A photograph on its way to being a reference.
struct Draft {
    predicted: Predicted,
    /// As references are compared, f32 `[d]` of length 1.
    embedding: Vec<f32>,
    photos: Vec<ScanPhoto>,
}

/// What is made of the pixels beside the tensor.
struct Look {
    is_blank: bool,
    small: Option<Vec<u8>>,
    media_type: &'static str,
}

impl App {
    /// Teaches one to five photographs to a user's shop, all or none. They are found from the next scan on.
    ///
    /// Each is checked: it shows something, is no copy of another reference of its part, and does not look more
    /// like another part than like its own, which `accept_collision` lets pass.
    ///
    /// # Errors
    /// [`Error::Invalid`] with what is wrong with which photograph, [`Error::NotFound`] for an unknown part,
    /// [`Error::Conflict`] for a name that is taken, [`Error::Forbidden`] for a member of a company who is no
    /// manager, [`Error::Photo`], [`Error::Busy`].
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
        let tenant_id = shop_to_change(user)?;
        let types = self.part_types(user).await?;
        let (label, category, new_type) = match lesson {
            Lesson::Known(label) => {
                let category = types.category(&label).ok_or(Error::NotFound { entity: Entity::Part })?;
                // What the user taught alone is made known to the company that they are in now.
                let own = types.only_of_others(&label, tenant_id).map(|part_type| TaughtPartType {
                    tenant_id: Some(tenant_id),
                    created_at: self.now(),
                    ..part_type.clone()
                });
                (label, category, own)
            }
            Lesson::NewType { name, category } => {
                let (name, label) = TaughtPartType::name_and_label(&name)?;
                if types.category(&label).is_some() {
                    return Err(Error::Conflict { field: "name", message: messages::PART_TYPE_EXISTS });
                }
                let created_at = self.now();
                let tenant_id = Some(tenant_id);
                let part_type =
                    TaughtPartType { tenant_id, label: label.clone(), name, category, created_at };
                (label, category, Some(part_type))
            }
        };
        let existing = self.usable_references(user).await?;
        let n_own = existing.iter().filter(|(reference, _)| reference.label == label).count();
        if n_own + photos.len() > MAX_REFERENCES_OF_TYPE {
            let text = format!(
                "This part has {n_own} photos, and a part has at most {MAX_REFERENCES_OF_TYPE}. Please delete some first."
            );
            return Err(InvalidInput::new("image", text).into());
        }
        let mut drafts = Vec::with_capacity(photos.len());
        for (index, photo) in photos.into_iter().enumerate() {
            drafts.push(self.draft(index, photo).await?);
        }
        check::copies(&label, &drafts, &existing)?;
        if !accept_collision {
            check::collisions(&self.identifier, &label, &drafts, &existing, &types)?;
        }
        let rows: Vec<(StoredReference, Vec<ScanPhoto>)> = drafts
            .into_iter()
            .map(|draft| {
                let reference = StoredReference {
                    id: ReferenceId(Uuid::now_v7()),
                    tenant_id: Some(tenant_id),
                    label: label.clone(),
                    category: Some(category),
                    kind: ReferenceKind::Enrolled,
                    model_sha256: self.identifier.model_sha256().to_owned(),
                    embedding: draft.predicted.embedding().to_vec(),
                    fingerprint: draft.predicted.fingerprint().to_bytes().to_vec(),
                    created_at: self.now(),
                    deleted_at: None,
                    revision: 0,
                };
                (reference, draft.photos)
            })
            .collect();
        let saved = self.store.save_references(new_type.as_ref(), &rows, Some(user.id)).await;
        saved.map_err(|error| match error {
            // Taught by somebody else in the meantime.
            partsight_store::Error::Constraint { .. } => {
                Error::Conflict { field: "name", message: messages::PART_TYPE_EXISTS }
            }
            other => other.into(),
        })?;
        tracing::info!(part.label = %label, n_photos = rows.len(), "a part was taught");
        self.tell_index().await;
        self.taught_type(user, &label).await
    }

    /// The part types that a user and their company taught, those that all share, and the shipped ones with
    /// references.
    pub async fn list_taught_types(&self, user: &User) -> Result<Vec<TaughtType>> {
        let types = self.part_types(user).await?;
        let mut references: BTreeMap<PartLabel, Vec<Reference>> = BTreeMap::new();
        for part_type in types.taught() {
            references.entry(part_type.label.clone()).or_default();
        }
        for stored in self.visible_references(user, None).await? {
            if stored.deleted_at.is_none() {
                let is_own = may_change(user, stored.tenant_id);
                references.entry(stored.label.clone()).or_default().push(Reference { stored, is_own });
            }
        }
        let types = references.into_iter().filter_map(|(label, references)| {
            Some(TaughtType {
                name: types.name(&label),
                category: types.category(&label)?,
                is_shared: types.is_shared(&label),
                model_knows: self.model_knows(&label),
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
        let types = self.part_types(user).await?;
        let category = types.category(label).ok_or(Error::NotFound { entity: Entity::Part })?;
        let stored = self.visible_references(user, Some(label)).await?;
        let kept = stored.into_iter().filter(|reference| reference.deleted_at.is_none());
        Ok(TaughtType {
            label: label.clone(),
            name: types.name(label),
            category,
            is_shared: types.is_shared(label),
            model_knows: self.model_knows(label),
            references: kept
                .map(|stored| Reference { is_own: may_change(user, stored.tenant_id), stored })
                .collect(),
        })
    }

    /// Deletes a reference of a user or their company; it can be brought back for 30 days.
    ///
    /// # Errors
    /// [`Error::NotFound`] for one that is not there, is not theirs, or is deleted already; [`Error::Forbidden`] for
    /// one of a company in which the user is no manager.
    pub async fn delete_reference(&self, user: &User, id: ReferenceId) -> Result<()> {
        self.set_reference_deleted(user, id, true).await
    }

    /// Brings a deleted reference of a user or their company back.
    ///
    /// # Errors
    /// [`Error::NotFound`] for one that is not there any more, is not theirs, or is not deleted; [`Error::Forbidden`]
    /// for one of a company in which the user is no manager.
    pub async fn restore_reference(&self, user: &User, id: ReferenceId) -> Result<()> {
        self.set_reference_deleted(user, id, false).await
    }

    async fn set_reference_deleted(&self, user: &User, id: ReferenceId, is_deleted: bool) -> Result<()> {
        let moment = is_deleted.then(|| self.now());
        for tenant_id in user.visible_tenants() {
            let found = self.store.find_reference(tenant_id, id).await?;
            if found.is_none_or(|found| found.tenant_id != Some(tenant_id)) {
                continue;
            }
            if !may_change(user, Some(tenant_id)) {
                return Err(Error::Forbidden { message: messages::COMPANY_MANAGERS_ONLY });
            }
            if self.store.set_reference_deleted(Some(tenant_id), id, moment).await? {
                self.tell_index().await;
                return Ok(());
            }
        }
        Err(Error::NotFound { entity: Entity::Reference })
    }

    /// The references that a user may see, deleted ones included; of one label where given.
    async fn visible_references(
        &self,
        user: &User,
        label: Option<&PartLabel>,
    ) -> Result<Vec<StoredReference>> {
        let mut visible: Vec<StoredReference> = Vec::new();
        let mut seen = HashSet::new();
        for tenant_id in user.visible_tenants() {
            let references = self.store.list_references(tenant_id, label).await?;
            // Those that all share come once more with each tenant.
            visible.extend(references.into_iter().filter(|reference| seen.insert(reference.id)));
        }
        visible.sort_by_key(|reference| (reference.created_at, reference.id));
        Ok(visible)
    }

    /// The small picture of a reference that a user may see.
    ///
    /// # Errors
    /// [`Error::NotFound`] when none is kept, or the reference is not theirs.
    pub async fn reference_thumbnail(&self, user: &User, id: ReferenceId) -> Result<ScanPhoto> {
        for tenant_id in user.visible_tenants() {
            let photo = self.store.find_reference_photo(tenant_id, id, PhotoSize::Thumbnail).await?;
            if let Some(photo) = photo {
                return Ok(photo);
            }
        }
        Err(Error::NotFound { entity: Entity::Reference })
    }

    /// Deletes for good the references that were deleted more than 30 days ago, and returns how many.
    pub async fn purge_references(&self) -> Result<u64> {
        Ok(self.store.purge_references(self.now() - RESTORABLE).await?)
    }

    /// The references of the model in use that a user may see, each as references are compared.
    async fn usable_references(&self, user: &User) -> Result<Vec<(StoredReference, Vec<f32>)>> {
        let stored = self.visible_references(user, None).await?.into_iter();
        let usable = stored.filter(|reference| {
            reference.deleted_at.is_none() && reference.model_sha256 == self.identifier.model_sha256()
        });
        Ok(usable
            .filter_map(|reference| {
                let embedding = self.identifier.reference_embedding(&reference.embedding)?;
                Some((reference, embedding))
            })
            .collect())
    }

    /// What is saved is found later in any case: the index is told at the next scan, or at the next start.
    async fn tell_index(&self) {
        if let Err(error) = self.prepare_references().await {
            tracing::warn!(
                reason = with_causes(&error),
                "the vector index was not told of a taught part yet"
            );
        }
    }

    async fn draft(&self, index: usize, photo: Vec<u8>) -> Result<Draft> {
        let keep = self.keep_photos;
        let original = (keep == PhotoKeeping::Full).then(|| photo.clone());
        let look = move |photo: &Photo| Look {
            is_blank: check::is_blank(photo),
            small: if keep == PhotoKeeping::None { None } else { thumbnail(photo) },
            media_type: media_type(photo.format()),
        };
        let (predicted, look) = self.identifier.predict_with(photo, look).await?;
        // Without a look, the check has not been made.
        let look = look.ok_or_else(|| Error::internal("the photograph was decoded, but not looked at"))?;
        if look.is_blank {
            let text = format!(
                "Photo {} shows nothing but one colour. Please send one that shows the part.",
                index + 1
            );
            return Err(InvalidInput::new("image", text).into());
        }
        let embedding = self.identifier.reference_embedding(predicted.embedding()).ok_or_else(|| {
            InvalidInput::new(
                "image",
                "The model of this server cannot be taught: it has no `[references]` in its `model.toml`.",
            )
        })?;
        let photos = [
            look.small.map(|bytes| (PhotoSize::Thumbnail, "image/jpeg", bytes)),
            original.map(|bytes| (PhotoSize::Full, look.media_type, bytes)),
        ];
        let photos = photos.into_iter().flatten().map(|(size, media_type, bytes)| ScanPhoto {
            size,
            media_type: media_type.to_owned(),
            bytes,
        });
        Ok(Draft { predicted, embedding, photos: photos.collect() })
    }
}

/// Who owns what a user adds to their shop.
pub(crate) fn shop_to_change(user: &User) -> Result<TenantId> {
    user.shop_tenant_to_change().map_err(|message| Error::Forbidden { message })
}

/// Whether a user may change what this tenant owns; nobody may change what all share.
fn may_change(user: &User, owner: Option<TenantId>) -> bool {
    owner == Some(user.tenant_id) || (owner.is_some() && owner == user.shop_tenant_to_change().ok())
}

impl Draft {
    fn fingerprint(&self) -> &Fingerprint {
        self.predicted.fingerprint()
    }
}
