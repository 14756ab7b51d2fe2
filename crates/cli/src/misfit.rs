//! Invalid combinations of arguments that clap does not detect.

use std::borrow::Cow;
use std::error::Error;
use std::fmt::{Display, Formatter, Result};

/// An error message about the arguments. The exit code is 2, as for clap's errors; after exit code 1, a scan has rows
/// for all other photographs.
#[derive(Debug)]
pub(crate) struct Misfit(Cow<'static, str>);

impl Misfit {
    pub(crate) fn new(sentence: impl Into<Cow<'static, str>>) -> Self {
        Self(sentence.into())
    }
}

impl Display for Misfit {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        formatter.write_str(&self.0)
    }
}

impl Error for Misfit {}
