//! The source files of a floor, and what each names and hands on, read from its text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::{Floor, room};
use crate::repository;

/// What a file names.
pub(super) struct Mention {
    pub(super) line: usize,
    /// From the root of the floor: modules and at last an item, or folders and a file.
    pub(super) path: Vec<String>,
}

/// A source file of a floor.
pub(super) struct Source {
    /// From the root of the repository, for people.
    pub(super) name: String,
    /// From the root of the floor, without the ending: `["garage", "vehicles"]`.
    pub(super) module: Vec<String>,
    pub(super) mentions: Vec<Mention>,
    /// What it hands on by another name: the name, and where it comes from.
    pub(super) exports: BTreeMap<String, Vec<String>>,
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

/// The files of a floor, without tests.
pub(super) fn sources(floor: &Floor) -> Vec<Source> {
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
