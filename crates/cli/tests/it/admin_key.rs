//! `partsight admin key`: keys for programs, on the database itself.

use crate::Program;
use crate::admin::admin;

#[test]
fn a_key_is_made_shown_once_listed_and_revoked() {
    let program = Program::new();
    admin(&program, &["user", "create", "ann@example.com"], "correct horse\n").expect_code(0);
    let create = ["key", "create", "ann@example.com", "--name", "till", "--scope", "scan,garage-read"];
    let made = admin(&program, &create, "");
    let key = made.expect_code(0).stdout.trim().to_owned();
    assert!(key.starts_with("ps_live_") && key.len() == 8 + 64, "{key}");

    let listed = admin(&program, &["key", "list", "ann@example.com", "--format", "json"], "");
    assert!(!listed.stdout.contains(&key), "{listed:?}");
    let row = &listed.expect_code(0).rows()[0];
    assert_eq!(row["scopes"], serde_json::json!(["scan", "garage-read"]));
    assert_eq!(row["prefix"], key[..14]);
    let shown = admin(&program, &["key", "list", "ann@example.com"], "");
    assert!(shown.expect_code(0).stdout.contains("till"), "{shown:?}");

    let id = row["id"].as_str().unwrap();
    admin(&program, &["key", "revoke", "ann@example.com", id], "").expect_code(0);
    let again = admin(&program, &["key", "revoke", "ann@example.com", id], "");
    assert!(again.only_sentence().contains("has no key"), "{again:?}");
    let none = admin(&program, &["key", "list", "ann@example.com", "--format", "json"], "");
    assert_eq!(none.expect_code(0).stdout, "[]\n");
}

#[test]
fn what_makes_no_key_says_why() {
    let program = Program::new();
    admin(&program, &["user", "create", "ann@example.com"], "correct horse\n").expect_code(0);
    let cases: [(&[&str], i32, &str); 4] = [
        (&["create", "ann@example.com", "--name", "till", "--scope", "admin"], 2, "garage-write"),
        (&["create", "bob@example.com", "--name", "till", "--scope", "scan"], 1, "there is no account"),
        (&["create", "ann@example.com", "--name", "till"], 2, "--scope"),
        (&["create", "ann@example.com", "--name", "x", "--scope", "scan", "--days", "0"], 2, "--days"),
    ];
    for (arguments, code, sentence) in cases {
        let outcome = admin(&program, &[&["key"][..], arguments].concat(), "");
        assert!(outcome.expect_code(code).stderr.contains(sentence), "{arguments:?}: {outcome:?}");
    }
}
