//! Which room may know which, on every floor: the crates `domain`, `store`, `app` and `api`, and the web app.
//!
//! A room is a subject with one name and the same folder on each floor that it touches. The sources are read as text:
//! what a file names by `crate::`, `super::` or an import is what it knows. Tests beside the code may know more.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::repository;

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
    Floor { folder: "crates/domain/src", joins: &["lib.rs"], shared: &["settings", "snapshots", "text"] },
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

/// What a file names.
struct Mention {
    line: usize,
    /// From the root of the floor: modules and at last an item, or folders and a file.
    path: Vec<String>,
}

/// A source file of a floor.
struct Source {
    /// From the root of the repository, for people.
    name: String,
    /// From the root of the floor, without the ending: `["garage", "vehicles"]`.
    module: Vec<String>,
    mentions: Vec<Mention>,
    /// What it hands on by another name: the name, and where it comes from.
    exports: BTreeMap<String, Vec<String>>,
}

#[test]
fn a_room_knows_only_rooms_below_it() {
    check(|floor, sources| {
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
fn no_two_files_of_a_room_know_each_other_in_a_circle() {
    check(|floor, sources| {
        let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let unit = |module: &[String]| floor.unit(module);
        for source in sources.iter().filter(|source| !floor.joins(source)) {
            let Some(from) = unit(&source.module) else { continue };
            for mention in &source.mentions {
                let to = unit(&resolved(&mention.path, sources));
                let is_there =
                    |to: &String| sources.iter().any(|other| unit(&other.module).as_ref() == Some(to));
                if let Some(to) = to.filter(|to| *to != from).filter(is_there) {
                    known.entry(from.clone()).or_default().insert(to);
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
fn what_a_file_names_is_read_from_its_text() {
    let text = "use crate::{Error, parts::{Parts as All, part_types}};\n// crate::plans\n\
                use super::super::scanning::scans;\nfn all() { self.teaching.index.len() }\n\
                #[cfg(test)]\nmod tests { use crate::operations::Operations; }";
    let source = rust(
        "crates/app/src/garage/vehicles.rs".to_owned(),
        vec!["garage".to_owned(), "vehicles".to_owned()],
        text,
    );
    let found: Vec<String> = source
        .mentions
        .iter()
        .map(|mention| format!("{}: {}", mention.line, mention.path.join("::")))
        .collect();
    let expected =
        ["1: Error", "1: parts::Parts", "1: parts::part_types", "3: scanning::scans", "4: teaching"];
    assert_eq!(found, expected);
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

/// Fails with all that `find` says of the floors.
fn check(find: impl Fn(&Floor, &[Source]) -> Vec<String>) {
    let mut wrong = Vec::new();
    for floor in &FLOORS {
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

    /// What counts as one in the search for circles: in Rust a module of a room with all that is below it, since a
    /// module and its own parts may know each other; in the web app a file. None for the file that a room begins with.
    fn unit(&self, module: &[String]) -> Option<String> {
        if self.folder.starts_with("web") {
            return Some(module.join("/"));
        }
        match module {
            [room_name, name, ..] if room(room_name).is_some() => Some(format!("{room_name}::{name}")),
            [name, ..] if room(name).is_none() => Some(name.clone()),
            _ => None,
        }
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

/// The files of a floor, without tests.
fn sources(floor: &Floor) -> Vec<Source> {
    let root = repository().join(floor.folder);
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let is_web = floor.folder.starts_with("web");
    let sources = files.into_iter().filter_map(|file| {
        let local = file.strip_prefix(&root).unwrap();
        let module: Vec<String> = parts(&local.with_extension(""));
        let ending = local.extension()?.to_str()?;
        let name = format!("{}/{}", floor.folder, local.display());
        let is_test = module.iter().any(|part| part.contains(".test") || *part == "tests");
        if is_test {
            return None;
        }
        let text = || fs::read_to_string(&file).unwrap();
        match (is_web, ending) {
            (false, "rs") => Some(rust(name, module, &text())),
            (true, "ts" | "tsx") => Some(web(name, local, &text())),
            _ => None,
        }
    });
    sources.collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), files);
        } else {
            files.push(entry.path());
        }
    }
}

fn parts(path: &Path) -> Vec<String> {
    path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect()
}

fn rust(name: String, module: Vec<String>, text: &str) -> Source {
    let (mut mentions, mut exports) = (Vec::new(), BTreeMap::new());
    // By the habit of this repository, tests stand at the end.
    let code: Vec<&str> =
        text.lines().take_while(|line| *line != "#[cfg(test)]").map(without_comment).collect();
    // In `lib.rs` and the file of a room, paths begin with the modules that it declares.
    let declared: BTreeSet<&str> = code.iter().filter_map(|line| declared(line)).collect();
    let text = code.join("\n");
    let place = if module == ["lib"] { &[][..] } else { &module[..] };
    for (at, start) in starts(&text) {
        let line = text[..at].matches('\n').count() + 1;
        let begin: Option<Vec<String>> = match start {
            "crate" => Some(Vec::new()),
            "self" => Some(place.to_vec()),
            "super" => place.split_last().map(|(_, above)| above.to_vec()),
            _ => None,
        };
        let Some(begin) = begin else { continue };
        for path in tree(&text[at + start.len()..]) {
            let mut whole = begin.clone();
            let named = path.split(" as ").next().unwrap_or_default();
            for part in named.split("::").filter(|part| !part.is_empty()) {
                if part == "super" {
                    whole.pop();
                } else if part != "self" {
                    whole.push(part.to_owned());
                }
            }
            if !whole.is_empty() {
                mentions.push(Mention { line, path: whole });
            }
        }
    }
    // What each service of the use cases holds of others.
    let services = if name.starts_with("crates/app/") { code.as_slice() } else { &[] };
    for (index, line) in services.iter().enumerate() {
        for (at, _) in line.match_indices("self.") {
            let fields = line[at + 5..].split('.');
            let rooms = fields.map(identifier).take_while(|field| room(field).is_some());
            mentions.extend(rooms.map(|room| Mention { line: index + 1, path: vec![room.to_owned()] }));
        }
    }
    let statements = text.split(';').map(str::trim_start);
    for statement in statements {
        let Some(tail) = ["pub use ", "pub(crate) use "]
            .iter()
            .find_map(|start| statement.rfind(start).map(|at| &statement[at + start.len()..]))
        else {
            continue;
        };
        for path in tree(&format!("::{tail}")) {
            let (path, alias) = path.split_once(" as ").unwrap_or((&path, ""));
            let mut target: Vec<String> = path.split("::").map(|part| part.trim().to_owned()).collect();
            target.retain(|part| !part.is_empty());
            match target.first().map(String::as_str) {
                Some("crate") => drop(target.remove(0)),
                Some(first) if declared.contains(first) => target = [place, &target].concat(),
                _ => continue,
            }
            let name =
                if alias.is_empty() { target.last().cloned().unwrap() } else { alias.trim().to_owned() };
            exports.insert(name, target);
        }
    }
    Source { name, module, mentions, exports }
}

fn declared(line: &str) -> Option<&str> {
    let (before, name) = line.split_once("mod ")?;
    let is_declared = before.is_empty() || before.starts_with("pub");
    is_declared.then(|| name.strip_suffix(';')).flatten()
}

/// The line without its comment, in the same place; strings of ours hold no `//` but in addresses.
fn without_comment(line: &str) -> &str {
    match line.find("//") {
        Some(at) if !line[..at].ends_with(':') => &line[..at],
        _ => line,
    }
}

/// Where paths begin, and with which word.
fn starts(text: &str) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    for word in ["crate", "super", "self"] {
        for (at, _) in text.match_indices(&format!("{word}::")) {
            let before = text[..at].chars().next_back();
            if !before.is_some_and(|before| before.is_alphanumeric() || "_:$".contains(before)) {
                found.push((at, word));
            }
        }
    }
    found
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    // A method is none.
    if text[end..].starts_with('(') { "" } else { &text[..end] }
}

/// The paths of a tree of uses such as `::{a, b::{c, d as e}}`, from its first `::` on.
fn tree(text: &str) -> Vec<String> {
    let Some(rest) = text.strip_prefix("::") else { return vec![String::new()] };
    let rest = rest.trim_start();
    if let Some(group) = rest.strip_prefix('{') {
        let mut paths = Vec::new();
        let (mut depth, mut start) = (0_usize, 0);
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    let item = group[start..at].trim();
                    if !item.is_empty() {
                        paths.extend(tree(&format!("::{item}")));
                    }
                    start = at + 1;
                    if c == '}' {
                        break;
                    }
                }
                _ => {}
            }
        }
        return paths;
    }
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    if let Some(alias) = rest.strip_prefix(" as ") {
        let end = alias.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(alias.len());
        return vec![format!("{name} as {}", &alias[..end])];
    }
    let below = if rest.starts_with("::") && !rest.starts_with("::<") { tree(rest) } else { Vec::new() };
    if below.is_empty() {
        return vec![name.to_owned()];
    }
    below.into_iter().map(|path| format!("{name}::{path}")).collect()
}

fn web(name: String, local: &Path, text: &str) -> Source {
    let mut mentions = Vec::new();
    let module = |path: &Path| {
        let mut parts = parts(path);
        // Rooms stand one folder deeper than what they share.
        if parts.first().is_some_and(|part| part == "features") {
            parts.remove(0);
        }
        parts
    };
    for (index, line) in text.lines().enumerate() {
        // Types alone are gone when the program runs, but a room that needs another's types knows it.
        let Some(target) = imported(line) else { continue };
        let path = match target.strip_prefix("@/") {
            Some(path) => PathBuf::from(path),
            None if target.starts_with('.') => normal(&local.parent().unwrap().join(target)),
            None => continue,
        };
        let path = if path.extension().is_some_and(|ending| ending == "ts" || ending == "tsx") {
            path.with_extension("")
        } else {
            path
        };
        mentions.push(Mention { line: index + 1, path: module(&path) });
    }
    mentions.retain(|mention| !mention.path.is_empty());
    Source { name, module: module(&local.with_extension("")), mentions, exports: BTreeMap::new() }
}

/// What a line imports, statically or when it is needed.
fn imported(line: &str) -> Option<&str> {
    let at = ["from '", "import('", "import '"]
        .iter()
        .find_map(|start| line.find(start).map(|at| at + start.len()));
    let at = at.or_else(|| {
        ["from \"", "import(\"", "import \""]
            .iter()
            .find_map(|start| line.find(start).map(|at| at + start.len()))
    })?;
    line[at..].split(['\'', '"']).next()
}

fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}
