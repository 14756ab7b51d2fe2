"""Measure a finished model with its photographs resized in other ways, and write down all of them.

    python -m partsight_training.resampling --model ../models/partsight-50

Needs no PyTorch. The figures are of `valid` and `field-valid`, on which the choice was made, so
they flatter the chosen one. Rows already in `variants.json` are kept.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from partsight_training.config import REPOSITORY, ResizeConfig, photos_dir
from partsight_training.data import embed_pixels, read_picture, read_split
from partsight_training.model import Backbone, embed
from partsight_training.serving import ServedModel
from partsight_training.train import KNOWN_SPLITS
from partsight_training.trained import backbone_of_model
from partsight_training.transforms import resize
from partsight_training.variants import Notebook, figures

THROUGH = (0, 228, 232, 236, 240, 244, 248, 256, 264, 280, 300, 320)  # px; 0: as it is
SIDES = (208, 232, 240, 248, 256, 272, 288)  # px of the input, without a square in between


def variants(served: ResizeConfig) -> Iterator[tuple[dict[str, object], ResizeConfig]]:
    """What to write down, and how to resize, for each variant."""
    for through in THROUGH:
        yield {"through": through}, replace(served, through=through)
    for side in SIDES:
        yield {"side": side}, replace(served, width=side, height=side, through=0)


def measure(folder: Path, notebook: Notebook) -> None:
    """Add the rows of every variant that the notebook misses, under "resampling"."""
    served = ServedModel(folder)
    splits = {name: read_split(photos_dir(), name) for name in KNOWN_SPLITS}
    classes = {name: split.classes(served.labels) for name, split in splits.items()}
    pictures = {name: [read_picture(p) for p in split.paths] for name, split in splits.items()}
    for settings, config in variants(served.resize):
        if not notebook.missing("resampling", settings):
            continue
        with tempfile.TemporaryDirectory() as cache:
            trained = backbone_of_model(folder, (config.width, config.height), Path(cache))
            backbone = Backbone(trained.path)
        logits = {}
        for name, photographs in pictures.items():
            pixels = np.stack([resize(picture, config) for picture in photographs])
            embedding = embed(embed_pixels(pixels, backbone))  # f32 [n, d]
            logits[name] = embedding @ trained.weight.T + trained.bias
        notebook.note("resampling", settings, figures(logits, classes))


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Measure ways of resizing for a finished model.")
    parser.add_argument("--model", type=Path, default=REPOSITORY / "models" / "partsight-50")
    folder = parser.parse_args().model
    measure(folder, Notebook(folder / "variants.json"))


if __name__ == "__main__":
    main()
