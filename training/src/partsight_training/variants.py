"""The rows of `variants.json`: what was tried, with figures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from partsight_training.calibrate import fit_temperature
from partsight_training.evaluate import top_k
from partsight_training.model import probabilities

Row = dict[str, object]


class Notebook:
    """The rows measured so far, on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, list[Row]] = {}
        if path.exists():
            self.rows = json.loads(path.read_text(encoding="utf-8"))

    def missing(self, stage: str, settings: Row) -> bool:
        """Whether these settings are still to be measured."""
        return all(row["settings"] != settings for row in self.rows.get(stage, []))

    def note(self, stage: str, settings: Row, found: Row) -> None:
        """Add a row and write the file, a row on a line."""
        self.rows.setdefault(stage, []).append({"settings": settings, **found})
        print(stage, json.dumps(self.rows[stage][-1]), flush=True)
        stages = (
            f"{json.dumps(stage)}: [\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]"
            for stage, rows in self.rows.items()
        )
        self.path.write_text("{\n" + ",\n".join(stages) + "\n}\n", encoding="utf-8")


def figures(logits: dict[str, np.ndarray], classes: dict[str, np.ndarray]) -> Row:
    """Right answers among one and five, and log loss at each set's own best temperature.

    `logits` f32 `[n, c]` and `classes` i64 `[n]` of each set by its name.
    """
    found: Row = {}
    for name, scores in logits.items():
        right = classes[name]
        scaled = probabilities(scores, fit_temperature(scores, right))
        log_loss = float(-np.log(scaled[np.arange(len(right)), right]).mean())
        found[name] = {
            "top1": f"{top_k(scores, right, 1).count}/{len(right)}",
            "top5": f"{top_k(scores, right, 5).count}/{len(right)}",
            "logLoss": round(log_loss, 4),
        }
    return found
