//! Prompts: the texts for types and for the background.

use std::fs;
use std::path::Path;

use partsight_catalog::Catalog;
use partsight_domain::PartLabel;
use serde::Deserialize;

use super::ImportError;

const SLOT: &str = "{name}";
const EMBEDDED: &str = include_str!("../../../../data/prompts.toml");

/// A file of prompts; `data/prompts.toml` of this crate documents the form.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prompts {
    /// Texts with a slot `{name}` for the name of a type; at least one.
    pub templates: Vec<String>,
    /// Texts for photographs that show none of the types; may be empty.
    #[serde(default)]
    pub background: Vec<String>,
}

impl Prompts {
    /// The prompts that are part of the program.
    ///
    /// # Errors
    /// None, as a test shows.
    pub fn embedded() -> Result<Self, ImportError> {
        Self::parse(Path::new("data/prompts.toml"), EMBEDDED)
    }

    /// Reads a file of prompts.
    ///
    /// # Errors
    /// [`ImportError::Read`], [`ImportError::ParsePrompts`], [`ImportError::InvalidPrompts`].
    pub fn read(path: &Path) -> Result<Self, ImportError> {
        let text =
            fs::read_to_string(path).map_err(|source| ImportError::Read { path: path.to_owned(), source })?;
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, ImportError> {
        let prompts: Self = toml::from_str(text).map_err(|source| ImportError::ParsePrompts {
            path: path.to_owned(),
            source: Box::new(source),
        })?;
        let invalid =
            |found: String, expected| ImportError::InvalidPrompts { path: path.to_owned(), found, expected };
        if prompts.templates.is_empty() {
            return Err(invalid("no `templates`".to_owned(), "one or more"));
        }
        if let Some(template) = prompts.templates.iter().find(|template| !template.contains(SLOT)) {
            return Err(invalid(format!("the template `{template}`"), "`{name}` in each template"));
        }
        if prompts.background.iter().any(|text| text.trim().is_empty()) {
            return Err(invalid("an empty `background`".to_owned(), "a text in each"));
        }
        Ok(prompts)
    }

    /// Every template with every name of the type: its own and its synonyms, or the words of its label if the
    /// catalogue lacks it.
    pub(super) fn of(&self, label: &str, catalog: &Catalog) -> Vec<String> {
        let part_type = PartLabel::new(label).ok().and_then(|label| catalog.get(&label).cloned());
        let names = match part_type {
            Some(part_type) => std::iter::once(part_type.name).chain(part_type.also_known_as).collect(),
            None => vec![label.replace('-', " ")],
        };
        let filled = |name: &String| {
            let name = name.to_lowercase();
            self.templates.iter().map(move |template| fill(template, &name)).collect::<Vec<_>>()
        };
        names.iter().flat_map(filled).collect()
    }
}

/// Adapts the English article before a vowel.
fn fill(template: &str, name: &str) -> String {
    let template = if name.starts_with(['a', 'e', 'i', 'o', 'u']) {
        template.replace("a {name}", "an {name}")
    } else {
        template.to_owned()
    };
    template.replace(SLOT, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_prompts_are_valid() {
        let prompts = Prompts::embedded().unwrap();
        assert!(prompts.templates.len() >= 3 && prompts.background.len() >= 10);
    }

    #[test]
    fn every_name_of_a_type_is_put_into_every_template() {
        let prompts = Prompts {
            templates: vec!["a {name}".to_owned(), "{name}, new".to_owned()],
            background: Vec::new(),
        };
        let catalog = Catalog::embedded().unwrap();
        let texts = prompts.of("oil-filter", &catalog);
        assert_eq!(texts[..3], ["an oil filter", "oil filter, new", "an engine oil filter"]);
        assert_eq!(prompts.of("flux-capacitor", &catalog), ["a flux capacitor", "flux capacitor, new"]);
    }

    #[test]
    fn other_forms_are_refused() {
        let parse = |text| Prompts::parse(Path::new("p.toml"), text);
        assert!(matches!(parse("templates = 3"), Err(ImportError::ParsePrompts { .. })));
        assert!(matches!(parse("template = []"), Err(ImportError::ParsePrompts { .. })));
        assert!(matches!(parse("templates = []"), Err(ImportError::InvalidPrompts { .. })));
        assert!(matches!(parse("templates = ['a part']"), Err(ImportError::InvalidPrompts { .. })));
        let empty = "templates = ['{name}']\nbackground = ['']";
        assert!(matches!(parse(empty), Err(ImportError::InvalidPrompts { .. })));
    }
}
