//! What stands in a report: its files, maps of mistakes, wrong labels, slices, and the steps of the cascade.

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use super::{eval, json, program};
use crate::Program;

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
        "rejection.csv",
        "report.json",
        "wrong-labels.csv",
    ];
    assert_eq!(files, expected);

    let page = fs::read_to_string(report.join("index.html")).unwrap();
    assert_eq!(page.matches("<script").count(), 1, "the one that makes a file of corrected labels");
    assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)"), "names are escaped");
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
fn mistakes_are_mapped_and_compared_unless_told_otherwise() {
    let program = program();
    let mapped = |more: &[&str]| -> (Value, Value, bool) {
        json(&program, &[&["set", "--report", "report"], more].concat(), 0);
        let report = program.folder().join("report");
        let figures: Value = serde_json::from_slice(&fs::read(report.join("report.json")).unwrap()).unwrap();
        let page = fs::read_to_string(report.join("index.html")).unwrap();
        let mistake = &figures["mistakes"][0];
        let is_shown = page.contains("Evidence: ") && page.contains("<p>Nearest:</p>");
        (mistake["occlusion"].clone(), mistake["nearest"].clone(), is_shown)
    };
    let (occlusion, nearest, is_shown) = mapped(&[]);
    let mut others: Vec<_> =
        nearest.as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
    others.sort_unstable();
    assert_eq!(others, ["not-a-part/meadow.png", "rim/rim.png"], "the others of three");
    assert_eq!(occlusion["drops"].as_array().map(Vec::len), Some(7), "{occlusion}");
    assert!(is_shown);
    assert_eq!(mapped(&["--no-maps"]), (Value::Null, Value::Null, false));
    eval(&program, &["set", "--no-maps"]).expect_code(2);
}

#[test]
fn a_list_that_could_not_be_written_is_refused_before_anything_is_measured() {
    let outcome = eval(&program(), &["set", "--wrong-labels", "nowhere/wrong.csv"]);
    let sentence = outcome.only_sentence();
    assert_eq!(sentence, "partsight: there is no folder `nowhere` for the wrong labels");
}

#[test]
fn a_list_of_wrong_labels_replaces_no_file_that_is_read() {
    let program = program();
    let model = r#"{"name":"made","version":"1","sha256":"0","labels":[]}"#;
    let provenance = r#"{"program":"","arguments":[],"dataSha256":null}"#;
    let files = [
        ("list.csv", "path,label\nset/rim/rim.png,rim\n".to_owned()),
        ("labels.csv", "path,label\nrim/rim.png,rim\n".to_owned()),
        ("map.csv", "from,to\nspark-plug,brake-rotor\n".to_owned()),
        ("report.json", format!(r#"{{"model":{model},"provenance":{provenance},"photos":[]}}"#)),
    ];
    for (name, text) in &files {
        program.write(name, text);
    }
    let cases: [(&[&str], &str, &str); 5] = [
        (&["list.csv"], "set/../list.csv", "would replace `set/../list.csv`, the list of photographs"),
        (&["set", "--labels", "labels.csv"], "labels.csv", "the file of --labels"),
        (&["set", "--label-map", "map.csv"], "map.csv", "the file of --label-map"),
        (&["set", "--baseline", "report.json"], "report.json", "the report of --baseline"),
        (&["set"], "set", "--wrong-labels writes a file, and `set` is a folder"),
    ];
    for (read, written, expected) in cases {
        let outcome = eval(&program, &[read, &["--wrong-labels", written]].concat());
        let sentence = outcome.only_sentence();
        assert!(sentence.contains(expected), "{sentence}");
    }
    for (name, text) in &files {
        assert_eq!(&fs::read_to_string(program.folder().join(name)).unwrap(), text, "{name}");
    }
}

#[test]
fn wrong_labels_are_listed_and_the_corrected_list_is_applied() {
    let program = program();
    let summary = json(&program, &["set", "--wrong-labels", "wrong.csv", "--report", "report"], 0);
    assert_eq!(summary["top1"], 0.5);
    let list = fs::read_to_string(program.folder().join("wrong.csv")).unwrap();
    let again = eval(&program, &["set", "--wrong-labels", "wrong.csv"]);
    let expected = "partsight: `wrong.csv` exists already, perhaps with corrections: name another file for --wrong-labels";
    assert_eq!(again.only_sentence(), expected);
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
fn the_steps_of_the_cascade_are_measured_and_a_simulation_is_called_one() {
    let program = program();
    program.add_golden("set/lawn/meadow.png", "meadow");
    program.add_golden("teach/lawn/meadow.png", "meadow");
    // The same picture in another file: a decoder stops at the last chunk.
    let taught = program.folder().join("teach/lawn/meadow.png");
    fs::write(&taught, [fs::read(&taught).unwrap(), b"another".to_vec()].concat()).unwrap();
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
    assert!(page.contains("Cascade with a simulated judge") && page.contains("nobody was asked"), "{page}");
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
    program.add_golden("teach/lawn/same.png", "meadow");
    let outcome = eval(&program, &["set", "--cascade", "--teach", "teach", "--format", "json"]);
    assert!(
        outcome.expect_code(0).stderr.contains("2 photographs of --teach are among those to measure"),
        "{outcome:?}"
    );
    let summary: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(summary["cascade"]["n"], 2, "{summary:#}");

    let outcome = eval(&program, &["set", "--cascade", "--vehicle", "2015 Honta Civic"]);
    assert!(
        outcome.expect_code(0).stderr.contains("the vehicle facts have no 2015 Honta Civic"),
        "{outcome:?}"
    );

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
