//! `partsight admin`: accounts on the database itself.

use serde_json::Value;

use crate::{Outcome, Program};

/// Runs `partsight admin` in the program's own data folder, with this text on standard input.
pub(crate) fn admin(program: &Program, arguments: &[&str], input: &str) -> Outcome {
    let arguments = [&["admin", "--data-dir", "data"][..], arguments].concat();
    program.run_with_input(&arguments, input)
}

/// A program with an empty database.
pub(crate) fn with_database() -> Program {
    let program = Program::new();
    program.run(&["migrate", "--data-dir", "data"]).expect_code(0);
    program
}

fn users(program: &Program) -> Vec<Value> {
    admin(program, &["user", "list", "--format", "json"], "").expect_code(0).rows()
}

#[test]
fn an_account_is_made_shown_changed_and_deleted() {
    let program = Program::new();
    let names = ["--first-name", "Ann", "--last-name", "Lee", "--plan", "pro"];
    let create = [&["user", "create", "Ann@Example.com"][..], &names[..]].concat();
    let made = admin(&program, &create, "correct horse\n");
    assert_eq!(made.expect_code(0).stdout, "ann@example.com has an account.\n");
    let again = admin(&program, &create, "correct horse\n");
    assert!(again.only_sentence().contains("ann@example.com has an account already"), "{again:?}");

    let user = &users(&program)[0];
    for (name, value) in [("email", "ann@example.com"), ("firstName", "Ann"), ("planType", "pro")] {
        assert_eq!(user[name], value, "{user}");
    }
    assert!(!user.to_string().contains("argon2"), "{user}");

    let changed = admin(&program, &["plan", "ann@example.com", "business"], "");
    assert_eq!(changed.expect_code(0).stdout, "ann@example.com has the plan business.\n");
    admin(&program, &["user", "set-password", "ann@example.com"], "battery staple\r\n").expect_code(0);
    let shown = admin(&program, &["user", "show", "ann@example.com"], "");
    assert!(shown.expect_code(0).stdout.contains("business"), "{shown:?}");

    let refused = admin(&program, &["user", "delete", "ann@example.com"], "yes\n");
    assert!(refused.only_sentence().contains("add --yes"), "{refused:?}");
    assert_eq!(users(&program).len(), 1);
    admin(&program, &["user", "delete", "--yes", "ann@example.com"], "").expect_code(0);
    assert_eq!(users(&program), Vec::<Value>::new());
}

#[test]
fn what_does_not_fit_changes_nothing_and_says_why() {
    let program = with_database();
    let cases: [(&[&str], &str, i32, &str); 8] = [
        (&["user", "create", "ann@example.com"], "12345\n", 1, "at least 6 characters"),
        (&["user", "create", "ann@example.com"], "", 1, "at least 6 characters"),
        (&["user", "create", "ann"], "correct horse\n", 2, "This is not an e-mail address"),
        (&["user", "create", "ann@example.com", "--plan", "gold"], "", 2, "basic, pro or business"),
        (&["user", "create", "ann@example.com", "--password", "x"], "", 2, "unexpected argument"),
        (&["user", "show", "bob@example.com"], "", 1, "there is no account with the e-mail address bob@"),
        (&["user", "delete", "--yes", "bob@example.com"], "", 1, "there is no account"),
        (&["plan", "bob@example.com", "pro"], "", 1, "there is no account"),
    ];
    for (arguments, input, code, sentence) in cases {
        let outcome = admin(&program, arguments, input);
        assert!(outcome.expect_code(code).stderr.contains(sentence), "{arguments:?}: {outcome:?}");
    }
    assert_eq!(users(&program), Vec::<Value>::new());
}

#[test]
fn cancellations_are_listed_and_need_the_payment_provider() {
    let program = with_database();
    let none = admin(&program, &["cancellations", "list", "--format", "json"], "");
    assert_eq!(none.expect_code(0).stdout, "[]\n");
    let id = "019a7c3e-5b1e-7c44-9d0a-3f2b8c1d4e5f";
    let unknown = admin(&program, &["cancellations", "approve", id], "");
    assert!(
        unknown.only_sentence().contains(&format!("there is no cancellation request {id}")),
        "{unknown:?}"
    );
    admin(&program, &["cancellations", "approve", "ann"], "").expect_code(2);
}

#[test]
fn a_folder_without_a_database_gets_none_by_being_looked_into() {
    let program = Program::new().with("PARTSIGHT_API_KEY", "ps_live_1");
    let asked: [&[&str]; 8] = [
        &["admin", "user", "list"],
        &["admin", "plan", "ann@example.com", "pro"],
        &["admin", "key", "create", "ann@example.com", "--name", "till", "--scope", "scan"],
        &["catalog", "list", "--user", "ann@example.com"],
        &["catalog", "list", "--shared"],
        &["catalog", "export", "parts.jsonl", "--shared"],
        &["catalog", "reindex"],
        &["mcp"],
    ];
    for arguments in asked {
        let outcome = program.run(&[arguments, &["--data-dir", "dta"][..]].concat());
        assert!(outcome.only_sentence().contains("there is no database `dta/partsight.db`"), "{outcome:?}");
        assert!(!program.folder().join("dta").exists(), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_database_that_cannot_be_looked_for_is_not_called_missing() {
    let program = Program::new();
    program.write("file", "no folder");
    // A path that leads nowhere is closed to everybody, also to root; a folder of another user is to all but root.
    std::fs::create_dir(program.folder().join("closed")).unwrap();
    std::os::unix::fs::symlink("partsight.db", program.folder().join("closed/partsight.db")).unwrap();
    program.write("full/partsight.db/x", "a folder");
    for folder in ["file", "closed", "full"] {
        let outcome = program.run(&["admin", "user", "list", "--data-dir", folder]);
        let expected = format!("cannot look for the database `{folder}/partsight.db`: ");
        assert!(outcome.only_sentence().contains(&expected), "{outcome:?}");
    }
    let outcome = program.run(&["serve", "--listen", "127.0.0.1:0", "--data-dir", "closed"]);
    assert!(outcome.expect_code(1).stderr.contains("cannot look for the database"), "{outcome:?}");
}
