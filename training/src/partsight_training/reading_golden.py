"""Draw text at several angles, and write what the published Python package reads there.

The drawings and `expected.json` tie the reader in Rust to that package. It needs
`rapidocr` 3.10.0, which is no dependency of this project, and the font DejaVu Sans,
which Debian has as `fonts-dejavu-core`:

    PYTHONPATH=src python -m partsight_training.reading_golden --font DejaVuSans-Bold.ttf
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

SIZE = (640, 480)


class Line(NamedTuple):
    """A line of text: its middle, its height in pixels and its angle, anticlockwise in degrees."""

    text: str
    middle: tuple[int, int]
    height: int = 32
    angle: float = 0


DRAWINGS: dict[str, list[Line]] = {
    "level": [
        Line("27060-0L022", (320, 140), 44),
        Line("DENSO CORPORATION", (320, 220)),
        Line("MADE IN JAPAN 12V", (320, 290), 24),
    ],
    "tilted": [Line("0 986 494 524", (320, 240), 40, 20), Line("BOSCH", (200, 120), 40, 20)],
    "falling": [Line("1K0 615 301 AA", (320, 240), 40, -35)],
    "upward": [Line("FILTRON OP 525", (320, 240), 40, 90)],
    "downward": [Line("MAHLE KX 338", (320, 240), 40, -90)],
    "upside-down": [
        Line("NGK BKR6E-11", (320, 200), 44, 180),
        Line("SPARK PLUG", (320, 300), 36, 180),
    ],
    "small": [Line("8E0 959 851 B", (140, 110), 15), Line("HELLA 6PU 009 121", (470, 380), 15)],
    "nothing": [],
}


def draw(lines: list[Line], font: Path) -> Image.Image:
    """Dark text on a grey ground that grows lighter, with a disc as parts have."""
    columns = np.linspace(150, 215, SIZE[0])[None, :] + np.linspace(0, 25, SIZE[1])[:, None]
    picture = Image.fromarray(columns.astype(np.uint8)).convert("RGB")
    ImageDraw.Draw(picture).ellipse(
        (20, 330, 150, 460), fill=(120, 122, 128), outline=(90, 92, 96), width=4
    )
    for line in lines:
        letters = ImageFont.truetype(str(font), line.height)
        left, top, right, bottom = letters.getbbox(line.text)
        mask = Image.new("L", (right - left + 8, bottom - top + 8))
        ImageDraw.Draw(mask).text((4 - left, 4 - top), line.text, fill=255, font=letters)
        mask = mask.rotate(line.angle, Image.Resampling.BICUBIC, expand=True)
        place = (line.middle[0] - mask.width // 2, line.middle[1] - mask.height // 2)
        picture.paste((28, 30, 36), place, mask)
    return picture


def main() -> None:
    """Read the arguments and write the drawings and what is read on them."""
    from rapidocr import RapidOCR

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--font", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("../models/reading/golden"))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    reader = RapidOCR()
    expected = {}
    for name, lines in DRAWINGS.items():
        picture = draw(lines, arguments.font)
        picture.save(arguments.out / f"{name}.png", optimize=True)
        pixels = np.ascontiguousarray(np.asarray(picture)[:, :, ::-1])
        found = reader(pixels)
        read = (found.boxes, found.txts, found.scores)
        lines = [] if found.txts is None else zip(*read, strict=True)
        expected[name] = [
            {
                "text": text,
                "confidence": round(float(confidence), 4),
                "box": np.asarray(box).tolist(),
            }
            for box, text, confidence in lines
        ]
    text = json.dumps(expected, indent=1, ensure_ascii=False)
    (arguments.out / "expected.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
