//! The text on a part: parity with the published Python package, direction, limits, invalid files.

use std::{fs, path::PathBuf, thread};

use partsight_inference::{Error, KnownTexts, Photo, PhotoFormat, READING_FILE, Reader, TextLine};
use serde::Deserialize;

use crate::common::{decode, drawn, onnx_runtime};

const GRAPHS: [&str; 3] = ["glance.onnx", "detector.onnx", "recogniser.onnx"];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models/reading")
}

fn golden(name: &str) -> Photo {
    let path = folder().join("golden").join(format!("{name}.png"));
    decode(&fs::read(path).expect(name)).expect(name)
}

fn reader() -> Reader {
    Reader::embedded(&onnx_runtime()).expect("the embedded reading model runs")
}

/// A copy of the reading model's folder that a test may damage.
fn copied_folder() -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a folder");
    for name in [READING_FILE].into_iter().chain(GRAPHS) {
        fs::copy(folder().join(name), copy.path().join(name)).expect(name);
    }
    copy
}

/// A line that the Python package reads.
#[derive(Deserialize)]
struct Expected {
    text: String,
    confidence: f32,
    #[serde(rename = "box")]
    corners: [[f32; 2]; 4],
}

/// The package and this crate resize differently, so spaces between words may differ.
fn without_spaces(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn middle(corners: [[f32; 2]; 4]) -> [f32; 2] {
    [0, 1].map(|axis| corners.iter().map(|corner| corner[axis]).sum::<f32>() / 4.0)
}

#[test]
fn it_reads_what_the_python_package_reads() {
    let text = fs::read_to_string(folder().join("golden/expected.json")).expect("the expectations");
    let expected: std::collections::BTreeMap<String, Vec<Expected>> =
        serde_json::from_str(&text).expect("JSON");
    let reader = reader();
    let mut problems = Vec::new();
    for (name, mut lines) in expected {
        // Our reader omits lines of lower confidence, such as the `O` that the package reads in a disc.
        lines.retain(|line| line.confidence >= 0.8);
        let mut found = reader.read(&golden(&name)).expect(&name);
        found.sort_by(|one, other| one.text.cmp(&other.text));
        lines.sort_by(|one, other| one.text.cmp(&other.text));
        let texts: Vec<String> = found.iter().map(|line| without_spaces(&line.text)).collect();
        let wanted: Vec<String> = lines.iter().map(|line| without_spaces(&line.text)).collect();
        if texts != wanted {
            problems.push(format!("{name}: {texts:?} instead of {wanted:?}"));
            continue;
        }
        for (found, wanted) in found.iter().zip(&lines) {
            let (found, wanted) = (middle(found.corners), middle(wanted.corners));
            if (0..2).any(|axis| (found[axis] - wanted[axis]).abs() > 6.0) {
                problems.push(format!("{name}: the middle is {found:?} instead of {wanted:?}"));
            }
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn the_first_corner_is_where_the_text_begins() {
    let reader = reader();
    for (name, is_first_right, is_first_low) in [
        ("level", false, false),
        ("upside-down", true, true),
        ("upward", false, true),
        ("downward", true, false),
    ] {
        let lines = reader.read(&golden(name)).expect(name);
        let TextLine { text, corners, confidence, characters } = lines.first().expect(name);
        let centre = middle(*corners);
        assert_eq!(
            (corners[0][0] > centre[0], corners[0][1] > centre[1]),
            (is_first_right, is_first_low),
            "{name}"
        );
        assert_eq!(characters.len(), text.chars().count(), "{name}");
        assert!((0.8..=1.0).contains(confidence), "{name}: {confidence}");
    }
}

#[test]
fn photographs_without_text_have_no_lines_whatever_their_size() {
    let reader = reader();
    for (width, height) in [(1, 1), (3, 2000), (2000, 3), (224, 224), (1200, 900)] {
        let lines = reader.read(&drawn(width, height)).expect("a reading");
        assert_eq!(lines, [], "{width} x {height}");
    }
    let white = Photo::from_rgb(640, 480, vec![255; 3 * 640 * 480], PhotoFormat::Png).expect("a photograph");
    assert_eq!(reader.read(&white).expect("a reading"), []);
}

#[test]
fn a_page_of_small_print_and_a_mirrored_photograph_stay_within_bounds() {
    // The part of the drawing with its two lines, fifteen times.
    let small = golden("small");
    let (width, top, height) = (small.width() as usize, 80, 320);
    let (pixels, _) = small.rgb().as_chunks::<3>();
    let tiled = (0..5 * height).flat_map(|y| (0..3 * width).map(move |x| (x, y)));
    let page = tiled.flat_map(|(x, y)| pixels[(top + y % height) * width + x % width]).collect();
    let page = Photo::from_rgb(3 * small.width(), 5 * 320, page, PhotoFormat::Png).expect("a page");
    let copy = copied_folder();
    let path = copy.path().join(READING_FILE);
    let text = fs::read_to_string(&path).expect("the manifest");
    assert!(text.contains("\nmax_lines = 48"), "{text}");
    fs::write(&path, text.replacen("\nmax_lines = 48", "\nmax_lines = 24", 1)).expect("a manifest");
    let reader = Reader::open(&onnx_runtime(), copy.path()).expect("the folder is whole");
    let lines = reader.read(&page).expect("a reading");
    assert_eq!(lines.len(), 24, "as many of the thirty as the manifest allows");
    let known = ["8E0959851B", "HELLA6PU009121"];
    assert!(lines.iter().all(|line| known.contains(&&*without_spaces(&line.text))), "{lines:?}");

    let level = golden("level");
    let (pixels, _) = level.rgb().as_chunks::<3>();
    let rows = pixels.chunks(level.width() as usize);
    let mirrored = rows.flat_map(|row| row.iter().rev().copied()).flatten().collect();
    let mirrored =
        Photo::from_rgb(level.width(), level.height(), mirrored, PhotoFormat::Png).expect("a photograph");
    let lines = reader.read(&mirrored).expect("a reading");
    assert!(lines.iter().all(|line| !line.text.contains("27060")), "{lines:?}");
}

#[test]
fn several_threads_read_the_same_at_a_time() {
    let (reader, photo) = (reader(), golden("tilted"));
    let alone = reader.read(&photo).expect("a reading");
    assert!(!alone.is_empty());
    thread::scope(|scope| {
        let readings: Vec<_> = (0..3).map(|_| scope.spawn(|| reader.read(&photo))).collect();
        for reading in readings {
            assert_eq!(reading.join().expect("no panic").expect("a reading"), alone);
        }
    });
}

#[test]
fn a_folder_reads_as_the_embedded_networks_do() {
    let reader = Reader::open(&onnx_runtime(), &folder()).expect("the folder is whole");
    assert_eq!(reader.read(&golden("level")).unwrap(), self::reader().read(&golden("level")).unwrap());
}

#[test]
fn a_line_whose_text_is_known_needs_less_confidence() {
    let copy = copied_folder();
    let path = copy.path().join(READING_FILE);
    let text = fs::read_to_string(&path).expect("the manifest");
    // No line of several letters has such a confidence.
    fs::write(&path, text.replacen("\nline_confidence = 0.8", "\nline_confidence = 1.0", 1))
        .expect("a manifest");
    let reader = Reader::open(&onnx_runtime(), copy.path()).expect("the folder is whole");
    let photo = golden("level");
    assert_eq!(reader.read(&photo).expect("a reading"), []);
    let known = KnownTexts { is_known: &|text| text.contains("DENSO"), is_one: &|_, _| false };
    let lines = reader.read_known(&photo, &known).expect("a reading");
    assert_eq!(lines.iter().map(|line| without_spaces(&line.text)).collect::<Vec<_>>(), ["DENSOCORPORATION"]);
}

#[test]
fn a_known_text_on_two_lines_is_one() {
    // The two lower lines of the drawing, moved together like a name printed on two lines.
    let level = golden("level");
    let (pixels, _) = level.rgb().as_chunks::<3>();
    let rows = || pixels.chunks(level.width() as usize);
    let block = rows().skip(190).take(60).chain(rows().skip(270).take(45)).flatten();
    let rgb = block.copied().flatten().collect();
    let block = Photo::from_rgb(level.width(), 105, rgb, PhotoFormat::Png).expect("a photograph");
    let is_one = |upper: &str, lower: &str| upper.starts_with("DENSO") && lower.starts_with("MADE");
    let known = KnownTexts { is_known: &|_| false, is_one: &is_one };
    let lines = reader().read_known(&block, &known).expect("a reading");
    let texts: Vec<String> = lines.iter().map(|line| without_spaces(&line.text)).collect();
    assert_eq!(texts, ["DENSOCORPORATIONMADEINJAPAN12V"]);
}

#[test]
fn a_missing_or_changed_file_is_named() {
    let runtime = onnx_runtime();
    for name in [READING_FILE].into_iter().chain(GRAPHS) {
        let copy = copied_folder();
        fs::remove_file(copy.path().join(name)).expect(name);
        let error = Reader::open(&runtime, copy.path()).expect_err(name);
        assert!(matches!(&error, Error::ReadModel { path, .. } if path.ends_with(name)), "{error:?}");
    }
    for name in GRAPHS {
        let copy = copied_folder();
        let mut bytes = fs::read(folder().join(name)).expect(name);
        bytes[1000] ^= 1;
        fs::write(copy.path().join(name), &bytes).expect(name);
        let error = Reader::open(&runtime, copy.path()).expect_err(name);
        assert!(matches!(&error, Error::WrongModelHash { file, .. } if file == name), "{error:?}");
        fs::write(copy.path().join(name), &bytes[1..]).expect(name);
        let error = Reader::open(&runtime, copy.path()).expect_err(name);
        assert!(matches!(&error, Error::WrongModelSize { file, .. } if file == name), "{error:?}");
    }
}

#[test]
fn a_manifest_that_does_not_fit_is_refused() {
    let runtime = onnx_runtime();
    for (from, to, expected) in [
        ("unclip_ratio = 1.4", "unclip_ratio = -1.0", "`detector.unclip_ratio` to -1"),
        ("max_lines = ", "max_lines = 99999", "`detector.max_lines`"),
        ("\nprobability = 0", "\nprobability = 7", "`glance.probability` to 7"),
        ("height = 48", "height = 4", "`recogniser.height` to 4"),
        ("known_confidence = 0.6", "known_confidence = 6.0", "`recogniser.known_confidence` to 6"),
        ("path = \"detector.onnx\"", "path = \"../detector.onnx\"", "`detector.graph.path`"),
        ("characters = \"!", "characters = \"", "`fetch_name_0` should be"),
        ("input = \"x\"", "input = \"y\"", "`y` should be"),
        ("version = ", "model_version = ", "does not have the expected form"),
    ] {
        let copy = copied_folder();
        let path = copy.path().join(READING_FILE);
        let text = fs::read_to_string(&path).expect("the manifest");
        assert!(text.contains(from), "{from}");
        fs::write(&path, text.replacen(from, to, 1)).expect("a changed manifest");
        let error = Reader::open(&runtime, copy.path()).expect_err(from).to_string();
        assert!(error.contains(expected), "{from}: {error}");
    }
}
