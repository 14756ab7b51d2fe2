//! What a shop knows of numbers that were read on a part.

use std::collections::{BTreeSet, HashMap};

use partsight_domain::{
    KnownNumber, NumberSource, PartLabel, ReadNumber, User, folded_number, numbers_of, part_key,
};

use crate::Result;
use crate::parts::Parts;

impl Parts {
    /// The parts of the user and their company, of what they taught, and of the shop's price lists, whose number folds to
    /// one of these.
    ///
    /// One query a table and tenant, by an index, however many parts there are.
    pub(crate) async fn known_numbers(
        &self,
        user: &User,
        numbers: &[ReadNumber],
    ) -> Result<Vec<KnownNumber>> {
        let folded: BTreeSet<String> = numbers.iter().map(|number| number.folded.clone()).collect();
        if folded.is_empty() {
            return Ok(Vec::new());
        }
        let wanted: Vec<String> = folded.iter().cloned().collect();
        let mut known = Vec::new();
        for tenant_id in user.visible_tenants() {
            let parts = self.store.find_shop_parts_by_number(tenant_id, &wanted).await?;
            known.extend(parts.into_iter().map(|part| KnownNumber {
                source: NumberSource::Shop,
                shop_part_id: Some(part.id),
                label: Some(part.label),
                number: part.number,
                brand: part.brand,
                name: part.name,
            }));
        }
        let types = self.part_types(user).await?;
        // A part is often taught under its number, or under a name that has it.
        for taught in types.taught() {
            let named =
                numbers_of(&taught.name).into_iter().find(|number| folded.contains(&folded_number(number)));
            known.extend(named.map(|number| KnownNumber {
                source: NumberSource::Taught,
                shop_part_id: None,
                label: Some(taught.label.clone()),
                number,
                brand: None,
                name: Some(taught.name.clone()),
            }));
        }
        let listed = self.store.find_listed_numbers(user.shop_tenant(), &wanted).await?;
        if !listed.is_empty() {
            let by_key: HashMap<String, PartLabel> = types
                .all()
                .flat_map(|label| {
                    [(label.to_string(), label.clone()), (part_key(&types.name(&label)), label)]
                })
                .collect();
            known.extend(listed.into_iter().map(|row| KnownNumber {
                source: NumberSource::PriceList,
                shop_part_id: None,
                label: by_key.get(&row.type_key).cloned(),
                number: row.part_number,
                brand: row.brand,
                name: row.name,
            }));
        }
        Ok(known)
    }
}
