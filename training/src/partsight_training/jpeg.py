"""What JPEG does to a picture, on the device that trains: colour, blocks, quantisation and back.

Table K.1 and K.2 of ITU-T T.81, scaled by a quality of 1..100 as libjpeg does; chroma at half the
width and height. The lossless half of the format changes no pixel and is left out.
"""

from __future__ import annotations

import math

import torch
from torch.nn import functional as F

BLOCK = 8
LUMA = (
    (16, 11, 10, 16, 24, 40, 51, 61),
    (12, 12, 14, 19, 26, 58, 60, 55),
    (14, 13, 16, 24, 40, 57, 69, 56),
    (14, 17, 22, 29, 51, 87, 80, 62),
    (18, 22, 37, 56, 68, 109, 103, 77),
    (24, 35, 55, 64, 81, 104, 113, 92),
    (49, 64, 78, 87, 103, 121, 120, 101),
    (72, 92, 95, 98, 112, 100, 103, 99),
)
CHROMA = (
    (17, 18, 24, 47, 99, 99, 99, 99),
    (18, 21, 26, 66, 99, 99, 99, 99),
    (24, 26, 56, 99, 99, 99, 99, 99),
    (47, 66, 99, 99, 99, 99, 99, 99),
    *(((99,) * BLOCK,) * 4),
)
# Of RGB, the rows of Y, Cb and Cr (ITU-T T.871).
TO_YCC = (
    (0.299, 0.587, 0.114),
    (-0.168735892, -0.331264108, 0.5),
    (0.5, -0.418687589, -0.081312411),
)


def compressed(rgb: torch.Tensor, quality: torch.Tensor) -> torch.Tensor:
    """Pictures f32 `[n, 3, h, w]` 0..=1 as read from JPEGs of `quality` `[n]`, 1..100."""
    height, width = rgb.shape[-2:]
    below, right = -height % (2 * BLOCK), -width % (2 * BLOCK)
    to_ycc = torch.tensor(TO_YCC, device=rgb.device)
    padded = F.pad(rgb, (0, right, 0, below), mode="replicate") * 255
    ycc = torch.einsum("ck,nkhw->nchw", to_ycc, padded)
    luma = _quantised(ycc[:, :1] - 128, _table(LUMA, quality)) + 128
    chroma = _quantised(F.avg_pool2d(ycc[:, 1:], 2), _table(CHROMA, quality))
    chroma = F.interpolate(chroma, scale_factor=2, mode="bilinear")
    back = torch.einsum("ck,nkhw->nchw", torch.linalg.inv(to_ycc), torch.cat([luma, chroma], 1))
    return back[..., :height, :width].round().div(255).clamp(0, 1)


def _table(steps: tuple[tuple[int, ...], ...], quality: torch.Tensor) -> torch.Tensor:
    """Steps of each frequency f32 `[n, 8, 8]`, at least 1."""
    percent = torch.where(quality < 50, 5000 / quality, 200 - 2 * quality)
    table = torch.tensor(steps, dtype=torch.float32, device=quality.device)
    return ((table * percent[:, None, None] + 50) / 100).floor().clamp(1, 255)


def _quantised(planes: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    """Planes f32 `[n, c, h, w]` with the cosine coefficients of each block in steps of `table`."""
    n, channels, height, width = planes.shape
    cosines = _cosines(planes.device)
    blocks = planes.reshape(n, channels, height // BLOCK, BLOCK, width // BLOCK, BLOCK)
    blocks = blocks.transpose(3, 4)  # [n, c, rows, columns, 8, 8]
    steps = table[:, None, None, None]
    coefficients = (cosines @ blocks @ cosines.T / steps).round() * steps
    blocks = (cosines.T @ coefficients @ cosines).transpose(3, 4)
    return blocks.reshape(n, channels, height, width)


def _cosines(device: torch.device) -> torch.Tensor:
    """The orthonormal cosine transform of eight values, f32 `[8, 8]`."""
    place = torch.arange(BLOCK, dtype=torch.float32, device=device)
    cosines = (math.pi / BLOCK * (place[None, :] + 0.5) * place[:, None]).cos() * 0.5
    cosines[0] /= math.sqrt(2)
    return cosines
