"""A judge of stated accuracy that speaks OpenAI's chat completions, to measure the cascade with.

    python scripted_judge.py --accuracy 0.9 --port 8099 valid field-valid
    PARTSIGHT_JUDGE_PROVIDER=openai-compatible PARTSIGHT_JUDGE_BASE_URL=http://127.0.0.1:8099/v1 \
    PARTSIGHT_JUDGE_MODEL=scripted PARTSIGHT_JUDGE_INPUT_PRICE=2.5 PARTSIGHT_JUDGE_OUTPUT_PRICE=10 \
        partsight eval photos.csv --cascade --judge-calls 1000

It knows what a photograph shows by its likeness to those in the folders, `<folder>/<label>/<photograph>`, and names that
(or "none of these" where it is not among the candidates) with the stated probability, else another candidate. Which, is
decided by the photograph's bytes, so that a run can be repeated. Each answer counts 1,000 tokens of the question and 100
of its own. Needs Pillow.
"""

import argparse
import base64
import hashlib
import io
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from PIL import Image, ImageOps

SIDE = 24
NONE = "none_of_these"


def look(file) -> bytes:
    """What a photograph looks like: SIDE x SIDE grey levels."""
    with Image.open(file) as image:
        upright = ImageOps.exif_transpose(image)
        return upright.convert("L").resize((SIDE, SIDE), Image.Resampling.BOX).tobytes()


def known(folders: list[Path]) -> list[tuple[bytes, str]]:
    """The looks of all photographs with their labels."""
    photos = [path for folder in folders for path in sorted(folder.glob("*/*")) if path.is_file()]
    return [(look(path), path.parent.name) for path in photos]


def answer(question: dict, photos: list[tuple[bytes, str]], accuracy: float) -> dict:
    """The judgement of one question."""
    text, picture = None, None
    for part in question["messages"][1]["content"]:
        if part["type"] == "text":
            text = json.loads(part["text"])
        else:
            picture = base64.b64decode(part["image_url"]["url"].split(",", 1)[1])
    seen = look(io.BytesIO(picture))
    truth = min(photos, key=lambda photo: sum((a - b) ** 2 for a, b in zip(photo[0], seen)))[1]
    labels = [candidate["label"] for candidate in text["candidates"]]
    digest = hashlib.sha256(picture).digest()
    if int.from_bytes(digest[:4], "big") / 2**32 < accuracy:
        label = truth if truth in labels else NONE
    else:
        wrong = [label for label in labels if label != truth]
        label = wrong[digest[4] % len(wrong)]
    return {"label": label, "confidence": accuracy, "visibleEvidence": "scripted", "partNumbers": [],
            "betterPhoto": None}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--accuracy", type=float, required=True)
    parser.add_argument("--port", type=int, default=8099)
    parser.add_argument("folders", type=Path, nargs="+")
    arguments = parser.parse_args()
    photos = known(arguments.folders)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            content = json.dumps(answer(question, photos, arguments.accuracy))
            body = json.dumps({
                "choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 1000, "completion_tokens": 100},
            }).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_) -> None:
            pass

    print(f"{len(photos)} photographs are known; listening on 127.0.0.1:{arguments.port}", flush=True)
    ThreadingHTTPServer(("127.0.0.1", arguments.port), Handler).serve_forever()


if __name__ == "__main__":
    main()
