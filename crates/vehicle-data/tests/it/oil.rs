use std::collections::BTreeMap;

use partsight_domain::OwnerOil;
use partsight_vehicle_data::Reference;
use partsight_vehicle_data::oil::{
    KnownEngine, OilQuery, OilSource, OilSpecification, OilTable, oil_specification,
};

use crate::sources::{folder, unpacked};

/// A lookup as the app does it, with the engines with which the vehicle was sold.
fn ask(make: &str, model: &str, year: u16, engine: &str) -> OilSpecification {
    let reference = Reference::embedded().unwrap();
    let known: Vec<KnownEngine> = reference
        .engines(make, model, year)
        .into_iter()
        .map(|engine| KnownEngine { name: engine.name, models: engine.listed_as })
        .collect();
    let make = reference.make(make).map_or(make, |make| &make.name);
    let query = OilQuery { make, model, year, engine: Some(engine), known_engines: &known };
    oil_specification(&query, None)
}

/// A lookup in which only the typed text is known.
fn ask_blind(make: &str, model: &str, year: u16, engine: &str) -> OilSpecification {
    let query = OilQuery { make, model, year, engine: Some(engine), known_engines: &[] };
    oil_specification(&query, None)
}

#[test]
fn common_vehicles_are_answered() {
    let cases = [
        ("Toyota", "Camry", 2015, "2.5L 4-cyl", "0W-20, 4.6 quarts"),
        ("Toyota", "Camry", 2020, "2.5L 4-cyl", "0W-16, 4.8 quarts"),
        ("toyota", "camry hybrid", 2015, "2.5L 4-cyl Hybrid", "0W-20, 4.6 quarts"),
        ("Toyota", "RAV4", 2018, "", "0W-20, 4.6 quarts"),
        ("Toyota", "RAV4", 2018, "2.5L 4-cyl Hybrid", "0W-20, 4.6 quarts"),
        ("Toyota", "RAV4", 2019, "2.5L 4-cyl", "0W-16, 4.8 quarts"),
        ("Toyota", "Camry", 2018, "2.5L 4-cyl", "0W-16, 4.8 quarts"),
        ("Toyota", "Prius", 2012, "", "0W-20, 4.4 quarts"),
        ("Honda", "Civic", 2018, "2.0L 4-cyl", "0W-20, 4.4 quarts"),
        ("Honda", "Civic", 2018, "1.5L 4-cyl Turbo", "0W-20, 3.7 quarts"),
        ("Honda", "Accord", 2015, "2.4L I4", "0W-20, 4.4 quarts"),
        ("Ford", "F-150", 2015, "5.0L V8", "5W-20, 7.7 quarts"),
        ("Ford", "F150", 2019, "5.0 Coyote", "5W-20, 8.8 quarts"),
        ("Ford", "F-150", 2016, "3.5L V6 EcoBoost", "5W-30, 6 quarts"),
        ("Ford", "Mustang", 2018, "5.0L 8-cyl", "5W-20, 10 quarts"),
        ("Ford", "Escape", 2014, "2.0L I4 EcoBoost", "5W-30, 5.7 quarts"),
        ("chevy", "Silverado 1500", 2016, "5.3L V8", "0W-20, 8 quarts"),
        ("Chevrolet", "Silverado", 2005, "5.3L V8", "5W-30, 6 quarts"),
        ("Chevrolet", "Silverado", 2014, "5.3L V8", "0W-20, 8 quarts"),
        ("GMC", "Sierra", 2014, "6.2L V8", "0W-20, 8 quarts"),
        ("Chevrolet", "Tahoe", 2014, "", "5W-30, 6 quarts"),
        ("Chevrolet", "Suburban", 2014, "5.3L V8", "5W-30, 6 quarts"),
        ("GMC", "Yukon XL", 2014, "5.3L V8", "5W-30, 6 quarts"),
        ("GMC", "Savana 1500", 2014, "5.3L V8", "5W-30, 6 quarts"),
        ("Cadillac", "Escalade", 2014, "6.2L V8", "5W-30, 6 quarts"),
        ("Chevrolet", "Tahoe", 2015, "5.3L V8", "0W-20, 8 quarts"),
        ("Jeep", "Wrangler", 2015, "3.6L V6", "5W-20, 6 quarts"),
        ("Jeep", "New Wrangler", 2018, "3.6L V6", "0W-20, 5 quarts"),
        ("Chrysler", "200", 2012, "2.4L 4-cyl", "5W-20, 4.5 quarts"),
        ("Chrysler", "200", 2014, "2.4L 4-cyl", "5W-20, 4.5 quarts"),
        ("Chrysler", "200", 2015, "2.4L 4-cyl", "0W-20, 5.5 quarts"),
        ("Dodge", "Charger", 2014, "5.7 HEMI", "5W-20, 7 quarts"),
        ("Nissan", "Altima", 2015, "2.5L 4-cyl", "0W-20, 4.9 quarts"),
        ("Hyundai", "Elantra", 2013, "1.8L 4-cyl", "5W-20, 4.23 quarts"),
        ("Subaru", "Forester", 2016, "2.5L flat-4", "0W-20, 5.1 quarts"),
        ("Mazda", "CX-5", 2016, "2.5L", "0W-20, 4.8 quarts"),
        ("VW", "Jetta", 2012, "2.5L 5-cyl", "5W-40, 6.3 quarts"),
        ("BMW", "3 Series", 2008, "3.0L 6-cyl", "5W-30, 6.9 quarts"),
        ("BMW", "328i", 2013, "2.0L Turbo", "5W-30, 5.3 quarts"),
        ("Mercedes-Benz", "C-Class", 2009, "3.0L 6-cyl", "0W-40, 8.5 quarts"),
    ];
    let mut faults = Vec::new();
    for (make, model, year, engine, expected) in cases {
        let oil = ask(make, model, year, engine);
        let got = format!("{}, {}", oil.type_text(), oil.capacity_text());
        if got != expected || oil.source != OilSource::Table {
            faults.push(format!("{year} {make} {model} {engine}: {got}, not {expected}; {oil:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn without_a_list_of_engines_the_text_alone_is_enough() {
    let oil = ask_blind("Toyota", "Camry", 2015, "2.5L 4-cyl");
    assert_eq!((oil.type_text().as_str(), oil.capacity_text().as_str()), ("0W-20", "4.6 quarts"));
    assert_eq!(ask_blind("Ford", "F150", 2013, "Coyote").engine, ask("Ford", "F150", 2013, "5.0 V8").engine);
    assert_eq!(ask_blind("Toyota", "Camry", 2015, "9.9L V16").source, OilSource::Fallback);
}

#[test]
fn engines_that_differ_are_listed_and_lower_the_confidence() {
    let all = ask("Honda", "Civic", 2018, "");
    let one = ask("Honda", "Civic", 2018, "2.0L 4-cyl");
    let note = all.notes.join(" ");
    assert!(note.contains("2.0 (K20C2)") && note.contains("1.5 turbo (L15B)"), "{note}");
    assert!(note.contains("Choose yours"), "{note}");
    let quarts = |oil: &OilSpecification| oil.capacity_quarts.as_ref().unwrap().confidence.unwrap();
    assert!(quarts(&all) < quarts(&one), "{all:?}");
    assert!(!one.notes.join(" ").contains("several engines"), "{one:?}");
}

#[test]
fn two_generations_of_one_model_year_are_both_named() {
    for oil in [ask("Jeep", "Wrangler", 2018, "3.6L V6"), ask_blind("Jeep", "Wrangler", 2018, "3.6L V6")] {
        let notes = oil.notes.join(" ");
        assert_eq!((oil.type_text().as_str(), oil.capacity_text().as_str()), ("5W-20", "6 quarts"));
        assert!(notes.contains("(JL), also of model year 2018, takes 5 quarts of 0W-20"), "{notes}");
    }
    assert!(ask("Jeep", "Wrangler", 2017, "3.6L V6").notes.is_empty());
}

#[test]
fn an_engine_of_another_variant_is_not_answered_for() {
    assert_eq!(ask("Chrysler", "Pacifica", 2018, "3.6L V6").source, OilSource::Fallback);
}

#[test]
fn a_vehicle_without_an_engine_needs_no_oil() {
    for (make, model, year, engine) in [
        ("Tesla", "Model 3", 2020, ""),
        ("Nissan", "Leaf", 2018, ""),
        ("Kia", "Soul", 2016, "Electric"),
        ("Tesla", "Model 99", 2026, "whatever"),
    ] {
        let oil = ask(make, model, year, engine);
        assert_eq!(oil.source, OilSource::None, "{make} {model}");
        assert_eq!((oil.type_text().as_str(), oil.verify_text()), ("No engine oil", None));
        assert!(oil.interval.is_none() && oil.filters.is_empty());
    }
    // A vehicle with the same name and a combustion engine.
    assert_ne!(ask("Kia", "Soul", 2016, "2.0L 4-cyl").source, OilSource::None);
}

#[test]
fn what_nobody_knows_gets_the_labelled_fallback() {
    let long = "x".repeat(10_000);
    for (make, model, engine) in [
        ("Trabant", "601", ""),
        ("", "", ""),
        ("🚗", "سيارة", "محرك"),
        ("Toyota\0", "\u{202e}yrmaC", "Hybrid"),
        ("BMW", "i don't know", ""),
        (long.as_str(), long.as_str(), long.as_str()),
    ] {
        let oil = ask(make, model, 2015, engine);
        assert_eq!(oil.source, OilSource::Fallback, "{model}");
        assert_eq!((oil.type_text().as_str(), oil.capacity_text().as_str()), ("5W-30", "4.5 quarts"));
        assert!(oil.notes.join(" ").contains("check your owner's manual"));
        assert_eq!(oil.oil_type.unwrap().confidence, None);
    }
}

#[test]
fn the_owner_wins_value_by_value() {
    let owner = OwnerOil::new(Some("5W-40"), None, Some("Mann W 719/45")).unwrap();
    let query = OilQuery {
        make: "Toyota",
        model: "Camry",
        year: 2015,
        engine: Some("2.5L 4-cyl"),
        known_engines: &[],
    };
    let oil = oil_specification(&query, Some(&owner));
    assert_eq!(oil.source, OilSource::Owner);
    let source = |fact: Option<OilSource>| fact.unwrap();
    assert_eq!(source(oil.oil_type.as_ref().map(|fact| fact.source)), OilSource::Owner);
    assert_eq!(source(oil.capacity_quarts.as_ref().map(|fact| fact.source)), OilSource::Table);
    assert_eq!(oil.capacity_text(), "4.6 quarts");
    assert_eq!(oil.filters.len(), 1);
    assert_eq!(oil.filters[0].value, "Mann W 719/45");
}

#[test]
fn every_make_of_the_table_is_a_make_of_the_list() {
    let reference = Reference::embedded().unwrap();
    let mut faults = Vec::new();
    for family in OilTable::embedded().families() {
        for make in &family.makes {
            if reference.make(make).is_none_or(|known| &known.name != make) {
                faults.push(format!("{}: {make}", family.name));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Every family can be reached through the list of vehicles, which detects misspelt models. Some families are of
/// vehicles that are too heavy for EPA's list.
#[test]
fn every_family_is_found_in_the_list_of_vehicles() {
    const TOO_HEAVY: [&str; 4] = [
        "Ford 7.3 V8 (Godzilla)",
        "Ford 6.7 V8 diesel (Power Stroke)",
        "Ram 6.7 inline six diesel (Cummins)",
        "GM 6.6 V8 diesel (Duramax)",
    ];
    let reference = Reference::embedded().unwrap();
    let mut found: BTreeMap<&str, usize> =
        OilTable::embedded().families().iter().map(|family| (family.name.as_str(), 0)).collect();
    for make in reference.makes("", None) {
        for model in reference.models(&make.id, None) {
            for year in reference.model_years(&make.id, model.id) {
                for engine in reference.engines(&make.id, model.id, year) {
                    // A family may be of other names of EPA's list alone, such as `New Wrangler 4WD`.
                    let others = engine.listed_as.iter().filter(|name| !name.starts_with(model.name));
                    for name in others.map(String::as_str).chain([model.name]) {
                        let oil = ask(&make.name, name, year, &engine.name);
                        if let Some(count) = oil.engine.as_deref().and_then(|name| found.get_mut(name)) {
                            *count += 1;
                        }
                    }
                }
            }
        }
    }
    let missing: Vec<&str> = found
        .into_iter()
        .filter(|(name, count)| *count == 0 && !TOO_HEAVY.contains(name))
        .map(|(name, _)| name)
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Measures the share of EPA's rows for which the table has a grade, and both grade and amount.
#[test]
fn the_share_of_vehicles_in_the_table_is_measured() {
    let Some(folder) = folder() else { return };
    let Some(csv) = unpacked("unzip", "-p", &folder.join("epa-vehicles.csv.zip")) else { return };
    let mut csv = csv::Reader::from_reader(csv.as_slice());
    let headers = csv.headers().unwrap().clone();
    let column = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let [make, model, year, litres, cylinders, fuel, turbo, supercharged, kind] =
        ["make", "model", "year", "displ", "cylinders", "fuelType1", "tCharger", "sCharger", "atvType"]
            .map(column);
    // Rows; without oil; with a grade; with grade and amount. For all years, then from 2005 on.
    let mut counts = [[0_u32; 4]; 2];
    for row in csv.records() {
        let row = row.unwrap();
        let mut engine = String::new();
        if row[litres].parse::<f64>().is_ok() {
            engine = format!("{}L {}-cyl", &row[litres], &row[cylinders]);
            for (is_so, word) in [
                (&row[turbo] == "T", " Turbo"),
                (&row[supercharged] == "S", " Supercharged"),
                (&row[fuel] == "Diesel", " Diesel"),
                (&row[kind] == "Hybrid", " Hybrid"),
                (&row[kind] == "Plug-in Hybrid", " Plug-in Hybrid"),
            ] {
                if is_so {
                    engine.push_str(word);
                }
            }
        } else if &row[fuel] == "Electricity" || &row[fuel] == "Hydrogen" {
            engine = "Electric".to_owned();
        }
        let model_year: u16 = row[year].parse().unwrap();
        let known = [KnownEngine { name: engine.clone(), models: Vec::new() }];
        let query = OilQuery {
            make: &row[make],
            model: &row[model],
            year: model_year,
            engine: Some(&engine),
            known_engines: &known,
        };
        let oil = oil_specification(&query, None);
        let is_table = oil.source == OilSource::Table && oil.oil_type.is_some();
        let facts =
            [true, oil.source == OilSource::None, is_table, is_table && oil.capacity_quarts.is_some()];
        for (n, first_year) in [0, 2005].into_iter().enumerate() {
            if model_year >= first_year {
                for (count, holds) in counts[n].iter_mut().zip(facts) {
                    *count += u32::from(holds);
                }
            }
        }
    }
    for ([rows, electric, grade, both], years) in counts.into_iter().zip(["all years", "2005 on"]) {
        let share = |count: u32| 100.0 * f64::from(count) / f64::from(rows - electric);
        eprintln!(
            "{years}: {rows} rows, {electric} without oil; of the others {:.1}% have a grade, {:.1}% an amount too",
            share(grade),
            share(both)
        );
    }
    assert!(counts[1][2] * 5 > counts[1][0], "{counts:?}");
}
