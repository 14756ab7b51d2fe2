use std::fs;
use std::path::{Path, PathBuf};

use partsight_fuzz::Target;

/// An input, and the file that it stands in.
pub(crate) struct Seed {
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

/// The inputs of a target in the order of their names: those that a script wrote, those that a fault was found with, and
/// for photographs the drawings that the tests of `inference` read.
pub(crate) fn seeds(target: &Target) -> Vec<Seed> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = files(&package.join("corpus").join(target.name));
    if target.name == "photo" {
        let is_picture =
            |path: &PathBuf| path.extension().is_some_and(|kind| kind == "jpg" || kind == "heic");
        let fixtures = package.join("../../crates/inference/tests/fixtures");
        for folder in [fixtures.join("scaled"), fixtures] {
            paths.extend(files(&folder).into_iter().filter(is_picture));
        }
    }
    paths.sort();
    paths.into_iter().map(|path| Seed { bytes: fs::read(&path).unwrap(), path }).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .expect("each target has a folder of inputs")
        .map(|entry| entry.unwrap().path())
        .collect()
}
