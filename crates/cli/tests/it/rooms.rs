//! Which room may know which, on every floor: the crates `domain`, `store`, `app` and `api`, and the web app. In these and
//! in all other crates, no files may know each other in a circle.
//!
//! A room is a subject with one name and the same folder on each floor that it touches. The sources are read as text:
//! what a file names by `crate::`, `super::` or an import is what it knows. Tests beside the code may know more.

mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::repository;
use sources::{Source, sources};

/// The rooms, lowest first, and those that each may know.
const ROOMS: [(&str, &[&str]); 13] = [
    ("recognition", &[]),
    ("accounts", &[]),
    ("events", &["accounts"]),
    ("plans", &["accounts"]),
    ("garage", &["accounts", "events"]),
    ("parts", &["accounts", "garage"]),
    ("judging", &["accounts", "recognition", "garage", "parts"]),
    ("teaching", &["accounts", "recognition", "parts", "judging"]),
    ("scanning", &["accounts", "recognition", "events", "plans", "garage", "parts", "judging", "teaching"]),
    (
        "batches",
        &["accounts", "recognition", "events", "plans", "garage", "parts", "judging", "teaching", "scanning"],
    ),
    ("evaluations", &["accounts", "recognition", "batches"]),
    (
        "bench",
        &["accounts", "recognition", "events", "plans", "garage", "parts", "judging", "teaching", "scanning"],
    ),
    (
        "operations",
        &[
            "accounts",
            "recognition",
            "events",
            "plans",
            "garage",
            "parts",
            "judging",
            "teaching",
            "scanning",
            "batches",
            "evaluations",
        ],
    ),
];

/// A floor of the house.
struct Floor {
    folder: &'static str,
    /// What joins the rooms, and may know all of them: files and folders.
    joins: &'static [&'static str],
    /// The other folders beside the rooms, which know none of them.
    shared: &'static [&'static str],
}

const FLOORS: [Floor; 5] = [
    Floor {
        folder: "crates/domain/src",
        joins: &["lib.rs"],
        shared: &["messages", "settings", "snapshots", "text"],
    },
    Floor { folder: "crates/store/src", joins: &["lib.rs"], shared: &[] },
    Floor {
        folder: "crates/app/src",
        joins: &["lib.rs", "app.rs"],
        shared: &["csv_file", "limits", "metrics", "parquet_file", "settings"],
    },
    Floor {
        folder: "crates/api/src",
        joins: &["lib.rs", "routes.rs", "docs.rs", "docs"],
        shared: &["mcp", "middleware", "serve"],
    },
    Floor {
        folder: "web/src",
        joins: &["app", "main.tsx", "testing"],
        shared: &["api", "components", "config", "hooks", "lib", "service-worker"],
    },
];

/// The other crates, in which files alone count.
const CRATES_WITHOUT_ROOMS: [&str; 6] = [
    "crates/catalog/src",
    "crates/cli/src",
    "crates/eval/src",
    "crates/inference/src",
    "crates/providers/src",
    "crates/vehicle-data/src",
];

#[test]
fn a_room_knows_only_rooms_below_it() {
    check(&FLOORS, |floor, sources| {
        let mut wrong = Vec::new();
        for source in sources {
            let top = source.module.first().map_or("", String::as_str);
            if floor.joins(source) {
                continue;
            }
            let own = room(top);
            for mention in &source.mentions {
                let Some((other, _)) = room(&resolved(&mention.path, sources)[0]) else { continue };
                match own {
                    Some((own, may_know)) if own != other && !may_know.contains(&other) => wrong
                        .push(format!("{}:{}: `{own}` must not know `{other}`", source.name, mention.line)),
                    None => wrong.push(format!(
                        "{}:{}: what stands outside the rooms must not know `{other}`",
                        source.name, mention.line
                    )),
                    _ => {}
                }
            }
        }
        wrong
    });
}

#[test]
fn no_two_files_know_each_other_in_a_circle() {
    // The error of a crate holds those of its parts.
    let joins = &["lib.rs", "main.rs", "error.rs"];
    let others = CRATES_WITHOUT_ROOMS.map(|folder| Floor { folder, joins, shared: &[] });
    check(FLOORS.iter().chain(&others), |floor, sources| {
        let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for source in sources.iter().filter(|source| !floor.joins(source)) {
            for mention in &source.mentions {
                let target = resolved(&mention.path, sources);
                if let Some((from, to)) = floor.units(&source.module, &target, sources) {
                    known.entry(from).or_default().insert(to);
                }
            }
        }
        circle(known).into_iter().map(|circle| format!("{}: in a circle: {circle}", floor.folder)).collect()
    });
}

#[test]
fn every_folder_of_a_floor_is_a_room_or_is_said_to_be_none() {
    let mut wrong = Vec::new();
    for floor in &FLOORS {
        let mut folders = folders(&repository().join(floor.folder));
        if let Some(at) = folders.iter().position(|folder| folder == "features") {
            folders.remove(at);
            let features = self::folders(&repository().join(floor.folder).join("features"));
            let strangers = features.into_iter().filter(|folder| room(folder).is_none());
            wrong.extend(strangers.map(|folder| format!("{}/features/{folder} is no room", floor.folder)));
        }
        for folder in folders {
            let is_named = floor.joins.contains(&folder.as_str()) || floor.shared.contains(&folder.as_str());
            if room(&folder).is_none() && !is_named {
                wrong.push(format!(
                    "{}/{folder} is no room: if it belongs to none, name it in the table of rooms.rs",
                    floor.folder
                ));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_table_has_no_circle() {
    for (at, (name, may_know)) in ROOMS.iter().enumerate() {
        for other in *may_know {
            let below = ROOMS[..at].iter().any(|(room, _)| room == other);
            assert!(below, "`{name}` may know `{other}`, which does not stand above it in the table");
        }
    }
}

/// Fails with all that `find` says of these floors.
fn check<'f>(floors: impl IntoIterator<Item = &'f Floor>, find: impl Fn(&Floor, &[Source]) -> Vec<String>) {
    let mut wrong = Vec::new();
    for floor in floors {
        let sources = sources(floor);
        assert!(!sources.is_empty(), "{} has no sources", floor.folder);
        wrong.extend(find(floor, &sources));
    }
    assert!(wrong.is_empty(), "{} forbidden:\n{}", wrong.len(), wrong.join("\n"));
}

fn room(name: &str) -> Option<(&'static str, &'static [&'static str])> {
    ROOMS.into_iter().find(|(room, _)| *room == name)
}

impl Floor {
    fn joins(&self, source: &Source) -> bool {
        let top = source.module.first().map_or("", String::as_str);
        self.joins.iter().any(|join| join.split('.').next() == Some(top))
    }

    /// The two that count in the search for circles when `module` names something in `target`: in the web app the two
    /// files; in Rust the two neighbours in one folder that they belong to, each with all that is below it, since a module
    /// and its own parts may know each other. None for two rooms, whose order is in the table.
    fn units(&self, module: &[String], target: &[String], sources: &[Source]) -> Option<(String, String)> {
        if self.folder.starts_with("web") {
            let (from, to) = (module.join("/"), target.join("/"));
            return (from != to && sources.iter().any(|source| source.module == target))
                .then_some((from, to));
        }
        let common = module.iter().zip(target).take_while(|(one, other)| one == other).count();
        let (from, to) = (module.get(..=common)?, target.get(..=common)?);
        let is_there = sources.iter().any(|source| source.module.starts_with(to));
        let are_rooms = common == 0 && (room(&from[0]).is_some() || room(&to[0]).is_some());
        (is_there && !are_rooms).then(|| (from.join("::"), to.join("::")))
    }
}

/// Where what is named really stands: behind the names under which the floor and its rooms hand it on.
fn resolved(path: &[String], sources: &[Source]) -> Vec<String> {
    let mut path = path.to_vec();
    // Each step leads further down, and nothing is handed on so often.
    for _ in 0..4 {
        let named = (0..path.len()).find_map(|depth| {
            let module = if depth == 0 { &["lib".to_owned()][..] } else { &path[..depth] };
            // A function may have the name of a module.
            if depth + 1 < path.len() && sources.iter().any(|source| source.module == path[..=depth]) {
                return None;
            }
            let from = sources.iter().find(|source| source.module == module)?;
            let target = from.exports.get(&path[depth])?;
            Some([target.as_slice(), &path[depth + 1..]].concat())
        });
        match named {
            Some(target) if target != path => path = target,
            _ => break,
        }
    }
    path
}

/// One circle among what knows what, if there is any.
fn circle(mut known: BTreeMap<String, BTreeSet<String>>) -> Option<String> {
    // Who knows nobody that is left is in no circle.
    loop {
        let left: BTreeSet<String> = known.keys().cloned().collect();
        for others in known.values_mut() {
            others.retain(|other| left.contains(other));
        }
        let before = known.len();
        known.retain(|_, others| !others.is_empty());
        if known.len() == before {
            break;
        }
    }
    let mut walked = vec![known.keys().next()?.clone()];
    loop {
        let next = known[walked.last()?].first()?.clone();
        if let Some(at) = walked.iter().position(|seen| *seen == next) {
            walked.push(next);
            return Some(walked[at..].join(" -> "));
        }
        walked.push(next);
    }
}

fn folders(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let folders = entries.filter(|entry| entry.file_type().unwrap().is_dir());
    folders.map(|entry| entry.file_name().into_string().unwrap()).collect()
}
