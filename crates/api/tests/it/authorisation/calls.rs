//! The calls of the OpenAPI document, each of which can be sent with a body that fits its schema.

use reqwest::Method;
use reqwest::multipart::Form;
use serde_json::{Map, Value, json};

use crate::client::{file, send};
use crate::teaching::taught_parts::{self, flower};
use crate::{Client, Reply};

/// One call of the document.
pub(super) struct Call {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) operation: Value,
}

pub(super) fn calls(document: &Value) -> Vec<Call> {
    let paths = document["paths"].as_object().unwrap();
    let mut calls = Vec::new();
    for (path, item) in paths {
        for (method, operation) in item.as_object().unwrap() {
            let method = method.to_uppercase().parse().unwrap();
            calls.push(Call { method, path: path.clone(), operation: operation.clone() });
        }
    }
    calls
}

pub(super) fn document() -> Value {
    serde_json::to_value(partsight_api::openapi()).unwrap()
}

impl Call {
    /// Whether the call is for people who are signed in.
    pub(super) fn is_private(&self) -> bool {
        let names_session = |code: &str| self.operation["responses"].get(code).is_some();
        // Signing in answers 401 as well, to a wrong password.
        names_session("401") && self.path != "/api/auth/login"
    }

    pub(super) fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// Whether the call names a vehicle beside the rows in its path.
    pub(super) fn takes_vehicle(&self) -> bool {
        let parameters = self.operation["parameters"].as_array().into_iter().flatten();
        parameters.clone().any(|parameter| parameter["in"] == "query" && parameter["name"] == "vehicleId")
    }

    /// The fields of the call's JSON body and whether each may be null, of those that it needs.
    pub(super) fn required_fields(&self, document: &Value) -> Vec<(String, bool)> {
        let Some(schema) = self.json_schema() else { return Vec::new() };
        let choice =
            schema["oneOf"].as_array().and_then(|choices| choices.iter().find(|one| one["type"] != "null"));
        let schema = resolved(document, choice.unwrap_or(schema));
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let may_be_null = |name: &str| {
            schema["properties"][name]["type"].as_array().is_some_and(|kinds| kinds.contains(&json!("null")))
        };
        required.map(|name| (name.to_owned(), may_be_null(name))).collect()
    }

    fn json_schema(&self) -> Option<&Value> {
        self.operation["requestBody"]["content"].get("application/json").map(|json| &json["schema"])
    }

    /// Sends the call with these values in its path, query and body, and else with a body that fits its schema.
    pub(super) async fn send(&self, client: &Client, values: &Map<String, Value>, document: &Value) -> Reply {
        self.send_changed(client, values, document, |_| ()).await
    }

    /// As [`Self::send`], with this change of a JSON body.
    pub(super) async fn send_changed(
        &self,
        client: &Client,
        values: &Map<String, Value>,
        document: &Value,
        change: impl FnOnce(&mut Value),
    ) -> Reply {
        let mut path = self.path.clone();
        for (name, value) in values {
            path = path.replace(&format!("{{{name}}}"), value.as_str().unwrap());
        }
        let mut request = client.request(self.method.clone(), &path);
        if let (true, Some(vehicle)) = (self.takes_vehicle(), values.get("vehicleId")) {
            request = request.query(&[("vehicleId", vehicle.as_str().unwrap())]);
        }
        let parameters = self.operation["parameters"].as_array().into_iter().flatten();
        let required =
            parameters.filter(|parameter| parameter["in"] == "query" && parameter["required"] == true);
        for parameter in required.filter(|parameter| parameter["name"] != "vehicleId") {
            let name = parameter["name"].as_str().unwrap();
            let text = match &parameter["example"] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            request = request.query(&[(name, text)]);
        }
        if let Some(content) = self.operation["requestBody"]["content"].as_object() {
            if let Some(schema) = self.json_schema() {
                let mut body = body(schema, values, document);
                change(&mut body);
                request = request.json(&body);
            } else if content.contains_key("text/csv") {
                request = request.header("Content-Type", "text/csv").body("date,mileage\n2026-12-01,51000\n");
            } else if self.path == "/api/batches/{id}/photos" {
                request = request.multipart(Form::new().part("photo", file(&flower(7), "image/jpeg")));
            } else if self.path == "/api/scans/{id}/regions" {
                request = request.multipart(Form::new().text("regions", "[]"));
            } else if self.path == "/api/catalog/types/{id}/references" {
                request = request.multipart(taught_parts::form(&[taught_parts::flower(5)]));
            }
        }
        send(request).await
    }
}

/// The example of a body's schema, with these values in the fields that name rows.
fn body(schema: &Value, values: &Map<String, Value>, document: &Value) -> Value {
    let mut body = example(document, schema, 0);
    // Handing a company over names its heir where a change of role names a member in the path.
    for (field, name) in [("vehicleId", "vehicleId"), ("userId", "heir"), ("until", "until"), ("url", "url")]
    {
        if let (Some(old), Some(value)) = (body.get_mut(field), values.get(name)) {
            *old = value.clone();
        }
    }
    body
}

/// The schema that a reference names, or the schema itself.
fn resolved<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    match schema["$ref"].as_str() {
        Some(reference) => &document["components"]["schemas"][reference.rsplit('/').next().unwrap()],
        None => schema,
    }
}

/// A value that fits a schema.
pub(super) fn example(document: &Value, schema: &Value, depth: usize) -> Value {
    let schema = resolved(document, schema);
    for choices in ["oneOf", "anyOf", "allOf"] {
        if let Some(choices) = schema[choices].as_array() {
            let choice = choices.iter().find(|choice| choice["type"] != "null").unwrap_or(&choices[0]);
            return example(document, choice, depth);
        }
    }
    if let Some(example) = schema.get("example") {
        return example.clone();
    }
    if let Some(values) = schema["enum"].as_array() {
        return values[0].clone();
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().find(|kind| *kind != "null").cloned().unwrap_or_default(),
        kind => kind.clone(),
    };
    match kind.as_str() {
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        Some("boolean") => json!(false),
        Some("array") => json!([]),
        Some("string") if schema["format"] == "date" => json!("2027-01-01"),
        Some("string") => json!("text"),
        _ if depth > 5 => json!({}),
        _ => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            fields
                .filter(|(name, _)| required.contains(&json!(name)))
                .map(|(name, field)| (name.clone(), example(document, field, depth + 1)))
                .collect::<Map<_, _>>()
                .into()
        }
    }
}

/// An id that names nothing.
pub(super) const UNKNOWN: &str = "0190a0a0-0000-7000-8000-000000000000";

/// Ids for every variable of every path that name nothing.
pub(super) fn unknown_ids() -> Map<String, Value> {
    [
        "id", "makeId", "modelId", "make", "model", "year", "engine", "vin", "item", "token", "kind",
        "category", "userId", "name",
    ]
    .into_iter()
    .map(|name| (name.to_owned(), json!(UNKNOWN)))
    .collect()
}
