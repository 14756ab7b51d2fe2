//! What `partsight doctor` finds.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Barrier};
use std::thread;

use partsight_test_support::free_address;
#[cfg(unix)]
use partsight_test_support::ordinary_user::as_ordinary_user;
use serde_json::Value;
use sqlx::{AnyConnection, AssertSqlSafe, Connection};

use crate::postgres::PostgresDatabase;
use crate::serve::Server;
use crate::smtp_server::{Manners, SmtpServer};
use crate::{Outcome, Program};

/// Health and sentence of the findings of one check.
fn findings(outcome: &Outcome, check: &str) -> Vec<(String, String)> {
    let text = |finding: &Value, field: &str| finding[field].as_str().unwrap().to_owned();
    outcome
        .rows()
        .iter()
        .filter(|finding| finding["check"] == check)
        .map(|finding| (text(finding, "health"), text(finding, "found")))
        .collect()
}

#[track_caller]
fn expect(outcome: &Outcome, check: &str, health: &str, part: &str) {
    let found = findings(outcome, check);
    assert!(found.iter().any(|(is, text)| is == health && text.contains(part)), "{check}: {outcome:#?}");
}

/// A program that listens on a port that is free.
fn program() -> Program {
    Program::new().with("PARTSIGHT_LISTEN", free_address().to_string()).with("PARTSIGHT_DATA_DIR", "data")
}

#[test]
fn a_sound_machine_has_no_problem() {
    let program = program();
    program.run(&["migrate"]).expect_code(0);
    let outcome = program.run(&["doctor", "--format", "json"]);
    outcome.expect_code(0);
    expect(&outcome, "database", "ok", "its quick check finds nothing wrong");
    expect(&outcome, "model", "ok", "embedded");
    expect(&outcome, "onnxruntime", "ok", "SHA-256");
    expect(
        &outcome,
        "device",
        "ok",
        if cfg!(target_arch = "x86_64") { "CPU with Partsight int8 (AVX" } else { "CPU with ONNX Runtime" },
    );
    expect(&outcome, "reading", "ok", "pp-ocr");
    expect(&outcome, "port", "ok", "is free");
    expect(&outcome, "certificates", "ok", "certificates of authorities");
    expect(&outcome, "backup", "warning", "no backup is known");
    expect(&outcome, "mail", "warning", "no mail server is set");
    for check in ["processor", "memory", "open-files", "disk", "vehicles", "clock", "egress"] {
        assert_eq!(findings(&outcome, check).len(), 1, "{check}: {outcome:#?}");
    }
    program.run(&["backup", "copy"]).expect_code(0);
    let outcome = program.run(&["doctor"]);
    assert!(outcome.expect_code(0).stdout.contains("0 problems"), "{outcome:?}");
    assert!(!outcome.stdout.contains("no backup is known"), "{outcome:?}");
    assert!(outcome.stdout.contains("copy"), "{outcome:?}");
}

#[test]
fn reading_that_is_off_is_a_warning_only_where_nobody_switched_it_off() {
    for (name, value, health, part) in [
        ("PARTSIGHT_READ_TEXT", "false", "ok", "off, by `read_text`"),
        ("PARTSIGHT_READING_DIR", "nowhere", "warning", "nowhere"),
    ] {
        let outcome = program().with(name, value).run(&["doctor", "--format", "json"]);
        expect(&outcome, "reading", health, part);
    }
}

#[test]
fn nothing_is_made_where_nothing_is() {
    let program = program();
    let outcome = program.run(&["doctor", "--format", "json"]);
    expect(&outcome, "database", "ok", "there is none yet");
    assert!(!program.folder().join("data").exists());
}

#[test]
fn a_database_in_a_folder_that_is_not_there_is_a_problem() {
    let program = program().with("PARTSIGHT_DATABASE_URL", "sqlite:nowhere/parts.db");
    let outcome = program.run(&["doctor", "--format", "json"]);
    outcome.expect_code(1);
    expect(&outcome, "database", "problem", "there is no such folder");
    fs::create_dir(program.folder().join("nowhere")).unwrap();
    expect(&program.run(&["doctor", "--format", "json"]), "database", "ok", "there is none yet");
}

#[test]
#[cfg(unix)]
fn the_folder_of_a_database_elsewhere_is_examined_as_well() {
    use std::os::unix::fs::PermissionsExt;
    let program = program().with("PARTSIGHT_DATABASE_URL", "sqlite:elsewhere/parts.db");
    let set_mode = |name: &str, mode| {
        fs::set_permissions(program.folder().join(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    for folder in ["data", "elsewhere"] {
        fs::create_dir(program.folder().join(folder)).unwrap();
        set_mode(folder, 0o700);
    }
    program.run(&["migrate"]).expect_code(0);
    set_mode("elsewhere/parts.db", 0o644);
    let outcome = program.run(&["doctor", "--format", "json"]);
    let of_disks = findings(&outcome, "disk");
    assert_eq!(of_disks.len(), 2, "{of_disks:?}");
    assert!(of_disks[1].1.contains("elsewhere"), "{of_disks:?}");
    expect(&outcome, "rights", "warning", "can be read by others (644)");
    // The data folder is closed, which protects nothing elsewhere.
    set_mode("elsewhere", 0o777);
    let outcome = program.run(&["doctor", "--format", "json"]);
    expect(&outcome, "rights", "problem", "can be read by others (644)");
    expect(&outcome, "rights", "problem", "(777)");
}

#[test]
#[cfg(unix)]
fn files_that_others_can_read_are_a_problem() {
    use std::os::unix::fs::PermissionsExt;
    let program = program();
    program.run(&["migrate"]).expect_code(0);
    for (name, mode) in [("data", 0o755), ("data/partsight.db", 0o644)] {
        fs::set_permissions(program.folder().join(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    let outcome = program.run(&["doctor", "--format", "json"]);
    outcome.expect_code(1);
    expect(&outcome, "rights", "problem", "can be read by other users (755)");
    expect(&outcome, "rights", "problem", "can be read by others (644)");
}

#[test]
fn a_damaged_database_is_a_problem_with_what_to_do() {
    let program = program();
    program.write("data/partsight.db", "a list of what to buy, and not a database\n".repeat(100));
    let outcome = program.run(&["doctor", "--format", "json"]);
    outcome.expect_code(1);
    expect(&outcome, "database", "problem", "not a database");
    assert!(outcome.stdout.contains("restore --replace"), "{outcome:?}");
}

#[test]
fn a_file_in_place_of_a_folder_and_the_reverse_are_named() {
    for (name, part) in
        [("data", "`data` is a file"), ("data/partsight.db/x", "`data/partsight.db` is a folder")]
    {
        let program = program();
        program.write(name, "");
        let outcome = program.run(&["doctor", "--format", "json"]);
        outcome.expect_code(1);
        expect(&outcome, "database", "problem", part);
        for advice in ["chmod 600", "vehicles import"] {
            assert!(!outcome.stdout.contains(advice), "{outcome:?}");
        }
    }
}

#[tokio::test]
async fn a_database_that_others_hold_is_no_reason_to_restore_a_backup() {
    let program = program();
    program.run(&["migrate"]).expect_code(0);
    sqlx::any::install_default_drivers();
    let url = format!("sqlite://{}", program.folder().join("data/partsight.db").display());
    let mut other = AnyConnection::connect(&url).await.unwrap();
    sqlx::raw_sql("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE")
        .execute(&mut other)
        .await
        .unwrap();
    let outcome = program.run(&["doctor", "--format", "json"]);
    outcome.expect_code(1);
    expect(&outcome, "database", "problem", "locked");
    assert!(!outcome.stdout.contains("restore"), "{outcome:?}");
}

#[test]
#[cfg(unix)]
fn a_folder_that_is_read_only_is_no_reason_to_restore_a_backup() {
    use std::os::unix::fs::PermissionsExt;
    let program = program();
    program.run(&["migrate"]).expect_code(0);
    let data = program.folder().join("data");
    let set = |mode| fs::set_permissions(&data, fs::Permissions::from_mode(mode)).unwrap();
    as_ordinary_user(|| {
        set(0o500);
        let outcome = program.run(&["doctor", "--format", "json"]);
        let served = program.run(&["serve"]);
        set(0o700);
        outcome.expect_code(1);
        expect(&outcome, "database", "problem", "takes no files of this user");
        assert!(outcome.stdout.contains("chmod u+rwx 'data'"), "{outcome:?}");
        assert!(!outcome.stdout.contains("restore"), "{outcome:?}");
        assert!(served.expect_code(1).stderr.contains("must be allowed to write both"), "{served:?}");
    });
}

#[test]
#[cfg(unix)]
fn a_lock_of_another_user_is_a_problem() {
    use std::os::unix::fs::chown;
    /// A user that no machine has.
    const SERVER: u32 = 61_234;
    let program = program();
    program.run(&["migrate"]).expect_code(0);
    program.write("data/partsight.db.server", "");
    let data = program.folder().join("data");
    let given = [&data, &data.join("partsight.db")].map(|path| chown(path, Some(SERVER), Some(SERVER)));
    if given.iter().any(Result::is_err) {
        eprintln!("skipped: only root can give files away");
        return;
    }
    let outcome = program.run(&["doctor", "--format", "json"]);
    outcome.expect_code(1);
    expect(&outcome, "rights", "problem", "partsight.db.server` belongs to another user");
}

#[test]
fn facts_about_vehicles_that_would_keep_a_server_from_starting_are_a_problem() {
    let program = program();
    program.write("data/vehicles.bin", "junk");
    let outcome = program.run(&["doctor", "--format", "json"]);
    outcome.expect_code(1);
    expect(&outcome, "vehicles", "problem", "vehicles.bin");
}

#[tokio::test]
async fn a_running_server_is_told_from_another_program() {
    let program = Program::new();
    let server = Server::start(&program);
    let address = server.base().trim_start_matches("http://").to_owned();
    let beside = Program::new().with("PARTSIGHT_LISTEN", &address);
    let outcome = beside.run(&["doctor", "--format", "json"]);
    expect(&outcome, "port", "ok", "a server of version");
    assert_eq!(server.terminate().0, Some(0));

    let other = TcpListener::bind(&address).unwrap();
    std::thread::spawn(move || other.accept().map(drop));
    let outcome = beside.run(&["doctor", "--format", "json"]);
    outcome.expect_code(1);
    expect(&outcome, "port", "problem", "is taken by another program");
}

#[test]
fn wrong_settings_are_a_finding_and_unknown_variables_a_warning() {
    let program = program().with("PARTSIGHT_PLNA", "pro");
    let outcome = program.run(&["doctor", "--format", "json"]);
    expect(&outcome, "settings", "warning", "there is no setting `PARTSIGHT_PLNA`");
    program.write("partsight.toml", "plna = \"pro\"\n");
    let outcome = program.run(&["doctor", "--format", "json"]);
    outcome.expect_code(1);
    expect(&outcome, "settings", "problem", "plna");
}

#[test]
fn a_folder_of_batches_that_is_not_there_is_a_problem() {
    let program = program().with("PARTSIGHT_BATCH_DIR", "camera");
    let outcome = program.run(&["doctor", "--format", "json"]);
    outcome.expect_code(1);
    expect(&outcome, "batch-dir", "problem", "`camera` cannot be read");
    std::fs::create_dir(program.folder().join("camera")).unwrap();
    expect(&program.run(&["doctor", "--format", "json"]), "batch-dir", "ok", "can be read");
}

#[test]
fn settings_that_name_what_cannot_be_used_are_problems() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = other.local_addr().unwrap().to_string();
    // Ends every connection, so that whoever asks is answered nothing.
    std::thread::spawn(move || other.incoming().for_each(drop));
    let program = program()
        .with("PARTSIGHT_MAIL_DIR", "mails")
        .with("PARTSIGHT_METRICS_LISTEN", &taken)
        .with("PARTSIGHT_MODEL_DIR", "nowhere");
    program.write("mails", "no folder");
    let outcome = program.run(&["doctor", "--format", "json"]);
    outcome.expect_code(1);
    expect(&outcome, "mail", "problem", "mails cannot be written into `mails`: `mails` is not a folder");
    expect(&outcome, "metrics-port", "problem", "is taken by another program");
    expect(&outcome, "model", "problem", "nowhere");
    assert!(outcome.stdout.contains("`model_dir`"), "{outcome:?}");
}

#[test]
fn a_log_filter_that_is_none_is_a_finding() {
    let program = program().with("PARTSIGHT_LOG", "a=b=c");
    let outcome = program.run(&["doctor", "--format", "json"]);
    outcome.expect_code(1);
    expect(&outcome, "settings", "problem", "the setting `log` is `a=b=c`");
}

#[test]
fn secrets_are_not_printed_and_nobody_is_asked_unless_told() {
    // Takes connections and never says anything: whoever asked would wait.
    let address = free_address();
    let silent = TcpListener::bind(address).unwrap();
    let program = program()
        .with("PARTSIGHT_SMTP_URL", format!("smtp://ann:geheim@{address}"))
        .with("PARTSIGHT_JUDGE_PROVIDER", "openai-compatible")
        .with("PARTSIGHT_JUDGE_BASE_URL", format!("http://{address}/v1?key=geheim"))
        .with("PARTSIGHT_JUDGE_MODEL", "m")
        .with("PARTSIGHT_JUDGE_API_KEY", "geheim")
        .with("PARTSIGHT_JUDGE_INPUT_PRICE", "0")
        .with("PARTSIGHT_JUDGE_OUTPUT_PRICE", "0")
        .with("PARTSIGHT_OTLP_ENDPOINT", format!("http://{address}"))
        .with("PARTSIGHT_DATABASE_URL", "postgres://ann:geheim@127.0.0.1:1/x?sslmode=disable");
    let unasked = program.run(&["doctor", "--format", "json"]);
    expect(&unasked, "judge", "ok", "is set, not asked");
    expect(&unasked, "mail", "ok", "is set, not asked");
    expect(&unasked, "traces", "ok", "is set, not asked");
    assert!(!format!("{unasked:?}").contains("geheim"), "{unasked:?}");

    drop(silent);
    let asked = program.run(&["doctor", "--format", "json", "--online"]);
    asked.expect_code(1);
    for check in ["judge", "mail", "database", "traces"] {
        expect(&asked, check, "problem", "");
    }
    let rows = asked.rows();
    let advice = |check: &str| rows.iter().find(|row| row["check"] == check).unwrap()["advice"].to_string();
    assert!(advice("judge").contains("`judge_base_url`") && advice("traces").contains("`otlp_endpoint`"));
    assert!(!format!("{asked:?}").contains("geheim"), "{asked:?}");
}

#[test]
fn services_are_asked_at_the_same_time() {
    const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    // Each answers once the others are asked as well; until then it would be waited for in vain.
    let all_are_asked = Arc::new(Barrier::new(3));
    let answering = |greeting: &'static [u8], answer: &'static [u8]| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let all_are_asked = Arc::clone(&all_are_asked);
        thread::spawn(move || {
            let (mut connection, _) = listener.accept().unwrap();
            all_are_asked.wait();
            connection.write_all(greeting).unwrap();
            let mut asked = [0; 4096];
            while connection.read(&mut asked).is_ok_and(|n_bytes| n_bytes > 0) {
                if connection.write_all(answer).is_err() {
                    break;
                }
            }
        });
        address
    };
    let (mail, recalls) = (answering(b"220 mail\r\n", b"250 mail\r\n"), answering(b"", OK));
    let program = program()
        .with("PARTSIGHT_SMTP_URL", format!("smtp://{mail}"))
        .with("PARTSIGHT_RECALLS_URL", format!("http://{recalls}"))
        .with("PARTSIGHT_OTLP_ENDPOINT", format!("http://{}", answering(b"", OK)));
    program.run(&["migrate"]).expect_code(0);
    let outcome = program.run(&["doctor", "--format", "json", "--online"]);
    let rows = outcome.rows();
    let text = |row: &Value, field: &str| row[field].as_str().unwrap().to_owned();
    let mut found: Vec<_> = rows.iter().map(|row| (text(row, "check"), text(row, "health"))).collect();
    found.retain(|(check, _)| ["mail", "recalls", "traces"].contains(&check.as_str()));
    let expected = ["mail", "recalls", "traces"].map(|check| (check.to_owned(), "ok".to_owned()));
    assert_eq!(found, expected, "{outcome:?}");
}

#[tokio::test]
async fn the_connections_that_postgres_allows_are_compared_with_those_of_a_server() {
    let Some(database) = PostgresDatabase::create().await else { return };
    let program = program().with("PARTSIGHT_DATABASE_URL", &database.url);
    program.run(&["migrate"]).expect_code(0);
    let outcome = program.run(&["doctor", "--format", "json"]);
    expect(&outcome, "connections", "ok", "with up to 16 connections each");
}

#[tokio::test]
async fn a_server_with_other_settings_is_told_from_one_with_the_same() {
    let Some(database) = PostgresDatabase::create().await else { return };
    let program = program().with("PARTSIGHT_DATABASE_URL", &database.url);
    program.run(&["migrate"]).expect_code(0);
    let server = Server::start(&program);
    let outcome = program.run(&["doctor", "--format", "json"]);
    expect(&outcome, "servers", "ok", "no server that runs");
    expect(&outcome, "clocks", "ok", "is that of this machine");
    let other = program.with("PARTSIGHT_PLAN", "pro").with("PARTSIGHT_JUDGE_TRUST", "0.8");
    let outcome = other.run(&["doctor", "--format", "json"]);
    expect(&outcome, "servers", "warning", "has other settings: Server, Judge");
    let (code, log) = Server::start(&other).terminate();
    assert!(code == Some(0) && log.contains("has other settings in these groups"), "{log}");
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/partsight-50/model.toml");
    let changed = std::fs::read_to_string(shipped).unwrap().replacen("version = \"", "version = \"1", 1);
    other.write("changed/model.toml", &changed);
    let other = other.with("PARTSIGHT_MODEL_DIR", "changed");
    let outcome = other.run(&["doctor", "--format", "json"]);
    expect(&outcome, "servers", "warning", "has another model");
    // A server that ended is no server that differs.
    assert_eq!(server.terminate().0, Some(0));
    expect(&other.run(&["doctor", "--format", "json"]), "servers", "ok", "no server that runs");
}

#[tokio::test]
async fn postgres_without_free_connections_is_not_called_unreachable() {
    let Some(database) = PostgresDatabase::create().await else { return };
    let of = |url: &str| program().with("PARTSIGHT_DATABASE_URL", url);
    of(&database.url).run(&["migrate"]).expect_code(0);
    // The limit of a role, which refuses as `max_connections` does.
    let mut owner = AnyConnection::connect(&database.url).await.unwrap();
    let role = format!("crowded_{}", std::process::id());
    let sql = format!("CREATE ROLE {role} LOGIN CONNECTION LIMIT 0");
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut owner).await.unwrap();
    let url = database.url.replacen("//partsight@", &format!("//{role}@"), 1);
    let outcome = of(&url).run(&["doctor", "--format", "json"]);
    outcome.expect_code(1);
    expect(&outcome, "database", "problem", "has no free connections");
    let rows = outcome.rows();
    let database = rows.iter().find(|row| row["check"] == "database").unwrap();
    assert!(database["advice"].as_str().unwrap().starts_with("raise `max_connections`"), "{database}");
}

#[test]
fn a_mail_that_no_server_can_send_is_a_problem() {
    let outcome = program().run(&["doctor", "--format", "json", "--mail", "ann@example.com"]);
    outcome.expect_code(1);
    expect(&outcome, "mail", "problem", "no mail was sent");
}

#[tokio::test]
async fn a_mail_is_sent_when_asked_for() {
    let mail_server = SmtpServer::start(Manners::default()).await;
    let program = program()
        .with("PARTSIGHT_SMTP_URL", mail_server.url())
        .with("PARTSIGHT_SUPPORT_EMAIL", "help@parts.example");
    let (folder, outcome) = tokio::task::spawn_blocking(move || {
        let outcome = program.run(&["doctor", "--format", "json", "--mail", "ann@example.com"]);
        (program, outcome)
    })
    .await
    .unwrap();
    expect(&outcome, "mail", "ok", "took a mail");
    drop(folder);
}

#[tokio::test]
async fn a_server_starts_on_a_machine_without_certificates_of_authorities() {
    let program = program().with("SSL_CERT_FILE", "/dev/null").with("SSL_CERT_DIR", "nowhere");
    let (program, outcome) = tokio::task::spawn_blocking(move || {
        let outcome = program.run(&["doctor", "--format", "json"]);
        (program, outcome)
    })
    .await
    .unwrap();
    outcome.expect_code(0);
    expect(&outcome, "certificates", "warning", "no service outside can be called");
    let server = Server::start(&program);
    assert_eq!(server.get("/health").await.0, 200);
    server.sign_up().await;
}
