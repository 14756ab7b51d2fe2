use partsight_domain::{BatchItem, BatchItemId, PartLabel, Scan};

use crate::scanning::pooling::PooledAnswer;

/// The photographs that show one item.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemGroup {
    /// The first of them, which names the group.
    pub id: BatchItemId,
    /// Whether it was proposed, and no person has said yet that it is right.
    pub is_proposed: bool,
    /// All of them in the order in which they were sent, each with its own answer.
    pub members: Vec<(BatchItem, Option<Scan>)>,
    /// What they say together; `None` where none of them has an answer.
    pub answer: Option<PooledAnswer>,
    /// What people said it is, where they said the same of all that they said anything of.
    pub said: Option<PartLabel>,
}
