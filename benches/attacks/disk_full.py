#!/usr/bin/env python3
"""Fills and frees the disk of the database under load, again and again, and looks for what was lost.

Usage (as root, for a file system of its own): disk_full.py PROGRAM PHOTOGRAPH [--database postgres] [--rounds 20]
"""

import argparse
import json
import sys
import time
from pathlib import Path

from durability import Client, Place, Postgres, Server, Sqlite, Writer, check, percentile


def until(condition, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return False


def server_health(port):
    try:
        return Client(port).call("GET", "/health")[0]
    except OSError:
        return "no answer"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("program", type=Path)
    arguments.add_argument("photograph", type=Path, help="one that is identified, and small")
    arguments.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    arguments.add_argument("--rounds", type=int, default=20)
    arguments.add_argument("--writers", type=int, default=6)
    arguments.add_argument("--patience", type=float, default=20, help="seconds to wait for writes to come back")
    chosen = arguments.parse_args()
    is_postgres = chosen.database == "postgres"

    # Room for the rows of all rounds; the ballast takes the rest.
    place, data = Place("300m" if is_postgres else "64m"), Place()
    database = server = None
    try:
        database = Postgres(place.path / "cluster", fsync=True) if is_postgres else Sqlite(place.path / "data")
        server = Server(chosen.program, data.path if is_postgres else place.path / "data", database)
        photograph = chosen.photograph.read_bytes()
        writers = [Writer(server.port, photograph) for _ in range(chosen.writers)]
        for writer in writers:
            writer.start()
        firsts, lasts, n_stuck = [], [], 0
        for number in range(chosen.rounds):
            before = [writer.n_acknowledged for writer in writers]
            until(lambda: all(w.n_acknowledged > b + 2 for w, b in zip(writers, before)), chosen.patience)
            refused = sum(writer.n_refused + writer.n_lost_answers for writer in writers)
            # Again and again, for the database frees files of its own meanwhile.
            deadline = time.monotonic() + 15
            while sum(w.n_refused + w.n_lost_answers for w in writers) < refused + 20 and time.monotonic() < deadline:
                place.fill()
                time.sleep(0.05)
            n_refused = sum(w.n_refused + w.n_lost_answers for w in writers) - refused
            health = server_health(writers[0].client.port)
            place.free()
            freed = time.monotonic()
            if is_postgres:
                database.wait()
                up = time.monotonic()
            else:
                up = freed
            done = until(lambda: all(w.acknowledged_at and w.acknowledged_at[-1] > up for w in writers),
                         chosen.patience)
            n_stuck += not done
            after = [[t - up for t in w.acknowledged_at if t > up] for w in writers]
            if any(after):
                firsts.append(min(times[0] for times in after if times))
            # The moment of the last answer that was no success, for the writes of some take long by themselves.
            lasts.append(max([0.0, *(t - up for w in writers for t in w.refused_at if t > up)]))
            print(f"round {number + 1}: {n_refused} refused, health {health}, database up after {up - freed:.2f} s, "
                  f"first write after {firsts[-1] if any(after) else float('nan'):.2f} s, "
                  f"last refusal after {lasts[-1]:.2f} s{'' if done else ', and somebody cannot write'}", flush=True)
        for writer in writers:
            writer.is_stopping = True
        for writer in writers:
            writer.join(timeout=90)
        # What is only in the server's mind must not count.
        server.kill()
        faults = check(writers, database)
        statuses = {}
        for writer in writers:
            for status, n in writer.statuses.items():
                statuses[status] = statuses.get(status, 0) + n
        print(json.dumps({
            "database": chosen.database, "rounds": chosen.rounds,
            "acknowledged": sum(w.n_acknowledged for w in writers), "scans": sum(len(w.scans) for w in writers),
            "refused": statuses, "answers that did not come": sum(w.n_lost_answers for w in writers),
            "first write after, s": {"median": round(percentile(firsts, 0.5), 3), "most": round(max(firsts, default=0), 3)},
            "last refusal after, s": {"median": round(percentile(lasts, 0.5), 3), "most": round(max(lasts), 3)},
            "rounds after which somebody could not write": n_stuck,
            "starts of PostgreSQL": getattr(database, "n_starts", 0), "faults": faults,
        }, indent=1))
        return 1 if faults or n_stuck else 0
    finally:
        if server:
            server.kill()
        if database:
            database.end()
        place.end()
        data.end()


if __name__ == "__main__":
    sys.exit(main())
