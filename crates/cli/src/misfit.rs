//! Arguments that clap takes one by one and that do not fit together.

use std::borrow::Cow;
use std::error::Error;
use std::fmt::{Display, Formatter, Result};

/// What does not fit, as a sentence. The program ends with 2, as where clap refuses arguments: after 1, a scan has rows of
/// all other photographs.
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
