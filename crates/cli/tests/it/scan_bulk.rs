//! Many photographs: into a file, in parts, and again after an interruption.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::hugging_face::bmp_of;
use crate::{Outcome, Program, golden};

/// A folder `photos` with these pictures.
fn program(names: &[(&str, &str)]) -> Program {
    let program = Program::new();
    for (name, golden) in names {
        program.add_golden(&format!("photos/{name}"), golden);
    }
    program
}

fn scan(program: &Program, arguments: &[&str]) -> Outcome {
    program.run(&[&["scan", "photos"], arguments].concat())
}

fn read(program: &Program, name: &str) -> String {
    fs::read_to_string(program.folder().join(name)).unwrap()
}

/// The paths in the first column of a CSV file.
fn csv_paths(text: &str) -> Vec<String> {
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    rows.records().map(|row| row.unwrap()[0].to_owned()).collect()
}

fn json_rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_ending_of_the_file_says_the_format_and_nothing_is_printed() {
    let program = program(&[("a.png", "rim"), ("b.png", "meadow")]);
    program.write("photos/broken.png", "broken");
    for (file, start) in [
        ("rows.jsonl", "{\"path\":"),
        ("rows.csv", "path,verdict,"),
        ("rows.json", "[\n{"),
        ("upper.CSV", "path,verdict,"),
        ("upper.JsonL", "{\"path\":"),
        ("rows", "Photograph"),
    ] {
        let outcome = scan(&program, &["--output", file]);
        outcome.expect_code(1);
        assert_eq!(outcome.stdout, "", "{file}");
        assert_eq!(outcome.stderr, format!("{file}: 3 photographs written, 1 could not be scanned\n"));
        assert!(read(&program, file).starts_with(start), "{file}");
    }
    let lines = json_rows(&read(&program, "rows.jsonl"));
    assert_eq!(lines.len(), 3);
    assert_eq!(csv_paths(&read(&program, "rows.csv")).len(), 3);
}

#[test]
fn a_file_that_is_there_is_not_written_over() {
    let program = program(&[("a.png", "rim")]);
    program.write("rows.csv", "mine");
    let outcome = scan(&program, &["--output", "rows.csv"]);
    outcome.expect_code(2);
    assert!(outcome.stderr.contains("rows.csv is there already"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("--resume"), "{}", outcome.stderr);
    assert_eq!(read(&program, "rows.csv"), "mine");
    // These cannot be gone on with, so nobody is sent to an option that refuses them.
    for file in ["rows.json", "rows.parquet", "rows"] {
        program.write(file, "mine");
        let outcome = scan(&program, &["--output", file]);
        assert!(outcome.misfit().contains("is there already"), "{outcome:?}");
        assert!(!outcome.stderr.contains("--resume"), "{outcome:?}");
        assert_eq!(read(&program, file), "mine");
    }
}

#[test]
fn a_run_that_fails_before_its_first_row_leaves_nothing_in_the_way_of_the_next() {
    let program = program(&[("a.png", "rim")]);
    for file in ["rows.csv", "rows.json", "rows.parquet"] {
        let misnamed = program.run(&["--model", "nowhere", "scan", "photos", "--output", file]);
        misnamed.only_sentence();
        scan(&program, &["--output", file]).expect_code(0);
    }
    assert_eq!(csv_paths(&read(&program, "rows.csv")).len(), 1);
}

#[test]
fn a_path_that_is_guarded_against_formulas_is_known_when_the_run_goes_on() {
    let program = program(&[("a;=1.png", "rim")]);
    scan(&program, &["--output", "rows.csv"]).expect_code(0);
    assert!(csv_paths(&read(&program, "rows.csv"))[0].ends_with("a;'=1.png"));
    let outcome = scan(&program, &["--output", "rows.csv", "--resume"]);
    outcome.expect_code(0);
    assert!(outcome.stderr.contains("0 photographs written, 1 was in it before"), "{outcome:?}");
}

#[test]
fn a_file_that_another_run_writes_is_left_to_it() {
    let program = program(&[("a.png", "rim")]);
    let written = fs::File::create(program.folder().join("rows.jsonl")).unwrap();
    written.lock().unwrap();
    for arguments in [&["--output", "rows.jsonl"][..], &["--output", "rows.jsonl", "--resume"]] {
        let outcome = scan(&program, arguments);
        assert!(outcome.misfit().contains("is being written by another run"), "{outcome:?}");
    }
    drop(written);
    scan(&program, &["--output", "rows.jsonl", "--resume"]).expect_code(0);
    assert_eq!(json_rows(&read(&program, "rows.jsonl")).len(), 1);
}

#[test]
fn photographs_that_could_not_be_scanned_are_counted_where_rows_scroll_by() {
    let program = program(&[("a.png", "rim")]);
    program.write("photos/broken.png", "broken");
    let outcome = scan(&program, &["--format", "jsonl"]);
    let counted = "partsight: 1 of 2 photographs could not be scanned; their rows say why\n";
    assert_eq!(outcome.expect_code(1).stderr, counted);
    // One row alone says it by itself.
    assert_eq!(program.run(&["scan", "photos/broken.png"]).expect_code(1).stderr, "");
}

#[test]
fn an_interrupted_run_goes_on_wherever_it_stopped() {
    let names = [("a,1.png", "rim"), ("b.png", "meadow"), ("c.png", "rim"), ("d.png", "brake-rotor")];
    let program = program(&names);
    program.write("photos/broken.png", "broken");
    for file in ["rows.jsonl", "rows.csv"] {
        scan(&program, &["--output", file, "--top", "1", "--duplicates"]).expect_code(1);
        let whole = read(&program, file);
        let rows = |text: &str| {
            if file.ends_with("csv") {
                csv_paths(text)
            } else {
                json_rows(text).iter().map(|row| row["path"].as_str().unwrap().to_owned()).collect()
            }
        };
        let second = whole.match_indices('\n').nth(1).unwrap().0;
        // Before anything, before and after the end of a row, within the next, and at the end.
        for cut in [0, second, second + 1, second + 9, whole.len() - 1, whole.len()] {
            program.write(file, &whole[..cut]);
            let outcome =
                scan(&program, &["--output", file, "--top", "1", "--duplicates", "--resume", "--jobs", "2"]);
            outcome.expect_code(1);
            let resumed = read(&program, file);
            assert_eq!(rows(&resumed), rows(&whole), "{file} cut off at {cut}");
        }
        let again = scan(&program, &["--output", file, "--top", "1", "--duplicates", "--resume"]);
        // The code that the whole file deserves.
        again.expect_code(1);
        let counted = "0 photographs written, 5 were in it before, 1 could not be scanned (1 of them before";
        assert!(again.stderr.contains(counted), "{}", again.stderr);
        assert_eq!(read(&program, file), whole);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8_are_told_apart_from_all_others() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let program = program(&[("a.png", "rim")]);
    // The last has the four characters by which the byte of the other one is written.
    for name in [&b"photos/b\xfe.png"[..], b"photos/b\xff.png", br"photos/b\xff.png"] {
        fs::copy(golden("rim"), program.folder().join(OsStr::from_bytes(name))).unwrap();
    }
    let expected = ["photos/a.png", r"photos/b\x5cxff.png", r"photos/b\xfe.png", r"photos/b\xff.png"];
    for file in ["rows.jsonl", "rows.csv"] {
        let paths = || {
            let text = read(&program, file);
            if file.ends_with("csv") {
                csv_paths(&text)
            } else {
                json_rows(&text).iter().map(|row| row["path"].as_str().unwrap().to_owned()).collect()
            }
        };
        scan(&program, &["--output", file]).expect_code(0);
        assert_eq!(paths(), expected, "{file}");
        let whole = read(&program, file);
        let last_row = whole.trim_end().rfind('\n').unwrap() + 1;
        program.write(file, &whole[..last_row]);
        scan(&program, &["--output", file, "--resume"]).expect_code(0);
        assert_eq!(paths(), expected, "{file}");
    }
}

#[test]
fn a_copy_of_what_an_earlier_run_saw_is_named() {
    let program = program(&[("a.png", "rim"), ("b.png", "meadow")]);
    for file in ["rows.jsonl", "rows.csv"] {
        scan(&program, &["--output", file, "--duplicates"]).expect_code(0);
    }
    program.add_golden("photos/c.png", "rim");
    for file in ["rows.jsonl", "rows.csv"] {
        scan(&program, &["--output", file, "--duplicates", "--resume"]).expect_code(0);
    }
    let rows = json_rows(&read(&program, "rows.jsonl"));
    let copies: Vec<&Value> = rows.iter().map(|row| &row["duplicateOf"]).collect();
    assert_eq!(copies, [&Value::Null, &Value::Null, &Value::from("photos/a.png")]);
    assert!(read(&program, "rows.csv").trim_end().ends_with(",photos/a.png"));
}

#[test]
fn rows_that_are_not_of_such_a_run_are_refused_and_kept() {
    let program = program(&[("a.png", "rim")]);
    let cases = [
        ("rows.csv", "name,price\nx,1\n", "not the header"),
        ("rows.csv", "pi", "not the header"),
        ("rows.jsonl", "{\"customers\":[{\"id\":1}]}", "line 1 is no row"),
        ("rows.jsonl", "{\"name\":\"x\"}\n", "line 1 is no row"),
        ("rows.jsonl", "{\"path\":\"x\",\"sha256\":null}\n", "other options"),
    ];
    for (file, content, expected) in cases {
        program.write(file, content);
        let outcome = scan(&program, &["--output", file, "--resume"]);
        outcome.expect_code(2);
        assert!(outcome.stderr.contains(expected), "{file}: {}", outcome.stderr);
        assert_eq!(read(&program, file), content, "{file}");
    }
    let outcome = scan(&program, &["--output", "no-folder/rows.csv"]);
    assert!(outcome.misfit().contains("cannot open `no-folder/rows.csv`: "), "{outcome:?}");
    scan(&program, &["--resume"]).expect_code(2);
}

#[test]
fn a_row_that_somebody_edited_is_named_and_no_answer_is_lost() {
    let program = program(&[("a.png", "rim"), ("b.png", "meadow"), ("c.png", "rim")]);
    scan(&program, &["--output", "rows.csv"]).expect_code(0);
    let whole = read(&program, "rows.csv");
    let (header, rows) = whole.split_once('\n').unwrap();
    let edited = format!("{header}\n{}", rows.replacen(',', "", 1));
    program.write("rows.csv", &edited);
    let outcome = scan(&program, &["--output", "rows.csv", "--resume"]);
    outcome.expect_code(2);
    assert!(outcome.stderr.contains("line 2 has"), "{}", outcome.stderr);
    assert_eq!(read(&program, "rows.csv"), edited);

    // A header that was not written to its end is written anew.
    program.write("rows.csv", &header[..12]);
    scan(&program, &["--output", "rows.csv", "--resume"]).expect_code(0);
    assert_eq!(csv_paths(&read(&program, "rows.csv")), csv_paths(&whole));
}

#[test]
fn a_list_of_parts_is_not_gone_on_with_by_one_answer_each() {
    let program = program(&[("a.png", "rim")]);
    scan(&program, &["--output", "rows.jsonl"]).expect_code(0);
    let outcome = scan(&program, &["--output", "rows.jsonl", "--several", "--resume"]);
    outcome.expect_code(2);
    assert!(outcome.stderr.contains("other options"), "{}", outcome.stderr);
}

#[test]
fn another_shard_is_not_gone_on_with() {
    let program = program(&[("a.png", "rim"), ("b.png", "rim"), ("c.png", "rim"), ("d.png", "rim")]);
    scan(&program, &["--output", "rows.jsonl", "--shard", "1/2"]).expect_code(0);
    let other = scan(&program, &["--output", "rows.jsonl", "--resume", "--shard", "2/2"]);
    assert!(other.misfit().contains("(--shard: 1/2 before, 2/2 now)"), "{other:?}");
    let all = scan(&program, &["--output", "rows.jsonl", "--resume"]);
    assert!(all.misfit().contains("(--shard: 1/2 before, none now)"), "{all:?}");
    scan(&program, &["--output", "rows.jsonl", "--resume", "--shard", "1/2"]).expect_code(0);
}

#[test]
fn zeros_that_a_power_cut_left_are_removed() {
    let program = program(&[("a.png", "rim")]);
    scan(&program, &["--output", "rows.jsonl"]).expect_code(0);
    let whole = read(&program, "rows.jsonl");
    program.write("rows.jsonl", format!("{whole}{}", "\0".repeat(512)));
    scan(&program, &["--output", "rows.jsonl", "--resume"]).expect_code(0);
    assert_eq!(read(&program, "rows.jsonl"), whole);
}

#[test]
fn answers_of_other_options_do_not_come_below_those_of_the_first() {
    let program = program(&[("a.png", "rim")]);
    let civic = ["--vehicle", "2015 Honda Civic"];
    for file in ["rows.jsonl", "rows.csv"] {
        scan(&program, &[&["--output", file, "--top", "3"], &civic[..]].concat()).expect_code(0);
    }
    program.add_golden("photos/b.png", "meadow");
    for file in ["rows.jsonl", "rows.csv"] {
        let before = read(&program, file);
        let resume = |more: &[&str]| scan(&program, &[&["--output", file, "--resume"], more].concat());
        for (more, expected) in [
            (&["--top", "3"][..], "(--vehicle: 2015 Honda Civic before, none now): give the same ones"),
            (&civic, "(--top: 3 before, 5 now): give the same ones"),
            (
                &["--top", "3", "--vehicle", "2014 Honda Civic"],
                "2015 Honda Civic before, 2014 Honda Civic now",
            ),
        ] {
            let outcome = resume(more);
            assert!(outcome.misfit().contains(expected), "{outcome:?}");
            assert_eq!(read(&program, file), before, "{file}");
        }
        let same = [&["--top", "3"], &civic[..]].concat();
        // Another model, as the note tells it.
        let note = format!("{file}.options");
        let noted = read(&program, &note);
        assert!(noted.contains("\"--model\": \"partsight-50 "), "{noted}");
        program.write(&note, noted.replace("partsight-50", "another"));
        let outcome = resume(&same);
        assert!(outcome.misfit().contains("(--model: another "), "{outcome:?}");
        // What no run has noted, such as an earlier version, stops nobody.
        program.write(&note, "{}");
        resume(&same).expect_code(0);
        fs::remove_file(program.folder().join(&note)).unwrap();
        resume(&["--top", "1"]).expect_code(0);
        assert!(
            !program.folder().join(&note).exists(),
            "it would tell of the earlier rows what nobody knows"
        );
    }
    // An output that is begun anew is noted anew.
    fs::remove_file(program.folder().join("rows.csv")).unwrap();
    program.write("rows.csv.options", "{\"--top\": 9}");
    scan(&program, &["--output", "rows.csv"]).expect_code(0);
    scan(&program, &["--output", "rows.csv", "--resume"]).expect_code(0);
}

#[test]
fn a_long_thin_picture_stops_nobody() {
    let program = program(&[("a.png", "rim"), ("c.png", "rim")]);
    program.write("photos/b.bmp", bmp_of(24, 12_000, [200, 100, 50]));
    scan(&program, &["--output", "rows.csv", "--read"]).expect_code(0);
    assert_eq!(csv_paths(&read(&program, "rows.csv")).len(), 3);
}

#[test]
fn all_parts_together_hold_each_photograph_once_wherever_they_lie() {
    let names: Vec<String> = (0..12).map(|index| format!("{index}.png")).collect();
    let [one, other] = ["photos", "copy"].map(|folder| {
        let program = Program::new();
        for name in &names {
            program.add_golden(&format!("{folder}/{name}"), "meadow");
        }
        (program, folder)
    });
    let part = |(program, folder): &(Program, &str), shard: &str| -> BTreeSet<String> {
        let outcome = program.run(&["scan", folder, "--format", "json", "--shard", shard]);
        let rows = outcome.expect_code(0).rows();
        rows.iter().map(|row| row["path"].as_str().unwrap().replace(&format!("{folder}/"), "")).collect()
    };
    let parts: Vec<BTreeSet<String>> = ["1/3", "2/3", "3/3"].map(|shard| part(&one, shard)).into();
    assert_eq!(parts.iter().map(BTreeSet::len).sum::<usize>(), names.len());
    let all: BTreeSet<String> = parts.iter().flatten().cloned().collect();
    assert_eq!(all, names.into_iter().collect());
    assert_eq!(part(&other, "2/3"), parts[1]);
}
