"""Measures our index in memory beside faiss and hnswlib: same vectors, same queries, one thread each.

usage: vector_index.py VECTOR_SEARCH [--rows N] [--dimension D] [--queries N] [-k K] [--rounds N]

VECTOR_SEARCH is our side: `cargo build --release -p partsight-benches --example vector_search`.
All take turns in each of the rounds, so that a busy machine slows all of them; times are processor time, and the
ratio is the median over the rounds. Everything is measured among all rows, and again among those of one category:
faiss by a bitmap, hnswlib by the Python function that its filter takes, so that its filtered time is mostly Python's.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import faiss
import hnswlib
import numpy as np

N_TYPES = 200
SPREAD = 0.8
# Graph: neighbours a node, candidates while building, and candidates while searching.
M, EF_BUILD = 32, 200
EF_SEARCH = (32, 64, 128, 256)


def draw(rng: np.random.Generator, types: np.ndarray, n: int) -> np.ndarray:
    """`n` embeddings, f32 `[n, d]` of L2 length 1, gathered around the directions of part types."""
    vectors = types[rng.integers(len(types), size=n)]
    vectors = vectors + SPREAD * rng.standard_normal(vectors.shape, dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.ascontiguousarray(vectors, dtype=np.float32)


def recall(found: np.ndarray, expected: np.ndarray) -> float:
    """Share of the true neighbours that were found."""
    hits = sum(len(set(a) & set(b)) for a, b in zip(found.tolist(), expected.tolist(), strict=True))
    return hits / expected.size


class Ours:
    """Our index, in a process of its own that searches when it is told to."""

    def __init__(self, binary: Path, rows: np.ndarray, queries: np.ndarray, k: int, folder: Path) -> None:
        rows.tofile(folder / "rows.f32")
        queries.tofile(folder / "queries.f32")
        arguments = [binary, folder / "rows.f32", folder / "queries.f32", str(rows.shape[1]), str(k)]
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.facts = self.read()

    def read(self) -> dict:
        line = self.process.stdout.readline()
        if not line:
            sys.exit("vector_search ended early; see above")
        return json.loads(line)

    def run(self, among: str) -> tuple[float, np.ndarray]:
        """Milliseconds of processor time a query, and the ids found."""
        answer = self.ask(among)
        return answer["msPerQuery"], np.array(answer["ids"])

    def run_each(self, among: str) -> tuple[list[float], np.ndarray]:
        """Milliseconds on the clock of each query, and the ids found."""
        answer = self.ask(among)
        return answer["milliseconds"], np.array(answer["ids"])

    def ask(self, among: str) -> dict:
        self.process.stdin.write(f"{among}\n")
        self.process.stdin.flush()
        return self.read()


def timed(search: Callable[[np.ndarray], np.ndarray], queries: np.ndarray) -> tuple[float, np.ndarray]:
    """Milliseconds of processor time a query, asked one by one as a server does, and the ids found."""
    start = time.process_time()
    found = [search(query[None]) for query in queries]
    return (time.process_time() - start) * 1000 / len(queries), np.concatenate(found)


def peers(rows: np.ndarray, k: int, passing: np.ndarray) -> tuple[dict[str, dict[str, Callable]], dict[str, float]]:
    """The searches of the others by what they look among and by name, and the seconds of processor time that each index
    took to build. `passing` is bool `[n]`: which rows are of the category."""
    searches: dict[str, dict[str, Callable]] = {"all": {}, "category": {}}
    build_seconds = {}

    def build(name: str, make: Callable[[], object]) -> object:
        start = time.process_time()
        index = make()
        build_seconds[name] = time.process_time() - start
        return index

    n_rows, dimension = rows.shape

    def flat() -> faiss.Index:
        index = faiss.IndexFlatIP(dimension)
        index.add(rows)
        return index

    def graph() -> faiss.Index:
        index = faiss.IndexHNSWFlat(dimension, M, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = EF_BUILD
        index.add(rows)
        return index

    def hnsw() -> hnswlib.Index:
        index = hnswlib.Index(space="ip", dim=dimension)
        index.init_index(max_elements=n_rows, ef_construction=EF_BUILD, M=M)
        index.set_num_threads(1)
        index.add_items(rows, num_threads=1)
        return index

    selector = faiss.IDSelectorBitmap(np.packbits(passing, bitorder="little"))
    flat_index = build("faiss flat", flat)
    searches["all"]["faiss flat"] = lambda query: flat_index.search(query, k)[1]
    of_category = faiss.SearchParameters(sel=selector)
    searches["category"]["faiss flat"] = lambda query: flat_index.search(query, k, params=of_category)[1]
    graph_index = build("faiss HNSW", graph)
    hnsw_index = build("hnswlib", hnsw)
    passes = passing.tolist()
    for ef in EF_SEARCH:

        def with_faiss(query: np.ndarray, ef: int = ef) -> np.ndarray:
            return graph_index.search(query, k, params=faiss.SearchParametersHNSW(efSearch=ef))[1]

        def with_faiss_filtered(query: np.ndarray, ef: int = ef) -> np.ndarray:
            parameters = faiss.SearchParametersHNSW(efSearch=ef, sel=selector)
            return graph_index.search(query, k, params=parameters)[1]

        def with_hnswlib(query: np.ndarray, ef: int = ef) -> np.ndarray:
            hnsw_index.set_ef(ef)
            return hnsw_index.knn_query(query, k=k, num_threads=1)[0]

        def with_hnswlib_filtered(query: np.ndarray, ef: int = ef) -> np.ndarray:
            hnsw_index.set_ef(ef)
            return hnsw_index.knn_query(query, k=k, num_threads=1, filter=passes.__getitem__)[0]

        searches["all"][f"faiss HNSW, ef {ef}"] = with_faiss
        searches["category"][f"faiss HNSW, ef {ef}"] = with_faiss_filtered
        searches["all"][f"hnswlib, ef {ef}"] = with_hnswlib
        searches["category"][f"hnswlib, ef {ef}"] = with_hnswlib_filtered
    return searches, build_seconds


def nearest(rows: np.ndarray, queries: np.ndarray, k: int) -> np.ndarray:
    """The true neighbours, `[queries, k]`, by scores in f64, so that rounding decides nothing."""
    scores = queries.astype(np.float64) @ rows.astype(np.float64).T
    return np.argsort(-scores, axis=1, kind="stable")[:, :k]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vector_search", type=Path)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--dimension", type=int, default=512)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("-k", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    faiss.omp_set_num_threads(1)

    rng = np.random.default_rng(7)
    types = rng.standard_normal((N_TYPES, options.dimension), dtype=np.float32)
    rows = draw(rng, types, options.rows)
    queries = draw(rng, types, options.queries)

    with tempfile.TemporaryDirectory() as folder:
        ours = Ours(options.vector_search, rows, queries, options.k, Path(folder))
        passing = np.arange(options.rows) % ours.facts["categories"] == 0
        searches, build_seconds = peers(rows, options.k, passing)
        print(f"{options.rows} x {options.dimension}, k = {options.k}, {options.queries} queries, {options.rounds} rounds")
        print(f"ours: {ours.facts['kernel']}, built in {ours.facts['buildSeconds']:.1f} s")
        print("built in s: " + ", ".join(f"{name} {seconds:.1f}" for name, seconds in build_seconds.items()))
        numbers = {"all": np.arange(options.rows), "category": np.flatnonzero(passing)}
        for among, numbers_among in numbers.items():
            expected = numbers_among[nearest(rows[numbers_among], queries, options.k)]
            times: dict[str, list[float]] = {}
            found: dict[str, np.ndarray] = {}
            for _ in range(options.rounds):
                runs = {name: lambda s=search: timed(s, queries) for name, search in searches[among].items()}
                for name, run in {"ours": lambda a=among: ours.run(a), **runs}.items():
                    milliseconds, found[name] = run()
                    times.setdefault(name, []).append(milliseconds)
            print(f"\n{'among ' + among:24}{'ms a query':>12}{'of ours':>10}{'recall':>10}")
            for name, values in times.items():
                ratio = float(np.median(np.array(values) / np.array(times["ours"])))
                print(f"{name:24}{np.median(values):12.3f}{ratio:10.2f}{recall(found[name], expected):10.4f}")


if __name__ == "__main__":
    main()
