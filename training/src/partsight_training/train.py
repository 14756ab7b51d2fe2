"""Train, calibrate and export one model.

    python -m partsight_training.train --config configs/partsight-50.toml

Reads top to bottom: train the backbone and the class head, embed every photograph, fit the known
head, calibrate both on photographs that fitted neither, derive the thresholds, measure, write the
model folder with its card and golden files, check it. What takes long is cached.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections import Counter
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

import numpy as np
import onnxruntime
import sklearn
from sklearn.model_selection import KFold

from partsight_training.as_served import write_as_served
from partsight_training.calibrate import Scores, derive_thresholds, fit_temperature
from partsight_training.card import write_card
from partsight_training.check_export import check
from partsight_training.collection import (
    UNKNOWN_SPLITS,
    Collection,
    read_collection,
    read_learnt,
)
from partsight_training.config import (
    REPOSITORY,
    Config,
    RefitConfig,
    SecondLookConfig,
    cache_dir,
    load_config,
    photos_dir,
    weights_dir,
)
from partsight_training.data import Split, embed_views, load_pixels
from partsight_training.evaluate import (
    Share,
    auroc,
    expected_calibration_error,
    report_known,
    report_unknown,
    top_k,
)
from partsight_training.fingerprint import fingerprint
from partsight_training.golden import write_golden
from partsight_training.heads import (
    class_head,
    fit_class_head,
    fit_known,
    out_of_fold,
    refit_class_head,
    refit_shares,
    with_new_rows,
)
from partsight_training.looks import Fitting, Outputs, fit_second_look, plain_look
from partsight_training.model import Backbone, embed, known_scalars, probabilities
from partsight_training.package import write_model
from partsight_training.references import write_references
from partsight_training.rollup import category_guesses
from partsight_training.sets import FOLDS, cross_validated, threshold
from partsight_training.trained import backbone_of_model


def train(
    config: Config,
    photos: Path,
    weights: Path,
    cache: Path,
    out: Path,
    backbone_from: Path | None = None,
) -> dict[str, object]:
    """Run the whole of it and write the model folder `out`; returns the training record.

    With `backbone_from`, a model folder, its network is kept and only what follows is made anew.
    """
    starting = weights / config.starting_weights
    if not backbone_from and sha256(starting.read_bytes()).hexdigest() != (
        config.starting_weights_sha256
    ):
        raise ValueError(f"`{config.starting_weights}` is not the file that the config names")
    collection, learnt_by_network = read_collection(photos, config), read_learnt(photos, config)
    splits, labels = collection.splits, collection.labels
    if len(labels) < 2:
        raise ValueError(
            f"`{photos / 'train'}` holds one class, `{labels[0]}`: at least two are needed"
        )
    chosen_on = collection.known
    classes = {name: collection.classes(name) for name in ("train", *chosen_on)}
    # Of the photographs of something else a third is shown to the network, a third fits the known
    # head and the thresholds, and a third only measures.
    exposed, fitting, held_out = (collection.third(third) for third in range(3))
    fits_known_head = dict(fitting)
    if config.members or backbone_from:
        # The known head learns from the parts that the network was shown as well: they are many.
        # What is promised rests on those alone that nothing has seen.
        fits_known_head["other-parts"] = fitting["other-parts"] | exposed["other-parts"]

    # The backbone and the class head.
    trained = None
    if backbone_from:
        size = (config.resize.width, config.resize.height)
        trained = backbone_of_model(backbone_from, size, cache)
    elif config.members:
        # Imported here, so that everything else runs without PyTorch.
        from partsight_training.backbone import train_backbone

        trained = train_backbone(config, learnt_by_network, weights, cache)
    backbone = Backbone(trained.path if trained else starting)
    look = plain_look(config.second_look) if config.second_look else None
    embedding = {
        name: embed(
            embed_views(split, backbone, config.resize, None if name == "train" else look, cache)
        )
        for name, split in splits.items()
    }  # f32 [n, v, d] each: the whole photograph, then its other views
    learnt = embedding["train"][:, 0]
    if trained:
        weight, bias, is_new = with_new_rows(trained.weight, trained.bias, trained.labels, labels)
        if config.refit:
            rows, types, is_scarce = learnt, classes["train"], collection.is_scarce
            if config.refit.views:
                seen = scarce_views(config, config.refit, collection, backbone, cache)  # [m, v, d]
                rows = np.concatenate([rows, seen.reshape(-1, seen.shape[-1])])
                types = np.concatenate([types, np.repeat(types[is_scarce], seen.shape[1])])
                is_scarce = np.concatenate([is_scarce, np.ones(len(rows) - len(learnt), bool)])
            is_plentiful = np.zeros(len(labels), bool)
            is_plentiful[types[~is_scarce]] = True
            shares = refit_shares(is_scarce, ~is_plentiful[types], config.refit)
            weight, bias = refit_class_head(weight, bias, rows, types, shares, config.refit)
            bias = bias + config.refit.scarce_types_offset * ~is_plentiful
        elif is_new.any():
            raise ValueError("a kept network learns new types only where `[refit]` is")
        head = class_head(weight, bias, learnt, classes["train"])
        train_logits = head.logits(learnt)
        train_scalars = known_scalars(learnt, train_logits, head.prototypes)
    else:
        head = fit_class_head(learnt, classes["train"], config.head)
        train_logits, train_scalars = out_of_fold(learnt, classes["train"], len(labels), config)
    logits = {name: head.logits(embedding[name]) for name in (*chosen_on, *UNKNOWN_SPLITS)}
    scalars = {
        name: known_scalars(embedding[name], logits[name], head.prototypes) for name in logits
    }

    # The known head. What fits it gets cross-validated scores itself.
    scalars["train"] = train_scalars[:, None]
    other_types = np.array(splits["other-parts"].labels)
    head, known = fit_known(config, head, embedding, scalars, fits_known_head, other_types)
    looks = {name: Outputs(embedding[name], logits[name], known[name]) for name in logits}

    # Calibration, on outputs of heads that did not see the photograph. Each set of known parts
    # weighs the same, or the field photographs would be outvoted by catalogue pictures.
    weights = {
        name: np.full(len(splits[name]), 1 / len(chosen_on) / len(splits[name]))
        for name in chosen_on
    }
    n_fitting = sum(int(mask.sum()) for mask in fitting.values())
    weights |= {name: fitting[name] / n_fitting for name in UNKNOWN_SPLITS}
    outputs = {name: every.first() for name, every in looks.items()}
    sample = Fitting(outputs, {name: classes[name] for name in chosen_on}, weights)
    calibration = sample.calibration()
    second_look = None
    if config.second_look:
        second_look, outputs = fit_second_look(config.second_look, looks, sample, calibration)
    logits = {name: part.logits for name, part in outputs.items()}
    known = {name: part.known for name, part in outputs.items()}
    confidence = {name: part.confidence(calibration) for name, part in outputs.items()}
    score = {name: calibration.known_score(part) for name, part in known.items()}

    # Thresholds, for the whole procedure.
    pooled_logits = np.concatenate([logits[name] for name in chosen_on])
    pooled_classes = np.concatenate([classes[name] for name in chosen_on])
    pooled_confidence = np.concatenate([confidence[name] for name in chosen_on])
    pooled_score = np.concatenate([score[name] for name in chosen_on])
    pooled_correct = pooled_logits.argmax(axis=1) == pooled_classes
    wanted = config.thresholds
    pooled_probabilities = probabilities(pooled_logits, calibration.temperature)
    shares = (wanted.unknown_called_identified, wanted.other_parts_called_identified)
    thresholds, dial, category = derive_thresholds(
        wanted,
        Scores(pooled_score, pooled_confidence),
        pooled_correct,
        np.concatenate([np.full(len(splits[name]), name != "valid") for name in chosen_on]),
        category_guesses(pooled_probabilities, pooled_classes, labels),
        [
            (Scores(score[name][fitting[name]], confidence[name][fitting[name]]), share)
            for name, share in zip(UNKNOWN_SPLITS, shares, strict=True)
        ],
    )

    # Figures.
    measured: dict[str, object] = {}
    for name in chosen_on:
        measured[name] = report_known(
            logits[name], known[name], classes[name], calibration, thresholds
        )
    measured["ece-cross-validated"] = cross_validated_ece(
        {name: (logits[name], classes[name]) for name in chosen_on}, config
    )
    for name in UNKNOWN_SPLITS:
        rest = held_out[name]
        measured[f"{name}-held-out"] = report_unknown(
            logits[name][rest], known[name][rest], calibration, thresholds
        )
        measured[f"known-auroc-against-{name}-held-out"] = {
            against: round(auroc(known[against], known[name][rest]), 4) for against in chosen_on
        }
    measured["prototypes-alone"] = {
        name: top_k(embedding[name][:, 0] @ head.prototypes.T, classes[name], 1).as_dict()
        for name in chosen_on
    }
    field = [name for name in chosen_on if name.startswith("field")]
    measured["answered-on-field-at-2-percent-wrong"] = answered_at(
        np.concatenate([confidence[name] for name in field]),
        np.concatenate([logits[name].argmax(axis=1) == classes[name] for name in field]),
        0.02,
    )
    if config.second_look:
        masks = {
            name: look.is_needed(
                first.confidence(calibration), calibration.known_score(first.known)
            )
            for name, first in sample.outputs.items()
        }
        measured["looked-at-again"] = {
            name: Share(int(mask.sum()), len(mask)).as_dict() for name, mask in masks.items()
        }
    measured["first-look-top1"] = {
        name: top_k(sample.outputs[name].logits, classes[name], 1).as_dict() for name in chosen_on
    }
    measured["mistakes"] = mistakes(pooled_classes, pooled_logits.argmax(axis=1), labels)

    # Only answers that are not sure show a set, so they alone choose what belongs to it.
    not_sure = thresholds.verdicts(pooled_score, pooled_confidence) == "not-sure"
    sets = fit_sets(pooled_probabilities[not_sure], pooled_classes[not_sure], config)

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
        "parts": {
            name: {
                "exposed": int(exposed[name].sum()),
                "known-head": int(fits_known_head[name].sum()),
                "fitting": int(fitting[name].sum()),
                "held-out": int(held_out[name].sum()),
            }
            for name in UNKNOWN_SPLITS
        },
        "backbone": trained.record if trained else None,
        "network": {
            "photographs": len(learnt_by_network.splits["train"]),
            "types": len(learnt_by_network.labels),
        },
        "calibration": asdict(calibration),
        "second_look": asdict(second_look) if second_look else None,
        "sets": sets,
        "thresholds": asdict(thresholds),
        "dial": [asdict(selection) for selection in dial.values()],
        "category": asdict(category),
        "measured": measured,
    }
    seen_by_network = load_pixels(learnt_by_network.splits["train"], config.resize, cache)
    marks = b"".join(fingerprint(picture) for picture in seen_by_network)
    file = write_model(
        out, config, backbone.path, head, labels, calibration, thresholds, marks, record
    )
    return {"model": file, **record}


def scarce_views(
    config: Config, refit: RefitConfig, collection: Collection, backbone: Backbone, cache: Path
) -> np.ndarray:
    """Embeddings f32 `[m, v, d]` of the views of the training photographs that are scarce."""
    scarce = Split("train-scarce", *collection.splits["train"].rows(collection.is_scarce).columns())
    look = plain_look(SecondLookConfig(0.0, 0.0, refit.views))
    return embed(embed_views(scarce, backbone, config.resize, look, cache)[:, 1:])


def fit_sets(
    probabilities: np.ndarray, classes: np.ndarray, config: Config
) -> dict[str, float] | None:
    """What `[sets]` says, of answers that are not sure; none where they are too few for it."""
    coverage = config.sets_coverage
    if len(classes) <= FOLDS or not (probability := threshold(probabilities, classes, coverage)):
        return None
    measured = cross_validated(probabilities, classes, coverage, config.seed)
    return {
        "coverage": coverage,
        "probability": probability,
        "mean_size": measured.mean_size,
        "measured_coverage": measured.coverage,
        "n": measured.n,
    }


def answered_at(
    confidence: np.ndarray, correct: np.ndarray, wanted_error: float
) -> dict[str, object]:
    """The largest share of photographs whose answers hold at most `wanted_error` wrong ones.

    Of the same photographs, so it flatters; the dial's bounds do not.
    """
    order = np.argsort(-confidence, kind="stable")
    wrong = np.cumsum(~correct[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(wrong <= wanted_error)
    answered = int(enough[-1]) + 1 if len(enough) else 0
    threshold = float(confidence[order][answered - 1]) if answered else 1.0
    return {"threshold": round(threshold, 4), **Share(answered, len(order)).as_dict()}


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
    parser.add_argument(
        "--backbone-from", type=Path, help="model folder whose network is kept instead of trained"
    )
    arguments = parser.parse_args()
    config = load_config(arguments.config)
    out = arguments.out or REPOSITORY / "models" / config.name
    kept = arguments.backbone_from
    # A network that is kept starts from no weights.
    weights = Path() if kept else weights_dir()
    record = train(config, photos_dir(), weights, cache_dir(), out, kept)
    collection = read_collection(photos_dir(), config)
    write_references(out, collection)
    write_as_served(out, [collection.splits[name] for name in collection.known])
    write_card(out)
    print(json.dumps(record["measured"], indent=2))
    print("\n".join(write_golden(out) + check(out)))


if __name__ == "__main__":
    main()
