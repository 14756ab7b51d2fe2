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

/// The table that is embedded in the program.
static EMBEDDED: &[u8] = include_bytes!("../data/vehicles.bin");

/// The same, decoded at its first use.
static EMBEDDED_TABLE: LazyLock<Result<Arc<Reference>, FormatError>> =
    LazyLock::new(|| Reference::from_bytes(EMBEDDED).map(Arc::new));

/// A brand under which vehicles are sold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Make {
    /// Kebab case, such as `land-rover`.
    pub id: String,
    /// EPA's spelling.
    pub name: String,
    /// Country of the brand, if known.
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
    /// Body styles, such as `Sedan, Coupe`: those of the requested year; without a year, of the latest that has
    /// any.
    pub body: Option<&'a str>,
}

/// A model with the years in which it was sold.
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

/// One line of EPA's list, without the columns that are not kept; lines that differ only in transmission or drive
/// are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Variant {
    /// EPA's name of the model: an index into the texts.
    pub(crate) listed_as: u32,
    /// An index into the engines.
    pub(crate) engine: u16,
    /// A bit for each transmission of the lists.
    pub(crate) transmissions: u64,
    /// A bit for each drive of the lists.
    pub(crate) drives: u8,
}

/// A make as collected by the importer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MakeRow {
    pub(crate) name: String,
    pub(crate) country: Option<String>,
    pub(crate) aliases: Vec<String>,
    pub(crate) models: Vec<(String, Vec<Edition>)>,
}

/// Lists into which variants have indices.
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
/// A make or a model can be given by id or name, in any case and punctuation. Common other names (`Chevy`), EPA's
/// names of models (`Civic 5Dr`) and parts of double names (`GTI` in `Golf/GTI`) are accepted too.
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
    /// The embedded table, decoded once.
    ///
    /// # Errors
    /// [`FormatError`] only if the program was built with a broken file.
    pub fn embedded() -> Result<Arc<Self>, FormatError> {
        EMBEDDED_TABLE.clone()
    }

    /// Decodes the output of [`Reference::to_bytes`].
    ///
    /// # Errors
    /// [`FormatError`] for any other bytes: another file, another version, damage.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FormatError> {
        format::decode(bytes)
    }

    /// The compact encoding of the table, with version and checksum.
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
                // The first is kept: an alias never hides an earlier name.
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

    /// Where the facts come from, as text to show.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The model years of the table, the latest first.
    pub fn years(&self) -> impl DoubleEndedIterator<Item = u16> + use<> {
        self.years.clone().rev()
    }

    /// All makes by name; with `search`, those whose name contains it, first those that begin with it. With a year,
    /// only makes that sold vehicles in it.
    pub fn makes(&self, search: &str, year: Option<u16>) -> Vec<&Make> {
        let is_given = !search.trim().is_empty();
        let search = key(search);
        if is_given && search.is_empty() {
            // No name consists of punctuation.
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
        // Stable, so that names stay sorted within a rank.
        found.sort_by_key(|(rank, _)| *rank);
        found.into_iter().map(|(_, make)| make).collect()
    }

    /// The make with this id or name.
    pub fn make(&self, id_or_name: &str) -> Option<&Make> {
        self.make_by_key.get(&key(id_or_name)).map(|index| &self.makes[*index])
    }

    /// The models of a make by name; with a year, those sold in it. Empty for an unknown make.
    pub fn models(&self, make: &str, year: Option<u16>) -> Vec<Model<'_>> {
        let Some(make) = self.make(make) else { return Vec::new() };
        self.models[make.models.clone()]
            .iter()
            .filter(|model| year.is_none_or(|year| model.edition(year).is_some()))
            .map(|model| self.view(model, year))
            .collect()
    }

    /// The model with this id or name; also for a longer name that begins with it, such as `Civic Type R`.
    pub fn model(&self, make: &str, model: &str) -> Option<Model<'_>> {
        self.find_model(make, model, None).map(|(model, _)| self.view(model, None))
    }

    /// The years in which a model was sold, the latest first. Empty for an unknown model.
    pub fn model_years(&self, make: &str, model: &str) -> Vec<u16> {
        let (Some(make), Some((model, listed_as))) = (self.make(make), self.find_model(make, model, None))
        else {
            return Vec::new();
        };
        let mut years: Vec<u16> = match listed_as {
            None => model.editions.iter().map(|edition| edition.year).collect(),
            // EPA may list it under different base models in different years.
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

    /// The engines of a model in a year, smaller ones first. Empty for an unknown make or model, or a year without
    /// it.
    ///
    /// If `model` is an EPA name of a model (`Civic 5Dr`), only the engines of that one.
    pub fn engines(&self, make: &str, model: &str, year: u16) -> Vec<Engine> {
        let Some((model, listed_as)) = self.find_model(make, model, Some(year)) else { return Vec::new() };
        let Some(edition) = model.edition(year) else { return Vec::new() };
        // Sorted by the fields of the spec, displacement first: smaller engines come first.
        let mut by_engine: BTreeMap<EngineSpec, (u64, u8, BTreeSet<&str>)> = BTreeMap::new();
        // A name from another year does not restrict the result.
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

    /// The numbers of makes, models, model years and engines.
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
            // The latest year with a body style.
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

    /// The model that `text` names, and the key of EPA's name of the model if that is what was named. If several
    /// models have that EPA name, one that has it in `year`, otherwise the one sold last.
    fn find_model(&self, make: &str, text: &str, year: Option<u16>) -> Option<(&ModelRow, Option<String>)> {
        let make = self.make(make)?;
        let models = &self.models[make.models.clone()];
        let wanted = key(text);
        if wanted.is_empty() {
            return None;
        }
        let own_name =
            |wanted: &str| models.iter().find(|model| model.key == wanted).map(|model| (model, None));
        // From exact to lenient: a looser rule must not precede a stricter one.
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
            // `Mazda3` for the model `3`.
            .or_else(|| wanted.strip_prefix(make.keys[0].as_str()).and_then(own_name))
            .or_else(|| {
                // `Civic Sport` for the Civic: the longest model name that is the first words.
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

/// The sizes of a [`Reference`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Makes.
    pub makes: usize,
    /// Models of all makes.
    pub models: usize,
    /// Pairs of model and year.
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
