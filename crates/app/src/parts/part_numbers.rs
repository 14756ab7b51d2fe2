//! Finds what a shop knows about numbers that were read on a part.

use std::collections::{BTreeSet, HashMap};

use partsight_domain::{
    CrossNumber, KnownNumber, NumberSource, PartLabel, ReadNumber, User, compact_number, folded_number,
    means_several_parts, misreading_cost, numbers_of, part_key,
};

use crate::Result;
use crate::parts::Parts;

/// Most numbers that are reached through cross-references from one reading.
const MAX_CROSSED: usize = 100;

impl Parts {
    /// The matches of these numbers, compared in folded form: parts of the user and their company, taught parts, rows
    /// of the shop's price lists, and parts that the shop's cross-references lead to.
    ///
    /// `lines` are the texts on the part: if several makers have the same number, and one of them is named on the
    /// part, the cross-references of the others are left out.
    pub(crate) async fn known_numbers(
        &self,
        user: &User,
        numbers: &[ReadNumber],
        lines: &[&str],
    ) -> Result<Vec<KnownNumber>> {
        let mut known = self.numbered_parts(user, numbers).await?;
        let crossed = self.crossed_numbers(user, numbers, lines).await?;
        // Looked up again: a number that nobody has is returned as such, and one that the shop has with its part.
        let targets = crossed.iter().map(|via| ReadNumber::new(via.number.clone()));
        let parts = self.numbered_parts(user, &targets.collect::<Vec<_>>()).await?;
        for via in crossed {
            let is_it = |part: &&KnownNumber| {
                compact_number(&part.number) == compact_number(&via.number)
                    && is_same_brand(part.brand.as_deref(), via.brand.as_deref())
            };
            let found: Vec<&KnownNumber> = parts.iter().filter(is_it).collect();
            if found.is_empty() {
                known.push(KnownNumber {
                    source: NumberSource::CrossReference,
                    shop_part_id: None,
                    label: None,
                    number: via.number.clone(),
                    brand: via.brand.clone(),
                    name: None,
                    via: Some(via),
                });
                continue;
            }
            known
                .extend(found.into_iter().map(|part| KnownNumber { via: Some(via.clone()), ..part.clone() }));
        }
        Ok(known)
    }

    /// The numbers that cross-references lead to from numbers that were read.
    async fn crossed_numbers(
        &self,
        user: &User,
        numbers: &[ReadNumber],
        lines: &[&str],
    ) -> Result<Vec<CrossNumber>> {
        if !self.has_lists(user) || numbers.is_empty() {
            return Ok(Vec::new());
        }
        // One query for all numbers, since for most parts none is in a list.
        let folded: BTreeSet<String> = numbers.iter().map(|number| number.folded.clone()).collect();
        let folded: Vec<String> = folded.into_iter().collect();
        let rows = self.store.find_cross_references(user.shop_tenant(), &folded).await?;
        let mut started = BTreeSet::new();
        let mut crossed = Vec::new();
        for row in &rows {
            for number in [&row.number, &row.other_number] {
                // Folding merges more characters than are misread; only a plausible misreading counts.
                let is_read = numbers.iter().any(|read| misreading_cost(&read.text, number).is_some());
                // Several readings lead to one number, whose cross-references are followed once.
                if crossed.len() >= MAX_CROSSED || !is_read || !started.insert(compact_number(number)) {
                    continue;
                }
                let mut found = self.cross_numbers(user, number).await?;
                if means_several_parts(&found) {
                    let is_on_the_part = |brand: &str| lines.iter().any(|line| has_words(line, brand));
                    let is_said = |found: &CrossNumber| found.of_brand.as_deref().is_some_and(is_on_the_part);
                    if found.iter().any(is_said) {
                        found.retain(is_said);
                    }
                }
                crossed.extend(found);
            }
        }
        crossed.truncate(MAX_CROSSED);
        Ok(crossed)
    }

    /// The parts whose folded number is one of these.
    ///
    /// One query for each table and tenant, answered by an index, whatever the number of parts.
    async fn numbered_parts(&self, user: &User, numbers: &[ReadNumber]) -> Result<Vec<KnownNumber>> {
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
                via: None,
            }));
        }
        let types = self.part_types(user).await?;
        // Parts are often taught under their number, or under a name that contains it.
        for taught in types.taught() {
            let named = numbers_of(&taught.name)
                .into_iter()
                .find(|number| !number.is_fragment && folded.contains(&folded_number(&number.text)));
            known.extend(named.map(|number| KnownNumber {
                source: NumberSource::Taught,
                shop_part_id: None,
                label: Some(taught.label.clone()),
                number: number.text,
                brand: None,
                name: Some(taught.name.clone()),
                via: None,
            }));
        }
        let listed = self.store.find_listed_numbers(user.shop_tenant(), &wanted).await?;
        // Built only for a match, since it has every name of the catalogue.
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
                via: None,
            }));
        }
        Ok(known)
    }
}

/// Whether two brands may be the same: a blank one matches any.
pub(super) fn is_same_brand(one: Option<&str>, other: Option<&str>) -> bool {
    one.zip(other).is_none_or(|(one, other)| part_key(one) == part_key(other))
}

/// Whether the words of a brand occur in a line, in sequence.
fn has_words(line: &str, brand: &str) -> bool {
    let (line, brand) = (part_key(line), part_key(brand));
    // With a dash at both ends, only whole words match.
    !brand.is_empty() && format!("-{line}-").contains(&format!("-{brand}-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brand_stands_in_a_line_by_its_words() {
        for (line, brand, expected) in [
            ("BOSCH 0258006537000", "Bosch", true),
            ("Made by Land-Rover", "LAND ROVER", true),
            ("BOSCHERT", "Bosch", false),
            ("NGK", "", false),
        ] {
            assert_eq!(has_words(line, brand), expected, "{line}, {brand}");
        }
        assert!(is_same_brand(None, Some("Bosch")) && is_same_brand(Some("BOSCH"), Some("Bosch")));
        assert!(!is_same_brand(Some("NGK"), Some("Bosch")));
    }
}
