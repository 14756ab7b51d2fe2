//! The knowledge about each part type: guide, price range, videos, where to buy.
//!
//! The central type is [`Catalog`]: the part types of `data/part-types`, one TOML file each, embedded at build time
//! and parsed at start-up, so that a server without any settings has them all.
//!
//! With one file per type, contributions are easy to review: a mechanic can correct a torque value without touching
//! code, and the tests reject a file that violates the rules of length, retailers or repeated sentences.
//!
//! Taught parts are found by [`VectorIndex`]: the references nearest to a photograph's embedding, exactly in memory
//! ([`ExactIndex`]) or on a Qdrant server ([`QdrantIndex`]). An index is derived from SQL and can be rebuilt.
//!
//! This crate computes no embeddings (`partsight-inference` does), and except for Qdrant it makes no requests:
//! [`Retailers`] builds links to retailers' own searches and states no price that is not in its data.

mod catalog;
mod error;
mod index;
mod positions;
mod retailers;
mod telling_apart;
mod vehicle_needs;

pub use catalog::Catalog;
pub use error::Error;
pub use index::{
    DIMENSIONS, EmbeddingSpace, ExactIndex, HeldReference, IndexEntry, IndexError, IndexFuture, Neighbour,
    QdrantIndex, QdrantOptions, QdrantSettings, SearchFilter, Standing, VectorIndex,
};
pub use retailers::{Retailer, Retailers, Supplier};
