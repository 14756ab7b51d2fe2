//! Facts about vehicles, embedded in the program: makes, models, years, engines, VINs, oil, maintenance schedule.
//!
//! The central type is [`Reference`]: every light vehicle sold in the United States since 1984, from EPA's list.
//! [`VinPatterns`] decode vehicle identification numbers. The facts come from public sources that each table names,
//! in a compact binary encoding, so that a lookup needs no network and takes microseconds.
//!
//! A lookup never validates: owners may enter any vehicle, and an unknown make has an empty list of models. A fact
//! that no source states (torque, for example) is left blank, never guessed.
//!
//! There is no I/O here: importers accept readers, and the program decides which files they read.

mod codec;
mod error;
mod import;
mod names;
pub mod oil;
mod reference;
pub mod schedule;
mod vin;

pub use error::{FormatError, ImportError, SourceFile};
pub use import::{ImportReport, Sources, import};
pub use reference::{Counts, Engine, Make, Model, Propulsion, Reference};
pub use vin::{
    DecodedVin, LikelyVin, VinDetails, VinError, VinPatternCounts, VinPatternReport, VinPatterns,
    VinPatternsImport, VinWarning, decode_vin, likely_vins, vins_in_code,
};
