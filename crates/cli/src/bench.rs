//! `partsight bench`.

mod output;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use partsight_app::{
    Catalog, Identifier, LoadSpeed, PhotoDecoder, Settings, bulk_speed, drawn_photo, find_photos, load_speed,
    network_speed,
};
use partsight_eval::load_picture;

use crate::{decoding, logging};
use output::{Photographs, Report};

/// Default batch sizes.
const BATCHES: [usize; 6] = [1, 2, 4, 8, 16, 32];
/// Loads in percent of the throughput of bulk work: from a quiet shop to twice the capacity.
const LOADS: [u16; 5] = [25, 50, 75, 90, 200];
/// Maximum of photographs held in memory and used in turn.
const MOST_PHOTOS: usize = 64;

#[derive(Debug, Args)]
#[command(allow_negative_numbers = true)]
pub(crate) struct BenchArguments {
    /// Photographs, or folders of them; the first 64 are used [default: a drawn picture of 1280x720]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Seconds for which each figure is measured, 1 to 600
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = seconds)]
    seconds: u16,
    /// Batch sizes from 1 to 65535, such as 1,8,32; those that the device does not support are left out [default: 1,2,4,8,16,32]
    #[arg(long, value_name = "N,N", value_delimiter = ',', value_parser = batch_size)]
    batches: Vec<u16>,
    /// What an hour of this machine costs, in any currency; adds the price of 1,000 photographs [default: no prices]
    #[arg(long, value_name = "PRICE", value_parser = price)]
    price_per_hour: Option<f64>,
    /// How to print the figures
    #[arg(long, value_enum, default_value_t = BenchFormat::Table)]
    format: BenchFormat,
    /// Draw latency against load into this SVG file, replacing it
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BenchFormat {
    /// For people
    Table,
    /// For programs
    Json,
}

pub(crate) fn run(arguments: &BenchArguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    logging::start_quietly(settings)?;
    let photos = photographs(&arguments.paths, settings)?;
    // Opened before anything is measured, but truncated only when the new picture is drawn.
    let picture = arguments.picture.as_deref().map(open_picture).transpose()?;
    let time = Duration::from_secs(arguments.seconds.into());
    let batches: Vec<usize> = match arguments.batches.as_slice() {
        [] => BATCHES.to_vec(),
        named => named.iter().copied().map(usize::from).collect(),
    };
    let step = |what: String| writeln!(io::stderr(), "partsight: {what}");

    step(format!("the network alone, {} s for each size of batch", arguments.seconds))?;
    let network = network_speed(settings, &batches, time)?;
    let catalog = Catalog::embedded().context("cannot read the catalogue")?;
    let identifier =
        Arc::new(Identifier::start(settings, &catalog)?.with_decoder(decoding::decoder(settings)));
    step(format!("from file to answer, {} s", arguments.seconds))?;
    let bulk = bulk_speed(&identifier, &photos.bytes, time)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let mut loads: Vec<LoadSpeed> = Vec::with_capacity(LOADS.len());
    for percent in LOADS {
        let per_second = bulk.photos_per_second * f64::from(percent) / 100.0;
        step(format!("{per_second:.1} photographs a second, {} s", arguments.seconds))?;
        loads.push(runtime.block_on(load_speed(&identifier, &photos.bytes, per_second, time))?);
    }
    identifier.shut_down();

    let report = Report::new(&network, &photos, &bulk, &loads, arguments.price_per_hour);
    let text = match arguments.format {
        BenchFormat::Table => report.text(),
        BenchFormat::Json => serde_json::to_string_pretty(&report).context("cannot write JSON")? + "\n",
    };
    let code = crate::print(&text)?;
    // After the figures are printed, so that they are not lost if writing fails.
    if let Some((mut file, name)) = picture {
        let drawn = load_picture(&loads, bulk.photos_per_second);
        file.set_len(0)
            .and_then(|()| file.write_all(drawn.as_bytes()))
            .with_context(|| format!("cannot write `{}`", name.display()))?;
    }
    Ok(code)
}

fn open_picture(name: &Path) -> anyhow::Result<(File, &Path)> {
    let opened = OpenOptions::new().write(true).create(true).truncate(false).open(name);
    Ok((opened.with_context(|| format!("cannot write `{}`", name.display()))?, name))
}

/// The named photographs, or a drawn one.
fn photographs(paths: &[PathBuf], settings: &Settings) -> anyhow::Result<Photographs> {
    if paths.is_empty() {
        return Ok(Photographs {
            from: "a drawn one of 1280x720".to_owned(),
            bytes: vec![drawn_photo()?.into()],
        });
    }
    let found = find_photos(paths);
    if let Some((path, reason)) = found.problems.first() {
        bail!("{}: {reason}", path.display());
    }
    // Checked before anything is measured, so that an error shows at once.
    let decoder = PhotoDecoder::in_process(settings.photos.limits());
    let mut bytes: Vec<Arc<[u8]>> = Vec::new();
    for path in found.photos.iter().take(MOST_PHOTOS) {
        partsight_app::open_photo(path, &decoder).with_context(|| path.display().to_string())?;
        bytes.push(fs::read(path).with_context(|| path.display().to_string())?.into());
    }
    Ok(Photographs { from: format!("{} of {}", bytes.len(), found.photos.len()), bytes })
}

fn seconds(text: &str) -> Result<u16, String> {
    whole_number(text, 600)
}

fn batch_size(text: &str) -> Result<u16, String> {
    whole_number(text, u16::MAX)
}

fn whole_number(text: &str, most: u16) -> Result<u16, String> {
    let number = text.parse::<u16>().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| format!("expected a whole number from 1 to {most}"))
}

fn price(text: &str) -> Result<f64, String> {
    let price: f64 = text.parse().map_err(|_| "a number such as 0.5 is needed".to_owned())?;
    if price.is_finite() && price >= 0.0 { Ok(price) } else { Err("a price is 0 or more".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_numbers_from_zero_on() {
        assert_eq!((price("0"), price("0.85")), (Ok(0.0), Ok(0.85)));
        for wrong in ["-1", "NaN", "inf", "1 €", ""] {
            assert!(price(wrong).is_err(), "{wrong}");
        }
    }
}
