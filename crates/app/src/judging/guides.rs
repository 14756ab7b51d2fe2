//! Guides of taught parts, which a language model writes where people ask for them.

use std::collections::BTreeSet;

use partsight_domain::{FillQuestion, PartLabel, User};

use crate::fill::FillSubject;
use crate::judging::Judging;
use crate::judging::fills::may_discard;
use crate::parts::part_types::{PartFacts, PartTypes};
use crate::{Entity, Error, Result};

impl Judging {
    /// As [`part_types`](crate::Parts::part_types), with what a language model filled in as guides of those that were
    /// taught among `labels`.
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

    /// The part types that a user knows, with the guide of one of them, which a language model is asked for where it
    /// has none.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a part that the user does not know, [`Error::TooManyAttempts`] for too many questions at
    /// once.
    pub async fn ask_for_guide(&self, user: &User, label: &PartLabel) -> Result<PartTypes> {
        let mut types = self.parts.part_types(user).await?;
        types.get(label).ok_or(Error::NotFound { entity: Entity::Part })?;
        if let Some(subject) = guide_subject(&types, label) {
            let state = self.fill(user, &subject).await?;
            types.guides.insert(label.clone(), state);
        }
        Ok(types)
    }

    /// Throws away the guide that a language model wrote for a part.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a part that the user does not know and where there is none, [`Error::Forbidden`] for a
    /// member of a company who is no manager.
    pub async fn discard_guide(&self, user: &User, label: &PartLabel) -> Result<()> {
        let types = self.parts.part_types(user).await?;
        types.get(label).ok_or(Error::NotFound { entity: Entity::Part })?;
        let subject = guide_subject(&types, label).ok_or(Error::NotFound { entity: Entity::Fill })?;
        may_discard(user, &subject)?;
        self.discard_fill(user, &subject).await
    }
}

/// What a language model may be asked of a type without a guide: one that people taught. What is said of it is for those
/// who taught it.
fn guide_subject(types: &PartTypes, label: &PartLabel) -> Option<FillSubject> {
    match types.get(label)? {
        // Guides of shipped types are written and checked by people.
        PartFacts::Shipped(_) => None,
        PartFacts::Taught(part_type) => Some(FillSubject {
            owner: part_type.tenant_id,
            question: FillQuestion::Guide { part: part_type.name.clone(), category: part_type.category },
        }),
    }
}
