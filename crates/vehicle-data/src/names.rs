//! Comparison keys and ids of names.

/// The key by which names are compared: only letters and digits, in lower case.
///
/// So `F-150`, `F150` and `f 150` are the same name, and so are `Grand Cherokee` and the id `grand-cherokee`.
pub(crate) fn key(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The id of a name: `grand-cherokee` for `Grand Cherokee`. Empty only for a name without letters and digits.
pub(crate) fn slug(name: &str) -> String {
    let mut slug = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_alphanumeric() {
            slug.extend(c.to_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    // Punctuation at the end of a name, as in `(2WD)`, leaves a hyphen.
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_does_not_part_what_is_one_name() {
        for spelling in ["F-150", "F150", "f 150", " F.150 "] {
            assert_eq!(key(spelling), "f150");
        }
        assert_eq!(key("Citroën"), "citroën");
    }

    #[test]
    fn an_id_reads_like_the_name_and_has_its_key() {
        for (name, id) in [
            ("Grand Cherokee", "grand-cherokee"),
            ("Th!nk", "th-nk"),
            ("Altima / Stanza", "altima-stanza"),
            ("(x)", "x"),
            ("!!", ""),
        ] {
            assert_eq!(slug(name), id);
            assert_eq!(key(&slug(name)), key(name));
        }
    }
}
