//! The codes on photographs, as JSON: for each path on standard input one line with an array of `text`, `symbology` and
//! `corners`. `benches/peers/codes.py` counts with it.

use std::fs;
use std::io::{self, BufRead, Write};

use partsight_inference::{Photo, PhotoLimits, find_codes};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = io::stdout().lock();
    for path in io::stdin().lock().lines() {
        let photo = Photo::decode(&fs::read(path?)?, &PhotoLimits::default())?;
        let codes: Vec<Value> = find_codes(&photo)
            .into_iter()
            .map(|code| {
                let symbology = format!("{:?}", code.symbology);
                json!({ "text": code.text, "symbology": symbology, "corners": code.corners })
            })
            .collect();
        writeln!(out, "{}", Value::from(codes))?;
    }
    Ok(())
}
