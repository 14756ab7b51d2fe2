"""Measures teaching types that the network has never seen.

usage: python -m partsight_training.unseen --config FILE --model DIR

DIR holds a model that was trained without some of the types (`left_out` of its FILE). Those are
taught by five photographs each of `train`, with the factors of the model's own `[references]`,
which were fitted on the types that it knows; then all types are asked for. Printed is what is
right, as JSON: a mean over draws of the five photographs, without poison and with one or two of
the five taken from other types, with the poison check and without it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from partsight_training.collection import read_collection
from partsight_training.config import load_config, photos_dir
from partsight_training.data import read_split
from partsight_training.references import (
    TRAIN_OF_TYPE,
    Factors,
    Photos,
    Space,
    Teaching,
    embed,
    right,
    taught_types,
)
from partsight_training.serving import ServedModel

SHOTS, DRAWS = 5, 10


def measure(
    model: ServedModel, factors: Factors, train: Photos, asked: Photos
) -> Iterator[dict[str, object]]:
    """What is right of all photographs, of those of taught types, and of those of known types."""
    taught = sorted(set(train.labels) - set(model.labels))
    is_taught = np.isin(asked.labels, taught)
    for n_poisoned in (0, 1, 2):
        for check in (False, True):
            runs = [
                run
                for seed in range(DRAWS)
                for run in taught_types(
                    model, train, asked, SHOTS, seed, n_poisoned, check, groups=[taught]
                )
            ]
            share, of_taught = right([episode for episode, _ in runs], factors)
            flags = [flag for _, refused in runs for flag in refused]
            yield {
                "poisoned": n_poisoned,
                "check": check,
                "right": round(share, 4),
                "rightOfTaught": round(of_taught, 4),
                "rightOfKnown": round(
                    (share - of_taught * is_taught.mean()) / (1 - is_taught.mean()), 4
                ),
                "refusedOfPoison": round(float(np.mean(flags)), 4) if flags and check else None,
            }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--config", type=Path, required=True, help="of the run that made it")
    parser.add_argument("--model", type=Path, required=True)
    arguments = parser.parse_args()
    config, photos = load_config(arguments.config), photos_dir()
    model, space = ServedModel(arguments.model), Space.of(arguments.model)
    teaching = Teaching(model, space, read_collection(photos, config))
    train = embed(model, space, read_split(photos, "train"), TRAIN_OF_TYPE)
    taught = sorted(set(train.labels) - set(model.labels))
    if not taught:
        raise SystemExit("this model knows every type of `train`: there is nothing to teach it")
    figures = {
        name: list(measure(model, teaching.factors, train, embed(model, space, split)))
        for name, split in ((name, read_split(photos, name)) for name in ("valid", "field-valid"))
    }
    print(json.dumps({"taught": taught, "shots": SHOTS, "draws": DRAWS, **figures}, indent=2))


if __name__ == "__main__":
    main()
