use jiff::Timestamp;
use jiff::civil::Date;

use crate::garage::record_date;
use crate::garage::{Cost, Mileage};
use crate::text::notes;
use crate::text::optional_text;
use crate::{InvalidInput, OilChangeId, VehicleId, messages};

/// Longest oil type, oil brand or filter brand, in characters.
const TEXT_MAX_CHARS: usize = 80;

/// The form of an oil change, as typed. Blank texts count as missing, except for the day.
#[derive(Debug, Clone, Default)]
pub struct OilChangeForm {
    /// Required.
    pub vehicle_id: Option<VehicleId>,
    /// Required.
    pub mileage: Option<String>,
    /// Free text, such as `5W-30`.
    pub oil_type: Option<String>,
    /// Free text.
    pub oil_brand: Option<String>,
    /// Free text.
    pub filter_brand: Option<String>,
    /// Free text of several lines.
    pub notes: Option<String>,
    /// Dollars.
    pub cost: Option<String>,
    /// Today by default; a blank text is an invalid day, and does not mean today.
    pub change_date: Option<String>,
}

/// An oil change, validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOilChange {
    /// The vehicle.
    pub vehicle_id: VehicleId,
    /// Odometer at the change.
    pub mileage: Mileage,
    /// Free text, such as `5W-30`.
    pub oil_type: Option<String>,
    /// Free text.
    pub oil_brand: Option<String>,
    /// Free text.
    pub filter_brand: Option<String>,
    /// Free text of several lines.
    pub notes: Option<String>,
    /// What it cost.
    pub cost: Option<Cost>,
    /// Day of the oil change.
    pub change_date: Date,
}

impl NewOilChange {
    /// Validates a form (specification 1, section 5).
    ///
    /// # Errors
    /// Names the first invalid field, in the words of the specification if it has a sentence.
    pub fn from_form(form: &OilChangeForm, today: Date) -> Result<Self, InvalidInput> {
        let missing = |field| InvalidInput::new(field, messages::OIL_CHANGE_FIELDS_MISSING);
        Ok(Self {
            vehicle_id: form.vehicle_id.ok_or_else(|| missing("vehicleId"))?,
            mileage: Mileage::of_oil_change(form.mileage.as_deref().unwrap_or_default())?,
            oil_type: optional_text("oilType", "The oil type", form.oil_type.as_deref(), TEXT_MAX_CHARS)?,
            oil_brand: optional_text("oilBrand", "The oil brand", form.oil_brand.as_deref(), TEXT_MAX_CHARS)?,
            filter_brand: optional_text(
                "filterBrand",
                "The filter brand",
                form.filter_brand.as_deref(),
                TEXT_MAX_CHARS,
            )?,
            notes: notes(form.notes.as_deref())?,
            cost: Cost::parse(form.cost.as_deref().unwrap_or_default())?,
            change_date: match form.change_date.as_deref() {
                Some(text) => record_date("changeDate", text, today)?,
                // Specification 1, section 5, requires the date of a repair and leaves that of an oil change open.
                None => today,
            },
        })
    }
}

/// A logged oil change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OilChange {
    /// Never changes.
    pub id: OilChangeId,
    /// What was logged.
    pub details: NewOilChange,
    /// When it was logged.
    pub created_at: Timestamp,
}
