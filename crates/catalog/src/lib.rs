//! What Partsight can say about a part once it knows the type: guide, price range, videos, where to buy.
//!
//! The central type is [`Catalog`]: the part types of `data/part-types`, one TOML file each, embedded at
//! build time and parsed at start, so that a server without any settings has them all.
//!
//! One file a type keeps authorship reviewable: a mechanic can mend a torque habit without touching code,
//! and the tests reject a file that breaks the rules of length, retailers or repeated sentences.
//!
//! It does not identify anything (`partsight-inference`) and fetches nothing: [`Retailers`] builds links
//! to retailers' own searches and claims no price that it has not been given.

mod catalog;
mod error;
mod retailers;

pub use catalog::Catalog;
pub use error::Error;
pub use retailers::{Retailer, Retailers, Supplier};
