//! Loading the runtime: which libraries are refused before they are loaded.

use std::{fs, path::PathBuf};

use partsight_inference::{ONNX_RUNTIME_VERSION, OnnxRuntime, OnnxRuntimeError};
use tempfile::TempDir;

use crate::common::onnx_runtime;

/// A minimal shared library for this machine: an ELF header, and the name of a symbol version.
fn library(version: &str, end_of_sections: u64) -> Vec<u8> {
    let machine: u8 = if cfg!(target_arch = "aarch64") { 183 } else { 62 };
    let mut bytes = vec![0; 64];
    bytes[..6].copy_from_slice(b"\x7FELF\x02\x01");
    bytes[16] = 3;
    bytes[18] = machine;
    bytes[40..48].copy_from_slice(&end_of_sections.to_le_bytes());
    bytes.extend(version.as_bytes());
    bytes.push(0);
    bytes
}

fn written(folder: &TempDir, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join("libonnxruntime.so");
    fs::write(&path, bytes).expect("a file");
    path
}

#[test]
fn a_path_without_a_file_is_an_error_that_names_it() {
    let error = OnnxRuntime::load(Some("/nowhere/libonnxruntime.so".as_ref())).expect_err("no file");
    assert!(matches!(&error, OnnxRuntimeError::NoFile { .. }), "{error:?}");
    assert!(error.to_string().contains("`/nowhere/libonnxruntime.so`"), "{error}");
}

#[test]
fn a_library_that_is_too_old_is_refused_unloaded() {
    let folder = TempDir::new().expect("a folder");
    let path = written(&folder, &library("VERS_1.10.2", 0));
    let error = OnnxRuntime::load(Some(&path)).expect_err("an old version");
    assert!(matches!(&error, OnnxRuntimeError::TooOld { found, .. } if found == "1.10.2"), "{error:?}");
}

#[test]
fn a_file_of_another_kind_is_refused_unloaded() {
    let mut other_machine = library("VERS_1.31.1", 0);
    other_machine[18] = 40;
    let cases = [
        (b"#!/bin/sh\n".to_vec(), "it is not a shared library"),
        (Vec::new(), "it is not a shared library"),
        (library("", 0), "it exports nothing of ONNX Runtime"),
        (library("VERS_1.31.1", 1 << 24), "the file is cut short"),
        (library("VERS_1.31.1", u64::MAX), "the file is cut short"),
        (other_machine, "it is built for another processor"),
    ];
    for (bytes, expected) in cases {
        let folder = TempDir::new().expect("a folder");
        let path = written(&folder, &bytes);
        let error = OnnxRuntime::load(Some(&path)).expect_err(expected);
        assert!(
            matches!(&error, OnnxRuntimeError::NotOnnxRuntime { reason, .. } if *reason == expected),
            "{error:?}"
        );
    }
}

#[test]
fn a_real_library_cut_short_is_refused_unloaded() {
    let whole = fs::read(onnx_runtime().path()).expect("the library in use");
    let folder = TempDir::new().expect("a folder");
    let path = written(&folder, &whole[..whole.len() / 2]);
    let error = OnnxRuntime::load(Some(&path)).expect_err("half a library");
    assert!(
        matches!(&error, OnnxRuntimeError::NotOnnxRuntime { reason: "the file is cut short", .. }),
        "{error:?}"
    );
}

#[test]
fn loading_again_gives_the_same_runtime() {
    let first = onnx_runtime();
    let again = OnnxRuntime::load(Some(first.path())).expect("the same file");
    assert_eq!(first.path(), again.path());
    assert!(first.version().starts_with("1."), "{}", first.version());
    assert!(OnnxRuntime::load(None).is_ok());
}

#[test]
fn another_whole_library_is_refused_once_one_is_loaded() {
    let loaded = onnx_runtime();
    let folder = TempDir::new().expect("a folder");
    let path = written(&folder, &library("VERS_1.31.1", 0));
    let error = OnnxRuntime::load(Some(&path)).expect_err("a second library");
    assert!(matches!(&error, OnnxRuntimeError::OtherLoaded { wanted, .. } if *wanted == path), "{error:?}");
    assert_eq!(onnx_runtime().path(), loaded.path());
}

#[test]
fn the_fetch_script_pins_the_version_that_is_looked_for() {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.make/onnxruntime");
    let text = fs::read_to_string(&script).expect("the fetch script");
    assert!(text.contains(&format!("version={ONNX_RUNTIME_VERSION}\n")), "`{}`", script.display());
}
