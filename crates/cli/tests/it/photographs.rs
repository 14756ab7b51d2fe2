//! The whole way from files to labels, on real photographs where they are at hand.

use std::env;
use std::path::{Path, PathBuf};

use crate::{Program, repository};

/// Photographs of known parts as people take them, in a folder for each label.
const FOLDER: &str = "field-valid";
const PHOTOS: usize = 101;
/// Well under what is measured when a model is made, so that only a broken step fails here.
const MIN_RIGHT: usize = 75;

#[test]
fn three_of_four_field_photographs_get_the_right_label() {
    let photos = env::var_os("PARTSIGHT_PHOTOS")
        .map_or_else(|| repository().join("../shared/photos"), PathBuf::from)
        .join(FOLDER);
    if !photos.is_dir() {
        println!("left out: there are no photographs at {}; set PARTSIGHT_PHOTOS", photos.display());
        return;
    }
    let outcome = Program::new().run(&["scan", photos.to_str().unwrap(), "--format", "json"]);
    let rows = outcome.expect_code(0).rows();
    assert_eq!(rows.len(), PHOTOS);
    let is_right = |row: &&serde_json::Value| {
        let folder = Path::new(row["path"].as_str().unwrap()).parent().unwrap();
        row["label"] == folder.file_name().unwrap().to_str().unwrap()
    };
    let right = rows.iter().filter(is_right).count();
    assert!(right >= MIN_RIGHT, "{right} of {PHOTOS} are right");
}
