//! Engine oil: which, how much, how often, and which filter.
//!
//! The central function is [`oil_specification`]. It answers from a table of engine families
//! (`data/oil/*.toml`) that we wrote down ourselves: each value says where it can be checked and how sure we are,
//! and what we were not sure of is left out. What the owner says of their own vehicle wins over all of it.

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
