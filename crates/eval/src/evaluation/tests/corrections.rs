//! Labels that are decided about on the page: the file that its script makes, applied to the photographs.

use super::*;

/// What `corrections.js` makes of an attribute.
fn decoded(attribute: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = attribute.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next().unwrap(), rest.next().unwrap()];
            bytes.extend(hex::decode(digits).unwrap());
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// A list of 60 photographs of rims, the first four of which have names that a CSV file or a page has to escape.
fn hard_names() -> (TempDir, Dataset) {
    let folder = tempfile::tempdir().unwrap();
    let mut list = csv::Writer::from_writer(Vec::new());
    list.write_record(["path", "label"]).unwrap();
    for index in 0..N {
        let path = match index {
            0 => "=a.jpg".to_owned(),
            1 => "b, \"c\" <i>'.jpg".to_owned(),
            2 => "d\ne.jpg".to_owned(),
            3 => "ä %25.jpg".to_owned(),
            _ => format!("{index}.jpg"),
        };
        list.write_record([&path, "rim"]).unwrap();
    }
    let path = folder.path().join("list.csv");
    fs::write(&path, list.into_inner().unwrap()).unwrap();
    let dataset = Dataset::open(&path).unwrap();
    (folder, dataset)
}

#[test]
fn what_is_decided_on_the_page_is_applied() {
    let (folder, mut dataset) = hard_names();
    let measurement = measurement(|index| index >= 5);
    let evaluation = made(&dataset, &measurement);
    let (_, page) = written(&evaluation);
    let paths: Vec<String> = quoted(&page, "<li data-path=\"").into_iter().map(decoded).collect();
    assert_eq!(paths.len(), 5, "{paths:?}");
    // Two choices of each item have a value; the third takes that of its list of labels.
    let radios = page.split("type=\"radio\"").skip(1).filter_map(|radio| radio.split('>').next());
    let values: Vec<String> = radios.flat_map(|radio| quoted(radio, "value=\"")).map(decoded).collect();
    assert_eq!(values, ["rim", "brake-rotor"].repeat(5));
    let others: Vec<String> = quoted(&page, "<option value=\"").into_iter().map(decoded).collect();
    assert_eq!(others, ["", "brake-rotor", "not-a-part", "rim", "spark-plug"]);

    // As the script joins them: right, the likely label, another label, none; nothing is decided about the last.
    let chosen = ["rim", "brake-rotor", "spark-plug", ""];
    let rows: String =
        paths.iter().zip(chosen).fold(String::new(), |text, (path, label)| format!("{text}{path},{label}\n"));
    let corrections = folder.path().join("corrections.csv");
    fs::write(&corrections, format!("path,label\n{rows}")).unwrap();
    dataset.relabel(&corrections).unwrap();
    let label = |sample: &crate::Sample| dataset.labels[sample.label].as_str();
    let found: Vec<&str> = dataset.samples.iter().take(4).map(label).collect();
    assert_eq!(found, ["rim", "brake-rotor", "spark-plug", "rim"]);
    assert_eq!(dataset.samples.len(), N - 1, "the fourth is left out");
    assert!(dataset.notices[0].ends_with("changes the labels of 2 photographs and leaves out 1"));
    assert_eq!(dataset.notices.len(), 1, "no path of the file is unknown: {:?}", dataset.notices);
}

#[test]
fn only_a_page_with_labels_to_check_has_a_script_and_the_policy_names_it() {
    let (_folder, dataset) = hard_names();
    let wrong = measurement(|index| index >= 5);
    let (_, page) = written(&made(&dataset, &wrong));
    assert_eq!(page.matches("<script").count(), 1);
    let (_, script) = page.split_once("<script>").unwrap();
    let (script, _) = script.split_once("</script>").unwrap();
    let hash = STANDARD.encode(Sha256::digest(script));
    let policy = quoted(&page, "Content-Security-Policy\" content=\"")[0];
    assert!(policy.contains(&format!("script-src 'sha256-{hash}'; ")), "{policy}");

    let right = measurement(|_| true);
    let (_, page) = written(&made(&dataset, &right));
    assert!(!page.contains("<script") && !page.contains("script-src"), "nothing to decide");
}

#[test]
fn all_labels_that_are_probably_wrong_have_a_picture() {
    let (_folder, dataset) = hard_names();
    // Half are rims that are surely brake rotors; the other half are brake rotors, so that this class has a threshold.
    let mut measurement = measurement(|_| false);
    for photo in &mut measurement.photos[..2] {
        photo.truth = Truth::Class(0);
    }
    let evaluation = made(&dataset, &measurement);
    let n_wrong = evaluation.n_confidently_wrong_labels();
    assert!(n_wrong > 48, "{n_wrong}");
    let (_, page) = written(&evaluation);
    assert_eq!(page.matches("<li data-path=").count(), n_wrong);
}
