//! Makes the table of makes, models, years and engines from EPA's files.

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

/// The files to import from. Only EPA's list of vehicles is needed; rated power takes both of its files.
#[derive(Default)]
pub struct Sources<'a> {
    /// `vehicles.csv` of fueleconomy.gov.
    pub vehicles: Option<Box<dyn Read + 'a>>,
    /// `emissions.csv` of fueleconomy.gov: which vehicle was tested in which group.
    pub emissions: Option<Box<dyn Read + 'a>>,
    /// Rated horsepower of EPA's test cars, with the columns `year`, `make`, `model`, `displacement_l`, `cylinders`,
    /// `rated_hp` and `test_group`.
    pub horsepower: Option<Box<dyn Read + 'a>>,
    /// Body styles, with the columns `year`, `make`, `model` and `body_styles`: several years in one file or one file
    /// for each.
    pub body_styles: Vec<Box<dyn Read + 'a>>,
}

/// What an import found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportReport {
    /// Lines of EPA's list.
    pub vehicles: usize,
    /// Of those, how many have a power rating that all tests agree on.
    pub with_power: usize,
    /// Models times years.
    pub model_years: usize,
    /// Of those, how many have a body style from the list of body styles.
    pub with_body_styles: usize,
    /// Lines of the lists of body styles that hold no readable style.
    pub unreadable_body_styles: usize,
}

/// Reads the files and makes the table.
///
/// # Errors
/// [`ImportError`], with file, line and column. A missing list of vehicles counts as an empty one.
pub fn import(sources: Sources<'_>) -> Result<(Reference, ImportReport), ImportError> {
    // Body styles and ratings come before the vehicles, which are joined with them by name and by id.
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

/// The rated power of each vehicle, where it is beyond doubt.
///
/// A model in a year with one kind of engine may stand in several lines, one for each transmission and drive. They
/// get a rating only when each of them has one and all are the same: the 2006 MX-5 had 170 hp with one
/// transmission and 166 with the other.
fn ratings(vehicles: &[Vehicle], horsepower: Option<&Horsepower>) -> Vec<Option<u16>> {
    // One entry a vehicle in any case, so that both lists can be walked together.
    let Some(horsepower) = horsepower else { return vec![None; vehicles.len()] };
    let own: Vec<Option<u16>> = vehicles.iter().map(|vehicle| horsepower.of(vehicle)).collect();
    let mut agreed: HashMap<_, Option<u16>> = HashMap::new();
    for (vehicle, power) in vehicles.iter().zip(&own) {
        // A line without a rating disagrees as well: it may be the one that the owner has.
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
        // Among equals the last in order, so that the table comes out the same each time.
        self.0.iter().max_by_key(|(_, count)| **count).map_or("", |(name, _)| name)
    }
}

/// Numbers for texts and the like, in the order of their first use.
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
    // The limits are those of the form: a bit each of a u64 and a u8, an index of one byte and one of two.
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
        // Lines that differ only in transmission or drive become one, with a bit for each.
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
                // In order, so that a year like the one before is found to be equal and takes one bit in the file.
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
        // By name and not by key, in which signs and spaces are missing.
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

/// What EPA's size classes say of the body, for each make, model and year; nothing where they name several.
fn body_classes(vehicles: &[Vehicle]) -> HashMap<(String, String, u16), String> {
    let mut classes: HashMap<(String, String, u16), Option<&'static str>> = HashMap::new();
    for vehicle in vehicles {
        let of = (key(&vehicle.make), key(&vehicle.base_model), vehicle.year);
        let class = classes.entry(of).or_insert(vehicle.body_class);
        // Two classes in one year say that the model is sold in several bodies, and not which.
        if *class != vehicle.body_class {
            *class = None;
        }
    }
    classes.into_iter().filter_map(|(of, class)| Some((of, class?.to_owned()))).collect()
}

/// What the rating of a model's engine hangs on.
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
