use std::fs;

use partsight_app::{BackupError, verify_backup};
use sha2::{Digest, Sha256};

/// Stand for the hash of a table or file, and for that of all lines so far.
const SECTION_HASH: &str = "#section";
const WHOLE_HASH: &str = "#whole";

/// A file that somebody wants to restore from. By the first byte as it is, or with its hashes made right, so that not
/// every change is found by them.
pub(crate) fn backup(data: &[u8]) {
    let Some((&choice, rest)) = data.split_first() else { return };
    let content = if choice & 1 == 0 { rest.to_vec() } else { with_hashes(&String::from_utf8_lossy(rest)) };
    let folder = tempfile::tempdir().expect("a folder for the backup");
    let path = folder.path().join("backup");
    fs::write(&path, &content).expect("the backup is written");
    let lines = || content.split_inclusive(|&byte| byte == b'\n');
    match verify_backup(&path, &mut |_| ()) {
        Ok(facts) => {
            let n_rows = lines().filter(|line| line.first() == Some(&b'[')).count();
            assert_eq!(
                (facts.n_rows(), facts.size_bytes),
                (n_rows as u64, content.len() as u64),
                "{facts:?}"
            );
        }
        Err(BackupError::Damaged { line, reason, .. }) => {
            // The line after the last one is the one that is missing.
            let is_there = (1..=lines().count() as u64 + 1).contains(&line);
            assert!(is_there && !reason.trim().is_empty(), "line {line}: {reason}");
        }
        Err(error) => assert!(!error.to_string().trim().is_empty(), "every refusal says why"),
    }
}

/// The lines with hashes in place of the words that stand for them. That of a file is that of its empty content, and
/// that of a table with its rows.
fn with_hashes(text: &str) -> Vec<u8> {
    let (mut section, mut whole) = (Sha256::new(), Sha256::new());
    let mut content = Vec::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let hash = |hasher: &Sha256| hex::encode(hasher.clone().finalize());
        let line = line.replace(SECTION_HASH, &hash(&section)).replace(WHOLE_HASH, &hash(&whole));
        if line.starts_with('[') {
            section.update(&line);
        } else {
            section = Sha256::new();
        }
        whole.update(&line);
        content.extend_from_slice(line.as_bytes());
    }
    content
}
