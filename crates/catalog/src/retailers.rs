use std::collections::HashMap;

use partsight_domain::{PartType, QUERY_VALUE, VehicleName};
use percent_encoding::utf8_percent_encode;
use serde::Deserialize;

use crate::Error;

/// A shop that sells parts, and how to search it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retailer {
    /// Its usual name; the key that part types use.
    pub name: String,
    /// Its home page.
    pub website: String,
    /// Its search page with the placeholder `{query}`, if it has one that accepts a text.
    pub search_url: Option<String>,
    /// Advice about buying there.
    pub notes: String,
}

/// A place to buy a part, without its own price: `price_note` has our dated estimate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supplier {
    /// The retailer's name.
    pub name: String,
    /// Its home page.
    pub website: String,
    /// Its search for this part on this vehicle; `None` if its search has no links.
    pub search_url: Option<String>,
    /// Our price estimate for the part, marked as an estimate.
    pub price_note: String,
    /// Advice about buying there.
    pub notes: String,
}

impl Retailer {
    /// This retailer as a supplier of `part_type`, for `vehicle` if given.
    pub fn supplier(&self, part_type: &PartType, vehicle: Option<&VehicleName>) -> Supplier {
        let query = match vehicle {
            Some(vehicle) => format!("{vehicle} {}", part_type.name),
            None => part_type.name.clone(),
        };
        // A vehicle's name may be user input: unescaped, an `&` in it would add a parameter to the shop's URL.
        let query = utf8_percent_encode(&query, QUERY_VALUE).to_string();
        Supplier {
            name: self.name.clone(),
            website: self.website.clone(),
            search_url: self.search_url.as_ref().map(|url| url.replace("{query}", &query)),
            price_note: part_type.price.range_text(),
            notes: self.notes.clone(),
        }
    }
}

/// All retailers in the catalogue, by name.
#[derive(Debug)]
pub struct Retailers(HashMap<String, Retailer>);

impl Retailers {
    /// Parses the embedded `data/retailers.toml`.
    pub fn embedded() -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct File {
            retailer: Vec<Retailer>,
        }
        let file: File = toml::from_str(include_str!("../data/retailers.toml"))
            .map_err(|source| Error::Parse { file: "retailers.toml", source: Box::new(source) })?;
        Ok(Self(file.retailer.into_iter().map(|retailer| (retailer.name.clone(), retailer)).collect()))
    }

    /// The retailer with exactly this name.
    pub fn get(&self, name: &str) -> Option<&Retailer> {
        self.0.get(name)
    }
}

#[cfg(test)]
mod tests {
    use crate::Catalog;

    use super::*;

    #[test]
    fn a_supplier_link_searches_for_the_part_on_the_vehicle() {
        let catalog = Catalog::embedded().unwrap();
        let part_type = catalog.iter().find(|part_type| part_type.label.as_str() == "spark-plug").unwrap();
        let vehicle: VehicleName = "2015 Honda Civic & Co".parse().unwrap();
        let amazon =
            Retailers::embedded().unwrap().get("Amazon").unwrap().supplier(part_type, Some(&vehicle));
        let url = amazon.search_url.unwrap();
        assert!(url.starts_with("https://www.amazon.com/"), "{url}");
        assert!(url.contains("2015%20Honda%20Civic%20%26%20Co%20Spark%20Plug"), "{url}");
        assert!(amazon.price_note.contains("(estimate, 20"), "{}", amazon.price_note);
    }

    #[test]
    fn every_address_is_https() {
        for retailer in Retailers::embedded().unwrap().0.values() {
            assert!(retailer.website.starts_with("https://"), "{retailer:?}");
            let search = retailer.search_url.as_deref();
            assert!(
                search.is_none_or(|url| url.starts_with("https://") && url.contains("{query}")),
                "{retailer:?}"
            );
        }
    }
}
