//! Proposes which photographs of a batch show the same item.

use std::collections::HashMap;

use jiff::civil::DateTime;

use crate::{Embedding, MAX_SCAN_PHOTOS};

/// Maximum of seconds between two photographs of one item: time to walk around it, but not to fetch the next.
const MAX_GAP_SECONDS: i64 = 20;
// Both set by hand, not measured: see docs/decisions/0126-photographs-of-one-item.md.
/// Minimum cosine similarity of two consecutive photographs of one item.
const LEAST_ALIKE: f32 = 0.6;
/// Minimum cosine similarity of two photographs grouped by name: the back of a part may look like another part, but not
/// like its opposite.
const LEAST_ALIKE_BY_NAME: f32 = 0.0;

/// Words at the end of a name that denote a view and not an item.
const VIEWS: [&str; 14] = [
    "front", "back", "left", "right", "top", "bottom", "side", "label", "detail", "close", "closeup",
    "inside", "outside", "rear",
];

/// The data of a photograph that grouping uses.
#[derive(Debug, Clone, Copy)]
pub struct GroupingPhoto<'a> {
    /// Its path, such as `shelf 7/pump-2.jpg`.
    pub path: &'a str,
    /// When it was taken by the camera's clock.
    pub captured_at: Option<DateTime>,
    /// Its embedding, if known.
    pub embedding: Option<&'a Embedding>,
}

/// Groups of two to [`MAX_SCAN_PHOTOS`] photographs that seem to show the same item, as indices into `photographs`;
/// each index occurs at most once, in ascending order.
///
/// There are two criteria. By name: `pump-1.jpg` and `pump-2.jpg`, or `pump front` and `pump back`, or few files in a
/// folder of their own. By time: consecutive photographs, at most 20 seconds apart, each similar to all the others.
/// More photographs than a scan may have are not a group but a series: `IMG_01` to `IMG_40`, or a bin of bolts.
pub fn propose_groups(photographs: &[GroupingPhoto<'_>]) -> Vec<Vec<usize>> {
    // Names first, because a person chose them; times are used only for the rest.
    let mut groups = groups_by_name(photographs);
    let mut is_taken = vec![false; photographs.len()];
    for &at in groups.iter().flatten() {
        is_taken[at] = true;
    }
    groups.extend(groups_by_time(photographs, &is_taken));
    // Sorted, because the order of maps varies and the proposal should be deterministic.
    groups.sort_unstable();
    groups
}

fn groups_by_name(photographs: &[GroupingPhoto<'_>]) -> Vec<Vec<usize>> {
    let mut by_stem: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, photograph) in photographs.iter().enumerate() {
        if let Some(stem) = item_of(photograph.path) {
            by_stem.entry(stem).or_default().push(at);
        }
    }
    let is_group = |group: &Vec<usize>| {
        // Without embeddings the name alone decides.
        is_small(group.len()) && are_alike(photographs, group, LEAST_ALIKE_BY_NAME).unwrap_or(true)
    };
    by_stem.into_values().filter(is_group).collect()
}

fn groups_by_time(photographs: &[GroupingPhoto<'_>], is_taken: &[bool]) -> Vec<Vec<usize>> {
    let mut order: Vec<(DateTime, usize)> = photographs
        .iter()
        .enumerate()
        .filter(|(at, _)| !is_taken[*at])
        .filter_map(|(at, photograph)| Some((photograph.captured_at?, at)))
        .collect();
    order.sort_unstable();
    let mut runs: Vec<Vec<(DateTime, usize)>> = Vec::new();
    for (moment, at) in order {
        let goes_on = runs.last().is_some_and(|run| {
            run.last().is_some_and(|&(last, before)| {
                // Compared with the previous one only, to end a run early; all pairs are compared below.
                is_soon(last, moment) && are_alike(photographs, &[before, at], LEAST_ALIKE) == Some(true)
            })
        });
        match runs.last_mut().filter(|_| goes_on) {
            Some(run) => run.push((moment, at)),
            None => runs.push(vec![(moment, at)]),
        }
    }
    let places = runs.into_iter().map(|run| {
        let mut places: Vec<usize> = run.into_iter().map(|(_, at)| at).collect();
        places.sort_unstable();
        places
    });
    places
        .filter(|run| is_small(run.len()) && are_alike(photographs, run, LEAST_ALIKE) == Some(true))
        .collect()
}

fn is_small(n_photographs: usize) -> bool {
    (2..=MAX_SCAN_PHOTOS).contains(&n_photographs)
}

fn is_soon(earlier: DateTime, later: DateTime) -> bool {
    later.duration_since(earlier).as_secs() <= MAX_GAP_SECONDS
}

/// Whether all pairs of photographs are similar; `None` if an embedding is missing.
fn are_alike(photographs: &[GroupingPhoto<'_>], group: &[usize], least: f32) -> Option<bool> {
    let embeddings: Option<Vec<&Embedding>> = group.iter().map(|&at| photographs[at].embedding).collect();
    let embeddings = embeddings?;
    let mut pairs = embeddings
        .iter()
        .enumerate()
        .flat_map(|(at, one)| embeddings[at + 1..].iter().map(move |other| (one, other)));
    Some(pairs.all(|(one, other)| one.similarity(other, least).is_some()))
}

/// The item that a file name denotes: the path without extension and without the view at its end. `None` if the name
/// has no view.
fn item_of(path: &str) -> Option<String> {
    // Ignores case, because cameras and people mix it: `Pump-1.JPG` and `pump-2.jpg` show one item.
    let path = path.to_lowercase();
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", &path));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem).trim_end_matches([')', ' ']);
    let is_break = |c: char| matches!(c, '-' | '_' | ' ' | '.' | '(');
    let (item, view) = match stem.rfind(is_break) {
        Some(at) => (stem[..at].trim_end_matches(is_break), &stem[at + 1..]),
        // `1.jpg` in a folder of its own.
        None => ("", stem),
    };
    // Two digits at most, because `IMG_4711` numbers photographs and not views.
    let is_number = matches!(view.len(), 1 | 2) && view.bytes().all(|byte| byte.is_ascii_digit());
    let is_letter = view.len() == 1 && view.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_view = is_number || is_letter || VIEWS.contains(&view);
    (is_view && !(item.is_empty() && folder.is_empty())).then(|| format!("{folder}/{item}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embedding(angle: f32) -> Embedding {
        Embedding::new(vec![angle.cos(), angle.sin()]).unwrap()
    }

    /// Groups of photographs, each with its path, time in seconds, and the angle of its embedding.
    fn groups(photographs: &[(&str, Option<i8>, Option<f32>)]) -> Vec<Vec<usize>> {
        let embeddings: Vec<Option<Embedding>> =
            photographs.iter().map(|(_, _, angle)| angle.map(embedding)).collect();
        let photographs: Vec<GroupingPhoto<'_>> = photographs
            .iter()
            .zip(&embeddings)
            .map(|(&(path, second, _), embedding)| GroupingPhoto {
                path,
                captured_at: second
                    .map(|second| DateTime::constant(2026, 11, 20, 14, second / 60, second % 60, 0)),
                embedding: embedding.as_ref(),
            })
            .collect();
        propose_groups(&photographs)
    }

    /// Description, file names, and their groups.
    type Case = (&'static str, &'static [&'static str], &'static [&'static [usize]]);

    #[test]
    fn names_tell_views_of_one_item() {
        let by_name = |names: &[&str]| {
            let photographs: Vec<_> = names.iter().map(|&name| (name, None, None)).collect();
            groups(&photographs)
        };
        let cases: [Case; 8] = [
            ("numbers", &["pump-1.jpg", "rim.jpg", "pump-2.jpg"], &[&[0, 2]]),
            ("words", &["Pump front.jpg", "pump BACK.JPG"], &[&[0, 1]]),
            ("copies of a browser", &["pump (1).jpg", "pump (2).jpg"], &[&[0, 1]]),
            ("letters", &["7_a.jpg", "7_b.jpg", "8_a.jpg"], &[&[0, 1]]),
            ("a folder each", &["7/1.jpg", "7/2.jpg", "8/1.jpg", "8/2.jpg"], &[&[0, 1], &[2, 3]]),
            ("other folders", &["7/pump-1.jpg", "8/pump-2.jpg"], &[]),
            ("a counter of the camera", &["IMG_0001.jpg", "IMG_0002.jpg", "1.jpg", "2.jpg"], &[]),
            ("a series", &["p-1.jpg", "p-2.jpg", "p-3.jpg", "p-4.jpg", "p-5.jpg", "p-6.jpg"], &[]),
        ];
        for (case, names, expected) in cases {
            assert_eq!(by_name(names), expected, "{case}");
        }
    }

    #[test]
    fn names_do_not_put_together_what_looks_like_the_opposite() {
        assert_eq!(groups(&[("p-1.jpg", None, Some(0.0)), ("p-2.jpg", None, Some(1.2))]), [[0, 1]]);
        assert_eq!(groups(&[("p-1.jpg", None, Some(0.0)), ("p-2.jpg", None, Some(2.0))]).len(), 0);
    }

    #[test]
    fn what_was_taken_in_a_row_and_looks_alike_is_one_item() {
        let photo = |second, angle| ("IMG_0001.jpg", Some(second), Some(angle));
        let cases = [
            ("alike and soon", vec![photo(0, 0.0), photo(20, 0.3)], vec![vec![0, 1]]),
            ("sent in another order", vec![photo(20, 0.3), photo(60, 2.0), photo(0, 0.0)], vec![vec![0, 2]]),
            ("too late", vec![photo(0, 0.0), photo(21, 0.3)], vec![]),
            ("unlike", vec![photo(0, 0.0), photo(5, 1.2)], vec![]),
            ("each like the one before alone", vec![photo(0, 0.0), photo(5, 0.8), photo(9, 1.6)], vec![]),
            ("of unknown likeness", vec![("a.jpg", Some(0), None), ("b.jpg", Some(1), None)], vec![]),
            ("of unknown time", vec![("a.jpg", None, Some(0.0)), ("b.jpg", None, Some(0.0))], vec![]),
            ("a series", (0..6).map(|second| photo(second, 0.0)).collect(), vec![]),
        ];
        for (case, photographs, expected) in cases {
            assert_eq!(groups(&photographs), expected, "{case}");
        }
    }
}
