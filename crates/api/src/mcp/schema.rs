//! What a model sees of a tool: its texts and the schema of its arguments.

use partsight_app::PhotoFormat;
use serde_json::{Value, json};

/// Title, description, properties of the arguments, and which of them are required.
pub(super) type Description = (&'static str, &'static str, Value, &'static [&'static str]);

/// The schema of a string.
pub(super) fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

/// The schema of the bytes of a photograph.
pub(super) fn photo_bytes() -> Value {
    text(&format!("The photograph, a {} file, as base64.", PhotoFormat::names()))
}

/// `properties` and those of a photograph.
pub(super) fn with_photo(mut properties: Value, reads_files: bool) -> Value {
    properties["imageBase64"] = photo_bytes();
    if reads_files {
        properties["path"] =
            text("The photograph, as the path of a file on this machine, instead of imageBase64.");
    }
    properties
}
