"""Small honest pictures, and files that cost their decoder far more than they cost their sender."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

File = tuple[str, bytes]


def honest() -> list[File]:
    """One small picture in each format that this can write."""
    pixels = bytes((7 * x + 3 * y + 60 * c) % 256 for y in range(24) for x in range(32) for c in range(3))
    rows = b"".join(b"\0" + pixels[y * 96 : y * 96 + 96] for y in range(24))
    gif_codes = [code for start in range(0, 768, 100) for code in [256, *pixels[: 3 * 768 : 3][start : start + 100]]]
    return [
        ("small.png", png(32, 24, zlib.compress(rows))),
        ("small.bmp", bmp(32, 24, 24, 0, pixels)),
        ("small.gif", gif((32, 24), lzw(gif_codes, 8), size_bits=8)),
        ("small.tif", tiff(tiff_tags(32, 24, pixels, samples=3), pixels)),
        ("small.webp", webp_flat(32, 24)),
    ]


def hostile(fixtures: Path, rng: random.Random) -> Iterator[File]:
    """Takes from each family in turn, so that any number of files holds them all."""
    heic = (fixtures / "single.heic").read_bytes()
    jpeg = (fixtures / "progressive.jpg").read_bytes()
    baseline = (fixtures / "baseline.jpg").read_bytes()
    families = [
        jpegs(jpeg, baseline, rng), pngs(rng), gifs(rng), bmps(rng), tiffs(rng), webps(rng), heics(heic, rng),
    ]
    for turn in zip_longest(*families):
        yield from (file for file in turn if file)


# JPEG -----------------------------------------------------------------------------------------------------


def jpegs(progressive: bytes, baseline: bytes, rng: random.Random) -> Iterator[File]:
    sides = [(8000, 8000), (65535, 976), (976, 65535), (4000, 3000), (65500, 65500)]
    for n_scans in (12, 40, 64, 65, 200, 2000):
        for size in sides[:4]:
            yield f"scans-{n_scans}-{size[0]}.jpg", jpeg_with_scans(progressive, size, n_scans)
    for sampling in (0x11, 0x14, 0x41, 0x44, 0xFF, 0x00):
        for size in sides:
            yield f"sampling-{sampling:02x}-{size[0]}.jpg", jpeg_sized(baseline, size, sampling)
    for marker in (0xE0, 0xE1, 0xE2, 0xED, 0xFE, 0xDB, 0xC4, 0xDD):
        for length in (2, 100, 65535):
            yield f"segments-{marker:02x}-{length}.jpg", jpeg_with_segments(baseline, marker, length)
    for interval in (1, 2, 8):
        restarts = b"".join(b"\xff" + bytes([0xD0 + n % 8]) for n in range(2_000_000))
        yield f"restarts-{interval}.jpg", jpeg_sized(baseline, (8000, 8000), None, interval, restarts)
    for n_entries in (0, 1, 65535):
        exif = b"Exif\0\0MM\0\x2a\0\0\0\x08" + n_entries.to_bytes(2, "big") + bytes(12 * 5000)
        yield f"exif-{n_entries}.jpg", baseline[:2] + segment(0xE1, exif) + baseline[2:]
    for size in ((0, 0), (96, 0), (0, 64), (65535, 65535)):
        yield f"size-{size[0]}-{size[1]}.jpg", jpeg_sized(baseline, size, None)


def segment(marker: int, body: bytes) -> bytes:
    return b"\xff" + bytes([marker]) + (len(body) + 2).to_bytes(2, "big") + body


def jpeg_sized(data: bytes, size: tuple[int, int], sampling: int | None, interval: int = 0, more: bytes = b"") -> bytes:
    changed = bytearray(data)
    frame = next(at for at in range(len(data)) if data[at] == 0xFF and data[at + 1] in (0xC0, 0xC2))
    changed[frame + 5 : frame + 9] = struct.pack(">HH", size[1], size[0])
    if sampling is not None:
        changed[frame + 11] = sampling
    start = segment(0xDD, interval.to_bytes(2, "big")) if interval else b""
    return bytes(changed[:frame] + start + changed[frame:-2] + more + changed[-2:])


def jpeg_with_scans(data: bytes, size: tuple[int, int], n_scans: int) -> bytes:
    changed = jpeg_sized(data, size, None)
    # Refinements of the brightness alone: each passes over all blocks, and all of them are empty.
    scan = segment(0xDA, b"\x01\x01\x00\x01\x3f\x00") + b"\x7f" * 64
    return changed[:-2] + scan * n_scans + b"\xff\xd9"


def jpeg_with_segments(data: bytes, marker: int, length: int) -> bytes:
    one = segment(marker, bytes(length - 2))
    return data[:2] + one * (min(4_000_000, 24_000_000) // len(one)) + data[2:]


# PNG ------------------------------------------------------------------------------------------------------


def chunk(kind: bytes, body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + kind + body + zlib.crc32(kind + body).to_bytes(4, "big")


def png(width: int, height: int, data: bytes, *, depth: int = 8, colour: int = 2, interlaced: int = 0, before: bytes = b"") -> bytes:
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    palette = chunk(b"PLTE", bytes(range(6))) if colour == 3 else b""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + before + palette + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def deflated_zeros(n_bytes: int) -> bytes:
    packer = zlib.compressobj(9)
    parts = [packer.compress(bytes(1 << 20)) for _ in range(n_bytes >> 20)]
    return b"".join([*parts, packer.compress(bytes(n_bytes % (1 << 20))), packer.flush()])


def pngs(rng: random.Random) -> Iterator[File]:
    few = zlib.compress(bytes(1000))
    shapes = [(8000, 8000), (1, 64_000_000), (64_000_000, 1), (65535, 976), (976, 65535), (0, 5), (2**31, 2**31)]
    for width, height in shapes:
        for colour, depth in ((2, 8), (6, 16), (0, 1), (3, 8)):
            yield f"claims-{width}x{height}-{colour}-{depth}.png", png(width, height, few, depth=depth, colour=colour)
    profile = deflated_zeros(500_000_000)
    for kind, head in ((b"iCCP", b"p\0\0"), (b"zTXt", b"t\0\0"), (b"iTXt", b"t\0\1\0\0\0")):
        for times in (1, 4, 16):
            before = chunk(kind, head + profile) * times
            yield f"{kind.decode()}-500MB-{times}.png", png(1, 1, zlib.compress(bytes(4)), before=before)
    for colour, depth, samples in ((2, 8, 3), (6, 8, 4), (0, 1, 1), (4, 16, 4), (6, 16, 8)):
        for interlaced in (0, 1):
            side = 5600 if depth == 16 else 8000
            raw = side * (side * samples * min(depth, 8) // 8 + 3)
            yield f"white-{colour}-{depth}-{interlaced}.png", png(
                side, side, deflated_zeros(raw), depth=depth, colour=colour, interlaced=interlaced
            )
    for kind in (b"tEXt", b"tRNS", b"eXIf", b"fdAT", b"zzZz", b"IDAT", b"PLTE"):
        for length in (0, 100, 20_000_000):
            body = bytes(length)
            times = 2_000_000 // (length + 12) or 1
            yield f"{kind.decode()}-{length}.png", png(100, 100, zlib.compress(bytes(30100)), before=chunk(kind, body) * times)
    for frames in (10, 20_000):
        control = chunk(b"acTL", struct.pack(">II", frames, 0))
        control += b"".join(chunk(b"fcTL", struct.pack(">IIIIIHHBB", n, 8000, 8000, 0, 0, 0, 1, 0, 0)) for n in range(frames))
        yield f"apng-{frames}.png", png(8000, 8000, deflated_zeros(8000 * 24001), before=control)


# GIF ------------------------------------------------------------------------------------------------------


def lzw(codes: list[int], size_bits: int, *, grows: bool = True) -> bytes:
    """Codes as GIF packs them: least significant bit first, one bit more at each power of two."""
    clear, bits, width, next_code, packed, n_bits = 1 << size_bits, size_bits + 1, size_bits + 1, 0, 0, 0
    out = bytearray()
    next_code = clear + 1
    for code in [*codes, clear + 1]:
        packed |= code << n_bits
        n_bits += bits
        while n_bits >= 8:
            out.append(packed & 255)
            packed >>= 8
            n_bits -= 8
        if code == clear:
            bits, next_code = width, clear + 1
        elif grows:
            next_code += 1
            if next_code > (1 << bits) and bits < 12:
                bits += 1
    return bytes([*out, packed & 255])


def lzw_run(n_pixels: int, size_bits: int = 2) -> bytes:
    """A run of one colour with the longest codes that there are."""
    clear = 1 << size_bits
    codes, length, code, done = [clear, 0], 1, clear + 2, 1
    while done < n_pixels:
        length = min(length + 1, 4094 - clear)
        codes.append(min(code, 4095))
        code += 1
        done += length
    return lzw(codes, size_bits)


def gif(screen: tuple[int, int], data: bytes, *, frame: tuple[int, int] | None = None, size_bits: int = 2, before: bytes = b"", frames: int = 1) -> bytes:
    blocks = b"".join(bytes([len(data[at : at + 255])]) + data[at : at + 255] for at in range(0, len(data), 255))
    picture = b"\x2c" + struct.pack("<HHHHB", 0, 0, *(frame or screen), 0) + bytes([size_bits]) + blocks + b"\0"
    palette = bytes(range(256)) * 3
    return b"GIF89a" + struct.pack("<HH", *screen) + b"\xf7\0\0" + palette + before + picture * frames + b";"


def gifs(rng: random.Random) -> Iterator[File]:
    for screen in ((8000, 8000), (65535, 976), (65535, 65535), (4000, 4000), (0, 0)):
        for frame in (screen, (1, 1), (65535, 65535)):
            yield f"claims-{screen[0]}-{frame[0]}.gif", gif(screen, b"\x4c\x01", frame=frame)
    for side in (1000, 4000, 8000):
        yield f"run-{side}.gif", gif((side, side), lzw_run(side * side))
    for n_frames in (10, 1000, 50_000):
        yield f"frames-{n_frames}.gif", gif((2000, 2000), lzw_run(100), frames=n_frames)
        yield f"large-frames-{n_frames}.gif", gif((1000, 1000), lzw_run(1_000_000), frames=min(n_frames, 2000))
    for length in (1, 255):
        extension = b"\x21\xf9" + (bytes([length]) + bytes(length)) * (8_000_000 // (length + 1)) + b"\0"
        yield f"extension-{length}.gif", gif((8000, 8000), lzw_run(64_000_000), before=extension)
        yield f"extensions-{length}.gif", gif((100, 100), lzw_run(10_000), before=(b"\x21\xfe\x01x\0") * 1_500_000)
    for size_bits in (0, 1, 11, 12, 255):
        yield f"code-size-{size_bits}.gif", gif((8000, 8000), b"\x55" * 30_000, size_bits=size_bits)
    for _ in range(20):
        yield "noise.gif", gif((rng.choice((100, 8000)),) * 2, rng.randbytes(30_000), size_bits=rng.randint(2, 8))


# BMP ------------------------------------------------------------------------------------------------------


def bmp(width: int, height: int, bits: int, compression: int, data: bytes, *, colours: int = 0, header: int = 40) -> bytes:
    info = struct.pack("<IiiHHIIiiII", header, width, height, 1, bits, compression, len(data), 0, 0, colours, 0)
    palette = bytes(4 * (256 if bits <= 8 else 0))
    start = 14 + len(info) + len(palette)
    return b"BM" + struct.pack("<IHHI", start + len(data), 0, 0, start) + info + palette + data


def bmps(rng: random.Random) -> Iterator[File]:
    for size in ((8000, 8000), (8000, -8000), (65535, 976), (1, 64_000_000), (-8000, 8000), (2**31 - 1, 1), (100, -(2**31))):
        for bits, compression in ((24, 0), (8, 1), (4, 2), (1, 0), (32, 3), (16, 3)):
            yield f"claims-{size[0]}x{size[1]}-{bits}.bmp", bmp(*size, bits, compression, bytes(64))
    for bits, compression in ((8, 1), (4, 2)):
        yield f"run-{bits}.bmp", bmp(8000, 8000, bits, compression, (b"\xff\x00" * 32 + b"\0\0") * 8000 + b"\0\1")
        yield f"deltas-{bits}.bmp", bmp(8000, 8000, bits, compression, b"\0\2\1\0" * 600_000 + b"\0\1")
        yield f"ends-{bits}.bmp", bmp(8000, 8000, bits, compression, b"\0\0" * 1_000_000)
        yield f"ended-{bits}.bmp", bmp(8000, 8000, bits, compression, b"\0\1" + bytes(600_000))
    for colours in (257, 65536, 2**31, 2**32 - 1):
        yield f"palette-{colours}.bmp", bmp(100, 100, 8, 0, bytes(10_000), colours=colours)
    for header in (0, 12, 13, 52, 108, 124, 2**31, 2**32 - 1):
        yield f"header-{header}.bmp", bmp(100, 100, 24, 0, bytes(30_000), header=header)
    yield "one-bit.bmp", bmp(8000, 8000, 1, 0, bytes(8_000_000))
    yield "bit-fields.bmp", bmp(2000, 2000, 32, 3, b"\xff" * 16_000_000)


# TIFF -----------------------------------------------------------------------------------------------------

Tag = tuple[int, int, int, int]


def tiff_tags(width: int, height: int, data: bytes, *, samples: int = 1, bits: int = 8, compression: int = 1) -> list[Tag]:
    colour = 2 if samples >= 3 else 1
    return [
        (256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, bits), (259, 3, 1, compression),
        (262, 3, 1, colour), (273, 4, 1, 8), (277, 3, 1, samples), (278, 4, 1, height), (279, 4, 1, len(data)),
    ]


def tiff(tags: list[Tag], data: bytes, *, next_directory: int = 0, tables: bytes = b"") -> bytes:
    """`data` begins at 8, `tables` behind the directory."""
    padded = data + bytes(len(data) % 2)
    entries = b"".join(struct.pack("<HHII", *tag) for tag in tags)
    directory = struct.pack("<H", len(tags) & 0xFFFF) + entries + struct.pack("<I", next_directory)
    return b"II*\0" + struct.pack("<I", 8 + len(padded)) + padded + directory + tables


def changed_tag(tags: list[Tag], *changes: Tag) -> list[Tag]:
    numbers = {change[0] for change in changes}
    return sorted([tag for tag in tags if tag[0] not in numbers] + list(changes))


def tiffs(rng: random.Random) -> Iterator[File]:
    zeros = deflated_zeros(64_000_000)
    for compression, data in ((1, bytes(100)), (8, zeros), (32946, zeros), (5, b"\x80\0" * 100), (32773, b"\x81\0" * 500_000), (7, bytes(100)), (2, bytes(100)), (4, bytes(100)), (50000, bytes(9))):
        for size in ((8000, 8000), (65535, 976), (1, 64_000_000)):
            yield f"claims-{compression}-{size[0]}.tif", tiff(tiff_tags(*size, data, compression=compression), data)
    for n_strips in (100, 8000, 65535, 200_000):
        # All strips are the same bytes, each a row or more of the picture.
        row = deflated_zeros(8000)
        base = tiff_tags(8000, 8000, row, compression=8)
        place = 8 + len(row) + len(row) % 2 + 2 + 12 * len(base) + 4
        tables = struct.pack("<I", 8) * n_strips + struct.pack("<I", len(row)) * n_strips
        tags = changed_tag(base, (273, 4, n_strips, place), (279, 4, n_strips, place + 4 * n_strips), (278, 4, 1, max(1, 8000 // n_strips)))
        yield f"same-strips-{n_strips}.tif", tiff(tags, row, tables=tables)
        data = bytes(64_000)
        base = tiff_tags(8000, 8000, data)
        place = 8 + len(data) + 2 + 12 * len(base) + 4
        tables = struct.pack("<I", 8) * n_strips + struct.pack("<I", len(data)) * n_strips
        tags = changed_tag(base, (273, 4, n_strips, place), (279, 4, n_strips, place + 4 * n_strips), (278, 4, 1, 8))
        yield f"same-raw-strips-{n_strips}.tif", tiff(tags, data, tables=tables)
    small = tiff_tags(100, 100, bytes(10_000))
    for n_entries in (600, 65535):
        yield f"entries-{n_entries}.tif", tiff(small + [(60_000, 1, 1, 0)] * (n_entries - 9), bytes(10_000))
    for tag in (258, 273, 279, 320, 339, 34675, 700, 33432):
        for count in (0, 65536, 2**31, 2**32 - 1):
            yield f"count-{tag}-{count}.tif", tiff(changed_tag(small, (tag, 3, count, 8)), bytes(10_000))
    for next_directory in (8, 10_008, 2**32 - 1):
        yield f"next-{next_directory}.tif", tiff(small, bytes(10_000), next_directory=next_directory)
    for tile in ((65520, 65520), (16, 16), (2**31, 16), (8000, 8000), (0, 0)):
        tags = changed_tag(small, (322, 4, 1, tile[0]), (323, 4, 1, tile[1]), (324, 4, 1, 8), (325, 4, 1, 10_000))
        yield f"tile-{tile[0]}.tif", tiff([tag for tag in tags if tag[0] not in (273, 278, 279)], bytes(10_000))
    for samples, bits in ((4, 16), (3, 32), (4, 32), (65535, 8), (3, 64), (0, 8), (1, 0)):
        data = deflated_zeros(20_000_000)
        yield f"samples-{samples}-{bits}.tif", tiff(tiff_tags(4000, 4000, data, samples=samples, bits=bits, compression=8), data)


# WebP -----------------------------------------------------------------------------------------------------


def riff(*chunks: tuple[bytes, bytes], size: int | None = None) -> bytes:
    body = b"WEBP" + b"".join(kind + struct.pack("<I", len(data)) + data + bytes(len(data) % 2) for kind, data in chunks)
    return b"RIFF" + struct.pack("<I", len(body) if size is None else size) + body


def flat(width: int, height: int) -> bytes:
    """Lossless data of one colour: five codes of one symbol each, and then no bits for any pixel."""
    bits = [*number(width - 1, 14), *number(height - 1, 14), 0, 0, 0, 0, 0, 0, 0, *([1, 0, 0, 0] * 5)]
    value = sum(bit << at for at, bit in enumerate(bits))
    return b"\x2f" + value.to_bytes(len(bits) // 8 + 2, "little")


def number(value: int, n_bits: int) -> list[int]:
    return [value >> at & 1 for at in range(n_bits)]


def webp_flat(width: int, height: int) -> bytes:
    return riff((b"VP8L", flat(width, height)))


def extended(width: int, height: int, flags: int = 0) -> tuple[bytes, bytes]:
    return b"VP8X", bytes([flags, 0, 0, 0]) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")


def lossy(width: int, height: int, data: bytes) -> bytes:
    tag = (len(data) << 5 | 1 << 4).to_bytes(4, "little")[:3]
    return tag + b"\x9d\x01\x2a" + struct.pack("<HH", width, height) + data


def webps(rng: random.Random) -> Iterator[File]:
    for width, height in ((16383, 3900), (16383, 16383), (4000, 4000), (8000, 8000), (1, 16383)):
        yield f"flat-{width}x{height}.webp", webp_flat(width, height)
        yield f"lossy-{width}x{height}.webp", riff((b"VP8 ", lossy(width, height, bytes(100))))
        yield f"noise-{width}x{height}.webp", riff((b"VP8 ", lossy(width, height, rng.randbytes(200_000))))
        yield f"lossless-noise-{width}x{height}.webp", riff((b"VP8L", flat(width, height)[:5] + rng.randbytes(50_000)))
    for width, height in ((2**24, 2**24), (2**24, 1), (65535, 976), (8000, 8000), (1, 1)):
        for flags in (0, 0x10, 0x02, 0x3E):
            yield f"claims-{width}-{flags}.webp", riff(extended(width, height, flags), (b"VP8L", flat(16, 16)))
    frame = bytes(6) + (7999).to_bytes(3, "little") * 2 + bytes(4) + b"VP8L" + struct.pack("<I", len(flat(8000, 8000)))
    for n_frames in (1, 100, 100_000):
        parts = [(b"ANMF", frame + flat(8000, 8000))] * n_frames
        yield f"frames-{n_frames}.webp", riff(extended(8000, 8000, 2), (b"ANIM", bytes(6)), *parts)
    for kind in (b"EXIF", b"ICCP", b"XMP ", b"ALPH", b"zzzz"):
        for length in (10, 20_000_000):
            yield f"{kind.decode().strip()}-{length}.webp", riff(extended(100, 100, 0x3C), (kind, bytes(length)), (b"VP8L", flat(100, 100)))
    yield "many-chunks.webp", riff(extended(100, 100), *[(b"zzzz", b"")] * 1_500_000, (b"VP8L", flat(100, 100)))
    for size in (0, 2**32 - 1):
        yield f"size-{size}.webp", riff((b"VP8L", flat(100, 100)), size=size)


# HEIC -----------------------------------------------------------------------------------------------------


def box(kind: bytes, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return struct.pack(">I", len(body) + 8) + kind + body


def full(kind: bytes, *parts: bytes, version: int = 0, flags: int = 0) -> bytes:
    return box(kind, bytes([version]), flags.to_bytes(3, "big"), *parts)


class Heic:
    """A file of which each table can be anything."""

    def __init__(self, honest: bytes) -> None:
        at = honest.index(b"hvcC") - 4
        self.configuration = honest[at : at + int.from_bytes(honest[at : at + 4], "big")]
        at = honest.index(b"mdat") - 4
        self.coded = honest[at + 8 :]
        self.size = (150, 100)

    def item(self, number: int, kind: bytes = b"hvc1") -> bytes:
        return full(b"infe", struct.pack(">HH", number, 0), kind, b"\0", version=2)

    def locations(self, places: list[tuple[int, int, int, int]]) -> bytes:
        """Item, how often, offset behind the tables, length."""
        entries = b"".join(
            struct.pack(">HHH", item, 0, times) + struct.pack(">II", offset, length) * times
            for item, times, offset, length in places
        )
        return full(b"iloc", struct.pack(">HH", 0x4400, len(places)), entries)

    def build(self, *, items: bytes, n_items: int, places: list, data: bytes | None = None, properties: bytes | None = None, associations: bytes | None = None, references: bytes = b"", more: bytes = b"") -> bytes:
        size = full(b"ispe", struct.pack(">II", *self.size))
        properties = self.configuration + size if properties is None else properties
        if associations is None:
            entries = b"".join(struct.pack(">HBBB", item, 2, 0x81, 2) for item, *_ in places)
            associations = full(b"ipma", struct.pack(">I", len(places)), entries)
        listed = full(b"iinf", struct.pack(">H", n_items), items)
        described = box(b"iprp", box(b"ipco", properties), associations)
        linked = full(b"iref", references) if references else b""
        handler = full(b"hdlr", bytes(4), b"pict", bytes(13))
        primary = full(b"pitm", struct.pack(">H", 1))
        head = box(b"ftyp", b"heic\0\0\0\0mif1heic")

        def file(base: int) -> bytes:
            located = self.locations([(item, times, base + offset, length) for item, times, offset, length in places])
            meta = full(b"meta", handler, primary, located, listed, described, linked, more)
            return head + meta

        start = len(file(0)) + 8
        return file(start) + box(b"mdat", self.coded if data is None else data)


def heics(honest: bytes, rng: random.Random) -> Iterator[File]:
    heic = Heic(honest)
    coded = len(heic.coded)
    one = heic.item(1)
    for times in (2, 1000, 65535):
        for padding in (0, 60_000, 15_000_000):
            places = [(1, times, 0, coded + padding)]
            yield f"extents-{times}-{padding}.heic", heic.build(items=one, n_items=1, places=places, data=heic.coded + bytes(padding))
    for n_exif in (10, 17, 1000, 20_000):
        items = one + b"".join(heic.item(number, b"Exif") for number in range(2, n_exif + 2))
        links = b"".join(box(b"cdsc", struct.pack(">HHH", number, 1, 9)) for number in range(2, n_exif + 2))
        yield f"exif-{n_exif}.heic", heic.build(items=items, n_items=n_exif + 1, places=[(1, 1, 0, coded)], references=links)
    for depth in (2, 31, 33, 3000):
        items = b"".join(heic.item(number, b"iden") for number in range(1, depth)) + heic.item(depth)
        links = b"".join(box(b"dimg", struct.pack(">HHH", number, 1, number + 1)) for number in range(1, depth))
        places = [(number, 1, 0, coded if number == depth else 0) for number in range(1, depth + 1)]
        yield f"chain-{depth}.heic", heic.build(items=items, n_items=depth, places=places, references=links)
        loop = links + box(b"dimg", struct.pack(">HHH", depth, 1, 1))
        yield f"loop-{depth}.heic", heic.build(items=items, n_items=depth, places=places, references=loop)
    for rows in (2, 16, 128, 256):
        for size in ((150 * rows, 100 * rows), (8000, 8000), (65535, 976), (150, 100)):
            tiles = rows * rows
            grid = struct.pack(">BBBBII", 0, 1, rows - 1, rows - 1, *size)
            links = box(b"dimg", struct.pack(">HH", 1, tiles & 0xFFFF), struct.pack(">H", 2) * (tiles & 0xFFFF))
            places = [(1, 1, 0, len(grid)), (2, 1, len(grid), coded)]
            heic.size = size
            items = heic.item(1, b"grid") + heic.item(2)
            yield f"same-tile-{rows}-{size[0]}.heic", heic.build(items=items, n_items=2, places=places, references=links, data=grid + heic.coded)
            both = heic.item(1, b"grid") + heic.item(2, b"grid")
            yield f"grid-of-grids-{rows}-{size[0]}.heic", heic.build(items=both, n_items=2, places=places, references=links, data=grid + heic.coded)
    for size in ((0, 0), (2**32 - 1, 2**32 - 1), (1, 1), (8000, 8000), (65535, 976)):
        heic.size = size
        yield f"states-{size[0]}.heic", heic.build(items=one, n_items=1, places=[(1, 1, 0, coded)])
    heic.size = (150, 100)
    size = full(b"ispe", struct.pack(">II", 150, 100))
    for n_properties in (100, 4097, 500_000):
        properties = heic.configuration + size + box(b"free") * n_properties
        yield f"properties-{n_properties}.heic", heic.build(items=one, n_items=1, places=[(1, 1, 0, coded)], properties=properties)
        entries = struct.pack(">HBBB", 1, 2, 0x81, 2) * n_properties
        associations = full(b"ipma", struct.pack(">I", n_properties), entries)
        yield f"associations-{n_properties}.heic", heic.build(items=one, n_items=1, places=[(1, 1, 0, coded)], associations=associations)
    for times in (1, 100, 253):
        # Each mention of the configuration is a copy of it.
        long = box(b"hvcC", heic.configuration[8:], bytes(1_000_000))
        associations = full(b"ipma", struct.pack(">IHB", 1, 1, times), b"\x81" * (times - 1), b"\x02")
        yield f"configurations-{times}.heic", heic.build(items=one, n_items=1, places=[(1, 1, 0, coded)], properties=long + size, associations=associations)
        profile = box(b"colr", b"prof", bytes(10_000_000))
        associations = full(b"ipma", struct.pack(">IHB", 1, 1, times + 2), b"\x81\x02", b"\x03" * times)
        yield f"profiles-{times}.heic", heic.build(items=one, n_items=1, places=[(1, 1, 0, coded)], properties=heic.configuration + size + profile, associations=associations)
    arrays = bytes([255]) + (b"\x21" + struct.pack(">H", 65535) + bytes(2 * 65535)) * 100
    many = box(b"hvcC", heic.configuration[8:30], arrays)
    yield "parameter-sets.heic", heic.build(items=one, n_items=1, places=[(1, 1, 0, coded)], properties=many + size)
    for n_references in (20_000, 400_000):
        links = box(b"thmb", struct.pack(">HHH", 7, 1, 1) * n_references)
        yield f"references-{n_references}.heic", heic.build(items=one, n_items=1, places=[(1, 1, 0, coded)], references=links)
    for n_items in (5000, 60_000):
        items = one + b"".join(heic.item(number) for number in range(2, n_items))
        yield f"items-{n_items}.heic", heic.build(items=items, n_items=n_items, places=[(1, 1, 0, coded)])
    for depth in (40, 10_000):
        nested = b""
        for _ in range(depth):
            nested = box(b"iprp", nested)
        yield f"nested-{depth}.heic", heic.build(items=one, n_items=1, places=[(1, 1, 0, coded)], more=nested)
    plain = heic.build(items=one, n_items=1, places=[(1, 1, 0, coded)])
    yield "many-boxes.heic", plain + box(b"free") * 2_000_000
    yield "many-lists.heic", plain + plain[24:] * 2000
    for zeros in (1000, 1_000_000, 20_000_000):
        yield f"empty-units-{zeros}.heic", heic.build(items=one, n_items=1, places=[(1, 1, 0, coded + zeros)], data=heic.coded + bytes(zeros))
    for _ in range(60):
        # Noise behind an honest header makes the entropy decoder run on.
        changed = bytearray(heic.coded)
        for _ in range(rng.choice((1, 10, 100))):
            changed[rng.randrange(30, len(changed))] = rng.randrange(256)
        yield "noise.heic", heic.build(items=one, n_items=1, places=[(1, 1, 0, coded)], data=bytes(changed))
