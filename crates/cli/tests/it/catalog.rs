//! `partsight catalog` on a database of its own, with the real model.

use std::fs;

use serde_json::{Value, json};
use sqlx::{AnyConnection, AssertSqlSafe, Connection};

use crate::qdrant_server::QdrantServer;
use crate::{Outcome, Program};

/// A program with an account.
fn with_ann() -> Program {
    let program = Program::new();
    let create = ["admin", "--data-dir", "data", "user", "create", "ann@example.com"];
    program.run_with_input(&create, "correct horse\n").expect_code(0);
    program
}

fn catalog(program: &Program, arguments: &[&str]) -> Outcome {
    let arguments = [&["catalog", "--data-dir", "data"][..], arguments].concat();
    program.run(&arguments)
}

fn of_ann(program: &Program, arguments: &[&str]) -> Outcome {
    catalog(program, &[arguments, &["--user", "ann@example.com"][..]].concat())
}

/// Changes a row of the account, as a server does.
async fn sql(program: &Program, sql: String) {
    sqlx::any::install_default_drivers();
    let url = format!("sqlite://{}", program.folder().join("data/partsight.db").display());
    let mut connection = AnyConnection::connect(&url).await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

#[tokio::test]
async fn a_scan_of_an_account_goes_by_its_dial_and_its_feedback() {
    let program = with_ann();
    program.add_golden("unsure.png", "double-exposure");
    let scan = |more: &[&str]| {
        let arguments = [&["scan", "unsure.png", "--format", "json", "--data-dir", "data"][..], more];
        let row = program.run(&arguments.concat()).expect_code(0).json()[0].clone();
        (row["verdict"].as_str().unwrap().to_owned(), row["confidence"].as_f64().unwrap())
    };
    let (verdict, confidence) = scan(&["--shared"]);
    assert_eq!(verdict, "not-sure");
    assert_eq!(scan(&["--user", "ann@example.com"]), (verdict.clone(), confidence));
    let dial = "INSERT INTO dial_choice (tenant_id, max_wrong_hundredths, changed_at) \
                SELECT tenant_id, 1000, created_at FROM app_user";
    sql(&program, dial.to_owned()).await;
    assert_eq!(scan(&["--user", "ann@example.com"]), ("identified".to_owned(), confidence));
    // Nobody else's dial.
    assert_eq!(scan(&["--shared"]), (verdict, confidence));

    let model = program.run(&["models", "info", "--format", "json"]).json();
    let temperature = format!(
        "INSERT INTO tenant_calibration \
             (tenant_id, model_sha256, temperature, outcome, n, figures, attempted_at) \
         SELECT tenant_id, '{}', 2.0, 'changed', 50, '{{}}', created_at FROM app_user",
        model["manifest"]["file"]["sha256"].as_str().unwrap()
    );
    sql(&program, temperature).await;
    let (_, of_feedback) = scan(&["--user", "ann@example.com"]);
    assert!(of_feedback < confidence - 0.1, "{of_feedback} and {confidence}");
}

#[test]
fn a_scan_knows_what_was_taught_where_it_is_told_by_whom() {
    let program = with_ann();
    program.add_golden("meadows/one.png", "meadow");
    let enrol = ["enrol", "meadows", "--new", "Lawn, long", "--category", "body"];
    of_ann(&program, &enrol).expect_code(0);
    let scan = |more: &[&str]| {
        let arguments = [&["scan", "meadows/one.png", "--format", "json", "--data-dir", "data"][..], more];
        program.run(&arguments.concat())
    };
    let best = |outcome: &Outcome| {
        let row = outcome.expect_code(0).json()[0].clone();
        (row["label"].clone(), row["name"].clone(), row["category"].clone())
    };
    let lawn = (json!("lawn-long"), json!("Lawn, long"), json!("body"));
    assert_eq!(best(&scan(&["--user", "ann@example.com"])), lawn);
    // What others taught is nobody else's, and the model has no such type.
    assert_ne!(best(&scan(&[])).0, lawn.0);
    assert_ne!(best(&scan(&["--shared"])).0, lawn.0);
    catalog(&program, &[&enrol[..], &["--shared"]].concat()).expect_code(0);
    assert_eq!(best(&scan(&["--shared"])), lawn);

    let nobody = scan(&["--user", "bob@example.com"]);
    assert!(nobody.stderr.contains("no account with the e-mail address bob@example.com"), "{nobody:?}");
    let both = scan(&["--user", "ann@example.com", "--shared"]);
    assert!(both.expect_code(2).stderr.contains("--shared"), "{both:?}");
    let nowhere = program.run(&["scan", "meadows/one.png", "--shared", "--data-dir", "elsewhere"]);
    assert!(nowhere.stderr.contains("elsewhere"), "{nowhere:?}");
    // Shared parts may be taught before there is a server, but a folder that was mistyped is told.
    let mistyped = ["catalog", "enrol", "meadows", "--part", "rim", "--shared", "--data-dir", "elsewhere"];
    let first = program.run(&mistyped);
    assert!(first.stderr.contains("there was no database in `elsewhere`"), "{first:?}");
    let second = program.run(&mistyped);
    assert!(!second.stderr.contains("there was no database"), "{second:?}");
}

#[test]
fn a_folder_is_enrolled_shown_exported_imported_and_checked() {
    let program = with_ann();
    program.add_golden("rims/one.png", "rim");
    // A part of the garden, by which no part type of the model is meant.
    program.add_golden("meadows/one.png", "meadow");
    program.write("meadows/broken.jpg", b"no picture");
    let enrolled = of_ann(
        &program,
        &["enrol", "meadows", "--new", "Lawn, long", "--category", "body", "--format", "json"],
    );
    let row = enrolled.expect_code(1).json();
    assert_eq!((&row["label"], &row["taught"]), (&json!("lawn-long"), &json!(1)));
    assert!(row["refused"][0]["path"].as_str().unwrap().ends_with("broken.jpg"), "{row}");
    assert!(enrolled.stderr.contains("broken.jpg"), "{enrolled:?}");

    // A copy of what is there, and a picture of another part, are refused.
    let again = of_ann(&program, &["enrol", "meadows/one.png", "--part", "lawn-long"]);
    assert!(again.expect_code(1).stderr.contains("has been taught already"), "{again:?}");
    let poison = of_ann(&program, &["enrol", "rims", "--part", "spark-plug"]);
    assert!(poison.expect_code(1).stderr.contains("looks more like"), "{poison:?}");
    of_ann(&program, &["enrol", "rims", "--part", "rim"]).expect_code(0);
    let unknown = of_ann(&program, &["enrol", "rims", "--part", "rim", "--shop-part", "17x7"]);
    let sentence = "The shop has no part of the type `rim` with the number `17x7`.";
    assert!(unknown.stderr.contains(sentence), "{unknown:?}");

    let listed = of_ann(&program, &["list", "--format", "json"]);
    let parts = listed.expect_code(0).json();
    let summary: Vec<_> =
        parts.as_array().unwrap().iter().map(|part| (&part["label"], &part["references"])).collect();
    assert_eq!(summary, [(&json!("lawn-long"), &json!(1)), (&json!("rim"), &json!(1))]);
    let all = of_ann(&program, &["list", "--all"]).stdout;
    let known_by = [("spark-plug", "the model"), ("lawn-long", "this account"), ("ac-hose", "nobody yet")];
    for (label, by) in known_by {
        let row = all.lines().find(|line| line.split(' ').next() == Some(label));
        assert!(row.is_some_and(|row| row.contains(by)), "{label}: {row:?}");
    }
    let shown = of_ann(&program, &["show", "lawn-long"]);
    assert!(shown.expect_code(0).stdout.starts_with("Lawn, long (lawn-long), body"), "{shown:?}");

    let exported = of_ann(&program, &["export", "parts.jsonl"]);
    assert!(exported.expect_code(0).stderr.contains("2 part types with 2 photos"), "{exported:?}");
    program.write("mine.jpg", "a photograph");
    let refused = of_ann(&program, &["export", "mine.jpg"]);
    let sentence = refused.expect_code(1).only_sentence();
    assert!(sentence.contains("mine.jpg is there already") && sentence.contains("--force"), "{sentence}");
    assert_eq!(fs::read_to_string(program.folder().join("mine.jpg")).unwrap(), "a photograph");
    of_ann(&program, &["export", "parts.jsonl", "--force"]).expect_code(0);
    let known = of_ann(&program, &["import", "parts.jsonl", "--format", "json"]);
    let rows = known.expect_code(0).json();
    assert_eq!((&rows[0]["taught"], &rows[0]["known"]), (&json!(0), &json!(1)));
    let shared = catalog(&program, &["import", "parts.jsonl", "--shared", "--format", "json"]);
    let rows = shared.expect_code(0).json();
    assert_eq!((&rows[0]["label"], &rows[0]["taught"]), (&json!("lawn-long"), &json!(1)));
    let parts = catalog(&program, &["list", "--shared", "--format", "json"]).json();
    assert_eq!(parts.as_array().unwrap().len(), 2);

    // Now each picture is there twice: once for Ann, once for all.
    let found = of_ann(&program, &["doctor", "--format", "json", "--report", "report"]);
    let found_json = found.expect_code(0).json();
    assert_eq!((&found_json["references"], &found_json["nCopies"]), (&json!(4), &json!(2)));
    let page = fs::read_to_string(program.folder().join("report/index.html")).unwrap();
    assert!(page.contains("data:image/jpeg;base64,") && page.contains("Lawn, long"), "{page}");
    assert!(program.folder().join("report/diagnosis.json").is_file());

    let index = catalog(&program, &["reindex"]);
    assert!(index.expect_code(0).stdout.contains("in memory holds 4 of 4"), "{index:?}");
}

#[test]
fn more_photographs_than_a_part_may_have_are_refused_before_any_is_read() {
    let program = with_ann();
    for number in 0..101 {
        program.write(&format!("many/{number}.jpg"), "no picture");
    }
    for lesson in [&["--new", "Lawn", "--category", "body"][..], &["--part", "rim"]] {
        let outcome = catalog(&program, &[&["enrol", "many", "--shared"], lesson].concat());
        let expected =
            "A part has at most 100 photos; this one has 0, and 101 more were given. Please give fewer.";
        assert_eq!(outcome.only_sentence(), format!("partsight: {expected}"));
    }
}

#[test]
fn a_photo_of_a_look_alike_is_kept_with_consent_which_marks_the_pair() {
    let program = with_ann();
    program.add_golden("rims/one.png", "rim");
    let enrol = ["enrol", "rims", "--new", "Wheel 8J", "--category", "body", "--format", "json"];
    let asked = of_ann(&program, &enrol);
    assert!(asked.expect_code(1).stderr.contains("`--accept-collision` keeps it"), "{asked:?}");
    let kept = of_ann(&program, &[&enrol[..], &["--accept-collision"]].concat());
    let row = kept.expect_code(0).json();
    assert_eq!((&row["taught"], &row["lookAlikes"]), (&json!(1), &json!(["rim"])));

    let shown = of_ann(&program, &["show", "wheel-8j", "--format", "json"]).json();
    assert_eq!(
        (&shown["lookAlikes"][0]["label"], &shown["lookAlikes"][0]["own"]),
        (&json!("rim"), &json!(true))
    );
    assert!(of_ann(&program, &["show", "rim"]).stdout.contains("Looks like: wheel-8j."));
    let found = of_ann(&program, &["doctor", "--format", "json"]).json();
    assert_eq!(found["lookAlikes"], json!([["rim", "wheel-8j"]]));
    assert!(of_ann(&program, &["doctor"]).stdout.contains("marked as look-alikes"));

    // What was accepted once is not asked again where the parts are moved to.
    of_ann(&program, &["export", "parts.jsonl"]).expect_code(0);
    let moved = catalog(&program, &["import", "parts.jsonl", "--shared", "--format", "json"]);
    assert_eq!(moved.expect_code(0).json()[0]["taught"], json!(1), "{moved:?}");
    let shown = catalog(&program, &["show", "wheel-8j", "--shared", "--format", "json"]).json();
    assert_eq!(shown["lookAlikes"][0]["label"], json!("rim"));
    catalog(&program, &["unmark", "rim", "wheel-8j", "--shared"]).expect_code(0);

    // Those that all share have marks of their own.
    let shared = catalog(&program, &["unmark", "rim", "wheel-8j", "--shared"]);
    assert!(shared.expect_code(1).stderr.contains("not marked as look-alikes"), "{shared:?}");

    of_ann(&program, &["unmark", "wheel-8j", "rim"]).expect_code(0);
    of_ann(&program, &["unmark", "wheel-8j", "rim"]).expect_code(1);
    assert_eq!(of_ann(&program, &["doctor", "--format", "json"]).json()["lookAlikes"], json!([]));
}

#[test]
fn a_file_that_was_changed_or_is_of_another_model_is_refused_whole() {
    let program = with_ann();
    program.add_golden("one.png", "meadow");
    of_ann(&program, &["enrol", "one.png", "--new", "Lawn", "--category", "body"]).expect_code(0);
    of_ann(&program, &["export", "parts.jsonl"]).expect_code(0);
    let text = fs::read_to_string(program.folder().join("parts.jsonl")).unwrap();
    let header = text.lines().next().unwrap().to_owned();
    let hash = serde_json::from_str::<Value>(&header).unwrap()["modelSha256"].as_str().unwrap().to_owned();
    let cases = [
        ("half", text[..text.len() / 2].to_owned(), "the catalogue file"),
        ("cut", text.split_inclusive('\n').take(2).collect(), "not whole"),
        ("changed", text.replace("\"Lawn\"", "\"Moss\""), "was changed"),
        ("longer", format!("{text}{{}}\n"), "not whole"),
        ("other", text.replace(&hash, &"0".repeat(64)), "was written with the model 0000"),
        ("other-format", text.replace("partsight-catalog", "parts"), "no catalogue file"),
        ("no-part", format!("{header}\n{}\n", text.lines().nth(2).unwrap()), "line 2 of the catalogue file"),
        ("long-line", format!("{header}\n{}\n", "x".repeat(200_000)), "longer than"),
        ("empty", String::new(), "no catalogue file"),
    ];
    assert_eq!(hash.len(), 64, "{header}");
    for (name, content, sentence) in cases {
        program.write(name, content);
        let refused = catalog(&program, &["import", name, "--shared"]);
        assert!(refused.expect_code(1).stderr.contains(sentence), "{name}: {refused:?}");
    }
    assert_eq!(catalog(&program, &["list", "--shared", "--format", "json"]).json(), json!([]));
}

#[test]
fn a_file_goes_from_one_account_to_another_through_a_pipe() {
    let program = with_ann();
    program.add_golden("one.png", "meadow");
    of_ann(&program, &["enrol", "one.png", "--new", "Lawn", "--category", "body"]).expect_code(0);
    let exported = of_ann(&program, &["export", "-"]);
    let import = ["catalog", "--data-dir", "data", "import", "-", "--shared", "--format", "json"];
    let imported = program.run_with_input(&import, &exported.expect_code(0).stdout);
    let rows = imported.expect_code(0).json();
    assert_eq!((&rows[0]["label"], &rows[0]["taught"]), (&json!("lawn"), &json!(1)));
    let empty = program.run_with_input(&import, "");
    assert!(empty.expect_code(1).stderr.contains("no catalogue file"), "{empty:?}");
}

#[test]
fn reindex_fills_the_collection_of_a_server() {
    let qdrant = QdrantServer::start();
    let program = with_ann().with("PARTSIGHT_QDRANT_URL", qdrant.url());
    program.add_golden("one.png", "meadow");
    of_ann(&program, &["enrol", "one.png", "--new", "Lawn", "--category", "body"]).expect_code(0);
    let [name] = &qdrant.names()[..] else { panic!("one collection was made") };
    qdrant.lose_points(name);
    let index = catalog(&program, &["reindex"]);
    let sentence = format!("in the collection `{name}` at {} holds 1 of 1 references", qdrant.url());
    assert!(index.expect_code(0).stdout.contains(&sentence), "{index:?}");
    assert_eq!(qdrant.n_points(name), 1);
}

#[test]
fn what_is_missing_is_named() {
    let program = with_ann();
    let cases: [(&[&str], i32, &str); 7] = [
        (&["list"], 2, "--user EMAIL, or --shared"),
        (&["list", "--user", "bob@example.com"], 1, "there is no account"),
        (&["list", "--user", "ann@example.com", "--shared"], 2, "do not go together"),
        (&["show", "no-such-part", "--shared"], 1, "no part type of this label"),
        (&["enrol", "x.jpg", "--shared"], 2, "<--part <LABEL>|--new <NAME>>"),
        (&["enrol", "x.jpg", "--part", "rim", "--new", "X", "--category", "body"], 2, "cannot be used with"),
        (&["enrol", "x.jpg", "--shared", "--new", "X", "--category", "wheels"], 2, "expected one of engine"),
    ];
    for (arguments, code, sentence) in cases {
        let outcome = catalog(&program, arguments);
        assert!(outcome.expect_code(code).stderr.contains(sentence), "{arguments:?}: {outcome:?}");
    }
}

#[test]
fn a_part_is_renamed_deleted_and_brought_back() {
    let program = with_ann();
    program.add_golden("meadows/one.png", "meadow");
    let shared = |arguments: &[&str]| catalog(&program, &[arguments, &["--shared"]].concat());
    shared(&["enrol", "meadows", "--new", "Lwan", "--category", "body"]).expect_code(0);

    let outcome = shared(&["rename", "lwan", "Lawn", "--category", "engine"]);
    assert!(outcome.expect_code(0).stdout.contains("lwan is called Lawn now, of the category engine."));
    let taken = shared(&["rename", "lwan", "brake rotor"]);
    assert!(taken.expect_code(1).stderr.contains("Another part has this name."), "{taken:?}");
    // What all share is not an account's to change.
    let refused = of_ann(&program, &["delete", "lwan"]);
    assert!(
        refused.expect_code(1).stderr.contains("there are no photographs of your own of this label"),
        "{refused:?}"
    );

    let outcome = shared(&["delete", "lwan"]);
    assert!(
        outcome.expect_code(0).stdout.contains("this command with `restore` in place of `delete`"),
        "{outcome:?}"
    );
    let list = || shared(&["list", "--format", "json"]).expect_code(0).json();
    assert_eq!(list(), json!([]));
    shared(&["delete", "lwan"]).expect_code(1);
    let outcome = shared(&["restore", "lwan"]);
    assert!(outcome.expect_code(0).stdout.contains("Lawn is back, with 1 photograph."), "{outcome:?}");
    assert_eq!((&list()[0]["name"], &list()[0]["category"]), (&json!("Lawn"), &json!("engine")));
}

#[test]
fn a_renamed_part_keeps_its_label_in_a_file() {
    let program = with_ann();
    let create = ["admin", "--data-dir", "data", "user", "create", "bob@example.com"];
    program.run_with_input(&create, "correct horse\n").expect_code(0);
    program.add_golden("meadows/one.png", "meadow");
    of_ann(&program, &["enrol", "meadows", "--new", "Lwan", "--category", "body"]).expect_code(0);
    of_ann(&program, &["rename", "lwan", "Lawn"]).expect_code(0);
    of_ann(&program, &["export", "lawn.jsonl"]).expect_code(0);
    for n_taught in [1, 0] {
        let import = ["import", "lawn.jsonl", "--format", "json", "--user", "bob@example.com"];
        let imported = catalog(&program, &import).expect_code(0).json();
        assert_eq!((&imported[0]["label"], &imported[0]["taught"]), (&json!("lwan"), &json!(n_taught)));
    }
    let of_bob =
        |arguments: &[&str]| catalog(&program, &[arguments, &["--user", "bob@example.com"]].concat());
    // Renamed by Bob, it is known by its photograph.
    of_bob(&["rename", "lwan", "Meadow"]).expect_code(0);
    let again = of_bob(&["import", "lawn.jsonl", "--format", "json"]).expect_code(0).json();
    assert_eq!((&again[0]["label"], &again[0]["known"]), (&json!("lwan"), &json!(1)));
    // Another part that has its label is not it.
    of_bob(&["delete", "lwan"]).expect_code(0);
    program.add_golden("rotors/one.png", "brake-rotor");
    let enrol = ["enrol", "rotors", "--new", "Lwan", "--category", "brake", "--accept-collision"];
    of_bob(&enrol).expect_code(0);
    let lawn = of_bob(&["import", "lawn.jsonl", "--format", "json"]).expect_code(0).json();
    assert_eq!(lawn[0]["taught"], 1);
    assert_ne!(lawn[0]["label"], of_bob(&["list", "--format", "json"]).json()[0]["label"]);
}
