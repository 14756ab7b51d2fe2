use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use partsight_catalog::Catalog;
use partsight_domain::{
    Candidate, Category, Difficulty, PartLabel, PartPosition, PartType, TaughtPartType, TellingApart,
    TenantId, User,
};
use partsight_store::ShopPartTexts;

use crate::fill::FillState;
use crate::parts::Parts;
use crate::{Entity, Error, Result};

/// Parts of the shop that are shown for each of several types: more would hide what distinguishes the types.
const TEXTS_OF_TYPE: u32 = 3;

/// The part types that a user knows: the shipped ones, those they or their company taught, and those that all share.
#[derive(Debug, Clone)]
pub struct PartTypes {
    pub(crate) catalog: Arc<Catalog>,
    /// Taught types, the shop's own first.
    taught: Vec<TaughtPartType>,
    /// Deleted taught types: earlier scans and repairs are shown with them, and nothing new is.
    deleted: Vec<TaughtPartType>,
    /// The state of the language model's guides of taught types, where loaded.
    pub(crate) guides: HashMap<PartLabel, FillState>,
    /// The newest parts of the shop of some types, where loaded.
    pub(crate) shop_parts: HashMap<PartLabel, Vec<ShopPartTexts>>,
}

/// The facts about a part type.
#[derive(Debug, Clone, Copy)]
pub enum PartFacts<'a> {
    /// It is part of the program, with a guide.
    Shipped(&'a PartType),
    /// People taught it, with a name and a category.
    Taught(&'a TaughtPartType),
}

impl PartTypes {
    /// The shipped ones alone.
    pub fn shipped(catalog: Arc<Catalog>) -> Self {
        Self {
            catalog,
            taught: Vec::new(),
            deleted: Vec::new(),
            guides: HashMap::new(),
            shop_parts: HashMap::new(),
        }
    }

    /// The shipped ones.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The facts about a label, also for a deleted taught type.
    pub fn get(&self, label: &PartLabel) -> Option<PartFacts<'_>> {
        let shipped = self.catalog.get(label).map(PartFacts::Shipped);
        shipped.or_else(|| {
            self.every_taught().find(|part_type| part_type.label == *label).map(PartFacts::Taught)
        })
    }

    /// Whether the type of a label exists and is not deleted, so that new rows may use it.
    pub fn has(&self, label: &PartLabel) -> bool {
        self.is_shipped(label) || self.taught.iter().any(|part_type| part_type.label == *label)
    }

    /// The category of a type that new rows may use.
    pub(crate) fn category_in_use(&self, label: &PartLabel) -> Option<Category> {
        self.category(label).filter(|_| self.has(label))
    }

    /// Whether a label is of a type that is part of the program.
    pub(crate) fn is_shipped(&self, label: &PartLabel) -> bool {
        self.catalog.get(label).is_some()
    }

    /// Taught types, deleted ones last.
    fn every_taught(&self) -> impl Iterator<Item = &TaughtPartType> {
        self.taught.iter().chain(&self.deleted)
    }

    /// The name for people; the label itself for a type that is not known any more.
    pub fn name(&self, label: &PartLabel) -> String {
        match self.get(label) {
            Some(PartFacts::Shipped(part_type)) => part_type.name.clone(),
            Some(PartFacts::Taught(part_type)) => part_type.name.clone(),
            None => label.to_string(),
        }
    }

    /// Where a type belongs.
    pub fn category(&self, label: &PartLabel) -> Option<Category> {
        self.get(label).map(|facts| match facts {
            PartFacts::Shipped(part_type) => part_type.category,
            PartFacts::Taught(part_type) => part_type.category,
        })
    }

    /// Where on a car a type sits; of a taught one only the category says it.
    pub fn position(&self, facts: PartFacts<'_>) -> PartPosition {
        match facts {
            PartFacts::Shipped(part_type) => self.catalog.position(part_type),
            PartFacts::Taught(part_type) => PartPosition::of_category(part_type.category),
        }
    }

    /// What distinguishes the best guess from those of `others` that are nearly as probable.
    pub fn telling_apart(&self, best: &Candidate, others: &[Candidate]) -> Vec<&TellingApart> {
        self.catalog.telling_apart(best, others)
    }

    /// The hardest job among the shipped types of a category: the estimate for a taught type, which has no guide.
    pub fn hardest_of(&self, category: Category) -> Difficulty {
        let shipped = self.catalog.iter().filter(|part_type| part_type.category == category);
        let rank = |difficulty: &Difficulty| match difficulty {
            Difficulty::Easy => 0,
            Difficulty::Medium => 1,
            Difficulty::Hard => 2,
        };
        shipped.map(|part_type| part_type.guide.difficulty).max_by_key(rank).unwrap_or(Difficulty::Hard)
    }

    /// Whether all tenants know it.
    pub(crate) fn is_shared(&self, label: &PartLabel) -> bool {
        match self.get(label) {
            Some(PartFacts::Taught(part_type)) => part_type.tenant_id.is_none(),
            _ => true,
        }
    }

    /// The labels of all of them, each once.
    pub(crate) fn all(&self) -> impl Iterator<Item = PartLabel> + '_ {
        self.all_ever().filter(|label| self.has(label))
    }

    /// The labels of all of them, those of deleted types included, each once.
    pub(crate) fn all_ever(&self) -> impl Iterator<Item = PartLabel> + '_ {
        let shipped = self.catalog.iter().map(|part_type| &part_type.label);
        let taught = self.every_taught().map(|part_type| &part_type.label);
        shipped.chain(taught).cloned().collect::<BTreeSet<_>>().into_iter()
    }

    /// The labels by their common names, as [`PartTypes::plain_name`] writes them.
    pub(crate) fn by_name(&self) -> HashMap<String, PartLabel> {
        let others = self.catalog.iter().flat_map(|part_type| {
            part_type.also_known_as.iter().map(|name| (Self::plain_name(name), part_type.label.clone()))
        });
        let names = self.all().map(|label| (Self::plain_name(&self.name(&label)), label));
        // In a map the last one stays: a type's own name wins over an additional name of another type.
        others.chain(names).collect()
    }

    /// The label of the type with this name; case and separators do not matter.
    pub(crate) fn named(&self, name: &str) -> Option<PartLabel> {
        let name = Self::plain_name(name);
        self.all().find(|label| Self::plain_name(&self.name(label)) == name)
    }

    /// An unused label for a new type with this name, based on `label`: with a number appended if another type has
    /// it, or had it under another name that earlier scans still show.
    pub(crate) fn free_label(&self, label: &PartLabel, name: &str) -> Option<PartLabel> {
        let name = Self::plain_name(name);
        let was_another = |label: &PartLabel| {
            let mut of_label = self.deleted.iter().filter(|part_type| part_type.label == *label);
            of_label.any(|part_type| Self::plain_name(&part_type.name) != name)
        };
        let numbered = (2..100).filter_map(|number| PartLabel::new(&format!("{label}-{number}")).ok());
        std::iter::once(label.clone()).chain(numbered).find(|label| !self.has(label) && !was_another(label))
    }

    /// A name in lower case, its words parted by single spaces.
    pub(crate) fn plain_name(name: &str) -> String {
        let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join(" ").to_lowercase()
    }

    /// The type of a label that was taught, but neither to this tenant nor to all.
    pub(crate) fn only_of_others(&self, label: &PartLabel, tenant_id: TenantId) -> Option<&TaughtPartType> {
        let mut taught = self.taught.iter().filter(|part_type| part_type.label == *label);
        let is_known = self.catalog.get(label).is_some()
            || taught.clone().any(|part_type| part_type.tenant_id.is_none_or(|owner| owner == tenant_id));
        if is_known { None } else { taught.next() }
    }

    /// The owners of taught types with this label, deleted ones included; `None` for the shared one.
    pub(crate) fn taught_by(
        &self,
        label: &PartLabel,
        is_deleted: bool,
    ) -> impl Iterator<Item = Option<TenantId>> {
        let types = if is_deleted { &self.deleted } else { &self.taught };
        types.iter().filter(move |part_type| part_type.label == *label).map(|part_type| part_type.tenant_id)
    }

    /// The state of the language model's guide of a type; `None` for a type with a guide of its own.
    pub fn guide(&self, label: &PartLabel) -> Option<&FillState> {
        self.guides.get(label)
    }

    /// The newest parts of a type in the user's shop, for the requested types.
    pub fn shop_parts(&self, label: &PartLabel) -> &[ShopPartTexts] {
        self.shop_parts.get(label).map_or(&[], Vec::as_slice)
    }

    /// Those that were taught, the shop's own first.
    pub(crate) fn taught(&self) -> &[TaughtPartType] {
        &self.taught
    }
}

impl Parts {
    /// The part types that a user knows: those of their own, of their company, and of all.
    pub async fn part_types(&self, user: &User) -> Result<PartTypes> {
        self.part_types_of(user.visible_tenants()).await
    }

    /// The part types that these tenants know, and those of all.
    pub(crate) async fn part_types_of(&self, tenants: impl Iterator<Item = TenantId>) -> Result<PartTypes> {
        let mut taught: Vec<TaughtPartType> = Vec::new();
        let mut deleted: Vec<TaughtPartType> = Vec::new();
        // The company's types come first, because the shop uses them.
        let mut tenants: Vec<TenantId> = tenants.collect();
        tenants.reverse();
        for tenant_id in tenants {
            for part_type in self.store.list_taught_types(tenant_id).await? {
                let of_its_kind = if part_type.deleted_at.is_some() { &mut deleted } else { &mut taught };
                // Shared types are returned for each tenant.
                if !of_its_kind.contains(&part_type) {
                    of_its_kind.push(part_type);
                }
            }
        }
        Ok(PartTypes { taught, deleted, ..PartTypes::shipped(Arc::clone(&self.catalog)) })
    }

    /// The newest parts of each of some types in the shops of these tenants, up to three of each: their numbers and notes
    /// tell look-alikes apart.
    pub(crate) async fn newest_texts(
        &self,
        tenants: impl Iterator<Item = TenantId>,
        labels: &[PartLabel],
    ) -> Result<HashMap<PartLabel, Vec<ShopPartTexts>>> {
        let mut found: HashMap<PartLabel, Vec<ShopPartTexts>> = HashMap::new();
        for tenant_id in tenants.filter(|_| !labels.is_empty()) {
            let parts = self.store.list_newest_shop_part_texts(tenant_id, labels, TEXTS_OF_TYPE).await?;
            for part in parts {
                found.entry(part.label.clone()).or_default().push(part);
            }
        }
        for parts in found.values_mut() {
            // Ids grow with time.
            parts.sort_by_key(|part| Reverse(part.id));
            parts.truncate(TEXTS_OF_TYPE as usize);
        }
        Ok(found)
    }

    /// The part type of this label.
    pub fn part_type(&self, label: &PartLabel) -> Result<&PartType> {
        self.catalog.get(label).ok_or(Error::NotFound { entity: Entity::Part })
    }

    /// Where on a car a part of this type sits.
    pub fn position(&self, part_type: &PartType) -> PartPosition {
        self.catalog.position(part_type)
    }

    /// The part types of a category, by name, whether its letters are large or small.
    pub fn parts_of_category(&self, category: Category) -> Vec<&PartType> {
        let mut part_types: Vec<_> =
            self.catalog.iter().filter(|part_type| part_type.category == category).collect();
        part_types.sort_by_cached_key(|part_type| part_type.name.to_lowercase());
        part_types
    }

    /// Whether the model in use has learnt this type. A shipped type that it has not learnt can be taught.
    pub fn model_knows(&self, label: &PartLabel) -> bool {
        self.learnt_types.contains(label)
    }

    /// The name of a part type for people; the label itself for one that the catalogue does not know.
    pub fn part_name(&self, label: &PartLabel) -> String {
        self.catalog.get(label).map_or_else(|| label.to_string(), |part_type| part_type.name.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use partsight_catalog::Catalog;
    use partsight_inference::Model;

    #[test]
    fn the_catalogue_describes_every_type_that_the_model_knows() {
        let model = Model::embedded().unwrap();
        let catalog = Catalog::embedded().unwrap();
        let described: BTreeSet<&str> = catalog.iter().map(|part_type| part_type.label.as_str()).collect();
        let missing: Vec<_> =
            model.labels().iter().filter(|label| !described.contains(label.as_str())).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
