"""Learns the two small tokenizers of the parity tests from the sentences below.

The one for CLIP is byte-pair encoding in CLIP's form, written by `transformers` as `tokenizer.json`
and as `vocab.json` with `merges.txt`. The one for SigLIP is a SentencePiece unigram model; its
`tokenizer.json` leaves out the removal of capitals and punctuation on purpose, because published
files differ in that.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import sentencepiece
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from tokenizers.pre_tokenizers import ByteLevel
from transformers import CLIPTokenizer

FIXTURES = Path(__file__).parents[2] / "crates/inference/tests/fixtures/dual_encoder"
START, END = "<|startoftext|>", "<|endoftext|>"
N_MERGES = 120
N_PIECES = 110

PARTS = """
brake rotor, coil spring, rim, spark plug, oil filter, air filter, fuel injector, water pump,
alternator, starter motor, radiator, camshaft, crankshaft, cylinder head, valve, piston, gasket,
clutch plate, gearbox, drive shaft, exhaust manifold, muffler, catalytic converter, oxygen
sensor, headlight, tail light, wiper blade, mirror, bumper, fender, door handle, window
regulator, battery, fuse box, distributor, carburetor, thermostat, timing belt, idle pulley,
shock absorber, control arm, ball joint, tie rod, wheel bearing, brake pad, brake caliper,
master cylinder, oil pan
"""
SENTENCES = [
    f"a {kind} of a {part.strip()}, {rest}"
    for part in PARTS.replace("\n", " ").split(",")
    for kind in ("photo", "close-up", "dirty used example")
    for rest in ("a car part", "on a workbench", "new in its box")
]


def byte_pairs(words: Counter[str], n_merges: int) -> list[tuple[str, str]]:
    """The most frequent neighbours, merged again and again; ties by spelling."""
    splits = {word: [*word[:-1], word[-1] + "</w>"] for word in words}
    merges = []
    for _ in range(n_merges):
        pairs = Counter()
        for word, pieces in splits.items():
            for pair in pairwise(pieces):
                pairs[pair] += words[word]
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(best)
        for word, pieces in splits.items():
            joined, index = [], 0
            while index < len(pieces):
                step = 2 if tuple(pieces[index : index + 2]) == best else 1
                joined.append("".join(pieces[index : index + step]))
                index += step
            splits[word] = joined
    return merges


def make_clip(folder: Path) -> None:
    """Single bytes, the same at a word's end, the merges, and the two special tokens."""
    folder.mkdir(parents=True, exist_ok=True)
    alphabet = sorted(ByteLevel.alphabet())
    merges = byte_pairs(Counter(" ".join(SENTENCES).replace(",", " ,").split()), N_MERGES)
    tokens = [*alphabet, *(byte + "</w>" for byte in alphabet), *("".join(pair) for pair in merges)]
    vocabulary = {token: index for index, token in enumerate([*tokens, START, END])}
    tokenizer = CLIPTokenizer(vocab=vocabulary, merges=merges)
    tokenizer.backend_tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    (folder / "vocab.json").write_text(json.dumps(vocabulary, ensure_ascii=False) + "\n")
    lines = ["#version: 0.2", *(" ".join(pair) for pair in merges)]
    (folder / "merges.txt").write_text("\n".join(lines) + "\n")


def make_siglip(folder: Path) -> None:
    """`spiece.model` for the reference, `tokenizer.json` for the engine."""
    folder.mkdir(parents=True, exist_ok=True)
    sentences = [sentence.replace(",", "").replace("-", "") for sentence in SENTENCES]
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences),
        model_writer=written,
        vocab_size=N_PIECES,
        normalization_rule_name="identity",
        pad_id=0,
        eos_id=1,
        unk_id=2,
        bos_id=-1,
        num_threads=1,
        minloglevel=2,
    )
    (folder / "spiece.model").write_bytes(written.getvalue())
    model = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    pieces = [(model.id_to_piece(i), model.get_score(i)) for i in range(model.get_piece_size())]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=2, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    tokenizer.add_special_tokens(["</s>"])
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    settings = {"tokenizer_class": "SiglipTokenizer", "do_lower_case": True, "pad_token": "</s>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n")


if __name__ == "__main__":
    make_clip(FIXTURES / "clip-tokenizer")
    make_siglip(FIXTURES / "siglip-tokenizer")
