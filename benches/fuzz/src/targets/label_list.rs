use std::collections::HashSet;
use std::fs;

use partsight_app::Assessor as _;
use partsight_eval::EvalAssessor;

/// A list of photographs with their labels, which came with the zip of an evaluation.
pub(crate) fn label_list(data: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder for the list");
    let list = folder.path().join("list.csv");
    fs::write(&list, data).expect("the list is written");
    match EvalAssessor::new("fuzz", Vec::new()).list_paths(&list) {
        Ok(paths) => {
            let distinct: HashSet<_> = paths.iter().collect();
            assert!(!paths.is_empty() && distinct.len() == paths.len(), "each photograph once: {paths:?}");
        }
        Err(sentence) => assert!(!sentence.trim().is_empty(), "every refusal says why"),
    }
}
