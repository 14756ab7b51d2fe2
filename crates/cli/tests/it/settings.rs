use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use partsight_test_support::process;
use serde_json::Value;

use crate::{Outcome, Program};

#[test]
fn a_printed_configuration_leads_to_the_same_one() {
    let program = Program::new()
        .with("PARTSIGHT_PLAN", "pro")
        .with("PARTSIGHT_LISTEN", "0.0.0.0:9000")
        .with("PARTSIGHT_PUBLIC_URL", "https://parts.example.com")
        .with("PARTSIGHT_MAX_PHOTO_BYTES", "2048")
        .with("PARTSIGHT_LOG_FORMAT", "json");
    let printed = program.run(&["config"]).expect_code(0).stdout.clone();
    for line in ["plan = \"pro\"", "listen = \"0.0.0.0:9000\"", "max_photo_bytes = 2048"] {
        assert!(printed.contains(line), "{printed}");
    }
    let other = Program::new();
    other.write("saved.toml", &printed);
    let again = other.run(&["config", "--config", "saved.toml"]).expect_code(0).stdout.clone();
    assert_eq!(again, printed);
}

#[test]
fn the_sample_file_sets_what_holds_without_it() {
    let program = Program::new();
    let sample = program.run(&["config", "--format", "sample"]).expect_code(0).stdout.clone();
    let (unset, set): (Vec<&str>, Vec<&str>) = sample
        .lines()
        .filter_map(|line| line.strip_prefix('#').filter(|line| !line.starts_with(' ')))
        .partition(|line| line.ends_with('='));
    assert!(unset.contains(&"smtp_url =") && set.contains(&"session_days = 30"), "{sample}");
    program.write("sample.toml", set.join("\n"));
    let with = program.run(&["config", "--config", "sample.toml"]).expect_code(0).stdout.clone();
    assert_eq!(with, program.run(&["config"]).expect_code(0).stdout);
}

#[test]
fn the_file_in_the_folder_is_read_and_the_environment_stands_above_it() {
    let program = Program::new().with("PARTSIGHT_MAX_BATCH", "4");
    program.write("partsight.toml", "session_days = 7\nmax_batch = 3\n");
    let printed = program.run(&["config"]).expect_code(0).stdout.clone();
    assert!(printed.contains("session_days = 7\n") && printed.contains("max_batch = 4\n"), "{printed}");
}

#[test]
fn text_of_the_environment_is_taken_as_it_is() {
    let program =
        Program::new().with("PARTSIGHT_LEGAL_ENTITY", "0042").with("PARTSIGHT_QDRANT_COLLECTION", "1e5");
    let printed = program.run(&["config"]).expect_code(0).stdout.clone();
    assert!(printed.contains("legal_entity = \"0042\"\n"), "{printed}");
    assert!(printed.contains("qdrant_collection = \"1e5\"\n"), "{printed}");
}

#[test]
fn a_line_that_cannot_be_parsed_is_named_and_not_shown() {
    let program = Program::new();
    program.write("partsight.toml", "max_batch = 3\njudge_api_key = sk-secret-1234\n");
    for command in [&["config"][..], &["doctor"], &["doctor", "--format", "json"]] {
        let outcome = program.run(command);
        let all = format!("{}{}", outcome.stdout, outcome.stderr);
        assert!(all.contains("line 2") && !all.contains("sk-secret"), "{all}");
    }
}

#[test]
fn the_data_lies_in_the_users_data_folder() {
    let program = Program::new();
    let printed = program.run(&["config"]).expect_code(0).stdout.clone();
    let expected = format!("data_dir = \"{}/home/partsight\"", program.folder().display());
    assert!(printed.contains(&expected), "{printed}");
}

#[test]
fn an_unknown_key_of_the_file_is_named() {
    let program = Program::new();
    program.write("partsight.toml", "max_photo_byte = 5000\n");
    let outcome = program.run(&["config"]);
    let sentence = outcome.only_sentence();
    assert!(sentence.contains("there is no setting `max_photo_byte` in partsight.toml"), "{sentence}");
    assert!(sentence.contains("did you mean `max_photo_bytes`?"), "{sentence}");
    // The names of all settings would bury it.
    assert!(!sentence.contains("legal_entity"), "{sentence}");
}

#[test]
fn a_value_that_cannot_be_read_is_named_with_its_place_and_what_it_is_about() {
    let program = Program::new();
    for (line, parts) in [
        (
            "listen = \"localhost:8080\"",
            [
                "the setting `listen` in partsight.toml cannot be `localhost:8080`",
                ". IP address and port that `serve`",
            ],
        ),
        ("keep_photos = \"all\"", ["cannot be `all`. What the history keeps", "`thumbnail`"]),
        (
            "max_photo_bytes = \"abc\"",
            ["cannot be `abc`: expected a whole number, 1024 or more. Largest photograph", ""],
        ),
        ("session_days = 1.5", ["`session_days` in partsight.toml cannot be `1.5`: expected a whole", ""]),
        ("session_days = -1", ["cannot be `-1`: expected a whole number, 1 to 3650. Days", ""]),
        ("session_days = true", ["cannot be `true`: expected a whole number", ""]),
        ("session_days = 5000000000", ["cannot be `5000000000`: expected a whole number, 1 to 3650", ""]),
        (
            "plan = \"pro\"\nsession_days = 99999999999999999999",
            ["`session_days` in partsight.toml", "too large"],
        ),
        (
            "judge_api_key = 99999999999999999999",
            ["`judge_api_key` in partsight.toml", "needs quotation marks"],
        ),
        (
            "judge_trust = \"high\"",
            ["`judge_trust` in partsight.toml cannot be `high`: expected a number, 0.5 to 0.99. Assumed", ""],
        ),
        ("judge_trust = 1", ["`judge_trust` is 1, but it must be 0.5 to 0.99 (partsight.toml)", ""]),
        ("keep_photos = [\"full\"]", ["`keep_photos` in partsight.toml cannot be", "What the history keeps"]),
        ("keep_photos = \"\"", ["`keep_photos` in partsight.toml cannot be empty. What", "`thumbnail`"]),
        ("plan = \"  \"", ["`plan` in partsight.toml cannot be blank", ""]),
        ("support_email = \"  \"", ["`support_email` is blank, but it must be", "(partsight.toml)"]),
        ("web_push = 1", ["`web_push` in partsight.toml cannot be `1`: expected `true` or `false`", ""]),
        ("device = \"gpu\"", ["the setting `device` is gpu, but it must be `auto`", "(partsight.toml)"]),
        (
            "database_url = [\"postgres://ann:hunter2@host/name\"]",
            ["the setting `database_url` in partsight.toml cannot be this: expected a string", ""],
        ),
        (
            "judge_api_key = [\"hunter2\"]",
            ["the setting `judge_api_key` in partsight.toml cannot be this", ""],
        ),
    ] {
        program.write("partsight.toml", format!("{line}\n"));
        let outcome = program.run(&["config"]);
        let sentence = outcome.only_sentence();
        assert!(parts.iter().all(|part| sentence.contains(part)), "{sentence}");
        assert!(!sentence.contains("hunter2") && !sentence.contains("999"), "{sentence}");
    }
}

#[cfg(unix)]
#[test]
fn a_settings_file_that_cannot_be_read_is_no_missing_one() {
    let program = Program::new();
    std::fs::create_dir(program.folder().join("folder")).unwrap();
    let outcome = program.run(&["config", "--config", "folder"]);
    assert_eq!(outcome.only_sentence(), "partsight: the settings file `folder` is no file");
    // The usual one is read without being named, and passed over only where there is none.
    std::os::unix::fs::symlink("folder", program.folder().join("partsight.toml")).unwrap();
    let outcome = program.run(&["config"]);
    assert_eq!(outcome.only_sentence(), "partsight: the settings file `partsight.toml` is no file");
}

#[test]
fn settings_below_a_heading_are_refused_in_plain_words() {
    let program = Program::new();
    program.write("partsight.toml", "[server]\nlisten = \"127.0.0.1:9000\"\n");
    let outcome = program.run(&["config"]);
    let sentence = outcome.only_sentence();
    assert!(sentence.contains("`server`") && sentence.contains("below no heading"), "{sentence}");
}

#[test]
fn a_setting_that_another_needs_is_said_to_be_empty() {
    let program = Program::new().with("PARTSIGHT_JUDGE_PROVIDER", "openai");
    let outcome = program.run(&["config"]);
    assert!(outcome.only_sentence().contains("the setting `judge_model` is empty"), "{outcome:?}");
}

#[test]
fn a_file_that_is_not_toml_is_named() {
    let program = Program::new();
    program.write("partsight.toml", "plan = \n");
    let outcome = program.run(&["config"]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.stderr.contains("partsight.toml"), "{}", outcome.stderr);
}

#[test]
fn a_settings_file_that_does_not_exist_is_named() {
    let outcome = Program::new().run(&["config", "--config", "other.toml"]);
    assert_eq!(outcome.only_sentence(), "partsight: the settings file `other.toml` does not exist");
}

#[test]
fn a_value_that_cannot_be_read_is_named_with_its_key() {
    let cases = [
        ("PARTSIGHT_LISTEN", "here", "listen"),
        ("PARTSIGHT_PLAN", "gold", "plan"),
        ("PARTSIGHT_MAX_BATCH", "many", "max_batch"),
        ("PARTSIGHT_LOG_FORMAT", "xml", "log_format"),
        ("PARTSIGHT_DEVICE", "gpu", "device"),
        ("PARTSIGHT_MODEL", "../up", "model"),
    ];
    for (name, value, key) in cases {
        let outcome = Program::new().with(name, value).run(&["config"]);
        let sentence = outcome.only_sentence();
        assert!(sentence.contains(&format!("`{key}`")), "{sentence}");
    }
}

#[test]
fn the_variable_of_an_invalid_value_is_named() {
    for (name, value, parts) in [
        (
            "PARTSIGHT_KEEP_PHOTOS",
            "all",
            ["`keep_photos` in the variable `PARTSIGHT_KEEP_PHOTOS` cannot be `all`", "`thumbnail`"],
        ),
        (
            "PARTSIGHT_JUDGE_TRUST",
            "0.2",
            ["is 0.2, but it must be 0.5 to 0.99 (the variable `PARTSIGHT_JUDGE_TRUST`)", ""],
        ),
        ("PARTSIGHT_DEVICE", "gpu", ["must be `auto`", "(the variable `PARTSIGHT_DEVICE`)"]),
    ] {
        let program = Program::new().with(name, value);
        program.write("partsight.toml", "keep_photos = \"full\"\njudge_trust = 0.8\n");
        let outcome = program.run(&["config"]);
        let sentence = outcome.only_sentence();
        assert!(parts.iter().all(|part| sentence.contains(part)), "{sentence}");
    }
}

#[test]
fn a_key_that_stands_twice_is_named_with_both_lines() {
    let program = Program::new();
    for again in ["session_days = 8", "\"session_days\" = 8"] {
        program.write("partsight.toml", format!("# ours\nsession_days = 7\nplan = \"pro\"\n\n{again}\n"));
        let outcome = program.run(&["config"]);
        assert_eq!(
            outcome.only_sentence(),
            "partsight: the key `session_days` stands twice in partsight.toml, in the lines 2 and 5: remove one of \
             them"
        );
    }
}

#[test]
fn a_log_filter_that_cannot_be_read_is_named() {
    let program = Program::new().with("PARTSIGHT_LOG", "a=b=c");
    for command in [&["scan", "x.png"][..], &["config"]] {
        let outcome = program.run(command);
        let sentence = outcome.only_sentence();
        assert!(sentence.contains("the setting `log` is `a=b=c`"), "{sentence}");
    }
}

#[test]
fn a_misspelt_variable_is_reported_and_left_out() {
    let outcome = Program::new().with("PARTSIGHT_PLNA", "pro").run(&["config"]);
    outcome.expect_code(0);
    assert!(outcome.stderr.contains("there is no setting `PARTSIGHT_PLNA`"), "{}", outcome.stderr);
    assert!(!outcome.stdout.contains("\nplan"), "{}", outcome.stdout);
}

#[cfg(unix)]
#[test]
fn variables_of_others_may_hold_what_is_no_text() {
    let no_text = OsStr::from_bytes(b"\xff");
    let program = Program::new();
    let outcome: Outcome = process::output(program.command(&["config"]).env("OTHER", no_text)).into();
    outcome.expect_code(0);
    let outcome: Outcome = process::output(program.command(&["config"]).env("PARTSIGHT_LOG", no_text)).into();
    assert_eq!(outcome.only_sentence(), "partsight: the variable `PARTSIGHT_LOG` is not UTF-8");
}

#[test]
fn an_empty_variable_is_as_good_as_none() {
    // As a compose file passes on what nobody has set.
    let program = Program::new().with("PARTSIGHT_PLAN", "").with("PARTSIGHT_PUBLIC_URL", "");
    let printed = program.run(&["config"]).expect_code(0).stdout.clone();
    assert!(!printed.contains("\nplan =") && !printed.contains("public_url"), "{printed}");
}

#[test]
fn a_folder_named_like_a_number_is_a_folder() {
    let outcome = Program::new().with("PARTSIGHT_DATA_DIR", "2024").run(&["config"]);
    assert!(outcome.expect_code(0).stdout.contains("data_dir = \"2024\""), "{}", outcome.stdout);
}

#[test]
fn the_openapi_document_is_printed_as_json() {
    let outcome = Program::new().run(&["openapi"]);
    let document: Value = serde_json::from_str(&outcome.expect_code(0).stdout).unwrap();
    assert!(document["openapi"].as_str().unwrap().starts_with("3."));
    assert!(document["paths"]["/api/identify"]["post"].is_object());
    assert_eq!(outcome.stderr, "");
}

#[test]
fn help_names_every_command() {
    let outcome = Program::new().run(&["--help"]);
    for command in ["serve", "scan", "models", "config", "openapi"] {
        assert!(outcome.expect_code(0).stdout.contains(command), "{}", outcome.stdout);
    }
}

#[test]
fn help_of_a_command_has_all_of_its_description() {
    for (command, part) in [
        (&["eval"][..], "An interrupted run continues where it stopped"),
        (&["bench"], "Use it on an otherwise idle machine"),
        (&["catalog"], "A running server uses changed parts from its next scan on"),
        (&["migrate"], "A PostgreSQL database is migrated only by this command"),
        (&["backup"], "It does not hold the settings"),
        (&["restore"], "Stop the server first"),
        (&["doctor"], "No outside service is contacted"),
        (&["mcp"], "A running server offers the same tools"),
        (&["admin", "user"], "Passwords are asked for, or read from the first line of standard input"),
        (&["admin", "key"], "only its SHA-256 is kept"),
        (&["vehicles", "import"], "A running server uses the new facts after a restart"),
    ] {
        let outcome = Program::new().run(&[command, &["--help"]].concat());
        // Lines are as wide as the terminal.
        let help = outcome.expect_code(0).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(part), "{command:?}: {help}");
    }
}

#[test]
fn no_command_and_an_unknown_one_exit_with_2() {
    for arguments in [&[][..], &["fly"], &["config", "--fast"]] {
        let outcome = Program::new().run(arguments);
        outcome.expect_code(2);
        assert_eq!(outcome.stdout, "");
    }
}

/// A program whose scans that are not sure would go to a judge elsewhere.
fn with_judge() -> Program {
    Program::new()
        .with("PARTSIGHT_JUDGE_PROVIDER", "openai")
        .with("PARTSIGHT_JUDGE_MODEL", "judge-1")
        .with("PARTSIGHT_JUDGE_API_KEY", "sk-geheim")
        .with("PARTSIGHT_JUDGE_INPUT_PRICE", "2.50")
        .with("PARTSIGHT_JUDGE_OUTPUT_PRICE", "10")
        .with("PARTSIGHT_JUDGE_REUSE_SIMILARITY", "0.97")
}

#[test]
fn the_key_of_the_judge_is_not_printed_and_its_prices_are_as_they_were_set() {
    let printed = with_judge().run(&["config"]).expect_code(0).stdout.clone();
    for line in [
        "judge_provider = \"openai\"",
        "judge_api_key = \"(hidden)\"",
        "judge_input_price = 2.5",
        "judge_output_price = 10.0",
        "judge_reuse_similarity = 0.97",
    ] {
        assert!(printed.contains(line), "{printed}");
    }
    assert!(!printed.contains("geheim"));
}

#[test]
fn keys_in_addresses_are_not_printed() {
    let program = Program::new();
    program.write(
        "partsight.toml",
        "qdrant_url = \"http://ann:geheim@db:6334\"\n\
         supplier_service_url = \"http://erp:8080/prices?key=geheim&n={number}\"\n",
    );
    for command in [&["config"][..], &["doctor"]] {
        let outcome = program.run(command);
        assert!(!format!("{}{}", outcome.stdout, outcome.stderr).contains("geheim"), "{}", outcome.stdout);
    }
    let printed = program.run(&["config"]).stdout.clone();
    assert!(printed.contains("qdrant_url = \"http://***@db:6334\"\n"), "{printed}");
    assert!(printed.contains("http://erp:8080/prices?key=***&n={number}"), "{printed}");
    // Also not where they are refused.
    program.write("partsight.toml", "otlp_endpoint = \"http://ann:geheim@collector.example\"\n");
    for command in ["config", "doctor", "serve"] {
        let outcome = program.run(&[command]);
        let all = format!("{}{}", outcome.stdout, outcome.stderr);
        assert!(
            all.contains("`otlp_endpoint` is http://***@collector.example") && !all.contains("geheim"),
            "{all}"
        );
    }
}

#[test]
fn proxies_may_be_a_list() {
    let program = Program::new();
    program.write("partsight.toml", "trusted_proxies = [\"10.0.0.0/8\", \"::1\"]\n");
    let printed = program.run(&["config"]).expect_code(0).stdout.clone();
    assert!(printed.contains("trusted_proxies = \"10.0.0.0/8, ::1/128\"\n"), "{printed}");
    program.write("partsight.toml", "trusted_proxies = [\"proxy.example\"]\n");
    let outcome = program.run(&["config"]);
    let sentence = outcome.only_sentence();
    assert!(
        sentence.contains("the setting `trusted_proxies` is proxy.example, but it must be"),
        "{sentence}"
    );
}

#[test]
fn zero_egress_starts_nothing_that_could_send_something_elsewhere() {
    for arguments in [&["serve", "--listen", "127.0.0.1:0"][..], &["config"]] {
        let outcome = with_judge().with("PARTSIGHT_ZERO_EGRESS", "true").run(arguments);
        let sentence = outcome.only_sentence();
        assert!(sentence.contains("the setting `zero_egress` is true beside `judge_provider`"), "{sentence}");
    }
    let mail = Program::new().with("PARTSIGHT_SMTP_URL", "smtps://mail.example.com");
    let outcome = mail.with("PARTSIGHT_ZERO_EGRESS", "true").run(&["serve"]);
    assert!(outcome.only_sentence().contains("beside `smtp_url`"), "{outcome:?}");
    Program::new().with("PARTSIGHT_ZERO_EGRESS", "true").run(&["config"]).expect_code(0);
}
