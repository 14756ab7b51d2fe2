//! Checks the arguments of a tool against its schema. An unknown argument is an error: ignoring it would mislead
//! the caller.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::numbers;

/// A sentence for the caller of a tool: the model reads it and can correct the call.
pub(super) struct ToolError(pub(super) String);

/// Checks arguments against the schema of their tool. A null argument counts as left out.
///
/// # Errors
/// A sentence that names an argument that is unknown to the schema or has the wrong type.
pub(super) fn check(schema: &Value, arguments: &Value) -> Result<(), ToolError> {
    let given = match arguments {
        Value::Null => return Ok(()),
        Value::Object(given) => given,
        _ => return Err(ToolError("The arguments must be a JSON object.".to_owned())),
    };
    for (name, value) in given {
        let property = schema["properties"].get(name).ok_or_else(|| unknown(name, schema))?;
        if let Some(expected) = expected(property, value) {
            return Err(ToolError(format!("`{name}` must be {expected}.")));
        }
        for item in value.as_array().into_iter().flatten() {
            if !item.is_object() {
                return Err(ToolError(format!("`{name}` must be a list of JSON objects.")));
            }
            check(&property["items"], item)?;
        }
    }
    Ok(())
}

fn unknown(name: &str, schema: &Value) -> ToolError {
    let known = schema["properties"].as_object().into_iter().flatten();
    let known: Vec<String> = known.map(|(name, _)| format!("`{name}`")).collect();
    let name = name.escape_debug();
    ToolError(if known.is_empty() {
        format!("`{name}` is no argument: this tool takes none.")
    } else {
        format!("`{name}` is no argument here. Known are {}.", known.join(", "))
    })
}

/// The type that a value must have; `None` if it has it.
fn expected(property: &Value, value: &Value) -> Option<&'static str> {
    let (fits, expected) = match property["type"].as_str()? {
        "string" => (value.is_string(), "text"),
        "integer" => {
            let is_whole = value.as_f64().is_some_and(|number| numbers::whole(number).is_some());
            (value.is_i64() || value.is_u64() || is_whole, "a whole number")
        }
        "number" => (value.is_number(), "a number"),
        "boolean" => (value.is_boolean(), "`true` or `false`"),
        _ => (value.is_array(), "a list"),
    };
    (!fits && !value.is_null()).then_some(expected)
}

/// The text of the argument `name`.
///
/// # Errors
/// If it is missing.
pub(super) fn required<'a>(arguments: &'a Value, name: &str) -> Result<&'a str, ToolError> {
    arguments[name].as_str().ok_or_else(|| ToolError(format!("`{name}` is missing.")))
}

/// The number of the argument `name`, as text; `None` if it is left out.
pub(super) fn number(arguments: &Value, name: &str) -> Option<String> {
    arguments[name].as_number().map(numbers::number_text)
}

/// The argument `name`, encoded as a path segment. An empty segment would address another call.
pub(super) fn segment(name: &str, text: &str) -> Result<String, ToolError> {
    if text.trim().is_empty() { Err(ToolError(format!("`{name}` is empty."))) } else { Ok(encoded(text)) }
}

/// Percent-encodes `text`, all but ASCII letters and digits: an id from a model must not leave its path segment.
pub(super) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_schema_does_not_know_is_named() {
        let photos = json!({ "type": "array", "items": { "properties": { "key": { "type": "string" } } } });
        let schema = json!({ "properties": {
            "limit": { "type": "integer" },
            "cost": { "type": "number" },
            "name": { "type": "string" },
            "sure": { "type": "boolean" },
            "photos": photos,
        }});
        let whole =
            json!({ "limit": 5, "cost": 1.5, "name": "x", "sure": true, "photos": [{ "key": "a" }, {}] });
        // In JSON Schema a number without a fraction is an integer.
        let round = json!({ "limit": 5.0 });
        for fits in [whole, round, json!({ "name": null }), json!({}), Value::Null] {
            assert!(check(&schema, &fits).is_ok(), "{fits}");
        }
        for (arguments, sentence) in [
            (json!([]), "The arguments must be a JSON object."),
            (json!({ "limit": 5.5 }), "`limit` must be a whole number."),
            (json!({ "cost": "1" }), "`cost` must be a number."),
            (json!({ "name": 5 }), "`name` must be text."),
            (json!({ "sure": "yes" }), "`sure` must be `true` or `false`."),
            (json!({ "photos": "a" }), "`photos` must be a list."),
            (json!({ "photos": ["a.jpg"] }), "`photos` must be a list of JSON objects."),
            (json!({ "photos": [{ "name": "a" }] }), "`name` is no argument here. Known are `key`."),
        ] {
            let Err(ToolError(said)) = check(&schema, &arguments) else { panic!("{arguments}") };
            assert_eq!(said, sentence);
        }
        let Err(ToolError(said)) = check(&json!({ "properties": {} }), &json!({ "x": 1 })) else { panic!() };
        assert_eq!(said, "`x` is no argument: this tool takes none.");
    }

    #[test]
    fn a_text_in_an_address_stays_within_its_place() {
        assert_eq!(encoded("a/../b?c=ü"), "a%2F%2E%2E%2Fb%3Fc%3D%C3%BC");
    }
}
