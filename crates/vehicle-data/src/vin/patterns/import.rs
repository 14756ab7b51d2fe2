//! Builds the patterns from the tables of vPIC.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::matching::is_readable;
use super::{Element, Group, Manufacturer, Value, VinPatterns};
use crate::ImportError;

/// The year in which minutes begin.
const EPOCH_YEAR: u32 = 2000;
/// Cars, and multipurpose passenger vehicles, in vPIC's table `VehicleType`; trucks are [`TRUCK`].
const PASSENGER_TYPES: [i64; 2] = [2, 7];
const TRUCK: i64 = 3;
/// Trucks of up to 10,000 lb, in the column `TruckTypeId` of vPIC's table `Wmi`.
const LIGHT_TRUCK: i64 = 1;

/// Collects the rows of vPIC's tables. Lookups and models must be added first; within a table the order does not
/// matter.
#[derive(Default)]
pub struct VinPatternsImport {
    lookups: HashMap<(Element, String), String>,
    models: HashMap<String, (String, Option<String>)>,
    schemas: BTreeMap<i64, Vec<Row>>,
    manufacturers: BTreeMap<i64, (Manufacturer, Option<String>, Option<String>)>,
    links: BTreeMap<i64, Vec<(i64, u16, u16)>>,
    engines: BTreeMap<String, Vec<Content>>,
    latest: String,
    report: VinPatternReport,
}

/// Counts of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VinPatternReport {
    /// Rows of patterns in the database.
    pub rows: usize,
    /// Of those, rows for elements that we do not use, such as weights and brakes.
    pub unused: usize,
    /// Of those, rows whose value has no information or whose pattern is invalid.
    pub unreadable: usize,
}

/// A value that has no index yet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Content {
    element: Element,
    text: String,
    make: Option<String>,
}

struct Row {
    /// When it was last changed, as text that sorts by time.
    changed: String,
    key: String,
    content: Content,
}

impl VinPatternsImport {
    /// Adds a name from one of the lookup tables of `element`.
    pub fn lookup(&mut self, element: i64, id: i64, name: &str) {
        if let Some(element) = Element::of_vpic(element) {
            self.lookups.insert((element, id.to_string()), name.to_owned());
        }
    }

    /// Adds a model and its make.
    pub fn model(&mut self, id: i64, name: &str, make: Option<&str>) {
        self.models.insert(id.to_string(), (name.trim().to_owned(), make.map(|make| make.trim().to_owned())));
    }

    /// Adds a pattern of a schema: `attribute` is a value, or an id in the lookup table of the element.
    pub fn pattern(&mut self, schema: i64, key: &str, element: i64, attribute: &str, changed: &str) {
        self.report.rows += 1;
        if Element::of_vpic(element).is_none() {
            self.report.unused += 1;
            return;
        }
        let key = key.trim().to_ascii_uppercase();
        let Some(content) = self.content(element, attribute).filter(|_| is_readable(&key)) else {
            self.report.unreadable += 1;
            return;
        };
        // Both `2015-03-04 10:33:34.057000` and `2026-03-12T04:06:32.436Z` occur.
        let changed = changed.replace('T', " ");
        if changed > self.latest {
            self.latest.clone_from(&changed);
        }
        self.schemas.entry(schema).or_default().push(Row { changed, key, content });
    }

    /// Adds a value of an engine code.
    pub fn engine(&mut self, code: &str, element: i64, attribute: &str) {
        // Without power: engines with the same code have different power in different vehicles. 95 hp are listed
        // for the engine of a Corolla with 132 hp.
        let is_rating = |content: &Content| matches!(content.element, Element::Power | Element::PowerTo);
        if let Some(content) = self.content(element, attribute).filter(|content| !is_rating(content)) {
            self.engines.entry(code.trim().to_uppercase()).or_default().push(content);
        }
    }

    /// Adds a world manufacturer identifier; `make` only if it has exactly one.
    pub fn manufacturer(
        &mut self,
        id: i64,
        code: &str,
        name: Option<&str>,
        make: Option<&str>,
        vehicle_and_truck_type: (Option<i64>, Option<i64>),
    ) {
        let (vehicle, truck) = vehicle_and_truck_type;
        let is_light = vehicle.is_some_and(|vehicle| {
            PASSENGER_TYPES.contains(&vehicle) || vehicle == TRUCK && truck == Some(LIGHT_TRUCK)
        });
        let code = code.trim().to_ascii_uppercase();
        let own = |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        let row = Manufacturer { code, name: None, make: None, is_light, schemas: Vec::new() };
        self.manufacturers.insert(id, (row, own(name), own(make)));
    }

    /// Adds that a schema applies to a manufacturer from one model year to another; without an end it applies to
    /// all later years.
    pub fn link(&mut self, manufacturer: i64, schema: i64, first_year: i64, last_year: Option<i64>) {
        let year = |year: i64| u16::try_from(year.clamp(0, i64::from(u16::MAX))).unwrap_or(u16::MAX);
        let years = (year(first_year), last_year.map_or(u16::MAX, year));
        self.links.entry(manufacturer).or_default().push((schema, years.0, years.1));
    }

    fn content(&self, element: i64, attribute: &str) -> Option<Content> {
        let element = Element::of_vpic(element)?;
        let attribute = attribute.trim();
        if element == Element::Model {
            let (text, make) = self.models.get(attribute)?.clone();
            return (!text.is_empty()).then_some(Content { element, text, make });
        }
        let text = self.lookups.get(&(element, attribute.to_owned())).map_or(attribute, String::as_str);
        Some(Content { element, text: element.plain(text)?, make: None })
    }

    /// Builds the patterns; `package` describes in a few words where the database is from.
    ///
    /// # Errors
    /// [`ImportError::NoPatterns`] if no schema belongs to a manufacturer.
    pub fn finish(self, package: &str) -> Result<(VinPatterns, VinPatternReport), ImportError> {
        let used: BTreeSet<i64> = self.links.values().flatten().map(|(schema, _, _)| *schema).collect();
        let mut schemas = self.schemas;
        // Schemas without a manufacturer cannot be reached.
        schemas.retain(|schema, _| used.contains(schema));
        if schemas.is_empty() || self.manufacturers.is_empty() {
            return Err(ImportError::NoPatterns);
        }
        let day = self.latest.get(..10).unwrap_or_default();
        let source = format!("NHTSA vPIC, last changed on {day}, {package}");
        let mut tables = Tables::new(&schemas, &self.manufacturers, &self.engines);
        let mut contents: HashMap<Vec<Group>, u32> = HashMap::new();
        let mut numbers: HashMap<i64, u32> = HashMap::new();
        let mut groups_of_schemas = Vec::new();
        for (schema, rows) in schemas {
            let groups = tables.groups(rows);
            // Manufacturers report the same schema under several ids.
            let number = *contents.entry(groups).or_insert_with_key(|groups| {
                groups_of_schemas.push(groups.clone());
                groups_of_schemas.len() as u32 - 1
            });
            numbers.insert(schema, number);
        }
        let mut manufacturers: Vec<Manufacturer> = Vec::new();
        let mut links = self.links;
        for (id, (mut row, name, make)) in self.manufacturers {
            row.name = name.map(|name| tables.text(&name));
            row.make = make.map(|make| tables.text(&make));
            row.schemas = links
                .remove(&id)
                .unwrap_or_default()
                .into_iter()
                .filter_map(|(schema, first, last)| Some((*numbers.get(&schema)?, first, last)))
                .collect();
            row.schemas.sort_unstable();
            row.schemas.dedup();
            manufacturers.push(row);
        }
        // Other lengths cannot be the first characters of a number.
        manufacturers.retain(|row| matches!(row.code.len(), 3 | 6) && row.code.is_ascii());
        manufacturers.sort_by(|a, b| a.code.cmp(&b.code));
        manufacturers.dedup_by(|later, first| {
            // Rows with the same code are merged.
            let is_same = later.code == first.code;
            if is_same {
                first.schemas.append(&mut later.schemas);
            }
            is_same
        });
        let engines =
            self.engines.into_iter().map(|(code, contents)| (code, tables.statement(contents))).collect();
        let Tables { texts, keys, values, statements, .. } = tables;
        let patterns = VinPatterns {
            source,
            texts,
            keys,
            values,
            statements,
            schemas: groups_of_schemas,
            manufacturers,
            engines,
        };
        Ok((patterns, self.report))
    }
}

/// The lists that are referred to by index.
struct Tables {
    texts: Vec<String>,
    keys: Vec<String>,
    values: Vec<Value>,
    statements: Vec<Vec<u32>>,
    number_of_statement: HashMap<Vec<u32>, u32>,
}

impl Tables {
    fn new(
        schemas: &BTreeMap<i64, Vec<Row>>,
        manufacturers: &BTreeMap<i64, (Manufacturer, Option<String>, Option<String>)>,
        engines: &BTreeMap<String, Vec<Content>>,
    ) -> Self {
        let rows = || schemas.values().flatten();
        let contents: BTreeSet<&Content> =
            rows().map(|row| &row.content).chain(engines.values().flatten()).collect();
        let of_manufacturers = manufacturers.values().flat_map(|(_, name, make)| name.iter().chain(make));
        let texts: BTreeSet<&String> = contents
            .iter()
            .flat_map(|content| [&content.text].into_iter().chain(&content.make))
            .chain(of_manufacturers)
            .collect();
        let keys: BTreeSet<&String> = rows().map(|row| &row.key).collect();
        let mut tables = Self {
            texts: texts.into_iter().cloned().collect(),
            keys: keys.into_iter().cloned().collect(),
            values: Vec::new(),
            statements: Vec::new(),
            number_of_statement: HashMap::new(),
        };
        tables.values = contents.into_iter().map(|content| tables.value(content)).collect();
        tables.values.sort_unstable();
        tables
    }

    fn text(&self, text: &str) -> u32 {
        // Every text is in the list; see `new`.
        self.texts.binary_search_by(|one| one.as_str().cmp(text)).unwrap_or_else(|index| index) as u32
    }

    fn key(&self, key: &str) -> u32 {
        self.keys.binary_search_by(|one| one.as_str().cmp(key)).unwrap_or_else(|index| index) as u32
    }

    fn value(&self, content: &Content) -> Value {
        Value {
            element: content.element,
            text: self.text(&content.text),
            make: content.make.as_deref().map(|make| self.text(make)),
        }
    }

    /// Values that are stated together: the first of each element.
    fn statement(&mut self, contents: Vec<Content>) -> u32 {
        let mut by_element: BTreeMap<Element, u32> = BTreeMap::new();
        for content in contents {
            let value = self.value(&content);
            // Every value is in the list; see `new`.
            let index = self.values.binary_search(&value).unwrap_or_else(|index| index) as u32;
            by_element.entry(content.element).or_insert(index);
        }
        let statement: Vec<u32> = by_element.into_values().collect();
        let next = self.statements.len() as u32;
        let number = *self.number_of_statement.entry(statement.clone()).or_insert(next);
        if number == next {
            self.statements.push(statement);
        }
        number
    }

    /// The groups of a schema, most recently changed first.
    fn groups(&mut self, mut rows: Vec<Row>) -> Vec<Group> {
        // Sorted by key among equals, so that the same database makes the same file.
        rows.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| a.key.cmp(&b.key)));
        let mut order: Vec<(u32, String)> = Vec::new();
        let mut contents: HashMap<(u32, String), Vec<Content>> = HashMap::new();
        for Row { changed, key, content } in rows {
            let at = (minute(&changed), key);
            let group = contents.entry(at.clone()).or_default();
            if group.is_empty() {
                order.push(at);
            }
            group.push(content);
        }
        let groups = order.into_iter().filter_map(|at| {
            let statement = self.statement(contents.remove(&at)?);
            Some(Group { minute: at.0, key: self.key(&at.1), statement })
        });
        groups.collect()
    }
}

/// Minutes since 2000 of `2015-03-04 10:33:34`, with months of 31 days, which is enough to sort them. 0 for an
/// invalid time.
fn minute(text: &str) -> u32 {
    let part = |range: std::ops::Range<usize>| text.get(range).and_then(|digits| digits.parse::<u32>().ok());
    let parts = (part(0..4), part(5..7), part(8..10), part(11..13), part(14..16));
    let (Some(year), Some(month), Some(day), Some(hour), Some(minute)) = parts else { return 0 };
    if !(EPOCH_YEAR..3000).contains(&year) {
        return 0;
    }
    ((((year - EPOCH_YEAR) * 12 + month.min(12)) * 31 + day.min(31)) * 24 + hour.min(23)) * 60
        + minute.min(59)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_are_in_the_order_of_time() {
        let texts = [
            "",
            "1999-12-31 23:59:59",
            "2015-03-04 10:33:34.057000",
            "2015-03-04 10:34:00",
            "2015-03-31 00:00:00",
            "2015-04-01 00:00:00",
            "2026-03-12T04:06:32.436Z",
        ];
        assert!(texts.iter().map(|text| minute(text)).is_sorted());
        assert_eq!((minute(""), minute("nonsense of a time")), (0, 0));
    }
}
