"""The second look: what the model is not sure of is answered from several views, taken together.

A view is a part of the photograph around its middle, as it is or mirrored. Outputs of all views are
averaged, then brought to the scale of a first look, so that one temperature and one known score
serve both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from partsight_training.calibrate import Calibration, fit_known_scale, fit_temperature
from partsight_training.config import SecondLookConfig
from partsight_training.model import probabilities
from partsight_training.second_look import SecondLook, View, pool

LEAST_TO_FIT = 10  # photographs of known parts, and of other things, that are looked at again


@dataclass(frozen=True)
class Outputs:
    """What a model puts out for n photographs, looked at in v views or, without that axis, once."""

    embedding: np.ndarray  # f32 [n, v, d]
    logits: np.ndarray  # f32 [n, v, c]
    known: np.ndarray  # f32 [n, v], raw

    def first(self) -> Outputs:
        """Of the whole photographs, without the axis of views."""
        return Outputs(self.embedding[:, 0], self.logits[:, 0], self.known[:, 0])

    def pooled(self, look: SecondLook) -> Outputs:
        """Of all views together."""
        return Outputs(*pool((self.embedding, self.logits, self.known), look))

    def where(self, mask: np.ndarray, others: Outputs) -> Outputs:
        """These outputs where `mask` `[n]` holds, else the others."""
        return Outputs(
            np.where(mask[:, None], self.embedding, others.embedding),
            np.where(mask[:, None], self.logits, others.logits),
            np.where(mask, self.known, others.known),
        )

    def confidence(self, calibration: Calibration) -> np.ndarray:
        """Of the best type, 0..=1, `[n]`."""
        return probabilities(self.logits, calibration.temperature).max(axis=1)


@dataclass(frozen=True)
class Fitting:
    """Photographs that calibrate: outputs of heads that did not see them, classes, weights."""

    outputs: dict[str, Outputs]
    classes: dict[str, np.ndarray]  # i64 [n] of the sets of known parts
    weights: dict[str, np.ndarray]  # f64 [n] of every set

    def calibration(self, masks: dict[str, np.ndarray] | None = None) -> Calibration:
        """Temperature and known scale with the least loss, of the photographs under `masks`."""
        if masks is None:
            masks = {name: np.ones(len(weight), bool) for name, weight in self.weights.items()}

        def joined(values: dict[str, np.ndarray], names: list[str]) -> np.ndarray:
            return np.concatenate([values[name][masks[name]] for name in names])

        known, every = list(self.classes), list(self.outputs)
        is_known = {name: np.full(len(self.weights[name]), name in self.classes) for name in every}
        temperature = fit_temperature(
            joined({name: self.outputs[name].logits for name in known}, known),
            joined(self.classes, known),
            joined(self.weights, known),
        )
        scale, bias = fit_known_scale(
            joined({name: self.outputs[name].known for name in every}, every),
            joined(is_known, every),
            joined(self.weights, every),
        )
        return Calibration(round(temperature, 6), round(scale, 6), round(bias, 6))


def plain_look(config: SecondLookConfig) -> SecondLook:
    """The second look of a config, before its scales are fitted."""
    views = tuple(View(*view) for view in config.views)
    return SecondLook(config.confidence_below, config.known_score_below, 1.0, 1.0, 0.0, views)


def fit_second_look(
    config: SecondLookConfig,
    looks: dict[str, Outputs],
    fitting: Fitting,
    calibration: Calibration,
) -> tuple[SecondLook, dict[str, Outputs]]:
    """The scales of pooled outputs, and the outputs of the whole procedure.

    `looks` holds all views, `fitting` the first of them and `calibration` what was fitted on it.
    The scales are fitted on the photographs that are looked at again, each with the weight that it
    has among all.
    """
    plain = plain_look(config)
    again = {
        name: plain.is_needed(first.confidence(calibration), calibration.known_score(first.known))
        for name, first in fitting.outputs.items()
    }
    pooled = {name: outputs.pooled(plain) for name, outputs in looks.items()}
    look = plain
    counts = {True: 0, False: 0}
    for name, mask in again.items():
        counts[name in fitting.classes] += int((mask & (fitting.weights[name] > 0)).sum())
    # Scales of fewer photographs would be of chance.
    if min(counts.values()) >= LEAST_TO_FIT:
        own = Fitting(pooled, fitting.classes, fitting.weights).calibration(again)
        look = replace(
            plain,
            logit_scale=round(calibration.temperature / own.temperature, 6),
            known_scale=round(own.known_scale / calibration.known_scale, 6),
            known_bias=round(
                (own.known_bias - calibration.known_bias) / calibration.known_scale, 6
            ),
        )
    return look, {
        name: looks[name].pooled(look).where(again[name], fitting.outputs[name]) for name in looks
    }
