//! The model in use, as clients need it. The recognition itself is in `partsight-app`.

pub(crate) mod browser_model;
