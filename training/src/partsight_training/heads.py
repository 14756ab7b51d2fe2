"""Fitting the class head and the known head on embeddings of a frozen backbone."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from partsight_training.config import Config, HeadConfig, KnownConfig
from partsight_training.model import Head, class_prototypes, known_scalars

SCALARS = ("logsumexp", "max-logit", "prototype")  # the order of `known_scalars`
# Logits span tens and embeddings hundredths. One penalty over both needs them nearer together.
SCALAR_SCALE = np.array([0.1, 0.1, 1.0], dtype=np.float32)


@dataclass(frozen=True)
class KnownSample:
    """Photographs for the known head, with logits of a class head that did not see them."""

    embedding: np.ndarray  # f32 [n, d]
    scalars: np.ndarray  # f32 [n, 3]
    is_known: np.ndarray  # bool [n]
    weight: np.ndarray  # f64 [n]
    group: np.ndarray  # i64 [n], the place in the list that the sample was joined from

    def rows(self, index: np.ndarray) -> KnownSample:
        """The photographs at `index`, in that order."""
        parts = (self.embedding, self.scalars, self.is_known, self.weight, self.group)
        return KnownSample(*(part[index] for part in parts))


@dataclass(frozen=True)
class KnownGroup:
    """Photographs that enter the known head together, and what all of them weigh together."""

    embedding: np.ndarray  # f32 [n, d]
    scalars: np.ndarray  # f32 [n, 3]
    is_known: bool
    weight: float


def fit_class_head(
    embedding: np.ndarray, classes: np.ndarray, count: int, config: HeadConfig
) -> Head:
    """Multinomial logistic regression on f32 `[n, d]`; the known head is still empty."""
    fitted = LogisticRegression(
        C=config.inverse_regularisation, max_iter=config.max_iterations
    ).fit(embedding, classes)
    return Head(
        feature_power=config.feature_power,
        weight=fitted.coef_.astype(np.float32),
        bias=fitted.intercept_.astype(np.float32),
        prototypes=class_prototypes(embedding, classes, count),
        known_embedding=np.zeros(embedding.shape[1], np.float32),
        known_scalars=np.zeros(len(SCALARS), np.float32),
        known_bias=0.0,
    )


def out_of_fold(
    plain: np.ndarray, views: list[np.ndarray], classes: np.ndarray, count: int, config: Config
) -> tuple[np.ndarray, np.ndarray]:
    """Logits `[n, c]` and known scalars `[n, 3]` of the training photographs, each from a head
    fitted without that photograph and without its views."""
    logits = np.zeros((len(plain), count), np.float32)
    scalars = np.zeros((len(plain), len(SCALARS)), np.float32)
    splitter = StratifiedKFold(config.folds, shuffle=True, random_state=config.seed)
    for fit, rest in splitter.split(plain, classes):
        stacked = np.concatenate([part[fit] for part in [plain, *views]])
        head = fit_class_head(stacked, np.tile(classes[fit], 1 + len(views)), count, config.head)
        logits[rest] = head.logits(plain[rest])
        scalars[rest] = known_scalars(plain[rest], logits[rest], head.prototypes)
    return logits, scalars


def fit_known_head(
    sample: KnownSample, config: KnownConfig
) -> tuple[np.ndarray, np.ndarray, float]:
    """Weights over the embedding f32 `[d]`, over the scalars f32 `[3]`, and the bias."""
    columns = _known_columns(sample, config)
    fitted = LogisticRegression(C=config.inverse_regularisation, max_iter=1000).fit(
        columns, sample.is_known, sample_weight=sample.weight
    )
    weights = fitted.coef_[0]
    dimension = sample.embedding.shape[1]
    embedding, scalars = np.zeros(dimension), np.zeros(len(SCALARS))
    if "embedding" in config.features:
        embedding, weights = weights[:dimension], weights[dimension:]
    chosen = [index for index, name in enumerate(SCALARS) if name in config.features]
    scalars[chosen] = weights * SCALAR_SCALE[chosen]
    return embedding.astype(np.float32), scalars.astype(np.float32), float(fitted.intercept_[0])


def out_of_fold_known(sample: KnownSample, config: Config) -> np.ndarray:
    """Raw known logits `[n]`, each from a known head fitted without that photograph."""
    known = np.zeros(len(sample.is_known), np.float32)
    splitter = StratifiedKFold(config.folds, shuffle=True, random_state=config.seed)
    for fit, rest in splitter.split(sample.embedding, sample.group):
        embedding, scalars, bias = fit_known_head(sample.rows(fit), config.known)
        known[rest] = sample.embedding[rest] @ embedding + sample.scalars[rest] @ scalars + bias
    return known


def with_known(head: Head, sample: KnownSample, config: KnownConfig) -> Head:
    """`head` completed by a known head fitted on `sample`."""
    embedding, scalars, bias = fit_known_head(sample, config)
    return replace(head, known_embedding=embedding, known_scalars=scalars, known_bias=bias)


def known_sample(groups: list[KnownGroup]) -> KnownSample:
    """Join groups of photographs; an empty group or one without weight is left out.

    Known parts as a whole weigh as much as the others as a whole, so that the share of known
    parts among the training photographs says nothing about what users send.
    """
    groups = [group for group in groups if len(group.embedding) and group.weight > 0]
    sides = {side: sum(g.weight for g in groups if g.is_known == side) for side in (True, False)}
    sizes = [len(group.embedding) for group in groups]
    each = [g.weight / sides[g.is_known] / n for g, n in zip(groups, sizes, strict=True)]
    return KnownSample(
        embedding=np.concatenate([group.embedding for group in groups]),
        scalars=np.concatenate([group.scalars for group in groups]),
        is_known=np.repeat([group.is_known for group in groups], sizes),
        # The total of 1000 is what `inverse_regularisation` is set against.
        weight=np.repeat(each, sizes) * 500,
        group=np.repeat(np.arange(len(groups)), sizes),
    )


def _known_columns(sample: KnownSample, config: KnownConfig) -> np.ndarray:
    unknown = set(config.features) - {"embedding", *SCALARS}
    if unknown:
        raise ValueError(f"unknown features of the known head: {sorted(unknown)}")
    chosen = [index for index, name in enumerate(SCALARS) if name in config.features]
    scalars = sample.scalars[:, chosen] * SCALAR_SCALE[chosen]
    parts = [sample.embedding, scalars] if "embedding" in config.features else [scalars]
    return np.concatenate(parts, axis=1)
