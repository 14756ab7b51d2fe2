//! The model in use, and photographs: decoding, the queue of the engines, and the model's output.
//! It knows no account and no database. Begin with `identify.rs`.

pub(crate) mod browser_model;
pub(crate) mod bulk;
pub(crate) mod bulk_options;
pub(crate) mod device_bench;
pub(crate) mod identify;
pub(crate) mod model_source;
pub(crate) mod part_finder;
pub(crate) mod path_text;
pub(crate) mod photo_budget;
pub(crate) mod photo_files;
pub(crate) mod pixels;
pub(crate) mod quarantine;
pub(crate) mod reading;
pub(crate) mod thresholds;
pub(crate) mod thumbnails;
pub(crate) mod vehicle_prior;
