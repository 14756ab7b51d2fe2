//! Reads the formats of the Auto Care Association: ACES holds fitments, PIES product information.
//!
//! Both identify vehicles, part types and brands by ids of databases that need a paid licence. Names in the file are
//! read; an entry that has only ids is reported.

use partsight_domain::{FitmentSource, InvalidInput, NewShopPart, PartFitmentForm, part_brand, part_number};

use super::xml::{Element, read_records};
use super::{FileRows, PartFormat, PartRow, PartialLists, RowFault};
use crate::limits::heavy_work::Deadline;

/// An application or item, or why it was not read.
type Row = Result<PartRow, RowFault>;

/// Reads the applications or items of an ACES or PIES file.
pub(super) fn rows(bytes: &[u8], max_rows: usize, deadline: &Deadline) -> crate::Result<FileRows> {
    let mut rows: Vec<Row> = Vec::new();
    let mut partial = PartialLists::default();
    let mut is_full = false;
    let root = read_records(bytes, max_rows, |root, record| {
        deadline.check()?;
        let format = format_of(root)?;
        if record.name() == "Header" {
            is_full =
                record.child_text("SubmissionType").is_some_and(|kind| kind.eq_ignore_ascii_case("FULL"));
            return Ok(());
        }
        let row = if format == PartFormat::Pies { item(record) } else { application(record) };
        if format == PartFormat::Aces && matches!(row, Err(RowFault::Skip(_))) {
            partial.keys.extend(record.child("Part").and_then(part_key));
        }
        rows.push(row);
        Ok(())
    })?;
    let format = format_of(&root)?;
    partial.are_all = format == PartFormat::Aces && !is_full;
    Ok(FileRows { format, ignored_columns: Vec::new(), rows: (1..).zip(rows).collect(), partial })
}

/// The format of a file by the name of its root element.
fn format_of(root: &str) -> Result<PartFormat, InvalidInput> {
    match root {
        "ACES" => Ok(PartFormat::Aces),
        "PIES" => Ok(PartFormat::Pies),
        root => {
            let root: String = root.chars().take(40).collect();
            let text = format!("The XML begins with `{root}`. Please import an ACES or a PIES file.");
            Err(InvalidInput::new("body", text))
        }
    }
}

/// Converts one `App` of ACES: a part and a vehicle that it fits.
fn application(app: &Element) -> Row {
    if app.attribute("action").is_some_and(|action| action.eq_ignore_ascii_case("D")) {
        return Err(RowFault::Skip(
            "It removes a fitment, which an import cannot do; please delete the fitment by hand.".to_owned(),
        ));
    }
    let part = app.child("Part").ok_or_else(|| RowFault::Fault("It has no `Part`.".to_owned()))?;
    let (make, model) = (named(app, "Make"), named(app, "Model"));
    let Some(make) = make else {
        let id = app.child("BaseVehicle").and_then(|vehicle| vehicle.attribute("id"));
        return Err(RowFault::Skip(match id {
            Some(id) => format!(
                "It names its vehicle by the number {id} of the vehicle database alone, which is not part of this \
                 program."
            ),
            None => "It does not name make and model of its vehicle in words.".to_owned(),
        }));
    };
    if model.is_none() && app.child("Model").is_some() {
        return Err(RowFault::Skip(
            "It names its model by a number of the vehicle database alone, which is not part of this program."
                .to_owned(),
        ));
    }
    let years = app.child("Years");
    let year = app.child_text("Year").map(str::to_owned);
    let of_years = |name| years.and_then(|years| years.attribute(name)).map(str::to_owned);
    let notes = app.children("Note").filter_map(Element::text).map(str::to_owned);
    let notes: Vec<String> = notes.chain(restrictions(app)).collect();
    let fitment = PartFitmentForm {
        make: Some(make),
        model,
        first_year: of_years("from").or_else(|| year.clone()),
        last_year: of_years("to").or(year),
        note: (!notes.is_empty()).then(|| shortened(&notes.join("; "))),
        fits: Some(true),
    };
    Ok(PartRow {
        number: part.text().map(str::to_owned),
        brand: brand(part).map(str::to_owned),
        type_name: named(app, "PartType"),
        name: app.child_text("MfrLabel").map(str::to_owned),
        fitment: Some((fitment, FitmentSource::Aces)),
        ..PartRow::default()
    })
}

/// The brand of a `Part` of ACES.
fn brand(part: &Element) -> Option<&str> {
    // `BrandAAIAID`, the four-letter brand id, is the standard attribute. `BrandLabel` is written by our export for a
    // brand without one.
    part.attribute("BrandLabel").or_else(|| part.attribute("BrandAAIAID"))
}

/// [`NewShopPart::key`] of a `Part` of ACES; `None` for one that could not be saved.
fn part_key(part: &Element) -> Option<String> {
    let number = part_number(part.text()).ok()??;
    Some(NewShopPart::key_of(&number, part_brand(brand(part)).ok()?.as_deref()))
}

/// Truncates a note to 200 characters, with an ellipsis at the end.
fn shortened(note: &str) -> String {
    const MOST: usize = 200;
    if note.chars().count() <= MOST {
        return note.to_owned();
    }
    note.chars().take(MOST - 1).chain(['…']).collect()
}

/// Elements of an application that do not restrict which vehicles of the model it applies to.
const NO_RESTRICTION: [&str; 17] = [
    "BaseVehicle",
    "Make",
    "Model",
    "Years",
    "Year",
    "Note",
    "Qty",
    "PartType",
    "MfrLabel",
    "Part",
    "DisplayOrder",
    "AssetName",
    "AssetItemOrder",
    "AssetItemRef",
    "EquipmentBase",
    "EquipmentModel",
    "VehicleType",
];

/// Further conditions on the vehicle, or the position of the part on it, such as `DriveType: AWD`. They become notes
/// for people to read; nothing checks them.
fn restrictions(app: &Element) -> impl Iterator<Item = String> {
    let all = app.all_children().iter().filter(|child| !NO_RESTRICTION.contains(&child.name()));
    all.filter_map(|child| {
        let words = child.text().or_else(|| child.attribute("name")).or_else(|| child.child_text("text"));
        match (child.name(), words, child.attribute("id")) {
            ("Qual", Some(words), _) => Some(words.to_owned()),
            (name, Some(words), _) => Some(format!("{name}: {words}")),
            (name, None, Some(id)) => Some(format!("only {name} {id} of the vehicle database")),
            (_, None, None) => None,
        }
    })
}

/// The name in an element: its text, or else its attribute `name`.
fn named(app: &Element, name: &str) -> Option<String> {
    let element = app.child(name)?;
    element.text().or_else(|| element.attribute("name")).map(str::to_owned)
}

/// Converts one `Item` of PIES.
fn item(item: &Element) -> Row {
    if item.attribute("MaintenanceType").is_some_and(|kind| kind.eq_ignore_ascii_case("D")) {
        return Err(RowFault::Skip("It takes a part away; please delete such parts by hand.".to_owned()));
    }
    let descriptions: Vec<&Element> =
        item.child("Descriptions").into_iter().flat_map(|list| list.children("Description")).collect();
    let described = |code: &str| {
        let of_code = |entry: &&&Element| {
            entry.attribute("DescriptionCode").is_some_and(|own| own.eq_ignore_ascii_case(code))
        };
        descriptions.iter().find(of_code).and_then(|entry| entry.text()).map(str::to_owned)
    };
    // The short description (SHO) is preferred, then the product description (DES), then the label (LAB). The
    // marketing text (MKT) goes into the notes.
    let name = described("SHO").or_else(|| described("DES")).or_else(|| described("LAB"));
    let prices: Vec<&Element> =
        item.child("Prices").into_iter().flat_map(|list| list.children("Pricing")).collect();
    // The retail or list price if there is one, otherwise the first price.
    let is_retail = |price: &&&Element| {
        price.attribute("PriceType").is_some_and(|kind| matches!(kind, "RET" | "RTL" | "LST"))
    };
    let price = prices.iter().find(is_retail).or_else(|| prices.first());
    Ok(PartRow {
        number: item.child_text("PartNumber").map(str::to_owned),
        // `BrandLabel` is the name; `BrandAAIAID` only the four-letter id.
        brand: item.child_text("BrandLabel").or_else(|| item.child_text("BrandAAIAID")).map(str::to_owned),
        name: name.map(|name| name.chars().take(120).collect()),
        // The default description (DEF) holds the name of the part type; else the product's name is tried as one.
        type_name: described("DEF").or_else(|| described("DES")).or_else(|| described("SHO")),
        price: price.and_then(|price| price.child_text("Price")).map(str::to_owned),
        currency: price
            .and_then(|price| price.child_text("CurrencyCode").or_else(|| price.attribute("CurrencyCode")))
            .map(str::to_owned),
        notes: described("MKT").or_else(|| described("EXT")),
        ..PartRow::default()
    })
}
