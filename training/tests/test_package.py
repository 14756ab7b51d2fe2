"""The files of a model folder."""

import json
import tomllib

from partsight_training.config import REPOSITORY
from partsight_training.manifest import read_manifest, to_toml
from partsight_training.package import rejection_bounds, rows_on_lines


def test_the_record_has_a_row_on_a_line_and_reads_the_same() -> None:
    record = {"sets": {"valid": {"n": 250, "top1": [242, 250]}}, "notes": "a {b\nc]", "empty": []}
    text = rows_on_lines(record)
    assert json.loads(text) == record
    assert '      "top1": [ 242, 250 ]\n' in text


def test_a_manifest_reads_as_it_was_written() -> None:
    shipped = read_manifest(REPOSITORY / "models" / "partsight-50")
    shipped["note"] = 'two "made" ones, 1e-8'
    shipped["sets"]["probability"] = 1.23456e-8
    assert tomllib.loads(to_toml(shipped)) == shipped


def test_rejection_bounds_are_those_of_the_held_out_counts() -> None:
    folder = REPOSITORY / "models" / "partsight-50"
    record = json.loads((folder / "training-record.json").read_text(encoding="utf-8"))
    shipped = read_manifest(folder)["thresholds"]["rejection"]
    assert shipped == rejection_bounds(record["measured"])

    def measured(count: int, total: int) -> dict[str, object]:
        verdicts = {"identified": {"count": count, "total": total}}
        return {f"{name}-held-out": {"verdicts": verdicts} for name in ("negatives", "other-parts")}

    # None of 59: 1 - 0.05^(1/59) is 0.04951, rounded up.
    rows = rejection_bounds(measured(0, 59))
    assert [row["identified_upper_bound"] for row in rows] == [0.0496, 0.0496]
    assert [row["of"] for row in rows] == ["not-a-part", "other-parts"]
