use super::engine::{Energy, EngineTraits};

/// Makes that sell, in the United States, only vehicles without an engine.
const ELECTRIC_MAKES: [&str; 4] = ["tesla", "rivian", "lucid", "vinfast"];
/// Models that have never had an engine: the first words of their names, in lower case.
const ELECTRIC_MODELS: [&str; 15] = [
    "leaf",
    "bolt",
    "mustang mach",
    "ariya",
    "ioniq 5",
    "ioniq 6",
    "ioniq 9",
    "ev6",
    "ev9",
    "id.4",
    "i-pace",
    "taycan",
    "e-tron",
    "bz4x",
    "solterra",
];

/// The energy of a vehicle, if its name alone determines it.
pub(crate) fn energy_of_name(make: &str, model: &str) -> Option<Energy> {
    let (make, model) = (make.trim().to_lowercase(), model.trim().to_lowercase());
    // Checked first: a Tesla's model name has no word for electric.
    if ELECTRIC_MAKES.contains(&make.as_str())
        || ELECTRIC_MODELS.iter().any(|name| starts_with_word(&model, name))
    {
        return Some(Energy::Electric);
    }
    EngineTraits::read(&model).energy
}

/// Whether `text` begins with `start` as whole words.
fn starts_with_word(text: &str, start: &str) -> bool {
    text.strip_prefix(start).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}
