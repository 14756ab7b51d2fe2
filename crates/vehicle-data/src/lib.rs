//! Facts about vehicles, embedded and offline: makes, models, years, engines, VINs, oil.
//!
//! The central type is [`Reference`]: every light vehicle sold in the United States since 1984, as EPA lists them.
//! [`VinPatterns`] say what a vehicle identification number stands for.
//! The facts come from public sources that each table names, brought into a compact form of our own, so that a
//! lookup needs no network and takes microseconds.
//!
//! A lookup never validates: what an owner types is always allowed, and a make that nobody here knows gives an
//! empty list. What no source states (torque, for one) is left blank, never guessed.
//!
//! There is no I/O here: importers take readers, and the program decides which files they read.

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
