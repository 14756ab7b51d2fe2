//! Makes, models, years and engines, looked up in memory.

mod engine;
mod format;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

pub(crate) use engine::EngineSpec;
use engine::tell_apart;
pub use engine::{Engine, Propulsion};

use crate::FormatError;
use crate::names::{key, slug};

/// The table that is part of the program.
static EMBEDDED: &[u8] = include_bytes!("../data/vehicles.bin");

/// The same, read at its first use.
static EMBEDDED_TABLE: LazyLock<Result<Arc<Reference>, FormatError>> =
    LazyLock::new(|| Reference::from_bytes(EMBEDDED).map(Arc::new));

/// A brand under which vehicles are sold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Make {
    /// Kebab case, such as `land-rover`.
    pub id: String,
    /// As EPA writes it.
    pub name: String,
    /// Country of the brand, where we know it.
    pub country: Option<String>,
    /// Other names that people use, such as `Chevy`.
    aliases: Vec<String>,
    keys: Vec<String>,
    models: Range<usize>,
}

/// A model of a make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model<'a> {
    /// Kebab case; unique among the models of the make.
    pub id: &'a str,
    /// EPA's base model, such as `Civic` for `Civic 5Dr`.
    pub name: &'a str,
    /// Body styles, such as `Sedan, Coupe`: those of the year asked for, else of the latest year that states any.
    pub body: Option<&'a str>,
}

/// A model with the years it was sold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelRow {
    pub(crate) id: String,
    pub(crate) key: String,
    pub(crate) name: String,
    pub(crate) editions: Vec<Edition>,
}

/// A model in one year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edition {
    pub(crate) year: u16,
    pub(crate) body: Option<u32>,
    pub(crate) variants: Vec<Variant>,
}

/// One line of EPA's list, less what we do not keep; lines that differ in transmission or drive are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Variant {
    /// The model as EPA lists it: an index into the texts.
    pub(crate) listed_as: u32,
    /// An index into the engines.
    pub(crate) engine: u16,
    /// A bit for each of the transmissions.
    pub(crate) transmissions: u64,
    /// A bit for each of the drives.
    pub(crate) drives: u8,
}

/// A make as the importer gathers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MakeRow {
    pub(crate) name: String,
    pub(crate) country: Option<String>,
    pub(crate) aliases: Vec<String>,
    pub(crate) models: Vec<(String, Vec<Edition>)>,
}

/// Lists that variants point into.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lists {
    pub(crate) texts: Vec<String>,
    pub(crate) transmissions: Vec<String>,
    pub(crate) drives: Vec<String>,
    pub(crate) fuels: Vec<String>,
    pub(crate) engines: Vec<EngineSpec>,
}

/// US light vehicles by make, model, year and engine.
///
/// Wherever a make or a model is asked for, its id and its name serve alike, in any spelling of case and
/// punctuation, and names that people use (`Chevy`), as EPA lists them (`Civic 5Dr`) or as they stand beside others
/// (`GTI` in `Golf/GTI`) are understood.
#[derive(Clone)]
pub struct Reference {
    source: String,
    makes: Vec<Make>,
    models: Vec<ModelRow>,
    lists: Lists,
    /// The key of each of the texts.
    text_keys: Vec<String>,
    make_by_key: HashMap<String, usize>,
    years: Range<u16>,
}

impl Reference {
    /// The table that is part of the program, read once.
    ///
    /// # Errors
    /// Only if the program was built with a broken file.
    pub fn embedded() -> Result<Arc<Self>, FormatError> {
        EMBEDDED_TABLE.clone()
    }

    /// Reads what [`Reference::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`FormatError`] for anything else: another file, another version, a changed byte.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        format::decode(bytes)
    }

    /// The table in its compact form, version and checksum included.
    pub fn to_bytes(&self) -> Vec<u8> {
        format::encode(self)
    }

    pub(crate) fn new(source: String, makes: Vec<MakeRow>, lists: Lists) -> Self {
        let mut table = Self {
            source,
            makes: Vec::with_capacity(makes.len()),
            models: Vec::new(),
            text_keys: lists.texts.iter().map(|text| key(text)).collect(),
            lists,
            make_by_key: HashMap::new(),
            years: 0..0,
        };
        for row in makes {
            let begin = table.models.len();
            for (name, editions) in row.models {
                table.models.push(ModelRow { id: slug(&name), key: key(&name), name, editions });
            }
            let keys: Vec<String> =
                std::iter::once(&row.name).chain(&row.aliases).map(|name| key(name)).collect();
            for key in &keys {
                // The first wins: an alias never hides a name that came before.
                table.make_by_key.entry(key.clone()).or_insert(table.makes.len());
            }
            table.makes.push(Make {
                id: slug(&row.name),
                name: row.name,
                country: row.country,
                aliases: row.aliases,
                keys,
                models: begin..table.models.len(),
            });
        }
        let years = || table.models.iter().flat_map(|model| &model.editions).map(|edition| edition.year);
        if let (Some(first), Some(last)) = (years().min(), years().max()) {
            table.years = first..last + 1;
        }
        table
    }

    /// Where the facts come from, for people.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The model years that the table covers, the latest first.
    pub fn years(&self) -> impl DoubleEndedIterator<Item = u16> + use<> {
        self.years.clone().rev()
    }

    /// All makes by name, or those with `search` in their name, those that begin with it first; for a year, those
    /// that sold something then.
    pub fn makes(&self, search: &str, year: Option<u16>) -> Vec<&Make> {
        let is_given = !search.trim().is_empty();
        let search = key(search);
        if is_given && search.is_empty() {
            // Signs alone are in no name.
            return Vec::new();
        }
        let mut found: Vec<(u8, &Make)> = self
            .makes
            .iter()
            .filter_map(|make| {
                let rank = if make.keys[0].starts_with(&search) {
                    0
                } else if make.keys[1..].iter().any(|key| key.starts_with(&search)) {
                    1
                } else if make.keys[0].contains(&search) {
                    2
                } else {
                    return None;
                };
                Some((rank, make))
            })
            .filter(|(_, make)| {
                year.is_none_or(|year| {
                    self.models[make.models.clone()].iter().any(|model| model.edition(year).is_some())
                })
            })
            .collect();
        // Stable, so that names stay in order within a rank.
        found.sort_by_key(|(rank, _)| *rank);
        found.into_iter().map(|(_, make)| make).collect()
    }

    /// The make of this id or name.
    pub fn make(&self, id_or_name: &str) -> Option<&Make> {
        self.make_by_key.get(&key(id_or_name)).map(|index| &self.makes[*index])
    }

    /// The models of a make by name; for a year, those that were sold then. Empty for a make that is not listed.
    pub fn models(&self, make: &str, year: Option<u16>) -> Vec<Model<'_>> {
        let Some(make) = self.make(make) else { return Vec::new() };
        self.models[make.models.clone()]
            .iter()
            .filter(|model| year.is_none_or(|year| model.edition(year).is_some()))
            .map(|model| self.view(model, year))
            .collect()
    }

    /// The model of this id or name, or the one that a longer name such as `Civic Type R` begins with.
    pub fn model(&self, make: &str, model: &str) -> Option<Model<'_>> {
        self.find_model(make, model, None).map(|(model, _)| self.view(model, None))
    }

    /// The years in which a model was sold, the latest first. Empty for a model that is not listed.
    pub fn model_years(&self, make: &str, model: &str) -> Vec<u16> {
        let (Some(make), Some((model, listed_as))) = (self.make(make), self.find_model(make, model, None))
        else {
            return Vec::new();
        };
        let mut years: Vec<u16> = match listed_as {
            None => model.editions.iter().map(|edition| edition.year).collect(),
            // EPA may list it under one base model in one year, and under another in the next.
            Some(listed_as) => self.models[make.models.clone()]
                .iter()
                .flat_map(|model| &model.editions)
                .filter(|edition| self.lists_it(edition, &listed_as))
                .map(|edition| edition.year)
                .collect(),
        };
        years.sort_unstable();
        years.dedup();
        years.reverse();
        years
    }

    /// The engines of a model in a year, smaller ones first. Empty for what is not listed.
    ///
    /// Where `model` names a model as EPA lists it (`Civic 5Dr`), these are the engines of that one.
    pub fn engines(&self, make: &str, model: &str, year: u16) -> Vec<Engine> {
        let Some((model, listed_as)) = self.find_model(make, model, Some(year)) else { return Vec::new() };
        let Some(edition) = model.edition(year) else { return Vec::new() };
        // Ordered by the fields of the spec, of which displacement comes first: smaller engines stand first.
        let mut by_engine: BTreeMap<EngineSpec, (u64, u8, BTreeSet<&str>)> = BTreeMap::new();
        // A name of another year narrows nothing here.
        let listed_as = listed_as.filter(|wanted| self.lists_it(edition, wanted));
        for row in &edition.variants {
            if listed_as.as_deref().is_none_or(|key| self.is_listed_as(row, key)) {
                let entry = by_engine.entry(self.lists.engines[usize::from(row.engine)]).or_default();
                entry.0 |= row.transmissions;
                entry.1 |= row.drives;
                entry.2.insert(&self.lists.texts[row.listed_as as usize]);
            }
        }
        let mut engines: Vec<Engine> = by_engine
            .into_iter()
            .map(|(spec, (transmissions, drives, names))| {
                let fuel = &self.lists.fuels[usize::from(spec.fuel)];
                Engine {
                    id: spec.id(fuel),
                    name: spec.name(fuel),
                    displacement_tenths: spec.displacement_tenths,
                    cylinders: spec.cylinders,
                    fuel: fuel.clone(),
                    turbocharged: spec.turbocharged,
                    supercharged: spec.supercharged,
                    propulsion: spec.propulsion,
                    power_hp: spec.power_hp,
                    transmissions: chosen(&self.lists.transmissions, transmissions),
                    drives: chosen(&self.lists.drives, u64::from(drives)),
                    listed_as: names.into_iter().map(str::to_owned).collect(),
                }
            })
            .collect();
        // Last, because it needs all names of the list.
        tell_apart(&mut engines);
        engines
    }

    /// How many makes, models, model years and engines there are.
    pub fn counts(&self) -> Counts {
        Counts {
            makes: self.makes.len(),
            models: self.models.len(),
            model_years: self.models.iter().map(|model| model.editions.len()).sum(),
            engines: self.lists.engines.len(),
        }
    }

    fn view<'a>(&'a self, model: &'a ModelRow, year: Option<u16>) -> Model<'a> {
        let body = match year {
            Some(year) => model.edition(year).and_then(|edition| edition.body),
            // The latest year says best what the model is today.
            None => model.editions.iter().rev().find_map(|edition| edition.body),
        };
        Model {
            id: &model.id,
            name: &model.name,
            body: body.map(|text| self.lists.texts[text as usize].as_str()),
        }
    }

    fn is_listed_as(&self, row: &Variant, wanted: &str) -> bool {
        self.text_keys[row.listed_as as usize] == wanted
    }

    fn lists_it(&self, edition: &Edition, wanted: &str) -> bool {
        edition.variants.iter().any(|row| self.is_listed_as(row, wanted))
    }

    /// The model that `text` names, and the key of the model as EPA lists it where that is what was named. Where two
    /// models hold what is named, the one that does in `year`, else the one that was sold last.
    fn find_model(&self, make: &str, text: &str, year: Option<u16>) -> Option<(&ModelRow, Option<String>)> {
        let make = self.make(make)?;
        let models = &self.models[make.models.clone()];
        let wanted = key(text);
        if wanted.is_empty() {
            return None;
        }
        let own_name =
            |wanted: &str| models.iter().find(|model| model.key == wanted).map(|model| (model, None));
        // From the exact to the lenient: a looser rule must not take what a stricter one can name.
        own_name(&wanted)
            .or_else(|| {
                models
                    .iter()
                    .filter(|model| model.editions.iter().any(|edition| self.lists_it(edition, &wanted)))
                    .max_by_key(|model| {
                        let edition = year.and_then(|year| model.edition(year));
                        let in_year = edition.is_some_and(|edition| self.lists_it(edition, &wanted));
                        (in_year, model.editions.last().map(|edition| edition.year))
                    })
                    .map(|model| (model, Some(wanted.clone())))
            })
            .or_else(|| {
                // `GTI` in `Golf/GTI`.
                let part = models.iter().find(|model| {
                    model.name.contains('/') && model.name.split('/').any(|part| key(part) == wanted)
                });
                part.map(|model| (model, None))
            })
            // `Mazda3` for the 3.
            .or_else(|| wanted.strip_prefix(make.keys[0].as_str()).and_then(own_name))
            .or_else(|| {
                // `Civic Sport` for the Civic: the longest model that is the first words.
                let words: Vec<&str> = text.split_whitespace().collect();
                (1..words.len()).rev().find_map(|n_words| own_name(&key(&words[..n_words].concat())))
            })
    }
}

impl ModelRow {
    fn edition(&self, year: u16) -> Option<&Edition> {
        let index = self.editions.binary_search_by_key(&year, |edition| edition.year).ok()?;
        self.editions.get(index)
    }
}

impl fmt::Debug for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reference")
            .field("counts", &self.counts())
            .field("years", &self.years)
            .finish_non_exhaustive()
    }
}

/// How much a [`Reference`] holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Makes.
    pub makes: usize,
    /// Models of all makes.
    pub models: usize,
    /// Models times the years in which they were sold.
    pub model_years: usize,
    /// Different engines.
    pub engines: usize,
}

fn chosen(names: &[String], bits: u64) -> Vec<String> {
    names
        .iter()
        .enumerate()
        .filter(|(index, _)| bits >> index & 1 == 1)
        .map(|(_, name)| name.clone())
        .collect()
}
