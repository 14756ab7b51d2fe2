use partsight_catalog::Supplier;
use partsight_domain::{Category, PartLabel, PartType, User, VehicleName};

use crate::{App, Entity, Error, Result};

impl App {
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

    /// Where to buy a part type for a vehicle.
    pub fn suppliers(&self, part_type: &PartType, vehicle: Option<&VehicleName>) -> Vec<Supplier> {
        self.catalog.suppliers(part_type, vehicle)
    }

    /// Where to buy a part type for the user's default vehicle.
    pub async fn part_suppliers(&self, user: &User, label: &PartLabel) -> Result<Vec<Supplier>> {
        let part_type = self.part_type(label)?;
        let vehicle = self.default_vehicle(user).await?;
        Ok(self.suppliers(part_type, vehicle.as_ref().map(|vehicle| &vehicle.details.name)))
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
