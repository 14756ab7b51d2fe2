//! Guides of taught parts, written by a language model on request.

use std::collections::BTreeSet;

use partsight_domain::{FillQuestion, PartLabel, User};

use crate::fill::FillSubject;
use crate::judging::Judging;
use crate::judging::fills::may_discard;
use crate::parts::part_types::{PartFacts, PartTypes};
use crate::{Entity, Error, Result};

impl Judging {
    /// As [`part_types`](crate::Parts::part_types), with the language model's guides of the taught types in `labels`.
    pub async fn part_types_with_guides<'l>(
        &self,
        user: &User,
        labels: impl Iterator<Item = &'l PartLabel>,
    ) -> Result<PartTypes> {
        let mut types = self.parts.part_types(user).await?;
        for label in labels.collect::<BTreeSet<_>>() {
            if let Some(subject) = guide_subject(&types, label) {
                let state = self.fill_state(user, &subject).await;
                types.guides.insert(label.clone(), state);
            }
        }
        Ok(types)
    }

    /// The part types visible to a user, with the guide of the type `label`, which is requested from the language model
    /// if there is none.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a type that is not visible to the user, [`Error::TooManyAttempts`] beyond the shop's
    /// rate limit.
    pub async fn ask_for_guide(&self, user: &User, label: &PartLabel) -> Result<PartTypes> {
        let mut types = self.parts.part_types(user).await?;
        types.get(label).ok_or(Error::NotFound { entity: Entity::Part })?;
        if let Some(subject) = guide_subject(&types, label) {
            let state = self.fill(user, &subject).await?;
            types.guides.insert(label.clone(), state);
        }
        Ok(types)
    }

    /// Discards the guide that a language model wrote for a part type.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a type that is not visible to the user or has no such guide, [`Error::Forbidden`] for a
    /// member of a company who is no manager.
    pub async fn discard_guide(&self, user: &User, label: &PartLabel) -> Result<()> {
        let types = self.parts.part_types(user).await?;
        types.get(label).ok_or(Error::NotFound { entity: Entity::Part })?;
        let subject = guide_subject(&types, label).ok_or(Error::NotFound { entity: Entity::Fill })?;
        may_discard(user, &subject)?;
        self.discard_fill(user, &subject).await
    }
}

/// The question for the guide of a taught type; `None` for a shipped one. The guide belongs to the owner of the type.
fn guide_subject(types: &PartTypes, label: &PartLabel) -> Option<FillSubject> {
    match types.get(label)? {
        // The catalogue has guides of all shipped types, written and checked by people.
        PartFacts::Shipped(_) => None,
        PartFacts::Taught(part_type) => Some(FillSubject {
            owner: part_type.tenant_id,
            question: FillQuestion::Guide { part: part_type.name.clone(), category: part_type.category },
        }),
    }
}
