//! Finding part types and parts of a shop by words.

use std::sync::Arc;

use partsight_domain::{
    Category, CrossNumber, PartLabel, PartQuery, SearchField, ShopPartId, User, compact_number,
};
use partsight_store::ShopPartTexts;

use crate::Result;
use crate::limits::heavy_work::Deadline;
use crate::parts::Parts;
use crate::parts::part_numbers::is_same_brand;
use crate::parts::part_types::PartFacts;

/// What a part counts that cross-references lead to: less than one that begins with what was typed.
const CROSSED_SCORE: f32 = 1.1;

/// A part type or a part of a shop that a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundPart {
    /// The part of the shop; `None` for a part type.
    pub id: Option<ShopPartId>,
    /// The part type.
    pub label: PartLabel,
    /// As the shop calls it, else as the type is called.
    pub name: String,
    /// Where the type belongs.
    pub category: Category,
    /// Of a part of the shop.
    pub number: Option<String>,
    /// Of a part of the shop.
    pub brand: Option<String>,
    /// The cross-references that lead to a part of the shop from the number that was typed.
    pub via: Option<CrossNumber>,
    /// Whether the model in use has learnt the type.
    pub model_knows: bool,
    /// How well it is what was looked for; above 0, higher for better.
    pub score: f32,
}

impl Parts {
    /// The part types that the user knows and the parts of theirs and their company's that fit a search text best, of
    /// one category where given: the best first, at most `limit`.
    pub async fn search_parts(
        &self,
        user: &User,
        query: PartQuery,
        category: Option<Category>,
        limit: usize,
    ) -> Result<Vec<FoundPart>> {
        let learnt = Arc::clone(&self.learnt_types);
        let types = self.part_types(user).await?;
        let mut own = Vec::new();
        for tenant_id in user.visible_tenants() {
            own.extend(self.store.list_shop_part_texts(tenant_id).await?);
        }
        let crossed: Vec<(String, CrossNumber)> = self
            .cross_numbers(user, query.text())
            .await?
            .into_iter()
            .map(|via| (compact_number(&via.number), via))
            .collect();
        // Twenty thousand parts take longer than a request may hold up the others.
        let search = move |_: &Deadline| {
            let of_types = types.all().filter_map(|label| {
                let facts = types.get(&label)?;
                found_type(&query, label, facts)
            });
            let of_shop = own.iter().filter_map(|part| {
                // A part of a type that is not known any more has no category, and is not shown.
                let category = types.category(&part.label)?;
                let found = found_part(&query, part, types.name(&part.label), category);
                match (found, crossed_part(&crossed, part, types.name(&part.label), category)) {
                    (Some(found), Some(crossed)) if found.score > crossed.score => Some(found),
                    (found, crossed) => crossed.or(found),
                }
            });
            let mut found: Vec<FoundPart> = of_types
                .chain(of_shop)
                .filter(|found| category.is_none_or(|category| found.category == category))
                .collect();
            // Name and id settle ties, so that the same search gives the same order.
            found.sort_by(|one, other| {
                other
                    .score
                    .total_cmp(&one.score)
                    .then_with(|| one.name.cmp(&other.name))
                    .then(one.id.cmp(&other.id))
            });
            found.truncate(limit);
            for part in &mut found {
                part.model_knows = learnt.contains(&part.label);
            }
            Ok(found)
        };
        self.heavy.run(user.into(), search).await
    }
}

fn found_type(query: &PartQuery, label: PartLabel, facts: PartFacts<'_>) -> Option<FoundPart> {
    let (name, category, others, description) = match facts {
        PartFacts::Shipped(part_type) => (
            &part_type.name,
            part_type.category,
            part_type.also_known_as.as_slice(),
            part_type.description.as_str(),
        ),
        PartFacts::Taught(part_type) => (&part_type.name, part_type.category, &[][..], ""),
    };
    let texts = others
        .iter()
        .map(|other| (SearchField::OtherName, other.as_str()))
        .chain([(SearchField::Name, name.as_str()), (SearchField::Description, description)]);
    let score = query.score(texts);
    let name = name.clone();
    (score > 0.0).then_some(FoundPart {
        id: None,
        label,
        name,
        category,
        number: None,
        brand: None,
        via: None,
        model_knows: false,
        score,
    })
}

/// A part of the shop that cross-references lead to, each with the number as numbers are compared: below what has the
/// number itself, above what resembles it.
fn crossed_part(
    crossed: &[(String, CrossNumber)],
    part: &ShopPartTexts,
    type_name: String,
    category: Category,
) -> Option<FoundPart> {
    if crossed.is_empty() {
        return None;
    }
    let number = compact_number(&part.number);
    let (_, via) = crossed.iter().find(|(of_via, via)| {
        *of_via == number && is_same_brand(via.brand.as_deref(), part.brand.as_deref())
    })?;
    Some(FoundPart { via: Some(via.clone()), ..shown(part, type_name, category, CROSSED_SCORE) })
}

fn found_part(
    query: &PartQuery,
    part: &ShopPartTexts,
    type_name: String,
    category: Category,
) -> Option<FoundPart> {
    let texts = [
        (SearchField::Name, part.name.as_deref()),
        (SearchField::OtherName, Some(type_name.as_str())),
        (SearchField::OtherName, part.brand.as_deref()),
        (SearchField::Number, Some(part.number.as_str())),
        (SearchField::Description, part.notes.as_deref()),
    ];
    let score = query.score(texts.into_iter().filter_map(|(field, text)| Some((field, text?))));
    (score > 0.0).then(|| shown(part, type_name, category, score))
}

fn shown(part: &ShopPartTexts, type_name: String, category: Category, score: f32) -> FoundPart {
    FoundPart {
        id: Some(part.id),
        label: part.label.clone(),
        name: part.name.clone().unwrap_or(type_name),
        category,
        number: Some(part.number.clone()),
        brand: part.brand.clone(),
        via: None,
        model_knows: false,
        score,
    }
}
