//! The report on a catalogue of taught parts: a page with pictures, and JSON.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use partsight_app::Diagnosis;
use partsight_domain::{PartLabel, ReferenceId};
use serde_json::{Value, json};

use super::html::{self, Escaped, Table, counted, percent, put};
use super::page::{put_picture, section};
use super::{DIAGNOSIS, PAGE, ReportFolder};
use crate::Result;

/// Thumbnails of references, JPEG.
pub type ReferencePictures = HashMap<ReferenceId, Vec<u8>>;

/// Writes `index.html`, a page that loads nothing else, and `diagnosis.json`; `written_at` is shown on the page.
///
/// # Errors
/// [`Error::WriteReport`](crate::Error::WriteReport).
pub fn write_diagnosis(
    folder: &ReportFolder,
    diagnosis: &Diagnosis,
    pictures: &ReferencePictures,
    written_at: &str,
) -> Result<()> {
    let json = format!("{:#}\n", diagnosis_json(diagnosis));
    folder
        .write(&[(DIAGNOSIS, json.into_bytes()), (PAGE, page(diagnosis, pictures, written_at).into_bytes())])
}

/// The diagnosis as JSON.
pub fn diagnosis_json(found: &Diagnosis) -> Value {
    let reference = |id: &ReferenceId| json!({ "id": id, "label": found.labels.get(id) });
    let references = |ids: &[ReferenceId]| ids.iter().map(reference).collect::<Vec<_>>();
    json!({
        "references": found.n_references,
        "ofOtherModel": found.n_of_other_model,
        "examined": found.n_examined,
        "judged": found.n_judged,
        "right": found.n_right,
        "parts": found.n_parts,
        "confusions": found.confusions.iter().map(|confusion| json!({
            "parts": confusion.parts,
            "references": confusion.n,
            "taken": confusion.n_taken,
            "examples": confusion.examples.iter().map(|pair| references(pair)).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "nCopies": found.n_copies,
        "copies": found.copies.iter().map(|copy| json!({
            "references": references(&copy.references),
            "samePart": copy.is_same_part,
            "similarity": copy.similarity,
        })).collect::<Vec<_>>(),
        "nOutliers": found.n_outliers,
        "outliers": found.outliers.iter().map(|outlier| json!({
            "reference": reference(&outlier.reference),
            "similarity": outlier.similarity,
            "nearest": outlier.nearest.as_ref().map(|(_, id, similarity)| json!({
                "reference": reference(id), "similarity": similarity,
            })),
        })).collect::<Vec<_>>(),
        "lonely": found.lonely.iter().map(|lonely| json!({
            "label": lonely.label, "reference": lonely.reference,
        })).collect::<Vec<_>>(),
        "lookAlikes": found.look_alikes,
    })
}

fn page(found: &Diagnosis, pictures: &ReferencePictures, written_at: &str) -> String {
    let page = Page { found, pictures };
    let mut body = String::new();
    put!(
        body,
        "<h1>Check of the taught parts</h1>\n<p class=\"kicker\">{} of {} · {}</p>\n<p class=\"headline\">{}</p>\n",
        Escaped(&counted(found.n_references, "photograph")),
        Escaped(&counted(found.n_parts, "part")),
        Escaped(written_at),
        Escaped(&headline(found))
    );
    body.push_str(&page.confusions());
    body.push_str(&page.copies());
    body.push_str(&page.outliers());
    body.push_str(&page.lonely());
    body.push_str(&page.look_alikes());
    html::page("The taught parts", &body)
}

fn headline(found: &Diagnosis) -> String {
    let mut text = match found.n_judged {
        0 => "No part has two photographs, so leave-one-out accuracy cannot be measured.".to_owned(),
        n => format!(
            "Leave-one-out accuracy: {} of {n} photographs ({}) are recognised from the other photographs.",
            found.n_right,
            percent(found.n_right as f64 / n as f64)
        ),
    };
    if !found.is_complete() {
        put!(text, " {} of {} were examined.", found.n_examined, found.n_references);
    }
    if found.n_of_other_model > 0 {
        put!(text, " {} left out: embedded by another model.", counted(found.n_of_other_model, "photograph"));
    }
    text
}

struct Page<'a> {
    found: &'a Diagnosis,
    pictures: &'a ReferencePictures,
}

impl Page<'_> {
    fn name<'a>(&'a self, label: &'a PartLabel) -> &'a str {
        self.found.name(label)
    }

    fn confusions(&self) -> String {
        let confusions = &self.found.confusions;
        if confusions.is_empty() {
            return section("confusions", "Parts that are hard to tell apart", "None.", "");
        }
        let table = Table {
            caption: "Parts that are hard to tell apart",
            head: &["part", "and part", "photographs in doubt", "taken for the other"],
            numbers: &[2, 3],
            rows: confusions
                .iter()
                .map(|confusion| {
                    let [one, other] = &confusion.parts;
                    vec![
                        self.name(one).to_owned(),
                        self.name(other).to_owned(),
                        confusion.n.to_string(),
                        confusion.n_taken.to_string(),
                    ]
                })
                .collect(),
        };
        let examples = confusions.iter().flat_map(|confusion| &confusion.examples);
        let pairs = examples.map(|[one, other]| (*one, *other, "nearest of the other part".to_owned()));
        let reading = "A photograph is in doubt if the other part's photographs are about as similar as those of its own part. \
                       Add photographs from other sides, or merge the two parts.";
        section(
            "confusions",
            "Parts that are hard to tell apart",
            reading,
            &(table.html() + &self.gallery(pairs)),
        )
    }

    fn copies(&self) -> String {
        let copies = &self.found.copies;
        let pairs = copies.iter().map(|copy| {
            let note =
                if copy.is_same_part { "the same picture" } else { "the same picture, of another part" };
            (copy.references[0], copy.references[1], note.to_owned())
        });
        let reading = listed(
            self.found.n_copies,
            copies.len(),
            "pair",
            "Of two different parts, one picture is wrong; of the same part, one picture is redundant.",
        );
        section("copies", "Duplicate pictures", &reading, &self.gallery(pairs))
    }

    fn outliers(&self) -> String {
        let outliers = &self.found.outliers;
        let mut content = "<ul class=\"gallery\">\n".to_owned();
        for outlier in outliers {
            content.push_str("<li>");
            self.put(&mut content, outlier.reference, self.name(&outlier.label));
            put!(
                content,
                "<p><span class=\"was\">{}</span>, similarity {:.2}",
                Escaped(self.name(&outlier.label)),
                outlier.similarity
            );
            if let Some((label, _, similarity)) = &outlier.nearest {
                put!(
                    content,
                    "; nearest <span class=\"took\">{}</span>, {similarity:.2}",
                    Escaped(self.name(label))
                );
            }
            put!(content, "</p><p class=\"quiet\">{}</p></li>\n", outlier.reference);
        }
        content.push_str("</ul>\n");
        let reading = listed(
            self.found.n_outliers,
            outliers.len(),
            "photograph",
            "Unlike the other photographs of their part: they show another side of it, or another part.",
        );
        section("outliers", "Outliers", &reading, &content)
    }

    fn lonely(&self) -> String {
        let lonely = &self.found.lonely;
        let table = Table {
            caption: "Parts with one photograph or none",
            head: &["part", "photographs"],
            numbers: &[1],
            rows: lonely
                .iter()
                .map(|lonely| {
                    vec![
                        self.name(&lonely.label).to_owned(),
                        usize::from(lonely.reference.is_some()).to_string(),
                    ]
                })
                .collect(),
        };
        let reading =
            if lonely.is_empty() { "None." } else { "Too few to check; add two more photographs to each." };
        let content = if lonely.is_empty() { String::new() } else { table.html() };
        section("lonely", "Parts with one photograph or none", reading, &content)
    }

    fn look_alikes(&self) -> String {
        let pairs = &self.found.look_alikes;
        // No section if no pair is marked.
        if pairs.is_empty() {
            return String::new();
        }
        let name = |label| self.name(label).to_owned();
        let table = Table {
            caption: "Marked look-alikes",
            head: &["part", "looks like"],
            numbers: &[],
            rows: pairs.iter().map(|[one, other]| vec![name(one), name(other)]).collect(),
        };
        let reading = "If a scan is one of two such parts, the answer leaves open which of them it is.";
        section("look-alikes", "Marked look-alikes", reading, &table.html())
    }

    /// Pairs of references, each with a note on the second.
    fn gallery(&self, pairs: impl Iterator<Item = (ReferenceId, ReferenceId, String)>) -> String {
        let mut out = "<ul class=\"gallery\">\n".to_owned();
        for (one, other, note) in pairs {
            for (id, text) in [(one, String::new()), (other, note)] {
                let name = self.found.labels.get(&id).map_or("", |label| self.name(label));
                out.push_str("<li>");
                self.put(&mut out, id, name);
                put!(
                    out,
                    "<p><span class=\"was\">{}</span> {}</p><p class=\"quiet\">{id}</p></li>\n",
                    Escaped(name),
                    Escaped(&text)
                );
            }
        }
        out.push_str("</ul>\n");
        out
    }

    fn put(&self, out: &mut String, id: ReferenceId, name: &str) {
        let picture =
            self.pictures.get(&id).map(|jpeg| format!("data:image/jpeg;base64,{}", STANDARD.encode(jpeg)));
        put_picture(out, picture.as_deref(), name);
    }
}

fn listed(n: usize, n_shown: usize, noun: &str, sentence: &str) -> String {
    match n {
        0 => "None.".to_owned(),
        n if n > n_shown => format!("{sentence} The first {n_shown} of {n}."),
        n => format!("{sentence} {} in all.", counted(n, noun)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use partsight_app::{Confusion, Copy, LonelyPart, Outlier};

    use super::*;

    fn label(name: &str) -> PartLabel {
        PartLabel::new(name).unwrap()
    }

    fn id(number: u128) -> ReferenceId {
        format!("00000000-0000-0000-0000-{number:012}").parse().unwrap()
    }

    fn found() -> Diagnosis {
        Diagnosis {
            n_references: 4,
            n_of_other_model: 1,
            n_examined: 3,
            n_judged: 2,
            n_right: 1,
            n_parts: 2,
            confusions: vec![Confusion {
                parts: [label("piston"), label("rim")],
                n: 2,
                n_taken: 1,
                examples: vec![[id(1), id(2)]],
            }],
            copies: vec![Copy { references: [id(1), id(3)], is_same_part: false, similarity: 0.999 }],
            n_copies: 1,
            outliers: vec![Outlier {
                reference: id(2),
                label: label("rim"),
                similarity: 0.12,
                nearest: Some((label("piston"), id(1), 0.5)),
            }],
            n_outliers: 1,
            lonely: vec![LonelyPart { label: label("rim"), reference: None }],
            look_alikes: vec![[label("piston"), label("rim")]],
            names: BTreeMap::from([(label("rim"), "<b>Rim</b>".to_owned())]),
            labels: BTreeMap::from([(id(1), label("piston")), (id(2), label("rim")), (id(3), label("rim"))]),
        }
    }

    #[test]
    fn the_page_shows_what_was_found_with_its_pictures() {
        let pictures = ReferencePictures::from([(id(1), vec![1, 2, 3])]);
        let text = page(&found(), &pictures, "2027-01-15 08:00 UTC");
        for part in [
            "1 of 2 photographs (50.0%)",
            "3 of 4 were examined",
            "1 photograph left out: embedded by another model",
            "data:image/jpeg;base64,AQID",
            "no longer readable",
            "&lt;b&gt;Rim&lt;/b&gt;",
            "the same picture, of another part",
            "similarity 0.12; nearest",
            "id=\"lonely\"",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("<b>Rim"), "{text}");
    }

    #[test]
    fn json_names_each_reference_with_its_part() {
        let json = diagnosis_json(&found());
        assert_eq!(json["confusions"][0]["examples"][0][1]["label"], "rim");
        assert_eq!(json["copies"][0]["samePart"], false);
        assert_eq!(json["outliers"][0]["nearest"]["reference"]["id"], id(1).to_string());
        assert_eq!(json["lookAlikes"], json!([["piston", "rim"]]));
        assert_eq!(json["lonely"][0], json!({ "label": "rim", "reference": null }));
    }
}
