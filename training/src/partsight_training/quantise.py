"""Write a backbone's convolutions as int8: half the time of f32, a quarter of the file.

Weights are symmetric for each output channel, activations affine for each tensor, their ranges the
averages of the smallest and largest values in calibration photographs (QDQ form, which every ONNX
Runtime reads). Weights keep to seven bits: instruction sets before VNNI add pairs of products in
sixteen bits, which eight-bit weights can overflow, and the answer must not depend on the machine.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnxruntime.quantization import (
    CalibrationDataReader,
    CalibrationMethod,
    QuantFormat,
    QuantType,
    quantize_static,
)

from partsight_training.transforms import to_tensor

# The first convolutions work on few channels at full size: in int8 they cost accuracy and save no
# time (variants.json).
FIRST_IN_F32 = 3


class _Photographs(CalibrationDataReader):
    """Calibration photographs, each u8 `[h, w, 3]`, one at a time."""

    def __init__(self, name: str, pixels: Sequence[np.ndarray]) -> None:
        self.tensors: Iterator[dict[str, np.ndarray]] = (
            {name: to_tensor(photograph[None])} for photograph in pixels
        )

    def get_next(self) -> dict[str, np.ndarray] | None:
        return next(self.tensors, None)


def quantise(source: Path, out: Path, pixels: Sequence[np.ndarray]) -> None:
    """Write `source`, a backbone of f32, as int8 to `out`; the projection stays f32.

    `pixels`, each u8 `[h, w, 3]`, are the calibration photographs.
    """
    model = _simplified(source)
    convolutions = [node.name for node in model.graph.node if node.op_type == "Conv"]
    part = out.with_suffix(".part")
    logging.getLogger().setLevel(logging.ERROR)  # it asks for a preparation that adds nothing here
    quantize_static(
        model,
        part,
        _Photographs(model.graph.input[0].name, pixels),
        quant_format=QuantFormat.QDQ,
        op_types_to_quantize=["Conv", "Add", "Clip", "GlobalAveragePool"],
        nodes_to_exclude=convolutions[:FIRST_IN_F32],
        per_channel=True,
        reduce_range=True,
        weight_type=QuantType.QInt8,
        activation_type=QuantType.QUInt8,
        calibrate_method=CalibrationMethod.MinMax,
        extra_options={"CalibMovingAverage": True},
    )
    part.replace(out)


def _simplified(source: Path) -> onnx.ModelProto:
    """The graph with constants computed and zero padding inside the convolutions."""
    with tempfile.TemporaryDirectory() as folder:
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(Path(folder) / "simplified.onnx")
        ort.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])
        return onnx.load(options.optimized_model_filepath)
