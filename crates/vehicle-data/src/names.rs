//! How names are compared and made into ids.

/// What is compared when two names are to be the same: letters and digits only, in lower case.
///
/// So `F-150`, `F150` and `f 150` are one name, and so are `Grand Cherokee` and the id `grand-cherokee`.
pub(crate) fn key(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A name as an id: `Grand Cherokee` is `grand-cherokee`. Empty only for a name without letters and digits.
pub(crate) fn slug(name: &str) -> String {
    let mut slug = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_alphanumeric() {
            slug.extend(c.to_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    // A name that ends in a sign, such as `(2WD)`, has left a hyphen behind.
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
