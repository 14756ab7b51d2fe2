#!/usr/bin/env python3
"""Ten times as many scans as the server can answer, for ten minutes: `overload.py target/release/partsight`.

Every scan has to be answered within the server's deadline or refused with 503 and Retry-After. `/health` and a page have
to answer in 100 ms throughout, memory has to stay flat, and five seconds afterwards the server has to answer as before.
"""

from __future__ import annotations

import asyncio
import time

from load_client import ANSWER_LIMIT, Connections, Person, Server, attack, closed_loop, open_loop, options, percentiles
from soak import verdict

# Requested all the while: what a load balancer asks, and what a person opens.
PATHS = ["/health", "/"]


async def watch(server: Server, stop: asyncio.Event) -> dict[str, object]:
    """Requests each of `PATHS` twice a second, on a connection of its own, and notes what the process holds."""
    seconds: dict[str, list[float]] = {path: [] for path in PATHS}
    failures: list[str] = []
    samples: list[dict[str, float]] = []
    connections = Connections(server.port, 1)
    first = time.monotonic()
    while not stop.is_set():
        started = time.monotonic()
        for path in PATHS:
            try:
                answer = await asyncio.wait_for(connections.send("GET", path, {}, b""), 10)
                if answer.status == 200:
                    seconds[path].append(answer.seconds)
                else:
                    failures.append(f"{path}: {answer.status}")
            except (OSError, EOFError, TimeoutError) as error:
                failures.append(f"{path}: {type(error).__name__}")
        samples.append({"second": round(started - first, 1)} | server.sample())
        await asyncio.sleep(max(0.0, 0.5 - (time.monotonic() - started)))
    connections.close()
    # What the process allocates when the overload begins is no leak.
    memory = verdict(samples, "rssMb")
    return {"seconds": {path: percentiles(times) for path, times in seconds.items()}, "failures": failures[:20], "memory": memory}


async def overload(server: Server, people: list[Person], arguments: object) -> tuple[dict[str, object], dict[str, bool]]:
    capacity, before = await closed_loop(server.port, people, arguments.measure)
    rate = capacity * arguments.times
    stop = asyncio.Event()
    watching = asyncio.create_task(watch(server, stop))
    during, unsent = await open_loop(server.port, people, rate, arguments.seconds, arguments.connections)
    stop.set()
    reads = await watching
    is_alive = server.process.poll() is None
    await asyncio.sleep(5)
    capacity_after, after = await closed_loop(server.port, people, arguments.measure) if is_alive else (0.0, None)
    deadline = float(server.settings.get("PARTSIGHT_ANSWER_WITHIN_MS", 2000)) / 1000
    summary = {
        "what": "overload",
        "program": str(server.program),
        "seconds": arguments.seconds,
        "capacityPerSecond": round(capacity, 1),
        "offeredPerSecond": round(rate, 1),
        "deadlineSeconds": deadline,
        "notSentByTheClient": unsent,
        "before": before.summary(),
        "during": during.summary(),
        "reads": reads,
        "after": after.summary() if after else None,
        "capacityAfterPerSecond": round(capacity_after, 1),
    }
    checks = {
        "alive": is_alive,
        "loadWasOver": len(during.refused) > 0,
        "answersWithinDeadline": 0 < max(during.answered, default=0.0) <= deadline,
        "answersGoOn": len(during.answered) >= 0.5 * capacity * arguments.seconds,
        "refusedWithRetryAfter": during.without_retry_after == 0,
        "refusedAtOnce": percentiles(during.refused).get("p99", ANSWER_LIMIT) <= 0.25,
        "nothingElse": not during.other,
        "readsIn100Ms": not reads["failures"] and all(times.get("p99", 1.0) <= 0.1 for times in reads["seconds"].values()),
        "memoryFlat": bool(reads["memory"]["flat"]),
        "asBefore": capacity_after >= 0.8 * capacity and after is not None and not after.other and not after.refused,
    }
    return summary, checks


def main() -> None:
    parser = options(__doc__.splitlines()[0], 600)
    parser.add_argument("--times", type=float, default=10, help="how many times what the server can (default %(default)s)")
    attack(parser.parse_args(), overload)


if __name__ == "__main__":
    main()
