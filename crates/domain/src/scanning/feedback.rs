//! Feedback on answers.

use jiff::Timestamp;

use crate::{PartLabel, ReferenceId};

named! {
    /// A user's verdict on the answer to a scan.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum FeedbackKind {
        /// The answer is correct.
        Right = "right",
        /// The photograph shows another part.
        OtherPart = "other-part",
        /// The photograph shows no part.
        NotAPart = "not-a-part",
    }
}

/// Feedback on the answer to a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanFeedback {
    /// Kind of feedback.
    pub kind: FeedbackKind,
    /// The part in the photograph; `None` if it shows none.
    pub label: Option<PartLabel>,
    /// The reference that was made of the scan, if any.
    pub reference_id: Option<ReferenceId>,
    /// When it was last changed.
    pub changed_at: Timestamp,
}
