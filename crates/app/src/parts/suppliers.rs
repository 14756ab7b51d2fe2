//! Where to buy a part: the shop's price lists, external suppliers and the retailers of the catalogue in one list.
//!
//! An external supplier that is slow, unreachable or returns invalid data loses only its own offers: its cached
//! answer is shown with its time, and the response states that it did not answer.

mod outside;

use jiff::{SignedDuration, Timestamp};
use partsight_catalog::Supplier;
use partsight_domain::{
    CrossLink, Feature, InvalidInput, LinkSubject, Offer, OfferSource, PartLabel, PartType, RankedOffer,
    SourceFailure, User, VehicleId, VehicleName, means_several_parts, messages, number_key, part_key,
    rank_offers,
};
use partsight_providers::SupplierQuestion;
use partsight_store::{ListedPrice, PartKeys};

use crate::parts::Parts;
use crate::parts::part_numbers::is_same_brand;
use crate::{Entity, Error, PartFacts, Result};

pub(crate) use outside::OutsideSuppliers;

/// How long answers are kept. An expired one is shown if its source does not answer.
const KEEP_ANSWERS: SignedDuration = SignedDuration::from_hours(24);
/// Longest part number in a question, in characters.
const NUMBER_MAX_CHARS: usize = 60;

/// The part that somebody wants to buy.
#[derive(Debug, Clone, Default)]
pub struct PartWanted {
    /// The part number, if known: offers with other numbers are left out.
    pub number: Option<String>,
    /// The vehicle that it is for.
    pub vehicle: WantedFor,
}

/// The vehicle that a part is wanted for.
#[derive(Debug, Clone, Copy, Default)]
pub enum WantedFor {
    /// The default vehicle, if there is one.
    #[default]
    Default,
    /// This one.
    Vehicle(VehicleId),
    /// None.
    Nothing,
}

/// The status of an external source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceStatus {
    /// The source that was asked.
    pub source: OfferSource,
    /// When the shown answer was given; `None` if none is shown.
    pub as_of: Option<Timestamp>,
    /// Whether an earlier, cached answer is shown.
    pub is_cached: bool,
    /// Why it did not answer now, if it was asked.
    pub failure: Option<SourceFailure>,
}

/// Where to buy a part.
#[derive(Debug, Clone, PartialEq)]
pub struct PartOffers {
    /// In the order in which they are shown.
    pub offers: Vec<RankedOffer>,
    /// Each external source that the settings name.
    pub sources: Vec<SourceStatus>,
}

impl Parts {
    /// Links to the retailers of a part type, for a vehicle if given, with our price estimate.
    pub fn suppliers(&self, part_type: &PartType, vehicle: Option<&VehicleName>) -> Vec<RankedOffer> {
        rank_offers(self.retailer_links(part_type, vehicle))
    }

    fn retailer_links(&self, part_type: &PartType, vehicle: Option<&VehicleName>) -> Vec<Offer> {
        self.catalog.suppliers(part_type, vehicle).into_iter().map(retailer_link).collect()
    }

    /// Where to buy a part: price lists of the user's shop, external suppliers, and links to retailers.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a part that the user does not know and for a vehicle of somebody else;
    /// [`Error::Invalid`] for a malformed part number.
    pub async fn part_suppliers(
        &self,
        user: &User,
        label: &PartLabel,
        wanted: &PartWanted,
    ) -> Result<PartOffers> {
        let types = self.part_types(user).await?;
        let facts = types.get(label).ok_or(Error::NotFound { entity: Entity::Part })?;
        let (name, other_names) = match facts {
            PartFacts::Shipped(part_type) => (&part_type.name, part_type.also_known_as.as_slice()),
            PartFacts::Taught(part_type) => (&part_type.name, &[][..]),
        };
        let number = checked_number(wanted.number.as_deref())?;
        let vehicle = match wanted.vehicle {
            WantedFor::Vehicle(id) => Some(self.garage.vehicle(user, id).await?),
            WantedFor::Default => self.garage.default_vehicle(user).await?,
            WantedFor::Nothing => None,
        };
        // Price lists use the names that people type. External sources are asked by the name from the VIN, with the
        // engine.
        let own_name = vehicle.as_ref().map(|vehicle| vehicle.details.name.clone());
        let engine = vehicle.as_ref().and_then(|vehicle| self.garage.engine_of(&vehicle.details));
        let of_vin = vehicle.as_ref().and_then(|vehicle| self.garage.name_of_vin(&vehicle.details));
        let question = SupplierQuestion {
            part: name.clone(),
            label: label.to_string(),
            number,
            vehicle: of_vin.or_else(|| own_name.clone()),
            engine,
        };
        let keys = [label.as_str(), name.as_str()].into_iter().chain(other_names.iter().map(String::as_str));
        let keys: Vec<String> = keys.map(part_key).collect();
        // Not concurrently: during the wait outside the call has no turn to read long price lists.
        let mut offers = self.listed_offers(user, &question, own_name.as_ref(), &keys).await?;
        let (outside, sources) = self.outside_offers(user, &question).await?;
        offers.extend(outside);
        if let PartFacts::Shipped(part_type) = facts {
            offers.extend(self.retailer_links(part_type, question.vehicle.as_ref()));
        }
        Ok(PartOffers { offers: rank_offers(offers), sources })
    }

    /// The offers of the user's price lists: by the part number if any list has it, or an equal or replacing number;
    /// else by the part type.
    async fn listed_offers(
        &self,
        user: &User,
        question: &SupplierQuestion,
        vehicle: Option<&VehicleName>,
        keys: &[String],
    ) -> Result<Vec<Offer>> {
        if !self.accounts.effective_plan(user).includes(Feature::SupplierIntegration) {
            return Ok(Vec::new());
        }
        let tenant_id = user.shop_tenant();
        let mut found = Vec::new();
        if let Some(number) = &question.number {
            let numbers = [number_key(number)];
            found = self.store.find_listed_prices(tenant_id, PartKeys::Number(&numbers), vehicle).await?;
            let crossed = self.crossed_offers(user, question, vehicle, number).await?;
            if !crossed.is_empty() {
                let own = found.into_iter().map(|price| listed_offer(price, question));
                return Ok(own.chain(crossed).collect());
            }
        }
        if found.is_empty() {
            found = self.store.find_listed_prices(tenant_id, PartKeys::Type(keys), vehicle).await?;
        }
        Ok(found.into_iter().map(|price| listed_offer(price, question)).collect())
    }

    /// Offers of the price lists under numbers that equal or replace the requested one. None if several makers have
    /// that number: then it is unknown whose part is wanted.
    async fn crossed_offers(
        &self,
        user: &User,
        question: &SupplierQuestion,
        vehicle: Option<&VehicleName>,
        number: &str,
    ) -> Result<Vec<Offer>> {
        let mut crossed = self.cross_numbers(user, number).await?;
        if means_several_parts(&crossed) {
            return Ok(Vec::new());
        }
        // A person who searches for a number does not want the one that it replaced.
        crossed.retain(|found| found.link != CrossLink::Older);
        let numbers: Vec<String> = crossed.iter().map(|found| number_key(&found.number)).collect();
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let found =
            self.store.find_listed_prices(user.shop_tenant(), PartKeys::Number(&numbers), vehicle).await?;
        let offers = found.into_iter().filter_map(|price| {
            let own = price.part_number.as_deref()?;
            let via = crossed.iter().find(|via| {
                number_key(&via.number) == number_key(own)
                    && is_same_brand(via.brand.as_deref(), price.brand.as_deref())
            })?;
            let says = if via.link == CrossLink::Newer { "Replaces" } else { "Equals" };
            let note = format!("{says} {number}, by your cross-references");
            let mut offer = listed_offer(price, question);
            offer.notes = Some(offer.notes.map_or(note.clone(), |notes| format!("{note}; {notes}")));
            Some(offer)
        });
        Ok(offers.collect())
    }

    /// Deletes answers of external suppliers that are more than a day old; returns how many.
    pub async fn purge_supplier_answers(&self) -> Result<u64> {
        Ok(self.store.purge_supplier_answers(self.clock.now() - KEEP_ANSWERS).await?)
    }
}

fn checked_number(number: Option<&str>) -> Result<Option<String>> {
    let Some(number) = number.map(str::trim).filter(|number| !number.is_empty()) else { return Ok(None) };
    let is_number = number.chars().count() <= NUMBER_MAX_CHARS
        && !number.chars().any(char::is_control)
        && !number_key(number).is_empty();
    if is_number {
        Ok(Some(number.to_owned()))
    } else {
        Err(InvalidInput::new("partNumber", messages::PART_NUMBER_INVALID).into())
    }
}

fn retailer_link(supplier: Supplier) -> Offer {
    Offer {
        source: OfferSource::Retailer,
        source_name: supplier.name.clone(),
        supplier: supplier.name,
        price: None,
        estimate_note: Some(supplier.price_note),
        in_stock: None,
        rating: None,
        phone: None,
        website: supplier.website,
        url: supplier.search_url,
        shipping_info: None,
        warranty_info: None,
        notes: Some(supplier.notes),
        part_number: None,
        fits: None,
        as_of: None,
    }
}

fn listed_offer(found: ListedPrice, question: &SupplierQuestion) -> Offer {
    let number = found.part_number.as_deref().unwrap_or_default();
    let template = found.details.url_template.as_ref();
    let filled = template.and_then(|template| {
        template.fill(&LinkSubject {
            part: found.name.as_deref().unwrap_or(&question.part),
            label: &question.label,
            number,
            vehicle: question.vehicle.as_ref(),
            engine: question.engine.as_deref().unwrap_or_default(),
        })
    });
    // The list's name for the part is left out if it equals the requested one.
    let is_asked = |name: &String| {
        [&question.part, question.label.as_str()].iter().any(|asked| name.eq_ignore_ascii_case(asked))
    };
    let notes = [found.brand, found.name.filter(|name| !is_asked(name)), found.notes];
    let notes = notes.into_iter().flatten().collect::<Vec<_>>().join("; ");
    Offer {
        source: OfferSource::PriceList,
        source_name: found.details.name,
        supplier: found.details.supplier,
        price: Some(found.price),
        estimate_note: None,
        in_stock: found.in_stock,
        rating: None,
        phone: found.details.phone,
        website: found.details.website.unwrap_or_default(),
        url: found.url.or(filled),
        shipping_info: found.shipping_info.or(found.details.shipping_info),
        warranty_info: None,
        notes: (!notes.is_empty()).then_some(notes),
        part_number: found.part_number,
        fits: (found.names_vehicles && question.vehicle.is_some()).then_some(true),
        as_of: Some(found.published_at),
    }
}
