//! The model in use, as clients need it. What recognises a photograph is in `partsight-app`.

pub(crate) mod browser_model;
