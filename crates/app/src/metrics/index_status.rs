//! How an index of references on a server stands: kept by teaching, read by metrics, readiness and receipts.

/// Whether the collection can be searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IndexCondition {
    /// It was not looked at yet.
    #[default]
    Unknown,
    /// It holds what the database says.
    Whole,
    /// It lacks references, and is being told them.
    Filling,
    /// The server does not answer, or refuses.
    Away,
}

impl IndexCondition {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Unknown, Self::Whole, Self::Filling, Self::Away];

    /// Its name in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Whole => "whole",
            Self::Filling => "filling",
            Self::Away => "away",
        }
    }
}

/// How an index on a server stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexStatus {
    /// Whether it can be searched.
    pub condition: IndexCondition,
    /// The number of the last change that it was told.
    pub revision: i64,
    /// References that it held when they were last counted.
    pub held: u64,
    /// References that the database had then.
    pub wanted: u64,
    /// Of those being told now, how many were.
    pub told: u64,
    /// Of how many.
    pub to_tell: u64,
    /// References that were lost, left over or out of date, and were put right, since the start of this server.
    pub repaired: u64,
}
