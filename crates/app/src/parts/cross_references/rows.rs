//! Converts rows of a file to cross-references.

use std::collections::BTreeMap;

use partsight_domain::{
    CrossReference, CrossRelation, InvalidInput, PART_BRAND_MAX_CHARS, PART_NUMBER_MAX_CHARS, compact_number,
    part_key,
};

use crate::csv_file::reader::Row;
use crate::parts::list_columns::{ListColumns, ListField, listed};
use crate::parts::list_upload::ReadColumns;
use crate::parts::price_lists::shown;

/// Each field with its name on the wire and the known headers for it, without separators between words.
const FIELDS: [ListField; 5] = [
    ("number", &["number", "partnumber", "partno", "sku", "ownnumber", "artikelnummer", "teilenummer"]),
    ("brand", &["brand", "manufacturer", "maker", "hersteller", "marke"]),
    ("relation", &["relation", "type", "kind", "beziehung"]),
    (
        "otherNumber",
        &[
            "othernumber",
            "crossnumber",
            "crossreference",
            "crossref",
            "reference",
            "referencenumber",
            "oe",
            "oem",
            "oenumber",
            "oemnumber",
            "competitornumber",
            "vergleichsnummer",
        ],
    ),
    (
        "otherBrand",
        &[
            "otherbrand",
            "crossbrand",
            "referencebrand",
            "oebrand",
            "oembrand",
            "competitor",
            "othermanufacturer",
        ],
    ),
];
const NUMBER: usize = 0;
const BRAND: usize = 1;
const RELATION: usize = 2;
const OTHER_NUMBER: usize = 3;
const OTHER_BRAND: usize = 4;
/// Words for `equals`, in lower case without signs.
const EQUALS: [&str; 10] = [
    // Without the column, or with a blank cell, a row means `equals`.
    "",
    "equals",
    "equal",
    "same",
    "equivalent",
    "cross",
    "interchange",
    "alternative",
    "gleich",
    "entspricht",
];
/// Words for `replaces`.
const REPLACES: [&str; 6] = ["replaces", "supersedes", "successor", "newer", "ersetzt", "nachfolger"];
/// Words for the reverse relation.
const REPLACED: [&str; 5] = ["replacedby", "supersededby", "predecessor", "older", "ersetztdurch"];

/// The column of each field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Columns(ListColumns<{ FIELDS.len() }>);

impl Columns {
    /// Finds the columns by the header, whatever their order, case and separators. `mapping` assigns headers to fields;
    /// with an empty header a field is not read.
    ///
    /// # Errors
    /// An error of the field `mapping` for an unknown field or header, of `file` for missing columns.
    pub(super) fn recognise(
        headers: Vec<String>,
        mapping: &BTreeMap<String, String>,
    ) -> Result<Self, InvalidInput> {
        let columns = ListColumns::find(FIELDS, headers, mapping, letters)?;
        if columns.at(NUMBER).is_none() || columns.at(OTHER_NUMBER).is_none() {
            let message = format!(
                "The first row must name the columns `number` and `otherNumber`; the file has {}.",
                listed(columns.headers())
            );
            return Err(InvalidInput::new("file", message));
        }
        Ok(Self(columns))
    }

    /// The fields that are read, and the headers of the columns that are not.
    pub(super) fn read(&self) -> ReadColumns {
        self.0.read()
    }

    /// The row as a cross-reference; `Err` has the field and what is wrong.
    pub(super) fn convert(&self, row: &Row) -> Result<CrossReference, (&'static str, String)> {
        let cell = |field: usize| row.cell(self.0.at(field));
        let relation = letters(cell(RELATION));
        let is_one_of = |words: &[&str]| words.contains(&relation.as_str());
        let (relation, is_turned) = if is_one_of(&EQUALS) {
            (CrossRelation::Equals, false)
        } else if is_one_of(&REPLACES) {
            (CrossRelation::Replaces, false)
        } else if is_one_of(&REPLACED) {
            (CrossRelation::Replaces, true)
        } else {
            let message = format!(
                "`{}` is no relation. Please write `equals`, `replaces` or `replaced by`.",
                shown(cell(RELATION))
            );
            return Err((FIELDS[RELATION].0, message));
        };
        let (number, brand) = (number(NUMBER, cell(NUMBER))?, brand(BRAND, cell(BRAND))?);
        let other_number = self::number(OTHER_NUMBER, cell(OTHER_NUMBER))?;
        let other_brand = self::brand(OTHER_BRAND, cell(OTHER_BRAND))?;
        let key = |brand: &Option<String>| brand.as_deref().map(part_key);
        if compact_number(&number) == compact_number(&other_number) && key(&brand) == key(&other_brand) {
            return Err((FIELDS[OTHER_NUMBER].0, format!("`{}` refers to itself.", shown(&number))));
        }
        let (one, other) = ((number, brand), (other_number, other_brand));
        // Stored in one direction, so that a look-up follows one relation less.
        let ((number, brand), (other_number, other_brand)) =
            if is_turned { (other, one) } else { (one, other) };
        Ok(CrossReference { row: row.number, number, brand, relation, other_number, other_brand })
    }
}

fn number(field: usize, text: &str) -> Result<String, (&'static str, String)> {
    let fault = |message: String| Err((FIELDS[field].0, message));
    if !text.chars().any(char::is_alphanumeric) {
        return fault("The row has no number here.".to_owned());
    }
    if text.chars().count() > PART_NUMBER_MAX_CHARS {
        return fault(format!("The number has more than {PART_NUMBER_MAX_CHARS} characters."));
    }
    if text.chars().any(char::is_control) {
        return fault("The number has a line break or another control character.".to_owned());
    }
    Ok(text.to_owned())
}

fn brand(field: usize, text: &str) -> Result<Option<String>, (&'static str, String)> {
    if text.chars().count() > PART_BRAND_MAX_CHARS {
        return Err((FIELDS[field].0, format!("The brand has more than {PART_BRAND_MAX_CHARS} characters.")));
    }
    let brand: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Ok(Some(brand.trim().to_owned()).filter(|brand| !brand.is_empty()))
}

/// Letters and digits in lower case.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csv_file::reader::RowReader;

    fn convert(text: &str) -> Result<CrossReference, (&'static str, String)> {
        let mut reader = RowReader::new(None);
        let mut rows = reader.push(text.as_bytes()).unwrap();
        rows.extend(reader.finish().unwrap());
        let headers = rows[0].cells().map(str::to_owned).collect();
        Columns::recognise(headers, &BTreeMap::new()).unwrap().convert(&rows[1])
    }

    #[test]
    fn a_row_says_which_number_stands_for_which() {
        let found =
            convert("Part No;Brand;Relation;OE Number;OE Brand\n0 986 479;Bosch;;1K0 615;VW\n").unwrap();
        assert_eq!((found.number.as_str(), found.relation), ("0 986 479", CrossRelation::Equals));
        assert_eq!((found.other_number.as_str(), found.other_brand.as_deref()), ("1K0 615", Some("VW")));
        let turned = convert("number,relation,otherNumber\nA1,replaced by,B2\n").unwrap();
        assert_eq!((turned.number.as_str(), turned.other_number.as_str()), ("B2", "A1"));
        assert_eq!((turned.relation, turned.brand), (CrossRelation::Replaces, None));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let long = "9".repeat(61);
        for (row, field, sentence) in [
            ("A1,x,likes,B2,", "relation", "`likes` is no relation"),
            (",x,,B2,", "number", "no number"),
            ("A1,x,,--,", "otherNumber", "no number"),
            ("A1,x,,a-1,X", "otherNumber", "itself"),
            (&format!("{long},,,B2,"), "number", "more than 60"),
            (&format!("A1,,,B2,{long}"), "otherBrand", "more than 60"),
        ] {
            let (found, message) =
                convert(&format!("number,brand,relation,otherNumber,otherBrand\n{row}\n")).unwrap_err();
            assert_eq!(found, field, "{row}: {message}");
            assert!(message.contains(sentence), "{row}: {message}");
        }
        // Two makers may print the same number on one part.
        convert("number,brand,relation,otherNumber,otherBrand\nA1,X,,A1,Y\n").unwrap();
    }

    #[test]
    fn a_mapping_comes_first_and_what_is_missing_is_named() {
        let recognise = |headers: &[&str], mapping: &[(&str, &str)]| {
            let pairs = mapping.iter().map(|(field, header)| ((*field).to_owned(), (*header).to_owned()));
            Columns::recognise(headers.iter().map(|header| (*header).to_owned()).collect(), &pairs.collect())
        };
        let found = recognise(&["Mine", "Theirs", "Shelf"], &[("number", "mine"), ("otherNumber", "Theirs")])
            .unwrap();
        assert_eq!(found.read().ignored, ["Shelf"]);
        for (headers, mapping, field) in [
            (&["Mine", "OEM"][..], &[][..], "file"),
            (&["Number", "OEM"][..], &[("cost", "OEM")][..], "mapping"),
            (&["Number", "OEM"][..], &[("brand", "Maker")][..], "mapping"),
        ] {
            assert_eq!(recognise(headers, mapping).unwrap_err().field, field);
        }
    }
}
