"""`model.toml` of a model folder, read and written as nested tables."""

from __future__ import annotations

import datetime
import json
import tomllib
from pathlib import Path
from typing import Any

Table = dict[str, Any]


def read_manifest(folder: Path) -> Table:
    """The manifest of a model folder."""
    return tomllib.loads((folder / "model.toml").read_text(encoding="utf-8"))


def write_manifest(folder: Path, manifest: Table) -> None:
    """Write the manifest of a model folder."""
    (folder / "model.toml").write_text(to_toml(manifest), encoding="utf-8")


def to_toml(table: Table, name: str = "") -> str:
    """TOML of a table of texts, numbers, dates, lists of these, tables and lists of tables.

    `name` is that of the table itself, empty for a whole document.
    """
    values, tables = [], []
    for key, value in table.items():
        of = f"{name}.{key}".removeprefix(".")
        if isinstance(value, dict):
            tables.append(f"\n[{of}]\n{to_toml(value, of)}")
        elif isinstance(value, list | tuple) and value and isinstance(value[0], dict):
            tables += [f"\n[[{of}]]\n{to_toml(row, of)}" for row in value]
        else:
            # JSON writes these as TOML does.
            is_date = isinstance(value, datetime.date)
            text = str(value) if is_date else json.dumps(value, ensure_ascii=False, allow_nan=False)
            values.append(f"{key} = {text}\n")
    return "".join(values + tables)
