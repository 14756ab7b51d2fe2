"""What people write instead: a FastAPI service around ONNX Runtime and the same network.

Started by `serving.py`: `uvicorn service:app --workers 2`, one process a core, each with one thread in the network.
PEER_DECODER chooses Pillow (unless set) or `vips`, whose JPEG decoder reads at a half, a quarter or an eighth.
"""

import io
import os
import tomllib
from pathlib import Path

import numpy as np
import onnxruntime
from fastapi import FastAPI, HTTPException, UploadFile

MODEL = Path(__file__).parents[2] / "models" / "partsight-50"
MANIFEST = tomllib.loads((MODEL / "model.toml").read_text())
SIZE = MANIFEST["input"]["width"], MANIFEST["input"]["height"]
MEAN = np.array(MANIFEST["input"]["mean"], dtype=np.float32)
STD = np.array(MANIFEST["input"]["std"], dtype=np.float32)
LABELS = (MODEL / MANIFEST["classes"]["labels"]).read_text().split()

OPTIONS = onnxruntime.SessionOptions()
OPTIONS.intra_op_num_threads = OPTIONS.inter_op_num_threads = 1
SESSION = onnxruntime.InferenceSession(MODEL / MANIFEST["file"]["path"], OPTIONS, providers=["CPUExecutionProvider"])
OUTPUTS = [output.name for output in SESSION.get_outputs()]


def pillow(data: bytes) -> np.ndarray:
    """RGB pixels `[height, width, 3]` at the network's size."""
    from PIL import Image, ImageOps

    image = ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB")
    return np.asarray(image.resize(SIZE, Image.Resampling.BILINEAR))


def vips(data: bytes) -> np.ndarray:
    """The same by libvips, which shrinks while it decodes."""
    import pyvips

    image = pyvips.Image.thumbnail_buffer(data, SIZE[0], height=SIZE[1], size="force")
    return image.colourspace("srgb")[:3].numpy()


READ = {"pillow": pillow, "vips": vips}[os.environ.get("PEER_DECODER", "pillow")]

app = FastAPI()


def identify(data: bytes) -> dict[str, object]:
    """The most probable label, by softmax over the raw scores."""
    pixels = (READ(data).astype(np.float32) / 255 - MEAN) / STD
    tensor = np.ascontiguousarray(pixels.transpose(2, 0, 1)[None])
    logits = next(
        value[0] for value in SESSION.run(OUTPUTS, {MANIFEST["input"]["name"]: tensor}) if value.shape[-1] == len(LABELS)
    )
    scores = np.exp(logits - logits.max())
    best = int(scores.argmax())
    return {"label": LABELS[best], "confidence": float(scores[best] / scores.sum())}


@app.get("/health")
def health() -> dict[str, str]:
    return {"status": "ok"}


# Not `async`: FastAPI runs it on a thread, so that a photograph does not hold up the loop.
@app.post("/api/identify")
def post(image: UploadFile) -> dict[str, object]:
    try:
        return identify(image.file.read())
    except OSError as error:
        raise HTTPException(422, "not a photograph") from error
