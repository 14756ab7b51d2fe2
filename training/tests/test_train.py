"""One tiny run from pictures to a checked model folder."""

from __future__ import annotations

import hashlib
import json
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from safetensors.numpy import load_file

from conftest import COLOURS, DIMENSION, LABELS, SIDE, Workspace
from partsight_training import figures, golden
from partsight_training.card import write_card
from partsight_training.check_export import check, read_head
from partsight_training.collection import read_collection
from partsight_training.config import RefitConfig
from partsight_training.model import Backbone, embed
from partsight_training.reference_space import BACKGROUND, Space
from partsight_training.references import OF_FITTING_THIRDS, Teaching, write_references
from partsight_training.serving import ServedModel
from partsight_training.similarities import equal_errors, report
from partsight_training.train import train
from partsight_training.trained import backbone_of_model


@pytest.fixture(scope="module")
def record(workspace: Workspace) -> dict:
    w = workspace
    return train(w.config, w.photos, w.weights, w.cache, w.out)


def test_the_class_head_tells_three_colours_apart(record: dict) -> None:
    assert record["measured"]["valid"]["top1"]["value"] == 1.0
    assert record["measured"]["field-valid"]["top1"]["value"] == 1.0


def test_the_known_head_ranks_known_colours_above_others(record: dict) -> None:
    assert record["measured"]["known-auroc-against-negatives-held-out"]["field-valid"] > 0.9


def test_the_manifest_describes_the_graph(record: dict, workspace: Workspace) -> None:
    manifest = tomllib.loads((workspace.out / "model.toml").read_text())
    assert manifest["embedding"]["dimension"] == DIMENSION
    assert manifest["classes"]["count"] == len(LABELS)
    assert manifest["input"]["width"] == SIDE
    assert manifest["file"]["size_bytes"] == (workspace.out / "model.onnx").stat().st_size
    labels = (workspace.out / "labels.txt").read_text().split()
    assert labels == LABELS
    thresholds, wanted = manifest["thresholds"], workspace.config.thresholds.wanted_error
    marks = {m["wanted_error"]: m["identified_confidence"] for m in thresholds["risk"]}
    assert marks[wanted] == thresholds["identified_confidence"]


def test_the_exported_graph_equals_numpy(record: dict, workspace: Workspace) -> None:
    model = ServedModel(workspace.out)
    backbone = Backbone(workspace.weights / "tiny.onnx")
    head = read_head(onnx.load(workspace.out / "model.onnx"))
    tensor = np.random.default_rng(0).normal(0, 1, (5, 3, SIDE, SIDE)).astype(np.float32)
    embedding, logits, known = model.run(tensor)
    expected = embed(backbone.features(tensor))
    np.testing.assert_allclose(embedding, expected, atol=1e-6)
    np.testing.assert_allclose(logits, head.logits(expected), atol=1e-4)
    np.testing.assert_allclose(known, head.known(expected), atol=1e-4)


def test_a_batch_equals_its_pictures_one_by_one(record: dict, workspace: Workspace) -> None:
    model = ServedModel(workspace.out)
    tensor = np.random.default_rng(1).normal(0, 1, (3, 3, SIDE, SIDE)).astype(np.float32)
    together = model.run(tensor)
    alone = [model.run(tensor[row : row + 1]) for row in range(3)]
    for place, output in enumerate(together):
        np.testing.assert_allclose(output, np.concatenate([a[place] for a in alone]), atol=1e-5)


def test_golden_files_pass_their_own_check(
    record: dict, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(golden, "GOLDEN", ("meadow",))
    golden.write_golden(workspace.out)
    assert "meadow" in check(workspace.out)[0]
    file = workspace.out / "golden" / "meadow.json"
    written = file.read_text()
    file.write_text(json.dumps({**json.loads(written), "verdict": "perhaps"}))
    with pytest.raises(AssertionError, match="meadow: verdict differs"):
        check(workspace.out)
    file.unlink()
    with pytest.raises(AssertionError, match="golden files of"):
        check(workspace.out)
    file.write_text(written)


def test_teaching_is_measured_and_written_once(record: dict, workspace: Workspace) -> None:
    w = workspace
    for _ in range(2):
        teaching = write_references(w.out, read_collection(w.photos, w.config))
        manifest = tomllib.loads((w.out / "model.toml").read_text())
    section = manifest["references"]
    prototypes = (w.out / section["prototypes"]).read_bytes()
    assert section["sha256"] == hashlib.sha256(prototypes).hexdigest()
    assert section["size_bytes"] == len(prototypes)
    assert section["score_scale"] == teaching.factors.score_scale > 0
    assert section["model_known_scale"] == teaching.factors.model_known_scale
    tensors = load_file(w.out / section["prototypes"])
    background, width = tensors["background"], tensors["prototypes"].shape[1]
    n_shown = (read_collection(w.photos, w.config).parts["negatives"] == 0).sum()
    assert background.shape == (min(BACKGROUND, n_shown), width)
    assert np.linalg.norm(background, axis=1) == pytest.approx(1)
    assert section["background_scale"] == pytest.approx(teaching.known_factors.background_scale)
    assert section["learnt_offset"] == figures.LEARNT_OFFSET
    assert section["similarities"]["copy"] == figures.SIMILARITIES["copy"]
    assert manifest["judging"] == figures.JUDGING
    assert manifest["thresholds"]["identified_confidence"] > 0
    # Few drawings of other parts are there: those that the network learnt from stand in for them.
    others = np.char.add("other-", teaching.train.labels)
    teaching.shown = replace(teaching.train, labels=others)
    assert [line for line in teaching.report() if "2 of 5 poisoned, with the check" in line]
    (w.out / section["prototypes"]).write_bytes(b"others")
    with pytest.raises(AssertionError, match="SHA-256 of the prototypes differs"):
        check(w.out)
    (w.out / section["prototypes"]).write_bytes(prototypes)


def test_the_card_states_the_measured_counts(record: dict, workspace: Workspace) -> None:
    write_card(workspace.out)
    top1 = record["measured"]["field-valid"]["top1"]
    assert f"({top1['count']}/{top1['total']}," in (workspace.out / "README.md").read_text()


def test_what_measures_a_model_does_not_fit_how_it_is_taught(
    record: dict, workspace: Workspace
) -> None:
    w, out = workspace, workspace.out.parent / "held-out"
    shutil.copytree(w.out, out, dirs_exist_ok=True)
    collection = read_collection(w.photos, w.config)
    teaching = write_references(out, collection)
    fitting = collection.third(1)
    others = collection.splits["other-parts"].rows(fitting["other-parts"])
    assert set(teaching.strange.labels) == set(others.labels)
    assert len(teaching.negatives.labels) == fitting["negatives"].sum()
    write_card(out)
    assert "The held-out thirds fitted nothing.\n" in (out / "README.md").read_text()
    # What an earlier training says of itself.
    manifest = (out / "model.toml").read_text()
    (out / "model.toml").write_text(manifest.replace(OF_FITTING_THIRDS, "of two thirds"))
    write_card(out)
    count = record["parts"]["other-parts"]["held-out"]
    assert f"all {count} held-out photographs of other parts" in (out / "README.md").read_text()


def test_the_check_fails_when_the_graph_is_another(record: dict, workspace: Workspace) -> None:
    path = workspace.out / "model.onnx"
    content = path.read_bytes()
    model = onnx.load(path)
    model.doc_string = "another"
    onnx.save(model, path)
    with pytest.raises(AssertionError, match="SHA-256"):
        check(workspace.out)
    path.write_bytes(content)


def test_a_second_run_gives_the_same_record(record: dict, workspace: Workspace) -> None:
    w = workspace
    again = train(w.config, w.photos, w.weights, w.cache, w.out.parent / "again")
    assert json.dumps(again) == json.dumps(record)


def test_other_starting_weights_are_refused(workspace: Workspace) -> None:
    w = workspace
    config = replace(w.config, starting_weights_sha256="0" * 64)
    with pytest.raises(ValueError, match="not the file"):
        train(config, w.photos, w.weights, w.cache, w.out.parent / "refused")


def test_a_network_is_kept_when_only_the_resize_changes(record: dict, workspace: Workspace) -> None:
    w = workspace
    through = replace(w.config, resize=replace(w.config.resize, through=SIDE + 5), version="1.1.0")
    out = w.out.parent / "kept"
    kept = train(through, w.photos, w.weights, w.cache, out, backbone_from=w.out)
    assert kept["backbone"]["takenFrom"]["version"] == "1.0.0"
    assert tomllib.loads((out / "model.toml").read_text())["resize"]["through"] == SIDE + 5
    tensor = np.random.default_rng(1).normal(0, 1, (3, 3, SIDE, SIDE)).astype(np.float32)
    before, after = ServedModel(w.out).run(tensor), ServedModel(out).run(tensor)
    np.testing.assert_allclose(after[0], before[0], atol=1e-6)
    np.testing.assert_allclose(after[1], before[1], atol=1e-5)
    write_card(out)
    assert "version 1.0.0" in (out / "README.md").read_text()


def test_a_kept_network_learns_a_further_type(workspace: Workspace, tmp_path: Path) -> None:
    w = workspace
    few = replace(w.config, kinds=replace(w.config.kinds, least_photographs=1000))
    train(few, w.photos, w.weights, w.cache, tmp_path / "few")
    assert "white-part" not in ServedModel(tmp_path / "few").labels
    with pytest.raises(ValueError, match=r"only where `\[refit\]` is"):
        train(w.config, w.photos, w.weights, w.cache, tmp_path / "none", tmp_path / "few")
    measured = {}
    for offset in (0.0, -100.0):
        refit = RefitConfig(
            20.0, 1e-5, views=((1.0, True), (0.7, False)), scarce_types_offset=offset
        )
        config = replace(w.config, refit=refit)
        record = train(config, w.photos, w.weights, w.cache, tmp_path / "more", tmp_path / "few")
        measured[offset] = record["measured"]
    assert ServedModel(tmp_path / "more").labels == LABELS
    assert measured[0.0]["kinds-valid"]["top1"]["value"] == 1.0
    assert measured[0.0]["field-valid"]["top1"]["value"] == 1.0
    write_card(tmp_path / "more")
    assert "learnt the other 1 types" in (tmp_path / "more" / "README.md").read_text()
    assert measured[-100.0]["kinds-valid"]["top1"]["value"] == 0.0


def test_a_network_may_learn_types_that_the_model_does_not_know(
    workspace: Workspace, tmp_path: Path
) -> None:
    w = workspace
    train(w.config, w.photos, w.weights, w.cache, tmp_path / "all")
    config = replace(w.config, kinds=replace(w.config.kinds, known=False), refit=RefitConfig(5, 1))
    record = train(config, w.photos, w.weights, w.cache, tmp_path / "own", tmp_path / "all")
    assert ServedModel(tmp_path / "own").labels == sorted(COLOURS)
    assert "kinds-valid" not in record["measured"]
    parts = record["parts"]["other-parts"]
    assert parts["known-head"] == parts["exposed"] + parts["fitting"]
    write_card(tmp_path / "own")


def test_a_kept_network_is_said_to_have_learnt_what_it_learnt(
    workspace: Workspace, tmp_path: Path
) -> None:
    w = workspace
    config = replace(w.config, kinds=replace(w.config.kinds, known=False))
    learnt = train(config, w.photos, w.weights, w.cache, tmp_path / "first")["network"]
    assert ServedModel(tmp_path / "first").labels == sorted(COLOURS)
    for kept in ("first", "second"):
        taken = backbone_of_model(tmp_path / kept, (SIDE, SIDE), w.cache).record["takenFrom"]
        assert (taken["types"], taken["photographs"]) == (len(LABELS), learnt["photographs"])
        train(config, w.photos, w.weights, w.cache, tmp_path / "second", tmp_path / kept)


def test_a_model_of_another_origin_gives_no_network(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes((workspace.weights / "tiny.onnx").read_bytes())
    with pytest.raises(ValueError, match="was not written by this training code"):
        backbone_of_model(tmp_path, (SIDE, SIDE), tmp_path)


def test_how_alike_photographs_are_is_measured(record: dict, workspace: Workspace) -> None:
    w, model, space = workspace, ServedModel(workspace.out), Space.of(workspace.out)
    collection = read_collection(w.photos, w.config)
    teaching = Teaching(model, space, collection)
    lines = list(report(model, space, teaching, list(collection.splits["valid"].paths)))
    assert any(line.startswith("the same file encoded anew") for line in lines)
    assert sum("taken off" in line for line in lines) == 18


def test_equal_errors_lie_between_what_is_alike_and_what_is_not() -> None:
    assert 0.2 <= equal_errors(np.array([0.5, 0.6, 0.1]), np.array([0.0, 0.1, 0.2])) <= 0.5
