"""Which photograph serves what."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from conftest import LABELS, UNKNOWN_KINDS, Workspace
from partsight_training.collection import (
    Collection,
    draw_epoch,
    keep_back,
    read_collection,
    thirds_of_types,
)
from partsight_training.config import REPOSITORY, MemberConfig, load_config
from partsight_training.data import Split


@pytest.fixture(scope="module")
def collection(workspace: Workspace) -> Collection:
    return read_collection(workspace.photos, workspace.config)


def test_a_kind_with_enough_photographs_becomes_known(collection: Collection) -> None:
    assert collection.labels == LABELS
    assert "white-part" in collection.splits["train"].labels
    assert set(collection.splits["kinds-valid"].labels) == {"white-part"}


def test_what_measures_is_not_learnt(collection: Collection) -> None:
    learnt = set(collection.splits["train"].paths)
    for name in collection.known:
        assert not learnt & set(collection.splits[name].paths)


def test_other_parts_are_the_types_that_are_not_known(collection: Collection) -> None:
    others = set(collection.splits["other-parts"].labels)
    assert others == {"gear", *UNKNOWN_KINDS}


def test_types_that_the_network_alone_learns_are_other_parts(collection: Collection) -> None:
    own = [label for label in LABELS if label != "white-part"]
    narrowed = collection.narrowed(own)
    assert set(narrowed.splits["train"].labels) == set(own)
    assert len(narrowed.is_scarce) == len(narrowed.splits["train"])
    assert "kinds-valid" not in narrowed.known
    others, parts = narrowed.splits["other-parts"], narrowed.parts["other-parts"]
    assert set(parts[np.array(others.labels) == "white-part"]) == {0}, "the network has seen them"
    assert set(narrowed.splits["train"].paths).isdisjoint(others.paths)
    assert others.paths[: len(collection.splits["other-parts"])] == (
        collection.splits["other-parts"].paths
    )


def test_other_parts_are_dealt_out_by_whole_types(collection: Collection) -> None:
    split, parts = collection.splits["other-parts"], collection.parts["other-parts"]
    for label in set(split.labels):
        assert len(set(parts[np.array(split.labels) == label])) == 1
    assert set(parts) == {0, 1, 2}


def test_of_two_types_single_photographs_are_dealt_out() -> None:
    paths = tuple(Path(f"p/other-parts/gear/{i}.jpg") for i in range(9))
    parts = thirds_of_types(Split("other-parts", paths, ("gear",) * 9), 1)
    assert sorted(Counter(parts.tolist()).values()) == [3, 3, 3]


def test_whole_sources_are_kept_back() -> None:
    paths = tuple(Path(f"p/kinds/tire/{i}.jpg") for i in range(10))
    source = {f"kinds/tire/{i}.jpg": "ab"[i >= 7] for i in range(10)}
    mask = keep_back(Split("kinds", paths, ("tire",) * 10), source, 0.2, 0)
    # Seven of ten are of one source, which is learnt from.
    assert np.flatnonzero(mask).tolist() == [7, 8, 9]


def test_of_one_source_single_photographs_are_kept_back() -> None:
    paths = tuple(Path(f"p/kinds/tire/{i}.jpg") for i in range(10))
    mask = keep_back(Split("kinds", paths, ("tire",) * 10), {}, 0.2, 0)
    assert mask.sum() == 2


def test_an_epoch_shows_every_type_as_often_as_it_can() -> None:
    classes = np.repeat([0, 1, 2], [100, 30, 3])
    is_scarce = np.zeros(133, bool)
    is_scarce[[0, 1, 130, 131, 132]] = True
    member = MemberConfig("m", epochs=1, per_type=40, repeats=4)
    drawn = draw_epoch(classes, is_scarce, member, np.random.default_rng(0))
    assert Counter(classes[drawn].tolist()) == {0: 40, 1: 30, 2: 12}
    assert Counter(drawn.tolist())[0] == 4  # scarce ones first, then others once each
    assert max(Counter(drawn[~is_scarce[drawn]].tolist()).values()) == 1


def test_without_a_number_an_epoch_shows_each_photograph_once() -> None:
    member = MemberConfig("m", epochs=1)
    drawn = draw_epoch(np.zeros(9, int), np.zeros(9, bool), member, np.random.default_rng(0))
    assert sorted(drawn.tolist()) == list(range(9))


def test_a_config_takes_what_it_does_not_say_from_its_base(tmp_path: Path) -> None:
    base = REPOSITORY / "training" / "configs" / "partsight-50.toml"
    (tmp_path / "base.toml").write_text(base.read_text(encoding="utf-8"), encoding="utf-8")
    own = 'base = "base.toml"\nname = "more"\n[kinds]\nleast_photographs = 9\n'
    (tmp_path / "more.toml").write_text(own, encoding="utf-8")
    whole, config = load_config(base), load_config(tmp_path / "more.toml")
    assert (config.name, config.kinds.least_photographs) == ("more", 9)
    assert config.kinds.left_out == (), "a section is taken as a whole"
    assert (config.members, config.thresholds) == (whole.members, whole.thresholds)
