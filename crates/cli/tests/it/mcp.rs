//! `partsight mcp`: the tools for language models over standard input and output.

use serde_json::{Value, json};

use crate::Program;
use crate::admin::admin;

#[test]
fn a_message_that_is_too_large_is_refused_by_its_id_and_the_next_is_answered() {
    let program = Program::new();
    admin(&program, &["user", "create", "ann@example.com"], "correct horse\n").expect_code(0);
    admin(&program, &["plan", "ann@example.com", "business"], "").expect_code(0);
    let create = ["key", "create", "ann@example.com", "--name", "model", "--scope", "scan"];
    let key = admin(&program, &create, "").expect_code(0).stdout.trim().to_owned();
    let program = program.with("PARTSIGHT_API_KEY", key);

    let image = "A".repeat(13 * 1024 * 1024);
    let params = json!({ "name": "identify_part", "arguments": { "imageBase64": image, "id": "not this" } });
    // The id of a message may stand at its end.
    let messages = [
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#),
        format!(r#"{{"jsonrpc":"2.0","method":"tools/call","params":{params},"id":"last"}}"#),
        format!(r#"{{"jsonrpc":"2.0","method":"tools/call","params":{image}"#),
        r#"{"jsonrpc":"2.0","id":8,"method":"ping"}"#.to_owned(),
    ];
    let outcome = program.run_with_input(&["mcp", "--data-dir", "data"], messages.join("\n"));
    let answers = &outcome.expect_code(0).stdout;
    let answers: Vec<Value> = answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [&json!(7), &json!("last"), &Value::Null, &json!(8)], "{outcome:?}");
    for refused in &answers[..3] {
        let sentence = refused["error"]["message"].as_str().unwrap();
        assert!(sentence.contains("12 MB") && sentence.contains("`path`"), "{refused}");
    }
    assert_eq!(answers[3]["result"], json!({}));
}
