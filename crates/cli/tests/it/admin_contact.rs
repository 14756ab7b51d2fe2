//! `partsight admin contact`: messages to support, without a mail server.

use sqlx::{AnyConnection, AssertSqlSafe, Connection};

use crate::Program;
use crate::admin::with_database;

/// Adds a message and one that was taken for spam.
async fn write_messages(program: &Program) {
    sqlx::any::install_default_drivers();
    let url = format!("sqlite://{}", program.folder().join("data/partsight.db").display());
    let mut connection = AnyConnection::connect(&url).await.unwrap();
    sqlx::raw_sql(
        "INSERT INTO contact_message (message_id, name, email, subject, message, trapped_by, created_at)
         VALUES ('0190a0a0-0000-7000-8000-00000000000a', 'Ann Lee', 'ann@example.com', 'Scans', 'How do I scan?',
                 NULL, 1800000000000),
                ('0190a0a0-0000-7000-8000-00000000000b', 'Bot', 'bot@example.com', NULL, 'Buy', 'links',
                 1800000001000)",
    )
    .execute(&mut connection)
    .await
    .unwrap();
    connection.close().await.unwrap();
}

/// Adds somebody with this plan and a message of theirs.
async fn write_message_of(program: &Program, n: u8, plan: &str) {
    let url = format!("sqlite://{}", program.folder().join("data/partsight.db").display());
    let mut connection = AnyConnection::connect(&url).await.unwrap();
    let id = format!("0190a0a0-0000-7000-8000-0000000000{n:02}");
    let rows = format!(
        "INSERT INTO tenant (tenant_id, created_at) VALUES ('{id}', 1);
         INSERT INTO app_user (user_id, tenant_id, email, first_name, last_name, plan, created_at)
         VALUES ('{id}', '{id}', '{plan}{n}@example.com', '', '', '{plan}', 1);
         INSERT INTO contact_message (message_id, user_id, name, email, message, created_at)
         VALUES ('{id}', '{id}', 'Ann', '{plan}{n}@example.com', 'Help', {n})"
    );
    sqlx::raw_sql(AssertSqlSafe(rows)).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

#[test]
fn messages_of_those_who_have_bought_quicker_support_come_first() {
    let program = with_database();
    let list = ["admin", "--data-dir", "data", "contact", "list", "--format", "json"];
    assert_eq!(program.run(&list).expect_code(0).stdout, "[]\n");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        write_messages(&program).await;
        for (n, plan) in [(11, "pro"), (12, "business"), (13, "basic"), (14, "pro")] {
            write_message_of(&program, n, plan).await;
        }
    });
    let rows = program.run(&list).expect_code(0).rows();
    let order: Vec<_> = rows.iter().map(|row| (row["email"].clone(), row["plan"].clone())).collect();
    assert_eq!(
        serde_json::json!(order),
        serde_json::json!([
            ["business12@example.com", "business"],
            ["pro14@example.com", "pro"],
            ["pro11@example.com", "pro"],
            ["ann@example.com", null],
            ["basic13@example.com", "basic"],
        ])
    );
}

#[test]
fn messages_to_support_are_listed_and_shown() {
    let program = with_database();
    let admin = |arguments: &[&str]| {
        program.run(&[&["admin", "--data-dir", "data", "contact"][..], arguments].concat())
    };
    assert_eq!(admin(&["list", "--format", "json"]).expect_code(0).stdout, "[]\n");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(write_messages(&program));
    let shown = admin(&["list"]);
    let text = &shown.expect_code(0).stdout;
    assert!(text.contains("ann@example.com") && !text.contains("bot@example.com"), "{text}");
    let rows = admin(&["list", "--all", "--format", "json"]).expect_code(0).rows();
    assert_eq!((rows.len(), &rows[0]["trappedBy"]), (2, &serde_json::json!("links")));
    let shown = admin(&["show", "0190a0a0-0000-7000-8000-00000000000a"]);
    assert!(shown.expect_code(0).stdout.contains("How do I scan?"), "{shown:?}");
    for unknown in ["0190a0a0-0000-7000-8000-00000000000f", "x"] {
        let outcome = admin(&["show", unknown]);
        assert!(outcome.only_sentence().contains("there is no message"), "{outcome:?}");
    }
}
