//! `partsight eval`: figures, bad input, resuming, comparing, and the report's files.

use std::fmt::Write as _;
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
    let expected = "No such file or directory (os error 2) (line 3 of the list)";
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
    let cases: [&[&str]; 12] = [
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
    assert!(page.contains("Which few labels is it one of?"), "no section");
}

/// Puts a copy of the shipped model into `folder`, with two labels exchanged: it takes rims for spark plugs.
fn add_confused_model(program: &Program, folder: &str) {
    let model = program.folder().join(folder);
    fs::create_dir(&model).unwrap();
    for file in ["model.toml", "model.onnx", "labels.txt", "prototypes.safetensors"] {
        fs::copy(repository().join("models/partsight-50").join(file), model.join(file)).unwrap();
    }
    let labels = fs::read_to_string(model.join("labels.txt")).unwrap();
    let swapped: Vec<&str> = labels
        .lines()
        .map(|label| match label {
            "rim" => "spark-plug",
            "spark-plug" => "rim",
            other => other,
        })
        .collect();
    fs::write(model.join("labels.txt"), swapped.join("\n") + "\n").unwrap();
}

#[test]
fn two_models_are_compared_on_the_same_photographs() {
    let program = program();
    add_confused_model(&program, "other");
    let compared = json(&program, &["set", "--compare", "embedded", "other", "--report", "report"], 0);
    assert_eq!((&compared["a"]["top1"], &compared["b"]["top1"]), (&0.5.into(), &0.0.into()));
    assert_eq!(compared["paired"]["n"], 2);
    assert_eq!(compared["paired"]["outcomes"]["onlyFirst"], 1);
    assert_eq!(compared["paired"]["mcnemarP"], 1.0);
    let report = program.folder().join("report");
    for file in ["index.html", "report.json", "differences.csv", "a/index.html", "b/photos.csv"] {
        assert!(report.join(file).is_file(), "{file}");
    }
    let differences = fs::read_to_string(report.join("differences.csv")).unwrap();
    assert!(differences.starts_with("path,label,firstGuess,firstConfidence,firstRight,secondGuess,"));
    assert!(differences.contains("rim/rim.png,rim,rim,"), "{differences}");
    assert!(
        eval(&program, &["--compare", "embedded", "other", "set"])
            .expect_code(0)
            .stdout
            .contains("do not tell")
    );
}

#[test]
fn several_models_stand_in_one_table_each_against_the_first() {
    let program = program();
    add_confused_model(&program, "other");
    // It knows no rims: their photograph counts for its rejection.
    add_confused_model(&program, "third");
    let labels = program.folder().join("third/labels.txt");
    let renamed = fs::read_to_string(&labels).unwrap().replace("\nrim\n", "\nno-rim\n");
    fs::write(&labels, renamed).unwrap();
    let arguments = ["set", "--compare", "embedded", "other", "third", "--report", "report"];
    let compared = json(&program, &arguments, 0);
    let models = compared["models"].as_array().unwrap();
    let column = |name: &str| -> Vec<Value> { models.iter().map(|model| model[name].clone()).collect() };
    assert_eq!(column("key"), ["a", "b", "c"]);
    assert_eq!(column("n"), [2, 2, 1]);
    assert_eq!(column("nRejection"), [1, 1, 2]);
    assert_eq!(column("top1"), [0.5, 0.0, 0.0]);
    for interval in [
        "top1Interval",
        "top5Interval",
        "macroTop1Interval",
        "eceInterval",
        "coverageAt2PercentRiskInterval",
        "rejectAurocInterval",
        "p50MsInterval",
    ] {
        for (model, found) in column(interval).iter().enumerate() {
            assert_eq!(found.as_array().map(Vec::len), Some(2), "{interval} of {model}: {found}");
        }
    }
    let against: Vec<Value> = models.iter().map(|model| model["againstFirst"]["n"].clone()).collect();
    assert_eq!(against, [Value::Null, 2.into(), 1.into()]);
    assert_eq!(models[1]["againstFirst"]["falseDiscoveryRate"], 1.0);
    let report = program.folder().join("report");
    let page = fs::read_to_string(report.join("index.html")).unwrap();
    for part in ["c/index.html", " (C)", "adjusted p-value", "does not know counts for"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(report.join("c/report.json").is_file());
    let differences = fs::read_to_string(report.join("differences.csv")).unwrap();
    assert!(differences.lines().next().unwrap().ends_with("thirdGuess,thirdConfidence,thirdRight"));
    let table = eval(&program, &["set", "--compare", "embedded", "other", "third"]);
    let stdout = &table.expect_code(0).stdout;
    for part in ["answered with at most 2% wrong", "its p-value (McNemar)", "does not know counts for"] {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
}

#[test]
fn the_report_is_whole_loads_nothing_and_shows_names_as_they_are() {
    let program = program();
    program.add_golden("set/spark-plug/<script>alert('x')</script>&.png", "brake-rotor");
    let outcome = eval(&program, &["set", "--report", "out/report"]);
    outcome.expect_code(0);
    let report = program.folder().join("out/report");
    let mut files: Vec<_> = fs::read_dir(&report)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let expected = [
        "classes.csv",
        "confusion.csv",
        "curves.csv",
        "index.html",
        "photos.csv",
        "report.json",
        "wrong-labels.csv",
    ];
    assert_eq!(files, expected);

    let page = fs::read_to_string(report.join("index.html")).unwrap();
    assert!(
        !page.contains("<script") && page.contains("&lt;script&gt;alert(&#39;x&#39;)"),
        "names are escaped"
    );
    for address in ["http:", "https:", "src=\"/", "url("] {
        assert!(!page.contains(address), "the page names {address}");
    }
    assert!(page.contains("default-src 'none'"));
    assert!(page.matches("data:image/jpeg;base64,").count() >= 1, "a mistake has its picture");
    for figure in ["reliability", "risk", "rejection", "classes", "confusion", "timing", "cost"] {
        assert_eq!(page.matches(&format!("<title id=\"{figure}-title\">")).count(), 1, "{figure}");
    }
    let ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let unique: std::collections::BTreeSet<_> = ids.iter().collect();
    assert_eq!(ids.len(), unique.len(), "{ids:?}");
    for link in page.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(ids.contains(&link), "nothing has the id {link}");
    }

    let json: Value = serde_json::from_slice(&fs::read(report.join("report.json")).unwrap()).unwrap();
    assert_eq!(json["model"]["sha256"].as_str().map(str::len), Some(64));
    for list in ["classes", "confusion", "calibration", "riskCoverage", "rejection", "cost", "mistakes"] {
        assert!(!json[list].as_array().unwrap().is_empty(), "{list}");
    }
}

#[test]
fn mistakes_are_mapped_unless_told_otherwise() {
    let program = program();
    let mapped = |more: &[&str]| -> (Value, bool) {
        json(&program, &[&["set", "--report", "report"], more].concat(), 0);
        let report = program.folder().join("report");
        let figures: Value = serde_json::from_slice(&fs::read(report.join("report.json")).unwrap()).unwrap();
        let page = fs::read_to_string(report.join("index.html")).unwrap();
        (figures["mistakes"][0]["occlusion"].clone(), page.contains("Evidence: "))
    };
    let (occlusion, is_shown) = mapped(&[]);
    assert_eq!(occlusion["drops"].as_array().map(Vec::len), Some(7), "{occlusion}");
    assert!(is_shown);
    assert_eq!(mapped(&["--no-maps"]), (Value::Null, false));
    eval(&program, &["set", "--no-maps"]).expect_code(2);
}

#[test]
fn wrong_labels_are_listed_and_the_corrected_list_is_applied() {
    let program = program();
    let summary = json(&program, &["set", "--wrong-labels", "wrong.csv", "--report", "report"], 0);
    assert_eq!(summary["top1"], 0.5);
    let list = fs::read_to_string(program.folder().join("wrong.csv")).unwrap();
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(lines[0], "path,label,likely_label,label_probability,likely_probability,rank");
    assert!(lines[1].starts_with("spark-plug/deep/rotor.png,spark-plug,brake-rotor,0."), "{list}");
    assert_eq!(lines.len(), 2, "{list}");
    let page = fs::read_to_string(program.folder().join("report/index.html")).unwrap();
    assert!(page.contains("labelled <span class=\"took\">spark-plug</span>"), "{page}");

    program.write("corrected.csv", list.replacen(",spark-plug,", ",brake-rotor,", 1));
    let outcome = eval(&program, &["set", "--labels", "corrected.csv", "--format", "json"]);
    let summary: Value = serde_json::from_str(&outcome.expect_code(0).stdout).unwrap();
    assert_eq!((&summary["top1"], &summary["wrongLabels"]), (&1.0.into(), &0.into()));
    assert!(outcome.stderr.contains("changes the labels of 1 photograph and leaves out 0"), "{outcome:?}");
}

#[test]
fn columns_of_a_list_are_slices_of_the_report() {
    let program = Program::new();
    let mut list = "path,label,garage\n".to_owned();
    for index in 0..6 {
        program.add_golden(&format!("a/{index}.png"), "rim");
        program.add_golden(&format!("b/{index}.png"), "brake-rotor");
        let _ = write!(list, "a/{index}.png,rim,north\nb/{index}.png,spark-plug,south\n");
    }
    program.write("list.csv", list);
    json(&program, &["list.csv", "--report", "report"], 0);
    let report: Value =
        serde_json::from_slice(&fs::read(program.folder().join("report/report.json")).unwrap()).unwrap();
    let worst = &report["slices"][0];
    let is_of_column = |slice: &&Value| slice["dimension"] == "garage";
    let south = report["slices"].as_array().unwrap().iter().find(is_of_column).unwrap();
    assert_eq!((&south["value"], &south["right"]["count"]), (&"south".into(), &0.into()), "{worst:#}");
    assert!(south["falseDiscoveryRate"].as_f64().unwrap() < 0.05, "{south:#}");
    let page = fs::read_to_string(program.folder().join("report/index.html")).unwrap();
    assert!(page.contains("<title id=\"slices-bars-title\">") && page.contains("garage: south"), "{page}");
}

#[test]
fn a_baseline_holds_fails_or_cannot_tell() {
    let program = Program::new();
    for index in 0..60 {
        program.add_golden(&format!("set/rim/{index}.png"), "rim");
    }
    json(&program, &["set", "--report", "before"], 0);
    let arguments = ["set", "--baseline", "before/report.json"];
    // Nothing changed, but 60 copies rule out no drop of half a point; one of 20 points they do.
    let outcome = eval(&program, &arguments);
    assert!(outcome.expect_code(0).stdout.contains("so few photographs cannot tell"), "{outcome:?}");
    let outcome = eval(&program, &[&arguments[..], &["--max-drop", "20"]].concat());
    assert!(outcome.expect_code(0).stdout.contains("held: a drop of more than 20.0 points"), "{outcome:?}");

    // A model that calls rims something else.
    let model = program.folder().join("worse");
    fs::create_dir(&model).unwrap();
    for file in ["model.toml", "model.onnx", "labels.txt", "prototypes.safetensors"] {
        fs::copy(repository().join("models/partsight-50").join(file), model.join(file)).unwrap();
    }
    let labels = fs::read_to_string(model.join("labels.txt")).unwrap();
    let swap = |label| match label {
        "rim" => "spark-plug",
        "spark-plug" => "rim",
        other => other,
    };
    fs::write(model.join("labels.txt"), labels.lines().map(swap).collect::<Vec<_>>().join("\n") + "\n")
        .unwrap();
    let program = program.with("PARTSIGHT_MODEL_DIR", &model);
    let outcome = eval(&program, &[&arguments[..], &["--format", "json"]].concat());
    let summary: Value = serde_json::from_str(&outcome.expect_code(3).stdout).unwrap();
    let overall = &summary["gate"]["overall"];
    assert_eq!((&overall["verdict"], &overall["outcomes"]["onlyFirst"]), (&"failed".into(), &60.into()));

    program.write("list.json", "{}");
    let outcome = eval(&program, &["set", "--baseline", "list.json"]);
    assert!(
        outcome.only_sentence().contains("`list.json` is not the report.json of one model"),
        "{outcome:?}"
    );
}

#[test]
fn a_report_is_verified_by_running_it_again() {
    let program = program();
    program.write("map.toml", "spark-plug = \"brake-rotor\"\n");
    json(&program, &["set", "--label-map", "map.toml", "--report", "report"], 0);
    let text = fs::read_to_string(program.folder().join("report/report.json")).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    let typed = ["eval", "set", "--label-map", "map.toml", "--report", "report", "--format", "json"];
    assert_eq!(report["provenance"]["arguments"], serde_json::json!(typed));
    assert!(!text.contains(program.folder().to_str().unwrap()), "only what was typed");

    let outcome = eval(&program, &["--verify", "report/report.json"]);
    assert!(outcome.expect_code(0).stdout.ends_with("The report is reproduced.\n"), "{outcome:?}");

    program.add_golden("set/rim/rim.png", "coil-spring");
    let verified = json(&program, &["--verify", "report/report.json"], 3);
    assert_eq!(verified["reproduced"], false);
    let differing: Vec<&str> = verified["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|check| check["agrees"] == false)
        .map(|check| check["name"].as_str().unwrap())
        .collect();
    for name in ["photographs and labels (SHA-256)", "top1", "photographs with another best guess"] {
        assert!(differing.contains(&name), "{differing:?}");
    }
    assert!(!differing.contains(&"model (SHA-256)"), "{differing:?}");
}

#[test]
fn drift_is_measured_without_labels() {
    let program = Program::new();
    for index in 0..25 {
        program.add_golden(&format!("set/rim/{index}.png"), "rim");
        program.add_golden(&format!("shelf/{index}.png"), "rim");
        program.add_golden(&format!("garden/{index}.png"), "meadow");
    }
    json(&program, &["set", "--report", "report", "--embeddings"], 0);
    let distances = |folder: &str| -> Vec<f64> {
        let drift = json(&program, &[folder, "--drift-from", "report/report.json"], 0);
        assert_eq!((&drift["nBefore"], &drift["nNow"]), (&25.into(), &25.into()));
        let shifts = drift["shifts"].as_array().unwrap();
        shifts.iter().map(|shift| shift["test"]["distance"].as_f64().unwrap()).collect()
    };
    assert_eq!(distances("shelf"), [0.0, 0.0]);
    assert_eq!(distances("garden"), [1.0, 1.0]);
    eval(&program, &["--drift-from", "report/report.json"]).expect_code(2);

    let embedding = |folder: &str| {
        json(&program, &[folder, "--drift-from", "report/report.json"], 0)["embedding"].clone()
    };
    let (shelf, garden) = (embedding("shelf"), embedding("garden"));
    assert_eq!((&shelf["nBefore"], &shelf["nNow"]), (&25.into(), &25.into()), "{shelf:#}");
    assert!(shelf["pValue"].as_f64().unwrap() > 0.05, "{shelf:#}");
    assert!(garden["pValue"].as_f64().unwrap() < 0.01, "{garden:#}");
    assert!(garden["mmdSquared"].as_f64().unwrap() > 0.5, "{garden:#}");
    assert_eq!(garden["farthest"].as_array().unwrap().len(), 5);
    let text = eval(&program, &["garden", "--drift-from", "report/report.json"]);
    assert!(text.expect_code(0).stdout.contains("SHIFTED embedding"), "{text:?}");

    // A report without embeddings does not keep those of another one.
    json(&program, &["set", "--report", "report"], 0);
    assert_eq!(embedding("garden"), Value::Null);
    eval(&program, &["set", "--embeddings"]).expect_code(2);
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

#[test]
fn the_steps_of_the_cascade_are_measured_and_a_simulation_is_called_one() {
    let program = program();
    program.add_golden("set/lawn/meadow.png", "meadow");
    program.add_golden("teach/lawn/meadow.png", "meadow");
    let arguments = ["set", "--cascade", "--teach", "teach", "--simulate-judge", "0.9", "--report", "report"];
    let summary = json(&program, &arguments, 0);
    let cascade = &summary["cascade"];
    assert_eq!(cascade["judge"]["kind"], "simulated", "{cascade:#}");
    assert_eq!((&cascade["nReferences"], &cascade["n"]), (&1.into(), &4.into()));
    let right =
        |step: &str| (cascade[step]["right"]["count"].clone(), cascade[step]["right"]["total"].clone());
    assert_eq!(right("local"), (1.into(), 3.into()));
    assert_eq!(right("withReferences"), (2.into(), 3.into()));
    assert_eq!(right("referencesAlone"), (1.into(), 3.into()));
    assert_eq!((&cascade["withVehicle"], &cascade["together"]), (&Value::Null, &Value::Null));
    assert_eq!(right("judged").1, 3);
    assert_eq!(cascade["curve"][0]["costPerThousand"], 0.0);
    let page = fs::read_to_string(program.folder().join("report/index.html")).unwrap();
    assert!(page.contains("with a simulated judge") && page.contains("nobody was asked"), "{page}");
    let curves = fs::read_to_string(program.folder().join("report/curves.csv")).unwrap();
    assert!(curves.contains("\ncascade-simulated,,0,"), "{curves}");

    let picture = fs::read_to_string(program.folder().join("report/cascade.svg")).unwrap();
    assert!(picture.starts_with("<svg xmlns=") && picture.contains("the model alone"), "{picture}");

    // What is known of the vehicle is one more step, and with references there are both together.
    let arguments = ["set", "--cascade", "--teach", "teach", "--vehicle", "2015 Honda Civic"];
    let cascade = &json(&program, &arguments, 0)["cascade"];
    assert_eq!(cascade["vehicle"], "2015 Honda Civic");
    for step in ["withVehicle", "together"] {
        assert_eq!(cascade[step]["right"]["total"], 3, "{cascade:#}");
    }
    assert_eq!(cascade["together"], cascade["withReferences"]);
    let outcome = eval(&program, &["set", "--cascade", "--vehicle", "2015 Honta Civic"]);
    assert!(outcome.expect_code(0).stderr.contains("nothing is known of a 2015 Honta Civic"), "{outcome:?}");

    let outcome = eval(&program, &["set", "--cascade"]);
    assert!(outcome.expect_code(0).stderr.contains("no judge is set"), "{outcome:?}");
    assert!(outcome.stdout.contains("the model alone"), "{outcome:?}");
    let cases: [&[&str]; 3] = [
        &["set", "--vehicle", "2015 Honda Civic"],
        &["set", "--teach", "teach"],
        &["set", "--cascade", "--simulate-judge", "2"],
    ];
    for arguments in cases {
        eval(&program, arguments).expect_code(2);
    }
}
