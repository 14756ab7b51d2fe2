//! Status of a reference index on a server: set by teaching, read by metrics, readiness and receipts.

partsight_domain::named! {
    /// Whether the collection can be searched.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum IndexCondition {
        /// It was not checked yet.
        #[default]
        Unknown = "unknown",
        /// It matches the database.
        Whole = "whole",
        /// It lacks references, and is being synced.
        Filling = "filling",
        /// The server does not answer, or refuses.
        Away = "away",
    }
}

/// Status of a vector index on a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexStatus {
    /// Whether it can be searched.
    pub condition: IndexCondition,
    /// The last synced revision.
    pub revision: i64,
    /// References that it held when they were last counted.
    pub held: u64,
    /// References that the database had then.
    pub wanted: u64,
    /// Of the references that are being synced, how many are done.
    pub told: u64,
    /// How many are being synced.
    pub to_tell: u64,
    /// References that were missing, superfluous or stale, and were repaired since the start of this server.
    pub repaired: u64,
}
