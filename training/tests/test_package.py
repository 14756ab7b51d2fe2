"""The files of a model folder."""

import json
import tomllib

from partsight_training.config import REPOSITORY
from partsight_training.manifest import read_manifest, to_toml
from partsight_training.package import rows_on_lines


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
