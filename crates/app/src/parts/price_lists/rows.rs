//! Converts rows of a file to rows of a price list.

use std::collections::HashSet;

use partsight_domain::{
    Currency, CurrencySign, DecimalSign, Fitment, PRICE_TEXT_MAX_CHARS, Price, PriceFault, PriceListItem,
    PriceText, is_web_address, number_key, part_key,
};

use super::columns::{Columns, Field};
use crate::csv_file::reader::Row;

/// Longest part number, in characters.
const NUMBER_MAX_CHARS: usize = 100;

/// Result of converting one row.
#[derive(Debug, PartialEq)]
pub(super) enum RowOutcome {
    /// A price, and warnings about it.
    Item(Box<PriceListItem>, Vec<Remark>),
    /// A row without a price, and why.
    Skip(Remark),
    /// An invalid row, and why.
    Fault(Remark),
}

/// A message about a cell.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Remark {
    pub(super) field: &'static str,
    pub(super) message: String,
}

fn remark(field: Field, message: impl Into<String>) -> Remark {
    Remark { field: field.as_str(), message: message.into() }
}

/// Converts the rows of one file to rows of a price list.
#[derive(Debug)]
pub(super) struct Converter {
    pub(super) columns: Columns,
    /// For rows that name no currency.
    pub(super) currency: Currency,
    /// Given in the form, or found in an earlier row.
    pub(super) sign: Option<DecimalSign>,
    /// Keys of the labels and names of all part types.
    pub(super) known_types: HashSet<String>,
}

impl Converter {
    /// The decimal sign in the price of a row, if it is unambiguous.
    pub(super) fn sign_of(&self, row: &Row) -> Option<DecimalSign> {
        PriceText::read(row.cell(self.columns.at(Field::Price)), None).ok()?.sign
    }

    pub(super) fn convert(&self, row: &Row) -> RowOutcome {
        let cell = |field: Field| row.cell(self.columns.at(field));
        let price = match self.price(cell(Field::Price), cell(Field::Currency)) {
            Ok(price) => price,
            Err(outcome) => return outcome,
        };
        let number = cell(Field::PartNumber);
        if number.chars().count() > NUMBER_MAX_CHARS {
            let message = format!("The part number has more than {NUMBER_MAX_CHARS} characters.");
            return RowOutcome::Fault(remark(Field::PartNumber, message));
        }
        let (type_key, number_key) = (self.type_key(row), number_key(number));
        if type_key.is_empty() && number_key.is_empty() {
            let message = "The row names neither a part nor a part number.";
            return RowOutcome::Fault(remark(Field::Part, message));
        }
        let fitment = match fitment(&cell) {
            Ok(fitment) => fitment,
            Err(remark) => return RowOutcome::Fault(remark),
        };
        let mut remarks = Vec::new();
        let in_stock = in_stock(cell(Field::InStock));
        if in_stock.is_none() && !cell(Field::InStock).is_empty() {
            let message = format!("`{}` says neither yes nor no.", shown(cell(Field::InStock)));
            remarks.push(remark(Field::InStock, message));
        }
        let url = Some(cell(Field::Url)).filter(|url| !url.is_empty());
        let is_link = url.is_none_or(is_web_address);
        if !is_link {
            remarks.push(remark(Field::Url, "The address is none of `https` or `http`, and is left out."));
        }
        let item = PriceListItem {
            row: row.number,
            type_key,
            number_key,
            name: kept(if cell(Field::Part).is_empty() { cell(Field::Label) } else { cell(Field::Part) }),
            part_number: kept(number),
            brand: kept(cell(Field::Brand)),
            price,
            in_stock,
            shipping_info: kept(cell(Field::Shipping)),
            url: url.filter(|_| is_link).map(str::to_owned),
            notes: kept(cell(Field::Notes)),
            fitment,
        };
        RowOutcome::Item(Box::new(item), remarks)
    }

    /// Whether a part type of this server has this key.
    pub(super) fn is_known_type(&self, key: &str) -> bool {
        self.known_types.contains(key)
    }

    /// The key of the label if it is known, else that of the name if it is known. If neither is, the first that is not
    /// empty, because the type may be taught later.
    fn type_key(&self, row: &Row) -> String {
        let key = |field| part_key(row.cell(self.columns.at(field)));
        let (label, name) = (key(Field::Label), key(Field::Part));
        let is_label_kept = self.is_known_type(&label) || (!label.is_empty() && !self.is_known_type(&name));
        let chosen = if is_label_kept { label } else { name };
        chosen.chars().take(PRICE_TEXT_MAX_CHARS).collect()
    }

    fn price(&self, text: &str, currency: &str) -> Result<Price, RowOutcome> {
        let fault = |message: String| Err(RowOutcome::Fault(remark(Field::Price, message)));
        let none = |message: String| Err(RowOutcome::Skip(remark(Field::Price, message)));
        let shown = shown(text);
        let read = match PriceText::read(text, self.sign) {
            Ok(read) => read,
            Err(PriceFault::Empty) => return none("The row has no price.".to_owned()),
            // A cell without a digit of any script, such as "on request", is no mistyped price.
            Err(PriceFault::NotANumber) if !text.chars().any(char::is_numeric) => {
                return none(format!("`{shown}` is no price."));
            }
            Err(PriceFault::NotANumber) => return fault(format!("`{shown}` is no price.")),
            Err(PriceFault::Ambiguous) => {
                return fault(format!(
                    "`{shown}` can be read two ways. Please say whether decimals come after a point or a comma \
                     (`decimalSign`)."
                ));
            }
            Err(PriceFault::OtherSign) => {
                let sign = self.sign.map_or("", DecimalSign::as_str);
                return fault(format!(
                    "`{shown}` does not have a {sign} before its decimals, as other rows have."
                ));
            }
            Err(PriceFault::Negative) => return fault(format!("`{shown}` is below zero.")),
            Err(PriceFault::TooPrecise) => return fault(format!("`{shown}` has more than four decimals.")),
            Err(PriceFault::TooLarge) => return fault(format!("`{shown}` is more than 1,000,000,000.")),
        };
        // Precedence: the currency column, then the sign beside the number, then the currency of the list.
        let column = match (currency, CurrencySign::read(currency)) {
            ("", _) => None,
            (_, Some(sign)) => Some(sign),
            (unknown, None) => {
                let message = format!("`{}` is no currency; please use three letters.", self::shown(unknown));
                return Err(RowOutcome::Fault(remark(Field::Currency, message)));
            }
        };
        let named = [column, read.currency].into_iter().flatten().find_map(|sign| match sign {
            CurrencySign::Named(currency) => Some(currency),
            // A dollar sign alone is ambiguous: below it is only checked against the chosen currency.
            CurrencySign::Dollar => None,
        });
        let currency = named.unwrap_or(self.currency);
        if let Some(sign) = [column, read.currency].into_iter().flatten().find(|sign| !sign.fits(currency)) {
            let found = match sign {
                CurrencySign::Named(other) => other.to_string(),
                CurrencySign::Dollar => "dollars".to_owned(),
            };
            return fault(format!(
                "`{shown}` is in {found}, but its currency is {currency}. Please name the right one by three letters."
            ));
        }
        match Price::new(read.ten_thousandths, currency) {
            Some(price) => Ok(price),
            None => none("The price is zero.".to_owned()),
        }
    }
}

fn fitment<'r>(cell: &impl Fn(Field) -> &'r str) -> Result<Option<Fitment>, Remark> {
    let (make, model) = (cell(Field::Make), cell(Field::Model));
    let years = [Field::FirstYear, Field::LastYear].map(|field| {
        let text = cell(field);
        let year = text.parse::<u16>().ok().filter(|year| (1886..=2100).contains(year));
        if year.is_none() && !text.is_empty() {
            return Err(remark(field, format!("`{}` is no year from 1886 to 2100.", shown(text))));
        }
        Ok(year)
    });
    let [first_year, last_year] = years;
    let (first_year, last_year) = (first_year?, last_year?);
    if first_year.zip(last_year).is_some_and(|(first, last)| first > last) {
        return Err(remark(Field::LastYear, "The last year is before the first."));
    }
    if make.is_empty() {
        if !model.is_empty() {
            return Err(remark(Field::Make, "A model needs its make."));
        }
        if first_year.is_none() && last_year.is_none() {
            return Ok(None);
        }
    }
    let model = kept(model);
    Ok(Some(Fitment { make: kept(make).unwrap_or_default(), model, first_year, last_year }))
}

/// Parses a cell about the stock: a word or a count; `None` for anything else.
fn in_stock(text: &str) -> Option<bool> {
    let text = text.to_lowercase();
    // Stock is often written as `>10`.
    if let Ok(count) = text.replace(',', ".").trim_start_matches('>').trim().parse::<f64>() {
        return count.is_finite().then_some(count > 0.0);
    }
    match text.as_str() {
        "yes" | "y" | "true" | "in stock" | "instock" | "available" | "ja" | "oui" | "si" | "sí" | "x" => {
            Some(true)
        }
        "no" | "n" | "false" | "out of stock" | "outofstock" | "sold out" | "unavailable" | "backorder"
        | "backordered" | "nein" | "non" | "-" => Some(false),
        _ => None,
    }
}

/// The text on one line, truncated to [`PRICE_TEXT_MAX_CHARS`]; `None` for an empty one.
fn kept(text: &str) -> Option<String> {
    let text: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(PRICE_TEXT_MAX_CHARS).collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// A cell as quoted in a message: at most 40 characters, without control characters.
pub(in crate::parts) fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::csv_file::reader::RowReader;

    /// Converts the first row of a file whose default currency is USD.
    fn convert(text: &str, sign: Option<DecimalSign>) -> RowOutcome {
        let mut reader = RowReader::new(None);
        let mut rows = reader.push(text.as_bytes()).unwrap();
        rows.extend(reader.finish().unwrap());
        let headers = rows[0].cells().map(str::to_owned).collect();
        let converter = Converter {
            columns: Columns::recognise(headers, &BTreeMap::new()).unwrap(),
            currency: Currency::USD,
            sign,
            known_types: ["brake-rotor", "brake-disc"].map(str::to_owned).into(),
        };
        converter.convert(&rows[1])
    }

    fn item(text: &str) -> (PriceListItem, Vec<Remark>) {
        match convert(text, None) {
            RowOutcome::Item(item, remarks) => (*item, remarks),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_row_becomes_a_price() {
        let (found, remarks) = item(
            "sku;name;brand;price;stock;url;make;model;year from;year to\n\
             45251-TBA;Brake Disc;Brembo;1.049,90 €;3;https://s.example/1;Honda;Civic;2012;2015\n",
        );
        assert_eq!(remarks, []);
        assert_eq!((found.type_key.as_str(), found.number_key.as_str()), ("brake-disc", "45251TBA"));
        assert_eq!((found.price.to_string().as_str(), found.in_stock), ("1049.90 EUR", Some(true)));
        assert_eq!(item("sku,price\n1,１２．５\n").0.price.to_string(), "12.50 USD");
        let fitment = found.fitment.unwrap();
        assert_eq!((fitment.make.as_str(), fitment.last_year), ("Honda", Some(2015)));
    }

    #[test]
    fn a_known_label_or_name_is_chosen() {
        let key = |label: &str, name: &str| item(&format!("label,name,price\n{label},{name},1\n")).0.type_key;
        assert_eq!(key("brake-rotor", "Disc front"), "brake-rotor");
        assert_eq!(key("BR-1", "Brake Rotor"), "brake-rotor");
        assert_eq!(key("", "Egr Valve"), "egr-valve");
        assert_eq!(key("egr", "Valve"), "egr");
    }

    #[test]
    fn what_is_odd_is_said_and_what_is_wrong_is_refused() {
        let outcome =
            |row: &str| convert(&format!("sku,price,currency,stock,url,make,model,firstYear\n{row}\n"), None);
        let cases = [
            ("1,,,,,,,", "skip", "no price"),
            ("1,on request,,,,,,", "skip", "`on request`"),
            ("1,0.00,,,,,,", "skip", "zero"),
            ("1,12 each,,,,,,", "fault", "`12 each` is no price"),
            ("1,abc,,,,,,", "skip", "`abc`"),
            ("1,٣,,,,,,", "fault", "`٣` is no price"),
            ("1,\"1,234\",,,,,,", "fault", "two ways"),
            ("1,-1,,,,,,", "fault", "below zero"),
            ("1,5 EUR,USD,,,,,", "fault", "is in EUR, but"),
            ("1,$5,EUR,,,,,", "fault", "is in dollars, but"),
            ("1,5,dollars,,,,,", "fault", "no currency"),
            ("--,5,,,,,,", "fault", "neither a part nor"),
            ("1,5,,,,,Civic,", "fault", "needs its make"),
            ("1,5,,,,Honda,,12", "fault", "no year"),
            ("1,5,,maybe,,,,", "item", "neither yes nor no"),
            ("1,5,,,javascript:1,,,", "item", "left out"),
        ];
        for (row, kind, sentence) in cases {
            let (found, message) = match outcome(row) {
                RowOutcome::Item(_, remarks) => ("item", remarks[0].message.clone()),
                RowOutcome::Skip(remark) => ("skip", remark.message),
                RowOutcome::Fault(remark) => ("fault", remark.message),
            };
            assert_eq!(found, kind, "{row}: {message}");
            assert!(message.contains(sentence), "{row}: {message}");
        }
    }
}
