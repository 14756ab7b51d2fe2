"""Write the golden files that tie every other implementation of serving to this one.

    python -m partsight_training.golden --model ../models/partsight-50

Each golden picture is drawn by `drawings`: nothing in the repository is anybody's photograph.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
from PIL import Image

from partsight_training.config import REPOSITORY
from partsight_training.drawings import draw
from partsight_training.serving import ServedModel

GOLDEN = ("brake-rotor", "coil-spring", "rim", "double-exposure", "meadow")


def write_golden(folder: Path) -> list[str]:
    """Write `golden/` of a model folder; returns one line per picture on what the model saw.

    `<name>.png` is the picture, `<name>.resized.png` the u8 pixels after resizing, from which the
    tensor follows exactly, and `<name>.json` the expected numbers of a single look. For a model
    that looks twice, `second_look` there holds what all looks give together, needed or not.
    """
    model = ServedModel(folder)
    golden = folder / "golden"
    golden.mkdir(exist_ok=True)
    lines: list[str] = []
    for name in GOLDEN:
        draw(name).save(golden / f"{name}.png", optimize=True)
        with Image.open(golden / f"{name}.png") as picture:
            upright = picture.convert("RGB")
        seen = model.look_once(upright)
        Image.fromarray(seen.pixels).save(golden / f"{name}.resized.png", optimize=True)
        expected = {
            "image": f"{name}.png",
            "resized": f"{name}.resized.png",
            "tensor_sha256": tensor_sha256(seen.tensor),
            "embedding": _floats(seen.embedding),
            "logits": _floats(seen.logits),
            "known": seen.known,
            "label": seen.label,
            "confidence": seen.confidence,
            "known_score": seen.known_score,
            "verdict": seen.verdict,
        }
        if model.second_look is not None:
            pooled = model.look_again(upright, seen, model.second_look)
            expected["second_look"] = {
                "embedding": _floats(pooled.embedding),
                "logits": _floats(pooled.logits),
                "known": pooled.known,
            }
        (golden / f"{name}.json").write_text(json.dumps(expected) + "\n", encoding="utf-8")
        lines.append(
            f"{name}: {seen.verdict}, {seen.label} {seen.confidence:.3f}, "
            f"known score {seen.known_score:.3f}"
        )
    return lines


def tensor_sha256(tensor: np.ndarray) -> str:
    """Hex SHA-256 of a tensor's little-endian f32 bytes in row-major order."""
    return hashlib.sha256(np.ascontiguousarray(tensor, dtype="<f4").tobytes()).hexdigest()


def _floats(values: np.ndarray) -> list[float]:
    # Nine significant digits bring every f32 back exactly.
    return [float(f"{value:.9g}") for value in values]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Write a model's golden files.")
    parser.add_argument("--model", type=Path, default=REPOSITORY / "models" / "partsight-50")
    print("\n".join(write_golden(parser.parse_args().model)))


if __name__ == "__main__":
    main()
