//! What people say of an answer.

use jiff::Timestamp;

use crate::{PartLabel, ReferenceId};

named! {
    /// What somebody says of the answer to a scan.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum FeedbackKind {
        /// The part that was named is the one in the photograph.
        Right = "right",
        /// It is another part.
        OtherPart = "other-part",
        /// The photograph shows no part.
        NotAPart = "not-a-part",
    }
}

/// What somebody said of the answer to a scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanFeedback {
    /// What they said.
    pub kind: FeedbackKind,
    /// The part in the photograph; `None` where it shows none.
    pub label: Option<PartLabel>,
    /// The reference that was made of the scan, where one was.
    pub reference_id: Option<ReferenceId>,
    /// When they last said so.
    pub changed_at: Timestamp,
}
