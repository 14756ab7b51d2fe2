"""Runs encoders of photographs in `transformers` on weights by formula and writes what comes out.

A golden file holds the configuration, names and shapes of the tensors as the library saves them,
the side of the pictures, and `pooler_output` of pictures by formula, scaled to length 1.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from formula import image, weight
from safetensors import safe_open
from safetensors.numpy import save_file
from transformers import AutoConfig, AutoModel

FIXTURES = Path(__file__).parents[2] / "crates/inference/tests/fixtures/vision_encoder"
N_IMAGES = 3

TRANSFORMER = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "patch_size": 8}
CONVOLUTIONS = {"num_stages": 3, "hidden_sizes": [16, 24, 32], "depths": [1, 2, 1]}
CASES = {
    # As many patches as positions, and pixels left over at the edges.
    "dinov2": (66, {"model_type": "dinov2", "image_size": 66, **TRANSFORMER}),
    # The positions of 14 x 14 patches for 8 x 8, and for 20 x 20.
    "dinov2-smaller": (64, {"model_type": "dinov2", "image_size": 112, **TRANSFORMER}),
    "dinov2-larger": (160, {"model_type": "dinov2", "image_size": 112, **TRANSFORMER}),
    # A gate, no biases before attention, an epsilon that shows.
    "dinov2-gated": (
        64,
        {
            "model_type": "dinov2",
            "image_size": 64,
            "use_swiglu_ffn": True,
            "qkv_bias": False,
            "mlp_ratio": 3,
            "layer_norm_eps": 0.01,
            **TRANSFORMER,
        },
    ),
    # Positions are smoothed on their way to fewer patches.
    "dinov2-registers": (
        64,
        {
            "model_type": "dinov2_with_registers",
            "image_size": 112,
            "num_register_tokens": 3,
            "hidden_act": "gelu_pytorch_tanh",
            **TRANSFORMER,
        },
    ),
    "dinov2-registers-larger": (
        160,
        {"model_type": "dinov2_with_registers", "image_size": 112, **TRANSFORMER},
    ),
    "dinov3": (
        64,
        {
            "model_type": "dinov3_vit",
            "image_size": 112,
            "intermediate_size": 96,
            "num_register_tokens": 4,
            **TRANSFORMER,
        },
    ),
    # Every bias the other way round, another base of the periods, a gate.
    "dinov3-gated": (
        80,
        {
            "model_type": "dinov3_vit",
            "intermediate_size": 64,
            "use_gated_mlp": True,
            "hidden_act": "silu",
            "query_bias": False,
            "key_bias": True,
            "value_bias": False,
            "proj_bias": False,
            "mlp_bias": False,
            "rope_theta": 30.0,
            **TRANSFORMER,
        },
    ),
    # Sides that the reductions do not divide.
    "convnext": (70, {"model_type": "convnext", "patch_size": 4, **CONVOLUTIONS}),
    "convnext-unscaled": (
        64,
        {
            "model_type": "convnext",
            "patch_size": 2,
            "layer_scale_init_value": 0.0,
            "layer_norm_eps": 0.01,
            "hidden_act": "relu",
            **CONVOLUTIONS,
        },
    ),
    "convnextv2": (64, {"model_type": "convnextv2", "patch_size": 4, **CONVOLUTIONS}),
}


def tensors_of(config: dict) -> list[tuple[str, tuple[int, ...]]]:
    """Names and shapes of the tensors as the library saves them."""
    with tempfile.TemporaryDirectory() as folder:
        model_of(config).save_pretrained(folder)
        with safe_open(f"{folder}/model.safetensors", "np") as file:
            return [(name, tuple(file.get_slice(name).get_shape())) for name in sorted(file.keys())]


def model_of(config: dict) -> torch.nn.Module:
    """An untrained model."""
    config = dict(config)
    return AutoModel.from_config(AutoConfig.for_model(config.pop("model_type"), **config))


@torch.inference_mode()
def golden(size: int, config: dict) -> dict:
    """What the model of a configuration gives for the pictures."""
    tensors = tensors_of(config)
    with tempfile.TemporaryDirectory() as folder:
        # By the names in the file, so that the library brings them to those that it has inside.
        save_file(
            {name: weight(name, shape) for name, shape in tensors},
            f"{folder}/model.safetensors",
            {"format": "pt"},
        )
        Path(folder, "config.json").write_text(json.dumps(config))
        model, report = AutoModel.from_pretrained(folder, output_loading_info=True)
    assert not report["missing_keys"], report
    assert not report["unexpected_keys"], report
    pixels = torch.from_numpy(np.stack([image(number, size) for number in range(N_IMAGES)]))
    vectors = model.eval()(pixel_values=pixels).pooler_output
    vectors = vectors / vectors.norm(dim=-1, keepdim=True)
    return {
        "config": config,
        "size": size,
        "tensors": tensors,
        "embeddings": [[float(f"{value:.7g}") for value in row] for row in vectors.tolist()],
    }


def main(names: list[str]) -> None:
    """Writes the golden files of these cases, or of all."""
    FIXTURES.mkdir(exist_ok=True)
    for name in names or CASES:
        output = golden(*CASES[name])
        (FIXTURES / f"{name}.json").write_text(json.dumps(output) + "\n")
        vectors = np.array(output["embeddings"])
        print(name, "between pictures", np.round(vectors @ vectors.T, 4), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
