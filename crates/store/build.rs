//! Compiles the store again when the folder of the migrations changes, which the macro that reads it cannot say.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
