//! Finds the files of a graph's external weights.
//!
//! Only names are read from the graph, by the field numbers of `onnx.proto`; ONNX Runtime checks whether it is
//! valid. Weights in functions and in sparse tensors are ignored: exports do not have them.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use crate::{Error, Result};

/// Maximum nesting of graphs: the branches of a condition may contain weights too.
const MAX_DEPTH: usize = 8;

// Field numbers on the path to a tensor.
const MODEL_GRAPH: u64 = 7;
const GRAPH_NODE: u64 = 1;
const GRAPH_INITIALIZER: u64 = 5;
const NODE_ATTRIBUTE: u64 = 5;
const ATTRIBUTE_TENSOR: u64 = 5;
const ATTRIBUTE_GRAPH: u64 = 6;
const TENSOR_EXTERNAL: u64 = 13;
const ENTRY_KEY: u64 = 1;
const ENTRY_VALUE: u64 = 2;

/// The files of external weights of the graph `folder/graph`, relative to the folder.
///
/// # Errors
/// [`Error::ReadModel`] for the graph, [`Error::ExternalWeights`] if one of the files is missing, or not in the
/// graph's folder.
pub(super) fn files_of(folder: &Path, graph: &Path) -> Result<Vec<PathBuf>> {
    let path = folder.join(graph);
    let bytes = fs::read(&path).map_err(|source| Error::ReadModel { path: path.clone(), source })?;
    let beside = graph.parent().unwrap_or(Path::new(""));
    let mut files = Vec::new();
    for name in names_in(&bytes) {
        let problem = |problem| Error::ExternalWeights { path: path.clone(), name: name.clone(), problem };
        // An untrusted graph must not make the program read files elsewhere.
        let plain = name.strip_prefix("./").unwrap_or(&name);
        if Path::new(plain).file_name() != Some(plain.as_ref()) {
            return Err(problem("is no name of a file beside it"));
        }
        let file = beside.join(plain);
        if !folder.join(&file).is_file() {
            return Err(problem("is missing"));
        }
        files.push(file);
    }
    Ok(files)
}

/// The locations of external data, without duplicates; none for bytes that are no graph.
fn names_in(model: &[u8]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (_, graph) in fields(model).filter(|(field, _)| *field == MODEL_GRAPH) {
        add_graph(graph, MAX_DEPTH, &mut names);
    }
    names
}

fn add_graph(graph: &[u8], depth: usize, names: &mut BTreeSet<String>) {
    if depth == 0 {
        return;
    }
    for (field, message) in fields(graph) {
        match field {
            GRAPH_INITIALIZER => add_tensor(message, names),
            GRAPH_NODE => {
                let attributes = fields(message).filter(|(field, _)| *field == NODE_ATTRIBUTE);
                for (field, value) in attributes.flat_map(|(_, attribute)| fields(attribute)) {
                    match field {
                        ATTRIBUTE_TENSOR => add_tensor(value, names),
                        ATTRIBUTE_GRAPH => add_graph(value, depth - 1, names),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

fn add_tensor(tensor: &[u8], names: &mut BTreeSet<String>) {
    for (_, entry) in fields(tensor).filter(|(field, _)| *field == TENSOR_EXTERNAL) {
        let value_of = |wanted| fields(entry).find(|(field, _)| *field == wanted).map(|(_, value)| value);
        if value_of(ENTRY_KEY) == Some(&b"location"[..])
            && let Some(location) = value_of(ENTRY_VALUE)
        {
            names.insert(String::from_utf8_lossy(location).into_owned());
        }
    }
}

/// The length-delimited fields of a message, with their numbers; ends at invalid bytes.
fn fields(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        loop {
            let tag = varint(&mut rest)?;
            let n_bytes = match tag & 7 {
                0 => {
                    varint(&mut rest)?;
                    continue;
                }
                1 => 8,
                2 => usize::try_from(varint(&mut rest)?).ok()?,
                5 => 4,
                _ => return None,
            };
            let (value, after) = rest.split_at_checked(n_bytes)?;
            rest = after;
            if tag & 7 == 2 {
                return Some((tag >> 3, value));
            }
        }
    })
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, after) = bytes.split_first()?;
        *bytes = after;
        value |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A length-delimited field of less than 128 bytes.
    fn field(number: u8, value: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, value.len() as u8][..], value].concat()
    }

    fn model(location: &str) -> Vec<u8> {
        let entry = [field(1, b"location"), field(2, location.as_bytes())].concat();
        let offset = [field(1, b"offset"), field(2, b"4096")].concat();
        let tensor = [vec![16, 1], field(13, &entry), field(13, &offset)].concat();
        field(7, &field(5, &tensor))
    }

    #[test]
    fn locations_are_found_in_initialisers_and_constants() {
        assert_eq!(names_in(&model("w.bin")), BTreeSet::from(["w.bin".to_owned()]));
        let entry = [field(1, b"location"), field(2, b"c.bin")].concat();
        let constant = field(5, &field(5, &field(13, &entry)));
        let branch = field(5, &field(6, &field(1, &constant)));
        assert_eq!(names_in(&field(7, &field(1, &branch))), BTreeSet::from(["c.bin".to_owned()]));
    }

    #[test]
    fn bytes_that_are_no_graph_name_nothing() {
        let whole = model("w.bin");
        for length in 0..whole.len() {
            names_in(&whole[..length]);
        }
        for bytes in [&b"no graph"[..], &[255; 64], &[58, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]] {
            assert!(names_in(bytes).is_empty());
        }
    }

    #[test]
    fn a_file_that_is_missing_or_elsewhere_is_named() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let graph = Path::new("model.onnx");
        for (location, problem) in [
            ("w.bin", "is missing"),
            ("../w.bin", "no name of a file"),
            ("/etc/passwd", "no name of a file"),
            ("", "no name"),
        ] {
            fs::write(folder.path().join(graph), model(location)).expect("a file");
            let error = files_of(folder.path(), graph).expect_err(location).to_string();
            assert!(error.contains(problem) && error.contains(location), "{error}");
        }
        fs::write(folder.path().join(graph), model("./w.bin")).expect("a file");
        fs::write(folder.path().join("w.bin"), b"weights").expect("a file");
        assert_eq!(files_of(folder.path(), graph).expect("both files"), [PathBuf::from("w.bin")]);
    }
}
