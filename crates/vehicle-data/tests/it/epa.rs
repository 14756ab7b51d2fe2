//! Compares the embedded table with EPA's own list, if it is available.

use std::time::{Duration, Instant};

use partsight_vehicle_data::Reference;

use crate::sources::{folder, unpacked};

const N_DRAWN: usize = 200;
/// Any fixed number: the same vehicles are drawn each time.
const SEED: u64 = 20_260_111;

/// A name without differences of spelling.
fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase()
}

#[test]
fn two_hundred_vehicles_of_the_list_are_reached_from_make_to_engine() {
    let Some(folder) = folder() else { return };
    let Some(csv) = unpacked("unzip", "-p", &folder.join("epa-vehicles.csv.zip")) else { return };
    let mut reader = csv::Reader::from_reader(csv.as_slice());
    let headers = reader.headers().unwrap().clone();
    let column = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let [make, model, base_model, year] = ["make", "model", "baseModel", "year"].map(column);
    let [displacement, cylinders, turbo, fuel] = ["displ", "cylinders", "tCharger", "fuelType"].map(column);
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let table = Reference::embedded().unwrap();
    let mut state = SEED;
    let mut times = Vec::new();
    for _ in 0..N_DRAWN {
        // Knuth's linear congruential generator (MMIX); its high bits are good enough to draw with.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let row = &rows[(state >> 33) as usize % rows.len()];
        let year: u16 = row[year].parse().unwrap();
        let begin = Instant::now();
        let makes = table.makes(&row[make], None);
        let found_make = makes.first().unwrap_or_else(|| panic!("{row:?}"));
        let models = table.models(&found_make.id, None);
        // EPA's base model BMW `M` is split into its models.
        let wanted = if row[base_model].len() == 1 { &row[model] } else { &row[base_model] };
        let found_model = models
            .iter()
            .filter(|one| letters(wanted).starts_with(&letters(one.name)))
            .max_by_key(|one| one.name.len())
            .unwrap_or_else(|| panic!("{row:?}"));
        assert!(table.model_years(&found_make.id, found_model.id).contains(&year), "{row:?}");
        let engines = table.engines(&found_make.id, found_model.id, year);
        times.push(begin.elapsed());
        let litres: Option<f64> = row[displacement].parse().ok().filter(|litres| *litres > 0.0);
        let found = engines.iter().any(|engine| {
            engine.listed_as.iter().any(|name| *name == row[model])
                && engine.displacement_l() == litres
                && engine.cylinders == row[cylinders].parse().ok()
                && engine.turbocharged == (&row[turbo] == "T")
                && (engine.fuel == "Electricity") == (&row[fuel] == "Electricity")
        });
        assert!(found, "{row:?}: {engines:#?}");
    }
    times.sort_unstable();
    eprintln!(
        "makes, models, years and engines of {N_DRAWN} of {} vehicles: {:?} in the middle, {:?} at 99%",
        rows.len(),
        times[N_DRAWN / 2],
        times[N_DRAWN * 99 / 100]
    );
    // Four lookups, also in builds without optimisation. The median, since single runs may have been interrupted.
    assert!(times[N_DRAWN / 2] < Duration::from_millis(50), "{:?}", times.last());
}
