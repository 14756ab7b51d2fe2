//! Which crate may use which. The reasons stand in the crates' own documentation.

use std::collections::BTreeMap;

use cargo_metadata::{DependencyKind, MetadataCommand};

use crate::repository;

/// Each crate and those of ours that it may depend on; its tests may use more.
const ARROWS: [(&str, &[&str]); 11] = [
    ("partsight-domain", &[]),
    ("partsight-inference", &[]),
    ("partsight-catalog", &["partsight-domain"]),
    ("partsight-store", &["partsight-domain"]),
    ("partsight-providers", &["partsight-domain"]),
    ("partsight-vehicle-data", &["partsight-domain"]),
    (
        "partsight-app",
        &[
            "partsight-catalog",
            "partsight-store",
            "partsight-providers",
            "partsight-inference",
            "partsight-vehicle-data",
            "partsight-domain",
        ],
    ),
    ("partsight-api", &["partsight-app", "partsight-domain"]),
    ("partsight-eval", &["partsight-app", "partsight-domain"]),
    ("partsight-test-support", &[]),
    ("partsight-cli", &["partsight-api", "partsight-app", "partsight-domain", "partsight-eval"]),
];
/// They measure and attack whatever they like.
const BENCHES: [&str; 2] = ["partsight-benches", "partsight-fuzz"];

#[test]
fn crates_depend_only_on_those_below_them() {
    let manifest = repository().join("Cargo.toml");
    let metadata = MetadataCommand::new()
        .manifest_path(manifest)
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec();
    let metadata = metadata.unwrap();
    let arrows: BTreeMap<&str, &[&str]> = ARROWS.into_iter().collect();
    let mut wrong = Vec::new();
    for package in metadata.workspace_packages() {
        let name = package.name.as_str();
        if BENCHES.contains(&name) {
            continue;
        }
        let Some(allowed) = arrows.get(name) else {
            wrong.push(format!(
                "the crate `{name}` is new: add it to the table in architecture.rs, with the crates that it \
                 may depend on"
            ));
            continue;
        };
        for dependency in &package.dependencies {
            let is_ours = dependency.name.starts_with("partsight-");
            if is_ours
                && dependency.kind == DependencyKind::Normal
                && !allowed.contains(&dependency.name.as_str())
            {
                wrong.push(format!("`{name}` must not depend on `{}`", dependency.name));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_table_names_no_crate_that_is_gone() {
    for (name, _) in ARROWS {
        let folder = name.strip_prefix("partsight-").unwrap();
        let manifest = repository().join("crates").join(folder).join("Cargo.toml");
        assert!(manifest.is_file(), "`{name}` has no {}", manifest.display());
    }
}
