"""Fitting the class head and the known head on embeddings of the backbone."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from partsight_training.collection import KNOWN_SPLITS
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


def fit_class_head(embedding: np.ndarray, classes: np.ndarray, config: HeadConfig) -> Head:
    """Multinomial logistic regression on f32 `[n, d]`; the known head is still empty."""
    fitted = LogisticRegression(
        C=config.inverse_regularisation, max_iter=config.max_iterations
    ).fit(embedding, classes)
    return class_head(fitted.coef_, fitted.intercept_, embedding, classes)


def class_head(
    weight: np.ndarray, bias: np.ndarray, embedding: np.ndarray, classes: np.ndarray
) -> Head:
    """A class head of weights f32 `[c, d]` and bias f32 `[c]`; the known head is still empty."""
    return Head(
        weight=weight.astype(np.float32),
        bias=bias.astype(np.float32),
        prototypes=class_prototypes(embedding, classes, len(weight)),
        known_embedding=np.zeros(embedding.shape[1], np.float32),
        known_scalars=np.zeros(len(SCALARS), np.float32),
        known_bias=0.0,
    )


def out_of_fold(
    embedding: np.ndarray, classes: np.ndarray, count: int, config: Config
) -> tuple[np.ndarray, np.ndarray]:
    """Logits `[n, c]` and known scalars `[n, 3]` of the training photographs, each from a head
    fitted without that photograph."""
    logits = np.zeros((len(embedding), count), np.float32)
    scalars = np.zeros((len(embedding), len(SCALARS)), np.float32)
    splitter = StratifiedKFold(config.folds, shuffle=True, random_state=config.seed)
    for fit, rest in splitter.split(embedding, classes):
        head = fit_class_head(embedding[fit], classes[fit], config.head)
        logits[rest] = head.logits(embedding[rest])
        scalars[rest] = known_scalars(embedding[rest], logits[rest], head.prototypes)
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


def fit_known(
    config: Config,
    head: Head,
    embedding: dict[str, np.ndarray],
    scalars: dict[str, np.ndarray],
    fitting: dict[str, np.ndarray],
) -> tuple[Head, dict[str, np.ndarray]]:
    """`head` completed by a known head, and the raw known logits `[n]` of every split but `train`.

    `embedding` `[n, d]` and `scalars` `[n, 3]` of each split; `fitting` masks the photographs of
    other things that fit. Whatever fitted the head gets the logits of heads that did not see it.
    """
    settings = config.known
    field = [name for name in KNOWN_SPLITS if name != "valid" and name in embedding]
    n_field = sum(len(embedding[name]) for name in field)
    shares = {"train": settings.train_share, "valid": settings.valid_share} | {
        name: settings.field_share * len(embedding[name]) / n_field for name in field
    }
    weights = {"negatives": 1.0, "other-parts": settings.other_parts_weight}
    everything = {name: np.ones(len(part), bool) for name, part in embedding.items()}
    chosen: list[tuple[str, np.ndarray, bool, float]] = [
        (name, everything[name], True, share) for name, share in shares.items()
    ]
    chosen += [
        (name, mask, False, weights[name] * float(mask.sum())) for name, mask in fitting.items()
    ]
    chosen = [entry for entry in chosen if entry[1].any() and entry[3] > 0]
    sample = known_sample(
        [KnownGroup(embedding[n][mask], scalars[n][mask], side, w) for n, mask, side, w in chosen]
    )
    weight, scalar_weight, bias = fit_known_head(sample, settings)
    head = replace(head, known_embedding=weight, known_scalars=scalar_weight, known_bias=bias)
    known = {name: head.known(part) for name, part in embedding.items() if name != "train"}
    unseen = out_of_fold_known(sample, config)
    for group, (name, mask, _, _) in enumerate(chosen):
        if name != "train":
            known[name][mask] = unseen[sample.group == group]
    return head, known


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
