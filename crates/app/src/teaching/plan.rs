//! From photographs to rows: finding the part of a lesson, checking the photographs, and saving them.

use std::collections::BTreeSet;

use partsight_domain::{
    self as domain, Category, InvalidInput, LookAlike, LookAlikePair, LookAlikes, PartLabel, PartPosition,
    PhotoKeeping, PhotoSize, ReferenceId, ReferenceKind, ScanPhoto, ShopPart, ShopPartId, TaughtPartType,
    messages,
};
use partsight_store::StoredReference;
use uuid::Uuid;

use super::check::{self, Accepted, Problem, is_blank};
use super::draft::Draft;
use super::lessons::{Lesson, MAX_REFERENCES_OF_TYPE, TaughtType};
use crate::accounts::owner::Owner;
use crate::parts::part_types::PartTypes;
use crate::recognition::photo_budget::Asker;
use crate::recognition::pixels::Pixels;
use crate::recognition::thumbnails::{media_type, thumbnail};
use crate::resembled::Resembled;
use crate::teaching::Teaching;
use crate::{Entity, Error, Identifier, Result};

/// What is computed from the pixels beside the tensor.
struct Look {
    is_blank: bool,
    small: Option<Vec<u8>>,
    media_type: &'static str,
}

/// A lesson whose part was found or created.
pub(crate) struct Plan {
    pub(crate) label: PartLabel,
    category: Category,
    model_knows: bool,
    new_type: Option<TaughtPartType>,
    /// The part of the owner's shop that the photographs show, if they are of one.
    part: Option<ShopPart>,
    types: PartTypes,
    /// The marked pairs: resembling a marked look-alike needs no question.
    look_alikes: LookAlikes,
    /// All references that the owner may see, each with its embedding in the reference space.
    existing: Vec<(StoredReference, Vec<f32>)>,
}

impl Plan {
    /// Refuses more photographs than the part may have.
    pub(crate) fn check_room(&self, n_photos: usize) -> Result<(), InvalidInput> {
        if let Some(part) = &self.part {
            part.details.check_room(n_photos)?;
        }
        let n_own = self.existing.iter().filter(|(reference, _)| reference.label == self.label).count();
        if n_own + n_photos <= MAX_REFERENCES_OF_TYPE {
            return Ok(());
        }
        let most = MAX_REFERENCES_OF_TYPE;
        let text = if n_own < most {
            format!(
                "A part has at most {most} photos; this one has {n_own}, and {n_photos} more were given. Please give fewer."
            )
        } else {
            format!("This part has {n_own} photos, and a part has at most {most}. Please delete some first.")
        };
        Err(InvalidInput::new("image", text))
    }

    /// Whether the part is created with its first references.
    pub(crate) fn is_new(&self) -> bool {
        self.new_type.is_some()
    }

    /// Takes these parts as marked look-alikes of this one; returns those that were not, to be marked with the drafts.
    pub(crate) fn mark(&mut self, others: impl Iterator<Item = PartLabel>) -> BTreeSet<PartLabel> {
        let is_new = |other: &PartLabel| !self.look_alikes.are_marked(&self.label, other);
        let new: BTreeSet<PartLabel> = others.filter(|other| *other != self.label && is_new(other)).collect();
        let pairs = new.iter().filter_map(|other| LookAlikePair::new(self.label.clone(), other.clone()).ok());
        self.look_alikes.extend(pairs);
        new
    }

    /// The part as it is without references.
    pub(crate) fn without_references(&self) -> TaughtType {
        TaughtType {
            name: self
                .new_type
                .as_ref()
                .map_or_else(|| self.types.name(&self.label), |part_type| part_type.name.clone()),
            label: self.label.clone(),
            category: self.category,
            position: self
                .types
                .get(&self.label)
                .map_or(PartPosition::of_category(self.category), |facts| self.types.position(facts)),
            is_shared: self.new_type.as_ref().is_some_and(|part_type| part_type.tenant_id.is_none()),
            is_own: true,
            model_knows: self.model_knows,
            references: Vec::new(),
            look_alikes: Vec::new(),
        }
    }

    /// The problem of a draft, if it has one.
    pub(crate) fn problem(&self, identifier: &Identifier, index: usize, drafts: &[Draft]) -> Option<Problem> {
        check::copy(&identifier.reference_similarities(), &self.label, index, drafts, &self.existing)
    }

    /// The part that a draft resembles more than its own, if there is one and the two are not marked as look-alikes.
    pub(crate) fn resembled(
        &self,
        identifier: &Identifier,
        index: usize,
        drafts: &[Draft],
    ) -> Option<Resembled> {
        self.resembled_beside(identifier, index, drafts, &BTreeSet::new())
    }

    /// All parts that the drafts resemble, to be marked as look-alikes.
    pub(crate) fn all_resembled(&self, identifier: &Identifier, drafts: &[Draft]) -> BTreeSet<PartLabel> {
        let mut all = BTreeSet::new();
        for index in 0..drafts.len() {
            // A draft may resemble several. Each one is excluded from the next search, so that this ends.
            while let Some(resembled) = self.resembled_beside(identifier, index, drafts, &all) {
                all.insert(resembled.label);
            }
        }
        all
    }

    fn resembled_beside(
        &self,
        identifier: &Identifier,
        index: usize,
        drafts: &[Draft],
        accepted: &BTreeSet<PartLabel>,
    ) -> Option<Resembled> {
        let accepted = Accepted { look_alikes: &self.look_alikes, others: accepted };
        let (label, existing, types) = (&self.label, &self.existing, &self.types);
        check::resembled(identifier, label, index, drafts, existing, types, &accepted)
    }
}

impl Teaching {
    /// Finds the part of a lesson, or prepares the new one.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a name that is none or a part that is not of the shop and type, [`Error::NotFound`] for an
    /// unknown part type, [`Error::Conflict`] for a name that is taken.
    pub(crate) async fn plan(&self, owner: &Owner, lesson: Lesson) -> Result<Plan> {
        let types = self.parts.part_types_of(owner.visible_tenants()).await?;
        let part = match &lesson {
            Lesson::Part { label, id } => Some(self.part_to_show(owner, label, *id).await?),
            Lesson::Known(_) | Lesson::NewType { .. } | Lesson::Imported { .. } => None,
        };
        let (label, category, new_type) = match lesson {
            Lesson::Known(label) | Lesson::Part { label, .. } => {
                let category =
                    types.category_in_use(&label).ok_or(Error::NotFound { entity: Entity::Part })?;
                // A type that a person taught alone becomes known to their present company.
                let own = owner.tenant_id.and_then(|tenant_id| types.only_of_others(&label, tenant_id));
                let own = own.map(|part_type| TaughtPartType {
                    tenant_id: owner.tenant_id,
                    created_at: self.clock.now(),
                    ..part_type.clone()
                });
                (label, category, own)
            }
            Lesson::NewType { name, category } => {
                let new_type = self.new_type(owner, &types, None, &name, category)?;
                (new_type.label.clone(), category, Some(new_type))
            }
            Lesson::Imported { label, name, category } => {
                let new_type = self.new_type(owner, &types, Some(label), &name, category)?;
                (new_type.label.clone(), category, Some(new_type))
            }
        };
        let existing = self.usable_references(owner).await?;
        let model_knows = self.parts.model_knows(&label);
        let marked = self.visible_look_alikes(owner.visible_tenants()).await?;
        let look_alikes = marked.into_iter().map(|marked| marked.pair).collect();
        Ok(Plan { label, category, model_knows, new_type, part, types, look_alikes, existing })
    }

    /// A part type that is new to an owner; with this label if one is given and no other type has it.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a name that is none, [`Error::Conflict`] for one that is taken.
    fn new_type(
        &self,
        owner: &Owner,
        types: &PartTypes,
        label: Option<PartLabel>,
        name: &str,
        category: Category,
    ) -> Result<TaughtPartType> {
        let (name, made_label) = TaughtPartType::name_and_label(name)?;
        let label = types
            .free_label(&label.unwrap_or(made_label), &name)
            .filter(|_| types.named(&name).is_none())
            .ok_or(Error::Conflict { field: "name", message: messages::PART_TYPE_EXISTS })?;
        let (tenant_id, created_at) = (owner.tenant_id, self.clock.now());
        Ok(TaughtPartType { tenant_id, label, name, category, created_at, deleted_at: None })
    }

    /// The part of an owner's shop that photographs of this type are attached to.
    async fn part_to_show(&self, owner: &Owner, label: &PartLabel, id: ShopPartId) -> Result<ShopPart> {
        let part = match owner.tenant_id {
            Some(tenant_id) => self.store.find_shop_part(tenant_id, id).await?,
            None => None,
        };
        let part = part.ok_or_else(|| InvalidInput::new("partId", messages::TAUGHT_PART_MISSING))?;
        if part.details.label != *label {
            return Err(InvalidInput::new("partId", messages::TAUGHT_PART_OF_OTHER_TYPE).into());
        }
        Ok(part)
    }

    /// Saves checked drafts, their part if it is new, and its look-alikes, in one transaction; returns the ids of the
    /// references in order.
    ///
    /// # Errors
    /// [`Error::Conflict`] for a name that was taken, or a part of the shop that was changed, meanwhile;
    /// [`Error::QuotaReached`] for more than `user_plan`, if given, allows.
    pub(crate) async fn save_drafts(
        &self,
        owner: &Owner,
        plan: &Plan,
        drafts: Vec<Draft>,
        resembled: BTreeSet<PartLabel>,
        kind: ReferenceKind,
        user_plan: Option<domain::Plan>,
    ) -> Result<Vec<ReferenceId>> {
        let rows: Vec<(StoredReference, Vec<ScanPhoto>)> = drafts
            .into_iter()
            .map(|draft| {
                let reference = StoredReference {
                    id: ReferenceId(Uuid::now_v7()),
                    tenant_id: owner.tenant_id,
                    label: plan.label.clone(),
                    category: Some(plan.category),
                    kind,
                    model_sha256: self.identifier.model_sha256().to_owned(),
                    embedding: draft.raw,
                    fingerprint: draft.fingerprint.to_bytes().to_vec(),
                    created_at: self.clock.now(),
                    deleted_at: None,
                    // The store sets the revision.
                    revision: 0,
                };
                (reference, draft.photos)
            })
            .collect();
        let (tenant_id, created_at) = (owner.tenant_id, self.clock.now());
        let pairs =
            // A part is no look-alike of itself.
            resembled.into_iter().filter_map(|other| LookAlikePair::new(plan.label.clone(), other).ok());
        let marks: Vec<LookAlike> = pairs.map(|pair| LookAlike { tenant_id, pair, created_at }).collect();
        let (new_type, part) = (plan.new_type.as_ref(), plan.part.as_ref());
        let saved = self.store.save_references(new_type, part, &rows, &marks, owner.user_id, user_plan).await;
        let is_saved = saved.map_err(|error| match error {
            // It was taught by somebody else meanwhile.
            partsight_store::Error::Constraint(_) => {
                Error::Conflict { field: "name", message: messages::PART_TYPE_EXISTS }
            }
            other => Error::from(other),
        })?;
        if !is_saved {
            return Err(match part {
                Some(_) => Error::Conflict { field: "partId", message: messages::SHOP_PART_CHANGED },
                None => Error::NotFound { entity: Entity::Part },
            });
        }
        tracing::info!(part.label = %plan.label, n_photos = rows.len(), n_look_alikes = marks.len(), "a part was taught");
        self.update_index().await;
        Ok(rows.iter().map(|(reference, _)| reference.id).collect())
    }

    /// The references of the model in use that an owner may see, each with its embedding in the reference space.
    pub(crate) async fn usable_references(&self, owner: &Owner) -> Result<Vec<(StoredReference, Vec<f32>)>> {
        Ok(self.usable(self.visible_references(owner.visible_tenants(), None).await?))
    }

    /// Those of these references that are not deleted and of the model in use, each with its embedding in the
    /// reference space.
    pub(crate) fn usable(&self, stored: Vec<StoredReference>) -> Vec<(StoredReference, Vec<f32>)> {
        let usable = stored.into_iter().filter(|reference| {
            reference.deleted_at.is_none() && reference.model_sha256 == self.identifier.model_sha256()
        });
        usable
            .filter_map(|reference| {
                let embedding = self.identifier.reference_embedding(&reference.embedding)?;
                Some((reference, embedding))
            })
            .collect()
    }

    /// Makes a draft of a photograph, or returns its own problem.
    ///
    /// # Errors
    /// [`Error::Photo`] for one that cannot be read, [`Error::Busy`].
    pub(crate) async fn draft(&self, asker: &Asker, photo: Vec<u8>) -> Result<Result<Draft, Problem>> {
        let keep = self.keep_photos;
        let original = (keep == PhotoKeeping::Full).then(|| photo.clone());
        let look = move |pixels: &Pixels<'_>| Look {
            is_blank: is_blank(pixels.photo),
            small: (keep != PhotoKeeping::None).then(|| thumbnail(pixels)),
            media_type: media_type(pixels.photo.format()),
        };
        let (predicted, look) = self.identifier.predict_with(asker, photo, look).await?;
        // Without it, the photograph was not checked.
        let look = look.ok_or_else(|| Error::internal("the photograph was decoded, but not looked at"))?;
        if look.is_blank {
            return Ok(Err(Problem::Blank));
        }
        let Some(embedding) = self.identifier.reference_embedding(predicted.embedding()) else {
            return Ok(Err(Problem::CannotBeTaught));
        };
        let photos = [
            look.small.map(|bytes| (PhotoSize::Thumbnail, "image/jpeg", bytes)),
            original.map(|bytes| (PhotoSize::Full, look.media_type, bytes)),
        ];
        let photos = photos.into_iter().flatten().map(|(size, media_type, bytes)| ScanPhoto {
            size,
            media_type: media_type.to_owned(),
            bytes,
        });
        Ok(Ok(Draft {
            raw: predicted.embedding().to_vec(),
            scores: Some((predicted.logits().to_vec(), predicted.known())),
            fingerprint: *predicted.fingerprint(),
            embedding,
            photos: photos.collect(),
        }))
    }
}
