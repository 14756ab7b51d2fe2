"""The model folder: graph, manifest, labels and training record."""

from __future__ import annotations

import hashlib
import json
import math
import re
from dataclasses import asdict
from datetime import date
from pathlib import Path

import onnx
from safetensors.numpy import save_file

from partsight_training.calibrate import Calibration, Thresholds, error_upper_bound, rounded_down
from partsight_training.collection import KNOWN_SPLITS
from partsight_training.config import Config, ThresholdConfig
from partsight_training.curves import write_curves
from partsight_training.export import OPSET, build_graph
from partsight_training.figures import JUDGING
from partsight_training.manifest import Table, write_manifest
from partsight_training.model import Head
from partsight_training.sets import SetFigures, manifest_section
from partsight_training.transforms import MEAN, STD


def write_model(
    out: Path,
    config: Config,
    backbone: Path,
    head: Head,
    labels: list[str],
    calibration: Calibration,
    thresholds: Thresholds,
    fingerprints: bytes,
    record: dict[str, object],
) -> dict[str, object]:
    """Write the graph, the manifest, labels, prototypes, fingerprints and the record into `out`.

    Returns the SHA-256 and the size of the graph's file.
    """
    out.mkdir(parents=True, exist_ok=True)
    graph = build_graph(backbone, head, (config.resize.width, config.resize.height))
    onnx.save(graph, out / "model.onnx")
    label_lines = "".join(f"{label}\n" for label in labels)
    (out / "labels.txt").write_text(label_lines, encoding="utf-8")
    (out / "fingerprints.bin").write_bytes(fingerprints)
    save_file({"prototypes": head.prototypes}, out / "prototypes.safetensors")
    if any(member.epochs for member in config.members):
        write_curves(record["backbone"]["members"], out / "curves.svg")
    content = (out / "model.onnx").read_bytes()
    file = {"sha256": hashlib.sha256(content).hexdigest(), "size_bytes": len(content)}
    write_manifest(out, manifest(config, head, file, label_lines, calibration, thresholds, record))
    (out / "training-record.json").write_text(
        rows_on_lines({"model": file, **record}) + "\n", encoding="utf-8"
    )
    return file


def rows_on_lines(record: dict[str, object]) -> str:
    """Indented JSON in which a list or an object that holds no other one stands on a line."""
    text = json.dumps(record, indent=2)
    # Texts hold no line breaks, which JSON escapes, so nothing but indentation is replaced.
    return re.sub(r"[\[{][^\[\]{}]*[\]}]", lambda row: re.sub(r"\s*\n\s*", " ", row[0]), text)


def manifest(
    config: Config,
    head: Head,
    file: Table,
    label_lines: str,
    calibration: Calibration,
    thresholds: Thresholds,
    record: dict[str, object],
) -> Table:
    """What `model.toml` says, the single source of every fact that serving needs."""
    resize = config.resize
    count, dimension = head.weight.shape
    parts = record["parts"]
    trained = how_trained(record, record["data"]["train"]["photographs"], count)
    optional = {"second_look": record["second_look"], "sets": _sets(record)}
    return {
        "name": config.name,
        "version": config.version,
        "description": f"Recognises {count} types of car part in a photograph, and says when it shows none of them.",
        "licence": "MIT OR Apache-2.0",
        "source": f"Started from {config.started_from}; {trained}.",
        "created_on": date.fromisoformat(config.created_on),
        "file": {"path": "model.onnx", **file, "opset": OPSET},
        "input": {
            "name": "image",
            "width": resize.width,
            "height": resize.height,
            "layout": "nchw",
            "channels": "rgb",
            "mean": MEAN,
            "std": STD,
        },
        "resize": {"mode": resize.mode, "filter": resize.filter}
        | ({"through": resize.through} if resize.through else {}),
        "embedding": {"output": "embedding", "dimension": dimension, "normalised": True},
        "classes": {
            "output": "logits",
            "labels": "labels.txt",
            "labels_sha256": hashlib.sha256(label_lines.encode()).hexdigest(),
            "count": count,
        },
        "known": {"output": "known"},
        "calibration": {
            **asdict(calibration),
            "fitted_on": f"{amounts(record)}: photographs of known parts, each set weighing the same; the known score also on {parts['negatives']['fitting']} everyday photographs and {parts['other-parts']['fitting']} of parts of other types, cross-validated.",
        },
        **{name: section for name, section in optional.items() if section},
        "judging": JUDGING,
        "thresholds": {
            **asdict(thresholds),
            "derived_by": derivation(record, config.thresholds),
            "risk": [
                {
                    "wanted_error": selection["wanted_error"],
                    "identified_confidence": rounded_down(selection["confidence"]),
                    "answered": round(selection["answered"] / selection["total"], 4),
                    "error_upper_bound": round(selection["error_upper_bound"], 4),
                    "n": selection["total"],
                }
                for selection in record["dial"]
            ],
            "rejection": rejection_bounds(record["measured"]),
        },
        "measured": _measured(record["measured"]),
    }


def how_trained(record: dict[str, object], n_train: int, count: int) -> str:
    """On what the network was fine-tuned, in words."""
    backbone = record["backbone"]
    if backbone is None:
        return f"frozen; the heads were fitted on {n_train:,} photographs of {count} part types"
    taken = backbone.get("takenFrom")
    if taken is None:
        learnt = record["network"]
        return (
            f"fine-tuned on {learnt['photographs']:,} photographs of {learnt['types']} part types, "
            "mostly catalogue pictures"
        )
    return (
        f"the network of version {taken['version']}, fine-tuned on {taken['photographs']:,} "
        f"photographs of {taken['types']} part types, mostly catalogue pictures; its class head was "
        f"fitted once more on {n_train:,} of {count}, field photographs among them"
    )


def amounts(record: dict[str, object]) -> str:
    """The sets of known parts that chose and calibrated, with their sizes, in words."""
    names = [name for name in KNOWN_SPLITS if name in record["data"]]
    each = [f"{record['data'][name]['photographs']} of {name}" for name in names]
    return ", ".join(each[:-1]) + f" and {each[-1]}"


# What the held-out photographs of unknown types are, by their name in the manifest.
HELD_OUT = {
    "not-a-part": (
        "negatives",
        "Everyday photographs that fitted nothing that this depends on (the held-out third).",
    ),
    "other-parts": (
        "other-parts",
        "Parts of types that neither the network nor the thresholds saw (the held-out third). Photographs of one type are alike, so that for other types the bound is somewhat too low.",
    ),
}


def rejection_bounds(measured: dict[str, object]) -> list[Table]:
    """How often held-out photographs of unknown types are called identified, with the one-sided 95%
    Clopper-Pearson bound, rounded up."""
    rows = []
    for of, (name, measured_on) in HELD_OUT.items():
        share = measured[f"{name}-held-out"]["verdicts"]["identified"]
        bound = error_upper_bound(share["count"], share["total"], 0.05)
        rows.append(
            {
                "of": of,
                "identified_upper_bound": math.ceil(bound * 1e4) / 1e4,
                "n": share["total"],
                "identified": share["count"],
                "measured_on": measured_on,
            }
        )
    return rows


def _sets(record: dict[str, object]) -> Table | None:
    sets = record["sets"]
    if sets is None:
        return None
    measured = SetFigures(sets["n"], sets["measured_coverage"], sets["mean_size"])
    fitted_on = f"Those of {amounts(record)} whose answer is not sure."
    return manifest_section(sets["probability"], sets["coverage"], measured, fitted_on)


def derivation(record: dict[str, object], wanted: ThresholdConfig) -> str:
    """How the thresholds came about, in words."""
    selection = next(
        entry for entry in record["dial"] if entry["wanted_error"] == wanted.wanted_error
    )
    promise = (
        f"with probability {wanted.confidence_level:.0%} at most {wanted.wanted_error:.0%} of the answers at identified_confidence are wrong on photographs like the {selection['total']} it was chosen on"
        if selection["holds"]
        else f"{wanted.wanted_error:.0%} wrong answers could not be promised: identified_confidence lets none of the {selection['total']} photographs' wrong answers through"
    )
    return f"Selection with guaranteed risk (Geifman and El-Yaniv 2017): {promise}; {_of_categories(record, wanted, selection['total'])}; at most {wanted.known_called_not_a_part:.1%} of the photographs of known parts that are not from the catalogue below not_a_part_below; at identified_confidence, and not below it, of the fitting thirds at most {wanted.unknown_called_identified:.1%} of the everyday photographs and {wanted.other_parts_called_identified:.1%} of the parts of other types called identified."


def _of_categories(record: dict[str, object], wanted: ThresholdConfig, total: int) -> str:
    """What is promised at category_confidence, in words."""
    chosen = record["category"]
    if chosen["total"] == total:
        # As trainings before the 30th of November 2026 chose it.
        return "category_confidence likewise for the category of the best guess, on all of these photographs, so that nothing is promised of those alone whose type is not sure, which are the ones that a category answers"
    among = f"the {chosen['total']} of them whose type is not sure"
    if chosen["holds"]:
        return f"category_confidence likewise for the category of the best guess, on {among}"
    return f"{wanted.wanted_error:.0%} wrong categories could not be promised on {among}: category_confidence is not below identified_confidence and lets none of their wrong categories through"


def _measured(measured: dict[str, object]) -> Table:
    figures: Table = {}
    for name in (name for name in KNOWN_SPLITS if name in measured):
        report, key = measured[name], name.replace("-", "_")
        figures[f"{key}_n"] = report["n"]
        for figure in ("top1", "top3", "top5"):
            figures[f"{key}_{figure}"] = report[figure]["value"]
        figures[f"{key}_ece"] = measured["ece-cross-validated"][name]
    for name in ("negatives", "other-parts"):
        key = name.replace("-", "_")
        figures[f"{key}_held_out_n"] = measured[f"{name}-held-out"]["n"]
        for against, value in measured[f"known-auroc-against-{name}-held-out"].items():
            figures[f"{key}_auroc_{against.replace('-', '_')}"] = value
    return figures
