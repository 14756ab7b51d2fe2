//! The use cases: what a person or a shop can do with Partsight, each as one function.
//!
//! The central type is [`App`], which joins the store, the catalogue and the [`Identifier`]; this is the
//! only crate that knows them all. Whoever speaks to the outside (`partsight-api`, the command line) calls
//! it with parsed values and turns its [`Error`] into a status or an exit code.
//!
//! Rules live in `partsight-domain`; here they are asked in the right order, with the I/O between them.
//! The error set is agnostic of HTTP on purpose: the same refusal serves a status code and a terminal.
//!
//! It does not parse requests, render answers, or read settings: see [`Settings`] for what it is given.
//! Begin with `scans.rs` for the path of one photograph.

mod accounts;
mod app;
mod bulk;
mod error;
mod identify;
pub mod models;
mod parts;
mod passwords;
mod photo_files;
mod scans;
mod settings;
mod vehicles;

pub use accounts::{SessionToken, SignedIn};
pub use app::{App, Clock, system_clock};
pub use bulk::{FileError, FileScan, open_photo};
pub use error::{Entity, Error, Result};
pub use identify::{Identification, Identifier};
pub use partsight_catalog::{Catalog, Supplier};
pub use partsight_inference::{
    Error as InferenceError, Fingerprint, Photo, PhotoLimits, training_fingerprints,
};
pub use partsight_store::{Error as StoreError, Store, StoreOptions};
pub use photo_files::{FoundPhotos, find_photos, has_photo_extension, photos_in_folder};
pub use scans::ScanRequest;
pub use settings::{EMBEDDED_MODEL, InvalidSetting, LogFormat, Settings};
