//! What Partsight can say about a part once it knows the type: guide, price range, videos, where to buy.
//!
//! The central type is [`Catalog`]: the part types of `data/part-types`, one TOML file each, embedded at
//! build time and parsed at start, so that a server without any settings has them all.
//!
//! One file a type keeps authorship reviewable: a mechanic can correct a torque value without touching code,
//! and the tests reject a file that breaks the rules of length, retailers or repeated sentences.
//!
//! What people teach is found by [`VectorIndex`]: the references nearest to a photograph's embedding, exactly in
//! memory ([`ExactIndex`]) or on a Qdrant server ([`QdrantIndex`]). An index is derived from SQL and can be lost.
//!
//! It makes no embedding (`partsight-inference`), and but for Qdrant it fetches nothing: [`Retailers`] builds
//! links to retailers' own searches and claims no price that it has not been given.

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
