use std::collections::HashSet;

use partsight_vehicle_data::Reference;
use partsight_vehicle_data::oil::EngineTraits;
use partsight_vehicle_data::schedule::{Drive, ServiceProfile, Transmission, all_items, default_schedule};

fn ids(profile: &ServiceProfile) -> Vec<&'static str> {
    default_schedule(profile).iter().map(|item| item.id.as_str()).collect()
}

fn vehicle(make: &str, model: &str, year: u16, engine: &str, transmission: &str) -> Vec<&'static str> {
    ids(&ServiceProfile::read(make, model, year, Some(engine), Some(transmission)))
}

#[test]
fn every_item_is_complete() {
    let mut seen = HashSet::new();
    let mut faults = Vec::new();
    for item in all_items() {
        let is_kebab = item.id.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        let rules = [
            ("the id is not kebab-case", is_kebab && !item.id.is_empty()),
            ("the id stands twice", seen.insert(item.id.as_str())),
            ("the name is empty", !item.name.is_empty()),
            ("the basis is short", item.basis.len() >= 40),
            ("there is no interval", item.interval_miles.is_some() || item.interval_months.is_some()),
            ("the miles are odd", item.interval_miles.is_none_or(|miles| (3_000..=150_000).contains(&miles))),
            ("the months are odd", item.interval_months.is_none_or(|months| (1..=120).contains(&months))),
        ];
        faults
            .extend(rules.iter().filter(|(_, holds)| !holds).map(|(rule, _)| format!("{}: {rule}", item.id)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn an_electric_vehicle_has_no_item_of_an_engine() {
    for (make, model, engine) in [
        ("Tesla", "Model 3", ""),
        ("Nissan", "Leaf", ""),
        ("Chevrolet", "Bolt EV", ""),
        ("Ford", "F-150 Lightning 4WD", "Electric"),
        ("Ford", "Mustang Mach-E AWD", ""),
    ] {
        let items = vehicle(make, model, 2021, engine, "");
        for id in ["engine-oil", "spark-plugs", "engine-air-filter", "automatic-transmission-fluid"] {
            assert!(!items.contains(&id), "{make} {model}: {id}");
        }
        assert!(items.contains(&"tire-rotation") && items.contains(&"cabin-air-filter"), "{make} {model}");
    }
}

#[test]
fn the_transmission_decides_on_its_fluid() {
    let cases = [
        ("Manual 6-spd", "manual-transmission-fluid", "automatic-transmission-fluid"),
        ("Automatic (AM-S6)", "automatic-transmission-fluid", "manual-transmission-fluid"),
        ("CVT", "automatic-transmission-fluid", "manual-transmission-fluid"),
        ("Automated manual", "automatic-transmission-fluid", "manual-transmission-fluid"),
        ("", "automatic-transmission-fluid", "manual-transmission-fluid"),
        ("🚗", "automatic-transmission-fluid", "manual-transmission-fluid"),
    ];
    for (transmission, there, not_there) in cases {
        let items = vehicle("Honda", "Civic", 2015, "1.8L 4-cyl", transmission);
        assert!(items.contains(&there) && !items.contains(&not_there), "{transmission}: {items:?}");
    }
}

#[test]
fn four_driven_wheels_have_a_transfer_case() {
    for model in ["RAV4 AWD", "Tacoma 4x4", "F150 Pickup 4WD", "328i xDrive", "Ram 4-wheel drive"] {
        assert!(vehicle("Toyota", model, 2015, "", "").contains(&"transfer-case-fluid"), "{model}");
    }
    for model in ["RAV4", "RAV4 2WD", "Camry FWD"] {
        assert!(!vehicle("Toyota", model, 2015, "", "").contains(&"transfer-case-fluid"), "{model}");
    }
    let rear = ServiceProfile { drive: Some(Drive::Rear), ..ServiceProfile::default() };
    assert!(ids(&rear).contains(&"differential-fluid") && !ids(&rear).contains(&"transfer-case-fluid"));
}

#[test]
fn a_diesel_has_a_fuel_filter_and_no_spark_plugs() {
    let items = vehicle("Ford", "F-250", 2019, "6.7L Power Stroke V8", "");
    assert!(items.contains(&"diesel-fuel-filter") && !items.contains(&"spark-plugs"), "{items:?}");
}

#[test]
fn a_timing_belt_is_shown_only_where_there_is_one() {
    let cases = [
        ("Honda", "Odyssey", 2012, "3.5L V6", true),
        (" honda ", "Accord", 2012, "3.5L V6", true),
        ("Honda", "Accord", 2012, "2.4L 4-cyl", false),
        ("Honda", "Accord", 2012, "", false),
        ("Subaru", "Outback", 2009, "2.5L 4-cyl", true),
        ("Subaru", "Outback", 2014, "2.5L 4-cyl", false),
        ("Subaru", "WRX STI", 2018, "2.5L H4 Turbo", true),
        ("Hyundai", "Genesis Coupe", 2010, "2.0T", false),
        ("Volkswagen", "Golf", 2013, "2.0 TDI", true),
        ("Volkswagen", "Jetta", 2013, "2.0L I4", false),
    ];
    for (make, model, year, engine, has_belt) in cases {
        let items = vehicle(make, model, year, engine, "");
        assert_eq!(items.contains(&"timing-belt"), has_belt, "{year} {make} {model} {engine}");
    }
}

#[test]
fn what_all_known_engines_share_is_known_of_the_vehicle() {
    let items = |model: &str, engine: &str, known: &[&str]| {
        let profile = ServiceProfile::read("Honda", model, 2010, Some(engine), None);
        let items = ids(&profile.with_known_engines(known.iter().map(|name| (*name, [].as_slice()))));
        (items.contains(&"engine-oil"), items.contains(&"spark-plugs"), items.contains(&"timing-belt"))
    };
    assert_eq!(items("Prologue", "", &["Electric"]), (false, false, false));
    assert_eq!(items("Clarity", "", &["Electric", "1.5L 4-cyl Plug-in Hybrid"]), (true, true, false));
    assert_eq!(items("Odyssey", "", &["3.5L 6-cyl"]), (true, true, true));
    assert_eq!(items("Accord", "", &["2.4L 4-cyl", "3.5L 6-cyl"]), (true, true, false));
    assert_eq!(items("Accord", "V6", &["2.4L 4-cyl", "3.5L 6-cyl"]), (true, true, true));
    // Acura's 3.5 has a belt only without a turbocharger.
    let mdx = ServiceProfile::read("Acura", "MDX", 2018, None, None);
    assert!(ids(&mdx.clone().with_known_engines([("3.5L 6-cyl", [].as_slice())])).contains(&"timing-belt"));
    assert!(!ids(&mdx.with_known_engines([("3.5L 6-cyl Turbo", [].as_slice())])).contains(&"timing-belt"));
    let audi = |known: &[&str]| {
        let profile = ServiceProfile::read("Audi", "TT", 2001, None, None);
        let known = known.iter().map(|name| (*name, [].as_slice()));
        ids(&profile.with_known_engines(known)).contains(&"timing-belt")
    };
    assert!(audi(&["1.8L 4-cyl Turbo", "1.8L 4-cyl Turbo (225 hp)"]));
    assert!(!audi(&["1.8L 4-cyl Turbo", "1.8L 4-cyl"]));
    // The owner's text takes precedence over the list.
    assert_eq!(items("Clarity", "1.5L 4-cyl", &["Electric"]), (true, true, false));
}

#[test]
fn a_vehicle_that_was_sold_with_manual_transmissions_alone_has_one() {
    let manual = |typed: Option<&str>, known: &[(&str, &[&str])]| {
        let known: Vec<(&str, Vec<String>)> = known
            .iter()
            .map(|(name, with)| (*name, with.iter().map(|text| (*text).to_owned()).collect()))
            .collect();
        let profile = ServiceProfile::read("Audi", "TT Coupe", 2001, Some("1.8T"), typed);
        let items =
            ids(&profile.with_known_engines(known.iter().map(|(name, with)| (*name, with.as_slice()))));
        assert_ne!(
            items.contains(&"manual-transmission-fluid"),
            items.contains(&"automatic-transmission-fluid")
        );
        items.contains(&"manual-transmission-fluid")
    };
    let turbo = "1.8L 4-cyl Turbo";
    assert!(manual(None, &[(turbo, &["Manual 5-spd", "Manual 6-spd"])]));
    assert!(!manual(Some("Automatic"), &[(turbo, &["Manual 5-spd"])]));
    assert!(!manual(None, &[(turbo, &["Manual 5-spd", "Automatic 6-spd"])]));
    assert!(!manual(None, &[(turbo, &["Automated manual 6-spd"])]));
    assert!(!manual(None, &[(turbo, &["Manual 5-spd"]), (turbo, &[])]));
    assert!(manual(None, &[(turbo, &["Manual 5-spd"]), ("3.2L 6-cyl", &["Automatic 6-spd"])]));
    assert!(!manual(None, &[]));

    let engines = Reference::embedded().unwrap().engines("Audi", "TT Coupe", 2001);
    let known = engines.iter().map(|engine| (engine.name.as_str(), engine.transmissions.as_slice()));
    let items = ids(&ServiceProfile::read("Audi", "TT Coupe", 2001, None, None).with_known_engines(known));
    assert!(items.contains(&"manual-transmission-fluid") && items.contains(&"timing-belt"), "{items:?}");
}

#[test]
fn a_vehicle_of_which_nothing_is_known_counts_as_petrol_and_automatic() {
    let unknown = ServiceProfile::default();
    let petrol = ServiceProfile {
        engine: EngineTraits::read("gasoline"),
        transmission: Some(Transmission::Automatic),
        ..ServiceProfile::default()
    };
    assert_eq!(ids(&unknown), ids(&petrol));
    assert!(ids(&unknown).contains(&"engine-oil"));
}
