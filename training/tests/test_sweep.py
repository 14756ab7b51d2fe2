"""The variants of a config on random weights; skipped where PyTorch is not installed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is installed by `make train` only")

from conftest import COLOURS, LABELS, Workspace  # noqa: E402
from partsight_training import sweep  # noqa: E402
from partsight_training.config import NetworkConfig  # noqa: E402
from partsight_training.network import Network  # noqa: E402


def test_a_network_of_more_types_than_the_model_answers_for_those_of_the_model(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    w = workspace
    monkeypatch.setattr(sweep, "photos_dir", lambda: w.photos)
    monkeypatch.setattr(sweep, "cache_dir", lambda: w.cache)
    config = replace(
        w.config,
        network=NetworkConfig(dimension=8, start_weight=1.0),
        kinds=replace(w.config.kinds, known=False),
    )
    bench = sweep.Bench(config)
    assert (bench.labels, bench.learnt) == (sorted(COLOURS), LABELS)
    bench.folder.mkdir(parents=True)
    start = Network(8, len(LABELS))
    torch.save(start.state_dict(), bench.folder / "start.pt")
    network = bench.network({"start": 1.0})
    embedding = np.random.default_rng(0).normal(0, 1, (5, 8)).astype(np.float32)
    with torch.no_grad():
        every = network.head(torch.from_numpy(embedding)).numpy()
    own = [LABELS.index(label) for label in bench.labels]
    np.testing.assert_allclose(bench.logits(network, embedding), every[:, own], atol=1e-5)
