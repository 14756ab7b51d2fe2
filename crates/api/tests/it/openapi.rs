use std::collections::BTreeSet;

use partsight_domain::NotJudged;
use serde_json::{Map, Value};

use crate::TestApp;

#[tokio::test]
async fn the_server_answers_with_the_document() {
    let app = TestApp::start().await;
    let reply = app.client().get("/api/openapi.json").await;
    assert_eq!(reply.expect_status(200).json(), serde_json::to_value(partsight_api::openapi()).unwrap());
}

#[tokio::test]
async fn people_can_read_and_try_the_calls_on_a_page_of_ours() {
    let app = TestApp::start().await;
    let client = app.client();
    let page = client.get("/api/docs").await;
    assert!(page.expect_status(200).header("content-type").starts_with("text/html"));
    // The page holds no script of its own: the policy for all pages would block it.
    assert!(page.header("content-security-policy").starts_with("default-src 'self'"));
    assert!(
        !page.text.contains("<script>") && !page.text.contains("http://") && !page.text.contains("https://")
    );
    for (file, media_type) in [("page.js", "text/javascript"), ("page.css", "text/css")] {
        assert!(page.text.contains(&format!("/api/docs/{file}")));
        let reply = client.get(&format!("/api/docs/{file}")).await;
        assert!(reply.expect_status(200).header("content-type").starts_with(media_type));
    }
}

#[test]
fn the_document_lists_every_error_and_describes_the_key_of_calls_that_make_something() {
    let document = serde_json::to_value(partsight_api::openapi()).unwrap();
    let description = document["info"]["description"].as_str().unwrap();
    for code in partsight_api::ErrorCode::ALL {
        let row = format!("| {} | `{}` |", code.status().as_u16(), code.as_str());
        assert!(description.contains(&row), "{row}");
    }
    let parameters = document["paths"]["/api/vehicles"]["post"]["parameters"].as_array().unwrap();
    assert!(parameters.iter().any(|parameter| parameter["name"] == "Idempotency-Key"));
}

#[test]
fn the_document_lists_why_the_judge_had_no_say() {
    let document = serde_json::to_value(partsight_api::openapi()).unwrap();
    let property = &document["components"]["schemas"]["ScanReceipt"]["properties"]["notJudged"];
    let description = property["description"].as_str().unwrap();
    for reason in NotJudged::ALL {
        assert!(description.contains(&format!("`{}`", reason.as_str())), "{reason:?}");
    }
}

#[test]
fn every_answer_is_described() {
    let document = serde_json::to_value(partsight_api::openapi()).unwrap();
    let mut bare = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let responses = operation["responses"].as_object().unwrap();
            let is_bare = |answer: &Value| {
                let shared = answer["$ref"].as_str().and_then(|name| name.strip_prefix('#'));
                let answer = shared.map_or(answer, |pointer| document.pointer(pointer).unwrap());
                answer["description"].as_str().is_none_or(str::is_empty)
            };
            let found = responses.iter().filter(|(_, answer)| is_bare(answer));
            bare.extend(found.map(|(status, _)| format!("{method} {path}: {status}")));
        }
    }
    assert!(bare.is_empty(), "{bare:#?}");
}

/// The schema that a reference names, or the schema itself.
fn resolved<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    match schema["$ref"].as_str() {
        Some(reference) => &document["components"]["schemas"][reference.rsplit('/').next().unwrap()],
        None => schema,
    }
}

/// Whether a value to begin with follows from a schema.
fn has_example(document: &Value, schema: &Value) -> bool {
    let schema = resolved(document, schema);
    let is_file = |schema: &Value| schema["format"] == "binary";
    if is_file(schema) || is_file(&schema["items"]) || schema["type"] == "boolean" {
        return true;
    }
    let choices = schema["oneOf"].as_array().into_iter().flatten();
    ["example", "default", "enum"].iter().any(|key| schema.get(key).is_some())
        || choices.filter(|choice| choice["type"] != "null").any(|choice| has_example(document, choice))
}

#[test]
fn every_body_has_an_example_to_begin_with() {
    let document = serde_json::to_value(partsight_api::openapi()).unwrap();
    let mut wrong = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let content = operation["requestBody"]["content"].as_object().into_iter().flatten();
            for (media_type, content) in content {
                let choices = content["schema"]["oneOf"].as_array().map(|choices| &choices[0]);
                let schema = resolved(&document, choices.unwrap_or(&content["schema"]));
                let name = format!("{method} {path} ({media_type})");
                let Some(fields) = schema["properties"].as_object() else {
                    // A table or an event of somebody else's protocol.
                    if schema["type"] != "string" {
                        wrong.push(format!("{name} has neither fields nor text"));
                    }
                    continue;
                };
                let Some(example) = schema["example"].as_object() else {
                    let bare = fields.iter().filter(|(_, field)| !has_example(&document, field));
                    wrong.extend(bare.map(|(field, _)| format!("{name}: `{field}` has no example")));
                    continue;
                };
                for field in example.keys().filter(|field| !fields.contains_key(*field)) {
                    wrong.push(format!("{name}: its example has `{field}`, which it does not take"));
                }
                for field in schema["required"].as_array().into_iter().flatten() {
                    if !example.contains_key(field.as_str().unwrap()) {
                        wrong.push(format!("{name}: its example lacks {field}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The required fields of a body's schema, and of what is in it, that may be null.
fn null_fields<'d>(document: &'d Value, schema: &'d Value, found: &mut BTreeSet<&'d str>) {
    let schema = resolved(document, schema);
    let required = schema["required"].as_array().into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        let field = &schema["properties"][name];
        let kinds = field["type"].as_array().into_iter().flatten();
        let choices = field["oneOf"].as_array().into_iter().flatten().map(|choice| &choice["type"]);
        if kinds.chain(choices).any(|kind| kind == "null") {
            found.insert(name);
        }
    }
    let fields = schema["properties"].as_object().into_iter().flat_map(Map::values);
    let choices = schema["oneOf"].as_array().into_iter().flatten();
    for part in fields.chain(choices).chain([&schema["items"]]).filter(|part| !part.is_null()) {
        null_fields(document, part, found);
    }
}

#[test]
fn a_required_field_of_a_body_may_be_null_only_where_null_is_a_choice() {
    let document = serde_json::to_value(partsight_api::openapi()).unwrap();
    let mut found = BTreeSet::new();
    for item in document["paths"].as_object().unwrap().values() {
        for operation in item.as_object().unwrap().values() {
            let body = &operation["requestBody"]["content"]["application/json"]["schema"];
            null_fields(&document, body, &mut found);
        }
    }
    // No limit of one's own.
    assert_eq!(Vec::from_iter(found), ["dayMicroDollars", "maxWrongPercent", "monthMicroDollars"]);
}

/// Whether an object in a schema takes fields that it does not name.
fn takes_unknown_fields(document: &Value, schema: &Value) -> bool {
    let schema = resolved(document, schema);
    let fields = schema["properties"].as_object();
    let choices = schema["oneOf"].as_array().into_iter().flatten();
    let mut parts = fields.into_iter().flat_map(Map::values).chain(choices).chain([&schema["items"]]);
    (fields.is_some() && schema["additionalProperties"] != false)
        || parts.any(|part| !part.is_null() && takes_unknown_fields(document, part))
}

#[test]
fn json_bodies_refuse_fields_that_they_do_not_know() {
    let document = serde_json::to_value(partsight_api::openapi()).unwrap();
    let mut open = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let body = &operation["requestBody"]["content"]["application/json"]["schema"];
            if takes_unknown_fields(&document, body) {
                open.push(format!("{method} {path}"));
            }
        }
    }
    // By the specification a client may send the fields of signing up there.
    assert_eq!(open, ["post /api/auth/login"]);
}

#[test]
fn calls_that_take_a_body_or_a_query_say_how_they_refuse_it() {
    let document = serde_json::to_value(partsight_api::openapi()).unwrap();
    let mut silent = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let has_query = parameters.into_iter().any(|parameter| parameter["in"] == "query");
            let wanted: &[&str] = match (operation.get("requestBody"), has_query) {
                (Some(_), _) => &["413", "415", "422"],
                (None, true) => &["422"],
                (None, false) => &[],
            };
            let missing = wanted.iter().filter(|status| operation["responses"].get(**status).is_none());
            silent.extend(missing.map(|status| format!("{method} {path} {status}")));
        }
    }
    // Its events are in somebody else's form: what is wrong with one is a 400.
    assert_eq!(silent, ["post /api/stripe/webhook 415", "post /api/stripe/webhook 422"]);
}

/// The calls of the document: method and path, and the operation.
fn calls(document: &Value) -> Vec<(String, &Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    let calls = paths.flat_map(|(path, item)| {
        item.as_object().unwrap().iter().map(move |(method, call)| (format!("{method} {path}"), call))
    });
    calls.collect()
}

#[test]
fn a_call_that_needs_somebody_says_how_to_sign_in_and_no_other_does() {
    let document = serde_json::to_value(partsight_api::openapi()).unwrap();
    let session = serde_json::json!({ "session": [] });
    let mut wrong = Vec::new();
    for (name, call) in calls(&document) {
        // Signing in answers 401 for a wrong password.
        let needs_somebody = call["responses"].get("401").is_some() && name != "post /api/auth/login";
        let ways = call["security"].as_array().into_iter().flatten().collect::<Vec<_>>();
        let refusal = call["responses"]["403"]["description"].as_str().unwrap_or_default();
        if ways.contains(&&session) != needs_somebody
            || (refusal.contains("needs a session") && !needs_somebody)
        {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_call_says_that_it_may_be_busy_and_one_with_a_body_that_it_may_stall() {
    let document = serde_json::to_value(partsight_api::openapi()).unwrap();
    let mut silent = Vec::new();
    for (name, call) in calls(&document) {
        let has_body = call.get("requestBody").is_some();
        for status in ["503", "408"].into_iter().filter(|status| has_body || *status == "503") {
            if call["responses"].get(status).is_none() {
                silent.push(format!("{name} {status}"));
            }
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn every_tag_is_described_and_used() {
    let document = serde_json::to_value(partsight_api::openapi()).unwrap();
    let described = document["tags"].as_array().unwrap().iter().map(|tag| tag["name"].as_str().unwrap());
    let calls = calls(&document);
    let used = calls.iter().flat_map(|(_, call)| call["tags"].as_array().unwrap());
    let used: BTreeSet<&str> = used.map(|tag| tag.as_str().unwrap()).collect();
    assert_eq!(used, described.collect());
}
