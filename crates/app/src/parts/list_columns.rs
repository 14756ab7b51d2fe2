//! Maps the columns of an uploaded list to fields, for price lists and cross-references.

use std::collections::BTreeMap;

use partsight_domain::InvalidInput;

use super::list_upload::ReadColumns;

/// A field: its name on the wire, and the known headers for it in normalised form.
pub(super) type ListField = (&'static str, &'static [&'static str]);

/// The index of each field's column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListColumns<const N: usize> {
    fields: [ListField; N],
    at: [Option<usize>; N],
    headers: Vec<String>,
}

impl<const N: usize> ListColumns<N> {
    /// Finds the columns by the header, whatever their order; `plain` normalises a header. `mapping` assigns headers
    /// to fields; an empty header skips the field.
    ///
    /// # Errors
    /// An error of the field `mapping` for an unknown field or header.
    pub(super) fn find(
        fields: [ListField; N],
        headers: Vec<String>,
        mapping: &BTreeMap<String, String>,
        plain: fn(&str) -> String,
    ) -> Result<Self, InvalidInput> {
        let plain_headers: Vec<String> = headers.iter().map(|header| plain(header)).collect();
        let place_of = |wanted: &str| plain_headers.iter().position(|header| header == wanted);
        let mut at = fields.map(|(field, known)| {
            // A field in the mapping is not detected, even if its header is empty.
            if mapping.contains_key(field) { None } else { known.iter().find_map(|name| place_of(name)) }
        });
        for (name, header) in mapping {
            let field = fields.iter().position(|(known, _)| known == name).ok_or_else(|| {
                let known = fields.map(|(name, _)| name).join(", ");
                let message = format!("There is no field `{}`; known are {known}.", beginning(name, 40));
                InvalidInput::new("mapping", message)
            })?;
            if header.trim().is_empty() {
                continue;
            }
            // Compared as written first: two headers can be equal once they are normalised.
            let found = headers.iter().position(|known| known.eq_ignore_ascii_case(header.trim()));
            at[field] = Some(found.or_else(|| place_of(&plain(header))).ok_or_else(|| {
                let shown = beginning(header, 80);
                let message = format!("The file has no column `{shown}`; it has {}.", listed(&headers));
                InvalidInput::new("mapping", message)
            })?);
        }
        Ok(Self { fields, at, headers })
    }

    /// The column of a field.
    pub(super) fn at(&self, field: usize) -> Option<usize> {
        self.at[field]
    }

    /// All headers, as written.
    pub(super) fn headers(&self) -> &[String] {
        &self.headers
    }

    /// The fields that are read, and the headers of the columns that are not.
    pub(super) fn read(&self) -> ReadColumns {
        let fields = self.fields.iter().zip(self.at);
        let headers = self.headers.iter().enumerate();
        let ignored = headers.filter(|(at, header)| !header.is_empty() && !self.at.contains(&Some(*at)));
        ReadColumns {
            read: fields.filter_map(|((name, _), at)| Some((*name, self.headers[at?].clone()))).collect(),
            ignored: ignored.map(|(_, header)| header.clone()).collect(),
        }
    }
}

/// Headers for a message, the first of many.
pub(super) fn listed(headers: &[String]) -> String {
    let shown = headers.iter().filter(|header| !header.is_empty()).take(30);
    let shown: Vec<String> = shown.map(|header| format!("`{}`", beginning(header, 40))).collect();
    if shown.is_empty() { "none".to_owned() } else { shown.join(", ") }
}

/// The beginning of a text, as much as a message repeats.
fn beginning(text: &str, max_chars: usize) -> String {
    text.chars().filter(|c| !c.is_control()).take(max_chars).collect()
}
