"""Altered copies of training photographs, a batch at a time on the device that trains.

The training photographs are cropped tightly, squashed to squares and mostly show a part on white.
Users' photographs are not and do not: they are taken in workshops, from an angle, with shadows, in
lamp light, with a thumb in the way. Each alteration stands for one such difference.
"""

from __future__ import annotations

import math

import torch
from torch.nn import functional as F

from partsight_training.config import AugmentConfig
from partsight_training.jpeg import compressed
from partsight_training.transforms import MEAN, STD

JPEG_QUALITY = (15.0, 75.0)


class Augmenter:
    """Random views of u8 photographs, drawn from one generator so that a run can be repeated.

    All of it happens where `backgrounds` are: on a GPU, thousands of views a second.
    """

    def __init__(self, config: AugmentConfig, backgrounds: torch.Tensor, seed: int) -> None:
        """`backgrounds`: u8 `[b, 3, H, W]` photographs that show no part."""
        self.config = config
        self.backgrounds = backgrounds
        self.device = backgrounds.device
        self.random = torch.Generator(self.device).manual_seed(seed)
        self.mean = torch.tensor(MEAN, device=self.device)[None, :, None, None]
        self.std = torch.tensor(STD, device=self.device)[None, :, None, None]

    def state(self) -> torch.Tensor:
        """What `load_state` goes on from: the state of the generator."""
        return self.random.get_state()

    def load_state(self, state: torch.Tensor) -> None:
        """Draw from now on what was drawn after `state` was taken."""
        self.random.set_state(state)

    def parts(self, pixels: torch.Tensor, opacity: torch.Tensor, size: int) -> torch.Tensor:
        """Views f32 `[n, 3, size, size]` of parts u8 `[n, 3, h, w]` with opacity u8 `[n, 1, h, w]`.

        The opacity is 255 everywhere for a photograph whose part could not be cut out.
        """
        config, n = self.config, len(pixels)
        layers = torch.cat([pixels, opacity], dim=1).float() / 255  # [n, 4, h, w]
        # Outside the photograph its edge goes on, which suits plain backgrounds.
        view = self._sample(layers, self._frames(n, config.min_crop, config.zoom_out), size)
        rgb, alpha = view[:, :3], view[:, 3:]
        can_paste = opacity.flatten(1).float().mean(1) < 254
        paste = _indexes((self._uniform(n) < config.paste) & can_paste)
        if len(paste):
            ground = self._grounds(len(paste), size)
            rgb[paste] = rgb[paste] * alpha[paste] + ground * (1 - alpha[paste])
        several = _indexes((self._uniform(n) < config.several) & can_paste)
        if len(several):
            ground = self._grounds(len(several), size)
            rgb[several] = self._several(layers[several], ground, size)
        return self._photographed(rgb.contiguous())

    def _several(self, layers: torch.Tensor, ground: torch.Tensor, size: int) -> torch.Tensor:
        """Parts of one type lying about: two to five small copies of each over its ground."""
        n, rgb = len(layers), ground
        copies = self._integers(2, 6, n)
        for copy in range(int(copies.max())):
            there = _indexes(copies > copy)
            view = self._sample(layers[there], self._frames(len(there), 2.0, 3.0), size)
            alpha = view[:, 3:]
            rgb[there] = view[:, :3] * alpha + rgb[there] * (1 - alpha)
        return rgb

    def others(self, pixels: torch.Tensor, size: int) -> torch.Tensor:
        """Views f32 `[n, 3, size, size]` of photographs u8 `[n, 3, h, w]` without a known part."""
        frames = self._frames(len(pixels), 0.3, 1.0)
        return self._photographed(self._sample(pixels.float() / 255, frames, size))

    def _uniform(self, n: int, low: float = 0.0, high: float = 1.0) -> torch.Tensor:
        drawn = torch.rand(n, generator=self.random, device=self.device)
        return drawn * (high - low) + low

    def _integers(self, low: int, high: int, n: int) -> torch.Tensor:
        return torch.randint(low, high, (n,), generator=self.random, device=self.device)

    def _normal(self, *shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=self.random, device=self.device)

    def _axis(self, size: int) -> torch.Tensor:
        return torch.linspace(-1, 1, size, device=self.device)

    def _frames(self, n: int, min_crop: float, zoom_out: float) -> torch.Tensor:
        """Projective maps f32 `[n, 3, 3]` from the view to the photograph, both in -1..1."""
        config = self.config
        side = torch.exp(self._uniform(n, math.log(min_crop) / 2, math.log(zoom_out)))
        aspect = torch.exp(self._uniform(n, -0.5, 0.5) * 2 * math.log(config.max_aspect) / 2)
        width, height = side * aspect.sqrt(), side / aspect.sqrt()
        angle = self._uniform(n, -1, 1) * math.radians(config.tilt)
        # Some parts are photographed lying any way round.
        turned = (self._uniform(n) < config.turn).float()
        angle = angle + turned * self._uniform(n, -math.pi / 2, math.pi / 2)
        mirror = torch.where(self._uniform(n) < 0.5, -1.0, 1.0)
        # The frame's centre moves as far as the photograph reaches.
        reach_x, reach_y = (1 - width).abs().clamp(min=0.05), (1 - height).abs().clamp(min=0.05)
        shift_x, shift_y = self._uniform(n, -1, 1) * reach_x, self._uniform(n, -1, 1) * reach_y
        cos, sin = angle.cos(), angle.sin()
        frames = torch.zeros(n, 3, 3, device=self.device)
        frames[:, 0, 0], frames[:, 0, 1], frames[:, 0, 2] = (
            cos * width * mirror,
            -sin * height,
            shift_x,
        )
        frames[:, 1, 0], frames[:, 1, 1], frames[:, 1, 2] = (
            sin * width * mirror,
            cos * height,
            shift_y,
        )
        frames[:, 2, 0] = self._uniform(n, -1, 1) * config.perspective
        frames[:, 2, 1] = self._uniform(n, -1, 1) * config.perspective
        frames[:, 2, 2] = 1
        return frames

    def _sample(self, pictures: torch.Tensor, frames: torch.Tensor, size: int) -> torch.Tensor:
        axis = (torch.arange(size, device=self.device) + 0.5) / size * 2 - 1
        y, x = torch.meshgrid(axis, axis, indexing="ij")
        points = torch.stack([x, y, torch.ones_like(x)], dim=-1).reshape(-1, 3)  # [size * size, 3]
        mapped = points @ frames.transpose(1, 2)  # [n, size * size, 3]
        grid = (mapped[..., :2] / mapped[..., 2:].clamp(min=0.2)).reshape(-1, size, size, 2)
        return F.grid_sample(pictures, grid, padding_mode="border", align_corners=False)

    def _grounds(self, n: int, size: int) -> torch.Tensor:
        """What a part may lie on: crops of photographs, or a plain colour with a slope of light."""
        chosen = self._integers(0, len(self.backgrounds), n)
        frames = self._frames(n, 0.15, 1.0)
        photographs = self._sample(self.backgrounds[chosen].float() / 255, frames, size)
        colour = self._uniform(n * 3).reshape(n, 3, 1, 1)
        grey = colour.mean(1, keepdim=True)
        colour = grey + (colour - grey) * 0.35
        slope = self._axis(size)
        light = slope[None, None, :, None] * self._uniform(n, -0.2, 0.2)[:, None, None, None]
        plain = (colour + light + self._normal(n, 1, size, size) * 0.02).clamp(0, 1)
        is_plain = (self._uniform(n) < 0.3)[:, None, None, None]
        grounds = torch.where(is_plain, plain, photographs)
        # A box or a bench edge: a rectangle of another ground.
        axis = self._axis(size)
        x, y = self._uniform(n, -1, 1)[:, None, None], self._uniform(n, -1, 1)[:, None, None]
        w, h = self._uniform(n, 0.2, 0.8)[:, None, None], self._uniform(n, 0.2, 0.8)[:, None, None]
        inside = ((axis[None, None, :] - x).abs() < w) & ((axis[None, :, None] - y).abs() < h)
        inside &= (self._uniform(n) < 0.3)[:, None, None]
        return torch.where(inside[:, None], grounds.roll(1, 0), grounds)

    def _photographed(self, rgb: torch.Tensor) -> torch.Tensor:
        """Light, lens, dirt and compression; then the network's normalisation."""
        config, n = self.config, len(rgb)
        rgb = self._light(rgb)
        for share, alter in (
            (config.shadow, self._shadow),
            (config.hide, self._hidden),
            (config.blur, self._blurred),
            (config.noise, self._noisy),
            (config.sharpen, self._sharpened),
        ):
            chosen = _indexes(self._uniform(n) < share)
            if len(chosen):
                rgb[chosen] = alter(rgb[chosen])
        rgb = self._compressed(rgb.clamp_(0, 1))
        return rgb.sub_(self.mean).div_(self.std)

    def _light(self, rgb: torch.Tensor) -> torch.Tensor:
        n, strength = len(rgb), self.config.colour

        def gain(spread: float) -> torch.Tensor:
            return torch.exp(self._uniform(n, -spread, spread))[:, None, None, None]

        rgb = rgb.clamp(min=1e-3) ** gain(strength)  # exposure curve
        cast = torch.exp(self._uniform(n * 3, -strength / 2, strength / 2)).reshape(n, 3, 1, 1)
        rgb *= cast * gain(strength)
        mean = rgb.mean((1, 2, 3), keepdim=True)
        rgb = torch.lerp(mean, rgb, gain(strength))  # contrast
        grey = rgb.mean(1, keepdim=True)
        saturation = self._uniform(n, 1 - 2 * strength, 1 + 1.5 * strength).clamp(min=0)
        without = self._uniform(n) < self.config.grey
        saturation = saturation.masked_fill(without, 0)[:, None, None, None]
        return torch.lerp(grey, rgb, saturation)

    def _shadow(self, rgb: torch.Tensor) -> torch.Tensor:
        """A soft-edged half plane of less light."""
        n, size = len(rgb), rgb.shape[-1]
        axis = self._axis(size)
        angle = self._uniform(n, 0, 2 * math.pi)[:, None, None]
        distance = axis[None, None, :] * angle.cos() + axis[None, :, None] * angle.sin()
        edge = self._uniform(n, -0.6, 0.6)[:, None, None]
        softness = self._uniform(n, 3, 25)[:, None, None]
        depth = self._uniform(n, 0.15, 0.6)
        dark = 1 - depth[:, None, None] * torch.sigmoid((distance - edge) * softness)
        return rgb * dark[:, None]

    def _hidden(self, rgb: torch.Tensor) -> torch.Tensor:
        """An ellipse in the way: a hand, a rag, grease, another thing."""
        n, size = len(rgb), rgb.shape[-1]
        axis = self._axis(size)
        x0, y0 = self._uniform(n, -1, 1)[:, None, None], self._uniform(n, -1, 1)[:, None, None]
        rx, ry = (
            self._uniform(n, 0.12, 0.55)[:, None, None],
            self._uniform(n, 0.12, 0.55)[:, None, None],
        )
        inside = ((axis[None, None, :] - x0) / rx) ** 2 + ((axis[None, :, None] - y0) / ry) ** 2
        cover = torch.sigmoid((1 - inside) * 12)
        skin = torch.tensor([0.78, 0.58, 0.47], device=self.device)[None, :]
        skin = skin * self._uniform(n, 0.35, 1.2)[:, None]
        any_colour = self._uniform(n * 3).reshape(n, 3) * 0.7
        colour = torch.where((self._uniform(n) < 0.4)[:, None], skin, any_colour)
        texture = self._normal(n, 1, size // 8, size // 8) * 0.06
        texture = F.interpolate(texture, size=(size, size), mode="bilinear")
        return rgb + cover[:, None] * (colour[:, :, None, None] + texture - rgb)

    def _blurred(self, rgb: torch.Tensor) -> torch.Tensor:
        """Out of focus or a low resolution."""
        size = rgb.shape[-1]
        sides = (size * self._uniform(len(rgb), 0.25, 0.8)).int().tolist()
        for index, side in enumerate(sides):
            picture = F.interpolate(rgb[index : index + 1], size=(side, side), mode="area")
            rgb[index : index + 1] = F.interpolate(picture, size=(size, size), mode="bilinear")
        return rgb

    def _noisy(self, rgb: torch.Tensor) -> torch.Tensor:
        """The grain of a dark photograph."""
        level = self._uniform(len(rgb), 0.01, 0.06)[:, None, None, None]
        return rgb + self._normal(*rgb.shape) * level

    def _sharpened(self, rgb: torch.Tensor) -> torch.Tensor:
        """Unsharp mask: interpolation is undone, or the camera's own sharpening done."""
        strength = self._uniform(len(rgb), 0.3, 1.5)[:, None, None, None]
        soft = F.avg_pool2d(rgb, 3, 1, 1, count_include_pad=False)
        return torch.lerp(soft, rgb, 1 + strength)

    def _compressed(self, rgb: torch.Tensor) -> torch.Tensor:
        """Written as JPEG of low quality and read again, in some views."""
        chosen = _indexes(self._uniform(len(rgb)) < self.config.jpeg)
        if len(chosen):
            rgb[chosen] = compressed(rgb[chosen], self._uniform(len(chosen), *JPEG_QUALITY))
        return rgb


def _indexes(mask: torch.Tensor) -> torch.Tensor:
    return torch.nonzero(mask).flatten()
