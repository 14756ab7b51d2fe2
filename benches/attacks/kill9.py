#!/usr/bin/env python3
"""Kills the server or its database 20 times during 10,000 writes, and looks for what was lost.

Usage: kill9.py PROGRAM [--database postgres] [--victim server|database] [--kills 20] [--writes 10000]
"""

import argparse
import json
import random
import sys
import time
from pathlib import Path

from durability import Place, Postgres, Server, Sqlite, Writer, check, percentile, wait_for


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("program", type=Path)
    arguments.add_argument("photograph", type=Path, help="one that is identified, and small")
    arguments.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    arguments.add_argument("--victim", choices=["server", "database"], default="server")
    arguments.add_argument("--kills", type=int, default=20)
    arguments.add_argument("--writes", type=int, default=10_000, help="acknowledged ones in all")
    arguments.add_argument("--writers", type=int, default=6)
    chosen = arguments.parse_args()
    is_postgres = chosen.database == "postgres"
    if chosen.victim == "database" and not is_postgres:
        arguments.error("SQLite is part of the server")

    place, data = Place(), Place()
    database = server = None
    try:
        database = Postgres(place.path / "cluster", fsync=True) if is_postgres else Sqlite(data.path)
        server = Server(chosen.program, data.path, database)
        photograph = chosen.photograph.read_bytes()
        writers = [Writer(server.port, photograph) for _ in range(chosen.writers)]
        for writer in writers:
            writer.start()

        def acknowledged():
            return sum(writer.n_acknowledged for writer in writers)

        backs = []
        for kill in range(chosen.kills):
            goal = chosen.writes * (kill + 1) // (chosen.kills + 1)
            wait_for(acknowledged, goal, [server])
            # In the middle of something, and not where the count stood.
            time.sleep(random.random() * 0.05)
            (server if chosen.victim == "server" else database).kill()
            if chosen.victim == "server":
                server.start()
            else:
                # Not yet accepting connections counts as away.
                time.sleep(0.05)
                database.wait()
            up = time.monotonic()
            while not all(w.acknowledged_at and w.acknowledged_at[-1] > up for w in writers):
                if time.monotonic() > up + 60:
                    raise SystemExit("writes do not come back")
                time.sleep(0.01)
            backs.append(time.monotonic() - up)
            print(f"kill {kill + 1}: {acknowledged()} acknowledged, everybody writes after {backs[-1]:.2f} s", flush=True)
        wait_for(acknowledged, chosen.writes, [server])
        for writer in writers:
            writer.is_stopping = True
        for writer in writers:
            writer.join(timeout=90)
        server.kill()
        faults = check(writers, database)
        print(json.dumps({
            "database": chosen.database, "victim": chosen.victim, "kills": chosen.kills,
            "acknowledged": acknowledged(), "scans": sum(len(w.scans) for w in writers), "refused": sum(w.n_refused for w in writers),
            "answers that did not come": sum(w.n_lost_answers for w in writers),
            "everybody writes after, s": {"median": round(percentile(backs, 0.5), 3), "most": round(max(backs), 3)},
            "faults": faults,
        }, indent=1))
        return 1 if faults else 0
    finally:
        if server:
            server.kill()
        if database:
            database.end()
        place.end()
        data.end()


if __name__ == "__main__":
    sys.exit(main())
