//! The question to a person if a photograph to be taught looks like another part.

use partsight_domain::{PartLabel, ReferenceId};

/// The part that a photograph resembles more than its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resembled {
    /// Label of the part type.
    pub label: PartLabel,
    /// Display name.
    pub name: String,
    /// Its nearest reference; `None` for a type that the model has learnt and nobody has taught.
    pub nearest: Option<ReferenceId>,
}

impl Resembled {
    /// A sentence about the photograph; `subject` names it, such as "The photo".
    pub(crate) fn sentence(&self, subject: &str) -> String {
        format!("{subject} looks more like {} than like this part.", self.name)
    }

    /// The same for the command line, with the option that keeps the photograph.
    pub(crate) fn command_sentence(&self, subject: &str) -> String {
        format!("{} `--accept-collision` keeps it and marks the two as look-alikes.", self.sentence(subject))
    }

    /// The question about the photograph of this number, from 1.
    pub fn question(&self, number: usize) -> String {
        format!(
            "{} If it shows this part, send it again with `acceptCollision`: it is kept, the two parts are marked as \
             look-alikes, and a scan answers that it is one of them.",
            self.sentence(&format!("Photo {number}"))
        )
    }
}
