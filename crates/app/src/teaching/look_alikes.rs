//! Look-alikes: the question when a photograph to be taught resembles another part, and marked pairs. Between the
//! parts of a pair no photograph decides (`recognition/look_alikes` of the domain).

use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::Timestamp;
use partsight_domain::{
    Category, InvalidInput, LookAlike, LookAlikePair, LookAlikes, MAX_LOOK_ALIKES, PartLabel, TenantId, User,
    messages,
};
use partsight_store::ShopPartTexts;

use crate::accounts::owner::{Owner, shop_to_change};
use crate::parts::part_types::PartTypes;
use crate::resembled::Resembled;
use crate::teaching::Teaching;
use crate::{Entity, Error, Result};

/// A part that is marked as a look-alike of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkedPart {
    /// Label of the part type.
    pub label: PartLabel,
    /// Display name.
    pub name: String,
    /// Where it belongs.
    pub category: Category,
    /// Whether the user may unmark it.
    pub is_own: bool,
    /// When it was marked.
    pub marked_at: Timestamp,
    /// The newest parts of its type in the shop: their numbers and notes tell it from others.
    pub shop_parts: Vec<ShopPartTexts>,
}

impl Teaching {
    /// The error that asks about a resembled part, with the shop's parts of its type.
    pub(crate) async fn looks_alike(&self, owner: &Owner, index: usize, resembled: Resembled) -> Error {
        let labels = [resembled.label.clone()];
        match self.parts.newest_texts(owner.visible_tenants(), &labels).await {
            Ok(mut texts) => Error::LooksAlike {
                number: index + 1,
                shop_parts: texts.remove(&resembled.label).unwrap_or_default(),
                resembled,
            },
            Err(error) => error,
        }
    }

    /// The pairs that apply to scans of these tenants: those of which either part can be the answer. A part that the
    /// model has not learnt and that has no photographs cannot, until a photograph of it is restored.
    pub(crate) async fn look_alikes_in_force(
        &self,
        tenants: impl Iterator<Item = TenantId>,
    ) -> Result<LookAlikes> {
        let tenants: Vec<TenantId> = tenants.collect();
        let marked = self.visible_look_alikes(tenants.iter().copied()).await?;
        if marked.is_empty() {
            return Ok(LookAlikes::default());
        }
        let mut referenced: HashSet<PartLabel> = HashSet::new();
        for tenant_id in tenants {
            referenced.extend(self.store.list_referenced_labels(tenant_id).await?);
        }
        let can_be_found = |label: &PartLabel| self.parts.model_knows(label) || referenced.contains(label);
        let pairs = marked.into_iter().map(|marked| marked.pair);
        Ok(pairs.filter(|pair| pair.labels().iter().all(can_be_found)).collect())
    }

    /// The pairs that these tenants marked, and those that all share, by labels.
    pub(crate) async fn visible_look_alikes(
        &self,
        tenants: impl Iterator<Item = TenantId>,
    ) -> Result<Vec<LookAlike>> {
        let mut visible: Vec<LookAlike> = Vec::new();
        for tenant_id in tenants {
            for marked in self.store.list_look_alikes(tenant_id).await? {
                // Shared pairs are returned for each tenant.
                if !visible.contains(&marked) {
                    visible.push(marked);
                }
            }
        }
        visible.sort_by(|one, other| one.pair.cmp(&other.pair));
        Ok(visible)
    }

    /// The look-alikes of each part that has any, each once, by label.
    pub(crate) async fn marked_parts(
        &self,
        owner: &Owner,
        types: &PartTypes,
    ) -> Result<HashMap<PartLabel, Vec<MarkedPart>>> {
        let marked = self.visible_look_alikes(owner.visible_tenants()).await?;
        let labels: BTreeSet<PartLabel> =
            marked.iter().flat_map(|marked| marked.pair.labels().clone()).collect();
        let labels: Vec<PartLabel> = labels.into_iter().collect();
        let texts = self.parts.newest_texts(owner.visible_tenants(), &labels).await?;
        let mut parts: HashMap<PartLabel, Vec<MarkedPart>> = HashMap::new();
        for LookAlike { tenant_id, pair, created_at } in marked {
            let is_own = owner.may_change(tenant_id);
            let [first, second] = pair.labels();
            for (label, other) in [(first, second), (second, first)] {
                let Some(category) = types.category_in_use(other) else { continue };
                let parts = parts.entry(label.clone()).or_default();
                match parts.iter_mut().find(|part| part.label == *other) {
                    // Two owners may have marked the same pair; owning one of the marks is enough.
                    Some(known) => known.is_own |= is_own,
                    None => parts.push(MarkedPart {
                        label: other.clone(),
                        name: types.name(other),
                        category,
                        is_own,
                        marked_at: created_at,
                        shop_parts: texts.get(other).cloned().unwrap_or_default(),
                    }),
                }
            }
        }
        Ok(parts)
    }

    /// Marks two parts of a user's shop as look-alikes, unless they are marked already.
    ///
    /// # Errors
    /// [`Error::Invalid`] for one part or too many look-alikes of one, [`Error::NotFound`] for a part that they do not
    /// know, [`Error::Forbidden`] for a member of a company who is no manager.
    pub async fn mark_look_alike(&self, user: &User, label: &PartLabel, other: &PartLabel) -> Result<()> {
        let tenant_id = shop_to_change(user)?;
        let types = self.parts.part_types(user).await?;
        if [label, other].iter().any(|label| !types.has(label)) {
            return Err(Error::NotFound { entity: Entity::Part });
        }
        let pair = LookAlikePair::new(label.clone(), other.clone())?;
        let known = self.store.list_look_alikes(tenant_id).await?;
        let n_of = |label: &PartLabel| {
            let others = known.iter().filter(|known| known.pair != pair);
            // Marks on deleted parts are not shown.
            others.filter(|known| known.pair.partner_of(label).is_some_and(|other| types.has(other))).count()
        };
        if pair.labels().iter().any(|label| n_of(label) >= MAX_LOOK_ALIKES) {
            return Err(InvalidInput::new("other", messages::TOO_MANY_LOOK_ALIKES).into());
        }
        let look_alike = LookAlike { tenant_id: Some(tenant_id), pair, created_at: self.clock.now() };
        self.store.mark_look_alike(&look_alike, Some(user.id)).await?;
        Ok(())
    }

    /// Unmarks two parts.
    ///
    /// # Errors
    /// [`Error::NotFound`] for parts that are not marked, or by others alone; [`Error::Forbidden`] for a mark of a
    /// company in which the user is no manager.
    pub async fn unmark_look_alike(&self, owner: &Owner, label: &PartLabel, other: &PartLabel) -> Result<()> {
        let not_found = || Error::NotFound { entity: Entity::LookAlike };
        let pair = LookAlikePair::new(label.clone(), other.clone()).map_err(|_| not_found())?;
        let mut marks = self.visible_look_alikes(owner.visible_tenants()).await?;
        marks.retain(|marked| marked.pair == pair);
        let mut is_removed = false;
        for marked in marks.iter().filter(|marked| owner.may_change(marked.tenant_id)) {
            is_removed |= self.store.unmark_look_alike(marked.tenant_id, &pair).await?;
        }
        if is_removed {
            Ok(())
        } else if marks.iter().any(|marked| marked.tenant_id.is_some()) {
            Err(Error::Forbidden { message: messages::COMPANY_MANAGERS_ONLY })
        } else {
            Err(not_found())
        }
    }
}
