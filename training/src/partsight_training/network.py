"""The trained network in PyTorch: MobileNetV2 with its batch norm put back, and an embedding head.

The starting weights come with batch norm folded into the convolutions. Fine-tuning such a network
is worse than not training it: every layer's scale drifts. `restore_batch_norm` puts the layers back
so that the function is the same as before, and `export.py` folds them again.

MobileNetV2: Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", 2018.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional as F

FEATURES = 1280  # channels of the last convolution
# Expansion, channels, blocks and first stride of each stage; table 2 of the paper.
STAGES = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


class Convolution(nn.Module):
    """Convolution, batch norm, and ReLU6 where the paper has one."""

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
        self.conv = nn.Conv2d(
            inputs, outputs, kernel, stride, (kernel - 1) // 2, groups=groups, bias=False
        )
        self.norm = nn.BatchNorm2d(outputs)
        self.act = act

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """`[n, inputs, h, w]` to `[n, outputs, h / stride, w / stride]`."""
        x = self.norm(self._filtered(x))
        return F.relu6(x) if self.act else x

    def _filtered(self, x: torch.Tensor) -> torch.Tensor:
        conv = self.conv
        is_slow = conv.groups > 1 and conv.stride[0] > 1 and x.device.type == "cpu"
        if not (self.training and is_slow):
            return conv(x)
        # The processor's gradient of a channel-wise convolution with a stride takes ten times as
        # long as one without, and leaving out every other pixel afterwards gives the same.
        full = F.conv2d(x, conv.weight, None, 1, conv.padding, groups=conv.groups)
        return F.avg_pool2d(full, 1, conv.stride[0])


class Bottleneck(nn.Module):
    """Inverted residual: widen, filter each channel, narrow without activation."""

    def __init__(self, inputs: int, outputs: int, stride: int, expansion: int) -> None:
        super().__init__()
        hidden = inputs * expansion
        widen = [Convolution(inputs, hidden, 1)] if expansion != 1 else []
        self.layers = nn.Sequential(
            *widen,
            Convolution(hidden, hidden, 3, stride, groups=hidden),
            Convolution(hidden, outputs, 1, act=False),
        )
        self.is_residual = stride == 1 and inputs == outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """`[n, inputs, h, w]` to `[n, outputs, h / stride, w / stride]`."""
        return x + self.layers(x) if self.is_residual else self.layers(x)


class Network(nn.Module):
    """Images f32 `[n, 3, h, w]` to embeddings `[n, d]` of unit length and logits `[n, c]`."""

    def __init__(self, dimension: int, classes: int) -> None:
        super().__init__()
        blocks: list[nn.Module] = [Convolution(3, 32, 3, 2)]
        channels = 32
        for expansion, width, count, stride in STAGES:
            for index in range(count):
                blocks.append(Bottleneck(channels, width, stride if index == 0 else 1, expansion))
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


def load_folded(network: Network, path: Path) -> None:
    """Copy the folded convolutions of an ONNX file into the network.

    The batch norms become the identity plus the folded bias, so that in evaluation mode the
    features equal those of the file.
    """
    graph = onnx.load(path).graph
    weights = {
        entry.name: torch.from_numpy(numpy_helper.to_array(entry).copy())
        for entry in graph.initializer
    }
    nodes = [node for node in graph.node if node.op_type == "Conv"]
    layers = convolutions(network)
    if len(nodes) != len(layers):
        raise ValueError(f"`{path.name}` has {len(nodes)} convolutions instead of {len(layers)}")
    with torch.no_grad():
        for node, layer in zip(nodes, layers, strict=True):
            layer.conv.weight.copy_(weights[node.input[1]])
            layer.norm.running_mean.zero_()
            layer.norm.running_var.fill_(1 - layer.norm.eps)
            layer.norm.weight.fill_(1)
            layer.norm.bias.copy_(weights[node.input[2]])


@torch.no_grad()
def restore_batch_norm(network: Network, batches: Iterable[torch.Tensor]) -> None:
    """Give every batch norm the statistics of its inputs and the affine part that undoes them.

    Expects the state that `load_folded` leaves. Afterwards the function in evaluation mode is the
    same, and in training mode nearly so: mean and variance are measured on `batches`, gamma is the
    deviation and beta the mean plus the folded bias.
    """
    network.eval()
    layers = convolutions(network)
    counts = [0.0] * len(layers)
    sums = [torch.zeros(1, dtype=torch.float64)] * len(layers)
    squares = [torch.zeros(1, dtype=torch.float64)] * len(layers)

    def hook(index: int):  # noqa: ANN202
        def measure(_module: nn.Module, _inputs: object, output: torch.Tensor) -> None:
            values = output.double()
            counts[index] += values.numel() / values.shape[1]
            sums[index] = sums[index] + values.sum((0, 2, 3))
            squares[index] = squares[index] + (values * values).sum((0, 2, 3))

        return measure

    hooks = [layer.conv.register_forward_hook(hook(i)) for i, layer in enumerate(layers)]
    for batch in batches:
        network.features(batch)
    for handle in hooks:
        handle.remove()
    for layer, count, total, square in zip(layers, counts, sums, squares, strict=True):
        mean = total / count
        variance = (square / count - mean * mean).clamp(min=1e-6)
        bias = layer.norm.bias.double()
        layer.norm.running_mean.copy_(mean)
        layer.norm.running_var.copy_(variance)
        layer.norm.weight.copy_((variance + layer.norm.eps).sqrt())
        layer.norm.bias.copy_(mean + bias)


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
        return nn.Sequential(folded, nn.ReLU6()) if module.act else folded
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
