"""Write the model card from the training record, so that its figures are the measured ones.

python -m partsight_training.card --model ../models/partsight-50
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from partsight_training.config import REPOSITORY

TITLES = {
    "valid": "catalogue (`valid`)",
    "field-valid": "field (`field-valid`)",
    "negatives": "everyday (`negatives`, held-out half)",
    "other-parts": "other parts (`other-parts`, held-out half)",
}


def card(record: dict, types: int) -> str:
    """Text of the model's README.md; `types` is how many part types it knows."""
    config, measured, data = record["config"], record["measured"], record["data"]
    counts = {name: split["photographs"] for name, split in data.items()}
    half = record["fitting-half"]
    wanted, thresholds = config["thresholds"], record["thresholds"]
    mistakes = measured["mistakes"]
    return f"""\
# {config["name"]} {config["version"]}

<!-- Written by training/src/partsight_training/card.py from training-record.json. -->

Recognises {types} types of car part in a photograph, and says when the photograph shows none of them.
`model.toml` holds every fact that serving needs, `training-record.json` how the model came about, `variants.json` what else was tried.

## What it is

- MobileNetV2 1.0 at 224 x 224, started from `mobilenetv2-7` of the ONNX model zoo (Apache-2.0, trained on ImageNet); its weights are unchanged.
- A multinomial logistic head over the unit-length 1280-wide embedding gives the {types} logits.
- A logistic `known` head over the embedding and the logsumexp of the logits says whether the photograph shows one of the {types} types.
- One ONNX graph, opset 17, f32, {record["model"]["size_bytes"]:,} bytes; its outputs are described in `model.toml`.

## What it was fitted on

| photographs | count | used for |
|---|---|---|
| `train` | {counts["train"]:,} of {types} types, mostly catalogue pictures | class head and known head, the class head also on {config["augment"]["views"]} randomly altered copy of each |
| `valid` | {counts["valid"]}, the same collection | choosing, calibrating |
| `field-valid` | {counts["field-valid"]} of 28 types, other photographers | choosing, calibrating, thresholds, known head ({config["known"]["field_share"]:.0%} of the known parts' weight) |
| `negatives` | {half["negatives"]} of {counts["negatives"]} everyday photographs, drawn at random | known head, thresholds; the others measure |
| `other-parts` | {half["other-parts"]} of {counts["other-parts"]}: air filters, bevel gears, spur gears | known head; the others measure |

The photographs belong to others and are not part of this repository.

## Intended use

A first answer to "which part is this?" for a photograph with one part in view, on a machine without a network.
It gives a type, not a part number, and says nothing of condition, fit or safety.
An answer that matters is to be checked by a person; `not-sure` is an answer too.

## Measured

Intervals are 95% Wilson intervals.
Figures on `valid` and `field-valid` are optimistic: resizing, regularisation, features, temperature and thresholds were chosen on them.
The held-out halves fitted nothing, but the known head's features, regularisation and weights were chosen by its AUROC on them, so those figures are a little optimistic too.
The known scores of `valid` and `field-valid` are those of heads that did not see the photograph (cross-validated for `field-valid`), and so is the calibration error.

| photographs | top-1 | top-3 | top-5 | calibration error (ECE) |
|---|---|---|---|---|
{_accuracy_row(measured, "valid")}
{_accuracy_row(measured, "field-valid")}

Top-1 on `train`, 5-fold cross-validated: {_share(measured["train-cross-validated-top1"])}.

| verdicts | identified | not sure | not a part |
|---|---|---|---|
{_verdict_row(measured["valid"], "valid")}
{_verdict_row(measured["field-valid"], "field-valid")}
{_verdict_row(measured["negatives-held-out"], "negatives")}
{_verdict_row(measured["other-parts-held-out"], "other-parts")}

Right among the photographs called identified: {_share(measured["valid"]["identifiedAndRight"])} of `valid`, {_share(measured["field-valid"]["identifiedAndRight"])} of `field-valid`.

| AUROC of the known score against | `valid` | `field-valid` |
|---|---|---|
{_auroc_row(measured, "negatives")}
{_auroc_row(measured, "other-parts")}

## Thresholds

The rule is written in `training/configs/{config["name"]}.toml` as wanted error rates; the numbers follow.

- Below {thresholds["not_a_part_below"]:.3f} of the known score a photograph is not a part: at most {wanted["known_called_not_a_part"]:.0%} of `field-valid` fall there.
- From {thresholds["identified_confidence"]:.3f} of confidence on, at least {wanted["identified_precision"]:.0%} of the best guesses on `field-valid` are right.
- From {thresholds["identified_known_score"]:.3f} of the known score on, and with that confidence, a part is identified: at most {wanted["unknown_called_identified"]:.1%} of the fitting half of `negatives` get there, cross-validated.

## Limits

- {types} types only. The known head has seen three kinds of other part, and the held-out half holds the same three: parts of kinds it has not seen are rejected less well (`variants.json`, `other-parts-unseen-type`).
- Confused more than once on `valid` and `field-valid`: {", ".join(f"{pair} ({count})" for pair, count in mistakes.items()) or "none"}.
- Photographs are squashed to a square, and the network was fitted on parts that fill the frame. How much worse small parts in a wide scene or parts mounted in an engine bay are was not measured.
- Only 28 of the types occur among the field photographs, few of each: nothing is known of the others outside catalogues.
- A picture of a part can count as the part: two of the golden drawings are called identified.
- Confidence is calibrated for a mixture of catalogue and field photographs in equal parts; other mixtures shift it.
- Drawings are outside what the known head has seen: the golden coil spring gets the right label and yet `not-sure`.

## Golden files

`golden/` holds drawings by `training/src/partsight_training/drawings.py` with the expected pixels, tensor hash and outputs.
Every other implementation of serving is tested against them.

## Licence

MIT OR Apache-2.0, as the repository; the starting weights are Apache-2.0.
"""


def _share(share: dict) -> str:
    low, high = share["wilson95"]
    return f"{share['value']:.3f} ({share['count']}/{share['total']}, {low:.3f} to {high:.3f})"


def _accuracy_row(measured: dict, name: str) -> str:
    cells = [_share(measured[name][figure]) for figure in ("top1", "top3", "top5")]
    return " | ".join(
        ["| " + TITLES[name], *cells, f"{measured['ece-cross-validated'][name]:.3f} |"]
    )


def _verdict_row(report: dict, name: str) -> str:
    cells = [_share(report["verdicts"][v]) for v in ("identified", "not-sure", "not-a-part")]
    return " | ".join(["| " + TITLES[name], *cells]) + " |"


def _auroc_row(measured: dict, name: str) -> str:
    values = measured[f"known-auroc-against-{name}-held-out"]
    return f"| {TITLES[name]} | {values['valid']:.3f} | {values['field-valid']:.3f} |"


def write_card(folder: Path) -> None:
    """Write `README.md` of a model folder."""
    record = json.loads((folder / "training-record.json").read_text(encoding="utf-8"))
    labels = (folder / "labels.txt").read_text(encoding="utf-8").split()
    (folder / "README.md").write_text(card(record, len(labels)), encoding="utf-8")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Write the model card.")
    parser.add_argument("--model", type=Path, default=REPOSITORY / "models" / "partsight-50")
    write_card(parser.parse_args().model)


if __name__ == "__main__":
    main()
