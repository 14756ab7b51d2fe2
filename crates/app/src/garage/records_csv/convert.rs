//! Converts rows into vehicles and records, by the same rules as typed ones.

use jiff::civil::Date;
use partsight_domain::{
    Mileage, NewOilChange, NewRepair, NewVehicle, OdometerReading, OilChangeForm, OilChangeId, RepairForm,
    RepairId, VehicleId, VehicleName, Vin, check_record_date,
};
use partsight_store::RecordBatch;
use uuid::Uuid;

use super::CsvKind;
use super::days::{DateOrder, is_ambiguous, read, slash_order};
use super::format::{Columns, CsvFormat};
use super::vehicles::{KnownVehicles, WHOLE_VIN};
use crate::csv_file::reader::Row;
use crate::csv_file::table::Table;

/// The international mile has 1,609.344 m.
const MILES_PER_KILOMETRE: f64 = 0.621_371;

/// The result of converting one row.
pub(super) enum RowOutcome {
    /// A record to save, if it is new.
    Record(Record),
    /// Nothing of this kind; with the reason.
    Skip(String),
    /// It breaks a rule; with the rule.
    Fault(String),
}

/// A valid row.
#[derive(Clone, PartialEq)]
pub(super) enum Record {
    Vehicle(NewVehicle),
    OilChange(NewOilChange),
    Repair(NewRepair),
    Reading(VehicleId, OdometerReading),
}

impl Record {
    /// The fields that stay the same when somebody edits the rest of a record.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Vehicle(vehicle) => vehicle_key(vehicle),
            Self::OilChange(change) => oil_change_key(change),
            Self::Repair(repair) => repair_key(repair),
            Self::Reading(id, reading) => format!("{id} {} {}", reading.on, reading.mileage),
        }
    }

    /// Whether it repeats an earlier row with the same key. Vehicles of a fleet may be equal, unless they have the same
    /// VIN.
    pub(super) fn repeats(&self, earlier: &Self) -> bool {
        match self {
            Self::Vehicle(vehicle) => has_whole_vin(vehicle),
            Self::OilChange(_) | Self::Repair(_) | Self::Reading(..) => self == earlier,
        }
    }

    /// Its odometer reading.
    pub(super) fn reading(&self) -> Option<(VehicleId, OdometerReading)> {
        match self {
            Self::Vehicle(_) => None,
            Self::OilChange(change) => {
                Some((change.vehicle_id, OdometerReading { on: change.change_date, mileage: change.mileage }))
            }
            Self::Repair(repair) => {
                Some((repair.vehicle_id, OdometerReading { on: repair.repair_date, mileage: repair.mileage }))
            }
            Self::Reading(id, reading) => Some((*id, *reading)),
        }
    }

    /// Adds it to a batch of its kind.
    pub(super) fn push_to(self, batch: &mut RecordBatch) {
        match (self, batch) {
            (Self::Vehicle(new), RecordBatch::Vehicles(all)) => all.push((VehicleId(Uuid::now_v7()), new)),
            (Self::OilChange(new), RecordBatch::OilChanges(all)) => {
                all.push((OilChangeId(Uuid::now_v7()), new));
            }
            (Self::Repair(new), RecordBatch::Repairs(all)) => all.push((RepairId(Uuid::now_v7()), new)),
            (Self::Reading(id, reading), RecordBatch::Readings(all)) => all.push((id, reading)),
            // A converter makes records of one kind only.
            _ => {}
        }
    }
}

/// A batch for records of this kind.
pub(super) fn empty_batch(kind: CsvKind) -> RecordBatch {
    match kind {
        CsvKind::Vehicles => RecordBatch::Vehicles(Vec::new()),
        CsvKind::OilChanges => RecordBatch::OilChanges(Vec::new()),
        CsvKind::Repairs => RecordBatch::Repairs(Vec::new()),
        CsvKind::Odometer => RecordBatch::Readings(Vec::new()),
    }
}

/// The key of a vehicle: a complete VIN, else its name, plate and incomplete VIN.
fn vehicle_key(vehicle: &NewVehicle) -> String {
    let plate = vehicle.license_plate.as_deref().unwrap_or_default();
    let vin = vehicle.vin.as_ref().map(Vin::as_str).unwrap_or_default();
    if has_whole_vin(vehicle) {
        return format!("vin {vin}");
    }
    format!("{} / {plate} / {vin}", vehicle.name).to_lowercase()
}

fn has_whole_vin(vehicle: &NewVehicle) -> bool {
    vehicle.vin.as_ref().is_some_and(|vin| vin.as_str().len() == WHOLE_VIN)
}

/// The key of an oil change: vehicle, day and mileage.
fn oil_change_key(change: &NewOilChange) -> String {
    format!("{} {} {}", change.vehicle_id, change.change_date, change.mileage)
}

/// The key of a repair: vehicle, day, mileage, part and part number.
fn repair_key(repair: &NewRepair) -> String {
    let part = repair.part_replaced.to_lowercase();
    let number = repair.part_number.as_ref().map(ToString::to_string).unwrap_or_default();
    format!("{} {} {} {part} {number}", repair.vehicle_id, repair.repair_date, repair.mileage)
}

/// Turns the rows of one file into records.
pub(super) struct Converter<'a> {
    kind: CsvKind,
    columns: &'a Columns,
    garage: &'a KnownVehicles,
    today: Date,
    order: DateOrder,
    has_semicolons: bool,
    is_any_ambiguous: bool,
    /// Whether the file is about several cars, so that the chosen vehicle cannot be all of them.
    has_several_cars: bool,
}

/// Why a row is not a record.
enum Refusal {
    Skip(String),
    Fault(String),
}

impl From<partsight_domain::InvalidInput> for Refusal {
    fn from(error: partsight_domain::InvalidInput) -> Self {
        Self::Fault(error.message)
    }
}

impl<'a> Converter<'a> {
    /// `today` limits the days of records; `order` is derived from the dates unless it is given.
    pub(super) fn new(
        kind: CsvKind,
        columns: &'a Columns,
        table: &Table,
        garage: &'a KnownVehicles,
        today: Date,
        order: Option<DateOrder>,
    ) -> Self {
        // Decided for the whole file: a single date can often be read both ways.
        let dates = table.rows.iter().map(|row| row.cell(columns.date));
        let mut cars = table.rows.iter().map(|row| row.cell(columns.vehicle));
        let first = cars.next();
        Self {
            kind,
            columns,
            garage,
            today,
            order: order.unwrap_or_else(|| slash_order(&dates)),
            has_semicolons: table.has_semicolons,
            is_any_ambiguous: dates.clone().any(is_ambiguous),
            has_several_cars: cars.any(|car| Some(car) != first),
        }
    }

    /// How ambiguous dates were read; `None` if there are none.
    pub(super) fn open_order(&self) -> Option<DateOrder> {
        self.is_any_ambiguous.then_some(self.order)
    }

    /// Assumptions that were made about the file.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.order == DateOrder::DayMonth {
            notes.push("Dates like 3/12/2025 were read as day/month/year.".to_owned());
        } else if self.is_any_ambiguous {
            notes.push("Dates like 3/12/2025 were read as month/day/year.".to_owned());
        }
        if self.columns.is_metric {
            notes.push("Readings were converted from kilometers to miles.".to_owned());
        }
        notes
    }

    /// Converts one row.
    pub(super) fn convert(&self, row: &Row) -> RowOutcome {
        let record = match self.kind {
            CsvKind::Vehicles => self.vehicle(row).map(Record::Vehicle),
            CsvKind::OilChanges => self.oil_change(row).map(Record::OilChange),
            CsvKind::Repairs => self.repair(row).map(Record::Repair),
            CsvKind::Odometer => self.reading(row).map(|(id, reading)| Record::Reading(id, reading)),
        };
        match record {
            Ok(record) => RowOutcome::Record(record),
            Err(Refusal::Skip(why)) => RowOutcome::Skip(why),
            Err(Refusal::Fault(why)) => RowOutcome::Fault(why),
        }
    }

    fn vehicle(&self, row: &Row) -> Result<NewVehicle, Refusal> {
        let columns = self.columns;
        let cell = |column| Some(row.cell(column));
        if columns.format == CsvFormat::Fuelly {
            let name = [columns.vehicle, columns.model]
                .into_iter()
                .find_map(|column| row.cell(column).parse::<VehicleName>().ok())
                .ok_or_else(|| {
                    Refusal::Skip("The row does not say year, make and model of the car.".to_owned())
                })?;
            return Ok(NewVehicle::new(name, None, None, None, None)?);
        }
        // 0 is no model year, so the rule refuses it with its own message.
        let year = row.cell(columns.year).parse().unwrap_or(0);
        let name = VehicleName::new(year, row.cell(columns.make), row.cell(columns.model))?;
        Ok(NewVehicle::new(
            name,
            cell(columns.engine),
            cell(columns.transmission),
            cell(columns.vin),
            cell(columns.license_plate),
        )?)
    }

    fn oil_change(&self, row: &Row) -> Result<NewOilChange, Refusal> {
        let columns = self.columns;
        let mut notes = row.cell(columns.notes).to_owned();
        if columns.tells_oil_changes_by_part() {
            let description = row.cell(columns.part);
            if !is_oil_change(description) {
                return Err(Refusal::Skip(format!(
                    "{} is no oil change. Import the file as repairs to keep it.",
                    quoted(description)
                )));
            }
            // The description that our own files have for every oil change is dropped.
            if columns.oil_type.is_none() || description != super::write::OIL_CHANGE {
                notes = [description, &notes]
                    .into_iter()
                    .filter(|text| !text.is_empty())
                    .collect::<Vec<_>>()
                    .join("\n");
            }
        }
        let form = OilChangeForm {
            vehicle_id: Some(self.vehicle_of(row)?),
            mileage: Some(self.mileage(row)?),
            oil_type: Some(row.cell(columns.oil_type).to_owned()),
            oil_brand: Some(row.cell(columns.oil_brand).to_owned()),
            filter_brand: Some(row.cell(columns.filter_brand).to_owned()),
            notes: Some(notes),
            cost: Some(self.cost(row)),
            change_date: Some(self.day(row)?.to_string()),
        };
        Ok(NewOilChange::from_form(&form, self.today)?)
    }

    fn repair(&self, row: &Row) -> Result<NewRepair, Refusal> {
        let columns = self.columns;
        let part = row.cell(columns.part);
        // Our own files have all the fields of a part, and only for repairs.
        let is_ours =
            [columns.part_label, columns.part_number, columns.part_brand].iter().all(Option::is_some);
        let is_any_work = columns.format == CsvFormat::LubeLogger && !is_ours;
        if is_any_work && is_oil_change(part) {
            return Err(Refusal::Skip(format!(
                "{} is an oil change. Import the file as oil changes to keep it.",
                quoted(part)
            )));
        }
        let form = RepairForm {
            vehicle_id: Some(self.vehicle_of(row)?),
            mileage: Some(self.mileage(row)?),
            part_replaced: Some(part.to_owned()),
            part_label: Some(row.cell(columns.part_label).to_owned()),
            part_number: Some(row.cell(columns.part_number).to_owned()),
            part_brand: Some(row.cell(columns.part_brand).to_owned()),
            notes: Some(row.cell(columns.notes).to_owned()),
            cost: Some(self.cost(row)),
            repair_date: Some(self.day(row)?.to_string()),
        };
        let mut repair = NewRepair::from_form(&form, self.today)?;
        let item = Some(row.cell(columns.maintenance_item)).filter(|item| !item.is_empty());
        repair.maintenance_item = item.map(str::parse).transpose()?;
        Ok(repair)
    }

    fn reading(&self, row: &Row) -> Result<(VehicleId, OdometerReading), Refusal> {
        let id = self.vehicle_of(row)?;
        let on = self.day(row)?;
        let mileage = Mileage::reading("mileage", &self.mileage(row)?)?;
        Ok((id, OdometerReading { on, mileage }))
    }

    fn vehicle_of(&self, row: &Row) -> Result<VehicleId, Refusal> {
        let columns = self.columns;
        let called = row.cell(columns.vehicle);
        if columns.format != CsvFormat::Fuelly {
            let (vin, plate) = (row.cell(columns.vin), row.cell(columns.license_plate));
            return self.garage.find(vin, plate, &[called.to_owned()]).map_err(Refusal::Fault);
        }
        // In Fuelly people name their cars; the second column is often the make.
        let names = [called.to_owned(), format!("{called} {}", row.cell(columns.model))];
        match (self.garage.find("", "", &names), self.garage.chosen()) {
            (Ok(id), _) => Ok(id),
            // The chosen vehicle replaces an unknown name only if the file is about one car.
            (Err(_), Some(chosen)) if !self.has_several_cars => Ok(chosen),
            (Err(why), _) => Err(Refusal::Skip(why)),
        }
    }

    fn day(&self, row: &Row) -> Result<Date, Refusal> {
        let text = row.cell(self.columns.date);
        let day = read(text, self.order).ok_or_else(|| {
            Refusal::Fault(if text.is_empty() {
                "The date is missing.".to_owned()
            } else {
                format!(
                    "{} is no date here. Please write it as year-month-day, like 2025-03-05.",
                    quoted(text)
                )
            })
        })?;
        Ok(check_record_date("date", day, self.today)?)
    }

    /// The mileage as text for the rules: whole miles if the file has kilometres or another program's tenths.
    fn mileage(&self, row: &Row) -> Result<String, Refusal> {
        let text = row.cell(self.columns.mileage);
        let is_ours = self.columns.format == CsvFormat::Partsight;
        // Other programs leave the reading out, or write 0, if nobody read the odometer.
        if !is_ours && (text.is_empty() || text == "0") {
            return Err(Refusal::Skip("The row has no odometer reading.".to_owned()));
        }
        let plain = self.plain_number(text);
        // Thousands separators stay, so that `52.000` is refused and not read as 52.
        if is_ours || plain.contains('-') || is_in_thousands(&plain) {
            return Ok(plain);
        }
        let Ok(reading) = plain.replace(',', "").parse::<f64>() else { return Ok(plain) };
        let miles = if self.columns.is_metric { reading * MILES_PER_KILOMETRE } else { reading };
        Ok(format!("{miles:.0}"))
    }

    fn cost(&self, row: &Row) -> String {
        self.plain_number(row.cell(self.columns.cost))
    }

    /// In a file with semicolons, `1.234,50` is 1234.50, and `1.234` is 1234.
    fn plain_number(&self, text: &str) -> String {
        let is_decimal_comma =
            text.rsplit_once(',').is_some_and(|(_, decimals)| (1..=2).contains(&decimals.len()));
        if !self.has_semicolons || !(is_decimal_comma || is_in_thousands(text)) {
            return text.to_owned();
        }
        text.replace('.', "").replace(',', ".")
    }
}

/// Whether dots separate groups of three digits.
fn is_in_thousands(text: &str) -> bool {
    let is_number = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = text.split('.');
    let first = groups.next().is_some_and(|group| (1..=3).contains(&group.len()) && is_number(group));
    let mut rest = groups.peekable();
    first && rest.peek().is_some() && rest.all(|group| group.len() == 3 && is_number(group))
}

/// A cell, shortened for a sentence.
fn quoted(text: &str) -> String {
    const MOST: usize = 40;
    let piece: String = text.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() > MOST { format!("\"{piece}…\"") } else { format!("\"{piece}\"") }
}

/// Whether a description means an oil change, and not other work on the oil circuit or another kind of oil.
fn is_oil_change(description: &str) -> bool {
    const OTHER_OILS: [&str; 6] = ["transmission", "differential", "gear", "brake", "heater", "leak"];
    const PARTS: [&str; 19] = [
        "pan",
        "pump",
        "cooler",
        "seal",
        "gasket",
        "sensor",
        "pressure",
        "housing",
        "dipstick",
        "cap",
        "plug",
        "line",
        "lines",
        "hose",
        "tube",
        "light",
        "lamp",
        "switch",
        "separator",
    ];
    let text = description.to_lowercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has_any = |of: &[&str]| words.iter().any(|word| of.contains(word));
    // An oil change often comes with a new drain plug or its gasket.
    let says_so = words.windows(2).any(|pair| pair == ["oil", "change"]);
    words.contains(&"oil") && !has_any(&OTHER_OILS) && (says_so || !has_any(&PARTS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_oil_change_is_told_from_other_work() {
        for text in [
            "Oil change",
            "Engine oil and filter",
            "OIL",
            "5W-30 oil, Mobil 1",
            "oil/filter change",
            "Oil change, new drain plug",
        ] {
            assert!(is_oil_change(text), "{text}");
        }
        for text in [
            "",
            "Brake pads",
            "Oil pan gasket",
            "Oil leak",
            "Differential oil",
            "Foil wrap",
            "Boiler",
            "Oil filter housing",
            "Oil dipstick",
        ] {
            assert!(!is_oil_change(text), "{text}");
        }
    }

    #[test]
    fn a_piece_of_a_cell_is_short_and_plain() {
        assert_eq!(quoted("a\nb"), "\"a b\"");
        assert_eq!(quoted(&"é".repeat(50)), format!("\"{}…\"", "é".repeat(40)));
    }
}
