"""Runs CLIP and SigLIP in `transformers` on weights by formula and writes what comes out.

A golden file holds the configuration as the engine reads it, the texts, their token ids, and the
unit-length embeddings and logits of the texts and of images by formula.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path

import numpy as np
import torch
from formula import image, weight
from transformers import (
    CLIPConfig,
    CLIPModel,
    CLIPTokenizer,
    SiglipConfig,
    SiglipModel,
    SiglipTokenizer,
)

FIXTURES = Path(__file__).parents[2] / "crates/inference/tests/fixtures/dual_encoder"
WEIGHTS = Path(os.environ.get("PARTSIGHT_WEIGHTS", Path(__file__).parents[3] / "shared/weights"))
START, END = "<|startoftext|>", "<|endoftext|>"

TEXTS = [
    "a photo of a brake rotor, a car part",
    "A close-up of  a SPARK PLUG; is it worn?",
    "",
    "oil filter " * 60,
]
TOKEN_TEXTS = [
    "a photo of a cat",
    "a photo of a brake rotor, a car part",
    "  Spaces\tand\nlines  ",
    "It's the driver's; they'll've CAPITALS",
    '12,5 mm x 3/8" (M10-1.25)',
    "Zündkerze, café, naïve, ΑΒΣ, Ж, 火花塞, 🔧🚗",
    "e\u0301 combining, ﬁ ligature, ½",
    "under_score #hash @at <tag> &amp;",
    f"an {END} inside",
    "",
    "very long " * 60,
]
"""What the tokenizer alone is compared on, with CLIP's published vocabulary."""

LAYERS = {"hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 2}
VISION = LAYERS | {"num_attention_heads": 4, "image_size": 32, "patch_size": 8}
TEXT = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "vocab_size": 634,
}
CASES = {
    # The end token by the highest id, and another length for each size.
    "tiny-clip": {
        "model_type": "clip",
        "projection_dim": 40,
        "text_config": TEXT | {"eos_token_id": 2},
        "vision_config": VISION,
    },
    # The end token by its id, GELU, an epsilon that shows, pixels left over at the edges.
    "tiny-clip-gelu": {
        "model_type": "clip",
        "projection_dim": 24,
        "text_config": TEXT
        | {
            "eos_token_id": 633,
            "hidden_act": "gelu",
            "layer_norm_eps": 0.01,
            "max_position_embeddings": 20,
        },
        "vision_config": VISION | {"hidden_act": "gelu", "layer_norm_eps": 0.01, "image_size": 30},
    },
    "tiny-siglip": {
        "model_type": "siglip",
        "text_config": {
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "vocab_size": 110,
            "projection_size": 48,
        },
        "vision_config": VISION,
    },
    # The published configurations, as far as they differ from the defaults.
    "clip-vit-base-patch32": {
        "model_type": "clip",
        "projection_dim": 512,
        "text_config": {"eos_token_id": 2},
        "vision_config": {"patch_size": 32},
    },
    "siglip-base-patch16-224": {"model_type": "siglip", "text_config": {}, "vision_config": {}},
}
N_IMAGES = 2


def build(config: dict) -> CLIPModel | SiglipModel:
    """The model of a configuration, its weights by formula."""
    if config["model_type"] == "clip":
        model = CLIPModel(CLIPConfig(**config))
    else:
        model = SiglipModel(SiglipConfig(**config))
    state = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    for name, shape in state.items():
        model.state_dict()[name].copy_(torch.from_numpy(weight(name, shape)))
    return model.eval()


def tokenizer_of(config: dict) -> CLIPTokenizer | SiglipTokenizer:
    """The small tokenizer of the family."""
    if config["model_type"] == "siglip":
        return SiglipTokenizer(str(FIXTURES / "siglip-tokenizer/spiece.model"))
    vocabulary = json.loads((FIXTURES / "clip-tokenizer/vocab.json").read_text())
    merges = (FIXTURES / "clip-tokenizer/merges.txt").read_text().splitlines()[1:]
    return CLIPTokenizer(vocab=vocabulary, merges=[tuple(line.split()) for line in merges])


def rounded(values: torch.Tensor) -> list:
    """Nested lists of 7 significant digits."""
    if values.dim() > 1:
        return [rounded(row) for row in values]
    return [float(f"{value:.7g}") for value in values.tolist()]


@torch.inference_mode()
def golden(config: dict) -> dict:
    """What the model of a configuration gives for the texts and images."""
    model, tokenizer = build(config), tokenizer_of(config)
    is_clip = config["model_type"] == "clip"
    length = {"max_length": model.config.text_config.max_position_embeddings, "truncation": True}
    filled = tokenizer(
        TEXTS, padding=True if is_clip else "max_length", return_tensors="pt", **length
    )
    inputs = {"input_ids": filled["input_ids"]}
    if is_clip:
        inputs["attention_mask"] = filled["attention_mask"]
    size = model.config.vision_config.image_size
    pixels = torch.from_numpy(np.stack([image(number, size) for number in range(N_IMAGES)]))
    output = model(pixel_values=pixels, **inputs)
    unfilled = tokenizer(TEXTS, **length)["input_ids"] if is_clip else filled["input_ids"].tolist()
    return {
        "config": config,
        "texts": TEXTS,
        "token_ids": unfilled,
        "image_embeddings": rounded(output.image_embeds),
        "text_embeddings": rounded(output.text_embeds),
        "logits_per_image": rounded(output.logits_per_image),
    }


def clip_token_ids(path: Path) -> dict:
    """Token ids by CLIP's published vocabulary; the file lists its merges, in order."""
    lines = gzip.decompress(path.read_bytes()).decode().split("\n")
    merges = [tuple(line.split()) for line in lines[1 : 1 + 49_152 - 256 - 2]]
    alphabet = byte_alphabet()
    tokens = [*alphabet, *(byte + "</w>" for byte in alphabet), *("".join(pair) for pair in merges)]
    vocabulary = {token: index for index, token in enumerate([*tokens, START, END])}
    tokenizer = CLIPTokenizer(vocab=vocabulary, merges=merges)
    ids = tokenizer(TOKEN_TEXTS, max_length=77, truncation=True)["input_ids"]
    return {"texts": TOKEN_TEXTS, "token_ids": ids}


def byte_alphabet() -> list[str]:
    """The characters that stand for bytes, in CLIP's order: printable ones first."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [chr(256 + index) for index in range(256 - len(printable))]
    return [chr(byte) for byte in printable] + others


def main(names: list[str]) -> None:
    """Writes the golden files of these cases, or of all, and the token ids."""
    for name in names or CASES:
        output = golden(CASES[name])
        (FIXTURES / f"{name}.json").write_text(json.dumps(output, ensure_ascii=False) + "\n")
        images, texts = np.array(output["image_embeddings"]), np.array(output["text_embeddings"])
        print(name, "between images", images @ images.T, "between texts", texts @ texts.T, sep="\n")
    vocabulary = WEIGHTS / "bpe_simple_vocab_16e6.txt.gz"
    if vocabulary.is_file():
        ids = clip_token_ids(vocabulary)
        (FIXTURES / "clip-token-ids.json").write_text(json.dumps(ids, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
