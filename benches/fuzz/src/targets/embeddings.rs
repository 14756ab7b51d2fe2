use std::fs;

use partsight_eval::{Embeddings, MAX_EMBEDDINGS};

/// Embeddings beside a report that somebody else wrote.
pub(crate) fn embeddings(data: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder for the file");
    fs::write(folder.path().join("embeddings.npy"), data).expect("the file is written");
    match Embeddings::beside(&folder.path().join("report.json")) {
        Ok(Some(rows)) => {
            let is_table = rows.iter().all(|row| !row.is_empty() && row.len() == rows[0].len());
            assert!(is_table && (1..=MAX_EMBEDDINGS).contains(&rows.len()), "{} rows", rows.len());
            assert!(rows.iter().flatten().all(|value| value.is_finite()), "no number is missing");
        }
        Ok(None) => panic!("the file is there"),
        Err(error) => assert!(!error.to_string().is_empty(), "every refusal says why"),
    }
}
