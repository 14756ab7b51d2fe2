//! Models, a baseline, an earlier report and other photographs, each compared with what is measured now.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{eval, json, program};
use crate::{Program, repository};

/// Puts a copy of the shipped model into a new folder, without the hash of its labels.
fn copy_model(folder: &Path) {
    fs::create_dir(folder).unwrap();
    for file in ["model.onnx", "labels.txt", "prototypes.safetensors"] {
        fs::copy(repository().join("models/partsight-50").join(file), folder.join(file)).unwrap();
    }
    let manifest = fs::read_to_string(repository().join("models/partsight-50/model.toml")).unwrap();
    fs::write(folder.join("model.toml"), manifest.replace("labels_sha256", "#")).unwrap();
}

/// Puts a copy of the shipped model into `folder`, with two labels exchanged: it takes rims for spark plugs.
fn add_confused_model(program: &Program, folder: &str) {
    let model = program.folder().join(folder);
    copy_model(&model);
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
            .contains("No significant difference")
    );

    let own = program.write("mine/a/report.json", "mine");
    let outcome = eval(&program, &["set", "--compare", "embedded", "other", "--report", "mine"]);
    assert!(
        outcome.only_sentence().contains("`mine/a/report.json` is the report of another run"),
        "{outcome:?}"
    );
    assert_eq!(fs::read_to_string(own).unwrap(), "mine");
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
        "rejectAurocInterval",
        "p50MsInterval",
    ] {
        for (model, found) in column(interval).iter().enumerate() {
            assert_eq!(found.as_array().map(Vec::len), Some(2), "{interval} of {model}: {found}");
        }
    }
    // Two photographs say nothing of how far another sample would be from them.
    assert_eq!(column("coverageAt2PercentRiskInterval"), [Value::Null, Value::Null, Value::Null]);
    assert!(column("coverageAt2PercentRisk").iter().all(Value::is_number));
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
    for part in
        ["coverage at 2% selective risk", "p-value (McNemar's exact test)", "does not know counts for"]
    {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }
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
    assert!(
        outcome.expect_code(0).stdout.contains("cannot tell: the minimum detectable drop"),
        "{outcome:?}"
    );
    let outcome = eval(&program, &[&arguments[..], &["--max-drop", "20"]].concat());
    assert!(outcome.expect_code(0).stdout.contains("held: a drop of more than 20.0 points"), "{outcome:?}");

    // A report of other photographs says nothing of these, which must not pass for a check.
    program.add_golden("other/brake-rotor/one.png", "brake-rotor");
    let outcome = eval(&program, &["other", "--baseline", "before/report.json"]);
    assert!(outcome.expect_code(1).stderr.contains("has none of these photographs"), "{outcome:?}");

    // A failed gate must not become the baseline of the next run.
    let expected =
        "--report would replace `before/report.json`, the report of --baseline: name another folder";
    let outcome = eval(&program, &[&arguments[..], &["--report", "./before"]].concat());
    assert!(outcome.only_sentence().contains(expected), "{outcome:?}");

    // A model that calls rims something else.
    let model = program.folder().join("worse");
    copy_model(&model);
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
fn a_report_of_one_of_several_models_is_verified_with_that_model() {
    let program = program();
    add_confused_model(&program, "other");
    json(&program, &["--compare", "embedded", "other", "set", "--report", "report"], 0);
    for report in ["report/a/report.json", "report/b/report.json"] {
        assert_eq!(json(&program, &["--verify", report], 0)["reproduced"], true, "{report}");
    }
    program.add_golden("set/rim/rim.png", "coil-spring");
    assert_eq!(json(&program, &["--verify", "report/a/report.json"], 3)["reproduced"], false);

    // Both models have the same labels now, and neither has those of the second report.
    let labels = repository().join("models/partsight-50/labels.txt");
    fs::copy(&labels, program.folder().join("other/labels.txt")).unwrap();
    let outcome = eval(&program, &["--verify", "report/a/report.json"]);
    let sentence = outcome.only_sentence();
    assert!(sentence.contains("does not tell whether it is of `embedded` or of `other`"), "{sentence}");
    let outcome = eval(&program, &["--verify", "report/b/report.json"]);
    let sentence = outcome.only_sentence();
    assert!(sentence.contains("none of those that --compare names any more"), "{sentence}");
}

#[test]
fn a_report_of_the_app_is_verified_where_the_photographs_are_named() {
    let program = program();
    json(&program, &["set", "--report", "report"], 0);
    let text = fs::read(program.folder().join("report/report.json")).unwrap();
    let mut report: Value = serde_json::from_slice(&text).unwrap();
    report["provenance"]["arguments"] = serde_json::json!([]);
    program.write("app.json", report.to_string());

    let outcome = eval(&program, &["--verify", "app.json"]);
    let sentence = outcome.only_sentence();
    assert_eq!(sentence, "partsight: this report was made in the app: name the photographs");
    assert_eq!(json(&program, &["set", "--verify", "app.json"], 0)["reproduced"], true);
    // The app takes labels that are spelt otherwise for the model's.
    fs::rename(program.folder().join("set/spark-plug"), program.folder().join("set/Spark Plug")).unwrap();
    let verified = json(&program, &["set", "--verify", "app.json"], 3);
    let checks = verified["checks"].as_array().unwrap();
    let differing = checks.iter().filter(|check| check["agrees"] == false).map(|check| check["name"].clone());
    // By their paths the photographs in that folder are others.
    assert_eq!(differing.collect::<Vec<Value>>(), ["photographs with another best guess"]);
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
    assert!(text.expect_code(0).stdout.contains("SHIFTED   embedding"), "{text:?}");

    // A report without embeddings does not keep those of another one.
    json(&program, &["set", "--report", "report"], 0);
    assert_eq!(embedding("garden"), Value::Null);
    eval(&program, &["set", "--embeddings"]).expect_code(2);
}
