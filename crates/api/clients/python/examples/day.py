"""A day's work: teach a part, scan a batch, read its results, log a repair.

    python examples/day.py PHOTO PHOTO...

The first photograph is taught.
"""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from partsight_client import Partsight, PartsightError  # noqa: E402

photos = [Path(path) for path in sys.argv[1:]]
if len(photos) < 2:
    sys.exit(__doc__)
partsight = Partsight(os.environ.get("PARTSIGHT_URL", "http://localhost:8080"), os.environ["PARTSIGHT_API_KEY"])

taught = vehicle = None
try:
    # Teach. That it looks like another part is a question; here it is answered with yes.
    try:
        name = f"Example part {datetime.now(UTC):%H:%M:%S.%f}"
        taught = partsight.teach(name, photos[:1], category="engine", accept_collision=True)
        print(f"Taught: {taught['name']} ({taught['id']})")
    except PartsightError as error:
        if error.status != 422:
            raise
        print(f"Not taught: {error}")

    # Scan a batch, and read what came of it.
    batch = partsight.start_batch("Example of a day", [(str(path), path) for path in photos])
    batch = partsight.finished(batch["id"], timeout_seconds=300)
    counts = batch["counts"]
    print(f"Batch: {counts['answered']} of {counts['total']} answered, {counts['failed']} failed")
    for line in partsight.results(batch["id"]):
        scan = line["scan"]
        answer = f"{scan['verdict']} {scan['label']} {scan['confidence']:.3f}" if scan else line["problem"]
        print(f"  {line['key']}: {line['state']} {answer}")

    # Log a repair with the part that was scanned.
    vehicle = partsight.call("POST", "/api/vehicles", {"make": "Honda", "model": "Civic", "year": 2015})
    try:
        scan = partsight.identify(photos[1], vehicle_id=vehicle["id"], read="wait")
        repair = partsight.log_repair({"scanId": scan["id"], "mileage": 52_000})
    except PartsightError as error:
        if error.code != "not-identified":
            raise
        today = f"{datetime.now(UTC):%Y-%m-%d}"
        repair = partsight.log_repair(
            {"vehicleId": vehicle["id"], "mileage": 52_000, "partReplaced": "Part", "repairDate": today}
        )
    print(f"Repair: {repair['partReplaced']} on {repair['repairDate']}")

    # What happened is told to whoever asks.
    kinds = []
    for event in partsight.events(after=0):
        kinds.append(event["type"])
        if event["type"] == "batch.finished" and event["data"]["batchId"] == batch["id"]:
            break
    print(f"Heard of {len(kinds)} events, the last one {kinds[-1]}")
finally:
    # This was an example: the part would be found in everybody's scans, and the vehicle stand in the garage.
    if taught:
        partsight.call("DELETE", f"/api/catalog/types/{taught['id']}")
    if vehicle:
        partsight.call("DELETE", f"/api/vehicles/{vehicle['id']}")
