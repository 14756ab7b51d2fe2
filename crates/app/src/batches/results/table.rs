//! Columns and rows of the results.

use partsight_domain::Scan;
use serde_json::{Value, json};

use super::ItemAnswer;
use crate::PartTypes;
use crate::batches::item_group::ItemGroup;
use crate::parquet_file::{Cell, ColumnKind};

/// The columns in the order in which [`row`] fills them.
pub(super) const COLUMNS: [(&str, ColumnKind); 23] = [
    ("key", ColumnKind::Text),
    ("file", ColumnKind::Text),
    ("state", ColumnKind::Text),
    ("problem", ColumnKind::Text),
    ("duplicate_of", ColumnKind::Text),
    ("part", ColumnKind::Text),
    ("label", ColumnKind::Text),
    ("verdict", ColumnKind::Text),
    ("confidence", ColumnKind::Number),
    ("feedback", ColumnKind::Text),
    ("right_label", ColumnKind::Text),
    ("scan", ColumnKind::Text),
    ("item", ColumnKind::Text),
    ("item_part", ColumnKind::Text),
    ("item_label", ColumnKind::Text),
    ("item_verdict", ColumnKind::Text),
    ("item_confidence", ColumnKind::Number),
    ("discarded", ColumnKind::Text),
    ("grade", ColumnKind::Text),
    ("damage", ColumnKind::Text),
    ("note", ColumnKind::Text),
    ("lacks_taught_parts", ColumnKind::Text),
    // What `duplicate_of` and `item` name.
    ("id", ColumnKind::Text),
];

/// Cells for the part type of a group: by people's feedback, else by the pooled answer.
struct GroupCells {
    part: Cell,
    label: Cell,
    verdict: Cell,
    confidence: Cell,
}

impl GroupCells {
    fn new(types: &PartTypes, ItemGroup { answer, said, .. }: &ItemGroup) -> Self {
        let label = said.as_ref().or(answer.as_ref().map(|answer| &answer.best.label));
        Self {
            part: label.map(|label| types.name(label)).into(),
            label: label.into(),
            verdict: answer.as_ref().map(|answer| answer.verdict).into(),
            confidence: number(answer.as_ref().map(|answer| answer.best.confidence)),
        }
    }
}

/// A cell for each of the [`COLUMNS`].
pub(super) fn row(types: &PartTypes, ItemAnswer { item, scan, group, grade }: &ItemAnswer) -> Vec<Cell> {
    let (scan, grade) = (scan.as_ref(), grade.as_ref());
    let feedback = scan.and_then(|scan| scan.feedback.as_ref());
    let of_group = group.as_ref().map(|group| GroupCells::new(types, group));
    let (group_part, group_label, group_verdict, group_confidence) = match of_group {
        Some(GroupCells { part, label, verdict, confidence }) => (part, label, verdict, confidence),
        None => (Cell::Empty, Cell::Empty, Cell::Empty, Cell::Empty),
    };
    vec![
        Cell::Text(item.key.clone()),
        Cell::Text(item.name.clone()),
        Cell::Text(item.state.to_string()),
        item.problem.as_ref().into(),
        item.duplicate_of.into(),
        scan.map(|scan| types.name(&scan.best.label)).into(),
        scan.map(|scan| &scan.best.label).into(),
        scan.map(|scan| scan.verdict).into(),
        number(scan.map(|scan| scan.best.confidence)),
        feedback.map(|feedback| feedback.kind.as_str()).into(),
        feedback.and_then(|feedback| feedback.label.as_ref()).into(),
        scan.map(|scan| scan.id).into(),
        item.group_id.into(),
        group_part,
        group_label,
        group_verdict,
        group_confidence,
        item.is_discarded.then_some("yes").into(),
        grade.map(|grade| &grade.grade).into(),
        grade.map(|grade| grade.damage.join("; ")).filter(|text| !text.is_empty()).into(),
        grade.map(|grade| &grade.note).filter(|note| !note.is_empty()).into(),
        scan.filter(|scan| scan.receipt.lacks_taught_parts).map(|_| "yes").into(),
        Some(item.id).into(),
    ]
}

/// Rounded to thousandths, because more digits are not significant.
fn number(value: Option<f32>) -> Cell {
    value.map_or(Cell::Empty, |value| Cell::Number((f64::from(value) * 1_000.0).round() / 1_000.0))
}

pub(super) fn csv_row(types: &PartTypes, answer: &ItemAnswer) -> Vec<String> {
    let text = |cell| match cell {
        Cell::Empty => String::new(),
        Cell::Text(text) => text,
        Cell::Number(number) => format!("{number:.3}"),
    };
    row(types, answer).into_iter().map(text).collect()
}

pub(super) fn json_line(types: &PartTypes, ItemAnswer { item, scan, group, grade }: &ItemAnswer) -> String {
    let line = json!({
        "id": item.id,
        "key": item.key,
        "file": item.name,
        "state": item.state.as_str(),
        "problem": item.problem,
        "duplicateOf": item.duplicate_of,
        "capturedAt": item.captured_at.map(|moment| moment.to_string()),
        "discarded": item.is_discarded,
        "scan": scan.as_ref().map(|scan| json_answer(types, scan)),
        "grade": grade.as_ref().map(|grade| {
            json!({ "grade": grade.grade, "damage": grade.damage, "note": grade.note, "gradedAt": format!("{:.3}", grade.graded_at) })
        }),
        "item": group.as_ref().map(|group| json_group(types, group)),
    });
    format!("{line}\n")
}

fn json_answer(types: &PartTypes, scan: &Scan) -> Value {
    let feedback = scan.feedback.as_ref();
    json!({
        "id": scan.id,
        "part": types.name(&scan.best.label),
        "label": scan.best.label.as_str(),
        "verdict": scan.verdict.as_str(),
        "confidence": scan.best.confidence,
        "lacksTaughtParts": scan.receipt.lacks_taught_parts,
        "feedback": feedback.map(|feedback| feedback.kind.as_str()),
        "rightLabel": feedback.and_then(|feedback| feedback.label.as_ref()).map(ToString::to_string),
        "scannedAt": format!("{:.3}", scan.scanned_at),
    })
}

fn json_group(types: &PartTypes, group: &ItemGroup) -> Value {
    let answer = group.answer.as_ref().map(|answer| {
        json!({
            "part": types.name(&answer.best.label),
            "label": answer.best.label.as_str(),
            "verdict": answer.verdict.as_str(),
            "confidence": answer.best.confidence,
        })
    });
    json!({
        "id": group.id,
        "photos": group.members.iter().map(|(item, _)| item.id).collect::<Vec<_>>(),
        "proposed": group.is_proposed,
        "answer": answer,
        "rightLabel": group.said.as_ref().map(ToString::to_string),
    })
}
