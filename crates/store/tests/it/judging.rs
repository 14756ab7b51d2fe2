mod calls;
mod fills;
