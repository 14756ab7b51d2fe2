"""Train, calibrate and export one model.

    python -m partsight_training.train --config configs/partsight-50.toml

Reads top to bottom: embed the photographs with the frozen backbone, fit the class head, fit the
known head on half of the negatives, calibrate both on photographs that fitted neither, derive the
thresholds, measure, write the model folder with its card and golden files, check it. Embeddings
are cached, so only the first run embeds.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import numpy as np
import onnxruntime
import sklearn
from sklearn.model_selection import KFold

from partsight_training.calibrate import (
    Calibration,
    derive_thresholds,
    fit_known_scale,
    fit_temperature,
)
from partsight_training.card import write_card
from partsight_training.check_export import check
from partsight_training.config import (
    REPOSITORY,
    Config,
    cache_dir,
    load_config,
    photos_dir,
    weights_dir,
)
from partsight_training.data import Split, embed_split, read_split
from partsight_training.evaluate import (
    Share,
    auroc,
    expected_calibration_error,
    report_known,
    report_unknown,
)
from partsight_training.golden import write_golden
from partsight_training.heads import (
    KnownGroup,
    fit_class_head,
    known_sample,
    out_of_fold,
    out_of_fold_known,
    with_known,
)
from partsight_training.model import Backbone, embed, known_scalars, probabilities
from partsight_training.package import write_model

KNOWN_SPLITS = ("valid", "field-valid")  # to choose and to calibrate
UNKNOWN_SPLITS = ("negatives", "other-parts")


def train(config: Config, photos: Path, weights: Path, cache: Path, out: Path) -> dict[str, object]:
    """Run the whole of it and write the model folder `out`; returns the training record."""
    backbone = Backbone(weights / config.starting_weights)
    if backbone.sha256 != config.starting_weights_sha256:
        raise ValueError(f"`{config.starting_weights}` is not the file that the config names")
    splits = {name: read_split(photos, name) for name in ("train", *KNOWN_SPLITS, *UNKNOWN_SPLITS)}
    labels = sorted(set(splits["train"].labels))
    classes = {name: splits[name].classes(labels) for name in ("train", *KNOWN_SPLITS)}

    # Embeddings: one plain, and as many altered copies of the training photographs as asked for.
    embedding = {
        name: embed(embed_split(split, backbone, config.resize, cache), config.head.feature_power)
        for name, split in splits.items()
    }  # f32 [n, d] each
    views = [
        embed(
            embed_split(
                splits["train"], backbone, config.resize, cache, config.augment, view, config.seed
            ),
            config.head.feature_power,
        )
        for view in range(config.augment.views)
    ]

    # The class head, and what it says about photographs it was not fitted on.
    stacked = np.concatenate([embedding["train"], *views])  # [n * (1 + views), d]
    head = fit_class_head(
        stacked, np.tile(classes["train"], 1 + len(views)), len(labels), config.head
    )
    train_logits, train_scalars = out_of_fold(
        embedding["train"], views, classes["train"], len(labels), config
    )
    logits = {name: head.logits(embedding[name]) for name in (*KNOWN_SPLITS, *UNKNOWN_SPLITS)}
    scalars = {
        name: known_scalars(embedding[name], logits[name], head.prototypes) for name in logits
    }

    # The known head: half of the photographs of something else fit it, the other half measures it.
    # The field photographs fit it too, or it would learn catalogue pictures against photographs;
    # their own figures are cross-validated.
    fitting = {name: half(splits[name], config.seed) for name in UNKNOWN_SPLITS}  # bool [n] each
    other = {n: (embedding[n][fitting[n]], scalars[n][fitting[n]]) for n in UNKNOWN_SPLITS}
    n_negatives, n_others = (len(other[name][0]) for name in UNKNOWN_SPLITS)
    share, others_weight = config.known.field_share, config.known.other_parts_weight
    sample = known_sample(
        [
            KnownGroup(embedding["train"], train_scalars, True, 1 - share),
            KnownGroup(embedding["field-valid"], scalars["field-valid"], True, share),
            KnownGroup(*other["negatives"], False, float(n_negatives)),
            KnownGroup(*other["other-parts"], False, n_others * others_weight),
        ]
    )
    head = with_known(head, sample, config.known)
    known = {name: head.known(embedding[name]) for name in logits}
    cross_validated = out_of_fold_known(sample, config)  # [n]
    if share > 0:
        known["field-valid"] = cross_validated[sample.group == 1]
    unseen = cross_validated[~sample.is_known]  # the fitting half

    # Calibration and thresholds, on logits of heads that did not see the photograph.
    pooled_logits = np.concatenate([logits[name] for name in KNOWN_SPLITS])
    pooled_classes = np.concatenate([classes[name] for name in KNOWN_SPLITS])
    # Each set weighs the same, or the field photographs would be outvoted by catalogue pictures.
    pooled_weight = np.concatenate(
        [np.full(len(splits[name]), 0.5 / len(splits[name])) for name in KNOWN_SPLITS]
    )
    pooled_known = np.concatenate([known[name] for name in KNOWN_SPLITS])
    scale, bias = fit_known_scale(
        np.concatenate([pooled_known, unseen]),
        np.arange(len(pooled_known) + len(unseen)) < len(pooled_known),
        np.concatenate([pooled_weight, np.full(len(unseen), 1 / len(unseen))]),
    )
    calibration = Calibration(
        round(fit_temperature(pooled_logits, pooled_classes, pooled_weight), 6),
        round(scale, 6),
        round(bias, 6),
    )
    confidence = {
        name: probabilities(logits[name], calibration.temperature).max(axis=1) for name in logits
    }
    field_score = calibration.known_score(known["field-valid"])
    thresholds = derive_thresholds(
        config.thresholds,
        known_score=field_score,
        known_confidence=confidence["field-valid"],
        known_correct=logits["field-valid"].argmax(axis=1) == classes["field-valid"],
        unknown_score=calibration.known_score(unseen[:n_negatives]),
        unknown_confidence=confidence["negatives"][fitting["negatives"]],
    )

    # Figures.
    measured: dict[str, object] = {
        "train-cross-validated-top1": Share(
            int((train_logits.argmax(axis=1) == classes["train"]).sum()), len(splits["train"])
        ).as_dict()
    }
    for name in KNOWN_SPLITS:
        measured[name] = report_known(
            logits[name], known[name], classes[name], calibration, thresholds
        )
    measured["ece-cross-validated"] = cross_validated_ece(
        {name: (logits[name], classes[name]) for name in KNOWN_SPLITS}, config
    )
    for name in UNKNOWN_SPLITS:
        held_out = ~fitting[name]
        measured[f"{name}-held-out"] = report_unknown(
            logits[name][held_out], known[name][held_out], calibration, thresholds
        )
        measured[f"known-auroc-against-{name}-held-out"] = {
            against: round(auroc(known[against], known[name][held_out]), 4)
            for against in KNOWN_SPLITS
        }

    measured["mistakes"] = mistakes(pooled_classes, pooled_logits.argmax(axis=1), labels)

    record: dict[str, object] = {
        "config": json.loads(json.dumps(asdict(config))),
        "versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scikit-learn": sklearn.__version__,
            "onnxruntime": onnxruntime.__version__,
        },
        "data": {
            name: {"photographs": len(split), "sha256": split.sha256()}
            for name, split in splits.items()
        },
        "fitting-half": {name: int(mask.sum()) for name, mask in fitting.items()},
        "calibration": asdict(calibration),
        "thresholds": asdict(thresholds),
        "measured": measured,
    }
    file = write_model(out, config, backbone.path, head, labels, calibration, thresholds, record)
    return {"model": file, **record}


def half(split: Split, seed: int) -> np.ndarray:
    """A random half of a split as a mask, bool `[n]`, the same for the same seed."""
    mask = np.zeros(len(split), bool)
    mask[np.random.default_rng(seed).permutation(len(split))[: len(split) // 2]] = True
    return mask


def mistakes(classes: np.ndarray, guesses: np.ndarray, labels: list[str]) -> dict[str, int]:
    """Every confusion that happened more than once, as "label as guess", most frequent first."""
    wrong = classes != guesses
    pairs = Counter(zip(classes[wrong].tolist(), guesses[wrong].tolist(), strict=True))
    return {
        f"{labels[right]} as {labels[guess]}": count
        for (right, guess), count in sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
        if count > 1
    }


def cross_validated_ece(
    sets: dict[str, tuple[np.ndarray, np.ndarray]], config: Config
) -> dict[str, float]:
    """Calibration error of each set of (logits, classes), with temperatures fitted without the
    photographs they are measured on."""
    confidence = {name: np.zeros(len(classes)) for name, (_, classes) in sets.items()}
    folds = {
        name: list(KFold(config.folds, shuffle=True, random_state=config.seed).split(classes))
        for name, (_, classes) in sets.items()
    }
    for fold in range(config.folds):
        fit = {name: parts[fold][0] for name, parts in folds.items()}
        temperature = fit_temperature(
            np.concatenate([sets[name][0][fit[name]] for name in sets]),
            np.concatenate([sets[name][1][fit[name]] for name in sets]),
            np.concatenate([np.full(len(fit[name]), 1 / len(fit[name])) for name in sets]),
        )
        for name, (logits, _) in sets.items():
            rest = folds[name][fold][1]
            confidence[name][rest] = probabilities(logits[rest], temperature).max(axis=1)
    return {
        name: round(
            expected_calibration_error(confidence[name], logits.argmax(axis=1) == classes), 4
        )
        for name, (logits, classes) in sets.items()
    }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Train, calibrate and export one model.")
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--out", type=Path, help="model folder, default models/<name>")
    arguments = parser.parse_args()
    config = load_config(arguments.config)
    out = arguments.out or REPOSITORY / "models" / config.name
    record = train(config, photos_dir(), weights_dir(), cache_dir(), out)
    write_card(out)
    print(json.dumps(record["measured"], indent=2))
    print("\n".join(write_golden(out) + check(out)))


if __name__ == "__main__":
    main()
