//! Recognises the columns of a price list by their headers.

use std::collections::BTreeMap;

use partsight_domain::InvalidInput;

use crate::parts::list_columns::{ListColumns, listed};
use crate::parts::list_upload::ReadColumns;

/// Meaning of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Field {
    Label,
    Part,
    PartNumber,
    Brand,
    Price,
    Currency,
    InStock,
    Shipping,
    Url,
    Notes,
    Make,
    Model,
    FirstYear,
    LastYear,
}

/// Each field with its name in the API and its known headers, as [`plain_header`] writes them.
const FIELDS: [(Field, &str, &[&str]); 14] = [
    (Field::Label, "label", &["label", "parttype", "typelabel"]),
    (
        Field::Part,
        "part",
        &[
            "part",
            "name",
            "partname",
            "productname",
            "description",
            "product",
            "item",
            "title",
            "bezeichnung",
            "artikelbezeichnung",
            "designation",
            "désignation",
            "descripción",
            "descripcion",
            "descrizione",
        ],
    ),
    (
        Field::PartNumber,
        "partNumber",
        &[
            "partnumber",
            "partno",
            "partnr",
            "part#",
            "number",
            "sku",
            "mpn",
            "itemnumber",
            "itemno",
            "articlenumber",
            "articleno",
            "oem",
            "oemnumber",
            "artikelnummer",
            "artnr",
            "artikelnr",
            "teilenummer",
            "bestellnummer",
            "référence",
            "reference",
            "referencia",
            "codice",
        ],
    ),
    (Field::Brand, "brand", &["brand", "manufacturer", "maker", "hersteller", "marke", "marque", "marca"]),
    (
        Field::Price,
        "price",
        &[
            "price",
            "unitprice",
            "listprice",
            "netprice",
            "retailprice",
            "saleprice",
            "cost",
            "preis",
            "listenpreis",
            "nettopreis",
            "vk",
            "prix",
            "precio",
            "prezzo",
        ],
    ),
    (
        Field::Currency,
        "currency",
        &["currency", "currencycode", "währung", "waehrung", "devise", "moneda", "valuta"],
    ),
    (
        Field::InStock,
        "inStock",
        &[
            "instock",
            "stock",
            "availability",
            "available",
            "quantity",
            "qty",
            "onhand",
            "bestand",
            "lagerbestand",
            "verfügbar",
            "verfuegbar",
        ],
    ),
    (
        Field::Shipping,
        "shipping",
        &["shipping", "shippinginfo", "delivery", "shippingcost", "versand", "lieferzeit"],
    ),
    (Field::Url, "url", &["url", "link", "producturl", "webpage"]),
    (Field::Notes, "notes", &["notes", "note", "remarks", "comment", "comments", "bemerkung"]),
    (Field::Make, "make", &["make", "vehiclemake"]),
    (Field::Model, "model", &["model", "vehiclemodel"]),
    (Field::FirstYear, "firstYear", &["firstyear", "yearfrom", "fromyear", "startyear"]),
    (Field::LastYear, "lastYear", &["lastyear", "yearto", "toyear", "endyear"]),
];

impl Field {
    pub(super) const fn index(self) -> usize {
        self as usize
    }

    /// The name in the API.
    pub(super) fn as_str(self) -> &'static str {
        FIELDS[self.index()].1
    }
}

/// The column index of each field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Columns(ListColumns<{ FIELDS.len() }>);

impl Columns {
    /// Finds the columns of a file by its headers, in any order; case and separators are ignored. `mapping` overrides
    /// it, from field to header; an empty header means that the field is not read.
    ///
    /// # Errors
    /// Under the field `mapping` for an unknown field or header, under `file` for a missing column.
    pub(super) fn recognise(
        headers: Vec<String>,
        mapping: &BTreeMap<String, String>,
    ) -> Result<Self, InvalidInput> {
        let fields = FIELDS.map(|(_, name, known)| (name, known));
        let columns = Self(ListColumns::find(fields, headers, mapping, plain_header)?);
        columns.check()?;
        Ok(columns)
    }

    fn check(&self) -> Result<(), InvalidInput> {
        let has = |field| self.at(field).is_some();
        let mut missing = Vec::new();
        if !has(Field::Price) {
            missing.push("the price (`price`)");
        }
        if ![Field::Label, Field::Part, Field::PartNumber].into_iter().any(has) {
            missing.push("the part's name, number or type (`part`, `partNumber`, `label`)");
        }
        if missing.is_empty() {
            return Ok(());
        }
        let columns = match self.0.headers() {
            [alone] => format!(
                "one column, {}. Cells are told apart by commas, semicolons or tabs (`delimiter`)",
                listed(std::slice::from_ref(alone))
            ),
            all => listed(all),
        };
        let message = format!(
            "No column was recognised as {}. Please choose the column (`mapping`); the file has {columns}.",
            missing.join(" and none as "),
        );
        Err(InvalidInput::new("file", message))
    }

    /// Column index of a field.
    pub(super) fn at(&self, field: Field) -> Option<usize> {
        self.0.at(field.index())
    }

    /// The fields that are read, and the headers of the ignored columns.
    pub(super) fn read(&self) -> ReadColumns {
        self.0.read()
    }
}

/// A header in lower case, without white space and separators.
fn plain_header(header: &str) -> String {
    let parts = |c: char| c.is_whitespace() || matches!(c, '_' | '-' | '.' | '/');
    header.to_lowercase().chars().filter(|c| !parts(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recognise(headers: &[&str], mapping: &[(&str, &str)]) -> Result<Columns, InvalidInput> {
        let own = |text: &&str| (*text).to_owned();
        let mapping = mapping.iter().map(|(field, header)| (own(field), own(header))).collect();
        Columns::recognise(headers.iter().map(own).collect(), &mapping)
    }

    #[test]
    fn fields_stand_in_the_order_of_their_numbers() {
        for (at, (field, ..)) in FIELDS.iter().enumerate() {
            assert_eq!(field.index(), at);
        }
    }

    #[test]
    fn columns_are_known_by_their_headers() {
        let columns = recognise(&["SKU", "Description", "Unit Price", "Qty", "Warehouse"], &[]).unwrap();
        let ReadColumns { read, ignored } = columns.read();
        let read: Vec<(&str, &str)> = read.iter().map(|(field, header)| (*field, header.as_str())).collect();
        assert_eq!(
            read,
            [("part", "Description"), ("partNumber", "SKU"), ("price", "Unit Price"), ("inStock", "Qty")]
        );
        assert_eq!(ignored, ["Warehouse"]);
        let german = recognise(&["Artikel-Nr.", "Bezeichnung", "Preis", "Währung"], &[]).unwrap();
        assert_eq!(german.at(Field::Currency), Some(3));
    }

    #[test]
    fn a_mapping_comes_first() {
        let headers = ["Code", "Price", "Net EUR"];
        let columns = recognise(&headers, &[("partNumber", "code"), ("price", "Net EUR")]).unwrap();
        assert_eq!((columns.at(Field::PartNumber), columns.at(Field::Price)), (Some(0), Some(2)));
        let without = recognise(&["SKU", "Stock", "Price"], &[("inStock", "")]).unwrap();
        assert_eq!(without.at(Field::InStock), None);
    }

    #[test]
    fn what_is_missing_is_named_beside_what_is_there() {
        let cases = [
            (
                recognise(&["Code", "Net EUR"], &[]),
                "file",
                "as the price (`price`) and none as the part's name, number or type (`part`, `partNumber`, `label`).",
            ),
            (
                recognise(&["SKU|Price"], &[]),
                "file",
                "has one column, `SKU|Price`. Cells are told apart by commas,",
            ),
            (recognise(&["SKU", "Net EUR"], &[]), "file", "the file has `SKU`, `Net EUR`"),
            (recognise(&["SKU", "Price"], &[("cost", "Price")]), "mapping", "no field `cost`"),
            (recognise(&["SKU", "Price"], &[("part", "Name")]), "mapping", "no column `Name`"),
        ];
        for (result, field, sentence) in cases {
            let error = result.unwrap_err();
            assert_eq!(error.field, field);
            assert!(error.message.contains(sentence), "{}", error.message);
        }
    }
}
