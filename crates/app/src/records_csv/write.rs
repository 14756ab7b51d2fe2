//! Rows into CSV.

use partsight_domain::{Cost, OdometerReading, OilChange, Repair, Vehicle, VehicleId, Vin};

use super::CsvFormat;

/// What a spreadsheet takes for the start of a formula.
const FORMULA_STARTS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

pub(super) const VEHICLE_COLUMNS: [&str; 8] =
    ["year", "make", "model", "engine", "transmission", "vin", "license_plate", "default"];
pub(super) const OIL_CHANGE_COLUMNS: [&str; 9] =
    ["vehicle", "vin", "date", "mileage", "oil_type", "oil_brand", "filter_brand", "cost", "notes"];
pub(super) const REPAIR_COLUMNS: [&str; 10] = [
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
];

pub(super) const READING_COLUMNS: [&str; 4] = ["vehicle", "vin", "date", "mileage"];

/// What [`oil_changes`] writes for `LubeLogger`, which takes what it has no column for as extra fields.
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
const LUBELOGGER_REPAIR_COLUMNS: [&str; 8] = [
    "Date",
    "Odometer",
    "Description",
    "Notes",
    "Cost",
    "extrafield_part_type",
    "extrafield_part_number",
    "extrafield_part_brand",
];
const LUBELOGGER_READING_COLUMNS: [&str; 3] = ["Date", "Odometer", "Notes"];
/// How `LubeLogger`'s users call an oil change.
pub(super) const OIL_CHANGE: &str = "Oil Change";
/// Fuelly's export of fuel-ups, of which a reading fills four columns.
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
    let row = |change: &OilChange| {
        let details = &change.details;
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let [name, vin] = name_and_vin(details.vehicle_id, vehicles);
        let (date, mileage) = (details.change_date.to_string(), details.mileage.get().to_string());
        let (oil_type, oil_brand) = (text(&details.oil_type), text(&details.oil_brand));
        let (filter_brand, notes, cost) =
            (text(&details.filter_brand), text(&details.notes), dollars(details.cost));
        match format {
            CsvFormat::LubeLogger => {
                let description = OIL_CHANGE.to_owned();
                vec![date, mileage, description, notes, cost, oil_type, oil_brand, filter_brand]
            }
            _ => vec![name, vin, date, mileage, oil_type, oil_brand, filter_brand, cost, notes],
        }
    };
    let columns = match format {
        CsvFormat::LubeLogger => LUBELOGGER_OIL_CHANGE_COLUMNS.as_slice(),
        _ => &OIL_CHANGE_COLUMNS,
    };
    file(columns, changes.iter().map(row))
}

pub(super) fn repairs(repairs: &[Repair], vehicles: &[Vehicle], format: CsvFormat) -> String {
    let row = |repair: &Repair| {
        let details = &repair.details;
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let [name, vin] = name_and_vin(details.vehicle_id, vehicles);
        let (date, mileage) = (details.repair_date.to_string(), details.mileage.get().to_string());
        let (part, notes, cost) =
            (details.part_replaced.clone(), text(&details.notes), dollars(details.cost));
        let label = details.part_label.as_ref().map(ToString::to_string).unwrap_or_default();
        let (number, brand) = (text(&details.part_number), text(&details.part_brand));
        match format {
            CsvFormat::LubeLogger => vec![date, mileage, part, notes, cost, label, number, brand],
            _ => vec![name, vin, date, mileage, part, cost, notes, label, number, brand],
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
    let row = |(id, reading): &(VehicleId, OdometerReading)| {
        let [name, vin] = name_and_vin(*id, vehicles);
        let (date, mileage) = (reading.on.to_string(), reading.mileage.get().to_string());
        match format {
            CsvFormat::Partsight => vec![name, vin, date, mileage],
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

fn name_and_vin(id: VehicleId, vehicles: &[Vehicle]) -> [String; 2] {
    let vehicle = vehicles.iter().find(|vehicle| vehicle.id == id);
    [
        vehicle.map(|vehicle| vehicle.details.name.to_string()).unwrap_or_default(),
        vehicle.map(vin).unwrap_or_default(),
    ]
}

fn vin(vehicle: &Vehicle) -> String {
    vehicle.details.vin.as_ref().map(Vin::as_str).unwrap_or_default().to_owned()
}

fn dollars(cost: Option<Cost>) -> String {
    cost.map(|cost| cost.to_string()).unwrap_or_default()
}

/// A table as a file: with a byte order mark, for spreadsheets, and guarded against formulas.
pub(crate) fn file(columns: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut file = String::from('\u{feff}');
    push_row(&mut file, columns.iter().map(|column| (*column).to_owned()));
    for row in rows {
        push_row(&mut file, row.into_iter().map(guarded));
    }
    file
}

fn push_row(file: &mut String, cells: impl Iterator<Item = String>) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            file.push(',');
        }
        if cell.contains(['"', ',', '\r', '\n', ';', '\t']) || cell.trim() != cell {
            file.push('"');
            file.push_str(&cell.replace('"', "\"\""));
            file.push('"');
        } else {
            file.push_str(&cell);
        }
    }
    file.push_str("\r\n");
}

/// `text` with an apostrophe before what a spreadsheet would run as a formula.
///
/// What begins with such an apostrophe already gets another, so that an import takes exactly one off again.
fn guarded(text: String) -> String {
    if is_formula(text.trim_start_matches('\'')) { format!("'{text}") } else { text }
}

/// `text` without the apostrophe that [`guarded`] put before it.
pub(super) fn without_guard(text: &str) -> &str {
    text.strip_prefix('\'').filter(|rest| is_formula(rest.trim_start_matches('\''))).unwrap_or(text)
}

fn is_formula(text: &str) -> bool {
    text.starts_with(FORMULA_STARTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_guarded_and_the_guard_comes_off_again() {
        for (text, written) in [
            ("=HYPERLINK(\"http://x\")", "'=HYPERLINK(\"http://x\")"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM", "'@SUM"),
            ("\t=1", "'\t=1"),
            ("'=1", "''=1"),
            ("5W-30", "5W-30"),
            ("'91 Civic", "'91 Civic"),
            ("", ""),
            ("'", "'"),
        ] {
            assert_eq!(guarded(text.to_owned()), written);
            assert_eq!(without_guard(written), text);
        }
    }

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let text = file(&["a", "b"], [vec!["x,\"y\"".to_owned(), "one\ntwo".to_owned()]].into_iter());
        assert_eq!(text, "\u{feff}a,b\r\n\"x,\"\"y\"\"\",\"one\ntwo\"\r\n");
    }
}
