mod grades;
mod groups;
mod queue;
