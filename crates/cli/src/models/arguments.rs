use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct ModelsArguments {
    /// Folder of imported models [default: that of the settings, or ~/.local/share/partsight]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: ModelsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// List the available models
    List(OutputArguments),
    /// Print everything about a model, and the device that it runs on here
    Info(OneModelArguments),
    /// Compare a model with its manifest and run it; the exit code is 1 if anything is wrong
    Verify(OneModelArguments),
    /// Make a model from a Hugging Face folder with a network that embeds photographs, or from an ONNX graph
    Import(ImportArguments),
    /// Measure how well an imported model recognises taught parts, and write the resulting factors into its manifest
    FitReferences(FitReferencesArguments),
}

#[derive(Debug, Args)]
pub(crate) struct OutputArguments {
    /// How to print it
    #[arg(long, value_enum, default_value_t = ModelsFormat::Table)]
    pub(crate) format: ModelsFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelsFormat {
    /// Columns for people
    Table,
    /// One JSON value
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct OneModelArguments {
    /// A name that `partsight models list` shows, or a folder [default: the model in use]
    #[arg(value_name = "NAME|DIR")]
    // Not named `model`, which clap would take for the global `--model`.
    pub(crate) name_or_folder: Option<String>,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

#[derive(Debug, Args)]
pub(crate) struct FitReferencesArguments {
    /// A name that `partsight models list` shows, or a folder
    #[arg(value_name = "NAME|DIR")]
    pub(crate) name_or_folder: String,
    /// Photographs in folders named by label, and in not-a-part: either the folder of the import, or other photographs
    #[arg(long, value_name = "DIR")]
    pub(crate) photos: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// Hugging Face folder (configuration, preprocessor, weights, tokenizer if it also embeds texts), or an ONNX file
    #[arg(value_name = "FOLDER|FILE")]
    pub(crate) folder: PathBuf,
    /// What to call the model, such as clip-vit-base-patch32
    #[arg(long, value_name = "NAME")]
    pub(crate) name: String,
    /// File of labels, one a line [default: the folders of --photos, else every type of the catalogue]
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// File of prompts in the form of crates/app/data/prompts.toml [default: the embedded prompts]
    #[arg(long, value_name = "FILE")]
    pub(crate) prompts: Option<PathBuf>,
    /// Photographs in folders named by label, which define the types instead of prompts; teaching is measured on them
    #[arg(long, value_name = "DIR", conflicts_with = "prompts")]
    pub(crate) photos: Option<PathBuf>,
    /// Photographs to calibrate on, in folders named by label, and in not-a-part
    #[arg(long, value_name = "DIR")]
    pub(crate) calibrate: Option<PathBuf>,
    /// Engine that runs the model [default: candle for safetensors, else onnx]
    #[arg(long, value_enum)]
    pub(crate) engine: Option<ImportEngine>,
    /// Side of the network's square input, in pixels, 1 to 4096 [default: as the preprocessor configuration says]
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) size: Option<u32>,
    /// Mean of red, green and blue, as values from 0 to 1, such as 0.485,0.456,0.406
    /// [default: as the preprocessor configuration says]
    #[arg(long, value_name = "R,G,B", value_parser = channels)]
    pub(crate) mean: Option<[f32; 3]>,
    /// Standard deviation of red, green and blue, each above 0, such as 0.229,0.224,0.225
    /// [default: as the preprocessor configuration says]
    #[arg(long, value_name = "R,G,B", value_parser = deviations)]
    pub(crate) std: Option<[f32; 3]>,
    /// Output of the graph that holds the embedding [default: one with a usual name, or the only one of this shape]
    #[arg(long, value_name = "NAME")]
    pub(crate) output: Option<String>,
    /// How to get one embedding from a graph that gives a vector for each token, which needs this option
    #[arg(long, value_enum)]
    pub(crate) pool: Option<ImportPool>,
    /// Replace a model of that name
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportPool {
    /// The first token: the class token of a vision transformer
    First,
    /// The mean of all tokens
    Mean,
}

/// Parses three numbers, one per channel.
fn channels(text: &str) -> Result<[f32; 3], String> {
    let numbers: Vec<f32> = text.split(',').filter_map(|number| number.trim().parse().ok()).collect();
    match numbers.as_slice() {
        &[red, green, blue]
            if text.split(',').count() == 3 && numbers.iter().all(|number| number.is_finite()) =>
        {
            Ok([red, green, blue])
        }
        _ => Err("give three numbers with commas between them, such as 0.485,0.456,0.406".to_owned()),
    }
}

/// Parses three positive numbers, one per channel.
fn deviations(text: &str) -> Result<[f32; 3], String> {
    let numbers = channels(text)?;
    if numbers.iter().all(|number| *number > 0.0) {
        return Ok(numbers);
    }
    Err("each of the three numbers must be above 0".to_owned())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportEngine {
    /// Safetensors, run by candle
    Candle,
    /// A graph, run by ONNX Runtime
    Onnx,
}
