//! Loads settings from a file, the environment and flags; later sources override earlier ones.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use config::{Config, ConfigError, Environment, File, FileFormat, Value, ValueKind};
use partsight_app::models::{ModelSource, is_kebab_case};
use partsight_app::{SettingFacts, Settings, with_causes};
use toml::de::{DeTable, DeValue};

use crate::arguments::{Arguments, Command};
use crate::logging;

const DEFAULT_FILE: &str = "partsight.toml";
const PREFIX: &str = "PARTSIGHT_";
/// Variables with our prefix that are no settings: paths for tests and training, the API key of `mcp`, and the server
/// of the client examples.
const NOT_SETTINGS: [&str; 8] =
    ["PHOTOS", "WEIGHTS", "BIN", "CHROMIUM", "CACHE", "VEHICLES", "API_KEY", "URL"];

/// The settings in force.
///
/// # Errors
/// For a missing file, an unknown key, and a value that is invalid or out of range; the message names the key and its
/// source.
pub(crate) fn load(arguments: &Arguments) -> anyhow::Result<Settings> {
    let mut builder = Config::builder();
    builder = match &arguments.config {
        Some(path) => {
            check_readable(path)?;
            builder.add_source(File::from(path.as_path()).format(FileFormat::Toml))
        }
        None if Path::new(DEFAULT_FILE).exists() => {
            check_readable(Path::new(DEFAULT_FILE))?;
            builder.add_source(File::new(DEFAULT_FILE, FileFormat::Toml))
        }
        None => builder,
    };
    // The doctor reports unknown variables as findings.
    if !matches!(arguments.command, Command::Doctor(_)) {
        unknown_variables()?.iter().for_each(|name| eprintln_warning(name));
    }
    // Only those that are settings, because any other key would be refused as unknown.
    let variables = variables(our_variables()?);
    builder = builder.add_source(
        Environment::with_prefix("PARTSIGHT")
            .ignore_empty(true)
            .source(Some(variables.into_iter().collect())),
    );
    builder = builder.set_default("data_dir", text(&default_data_dir())?)?;
    let (listen, data_dir) = match &arguments.command {
        Command::Serve(serve) => (serve.listen, serve.data_dir.as_deref()),
        Command::Admin(admin) => (None, admin.data_dir.as_deref()),
        Command::Catalog(catalog) => (None, catalog.data_dir.as_deref()),
        Command::Scan(scan) => (None, scan.data_dir.as_deref()),
        Command::Mcp(mcp) => (None, mcp.data_dir.as_deref()),
        Command::Migrate(migrate) => (None, migrate.data_dir.as_deref()),
        Command::Backup(backup) => (None, backup.data_dir.as_deref()),
        Command::Restore(restore) => (None, restore.data_dir.as_deref()),
        Command::Doctor(doctor) => (None, doctor.data_dir.as_deref()),
        Command::Models(models) => (None, models.data_dir.as_deref()),
        Command::Vehicles(vehicles) => (None, vehicles.data_dir.as_deref()),
        _ => (None, None),
    };
    let builder = builder
        .set_override_option("listen", listen.map(|address| address.to_string()))?
        .set_override_option("data_dir", data_dir.map(text).transpose()?)?
        .set_override_option("device", arguments.device.map(|device| device.to_string()))?;
    if let Some(file) = file(arguments) {
        check_file(&file)?;
    }
    let config = builder.build().map_err(|error| {
        anyhow::anyhow!(without_excerpt(&with_causes(&error))).context("cannot read the settings")
    })?;
    refuse_unknown_keys(&config)?;
    refuse_other_kinds(&config)?;
    let mut settings: Settings =
        config.clone().try_deserialize().map_err(|error| unreadable(error, &config))?;
    settings.data.dir = from_home(settings.data.dir, home())?;
    if let Some(model) = &arguments.model {
        match ModelSource::named(&settings, model) {
            // A name in kebab case, such as `clip-vit`, is an installed model, even if there is a folder of that name.
            ModelSource::Folder(folder) if !is_kebab_case(model) => settings.model.dir = Some(folder),
            _ => (settings.model.name, settings.model.dir) = (model.clone(), None),
        }
    }
    // After the flags, because those can be invalid as well.
    settings.check().map_err(|error| anyhow::anyhow!("{error}{}", origin_of(error.name, &config)))?;
    logging::filter(&settings)?;
    Ok(settings)
}

/// Refuses a settings file that exists and cannot be read, such as one without permission, instead of ignoring it.
fn check_readable(path: &Path) -> anyhow::Result<()> {
    let name = path.display();
    match fs::metadata(path) {
        Ok(facts) if !facts.is_file() => bail!("the settings file `{name}` is no file"),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            bail!("the settings file `{name}` does not exist")
        }
        Err(error) => return Err(error).with_context(|| format!("cannot read the settings file `{name}`")),
    }
    fs::File::open(path).with_context(|| format!("cannot read the settings file `{name}`"))?;
    Ok(())
}

/// The parser's message without the quoted line, which may contain a secret.
fn without_excerpt(text: &str) -> String {
    let is_excerpt = |line: &&str| {
        line.trim_start_matches([' ', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']).starts_with('|')
    };
    let lines: Vec<&str> = text.lines().filter(|line| !is_excerpt(line)).map(str::trim).collect();
    lines.join(" ").trim().to_owned()
}

/// Refuses a key that is no setting. Deserialising would refuse it as well, but with a list of all settings.
fn refuse_unknown_keys(config: &Config) -> anyhow::Result<()> {
    let ValueKind::Table(values) = &config.cache.kind else { return Ok(()) };
    let mut unknown: Vec<_> =
        values.iter().filter(|(key, _)| !Settings::names().contains(&key.as_str())).collect();
    unknown.sort_by_key(|(one, _)| *one);
    let Some((key, value)) = unknown.first() else { return Ok(()) };
    let place = value.origin().map(|file| format!(" in {file}")).unwrap_or_default();
    if matches!(value.kind, ValueKind::Table(_)) {
        bail!("there is no setting `{key}`{place}: settings stand at the top of the file, below no heading");
    }
    bail!("there is no setting `{key}`{place}{}", meant(key, ""));
}

/// Refuses a key that stands twice, and a whole number that TOML can't hold: the parser's errors name no setting.
fn check_file(file: &Path) -> anyhow::Result<()> {
    let text = fs::read_to_string(file)
        .with_context(|| format!("cannot read the settings file `{}`", file.display()))?;
    let (table, errors) = DeTable::parse_recoverable(&text);
    // What else is wrong with the file is reported when it is loaded.
    if let Some(error) = errors.first() {
        return refuse_repeated_key(file, &text, table.get_ref(), error);
    }
    for (key, value) in table.get_ref() {
        if let DeValue::Integer(number) = value.get_ref()
            && i64::from_str_radix(number.as_str(), number.radix()).is_err()
        {
            let (key, file) = (key.get_ref(), file.display());
            // Without the number, which may be a secret.
            bail!(
                "the setting `{key}` in {file} is a number that is too large; a text needs quotation marks"
            );
        }
    }
    Ok(())
}

/// Refuses the key of which the parser says that it stands in the file already.
fn refuse_repeated_key(
    file: &Path,
    text: &str,
    table: &DeTable<'_>,
    error: &toml::de::Error,
) -> anyhow::Result<()> {
    let Some(again) = error.span().filter(|_| error.message() == "duplicate key") else { return Ok(()) };
    let key = text[again.clone()].trim_matches(['"', '\'']);
    let Some((first, _)) = table.get_key_value(key) else { return Ok(()) };
    let line = |position: usize| text[..position].matches('\n').count() + 1;
    bail!(
        "the key `{key}` stands twice in {}, in the lines {} and {}: remove one of them",
        file.display(),
        line(first.span().start),
        line(again.start)
    );
}

/// Refuses a value of another kind than its default. Deserialising would turn `1.5` into 2 and `true` into 1.
fn refuse_other_kinds(config: &Config) -> anyhow::Result<()> {
    let ValueKind::Table(values) = &config.cache.kind else { return Ok(()) };
    for facts in Settings::sections().into_iter().flat_map(|group| group.settings) {
        let Some(value) = values.get(facts.name) else { continue };
        let is_other = match &value.kind {
            // A list or a table is refused when it is read, without being shown.
            ValueKind::Array(_) | ValueKind::Table(_) => false,
            _ if facts.default.is_u64() => value.to_string().parse::<u64>().is_err(),
            ValueKind::Boolean(_) | ValueKind::String(_) => false,
            _ => facts.default.is_boolean(),
        };
        if is_other {
            return Err(refusal(&facts, value, ""));
        }
    }
    Ok(())
}

/// The error for an invalid value, with the source and the description of the setting.
fn unreadable(error: ConfigError, config: &Config) -> anyhow::Error {
    let (cause, key) = match &error {
        ConfigError::At { error, key: Some(key), .. } => (cause(error), key.clone()),
        ConfigError::Type { key: Some(key), .. } => (cause(&error), key.clone()),
        _ => return anyhow::Error::new(error).context("cannot read the settings"),
    };
    let value = match &config.cache.kind {
        ValueKind::Table(values) => values.get(&key),
        _ => None,
    };
    // Our own types have complete messages.
    if cause.starts_with("the setting ") {
        return anyhow::anyhow!("{cause}{}", origin_of(&key, config));
    }
    let mut all = Settings::sections().into_iter().flat_map(|group| group.settings);
    match (all.find(|facts| facts.name == key), value) {
        (Some(facts), Some(value)) => refusal(&facts, value, &cause),
        _ => anyhow::anyhow!("the setting `{key}` cannot be read: {cause}"),
    }
}

/// The error for a `value` that a setting cannot have; `cause` says why where the setting's kind does not.
fn refusal(facts: &SettingFacts, value: &Value, cause: &str) -> anyhow::Error {
    let place = place_of(facts.name, value).map(|place| format!(" in {place}")).unwrap_or_default();
    // An address with an `@` may contain a password.
    let shown = Some(value.to_string()).filter(|text| !facts.is_secret && !text.contains('@'));
    let shown = match shown {
        Some(text) if text.is_empty() => "empty".to_owned(),
        Some(text) if text.trim().is_empty() => "blank".to_owned(),
        Some(text) => format!("`{}`", text.escape_debug()),
        None => "this".to_owned(),
    };
    let cause = match cause {
        _ if facts.default.is_u64() && facts.rule.is_empty() => ": expected a whole number".to_owned(),
        _ if facts.default.is_u64() => format!(": expected a whole number, {}", facts.rule),
        // The type of decimal numbers knows its own range, which is wider.
        _ if facts.default.is_f64() && !facts.rule.is_empty() => {
            format!(": expected a number, {}", facts.rule)
        }
        _ if facts.default.is_boolean() => ": expected `true` or `false`".to_owned(),
        // Names of Rust types do not help; the description lists the possible values.
        _ if cause.contains("enum ") => String::new(),
        _ => format!(": {cause}"),
    };
    let about = facts.about.split_whitespace().collect::<Vec<_>>().join(" ");
    anyhow::anyhow!(
        "the setting `{}`{place} cannot be {shown}{cause}. {}",
        facts.name,
        about.trim_end_matches('.')
    )
}

/// Where the value of a setting was read: the file, or the variable. `None` if a flag or nobody set it.
fn place_of(name: &str, value: &Value) -> Option<String> {
    // As the library calls all variables.
    match value.origin()? {
        "the environment" => Some(format!("the variable `{PREFIX}{}`", name.to_uppercase())),
        file => Some(file.to_owned()),
    }
}

/// That in brackets, for the end of a message; empty if there is none.
fn origin_of(name: &str, config: &Config) -> String {
    let ValueKind::Table(values) = &config.cache.kind else { return String::new() };
    let place = values.get(name).and_then(|value| place_of(name, value));
    place.map(|place| format!(" ({place})")).unwrap_or_default()
}

/// Why a value is invalid, without the value, which may be a secret.
fn cause(error: &ConfigError) -> String {
    match error {
        ConfigError::Type { expected, .. } => format!("expected {expected}"),
        other => other.to_string(),
    }
}

/// A hint for an unknown setting `key`, which was written with `prefix`.
fn meant(key: &str, prefix: &str) -> String {
    let names = Settings::names().iter().map(|name| (strsim::osa_distance(&key.to_lowercase(), name), name));
    // One in three letters at most, or every short word would be near some setting.
    let most_errors = 2.min(key.len() / 3);
    let nearest = names.filter(|(typing_errors, _)| *typing_errors <= most_errors).min();
    let guess = nearest.map(|(_, name)| {
        let name = if prefix.is_empty() { (*name).to_owned() } else { name.to_uppercase() };
        format!("; did you mean `{prefix}{name}`?")
    });
    format!("{} `partsight config --format sample` lists all settings", guess.as_deref().unwrap_or(";"))
}

/// The variables with our prefix. Others are not read, because they may not be Unicode.
fn our_variables() -> anyhow::Result<Vec<(String, String)>> {
    env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .filter(|(name, _)| name.starts_with(PREFIX))
        .map(|(name, value)| match value.into_string() {
            Ok(value) => Ok((name, value)),
            Err(_) => bail!("the variable `{name}` is not UTF-8"),
        })
        .collect()
}

/// Those variables that are settings.
fn variables(all: impl IntoIterator<Item = (String, String)>) -> BTreeMap<String, String> {
    all.into_iter().filter(|(name, _)| is_setting(name)).collect()
}

fn is_setting(name: &str) -> bool {
    let key = name.strip_prefix(PREFIX);
    key.is_some_and(|key| Settings::names().iter().any(|name| name.eq_ignore_ascii_case(key)))
}

/// Variables with our prefix that are no settings.
pub(crate) fn unknown_variables() -> anyhow::Result<Vec<String>> {
    let is_other = |key: &str| NOT_SETTINGS.contains(&key) || key.starts_with("TEST_");
    let names = our_variables()?.into_iter().map(|(name, _)| name);
    let unknown = |name: &String| !is_setting(name) && !name.strip_prefix(PREFIX).is_some_and(is_other);
    Ok(names.filter(unknown).collect())
}

/// The file that settings are read from, if there is one.
pub(crate) fn file(arguments: &Arguments) -> Option<PathBuf> {
    let file = arguments.config.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_FILE));
    file.is_file().then_some(file)
}

fn eprintln_warning(name: &str) {
    let help = meant(name.strip_prefix(PREFIX).unwrap_or(name), PREFIX);
    let _ = writeln!(io::stderr(), "partsight: there is no setting `{name}`{help}");
}

/// Expands a leading `~` to the home folder, because the sample of settings writes the default so. No shell expands it,
/// and a folder named `~` would be created.
fn from_home(folder: PathBuf, home: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    let Ok(below) = folder.strip_prefix("~") else { return Ok(folder) };
    let Some(home) = home else {
        bail!(
            "the setting `data_dir` is `{}`, and there is no home folder (HOME): write the whole path",
            folder.display()
        );
    };
    Ok(home.join(below))
}

fn home() -> Option<PathBuf> {
    env::var_os("HOME").map(PathBuf::from).filter(|path| path.is_absolute())
}

/// `$XDG_DATA_HOME/partsight`, `~/.local/share/partsight`, or `data` in the current folder without a home folder.
fn default_data_dir() -> PathBuf {
    env::var_os("XDG_DATA_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| home().map(|home| home.join(".local/share")))
        .map_or_else(|| PathBuf::from("data"), |folder| folder.join("partsight"))
}

fn text(path: &Path) -> anyhow::Result<String> {
    path.to_str().map(str::to_owned).with_context(|| format!("the path `{}` is not UTF-8", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_error_is_told_what_was_meant() {
        let listed = "`partsight config --format sample` lists all settings";
        assert_eq!(meant("lsten", ""), format!("; did you mean `listen`? {listed}"));
        assert_eq!(meant("PLNA", PREFIX), format!("; did you mean `PARTSIGHT_PLAN`? {listed}"));
        for other in ["colour", "foo"] {
            assert_eq!(meant(other, ""), format!("; {listed}"));
        }
    }

    #[test]
    fn a_folder_of_the_home_folder_is_found_there() {
        let read = |folder: &str, home: Option<&str>| from_home(folder.into(), home.map(PathBuf::from));
        assert_eq!(read("~/data", Some("/ann")).unwrap(), Path::new("/ann/data"));
        for other in ["/srv/data", "data", "data/~", "~data"] {
            assert_eq!(read(other, Some("/ann")).unwrap(), Path::new(other));
        }
        assert!(read("~/data", None).unwrap_err().to_string().contains("`~/data`"));
    }

    #[test]
    fn only_settings_are_taken_from_the_environment() {
        let all = [
            ("PARTSIGHT_PLAN", "pro"),
            ("PARTSIGHT_PHOTOS", "/x"),
            ("PARTSIGHT_PLNA", "pro"),
            ("HOME", "/h"),
        ];
        let taken = variables(all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        assert_eq!(taken.keys().collect::<Vec<_>>(), ["PARTSIGHT_PLAN"]);
    }
}
