"""Measure the variants from which a config was chosen, and write down all of them.

    python -m partsight_training.sweep --config configs/partsight-50.toml

Every variant changes the config in the named settings only. The figures are of `valid` and
`field-valid`, on which the choice was made, so they flatter the chosen one. A sweep takes long:
each row is written at once, and rows already in `variants.json` are kept. Delete the file to
measure all of them again.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from partsight_training.calibrate import fit_temperature
from partsight_training.config import (
    REPOSITORY,
    Config,
    KnownConfig,
    ResizeConfig,
    cache_dir,
    load_config,
    photos_dir,
    weights_dir,
)
from partsight_training.data import Split, embed_split, read_split
from partsight_training.evaluate import auroc, top_k
from partsight_training.heads import (
    KnownGroup,
    fit_class_head,
    known_sample,
    out_of_fold,
    out_of_fold_known,
    with_known,
)
from partsight_training.model import Backbone, Head, embed, known_scalars, probabilities
from partsight_training.train import KNOWN_SPLITS, UNKNOWN_SPLITS, half

RESIZES = [
    {"mode": mode, "filter": filter_, **extra}
    for filter_ in ("bilinear", "bicubic")
    for mode, extra in (
        ("squash", {}),
        ("center-crop", {"shortest_side": 256}),
        ("center-crop", {"shortest_side": 224}),
        ("letterbox", {"pad": 124}),
        ("letterbox", {"pad": 255}),
    )
]
# (feature power, inverse regularisation, views)
HEADS = [
    (1.0, 1.0, 0),
    (1.0, 3.0, 0),
    (1.0, 10.0, 0),
    (1.0, 30.0, 0),
    (0.5, 10.0, 0),
    (0.5, 100.0, 0),
    (1.0, 10.0, 1),
    (1.0, 10.0, 2),
    (1.0, 3.0, 4),
    (1.0, 10.0, 4),
    (1.0, 30.0, 4),
]
# (features, inverse regularisation, weight of other parts, share of field photographs)
KNOWN = [
    (("embedding",), 1.0, 1.0, 0.0),
    (("logsumexp",), 10.0, 1.0, 0.0),
    (("embedding", "logsumexp"), 1.0, 0.0, 0.0),
    (("embedding", "logsumexp"), 1.0, 1.0, 0.0),
    (("embedding", "logsumexp"), 10.0, 1.0, 0.0),
    (("embedding", "logsumexp"), 1.0, 1.0, 0.2),
    (("embedding", "logsumexp"), 1.0, 1.0, 0.5),
    (("embedding", "logsumexp", "prototype"), 1.0, 1.0, 0.2),
]

Row = dict[str, object]


class Bench:
    """The photographs and the cached embeddings that the variants share."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.backbone = Backbone(weights_dir() / config.starting_weights)
        names = ("train", *KNOWN_SPLITS, *UNKNOWN_SPLITS)
        self.splits: dict[str, Split] = {n: read_split(photos_dir(), n) for n in names}
        self.labels = sorted(set(self.splits["train"].labels))
        self.classes = {n: self.splits[n].classes(self.labels) for n in ("train", *KNOWN_SPLITS)}

    def embedding(
        self, name: str, resize: ResizeConfig, power: float, view: int | None = None
    ) -> np.ndarray:
        """Unit-length embeddings f32 `[n, d]` of a split, plain or of one random view."""
        extra = () if view is None else (self.config.augment, view, self.config.seed)
        raw = embed_split(self.splits[name], self.backbone, resize, cache_dir(), *extra)
        return embed(raw, power)

    def class_head(self, config: Config) -> tuple[Head, list[np.ndarray]]:
        """A class head under `config`, and the embeddings of the training photographs' views.

        The training photographs are square already: how they are resized makes no difference.
        """
        power = config.head.feature_power
        parts = [self.embedding("train", self.config.resize, power)]
        for view in range(config.augment.views):
            parts.append(self.embedding("train", self.config.resize, power, view))
        classes = np.tile(self.classes["train"], len(parts))
        head = fit_class_head(np.concatenate(parts), classes, len(self.labels), config.head)
        return head, parts[1:]

    def class_figures(self, head: Head, resize: ResizeConfig) -> Row:
        """Right answers among one and five, and log loss at each set's own best temperature."""
        figures: Row = {}
        for name in KNOWN_SPLITS:
            classes = self.classes[name]
            logits = head.logits(self.embedding(name, resize, head.feature_power))
            scaled = probabilities(logits, fit_temperature(logits, classes))
            log_loss = float(-np.log(scaled[np.arange(len(classes)), classes]).mean())
            figures[name] = {
                "top1": f"{top_k(logits, classes, 1).count}/{len(classes)}",
                "top5": f"{top_k(logits, classes, 5).count}/{len(classes)}",
                "logLoss": round(log_loss, 4),
            }
        return figures


class KnownBench:
    """What every variant of the known head shares: the class head and what it says."""

    def __init__(self, bench: Bench) -> None:
        self.config = bench.config
        self.head, views = bench.class_head(bench.config)
        resize, power = self.config.resize, self.config.head.feature_power
        self.embedding = {name: bench.embedding(name, resize, power) for name in bench.splits}
        _, train = out_of_fold(
            self.embedding["train"],
            views,
            bench.classes["train"],
            len(bench.labels),
            self.config,
        )
        self.scalars = {
            name: known_scalars(part, self.head.logits(part), self.head.prototypes)
            for name, part in self.embedding.items()
        } | {"train": train}
        self.fitting = {name: half(bench.splits[name], self.config.seed) for name in UNKNOWN_SPLITS}
        self.types = np.array(bench.splits["other-parts"].labels)

    def figures(self, known: KnownConfig) -> Row:
        """AUROC on the held-out halves; field photographs cross-validated where they fit it.

        `other-parts-unseen-type` leaves one type of other part out of the fitting and measures on
        it, mean of the types: what to expect of parts that nobody thought of.
        """
        scores = self._scores(known, self.fitting)
        rows: Row = {
            against: {
                n: round(auroc(scores[against], scores[n][~self.fitting[n]]), 4)
                for n in UNKNOWN_SPLITS
            }
            for against in KNOWN_SPLITS
        }
        left_out: dict[str, list[float]] = {against: [] for against in KNOWN_SPLITS}
        for type_ in np.unique(self.types):
            scores = self._scores(known, {**self.fitting, "other-parts": self.types != type_})
            for against in KNOWN_SPLITS:
                unseen = scores["other-parts"][self.types == type_]
                left_out[against].append(auroc(scores[against], unseen))
        for against in KNOWN_SPLITS:
            rows[against]["other-parts-unseen-type"] = round(float(np.mean(left_out[against])), 4)
        return rows

    def _scores(self, known: KnownConfig, fitting: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        weight = {"negatives": 1.0, "other-parts": known.other_parts_weight}
        groups = [
            KnownGroup(
                self.embedding["train"], self.scalars["train"], True, 1.0 - known.field_share
            ),
            KnownGroup(
                self.embedding["field-valid"], self.scalars["field-valid"], True, known.field_share
            ),
        ] + [
            KnownGroup(
                self.embedding[name][mask],
                self.scalars[name][mask],
                False,
                weight[name] * float(mask.sum()),
            )
            for name, mask in fitting.items()
        ]
        sample = known_sample(groups)
        head = with_known(self.head, sample, known)
        scores = {name: head.known(part) for name, part in self.embedding.items()}
        if known.field_share > 0:
            unseen = out_of_fold_known(sample, replace(self.config, known=known))
            scores["field-valid"] = unseen[sample.group == 1]
        return scores


class Notebook:
    """The rows measured so far, on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, list[Row]] = {"resize": [], "head": [], "known": []}
        if path.exists():
            self.rows = json.loads(path.read_text(encoding="utf-8"))

    def missing(self, stage: str, settings: Row) -> bool:
        """Whether these settings are still to be measured."""
        return all(row["settings"] != settings for row in self.rows[stage])

    def note(self, stage: str, settings: Row, figures: Row) -> None:
        """Add a row and write the file."""
        self.rows[stage].append({"settings": settings, **figures})
        print(stage, json.dumps(self.rows[stage][-1]), flush=True)
        self.path.write_text(json.dumps(self.rows, indent=1) + "\n", encoding="utf-8")


def sweep(config: Config, notebook: Notebook) -> None:
    """Measure every variant that the notebook misses, stage by stage."""
    bench = Bench(config)
    plain = replace(config, augment=replace(config.augment, views=0))
    resizes = [{**settings, "views": 0} for settings in RESIZES]
    if any(notebook.missing("resize", settings) for settings in resizes):
        head, _ = bench.class_head(plain)
        for changes, settings in zip(RESIZES, resizes, strict=True):
            if notebook.missing("resize", settings):
                resize = replace(config.resize, **changes)
                notebook.note("resize", settings, bench.class_figures(head, resize))
    for power, strength, views in HEADS:
        changes = {"feature_power": power, "inverse_regularisation": strength}
        settings = {**changes, "views": views}
        if notebook.missing("head", settings):
            variant = replace(
                config,
                augment=replace(config.augment, views=views),
                head=replace(config.head, **changes),
            )
            head, _ = bench.class_head(variant)
            notebook.note("head", settings, bench.class_figures(head, config.resize))
    known_bench: KnownBench | None = None
    for features, strength, others, share in KNOWN:
        settings = {
            "features": list(features),
            "inverse_regularisation": strength,
            "other_parts_weight": others,
            "field_share": share,
        }
        if notebook.missing("known", settings):
            known_bench = known_bench or KnownBench(bench)
            known = KnownConfig(features, strength, others, share)
            notebook.note("known", settings, known_bench.figures(known))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Measure the variants of a config.")
    parser.add_argument("--config", type=Path, required=True)
    config = load_config(parser.parse_args().config)
    sweep(config, Notebook(REPOSITORY / "models" / config.name / "variants.json"))


if __name__ == "__main__":
    main()
