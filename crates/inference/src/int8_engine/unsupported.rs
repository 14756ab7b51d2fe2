use std::fmt;

/// Why this engine does not support a graph or processor.
#[derive(Debug)]
pub(super) struct Unsupported(String);

impl Unsupported {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
