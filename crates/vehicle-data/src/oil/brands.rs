use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The table of `data/oil-brands.toml`: makes by brand of oil.
static BRANDS: LazyLock<BTreeMap<String, Vec<String>>> = LazyLock::new(|| {
    toml::from_str(include_str!("../../data/oil-brands.toml"))
        .expect("BUG: a test reads the table of oil brands")
});

/// The brands of oil that the manufacturer of a make sells or names in its manuals; empty if we know none.
pub(super) fn brands_of(make: &str) -> Vec<String> {
    let is_for = |makes: &Vec<String>| makes.iter().any(|known| known.eq_ignore_ascii_case(make));
    BRANDS.iter().filter(|(_, makes)| is_for(makes)).map(|(brand, _)| brand.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reference;

    #[test]
    fn each_make_of_the_table_is_on_the_list_of_makes_and_stands_once() {
        let reference = Reference::embedded().unwrap();
        let mut makes: Vec<&String> = BRANDS.values().flatten().collect();
        let n_makes = makes.len();
        for make in &makes {
            assert_eq!(reference.make(make).map(|known| &known.name), Some(*make));
        }
        makes.sort_unstable();
        makes.dedup();
        assert_eq!(makes.len(), n_makes);
        assert_eq!(brands_of("toyota"), ["Toyota Genuine"]);
        assert_eq!(brands_of("Trabant"), [""; 0]);
    }
}
