//! A part that a shop sells or stocks: part number, brand, part type, and the vehicles that it fits.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::accounts::{Plan, Quota};
use crate::garage::{ModelYear, VehicleName};
use crate::number_text::{NumberFault, hundredths};
use crate::parts::Fitment;
use crate::text::notes;
use crate::text::{lower_case, optional_text, short_text};
use crate::{
    Currency, InvalidInput, PartLabel, ReferenceId, ShopPartId, TenantId, compact_number, part_brand,
    part_number,
};

/// Longest name of a part, in characters.
const NAME_MAX_CHARS: usize = 120;
/// Longest make or model of a fitment, in characters.
const VEHICLE_MAX_CHARS: usize = 80;
/// Longest note of a fitment, in characters.
const FITMENT_NOTE_MAX_CHARS: usize = 200;
/// Maximum of fitments of a part.
const MAX_FITMENTS: usize = 500;
/// Maximum of photographs of a part.
const MAX_PART_PHOTOS: usize = 10;
/// Maximum of parts of a shop: text search reads them all.
pub const MAX_SHOP_PARTS: u32 = Quota::ShopParts.limit(Plan::Business) as u32;
/// Highest price: a million, in hundredths.
const MAX_PRICE_CENTS: i64 = 100_000_000;

/// A price in hundredths of a currency of ISO 4217, such as cents of `USD`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartPrice {
    cents: i64,
    currency: String,
}

impl PartPrice {
    /// A stored price: its currency may be any three letters, such as one that is no longer in use.
    ///
    /// # Errors
    /// Names `price` or `currency`.
    pub fn new(cents: i64, currency: &str) -> Result<Self, InvalidInput> {
        if !(0..=MAX_PRICE_CENTS).contains(&cents) {
            return Err(InvalidInput::new("price", "Please enter a price from 0 to 1,000,000."));
        }
        let currency = currency.trim().to_uppercase();
        if currency.len() != 3 || !currency.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return Err(InvalidInput::new(
                "currency",
                "Please write the currency as its three letters, like USD or EUR.",
            ));
        }
        Ok(Self { cents, currency })
    }

    /// Parses a price as typed: `49.99`, `$1,049.9`; blank is `None`. The currency is US dollars by default.
    ///
    /// # Errors
    /// Names `price` or `currency`; a third decimal is refused, not rounded or dropped.
    pub fn parse(price: &str, currency: Option<&str>) -> Result<Option<Self>, InvalidInput> {
        let invalid = |message: &str| InvalidInput::new("price", message);
        let price = price.trim();
        // A negative price is left to the range check, which has the better message.
        let cents = match hundredths(price.strip_prefix('$').unwrap_or(price)) {
            Ok(cents) => cents,
            Err(NumberFault::Empty) if price.is_empty() => return Ok(None),
            Err(NumberFault::Fraction) => {
                return Err(invalid("Please enter the price with at most two decimals."));
            }
            Err(_) => return Err(invalid("Please enter the price as a number, like 49.99.")),
        };
        let currency = currency.map(str::trim).filter(|currency| !currency.is_empty());
        let currency = currency.map(Currency::new).transpose()?.unwrap_or(Currency::USD);
        Self::new(cents, currency.as_str()).map(Some)
    }

    /// Hundredths of the currency, 0 to 100,000,000.
    pub const fn cents(&self) -> i64 {
        self.cents
    }

    /// Three capital letters.
    pub fn currency(&self) -> &str {
        &self.currency
    }

    /// With two decimals and no sign: `1049.90`.
    pub fn amount(&self) -> String {
        format!("{}.{:02}", self.cents / 100, self.cents % 100)
    }
}

named! {
    /// Where a fitment is from.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum FitmentSource {
        /// Entered by the shop.
        Shop = "shop",
        /// Imported from an ACES file that lists every vehicle that the part fits.
        Aces = "aces",
        /// Imported from an ACES file that lists some of the vehicles: it was no full submission, or other
        /// applications of the part could not be read.
        AcesPartial = "aces-partial",
    }
}

/// Vehicles that a part fits, or does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartFitment {
    /// Manufacturer's brand.
    pub make: String,
    /// One model; `None` for all of the make.
    pub model: Option<String>,
    /// First model year, inclusive; `None` for no limit.
    pub first_year: Option<u16>,
    /// Last model year, inclusive; `None` for no limit.
    pub last_year: Option<u16>,
    /// Such as `with the 1.8 engine`.
    pub note: Option<String>,
    /// Whether it fits these vehicles; false if it is known not to.
    pub fits: bool,
    /// Where it is from.
    pub source: FitmentSource,
}

/// A fitment as typed.
#[derive(Debug, Clone, Default)]
pub struct PartFitmentForm {
    /// Required.
    pub make: Option<String>,
    /// Blank for all models.
    pub model: Option<String>,
    /// Blank for no limit.
    pub first_year: Option<String>,
    /// Blank for no limit.
    pub last_year: Option<String>,
    /// Free text.
    pub note: Option<String>,
    /// False for vehicles that the part does not fit.
    pub fits: Option<bool>,
}

impl PartFitment {
    /// Validates a form.
    ///
    /// # Errors
    /// Names the field of the fitment, such as `make`, and what to do.
    pub fn from_form(form: &PartFitmentForm, source: FitmentSource) -> Result<Self, InvalidInput> {
        let make =
            short_text("make", "The make", form.make.as_deref().unwrap_or_default(), VEHICLE_MAX_CHARS)?;
        if make.is_empty() {
            return Err(InvalidInput::new(
                "make",
                "Please name the make of each vehicle that the part fits.",
            ));
        }
        let first_year = year("yearFrom", form.first_year.as_deref())?;
        let last_year = year("yearTo", form.last_year.as_deref())?;
        if first_year.zip(last_year).is_some_and(|(first, last)| first > last) {
            return Err(InvalidInput::new("yearFrom", "The first year of a fitment is after its last year."));
        }
        Ok(Self {
            make,
            model: optional_text("model", "The model", form.model.as_deref(), VEHICLE_MAX_CHARS)?,
            first_year,
            last_year,
            note: optional_text(
                "note",
                "The note of a fitment",
                form.note.as_deref(),
                FITMENT_NOTE_MAX_CHARS,
            )?,
            fits: form.fits.unwrap_or(true),
            source,
        })
    }

    fn vehicles(&self) -> Fitment {
        Fitment {
            make: self.make.clone(),
            model: self.model.clone(),
            first_year: self.first_year,
            last_year: self.last_year,
        }
    }

    /// Whether the fitment covers `vehicle`, regardless of whether the part fits.
    pub fn covers(&self, vehicle: &VehicleName) -> bool {
        self.vehicles().fits(vehicle)
    }

    /// Whether the fitment covers `vehicle` or may do so, as [`Fitment::may_fit`] says, regardless of whether the part
    /// fits.
    pub fn may_cover(&self, vehicle: &VehicleName) -> bool {
        self.vehicles().may_fit(vehicle)
    }

    /// Whether the make and model of `vehicle` match, regardless of years.
    pub fn names_model_of(&self, vehicle: &VehicleName) -> bool {
        // Without years, because only make and model are compared.
        Fitment { first_year: None, last_year: None, ..self.vehicles() }.fits(vehicle)
    }

    /// Key of the vehicles, without note and source.
    pub fn vehicles_key(&self) -> Fitment {
        Fitment {
            make: Fitment::normalised(&self.make),
            model: self.model.as_deref().map(Fitment::normalised),
            first_year: self.first_year,
            last_year: self.last_year,
        }
    }

    /// As text: `2012 to 2015 Honda Civic`.
    pub fn vehicles_text(&self) -> String {
        let years = match (self.first_year, self.last_year) {
            (Some(first), Some(last)) if first == last => format!("{first} "),
            (Some(first), Some(last)) => format!("{first} to {last} "),
            (Some(first), None) => format!("{first} and later "),
            (None, Some(last)) => format!("up to {last} "),
            (None, None) => String::new(),
        };
        let model = self.model.as_ref().map(|model| format!(" {model}")).unwrap_or_default();
        format!("{years}{}{model}", self.make)
    }
}

fn year(field: &'static str, text: Option<&str>) -> Result<Option<u16>, InvalidInput> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    let year = text.parse::<i64>().ok().and_then(|year| ModelYear::new(year).ok());
    year.map(|year| Some(year.get())).ok_or_else(|| {
        InvalidInput::new(field, "Please write the years of a fitment as numbers between 1886 and 2100.")
    })
}

/// The form of a part, as typed. Blank texts count as absent.
#[derive(Debug, Clone, Default)]
pub struct ShopPartForm {
    /// Required: the label of the part type.
    pub label: Option<String>,
    /// As the shop calls it.
    pub name: Option<String>,
    /// Required.
    pub number: Option<String>,
    /// Who makes it.
    pub brand: Option<String>,
    /// A number.
    pub price: Option<String>,
    /// Three letters; US dollars without.
    pub currency: Option<String>,
    /// Free text of several lines.
    pub notes: Option<String>,
    /// At most 500.
    pub fitments: Vec<PartFitmentForm>,
    /// Photographs that were taught of this part type; at most 10.
    pub photos: Vec<ReferenceId>,
}

/// A part of a shop, validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewShopPart {
    /// The part type.
    pub label: PartLabel,
    /// As the shop calls it.
    pub name: Option<String>,
    /// The maker's or the shop's own number, 1 to 60 characters.
    pub number: String,
    /// Who makes it.
    pub brand: Option<String>,
    /// The shop's price.
    pub price: Option<PartPrice>,
    /// Free text of several lines.
    pub notes: Option<String>,
    /// At most 500.
    pub fitments: Vec<PartFitment>,
    /// References (taught photographs) that show it.
    pub photos: Vec<ReferenceId>,
}

impl NewShopPart {
    /// Validates a form. The caller checks whether the part type and the photographs exist.
    ///
    /// # Errors
    /// Names the first invalid field.
    pub fn from_form(form: &ShopPartForm) -> Result<Self, InvalidInput> {
        let label = form.label.as_deref().map(str::trim).unwrap_or_default();
        if label.is_empty() {
            return Err(InvalidInput::new("label", "Please choose the type of the part."));
        }
        let fitments: Vec<PartFitment> = form
            .fitments
            .iter()
            .enumerate()
            .map(|(index, fitment)| {
                let checked = PartFitment::from_form(fitment, FitmentSource::Shop);
                checked.map_err(|error| error.in_list("fitments", index))
            })
            .collect::<Result<_, _>>()?;
        let mut photos = form.photos.clone();
        // Duplicates must not count against the limit.
        photos.sort_unstable();
        photos.dedup();
        let part = Self {
            label: PartLabel::new(label)?,
            name: optional_text("name", "The name", form.name.as_deref(), NAME_MAX_CHARS)?,
            number: part_number(form.number.as_deref())?
                .ok_or_else(|| InvalidInput::new("number", "Please enter the part number."))?,
            brand: part_brand(form.brand.as_deref())?,
            price: PartPrice::parse(form.price.as_deref().unwrap_or_default(), form.currency.as_deref())?,
            notes: notes(form.notes.as_deref())?,
            fitments,
            photos,
        };
        part.check_counts()?;
        Ok(part)
    }

    /// Checks the numbers of fitments and photographs.
    ///
    /// # Errors
    /// Names `fitments` or `photos` and the limit.
    pub fn check_counts(&self) -> Result<(), InvalidInput> {
        let refused = |field, name, found: usize, most: usize| {
            Err(InvalidInput::new(field, format!("A part has at most {most} {name}; these are {found}.")))
        };
        match (self.fitments.len(), self.photos.len()) {
            (found, _) if found > MAX_FITMENTS => refused("fitments", "fitments", found, MAX_FITMENTS),
            (_, found) if found > MAX_PART_PHOTOS => refused("photos", "photos", found, MAX_PART_PHOTOS),
            _ => Ok(()),
        }
    }

    /// Refuses another fitment for a part that has the maximum.
    ///
    /// # Errors
    /// Names `fitments` and the limit.
    pub fn check_room_for_fitment(&self) -> Result<(), InvalidInput> {
        if self.fitments.len() < MAX_FITMENTS {
            return Ok(());
        }
        let found = self.fitments.len() + 1;
        Err(InvalidInput::new(
            "fitments",
            format!("A part has at most {MAX_FITMENTS} fitments; these are {found}."),
        ))
    }

    /// Refuses more photographs than a part may have.
    ///
    /// # Errors
    /// Names `photos` and the limit.
    pub fn check_room(&self, n_photos: usize) -> Result<(), InvalidInput> {
        let n_own = self.photos.len();
        if n_own + n_photos <= MAX_PART_PHOTOS {
            return Ok(());
        }
        let text =
            format!("This part of your shop has {n_own} photos, and one has at most {MAX_PART_PHOTOS}.");
        Err(InvalidInput::new("photos", text))
    }

    /// Key by which rows of the same part are recognised: the number without separators, and the brand.
    pub fn key(&self) -> String {
        Self::key_of(&self.number, self.brand.as_deref())
    }

    /// [`NewShopPart::key`] of a part with this number and brand, as [`part_number`] and [`part_brand`] read them.
    pub fn key_of(number: &str, brand: Option<&str>) -> String {
        // The same length as the brand, because the store derives the end of the number from it.
        let brand = lower_case(brand.unwrap_or_default());
        // `|` never occurs in a compact number, so that the key is unambiguous.
        format!("{}|{brand}", compact_number(number))
    }
}

/// A saved part of a shop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShopPart {
    /// Never changes.
    pub id: ShopPartId,
    /// Its owner: a company, or a person alone.
    pub tenant_id: TenantId,
    /// Its details.
    pub details: NewShopPart,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// Increases with each change.
    pub revision: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form() -> ShopPartForm {
        let text = |text: &str| Some(text.to_owned());
        ShopPartForm {
            label: text("spark-plug"),
            number: text(" ILZKR7B-11S "),
            brand: text("NGK"),
            price: text("12.5"),
            ..ShopPartForm::default()
        }
    }

    fn fitment(model: Option<&str>, first: &str, last: &str) -> Result<PartFitment, InvalidInput> {
        let form = PartFitmentForm {
            make: Some("Honda".to_owned()),
            model: model.map(str::to_owned),
            first_year: Some(first.to_owned()),
            last_year: Some(last.to_owned()),
            ..PartFitmentForm::default()
        };
        PartFitment::from_form(&form, FitmentSource::Shop)
    }

    #[test]
    fn a_part_is_known_by_its_number_and_brand() {
        let part = NewShopPart::from_form(&form()).unwrap();
        assert_eq!((part.number.as_str(), part.key().as_str()), ("ILZKR7B-11S", "ilzkr7b11s|ngk"));
        let price = part.price.unwrap();
        assert_eq!((price.cents(), price.currency(), price.amount().as_str()), (1250, "USD", "12.50"));
        let spaced = ShopPartForm { number: Some("ilzkr 7b.11s".to_owned()), ..form() };
        assert_eq!(NewShopPart::from_form(&spaced).unwrap().key(), "ilzkr7b11s|ngk");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let text = |text: &str| Some(text.to_owned());
        let no_make = PartFitmentForm { model: text("Civic"), ..PartFitmentForm::default() };
        for (form, field) in [
            (ShopPartForm { label: text(" "), ..form() }, "label"),
            (ShopPartForm { label: text("Spark Plug"), ..form() }, "label"),
            (ShopPartForm { number: None, ..form() }, "number"),
            (ShopPartForm { number: text(&"1".repeat(61)), ..form() }, "number"),
            (ShopPartForm { brand: text(&"b".repeat(61)), ..form() }, "brand"),
            (ShopPartForm { name: text("a\nb"), ..form() }, "name"),
            (ShopPartForm { price: text("free"), ..form() }, "price"),
            (ShopPartForm { price: text("-1"), ..form() }, "price"),
            (ShopPartForm { price: text("1.005"), ..form() }, "price"),
            (ShopPartForm { price: text("1000000.01"), ..form() }, "price"),
            (ShopPartForm { currency: text("dollars"), ..form() }, "currency"),
            (ShopPartForm { currency: text("abc"), ..form() }, "currency"),
            (ShopPartForm { notes: text(&"n".repeat(2001)), ..form() }, "notes"),
            (ShopPartForm { fitments: vec![no_make], ..form() }, "fitments"),
            (
                ShopPartForm {
                    photos: (0..11).map(|n| ReferenceId(uuid::Uuid::from_u128(n))).collect(),
                    ..form()
                },
                "photos",
            ),
        ] {
            assert_eq!(NewShopPart::from_form(&form).unwrap_err().field, field, "{form:?}");
        }
        let honda = PartFitmentForm { make: text("Honda"), ..PartFitmentForm::default() };
        let second = PartFitmentForm { last_year: text("now"), ..honda.clone() };
        let error = NewShopPart::from_form(&ShopPartForm { fitments: vec![honda, second], ..form() });
        assert_eq!(error.unwrap_err().path(), "fitments[1].yearTo");
        let many = vec![PartFitmentForm { make: text("Honda"), ..PartFitmentForm::default() }; 501];
        let error = NewShopPart::from_form(&ShopPartForm { fitments: many, ..form() }).unwrap_err();
        assert!(error.message.contains("at most 500"), "{}", error.message);
    }

    #[test]
    fn a_typed_price_is_in_a_currency_in_use_and_a_stored_one_in_any() {
        let typed = |currency| PartPrice::parse("5", currency);
        assert_eq!(typed(Some(" eur ")).unwrap().unwrap().currency(), "EUR");
        assert_eq!(typed(Some(" ")).unwrap().unwrap().currency(), "USD");
        assert_eq!(typed(Some("abc")).unwrap_err().field, "currency");
        assert_eq!(PartPrice::new(500, "ABC").unwrap().currency(), "ABC");
    }

    #[test]
    fn a_fitment_covers_its_years() {
        let civic = fitment(Some(" civic "), "2012", "2015").unwrap();
        let name = |year, model: &str| VehicleName::new(year, "HONDA", model).unwrap();
        assert!(civic.covers(&name(2012, "Civic")) && civic.covers(&name(2015, "Civic")));
        assert!(!civic.covers(&name(2016, "Civic")) && civic.names_model_of(&name(2016, "Civic")));
        assert!(!civic.names_model_of(&name(2013, "Accord")));
        assert_eq!(civic.vehicles_text(), "2012 to 2015 Honda civic");
        assert_eq!(fitment(None, "2012", "").unwrap().vehicles_text(), "2012 and later Honda");
        assert_eq!(fitment(None, "", "2012").unwrap().vehicles_text(), "up to 2012 Honda");
        assert_eq!(fitment(None, "2012", "2012").unwrap().vehicles_text(), "2012 Honda");
        assert_eq!(civic.vehicles_key(), fitment(Some("CIVIC"), "2012", "2015").unwrap().vehicles_key());
        for (first, last) in [("2016", "2015"), ("12", ""), ("now", "")] {
            assert_eq!(fitment(None, first, last).unwrap_err().path(), "yearFrom", "{first} {last}");
        }
        assert_eq!(fitment(None, "", "now").unwrap_err().path(), "yearTo");
    }
}
