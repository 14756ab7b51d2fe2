mod ends;
mod grades;
mod groups;
pub(crate) mod queue;
