mod groups;
mod queue;
