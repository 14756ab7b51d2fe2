mod ends;
mod grades;
mod groups;
mod queue;
