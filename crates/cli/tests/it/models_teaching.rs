//! Parts that are taught to an imported encoder: what the import fits for them, and what scans then answer.
//!
//! The encoder sees the brightness of each column of a picture. A part is a stripe of three bright columns at a place of
//! its own, on columns that are noisy in each photograph.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::onnx_graph::tokens;
use crate::serve::Server;
use crate::{Outcome, Program};

const SIDE: u8 = 32;
/// A type's place among these is that of its stripe.
const TYPES: [&str; 9] = [
    "alternator",
    "battery",
    "brake-pad",
    "camshaft",
    "carburetor",
    "coil-spring",
    "oil-filter",
    "piston",
    "rim",
];
/// The stripe of the part that is taught.
const TAUGHT: u8 = 9;

fn program() -> Program {
    let program = Program::with_data();
    program.write("graph/model.onnx", tokens(SIDE.into(), 0.1));
    program.with("PARTSIGHT_MODEL", "mine")
}

/// A photograph of the part with this stripe, as a BMP file; each is another one.
fn photo(stripe: u8, number: u8) -> Vec<u8> {
    let column = |x: u8| {
        let is_bright = (3 * stripe..3 * stripe + 3).contains(&x);
        let [x, number] = [x, number].map(u32::from);
        (if is_bright { 180 } else { 20 }) + (x * 7 + number * 11 + (x * number) % 13 * 5) % 61
    };
    let side = u32::from(SIDE);
    let mut file = b"BM".to_vec();
    for value in [54 + side * side * 3, 0, 54, 40, side, side] {
        file.extend(value.to_le_bytes());
    }
    file.extend([1, 0, 24, 0]);
    for value in [0, side * side * 3, 2835, 2835, 0, 0] {
        file.extend(u32::to_le_bytes(value));
    }
    for _ in 0..SIDE {
        (0..SIDE).for_each(|x| file.extend([column(x) as u8; 3]));
    }
    file
}

/// So many photographs of the first types.
fn add_photos(program: &Program, n_types: u8, n_photos: u8) {
    for (stripe, label) in (0..n_types).zip(TYPES) {
        for number in 0..n_photos {
            program.write(&format!("photos/{label}/{number:02}.bmp"), photo(stripe, number));
        }
    }
}

fn import(program: &Program) -> Outcome {
    let import = ["models", "import", "graph", "--name", "mine", "--photos", "photos", "--pool", "mean"];
    program.run(&[&import[..], &["--size", "32", "--mean", "0,0,0", "--std", "1,1,1"]].concat())
}

fn manifest(program: &Program) -> PathBuf {
    program.folder().join("data/models/mine/model.toml")
}

/// Gives the model the thresholds of one that was calibrated, by which a sure answer is identified.
fn calibrate(program: &Program) {
    let mut text = fs::read_to_string(manifest(program)).unwrap();
    for (from, to) in [
        ("temperature = 1.0", "temperature = 20.0"),
        ("identified_known_score = 1.0", "identified_known_score = 0.3"),
        ("identified_confidence = 1.0", "identified_confidence = 0.8"),
    ] {
        assert!(text.contains(from), "{from}: {text}");
        text = text.replacen(from, to, 1);
    }
    fs::write(manifest(program), text).unwrap();
}

fn fit(program: &Program) -> Outcome {
    program.run(&["models", "fit-references", "mine", "--photos", "photos"])
}

fn references(program: &Program) -> Value {
    let info = program.run(&["models", "info", "mine", "--format", "json"]);
    let info: Value = serde_json::from_str(&info.expect_code(0).stdout).unwrap();
    info["manifest"]["references"].clone()
}

/// Teaches three photographs of a part that is no class, and scans a further one in the app.
async fn taught_and_scanned(program: &Program) -> Value {
    for number in 0..3 {
        program.write(&format!("lawn/{number}.bmp"), photo(TAUGHT, number));
    }
    let enrol = ["catalog", "--shared", "enrol", "lawn", "--new", "Lawn", "--category", "body"];
    let outcome = program.run(&enrol);
    outcome.expect_code(0);
    let server = Server::start(program);
    server.sign_up().await;
    server.add_vehicle("Civic").await;
    server.identify_file(photo(TAUGHT, 3), "image/bmp").await
}

#[tokio::test]
async fn with_enough_photographs_a_taught_part_is_identified() {
    let program = program();
    add_photos(&program, 9, 20);
    let outcome = import(&program);
    let said = &outcome.expect_code(0).stdout;
    assert!(said.contains("180 photographs of 9 types"), "{said}");
    // The import was not calibrated, so that nothing is identified at all.
    assert!(said.contains("Taught parts are found, never identified."), "{said}");
    assert!(said.contains("The model is not calibrated"), "{said}");

    calibrate(&program);
    let outcome = fit(&program);
    let said = &outcome.expect_code(0).stdout;
    assert!(said.contains("Taught parts are identified from confidence"), "{said}");
    let fitted = references(&program);
    assert_eq!(fitted["prototypes"], "prototypes.safetensors");
    let identified = &fitted["identified"];
    assert!(identified["error_upper_bound"].as_f64().unwrap() <= 0.1, "{fitted:#}");
    assert!(identified["identified"].as_u64().unwrap() > 50, "{fitted:#}");
    assert_eq!(identified["identified_wrong"], json!(0), "{fitted:#}");
    // Each photograph is asked for once as a stranger.
    assert_eq!(identified["others_n"], json!(180), "{fitted:#}");
    program.run(&["models", "verify", "mine"]).expect_code(0);

    let answer = taught_and_scanned(&program).await;
    assert_eq!(
        (&answer["verdict"], &answer["identification"]["label"]),
        (&json!("identified"), &json!("lawn")),
        "{answer:#}"
    );
}

#[tokio::test]
async fn with_too_few_photographs_it_is_found_and_not_identified() {
    let program = program();
    add_photos(&program, 9, 4);
    let outcome = import(&program);
    let said = &outcome.expect_code(0).stdout;
    let unmeasured = "Teaching was not measured: no type has 5 photographs or more, and 8 are needed. ";
    assert!(said.contains(unmeasured), "{said}");
    assert!(said.contains("run `partsight models fit-references mine --photos DIR`"), "{said}");
    assert_eq!(said.matches("never identified").count(), 1, "{said}");
    assert!(!said.contains("Nothing"), "{said}");
    assert_eq!(references(&program)["identified"]["confidence"], Value::Null);

    calibrate(&program);
    let answer = taught_and_scanned(&program).await;
    assert_eq!(
        (&answer["verdict"], &answer["identification"]["label"]),
        (&json!("not-sure"), &json!("lawn")),
        "{answer:#}"
    );
    assert!(answer["identification"]["confidence"].as_f64().unwrap() > 0.8, "{answer:#}");
}

#[test]
fn a_model_that_was_imported_before_is_fitted_by_a_command() {
    let program = program();
    add_photos(&program, 3, 2);
    import(&program).expect_code(0);
    // As imports wrote it before they measured teaching.
    let text = fs::read_to_string(manifest(&program)).unwrap();
    let (before, rest) = text.split_once("[references]\n").unwrap();
    let (_, after) = rest.split_once("[thresholds]\n").unwrap();
    fs::write(manifest(&program), format!("{before}[thresholds]\n{after}")).unwrap();
    assert_eq!(references(&program), Value::Null);
    let lawn = program.write("lawn.bmp", photo(TAUGHT, 0));
    let enrol =
        ["catalog", "--shared", "enrol", lawn.to_str().unwrap(), "--new", "Lawn", "--category", "body"];
    let outcome = program.run(&enrol);
    let refusal = &outcome.expect_code(1).stderr;
    assert!(refusal.contains("has no `[references]`"), "{refusal}");
    assert!(refusal.contains("partsight models fit-references"), "{refusal}");

    let outcome = fit(&program);
    let said = &outcome.expect_code(0).stdout;
    assert!(said.contains("never identified") && said.contains("no type has 5 photographs"), "{said}");
    program.run(&enrol).expect_code(0);
}

#[test]
fn what_cannot_be_fitted_is_refused_and_changes_nothing() {
    let program = program();
    add_photos(&program, 3, 2);
    import(&program).expect_code(0);
    let before = fs::read_to_string(manifest(&program)).unwrap();
    program.write("empty/readme.txt", "nothing");
    for (arguments, expected) in [
        (["partsight-50", "photos"], "`partsight-50` was not imported"),
        (["mine", "empty"], "has no photographs in folders named by their label"),
        (["mine", "nowhere"], "cannot read `nowhere`"),
        (["other", "photos"], "the model cannot be used"),
    ] {
        let [name, photos] = arguments;
        let outcome = program.run(&["models", "fit-references", name, "--photos", photos]);
        let sentence = outcome.only_sentence();
        assert!(sentence.contains(expected), "{arguments:?}: {sentence}");
    }
    assert_eq!(fs::read_to_string(manifest(&program)).unwrap(), before);
}
