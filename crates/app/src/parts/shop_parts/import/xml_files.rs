//! Writes the parts of a shop in the formats of the Auto Care Association.
//!
//! Both formats identify vehicles, part types and brands by ids of databases that need a paid licence. These files
//! hold names instead, which other programs may not accept. ACES holds fitments, but no parts without a fitment, no
//! vehicles that a part does not fit, no prices and no notes of parts. PIES holds parts without their fitments.
//! Neither holds photographs. [`super::aces_pies`] reads back everything that is written.

use std::borrow::Cow;
use std::fmt::Write as _;

use jiff::civil::Date;
use partsight_domain::{FitmentSource, InvalidInput, PartLabel, ShopPart};
use quick_xml::escape::escape;

use super::MAX_PART_ROWS;
use crate::parts::part_types::PartTypes;

/// Writes every fitment of the parts as an application of ACES.
///
/// # Errors
/// Under the field `format` for more than 100,000 fitments.
pub(super) fn aces(parts: &[ShopPart], types: &PartTypes, date: Date) -> Result<String, InvalidInput> {
    let names = TypeNames::new(types);
    let applications = parts
        .iter()
        .flat_map(|part| part.details.fitments.iter().map(move |fitment| (&part.details, fitment)));
    let applications = applications.filter(|(_, fitment)| fitment.fits);
    // Whoever imports a full submission takes it for all vehicles that a part fits.
    let is_full = parts.iter().map(|part| &part.details.fitments).all(|fitments| {
        fitments.iter().all(|fitment| fitment.source == FitmentSource::Aces)
            || !fitments.iter().any(|fitment| fitment.fits)
    });
    let submission = if is_full { "FULL" } else { "UPDATE" };
    let mut file = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ACES version=\"4.2\">\n  <Header>{}\
         <DocumentTitle>Parts</DocumentTitle><EffectiveDate>{date}</EffectiveDate>\
         <SubmissionType>{submission}</SubmissionType></Header>\n",
        sender(date)
    );
    let mut n_written = 0;
    for (part, fitment) in applications {
        n_written += 1;
        if n_written > MAX_PART_ROWS {
            let text = format!(
                "These parts have more than {MAX_PART_ROWS} fitments, and a file of ACES takes no more. Please \
                 export them as CSV."
            );
            return Err(InvalidInput::new("format", text));
        }
        write(&mut file, format_args!("  <App action=\"A\" id=\"{n_written}\">"));
        if fitment.first_year.is_some() || fitment.last_year.is_some() {
            let year =
                |name, year: Option<u16>| year.map(|year| format!(" {name}=\"{year}\"")).unwrap_or_default();
            let (from, to) = (year("from", fitment.first_year), year("to", fitment.last_year));
            write(&mut file, format_args!("<Years{from}{to}/>"));
        }
        write(&mut file, format_args!("<Make name=\"{}\"/>", text(&fitment.make)));
        if let Some(model) = &fitment.model {
            write(&mut file, format_args!("<Model name=\"{}\"/>", text(model)));
        }
        element(&mut file, "Note", fitment.note.as_deref());
        file.push_str("<Qty>1</Qty>");
        if let Some(name) = names.of(&part.label) {
            write(&mut file, format_args!("<PartType name=\"{}\"/>", text(&name)));
        }
        element(&mut file, "MfrLabel", part.name.as_deref());
        let brand = part.brand.as_deref().map(|brand| {
            let attribute = if is_brand_code(brand) { "BrandAAIAID" } else { "BrandLabel" };
            format!(" {attribute}=\"{}\"", text(brand))
        });
        let (brand, number) = (brand.unwrap_or_default(), text(&part.number));
        write(&mut file, format_args!("<Part{brand}>{number}</Part></App>\n"));
    }
    write(&mut file, format_args!("  <Footer><RecordCount>{n_written}</RecordCount></Footer>\n</ACES>\n"));
    Ok(file)
}

/// Writes every part as an item of PIES.
pub(super) fn pies(parts: &[ShopPart], types: &PartTypes, date: Date) -> String {
    let names = TypeNames::new(types);
    let mut file = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<PIES xmlns=\"http://www.autocare.org\">\n  <Header>\
         <PIESVersion>7.2</PIESVersion><SubmissionType>FULL</SubmissionType>\
         <BlanketEffectiveDate>{date}</BlanketEffectiveDate>{}</Header>\n  <Items>\n",
        sender(date)
    );
    for part in parts.iter().map(|part| &part.details) {
        file.push_str("  <Item MaintenanceType=\"A\">");
        element(&mut file, "PartNumber", Some(&part.number));
        element(&mut file, "BrandAAIAID", part.brand.as_deref().filter(|brand| is_brand_code(brand)));
        element(&mut file, "BrandLabel", part.brand.as_deref());
        let type_name = names.of(&part.label);
        let descriptions =
            [("DEF", type_name.as_deref()), ("DES", part.name.as_deref()), ("MKT", part.notes.as_deref())];
        if descriptions.iter().any(|(_, said)| said.is_some()) {
            file.push_str("<Descriptions>");
            for (code, said) in descriptions {
                let Some(said) = said else { continue };
                let said = text(said);
                write(
                    &mut file,
                    format_args!("<Description DescriptionCode=\"{code}\">{said}</Description>"),
                );
            }
            file.push_str("</Descriptions>");
        }
        if let Some(price) = &part.price {
            let (currency, amount) = (price.currency(), price.amount());
            write(
                &mut file,
                format_args!(
                    "<Prices><Pricing MaintenanceType=\"A\" PriceType=\"RET\"><CurrencyCode>{currency}</CurrencyCode>\
                     <Price UOM=\"PE\">{amount}</Price></Pricing></Prices>"
                ),
            );
        }
        file.push_str("</Item>\n");
    }
    let n_items = parts.len();
    write(
        &mut file,
        format_args!("  </Items>\n  <Trailer><ItemCount>{n_items}</ItemCount></Trailer>\n</PIES>\n"),
    );
    file
}

/// Names of part types by which an import finds them again.
struct TypeNames<'t> {
    types: &'t PartTypes,
    labels: std::collections::HashMap<String, PartLabel>,
}

impl<'t> TypeNames<'t> {
    fn new(types: &'t PartTypes) -> Self {
        Self { types, labels: types.by_name() }
    }

    /// The name, or the label if another type has the same name; `None` for a deleted type.
    fn of(&self, label: &PartLabel) -> Option<String> {
        self.types.get(label)?;
        let name = self.types.name(label);
        let is_its_own = self.labels.get(&PartTypes::plain_name(&name)) == Some(label);
        Some(if is_its_own { name } else { label.to_string() })
    }
}

fn sender(date: Date) -> String {
    format!(
        "<Company>Partsight</Company><SenderName>Partsight</SenderName><TransferDate>{date}</TransferDate>"
    )
}

/// Whether a brand looks like a brand id of the association: four capital letters.
fn is_brand_code(brand: &str) -> bool {
    brand.len() == 4 && brand.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn element(file: &mut String, name: &str, said: Option<&str>) {
    if let Some(said) = said {
        write(file, format_args!("<{name}>{}</{name}>", text(said)));
    }
}

/// Escapes a text for XML, without U+FFFE and U+FFFF, which XML does not allow.
fn text(said: &str) -> Cow<'_, str> {
    if said.contains(['\u{fffe}', '\u{ffff}']) {
        let plain: String = said.chars().filter(|c| !matches!(c, '\u{fffe}' | '\u{ffff}')).collect();
        return Cow::Owned(escape(plain.as_str()).into_owned());
    }
    escape(said)
}

fn write(file: &mut String, piece: std::fmt::Arguments<'_>) {
    // Writing into a `String` never fails.
    let _ = file.write_fmt(piece);
}
