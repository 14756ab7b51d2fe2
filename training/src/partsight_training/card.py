"""Write the model card from the training record, so that its figures are the measured ones.

python -m partsight_training.card --model ../models/partsight-50
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path

from partsight_training.calibrate import error_upper_bound
from partsight_training.collection import KNOWN_SPLITS
from partsight_training.config import REPOSITORY
from partsight_training.manifest import read_manifest
from partsight_training.reference_space import BACKGROUND
from partsight_training.references import OF_FITTING_THIRDS

TITLES = {
    "valid": "catalogue (`valid`)",
    "field-valid": "field (`field-valid`)",
    "field-valid2": "field, second set (`field-valid2`)",
    "kinds-valid": "types of `kinds`, kept back (`kinds-valid`)",
    "negatives": "everyday (`negatives`, held-out third)",
    "other-parts": "parts of other types (held-out third, whole types)",
}


def card(record: dict, types: int, teaching_fitted_on: str | None) -> str:
    """Text of the model's README.md; `types` is how many part types it knows.

    `teaching_fitted_on` is what the manifest says of its `[references]`, if it has them.
    """
    config, measured, data = record["config"], record["measured"], record["data"]
    counts = {name: split["photographs"] for name, split in data.items()}
    wanted, thresholds = config["thresholds"], record["thresholds"]
    mistakes = measured["mistakes"]
    at_two = measured["answered-on-field-at-2-percent-wrong"]
    known = [name for name in KNOWN_SPLITS if name in counts]
    sets = record["sets"]
    held_out = teaching_fitted_on is None or OF_FITTING_THIRDS in teaching_fitted_on
    return f"""\
# {config["name"]} {config["version"]}

<!-- Written by training/src/partsight_training/card.py from training-record.json. -->

Recognises {types} types of car part in a photograph, and says when the photograph shows none of them.
`model.toml` holds every fact that serving needs, `training-record.json` how the model came about, `variants.json` what else was tried, with figures.

## What it is

- Started from {config["started_from"]}; takes {config["resize"]["width"]} x {config["resize"]["height"]} pixels.
{_how_trained(record, types)}
- A logistic `known` head over {" and ".join(config["known"]["features"])} says whether the photograph shows one of the {types} types.
- One ONNX graph, opset 17, {_precision(config)}, {record["model"]["size_bytes"]:,} bytes; its outputs are described in `model.toml`.
- `prototypes.safetensors`: the mean embedding of each type, and {BACKGROUND} directions around which everyday photographs lie. `fingerprints.bin`: a 240-bit difference hash of each training photograph, from which no picture can be made. With it, an evaluation finds photographs that the model was trained on.

## What it was fitted on

| photographs | count | used for |
|---|---|---|
| `train`, `field-train` | {counts["train"]:,} of {types} types, mostly catalogue pictures | network, class head, known head ({config["known"]["train_share"]:.0%} of the known parts' weight) |
| {", ".join(f"`{name}`" for name in known)} | {", ".join(str(counts[name]) for name in known)} | calibrating, thresholds, known head ({1 - config["known"]["train_share"]:.0%}) |
{_part_row(record, "negatives", "everyday photographs", held_out)}
{_part_row(record, "other-parts", "parts of types that the model does not know, split by type", held_out)}

The photographs belong to others and are not part of this repository.

## Intended use

A first answer to "which part is this?" for a photograph with one part in view, on a machine without a network.
It gives a type, not a part number, and says nothing of condition, fit or safety.
An answer that matters is to be checked by a person; `not-sure` is an answer too.

## Measured

Intervals are 95% Wilson intervals.
Temperature, known head and thresholds were fitted on the sets of known parts below; no photograph of theirs trained the network or the class head.
Input size, int8 and the settings of the known head were chosen with version 3.0.0 on `valid` and `field-valid`; the views of the second look with version 3.1.0, the share of the start in the average and the weight of field photographs in the class head with version 4.0.0 on `valid`, `field-valid` and `field-valid2`. So the figures on them are optimistic.
{_held_out(record, held_out)}
Known scores of the sets that fitted the known head are cross-validated; of parts of other types, each fold leaves out whole types. The calibration error is cross-validated too.

| photographs | top-1 | top-3 | top-5 | calibration error (ECE) |
|---|---|---|---|---|
{_rows(_accuracy_row, measured, known)}

{_second_look(record, known)}
Top-1 by the nearest prototype alone: {", ".join(f"{_share(measured['prototypes-alone'][name])} of `{name}`" for name in known)}.

| verdicts | identified | not sure | not a part |
|---|---|---|---|
{_rows(lambda measured, name: _verdict_row(measured[name], name), measured, known)}
{_verdict_row(measured["negatives-held-out"], "negatives")}
{_verdict_row(measured["other-parts-held-out"], "other-parts")}

Accuracy of the `identified` answers: {", ".join(f"{_share(measured[name]['identifiedAndRight'])} of `{name}`" for name in known)}.

| AUROC of the known score against | {" | ".join(f"`{name}`" for name in known)} |
|---|{"---|" * len(known)}
{_auroc_row(measured, "negatives", known)}
{_auroc_row(measured, "other-parts", known)}

{_sets(sets)}

## Thresholds

The rule is written in `training/configs/{config["name"]}.toml` as wanted error rates; the numbers follow.

- `not-a-part`: a known score below {thresholds["not_a_part_below"]:.3f}. At most {wanted["known_called_not_a_part"]:.0%} of the photographs of known parts that are not from the catalogue have one.
- `identified`: a confidence of at least {thresholds["identified_confidence"]:.3f} and a known score of at least {thresholds["identified_known_score"]:.3f}.
- The confidence threshold is chosen by selection with guaranteed risk (Geifman and El-Yaniv, 2017): with probability {wanted["confidence_level"]:.0%} at most {wanted["wanted_error"]:.0%} of the answers are wrong, for photographs drawn like those sets together.
- With the known score threshold, at most {wanted["unknown_called_identified"]:.1%} of the everyday photographs and {wanted["other_parts_called_identified"]:.1%} of the parts of other types of the fitting thirds are `identified`, cross-validated.
- What is promised of other unknown photographs rests on the held-out thirds: with 95% confidence at most {_held_out_bound(measured, "negatives")} of everyday photographs and at most {_held_out_bound(measured, "other-parts")} of photographs of parts of other types are `identified` (Clopper-Pearson). The bounds lie well above the shares in the table because the thirds are small.
- A category is answered if no type is `identified` and the probabilities of its types sum to at least {thresholds["category_confidence"]:.3f}; how that was chosen, and on which photographs, stands in `derived_by` of `model.toml`.

| wanted error rate | confidence threshold | answered | wrong | upper bound of the error rate | guaranteed |
|---|---|---|---|---|---|
{_dial_rows(record["dial"])}

Coverage at 2% selective risk on the field sets alone: {_share(at_two)}, at confidence {at_two["threshold"]:.3f}. Observed on those photographs, not guaranteed for others.

## Limits

- {types} types only. Parts of types that it has not seen are rejected less well; the table above says how much.
- Confused more than once: {", ".join(f"{pair} ({count})" for pair, count in mistakes.items()) or "none"}.
- Photographs are squashed to a square. How much less accurate the model is on small parts in a wide scene, or on parts mounted in an engine bay, was not measured.
- The field sets hold few photographs of each type, and none of some types.
- A picture of a part can count as the part.
- Confidence is calibrated for a mixture of those sets in equal parts; other mixtures shift it.

## Golden files

`golden/` holds drawings by `training/src/partsight_training/drawings.py` with the expected pixels, tensor hash and outputs.
Every other implementation of serving is tested against them.

## Licence

MIT OR Apache-2.0, as the repository; its starting weights have the licence named above.
"""


def _how_trained(record: dict, types: int) -> str:
    taken = (record["backbone"] or {}).get("takenFrom")
    refit = record["config"]["refit"]
    head = (
        f"its class head was refitted with weight {refit['scarce_weight']:g} for photographs outside `train`"
        if refit
        else "so is its class head"
    )
    # A record of before further types could be learnt is of a network that saw them all.
    seen = taken.get("types", types) if taken else record["network"]["types"]
    if refit and seen < types:
        head += f". It alone has learnt the other {types - seen} types"
    kept = (
        [
            f"- The network is that of version {taken['version']}, fine-tuned on {taken['photographs']:,} photographs of {seen} types; {head}. What follows is new."
        ]
        if taken
        else []
    )
    if not record["config"]["members"]:
        head = "- Its weights are unchanged; a logistic head on the unit-length embedding gives the logits."
        return "\n".join([*kept, head])
    config = record["config"]
    network, members = config["network"], config["members"]
    total = network["start_weight"] + sum(member["weight"] for member in members)
    names = ", ".join(
        f"`{member['name']}` ({member['epochs']} epochs, {member['weight'] / total:.1%} of the average)"
        for member in members
    )
    return "\n".join(
        [
            *kept,
            _fine_tuned(record, types, taken is not None, head),
            f"- Members (fine-tuned copies of the initial network): {names}; the initial network itself is {network['start_weight'] / total:.0%}. The weights are averaged into one network. ![Curves](curves.svg)",
            f"- A linear projection gives the unit-length embedding of {network['dimension']} numbers for search, and a linear head on it the logits.",
        ]
    )


def _fine_tuned(record: dict, types: int, is_kept: bool, head: str) -> str:
    how = "- The first blocks stayed frozen, the rest was fine-tuned"
    if is_kept:
        return how + "."
    network = record["network"]
    on = f" on {network['photographs']:,} photographs of {network['types']} types"
    if network["types"] > types:
        on += f": the {types}, and others that it is to tell them from"
    return f"{how}{on}; {head}."


def _precision(config: dict) -> str:
    count = config["network"]["int8_photographs"]
    if not count:
        return "f32"
    return f"convolutions in int8 (ranges from {count} training photographs) and the rest in f32"


def _held_out(record: dict, fitted_nothing: bool) -> str:
    if fitted_nothing:
        return "The held-out thirds fitted nothing."
    count = record["parts"]["other-parts"]["held-out"]
    return f"The held-out thirds fitted nothing that these figures depend on. But they did help to fit how taught parts are answered (`[references]` in `model.toml`): all {count} held-out photographs of other parts, and everyday photographs of all thirds, were among those it was fitted on."


def _part_row(record: dict, name: str, what: str, fitted_nothing: bool) -> str:
    parts = record["parts"][name]
    total = parts["exposed"] + parts["fitting"] + parts["held-out"]
    shown = (
        "of types that the network was shown"
        if name == "other-parts"
        else "shown to the network as none of the types and as backgrounds"
    )
    return f"| `{name}` | {total}: {what} | {parts['exposed']} {shown}, {parts['known-head']} fit the known head, {parts['fitting']} of these also the thresholds, {parts['held-out']} {'only measure' if fitted_nothing else 'measure'} |"


def _rounded_up(bound: float) -> str:
    """An upper bound in percent: rounded down, it would promise too much."""
    return f"{math.ceil(round(bound * 1000, 6)) / 10}%"


def _held_out_bound(measured: dict, name: str) -> str:
    share = measured[f"{name}-held-out"]["verdicts"]["identified"]
    return _rounded_up(error_upper_bound(share["count"], share["total"], 0.05))


def _dial_rows(dial: list[dict]) -> str:
    return "\n".join(
        f"| {entry['wanted_error']:.0%} | {entry['confidence']:.3f} | {entry['answered']} of {entry['total']} | {entry['wrong']} | {_rounded_up(entry['error_upper_bound'])} | {'yes' if entry['holds'] else 'no (strictest threshold)'} |"
        for entry in dial
    )


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


def _auroc_row(measured: dict, name: str, known: list[str]) -> str:
    values = measured[f"known-auroc-against-{name}-held-out"]
    return f"| {TITLES[name]} | " + " | ".join(f"{values[against]:.3f}" for against in known) + " |"


def _rows(row: Callable[[dict, str], str], measured: dict, names: list[str]) -> str:
    return "\n".join(row(measured, name) for name in names)


def _sets(sets: dict | None) -> str:
    if sets is None:
        return "Candidate sets: none, because too few answers are not sure to guarantee a coverage."
    return f"Candidate sets (conformal): where an answer is not sure, the types with a probability of at least {sets['probability']:.4f} make up the set. Target coverage {sets['coverage']:.0%} for photographs of known parts like these; cross-validated coverage {sets['measured_coverage']:.1%} (n = {sets['n']}), mean size {sets['mean_size']:.1f}."


def _second_look(record: dict, known: list[str]) -> str:
    measured = record["measured"]
    if record["second_look"] is None:
        return ""
    again, first = measured["looked-at-again"], measured["first-look-top1"]
    shares = ", ".join(f"{again[name]['value']:.0%} of `{name}`" for name in known)
    alone = ", ".join(f"{first[name]['value']:.3f} of `{name}`" for name in known)
    return f"Photographs that got a second look (test-time augmentation), because the first run left them unsure: {shares}. Top-1 by the first run alone: {alone}.\n"


def write_card(folder: Path) -> None:
    """Write `README.md` of a model folder."""
    record = json.loads((folder / "training-record.json").read_text(encoding="utf-8"))
    labels = (folder / "labels.txt").read_text(encoding="utf-8").split()
    fitted_on = read_manifest(folder).get("references", {}).get("fitted_on")
    text = card(record, len(labels), fitted_on)
    (folder / "README.md").write_text(text, encoding="utf-8")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Write the model card.")
    parser.add_argument("--model", type=Path, default=REPOSITORY / "models" / "partsight-50")
    write_card(parser.parse_args().model)


if __name__ == "__main__":
    main()
