//! `partsight models import` of encoders that know no texts, and what is done with them afterwards.

use std::fs;

use serde_json::json;

use crate::hugging_face::{bmp, photos, vision};
use crate::onnx_graph::{
    any_encoder, of_bytes, of_open_rank, of_two_pictures, tokens, unflattened, with_external_weights,
};
use crate::{Outcome, Program};

const SIZED: [&str; 6] = ["--size", "32", "--mean", "0,0,0", "--std", "1,1,1"];

fn import(program: &Program, arguments: &[&str]) -> Outcome {
    program.run(&[&["models", "import", "--name", "mine"], arguments].concat())
}

/// A drawing for each of three types.
fn drawn_photos(program: &Program) {
    for label in ["brake-rotor", "coil-spring", "rim"] {
        program.add_golden(&format!("photos/{label}/1.png"), label);
    }
}

fn coloured_photos(program: &Program) {
    photos(program, "photos/brake-pad", [200, 10, 10], 3);
    photos(program, "photos/oil-filter", [10, 200, 10], 3);
}

#[test]
fn an_encoder_from_safetensors_is_verified_scans_and_is_measured() {
    for golden in ["dinov2-smaller", "dinov2-registers", "dinov3", "convnext", "convnextv2"] {
        let program = Program::with_data();
        vision(&program, "hf", golden);
        drawn_photos(&program);
        let outcome = import(&program, &["hf", "--photos", "photos"]);
        assert!(outcome.expect_code(0).stdout.contains("told apart by 3 photographs"), "{outcome:?}");
        let outcome = program.run(&["models", "verify", "mine"]);
        assert!(outcome.expect_code(0).stdout.ends_with("The model is sound.\n"), "{outcome:?}");
        let info = program.run(&["models", "info", "mine", "--format", "json"]).expect_code(0).json();
        assert_eq!((&info["runtime"], &info["manifest"]["input"]["width"]), (&json!("candle"), &json!(64)));

        // The photographs that stand for the classes are nearest to themselves.
        let scan = ["scan", "photos", "--model", "mine", "--format", "json"];
        let rows = program.run(&scan).expect_code(0).rows();
        assert_eq!(rows.len(), 3);
        for row in rows {
            assert_eq!(row["verdict"], "not-sure", "{golden}: {row}");
        }
        let eval = ["eval", "photos", "--model", "mine", "--format", "json"];
        let summary = program.run(&eval).expect_code(0).json();
        assert_eq!(summary["n"], json!(3), "{golden}: {summary:#}");
        // The formula's weights of this one give all pictures nearly the same vector.
        if golden != "convnextv2" {
            assert_eq!(summary["top1"], json!(1.0), "{golden}: {summary:#}");
        }
    }
}

#[test]
fn a_graph_of_any_name_is_imported_by_file_or_folder() {
    for (graph, path, options, side) in [
        (any_encoder(&[None, Some(3), None, None]), "graph", &[][..], 32),
        (any_encoder(&[Some(1), Some(3), Some(32), Some(32)]), "graph/encoder.onnx", &[][..], 32),
        // With an offset: a blank picture, the first that a model sees, would have a vector without direction.
        (tokens(32, 0.1), "graph", &["--pool", "mean"][..], 32),
        (
            with_external_weights(32, "encoder.onnx.data"),
            "graph/encoder.onnx",
            &["--output", "vector"][..],
            32,
        ),
    ] {
        let program = Program::with_data();
        program.write("graph/encoder.onnx", graph);
        let offset: Vec<u8> = [0.1_f32; 3].iter().flat_map(|value| value.to_le_bytes()).collect();
        program.write("graph/encoder.onnx.data", offset);
        coloured_photos(&program);
        let outcome = import(&program, &[&[path, "--photos", "photos"], &SIZED[..], options].concat());
        assert!(outcome.expect_code(0).stdout.contains("with 2 classes"), "{outcome:?}");
        program.run(&["models", "verify", "mine"]).expect_code(0);
        let info = program.run(&["models", "info", "mine", "--format", "json"]).expect_code(0).json();
        assert_eq!(info["manifest"]["input"]["width"], side);
        program.write("red.bmp", bmp([190, 20, 20]));
        program.write("green.bmp", bmp([20, 190, 20]));
        let scan = ["scan", "red.bmp", "green.bmp", "--model", "mine", "--format", "json"];
        assert_eq!(program.run(&scan).expect_code(0).rows().len(), 2);
    }
}

#[test]
fn options_go_before_what_the_folder_says() {
    let program = Program::with_data();
    vision(&program, "hf", "dinov2-smaller");
    drawn_photos(&program);
    import(&program, &["hf", "--photos", "photos", "--size", "128", "--mean", "0.5,0.5,0.5"]).expect_code(0);
    let info = program.run(&["models", "info", "mine", "--format", "json"]).expect_code(0).json();
    let manifest = &info["manifest"];
    assert_eq!(
        (&manifest["input"]["width"], &manifest["resize"]["shortest_side"]),
        (&json!(128), &json!(144))
    );
    assert_eq!(manifest["input"]["mean"], json!([0.5, 0.5, 0.5]));
}

/// What is refused, with words of the sentence; nothing may be left in the folder of models.
#[test]
fn what_cannot_become_a_model_is_refused_and_leaves_nothing() {
    let program = Program::with_data();
    coloured_photos(&program);
    vision(&program, "dino", "dinov2-smaller");
    vision(&program, "cut", "dinov3");
    let weights = fs::read(program.folder().join("cut/model.safetensors")).unwrap();
    program.write("cut/model.safetensors", &weights[..weights.len() - 1]);
    vision(&program, "other", "convnext");
    program.write("other/config.json", r#"{"model_type": "swin"}"#);
    vision(&program, "odd", "convnextv2");
    let config = fs::read_to_string(program.folder().join("odd/config.json")).unwrap();
    program.write("odd/config.json", config.replace("convnextv2", "convnext"));
    for (name, graph) in [
        ("bytes", of_bytes(32)),
        ("two", of_two_pictures(32)),
        ("flat", unflattened(32)),
        ("open", of_open_rank()),
        ("tokens", tokens(32, 0.0)),
        ("beside", with_external_weights(32, "model.onnx.data")),
        ("small", any_encoder(&[None, Some(3), Some(16), Some(16)])),
        ("plain", any_encoder(&[None, Some(3), None, None])),
        ("broken", b"no graph".to_vec()),
    ] {
        program.write(&format!("{name}/model.onnx"), graph);
    }
    let cases: &[(&[&str], &str)] = &[
        (&["dino"], "`dino` holds a network of type `dinov2`, which embeds photographs and no texts"),
        (&["cut", "--photos", "photos"], "bytes instead of"),
        (&["other", "--photos", "photos"], "is for a model of type `swin`"),
        (&["odd", "--photos", "photos"], "lack the tensor `encoder.stages.0.layers.0.layer_scale_parameter`"),
        (&["dino", "--photos", "photos", "--size", "4"], "takes square pictures of 8 to 519 pixels"),
        (
            &["plain", "--size", "32", "--mean", "0,0,0", "--std", "1,1,1"],
            "holds a graph, which embeds photographs",
        ),
        (&["plain", "--photos", "photos", "--size", "32"], "give `--mean`, `--std`"),
    ];
    for (arguments, expected) in cases {
        let outcome = import(&program, arguments);
        let sentence = outcome.only_sentence();
        assert!(sentence.contains(expected), "{arguments:?}: {sentence}");
        assert_eq!(program.models(), Vec::<String>::new(), "{arguments:?}");
    }
    for (folder, expected) in [
        ("bytes", "the input `images` should be f32 [n, 3, height, width]"),
        ("two", "its input should be one, of pictures alone, but is `left` and `right`"),
        ("flat", "its output should be f32 [n, d]"),
        ("open", "of an open number of axes"),
        ("tokens", "`--pool first`"),
        ("beside", "keeps weights in `model.onnx.data`, which is missing"),
        ("small", "prepares pictures of 32 x 32 pixels, but its network takes 16 x 16"),
        ("broken", "does not accept the graph"),
    ] {
        let outcome = import(&program, &[&[folder, "--photos", "photos"], &SIZED[..]].concat());
        let sentence = outcome.only_sentence();
        assert!(sentence.contains(expected), "{folder}: {sentence}");
        assert_eq!(program.models(), Vec::<String>::new(), "{folder}");
    }
    for option in [["--size", "0"], ["--mean", "1,2"], ["--mean", "a,b,c"], ["--std", "1,0,1"]] {
        import(&program, &[&["plain", "--photos", "photos"], &option[..]].concat()).expect_code(2);
    }
}
