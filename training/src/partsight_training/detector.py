"""The part detector: the part model's network up to its last map, and a head on two of its maps.

The network has no layer that looks at the whole picture before its last, so it runs on a larger
picture than it was trained with, and gives a map where it gave a vector. For each cell of 16 px the
head says how surely the middle of a part is there, and how far its edges are ("Objects as Points",
Zhou et al., 2019; the distances as in "FCOS", Tian et al., 2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn
from torch.nn import functional as F

from partsight_training.export import OPSET
from partsight_training.network import Network, fold
from partsight_training.quantise import quantise

STRIDE = 16  # px a cell
# The blocks that end with the network's map of 1/16 of the sides, and with that of 1/32.
FINE_BLOCK, COARSE_BLOCK = 15, 21
FROZEN_BLOCKS = 6  # hold the most general features, and take the longest to learn
WIDTH = 96  # channels of the head
DILATIONS = (1, 2, 4)  # of its convolutions; what lies further away is in the maps already
SPREAD = (
    0.14  # of a middle, as a share of the part's sides: neighbours of the middle are half right
)
LEAST_DISTANCE = 0.05  # cells from a middle to an edge
LOG_DISTANCES = (-2.0, 5.0)  # of what the head can say: a seventh of a cell to 148 cells


class Trunk(nn.Module):
    """The network up to its last map, learning from block `FROZEN_BLOCKS` on."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.first = network.blocks[:FROZEN_BLOCKS].requires_grad_(False)
        self.fine = network.blocks[FROZEN_BLOCKS : FINE_BLOCK + 1]
        self.coarse = network.blocks[FINE_BLOCK + 1 : COARSE_BLOCK + 1]

    def forward(self, image: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """`[n, 3, h, w]`, h and w multiples of 32, to maps of 1/16 and 1/32 of the sides."""
        fine = self.fine(self.first(image))
        return fine, self.coarse(fine)


class Block(nn.Module):
    """A dilated 3x3 convolution of each channel, then one across channels, added to the input."""

    def __init__(self, width: int, dilation: int) -> None:
        super().__init__()
        self.each = nn.Conv2d(
            width, width, 3, padding=dilation, dilation=dilation, groups=width, bias=False
        )
        self.each_norm = nn.BatchNorm2d(width)
        self.across = nn.Conv2d(width, width, 1, bias=False)
        self.across_norm = nn.BatchNorm2d(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """`[n, width, h, w]` to the same shape."""
        within = F.relu(self.each_norm(self.each(x)))
        return x + F.relu(self.across_norm(self.across(within)))


class Head(nn.Module):
    """Two maps of the network to scores and distances."""

    def __init__(self, fine: int = 120, coarse: int = 352, drop: float = 0.1) -> None:
        """`fine` and `coarse`: channels of the maps of 1/16 and 1/32 of the picture's sides."""
        super().__init__()
        self.fine_norm, self.coarse_norm = nn.BatchNorm2d(fine), nn.BatchNorm2d(coarse)
        self.fine, self.coarse = nn.Conv2d(fine, WIDTH, 1), nn.Conv2d(coarse, WIDTH, 1)
        self.drop = nn.Dropout2d(drop)
        self.blocks = nn.Sequential(*[Block(WIDTH, dilation) for dilation in DILATIONS])
        self.out = nn.Conv2d(WIDTH, 5, 1)
        nn.init.zeros_(self.out.weight)
        with torch.no_grad():
            # Few cells are middles, and a part is some nine cells wide.
            self.out.bias.copy_(torch.tensor([-4.0, 1.5, 1.5, 1.5, 1.5]))

    def forward(
        self, fine: torch.Tensor, coarse: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """`[n, fine, h, w]` and `[n, coarse, h / 2, w / 2]` to logits of the score `[n, h, w]` and
        logarithms of the distances left, up, right and down in cells `[n, 4, h, w]`."""
        wide = F.interpolate(
            self.coarse(self.drop(self.coarse_norm(coarse))), scale_factor=2, mode="nearest"
        )
        x = F.relu(wide + self.fine(self.drop(self.fine_norm(fine))))
        out = self.out(self.blocks(x))
        return out[:, 0], out[:, 1:].clamp(*LOG_DISTANCES)


class Detector(nn.Module):
    """Trunk and head."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.trunk, self.head = Trunk(network), Head()

    def train(self, mode: bool = True) -> Detector:
        """The trunk keeps its means and variances: pictures of several parts come few at once."""
        super().train(mode)
        for layer in self.trunk.modules():
            if isinstance(layer, nn.BatchNorm2d):
                layer.eval()
        return self

    def forward(self, image: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Images f32 `[n, 3, h, w]`, h and w multiples of 32, to what the head says of them."""
        return self.head(*self.trunk(image))


@dataclass(frozen=True)
class Target:
    """What the head should say of one picture."""

    score: np.ndarray  # f32 [h, w]: 1 at middles, less around them
    distance: np.ndarray  # f32 [4, h, w], cells
    weight: np.ndarray  # f32 [h, w]: how much a cell's distances count


def target(boxes: np.ndarray, rows: int, columns: int) -> Target:
    """Of boxes f32 `[n, 4]`: left, top, right, bottom in px. Where two meet, the smaller counts."""
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32) + 0.5
    score = np.zeros((rows, columns), np.float32)
    owner = np.full((rows, columns), -1)
    cells = boxes / STRIDE
    areas = (cells[:, 2] - cells[:, 0]) * (cells[:, 3] - cells[:, 1])
    for index in np.argsort(-areas):
        left, top, right, bottom = cells[index]
        middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
        spread_x, spread_y = max(SPREAD * (right - left), 0.6), max(SPREAD * (bottom - top), 0.6)
        bell = np.exp(-(((x - middle_x) / spread_x) ** 2 + ((y - middle_y) / spread_y) ** 2) / 2)
        bell[min(rows - 1, int(middle_y)), min(columns - 1, int(middle_x))] = 1
        is_higher = bell > score
        score[is_higher] = bell[is_higher]
        owner[is_higher & (bell > 0.25)] = index
    distance = np.ones((4, rows, columns), np.float32)
    weight = np.zeros((rows, columns), np.float32)
    is_owned = owner >= 0
    if is_owned.any():
        left, top, right, bottom = cells[owner[is_owned]].T
        own_x, own_y = x[is_owned], y[is_owned]
        distance[:, is_owned] = np.stack([own_x - left, own_y - top, right - own_x, bottom - own_y])
        is_inside = distance.min(axis=0) > LEAST_DISTANCE
        weight = np.where(is_owned & is_inside, score, 0).astype(np.float32)
    return Target(score, distance.clip(LEAST_DISTANCE), weight)


def loss(
    logits: torch.Tensor,
    log_distance: torch.Tensor,
    score: torch.Tensor,
    distance: torch.Tensor,
    weight: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Focal loss of the scores as in CenterNet, and 1 - generalised IoU of the boxes."""
    found = torch.sigmoid(logits).clamp(1e-4, 1 - 1e-4)
    is_middle = (score >= 1).float()
    focal = is_middle * (1 - found) ** 2 * found.log()
    focal = focal + (1 - is_middle) * (1 - score) ** 4 * found**2 * (1 - found).log()
    own, other = log_distance.exp(), distance
    inner, outer = torch.minimum(own, other), torch.maximum(own, other)

    def area(sides: torch.Tensor) -> torch.Tensor:
        return (sides[:, 0] + sides[:, 2]) * (sides[:, 1] + sides[:, 3])

    # Both boxes contain the cell's middle, which makes their intersection and hull simple.
    union = area(own) + area(other) - area(inner)
    giou = area(inner) / union - (area(outer) - union) / area(outer)
    box_loss = ((1 - giou) * weight).sum() / weight.sum().clamp(min=1)
    return -focal.sum() / is_middle.sum().clamp(min=1), box_loss


def write_trunk(trunk: Trunk, pixels: Sequence[np.ndarray], path: Path) -> None:
    """Write the trunk as ONNX in int8; `pixels`, each u8 `[h, w, 3]`, show what values occur.

    In: `image` f32 `[n, 3, h, w]`, h and w multiples of 32. Out: `fine` and `coarse`.
    """
    full = path.with_suffix(".f32.onnx")
    axes = {name: {0: "n", 2: f"{name}_h", 3: f"{name}_w"} for name in ("image", "fine", "coarse")}
    torch.onnx.export(
        fold(trunk),
        (torch.zeros(1, 3, 256, 256),),
        str(full),
        dynamo=False,
        opset_version=OPSET,
        input_names=["image"],
        output_names=["fine", "coarse"],
        dynamic_axes=axes,
    )
    quantise(full, path, pixels)
    full.unlink()


def export(trunk: onnx.ModelProto, head: Head) -> onnx.ModelProto:
    """Trunk and head as one graph.

    In: `image` f32 `[n, 3, h, w]`, h and w multiples of 32. Out: `score` f32 in 0..=1
    `[n, 1, h / 16, w / 16]`, and `sides` f32 `[n, 4, h / 16, w / 16]`: px to the left, upper,
    right and lower edge.
    """
    weights: dict[str, np.ndarray] = {}
    nodes: list[onnx.NodeProto] = []

    def conv(
        name: str, source: str, kernel: np.ndarray, bias: np.ndarray, **attributes: object
    ) -> str:
        weights[f"{name}/weight"], weights[f"{name}/bias"] = kernel, bias
        inputs = [source, f"head/{name}/weight", f"head/{name}/bias"]
        nodes.append(helper.make_node("Conv", inputs, [f"head/{name}"], **attributes))
        return f"head/{name}"

    def node(kind: str, inputs: list[str], name: str, **attributes: object) -> str:
        nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    head = head.eval()
    fine_map, coarse_map = (output.name for output in trunk.graph.output)
    fine = conv("fine", fine_map, *_norm_first(head.fine_norm, head.fine))
    coarse = conv("coarse", coarse_map, *_norm_first(head.coarse_norm, head.coarse))
    weights["twice"] = np.array([1, 1, 2, 2], np.float32)
    wide = node(
        "Resize", [coarse, "", "head/twice"], "head/wide", mode="nearest",
        coordinate_transformation_mode="asymmetric", nearest_mode="floor",
    )  # fmt: skip
    x = node("Relu", [node("Add", [wide, fine], "head/both")], "head/start")
    for index, block in enumerate(head.blocks):
        dilation = block.each.dilation[0]
        each = conv(
            f"each{index}", x, *_norm_last(block.each, block.each_norm),
            pads=[dilation] * 4, dilations=[dilation] * 2, group=block.each.groups,
        )  # fmt: skip
        each = node("Relu", [each], f"head/each{index}/relu")
        across = conv(f"across{index}", each, *_norm_last(block.across, block.across_norm))
        across = node("Relu", [across], f"head/across{index}/relu")
        x = node("Add", [x, across], f"head/block{index}")
    kernel, bias = (value.detach().numpy() for value in (head.out.weight, head.out.bias))
    node("Sigmoid", [conv("score", x, kernel[:1], bias[:1])], "score")
    weights["least"], weights["most"] = (np.float32(value) for value in LOG_DISTANCES)
    weights["stride"] = np.float32(STRIDE)
    distance = conv("distance", x, kernel[1:], bias[1:])
    distance = node("Clip", [distance, "head/least", "head/most"], "head/distance/clip")
    node("Mul", [node("Exp", [distance], "head/distance/exp"), "head/stride"], "sides")
    model = onnx.ModelProto()
    model.CopyFrom(trunk)
    model.graph.node.extend(nodes)
    model.graph.initializer.extend(
        numpy_helper.from_array(np.ascontiguousarray(value, np.float32), f"head/{name}")
        for name, value in weights.items()
    )
    del model.graph.output[:]
    model.graph.output.extend(
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", channels, "rows", "columns"])
        for name, channels in (("score", 1), ("sides", 4))
    )
    onnx.checker.check_model(model, full_check=True)
    return model


def _scale_and_shift(norm: nn.BatchNorm2d) -> tuple[np.ndarray, np.ndarray]:
    scale = norm.weight.double() / (norm.running_var.double() + norm.eps).sqrt()
    shift = norm.bias.double() - norm.running_mean.double() * scale
    return scale.detach().numpy(), shift.detach().numpy()


def _norm_first(norm: nn.BatchNorm2d, layer: nn.Conv2d) -> tuple[np.ndarray, np.ndarray]:
    """Kernel and bias of a 1x1 convolution behind a batch norm, with the norm inside."""
    scale, shift = _scale_and_shift(norm)
    kernel, bias = layer.weight.detach().double().numpy(), layer.bias.detach().double().numpy()
    return kernel * scale[None, :, None, None], bias + kernel[:, :, 0, 0] @ shift


def _norm_last(layer: nn.Conv2d, norm: nn.BatchNorm2d) -> tuple[np.ndarray, np.ndarray]:
    """Kernel and bias of a convolution before a batch norm, with the norm inside."""
    scale, shift = _scale_and_shift(norm)
    return layer.weight.detach().double().numpy() * scale[:, None, None, None], shift
