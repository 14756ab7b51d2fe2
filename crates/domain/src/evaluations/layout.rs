use crate::{InvalidInput, PartLabel, messages};

/// The label of photographs that show no part.
const NOT_A_PART_LABEL: &str = "not-a-part";

/// Where the labels of photographs are given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LabelledLayout {
    /// By one folder per type below this path, with slashes; empty for the root.
    Folders(String),
    /// In a list at this path; paths in the list are relative to its folder.
    List(String),
}

/// Determines where the labels are given, by the paths of all files, with slashes. A single list is used; without a
/// list, each photograph is in the folder of its type. A folder around all of these is not a type, unless it has the
/// name of one.
///
/// # Errors
/// For the field `zip`: several lists, or no photograph in a folder.
pub fn labelled_layout<'a>(
    paths: impl IntoIterator<Item = &'a str>,
    labels: &[PartLabel],
) -> Result<LabelledLayout, InvalidInput> {
    let paths: Vec<&str> = paths.into_iter().collect();
    let mut lists = paths.iter().copied().filter(|path| is_list(path));
    match (lists.next(), lists.next()) {
        (Some(_), Some(_)) => return Err(InvalidInput::new("zip", messages::EVALUATION_LISTS)),
        (Some(list), None) => return Ok(LabelledLayout::List(list.to_owned())),
        _ => {}
    }
    if !paths.iter().any(|path| path.contains('/')) {
        return Err(InvalidInput::new("zip", messages::EVALUATION_LAYOUT));
    }
    let is_label = |name: &str| name == NOT_A_PART_LABEL || labels.iter().any(|label| label.as_str() == name);
    let around =
        paths.first().and_then(|path| path.split_once('/')).map(|(first, _)| first).filter(|first| {
            let is_around = |path: &&str| {
                path.split_once('/').is_some_and(|(folder, below)| folder == *first && below.contains('/'))
            };
            !is_label(first) && paths.iter().all(is_around)
        });
    Ok(LabelledLayout::Folders(around.unwrap_or_default().to_owned()))
}

/// Whether a file is a list of labels, by its extension.
fn is_list(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("csv"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(paths: &[&str]) -> Result<LabelledLayout, String> {
        let labels = [PartLabel::new("rim").unwrap()];
        labelled_layout(paths.iter().copied(), &labels).map_err(|error| error.message)
    }

    #[test]
    fn labels_stand_in_folders_or_in_one_list() {
        let folders = |root: &str| Ok(LabelledLayout::Folders(root.to_owned()));
        let list = |path: &str| Ok(LabelledLayout::List(path.to_owned()));
        let cases: [(&[&str], _); 9] = [
            (&["rim/a.jpg", "piston/b.jpg"], folders("")),
            (&["set/rim/a.jpg", "set/piston/b.jpg"], folders("set")),
            (&["rim/new/a.jpg", "rim/old/b.jpg"], folders("")),
            (&["not-a-part/new/a.jpg"], folders("")),
            (&["set/rim/a.jpg", "set/loose.jpg"], folders("")),
            (&["set/rim/a.jpg", "other/rim/b.jpg"], folders("")),
            (&["a.jpg", "labels.CSV"], list("labels.CSV")),
            (&["set/a.jpg", "set/list.csv"], list("set/list.csv")),
            (&["rim/a.jpg", "loose.jpg"], folders("")),
        ];
        for (paths, expected) in cases {
            assert_eq!(layout(paths), expected, "{paths:?}");
        }
        assert_eq!(layout(&["a.jpg", "b.jpg"]), Err(messages::EVALUATION_LAYOUT.to_owned()));
        assert_eq!(layout(&["a.csv", "b.csv", "rim/a.jpg"]), Err(messages::EVALUATION_LISTS.to_owned()));
    }
}
