use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct ModelsArguments {
    #[command(subcommand)]
    pub(crate) command: ModelsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// List the models that are there
    List(OutputArguments),
    /// Print everything about a model, and what it runs on here
    Info(OneModelArguments),
    /// Compare a model with its manifest and run it; exit code 1 when anything is wrong
    Verify(OneModelArguments),
    /// Make a model out of a Hugging Face folder with a CLIP or SigLIP network
    Import(ImportArguments),
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
    // Another name than that of the global `--model`, which clap would take for the same argument.
    pub(crate) name_or_folder: Option<String>,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// Hugging Face folder: configuration, preprocessor, weights and tokenizer
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// What to call the model, such as clip-vit-base-patch32
    #[arg(long, value_name = "NAME")]
    pub(crate) name: String,
    /// File of labels, one a line [default: the folders of --photos, else every type of the catalogue]
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// File of prompts in the form of crates/app/data/prompts.toml [default: the prompts within]
    #[arg(long, value_name = "FILE")]
    pub(crate) prompts: Option<PathBuf>,
    /// Photographs in folders named by label, to stand for the types in place of prompts
    #[arg(long, value_name = "DIR", conflicts_with = "prompts")]
    pub(crate) photos: Option<PathBuf>,
    /// Photographs in folders named by label, and in not-a-part, to calibrate on
    #[arg(long, value_name = "DIR")]
    pub(crate) calibrate: Option<PathBuf>,
    /// Which engine is to run it [default: candle where there are safetensors, else onnx]
    #[arg(long, value_enum)]
    pub(crate) engine: Option<ImportEngine>,
    /// Replace a model of that name
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportEngine {
    /// Safetensors, run by candle
    Candle,
    /// A graph, run by ONNX Runtime
    Onnx,
}
