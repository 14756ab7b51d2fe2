"""Where the part is in a photograph with a plain background, to put it on another one."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

BORDER = 3  # px looked at along each edge
TOLERANCE = 14  # grey levels a background pixel may differ from the border's median
PLAIN_SHARE = 0.85  # of the border's pixels must be background
AREA = (0.04, 0.93)  # share of the picture that a believable part covers


def cut_out(pixels: np.ndarray) -> np.ndarray | None:
    """Opacity of the part, u8 `[h, w]` 0..=255, or None where the background is not plain.

    A pixel is background when it is near the border's median colour and joined to the border by
    such pixels. What is enclosed stays with the part.
    """
    edge = np.concatenate(
        [
            pixels[:BORDER].reshape(-1, 3),
            pixels[-BORDER:].reshape(-1, 3),
            pixels[:, :BORDER].reshape(-1, 3),
            pixels[:, -BORDER:].reshape(-1, 3),
        ]
    ).astype(np.int16)
    colour = np.median(edge, axis=0)
    if (np.abs(edge - colour).max(axis=1) <= TOLERANCE).mean() < PLAIN_SHARE:
        return None
    near = np.abs(pixels.astype(np.int16) - colour).max(axis=2) <= TOLERANCE
    regions, _ = ndimage.label(near)
    border = np.unique(np.concatenate([regions[0], regions[-1], regions[:, 0], regions[:, -1]]))
    part = ~np.isin(regions, border[border > 0])
    part = ndimage.binary_opening(part, iterations=1)
    if not AREA[0] <= part.mean() <= AREA[1]:
        return None
    # Open at the picture's edge, or a part cut off there would be drawn out beyond it.
    part[[0, -1]] = False
    part[:, [0, -1]] = False
    # A soft edge, or the outline of the paste itself would be learnt.
    soft = ndimage.gaussian_filter(part.astype(np.float32), 0.8)
    soft[[0, -1]] = 0
    soft[:, [0, -1]] = 0
    return (soft * 255).astype(np.uint8)
