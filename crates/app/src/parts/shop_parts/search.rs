//! Text search over part types and the parts of a shop.

use std::cmp::Ordering;
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

/// Score of a part found through a cross-reference: below that of a part whose number begins with the typed text.
const CROSSED_SCORE: f32 = 1.1;

/// A part type or part of a shop found by a search.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundPart {
    /// The part of the shop; `None` for a part type.
    pub id: Option<ShopPartId>,
    /// The part type.
    pub label: PartLabel,
    /// The shop's name of the part, else the name of the type.
    pub name: String,
    /// Category of the type.
    pub category: Category,
    /// Of a part of the shop.
    pub number: Option<String>,
    /// Of a part of the shop.
    pub brand: Option<String>,
    /// The cross-reference from the typed number to the part, if it was found through one.
    pub via: Option<CrossNumber>,
    /// Whether the type is a class of the model in use.
    pub model_knows: bool,
    /// Relevance; above 0, higher is better.
    pub score: f32,
}

impl Parts {
    /// The part types visible to the user, and the parts of the user and their company, that match a query best: at
    /// most `limit`, best first; only those of `category` if given.
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
        // With 20,000 parts this would block a request thread for too long.
        let search = move |_: &Deadline| {
            let of_types = types.all().filter_map(|label| {
                let facts = types.get(&label)?;
                found_type(&query, label, facts)
            });
            let of_shop = own.iter().filter_map(|part| {
                // A part whose type was deleted has no category, and is left out.
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
            found.sort_by(best_first);
            found.truncate(limit);
            for part in &mut found {
                part.model_knows = learnt.contains(&part.label);
            }
            Ok(found)
        };
        self.heavy.run(user.into(), search).await
    }
}

/// Ties are broken by name and id, so that the order is stable.
fn best_first(one: &FoundPart, other: &FoundPart) -> Ordering {
    let by_score = other.score.total_cmp(&one.score);
    by_score.then_with(|| one.name.cmp(&other.name)).then(one.id.cmp(&other.id))
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

/// The part as a result, if one of `crossed` (compact number, cross-reference) leads to it. It ranks below a part
/// with the typed number itself, and above parts with a similar number.
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

#[cfg(test)]
mod tests {
    use partsight_catalog::Catalog;
    use partsight_domain::PartType;

    use super::*;

    /// Label of the first part type that is found, if any.
    fn first<'t>(query: &str, types: impl IntoIterator<Item = &'t PartType>) -> Option<String> {
        let query = PartQuery::new(query).unwrap();
        let found = types.into_iter().filter_map(|part_type| {
            found_type(&query, part_type.label.clone(), PartFacts::Shipped(part_type))
        });
        found.min_by(best_first).map(|found| found.label.to_string())
    }

    #[test]
    fn people_find_the_part_type_that_they_mean() {
        let catalog = Catalog::embedded().unwrap();
        let mut wrong = Vec::new();
        for (label, queries) in EXPECTED {
            for query in *queries {
                let found = first(query, catalog.iter());
                if found.as_deref() != Some(*label) {
                    wrong.push(format!("{query}: {found:?}, not {label}"));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_name_of_the_catalogue_finds_its_part_type_first() {
        let catalog = Catalog::embedded().unwrap();
        // Without the descriptions, which take most of the time and count least.
        let types: Vec<PartType> = catalog
            .iter()
            .map(|part_type| PartType { description: String::new(), ..part_type.clone() })
            .collect();
        let mut wrong = Vec::new();
        for part_type in &types {
            let names = std::iter::once(&part_type.name).chain(&part_type.also_known_as);
            for (at, name) in names.enumerate() {
                // In turn, because all three of each name would take a quarter of a minute.
                let query = match at % 3 {
                    0 => name.clone(),
                    1 => name.replace([' ', '-'], ""),
                    _ => format!("left {name}"),
                };
                let found = first(&query, &types);
                if found.as_deref() != Some(part_type.label.as_str()) {
                    wrong.push(format!("{query}: {found:?}, not {}", part_type.label));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// Labels, and what people type for them.
    const EXPECTED: &[(&str, &[&str])] = &[
        ("air-compressor", &["ac"]),
        ("air-filter", &["airfilter", "air filter"]),
        ("alternator", &["dynamo", "alternator"]),
        ("backup-camera", &["reversing camera"]),
        ("ball-joint", &["balljoint"]),
        ("battery-cable", &["earth strap", "earth lead"]),
        ("blower-motor", &["blower", "heater motor"]),
        ("brake-caliper", &["front left brake caliper"]),
        (
            "brake-pad",
            &["front brake pads", "brake pads front", "brakepad", "brakepads", "break pads", "front pads"],
        ),
        ("brake-rotor", &["brake disc"]),
        ("bumper-cover", &["rear bumper"]),
        ("clutch-kit", &["clutch", "clucth"]),
        ("coil-spring", &["coilspring"]),
        ("cv-axle", &["cv joint"]),
        ("driveshaft", &["propshaft"]),
        ("engine-bearing", &["big end bearing"]),
        ("engine-mount", &["engine mounting"]),
        ("exterior-door-handle", &["doorhandle"]),
        ("fuel-filter", &["petrol filter"]),
        ("fuel-injector", &["petrol injector"]),
        ("fuel-pump", &["petrol pump"]),
        ("fuel-tank", &["petrol tank"]),
        ("head-gasket", &["headgasket"]),
        ("headlight-bulb", &["light bulb"]),
        ("headlights", &["left headlight", "right hand headlight", "head light", "head lamp", "headlight"]),
        ("horn", &["hooter"]),
        ("instrument-cluster", &["rev counter", "speedo"]),
        ("license-plate-lamp", &["number plate light"]),
        ("lift-support", &["bonnet strut", "tailgate strut", "boot strut"]),
        ("lower-control-arm", &["lower control arm"]),
        ("lug-nut", &["lugnut"]),
        ("muffler", &["back box"]),
        ("oil-drain-plug", &["sump plug"]),
        ("oil-filter", &["oilfilter"]),
        ("oil-pan", &["sump"]),
        ("outer-tie-rod-end", &["right tie rod end"]),
        ("parking-sensor", &["reversing sensor"]),
        ("piston", &["gudgeon pin"]),
        ("piston-ring", &["piston rings"]),
        ("rear-main-seal", &["rear main seal"]),
        ("rear-window-glass", &["rear windscreen", "heated rear window"]),
        ("rearview-mirror", &["rear view mirror"]),
        ("seat-belt", &["seatbelt"]),
        ("serpentine-belt", &["aux belt", "alternator belt"]),
        ("shifter-assembly", &["gear stick", "gear lever"]),
        ("shock-absorber", &["front shocks", "left rear shock", "shockabsorber"]),
        ("side-mirror", &["passenger mirror", "left mirror", "driver's side mirror", "lhs wing mirror"]),
        ("spark-plug", &["spark plugs"]),
        ("spark-plug-wires", &["sparkplug wire"]),
        ("strut-assembly", &["front left strut", "strut"]),
        ("taillights", &["reversing light"]),
        ("timing-belt", &["timingbelt"]),
        ("tire", &["tyres"]),
        ("trailer-hitch", &["towbar"]),
        ("transmission", &["gear box"]),
        ("transmission-mount", &["gearbox mounting"]),
        ("turn-signal", &["indicator", "indicator bulb"]),
        ("turn-signal-switch", &["indicator stalk"]),
        ("universal-joint", &["uj"]),
        ("vacuum-brake-booster", &["brake servo", "servo"]),
        ("washer-pump", &["windscreen washer", "screenwash pump"]),
        ("water-pump", &["waterpump"]),
        ("wheel-cover", &["hub cap"]),
        ("wheel-hub-bearing", &["wheelbearing", "wheel bearing", "hub"]),
        ("window-regulator", &["window winder"]),
        ("wiper-blade", &["windscreen wiper", "wipers"]),
    ];
}
