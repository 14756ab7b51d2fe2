//! Builds the table of makes, models, years and engines from EPA's files.

mod body_styles;
mod columns;
mod horsepower;
mod makes;
mod vehicles;

use std::collections::{BTreeMap, HashMap};
use std::io::Read;

use crate::names::key;
use crate::reference::{Edition, EngineSpec, Lists, MakeRow, Reference, Variant};
use crate::{ImportError, Propulsion};

use body_styles::BodyStyles;
use horsepower::Horsepower;
use makes::Makes;
use vehicles::Vehicle;

/// The files to import. Only EPA's list of vehicles is required; rated power needs both `emissions` and
/// `horsepower`.
#[derive(Default)]
pub struct Sources<'a> {
    /// `vehicles.csv` of fueleconomy.gov.
    pub vehicles: Option<Box<dyn Read + 'a>>,
    /// `emissions.csv` of fueleconomy.gov: the emission test group of each vehicle.
    pub emissions: Option<Box<dyn Read + 'a>>,
    /// Rated horsepower of EPA's test cars, with the columns `year`, `make`, `model`, `displacement_l`, `cylinders`,
    /// `rated_hp` and `test_group`.
    pub horsepower: Option<Box<dyn Read + 'a>>,
    /// Body styles, with the columns `year`, `make`, `model` and `body_styles`; a file may contain one year or
    /// several.
    pub body_styles: Vec<Box<dyn Read + 'a>>,
}

/// Counts of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportReport {
    /// Lines of EPA's list.
    pub vehicles: usize,
    /// Lines whose power rating is the same in all tests.
    pub with_power: usize,
    /// Pairs of model and year.
    pub model_years: usize,
    /// Pairs of model and year with a body style from the list of body styles.
    pub with_body_styles: usize,
    /// Lines of the lists of body styles without a readable style.
    pub unreadable_body_styles: usize,
}

/// Reads the files and builds the table.
///
/// # Errors
/// [`ImportError`], with file, line and column. A missing list of vehicles counts as an empty one.
pub fn import(sources: Sources<'_>) -> Result<(Reference, ImportReport), ImportError> {
    // Body styles and ratings first: the vehicles are joined with them by name and by id.
    let makes = Makes::embedded()?;
    let mut report = ImportReport::default();
    let horsepower = match (sources.emissions, sources.horsepower) {
        (Some(emissions), Some(ratings)) => Some(Horsepower::read(emissions, ratings)?),
        _ => None,
    };
    let mut bodies = BodyStyles::default();
    for file in sources.body_styles {
        report.unreadable_body_styles += bodies.read(file)?;
    }
    let vehicles = sources.vehicles.map(vehicles::read).transpose()?.unwrap_or_default();
    if vehicles.is_empty() {
        return Err(ImportError::Empty);
    }
    report.vehicles = vehicles.len();
    let ratings = ratings(&vehicles, horsepower.as_ref());
    report.with_power = ratings.iter().flatten().count();
    let table = gather(&vehicles, &ratings, &bodies, &makes, &mut report)?;
    let mut source = "fueleconomy.gov (EPA and DOE): list of vehicles".to_owned();
    if horsepower.is_some() {
        source.push_str("; EPA test car lists: rated horsepower");
    }
    if !bodies.is_empty() {
        source.push_str("; us-car-models-data (CC BY 4.0), adapted: body styles");
    }
    Ok((Reference::new(source, table.0, table.1), report))
}

/// The rated power of each vehicle, `None` if it is not certain.
///
/// A model in one year with one kind of engine may have several lines, one for each transmission and drive. They
/// get a rating only if all of them have the same one: the 2006 MX-5 had 170 hp with one transmission and 166 with
/// the other.
fn ratings(vehicles: &[Vehicle], horsepower: Option<&Horsepower>) -> Vec<Option<u16>> {
    // One entry a vehicle even without ratings, so that both lists can be zipped.
    let Some(horsepower) = horsepower else { return vec![None; vehicles.len()] };
    let own: Vec<Option<u16>> = vehicles.iter().map(|vehicle| horsepower.of(vehicle)).collect();
    let mut agreed: HashMap<_, Option<u16>> = HashMap::new();
    for (vehicle, power) in vehicles.iter().zip(&own) {
        // A line without a rating counts as a disagreement: it may be the owner's vehicle.
        let agreed = agreed.entry(vehicle.engine_of_model()).or_insert(*power);
        if agreed != power {
            *agreed = None;
        }
    }
    vehicles.iter().map(|vehicle| agreed.get(&vehicle.engine_of_model()).copied().flatten()).collect()
}

type Models = BTreeMap<String, (NameCount, BTreeMap<u16, Vec<Variant>>)>;

/// How often each spelling of a name occurs.
#[derive(Default)]
struct NameCount(BTreeMap<String, usize>);

impl NameCount {
    fn add(&mut self, name: &str) {
        *self.0.entry(name.to_owned()).or_default() += 1;
    }

    /// The spelling that occurs most often.
    fn usual(&self) -> &str {
        // The last in sort order among equals, so that the same files always make the same table.
        self.0.iter().max_by_key(|(_, count)| **count).map_or("", |(name, _)| name)
    }
}

/// Assigns numbers to values in the order of their first use.
struct Numbered<T> {
    values: Vec<T>,
    numbers: HashMap<T, usize>,
    what: &'static str,
    limit: usize,
}

impl<T: Clone + Eq + std::hash::Hash> Numbered<T> {
    fn new(what: &'static str, limit: usize) -> Self {
        Self { values: Vec::new(), numbers: HashMap::new(), what, limit }
    }

    fn number(&mut self, value: T) -> Result<usize, ImportError> {
        if let Some(number) = self.numbers.get(&value) {
            return Ok(*number);
        }
        let number = self.values.len();
        if number == self.limit {
            return Err(ImportError::TooMany { what: self.what, limit: self.limit });
        }
        self.values.push(value.clone());
        self.numbers.insert(value, number);
        Ok(number)
    }
}

fn gather(
    vehicles: &[Vehicle],
    ratings: &[Option<u16>],
    bodies: &BodyStyles,
    known: &Makes,
    report: &mut ImportReport,
) -> Result<(Vec<MakeRow>, Lists), ImportError> {
    let mut texts = Numbered::new("names", u32::MAX as usize);
    // The limits of the encoding: bits of a u64 and of a u8, an index of one byte and one of two.
    let mut transmissions = Numbered::new("transmissions", 64);
    let mut drives = Numbered::new("drives", 8);
    let mut fuels = Numbered::new("fuels", 256);
    let mut engines = Numbered::new("engines", 1 << 16);
    let mut makes: BTreeMap<String, (NameCount, Models)> = BTreeMap::new();
    for (vehicle, power) in vehicles.iter().zip(ratings) {
        let engine = EngineSpec {
            displacement_tenths: vehicle.displacement_tenths,
            cylinders: vehicle.cylinders,
            turbocharged: vehicle.turbocharged,
            supercharged: vehicle.supercharged,
            propulsion: vehicle.propulsion,
            fuel: fuels.number(vehicle.fuel.clone())? as u8,
            power_hp: *power,
        };
        let mut variant = Variant {
            listed_as: texts.number(vehicle.model.clone())? as u32,
            engine: engines.number(engine)? as u16,
            transmissions: 0,
            drives: 0,
        };
        if let Some(transmission) = &vehicle.transmission {
            variant.transmissions = 1 << transmissions.number(transmission.clone())?;
        }
        if let Some(drive) = &vehicle.drive {
            variant.drives = 1 << drives.number(drive.clone())?;
        }
        let (names, models) = makes.entry(key(&vehicle.make)).or_default();
        names.add(&vehicle.make);
        let (names, years) = models.entry(key(&vehicle.base_model)).or_default();
        names.add(&vehicle.base_model);
        let variants = years.entry(vehicle.year).or_default();
        // Lines that differ only in transmission or drive are merged, with a bit for each.
        let same =
            |other: &&mut Variant| (other.listed_as, other.engine) == (variant.listed_as, variant.engine);
        match variants.iter_mut().find(same) {
            Some(other) => {
                other.transmissions |= variant.transmissions;
                other.drives |= variant.drives;
            }
            None => variants.push(variant),
        }
    }
    let classes = body_classes(vehicles);
    let mut rows = Vec::new();
    for (make_key, (names, models)) in makes {
        let models = models.into_iter().map(|(model_key, (names, years))| {
            let name = names.usual().to_owned();
            let mut editions = Vec::new();
            for (year, mut variants) in years {
                // Sorted, so that a year equal to the one before is detected and needs only one bit in the file.
                variants.sort_unstable();
                let styles = bodies.of(&make_key, &name, year);
                report.model_years += 1;
                report.with_body_styles += usize::from(styles.is_some());
                let body =
                    styles.or_else(|| classes.get(&(make_key.clone(), model_key.clone(), year)).cloned());
                let body = body.map(|body| texts.number(body)).transpose()?.map(|number| number as u32);
                editions.push(Edition { year, body, variants });
            }
            Ok((name, editions))
        });
        let mut models = models.collect::<Result<Vec<_>, ImportError>>()?;
        // By name and not by key, which has no spaces and punctuation.
        models.sort_by_key(|(name, _)| name.to_lowercase());
        let (country, aliases) = known.of(&make_key);
        rows.push(MakeRow { name: names.usual().to_owned(), country, aliases, models });
    }
    rows.sort_by_key(|make| make.name.to_lowercase());
    let lists = Lists {
        texts: texts.values,
        transmissions: transmissions.values,
        drives: drives.values,
        fuels: fuels.values,
        engines: engines.values,
    };
    Ok((rows, lists))
}

/// The body by EPA's size classes, for each make, model and year; no entry if the classes name several bodies.
fn body_classes(vehicles: &[Vehicle]) -> HashMap<(String, String, u16), String> {
    let mut classes: HashMap<(String, String, u16), Option<&'static str>> = HashMap::new();
    for vehicle in vehicles {
        let of = (key(&vehicle.make), key(&vehicle.base_model), vehicle.year);
        let class = classes.entry(of).or_insert(vehicle.body_class);
        // With two classes in one year the model is sold in several bodies, and the owner's is unknown.
        if *class != vehicle.body_class {
            *class = None;
        }
    }
    classes.into_iter().filter_map(|(of, class)| Some((of, class?.to_owned()))).collect()
}

/// The facts that decide the rating of a model's engine.
type EngineOfModel<'a> = (&'a str, &'a str, u16, Option<u16>, Option<u8>, bool, bool, Propulsion, &'a str);

impl Vehicle {
    fn engine_of_model(&self) -> EngineOfModel<'_> {
        (
            &self.make,
            &self.model,
            self.year,
            self.displacement_tenths,
            self.cylinders,
            self.turbocharged,
            self.supercharged,
            self.propulsion,
            &self.fuel,
        )
    }
}
