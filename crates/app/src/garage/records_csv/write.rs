//! Rows into CSV.

use std::collections::HashMap;

use partsight_domain::{Cost, OdometerReading, OilChange, Repair, Vehicle, VehicleId, Vin};

use super::CsvFormat;
use crate::csv_file::file;

pub(super) const VEHICLE_COLUMNS: [&str; 8] =
    ["year", "make", "model", "engine", "transmission", "vin", "license_plate", "default"];
pub(super) const OIL_CHANGE_COLUMNS: [&str; 10] = [
    "vehicle",
    "vin",
    "date",
    "mileage",
    "oil_type",
    "oil_brand",
    "filter_brand",
    "cost",
    "notes",
    "license_plate",
];
pub(super) const REPAIR_COLUMNS: [&str; 12] = [
    "vehicle",
    "vin",
    "date",
    "mileage",
    "part_replaced",
    "cost",
    "notes",
    "part_type",
    "part_number",
    "part_brand",
    "license_plate",
    "maintenance_item",
];

pub(super) const READING_COLUMNS: [&str; 5] = ["vehicle", "vin", "date", "mileage", "license_plate"];

/// The columns that [`oil_changes`] writes for `LubeLogger`, which imports unknown columns as extra fields.
const LUBELOGGER_OIL_CHANGE_COLUMNS: [&str; 8] = [
    "Date",
    "Odometer",
    "Description",
    "Notes",
    "Cost",
    "extrafield_oil_type",
    "extrafield_oil_brand",
    "extrafield_filter_brand",
];
const LUBELOGGER_REPAIR_COLUMNS: [&str; 9] = [
    "Date",
    "Odometer",
    "Description",
    "Notes",
    "Cost",
    "extrafield_part_type",
    "extrafield_part_number",
    "extrafield_part_brand",
    "extrafield_maintenance_item",
];
const LUBELOGGER_READING_COLUMNS: [&str; 3] = ["Date", "Odometer", "Notes"];
/// What users of `LubeLogger` call an oil change.
pub(super) const OIL_CHANGE: &str = "Oil Change";
/// Fuelly's export of fuel-ups; a reading fills four of its columns.
const FUELLY_COLUMNS: [&str; 10] = [
    "car_name",
    "model",
    "mpg",
    "odometer",
    "miles",
    "gallons",
    "price",
    "city_percentage",
    "fuelup_date",
    "date_added",
];

pub(super) fn vehicles(vehicles: &[Vehicle]) -> String {
    file(
        &VEHICLE_COLUMNS,
        vehicles.iter().map(|vehicle| {
            let details = &vehicle.details;
            vec![
                details.name.year.get().to_string(),
                details.name.make.clone(),
                details.name.model.clone(),
                details.engine.clone().unwrap_or_default(),
                details.transmission.clone().unwrap_or_default(),
                vin(vehicle),
                details.license_plate.clone().unwrap_or_default(),
                if vehicle.is_default { "yes" } else { "no" }.to_owned(),
            ]
        }),
    )
}

pub(super) fn oil_changes(changes: &[OilChange], vehicles: &[Vehicle], format: CsvFormat) -> String {
    let names = names_of(vehicles);
    let row = |change: &OilChange| {
        let details = &change.details;
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let [name, vin, plate] = names.get(&details.vehicle_id).cloned().unwrap_or_default();
        let (date, mileage) = (details.change_date.to_string(), details.mileage.get().to_string());
        let (oil_type, oil_brand) = (text(&details.oil_type), text(&details.oil_brand));
        let (filter_brand, notes, cost) =
            (text(&details.filter_brand), text(&details.notes), dollars(details.cost));
        match format {
            CsvFormat::LubeLogger => {
                let description = OIL_CHANGE.to_owned();
                vec![date, mileage, description, notes, cost, oil_type, oil_brand, filter_brand]
            }
            _ => vec![name, vin, date, mileage, oil_type, oil_brand, filter_brand, cost, notes, plate],
        }
    };
    let columns = match format {
        CsvFormat::LubeLogger => LUBELOGGER_OIL_CHANGE_COLUMNS.as_slice(),
        _ => &OIL_CHANGE_COLUMNS,
    };
    file(columns, changes.iter().map(row))
}

pub(super) fn repairs(repairs: &[Repair], vehicles: &[Vehicle], format: CsvFormat) -> String {
    let names = names_of(vehicles);
    let row = |repair: &Repair| {
        let details = &repair.details;
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let [name, vin, plate] = names.get(&details.vehicle_id).cloned().unwrap_or_default();
        let (date, mileage) = (details.repair_date.to_string(), details.mileage.get().to_string());
        let (part, notes, cost) =
            (details.part_replaced.clone(), text(&details.notes), dollars(details.cost));
        let label = details.part_label.as_ref().map(ToString::to_string).unwrap_or_default();
        let (number, brand) = (text(&details.part_number), text(&details.part_brand));
        let item = details.maintenance_item.as_ref().map(ToString::to_string).unwrap_or_default();
        match format {
            CsvFormat::LubeLogger => vec![date, mileage, part, notes, cost, label, number, brand, item],
            _ => vec![name, vin, date, mileage, part, cost, notes, label, number, brand, plate, item],
        }
    };
    let columns = match format {
        CsvFormat::LubeLogger => LUBELOGGER_REPAIR_COLUMNS.as_slice(),
        _ => &REPAIR_COLUMNS,
    };
    file(columns, repairs.iter().map(row))
}

pub(super) fn readings(
    readings: &[(VehicleId, OdometerReading)],
    vehicles: &[Vehicle],
    format: CsvFormat,
) -> String {
    let names = names_of(vehicles);
    let row = |(id, reading): &(VehicleId, OdometerReading)| {
        let [name, vin, plate] = names.get(id).cloned().unwrap_or_default();
        let (date, mileage) = (reading.on.to_string(), reading.mileage.get().to_string());
        match format {
            CsvFormat::Partsight => vec![name, vin, date, mileage, plate],
            CsvFormat::LubeLogger => vec![date, mileage, String::new()],
            CsvFormat::Fuelly => {
                let [model, mpg, miles, gallons, price, city] = std::array::from_fn(|_| String::new());
                vec![name, model, mpg, mileage, miles, gallons, price, city, date.clone(), date]
            }
        }
    };
    let columns = match format {
        CsvFormat::Partsight => READING_COLUMNS.as_slice(),
        CsvFormat::LubeLogger => &LUBELOGGER_READING_COLUMNS,
        CsvFormat::Fuelly => &FUELLY_COLUMNS,
    };
    file(columns, readings.iter().map(row))
}

/// Name, VIN and plate of each vehicle: the others distinguish vehicles of the same name.
fn names_of(vehicles: &[Vehicle]) -> HashMap<VehicleId, [String; 3]> {
    let names = |vehicle: &Vehicle| {
        let plate = vehicle.details.license_plate.clone().unwrap_or_default();
        (vehicle.id, [vehicle.details.name.to_string(), vin(vehicle), plate])
    };
    vehicles.iter().map(names).collect()
}

fn vin(vehicle: &Vehicle) -> String {
    vehicle.details.vin.as_ref().map(Vin::as_str).unwrap_or_default().to_owned()
}

fn dollars(cost: Option<Cost>) -> String {
    cost.map(|cost| cost.to_string()).unwrap_or_default()
}
