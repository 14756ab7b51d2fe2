//! Lookups in the embedded table.

use std::sync::Arc;

use partsight_vehicle_data::{Engine, Reference};

fn table() -> Arc<Reference> {
    Reference::embedded().unwrap()
}

fn names(engines: &[Engine]) -> Vec<&str> {
    engines.iter().map(|engine| engine.name.as_str()).collect()
}

#[test]
fn makes_that_begin_with_the_search_come_first() {
    let table = table();
    let found: Vec<&str> = table.makes("me", None).into_iter().map(|make| make.name.as_str()).collect();
    let first_other = found.iter().position(|name| !name.to_lowercase().starts_with("me")).unwrap();
    assert!(
        found[..first_other].contains(&"Mercedes-Benz") && found[..first_other].contains(&"Mercury"),
        "{found:?}"
    );
    assert!(found[first_other..].iter().all(|name| !name.to_lowercase().starts_with("me")), "{found:?}");
    assert_eq!(table.makes("CHEVY", None)[0].name, "Chevrolet");
    assert_eq!(table.makes("rollsr", None)[0].name, "Rolls-Royce");
    assert_eq!(table.makes(" ", None).len(), table.counts().makes);
    assert!(table.makes("🚗", None).is_empty());
}

#[test]
fn makes_of_a_year_are_those_that_sold_something_then() {
    let table = table();
    let makes = |year| -> Vec<String> {
        table.makes("", Some(year)).into_iter().map(|make| make.id.clone()).collect()
    };
    assert!(makes(1984).contains(&"american-motors-corporation".to_owned()));
    assert!(!makes(2020).contains(&"american-motors-corporation".to_owned()));
    assert!(!makes(1984).contains(&"tesla".to_owned()));
    assert!(makes(1950).is_empty());
}

#[test]
fn ids_names_and_other_spellings_serve_alike() {
    let table = table();
    for (make, model) in
        [("honda", "civic"), ("Honda", "Civic"), ("HONDA ", " CIVIC"), ("honda", "Civic Touring")]
    {
        assert_eq!(table.model(make, model).unwrap().id, "civic", "{make} {model}");
    }
    for (make, model, found) in [
        ("ford", "F-150", "F150"),
        ("chevy", "Silverado 1500 LTZ", "Silverado"),
        ("bmw", "328i", "3 Series"),
        ("BMW", "M3", "M3"),
        ("vw", "gti", "Golf/GTI"),
        ("mazda", "Mazda3", "3"),
        ("mercedes", "C300 4matic", "C-Class"),
        ("jeep", "Grand Cherokee Laredo", "Grand Cherokee"),
    ] {
        assert_eq!(table.model(make, model).map(|model| model.name), Some(found), "{make} {model}");
    }
}

#[test]
fn a_model_as_epa_lists_it_narrows_the_engines() {
    let table = table();
    assert_eq!(names(&table.engines("honda", "Civic 5Dr - Type R", 2018)), ["2.0L 4-cyl Turbo"]);
    assert!(table.engines("honda", "civic", 2018).len() > 2);
    // EPA lists it under the 8 Series and, in this year, under a name of its own.
    assert_eq!(names(&table.engines("bmw", "M850i xDrive Convertible", 2020)), ["4.4L 8-cyl Turbo"]);
    assert!(table.model_years("bmw", "M850i xDrive Convertible").contains(&2020));
    // 2015 does not have that name, so the base model is used.
    assert!(!table.engines("honda", "Civic 5Dr - Type R", 2015).is_empty());
}

#[test]
fn engines_of_a_list_never_share_an_id_and_seldom_need_more_than_their_name() {
    let table = table();
    let mut n_lists = 0;
    for make in table.makes("", None) {
        for model in table.models(&make.id, None) {
            for year in table.model_years(&make.id, model.id) {
                let engines = table.engines(&make.id, model.id, year);
                assert!(!engines.is_empty(), "{} {} {year}", make.name, model.name);
                let mut ids: Vec<&str> = engines.iter().map(|engine| engine.id.as_str()).collect();
                let mut names = names(&engines);
                ids.sort_unstable();
                ids.dedup();
                names.sort_unstable();
                names.dedup();
                assert_eq!(ids.len(), engines.len(), "{} {} {year}", make.name, model.name);
                assert_eq!(names.len(), engines.len(), "{} {} {year}: {names:?}", make.name, model.name);
                n_lists += 1;
            }
        }
    }
    assert!(n_lists > 12_000, "{n_lists}");
}

#[test]
fn ids_are_kebab_case_and_lead_back() {
    let table = table();
    for make in table.makes("", None) {
        assert_eq!(table.make(&make.id).map(|found| &found.name), Some(&make.name));
        let models = table.models(&make.id, None);
        for model in &models {
            assert_eq!(table.model(&make.id, model.id).map(|found| found.name), Some(model.name));
            let is_kebab = model.id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
            assert!(is_kebab && !model.id.is_empty(), "{}", model.id);
        }
        let mut ids: Vec<&str> = models.iter().map(|model| model.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), models.len(), "{}", make.name);
    }
}

#[test]
fn facts_that_anybody_can_check() {
    let table = table();
    assert_eq!(table.make("Toyota").unwrap().country.as_deref(), Some("Japan"));
    assert_eq!(table.make("Volvo").unwrap().country.as_deref(), Some("Sweden"));
    let camry = table.engines("toyota", "camry", 2012);
    assert_eq!(names(&camry), ["2.5L 4-cyl", "2.5L 4-cyl Hybrid", "3.5L 6-cyl"]);
    assert_eq!(camry.iter().map(|engine| engine.power_hp).collect::<Vec<_>>(), [Some(178), None, Some(268)]);
    assert_eq!(table.engines("bmw", "328i", 2013)[0].power_hp, None, "the test cars had 181 and 241");
    assert_eq!(
        table.engines("mazda", "mx-5", 2006)[0].power_hp,
        None,
        "170 with one transmission, 166 with the other"
    );
    assert_eq!(names(&table.engines("tesla", "model 3", 2020)), ["Electric"]);
    assert_eq!(
        table.models("mazda", Some(2016)).iter().find(|model| model.id == "3").unwrap().body,
        Some("Sedan, Hatchback")
    );
    // EPA has not tested heavier pickups since 1999.
    assert!(table.engines("ford", "f250", 2015).is_empty());
}

#[test]
fn what_is_not_listed_gives_nothing() {
    let table = table();
    let endless = "x".repeat(100_000);
    for make in ["", " ", "-", "Trabant", "\u{0}", "🚗", "\u{202e}adnoH", endless.as_str()] {
        assert!(table.make(make).is_none());
        assert!(table.models(make, None).is_empty());
        assert!(table.model_years(make, "civic").is_empty());
        assert!(table.engines(make, "civic", 2018).is_empty());
    }
    for model in ["", "-", "601", "🚗", endless.as_str()] {
        assert!(table.engines("honda", model, 2018).is_empty());
    }
    for year in [0, 1983, 2100, u16::MAX] {
        assert!(table.engines("honda", "civic", year).is_empty());
    }
}
