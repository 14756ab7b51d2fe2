/// An invalid input, with the form field that it came from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid `{field}`: {message}")]
pub struct InvalidInput {
    /// The field's name in the API, in camelCase.
    pub field: &'static str,
    /// If `field` is a list: the index in it, from 0, and the field of that element.
    pub item: Option<(usize, &'static str)>,
    /// A sentence for the user: what is wrong and what to do.
    pub message: String,
}

impl InvalidInput {
    /// An error of `field` with a sentence for the user.
    pub fn new(field: &'static str, message: impl Into<String>) -> Self {
        Self { field, item: None, message: message.into() }
    }

    /// The same error, for the element at `index` of the list `field`.
    pub(crate) fn in_list(self, field: &'static str, index: usize) -> Self {
        Self { field, item: Some((index, self.field)), message: self.message }
    }

    /// The field for programs, such as `make` or `fitments[1].make`.
    pub fn path(&self) -> String {
        match self.item {
            Some((index, field)) => format!("{}[{index}].{field}", self.field),
            None => self.field.to_owned(),
        }
    }
}
