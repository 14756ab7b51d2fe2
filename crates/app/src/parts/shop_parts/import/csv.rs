//! Parts as CSV: one row per fitment of a part, or one row for a part without fitments.

use partsight_domain::{FitmentSource, InvalidInput, PartFitment, PartFitmentForm, ShopPart};

use super::{PartRow, RowFault};
use crate::Result;
use crate::csv_file::file;
use crate::csv_file::table::Table;
use crate::limits::heavy_work::Deadline;
use crate::parts::part_types::PartTypes;

const COLUMNS: [&str; 13] = [
    "type",
    "number",
    "brand",
    "name",
    "price",
    "currency",
    "notes",
    "make",
    "model",
    "year_from",
    "year_to",
    "fits",
    "fitment_note",
];

/// The column for the owner of a part, in files of users who see their own parts and a company's.
const OWNER: &str = "owner";

/// The rows of a file with their row numbers, and the columns that were ignored.
pub(super) struct Rows {
    pub(super) rows: Vec<(usize, Result<PartRow, RowFault>)>,
    pub(super) ignored_columns: Vec<String>,
}

/// Reads a file with our columns in any order. Case and separators in the headers are ignored.
///
/// # Errors
/// [`Error::Invalid`](crate::Error::Invalid) says what is wrong with the file, under the field `body`.
pub(super) fn rows(bytes: &[u8], max_rows: usize, deadline: &Deadline) -> Result<Rows> {
    let table = Table::read(bytes, max_rows)?;
    deadline.check()?;
    let plain = Table::plain_headers(&table.headers);
    let at = |names: &[&str]| names.iter().find_map(|name| plain.iter().position(|header| header == name));
    let [kind, number, brand, name, price, currency, notes, make, model, from, to, fits, note, owner] = [
        at(&["type", "parttype", "label"]),
        at(&["number", "partnumber", "sku"]),
        at(&["brand", "manufacturer"]),
        at(&["name", "description"]),
        at(&["price"]),
        at(&["currency"]),
        at(&["notes"]),
        at(&["make"]),
        at(&["model"]),
        // A single column `year` is both the first and the last year.
        at(&["yearfrom", "firstyear", "year"]),
        at(&["yearto", "lastyear", "year"]),
        at(&["fits"]),
        at(&["fitmentnote"]),
        at(&[OWNER]),
    ];
    if number.is_none() {
        let text = "The file has no column number. Its first row must name the columns.";
        return Err(InvalidInput::new("body", text).into());
    }
    let read = [kind, number, brand, name, price, currency, notes, make, model, from, to, fits, note, owner];
    let is_ignored = |(at, header): &(usize, &String)| !header.is_empty() && !read.contains(&Some(*at));
    let ignored_columns =
        table.headers.iter().enumerate().filter(is_ignored).map(|(_, header)| header.clone()).collect();
    let rows = table.rows.iter().map(|row| {
        let cell = |column| Some(row.cell(column)).filter(|text| !text.is_empty()).map(str::to_owned);
        let fits = match cell(fits).map(|text| text.to_lowercase()).as_deref() {
            // A row with a vehicle and an empty cell means that the part fits.
            None | Some("yes" | "true" | "1") => Ok(Some(true)),
            Some("no" | "false" | "0") => Ok(Some(false)),
            Some(_) => Err(RowFault::Fault("The column fits must say yes or no.".to_owned())),
        };
        let row_of = |fits| {
            let fitment = PartFitmentForm {
                make: cell(make),
                model: cell(model),
                first_year: cell(from),
                last_year: cell(to),
                note: cell(note),
                fits,
            };
            // Years alone count too, so that validation asks for the make and the years are not dropped silently.
            let has_fitment = [&fitment.make, &fitment.model, &fitment.first_year, &fitment.last_year]
                .into_iter()
                .any(Option::is_some);
            // In files separated by semicolons a comma is the decimal separator.
            let price = cell(price).map(|price| match price.rsplit_once(',') {
                Some((whole, decimals)) if table.has_semicolons && decimals.len() <= 2 => {
                    format!("{}.{decimals}", whole.replace('.', ""))
                }
                _ => price,
            });
            PartRow {
                type_name: cell(kind),
                is_type_given: true,
                number: cell(number),
                brand: cell(brand),
                name: cell(name),
                price,
                currency: cell(currency),
                notes: cell(notes),
                fitment: has_fitment.then_some((fitment, FitmentSource::Shop)),
                owner: cell(owner),
            }
        };
        (row.number as usize, fits.map(row_of))
    });
    Ok(Rows { rows: rows.collect(), ignored_columns })
}

/// Writes parts in the format that [`rows`] reads, with a column for the owner if `owner` is given.
pub(super) fn write(
    parts: &[ShopPart],
    types: &PartTypes,
    owner: Option<&dyn Fn(&ShopPart) -> &'static str>,
) -> String {
    let columns: Vec<&str> = COLUMNS.into_iter().chain(owner.map(|_| OWNER)).collect();
    let rows = parts.iter().flat_map(|part| {
        let details = &part.details;
        let fitments: Vec<Option<&PartFitment>> = if details.fitments.is_empty() {
            vec![None]
        } else {
            details.fitments.iter().map(Some).collect()
        };
        fitments.into_iter().map(move |fitment| {
            let optional = |text: Option<&String>| text.cloned().unwrap_or_default();
            let year = |year: Option<u16>| year.map(|year| year.to_string()).unwrap_or_default();
            let fits = fitment.map(|fitment| if fitment.fits { "yes" } else { "no" });
            let mut row = vec![
                // A deleted type is left blank, because an import would refuse the whole file.
                if types.get(&details.label).is_some() { details.label.to_string() } else { String::new() },
                details.number.clone(),
                optional(details.brand.as_ref()),
                optional(details.name.as_ref()),
                details.price.as_ref().map(partsight_domain::PartPrice::amount).unwrap_or_default(),
                details.price.as_ref().map(|price| price.currency().to_owned()).unwrap_or_default(),
                optional(details.notes.as_ref()),
                fitment.map(|fitment| fitment.make.clone()).unwrap_or_default(),
                optional(fitment.and_then(|fitment| fitment.model.as_ref())),
                year(fitment.and_then(|fitment| fitment.first_year)),
                year(fitment.and_then(|fitment| fitment.last_year)),
                fits.unwrap_or_default().to_owned(),
                optional(fitment.and_then(|fitment| fitment.note.as_ref())),
            ];
            row.extend(owner.map(|owner| owner(part).to_owned()));
            row
        })
    });
    file(&columns, rows)
}
