//! Lists the files of `data/part-types`, so that a new part type only needs a new file.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let manifest_dir = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let folder = Path::new(&manifest_dir).join("data/part-types");
    println!("cargo::rerun-if-changed={}", folder.display());

    let mut files =
        fs::read_dir(&folder)?.map(|entry| entry.map(|e| e.path())).collect::<io::Result<Vec<_>>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    // Sorted, so that the same sources give the same program.
    files.sort();

    let mut code = String::from("const PART_TYPE_FILES: &[(&str, &str)] = &[\n");
    for path in &files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let path = path.to_string_lossy().into_owned();
        // Debug format: it escapes special characters of paths, such as the backslashes on Windows.
        writeln!(code, "    ({name:?}, include_str!({path:?})),").map_err(io::Error::other)?;
    }
    code.push_str("];\n");

    let out_dir = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out_dir).join("part_type_files.rs"), code)
}
