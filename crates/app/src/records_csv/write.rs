//! Rows into CSV.

use partsight_domain::{Cost, OilChange, Repair, Vehicle, VehicleId, Vin};

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

pub(super) fn oil_changes(changes: &[OilChange], vehicles: &[Vehicle]) -> String {
    file(
        &OIL_CHANGE_COLUMNS,
        changes.iter().map(|change| {
            let details = &change.details;
            let [name, vin] = name_and_vin(details.vehicle_id, vehicles);
            vec![
                name,
                vin,
                details.change_date.to_string(),
                details.mileage.get().to_string(),
                details.oil_type.clone().unwrap_or_default(),
                details.oil_brand.clone().unwrap_or_default(),
                details.filter_brand.clone().unwrap_or_default(),
                dollars(details.cost),
                details.notes.clone().unwrap_or_default(),
            ]
        }),
    )
}

pub(super) fn repairs(repairs: &[Repair], vehicles: &[Vehicle]) -> String {
    file(
        &REPAIR_COLUMNS,
        repairs.iter().map(|repair| {
            let details = &repair.details;
            let [name, vin] = name_and_vin(details.vehicle_id, vehicles);
            vec![
                name,
                vin,
                details.repair_date.to_string(),
                details.mileage.get().to_string(),
                details.part_replaced.clone(),
                dollars(details.cost),
                details.notes.clone().unwrap_or_default(),
                details.part_label.as_ref().map(ToString::to_string).unwrap_or_default(),
                details.part_number.clone().unwrap_or_default(),
                details.part_brand.clone().unwrap_or_default(),
            ]
        }),
    )
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
