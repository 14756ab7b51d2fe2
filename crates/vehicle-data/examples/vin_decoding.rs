//! Measures the time to load the VIN patterns and to decode one number, on one thread.
//!
//! `vin_decoding [FILE]` reads one number a line from a file; without a file it uses built-in examples.

use std::io::{self, Write};
use std::time::{Duration, Instant};
use std::{env, fs};

use partsight_vehicle_data::{VinPatterns, decode_vin};

const LATEST_YEAR: u16 = 2027;
const ROUNDS: usize = 5;
const OWN: [&str; 6] = [
    "1HGCM82633A004352",
    "1FTFW1ET5DFC10312",
    "KM8K2CAB4PU001140",
    "5YJ3E1EA7KF328931",
    "1M8GDM9AXKP042788",
    "VF1BB05CF26010203",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let own = || OWN.map(str::to_owned).to_vec();
    let numbers: Vec<String> = match env::args().nth(1) {
        Some(file) => fs::read_to_string(file)?.split_whitespace().map(str::to_owned).collect(),
        None => own(),
    };
    let started = Instant::now();
    let patterns = VinPatterns::embedded()?;
    let loading = started.elapsed();
    // The first decoding also loads the list of makes, which is not part of one decoding.
    for number in own() {
        decode_vin(&number, LATEST_YEAR, &patterns)?;
    }
    let mut times: Vec<Duration> = Vec::with_capacity(numbers.len() * ROUNDS);
    let mut with_model = 0;
    for _ in 0..ROUNDS {
        with_model = 0;
        for number in &numbers {
            let started = Instant::now();
            let decoded = decode_vin(number, LATEST_YEAR, &patterns)?;
            times.push(started.elapsed());
            with_model += usize::from(!decoded.models.is_empty());
        }
    }
    times.sort_unstable();
    // Nearest rank, so that a percentile is a time that was measured.
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let mut out = io::stdout().lock();
    writeln!(out, "{}: {:?}", patterns.source(), patterns.counts())?;
    writeln!(out, "file {} kB, loaded in {loading:.1?}", patterns.to_bytes().len().div_ceil(1000))?;
    writeln!(out, "{} numbers, {with_model} with a model", numbers.len())?;
    writeln!(out, "one decoding: median {:.1?}, 99% {:.1?}, longest {:.1?}", at(0.5), at(0.99), at(1.0))?;
    Ok(())
}
