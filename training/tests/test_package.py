"""The files of a model folder."""

import json

from partsight_training.package import rows_on_lines


def test_the_record_has_a_row_on_a_line_and_reads_the_same() -> None:
    record = {"sets": {"valid": {"n": 250, "top1": [242, 250]}}, "notes": "a {b\nc]", "empty": []}
    text = rows_on_lines(record)
    assert json.loads(text) == record
    assert '      "top1": [ 242, 250 ]\n' in text
