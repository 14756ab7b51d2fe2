"""Measures our index in memory beside a Qdrant server as Partsight sets one up: same vectors, same queries, asked one by one.

usage: qdrant_index.py VECTOR_SEARCH QDRANT [--rows N] [--dimension D] [--queries N] [-k K] [--rounds N] [--links M] [--link-candidates E]
                       [--compared-whole N] [--folder DIR]

VECTOR_SEARCH is our side, as for `vector_index.py`, and QDRANT a server's program or an xz file of it, which keeps its data under DIR.
Both search among all rows of a shop, and among those of one category of nine. Qdrant is also asked for rows that resemble
no other, which a graph with few links misses. Times of searches are on the clock and hold the way to the server and back;
those of building are processor time, because Qdrant goes on in the background.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from qdrant_client import QdrantClient, models
from vector_index import N_TYPES, Ours, draw, recall

sys.path.insert(0, str(Path(__file__).parents[1] / "attacks"))
from qdrant_server import QdrantServer  # noqa: E402

COLLECTION = "references"
LONGEST_BUILD = 3 * 3600
# References that resemble no other, as those of an unusual part, and what a photograph adds to such a direction.
N_LONE = 200
NOISE = 0.5
TICKS = os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    """Memory that is the process's alone: files of vectors that the system keeps at hand do not count."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1024


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Qdrant(QdrantServer):
    """With a collection like the one that Partsight makes (crates/catalog/src/index/qdrant)."""

    def __init__(self, program: Path, folder: Path) -> None:
        super().__init__(program, folder)
        self.client = QdrantClient(host="127.0.0.1", port=self.http, grpc_port=self.grpc, prefer_grpc=True, timeout=600)

    def fill(self, rows: np.ndarray, categories: np.ndarray, links: int, link_candidates: int, compared_whole: int) -> float:
        """Seconds on the clock until every row is in the graph."""
        started = time.monotonic()
        self.client.create_collection(
            COLLECTION,
            vectors_config=models.VectorParams(size=rows.shape[1], distance=models.Distance.DOT, on_disk=False),
            hnsw_config=models.HnswConfigDiff(
                m=links, ef_construct=link_candidates, full_scan_threshold=compared_whole * rows.shape[1] * 4 // 1000
            ),
            quantization_config=models.ScalarQuantization(
                scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8, always_ram=True)
            ),
        )
        for field in ("tenant_id", "category"):
            schema = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=field == "tenant_id")
            self.client.create_payload_index(COLLECTION, field, schema, wait=True)
        for first in range(0, len(rows), 500):
            points = [
                models.PointStruct(
                    id=number, vector=rows[number].tolist(), payload={"tenant_id": "shop", "category": str(categories[number])}
                )
                for number in range(first, min(first + 500, len(rows)))
            ]
            self.client.upsert(COLLECTION, points, wait=False)
        written = time.monotonic() - started
        return written + self.wait_for_graph(len(rows), LONGEST_BUILD)

    def run(self, among: str, queries: np.ndarray, k: int) -> tuple[list[float], np.ndarray]:
        wanted = {"tenant_id": "shop"} | ({"category": "0"} if among == "category" else {})
        conditions = [models.FieldCondition(key=key, match=models.MatchValue(value=value)) for key, value in wanted.items()]
        parameters = models.SearchParams(quantization=models.QuantizationSearchParams(rescore=True, oversampling=2.0))
        milliseconds, found = [], []
        for query in queries:
            started = time.monotonic()
            answer = self.client.query_points(
                COLLECTION,
                query=query.tolist(),
                query_filter=models.Filter(must=conditions),
                limit=k,
                search_params=parameters,
                with_vectors=True,
                with_payload=["category"],
            )
            milliseconds.append((time.monotonic() - started) * 1000)
            found.append([point.id for point in answer.points])
        return milliseconds, np.array(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vector_search", type=Path)
    parser.add_argument("qdrant", type=Path)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--dimension", type=int, default=512)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("-k", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--links", type=int, default=32)
    parser.add_argument("--link-candidates", type=int, default=200)
    parser.add_argument("--compared-whole", type=int, default=120_000, help="references up to which Qdrant compares all")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()

    rng = np.random.default_rng(7)
    types = rng.standard_normal((N_TYPES, options.dimension), dtype=np.float32)
    rows = np.concatenate([draw(rng, types, min(100_000, options.rows - first)) for first in range(0, options.rows, 100_000)])
    queries = draw(rng, types, options.queries)
    lone = unit(rng.standard_normal((N_LONE, options.dimension), dtype=np.float32))
    lone_numbers = rng.choice(options.rows, N_LONE, replace=False)
    rows[lone_numbers] = lone
    spread = NOISE / options.dimension**0.5
    lone_queries = unit(lone + spread * rng.standard_normal(lone.shape, dtype=np.float32))

    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        ours = Ours(options.vector_search, rows, queries, options.k, folder)
        our_pid = ours.process.pid
        categories = np.arange(options.rows) % ours.facts["categories"]
        qdrant = Qdrant(options.qdrant, folder)
        their_pid = qdrant.process.pid
        try:
            wall = qdrant.fill(rows, categories, options.links, options.link_candidates, options.compared_whole)
            print(f"{options.rows} x {options.dimension}, k = {options.k}, {options.queries} queries, {options.rounds} rounds")
            print(f"ours: {ours.facts['kernel']}, built in {ours.facts['buildSeconds']:.1f} s, {resident_mb(our_pid):.0f} MB")
            print(
                f"Qdrant: built in {cpu_seconds(their_pid):.1f} s of processor time, {wall:.0f} s on the clock,"
                f" {resident_mb(their_pid):.0f} MB"
            )
            for among in ("all", "category"):
                numbers = np.arange(options.rows) if among == "all" else np.flatnonzero(categories == 0)
                expected = numbers[nearest(rows[numbers], queries, options.k)]
                times: dict[str, list[float]] = {"ours": [], "Qdrant": []}
                found = {}
                for _ in range(options.rounds):
                    milliseconds, found["ours"] = ours.run_each(among)
                    times["ours"] += milliseconds
                    milliseconds, found["Qdrant"] = qdrant.run(among, queries, options.k)
                    times["Qdrant"] += milliseconds
                print(f"\n{'among ' + among:16}{'p50 ms':>10}{'p99 ms':>10}{'recall':>10}")
                for side, values in times.items():
                    p50, p99 = np.percentile(values, [50, 99])
                    print(f"{side:16}{p50:10.3f}{p99:10.3f}{recall(found[side], expected):10.4f}")
            _, first = qdrant.run("all", lone_queries, 1)
            print(f"\nQdrant finds {(first[:, 0] == lone_numbers).mean():.1%} of the references that resemble no other")
        finally:
            qdrant.kill()


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def nearest(rows: np.ndarray, queries: np.ndarray, k: int) -> np.ndarray:
    """The true neighbours, `[queries, k]`: the best hundred by f32, and those in f64, so that rounding decides nothing."""
    found = []
    for query in queries:
        best = np.argpartition(-(rows @ query), min(100, len(rows) - 1))[:100]
        scores = rows[best].astype(np.float64) @ query.astype(np.float64)
        found.append(best[np.argsort(-scores, kind="stable")[:k]])
    return np.array(found)


if __name__ == "__main__":
    main()
