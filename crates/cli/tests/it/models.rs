//! `partsight models`: what there is, what it runs on, whether it is whole, and how a new one is made.

use std::fs;
use std::path::Path;

use partsight_app::Catalog;

use crate::hugging_face::{bmp, onnx, photos, safetensors};
use crate::onnx_graph::both_towers;
use crate::{Program, golden, repository};

const RED: [u8; 3] = [200, 10, 10];
const GREEN: [u8; 3] = [10, 200, 10];
const BLUE: [u8; 3] = [10, 10, 200];

/// Photographs in red, green and blue: two types of part and something else.
fn coloured_photos(program: &Program, folder: &str, n: u8) {
    photos(program, &format!("{folder}/brake-pad"), RED, n);
    photos(program, &format!("{folder}/oil-filter"), GREEN, n);
    photos(program, &format!("{folder}/not-a-part"), BLUE, n);
}

fn copy_of_the_shipped_model(program: &Program, name: &str) {
    let from = repository().join("models/partsight-50");
    for file in ["model.toml", "labels.txt", "model.onnx", "prototypes.safetensors"] {
        program.write(&format!("data/models/{name}/{file}"), fs::read(from.join(file)).unwrap());
    }
    for file in ["rim.json", "rim.png"] {
        program.write(
            &format!("data/models/{name}/golden/{file}"),
            fs::read(from.join("golden").join(file)).unwrap(),
        );
    }
}

#[test]
fn the_list_names_what_is_there_what_is_in_use_and_what_is_broken() {
    let program = Program::with_data();
    copy_of_the_shipped_model(&program, "copy");
    program.write("data/models/broken/model.toml", "name = ");
    copy_of_the_shipped_model(&program, "short");
    program.write("data/models/short/model.onnx", "half of it");
    let outcome = program.run(&["models", "list", "--format", "json", "--model", "copy"]);
    let rows = outcome.expect_code(0).rows();
    let facts: Vec<_> = rows
        .iter()
        .map(|row| (row["name"].as_str().unwrap(), row["inUse"].as_bool().unwrap(), row["error"].is_null()))
        .collect();
    assert_eq!(
        facts,
        [
            ("partsight-50", false, true),
            ("broken", false, false),
            ("copy", true, true),
            ("short", false, false)
        ]
    );
    assert!(rows[3]["error"].as_str().unwrap().contains("has 10 bytes instead of"), "{}", rows[3]);
    assert_eq!(rows[2]["classes"], 50);
    assert_eq!(rows[2]["format"], "onnx");
    assert_eq!(rows[2]["sizeBytes"], rows[0]["sizeBytes"]);
    let table = program.run(&["models", "list"]).expect_code(0).stdout.clone();
    assert!(table.contains('*') && table.contains("partsight-50") && table.contains("broken: "), "{table}");
}

#[test]
fn info_says_what_the_model_runs_on() {
    let outcome = Program::with_data().run(&["models", "info", "--device", "cpu", "--format", "json"]);
    let info = outcome.expect_code(0).json();
    assert_eq!((&info["provider"], &info["device"]), (&"CPU".into(), &"cpu".into()));
    assert_eq!(info["manifest"]["name"], "partsight-50");
    let manifest = fs::read_to_string(repository().join("models/partsight-50/model.toml")).unwrap();
    let day = info["manifest"]["created_on"].as_str().unwrap();
    assert!(manifest.contains(&format!("created_on = {day}\n")), "{info}");
    assert_eq!(info["labels"].as_array().unwrap().len(), 50);
    let runtime = if cfg!(target_arch = "x86_64") { "Partsight int8 (AVX" } else { "ONNX Runtime 1." };
    assert!(info["runtime"].as_str().unwrap().starts_with(runtime), "{info}");
    let text = Program::with_data().run(&["models", "info", "partsight-50"]).expect_code(0).stdout.clone();
    for part in ["partsight-50", "sha256", "temperature", "not a part below", "runs on", "measured"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Where a GPU works these would start on it.
fn has_gpu() -> bool {
    Path::new("/dev/nvidiactl").exists() || Path::new("/proc/driver/nvidia").exists()
}

#[test]
fn a_gpu_that_is_not_there_is_an_error_and_never_a_silent_processor() {
    if has_gpu() {
        println!("left out: this machine has a GPU");
        return;
    }
    let rim = golden("rim");
    let outcome =
        Program::with_data().with("PARTSIGHT_DEVICE", "cuda:1").run(&["scan", rim.to_str().unwrap()]);
    let sentence = outcome.only_sentence();
    assert!(sentence.contains("the GPU `cuda:1` cannot be used: ONNX Runtime"), "{sentence}");
    let outcome = Program::with_data().run(&["models", "info", "--device", "cuda", "--format", "json"]);
    let info = outcome.expect_code(1).json();
    assert!(info["provider"].is_null(), "{info}");
    assert!(info["error"].as_str().unwrap().contains("`cuda:0` cannot be used"), "{info}");
    let outcome = Program::with_data().run(&["models", "info", "--format", "json"]);
    let info = outcome.expect_code(0).json();
    assert_eq!(info["provider"], "CPU");
    assert!(info["providerReason"].as_str().unwrap().starts_with("no GPU: ONNX Runtime"), "{info}");
}

#[test]
fn a_device_that_is_none_is_refused() {
    Program::with_data().run(&["models", "info", "--device", "gpu"]).expect_code(2);
    let outcome = Program::with_data().with("PARTSIGHT_DEVICE", "gpu").run(&["config"]);
    let sentence = outcome.only_sentence();
    assert!(sentence.contains("`device`") && sentence.contains("cuda:N"), "{sentence}");
    let printed = Program::with_data().run(&["config", "--device", "cuda"]).expect_code(0).stdout.clone();
    assert!(printed.contains("device = \"cuda:0\""), "{printed}");
}

#[test]
fn a_whole_model_is_verified_with_its_golden_files() {
    let program = Program::with_data();
    copy_of_the_shipped_model(&program, "copy");
    for name in ["copy", "partsight-50", "./data/models/copy"] {
        let outcome = program.run(&["models", "verify", name, "--device", "cpu"]);
        assert!(outcome.expect_code(0).stdout.ends_with("The model is sound.\n"), "{outcome:?}");
        assert_eq!(outcome.stdout.contains("rim.json` gives what it should"), name != "partsight-50");
    }
}

#[test]
fn verification_names_every_problem() {
    let program = Program::with_data();
    copy_of_the_shipped_model(&program, "copy");
    let folder = program.folder().join("data/models/copy");
    fs::write(folder.join("labels.txt"), "one\n").unwrap();
    let mut graph = fs::read(folder.join("model.onnx")).unwrap();
    graph[1000] ^= 1;
    fs::write(folder.join("model.onnx"), graph).unwrap();
    let outcome = program.run(&["models", "verify", "copy", "--format", "json"]);
    let found = outcome.expect_code(1).json();
    let problems = found["problems"].to_string();
    assert_eq!(found["sound"], false);
    assert!(problems.contains("model.onnx") && problems.contains("SHA-256"), "{problems}");
    assert!(problems.contains("names 1 classes"), "{problems}");

    copy_of_the_shipped_model(&program, "copy");
    let golden = fs::read_to_string(folder.join("golden/rim.json")).unwrap();
    program.write("data/models/copy/golden/rim.json", golden.replace("\"rim\"", "\"rotor\""));
    let outcome = program.run(&["models", "verify", "copy"]);
    assert!(outcome.expect_code(1).stdout.contains("the label is `rim` instead of `rotor`"), "{outcome:?}");
}

#[test]
fn a_name_that_is_not_installed_is_named_with_the_folder() {
    for arguments in [&["models", "info", "nothing"][..], &["models", "verify", "nothing"]] {
        let outcome = Program::with_data().run(arguments);
        let sentence = outcome.only_sentence();
        assert!(sentence.contains("there is no model `nothing` in"), "{sentence}");
    }
    let rim = golden("rim");
    let outcome = Program::with_data().run(&["scan", rim.to_str().unwrap(), "--model", "nothing"]);
    assert!(outcome.only_sentence().contains("there is no model `nothing`"));
}

#[test]
fn photographs_make_and_calibrate_a_model_that_then_scans() {
    let program = Program::with_data();
    onnx(&program, "hf", [0.05; 3]);
    coloured_photos(&program, "photos", 3);
    coloured_photos(&program, "valid", 120);
    program.write("valid/oil-filter/broken.jpg", "no picture");
    program.write("valid/oil-filtre/green.bmp", bmp(BLUE));
    let arguments =
        ["models", "import", "hf", "--name", "colours", "--photos", "photos", "--calibrate", "valid"];
    let outcome = program.run(&arguments);
    let text = &outcome.expect_code(0).stdout;
    for part in [
        "Imported `colours` with 2 classes",
        "told apart by 9 photographs",
        "Calibrated on 240 photographs of the model's types and 121 of anything else",
        "the model has no such label: `oil-filtre` (1).",
        "at most 5% wrong: 100.0% answered",
        "1 photographs could not be read",
        "broken.jpg",
        "--model colours",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(program.models(), ["colours"]);
    program.run(&["models", "verify", "colours"]).expect_code(0);

    // Shades from the middle of those that were calibrated on.
    for (name, colour) in [("red.bmp", RED), ("green.bmp", GREEN), ("blue.bmp", BLUE)] {
        program.write(name, bmp(colour.map(|value| value + 10)));
    }
    let outcome =
        program.run(&["scan", "red.bmp", "green.bmp", "blue.bmp", "--model", "colours", "--format", "json"]);
    let rows = outcome.expect_code(0).rows();
    assert_eq!((&rows[0]["label"], &rows[0]["verdict"]), (&"brake-pad".into(), &"identified".into()));
    assert_eq!((&rows[1]["label"], &rows[1]["verdict"]), (&"oil-filter".into(), &"identified".into()));
    assert_eq!(rows[2]["verdict"], "not-a-part");
}

#[test]
fn texts_make_a_model_on_either_engine_and_it_says_that_it_is_not_calibrated() {
    let program = Program::with_data();
    onnx(&program, "graphs", [0.1, 0.2, 0.3]);
    safetensors(&program, "clip", false);
    program.write("labels.txt", "brake-pad\noil-filter\nflux-capacitor\n");
    program.write("picture.bmp", bmp(RED));
    for (folder, engine) in [("graphs", "onnx"), ("clip", "candle")] {
        let arguments =
            ["models", "import", folder, "--name", folder, "--engine", engine, "--labels", "labels.txt"];
        let outcome = program.run(&arguments);
        let text = &outcome.expect_code(0).stdout;
        assert!(text.contains("with 3 classes") && text.contains("NOT calibrated"), "{text}");
        assert!(text.contains("does not describe flux-capacitor"), "{text}");
        let outcome = program.run(&["scan", "picture.bmp", "--model", folder, "--format", "json"]);
        assert_eq!(outcome.expect_code(0).rows()[0]["verdict"], "not-sure");
    }
    let outcome = program.run(&["models", "info", "clip", "--format", "json"]);
    let info = outcome.expect_code(0).json();
    assert_eq!((&info["runtime"], &info["provider"]), (&"candle".into(), &"CPU".into()));
    assert_eq!(info["manifest"]["file"]["format"], "safetensors");
    assert_eq!(info["manifest"]["resize"]["mode"], "center-crop");
    // The server answers only with types that it can describe.
    let outcome = program.run(&["serve", "--listen", "127.0.0.1:0", "--model", "clip"]);
    assert!(outcome.expect_code(1).stderr.contains("flux-capacitor"), "{outcome:?}");
}

#[test]
fn every_type_of_the_catalogue_is_a_class_when_nothing_else_is_said() {
    let program = Program::with_data();
    safetensors(&program, "clip", false);
    let outcome = program.run(&["models", "import", "clip", "--name", "tiny-clip"]);
    let n_types = Catalog::embedded().unwrap().iter().len();
    assert!(outcome.expect_code(0).stdout.contains(&format!("with {n_types} classes")), "{outcome:?}");
    let outcome = program.run(&["models", "info", "--format", "json", "--model", "tiny-clip"]);
    assert_eq!(outcome.expect_code(0).json()["labels"].as_array().unwrap().len(), n_types);
}

#[test]
fn an_existing_model_is_kept_unless_forced() {
    let program = Program::with_data();
    onnx(&program, "hf", [0.05; 3]);
    coloured_photos(&program, "photos", 2);
    program.write("data/models/mine/precious.txt", "x");
    let import = ["models", "import", "hf", "--name", "mine", "--photos", "photos"];
    let outcome = program.run(&import);
    let sentence = outcome.only_sentence();
    assert!(
        sentence.contains("there is a model `mine` already") && sentence.contains("--force"),
        "{sentence}"
    );
    assert!(program.folder().join("data/models/mine/precious.txt").exists());
    program.run(&[&import[..], &["--force"]].concat()).expect_code(0);
    assert!(!program.folder().join("data/models/mine/precious.txt").exists());
    assert_eq!(program.models(), ["mine"]);
}

/// What is refused, with words of the sentence; nothing may be left in the folder of models.
#[test]
fn what_cannot_become_a_model_is_refused_and_leaves_nothing() {
    let program = Program::with_data();
    onnx(&program, "hf", [0.05; 3]);
    onnx(&program, "nan", [f32::NAN; 3]);
    safetensors(&program, "clip-nan", true);
    onnx(&program, "sized", [0.05; 3]);
    let preparation = fs::read_to_string(program.folder().join("sized/preprocessor_config.json")).unwrap();
    program.write("sized/preprocessor_config.json", preparation.replace("32", "48"));
    onnx(&program, "nearest", [0.05; 3]);
    program
        .write("nearest/preprocessor_config.json", preparation.replace("\"resample\":3", "\"resample\":0"));
    onnx(&program, "mute", [0.05; 3]);
    fs::remove_file(program.folder().join("mute/text_model.onnx")).unwrap();
    onnx(&program, "wordless", [0.05; 3]);
    fs::remove_file(program.folder().join("wordless/tokenizer.json")).unwrap();
    onnx(&program, "both", [0.05; 3]);
    program.write("both/vision_model.onnx", both_towers(32));
    program.write("empty/notes.txt", "no network here");
    onnx(&program, "unprepared", [0.05; 3]);
    fs::remove_file(program.folder().join("unprepared/preprocessor_config.json")).unwrap();

    coloured_photos(&program, "photos", 2);
    photos(&program, "one/brake-pad", RED, 2);
    coloured_photos(&program, "holey", 2);
    program.write("holey/spark-plug/notes.txt", "no photograph");
    coloured_photos(&program, "unreadable", 2);
    program.write("unreadable/spark-plug/1.jpg", "no picture");
    coloured_photos(&program, "unknown", 2);
    photos(&program, "unknown/teapot", RED, 2);
    photos(&program, "others/not-a-part", BLUE, 2);
    program.write("none/notes.txt", "no folders");
    program.write("one.txt", "brake-pad\n");
    program.write("twice.txt", "brake-pad\nbrake-pad\n");
    program.write("no-labels.txt", "");
    program.write("prompts.toml", "templates = [\"a part\"]\n");

    let cases: &[(&[&str], &str)] = &[
        (&["nowhere"], "there is no folder `nowhere`"),
        (&["empty"], "there is no network in `empty`"),
        (&["hf", "--engine", "candle"], "`model.safetensors`"),
        (&["unprepared"], "preprocessor_config.json"),
        (&["sized"], "prepares pictures of 48 x 48 pixels, but its network takes 32 x 32"),
        (&["nearest"], "`resample` to 0"),
        (&["mute"], "has no `text_model.onnx`"),
        (&["wordless"], "tokenizer"),
        (&["both", "--photos", "photos"], "export the vision tower"),
        (&["nan", "--photos", "photos"], "not a finite number"),
        (&["clip-nan", "--photos", "photos"], "visual_projection.weight"),
        (&["hf", "--photos", "one"], "there is only the class `brake-pad`"),
        (&["hf", "--photos", "holey"], "no photograph that can be read in `holey`: `spark-plug`"),
        (&["hf", "--photos", "unreadable"], "no photograph that can be read in `unreadable`: `spark-plug`"),
        (&["hf", "--photos", "unknown"], "the folders `teapot` of `unknown`"),
        (&["hf", "--photos", "none"], "`none` has no photographs in folders named by their label"),
        (&["hf", "--photos", "absent"], "cannot read `absent`"),
        (&["hf", "--calibrate", "others"], "nothing to calibrate on"),
        (&["hf", "--labels", "one.txt"], "there is only the class `brake-pad`"),
        (&["hf", "--labels", "twice.txt"], "line 2"),
        (&["hf", "--labels", "no-labels.txt"], "there are no labels"),
        (&["hf", "--labels", "absent.txt"], "cannot read `absent.txt`"),
        (&["hf", "--prompts", "prompts.toml"], "the template `a part`"),
    ];
    for (arguments, expected) in cases {
        let outcome = program.run(&[&["models", "import", "--name", "new"], *arguments].concat());
        let sentence = outcome.only_sentence();
        assert!(sentence.contains(expected), "{arguments:?}: {sentence}");
        assert_eq!(program.models(), Vec::<String>::new(), "{arguments:?}");
    }
    for name in ["New", "a b", "../up", "partsight-50"] {
        let outcome = program.run(&["models", "import", "hf", "--photos", "photos", "--name", name]);
        assert!(outcome.only_sentence().contains(&format!("`{name}`")), "{outcome:?}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let program = Program::with_data();
    onnx(&program, "hf", [0.05; 3]);
    coloured_photos(&program, "photos", 2);
    // A file stands where the folder of models would be; that stops also whoever may write anywhere.
    program.write("data/models", "a file");
    let outcome = program.run(&["models", "import", "hf", "--name", "new", "--photos", "photos"]);
    let sentence = outcome.only_sentence();
    assert!(sentence.contains("cannot write") && sentence.contains("data/models"), "{sentence}");
}
