//! `partsight config`: the settings in force, or a list of all settings.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, ValueEnum};
use partsight_app::{SettingFacts, Settings};

/// Line width of the sample file, without the `# `.
const COLUMNS: usize = 98;

#[derive(Debug, Args)]
pub(crate) struct ConfigArguments {
    /// What to print
    #[arg(long, value_enum, default_value_t = ConfigFormat::Toml)]
    format: ConfigFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ConfigFormat {
    /// The settings in force, as a settings file
    Toml,
    /// Every setting with its default, as a settings file to fill in
    Sample,
    /// Every setting with its default, as tables
    Markdown,
}

pub(crate) fn run(arguments: &ConfigArguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    crate::print(&match arguments.format {
        ConfigFormat::Toml => toml::to_string(settings).context("cannot write the settings")?,
        ConfigFormat::Sample => sample(),
        ConfigFormat::Markdown => markdown(),
    })
}

/// The sections of docs/settings.md.
fn markdown() -> String {
    let mut page = String::new();
    for section in Settings::sections() {
        let about = section.about.lines().map(str::trim).collect::<Vec<_>>().join("\n");
        let _ = write!(page, "\n## {}\n\n{about}\n\n", section.title);
        page.push_str("| name | default | meaning |\n|---|---|---|\n");
        for facts in section.settings {
            let shown = facts.shown_default();
            let default = match (facts.without, shown.as_str()) {
                ("", "") => String::new(),
                ("", _) => format!("`{shown}`"),
                (without, _) => without.to_owned(),
            };
            let row = format!("`{}` | {default} | {}", facts.name, meaning(&facts));
            let _ = writeln!(page, "| {} |", row.replace(" |  | ", " | | "));
        }
    }
    page
}

/// A settings file in which everything is commented out.
fn sample() -> String {
    let mut file =
        "# Every setting of Partsight with its default. Remove the `#` before a name to set it.\n".to_owned();
    for section in Settings::sections() {
        let _ = write!(file, "\n\n# ---- {} ----\n", section.title);
        for facts in section.settings {
            file.push('\n');
            for line in wrapped(&meaning(&facts)) {
                let _ = writeln!(file, "# {line}");
            }
            if !facts.without.is_empty() {
                let _ = writeln!(file, "# Default: {}.", facts.without);
            }
            let _ = writeln!(file, "#{}", assignment(&facts));
        }
    }
    file
}

fn assignment(facts: &SettingFacts) -> String {
    // Removing the `#` must not change the effective value.
    let is_whole = facts.without.is_empty() || facts.without.starts_with(&format!("{}:", facts.default));
    // Strings, numbers and booleans have the same syntax in JSON and TOML.
    let value =
        if facts.default.is_null() || !is_whole { String::new() } else { format!(" {}", facts.default) };
    format!("{} ={value}", facts.name)
}

fn meaning(facts: &SettingFacts) -> String {
    let rule = if facts.rule.is_empty() { String::new() } else { format!(" Must be {}.", facts.rule) };
    let secret = if facts.is_secret { " Secret: shown nowhere." } else { "" };
    format!("{}{rule}{secret}", facts.about)
}

fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= COLUMNS => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
