use std::sync::Arc;

use partsight_catalog::Catalog;
use partsight_domain::{Category, Difficulty, PartLabel, PartType, TaughtPartType, TenantId};

use crate::{App, Entity, Error, Result};

/// The part types that a tenant knows: the shipped ones, those they taught, and those that all share.
#[derive(Debug, Clone)]
pub struct PartTypes {
    catalog: Arc<Catalog>,
    /// The tenant's own first.
    taught: Vec<TaughtPartType>,
}

/// What is known of a part type.
#[derive(Debug, Clone, Copy)]
pub enum PartFacts<'a> {
    /// It is part of the program, with a guide.
    Shipped(&'a PartType),
    /// People taught it, with a name and a category.
    Taught(&'a TaughtPartType),
}

impl PartTypes {
    /// What is known of a label.
    pub fn get(&self, label: &PartLabel) -> Option<PartFacts<'_>> {
        let shipped = self.catalog.get(label).map(PartFacts::Shipped);
        shipped
            .or_else(|| self.taught.iter().find(|part_type| part_type.label == *label).map(PartFacts::Taught))
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

    /// The hardest job among the shipped types of a category: what stands for a taught type, which has no guide.
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

    /// Those that were taught, the tenant's own first.
    pub(crate) fn taught(&self) -> &[TaughtPartType] {
        &self.taught
    }
}

impl App {
    /// The part types that a tenant knows.
    pub async fn part_types(&self, tenant_id: TenantId) -> Result<PartTypes> {
        let taught = self.store.list_taught_types(tenant_id).await?;
        Ok(PartTypes { catalog: Arc::clone(&self.catalog), taught })
    }

    /// The part type of this label.
    pub fn part_type(&self, label: &PartLabel) -> Result<&PartType> {
        self.catalog.get(label).ok_or(Error::NotFound { entity: Entity::Part })
    }

    /// The part types of a category, by name.
    pub fn parts_of_category(&self, category: Category) -> Vec<&PartType> {
        let mut part_types: Vec<_> =
            self.catalog.iter().filter(|part_type| part_type.category == category).collect();
        part_types.sort_by(|one, other| one.name.cmp(&other.name));
        part_types
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
    fn the_catalogue_has_exactly_the_types_that_the_model_knows() {
        let model = Model::embedded().unwrap();
        let known: BTreeSet<&str> = model.labels().iter().map(String::as_str).collect();
        let catalog = Catalog::embedded().unwrap();
        let described: BTreeSet<&str> = catalog.iter().map(|part_type| part_type.label.as_str()).collect();
        assert_eq!(known, described);
    }
}
