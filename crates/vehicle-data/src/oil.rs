//! Engine oil: viscosity, capacity, change interval and filter.
//!
//! The central function is [`oil_specification`]. It looks up a table of engine families (`data/oil/*.toml`) that
//! we wrote ourselves: each value has a source where it can be checked and a confidence; values of which we were
//! not sure are left out. The owner's own values take precedence over all of it.

mod answer;
mod brands;
mod energy_of_name;
mod engine;
mod family;
mod model_pattern;
mod table;

pub use answer::{
    FALLBACK_CAPACITY_QUARTS, FALLBACK_GRADE, Fact, KnownEngine, OilQuery, OilSource, OilSpecification,
    oil_specification, quarts_text,
};
pub(crate) use energy_of_name::energy_of_name;
pub use engine::{Energy, EngineTraits, Induction};
pub use family::{Capacity, ChangeInterval, Family, Interval, Text};
pub use table::{OilTable, TableError};
