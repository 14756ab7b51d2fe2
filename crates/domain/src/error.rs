/// One input that does not fit its rule, named for the form field it came from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid `{field}`: {message}")]
pub struct InvalidInput {
    /// The field as the wire names it, in camelCase.
    pub field: &'static str,
    /// A sentence for the person who typed it: what is wrong and what to do.
    pub message: String,
}

impl InvalidInput {
    /// The error of `field` with a sentence for the person who typed it.
    pub fn new(field: &'static str, message: impl Into<String>) -> Self {
        Self { field, message: message.into() }
    }
}
