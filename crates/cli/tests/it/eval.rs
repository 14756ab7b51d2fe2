//! `partsight eval`: figures, bad input and resuming.

mod comparing;
mod reports;

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::{Outcome, Program, repository};

/// A folder with one drawing of a known part, one under a wrong label, and a meadow.
fn program() -> Program {
    let program = Program::new();
    program.add_golden("set/rim/rim.png", "rim");
    program.add_golden("set/spark-plug/deep/rotor.png", "brake-rotor");
    program.add_golden("set/not-a-part/meadow.png", "meadow");
    program
}

fn eval(program: &Program, arguments: &[&str]) -> Outcome {
    program.run(&[&["eval"], arguments].concat())
}

fn json(program: &Program, arguments: &[&str], code: i32) -> Value {
    let outcome = eval(program, &[arguments, &["--format", "json"]].concat());
    outcome.expect_code(code);
    serde_json::from_str(&outcome.stdout).unwrap()
}

#[test]
fn the_figures_count_known_labels_and_rejection_apart() {
    let summary = json(&program(), &["set"], 0);
    assert_eq!((&summary["n"], &summary["nRejection"]), (&2.into(), &1.into()), "{summary:#}");
    assert_eq!(summary["top1"], 0.5);
    assert_eq!(summary["macroTop1"], 0.5);
    assert_eq!(summary["rejectAuroc"], 1.0);
    assert_eq!((&summary["errors"], &summary["duplicates"]), (&0.into(), &0.into()));
    for figure in ["top3", "top5", "ece", "p50Ms", "p95Ms", "p99Ms"] {
        assert!(summary[figure].is_number(), "{figure}: {summary:#}");
    }
}

#[test]
fn a_refuted_promise_fails_only_where_promises_are_checked() {
    let program = Program::new();
    program.add_golden("set/rim/rim.png", "rim");
    program.add_golden("set/not-a-part/meadow.png", "meadow");
    // What the manifest promises of other parts is not about any of them.
    let summary = json(&program, &["set", "--check-promises"], 0);
    let of: Vec<&Value> = summary["promises"].as_array().unwrap().iter().map(|check| &check["of"]).collect();
    assert_eq!(of, ["identifiedWrong", "notAPartIdentified"], "{summary:#}");

    // The model is sure of the rims, which are called something that it does not know.
    for index in 0..3 {
        program.add_golden(&format!("set/hub/{index}.png"), "rim");
    }
    let text = eval(&program, &["set"]);
    let sentence = "Promise, identified among other unknown labels: at most 10.2% promised, found 3 of 3 (100.0%): \
                    refuted (p = 0.0010).";
    assert!(text.expect_code(0).stdout.contains(sentence), "{text:?}");
    let check = &json(&program, &["set", "--check-promises"], 3)["promises"][2];
    assert_eq!((&check["found"]["count"], &check["verdict"]), (&3.into(), &"refuted".into()), "{check:#}");
    eval(&program, &["set", "--check-promises", "--compare", "embedded", "embedded"]).expect_code(2);
}

#[test]
fn a_list_gives_the_same_as_its_folders() {
    let program = program();
    program.write(
        "lists/photos.csv",
        "label,path\nrim,../set/rim/rim.png\nspark-plug,../set/spark-plug/deep/rotor.png\n\
         not-a-part,../set/not-a-part/meadow.png\n",
    );
    let (folders, list) = (json(&program, &["set"], 0), json(&program, &["lists/photos.csv"], 0));
    for figure in ["n", "nRejection", "top1", "top5", "macroTop1", "ece", "rejectAuroc"] {
        assert_eq!(folders[figure], list[figure], "{figure}");
    }
}

#[test]
fn a_label_map_renames_and_leaves_out() {
    let program = program();
    program.write("map.toml", "spark-plug = \"brake-rotor\"\nnot-a-part = \"\"\n");
    let summary = json(&program, &["set", "--label-map", "map.toml"], 0);
    assert_eq!((&summary["top1"], &summary["nRejection"]), (&1.0.into(), &0.into()));
    assert_eq!(summary["rejectAuroc"], Value::Null, "there is nothing to reject");
}

#[test]
fn one_class_alone_is_measured() {
    let program = Program::new();
    program.add_golden("set/rim/rim.png", "rim");
    fs::create_dir_all(program.folder().join("set/piston")).unwrap();
    let outcome = eval(&program, &["set"]);
    outcome.expect_code(0);
    assert!(outcome.stdout.contains("100.0%"), "{}", outcome.stdout);
    assert!(outcome.stderr.contains("a folder without photographs: `piston`"), "{}", outcome.stderr);
}

#[test]
fn labels_that_are_all_unknown_leave_only_rejection() {
    let program = Program::new();
    program.add_golden("set/Brake Rotor/a.png", "brake-rotor");
    program.add_golden("set/banana/b.png", "meadow");
    let outcome = eval(&program, &["set", "--format", "json", "--report", "report"]);
    let summary: Value = serde_json::from_str(&outcome.expect_code(0).stdout).unwrap();
    assert_eq!((&summary["n"], &summary["nRejection"]), (&0.into(), &2.into()));
    for figure in ["top1", "top3", "top5", "macroTop1", "ece", "rejectAuroc"] {
        assert_eq!(summary[figure], Value::Null, "{figure}");
    }
    for part in ["is `Brake Rotor` the same as `brake-rotor`?", "only rejection is measured"] {
        assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
    }
    assert!(program.folder().join("report/index.html").is_file());
}

#[test]
fn unreadable_files_are_named_and_the_rest_is_measured() {
    let program = program();
    program.write("set/rim/broken.jpg", "no picture");
    program.write("list.csv", "path,label\nset/rim/rim.png,rim\ngone.png,rim\n");
    let outcome = eval(&program, &["set", "--format", "json", "--report", "report"]);
    let summary: Value = serde_json::from_str(&outcome.expect_code(1).stdout).unwrap();
    assert_eq!((&summary["n"], &summary["errors"]), (&2.into(), &1.into()));
    assert!(outcome.stderr.contains("`set/rim/broken.jpg`: this is not a photo"), "{}", outcome.stderr);
    let photos = fs::read_to_string(program.folder().join("report/photos.csv")).unwrap();
    assert!(photos.contains("rim/broken.jpg") && photos.lines().count() == 5, "{photos}");

    let outcome = eval(&program, &["list.csv"]);
    outcome.expect_code(1);
    let expected = "`gone.png`: line 3 of the list names it, and there is no such photo";
    assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
}

#[test]
fn what_cannot_be_measured_is_one_sentence() {
    let program = program();
    fs::create_dir_all(program.folder().join("empty/rim")).unwrap();
    program.write("quoted.csv", "path,label\na.png,rim,left over\n");
    program.write("columns.csv", "file,label\na.png,rim\n");
    program.write("blank.csv", "path,label\na.png,\n");
    program.write("twice.csv", "path,label\na.png,rim\na.png,piston\n");
    program.write("none.csv", "path,label\n");
    program.write("wrong.csv", "from,to\nspark-plug,sparkplug\n");
    program.write("model/labels.txt", "rim\n");
    let cases: [(&[&str], &str); 14] = [
        (&["missing"], "there is no folder or CSV file `missing`"),
        (&["empty"], "there are no photographs in `empty`"),
        (&["quoted.csv"], "`quoted.csv`, line 2: there are 3 fields and the header has 2"),
        (&["columns.csv"], "`columns.csv`, line 1: there is no column `path`, only `file`, `label`"),
        (&["blank.csv"], "`blank.csv`, line 2: the column `label` is empty"),
        (&["twice.csv"], "`twice.csv`, line 3: this photograph is on line 2 already"),
        (&["none.csv"], "`none.csv` names no photographs"),
        (&["set", "--label-map", "wrong.csv"], "the nearest labels are `spark-plug`"),
        (&["set", "--label-map", "set"], "must end in `.csv` or `.toml`"),
        (&["set", "--references", "missing"], "there is no folder `missing` of reference photographs"),
        (&["set", "--report", "none.csv"], "cannot write the report"),
        (&["--compare", "embedded", "model"], "no photographs were named"),
        (
            &["set", "--compare", "1", "2", "3", "4", "5", "6", "7", "8", "9"],
            "--compare takes at most 8 models, and here are 9",
        ),
        (
            &["set", "--compare", "embedded", "model"],
            "the model `model`: the model cannot be started: cannot read the model file `model/model.toml`",
        ),
    ];
    for (arguments, expected) in cases {
        let outcome = eval(&program, arguments);
        let sentence = outcome.only_sentence();
        assert!(sentence.contains(expected), "{arguments:?}: {sentence}");
    }
}

#[test]
fn options_out_of_bounds_exit_with_2() {
    let cases: [&[&str]; 14] = [
        &["--compare", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"],
        &["--compare", "1", "2", "--compare", "3", "4"],
        &["--max-drop", "1"],
        &["--baseline", "r.json", "--max-drop", "101"],
        &["--baseline", "r.json", "--compare", "embedded", "embedded"],
        &["--tolerance", "0.1"],
        &["--llm-accuracy", "1.5"],
        &["--llm-price", "NaN"],
        &["--jobs", "0"],
        &["--compare", "embedded"],
        &["--fresh", "--resume"],
        &["--format", "xml"],
        // What would have no effect.
        &["--drift-from", "r.json", "--labels", "l.csv"],
        &["--verify", "r.json", "--wrong-labels", "w.csv"],
    ];
    for arguments in cases {
        eval(&Program::new(), &[&["x"], arguments].concat()).expect_code(2);
    }
}

/// The journal of the only run of a program.
fn journal(program: &Program) -> PathBuf {
    let folder = program.folder().join("cache/partsight/eval");
    let mut files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let file = files.next().unwrap();
    assert!(files.next().is_none(), "one journal");
    file
}

#[test]
fn an_interrupted_run_goes_on_where_it_stopped() {
    let program = program();
    json(&program, &["set"], 0);
    let path = journal(&program);
    // As a kill leaves it: two answers, the third torn, and no mark of the end.
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 5, "{text}");
    fs::write(&path, format!("{}\n{}\n{}\n{}", lines[0], lines[1], lines[2], &lines[3][..40])).unwrap();

    let outcome = eval(&program, &["set", "--format", "json"]);
    let summary: Value = serde_json::from_str(&outcome.expect_code(0).stdout).unwrap();
    assert_eq!((&summary["takenOver"], &summary["n"]), (&2.into(), &2.into()));
    assert!(outcome.stderr.contains("2 of 3 photographs were measured before"), "{}", outcome.stderr);
    // It came to its end: the next one begins anew unless told otherwise.
    assert_eq!(json(&program, &["set"], 0)["takenOver"], 0);
    assert_eq!(json(&program, &["set", "--resume"], 0)["takenOver"], 3);
    assert_eq!(json(&program, &["set", "--resume", "--llm-price", "3"], 0)["takenOver"], 3);
}

#[test]
fn answers_that_cannot_be_kept_are_a_warning_unless_they_are_wanted_again() {
    let program = program();
    // A file in place of the folder, which also root cannot write into.
    program.write("cache/partsight/eval", "no folder");
    let outcome = eval(&program, &["set", "--compare", "embedded", "embedded"]);
    let warning = "cannot keep the results in";
    assert_eq!(outcome.expect_code(0).stderr.matches(warning).count(), 1, "{outcome:?}");
    assert!(outcome.stderr.contains("an interrupted run will have to begin again"), "{outcome:?}");
    let outcome = eval(&program, &["set", "--resume"]);
    assert!(outcome.only_sentence().contains(warning), "{outcome:?}");
}

#[test]
fn a_changed_photograph_and_another_limit_are_measured_again() {
    let program = program();
    json(&program, &["set"], 0);
    program.add_golden("set/rim/rim.png", "coil-spring");
    let summary = json(&program, &["set", "--resume"], 0);
    assert_eq!((&summary["takenOver"], &summary["top1"]), (&2.into(), &0.0.into()));
    assert_eq!(json(&program, &["set", "--fresh"], 0)["takenOver"], 0);
    let limited = program.with("PARTSIGHT_MAX_PHOTO_PIXELS", "50000000");
    assert_eq!(json(&limited, &["set", "--resume"], 0)["takenOver"], 0);
}

#[test]
fn copies_are_found_among_the_photographs_and_in_the_references() {
    let program = program();
    program.add_golden("set/rim/copy.png", "rim");
    program.add_golden("references/somewhere/rotor.png", "brake-rotor");
    let arguments = ["set", "--references", "references", "--report", "report"];
    let summary = json(&program, &arguments, 0);
    // One copy of the rim, one look of the rotor at its reference.
    assert_eq!(summary["duplicates"], 2, "{summary:#}");
    assert_eq!(summary["withoutDuplicates"]["n"], 1);
    let photos = fs::read_to_string(program.folder().join("report/photos.csv")).unwrap();
    let copy = photos.lines().find(|line| line.starts_with("rim/rim.png")).unwrap();
    assert!(copy.contains("rim/copy.png,0,true"), "{copy}");
    let rotor = photos.lines().find(|line| line.contains("rotor.png")).unwrap();
    assert!(rotor.contains("references/somewhere/rotor.png,0"), "{rotor}");
}

/// A program that uses a copy of the shipped model, and the copy's folder.
fn program_with_own_model() -> (Program, PathBuf) {
    let program = program();
    let model = program.folder().join("model");
    fs::create_dir(&model).unwrap();
    for file in ["model.toml", "model.onnx", "labels.txt", "prototypes.safetensors"] {
        fs::copy(repository().join("models/partsight-50").join(file), model.join(file)).unwrap();
    }
    (program.with("PARTSIGHT_MODEL_DIR", &model), model)
}

#[test]
fn training_photographs_are_recognised() {
    let (program, model) = program_with_own_model();
    json(&program, &["set", "--report", "report"], 0);
    let photos = fs::read_to_string(program.folder().join("report/photos.csv")).unwrap();
    let fingerprint = |line: &str| hex::decode(line.split(',').rev().nth(1).unwrap()).unwrap();
    let rim = photos.lines().find(|line| line.contains("rim.png")).unwrap();
    fs::write(model.join("fingerprints.bin"), fingerprint(rim)).unwrap();
    assert_eq!(json(&program, &["set"], 0)["inTraining"], 1);
    fs::write(model.join("fingerprints.bin"), [0; 31]).unwrap();
    let outcome = eval(&program, &["set"]);
    let sentence = outcome.only_sentence();
    assert!(sentence.contains("has 31 bytes, which is no multiple of 30"), "{sentence}");
}

#[test]
fn the_coverage_of_candidate_sets_is_measured_where_the_model_promises_one() {
    let (program, model) = program_with_own_model();
    let mut manifest: toml::Table = fs::read_to_string(model.join("model.toml")).unwrap().parse().unwrap();
    let mut sets = manifest.remove("sets").unwrap();
    fs::write(model.join("model.toml"), manifest.to_string()).unwrap();
    assert_eq!(json(&program, &["set"], 0).get("sets"), None, "the model promises nothing");

    // Nothing is identified, and no set holds more than the best guess.
    manifest["thresholds"]["identified_confidence"] = 1.0.into();
    sets["probability"] = 1.0.into();
    manifest.insert("sets".to_owned(), sets);
    fs::write(model.join("model.toml"), manifest.to_string()).unwrap();
    let summary = json(&program, &["set", "--report", "report"], 0);
    let sets = &summary["sets"];
    assert_eq!((&sets["promised"], &sets["overall"]["meanSize"]), (&0.9.into(), &1.0.into()), "{sets}");
    assert_eq!(sets["overall"]["coverage"], summary["top1"], "a set is the best guess");
    let page = fs::read_to_string(program.folder().join("report/index.html")).unwrap();
    assert!(page.contains("Coverage of candidate sets"), "no section");
}

#[cfg(unix)]
#[test]
fn links_to_folders_make_one_set_of_several() {
    let program = Program::new();
    program.add_golden("a/rim.png", "rim");
    fs::create_dir(program.folder().join("set")).unwrap();
    std::os::unix::fs::symlink("../a", program.folder().join("set/rim")).unwrap();
    assert_eq!(json(&program, &["set"], 0)["n"], 1);
}
