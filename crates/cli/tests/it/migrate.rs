use crate::Program;
use crate::postgres::PostgresDatabase;

#[test]
fn a_file_in_the_data_folder_is_made_and_migrated() {
    let program = Program::new();
    let outcome = program.run(&["migrate", "--data-dir", "data"]);
    let line = outcome.expect_code(0).stdout.clone();
    assert!(line.starts_with("The database `data/partsight.db` is at migration "), "{line}");
    assert!(program.folder().join("data/partsight.db").is_file());
    // Twice is the same as once.
    assert_eq!(program.run(&["migrate", "--data-dir", "data"]).expect_code(0).stdout, line);
}

#[tokio::test]
async fn serve_refuses_a_postgres_database_until_it_is_migrated() {
    let Some(database) = PostgresDatabase::create().await else { return };
    let program = Program::new().with("PARTSIGHT_DATABASE_URL", &database.url);
    let refused = program.run(&["serve", "--listen", "127.0.0.1:0"]);
    let stderr = refused.expect_code(1).stderr.clone();
    assert!(stderr.contains("partsight migrate"), "{stderr}");
    let line = program.run(&["migrate"]).expect_code(0).stdout.clone();
    assert!(line.contains("is at migration "), "{line}");
    // Accounts are found in the same database.
    program.run(&["admin", "user", "list"]).expect_code(0);
}

#[test]
fn a_database_that_cannot_be_reached_is_said_without_its_password() {
    let program = Program::new()
        .with("PARTSIGHT_DATABASE_URL", "postgres://ann:geheim@127.0.0.1:1/parts?sslmode=disable");
    let stderr = program.run(&["migrate"]).expect_code(1).stderr.clone();
    assert!(stderr.contains("postgres://ann:***@127.0.0.1:1/parts"), "{stderr}");
    let printed = program.run(&["config"]).expect_code(0).stdout.clone();
    assert!(printed.contains("ann:***@"), "{printed}");
    assert!(!stderr.contains("geheim") && !printed.contains("geheim"));
}
