use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;

use partsight_fuzz::Target;

use crate::corpus::seeds;
use crate::mutation::Mutator;

/// Any number; the runs of a target are the same until it is another.
const SEED: u64 = 15;
/// Memory is counted for the whole process, so that one target runs at a time.
static TURN: Mutex<()> = Mutex::new(());

/// Replays the corpus of a target, and as many inputs as the target says that are made of it.
///
/// An input that fails is written to a file, so that it can be tried again and kept in the corpus.
fn replay(name: &str) {
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let target = Target::find(name).unwrap();
    let seeds = seeds(&target);
    assert!(!seeds.is_empty(), "the corpus of `{name}` is empty");
    for seed in &seeds {
        try_out(&target, &seed.bytes, &seed.path.display().to_string());
    }
    let inputs: Vec<Vec<u8>> = seeds.into_iter().map(|seed| seed.bytes).collect();
    let mut mutator = Mutator::new(SEED, target.max_input_bytes);
    for run in 0..target.test_runs {
        try_out(&target, &mutator.mutate(&inputs), &format!("run {run}"));
    }
}

fn try_out(target: &Target, input: &[u8], what: &str) {
    let holds = catch_unwind(AssertUnwindSafe(|| target.run(input))).is_ok();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}.failed", target.name));
    if !holds {
        fs::write(&path, input).unwrap();
    }
    assert!(holds, "`{}` fails with {what}; the input is kept in {}", target.name, path.display());
}

macro_rules! targets {
    ($($test:ident $name:literal),* $(,)?) => {
        $(#[test] fn $test() { replay($name); })*

        #[test]
        fn every_target_is_replayed() {
            let named: Vec<&str> = Target::ALL.iter().map(|target| target.name).collect();
            assert_eq!(named, [$($name),*]);
        }
    };
}

targets! {
    photographs "photo",
    containers_of_heic "heic",
    barcodes_and_matrix_codes "codes",
    upload_forms "multipart",
    csv_of_records "records-csv",
    files_of_parts "part-files",
    price_lists "price-list",
    catalogue_files "catalog-file",
    vehicle_facts "vehicle-facts",
    vehicle_identification_numbers "vin",
    payment_events "webhook",
    answers_of_the_judge "judge-answer",
    answers_of_suppliers "supplier-answer",
    backups "backup",
    lists_of_labels "label-list",
    embeddings_of_a_report "embeddings",
    zips "zip",
    graphs_of_networks "network-graph",
}
