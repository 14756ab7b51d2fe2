"""From the output of the part detector to boxes, as in serving, and how good they are.

The Rust side repeats `parts_of` and is tied to it by the golden file of `models/detector`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image

FOUND = 0.5  # a box shows a part from this intersection over union on


@dataclass(frozen=True)
class Choice:
    """Which cells are parts."""

    least_score: float
    most_overlap: float = 0.5  # intersection over union
    most_containment: float = 0.7  # of the smaller box


@dataclass(frozen=True)
class Parts:
    """The parts on one picture, the surest first."""

    boxes: np.ndarray  # f32 [n, 4]: left, top, right, bottom as shares of the sides
    scores: np.ndarray  # f32 [n]


@dataclass(frozen=True)
class Count:
    """What was found on pictures of which the parts are known."""

    parts: int
    found: int
    false: int  # boxes that show none


def fitted(image: Image.Image, longer_side: int, multiple: int = 32) -> np.ndarray:
    """A picture at the detector's size, u8 `[h, w, 3]`."""
    scale = longer_side / max(image.size)
    size = tuple(max(1, round(side * scale / multiple)) * multiple for side in image.size)
    return np.asarray(image.convert("RGB").resize(size, Image.Resampling.BILINEAR))


def parts_of(score: np.ndarray, sides: np.ndarray, stride: int, choice: Choice) -> Parts:
    """The parts of scores f32 `[h, w]` and distances to the edges f32 `[4, h, w]` in px."""
    rows, columns = score.shape
    around = np.pad(score, 1, constant_values=-1)
    nearby = np.max(
        [around[y : y + rows, x : x + columns] for y in range(3) for x in range(3)], axis=0
    )
    y, x = np.nonzero((score >= choice.least_score) & (score >= nearby))
    order = np.argsort(-score[y, x], kind="stable")
    y, x = y[order], x[order]
    middle = (np.stack([x, y, x, y], axis=1) + 0.5) * stride
    reach = sides[:, y, x].T * np.array([-1, -1, 1, 1])
    size = np.array([columns, rows, columns, rows]) * stride
    boxes = np.clip((middle + reach) / size, 0, 1).astype(np.float32)
    kept: list[int] = []
    for index in range(len(boxes)):
        overlaps = [shared(boxes[index], boxes[other]) for other in kept]
        if not any(
            union > choice.most_overlap or smaller > choice.most_containment
            for union, smaller in overlaps
        ):
            kept.append(index)
    return Parts(boxes[kept], score[y, x][kept])


def shared(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """What two boxes share: as a share of both together, and of the smaller one."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    both = max(across, 0) * max(down, 0)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    return both / max(sum(areas) - both, 1e-9), both / max(min(areas), 1e-9)


def count(found: np.ndarray, boxes: np.ndarray) -> Count:
    """Compare the boxes `found` on a picture with its parts' own."""
    free = list(range(len(found)))
    n_found = 0
    for box in boxes:
        best = max(free, key=lambda index: shared(found[index], box)[0], default=None)
        if best is not None and shared(found[best], box)[0] >= FOUND:
            free.remove(best)
            n_found += 1
    return Count(len(boxes), n_found, len(free))
