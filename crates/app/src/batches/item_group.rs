use partsight_domain::{BatchItem, BatchItemId, PartLabel, Scan, ScanGrade};

use crate::scanning::pooling::PooledAnswer;

/// A group: photographs of the same item.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemGroup {
    /// The first member, whose id is that of the group.
    pub id: BatchItemId,
    /// Whether it was proposed and is not confirmed by a person yet.
    pub is_proposed: bool,
    /// The members in the order of upload, each with its own answer.
    pub members: Vec<(BatchItem, Option<Scan>)>,
    /// The pooled answer; `None` if no member has an answer.
    pub answer: Option<PooledAnswer>,
    /// The part type in people's feedback on the members, if it is the same in all feedback.
    pub said: Option<PartLabel>,
    /// The grade of its first graded member.
    pub grade: Option<ScanGrade>,
}
