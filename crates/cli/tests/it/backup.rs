//! Backups of a running server, and servers made out of them.

use std::borrow::Cow;
use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::process::Stdio;

use reqwest::StatusCode;
use serde_json::Value;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AnyConnection, AssertSqlSafe, Connection, SqlSafeStr};

use crate::postgres::PostgresDatabase;
use crate::serve::Server;
use crate::{Program, repository};

/// A program whose database is a file, or a PostgreSQL database that was migrated.
async fn program(postgres: bool) -> Option<(Program, Option<PostgresDatabase>)> {
    let program = Program::new().with("PARTSIGHT_DATA_DIR", "data").with("PARTSIGHT_KEEP_PHOTOS", "full");
    // With room for all the vehicles that somebody adds for as long as a backup runs.
    let program = program.with("PARTSIGHT_PLAN", "business");
    if !postgres {
        return Some((program, None));
    }
    let database = PostgresDatabase::create().await?;
    let program = program.with("PARTSIGHT_DATABASE_URL", &database.url);
    Some((program, Some(database)))
}

/// What somebody sees of an account, without what changes with every sign-in.
async fn account(server: &Server) -> Vec<Value> {
    let mut seen = Vec::new();
    for path in ["/api/auth/user", "/api/vehicles", "/api/scans", "/api/catalog/types", "/api/learning"] {
        let (status, answer) = server.get(path).await;
        assert_eq!(status, StatusCode::OK, "{path}: {answer}");
        seen.push(answer);
    }
    seen
}

async fn photograph(server: &Server, scan: &str) -> Vec<u8> {
    let path = format!("/api/scans/{scan}/photo");
    let answer = server.bytes(&path).await;
    assert_eq!(answer.0, StatusCode::OK, "{path}");
    answer.1
}

async fn sql(url: &str, sql: &str) {
    sqlx::any::install_default_drivers();
    let mut connection = AnyConnection::connect(url).await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

fn sqlite_url(program: &Program) -> String {
    format!("sqlite://{}", program.folder().join("data/partsight.db").display())
}

/// Makes a data folder with so many rows that copying them takes a while, without a server.
async fn with_many_rows() -> Program {
    let (program, _) = program(false).await.unwrap();
    program.run(&["migrate"]).expect_code(0);
    let rows = "INSERT INTO tenant (tenant_id, created_at) \
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120000) \
                SELECT 'tenant ' || i, i FROM n";
    sql(&sqlite_url(&program), rows).await;
    program
}

/// A server with an account, vehicles, scans and photographs is backed up while somebody goes on writing, and restored
/// into each kind of database.
async fn a_running_server_is_backed_up_and_restored(from_postgres: bool) {
    let Some((program, _database)) = program(from_postgres).await else { return };
    program.run(&["migrate"]).expect_code(0);
    program.write("data/models/mine/model.toml", "not looked at");
    let server = Server::start(&program);
    server.sign_up().await;
    server.add_vehicle("Civic").await;
    let scan = server.identify("rim").await["id"].as_str().unwrap().to_owned();
    server.identify("coil-spring").await;
    let before = account(&server).await;
    let picture = photograph(&server, &scan).await;

    let mut backing_up = program.command(&["backup", "copy.backup"]).stdout(Stdio::null()).spawn().unwrap();
    let mut n_written = 0;
    let ended = loop {
        server.add_vehicle(&format!("Jazz {n_written}")).await;
        n_written += 1;
        if let Some(ended) = backing_up.try_wait().unwrap() {
            break ended;
        }
    };
    assert!(ended.success() && n_written > 0);
    let verified = program.run(&["backup", "--verify", "copy.backup"]);
    assert!(verified.expect_code(0).stdout.contains("1 account,"), "{verified:?}");
    assert_eq!(server.terminate().0, Some(0));

    for to_postgres in [false, true] {
        let Some((other, _database)) = self::program(to_postgres).await else { continue };
        let copy = program.folder().join("copy.backup");
        let copy = copy.to_str().unwrap();
        other.run(&["restore", copy]).expect_code(0);
        assert_eq!(fs::read(other.folder().join("data/models/mine/model.toml")).unwrap(), b"not looked at");
        let server = Server::start(&other);
        server.sign_in().await;
        let mut after = account(&server).await;
        // What was written meanwhile may be there or not; what was acknowledged before is.
        after[1].as_array_mut().unwrap().retain(|vehicle| vehicle["model"] == "Civic");
        assert_eq!(after, before);
        assert_eq!(photograph(&server, &scan).await, picture);
        server.add_vehicle("Accord").await;
        assert_eq!(server.terminate().0, Some(0));
        // A second time there is something to lose.
        let refused = other.run(&["restore", copy]);
        assert!(refused.only_sentence().contains("--replace"), "{refused:?}");
    }
}

#[tokio::test]
async fn an_sqlite_server_is_backed_up_and_restored() {
    a_running_server_is_backed_up_and_restored(false).await;
}

#[tokio::test]
async fn a_postgres_server_is_backed_up_and_restored() {
    a_running_server_is_backed_up_and_restored(true).await;
}

#[tokio::test]
async fn a_folder_keeps_the_newest_backups_for_their_owner_alone() {
    let (program, _) = program(false).await.unwrap();
    program.run(&["migrate"]).expect_code(0);
    program.write("kept/partsight-20200101T000000Z.backup", "an old one");
    program.write("kept/partsight-20200102T000000Z.backup", "a later one");
    program.write("kept/notes.txt", "mine");
    let outcome = program.run(&["backup", "kept", "--keep", "2"]);
    assert!(outcome.expect_code(0).stdout.contains("Deleted `kept/partsight-20200101T000000Z.backup`"));
    let mut names: Vec<String> = fs::read_dir(program.folder().join("kept"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!((names.len(), names[0].as_str()), (3, "notes.txt"), "{names:?}");
    assert_eq!(names[1], "partsight-20200102T000000Z.backup");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let made = program.folder().join("kept").join(&names[2]);
        let note = program.folder().join("data/last-backup.json");
        for path in [made, note] {
            assert_eq!(
                fs::metadata(&path).unwrap().permissions().mode() & 0o777,
                0o600,
                "{}",
                path.display()
            );
        }
    }
    let nowhere = program.run(&["backup", "nowhere.backup", "--keep", "2"]);
    assert!(nowhere.only_sentence().contains("--keep needs a folder"), "{nowhere:?}");
}

#[tokio::test]
async fn what_a_killed_backup_left_is_removed_before_anything_is_written() {
    let (program, _) = program(false).await.unwrap();
    let left = program.write("kept/.partsight-20200101T000000Z.backup.part", "half of a backup");
    program.write("data/partsight.db", "no database, so that the backup fails");
    program.run(&["backup", "kept"]).only_sentence();
    assert!(!left.exists());
}

#[tokio::test]
async fn a_file_is_replaced_only_when_told() {
    let (program, _) = program(false).await.unwrap();
    let missing = program.run(&["backup", "copy"]);
    assert!(missing.only_sentence().contains("there is no database `data/partsight.db`"), "{missing:?}");
    assert!(!program.folder().join("data").exists());
    program.run(&["migrate"]).expect_code(0);
    program.run(&["backup", "copy"]).expect_code(0);
    let refused = program.run(&["backup", "copy"]);
    assert!(refused.only_sentence().contains("exists already"), "{refused:?}");
    program.run(&["backup", "copy", "--force"]).expect_code(0);
}

#[tokio::test]
async fn a_damaged_backup_is_refused_before_anything_is_written() {
    let (program, _) = program(false).await.unwrap();
    program.run(&["migrate"]).expect_code(0);
    sql(&sqlite_url(&program), "INSERT INTO tenant (tenant_id, created_at) VALUES ('a tenant of ours', 77)")
        .await;
    program.run(&["backup", "copy"]).expect_code(0);
    let whole = fs::read(program.folder().join("copy")).unwrap();
    let place = whole.windows(16).position(|window| window == b"a tenant of ours").unwrap();
    let mut changed = whole.clone();
    changed[place] = b'A';
    let cases = [
        ("changed", changed, "is damaged in line"),
        ("cut", whole[..whole.len() - 200].to_vec(), "is damaged in line"),
        (
            "cut-before-the-last-line",
            whole[..=whole[..whole.len() - 1].iter().rposition(|b| *b == b'\n').unwrap()].to_vec(),
            "the file ends too early",
        ),
        ("longer", [&whole[..], b"{}\n"].concat(), "lines follow the last one"),
        ("other", b"a list of what to buy\n".to_vec(), "is no backup of partsight"),
        ("empty", Vec::new(), "is no backup of partsight"),
    ];
    let (other, _) = self::program(false).await.unwrap();
    for (name, bytes, expected) in cases {
        let path = other.write(name, bytes);
        for command in [&["backup", "--verify"][..], &["restore"]] {
            let outcome = other.run(&[command, &[path.to_str().unwrap()]].concat());
            assert!(outcome.only_sentence().contains(expected), "{name}: {outcome:?}");
        }
        assert!(!other.folder().join("data").exists(), "{name}");
    }
}

#[tokio::test]
async fn a_backup_of_a_newer_version_is_refused_and_one_of_an_older_version_is_migrated() {
    let (program, _) = program(false).await.unwrap();
    program.run(&["migrate"]).expect_code(0);
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                 VALUES (9999, 'of the future', TRUE, x'00', 0)";
    sql(&sqlite_url(&program), newer).await;
    let refused = program.run(&["backup", "newer"]);
    let sentence = refused.only_sentence();
    assert!(sentence.contains("/data/partsight.db` has migration 9999"), "{sentence}");
    assert!(!sentence.contains("sqlite:"), "{sentence}");

    fs::remove_dir_all(program.folder().join("data")).unwrap();
    fs::create_dir(program.folder().join("data")).unwrap();
    make_older_database(&program).await;
    program.run(&["backup", "older"]).expect_code(0);
    let (other, _) = self::program(false).await.unwrap();
    let path = program.folder().join("older");
    let outcome = other.run(&["restore", path.to_str().unwrap()]);
    outcome.expect_code(0);
    let migrated = other.run(&["migrate"]).expect_code(0).stdout.clone();
    let version = migrated.trim_end().trim_end_matches('.').rsplit(' ').next().unwrap().to_owned();
    assert!(outcome.stdout.contains(&format!("at migration {version}.")), "{outcome:?}");
    sql(&sqlite_url(&other), "SELECT write_probe_id FROM write_probe").await;

    let text = fs::read_to_string(&path).unwrap();
    let newer: Vec<i64> = (1..=999).collect();
    for (name, migrations, expected) in [
        ("newer", newer, "which is newer than this one"),
        ("development", vec![1, 2, 3, 20, 41, 69], "made by a development version of partsight"),
    ] {
        let of_older = "\"migrations\":[1,2,3,4,5,6,7,8,9]";
        assert!(text.contains(of_older));
        let migrations = serde_json::to_string(&migrations).unwrap();
        let text = text.replacen(of_older, &format!("\"migrations\":{migrations}"), 1);
        let path = other.write(name, text);
        let outcome = other.run(&["restore", path.to_str().unwrap(), "--replace", "--yes"]);
        assert!(outcome.only_sentence().contains(expected), "{name}: {outcome:?}");
    }
}

/// A database as it was before the migration that made the table `write_probe`.
async fn make_older_database(program: &Program) {
    let mut files: Vec<_> = fs::read_dir(repository().join("migrations"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_str().unwrap() < "0010")
        .collect();
    files.sort_unstable();
    let migrations = files
        .iter()
        .map(|path| {
            let version = path.file_name().unwrap().to_str().unwrap()[..4].parse().unwrap();
            let text = AssertSqlSafe(fs::read_to_string(path).unwrap()).into_sql_str();
            Migration::new(version, Cow::Borrowed("old"), MigrationType::Simple, text, false)
        })
        .collect();
    sqlx::any::install_default_drivers();
    let url = format!("{}?mode=rwc", sqlite_url(program));
    let mut connection = AnyConnection::connect(&url).await.unwrap();
    Migrator::with_migrations(migrations).run(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

#[tokio::test]
async fn a_killed_backup_leaves_no_file_of_its_name() {
    let program = with_many_rows().await;
    fs::create_dir(program.folder().join("kept")).unwrap();
    let mut child = program.command(&["backup", "kept"]).stdout(Stdio::null()).spawn().unwrap();
    let part = loop {
        let found = fs::read_dir(program.folder().join("kept")).unwrap().next();
        if let Some(entry) = found.filter(|entry| entry.as_ref().unwrap().metadata().unwrap().len() > 0) {
            break entry.unwrap().file_name().into_string().unwrap();
        }
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
        std::thread::yield_now();
    };
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(part.starts_with('.') && Path::new(&part).extension().is_some_and(|of| of == "part"), "{part}");
    // The next one clears up, and is whole.
    program.run(&["backup", "kept", "--keep", "1"]).expect_code(0);
    let names: Vec<_> = fs::read_dir(program.folder().join("kept")).unwrap().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    program.run(&["backup", "--verify", names[0].as_ref().unwrap().path().to_str().unwrap()]).expect_code(0);
}

/// Kills a restore as soon as it has written something.
fn kill_restore(program: &Program, arguments: &[&str]) {
    let part = program.folder().join("data/partsight.db.restoring");
    let mut child = program.command(arguments).stdout(Stdio::null()).spawn().unwrap();
    while fs::metadata(&part).map_or(0, |found| found.len()) == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(part.exists());
}

#[tokio::test]
async fn a_killed_restore_is_refused_by_serve_and_replaced_by_the_next() {
    let program = with_many_rows().await;
    program.run(&["backup", "copy"]).expect_code(0);
    let copy = program.folder().join("copy");
    let copy = copy.to_str().unwrap();

    let (other, _) = self::program(false).await.unwrap();
    kill_restore(&other, &["restore", copy]);
    let refused = other.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(
        refused.expect_code(1).stderr.contains("`partsight restore` did not come to its end"),
        "{refused:?}"
    );
    other.run(&["restore", copy]).expect_code(0);
    assert!(!other.folder().join("data/partsight.db.restoring").exists());
    other.run(&["admin", "user", "list"]).expect_code(0);

    // What was there before stays while the new one is made, and afterwards aside.
    sql(&sqlite_url(&other), "DELETE FROM tenant WHERE created_at > 5").await;
    kill_restore(&other, &["restore", copy, "--replace", "--yes"]);
    let n_rows = other.run(&["backup", "five"]).expect_code(0).stdout.clone();
    assert!(n_rows.contains(" 5 rows in "), "{n_rows}");
    let replaced = other.run(&["restore", copy, "--replace", "--yes"]);
    assert!(replaced.expect_code(0).stdout.contains("partsight.db.replaced-"), "{replaced:?}");
}

#[tokio::test]
async fn restores_after_each_other_keep_each_database_that_they_replaced() {
    let (program, _) = program(false).await.unwrap();
    program.run(&["migrate"]).expect_code(0);
    program.run(&["backup", "copy"]).expect_code(0);
    let n_restores = 4; // some of them within a second
    for _ in 0..n_restores {
        program.run(&["restore", "copy", "--replace", "--yes"]).expect_code(0);
    }
    let names = fs::read_dir(program.folder().join("data")).unwrap().map(|file| file.unwrap().file_name());
    let replaced = names.filter(|name| {
        let name = name.to_string_lossy();
        name.starts_with("partsight.db.replaced-") && !name.ends_with("-wal") && !name.ends_with("-shm")
    });
    assert_eq!(replaced.count(), n_restores);
}

#[tokio::test]
async fn one_restore_at_a_time() {
    let (program, _) = program(false).await.unwrap();
    program.run(&["migrate"]).expect_code(0);
    program.run(&["backup", "copy"]).expect_code(0);
    let (other, _) = self::program(false).await.unwrap();
    let data = other.folder().join("data");
    fs::create_dir_all(&data).unwrap();
    let lock = fs::File::open(&data).unwrap();
    lock.lock().unwrap();
    let copy = program.folder().join("copy");
    let arguments = ["restore", copy.to_str().unwrap()];
    let refused = other.run(&arguments);
    assert!(refused.only_sentence().contains("another restore into"), "{refused:?}");
    drop(lock);
    other.run(&arguments).expect_code(0);
}

#[tokio::test]
async fn a_database_in_use_is_not_replaced() {
    let (program, _) = program(false).await.unwrap();
    let server = Server::start(&program);
    server.sign_up().await;
    program.run(&["backup", "copy"]).expect_code(0);
    let refused = program.run(&["restore", "copy", "--replace", "--yes"]);
    assert!(refused.only_sentence().contains("please stop the server first"), "{refused:?}");
    server.sign_in().await;
}

#[tokio::test]
async fn a_damaged_database_is_moved_aside() {
    let (program, _) = program(false).await.unwrap();
    program.run(&["migrate"]).expect_code(0);
    program.run(&["backup", "copy"]).expect_code(0);
    overwrite_beginning(&program.folder().join("data/partsight.db"));
    let refused = program.run(&["restore", "copy"]);
    assert!(refused.only_sentence().contains("cannot be read"), "{refused:?}");
    // Nobody can type where there is no terminal.
    let unasked = program.run(&["restore", "copy", "--replace"]);
    assert!(unasked.only_sentence().contains("add --yes"), "{unasked:?}");
    program.run(&["restore", "copy", "--replace", "--yes"]).expect_code(0);
    program.run(&["admin", "user", "list"]).expect_code(0);
}

#[tokio::test]
async fn a_restore_that_fails_frees_what_it_wrote() {
    let (program, _) = program(false).await.unwrap();
    program.run(&["migrate"]).expect_code(0);
    program.write("data/models/mine/model.toml", "not looked at");
    let facts = program.write("data/vehicles.bin", "of the backup");
    program.run(&["backup", "copy"]).expect_code(0);
    program.write("data/vehicles.bin", "newer");
    let copy = program.folder().join("copy");
    let copy = copy.to_str().unwrap();

    // The file of a model, which comes after all rows, cannot be written.
    let in_the_way = |program: &Program| {
        fs::create_dir_all(program.folder().join("data/models/mine/model.toml.restoring")).unwrap();
    };
    in_the_way(&program);
    fs::remove_file(program.folder().join("data/models/mine/model.toml")).unwrap();
    let outcome = program.run(&["restore", copy, "--replace", "--yes"]);
    assert!(outcome.only_sentence().contains("model.toml.restoring"), "{outcome:?}");
    for left in ["", "-wal", "-shm", "-journal"] {
        let left = format!("data/partsight.db.restoring{left}");
        assert!(!program.folder().join(&left).exists(), "{left}");
    }
    program.run(&["admin", "user", "list"]).expect_code(0);
    // Nor was a file before it in the backup replaced.
    assert_eq!(fs::read_to_string(&facts).unwrap(), "newer");
    assert!(!program.folder().join("data/vehicles.bin.restoring").exists());

    // Where nothing was before, only a mark stays.
    let (other, _) = self::program(false).await.unwrap();
    in_the_way(&other);
    other.run(&["restore", copy]).only_sentence();
    let mark = other.folder().join("data/partsight.db.restoring");
    assert_eq!(fs::metadata(&mark).unwrap().len(), 0);
    let refused = other.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(
        refused.expect_code(1).stderr.contains("`partsight restore` did not come to its end"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_note_that_cannot_be_written_leaves_no_part_of_itself() {
    let (program, _) = program(false).await.unwrap();
    program.run(&["migrate"]).expect_code(0);
    let data = program.folder().join("data");
    fs::create_dir(data.join("last-backup.json")).unwrap();
    program.run(&["backup", "copy"]).expect_code(0);
    assert!(!data.join(".last-backup.json").exists());
}

#[tokio::test]
#[cfg(unix)]
async fn what_root_restores_belongs_to_the_owner_of_the_folder() {
    use std::os::unix::fs::{MetadataExt, chown};

    /// A user that no machine has.
    const SERVER: u32 = 61_234;
    let (program, _) = program(false).await.unwrap();
    program.run(&["migrate"]).expect_code(0);
    program.run(&["backup", "copy"]).expect_code(0);
    let data = program.folder().join("data");
    if chown(&data, Some(SERVER), Some(SERVER)).is_err() {
        eprintln!("skipped: only root can give files away, and only what root makes is given away");
        return;
    }
    // The file of before is root's as well: doctor says so.
    let outcome = program.run(&["doctor", "--format", "json"]);
    assert!(outcome.expect_code(1).stdout.contains("chown --reference"), "{outcome:?}");
    program.run(&["restore", "copy", "--replace", "--yes"]).expect_code(0);
    let database = fs::metadata(data.join("partsight.db")).unwrap();
    assert_eq!((database.uid(), database.gid(), database.mode() & 0o777), (SERVER, SERVER, 0o600));
    let outcome = program.run(&["doctor", "--format", "json"]);
    assert!(!outcome.stdout.contains("chown"), "{outcome:?}");
}

fn overwrite_beginning(path: &Path) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    file.write_all(&[b'x'; 512]).unwrap();
}
