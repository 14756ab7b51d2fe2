use partsight_domain::{FilledOil, OwnerOil, messages};

use super::brands::brands_of;
use super::energy_of_name::energy_of_name;
use super::{Capacity, ChangeInterval, Energy, EngineTraits, Family, OilTable, Text};

/// Viscosity for unknown vehicles; from the specification.
pub const FALLBACK_GRADE: &str = "5W-30";
/// Capacity for unknown vehicles, in US quarts; from the specification.
pub const FALLBACK_CAPACITY_QUARTS: f64 = 4.5;
/// Change interval for unknown vehicles; from the specification.
const FALLBACK_INTERVAL: ChangeInterval =
    ChangeInterval { miles: Some(5_000), months: Some(3), has_monitor: false };

/// The source of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OilSource {
    /// Our table.
    Table,
    /// Nothing is known of this engine; the value is a common one.
    Fallback,
    /// The owner entered it.
    Owner,
    /// A language model stated it, and nobody has checked it.
    Ai,
    /// The vehicle has no engine oil.
    None,
}

/// A value with its source.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact<T> {
    /// The value.
    pub value: T,
    /// The source.
    pub source: OilSource,
    /// What the value is based on, in a sentence.
    pub basis: String,
    /// Confidence that it is right for this vehicle, 0 to 1; `None` for sources without one.
    pub confidence: Option<f64>,
}

/// The vehicle of a lookup.
#[derive(Debug, Clone, Copy, Default)]
pub struct OilQuery<'a> {
    /// As the owner typed it.
    pub make: &'a str,
    /// As the owner typed it.
    pub model: &'a str,
    /// Model year.
    pub year: u16,
    /// As the owner typed it; with `None` or a text that names no engine, all engines of the vehicle are
    /// considered.
    pub engine: Option<&'a str>,
    /// The engines that this vehicle was sold with, if that is known.
    pub known_engines: &'a [KnownEngine],
}

/// An engine with which a vehicle was sold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownEngine {
    /// As in `2.5L 4-cyl Hybrid`. A feature that is not named, such as a turbocharger, is absent.
    pub name: String,
    /// EPA's names of the models that had it, more specific than what owners type: `328i` for a `3 Series`.
    pub models: Vec<String>,
}

/// The oil of a vehicle. A value that has no source is `None` or empty.
#[derive(Debug, Clone, PartialEq)]
pub struct OilSpecification {
    /// The source of most of it.
    pub source: OilSource,
    /// The engine family in our table, if it is from there.
    pub engine: Option<String>,
    /// Viscosity, such as `0W-20`.
    pub oil_type: Option<Fact<String>>,
    /// The quality that the manufacturer requires, such as `API SP`.
    pub standard: Option<Fact<String>>,
    /// US quarts with a new filter.
    pub capacity_quarts: Option<Fact<f64>>,
    /// The change interval.
    pub interval: Option<Fact<ChangeInterval>>,
    /// Filters, by manufacturer and number.
    pub filters: Vec<Fact<String>>,
    /// Oils that the manufacturer sells or names in its manuals, by make alone. Any other of the same grade and
    /// quality will do.
    pub brands: Vec<String>,
    /// Further advice for the owner, in sentences.
    pub notes: Vec<String>,
}

/// The oil of this vehicle; values in `owner` take precedence.
///
/// Without an engine, or with one that fits several families, the most common values are returned. The confidence
/// of a value that some of the engines do not share is lowered in proportion, and a note lists all of them. A
/// vehicle that is not in the table gets the fallback, labelled as such.
pub fn oil_specification(query: &OilQuery<'_>, owner: Option<&OwnerOil>) -> OilSpecification {
    let mut answer = table_answer(query);
    if answer.source != OilSource::None {
        answer.brands = brands_of(known_make(query.make));
    }
    if let Some(owner) = owner {
        answer.put_owner(owner);
    }
    answer
}

fn table_answer(query: &OilQuery<'_>) -> OilSpecification {
    let make = known_make(query.make);
    let mut asked = EngineTraits::read(query.engine.unwrap_or_default());
    // The names `Camry Hybrid` and `Leaf` state the energy, even if the text of the engine does not.
    asked.energy = asked.energy.or_else(|| energy_of_name(make, query.model));
    let engines = possible_engines(query, asked.clone());
    let burning: Vec<&PossibleEngine<'_>> =
        engines.iter().filter(|engine| engine.traits.energy.is_none_or(Energy::has_engine_oil)).collect();
    // No oil only if all possible engines are electric.
    if burning.is_empty() {
        return no_oil();
    }
    let mut options: Vec<EngineOption<'_>> =
        burning.into_iter().flat_map(|engine| EngineOption::of_engine(make, query.year, engine)).collect();
    // If the owner names an engine family, as in `Coyote`, the others are ruled out.
    if options.iter().any(|option| option.is_named(&asked)) {
        options.retain(|option| option.is_named(&asked));
    }
    most_common(&options).map_or_else(fallback, |best| from_table(best, &options))
}

/// An engine that the vehicle may have.
struct PossibleEngine<'a> {
    traits: EngineTraits,
    /// Names of the vehicle with this engine.
    models: Vec<&'a str>,
}

/// The engines with which the vehicle was sold, without those that contradict `asked`; if none is known or all are
/// ruled out, `asked` itself.
fn possible_engines<'a>(query: &OilQuery<'a>, asked: EngineTraits) -> Vec<PossibleEngine<'a>> {
    let text = query.engine.unwrap_or_default().trim();
    // A name chosen from the list means only that engine, even if its words match others.
    let is_exact = query.known_engines.iter().any(|engine| engine.name.eq_ignore_ascii_case(text));
    let known: Vec<PossibleEngine<'a>> = query
        .known_engines
        .iter()
        .filter(|engine| !is_exact || engine.name.eq_ignore_ascii_case(text))
        .map(|engine| {
            let traits = EngineTraits::read_listed(&engine.name);
            let models = [query.model].into_iter().chain(engine.models.iter().map(String::as_str)).collect();
            PossibleEngine { traits, models }
        })
        .filter(|engine| is_exact || asked.allows(&engine.traits))
        .collect();
    // The owner's text takes precedence over a list that contradicts it.
    if known.is_empty() { vec![PossibleEngine { traits: asked, models: vec![query.model] }] } else { known }
}

/// One engine that the vehicle may have, with its oil if the table has it.
struct EngineOption<'a> {
    label: String,
    known: Option<Known<'a>>,
}

#[derive(Clone, Copy)]
struct Known<'a> {
    family: &'a Family,
    capacity: Option<&'a Capacity>,
}

impl EngineOption<'static> {
    /// The families that `engine` may be: usually one; one option without a family if there is none.
    fn of_engine(make: &str, year: u16, engine: &PossibleEngine<'_>) -> Vec<Self> {
        let best = OilTable::embedded().best(make, &engine.models, year, &engine.traits);
        if best.is_empty() {
            return vec![Self { label: engine.traits.to_string(), known: None }];
        }
        let option = |family: &'static Family| {
            let capacity = family.capacity_for(&engine.models, year);
            Self { label: family.name.clone(), known: Some(Known { family, capacity }) }
        };
        best.into_iter().map(option).collect()
    }
}

impl EngineOption<'_> {
    fn is_named(&self, traits: &EngineTraits) -> bool {
        self.known.is_some_and(|known| known.family.is_named(traits))
    }
}

impl Known<'_> {
    fn grade(&self) -> Option<&str> {
        self.family.grade.as_ref().map(|grade| grade.value.as_str())
    }

    fn quarts(&self) -> Option<f64> {
        self.capacity.map(|capacity| capacity.quarts)
    }

    fn is_same(&self, other: &Self) -> bool {
        self.grade() == other.grade() && self.quarts() == other.quarts()
    }

    /// As in `0W-20, 4.8 quarts`.
    fn text(&self) -> String {
        let quarts = self.quarts().map(quarts_text);
        let parts: Vec<String> = self.grade().map(str::to_owned).into_iter().chain(quarts).collect();
        parts.join(", ")
    }
}

/// The first of the options whose grade and amount are the most frequent.
fn most_common<'a>(options: &[EngineOption<'a>]) -> Option<Known<'a>> {
    let known: Vec<Known<'a>> = options.iter().filter_map(|option| option.known).collect();
    let count = |one: &Known<'a>| known.iter().filter(|other| one.is_same(other)).count();
    let most = known.iter().map(count).max()?;
    // The first, so that the result is deterministic: families are in the order of their files.
    known.iter().find(|one| count(one) == most).copied()
}

fn from_table(best: Known<'_>, options: &[EngineOption<'_>]) -> OilSpecification {
    // Share of the engines with a value, 0 to 1; an unknown engine shares none.
    let share = |is_shared: &dyn Fn(&Known<'_>) -> bool| {
        let sharing = options.iter().filter(|option| option.known.is_some_and(|known| is_shared(&known)));
        // Unknown engines are counted too: they lower the confidence.
        sharing.count() as f64 / options.len() as f64
    };
    let family = best.family;
    let text_fact = |text: &Text, share: f64| Fact {
        value: text.value.clone(),
        source: OilSource::Table,
        basis: table_basis(text.basis.as_ref().unwrap_or(&family.basis)),
        confidence: Some(rounded(text.confidence * share)),
    };
    let same_grade = share(&|known| known.grade() == best.grade());
    let mut notes = Vec::new();
    notes.extend(choice_note(options));
    notes.extend(family.note.clone());
    OilSpecification {
        source: OilSource::Table,
        engine: Some(family.name.clone()),
        oil_type: family.grade.as_ref().map(|grade| text_fact(grade, same_grade)),
        standard: family.standard.as_ref().map(|standard| {
            text_fact(standard, share(&|known| known.family.standard.as_ref() == Some(standard)))
        }),
        capacity_quarts: best.capacity.map(|capacity| Fact {
            value: capacity.quarts,
            source: OilSource::Table,
            basis: table_basis(&family.basis),
            confidence: Some(rounded(
                capacity.confidence * share(&|known| known.quarts() == Some(capacity.quarts)),
            )),
        }),
        // Never blank: without the manufacturer's interval it is the common one, labelled as such.
        interval: Some(family.interval.as_ref().map_or_else(cautious_interval, |interval| Fact {
            value: interval.into(),
            source: OilSource::Table,
            basis: table_basis(&family.basis),
            confidence: Some(rounded(
                interval.confidence * share(&|known| known.family.interval.as_ref() == Some(interval)),
            )),
        })),
        filters: family
            .filter
            .iter()
            .map(|filter| text_fact(filter, share(&|known| known.family.filter.contains(filter))))
            .collect(),
        brands: Vec::new(),
        notes,
    }
}

/// The common interval, for engines whose manufacturer's interval is unknown.
fn cautious_interval() -> Fact<ChangeInterval> {
    let basis = messages::OIL_INTERVAL_BASIS.to_owned();
    Fact { value: FALLBACK_INTERVAL, source: OilSource::Fallback, basis, confidence: None }
}

/// Lists the oil of each engine, if they differ.
fn choice_note(options: &[EngineOption<'_>]) -> Option<String> {
    let known: Vec<(&str, Known<'_>)> =
        options.iter().filter_map(|option| Some((option.label.as_str(), option.known?))).collect();
    let mut unknown: Vec<&str> =
        options.iter().filter(|option| option.known.is_none()).map(|option| option.label.as_str()).collect();
    unknown.dedup();
    let is_one = known.windows(2).all(|pair| pair[0].1.is_same(&pair[1].1));
    if is_one && unknown.is_empty() {
        return None;
    }
    let mut lines: Vec<String> = Vec::new();
    for (label, known) in known {
        let line = format!("{label} takes {}", known.text());
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if !unknown.is_empty() {
        lines.push(format!("we do not know what {} takes", unknown.join(" or ")));
    }
    Some(format!(
        "This vehicle was sold with several engines: {}. Choose yours to be sure.",
        lines.join("; ")
    ))
}

fn no_oil() -> OilSpecification {
    OilSpecification {
        source: OilSource::None,
        engine: None,
        oil_type: None,
        standard: None,
        capacity_quarts: None,
        interval: None,
        filters: Vec::new(),
        brands: Vec::new(),
        notes: vec![messages::OIL_NONE.to_owned()],
    }
}

fn fallback() -> OilSpecification {
    fn fact<T>(value: T) -> Fact<T> {
        let basis = messages::OIL_FALLBACK_BASIS.to_owned();
        Fact { value, source: OilSource::Fallback, basis, confidence: None }
    }
    OilSpecification {
        source: OilSource::Fallback,
        engine: None,
        oil_type: Some(fact(FALLBACK_GRADE.to_owned())),
        standard: None,
        capacity_quarts: Some(fact(FALLBACK_CAPACITY_QUARTS)),
        interval: Some(fact(FALLBACK_INTERVAL)),
        filters: Vec::new(),
        brands: Vec::new(),
        notes: vec![messages::OIL_FALLBACK.to_owned()],
    }
}

impl OilSpecification {
    /// The viscosity, or the text that replaces it.
    pub fn type_text(&self) -> String {
        self.text(messages::OIL_NONE_TYPE, self.oil_type.as_ref().map(|fact| fact.value.clone()))
    }

    /// As in `4.8 quarts`, or the text that replaces it.
    pub fn capacity_text(&self) -> String {
        let capacity = self.capacity_quarts.as_ref().map(|fact| quarts_text(fact.value));
        self.text(messages::OIL_NOT_NEEDED, capacity)
    }

    /// As in `10,000 miles or 12 months, whichever comes first`, or the text that replaces it.
    pub fn interval_text(&self) -> String {
        let interval = self.interval.as_ref().map(|fact| fact.value.to_string());
        self.text(messages::OIL_NOT_NEEDED, interval)
    }

    /// Advice to verify the values before buying oil; `None` for a vehicle without oil.
    pub fn verify_text(&self) -> Option<&'static str> {
        (self.source != OilSource::None).then_some(messages::OIL_VERIFY)
    }

    fn text(&self, without_oil: &str, value: Option<String>) -> String {
        let stand_in = if self.source == OilSource::None { without_oil } else { messages::OIL_SEE_MANUAL };
        value.unwrap_or_else(|| stand_in.to_owned())
    }

    /// Replaces the common values of a fallback with those of a language model; values that it does not know stay.
    /// `by` names the model and the day, such as `judge-1, 2027-01-15`. Does nothing if [`Self::source`] is not
    /// [`OilSource::Fallback`].
    pub fn put_filled(&mut self, oil: &FilledOil, by: &str) {
        // No confidence, because it was not measured.
        fn fact<T>(value: T, basis: &str) -> Fact<T> {
            Fact { value, source: OilSource::Ai, basis: basis.to_owned(), confidence: None }
        }
        // Table and owner are more reliable than a language model, and a vehicle without oil needs no values.
        if self.source != OilSource::Fallback {
            return;
        }
        let basis = format!("{} {by}.", messages::OIL_AI_BASIS);
        if let Some(grade) = &oil.grade {
            self.oil_type = Some(fact(grade.clone(), &basis));
        }
        if let Some(quarts) = oil.capacity_quarts {
            self.capacity_quarts = Some(fact(quarts, &basis));
        }
        if oil.interval_miles.is_some() || oil.interval_months.is_some() {
            let interval =
                ChangeInterval { miles: oil.interval_miles, months: oil.interval_months, has_monitor: false };
            self.interval = Some(fact(interval, &basis));
        }
        if let Some(standard) = &oil.standard {
            self.standard = Some(fact(standard.clone(), &basis));
        }
        self.notes = vec![messages::OIL_AI.to_owned()];
        self.source = OilSource::Ai;
    }

    /// Replaces values with those of the owner.
    pub fn put_owner(&mut self, owner: &OwnerOil) {
        fn fact<T>(value: T) -> Fact<T> {
            let basis = messages::OIL_OWNER_BASIS.to_owned();
            Fact { value, source: OilSource::Owner, basis, confidence: None }
        }
        if let Some(oil_type) = &owner.oil_type {
            self.oil_type = Some(fact(oil_type.clone()));
        }
        if let Some(quarts) = owner.capacity_quarts() {
            self.capacity_quarts = Some(fact(quarts));
        }
        if let Some(filter) = &owner.oil_filter {
            self.filters = vec![fact(filter.clone())];
        }
        self.source = OilSource::Owner;
    }
}

/// EPA's spelling of a make for common other spellings.
fn known_make(make: &str) -> &str {
    let make = make.trim();
    match make.to_ascii_lowercase().as_str() {
        "chevy" => "Chevrolet",
        "vw" => "Volkswagen",
        "mercedes" | "mercedes benz" | "benz" => "Mercedes-Benz",
        "mini cooper" => "MINI",
        _ => make,
    }
}

/// The basis of a value from our table: where it can be checked, and that we wrote it ourselves.
fn table_basis(checked_in: &str) -> String {
    format!("{} {checked_in}.", messages::OIL_TABLE_BASIS)
}

/// As in `4.8 quarts`; `6 quarts` without decimals if there are none.
pub fn quarts_text(quarts: f64) -> String {
    format!("{quarts} quarts")
}

fn rounded(confidence: f64) -> f64 {
    // Two digits: more would suggest an accuracy that nobody measured.
    (confidence * 100.0).round() / 100.0
}
