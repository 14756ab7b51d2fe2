//! What people say of an answer.

use jiff::Timestamp;

use crate::{PartLabel, ReferenceId};

/// What somebody says of the answer to a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FeedbackKind {
    /// The part that was named is the one in the photograph.
    Right,
    /// It is another part.
    OtherPart,
    /// The photograph shows no part.
    NotAPart,
}

impl FeedbackKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Right, Self::OtherPart, Self::NotAPart];

    /// The name on the wire and in rows: `right`, `other-part`, `not-a-part`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::OtherPart => "other-part",
            Self::NotAPart => "not-a-part",
        }
    }

    /// The kind whose [`FeedbackKind::as_str`] is `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for kind in FeedbackKind::ALL {
            assert_eq!(FeedbackKind::from_name(kind.as_str()), Some(kind));
        }
        assert_eq!(FeedbackKind::from_name("maybe"), None);
    }
}
