//! Loading a model: what is verified, and the error for each broken file.

use std::{fs, path::Path};

use partsight_inference::{Error, Manifest, Model, OrtEngine, PrototypeHead, UnknownKind, sha256};
use tempfile::TempDir;

use crate::common::{model, model_folder, onnx_runtime};

/// A copy of the model folder that a test may damage.
fn copy() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    for name in ["model.toml", "model.onnx", "labels.txt", "prototypes.safetensors"] {
        fs::copy(model_folder().join(name), folder.path().join(name)).expect("a copy");
    }
    folder
}

/// Removes the section that also depends on the width of the embedding.
fn forget_references(folder: &Path) {
    let path = folder.join("model.toml");
    let text = fs::read_to_string(&path).expect("a manifest");
    let (before, rest) = text.split_once("[references]").expect("references");
    let (_, after) = rest.split_once("[thresholds]").expect("thresholds");
    fs::write(path, format!("{before}[thresholds]{after}")).expect("a changed manifest");
}

fn change(folder: &Path, from: &str, to: &str) {
    let path = folder.join("model.toml");
    let text = fs::read_to_string(&path).expect("a manifest");
    assert!(text.contains(from), "the manifest holds `{from}`");
    fs::write(path, text.replacen(from, to, 1)).expect("a changed manifest");
}

#[test]
fn the_embedded_model_is_the_one_in_the_folder() {
    let (embedded, loaded) = (model(), Model::load(&model_folder()).expect("a whole folder"));
    assert_eq!(embedded.manifest(), loaded.manifest());
    assert_eq!(embedded.labels(), loaded.labels());
    assert_eq!(embedded.labels().len(), embedded.manifest().classes.count);
}

#[test]
fn a_changed_graph_is_refused_by_its_hash() {
    let folder = copy();
    let path = folder.path().join("model.onnx");
    let mut bytes = fs::read(&path).expect("a graph");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).expect("a changed graph");
    let error = Model::load(folder.path()).expect_err("one bit differs");
    assert!(
        matches!(&error, Error::WrongModelHash { expected, found, .. } if expected != found),
        "{error:?}"
    );
}

#[test]
fn a_graph_cut_short_is_refused_by_its_size() {
    let folder = copy();
    let path = folder.path().join("model.onnx");
    let bytes = fs::read(&path).expect("a graph");
    fs::write(&path, &bytes[..bytes.len() - 1]).expect("a shorter graph");
    assert!(matches!(Model::load(folder.path()), Err(Error::WrongModelSize { .. })));
}

#[test]
fn a_missing_file_is_named() {
    for name in ["model.toml", "model.onnx", "labels.txt", "prototypes.safetensors"] {
        let folder = copy();
        fs::remove_file(folder.path().join(name)).expect("a file to remove");
        let error = Model::load(folder.path()).expect_err(name);
        assert!(matches!(&error, Error::ReadModel { path, .. } if path.ends_with(name)), "{error:?}");
    }
}

#[test]
fn a_background_that_counts_must_be_there() {
    let folder = copy();
    let path = folder.path().join("prototypes.safetensors");
    let manifest_path = folder.path().join("model.toml");
    let manifest = fs::read_to_string(&manifest_path).expect("a manifest");
    let parsed = Manifest::parse("test", &manifest).expect("a valid manifest");
    let references = parsed.references.clone().expect("references");
    let whole = fs::read(&path).expect("prototypes");
    let head = PrototypeHead::from_safetensors(&parsed, 1.0, &whole).expect("a head");
    let alone = PrototypeHead::new("test", head.classes().clone(), None, 1.0).expect("unit rows");
    let bytes = alone.to_safetensors("test").expect("a file");
    fs::write(&path, &bytes).expect("prototypes alone");
    let manifest = manifest
        .replace(&references.sha256, &sha256(&bytes))
        .replace(&format!("size_bytes = {}", whole.len()), &format!("size_bytes = {}", bytes.len()));
    fs::write(&manifest_path, &manifest).expect("a manifest");
    let error = Model::load(folder.path()).expect_err("without what it names");
    assert!(matches!(error, Error::InvalidPrototypes { .. }), "{error:?}");

    fs::write(&manifest_path, manifest.replace("background_scale", "#")).expect("a manifest");
    Model::load(folder.path()).expect("a model that needs no background");
}

#[test]
fn labels_must_fit_the_manifest() {
    let folder = copy();
    let path = folder.path().join("labels.txt");
    let labels = fs::read_to_string(&path).expect("labels");
    let without_last = labels.trim_end().rsplit_once('\n').expect("several labels").0;
    fs::write(&path, without_last).expect("fewer labels");
    assert!(matches!(Model::load(folder.path()), Err(Error::WrongLabelCount { .. })));

    let first = labels.lines().next().expect("a label");
    fs::write(&path, format!("{first}\n{labels}")).expect("one twice");
    assert!(matches!(Model::load(folder.path()), Err(Error::InvalidLabel { line: 2, .. })));

    fs::write(&path, format!("Brake Pad\n{labels}")).expect("not kebab-case");
    assert!(matches!(Model::load(folder.path()), Err(Error::InvalidLabel { line: 1, .. })));

    let (_, rest) = labels.split_once('\n').expect("several labels");
    fs::write(&path, format!("{rest}{first}\n")).expect("another order");
    let error = Model::load(folder.path()).expect_err("labels that name other parts");
    assert!(matches!(&error, Error::WrongModelHash { file, .. } if file == "labels.txt"), "{error:?}");
}

#[test]
fn a_manifest_out_of_range_is_refused_with_the_field() {
    let cases = [
        ("width = 256", "width = 0", "input.width"),
        ("std = [0.5", "std = [0.0", "input.std"),
        ("identified_confidence = ", "identified_confidence = 1", "thresholds.identified_confidence"),
        ("temperature = ", "temperature = -", "calibration.temperature"),
        ("path = \"model.onnx\"", "path = \"../model.onnx\"", "file.path"),
        ("sha256 = \"", "sha256 = \"g", "file.sha256"),
        ("count = 50", "count = 0", "classes.count"),
        ("output = \"known\"", "output = \"logits\"", "known.output"),
        ("nearest = 10", "nearest = 0", "references.nearest"),
        ("model_known_scale = ", "model_known_scale = -", "references.model_known_scale"),
        ("score_bias = ", "class_scale = -1\nscore_bias = ", "references.class_scale"),
        ("background_scale = ", "background_scale = -", "references.background_scale"),
        ("learnt_offset = 3.0", "learnt_offset = -1.0", "references.learnt_offset"),
        ("own = 0.5", "own = 1.5", "references.similarities.own"),
        ("copy_search = 0.9", "copy_search = 0.999", "references.similarities.copy_search"),
        ("prototypes = \"", "prototypes = \"../", "references.prototypes"),
        (
            "[references.similarities]",
            "[references.identified]\nconfidence = 1.5\nerror_upper_bound = 0.04\nn = 9\nidentified = 3\n\
             identified_wrong = 0\nothers_n = 0\nothers_identified = 0\nderived_by = \"\"\n\n\
             [references.similarities]",
            "references.identified.confidence",
        ),
        (
            "[references.similarities]",
            "[references.identified]\nerror_upper_bound = 0.04\nn = 9\nidentified = 3\n\
             identified_wrong = 4\nothers_n = 0\nothers_identified = 0\nderived_by = \"\"\n\n\
             [references.similarities]",
            "references.identified.identified_wrong",
        ),
        ("reuse_similarity = 0.96", "reuse_similarity = 0.5", "judging.reuse_similarity"),
        ("identified_known_score = 0", "identified_known_score = 0.0", "thresholds.identified_known_score"),
    ];
    for (from, to, expected) in cases {
        let folder = copy();
        let to = if expected == "thresholds.identified_known_score" {
            "identified_known_score = 0.0 # "
        } else {
            to
        };
        change(folder.path(), from, to);
        let error = Model::load(folder.path()).expect_err(expected);
        assert!(
            matches!(&error, Error::InvalidManifest { field, .. } if *field == expected),
            "{expected}: {error:?}"
        );
    }
}

/// A section with the distribution of the answers.
const DRIFT: &str = "[drift]
effective_n = 429
at = [0.5, 0.9, 0.99]
confidence = [0.06, 0.1592, 0.3411]
known_score = [0.1606, 0.4389, 0.797]
measured_on = \"photographs made for this test\"
";

#[test]
fn curves_of_the_calibration_photographs_are_read_and_checked() {
    let text = format!("{}\n{DRIFT}", manifest_without("drift"));
    let manifest = Manifest::parse("test", &text).expect("a manifest with curves");
    let drift = manifest.drift.clone().expect("curves");
    assert_eq!((drift.effective_n, drift.at.len()), (429, 3));
    let written = manifest.to_toml().expect("text");
    assert_eq!(Manifest::parse("test", &written).expect("its own text").drift, Some(drift));
    for (from, to, expected) in [
        ("effective_n = 429", "effective_n = 0", "drift.effective_n"),
        ("at = [0.5, 0.9, 0.99]", "at = []", "drift.at"),
        ("at = [0.5, 0.9, 0.99]", "at = [0.5, 0.5, 0.99]", "drift.at"),
        ("at = [0.5, 0.9, 0.99]", "at = [0.5, 0.9, 1.01]", "drift.at"),
        ("confidence = [0.06, 0.1592, 0.3411]", "confidence = [0.06, 0.1592]", "drift.confidence"),
        ("confidence = [0.06, 0.1592, 0.3411]", "confidence = [0.06, 0.1592, 0.1]", "drift.confidence"),
        ("confidence = [0.06, 0.1592, 0.3411]", "confidence = [0.06, 0.1592, nan]", "drift.confidence"),
        ("known_score = [0.1606, 0.4389, 0.797]", "known_score = [-0.1, 0.4389, 0.797]", "drift.known_score"),
    ] {
        let (before, after) = text.split_once("[drift]").expect("curves");
        let changed = format!("{before}[drift]{}", after.replacen(from, to, 1));
        let error = Manifest::parse("test", &changed).expect_err(to);
        assert!(
            matches!(&error, Error::InvalidManifest { field, .. } if *field == expected),
            "{to}: {error:?}"
        );
    }
}

/// A section with candidate sets.
const SETS: &str = "[sets]
coverage = 0.95
probability = 0.031
mean_size = 1.2
measured_coverage = 0.957
n = 660
fitted_on = \"Photographs that fitted nothing.\"
";

/// The shipped model's manifest without one of its sections.
fn manifest_without(section: &str) -> String {
    let text = fs::read_to_string(model_folder().join("model.toml")).expect("a manifest");
    let mut manifest: toml::Table = text.parse().expect("a table");
    manifest.remove(section);
    manifest.to_string()
}

#[test]
fn candidate_sets_are_read_and_checked() {
    let text = format!("{}\n{SETS}", manifest_without("sets"));
    let manifest = Manifest::parse("test", &text).expect("a manifest with sets");
    let sets = manifest.sets.clone().expect("sets");
    assert!((sets.coverage - 0.95).abs() < 1e-12 && (sets.probability - 0.031).abs() < 1e-12);
    assert_eq!(sets.n, 660);
    let written = manifest.to_toml().expect("text");
    assert_eq!(Manifest::parse("test", &written).expect("its own text").sets, Some(sets));
    for (from, to, expected) in [
        ("coverage = 0.95", "coverage = 1.0", "sets.coverage"),
        ("coverage = 0.95", "coverage = 0.0", "sets.coverage"),
        ("coverage = 0.95", "coverage = nan", "sets.coverage"),
        ("probability = 0.031", "probability = -0.1", "sets.probability"),
        ("measured_coverage = 0.957", "measured_coverage = 95.7", "sets.measured_coverage"),
        ("mean_size = 1.2", "mean_size = 0.9", "sets.mean_size"),
        ("mean_size = 1.2", "mean_size = 51.0", "sets.mean_size"),
        ("n = 660", "n = 0", "sets.n"),
    ] {
        let (before, after) = text.split_once("[sets]").expect("sets");
        let changed = format!("{before}[sets]{}", after.replacen(from, to, 1));
        let error = Manifest::parse("test", &changed).expect_err(to);
        assert!(
            matches!(&error, Error::InvalidManifest { field, .. } if *field == expected),
            "{to}: {error:?}"
        );
    }
    let unknown = text.replacen("n = 660", "n = 660\nby_class = true", 1);
    assert!(matches!(Manifest::parse("test", &unknown), Err(Error::ParseManifest { .. })));
}

/// Thresholds with what is promised of photographs of no known type.
const REJECTION: &str = "[[thresholds.rejection]]
of = \"not-a-part\"
identified_upper_bound = 0.0389
n = 160
identified = 2
measured_on = \"Photographs that fitted nothing.\"

[[thresholds.rejection]]
of = \"other-parts\"
identified_upper_bound = 0.1011
n = 88
identified = 4
measured_on = \"Types that nothing saw.\"
";

#[test]
fn rejection_bounds_are_read_and_checked() {
    let text = fs::read_to_string(model_folder().join("model.toml")).expect("a manifest");
    let mut table: toml::Table = text.parse().expect("a table");
    table["thresholds"].as_table_mut().expect("thresholds").remove("rejection");
    let without = table.to_string();
    assert_eq!(Manifest::parse("test", &without).expect("a manifest").thresholds.rejection, []);
    let text = format!("{without}\n{REJECTION}");
    let rejection = Manifest::parse("test", &text).expect("a manifest with bounds").thresholds.rejection;
    let [everyday, other] = &rejection[..] else { panic!("{rejection:?}") };
    assert_eq!((everyday.of, everyday.n, everyday.identified), (UnknownKind::NotAPart, 160, 2));
    assert_eq!((other.of, other.identified_upper_bound), (UnknownKind::OtherParts, 0.1011));
    for (from, to, expected) in [
        ("of = \"other-parts\"", "of = \"not-a-part\"", "thresholds.rejection.of"),
        ("n = 88", "n = 0", "thresholds.rejection.n"),
        ("identified = 4", "identified = 89", "thresholds.rejection.identified"),
        ("0.1011", "1.011", "thresholds.rejection.identified_upper_bound"),
        ("0.1011", "nan", "thresholds.rejection.identified_upper_bound"),
        // Below the share itself.
        ("0.1011", "0.045", "thresholds.rejection.identified_upper_bound"),
    ] {
        let changed = format!("{without}\n{}", REJECTION.replacen(from, to, 1));
        let error = Manifest::parse("test", &changed).expect_err(to);
        assert!(
            matches!(&error, Error::InvalidManifest { field, .. } if *field == expected),
            "{to}: {error:?}"
        );
    }
}

/// The keys of a second look, without its views.
const SECOND_LOOK: &str = "[second_look]\nconfidence_below = 0.9\nknown_score_below = 0.5\nlogit_scale = 1.0\n\
    known_scale = 1.0\nknown_bias = 0.0\n";
const VIEW: &str = "[[second_look.views]]\ncentre = 0.7\nmirrored = false\n";

fn with_second_look(section: &str) -> partsight_inference::Result<Manifest> {
    Manifest::parse("test", &format!("{}\n{section}", manifest_without("second_look")))
}

#[test]
fn a_second_look_is_read_and_written() {
    let manifest = with_second_look(&format!("{SECOND_LOOK}{VIEW}{VIEW}")).expect("a second look");
    let second_look = manifest.second_look.clone().expect("a second look");
    assert_eq!((second_look.views.len(), second_look.confidence_below), (2, 0.9));
    let written =
        Manifest::parse("test", &manifest.to_toml().expect("a manifest")).expect("the same manifest");
    assert_eq!(written, manifest);
}

#[test]
fn a_second_look_out_of_range_is_refused_with_the_field() {
    for (from, to, expected) in [
        ("confidence_below = 0.9", "confidence_below = 1.1", "second_look.confidence_below"),
        ("known_score_below = 0.5", "known_score_below = nan", "second_look.known_score_below"),
        ("logit_scale = 1.0", "logit_scale = 0.0", "second_look.logit_scale"),
        ("known_scale = 1.0", "known_scale = inf", "second_look.known_scale"),
        ("known_bias = 0.0", "known_bias = nan", "second_look.known_bias"),
        ("centre = 0.7", "centre = 0.0", "second_look.views.centre"),
        ("centre = 0.7", "centre = 1.01", "second_look.views.centre"),
        (VIEW, "views = []\n", "second_look.views"),
        (VIEW, &VIEW.repeat(5), "second_look.views"),
    ] {
        let section = format!("{SECOND_LOOK}{VIEW}");
        assert!(section.contains(from), "{from}");
        let error = with_second_look(&section.replacen(from, to, 1)).expect_err(to);
        assert!(
            matches!(&error, Error::InvalidManifest { field, .. } if *field == expected),
            "{to}: {error:?}"
        );
    }
    for (from, to) in [("mirrored", "flipped"), ("logit_scale", "logits_scale"), ("centre = 0.7\n", "")] {
        let section = format!("{SECOND_LOOK}{VIEW}").replacen(from, to, 1);
        let error = with_second_look(&section).expect_err(to);
        assert!(matches!(error, Error::ParseManifest { .. }), "{to}: {error:?}");
    }
}

#[test]
fn unknown_or_missing_keys_are_refused() {
    let text = fs::read_to_string(model_folder().join("model.toml")).expect("a manifest");
    for changed in [
        text.replacen("width = 256", "breadth = 256", 1),
        text.replacen("[input]", "[input]\ndepth = 3", 1),
        text.replacen("mode = \"squash\"", "mode = \"squash\"\npad = 3", 1),
        text.replacen("layout = \"nchw\"", "layout = \"nhwc\"", 1),
        text.replacen("created_on = ", "created_on = 1 #", 1),
        "not toml at all".to_owned(),
    ] {
        let error = Manifest::parse("test", &changed).expect_err("another form");
        assert!(matches!(error, Error::ParseManifest { .. }), "{error:?}");
    }
}

#[test]
fn what_a_manifest_leaves_out_holds_by_default() {
    let text = fs::read_to_string(model_folder().join("model.toml")).expect("a manifest");
    let stated = Manifest::parse("test", &text).expect("the shipped manifest");
    let (before, rest) = text.split_once("[judging]").expect("judging");
    let (_, rest) = rest.split_once("[references]").expect("references");
    let (references, rest) = rest.split_once("[references.similarities]").expect("similarities");
    let (_, after) = rest.split_once("[thresholds]").expect("thresholds");
    let references = references.replace("nearest = 10\n", "").replace("learnt_offset = 3.0\n", "");
    let text = format!("{before}[references]{references}[thresholds]{after}");
    let silent = Manifest::parse("test", &text).expect("an older manifest");
    assert_eq!((silent.judging, silent.judging()), (None, stated.judging()));
    assert_eq!(silent.references, stated.references);
}

#[test]
fn every_resize_mode_parses() {
    let text = fs::read_to_string(model_folder().join("model.toml")).expect("a manifest");
    let (before, rest) = text.split_once("[resize]\n").expect("how to resize");
    let (_, after) = rest.split_once("\n[").expect("more after it");
    for mode in [
        "mode = \"center-crop\"\nshortest_side = 256",
        "mode = \"letterbox\"\npad = 124",
        "mode = \"squash\"\nthrough = 240",
        "mode = \"squash\"",
    ] {
        let text = format!("{before}[resize]\nfilter = \"bilinear\"\n{mode}\n[{after}");
        Manifest::parse("test", &text).expect(mode);
    }
}

#[test]
fn a_graph_unlike_its_manifest_is_refused() {
    for (from, to) in [
        ("dimension = 512", "dimension = 513"),
        ("output = \"embedding\"", "output = \"features\""),
        ("width = 256", "width = 257"),
    ] {
        let folder = copy();
        forget_references(folder.path());
        change(folder.path(), from, to);
        let model = Model::load(folder.path()).expect("a manifest that is consistent in itself");
        let error = OrtEngine::new(&onnx_runtime(), &model, 1).err().expect("a graph of another shape");
        assert!(matches!(error, Error::GraphMismatch { .. }), "{to}: {error:?}");
    }
}
