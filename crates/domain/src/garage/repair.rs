use jiff::Timestamp;
use jiff::civil::Date;

use crate::garage::record_date;
use crate::garage::{Cost, ItemId, Mileage, VehicleName};
use crate::text::notes;
use crate::text::short_text;
use crate::{InvalidInput, PartLabel, RepairId, VehicleId, messages};
use crate::{part_brand, part_number};

/// Longest name of a replaced part, in characters.
const PART_MAX_CHARS: usize = 120;

/// The form of a repair, as typed. Blank texts count as absent.
#[derive(Debug, Clone, Default)]
pub struct RepairForm {
    /// Required.
    pub vehicle_id: Option<VehicleId>,
    /// Required.
    pub mileage: Option<String>,
    /// Required.
    pub part_replaced: Option<String>,
    /// The label of the part type that was fitted.
    pub part_label: Option<String>,
    /// The number of the part that was fitted.
    pub part_number: Option<String>,
    /// Who made it.
    pub part_brand: Option<String>,
    /// Free text of several lines.
    pub notes: Option<String>,
    /// Dollars.
    pub cost: Option<String>,
    /// Required.
    pub repair_date: Option<String>,
}

/// A repair, validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRepair {
    /// The vehicle.
    pub vehicle_id: VehicleId,
    /// Odometer at the repair; 1 or more.
    pub mileage: Mileage,
    /// Free text.
    pub part_replaced: String,
    /// The type of the part that was fitted.
    pub part_label: Option<PartLabel>,
    /// Its number.
    pub part_number: Option<String>,
    /// Who made it.
    pub part_brand: Option<String>,
    /// Free text of several lines.
    pub notes: Option<String>,
    /// What it cost.
    pub cost: Option<Cost>,
    /// Day of the repair.
    pub repair_date: Date,
    /// The maintenance item that was marked as done with it. No form has it, and an edit keeps it.
    pub maintenance_item: Option<ItemId>,
}

impl NewRepair {
    /// Validates a form (specification 1, section 5).
    ///
    /// # Errors
    /// Names the first invalid field, in the words of the specification if it has a sentence.
    pub fn from_form(form: &RepairForm, today: Date) -> Result<Self, InvalidInput> {
        let missing = |field| InvalidInput::new(field, messages::REPAIR_FIELDS_MISSING);
        let vehicle_id = form.vehicle_id.ok_or_else(|| missing("vehicleId"))?;
        let mileage = Mileage::of_repair(form.mileage.as_deref().unwrap_or_default())?;
        let part = form.part_replaced.as_deref().unwrap_or_default();
        let part_replaced = short_text("partReplaced", "The part", part, PART_MAX_CHARS)?;
        // In the specification's own words, which name all required fields at once.
        if part_replaced.is_empty() {
            return Err(missing("partReplaced"));
        }
        let label = form.part_label.as_deref().map(str::trim).filter(|label| !label.is_empty());
        let part_label = label.map(PartLabel::new).transpose();
        let day = form.repair_date.as_deref().filter(|text| !text.trim().is_empty());
        Ok(Self {
            vehicle_id,
            mileage,
            part_replaced,
            // The shared rule names its own field; the form has another name for it.
            part_label: part_label.map_err(|error| InvalidInput::new("partLabel", error.message))?,
            part_number: part_number(form.part_number.as_deref())
                .map_err(|error| InvalidInput::new("partNumber", error.message))?,
            part_brand: part_brand(form.part_brand.as_deref())
                .map_err(|error| InvalidInput::new("partBrand", error.message))?,
            repair_date: record_date("repairDate", day.ok_or_else(|| missing("repairDate"))?, today)?,
            notes: notes(form.notes.as_deref())?,
            cost: Cost::parse(form.cost.as_deref().unwrap_or_default())?,
            maintenance_item: None,
        })
    }
}

/// A logged repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// Never changes.
    pub id: RepairId,
    /// What was logged.
    pub details: NewRepair,
    /// The current name of the vehicle.
    pub vehicle: VehicleName,
    /// When it was logged.
    pub created_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use uuid::Uuid;

    use super::*;

    const TODAY: Date = date(2027, 1, 15);

    fn form() -> RepairForm {
        let text = |text: &str| Some(text.to_owned());
        RepairForm {
            vehicle_id: Some(VehicleId(Uuid::nil())),
            mileage: text("52000"),
            part_replaced: text(" Alternator "),
            repair_date: text("2025-03-05"),
            notes: text("  "),
            ..RepairForm::default()
        }
    }

    #[test]
    fn the_part_that_was_fitted_is_checked() {
        let text = |text: &str| Some(text.to_owned());
        let fitted = RepairForm {
            part_label: text("alternator"),
            part_number: text(" AL-130 "),
            part_brand: text(" "),
            ..form()
        };
        let repair = NewRepair::from_form(&fitted, TODAY).unwrap();
        assert_eq!(repair.part_label.map(String::from).as_deref(), Some("alternator"));
        assert_eq!((repair.part_number.as_deref(), repair.part_brand), (Some("AL-130"), None));
        for (form, field) in [
            (RepairForm { part_label: text("An alternator"), ..form() }, "partLabel"),
            (RepairForm { part_number: text(&"1".repeat(61)), ..form() }, "partNumber"),
            (RepairForm { part_brand: text("a\nb"), ..form() }, "partBrand"),
        ] {
            assert_eq!(NewRepair::from_form(&form, TODAY).unwrap_err().field, field);
        }
    }
}
