//! Price lists of shops, and their rows.

use jiff::{SignedDuration, Timestamp};

use crate::accounts::{Plan, Quota};
use crate::part_number::{composed, letters_and_digits};
use crate::parts::{Fitment, LinkTemplate, Price};
use crate::text::{lower_case, optional_text, short_text};
use crate::{Currency, InvalidInput, PriceListId, messages};

/// Longest name of a list or a supplier, in characters.
const NAME_MAX_CHARS: usize = 100;
const ADDRESS_MAX_CHARS: usize = 500;
const SHIPPING_MAX_CHARS: usize = 200;
const PHONE_MAX_CHARS: usize = 40;
/// Maximum of characters stored of a text in a row.
pub const PRICE_TEXT_MAX_CHARS: usize = 300;
/// Largest file of a price list or of cross-references, in bytes.
pub const LIST_MAX_BYTES: usize = 100 * 1024 * 1024;
/// Maximum of rows in a price list, without the header.
pub const PRICE_LIST_MAX_ROWS: u32 = 1_000_000;
/// Maximum of rows in all price lists of a shop, including deleted ones that can be restored.
pub const PRICE_ROWS_OF_SHOP: u64 = Quota::PriceListRows.limit(Plan::Business);
/// Maximum of price lists of a shop.
pub const PRICE_LISTS_OF_SHOP: u64 = 50;
/// How long a deleted price list can be restored.
pub const PRICE_LIST_RESTORABLE: SignedDuration = SignedDuration::from_hours(30 * 24);

/// A price list without its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceListDetails {
    /// Name, 1 to 100 characters; a list of the same name is replaced.
    pub name: String,
    /// Name of the supplier, 1 to 100 characters.
    pub supplier: String,
    /// Currency of rows that name none.
    pub currency: Currency,
    /// The supplier's front page, `https` or `http`.
    pub website: Option<String>,
    /// Template of the links to parts.
    pub url_template: Option<LinkTemplate>,
    /// Telephone number.
    pub phone: Option<String>,
    /// Shipping information for rows that have none.
    pub shipping_info: Option<String>,
}

/// The form of a price list, as typed.
#[derive(Debug, Clone, Default)]
pub struct PriceListForm {
    /// Name of the list; by default the supplier's name.
    pub name: Option<String>,
    /// Name of the supplier.
    pub supplier: Option<String>,
    /// Three letters.
    pub currency: Option<String>,
    /// An address.
    pub website: Option<String>,
    /// A URL with placeholders.
    pub url_template: Option<String>,
    /// A telephone number.
    pub phone: Option<String>,
    /// A few words.
    pub shipping_info: Option<String>,
}

impl PriceListDetails {
    /// Validates a form. The currency is US dollars by default.
    ///
    /// # Errors
    /// Names the field and what to do.
    pub fn from_form(form: &PriceListForm) -> Result<Self, InvalidInput> {
        let text = |value: &Option<String>| value.as_deref().unwrap_or_default().trim().to_owned();
        let supplier = short_text("supplier", "The supplier", &text(&form.supplier), NAME_MAX_CHARS)?;
        if supplier.is_empty() {
            return Err(InvalidInput::new("supplier", messages::PRICE_LIST_SUPPLIER_MISSING));
        }
        let name = short_text("name", "The name", &text(&form.name), NAME_MAX_CHARS)?;
        let currency = match text(&form.currency) {
            code if code.is_empty() => Currency::USD,
            code => Currency::new(&code)?,
        };
        let website = optional_text("website", "The website", form.website.as_deref(), ADDRESS_MAX_CHARS)?;
        if website.as_deref().is_some_and(|website| !is_web_address(website)) {
            return Err(InvalidInput::new("website", messages::WEB_ADDRESS_NEEDED));
        }
        let url_template = match text(&form.url_template) {
            template if template.is_empty() => None,
            template => Some(LinkTemplate::new("urlTemplate", &template)?),
        };
        Ok(Self {
            // A shop with one list per supplier needs no other name.
            name: if name.is_empty() { supplier.clone() } else { name },
            supplier,
            currency,
            website,
            url_template,
            phone: optional_text("phone", "The phone number", form.phone.as_deref(), PHONE_MAX_CHARS)?,
            shipping_info: optional_text(
                "shippingInfo",
                "The shipping information",
                form.shipping_info.as_deref(),
                SHIPPING_MAX_CHARS,
            )?,
        })
    }

    /// Key by which names of lists are compared, ignoring case and spaces.
    pub fn name_key(&self) -> String {
        list_name_key(&self.name)
    }
}

/// Whether a link may be shown as one: `https` or `http` with a host, of limited length, on one line.
pub fn is_web_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    text.len() <= 2000
        // It is shown as a link, so it must not be able to end an attribute or a line.
        && !text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '"' || c == '<')
        && rest.is_some_and(|rest| !rest.split(['/', '?', '#']).next().unwrap_or_default().is_empty())
}

/// A saved price list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceList {
    /// Changes when the list is replaced.
    pub id: PriceListId,
    /// Its details.
    pub details: PriceListDetails,
    /// Number of its rows.
    pub n_items: u64,
    /// When it was published.
    pub published_at: Timestamp,
    /// When it was deleted or replaced, if it was; it can be restored for 30 days.
    pub deleted_at: Option<Timestamp>,
}

/// One row of a price list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceListItem {
    /// Row number as in a spreadsheet, where the header is row 1.
    pub row: u32,
    /// Label or name of the part type, by [`part_key`]; empty if the row has neither.
    pub type_key: String,
    /// The part number by [`number_key`]; empty if the row has none.
    pub number_key: String,
    /// As the shop calls the part.
    pub name: Option<String>,
    /// As the shop writes it.
    pub part_number: Option<String>,
    /// Who made it.
    pub brand: Option<String>,
    /// What it costs.
    pub price: Price,
    /// Whether it is in stock, if the row states it.
    pub in_stock: Option<bool>,
    /// Of this part.
    pub shipping_info: Option<String>,
    /// The page of this part.
    pub url: Option<String>,
    /// Anything else.
    pub notes: Option<String>,
    /// The vehicles that it fits, if the row states them.
    pub fitment: Option<Fitment>,
}

/// Key by which names of lists are compared, ignoring case and spaces.
pub fn list_name_key(name: &str) -> String {
    lower_case(&name.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The key by which labels and names of part types are compared: words of letters and digits in lower case, joined by
/// hyphens. The key of a label is the label.
/// Characters that are only encoded differently are equal.
pub fn part_key(text: &str) -> String {
    // Composed first: a combining mark is no letter, and would split the word.
    let lower = lower_case(&composed(text));
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// The key by which part numbers of price lists are compared: letters and digits in upper case, so that
/// `45251-tba a00` is `45251TBAA00`.
/// Characters that are only encoded differently are equal, as in [`compact_number`](crate::compact_number).
pub fn number_key(text: &str) -> String {
    letters_and_digits(text).flat_map(char::to_uppercase).filter(|c| c.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form() -> PriceListForm {
        PriceListForm { supplier: Some(" Lee & Sons ".to_owned()), ..PriceListForm::default() }
    }

    #[test]
    fn a_list_needs_a_supplier_and_is_in_dollars_unless_it_says_otherwise() {
        let details = PriceListDetails::from_form(&form()).unwrap();
        assert_eq!((details.name.as_str(), details.supplier.as_str()), ("Lee & Sons", "Lee & Sons"));
        assert_eq!(details.currency, Currency::USD);
        let spring = PriceListForm { name: Some("Spring  2027".to_owned()), ..form() };
        assert_eq!(PriceListDetails::from_form(&spring).unwrap().name_key(), "spring 2027");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let some = |text: &str| Some(text.to_owned());
        let cases = [
            (PriceListForm { supplier: some(" "), ..form() }, "supplier"),
            (PriceListForm { name: Some("x".repeat(101)), ..form() }, "name"),
            (PriceListForm { currency: some("dollars"), ..form() }, "currency"),
            (PriceListForm { website: some("lee.example"), ..form() }, "website"),
            (PriceListForm { website: some("javascript:alert(1)"), ..form() }, "website"),
            (PriceListForm { url_template: some("https://s.example/{vin}"), ..form() }, "urlTemplate"),
            (PriceListForm { phone: Some("1".repeat(41)), ..form() }, "phone"),
            (PriceListForm { shipping_info: some("a\nb"), ..form() }, "shippingInfo"),
        ];
        for (form, field) in cases {
            assert_eq!(PriceListDetails::from_form(&form).unwrap_err().field, field);
        }
    }

    #[test]
    fn keys_leave_out_what_people_write_in_many_ways() {
        for (text, key) in [
            ("Brake Rotor", "brake-rotor"),
            ("brake-rotor", "brake-rotor"),
            (" A/C  Compressor ", "a-c-compressor"),
            ("Bremsscheibe (vorn)", "bremsscheibe-vorn"),
            ("İNCİ Akü", "inci-akü"),
            ("I\u{307}NCI\u{307} Aku\u{308}", "inci-akü"),
            ("--", ""),
        ] {
            assert_eq!(part_key(text), key);
        }
        for (text, key) in [
            ("45251-TBA A00", "45251TBAA00"),
            ("0 986 479-r51", "0986479R51"),
            ("ｑｑ-１２３", "QQ123"),
            ("u\u{308}-1", "Ü1"),
            (" . ", ""),
        ] {
            assert_eq!(number_key(text), key);
        }
    }
}
