"""Fitting the class head and the known head on embeddings of the backbone."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from partsight_training.collection import KNOWN_SPLITS
from partsight_training.config import Config, HeadConfig, KnownConfig, RefitConfig
from partsight_training.model import Head, class_prototypes, known_scalars

SCALARS = ("logsumexp", "max-logit", "prototype")  # the order of `known_scalars`
# Logits span tens and embeddings hundredths. One penalty over both needs them nearer together.
SCALAR_SCALE = np.array([0.1, 0.1, 1.0], dtype=np.float32)


@dataclass(frozen=True)
class KnownSample:
    """Photographs for the known head, with logits of a class head that did not see them.

    Each in v views. The first, the whole photograph, is the one that fits.
    """

    embedding: np.ndarray  # f32 [n, v, d]
    scalars: np.ndarray  # f32 [n, v, 3]
    is_known: np.ndarray  # bool [n]
    weight: np.ndarray  # f64 [n]
    group: np.ndarray  # i64 [n], the place in the list that the sample was joined from
    together: np.ndarray  # i64 [n]: photographs of the same number fall into the same fold

    def rows(self, index: np.ndarray) -> KnownSample:
        """The photographs at `index`, in that order."""
        return KnownSample(*(getattr(self, name)[index] for name in self.__annotations__))


@dataclass(frozen=True)
class KnownGroup:
    """Photographs that enter the known head together, and what all of them weigh together."""

    embedding: np.ndarray  # f32 [n, v, d]
    scalars: np.ndarray  # f32 [n, v, 3]
    is_known: bool
    weight: float
    types: np.ndarray | None = None  # str [n]: types that only whole may be left out of a fold


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


def with_new_rows(
    weight: np.ndarray, bias: np.ndarray, known: list[str], labels: list[str]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A trained class head `[k, d]` and `[k]` of the labels `known` as one of `labels`.

    Gives weights `[c, d]`, bias `[c]`, and which rows are new, bool `[c]`: those are zero, with a
    bias that makes them unlikely until they are fitted. Rows of other labels are left out.
    """
    is_new = np.array([label not in known for label in labels])
    kept = [row for row, label in enumerate(known) if label in labels]
    rows = [labels.index(known[row]) for row in kept]
    grown = np.zeros((len(labels), weight.shape[1]), weight.dtype)
    grown[rows] = weight[kept]
    offsets = np.full(len(labels), bias.min(), bias.dtype)
    offsets[rows] = bias[kept]
    return grown, offsets, is_new


def refit_class_head(
    weight: np.ndarray,
    bias: np.ndarray,
    embedding: np.ndarray,
    classes: np.ndarray,
    shares: np.ndarray,
    config: RefitConfig,
) -> tuple[np.ndarray, np.ndarray]:
    """A trained class head, weights `[c, d]` and bias `[c]`, moved towards scarce photographs.

    Minimises the smoothed cross-entropy over unit-length embeddings `[n, d]` with their `shares`
    `[n]` of the weight, plus `config.stay` times the squared distance of the weights to the trained
    ones. The network saw few photographs as users take them beside many of catalogues, and its
    embedding tells more of them apart than its head.
    """
    n, (count, dimension) = len(classes), weight.shape
    embedding = embedding.astype(np.float64)
    wanted = np.full((n, count), config.label_smoothing / count)
    wanted[np.arange(n), classes] += 1 - config.label_smoothing
    shares = (shares / shares.sum())[:, None]

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        moved = parameters[:-count].reshape(count, dimension)
        log_odds = log_softmax(embedding @ moved.T + parameters[-count:], axis=1)
        off = moved - weight
        gradient = shares * (np.exp(log_odds) - wanted)  # [n, c]
        slope = gradient.T @ embedding + 2 * config.stay * off
        total = -(shares * wanted * log_odds).sum() + config.stay * (off**2).sum()
        return float(total), np.concatenate([slope.ravel(), gradient.sum(axis=0)])

    fitted = minimize(
        loss,
        np.concatenate([weight.ravel(), bias]).astype(np.float64),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": config.max_iterations},
    ).x
    return fitted[:-count].reshape(count, dimension), fitted[-count:]


def refit_shares(
    is_scarce: np.ndarray, is_of_scarce_type: np.ndarray, config: RefitConfig
) -> np.ndarray:
    """The weight of each photograph in `refit_class_head`, f64 `[n]`, against 1 of the many.

    Those under `is_scarce` `[n]` share theirs with their views; `is_of_scarce_type` `[n]` masks
    those of types that have no others.
    """
    of_type = config.scarce_types_weight or config.scarce_weight
    weight = np.where(is_of_scarce_type, of_type, config.scarce_weight) / (1 + len(config.views))
    return np.where(is_scarce, weight, 1.0)


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
    dimension = sample.embedding.shape[-1]
    embedding, scalars = np.zeros(dimension), np.zeros(len(SCALARS))
    if "embedding" in config.features:
        embedding, weights = weights[:dimension], weights[dimension:]
    chosen = [index for index, name in enumerate(SCALARS) if name in config.features]
    scalars[chosen] = weights * SCALAR_SCALE[chosen]
    return embedding.astype(np.float32), scalars.astype(np.float32), float(fitted.intercept_[0])


def out_of_fold_known(sample: KnownSample, config: Config) -> np.ndarray:
    """Raw known logits `[n, v]`, each from a known head fitted without that photograph, and without
    its type where the sample keeps types together."""
    known = np.zeros(sample.scalars.shape[:2], np.float32)
    splitter = StratifiedGroupKFold(config.folds, shuffle=True, random_state=config.seed)
    for fit, rest in splitter.split(sample.embedding, sample.group, sample.together):
        embedding, scalars, bias = fit_known_head(sample.rows(fit), config.known)
        known[rest] = sample.embedding[rest] @ embedding + sample.scalars[rest] @ scalars + bias
    return known


def fit_known(
    config: Config,
    head: Head,
    embedding: dict[str, np.ndarray],
    scalars: dict[str, np.ndarray],
    fitting: dict[str, np.ndarray],
    types: np.ndarray,
) -> tuple[Head, dict[str, np.ndarray]]:
    """`head` completed by a known head, and raw known logits `[n, v]` of all splits but `train`.

    `embedding` `[n, v, d]` and `scalars` `[n, v, 3]` of each split, of `train` with v = 1;
    `fitting` masks the photographs of other things that fit; `types` `[n]` are the types of
    `other-parts`. Whatever fitted the head gets the logits of heads that saw neither it nor, of
    another part, its type.
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
        [
            KnownGroup(
                embedding[name][mask],
                scalars[name][mask],
                side,
                w,
                types[mask] if name == "other-parts" else None,
            )
            for name, mask, side, w in chosen
        ]
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
    views = max(group.scalars.shape[1] for group in groups)
    together = np.arange(sum(sizes))  # every photograph by itself
    for group, first in zip(groups, np.cumsum([0, *sizes]), strict=False):
        if group.types is not None:
            _, number = np.unique(group.types, return_inverse=True)
            together[first : first + len(number)] = len(together) + number
    return KnownSample(
        embedding=np.concatenate([_with_views(group.embedding, views) for group in groups]),
        scalars=np.concatenate([_with_views(group.scalars, views) for group in groups]),
        is_known=np.repeat([group.is_known for group in groups], sizes),
        # The total of 1000 is what `inverse_regularisation` is set against.
        weight=np.repeat(each, sizes) * 500,
        group=np.repeat(np.arange(len(groups)), sizes),
        together=together,
    )


def _with_views(values: np.ndarray, views: int) -> np.ndarray:
    """`[n, v, ..]` or, repeated, `[n, 1, ..]` as `[n, views, ..]`."""
    return np.broadcast_to(values, (len(values), views, values.shape[2]))


def _known_columns(sample: KnownSample, config: KnownConfig) -> np.ndarray:
    unknown = set(config.features) - {"embedding", *SCALARS}
    if unknown:
        raise ValueError(f"unknown features of the known head: {sorted(unknown)}")
    chosen = [index for index, name in enumerate(SCALARS) if name in config.features]
    scalars = sample.scalars[:, 0, chosen] * SCALAR_SCALE[chosen]
    parts = [sample.embedding[:, 0], scalars] if "embedding" in config.features else [scalars]
    return np.concatenate(parts, axis=1)
