"""Measure the variants from which a config was chosen, and write down all of them.

    python -m partsight_training.sweep --config configs/partsight-50.toml

Works on the members of a finished `train` run and needs PyTorch. The figures are of `valid` and
`field-valid`, on which the choice was made, so they flatter the chosen one; the known heads are
measured on the thirds of the other photographs that fitted nothing. Each row is written at once,
and rows already in `variants.json` are kept. Delete the file to measure all of them again.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import torch

from partsight_training.backbone import backbone_key, calibration_pixels, export_features
from partsight_training.collection import UNKNOWN_SPLITS, read_collection, read_learnt
from partsight_training.config import (
    REPOSITORY,
    Config,
    KnownConfig,
    ResizeConfig,
    cache_dir,
    load_config,
    photos_dir,
)
from partsight_training.data import embed_pixels, load_pixels
from partsight_training.evaluate import auroc
from partsight_training.heads import class_head, fit_class_head, fit_known, with_new_rows
from partsight_training.model import Backbone, Head, embed, known_scalars, open_session
from partsight_training.network import Network, average, to_numpy
from partsight_training.quantise import quantise
from partsight_training.variants import Notebook, Row, figures

START_WEIGHTS = (0.0, 0.15, 0.3, 0.45)
SIDES = (192, 224, 256, 288)  # px
REGULARISATIONS = (0.3, 1.0, 10.0)  # of a logistic head fitted anew on the trained embedding
# (features, inverse regularisation, share of train, of valid, of field photographs)
KNOWN = [
    (features, strength, *shares)
    for features, strength, shares in product(
        (("logsumexp",), ("logsumexp", "prototype"), ("embedding", "logsumexp")),
        (0.1, 1.0, 10.0),
        ((1.0, 0.0, 0.0), (0.5, 0.25, 0.25), (0.0, 0.5, 0.5)),
    )
]


class Bench:
    """The photographs and the members that the variants share."""

    def __init__(self, config: Config) -> None:
        self.config = config
        collection = read_collection(photos_dir(), config)
        self.splits, self.labels, self.known = (
            collection.splits,
            collection.labels,
            collection.known,
        )
        self.classes = {n: collection.classes(n) for n in ("train", *self.known)}
        self.parts = collection.parts
        learnt = read_learnt(photos_dir(), config)
        # Of the rows of a network's head: more than the model knows, where they were learnt too.
        self.learnt = learnt.labels
        key = backbone_key(config, learnt.splits, learnt.third(0))
        self.folder = cache_dir() / "backbones" / key

    def network(self, weights: dict[str, float]) -> Network:
        """The average of the start and the members, each with its weight."""
        files = {"start": self.folder / "start.pt"}
        for member in self.config.members:
            files[member.name] = self.folder / member.name / "member.pt"
        chosen = {name: weight for name, weight in weights.items() if weight > 0}
        states = [torch.load(files[name], weights_only=True) for name in chosen]
        network = Network(self.config.network.dimension, len(self.learnt))
        network.load_state_dict(average(states, list(chosen.values())))
        return network.eval()

    def rows(self, network: Network) -> tuple[np.ndarray, np.ndarray]:
        """The network's class head for the types that the model knows, f32 `[c, d]` and `[c]`."""
        weight, bias = to_numpy(network.head.weight), to_numpy(network.head.bias)
        weight, bias, _ = with_new_rows(weight, bias, self.learnt, self.labels)
        return weight, bias

    def logits(self, network: Network, embedding: np.ndarray) -> np.ndarray:
        """What the network's own head says of embeddings f32 `[n, d]`, `[n, c]`."""
        weight, bias = self.rows(network)
        return embedding @ weight.T + bias

    def embedding(
        self, network: Network, names: tuple[str, ...], side: int | None = None
    ) -> dict[str, np.ndarray]:
        """Unit-length embeddings f32 `[n, d]` of some splits, at another input side if given."""
        resize = self.config.resize
        if side is not None:
            resize = replace(resize, width=side, height=side)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "variant.onnx"
            export_features(network, replace(self.config, resize=resize), path)
            backbone = Backbone(path)
        return {
            name: embed(embed_pixels(load_pixels(self.splits[name], resize, cache_dir()), backbone))
            for name in names
        }

    def int8(self, network: Network, count: int) -> tuple[dict[str, np.ndarray], Row]:
        """Embeddings with int8 ranges from `count` photographs (0: f32), and what the file costs.

        The time is the median of one picture on one thread, in milliseconds of processor time.
        """
        resize = self.config.resize
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "f32.onnx"
            export_features(network, self.config, path)
            if count:
                full, path = path, Path(folder) / "int8.onnx"
                quantise(full, path, calibration_pixels(self.config, self.pixels("train"), count))
            cost = {"bytes": path.stat().st_size, "cpuMs": round(_milliseconds(path, resize), 2)}
            backbone = Backbone(path)
        return {n: embed(embed_pixels(self.pixels(n), backbone)) for n in self.known}, cost

    def pixels(self, name: str) -> np.ndarray:
        """The photographs of a split as they are served, u8 `[n, h, w, 3]`."""
        return load_pixels(self.splits[name], self.config.resize, cache_dir())

    def known_figures(self, config: Config, head: Head, embedding: dict[str, np.ndarray]) -> Row:
        """AUROC against the thirds that fitted nothing: of other parts, types that nothing saw."""
        scalars = {
            name: known_scalars(part, head.logits(part), head.prototypes)[:, None]
            for name, part in embedding.items()
        }
        looks = {name: part[:, None] for name, part in embedding.items()}
        fitting = {name: part == 1 for name, part in self.parts.items()}
        types = np.array(self.splits["other-parts"].labels)
        _, known = fit_known(config, head, looks, scalars, fitting, types)
        return {
            against: {
                name: round(auroc(known[against][:, 0], known[name][self.parts[name] == 2, 0]), 4)
                for name in UNKNOWN_SPLITS
            }
            for against in self.known
        }


def sweep(config: Config, notebook: Notebook) -> None:
    """Measure every variant that the notebook misses, stage by stage."""
    bench = Bench(config)
    members = [member.name for member in config.members]
    mixes: list[dict[str, float]] = [{"start": 1.0}]
    for group in [[name] for name in members] + ([members] if len(members) > 1 else []):
        mixes += [
            {"start": w, **{name: round((1 - w) / len(group), 4) for name in group}}
            for w in START_WEIGHTS
        ]
    for mix in mixes:
        if notebook.missing("average", mix):
            network = bench.network(mix)
            parts = bench.embedding(network, bench.known)
            logits = {n: bench.logits(network, e) for n, e in parts.items()}
            notebook.note("average", mix, figures(logits, bench.classes))

    chosen = bench.network(
        {"start": config.network.start_weight, **{m.name: m.weight for m in config.members}}
    )
    for side in SIDES:
        if notebook.missing("input", {"side": side}):
            parts = bench.embedding(chosen, bench.known, side)
            logits = {n: bench.logits(chosen, e) for n, e in parts.items()}
            notebook.note("input", {"side": side}, figures(logits, bench.classes))

    for count in dict.fromkeys((0, config.network.int8_photographs)):
        if notebook.missing("int8", {"photographs": count}):
            parts, file = bench.int8(chosen, count)
            logits = {n: bench.logits(chosen, e) for n, e in parts.items()}
            row = figures(logits, bench.classes)
            notebook.note("int8", {"photographs": count}, {**row, **file})

    embedding = bench.embedding(chosen, ("train", *bench.known, *UNKNOWN_SPLITS))
    train, classes = embedding["train"], bench.classes["train"]
    head = class_head(*bench.rows(chosen), train, classes)
    answers = {"trained": head.logits, "prototypes": lambda e: e @ head.prototypes.T * 20}
    for name, answer in answers.items():
        if notebook.missing("head", {"head": name}):
            row = figures({n: answer(embedding[n]) for n in bench.known}, bench.classes)
            notebook.note("head", {"head": name}, row)
    for strength in REGULARISATIONS:
        settings = {"head": "logistic", "inverse_regularisation": strength}
        if notebook.missing("head", settings):
            refitted = fit_class_head(
                train, classes, replace(config.head, inverse_regularisation=strength)
            )
            row = figures({n: refitted.logits(embedding[n]) for n in bench.known}, bench.classes)
            notebook.note("head", settings, row)

    for features, strength, *shares in KNOWN:
        known = KnownConfig(features, strength, 1.0, *shares)
        settings = {
            "features": list(features),
            "inverse_regularisation": strength,
            "shares": shares,
        }
        if notebook.missing("known", settings):
            variant = replace(config, known=known)
            notebook.note("known", settings, bench.known_figures(variant, head, embedding))


def _milliseconds(path: Path, resize: ResizeConfig) -> float:
    session = open_session(path)
    picture = np.zeros((1, 3, resize.height, resize.width), np.float32)
    times = []
    for _ in range(40):
        started = time.process_time()
        session.run(None, {session.get_inputs()[0].name: picture})
        times.append(time.process_time() - started)
    return float(np.median(times[10:])) * 1000


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Measure the variants of a config.")
    parser.add_argument("--config", type=Path, required=True)
    config = load_config(parser.parse_args().config)
    sweep(config, Notebook(REPOSITORY / "models" / config.name / "variants.json"))


if __name__ == "__main__":
    main()
