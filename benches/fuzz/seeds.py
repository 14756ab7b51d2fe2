#!/usr/bin/env python3
"""Writes the seeds of the corpora: small whole inputs of every kind that a target reads. `seeds.py` beside `corpus/`.

Files whose names begin with `found-` are inputs that a fault was found with; they are left as they are.
JPEG and HEIC are copies of what the tests of `inference` decode; all the rest is made here. No photograph of anyone is
among it.
"""

from __future__ import annotations

import base64
import io
import json
import struct
import zipfile
import zlib
from pathlib import Path

from network_graphs import network_graphs

HERE = Path(__file__).parent
CORPUS = HERE / "corpus"
FIXTURES = HERE / "../../crates/inference/tests/fixtures"

# The smallest pictures of WebP's kinds, of one pixel.
WEBP = {
    "lossy": "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
    "lossless": "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==",
    "alpha": "UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA==",
    "animated": "UklGRlIAAABXRUJQVlA4WAoAAAASAAAAAAAAAAAAQU5JTQYAAAD/////AABBTk1GJgAAAAAAAAAAAAAAAAAAAGQAAABWUDhMDQAAAC8AAAAQBxAREYiI/gcA",
}


def main() -> None:
    for target, seeds in {
        "photo": photographs(),
        "heic": {"picture": b"", "grid": b"\x00" * 4 + b"\xcb\x01" * 20, "extents": b"\x00" * 30 + b"\xef\xc8" * 20},
        "multipart": forms(),
        "records-csv": records(),
        "part-files": parts(),
        "price-list": price_lists(),
        "label-list": label_lists(),
        "embeddings": embeddings(),
        "catalog-file": catalog_files(),
        "vehicle-facts": vehicle_facts(),
        "vin": vins(),
        "webhook": events(),
        "judge-answer": answers(),
        "supplier-answer": offers(),
        "backup": backups(),
        "zip": zips(),
        "network-graph": network_graphs(),
    }.items():
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            if not old.name.startswith("found-"):
                old.unlink()
        for name, content in seeds.items():
            (folder / name).write_bytes(content)


# --- Photographs -------------------------------------------------------------------------------------------

WIDTH, HEIGHT = 12, 8


def pixels(channels: int) -> bytes:
    """A gradient, `[HEIGHT, WIDTH, channels]`."""
    return bytes((20 * x + 9 * y + 40 * c) & 255 for y in range(HEIGHT) for x in range(WIDTH) for c in range(channels))


def rows(data: bytes) -> list[bytes]:
    stride = len(data) // HEIGHT
    return [data[at : at + stride] for at in range(0, len(data), stride)]


def png(depth: int, colour: int, data: bytes, before: bytes = b"", interlaced: int = 0) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, depth, colour, 0, 0, interlaced)
    packed = zlib.compress(b"".join(bytes([filter_]) + row for filter_, row in zip((0, 1, 2, 3, 4, 0, 1, 2), rows(data))))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def palette_png() -> bytes:
    body = bytes(range(48)) * 16
    before = struct.pack(">I", 768) + b"PLTE" + body + struct.pack(">I", zlib.crc32(b"PLTE" + body))
    return png(8, 3, pixels(1), before)


def gif(frames: int, interlaced: bool = False) -> bytes:
    table = bytes(range(12))
    header = b"GIF89a" + struct.pack("<HHBBB", WIDTH, HEIGHT, 0x81, 0, 0) + table
    # Clear codes often enough that the code width stays at three bits.
    codes = [code for at in range(WIDTH * HEIGHT) for code in (([4] if at % 2 == 0 else []) + [at % 4])] + [5]
    bits = sum(code << (3 * at) for at, code in enumerate(codes))
    data = bits.to_bytes((3 * len(codes) + 7) // 8, "little")
    blocks = b"".join(bytes([len(data[at : at + 200])]) + data[at : at + 200] for at in range(0, len(data), 200))
    frame = b"!\xf9\x04\x01\x00\x00\x03\x00" + b"," + struct.pack("<HHHHB", 0, 0, WIDTH, HEIGHT, 0x40 * interlaced)
    return header + (frame + b"\x02" + blocks + b"\x00") * frames + b";"


def bmp(bits: int, data: bytes, table: bytes = b"", compression: int = 0) -> bytes:
    offset = 54 + len(table)
    info = struct.pack("<IiiHHIIiiII", 40, WIDTH, HEIGHT, 1, bits, compression, len(data), 0, 0, len(table) // 4, 0)
    return b"BM" + struct.pack("<IHHI", offset + len(data), 0, 0, offset) + info + table + data


def tiff(order: str, compression: int, data: bytes, samples: int, predictor: int = 1) -> bytes:
    fields = [
        (256, 3, WIDTH), (257, 3, HEIGHT), (258, 3, 8), (259, 3, compression), (262, 3, 2 if samples > 1 else 1),
        (273, 4, 0), (277, 3, samples), (278, 3, HEIGHT), (279, 4, len(data)), (317, 3, predictor),
    ]  # fmt: skip
    start = 8 + 2 + 12 * len(fields) + 4
    if samples > 1:
        fields[2] = (258, 3, 0)
    out = (b"II" if order == "<" else b"MM") + struct.pack(order + "HI", 42, 8) + struct.pack(order + "H", len(fields))
    depths = struct.pack(order + "H" * samples, *[8] * samples)
    for tag, kind, value in fields:
        if tag == 258 and samples > 1:
            out += struct.pack(order + "HHII", tag, 3, samples, start)
        elif tag == 273:
            out += struct.pack(order + "HHII", tag, 4, 1, start + len(depths))
        elif kind == 3:
            out += struct.pack(order + "HHIHH", tag, 3, 1, value, 0)
        else:
            out += struct.pack(order + "HHII", tag, 4, 1, value)
    return out + struct.pack(order + "I", 0) + depths + data


def photographs() -> dict[str, bytes]:
    # JPEG and HEIC are read from the fixtures of `inference`, where they lie.
    seeds = {f"{kind}.webp": base64.b64decode(text) for kind, text in WEBP.items()}
    padded = b"".join(row + b"\0" * (-len(row) % 4) for row in rows(pixels(3)))
    table = bytes(value & 255 for value in range(1024))
    packbits = b"".join(bytes([len(row) - 1]) + row for row in rows(pixels(1)))
    seeds |= {
        "rgb.png": png(8, 2, pixels(3)),
        "grey.png": png(8, 0, pixels(1)),
        "grey-alpha.png": png(8, 4, pixels(2)),
        "rgba-16.png": png(16, 6, pixels(8)),
        "palette.png": palette_png(),
        "still.gif": gif(1),
        "animated.gif": gif(3),
        "interlaced.gif": gif(1, interlaced=True),
        "rgb.bmp": bmp(24, padded),
        "rgba.bmp": bmp(32, pixels(4)),
        "palette.bmp": bmp(8, pixels(1), table),
        "run-length.bmp": bmp(8, b"\x0c\x05\x00\x00" * HEIGHT + b"\x00\x01", table, 1),
        "plain.tif": tiff("<", 1, pixels(3), 3),
        "big-endian.tif": tiff(">", 1, pixels(1), 1),
        "deflate.tif": tiff("<", 8, zlib.compress(pixels(3)), 3, 2),
        "packbits.tif": tiff("<", 32773, packbits, 1),
    }
    return seeds


# --- Forms -------------------------------------------------------------------------------------------------


def form(*fields: tuple[str, bytes]) -> bytes:
    parts = (b"--X\r\nContent-Disposition: form-data; " + head.encode() + b"\r\n\r\n" + body + b"\r\n" for head, body in fields)
    return b"".join(parts) + b"--X--\r\n"


def forms() -> dict[str, bytes]:
    picture = png(8, 2, pixels(3))
    image = 'name="image"; filename="a.png"\r\nContent-Type: image/png'
    info = json.dumps({"make": "Honda", "model": "Civic", "year": 2015}).encode()
    return {
        "one": form((image, picture)),
        "three": form(*[(image, picture)] * 3),
        "five": form(*[(image, picture)] * 5),
        "six": form(*[(image, picture)] * 6),
        "fields": form(('name="vehicleInfo"', info), ('name="vehicleId"', b""), ('name="later"', b"1"), (image, picture)),
        "vehicle": form(('name="vehicleId"', b"0190a0a0-0000-7000-8000-000000000000"), (image, picture)),
        "text": form(('name="image"; filename="a.txt"\r\nContent-Type: text/plain', b"hello")),
        "no-image": form(('name="vehicleId"', b"")),
        "empty-image": form((image, b"")),
        "cut": form((image, picture))[:-20],
        "quoted": form(('name="image"; filename="a\\"b.png"; filename*=UTF-8\'\'a%20b.png', picture)),
        "jpeg": form((image, (FIXTURES / "one-pixel.jpg").read_bytes())),
    }


# --- Tables ------------------------------------------------------------------------------------------------


def records() -> dict[str, bytes]:
    kinds = {
        0: "year,make,model,engine,transmission,vin,license_plate,default\r\n2015,Honda,Civic,2.0L,CVT,1HGCM82633A004352,=A-1,yes\r\n",
        1: "vehicle,vin,date,mileage,oil_type,oil_brand,filter_brand,cost,notes\r\n2015 Honda Civic,,2026-05-01,60000,0W-20,Mobil 1,Bosch,$42.50,\"drained, refilled\"\r\n2015 Honda Civic,,2026-11-01,65000,,,,,+note\r\n",
        2: "vehicle,vin,date,mileage,part_replaced,cost,notes,part_type,part_number,part_brand\r\n2015 Honda Civic,,2026-05-01,60000,Spark plug,9.99,,spark-plug,@LZKR6B,NGK\r\n",
        3: "vehicle,vin,date,mileage\r\n2015 Honda Civic,,2026-05-01,60000\r\n",
    }
    seeds = {f"ours-{kind}": bytes([kind]) + text.encode() for kind, text in kinds.items()}
    lube = "Date;Odometer;Description;Notes;Cost;extrafield_oil_type\n05/01/2026;60000;Oil Change;;42,50;0W-20\n"
    repair = "Date,Odometer,Description,Notes,Cost\n5/1/2026,60000,Brake pads,\"a \"\"b\"\"\",100\n"
    fuelly = "car_name,model,mpg,odometer,miles,gallons,price,city_percentage,fuelup_date,date_added\nCivic,Honda,30,60000,,,,,2026-05-01,2026-05-01\n"
    seeds |= {
        "lubelogger": b"\x01" + lube.encode(),
        "lubelogger-repair": b"\x02" + repair.encode(),
        "fuelly": b"\x03" + fuelly.encode(),
        "kilometres": b"\x03vehicle,date,odometer_km\n,01.05.2026,60000\n",
        "byte-order-mark": b"\x00\xef\xbb\xbfyear;make;model\r2015;Ford;F-150\r",
        "unclosed": b'\x00year,make,model\n2015,"Ford,F-150\n',
    }
    return seeds


ACES = """<?xml version="1.0" encoding="UTF-8"?>
<ACES version="4.2"><Header><Company>Lee</Company></Header>
<App action="A" id="1"><Years from="2012" to="2015"/><Make>Honda</Make><Model>Civic</Model><Note>with &amp; without</Note>
<Qty>4</Qty><PartType id="7212">Spark Plug</PartType><Part>LZKR6B</Part></App>
<App action="A" id="2"><BaseVehicle id="5911"/><PartType id="7212"/><Part BrandAAIAID="ABCD">LZKR6B</Part></App>
<Footer><RecordCount>2</RecordCount></Footer></ACES>"""

PIES = """<?xml version="1.0"?><PIES xmlns="http://www.autocare.org"><Items>
<Item MaintenanceType="A"><PartNumber>LZKR6B</PartNumber><BrandAAIAID>ABCD</BrandAAIAID><BrandLabel>NGK</BrandLabel>
<Descriptions><Description DescriptionCode="DES" LanguageCode="EN">Spark plug</Description></Descriptions>
<Prices><Pricing PriceType="RET"><CurrencyCode>USD</CurrencyCode><Price UOM="PE">9.99</Price></Pricing></Prices></Item>
</Items></PIES>"""


def parts() -> dict[str, bytes]:
    header = "type,number,brand,name,price,currency,notes,make,model,year_from,year_to,fits,fitment_note\r\n"
    body = (
        "spark-plug,LZKR6B,NGK,Iridium,9.99,USD,=1+1,Honda,Civic,2012,2015,yes,\r\nspark-plug,LZKR6B,NGK,,,,,Honda,Fit,,,no,@hub\r\n"
        'rim,"-17, ""x""",,+Wheel,,,,,,,,,\r\n'
    )
    return {
        "ours": b"\x00" + (header + body).encode(),
        "semicolons": "\x00number;price;year\nA-1;1.234,50;2015\nA-2;9,9;\n".encode(),
        "no-type": b"\x02number,name\nA-1,Spark plug\n",
        "aces": b"\x01" + ACES.encode(),
        "pies": b"\x01" + PIES.encode(),
        "doctype": b'\x01<!DOCTYPE a [<!ENTITY b "c">]><ACES>&b;</ACES>',
        "deep": b"\x01<ACES>" + b"<a>" * 60 + b"</a>" * 60 + b"</ACES>",
        "cdata": b"\x01<PIES><Items><Item><PartNumber><![CDATA[A<1]]></PartNumber></Item></Items></PIES>",
        "entities": b"\x01<ACES><App><Make>&#65;&lt;</Make><Part>&#x41;1</Part></App></ACES>",
    }


def embeddings() -> dict[str, bytes]:
    def array(header: str, data: bytes) -> bytes:
        text = (header + " " * (-(len(header) + 11) % 64) + "\n").encode()
        return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data

    rows = struct.pack("<6f", 0.6, -0.8, 0.0, 1.0, 0.0, 0.25)
    shape = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }"
    return {
        "plain": array(shape % "(2, 3)", rows),
        "one-row": array(shape % "(1, 6)", rows),
        "doubles": array(shape.replace("<f4", "<f8") % "(1, 3)", rows),
        "columns-first": array(shape.replace("False", "True") % "(2, 3)", rows),
        "large-shape": array(shape % "(4294967295, 4294967297)", rows),
        "not-a-number": array(shape % "(1, 1)", struct.pack("<f", float("nan"))),
        "empty": array(shape % "(0, 3)", b""),
    }


def label_lists() -> dict[str, bytes]:
    return {
        "plain": b"path,label\nrim/1.jpg,rim\nrim/2.jpg,rim\n",
        "columns": b"label,workshop,path\nrim,north,1.jpg\npiston,,2.jpg\n",
        "byte-order-mark": b"\xef\xbb\xbfpath,label\na.jpg,rim\n",
        "quoted": b'path,label\n"a, ""b"".jpg",rim\n',
        "twice": b"path,label\na.jpg,rim\na.jpg,piston\n",
        "outside": b"path,label\n../../etc/passwd,rim\n",
        "uneven": b"path,label\na.jpg\n",
        "latin": b"path,label\nZ\xfcndkerze.jpg,rim\n",
    }


def price_lists() -> dict[str, bytes]:
    comma = "label,part,partNumber,brand,price,currency,inStock,shipping,url,notes,make,model,firstYear,lastYear\r\nspark-plug,Spark plug,LZKR6B,NGK,9.99,USD,yes,2 days,https://lee.example/1,new,Honda,Civic,2012,2015\r\n"
    semicolon = "Artikel;Artikelnummer;Preis\nZündkerze;LZKR6B;\"1.234,50 €\"\nFelge;R-17;1.234\n"
    return {
        "comma": b"\x00\x07" + comma.encode(),
        "semicolon": b"\x00\x03" + semicolon.encode(),
        "tab": b"\x03\x00part\tprice\nSpark plug\t9.99\nRim\tfree\n",
        "skips": b"\x10\x1fpart,price\nSpark plug,\n,\nRim,-1\nRim,abc\nRim,1 234.50\n",
        "mapped": b"\x40\x01part,Net EUR\nSpark plug,9.99\n",
        "point": b"\x04\x00part,price\nSpark plug,1.234\n",
        "latin": b"\x00\x05part,price\nZ\xfcndkerze,9.99\n",
        "quoted": b'\x00\x02part,price\n"Spark ""plug""\nlong",9.99\n"open,1\n',
        "byte-order-mark": b"\x00\x00\xef\xbb\xbfpart,price\r\nRim,99\r\n",
    }


# --- The rest ----------------------------------------------------------------------------------------------

DIMENSION = 1408


def catalog_files() -> dict[str, bytes]:
    """Lines of taught parts; the target writes the header and the end."""

    def line(**fields: object) -> bytes:
        return json.dumps(fields, separators=(",", ":")).encode() + b"\n"

    embedding = struct.pack("<f", 0.6) + struct.pack("<f", 0.8) + b"\0" * 4 * (DIMENSION - 2)
    picture = base64.b64encode((FIXTURES / "one-pixel.jpg").read_bytes()).decode()
    reference = {
        "kind": "enrolled",
        "createdAt": "2027-01-01T00:00:00Z",
        "embedding": base64.b64encode(embedding).decode(),
        "fingerprint": base64.b64encode(bytes(30)).decode(),
    }
    part = line(part={"label": "own-turbo-hose", "name": "Turbo hose", "category": "engine"})
    known = line(part={"label": "spark-plug", "name": "Spark plug", "category": "engine"})
    return {
        "nothing": b"\x00",
        "part": b"\x00" + part,
        "reference": b"\x00" + part + line(reference=reference),
        "picture": b"\x02" + known + line(reference=reference | {"thumbnail": picture}),
        "orphan": b"\x00" + line(reference=reference),
        "raw": b'\x01{"format":"partsight-catalog","version":1}\n',
    }


def vehicle_facts() -> dict[str, bytes]:
    columns = "id,make,model,baseModel,year,displ,cylinders,trany,drive,fuelType,VClass,eng_dscr,tCharger,sCharger,atvType,city08\n"
    lines = [
        "1,Honda,Civic 4Dr,Civic,2018,2.0,4,Manual 6-spd,Front-Wheel Drive,Regular,Compact Cars,,,,,28",
        "4,Honda,Accord Hybrid,Accord,2018,2.0,4,Automatic (variable gear ratios),Front-Wheel Drive,Regular,Midsize Cars,,,,Hybrid,47",
        "5,Mini,Cooper,Cooper,2012,1.6,4,Manual 6-spd,Front-Wheel Drive,Premium,Minicompact Cars,,,S,,27",
        "8,Mitsubishi,i-MiEV,i-MiEV,2016,0.0,,Automatic (A1),Rear-Wheel Drive,Electricity,Subcompact Cars,,,,EV,126",
        "9,Ford,F150 Pickup 4WD,F150,2018,3.5,6,Automatic (S10),4-Wheel Drive,Regular,Standard Pickup Trucks 4WD,,T,,,17",
    ]
    return {
        "vehicles": b"V" + (columns + "\n".join(lines) + "\n").encode(),
        "one": b"V" + (columns + lines[0] + "\n").encode(),
        "emissions": b"Eefid,id\nG1,1\nG1,2\n",
        "horsepower": b"Hyear,make,model,displacement_l,cylinders,rated_hp,test_group\n2018,HONDA,CIVIC,2.0,4,158,G1\n2018,HONDA,CIVIC,2.0,,158.4,G1\n",
        "bodies": b'Byear,make,model,body_styles\n2018,Honda,Civic,"[""Sedan"", ""Coupe""]"\n',
        "empty-table": b"T" + bytes(12),
        "table": b"T" + b"\x04test" + bytes(range(40)),
    }


def vins() -> dict[str, bytes]:
    numbers = ["1HGCM82633A004352", "11111111111111111", "wvwzzz1kz9w000001", " JH4TB2H26CC000000 ", "SCA664S59AUX48900", "1M9AB2C3XK1D23456"]
    wrong = ["1HGCM82633A00435", "IOQ11111111111111", "1HGCM82633A0043\u00e9", "0" * 17, ""]
    return {f"{at:02}": text.encode() for at, text in enumerate(numbers + wrong)}


def events() -> dict[str, bytes]:
    event = {"id": "evt_1", "object": "event", "type": "customer.subscription.updated", "created": 1800000000,
             "data": {"object": {"id": "sub_1", "customer": "cus_1"}}}  # fmt: skip
    signature = b"t=1800000000,v1=" + b"0" * 64 + b"\n"
    expanded = event | {"data": {"object": {"customer": {"id": "cus_1"}}}}
    return {
        "event": signature + json.dumps(event).encode(),
        "expanded": signature + json.dumps(expanded).encode(),
        "old-scheme": b"t=1800000000,v0=00,v1=\n" + json.dumps(event).encode(),
        "no-time": b"v1=00\n{}",
        "huge-time": b"t=-99999999999999999999,v1=00\n" + json.dumps(event | {"created": 2**63 - 1}).encode(),
        "no-event": signature + b"<x>",
    }


def answers() -> dict[str, bytes]:
    answer = {"label": "rim", "confidence": 0.9, "visibleEvidence": "Five spokes.", "partNumbers": ["A-1"], "betterPhoto": None}
    guide = {"known": True, "difficulty": "easy", "timeMinutesLow": 10, "timeMinutesHigh": 20, "tools": ["Wrench"],
             "steps": ["Loosen it."] * 5, "safety": "Wear gloves."}  # fmt: skip
    text = json.dumps(answer).encode()
    chat = {"choices": [{"message": {"content": text.decode()}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 9, "completion_tokens": 2**64 - 1}}
    message = {"content": [{"type": "tool_use", "name": "judgement", "input": answer}], "usage": {"input_tokens": 9, "output_tokens": 3}}
    return {
        "chat": b"\x00" + json.dumps(chat).encode(),
        "message": b"\x01" + json.dumps(message).encode(),
        "text": b"\x02" + text,
        "fenced": b"\x02```json\n" + text + b"\n```",
        "object": b"\x05" + text,
        "none": b"\x02" + json.dumps(answer | {"label": "none_of_these"}).encode(),
        "long": b"\x04" + json.dumps(answer | {"visibleEvidence": "x\u202e" * 600, "partNumbers": ["y" * 90] * 20}).encode(),
        "other": b"\x05" + json.dumps(answer | {"label": "spark-plug"}).encode(),
        "confidence": b"\x05" + json.dumps(answer | {"confidence": 1e308}).encode(),
        "guide": b"\x0d" + json.dumps(guide).encode(),
        "refused": b'\x00{"choices":[{"message":{"refusal":"No."},"finish_reason":"stop"}]}',
    }


def offers() -> dict[str, bytes]:
    offer = {"supplier": "Lee", "price": "12.50", "currency": "EUR", "partNumber": "45251", "name": "Rotor", "url": "https://lee.example/1",
             "website": "http://lee.example", "inStock": True, "fits": False, "rating": 4.5, "phone": "+1 555 0100", "shipping": "2 days",
             "warranty": "2 years", "notes": "front", "asOf": "2027-01-15T08:00:00Z"}  # fmt: skip
    item = {"title": "Rotor", "condition": "New", "price": {"value": "45.90", "currency": "USD"}, "itemWebUrl": "https://www.ebay.com/itm/1",
            "shippingOptions": [{"shippingCost": {"value": "0.00", "currency": "USD"}}], "seller": {"feedbackPercentage": "99.1"},
            "compatibilityMatch": "EXACT"}  # fmt: skip
    service = lambda *offers: b"\x00" + json.dumps({"offers": offers}).encode()  # noqa: E731
    return {
        "service": service(offer),
        "many": service(*[{"supplier": "x", "price": 3}] * 60),
        "prices": service(*({"supplier": "x", "price": price} for price in ("1.234", "$5", "0", -1, 1e300, 1e-9, None, "9" * 40))),
        "long": service(offer | {"notes": "x\u202e\n" * 400, "phone": "5" * 60, "website": "javascript:1", "rating": 9}),
        "ebay": b"\x01" + json.dumps({"itemSummaries": [item], "refinement": {"dominantCategoryId": "33563"}}).encode(),
        "paid": b"\x01" + json.dumps({"itemSummaries": [item | {"shippingOptions": [{"shippingCost": {"value": "7", "currency": "USD"}}]}]}).encode(),
        "none": b"\x01{}",
    }


def backups() -> dict[str, bytes]:
    header = {"format": "partsight-backup", "version": 1, "program": "1.0.0", "createdAt": "2027-01-15T08:00:00Z",
              "database": "sqlite", "migrations": [1, 2, 3]}  # fmt: skip
    columns = [["id", "text"], ["n", "integer"], ["share", "real"], ["photo", "bytes"]]
    table = [
        {"table": {"name": "scans", "columns": columns}},
        ["a", 1, "0.5", "AAAA"],
        ["b", None, None, None],
        {"tableEnd": {"name": "scans", "rows": 2, "sha256": "#section"}},
    ]
    file = [{"file": {"path": "photos/1"}}, {"fileEnd": {"path": "photos/1", "bytes": 0, "sha256": "#section"}}]
    end = {"end": {"tables": 1, "rows": 2, "files": 1, "sha256": "#whole"}}
    lines = lambda *lines: b"\x01" + b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)  # noqa: E731
    return {
        "whole": lines(header, *table, *file, end),
        "empty": lines(header, {"end": {"tables": 0, "rows": 0, "files": 0, "sha256": "#whole"}}),
        "more-after": lines(header, *table, *file, end, []),
        "cut": lines(header, *table[:2]),
        "later": lines(header | {"version": 2}),
        "unknown-migration": lines(header | {"migrations": list(range(1, 1000))}),
        "kinds": lines(header, {"table": {"name": "x", "columns": [["a", "float"]]}}),
        "piece": lines(header, {"file": {"path": "../x"}}, "AAAA", {"fileEnd": {"path": "../x", "bytes": 3, "sha256": "#section"}}),
        "other": b"\x00%PDF-1.7\n",
    }


# The end of a zip's directory, and the two records of zip64 before it.
END = struct.Struct("<4sHHHHIIH")
LARGE_END = struct.Struct("<4sQHHIIQQQQ")
LARGE_LOCATOR = struct.Struct("<4sIQI")


def zips() -> dict[str, bytes]:
    def zipped(compression: int, *entries: tuple[str, bytes]) -> bytes:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", compression) as archive:
            for name, content in entries:
                # The day is part of the file: always the same one.
                archive.writestr(zipfile.ZipInfo(name), content, compression)
        return file.getvalue()

    def large(n_entries: int, n_bytes: int | None = None) -> bytes:
        """The same with a zip64 directory, which states these numbers."""
        whole = zipped(zipfile.ZIP_STORED, ("a.jpg", jpeg))
        body, end = whole[: -END.size], END.unpack(whole[-END.size :])
        offset, size = end[6], end[5] if n_bytes is None else n_bytes
        record = LARGE_END.pack(b"PK\6\6", LARGE_END.size - 12, 45, 45, 0, 0, n_entries, n_entries, size, offset)
        locator = LARGE_LOCATOR.pack(b"PK\6\7", 0, len(body), 1)
        return body + record + locator + END.pack(b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)

    jpeg = (FIXTURES / "one-pixel.jpg").read_bytes()
    return {
        "stored": zipped(zipfile.ZIP_STORED, ("a.jpg", jpeg), ("shelf/b.jpg", jpeg), ("notes.txt", b"x")),
        "deflated": zipped(zipfile.ZIP_DEFLATED, ("a.jpg", jpeg), ("b.bmp", bytes(3000))),
        "folder": zipped(zipfile.ZIP_STORED, ("shelf/", b""), ("shelf/a.jpg", jpeg)),
        "empty": zipped(zipfile.ZIP_STORED),
        "climbing": zipped(zipfile.ZIP_STORED, ("../a.jpg", jpeg)),
        "zip64": large(1),
        "zip64-many": large(2**60),
        "zip64-long": large(1, 2**40),
    }


if __name__ == "__main__":
    main()
